#include "io/billiards.hpp"

#include <cstddef>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "dem/hard/event.hpp"
#include "io/errors.hpp"
#include "io/number_text.hpp"

namespace scree {

namespace {

/// The lines of a file that are not blank, as numbers.
class NumberLines {
 public:
  NumberLines(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  /// @return false at the end
  bool next(std::vector<double>& numbers) {
    numbers.clear();
    for (std::string line; numbers.empty() && std::getline(in_, line);) {
      ++line_;
      std::istringstream words(line);
      for (std::string word; words >> word;) numbers.push_back(number(word));
    }
    return !numbers.empty();
  }
  [[noreturn]] void fail(const std::string& what) const { throw IoError(fmt::format("{}:{}: {}", name_, line_, what)); }

 private:
  double number(const std::string& word) const {
    const auto value = parse_number<double>(word);
    if (!value) fail(fmt::format("'{}' is not a number", word));
    return *value;
  }

  std::istream& in_;
  std::string name_;
  int line_ = 0;
};

std::uint8_t colour(double value, const NumberLines& lines) {
  if (!(value >= 0.0 && value <= 255.0)) lines.fail("a colour must lie in 0 ... 255");
  return static_cast<std::uint8_t>(value);
}

}  // namespace

Billiards read_billiards(std::istream& in, const std::string& name) {
  NumberLines lines(in, name);
  std::vector<double> numbers;
  if (!lines.next(numbers)) lines.fail("the number of disks is missing");
  const double disks = numbers[0];
  if (numbers.size() != 1 || !(disks >= 0.0 && disks < hard::kMaxDisks)) {
    lines.fail("the first line must be the number of disks");
  }
  Billiards billiards;
  hard::Setup& setup = billiards.setup;
  setup.domain = {{0.0, 0.0}, {1.0, 1.0}};
  while (lines.next(numbers)) {
    if (numbers.size() != 9) {
      lines.fail(
          fmt::format("expected 9 numbers, rx ry vx vy radius mass red green blue; there are {}", numbers.size()));
    }
    setup.position.emplace_back(numbers[0], numbers[1]);
    setup.velocity.emplace_back(numbers[2], numbers[3]);
    setup.radius.push_back(numbers[4]);
    setup.mass.push_back(numbers[5]);
    billiards.colour.push_back({colour(numbers[6], lines), colour(numbers[7], lines), colour(numbers[8], lines)});
  }
  if (static_cast<double>(setup.position.size()) != disks) {
    lines.fail(
        fmt::format("the first line announces another number of disks than there are: {}", setup.position.size()));
  }
  return billiards;
}

Billiards read_billiards(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw IoError(path.string() + ": cannot be opened");
  return read_billiards(in, path.string());
}

}  // namespace scree
