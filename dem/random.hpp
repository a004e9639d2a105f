#pragma once

#include <cstdint>

namespace scree {

/// Uniform random numbers as a pure function of (seed, stream, index): no state to carry, nothing depends on the order
/// in which grains are made. Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC'11, "Parallel random numbers: as easy as
/// 1, 2, 3").
class Random {
 public:
  /// @param stream what the numbers are for; @param index which object gets them
  Random(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) : seed_(seed), stream_(stream), index_(index) {}

  double uniform();                      ///< in [0, 1), 53 random bits
  double uniform(double lo, double hi);  ///< in [lo, hi); lo if they are equal
  int integer(int least, int greatest);  ///< each of least ... greatest alike

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
  std::uint64_t index_;
  std::uint32_t drawn_ = 0;
};

}  // namespace scree
