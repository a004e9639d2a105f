#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace scree {

/// A sum that does not depend on the order of its numbers, and so not on who adds which of them up: each is taken as a
/// whole number of coarse quanta and, of what is left, a whole number of fine ones; whole numbers add up without
/// rounding. Two numbers where ExactSum has 67, and no branch: for the kernels, which add in lanes.
struct WholeSum {
  std::int64_t coarse = 0;
  std::int64_t fine = 0;

  WholeSum& operator+=(const WholeSum& other) {
    coarse += other.coarse;
    fine += other.fine;
    return *this;
  }
};

/// Several such sums at once, by the same quanta: compilers turn loops over them into lanes.
template <std::size_t N>
struct WholeSums {
  std::array<std::int64_t, N> coarse{};
  std::array<std::int64_t, N> fine{};

  WholeSum operator[](std::size_t k) const { return {coarse[k], fine[k]}; }
  WholeSums& operator+=(const WholeSums& other) {
    for (std::size_t k = 0; k < N; ++k) {
      coarse[k] += other.coarse[k];
      fine[k] += other.fine[k];
    }
    return *this;
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.coarse, self.fine);
  }
};

/// The quanta of sums.
struct Quanta {
  static constexpr int kCoarse = 50;       ///< bits of the greatest number, in coarse quanta
  static constexpr int kFine = 38;         ///< bits of a coarse quantum, in fine ones: 2^24 numbers do not overflow
  static constexpr double kMost = 0x1p50;  ///< coarse quanta in a number
  static constexpr double kFinePerCoarse = 0x1p38;
  /// Added to a number of smaller magnitude than 2^51 it rounds that to a whole one, which its lowest bits then hold.
  static constexpr double kShift = 0x1.8p52;

  double coarse = 1.0;      ///< a power of two
  double per_coarse = 1.0;  ///< its inverse

  /// For numbers of at most this magnitude, which is rounded up to a power of two; larger ones count as so large. Sums
  /// may be 2^13 times as large. What is added is rounded to 2^-88 of it.
  static Quanta up_to(double greatest) {
    int exponent = 0;
    (void)std::frexp(greatest, &exponent);
    return {std::ldexp(1.0, exponent - kCoarse), std::ldexp(1.0, kCoarse - exponent)};
  }
  /// As the kernels do (dem/soft/lanes/power.hpp).
  void add(double x, WholeSum& sum) const {
    const double quanta = std::max(std::min(x * per_coarse, kMost), -kMost);
    const double whole = (quanta + kShift) - kShift;
    sum.coarse += static_cast<std::int64_t>(whole);
    sum.fine += static_cast<std::int64_t>(((quanta - whole) * kFinePerCoarse + kShift) - kShift);
  }
  /// A number to each sum. What is no number leaves a sum without meaning.
  template <std::size_t N>
  void add(const std::array<double, N>& x, WholeSums<N>& sums) const {
    for (std::size_t k = 0; k < N; ++k) {
      const double quanta = std::max(std::min(x[k] * per_coarse, kMost), -kMost);
      const double whole = quanta + kShift;
      sums.coarse[k] = plus_lowest_bits(sums.coarse[k], whole);
      sums.fine[k] = plus_lowest_bits(sums.fine[k], (quanta - (whole - kShift)) * kFinePerCoarse + kShift);
    }
  }
  double value(const WholeSum& sum) const {
    __extension__ using Wide = __int128;
    return std::ldexp(static_cast<double>(static_cast<Wide>(sum.coarse) * (Wide{1} << kFine) + sum.fine), -kFine) *
           coarse;
  }

 private:
  /// @param shifted a whole number and kShift
  static std::int64_t plus_lowest_bits(std::int64_t sum, double shifted) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + std::bit_cast<std::uint64_t>(shifted) -
                                     std::bit_cast<std::uint64_t>(kShift));
  }
};

}  // namespace scree
