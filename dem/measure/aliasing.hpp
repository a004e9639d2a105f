#pragma once

#include <string>
#include <vector>

namespace scree {

struct Scene;

/// Times between samples that are near a multiple of the period of an oscillating wall, so that samples see it at
/// nearly the same phase again and again: they contain nothing of the rest of the period.
struct Aliasing {
  std::string key;      ///< output.every or measure.every
  double every = 0.0;   ///< [s]
  std::string wall;     ///< its name
  double period = 0.0;  ///< [s]
};

/// Such times are within this fraction of a period of a multiple of it.
inline constexpr double kSamePhase = 0.05;

/// In the order of walls. Cost: O(walls)
std::vector<Aliasing> aliasing(const Scene& scene);

/// A sentence about it, with what helps.
std::string text(const Aliasing& aliasing);

}  // namespace scree
