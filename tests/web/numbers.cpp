// Numbers as texts and back, for web/libcxx13.hpp: prints a hash of what comes of many, which is to be that of a build
// with another standard library.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include "io/text/number_text.hpp"

namespace {

std::uint64_t hash = 14695981039346656037U;

constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};

void add(const std::string& text) {
  for (const char c : text + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
}

void read(const std::string& text) {
  double value = -7.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::uint64_t bits = std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value);
  add(std::to_string(bits) + ' ' + std::to_string(end - text.data()) + ' ' +
      (error == std::errc{}                   ? "good"
       : error == std::errc::invalid_argument ? "bad"
                                              : "out of range"));
}

}  // namespace

int main() {
  std::mt19937_64 random(1);
  for (const char* text : {"",
                           "-",
                           "+1",
                           " 1",
                           "1 ",
                           ".",
                           ".5",
                           "5.",
                           "-.5e3",
                           "1e",
                           "1e+",
                           "1e5x",
                           "e5",
                           "0x10",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "0e-999",
                           "4.9e-324",
                           "2e-324",
                           "2.2250738585072011e-308",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "inf",
                           "-Infinity",
                           "infinit",
                           "nan",
                           "-nan",
                           "NaN1",
                           "1_0",
                           "1,5",
                           "00012",
                           "-0",
                           "123456789012345678901234567890",
                           "0.1000000000000000055511151231257827021181583404541015625",
                           "9007199254740993",
                           "1.5.2",
                           "1e5.5",
                           "--1"}) {
    read(text);
  }
  std::puts("edge cases");
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  for (int k = 0; k < 20000; ++k) {
    const double power = kPowers[random() % 8U];
    // All magnitudes, those of people, whole ones, those with few digits, and the smallest.
    const double values[] = {std::bit_cast<double>(random()), std::ldexp(static_cast<double>(random()), -64) * 100.0,
                             static_cast<double>(random() >> (random() % 64U)),
                             static_cast<double>(random() % 10000U) / power,
                             std::bit_cast<double>(random() % (std::uint64_t{1} << 53U))};
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      const std::string text = scree::number_text(value);
      add(text);
      add(scree::number_text(value, 6));
      read(text);
    }
    std::string letters;
    for (std::uint64_t n = random() % 12U; n > 0; --n) letters += "0123456789.e-+ 9"[random() % 16U];
    read(letters);
  }
  std::puts("numbers");
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}
