#include "io/files/written.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "io/files/atomic_file.hpp"
#include "io/files/csv.hpp"
#include "io/text/errors.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::written_test {

namespace {

/// @return what is said of a directory; empty if all is there
std::string refusal(const ScratchDirectory& directory, const Written& written) {
  try {
    require_all_written(directory.path(), written_from(to_bytes(written)));
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

std::string with_line(const std::string& text, std::size_t number, const std::string& line) {
  std::size_t begin = 0;
  for (; number > 0; --number) begin = text.find('\n', begin) + 1;
  return text.substr(0, begin) + line + text.substr(text.find('\n', begin) + 1);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a row that is missing or another one is named, and further rows do not matter") {
  const ScratchDirectory directory;
  const auto file = directory.path() / "series.csv";
  Written written;
  {
    CsvFile table(file, "time,value", {});
    for (int k = 1; k <= 100; ++k) {
      table << 0.1 * k << k;
      table.end_row();
    }
    table.add_to(written);
    table << 11.0 << 101;
    table.end_row();
  }
  CHECK(refusal(directory, written).empty());
  const std::string whole = read_file(file);
  for (const std::size_t row : {1, 2, 37, 99, 100}) {
    CAPTURE(row);
    const std::string said_row = "series.csv: row " + std::to_string(row) + " ";
    write_file_atomically(file, with_line(whole, row, "7,7\n"));
    CHECK(contains(refusal(directory, written), said_row + "is not the one that was written; allowed: the file as it"));
    const std::size_t begin = whole.size() - with_line(whole, row, "").size();
    CHECK(begin > 3);
    std::string cut = whole;
    for (std::size_t k = 0, at = 0; k <= row; ++k, at = cut.find('\n', at) + 1) {
      if (k == row) cut.resize(at + 2);
    }
    write_file_atomically(file, cut);
    CHECK(contains(refusal(directory, written), said_row + "is missing or cut off; the saved state counts 100 rows"));
  }
  write_file_atomically(file, with_line(whole, 0, "time,other\n"));
  CHECK(contains(refusal(directory, written), "series.csv: its first line is not the one"));
  write_file_atomically(file, "");
  CHECK(contains(refusal(directory, written), "series.csv: it has no whole line; the saved state counts 100 rows"));
  std::filesystem::remove(file);
  CHECK(contains(refusal(directory, written), "series.csv: it is missing; the saved state counts 100 rows"));
}

TEST_CASE("of a long table the row is known up to a few, and what is kept of it stays small") {
  const ScratchDirectory directory;
  const auto file = directory.path() / "flow.csv";
  std::string text = "a\n";
  TableRecord record(text);
  Written written;
  for (int k = 1; k <= 5000; ++k) {
    const std::string row = std::to_string(k) + "\n";
    text += row;
    record.add(row);
    if (k % 7 != 0) continue;  // at any length
    written.tables["flow.csv"] = record;
    if (k % 490 != 0) continue;
    write_file_atomically(file, text);
    CHECK(refusal(directory, written).empty());
    write_file_atomically(file, with_line(text, static_cast<std::size_t>(k), "x\n"));
    CHECK(contains(refusal(directory, written), std::to_string(k) + " is not the one that was written"));
  }
  CHECK(record.bytes() == text.size());
  CHECK(to_bytes(written).size() < 2500);
  write_file_atomically(file, with_line(text, 1000, "x\n"));
  CHECK(contains(refusal(directory, written), "one of the rows 993 to 1024 is not"));
}

TEST_CASE("a frame whose file is missing or another one is named") {
  const ScratchDirectory directory;
  const Written written{.frames = {{.time = 0.0, .files = {}}}, .tables = {}, .images = {}};
  CHECK(contains(refusal(directory, written), "contacts_000000.vtp: it is missing"));
  write_file_atomically(directory.path() / "contacts_000000.vtp", "other");
  CHECK(contains(refusal(directory, written), "contacts_000000.vtp: its contents are not what was written"));
}

TEST_CASE("an image of fields whose file is missing or another one is named, and the record keeps it") {
  const ScratchDirectory directory;
  Written written;
  written.images = {{.time = 0.5, .file = 1}};
  CHECK(contains(refusal(directory, written), "fields_000000.vti: it is missing"));
  write_file_atomically(directory.path() / "fields_000000.vti", "other");
  CHECK(contains(refusal(directory, written), "fields_000000.vti: its contents are not what was written"));
  CHECK(written_from(to_bytes(written)).images == written.images);
}

}  // namespace scree::written_test
