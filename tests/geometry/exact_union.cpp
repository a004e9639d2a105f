#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Polygon_2.h>
#include <CGAL/Polygon_set_2.h>
#include <CGAL/Polygon_with_holes_2.h>
#include <CGAL/convex_hull_2.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/polygon_makers.hpp"
#include "geometry/union.hpp"
#include "tests/geometry/random_pairs.hpp"
#include "tests/sanitized.hpp"

namespace scree::exact_union_test {

using namespace scree::test;

// Unions of convex polygons beside those of CGAL, in rational numbers.
namespace {

using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using Number = Kernel::FT;
using Point = Kernel::Point_2;
using Outline2 = CGAL::Polygon_2<Kernel>;
using WithHoles = CGAL::Polygon_with_holes_2<Kernel>;
using PolygonSet = CGAL::Polygon_set_2<Kernel>;

using Parts = std::vector<ConvexPart>;

double to_double(const Number& number) {
  return CGAL::to_double(number.exact());
}

struct ExactUnion {
  std::size_t pieces = 0;  ///< that hang together by points at most
  std::size_t holes = 0;
  double area = 0.0;
  double sum_of_areas = 0.0;
  Vec2 centroid = Vec2::Zero();
  double second_moment = 0.0;  ///< polar, about the centroid
  double bounding_radius = 0.0;
  double extent = 0.0;
  std::vector<Vec2> corners;  ///< of outline and holes, but those where it goes on straight
};

/// Sums over closed lines, those of holes clockwise.
struct ExactMoments {
  Number area = 0;
  Number x = 0;
  Number y = 0;
  Number second = 0;

