#pragma once

#include <array>
#include <cstdint>

namespace scree {

/// Streams of random numbers, one for each purpose. Those below are of dem/insertion, two a group; to those of what io
/// places the number of the group is added.
namespace random_stream {
inline constexpr std::uint32_t kPlacedSizes = 0x4000'0000;
inline constexpr std::uint32_t kPlaces = 0x5000'0000;
inline constexpr std::uint32_t kPlacedVelocities = 0x6000'0000;
inline constexpr std::uint32_t kThermostat = 0x7000'0000;
inline constexpr std::uint32_t kThermalSides = 0x7100'0000;
}  // namespace random_stream

/// Uniform random numbers as a pure function of (seed, stream, index): there is no state, and nothing depends on the
/// order in which grains are created. Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC'11, "Parallel random numbers: as
/// easy as 1, 2, 3").
class Random {
 public:
  /// @param stream purpose of the numbers; @param index number of the object
  Random(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) : seed_(seed), stream_(stream), index_(index) {}

  double uniform();                      ///< in [0, 1), 53 random bits
  double uniform(double lo, double hi);  ///< in [lo, hi); lo if they are equal
  int integer(int least, int greatest);  ///< each of least ... greatest with equal probability
  /// Two independent normal deviates of variance 1, from two uniform numbers (G. E. P. Box & M. E. Muller, Ann. Math.
  /// Statist. 29 (1958) 610).
  std::array<double, 2> normals();

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
  std::uint64_t index_;
  std::uint32_t drawn_ = 0;
};

}  // namespace scree
