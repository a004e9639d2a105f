#include "io/frames/view_script.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "io/text/errors.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::view_script_test {

namespace {

std::string script_with(const std::string& title) {
  const ScratchDirectory directory;
  write_view_script(directory.path(), title);
  std::ifstream file(directory.path() / "view.py", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

// That it draws is what tests/paraview_check.sh looks at.

TEST_CASE("the script names the series it shows, and no directory of this machine") {
  const ScratchDirectory directory;
  write_view_script(directory.path(), "heap");
  const std::string script = script_with("heap");
  CHECK(script.starts_with("#!/usr/bin/env python3\n"));
  for (const char* name : {"\"particles\"", "\"contacts\"", "\"walls\""}) CHECK(contains(script, name));
  CHECK_FALSE(contains(script, directory.path().string()));
}

TEST_CASE("any title becomes a string of Python") {
  CHECK(contains(script_with("Grains at 30°"), "\nTITLE = \"Grains at 30°\"\n"));
  CHECK(contains(script_with(""), "\nTITLE = \"\"\n"));
  CHECK(contains(script_with("a \"b\" \\ c"), "\nTITLE = \"a \\\"b\\\" \\\\ c\"\n"));
  CHECK(contains(script_with("two\nlines\"\nimport os"), "\nTITLE = \"two\\nlines\\\"\\nimport os\"\n"));
  CHECK(contains(script_with("caf\xe9"), "\nTITLE = \"caf\xef\xbf\xbd\"\n"));
}

TEST_CASE("reflecting and periodic sides become lines, open ones do not") {
  const auto script = [](const Domain& domain) {
    const ScratchDirectory directory;
    write_view_script(directory.path(), "", domain);
    std::ifstream file(directory.path() / "view.py", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  Domain domain{.lo = {0.0, -1.0}, .hi = {2.0, 3.0}};
  CHECK(contains(script(domain), "\nSIDES = []"));
  domain.periodic[0] = true;
  CHECK(contains(script(domain), "\nSIDES = [[0.0,-1.0,0.0,3.0,1],[2.0,-1.0,2.0,3.0,1]]"));
  domain.reflecting = true;
  CHECK(contains(script(domain), "[0.0,-1.0,2.0,-1.0,2]"));
  domain = {.lo = {0.0, 0.0}, .hi = {1.0, 1.0}, .periodic = {true, true}};
  CHECK(!contains(script(domain), "\nSIDES = []"));
  domain.cell = CellDrive{.xy = {.rate = 1.0}};
  CHECK(contains(script(domain), "\nSIDES = []"));  // they move: each frame has its own
}

TEST_CASE("a directory that is not there is an error with its path") {
  const ScratchDirectory directory;
  const auto missing = directory.path() / "missing";
  try {
    write_view_script(missing, "heap");
    FAIL("no error");
  } catch (const IoError& error) {
    CHECK(contains(error.what(), (missing / "view.py").string()));
    CHECK(contains(error.what(), "No such file or directory"));
  }
}

}  // namespace scree::view_script_test
