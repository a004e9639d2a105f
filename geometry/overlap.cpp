#include "geometry/overlap.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace scree {
namespace {

/// Vertices (of a, b and their common region together) that need no allocation.
constexpr int kStackVertices = 64;

/// A common region thinner than this many units of rounding of the largest coordinate is no contact: flush or touching
/// outlines give one or two of them, at random. A grain of 1 cm loses overlaps shallower than 2e-17 m by it.
constexpr double kRoundings = 8.0;

/// A sum of chord vectors shorter than this part of the region's extent has vanished (containment) up to rounding.
constexpr double kVanishedChord = 1e-12;

/// The region while it is being cut: convex, counter-clockwise. `on_a` belongs to the edge that leaves the vertex: 1
/// where the edge lies on the outline of a, 0 where on b's.
struct Region {
  Vec2* vertices;
  double* on_a;
  int size = 0;

  void set(int i, const Vec2& vertex, double label) const {
    vertices[i] = vertex;
    on_a[i] = label;
  }
};

/// Room for two regions, cut from one into the other, and the signed distances of a region's vertices from a line.
struct Room {
  Vec2* vertices[2];
  double* on_a[2];
  double* distance;

  Room(Vec2* points, double* numbers, std::size_t capacity)
      : vertices{points, points + capacity}, on_a{numbers, numbers + capacity}, distance{numbers + 2 * capacity} {}
};

/// The inner side of the line through an edge of a.
struct HalfPlane {
  Vec2 on_line;
  Vec2 inward;  ///< as long as the edge

  HalfPlane(const Vec2& p, const Vec2& q) : on_line(p), inward(perp(q - p)) {}
  double distance(const Vec2& v) const { return inward.dot(v - on_line); }  ///< times the edge's length
};

// Arithmetic instead of a choice, so that no compiler makes a branch of it.
int next_in_ring(int i, int n) {
  return (i + 1) & -static_cast<int>(i + 1 != n);
}
int previous_in_ring(int i, int n) {
  return i - 1 + (n & -static_cast<int>(i == 0));
}

/// The vertices of a region on the inner side of a line: a run around the ring.
struct Run {
  int first;
  int last;
};
int size_of(Run run, int n) {
  return run.last - run.first + 1 + (n & -static_cast<int>(run.last < run.first));
}

/// The shortest run that holds every vertex with distance >= 0. @pre some are < 0 and some are not
Run inner_run(const double* distance, int n) {
  // Rounding can make noise of the signs near the line, never of the vertex farthest outside.
  const int outermost = static_cast<int>(std::min_element(distance, distance + n) - distance);
  int first = next_in_ring(outermost, n);
  while (distance[first] < 0.0) first = next_in_ring(first, n);
  int last = previous_in_ring(outermost, n);
  while (distance[last] < 0.0) last = previous_in_ring(last, n);
  return {first, last};
}

/// The same by the bits of a word, unless rounding made noise. @pre n <= 64
Run inner_run(const double* distance, int n, std::uint64_t inside) {
  const std::uint64_t before = (inside << 1) | (inside >> (n - 1));
  const std::uint64_t begins = inside & ~before;
  const std::uint64_t behind_ends = ~inside & before;
  if ((begins & (begins - 1)) != 0) return inner_run(distance, n);
  return {std::countr_zero(begins), previous_in_ring(std::countr_zero(behind_ends), n)};
}

/// Where the edge from vertex i (distance >= 0) to vertex j (distance < 0) meets the line.
Vec2 crossing(const Region& region, const double* distance, int i, int j) {
  const double t = distance[i] / (distance[i] - distance[j]);
  return region.vertices[i] + t * (region.vertices[j] - region.vertices[i]);
}

bool all_inside(const HalfPlane& half_plane, const Region& region) {
  double lowest = 0.0;
  for (int i = 0; i < region.size; ++i) {
    const double distance = half_plane.distance(region.vertices[i]);
    lowest = distance < lowest ? distance : lowest;
  }
  return lowest >= 0.0;
}

/// Leaves of the region what is inside the half plane. A vertex on the line stays, with its edges' labels.
/// @param next room for the result, swapped with the region
void cut(Region& region, const HalfPlane& half_plane, double* distance, Region& next) {
  const int n = region.size;
  std::uint64_t inside = 0;  // a bit for each of the first 64 vertices
  for (int i = 0; i < n; ++i) {
    distance[i] = half_plane.distance(region.vertices[i]);
    inside |= std::uint64_t{distance[i] >= 0.0} << (i & 63);
  }
  Run run{};
  if (n <= 64) {
    if (inside == ~std::uint64_t{0} >> (64 - n)) return;
    if (inside == 0) {
      region.size = 0;
      return;
    }
    run = inner_run(distance, n, inside);
  } else {
    const auto outside = std::count_if(distance, distance + n, [](double d) { return !(d >= 0.0); });
    if (outside == 0) return;
    if (outside == n) {
      region.size = 0;
      return;
    }
    run = inner_run(distance, n);
  }

  const int before = previous_in_ring(run.first, n);
  next.set(0, crossing(region, distance, run.first, before), region.on_a[before]);
  const int kept = size_of(run, n);
  for (int k = 0, i = run.first; k < kept; ++k, i = next_in_ring(i, n)) {
    next.set(k + 1, region.vertices[i], region.on_a[i]);
  }
  next.set(kept + 1, crossing(region, distance, run.last, next_in_ring(run.last, n)), 1.0);
  next.size = kept + 2;
  std::swap(region, next);
}

/// The edge of a that the ray from a's centroid towards b's leaves through.
int facing_edge_of_many(Outline a, const Vec2& towards) {
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    if (cross(a[i], towards) >= 0.0 && cross(a[i + 1], towards) < 0.0) return static_cast<int>(i);
  }
  return static_cast<int>(a.size()) - 1;
}

