#include "io/files/atomic_file.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <doctest/doctest.h>

#include "io/files/csv.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/frames/vtk_writer.hpp"
#include "io/text/errors.hpp"
#include "tests/io/made_up_state.hpp"
#include "tests/io/scratch_directory.hpp"
#include "tests/io/small_files.hpp"

namespace scree::atomic_file_test {

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE("nothing but a file is replaced, whoever writes") {
  const ScratchDirectory here;
  fs::create_directories(here.path() / "directory" / "inner");
  REQUIRE(mkfifo((here.path() / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("/dev/null", here.path() / "device");
  fs::create_symlink("pipe", here.path() / "link");
  struct Case {
    const char* name;
    const char* says;
  };
  for (const Case& each : {Case{"directory", "it is a directory, must be a file or a new name"},
                           Case{"pipe", "it is a pipe, must be a file or a new name"},
                           Case{"device", "it is a device, must be a file or a new name"},
                           Case{"link", "it is a pipe, must be a file or a new name"}}) {
    CAPTURE(each.name);
    const fs::path path = here.path() / each.name;
    const auto before = files_in(here.path());
    const auto is_refused = [&](auto&& write) {
      CHECK_THROWS_WITH_AS(write(), doctest::Contains(each.says), IoError);
      CHECK(files_in(here.path()) == before);
    };
    is_refused([&] { write_file_atomically(path, "text"); });
    is_refused([&] { write_checkpoint(path, {}); });
    is_refused([&] { write_checkpoint(path, {}, Earlier::replaced); });
    is_refused([&] { const CsvFile table(path, "time [s]", {}); });
  }
  CHECK(fs::is_directory(here.path() / "directory" / "inner"));
  CHECK(fs::is_fifo(here.path() / "pipe"));
  CHECK(fs::is_symlink(here.path() / "device"));
}

TEST_CASE("a symbolic link is followed, to a file and to where none is yet") {
  const ScratchDirectory here;
  fs::create_directory(here.path() / "there");
  fs::create_symlink("there/new", here.path() / "link");
  fs::create_symlink(here.path() / "link", here.path() / "link_to_link");
  for (const std::string text : {"first", "second"}) {
    write_file_atomically(here.path() / "link_to_link", text);
    CHECK(read_file(here.path() / "there" / "new") == text);
    CHECK(fs::is_regular_file(fs::symlink_status(here.path() / "there" / "new")));
  }
  CHECK(fs::is_symlink(here.path() / "link"));
  CHECK(fs::is_symlink(here.path() / "link_to_link"));
  { const CsvFile table(here.path() / "link", "time [s]", {}); }
  CHECK(read_file(here.path() / "there" / "new") == "time [s]\n");
}

TEST_CASE("a file whose name is that of one that is being written stays as it is") {
  const ScratchDirectory here;
  write_file_atomically(here.path() / "a", "before");
  for (const char* name : {"a.tmp", "a.2.tmp"}) write_file_atomically(here.path() / name, "the user's");
  fs::create_directory(here.path() / "a.3.tmp");
  write_file_atomically(here.path() / "a", "after");
  CHECK(read_file(here.path() / "a") == "after");
  CHECK(read_file(here.path() / "a.tmp") == "the user's");
  CHECK(read_file(here.path() / "a.2.tmp") == "the user's");
  CHECK(files_in(here.path()) == std::vector<std::string>{"a", "a.2.tmp", "a.3.tmp", "a.tmp"});
}

TEST_CASE("where the disk is full the file before stays, and nothing else") {
  const ScratchDirectory here;
  const fs::path path = here.path() / "a";
  write_file_atomically(path, "before");
  {
    const SmallFiles limit(3);
    CHECK_THROWS_WITH_AS(write_file_atomically(path, "longer"), doctest::Contains("File too large"), IoError);
  }
  CHECK(read_file(path) == "before");
  CHECK(files_in(here.path()) == std::vector<std::string>{"a"});
}

TEST_CASE("a state saved where the user says replaces that file and touches no other") {
  const ScratchDirectory here;
  const fs::path file = here.path() / "a.scree";
  write_file_atomically(here.path() / "a.previous.scree", "the user's");
  for (const std::string state : {"first", "second"}) {
    write_checkpoint(file, {.scene_name = "s", .scene_yaml = "y", .state = state}, Earlier::replaced);
    CHECK(read_checkpoint(file).state == state);
  }
  CHECK(read_file(here.path() / "a.previous.scree") == "the user's");
  CHECK(files_in(here.path()) == std::vector<std::string>{"a.previous.scree", "a.scree"});
}

TEST_CASE("of what was written before, only files and links are removed") {
  const ScratchDirectory here;
  fs::create_directory(here.path() / "particles_000003.vtp");
  REQUIRE(mkfifo((here.path() / "walls_000004.vtp").c_str(), 0600) == 0);
  write_file_atomically(here.path() / "walls_000005.vtp", "old");
  VtkSeries series(here.path());
  CHECK(files_in(here.path()) == std::vector<std::string>{"particles_000003.vtp", "walls_000004.vtp"});
  for (int k = 0; k < 3; ++k) series.write(made_up_heap(4));
  CHECK_THROWS_WITH_AS(series.write(made_up_heap(4)), doctest::Contains("it is a directory"), IoError);
  CHECK(series.frames().size() == 3);
}

}  // namespace scree::atomic_file_test
