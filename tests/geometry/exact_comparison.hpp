#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/overlap.hpp"
#include "tests/geometry/exact_oracle.hpp"

/// How far the engine's answers are from the exact ones, in roundings: epsilon times the largest coordinate.
namespace scree::test {

/// By how much they may be off.
constexpr double kMostRoundings = 64.0;

struct Deviation {
  bool relation = false;  ///< it is another one, or `disjoint` and the distance contradict each other
  double area = 0.0;      ///< in roundings times the region's extent, the polygon's where it has many vertices
  double centroid = 0.0;  ///< in roundings times extent^2 / area, where a region is more than rounding
  double chord = 0.0;     ///< in roundings of its ends, divided by the sine of the flattest crossing's angle
  double distance = 0.0;  ///< in roundings

  bool small() const { return !relation && std::max({area, centroid, chord, distance}) <= kMostRoundings; }
};

inline Deviation deviation(const ExactPair& exact, const ClosestFeatures& closest, const Overlap& overlap) {
  const double rounding = std::numeric_limits<double>::epsilon() * exact.largest_coordinate;
  Deviation off;
  off.relation = closest.relation != exact.relation || (closest.distance > 0.0) != exact.disjoint;
  off.distance = std::abs(closest.distance - exact.distance) / rounding;
  const double area = CGAL::to_double(exact.area);
  if (area == 0.0) {
    off.area = overlap.touching() ? HUGE_VAL : 0.0;
    return off;
  }
  // Long arcs come from running sums about the polygon's centroid: as exact as the whole polygon, not as the region.
  constexpr std::size_t kFewVertices = 16;
  const double extent = exact.vertices <= kFewVertices ? exact.extent + rounding : exact.largest_coordinate;
  off.area = std::abs(CGAL::to_double(Rational(exact.area - Rational(overlap.area)))) / (rounding * extent);
  if (!overlap.touching()) return off;
  off.centroid = (overlap.centroid - exact.centroid).norm() * area / (rounding * extent * extent);
  const Vec2 chord = overlap.chord_end - overlap.chord_begin;
  const bool vanished = chord.isZero(0.0) && exact.chord.norm() < 2e-6 * exact.extent;  // documented
  // The chord of arcs that nearly cancel is far away, and its ends are rounded there.
  const double farthest = std::max({exact.largest_coordinate, overlap.chord_begin.norm(), overlap.chord_end.norm()});
  if (!exact.tied && !vanished) {
    off.chord = (chord - exact.chord).norm() * exact.flattest * exact.largest_coordinate / (rounding * farthest);
  }
  return off;
}

}  // namespace scree::test
