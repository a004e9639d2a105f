#include "geometry/polygon.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/polygon_makers.hpp"
#include "tests/geometry/random_pairs.hpp"

namespace scree::polygon_test {

using namespace scree::test;

namespace {

constexpr double kPi = std::numbers::pi;

std::string error_of(const std::vector<Vec2>& points) {
  try {
    const Polygon polygon(points);
  } catch (const GeometryError& error) {
    return error.what();
  }
  return "no error";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Moments the slow way: strips of equal width, in each the exact integral over y.
struct StripMoments {
  double area = 0.0;
  Vec2 centroid = Vec2::Zero();
  double polar = 0.0;
};

StripMoments by_strips(Outline outline, int strips) {
  double left = outline[0].x();
  double right = outline[0].x();
  for (const Vec2& v : outline) {
    left = std::min(left, v.x());
    right = std::max(right, v.x());
  }
  StripMoments result;
  const double width = (right - left) / strips;
  for (int k = 0; k < strips; ++k) {
    const double x = left + (k + 0.5) * width;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Vec2& p = outline[i];
      const Vec2& q = outline[(i + 1) % outline.size()];
      if ((p.x() <= x) == (q.x() <= x)) continue;
      const double y = p.y() + (x - p.x()) / (q.x() - p.x()) * (q.y() - p.y());
      low = std::min(low, y);
      high = std::max(high, y);
    }
    if (low > high) continue;
    result.area += width * (high - low);
    result.centroid += width * Vec2(x * (high - low), 0.5 * (high * high - low * low));
    result.polar += width * (x * x * (high - low) + (high * high * high - low * low * low) / 3.0);
  }
  result.centroid /= result.area;
  return result;
}

}  // namespace

TEST_CASE("the moments of a rectangle are those of the textbook") {
  const Polygon plate = rectangle(3.0, 2.0);
  CHECK(plate.area() == 6.0);                                                 // m^2
  CHECK(std::abs(plate.second_moment() - 6.0 * (9.0 + 4.0) / 12.0) < 1e-14);  // m^4
  CHECK(std::abs(plate.bounding_radius() - 0.5 * std::sqrt(13.0)) < 1e-15);   // m
  CHECK(plate.inner_radius() == 1.0);                                         // m
  CHECK(plate.longest_side() == 3.0);                                         // m
  CHECK(plate.vertices()[0] == Vec2(-1.5, -1.0));
  CHECK(plate.vertices()[1] == Vec2(1.5, -1.0));
}

TEST_CASE("the moments of a regular polygon are those of the textbook") {
  for (const int n : {3, 4, 5, 6, 17, 1000}) {
    CAPTURE(n);
    const double radius = 2.0;
    const Polygon polygon = regular_polygon(n, radius);
    const double angle = 2.0 * kPi / n;
    const double area = 0.5 * n * radius * radius * std::sin(angle);
    REQUIRE(polygon.vertices().size() == static_cast<std::size_t>(n));
    CHECK(std::abs(polygon.area() - area) < 1e-12);                                                             // m^2
    CHECK(std::abs(polygon.second_moment() - area * radius * radius * (2.0 + std::cos(angle)) / 6.0) < 1e-12);  // m^4
    CHECK(std::abs(polygon.inner_radius() - radius * std::cos(0.5 * angle)) < 1e-14);                           // m
    CHECK(std::abs(polygon.bounding_radius() - radius) < 1e-14);                                                // m
    CHECK((polygon.vertices()[0] - Vec2(radius, 0.0)).norm() < 1e-14);                                          // m
  }
}

TEST_CASE("the moments of random polygons are those of their strips") {
  Uniform uniform(1);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Vec2> points;
    const Polygon shape = random_convex_polygon(uniform.between(3, 9), 4.0, std::ref(uniform));
    for (const Vec2& v : shape.vertices()) points.push_back(v + Vec2(0.3, -0.2));
    const Polygon polygon(points);
    const StripMoments strips = by_strips(points, 20000);
    CHECK(std::abs(polygon.area() - strips.area) < 1e-6);         // m^2
    CHECK((polygon.centroid() - strips.centroid).norm() < 1e-6);  // m
    const double about_centroid = strips.polar - strips.area * strips.centroid.squaredNorm();
    CHECK(std::abs(polygon.second_moment() - about_centroid) < 1e-6);  // m^4
  }
}