  void add(const Outline2& line) {
    for (std::size_t k = 0; k < line.size(); ++k) {
      const Point& p = line[k];
      const Point& q = line[k + 1 < line.size() ? k + 1 : 0];
      const Number product = p.x() * q.y() - p.y() * q.x();
      area += product / 2;
      x += product * (p.x() + q.x()) / 6;
      y += product * (p.y() + q.y()) / 6;
      second += product *
                (p.x() * p.x() + p.y() * p.y() + p.x() * q.x() + p.y() * q.y() + q.x() * q.x() + q.y() * q.y()) / 12;
    }
  }
};

/// In the order that they have.
Outline2 line_of(const std::vector<Vec2>& corners) {
  Outline2 line;
  for (const Vec2& corner : corners) line.push_back(Point(corner.x(), corner.y()));
  return line;
}

Outline2 outline_of(const std::vector<Vec2>& corners) {
  Outline2 outline = line_of(corners);
  if (outline.is_clockwise_oriented()) outline.reverse_orientation();
  return outline;
}

/// The boundary as closed lines, of which each runs along what hangs together, not only in points: where several lines
/// meet in a point, each goes on by the sharpest turn to the left. (CGAL makes one line of pieces that touch.)
std::vector<Outline2> lines_of(const std::vector<WithHoles>& pieces) {
  struct Edge {
    Point from;
    Point to;
    bool taken = false;
  };
  std::vector<Edge> edges;
  const auto add = [&](const Outline2& line) {
    for (std::size_t k = 0; k < line.size(); ++k) edges.push_back({line[k], line[(k + 1) % line.size()]});
  };
  for (const WithHoles& piece : pieces) {
    add(piece.outer_boundary());
    for (auto hole = piece.holes_begin(); hole != piece.holes_end(); ++hole) add(*hole);
  }
  const auto direction = [](const Edge& edge) {
    return Vec2(to_double(edge.to.x() - edge.from.x()), to_double(edge.to.y() - edge.from.y()));
  };
  std::vector<Outline2> lines;
  for (Edge& first : edges) {
    if (first.taken) continue;
    Outline2 line;
    Edge* edge = &first;
    while (!edge->taken) {
      edge->taken = true;
      line.push_back(edge->from);
      Edge* sharpest = nullptr;
      double largest = -10.0;
      for (Edge& next : edges) {
        if (next.from != edge->to) continue;
        const Vec2 before = direction(*edge);
        const Vec2 after = direction(next);
        const double angle = std::atan2(cross(before, after), before.dot(after));
        if (angle <= largest) continue;
        largest = angle;
        sharpest = &next;
      }
      edge = sharpest;
    }
    lines.push_back(line);
  }
  return lines;
}

void add_corners(const Outline2& line, std::vector<Vec2>& corners) {
  const std::size_t n = line.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (CGAL::collinear(line[(k + n - 1) % n], line[k], line[(k + 1) % n])) continue;
    corners.emplace_back(to_double(line[k].x()), to_double(line[k].y()));
  }
}

PolygonSet joined(const Parts& parts) {
  PolygonSet set;
  for (const ConvexPart& part : parts) set.join(outline_of(part.polygon));
  return set;
}

ExactUnion exact_union(const Parts& parts) {
  std::vector<WithHoles> pieces;
  joined(parts).polygons_with_holes(std::back_inserter(pieces));
  ExactUnion found;
  ExactMoments all;
  for (const Outline2& line : lines_of(pieces)) {
    ExactMoments own;
    own.add(line);
    all.add(line);
    (own.area > 0 ? found.pieces : found.holes) += 1;
    add_corners(line, found.corners);
  }
  ExactMoments each;
  Vec2 lo(HUGE_VAL, HUGE_VAL);
  Vec2 hi = -lo;
  for (const ConvexPart& part : parts) {
    each.add(outline_of(part.polygon));
    for (const Vec2& corner : part.polygon) {
      lo = lo.cwiseMin(corner);
      hi = hi.cwiseMax(corner);
    }
  }
  found.extent = (hi - lo).maxCoeff();
  found.area = to_double(all.area);
  found.sum_of_areas = to_double(each.area);
  found.centroid = {to_double(all.x / all.area), to_double(all.y / all.area)};
  found.second_moment = to_double(all.second - (all.x * all.x + all.y * all.y) / all.area);
  for (const Vec2& corner : found.corners) {
    found.bounding_radius = std::max(found.bounding_radius, (corner - found.centroid).norm());
  }
  return found;
}

/// Area that is in one of the two only: what `unite` draws, and the union.
double area_drawn_wrongly(const Union& united, const Parts& parts) {
  std::vector<Vec2> outline;
  for (const Vec2& point : united.outline) outline.emplace_back(united.centroid + point);
  PolygonSet set = joined(parts);
  set.symmetric_difference(outline_of(outline));
  std::vector<WithHoles> pieces;
  set.polygons_with_holes(std::back_inserter(pieces));
  ExactMoments all;
  for (const WithHoles& piece : pieces) {
    all.add(piece.outer_boundary());
    for (auto hole = piece.holes_begin(); hole != piece.holes_end(); ++hole) all.add(*hole);
  }
  return to_double(all.area);
}

struct Tally {
  int whole = 0;
  int apart = 0;
  int with_holes = 0;
  int simple = 0;  ///< whose outline is, so that it could be compared as a whole
};

/// @param rounding what the engine's answers may be off, over the extent
void compare(const Parts& parts, double rounding, Tally& tally) {
  const ExactUnion exact = exact_union(parts);
  Union united;
  std::string said;
  try {
    united = unite(parts);
  } catch (const GeometryError& error) {
    said = error.what();
  }
  if (exact.pieces != 1) {
    CHECK(said.find("they make " + std::to_string(exact.pieces) + " pieces") != std::string::npos);
    ++tally.apart;
    return;
  }
  REQUIRE(said == "");
  ++tally.whole;
  tally.with_holes += exact.holes > 0;
  const double size = exact.extent;
  const double square = size * size;
  CHECK(std::abs(united.area - exact.area) <= rounding * square);
  CHECK(std::abs(united.shared_area - (exact.sum_of_areas - exact.area)) <= rounding * square);
  CHECK((united.centroid - exact.centroid).norm() * exact.area <= rounding * square * size);
  CHECK(std::abs(united.second_moment - exact.second_moment) <= rounding * square * square);
  CHECK(std::abs(united.bounding_radius - exact.bounding_radius) * exact.area <= rounding * square * size);

  // The outline has the corners of the union, and where there is no hole no others.
  const double near = 1e-8 * size;
  std::size_t missing = 0;
  for (const Vec2& corner : exact.corners) {
    missing += std::ranges::none_of(
        united.outline, [&](const Vec2& point) { return (united.centroid + point - corner).norm() <= near; });
  }
  CHECK(missing <= exact.holes);  // the slit begins on both sides of a hole's corner
  if (exact.holes == 0) {
    std::size_t extra = 0;
    for (const Vec2& point : united.outline) {
      const Vec2 there = united.centroid + point;
      const bool is_corner =
          std::ranges::any_of(exact.corners, [&](const Vec2& corner) { return (there - corner).norm() <= near; });
      if (is_corner) continue;
      // Only where sides of two parts go on in one line.
      const auto k = static_cast<std::size_t>(&point - united.outline.data());
      const std::size_t n = united.outline.size();
      const Vec2 before = united.outline[(k + n - 1) % n] - point;
      const Vec2 after = united.outline[(k + 1) % n] - point;
      extra += std::abs(cross(before, after)) > near * (before - after).norm();
    }
    CHECK(extra == 0);
  }
  std::vector<Vec2> line;
  for (const Vec2& point : united.outline) line.emplace_back(united.centroid + point);
  if (!line_of(line).is_simple()) return;  // it touches itself in a point
  ++tally.simple;
  const double slits = 2e-4 * size * size * static_cast<double>(exact.holes);
  CHECK(area_drawn_wrongly(united, parts) <= slits + rounding * square);
}

ConvexPart moved(const Polygon& polygon, const Vec2& to) {
  ConvexPart part;
  for (const Vec2& corner : polygon.vertices()) part.polygon.emplace_back(to + corner);
  return part;
}

/// A convex polygon with corners on lattice points, in a square of this side at this place.
ConvexPart lattice_polygon(Uniform& uniform, int side, int at_x, int at_y) {
  for (;;) {
    const int count = uniform.between(3, 7);
    std::vector<Point> points;
    for (int k = 0; k < count; ++k) {
      const int x = at_x + uniform.between(0, side);
      const int y = at_y + uniform.between(0, side);
      points.emplace_back(x, y);
    }
    std::vector<Point> hull;
    CGAL::convex_hull_2(points.begin(), points.end(), std::back_inserter(hull));
    if (hull.size() < 3) continue;
    ConvexPart part;
    for (const Point& corner : hull) part.polygon.emplace_back(to_double(corner.x()), to_double(corner.y()));
    return part;
  }
}

}  // namespace