/// What b shares with a, in one half of the room, and the largest coordinate that took part.
struct CommonRegion {
  Region region;
  double largest_coordinate;
};

CommonRegion common_region(Outline a, Outline b, const Pose& b_in_a, const Room& room) {
  Region region{room.vertices[0], room.on_a[0], static_cast<int>(b.size())};
  Region next{room.vertices[1], room.on_a[1]};
  Eigen::Array2d largest = Eigen::Array2d::Zero();
  for (int i = 0; i < region.size; ++i) {
    const Vec2 v = b_in_a * b[static_cast<std::size_t>(i)];
    region.set(i, v, 0.0);
    largest = largest.max(v.array().abs());
  }

  const int n = static_cast<int>(a.size());
  std::uint64_t right = 0;  // of the ray from a's centroid to b's, or on it: a bit for each of the first 64 vertices
  for (int i = 0; i < n; ++i) {
    const Vec2& v = a[static_cast<std::size_t>(i)];
    right |= std::uint64_t{cross(v, b_in_a.position) >= 0.0} << (i & 63);
    largest = largest.max(v.array().abs());
  }
  // The edge that the ray leaves a through is cut first: it is likely to separate the two, or to leave of b but a few
  // vertices.
  const int facing =
      n <= 64 ? std::min(std::countr_zero(right & ~(right >> 1)), n - 1) : facing_edge_of_many(a, b_in_a.position);

  const Vec2* const begin = a.data();
  const Vec2* const end = begin + n;
  const auto cut_by = [&](const Vec2& p, const Vec2& q) {
    const HalfPlane half_plane(p, q);
    if (!all_inside(half_plane, region)) cut(region, half_plane, room.distance, next);
  };
  const Vec2* const first = begin + facing;
  const Vec2* p = first + 1 == end ? begin : first + 1;
  cut(region, HalfPlane(*first, *p), room.distance, next);
  if (region.size > 0) {
    const Vec2* const before = (first == begin ? end : first) - 1;
    cut_by(*before, *first);
    while (p != before && region.size > 0) {
      const Vec2* const q = p + 1 == end ? begin : p + 1;
      cut_by(*p, *q);
      p = q;
    }
  }
  return {region, largest.maxCoeff()};
}

/// The middle of the chord of several arcs, relative to the origin.
///
/// With the chord's tangent and the normal as axes (s, h), and "delta" for end minus begin summed over the arcs:
/// |D| s = delta(s^2 + h^2) / 2 gives the moment of the arcs' forces. The place along the normal is free for that;
/// |D| h = delta(s h) is right for a single arc and does not notice where an arc is divided in two, so the chord moves
/// smoothly when a vertex of a comes out on the other side of b.
/// @param lowest, highest extent of the region along the normal, from the origin [m]
Vec2 middle_of_arcs(const Region& region, const Vec2& origin, const Vec2& normal, double chord, double lowest,
                    double highest) {
  const Vec2 tangent = perp(normal);
  double delta_squares = 0.0;
  double delta_product = 0.0;
  double from_label = region.on_a[region.size - 1];
  for (int i = 0; i < region.size; ++i) {
    const double end = from_label - region.on_a[i];
    const double s = tangent.dot(region.vertices[i] - origin);
    const double h = normal.dot(region.vertices[i] - origin);
    delta_squares += end * (s * s + h * h);
    delta_product += end * (s * h);
    from_label = region.on_a[i];
  }
  return 0.5 * delta_squares / chord * tangent + std::clamp(delta_product / chord, lowest, highest) * normal;
}