TEST_CASE("the vertices are those given, about the centroid") {
  Uniform uniform(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const Polygon shape = random_convex_polygon(uniform.between(3, 9), 2.0, std::ref(uniform));
    const Vec2 shift(uniform.between(-5.0, 5.0), uniform.between(-5.0, 5.0));
    std::vector<Vec2> points;
    for (const Vec2& v : shape.vertices()) points.push_back(v + shift);
    const Polygon polygon(points);
    REQUIRE(polygon.vertices().size() == points.size());
    REQUIRE((polygon.centroid() - shift).norm() < 1e-14);  // m
    for (std::size_t i = 0; i < points.size(); ++i) {
      REQUIRE((polygon.vertices()[i] + polygon.centroid() - points[i]).norm() < 1e-14);  // m
    }
  }
}

TEST_CASE("a clockwise outline is turned round and keeps its first vertex") {
  const Polygon polygon(std::array{Vec2(0, 0), Vec2(0, 1), Vec2(2, 1), Vec2(2, 0)});
  REQUIRE(polygon.vertices().size() == 4);
  CHECK(polygon.area() == 2.0);  // m^2
  CHECK(polygon.vertices()[0] == Vec2(-1.0, -0.5));
  CHECK(polygon.vertices()[1] == Vec2(1.0, -0.5));
}

TEST_CASE("duplicate and collinear points are merged, also where the outline closes") {
  const Polygon closed(
      std::array{Vec2(0, 0), Vec2(0, 0), Vec2(1, 0), Vec2(1, 1e-11), Vec2(1, 1), Vec2(0, 1), Vec2(0, 0)});
  CHECK(closed.vertices().size() == 4);
  const Polygon straight(std::array{Vec2(1, 0), Vec2(1.5, 1e-12), Vec2(2, 0), Vec2(2, 1), Vec2(2, 2), Vec2(0, 2),
                                    Vec2(0, 1), Vec2(0, 0), Vec2(0.5, 0)});
  REQUIRE(straight.vertices().size() == 4);
  CHECK(std::abs(straight.area() - 4.0) < 1e-11);                     // m^2
  CHECK(straight.vertices()[0] + straight.centroid() == Vec2(2, 0));  // the first point that stays
  const Polygon rich(std::array{Vec2(0, 0), Vec2(1, -1e-8), Vec2(2, 0), Vec2(1, 2)});
  CHECK(rich.vertices().size() == 4);  // a corner of 5e-9 of the extent is one
}

TEST_CASE("a polygon far from the origin is that at the origin, up to the rounding of its points") {
  const Polygon near = regular_polygon(5, 1.0);
  std::vector<Vec2> points;
  for (const Vec2& v : near.vertices()) points.push_back(v + Vec2(1e9, -1e9));
  // Between neighbours, in line but for rounding.
  const Vec2 first = points[0];
  for (const double part : {0.7, 0.4, 0.1}) points.insert(points.begin() + 1, first + part * (points[1] - first));
  const Polygon far(points);
  CHECK(far.vertices().size() == 5);
  CHECK(std::abs(far.area() - near.area()) < 1e-6);                    // m^2
  CHECK(std::abs(far.second_moment() - near.second_moment()) < 1e-6);  // m^4
}

TEST_CASE("slivers and very small and large polygons are accepted") {
  CHECK(Polygon(std::array{Vec2(0, 0), Vec2(1, 0), Vec2(0.5, 1e-4)}).vertices().size() == 3);
  for (const double scale : {1e-9, 1e-3, 1e6, 1e12}) {
    CAPTURE(scale);
    const Polygon polygon = regular_polygon(7, scale);
    CHECK(polygon.vertices().size() == 7);
    CHECK(std::abs(polygon.area() / (scale * scale) - regular_polygon(7, 1.0).area()) < 1e-13);
  }
}

