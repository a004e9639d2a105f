#include "dem/archive.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/vec.hpp"

namespace scree::archive_test {

namespace {

/// With padding behind every member but the last.
struct Padded {
  bool yes;
  double number;
  std::array<std::int32_t, 1> few;
  Vec2 vector;
  std::uint8_t byte;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.yes, self.number, self.few, self.vector, self.byte);
  }
};

struct NoVisit {
  bool yes;
  double number;
};

/// The same value on memory that held something else before.
std::string bytes_on(unsigned char before) {
  alignas(Padded) std::array<unsigned char, sizeof(Padded)> memory;
  std::memset(memory.data(), before, memory.size());
  auto* value = reinterpret_cast<Padded*>(memory.data());
  value->yes = true;
  value->number = 1.5;
  value->few = {7};
  value->vector = {2, 3};
  value->byte = 9;
  std::ostringstream out;
  OutArchive archive(out);
  archive(*value, std::vector<Padded>(2, *value));
  return std::move(out).str();
}

template <class T>
T read(const std::string& bytes) {
  std::istringstream in(bytes);
  InArchive archive(in);
  T value{};
  archive(value);
  return value;
}

}  // namespace

TEST_CASE("bytes are those of values only") {
  constexpr std::size_t kValue = 1 + 8 + 4 + 16 + 1;
  CHECK(bytes_on(0x00).size() == kValue + 8 + 2 * kValue);
  CHECK(bytes_on(0x00) == bytes_on(0xff));
  const auto read_back = read<Padded>(bytes_on(0xff));
  CHECK(read_back.yes);
  CHECK(read_back.number == 1.5);
  CHECK(read_back.few[0] == 7);
  CHECK(read_back.vector == Vec2(2, 3));
  CHECK(read_back.byte == 9);
}

TEST_CASE("what may have padding can only be saved member by member") {
  CHECK(Bare<double>);
  CHECK(Bare<Vec2>);
  CHECK(Bare<std::array<std::int32_t, 2>>);
  CHECK_FALSE(Bare<bool>);
  CHECK_FALSE(Bare<long double>);
  CHECK_FALSE(Bare<std::array<bool, 2>>);
  CHECK_FALSE(Bare<NoVisit>);
  CHECK_FALSE(Visitable<NoVisit, InArchive>);
  CHECK(Visitable<Padded, InArchive>);
}

TEST_CASE("a size that a file only claims takes no memory, and what is no value is refused") {
  std::ostringstream out;
  OutArchive archive(out);
  archive(~std::uint64_t{0}, 1.0);
  CHECK_THROWS_WITH_AS(read<std::vector<double>>(out.str()), "the saved state is cut off", InvalidState);
  CHECK_THROWS_AS(read<std::vector<Padded>>(out.str()), InvalidState);
  CHECK_THROWS_AS(read<double>("1234567"), InvalidState);
  CHECK(read<bool>({1}));
  CHECK_THROWS_AS(read<bool>({2}), InvalidState);
}

TEST_CASE("a list of fixed length is loaded with that length only") {
  std::ostringstream out;
  OutArchive archive(out);
  archive(std::vector<int>{1, 2, 3});
  const auto read_into = [&](std::vector<int> values) {
    std::istringstream in(out.str());
    InArchive{in}(fixed(values));
    return values;
  };
  CHECK(read_into({0, 0, 0}) == std::vector<int>{1, 2, 3});
  CHECK_THROWS_AS(read_into({0, 0}), InvalidState);
  CHECK_THROWS_AS(read_into({}), InvalidState);
}

}  // namespace scree::archive_test