TEST_CASE("unions of random polygons are those of exact arithmetic") {
  Uniform uniform(11);
  Tally tally;
  for (int trial = 0; trial < 400 / kFewer; ++trial) {
    CAPTURE(trial);
    Parts parts;
    const int count = uniform.between(1, 7);
    const double spread = uniform.between(0.2, 1.6);
    for (int k = 0; k < count; ++k) {
      const int corners = uniform.between(3, 8);
      const double aspect = uniform.between(1.0, 4.0);
      const Polygon polygon = random_convex_polygon(corners, aspect, std::ref(uniform));
      const double x = spread * uniform.between(-1.0, 1.0);
      const double y = spread * uniform.between(-1.0, 1.0);
      parts.push_back(moved(polygon, {x, y}));
    }
    compare(parts, 2e-14, tally);
  }
  CHECK(tally.whole > 250 / kFewer);
  CHECK(tally.apart > 50 / kFewer);
  CHECK(tally.with_holes > 6 / kFewer);
  CHECK(tally.simple > 250 / kFewer);
}

TEST_CASE("unions of polygons on a lattice, with common corners and sides, are those of exact arithmetic") {
  Uniform uniform(12);
  Tally tally;
  for (int trial = 0; trial < 600 / kFewer; ++trial) {
    CAPTURE(trial);
    Parts parts;
    const int count = uniform.between(2, 8);
    const int side = uniform.between(2, 4);
    const int spread = uniform.between(0, 5);
    for (int k = 0; k < count; ++k) {
      const int x = uniform.between(0, spread);
      const int y = uniform.between(0, spread);
      parts.push_back(lattice_polygon(uniform, side, x, y));
    }
    compare(parts, 2e-14, tally);
  }
  CHECK(tally.whole > 250 / kFewer);
  CHECK(tally.apart > 150 / kFewer);
  CHECK(tally.with_holes > 6 / kFewer);
  CHECK(tally.simple > 200 / kFewer);
}

