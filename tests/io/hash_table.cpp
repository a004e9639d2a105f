#include "io/tables/hash_table.hpp"

#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "io/files/atomic_file.hpp"
#include "io/text/errors.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::hash_table_test {

namespace {

HashRow row(double time, std::uint64_t step, std::uint64_t velocity) {
  HashRow row{time, step};
  row.hashes[static_cast<std::size_t>(Quantity::velocity)] = {velocity, ~velocity};
  return row;
}

}  // namespace

TEST_CASE("hashes are read back as they were written, of both modes") {
  for (const Mode mode : {Mode::soft, Mode::hard}) {
    const ScratchDirectory directory;
    const auto file = directory.path() / "hashes.csv";
    {
      HashTable table(file, mode);
      table.add(row(0.0, 0, 1));
      table.add(row(0.1, 1000, 0xfedcba9876543210u));
      table.add(row(0.1, 1000, 0xfedcba9876543210u));  // no news
      table.add(row(0.1, 1000, 7));                    // another state at the same moment is news
    }
    const HashRows found = read_hash_table(file);
    CHECK(found.mode == mode);
    REQUIRE(found.rows.size() == 3);
    CHECK(found.rows[0] == row(0.0, 0, 1));
    CHECK(found.rows[1] == row(0.1, 1000, 0xfedcba9876543210u));
    CHECK(found.rows[2] == row(0.1, 1000, 7));
  }
}

TEST_CASE("a table that goes on has no rows later than the state, none that was cut off and none twice") {
  const ScratchDirectory directory;
  const auto file = directory.path() / "hashes.csv";
  Written written;
  {
    HashTable table(file, Mode::soft);
    for (std::uint64_t k = 0; k < 4; ++k) {
      table.add(row(0.1 * static_cast<double>(k), 1000 * k, k));
      if (k == 1) table.add_to(written);
    }
  }
  std::ofstream(file, std::ios::app) << "0.4,4000,00";
  CHECK(read_hash_table(file).rows.size() == 4);
  {
    HashTable table(file, Mode::soft, written);
    table.add(row(0.1, 1000, 1));
    table.add(row(0.2, 2000, 22));
  }
  const HashRows found = read_hash_table(file);
  REQUIRE(found.rows.size() == 3);
  CHECK(found.rows[1] == row(0.1, 1000, 1));
  CHECK(found.rows[2] == row(0.2, 2000, 22));
}

TEST_CASE("a file that is no table of hashes is refused, by name and row") {
  const ScratchDirectory directory;
  const auto file = directory.path() / "hashes.csv";
  CHECK_THROWS_AS((void)read_hash_table(file), IoError);
  write_file_atomically(file, "time [s],id\n1,2\n");
  CHECK_THROWS_WITH_AS((void)read_hash_table(file), doctest::Contains("its first line is not that of"), IoError);
  { HashTable(directory.path() / "good.csv", Mode::hard).add(row(0.0, 0, 1)); }
  std::string text = read_file(directory.path() / "good.csv");
  text[text.rfind(',') + 3] = 'x';
  write_file_atomically(file, text);
  CHECK_THROWS_WITH_AS((void)read_hash_table(file), doctest::Contains("its row 1 is none of hashes"), IoError);
}

}  // namespace scree::hash_table_test
