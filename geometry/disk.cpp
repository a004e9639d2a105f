#include "geometry/disk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "geometry/deterministic_math.hpp"
#include "geometry/disk_segment.hpp"
#include "geometry/outlines.hpp"

namespace scree {
namespace {

/// Area of the segment of a disk beyond a chord.
/// @param to_chord distance of the chord from the centre, negative if the segment contains the centre [m]
/// @param half_chord [m]
double segment_area(double radius, double to_chord, double half_chord) {
  const double t = half_chord / (radius + to_chord);  // tangent of a quarter of the angle of the chord at the centre
  if (t <= kShallowSegment) return shallow_segment(radius, t);
  return radius * radius * deterministic::atan2(half_chord, to_chord) - half_chord * to_chord;
}

}  // namespace

Overlap overlap_disks(double radius_a, double radius_b, const Vec2& b_in_a) {
  Overlap result;
  const double distance = b_in_a.norm();
  const double smaller = std::min(radius_a, radius_b);
  if (!(distance < radius_a + radius_b)) return result;

  result.normal = distance > 0.0 ? Vec2(b_in_a / distance) : Vec2(1.0, 0.0);
  if (distance <= std::abs(radius_a - radius_b)) {
    result.area = std::numbers::pi * smaller * smaller;
    result.depth = 2.0 * smaller;
    result.centroid = radius_a <= radius_b ? Vec2(Vec2::Zero()) : b_in_a;
    result.chord_begin = result.chord_end = result.centroid;
    return result;
  }

  result.depth = radius_a + radius_b - distance;
  result.centroid = (radius_a - 0.5 * result.depth) * result.normal;
  // Heron's formula for the triangle of the centres and a crossing; it has no cancellation in a shallow overlap.
  const double product = result.depth * (radius_a + radius_b + distance) * (distance + (radius_a - radius_b)) *
                         (distance - (radius_a - radius_b));
  const double half_chord = 0.5 * std::sqrt(std::max(product, 0.0)) / distance;
  const double from_a = 0.5 * (distance + (radius_a - radius_b) * (radius_a + radius_b) / distance);
  result.area = segment_area(radius_a, from_a, half_chord) + segment_area(radius_b, distance - from_a, half_chord);
  const Vec2 middle = from_a * result.normal;
  const Vec2 tangent = perp(result.normal);
  result.chord_begin = middle - half_chord * tangent;
  result.chord_end = middle + half_chord * tangent;
  return result;
}

namespace {

using outlines::Fixed;

/// The point of the outline that is nearest to a given point.
struct Nearest {
  double outside_by;  ///< distance of the point, negative inside [m]
  Vec2 outward;       ///< unit
};

/// Along edge i's normal. Cost: O(1)
Nearest across_edge(const Fixed& a, int i, const Vec2& x) {
  const Vec2 edge = a[next(a, i)] - a[i];
  const double length = edge.norm();
  return {-cross(edge, x - a[i]) / length, Vec2(edge.y(), -edge.x()) / length};
}

/// @return nothing if x is on the outline; `feature` is then an edge whose line passes through x
std::optional<Nearest> nearest_inside(const Fixed& a, const Vec2& x, Feature& feature) {
  Nearest best{-std::numeric_limits<double>::infinity(), Vec2::Zero()};
  for (int i = 0; i < a.size(); ++i) {
    const Nearest other = across_edge(a, i, x);
    if (other.outside_by <= best.outside_by) continue;
    best = other;
    feature = static_cast<Feature>(2 * i + 1);
    if (signed_cross(a[i], a[next(a, i)], a[i], x) <= 0.0) return std::nullopt;
  }
  return best;
}

/// Lin and Canny's walk for a single point. @param feature the start; set to the nearest feature
Nearest nearest(const Fixed& a, const Vec2& x, double too_near_to_tell, Feature& feature) {
  const auto edge = [](int i) { return static_cast<Feature>(2 * i + 1); };
  const auto vertex = [](int i) { return static_cast<Feature>(2 * i); };
  if (feature >= static_cast<Feature>(2 * a.size())) feature = 0;
  for (int steps = 0; steps < 4 * a.size() + 8; ++steps) {  // no walk visits a feature twice
    const int i = static_cast<int>(feature / 2);
    const int i_next = next(a, i);
    const int i_before = previous(a, i);
    const Vec2& at = a[i];
    const Vec2& end = a[i_next];
    if (feature % 2 == 0) {
      const double onto_next = signed_dot(at, x, at, end);
      const double onto_previous = signed_dot(at, x, at, a[i_before]);
      if (std::max(onto_next, onto_previous) > 0.0) {
        feature = edge(onto_next >= onto_previous ? i : i_before);
        continue;
      }
      const double distance = (x - at).norm();
      // This close to the vertex, the difference consists of rounding errors; the normal of an edge does not.
      if (distance > too_near_to_tell) return {distance, (x - at) / distance};
      const Nearest by_next = across_edge(a, i, x);
      const Nearest by_previous = across_edge(a, i_before, x);
      return {distance, by_next.outside_by >= by_previous.outside_by ? by_next.outward : by_previous.outward};
    }
    if (signed_dot(at, x, at, end) <= 0.0) {
      feature = vertex(i);
    } else if (signed_dot(end, x, at, end) >= 0.0) {
      feature = vertex(i_next);
    } else if (signed_cross(at, end, at, x) <= 0.0) {
      return across_edge(a, i, x);
    } else {
      outlines::FanWalk fan(a, i, x);
      while (!fan.step()) {
      }
      if (!fan.inside()) {
        feature = edge(fan.edge());
      } else if (const auto found = nearest_inside(a, x, feature)) {
        return *found;
      }
    }
  }
  return across_edge(a, 0, x);  // x is not a number
}

}  // namespace

Overlap overlap_polygon_disk(const Outline& a, const Vec2& centre, double radius, Feature& hint) {
  constexpr double kNearestToTell = 1e-9;  // of the radius
  const auto [outside_by, outward] = nearest(Fixed(a), centre, kNearestToTell * radius, hint);
  Overlap result;
  if (!(outside_by < radius)) return result;

  result.normal = outward;
  result.depth = std::min(radius - outside_by, 2.0 * radius);
  result.centroid = centre - (radius - 0.5 * result.depth) * outward;
  if (outside_by <= -radius) {
    result.area = std::numbers::pi * radius * radius;
    result.chord_begin = result.chord_end = result.centroid;
    return result;
  }
  const double half_chord = std::sqrt((radius - outside_by) * (radius + outside_by));
  result.area = segment_area(radius, outside_by, half_chord);
  const Vec2 middle = centre - outside_by * outward;
  result.chord_begin = middle - half_chord * perp(outward);
  result.chord_end = middle + half_chord * perp(outward);
  return result;
}

}  // namespace scree
