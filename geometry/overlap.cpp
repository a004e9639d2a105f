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

/// Signed distances are computed this many at a time; regions are padded to a multiple of it.
constexpr int kLanes = 4;

/// A common region thinner than this many units of rounding of the largest coordinate is no contact: flush or touching
/// outlines give one or two of them, at random. A grain of 1 cm loses overlaps shallower than 2e-17 m by it.
constexpr double kRoundings = 8.0;

/// A sum of chord vectors shorter than this part of the region's extent has vanished (containment) up to rounding.
constexpr double kVanishedChord = 1e-12;

/// The region while it is being cut: convex, counter-clockwise, by coordinate. `on_a` belongs to the edge that leaves
/// the vertex: 1 where the edge lies on the outline of a, 0 where on b's.
struct Region {
  double* x = nullptr;
  double* y = nullptr;
  double* on_a = nullptr;
  int size = 0;

  Vec2 vertex(int i) const { return {x[i], y[i]}; }
  void set(int i, double px, double py, double label) const {
    x[i] = px;
    y[i] = py;
    on_a[i] = label;
  }
  /// Makes the lanes behind the last vertex copies of vertex 0.
  void pad() const {
    for (int lane = 0; lane < kLanes; ++lane) {
      x[size + lane] = x[0];
      y[size + lane] = y[0];
    }
  }
};

/// Room for two regions, cut from one into the other, and the signed distances of a region from a line.
struct Room {
  Region region;
  Region next;
  double* distance;

  Room(double* cells, int capacity)
      : region{cells, cells + capacity, cells + 2 * capacity},
        next{cells + 3 * capacity, cells + 4 * capacity, cells + 5 * capacity},
        distance{cells + 6 * capacity} {}
};
constexpr int kRowsOfRoom = 7;

/// The vertices of a region on the inner side of a line: a run around the ring.
struct Run {
  int first;
  int count;
};

int next_in_ring(int i, int n) {
  return i + 1 == n ? 0 : i + 1;
}
int previous_in_ring(int i, int n) {
  return i == 0 ? n - 1 : i - 1;
}

/// The shortest run that holds every vertex with distance >= 0. @pre some are < 0 and some are not
Run inner_run(const double* distance, int n) {
  // Rounding can make noise of the signs near the line, never of the vertex farthest outside.
  const int outermost = static_cast<int>(std::min_element(distance, distance + n) - distance);
  int first = next_in_ring(outermost, n);
  while (distance[first] < 0.0) first = next_in_ring(first, n);
  int last = previous_in_ring(outermost, n);
  while (distance[last] < 0.0) last = previous_in_ring(last, n);
  return {first, last - first + 1 + (last < first ? n : 0)};
}

/// The same by the bits of a word, without branches that depend on the data unless rounding made noise.
Run inner_run(const double* distance, int n, std::uint64_t inside) {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - n);
  const std::uint64_t begins = inside & ~((inside << 1) | (inside >> (n - 1)));
  const std::uint64_t ends = inside & ~((inside >> 1) | (inside << (n - 1))) & all;
  if ((begins & (begins - 1)) != 0) return inner_run(distance, n);
  const int first = std::countr_zero(begins);
  const int last = std::countr_zero(ends);
  return {first, last - first + 1 + (last < first ? n : 0)};
}

/// Where the edge from vertex i (distance >= 0) to vertex j (distance < 0) meets the line.
Vec2 crossing(const Region& region, const double* distance, int i, int j) {
  const double t = distance[i] / (distance[i] - distance[j]);
  return {region.x[i] + t * (region.x[j] - region.x[i]), region.y[i] + t * (region.y[j] - region.y[i])};
}

/// Cuts away what lies to the right of the line p q, an edge of a. A vertex on the line stays, with its edges' labels.
void cut(Room& room, const Vec2& p, const Vec2& q) {
  const Region& region = room.region;
  const int n = region.size;
  double* const distance = room.distance;
  const double along_x = q.x() - p.x();
  const double along_y = q.y() - p.y();
  const double from_x = p.x();
  const double from_y = p.y();
  for (int base = 0; base < n; base += kLanes) {
    for (int i = base; i < base + kLanes; ++i) {
      distance[i] = along_x * (region.y[i] - from_y) - along_y * (region.x[i] - from_x);
    }
  }

  Run run{};
  if (n <= 64) {
    std::uint64_t inside = 0;
    for (int i = 0; i < n; ++i) inside |= std::uint64_t{distance[i] >= 0.0} << i;
    if (inside == ~std::uint64_t{0} >> (64 - n)) return;
    if (inside == 0) {
      room.region.size = 0;
      return;
    }
    run = inner_run(distance, n, inside);
  } else {
    const auto inside = std::count_if(distance, distance + n, [](double d) { return d >= 0.0; });
    if (inside == n) return;
    if (inside == 0) {
      room.region.size = 0;
      return;
    }
    run = inner_run(distance, n);
  }

  Region& next = room.next;
  const int before = previous_in_ring(run.first, n);
  const Vec2 entry = crossing(region, distance, run.first, before);
  next.set(0, entry.x(), entry.y(), region.on_a[before]);
  int last = run.first;
  for (int k = 0, i = run.first; k < run.count; ++k, i = next_in_ring(i, n)) {
    next.set(k + 1, region.x[i], region.y[i], region.on_a[i]);
    last = i;
  }
  const Vec2 exit = crossing(region, distance, last, next_in_ring(last, n));
  next.set(run.count + 1, exit.x(), exit.y(), 1.0);
  next.size = run.count + 2;
  next.pad();
  std::swap(room.region, room.next);
}

