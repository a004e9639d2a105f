#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "geometry/first_contact.hpp"

/// How far apart two bodies in free flight are at one time, by plain means.
namespace scree::test {

inline std::vector<Vec2> corners_at(const ContactShape& shape, const RigidFlight& flight, const Vec2& shift,
                                    double time) {
  const double angle = flight.angle_at(time);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const double size = flight.size_at(time);
  std::vector<Vec2> corners;
  for (const ContactShape::Side& side : shape.sides()) {
    const Vec2 p = size * side.corner;
    corners.push_back(flight.position_at(time) + shift + Vec2(c * p.x() - s * p.y(), s * p.x() + c * p.y()));
  }
  return corners;
}

/// Greatest distance by which an edge's line separates two outlines; negative if they overlap.
inline double separation(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < a.size() && a.size() > 1; ++i) {
    const Vec2 edge = a[(i + 1) % a.size()] - a[i];
    const Vec2 n = Vec2(edge.y(), -edge.x()) / std::sqrt(edge.squaredNorm());
    double least = std::numeric_limits<double>::infinity();
    for (const Vec2& q : b) least = std::min(least, n.dot(q - a[i]));
    best = std::max(best, least);
  }
  return best;
}

inline double distance_from_segment(const Vec2& p, const Vec2& begin, const Vec2& end) {
  const Vec2 edge = end - begin;
  const double along = begin == end ? 0.0 : std::clamp((p - begin).dot(edge) / edge.squaredNorm(), 0.0, 1.0);
  return (p - begin - along * edge).norm();
}

inline double distance_of_corners(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec2& p : a) {
    for (std::size_t i = 0; i < b.size(); ++i)
      least = std::min(least, distance_from_segment(p, b[i], b[(i + 1) % b.size()]));
  }
  return least;
}

/// Euclidean; negative: how deep they overlap [m]. @param shift of the image of b
inline double distance_in_flight(const ContactShape& a, const RigidFlight& of_a, const ContactShape& b,
                                 const RigidFlight& of_b, const Vec2& shift, double time) {
  const std::vector<Vec2> p = corners_at(a, of_a, Vec2::Zero(), time);
  const std::vector<Vec2> q = corners_at(b, of_b, shift, time);
  double d = std::max(separation(p, q), separation(q, p));
  if (d > 0.0 || !std::isfinite(d)) d = std::min(distance_of_corners(p, q), distance_of_corners(q, p));
  return d - of_a.size_at(time) * a.rounding_radius() - of_b.size_at(time) * b.rounding_radius();
}

}  // namespace scree::test
