#include "dem/hard/reversible/random_streams.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "dem/random.hpp"

namespace scree::hard::reversible {

double PhiloxStream::next() {
  return Random(seed_, purpose_, position_++).uniform();
}

double PhiloxStream::previous() {
  return Random(seed_, purpose_, --position_).uniform();
}

namespace {

/// a^(m-2), which is 1/a modulo the prime m.
constexpr std::uint64_t inverse(std::uint64_t a, std::uint64_t m) {
  std::uint64_t result = 1;
  for (std::uint64_t n = m - 2; n > 0; n /= 2) {
    if (n % 2 == 1) result = result * a % m;
    a = a * a % m;
  }
  return result;
}

constexpr std::array<std::uint64_t, 4> kInverse = {
    inverse(FourLcgs::kMultiplier[0], FourLcgs::kModulus[0]), inverse(FourLcgs::kMultiplier[1], FourLcgs::kModulus[1]),
    inverse(FourLcgs::kMultiplier[2], FourLcgs::kModulus[2]), inverse(FourLcgs::kMultiplier[3], FourLcgs::kModulus[3])};

}  // namespace

FourLcgs::FourLcgs(const std::array<std::uint64_t, 4>& state) : state_(state) {
  for (std::size_t k = 0; k < 4; ++k) {
    if (state[k] < 1 || state[k] >= kModulus[k]) {
      throw std::invalid_argument(
          fmt::format("state {} of generator {} is not within 1 ... {}", state[k], k, kModulus[k] - 1));
    }
  }
}

double FourLcgs::output() const {
  double u = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double term = static_cast<double>(state_[k]) / static_cast<double>(kModulus[k]);
    u += k % 2 == 0 ? term : -term;
    if (u < 0.0) u += 1.0;
    if (u >= 1.0) u -= 1.0;  // also what the line above has rounded to 1
  }
  return u;
}

double FourLcgs::next() {
  for (std::size_t k = 0; k < 4; ++k) state_[k] = kMultiplier[k] * state_[k] % kModulus[k];
  return output();
}

double FourLcgs::previous() {
  const double number = output();
  for (std::size_t k = 0; k < 4; ++k) state_[k] = kInverse[k] * state_[k] % kModulus[k];
  return number;
}

}  // namespace scree::hard::reversible
