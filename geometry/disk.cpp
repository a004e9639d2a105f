#include "geometry/disk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "geometry/deterministic_math.hpp"

namespace scree {
namespace {

/// Area of the segment of a disk beyond a chord.
/// @param to_chord   distance of the chord from the centre, negative if the segment holds the centre [m]
/// @param half_chord [m]
double segment_area(double radius, double to_chord, double half_chord) {
  const double angle = 2.0 * deterministic::atan2(half_chord, to_chord);  // under which the chord is seen
  if (angle > 0.5) return radius * radius * 0.5 * angle - half_chord * to_chord;
  // angle - sin(angle) by its series: the difference would lose the digits of a shallow overlap. The first term left
  // out is below 1e-17 of the sum.
  const double q = angle * angle;
  const double series = 1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0 * (1.0 - q / 110.0 * (1.0 - q / 156.0))));
  return radius * radius * angle * q / 12.0 * series;
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
  // Heron's formula for the triangle of the centres and a crossing: no digits are lost in a shallow overlap.
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

Overlap overlap_polygon_disk(Outline a, const Vec2& centre, double radius) {
  // The nearest point of the outline; and, should the centre be inside, the nearest of the edges' lines.
  double nearest_squared = std::numeric_limits<double>::infinity();
  Vec2 nearest = a.front();
  double inside_by = std::numeric_limits<double>::infinity();
  Vec2 outward(1.0, 0.0);
  Vec2 p = a.back();
  for (const Vec2& q : a) {
    const Vec2 edge = q - p;
    const Vec2 from_p = centre - p;
    const double squared_length = edge.squaredNorm();
    const double along = std::clamp(from_p.dot(edge) / squared_length, 0.0, 1.0);
    const Vec2 point = p + along * edge;
    const double squared = (centre - point).squaredNorm();
    if (squared < nearest_squared) {
      nearest_squared = squared;
      nearest = point;
    }
    const double length = std::sqrt(squared_length);
    const double height = cross(edge, from_p) / length;
    if (height < inside_by) {
      inside_by = height;
      outward = Vec2(edge.y(), -edge.x()) / length;
    }
    p = q;
  }

  Overlap result;
  double outside_by = -inside_by;
  if (outside_by > 0.0) {
    outside_by = std::sqrt(nearest_squared);
    // So near to the outline the difference is all rounding; the edge's own normal is not.
    constexpr double kNearestToTell = 1e-9;  // of the radius
    if (outside_by > kNearestToTell * radius) outward = (centre - nearest) / outside_by;
  }
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
