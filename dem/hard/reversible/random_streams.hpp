#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace scree::hard::reversible {

/// A stream of random numbers in [0, 1) that also runs backwards: previous() returns the number that the last next()
/// returned, and sets the stream back to where it was before that. Its memory does not grow.
template <class S>
concept ReversibleStream = requires(S stream) {
  { stream.next() } -> std::same_as<double>;
  { stream.previous() } -> std::same_as<double>;
};

/// Philox4x32-10 (dem/random.hpp). A number is a function of its position, so a step back is a step of the counter.
class PhiloxStream {
 public:
  /// @param purpose of the numbers: streams of different purposes are independent
  explicit PhiloxStream(std::uint64_t seed, std::uint32_t purpose = 0) : seed_(seed), purpose_(purpose) {}

  double next();
  double previous();
  std::uint64_t position() const { return position_; }  ///< numbers drawn less numbers put back

 private:
  std::uint64_t seed_;
  std::uint32_t purpose_;
  std::uint64_t position_ = 0;
};

/// The combination of four linear congruential generators (P. L'Ecuyer & T. H. Andres, Math. Comput. Simul. 44 (1997)
/// 99-107), period about 2^121, which the paper uses. Each generator s -> a s mod m runs backwards by the inverse of a
/// modulo m.
class FourLcgs {
 public:
  static constexpr std::array<std::uint64_t, 4> kModulus = {2147483647, 2147483543, 2147483423, 2147483323};
  static constexpr std::array<std::uint64_t, 4> kMultiplier = {45991, 207707, 138556, 49689};

  /// @param state of generator k: 1 ... kModulus[k] - 1; std::invalid_argument otherwise
  explicit FourLcgs(const std::array<std::uint64_t, 4>& state = {11111111, 22222222, 33333333, 44444444});

  double next();
  double previous();
  const std::array<std::uint64_t, 4>& state() const { return state_; }

 private:
  double output() const;

  std::array<std::uint64_t, 4> state_;
};

/// The next K numbers of a stream.
template <std::size_t K, ReversibleStream Stream>
std::array<double, K> draw(Stream& stream) {
  std::array<double, K> numbers{};
  for (double& number : numbers) number = stream.next();
  return numbers;
}

/// The K numbers that the last draw<K> returned, in the same order, and sets the stream back.
template <std::size_t K, ReversibleStream Stream>
std::array<double, K> put_back(Stream& stream) {
  std::array<double, K> numbers{};
  for (std::size_t k = K; k-- > 0;) numbers[k] = stream.previous();
  return numbers;
}

}  // namespace scree::hard::reversible
