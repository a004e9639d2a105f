#include "io/formats/billiards.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/files/input_file.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/yaml/scene_error.hpp"
#include "io/yaml/yaml_value.hpp"

namespace scree {

namespace {

constexpr std::array<const char*, 9> kColumns = {"rx", "ry", "vx", "vy", "radius", "mass", "red", "green", "blue"};

struct Word {
  std::string_view text;
  std::size_t column;  ///< from 0
};

/// The lines of a text that are not blank, word by word.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// @return false at the end
  bool next() {
    words_.clear();
    while (words_.empty() && !rest_.empty()) {
      ++number_;
      const std::string_view line = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
      split(line);
    }
    return !words_.empty();
  }
  int number() const { return number_; }
  const std::vector<Word>& words() const { return words_; }

 private:
  /// One word more than there should be is enough to see that there are too many.
  void split(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r\v\f";
    for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
      words_.push_back({line.substr(at, end - at), at});
      if (words_.size() > kColumns.size()) return;
      at = line.find_first_not_of(kBlanks, end);
    }
  }

  std::string_view rest_;
  std::vector<Word> words_;
  int number_ = 0;
};

/// Only what is meant as a number is repeated: the text of another file stays private.
std::string found(std::string_view word) {
  const bool may_be_shown = word.find_first_not_of("+-.,eE0123456789") == std::string_view::npos;
  return may_be_shown ? fmt::format("is {}", shortened(word, 30)) : "is a word";
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name, const std::optional<Domain>& domain)
      : lines_(text), name_(name), domain_(domain) {}

  Billiards read() {
    const std::size_t announced = number_of_disks();
    const int header = lines_.number();
    billiards_.setup.domain = {{0.0, 0.0}, {1.0, 1.0}};
    std::size_t disks = 0;
    while (lines_.next()) {
      if (++disks <= announced) mistakes_.attempt([&] { read_disk(disks); });
    }
    if (disks != announced) {
      mistakes_.add(
          SceneError{name_, header, 1, "number of disks",
                     fmt::format("is {}, must be {}, as many as there are lines after it", announced, disks)});
    }
    mistakes_.throw_if_any();
    return std::move(billiards_);
  }

 private:
  [[noreturn]] void fail(std::size_t column, const std::string& key, const std::string& problem) const {
    throw SceneError(name_, std::max(lines_.number(), 1), static_cast<int>(column) + 1, key, problem);
  }

  std::size_t number_of_disks() {
    const bool is_there = lines_.next();
    const auto disks =
        is_there && lines_.words().size() == 1 ? parse_number<std::size_t>(lines_.words()[0].text) : std::nullopt;
    if (disks && *disks <= kMostPlaced) return *disks;
    const std::string allowed =
        fmt::format("must begin with a line that has nothing but the number of disks, from 0 to {}", kMostPlaced);
    fail(0, "", (is_there ? "is not a file of billiards, " : "is empty, ") + allowed);
  }

  /// @param number from 1
  void read_disk(std::size_t number) {
    const std::vector<Word>& words = lines_.words();
    if (words.size() != kColumns.size()) {
      fail(words.front().column, fmt::format("disk {}", number),
           fmt::format("has {} values, must have 9: rx ry vx vy radius mass red green blue",
                       words.size() < kColumns.size() ? std::to_string(words.size()) : "more than 9"));
    }
    std::array<double, kColumns.size()> values{};
    for (std::size_t k = 0; k < words.size(); ++k) {
      mistakes_.attempt([&] { values[k] = value(number, k, words[k]); });
    }
    hard::Setup& setup = billiards_.setup;
    setup.position.emplace_back(values[0], values[1]);
    setup.velocity.emplace_back(values[2], values[3]);
    setup.radius.push_back(values[4]);
    setup.mass.push_back(values[5]);
    std::array<std::uint8_t, 3>& colour = billiards_.colour.emplace_back();
    for (std::size_t k = 0; k < colour.size(); ++k) colour[k] = static_cast<std::uint8_t>(values[6 + k]);
  }

  double value(std::size_t disk, std::size_t column, const Word& word) const {
    const std::optional<double> number = parse_number<double>(word.text);
    const auto require = [&](bool good, const std::string& allowed) {
      if (good) return;
      fail(word.column, fmt::format("disk {}: {}", disk, kColumns[column]),
           fmt::format("{}, must be {}", found(word.text), allowed));
    };
    require(number && std::abs(*number) <= kLargestNumber, "a number of magnitude up to 1e100");
    if (column < 2 && domain_) {
      const double lo = domain_->lo[static_cast<int>(column)];
      const double hi = domain_->hi[static_cast<int>(column)];
      require(*number >= lo && *number <= hi,
              fmt::format("in the domain, [{}, {}] [m]", number_text(lo), number_text(hi)));
    }
    if (column == 4 || column == 5) require(*number > 0.0, column == 4 ? "a number > 0 [m]" : "a number > 0 [kg]");
    if (column > 5) {
      require(*number >= 0.0 && *number <= 255.0 && *number == std::floor(*number), "a whole number from 0 to 255");
    }
    return *number;
  }

  Lines lines_;
  std::string name_;
  std::optional<Domain> domain_;
  Mistakes mistakes_;
  Billiards billiards_;
};

}  // namespace

Billiards parse_billiards(std::string_view text, const std::string& name, const std::optional<Domain>& domain) {
  try {
    return Reader(text, name, domain).read();
  } catch (const TooManyMistakes& error) {
    throw SceneError(error.mistakes);
  }
}

Billiards read_billiards(const std::filesystem::path& path, const std::optional<Domain>& domain) {
  return parse_billiards(read_input_file(path, "a file of billiards"), path.string(), domain);
}

}  // namespace scree
