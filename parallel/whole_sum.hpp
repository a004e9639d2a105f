#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace scree {

/// A sum that does not depend on the order of its numbers, and so not on which thread or rank adds which of them: each
/// is taken as a whole number of coarse quanta and, of what is left, a whole number of fine ones; whole numbers add up
/// without rounding. Two numbers where ExactSum has 67, and no branch: for the kernels, which add in lanes.
struct WholeSum {
  std::int64_t coarse = 0;
  std::int64_t fine = 0;

  WholeSum& operator+=(const WholeSum& other) {
    coarse += other.coarse;
    fine += other.fine;
    return *this;
  }
};

/// Several such sums at once, by the same quanta: they are added in lanes.
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
    // Two at once: of a loop over single ones compilers make branches.
    static_assert(N % 2 == 0);
    using TwoNumbers = double __attribute__((vector_size(16)));
    using TwoBits = std::int64_t __attribute__((vector_size(16)));
    const TwoNumbers factor = {per_coarse, per_coarse};
    const TwoNumbers most = {kMost, kMost};
    const TwoNumbers least = -most;
    const TwoNumbers shift = {kShift, kShift};
    const TwoNumbers fine_per_coarse = {kFinePerCoarse, kFinePerCoarse};
    const auto add_bits = [&](const TwoNumbers& whole, std::int64_t* to) {  // its lowest bits
      TwoBits sum;
      std::memcpy(&sum, to, sizeof sum);
      sum += std::bit_cast<TwoBits>(whole) - std::bit_cast<TwoBits>(shift);
      std::memcpy(to, &sum, sizeof sum);
    };
    for (std::size_t k = 0; k < N; k += 2) {
      TwoNumbers quanta;
      std::memcpy(&quanta, &x[k], sizeof quanta);
      quanta *= factor;
#ifdef __SSE2__  // compilers make more of the comparisons
      quanta = _mm_max_pd(_mm_min_pd(quanta, most), least);
#else
      quanta = quanta < most ? quanta : most;
      quanta = quanta > least ? quanta : least;
#endif
      const TwoNumbers whole = quanta + shift;
      add_bits(whole, &sums.coarse[k]);
      add_bits((quanta - (whole - shift)) * fine_per_coarse + shift, &sums.fine[k]);
    }
  }
  double value(const WholeSum& sum) const {
    __extension__ using Wide = __int128;
    return std::ldexp(static_cast<double>(static_cast<Wide>(sum.coarse) * (Wide{1} << kFine) + sum.fine), -kFine) *
           coarse;
  }
};

}  // namespace scree