/// The edge of a that the ray from a's centroid to b's leaves through: it is likely to separate the two, or to leave
/// of b but a few vertices.
int facing_edge(Outline a, const Vec2& towards) {
  int edge = 0;
  double here = cross(a[a.size() - 1], towards);
  for (std::size_t i = a.size() - 1; i-- > 0;) {
    const double there = here;
    here = cross(a[i], towards);
    edge = here >= 0.0 && there < 0.0 ? static_cast<int>(i) : edge;
  }
  const bool closing = cross(a[a.size() - 1], towards) >= 0.0 && cross(a[0], towards) < 0.0;
  return closing ? static_cast<int>(a.size()) - 1 : edge;
}

/// Leaves in room.region what b shares with a.
void find_common_region(Outline a, Outline b, const Pose& b_in_a, Room& room) {
  Region& region = room.region;
  region.size = static_cast<int>(b.size());
  for (int i = 0; i < region.size; ++i) {
    const Vec2 v = b_in_a * b[static_cast<std::size_t>(i)];
    region.set(i, v.x(), v.y(), 0.0);
  }
  region.pad();

  // From the facing edge to both sides in turn, so that a shallow overlap is small after two or three cuts.
  const int n = static_cast<int>(a.size());
  int up = facing_edge(a, b_in_a.position);
  int down = up;
  for (int cuts = 0; cuts < n && room.region.size > 0; ++cuts) {
    const int edge = cuts % 2 == 0 ? up : down = previous_in_ring(down, n);
    if (cuts % 2 == 0) up = next_in_ring(up, n);
    cut(room, a[static_cast<std::size_t>(edge)], a[static_cast<std::size_t>(next_in_ring(edge, n))]);
  }
}

double largest_coordinate(Outline a, Outline b, const Pose& b_in_a) {
  Eigen::Array2d of_a = Eigen::Array2d::Zero();
  for (const Vec2& v : a) of_a = of_a.max(v.array().abs());
  Eigen::Array2d of_b = Eigen::Array2d::Zero();
  for (const Vec2& v : b) of_b = of_b.max(v.array().abs());
  return std::max(of_a.maxCoeff(), of_b.sum() + b_in_a.position.cwiseAbs().maxCoeff());
}