TEST_CASE("unions of cells of a grid, which touch along sides and in corners, are those of exact arithmetic") {
  Uniform uniform(13);
  Tally tally;
  for (int trial = 0; trial < 300 / kFewer; ++trial) {
    CAPTURE(trial);
    Parts parts;
    const double filled = uniform.between(0.6, 1.0);
    for (int x = 0; x < 4; ++x) {
      for (int y = 0; y < 4; ++y) {
        if (uniform() > filled) continue;
        const Vec2 a(x, y);
        const Vec2 b(x + 1, y);
        const Vec2 c(x + 1, y + 1);
        const Vec2 d(x, y + 1);
        switch (uniform.between(0, 19)) {
          case 0:
            parts.push_back({.polygon = {a, b, c}});
            break;
          case 1:
            parts.push_back({.polygon = {d, b, c}});
            break;
          default:
            parts.push_back({.polygon = {a, b, c, d}});
        }
      }
    }
    if (parts.empty()) continue;
    compare(parts, 2e-14, tally);
  }
  CHECK(tally.whole > 50 / kFewer);
  CHECK(tally.apart > 50 / kFewer);
  CHECK(tally.with_holes > 20 / kFewer);
  CHECK(tally.simple > 20 / kFewer);
}

TEST_CASE("what was one polygon until lines cut it is that polygon again") {
  // The pieces share sides whose ends are rounded, so that there are gaps and overlaps of some 1e-16.
  Uniform uniform(14);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    const int corners = uniform.between(3, 12);
    const double aspect = uniform.between(1.0, 3.0);
    const Polygon whole = random_convex_polygon(corners, aspect, std::ref(uniform));
    std::vector<std::vector<Vec2>> pieces = {{whole.vertices().begin(), whole.vertices().end()}};
    const int cuts = uniform.between(1, 4);
    for (int k = 0; k < cuts; ++k) {
      const Vec2 normal = random_rotation(uniform) * Vec2(1.0, 0.0);
      const double at = uniform.between(-0.2, 0.2);
      std::vector<std::vector<Vec2>> after;
      for (const std::vector<Vec2>& piece : pieces) {
        for (const double side : {-1.0, 1.0}) {
          std::vector<Vec2> kept;
          for (std::size_t i = 0; i < piece.size(); ++i) {
            const Vec2& p = piece[i];
            const Vec2& q = piece[(i + 1) % piece.size()];
            const double from = side * (normal.dot(p) - at);
            const double to = side * (normal.dot(q) - at);
            if (from >= 0.0) kept.push_back(p);
            if ((from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0)) {
              // From the same end, so that both pieces have the same point.
              const bool is_forward = side > 0.0;
              const Vec2& a = is_forward == (from > 0.0) ? p : q;
              const Vec2& b = is_forward == (from > 0.0) ? q : p;
              const double da = normal.dot(a) - at;
              const double db = normal.dot(b) - at;
              kept.emplace_back(a + da / (da - db) * (b - a));
            }
          }
          if (kept.size() >= 3) after.push_back(kept);
        }
      }
      pieces = after;
    }
    Parts parts;
    for (const std::vector<Vec2>& piece : pieces) parts.push_back({.polygon = piece});
    const Union united = unite(parts);
    const ExactUnion exact = exact_union({{.polygon = {whole.vertices().begin(), whole.vertices().end()}}});
    CHECK(std::abs(united.area - exact.area) <= 1e-13);
    CHECK((united.centroid - exact.centroid).norm() <= 1e-13);
    CHECK(std::abs(united.second_moment - exact.second_moment) <= 1e-13);
    CHECK(std::abs(united.bounding_radius - exact.bounding_radius) <= 1e-13);
    CHECK(united.shared_area <= 1e-13);
    REQUIRE(exact.corners.size() >= 3);
    for (const Vec2& corner : exact.corners) {
      CHECK(std::ranges::any_of(united.outline,
                                [&](const Vec2& point) { return (united.centroid + point - corner).norm() <= 1e-8; }));
    }
  }
}

}  // namespace scree::exact_union_test
