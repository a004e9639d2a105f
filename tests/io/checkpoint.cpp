#include "io/formats/checkpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "io/files/atomic_file.hpp"
#include "io/text/errors.hpp"
#include "tests/io/scratch_directory.hpp"
#include "tests/io/small_files.hpp"

namespace scree::checkpoint_test {

namespace fs = std::filesystem;

namespace {

Checkpoint some_checkpoint() {
  using namespace std::string_literals;
  return {.scene_name = "heap.yaml",
          .scene_yaml = "title: a heap\nmode: soft\n",
          .state = "bytes\0of\nany \xff kind"s,
          .state_hash = "0123456789abcdef",
          .measurements = "sums",
          .written = {.frames = {{.time = 0.5, .files = {1, 2, 3}}},
                      .tables = {{"flow.csv", TableRecord("a,b\n")}, {"series.csv", TableRecord("c\n")}}},
          .edits = "[{}]"};
}

/// @return what is said when the file is refused; empty if it is read
std::string refusal(const fs::path& file) {
  try {
    read_checkpoint(file);
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

std::string refusal_of(const std::string& contents, const ScratchDirectory& directory) {
  const fs::path file = directory.path() / "state.scree";
  write_file_atomically(file, contents);
  return refusal(file);
}

}  // namespace

TEST_CASE("what is read is what was written, for empty parts and bytes of any kind, too") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / "state.scree";
  std::string large(300000, 'x');
  large[100000] = '\0';
  const std::vector<Checkpoint> all = {some_checkpoint(),
                                       {.scene_name = "", .scene_yaml = "", .state = ""},
                                       {.scene_name = "large", .scene_yaml = "y", .state = large}};
  for (const Checkpoint& written : all) {
    CAPTURE(written.scene_name);
    write_checkpoint(file, written);
    const Checkpoint read = read_checkpoint(file);
    CHECK(read.scene_name == written.scene_name);
    CHECK(read.scene_yaml == written.scene_yaml);
    CHECK(read.state == written.state);
    CHECK(read.state_hash == written.state_hash);
    CHECK(read.written.frames == written.written.frames);
    CHECK(read.written.tables == written.written.tables);
    CHECK(read.measurements == written.measurements);
    CHECK(read.edits == written.edits);
  }
}

TEST_CASE("a checkpoint that is cut off anywhere is refused with a sentence that names the file") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / "state.scree";
  write_checkpoint(file, some_checkpoint());
  const std::string whole = read_file(file);
  CHECK(whole.size() > 50);
  CHECK(refusal(file).empty());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    const std::string why = refusal_of(whole.substr(0, length), directory);
    CHECK(why.starts_with("cannot resume from " + file.string() + ": "));
  }
  CHECK(refusal_of(whole + '\0', directory).find("damaged") != std::string::npos);
  CHECK(refusal_of(whole, directory).empty());
}

TEST_CASE("a checkpoint with any byte changed is refused") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / "state.scree";
  write_checkpoint(file, some_checkpoint());
  const std::string whole = read_file(file);
  const std::size_t first_line = whole.find('\n');
  for (std::size_t k = 0; k < whole.size(); ++k) {
    CAPTURE(k);
    for (const int flipped : {0x01, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[k] = static_cast<char>(damaged[k] ^ flipped);
      const std::string why = refusal_of(damaged, directory);
      CHECK(why.starts_with("cannot resume from " + file.string() + ": "));
      if (k > first_line) CHECK(why.ends_with("the file is damaged (its checksum is wrong)"));
    }
  }
}

TEST_CASE("a checkpoint of another version and another file are refused as such") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / "state.scree";
  write_checkpoint(file, some_checkpoint());
  const std::string whole = read_file(file);
  const std::size_t end = whole.find('\n');
  REQUIRE(whole.starts_with("scree state "));
  const int format = std::stoi(whole.substr(12, end - 12));
  const auto said_of = [&](int other) {
    return refusal_of("scree state " + std::to_string(other) + whole.substr(end), directory);
  };
  const std::string this_one = "this one reads format " + std::to_string(format);
  for (const std::string& part : {"state of format " + std::to_string(format - 1), std::string("an older version"),
                                  this_one, std::string("scree run --force")}) {
    CHECK(said_of(format - 1).find(part) != std::string::npos);
  }
  CHECK(said_of(format + 1).find("a newer version of scree saved; " + this_one) != std::string::npos);
  CHECK(refusal_of("title: a heap\n", directory).ends_with("it is not a saved state of scree"));
  CHECK(refusal_of("scree state x\n", directory).ends_with("it is not a saved state of scree"));
}

