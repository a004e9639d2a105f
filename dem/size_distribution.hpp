#pragma once

#include <cstdint>
#include <vector>

namespace scree {

class Random;

/// How the sizes of grains, the diameters of disks of equal area, are distributed. All lie in [least, greatest].
struct SizeDistribution {
  enum class Law : std::uint8_t {
    uniform,
    normal,      ///< of the sizes
    log_normal,  ///< of their logarithms
    table        ///< a sieve curve; within a class the mass, or the number, is spread evenly over the sizes
  };
  /// A point of a sieve curve: the share of the grains, from 0 to 1, that are smaller.
  struct Sieve {
    double size = 0.0;  ///< [m]
    double passing = 0.0;

    bool operator==(const Sieve&) const = default;
  };

  double least = 0.0;  ///< [m]
  double greatest = 0.0;
  Law law = Law::uniform;
  double centre = 0.0;     ///< normal: the mean [m]; log_normal: the median [m]
  double deviation = 0.0;  ///< normal: of the sizes [m]; log_normal: of their natural logarithms
  std::vector<Sieve> table = {};
  bool by_mass = false;  ///< the shares of a table are of the mass, else of the number

  /// A size. Normal laws are cut off at least and greatest by drawing again.
  double draw(Random& random) const;

  bool operator==(const SizeDistribution&) const = default;
};

}  // namespace scree
