#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace scree {

/// A sum of numbers of double precision without rounding, and so the same whatever their order and whoever adds which
/// of them up: whole numbers for every 32 bits of the range of exponents. Source: R. M. Neal, Fast exact summation
/// using small and large superaccumulators (arXiv:1505.05571, 2015).
///
/// At most 2^30 numbers. What is no number, or infinite, makes the sum not a number.
class ExactSum {
 public:
  void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int exponent = static_cast<int>(bits >> kMantissaBits & 0x7ff);
    if (exponent == 0x7ff) {
      is_number_ = 0;
      return;
    }
    // x = +-mantissa * 2^(place - 1074)
    const std::uint64_t mantissa = (bits & kMantissa) | (exponent == 0 ? 0 : kMantissa + 1);
    const int place = exponent == 0 ? 0 : exponent - 1;
    const auto first = static_cast<std::size_t>(place / kBits);
    const int shift = place % kBits;
    const std::uint64_t low = mantissa << shift;  // its upper bits are lost, and come with `high`
    const std::uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift);
    const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
    chunks_[first] += sign * static_cast<std::int64_t>(low & kChunk);
    chunks_[first + 1] += sign * static_cast<std::int64_t>(low >> kBits);
    chunks_[first + 2] += sign * static_cast<std::int64_t>(high);
  }

  ExactSum& operator+=(const ExactSum& other) {
    for (std::size_t k = 0; k < kChunks; ++k) chunks_[k] += other.chunks_[k];
    is_number_ = is_number_ != 0 && other.is_number_ != 0 ? 1 : 0;
    return *this;
  }

  /// The sum, within a unit of its last place.
  double value() const {
    if (is_number_ == 0) return std::numeric_limits<double>::quiet_NaN();
    std::array<std::int64_t, kChunks> chunks = chunks_;
    carry(chunks);
    // The top one has the sign of the sum.
    const bool is_negative = chunks.back() < 0;
    if (is_negative) {
      for (std::int64_t& chunk : chunks) chunk = -chunk;
      carry(chunks);
    }
    std::size_t top = kChunks;
    while (top > 0 && chunks[top - 1] == 0) --top;
    double sum = 0.0;
    for (std::size_t k = top > 4 ? top - 4 : 0; k < top; ++k) {  // from the smallest: the last addition rounds
      sum += std::ldexp(static_cast<double>(chunks[k]), static_cast<int>(k) * kBits + kLowestExponent);
    }
    return is_negative ? -sum : sum;
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    for (auto& chunk : self.chunks_) archive(chunk);
    archive(self.is_number_);
  }

 private:
  static constexpr int kBits = 32;  // of a chunk
  static constexpr std::uint64_t kChunk = 0xffffffff;
  static constexpr int kMantissaBits = 52;
  static constexpr std::uint64_t kMantissa = (std::uint64_t{1} << kMantissaBits) - 1;
  static constexpr int kLowestExponent = -1074;
  static constexpr std::size_t kChunks = 67;  // 2046 / 32 + 3

  /// All chunks but the last to [0, 2^32).
  static void carry(std::array<std::int64_t, kChunks>& chunks) {
    for (std::size_t k = 0; k + 1 < kChunks; ++k) {
      const std::int64_t rest = chunks[k] & static_cast<std::int64_t>(kChunk);
      chunks[k + 1] += (chunks[k] - rest) / (std::int64_t{1} << kBits);
      chunks[k] = rest;
    }
  }

  std::array<std::int64_t, kChunks> chunks_{};
  std::uint8_t is_number_ = 1;
};

}  // namespace scree