/// @param rounding a region no thicker than this is none [m]
Overlap measure(const Region& region, double rounding, const Vec2& towards) {
  // All sums are about vertex 0, so that a region far smaller than the polygons keeps its digits.
  const double origin_x = region.x[0];
  const double origin_y = region.y[0];
  const int n = region.size;

  double doubled_area = 0.0;
  double moment_x = 0.0, moment_y = 0.0;
  double lo_x = 0.0, lo_y = 0.0, hi_x = 0.0, hi_y = 0.0;
  // Over the ends of arcs of a, those where an arc begins counted negative: the sums of x, y, x^2, xy and y^2; and the
  // plain sums of x and y.
  double chord_x = 0.0, chord_y = 0.0;
  double xx = 0.0, xy = 0.0, yy = 0.0;
  double ends = 0.0, ends_x = 0.0, ends_y = 0.0;
  double from_x = region.x[n - 1] - origin_x;
  double from_y = region.y[n - 1] - origin_y;
  double from_label = region.on_a[n - 1];
  for (int i = 0; i < n; ++i) {
    const double x = region.x[i] - origin_x;
    const double y = region.y[i] - origin_y;
    const double c = from_x * y - from_y * x;
    doubled_area += c;
    moment_x += c * (from_x + x);
    moment_y += c * (from_y + y);
    lo_x = std::min(lo_x, x);
    lo_y = std::min(lo_y, y);
    hi_x = std::max(hi_x, x);
    hi_y = std::max(hi_y, y);

    const double sign = from_label - region.on_a[i];
    chord_x += sign * x;
    chord_y += sign * y;
    xx += sign * x * x;
    xy += sign * x * y;
    yy += sign * y * y;
    const double end = sign * sign;
    ends += end;
    ends_x += end * x;
    ends_y += end * y;

    from_x = x;
    from_y = y;
    from_label = region.on_a[i];
  }

  Overlap result;
  const double extent = std::max(hi_x - lo_x, hi_y - lo_y);
  const double area = 0.5 * doubled_area;
  if (!(area > rounding * extent)) return result;
  result.area = area;
  const Vec2 origin(origin_x, origin_y);
  result.centroid = origin + Vec2(std::clamp(moment_x / (3.0 * doubled_area), lo_x, hi_x),
                                  std::clamp(moment_y / (3.0 * doubled_area), lo_y, hi_y));

  const double chord = std::sqrt(chord_x * chord_x + chord_y * chord_y);
  const bool vanished = chord < kVanishedChord * extent;
  if (vanished) {
    const double apart = towards.norm();
    result.normal = apart > 0.0 ? Vec2(towards / apart) : Vec2(1.0, 0.0);
  } else {
    result.normal = Vec2(chord_y, -chord_x) / chord;
  }
  const double normal_x = result.normal.x();
  const double normal_y = result.normal.y();
  double lowest = 0.0;
  double highest = 0.0;
  for (int i = 1; i < n; ++i) {
    const double height = normal_x * (region.x[i] - origin_x) + normal_y * (region.y[i] - origin_y);
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  }
  result.depth = highest - lowest;

  if (vanished) {
    result.chord_begin = result.chord_end = result.centroid;
    return result;
  }
  Vec2 middle(0.5 * ends_x, 0.5 * ends_y);
  if (ends != 2.0) {
    // Several arcs. With the tangent and the normal as axes (s, h), and d for end minus begin of every arc:
    // |D| s = sum of d(s^2 + h^2) / 2 gives the moment of the arcs' forces. The normal one may lie anywhere for that;
    // |D| h = sum of d(s h) is right for a single arc and does not notice where an arc is divided in two, so the
    // chord moves smoothly when a vertex of a comes out on the other side of b.
    const double tangent_x = -normal_y;
    const double tangent_y = normal_x;
    const double s = 0.5 * (xx + yy) / chord;
    const double h =
        (tangent_x * normal_x * xx + (tangent_x * normal_y + tangent_y * normal_x) * xy + tangent_y * normal_y * yy) /
        chord;
    middle = s * Vec2(tangent_x, tangent_y) + std::clamp(h, lowest, highest) * result.normal;
  }
  const Vec2 half_chord(0.5 * chord_x, 0.5 * chord_y);
  result.chord_begin = origin + (middle - half_chord);
  result.chord_end = origin + (middle + half_chord);
  return result;
}

/// Calls use(room) with room enough for the cutting of b by a.
template <class Use>
auto with_room(Outline a, Outline b, Use use) {
  const std::size_t vertices = a.size() + b.size();
  if (vertices <= kStackVertices) {
    constexpr int kCapacity = kStackVertices + kLanes;
    std::array<double, kRowsOfRoom * kCapacity> cells;  // not set to zero: this is the hot path
    Room room(cells.data(), kCapacity);
    return use(room);
  }
  thread_local std::vector<double> cells;
  const std::size_t capacity = vertices + kLanes;
  if (cells.size() < kRowsOfRoom * capacity) cells.resize(kRowsOfRoom * capacity);
  Room room(cells.data(), static_cast<int>(capacity));
  return use(room);
}

Overlap overlap_in(Room& room, Outline a, Outline b, const Pose& b_in_a) {
  find_common_region(a, b, b_in_a, room);
  if (room.region.size == 0) return {};
  const double unit = std::numeric_limits<double>::epsilon() * largest_coordinate(a, b, b_in_a);
  return measure(room.region, kRoundings * unit, b_in_a.position);
}

}  // namespace

Overlap overlap(Outline a, Outline b, const Pose& b_in_a) {
  return with_room(a, b, [&](Room& room) { return overlap_in(room, a, b, b_in_a); });
}

std::vector<Vec2> overlap_polygon(Outline a, Outline b, const Pose& b_in_a) {
  return with_room(a, b, [&](Room& room) {
    std::vector<Vec2> vertices;
    if (!overlap_in(room, a, b, b_in_a).touching()) return vertices;
    const Region& region = room.region;
    for (int i = 0; i < region.size; ++i) {
      // A cut through a vertex names it twice.
      if (region.vertex(i) != region.vertex(next_in_ring(i, region.size))) vertices.push_back(region.vertex(i));
    }
    return vertices;
  });
}

}  // namespace scree