TEST_CASE("an outline that is no convex polygon is refused with its reason") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(says(error_of({}), "fewer than 3 distinct vertices"));
  CHECK(says(error_of({{0, 0}, {1, 0}}), "fewer than 3 distinct vertices"));
  CHECK(says(error_of({{1, 1}, {1, 1}, {1, 1}}), "fewer than 3 distinct vertices"));
  CHECK(says(error_of({{0, 0}, {1, 1}, {2, 2}, {3, 3}}), "fewer than 3 distinct vertices"));
  CHECK(says(error_of({{0, 0}, {nan, 0}, {1, 1}}), "vertex 1 (nan, 0): not finite"));
  CHECK(says(error_of({{0, 0}, {1, 0}, {infinity, 1}}), "vertex 2 (inf, 1): not finite"));
  CHECK(says(error_of({{-1e308, 0}, {1e308, 0}, {0, 1e308}}), "not finite"));
  CHECK(says(error_of({{0, 0}, {1e-100, 0}, {0, 1e-100}}), "vanishes"));
  CHECK(error_of({{0, 0}, {2, 0}, {2, 2}, {1.5, 2}, {1, 1}, {0, 2}}) ==
        "vertex 4 (1, 1): the outline turns the wrong way there; a polygon must be convex");
  CHECK(error_of({{0, 2}, {1, 1}, {1.5, 2}, {2, 2}, {2, 0}, {0, 0}}) ==
        "vertex 1 (1, 1): the outline turns the wrong way there; a polygon must be convex");
  CHECK(says(error_of({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), "must be convex"));                   // a bow
  CHECK(says(error_of({{0, 0}, {2, 0}, {3, 0}, {2, 0}, {2, 2}, {0, 2}}), "vertex 2 (3, 0)"));  // a spike
  std::vector<Vec2> pentagram;
  for (int i = 0; i < 5; ++i) pentagram.emplace_back(std::cos(0.8 * kPi * i), std::sin(0.8 * kPi * i));
  CHECK(says(error_of(pentagram), "winds more than once (2 times)"));
  std::reverse(pentagram.begin(), pentagram.end());
  CHECK(says(error_of(pentagram), "winds more than once"));
  std::vector<Vec2> twice;
  for (int i = 0; i < 8; ++i) twice.emplace_back(std::cos(0.5 * kPi * i), std::sin(0.5 * kPi * i));
  CHECK(says(error_of(twice), "winds more than once"));
}

TEST_CASE("a scaled polygon is one made from scaled points") {
  const std::vector<Vec2> points{{1, 1}, {3, 1}, {4, 3}, {1, 2}};
  const Polygon once(points);
  std::vector<Vec2> scaled_points;
  for (const Vec2& p : points) scaled_points.push_back(2.5 * p);
  const Polygon scaled = once.scaled(2.5);
  const Polygon expected(scaled_points);
  CHECK((scaled.centroid() - expected.centroid()).norm() < 1e-14);                                            // m
  CHECK(std::abs(scaled.area() - expected.area()) < 1e-13);                                                   // m^2
  CHECK(std::abs(scaled.second_moment() - expected.second_moment()) < 1e-12);                                 // m^4
  CHECK(std::abs(scaled.bounding_radius() - expected.bounding_radius()) < 1e-14);                             // m
  CHECK(std::abs(scaled.inner_radius() - expected.inner_radius()) < 1e-14);                                   // m
  CHECK(std::abs(scaled.longest_side() - expected.longest_side()) < 1e-14);                                   // m
  for (std::size_t i = 0; i < 4; ++i) CHECK((scaled.vertices()[i] - expected.vertices()[i]).norm() < 1e-14);  // m
}

TEST_CASE("the bounds of a placed polygon hold all its vertices and touch them on four sides") {
  Uniform uniform(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const Polygon polygon = random_convex_polygon(uniform.between(3, 9), 2.0, std::ref(uniform));
    const Pose pose{{uniform.between(-1e3, 1e3), uniform.between(-1e3, 1e3)}, random_rotation(uniform)};
    const Aabb2 box = bounds(polygon.vertices(), pose);
    Aabb2 expected{pose * polygon.vertices()[0], pose * polygon.vertices()[0]};
    for (const Vec2& v : polygon.vertices()) expected.extend(pose * v);
    REQUIRE(box.lo == expected.lo);
    REQUIRE(box.hi == expected.hi);
  }
}

TEST_CASE("random polygons have unit area and as many vertices as asked for") {
  Uniform uniform(4);
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = uniform.between(3, 40);
    const double aspect = std::pow(10.0, uniform());
    int calls = 0;
    const Polygon polygon = random_convex_polygon(n, aspect, [&] {
      ++calls;
      return uniform();
    });
    REQUIRE(calls == n + 1);
    REQUIRE(polygon.vertices().size() == static_cast<std::size_t>(n));
    REQUIRE(std::abs(polygon.area() - 1.0) < 1e-13);  // m^2
    REQUIRE(polygon.inner_radius() > 0.0);
  }
}

TEST_CASE("random polygons of aspect one have no side much shorter than the others") {
  Uniform uniform(5);
  for (int trial = 0; trial < 1000; ++trial) {
    const Polygon polygon = random_convex_polygon(uniform.between(3, 12), 1.0, std::ref(uniform));
    const Outline v = polygon.vertices();
    double shortest = polygon.longest_side();
    for (std::size_t i = 0; i < v.size(); ++i) shortest = std::min(shortest, (v[(i + 1) % v.size()] - v[i]).norm());
    REQUIRE(shortest > 0.25 * polygon.longest_side());  // 0.4 against 1.6 sectors at worst
  }
}