/// @param rounding a region no thicker than this is none [m]
Overlap measure(const Region& region, double rounding, const Vec2& towards) {
  Overlap result;
  // All sums are about vertex 0, so that a region far smaller than the polygons keeps its digits.
  const Vec2 origin = region.vertices[0];
  double doubled_area = 0.0;
  Vec2 moment = Vec2::Zero();
  Vec2 lo = Vec2::Zero();
  Vec2 hi = Vec2::Zero();
  Vec2 chord = Vec2::Zero();    // ends of arcs of a minus their begins
  Vec2 crossed = Vec2::Zero();  // ends plus begins
  double crossings = 0.0;
  Vec2 from = region.vertices[region.size - 1] - origin;
  double from_label = region.on_a[region.size - 1];
  for (int i = 0; i < region.size; ++i) {
    const Vec2 to = region.vertices[i] - origin;
    const double c = cross(from, to);
    doubled_area += c;
    moment += c * (from + to);
    lo = lo.cwiseMin(to);
    hi = hi.cwiseMax(to);
    const double end = from_label - region.on_a[i];  // 1 where an arc of a ends, -1 where one begins, else 0
    chord += end * to;
    crossed += end * end * to;
    crossings += end * end;
    from = to;
    from_label = region.on_a[i];
  }

  const double extent = (hi - lo).maxCoeff();
  if (!(0.5 * doubled_area > rounding * extent)) return result;
  result.area = 0.5 * doubled_area;
  result.centroid = origin + (moment / (3.0 * doubled_area)).cwiseMax(lo).cwiseMin(hi);

  const double length = chord.norm();
  const bool vanished = length < kVanishedChord * extent;
  if (vanished) {
    const double apart = towards.norm();
    result.normal = apart > 0.0 ? Vec2(towards / apart) : Vec2(1.0, 0.0);
  } else {
    result.normal = -perp(chord) / length;
  }
  double lowest = 0.0;
  double highest = 0.0;
  for (int i = 1; i < region.size; ++i) {
    const double height = result.normal.dot(region.vertices[i] - origin);
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  }
  result.depth = highest - lowest;

  if (vanished) {
    result.chord_begin = result.chord_end = result.centroid;
    return result;
  }
  const bool one_arc = crossings == 2.0;
  const Vec2 middle =
      one_arc ? Vec2(0.5 * crossed) : middle_of_arcs(region, origin, result.normal, length, lowest, highest);
  result.chord_begin = origin + (middle - 0.5 * chord);
  result.chord_end = origin + (middle + 0.5 * chord);
  return result;
}

/// Calls use(room) with room enough for the cutting of b by a.
template <class Use>
auto with_room(Outline a, Outline b, Use use) {
  const std::size_t vertices = a.size() + b.size();
  if (vertices <= kStackVertices) {
    std::array<Vec2, 2 * kStackVertices> points;  // neither is set to zero: this is the hot path
    std::array<double, 3 * kStackVertices> numbers;
    return use(Room(points.data(), numbers.data(), kStackVertices));
  }
  thread_local std::vector<Vec2> points;
  thread_local std::vector<double> numbers;
  if (points.size() < 2 * vertices) {
    points.resize(2 * vertices);
    numbers.resize(3 * vertices);
  }
  return use(Room(points.data(), numbers.data(), vertices));
}

Overlap measure(const CommonRegion& common, const Pose& b_in_a) {
  if (common.region.size == 0) return {};
  const double rounding = std::numeric_limits<double>::epsilon() * common.largest_coordinate;
  return measure(common.region, kRoundings * rounding, b_in_a.position);
}

}  // namespace

Overlap overlap(Outline a, Outline b, const Pose& b_in_a) {
  return with_room(a, b, [&](const Room& room) { return measure(common_region(a, b, b_in_a, room), b_in_a); });
}

std::vector<Vec2> overlap_polygon(Outline a, Outline b, const Pose& b_in_a) {
  return with_room(a, b, [&](const Room& room) {
    std::vector<Vec2> vertices;
    const CommonRegion common = common_region(a, b, b_in_a, room);
    if (!measure(common, b_in_a).touching()) return vertices;
    const Region& region = common.region;
    for (int i = 0; i < region.size; ++i) {
      // A cut through a vertex names it twice.
      if (region.vertices[i] != region.vertices[next_in_ring(i, region.size)]) vertices.push_back(region.vertices[i]);
    }
    return vertices;
  });
}

}  // namespace scree