TEST_CASE("a checkpoint that is not there is told by its name") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / "state.scree";
  CHECK(refusal(file).find(file.string()) != std::string::npos);
}

TEST_CASE("a checkpoint replaces the one before as a whole, or not at all, and leaves nothing else behind") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / "state.scree";
  Checkpoint first = some_checkpoint();
  write_checkpoint(file, first);
  Checkpoint second = some_checkpoint();
  second.state = "shorter";
  write_checkpoint(file, second);
  CHECK(read_checkpoint(file).state == "shorter");
  CHECK(files_in(directory.path()) == std::vector<std::string>{"state.previous.scree", "state.scree"});
  CHECK(read_checkpoint(previous_checkpoint(file)).state == first.state);

  // Where the new one cannot be written, the one before stays.
  {
    const SmallFiles limit(40);
    CHECK_THROWS_AS(write_checkpoint(file, first), IoError);
  }
  CHECK(read_checkpoint(file).state == "shorter");
  CHECK(read_checkpoint(previous_checkpoint(file)).state == first.state);
  CHECK_THROWS_AS(write_checkpoint(directory.path() / "nowhere" / "state.scree", first), IoError);
}

TEST_CASE("where a checkpoint is damaged or missing, the one before takes its place, with a warning") {
  const std::string bad_sum = ": the file is damaged (its checksum is wrong); going on from the state before it, ";
  struct Case {
    const char* name;
    void (*damage)(const fs::path&);
    std::string warning;
  };
  const std::vector<Case> cases = {
      {"a byte changed",
       [](const fs::path& file) {
         std::string whole = read_file(file);
         whole[whole.size() / 2] ^= 1;
         write_file_atomically(file, whole);
       },
       bad_sum},
      {"cut off", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }, bad_sum},
      {"empty", [](const fs::path& file) { fs::resize_file(file, 0); },
       ": it is not a saved state of scree; going on from the state before it, "},
      {"missing", [](const fs::path& file) { fs::remove(file); },
       ": No such file or directory; going on from the state before it, "},
  };
  for (const Case& each : cases) {
    CAPTURE(std::string(each.name));
    const ScratchDirectory directory;
    const fs::path file = directory.path() / "state.scree";
    Checkpoint checkpoint = some_checkpoint();
    for (const char* state : {"first", "second", "third"}) {
      checkpoint.state = state;
      write_checkpoint(file, checkpoint);
    }
    std::string said;
    const auto listen = [&](const std::string& warned) { said += warned; };
    CHECK(read_last_checkpoint(file, listen).state == "third");
    CHECK(said.empty());
    each.damage(file);
    CHECK(read_last_checkpoint(file, listen).state == "second");
    CHECK(said.find(file.string() + each.warning) != std::string::npos);
    // It is the last one now, and will be the one before.
    CHECK(read_checkpoint(file).state == "second");
    checkpoint.state = "fourth";
    write_checkpoint(file, checkpoint);
    CHECK(read_checkpoint(previous_checkpoint(file)).state == "second");
    // Both damaged: both are named, nothing is touched.
    for (const fs::path& path : {file, previous_checkpoint(file)}) fs::resize_file(path, 20);
    CHECK_THROWS_AS(read_last_checkpoint(file, listen), IoError);
    CHECK(fs::file_size(file) == 20);
    CHECK(fs::file_size(previous_checkpoint(file)) == 20);
  }
}

TEST_CASE("a checkpoint of another version is not replaced by the one before") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / "state.scree";
  write_checkpoint(file, some_checkpoint());
  write_checkpoint(file, some_checkpoint());
  write_file_atomically(file, "scree state 99\nwhatever");
  CHECK_THROWS_AS(read_last_checkpoint(file, [](const std::string&) {}), IoError);
  CHECK(read_file(file).starts_with("scree state 99"));
}

TEST_CASE("a hash is written as 16 hexadecimal digits, and tells states apart") {
  StateValues none;
  StateValues one;
  one.add(Quantity::position, {.body = 1}, 0.5);
  StateValues other;
  other.add(Quantity::position, {.body = 2}, 0.5);
  for (const StateValues* values : {&none, &one, &other}) {
    const std::string text = hash_text(values->hashes());
    CHECK(text.size() == 16);
    CHECK(text.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
  CHECK(hash_text(one.hashes()) != hash_text(other.hashes()));
  CHECK(hash_text(one.hashes()) != hash_text(none.hashes()));
}

}  // namespace scree::checkpoint_test