TEST_CASE("the equivalent diameter is that of the disk of equal area") {
  CHECK(std::abs(equivalent_diameter(kPi) - 2.0) < 1e-15);             // m
  CHECK(std::abs(equivalent_diameter(0.25e-6 * kPi) - 1e-3) < 1e-18);  // m
}

TEST_CASE("the box found from any extremes is that of all vertices, to the last bit") {
  Uniform uniform(21);
  for (int trial = 0; trial < 2000; ++trial) {
    const Polygon polygon = trial % 3 == 0   ? regular_polygon(uniform.between(3, 300), 1.0)
                            : trial % 3 == 1 ? rectangle(uniform.between(1e-3, 1.0), 1.0)
                                             : random_convex_polygon(uniform.between(3, 12), 1e3, std::ref(uniform));
    const auto n = static_cast<int>(polygon.vertices().size());
    // A quarter turn in one of two: edges along the axes.
    const Rotation turn = trial % 2 == 0 ? Rotation{0.0, 1.0} : Rotation::by(uniform.between(-4.0, 4.0));
    const Pose pose{{uniform.between(-1.0, 1.0), uniform.between(-1.0, 1.0)}, turn};
    const Aabb2 expected = bounds(polygon.vertices(), pose);
    Extremes extremes{};
    for (auto& e : extremes) e = static_cast<std::uint32_t>(uniform.between(0, n));
    const Aabb2 found = bounds(polygon.vertices(), pose, extremes);
    CAPTURE(trial);
    REQUIRE(found.lo.isApprox(expected.lo, 0.0));
    REQUIRE(found.hi.isApprox(expected.hi, 0.0));
  }
}

TEST_CASE("running sums give the area and the moment of any arc") {
  Uniform uniform(22);
  const Polygon polygon = random_convex_polygon(100, 2.0, std::ref(uniform));
  const Outline outline = polygon.vertices();
  REQUIRE(outline.sums() != nullptr);
  for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, 100}, {3, 50}, {99, 100}, {7, 7}}) {
    double doubled_area = 0.0;
    Vec2 moment = Vec2::Zero();
    for (std::size_t i = from; i < to; ++i) {
      const Vec2& p = outline[i];
      const Vec2& q = outline[(i + 1) % 100];
      doubled_area += cross(p, q);
      moment += cross(p, q) * (p + q);
    }
    CHECK(std::abs(outline.sums()[to].doubled_area - outline.sums()[from].doubled_area - doubled_area) < 1e-15);
    CHECK((outline.sums()[to].moment - outline.sums()[from].moment - moment).norm() < 1e-15);
  }
}

TEST_CASE("running sums are the exact ones, rounded once") {
  __extension__ using Integer = __int128;
  for (const int corners : {17, 24, 200, 1000}) {
    CAPTURE(corners);
    // Whole coordinates of 26 bits: products of three have more digits than the long double of any processor keeps.
    std::vector<Vec2> outline;
    for (int k = 0; k < corners; ++k) {
      const double angle = 2.0 * kPi * k / corners;
      outline.emplace_back(std::round(0x1p26 * std::cos(angle)) + 1.0, std::round(0x1p26 * std::sin(angle)) - 3.0);
    }
    std::vector<ArcSum> sums;
    append_arc_sums(outline, sums);
    REQUIRE(sums.size() == outline.size() + 1);
    Integer doubled_area = 0;
    Integer moment_x = 0;
    Integer moment_y = 0;
    int inexact = 0;
    for (std::size_t k = 0; k < outline.size(); ++k) {
      const auto whole = [&](std::size_t i) {
        const Vec2& corner = outline[i % outline.size()];
        return std::array{static_cast<Integer>(corner.x()), static_cast<Integer>(corner.y())};
      };
      const auto [px, py] = whole(k);
      const auto [qx, qy] = whole(k + 1);
      const Integer c = px * qy - py * qx;
      doubled_area += c;
      moment_x += c * (px + qx);
      moment_y += c * (py + qy);
      CHECK(sums[k + 1].doubled_area == static_cast<double>(doubled_area));
      CHECK(sums[k + 1].moment.x() == static_cast<double>(moment_x));
      CHECK(sums[k + 1].moment.y() == static_cast<double>(moment_y));
      inexact += static_cast<Integer>(static_cast<double>(moment_x)) != moment_x ? 1 : 0;
    }
    CHECK(inexact > corners / 2);
  }
}

}  // namespace scree::polygon_test
