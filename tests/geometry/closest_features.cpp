#include "geometry/closest_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/overlap.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/geometry/overlap_oracle.hpp"
#include "tests/geometry/random_pairs.hpp"
#include "tests/sanitized.hpp"

namespace scree::closest_features_test {

using namespace scree::test;

namespace {

ClosestFeatures closest(const Polygon& a, const Polygon& b, const Pose& b_in_a, FeaturePair hint = {}) {
  return closest_features(a.vertices(), b.vertices(), b_in_a, hint);
}

/// From the definition: the nearest of all vertices of one to all edges of the other, 0 if a corner of one is inside
/// the other or two edges cross.
double slow_distance(Outline outline_a, Outline outline_b, const Pose& b_in_a) {
  const std::vector<Point> a = placed(outline_a, {});
  const std::vector<Point> b = placed(outline_b, b_in_a);
  long double nearest = std::numeric_limits<long double>::infinity();
  const auto look = [&](const std::vector<Point>& edges, const std::vector<Point>& vertices) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Point along = edges[(i + 1) % edges.size()] - edges[i];
      for (const Point& v : vertices) {
        const long double t = std::clamp(dot(v - edges[i], along) / dot(along, along), 0.0L, 1.0L);
        const Point gap = v - (edges[i] + t * along);
        nearest = std::min(nearest, std::sqrt(dot(gap, gap)));
      }
    }
  };
  look(a, b);
  look(b, a);
  const bool inside = std::any_of(a.begin(), a.end(), [&](const Point& p) { return holds(b, p); }) ||
                      std::any_of(b.begin(), b.end(), [&](const Point& p) { return holds(a, p); });
  bool crossing = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Point& p = a[i];
      const Point& q = a[(i + 1) % a.size()];
      const Point& r = b[j];
      const Point& s = b[(j + 1) % b.size()];
      const bool apart_on_a = (cross(q - p, r - p) > 0) == (cross(q - p, s - p) > 0);
      const bool apart_on_b = (cross(s - r, p - r) > 0) == (cross(s - r, q - r) > 0);
      crossing = crossing || (!apart_on_a && !apart_on_b);
    }
  }
  return inside || crossing ? 0.0 : static_cast<double>(nearest);
}

double distance_to_feature(Outline outline, const Pose& pose, Feature feature, const Vec2& point) {
  const Vec2 from = pose * outline[feature / 2];
  if (feature % 2 == 0) return (point - from).norm();
  const Vec2 along = pose * outline[(feature / 2 + 1) % outline.size()] - from;
  return (point - from - std::clamp((point - from).dot(along) / along.squaredNorm(), 0.0, 1.0) * along).norm();
}

}  // namespace

TEST_CASE("the distance of random pairs is that of the nearest of all pairs of features, from any hint") {
  Uniform uniform(2);
  const Shapes shapes(uniform, 3, 9, 4.0, 5.0);
  const int trials = 100000;
  int apart = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const FeaturePair hint{static_cast<Feature>(uniform.between(0, 20)), static_cast<Feature>(uniform.between(0, 20))};
    const ClosestFeatures found = closest(pair.a, pair.b, pair.b_in_a, hint);
    const double expected = slow_distance(pair.a.vertices(), pair.b.vertices(), pair.b_in_a);
    CAPTURE(trial);
    REQUIRE(std::abs(found.distance - expected) < 1e-14);  // m
    REQUIRE(found.features.a < 2 * pair.a.vertices().size());
    REQUIRE(found.features.b < 2 * pair.b.vertices().size());
    apart += expected > 0.0 ? 1 : 0;
  }
  CHECK(apart > trials / 4);
  CHECK(apart < trials * 3 / 4);
}

TEST_CASE("the closest points lie on their features, at the distance found") {
  Uniform uniform(3);
  const Shapes shapes(uniform, 3, 9, 4.0, 5.0);
  int apart = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const ClosestFeatures found = closest(pair.a, pair.b, pair.b_in_a);
    if (found.distance == 0.0) continue;
    ++apart;
    const double off_a = distance_to_feature(pair.a.vertices(), {}, found.features.a, found.point_a);
    const double off_b = distance_to_feature(pair.b.vertices(), pair.b_in_a, found.features.b, found.point_b);
    CAPTURE(trial);
    REQUIRE(off_a < 1e-14);                                                              // m
    REQUIRE(off_b < 1e-14);                                                              // m
    REQUIRE(std::abs((found.point_b - found.point_a).norm() - found.distance) < 1e-14);  // m
  }
  CHECK(apart > 5000);
}

namespace {

/// Tries every pair of features as hint, and some that are none: all bits must agree with those from (0, 0).
void check_every_hint(const Polygon& a, const Polygon& b, const Pose& b_in_a) {
  const auto features_a = static_cast<Feature>(2 * a.vertices().size());
  const auto features_b = static_cast<Feature>(2 * b.vertices().size());
  const ClosestFeatures expected = closest(a, b, b_in_a);
  ClosestFeatures crossing = expected;
  const Overlap shared = overlap(a.vertices(), b.vertices(), b_in_a, crossing);
  const auto check = [&](FeaturePair hint) {
    CAPTURE(hint.a);
    CAPTURE(hint.b);
    ClosestFeatures found = closest(a, b, b_in_a, hint);
    REQUIRE(found.relation == expected.relation);
    REQUIRE(found.distance == expected.distance);
    if (found.distance > 0.0) {
      REQUIRE(found.features == expected.features);
      REQUIRE(found.point_a == expected.point_a);
      REQUIRE(found.point_b == expected.point_b);
    }
    const Overlap again = overlap(a.vertices(), b.vertices(), b_in_a, found);
    REQUIRE(again.area == shared.area);
    REQUIRE(again.depth == shared.depth);
    REQUIRE(again.centroid == shared.centroid);
    REQUIRE(again.normal == shared.normal);
    REQUIRE(again.chord_begin == shared.chord_begin);
    REQUIRE(again.chord_end == shared.chord_end);
    PairHint both{hint, {hint.b, hint.a}};
    const Overlap at_once = overlap(a.vertices(), b.vertices(), b_in_a, both);
    REQUIRE(at_once.area == shared.area);
    REQUIRE(at_once.centroid == shared.centroid);
    REQUIRE(at_once.chord_begin == shared.chord_begin);
    // What comes out is a hint that is right at once.
    const ClosestFeatures once_more = closest(a, b, b_in_a, found.features);
    if (found.relation != Relation::kApart || found.distance > 0.0) REQUIRE(once_more.steps == 0);
  };
  for (Feature i = 0; i < features_a; ++i) {
    for (Feature j = 0; j < features_b; ++j) check({i, j});
  }
  const Feature huge = std::numeric_limits<Feature>::max();
  check({huge, huge});
  check({features_a, 0});
}

}  // namespace

TEST_CASE("no hint changes a bit") {
  Uniform uniform(4);
  SUBCASE("of random pairs") {
    const Shapes shapes(uniform, 3, 7, 4.0, 3.0);
    for (int trial = 0; trial < (test::kSanitized ? 500 : 3000); ++trial) {
      const RandomPair pair = random_pair(shapes, uniform);
      CAPTURE(trial);
      check_every_hint(pair.a, pair.b, pair.b_in_a);
    }
  }
  SUBCASE("of polygons on a lattice, with vertices on vertices and edges along edges") {
    const Polygon square = rectangle(2.0, 2.0);
    const Polygon plate = rectangle(4.0, 2.0);
    const Polygon triangle(std::array{Vec2(0, 0), Vec2(3, 0), Vec2(0, 3)});
    const Polygon diamond(std::array{Vec2(2, 0), Vec2(0, 2), Vec2(-2, 0), Vec2(0, -2)});
    const std::array shapes{&square, &plate, &triangle, &diamond};
    for (const Polygon* a : shapes) {
      for (const Polygon* b : shapes) {
        for (int x = -4; x <= 4; ++x) {
          for (int y = -4; y <= 4; ++y) {
            if (test::kSanitized && (x + y) % 3 != 0) continue;
            for (const Rotation& turn : {Rotation{1.0, 0.0}, Rotation{0.0, 1.0}, Rotation{-1.0, 0.0}}) {
              CAPTURE(x);
              CAPTURE(y);
              check_every_hint(*a, *b, {{x, y}, turn});
            }
          }
        }
      }
    }
  }
  SUBCASE("of nearly flush edges") {
    for (int trial = 0; trial < 1000; ++trial) {
      const Polygon a = regular_polygon(uniform.between(3, 8), 1.0);
      const Polygon b = regular_polygon(uniform.between(3, 8), uniform.between(0.5, 2.0));
      const auto normal_angle = [](const Polygon& p) {
        return std::numbers::pi / static_cast<double>(p.vertices().size());
      };
      const Vec2 outward = Rotation::by(normal_angle(a)) * Vec2(1.0, 0.0);
      const double tilt = trial % 2 == 0 ? 0.0 : uniform.between(-1e-15, 1e-15);
      const double gap = trial % 3 == 0 ? 0.0 : uniform.between(-3e-16, 3e-16);
      const Vec2 offset =
          (a.inner_radius() + b.inner_radius() + gap) * outward + uniform.between(-1.0, 1.0) * perp(outward);
      CAPTURE(trial);
      check_every_hint(a, b, {offset, Rotation::by(normal_angle(a) + std::numbers::pi - normal_angle(b) + tilt)});
    }
  }
  SUBCASE("of polygons turned on to themselves, but for rounding") {
    for (int trial = 0; trial < 300; ++trial) {
      const int n = uniform.between(3, 8);
      const Polygon polygon = regular_polygon(n, 1.0);
      const Rotation turn = Rotation::by(2.0 * std::numbers::pi * uniform.between(0, n - 1) / n);
      const double size = trial % 3 == 0 ? 0.0 : 3e-16;
      CAPTURE(trial);
      check_every_hint(polygon, polygon, {{uniform.between(-size, size), uniform.between(-size, size)}, turn});
    }
  }
  SUBCASE("of slivers and giants") {
    for (int trial = 0; trial < 300; ++trial) {
      const Polygon a = trial % 2 == 0 ? rectangle(1.0, 1e-4) : random_convex_polygon(5, 1e4, std::ref(uniform));
      const Polygon b = random_convex_polygon(6, 2.0, std::ref(uniform)).scaled(trial % 3 == 0 ? 1e6 : 1.0);
      const Vec2 direction = random_rotation(uniform) * Vec2(1.0, 0.0);
      const Rotation turn = random_rotation(uniform);
      // To where they touch, and a little more or less.
      double low = 0.0;
      double high = 4e6;
      for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        (closest(a, b, {middle * direction, turn}).distance == 0.0 ? low : high) = middle;
      }
      CAPTURE(trial);
      check_every_hint(
          a, b,
          {(low * (1.0 + uniform.between(-1e-2, 1e-2) * std::pow(10.0, uniform.between(-14, 0)))) * direction, turn});
    }
  }
}

TEST_CASE("the hint of the last time needs no step") {
  Uniform uniform(5);
  const Shapes shapes(uniform, 3, 9, 4.0, 5.0);
  int apart = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const ClosestFeatures once = closest(pair.a, pair.b, pair.b_in_a);
    if (once.distance == 0.0) continue;
    ++apart;
    const ClosestFeatures again = closest(pair.a, pair.b, pair.b_in_a, once.features);
    REQUIRE(again.steps == 0);
    REQUIRE(again.features == once.features);
    REQUIRE(again.distance == once.distance);
  }
  CHECK(apart > 5000);
}

TEST_CASE("between polygons of a thousand vertices a good hint needs a few steps, a bad one no more than a round") {
  Uniform uniform(6);
  const Polygon a = regular_polygon(1000, 1.0);
  const Polygon b = regular_polygon(999, 2.0);
  FeaturePair hint;
  for (int k = 0; k < 1000; ++k) {
    const double angle = 1e-3 * k;
    const Pose pose{Rotation::by(angle) * Vec2(3.5, 0.0), Rotation::by(-2.0 * angle)};
    const ClosestFeatures found = closest(a, b, pose, hint);
    REQUIRE(std::abs(found.distance - 0.5) < 2e-5);  // m
    if (k > 0) REQUIRE(found.steps <= 6);
    const FeaturePair bad{static_cast<Feature>(uniform.between(0, 1999)),
                          static_cast<Feature>(uniform.between(0, 1997))};
    const ClosestFeatures walked = closest(a, b, pose, bad);
    REQUIRE(std::abs(walked.distance - found.distance) < 1e-14);  // m
    REQUIRE(walked.steps < 2 * (1000 + 999) + 8);                 // never by all pairs
    hint = found.features;
  }
}

TEST_CASE("the walk reaches the closest features of polygons apart without going in circles") {
  Uniform uniform(7);
  const Shapes shapes(uniform, 3, 9, 10.0, 5.0);
  int apart = 0;
  double steps = 0.0;
  for (int trial = 0; trial < 20000; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const FeaturePair hint{static_cast<Feature>(uniform.between(0, 17)), static_cast<Feature>(uniform.between(0, 17))};
    const ClosestFeatures found = closest(pair.a, pair.b, pair.b_in_a, hint);
    if (found.distance < 1e-12) continue;
    ++apart;
    steps += found.steps;
    REQUIRE(found.steps < static_cast<int>(2 * (pair.a.vertices().size() + pair.b.vertices().size())) + 8);
  }
  CHECK(apart > 5000);
  CHECK(steps < 8.0 * apart);
}

TEST_CASE("the walk converges without the fallback, along a motion or from far away") {
  Uniform uniform(11);
  const Shapes shapes(uniform, 3, 9, 4.0, 5.0);
  int cold = 0;
  int warm = 0;
  const int trials = 2000;
  const int calls = 50;
  for (int trial = 0; trial < trials; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Vec2 step = 1e-3 * (random_rotation(uniform) * Vec2(1.0, 0.0));
    const FeaturePair hint{static_cast<Feature>(uniform.between(0, 17)), static_cast<Feature>(uniform.between(0, 17))};
    ClosestFeatures found = closest(pair.a, pair.b, pair.b_in_a, hint);
    cold += found.fell_back ? 1 : 0;
    for (int call = 1; call <= calls; ++call) {
      const Pose pose{pair.b_in_a.position + call * step, pair.b_in_a.rotation * Rotation::by(1e-3 * call)};
      found = closest(pair.a, pair.b, pose, found.features);
      warm += found.fell_back ? 1 : 0;
    }
  }
  MESSAGE("fell back: " << cold << " of " << trials << " walks from far away, " << warm << " of " << trials * calls
                        << " along a motion");
  CHECK(cold < trials / 100);
  CHECK(warm < trials * calls / 10000);
}

TEST_CASE("vertices, edges and parallel edges of two squares are told apart") {
  const Polygon square = rectangle(1.0, 1.0);  // vertex 0 is the lower left one
  const auto distance = [&](double x, double y, double angle) {
    return closest(square, square, {{x, y}, Rotation::by(angle)}).distance;
  };
  const double half_diagonal = std::sqrt(0.5);
  CHECK(std::abs(distance(1.5, 0.3, 0.0) - 0.5) < 1e-15);                                        // m, parallel
  CHECK(std::abs(distance(-1.5, -0.9, 0.0) - 0.5) < 1e-15);                                      // m, parallel
  CHECK(std::abs(distance(1.5, 1.0, 0.0) - 0.5) < 1e-15);                                        // m, just opposite
  CHECK(std::abs(distance(1.3, 1.4, 0.0) - 0.5) < 1e-15);                                        // m, vertices
  CHECK(std::abs(distance(0.1, 2.0, 0.25 * std::numbers::pi) - (1.5 - half_diagonal)) < 1e-15);  // m, vertex on edge
  const ClosestFeatures corner = closest(square, square, {{1.3, 1.4}, {}});
  CHECK(corner.features == FeaturePair{2 * 2, 2 * 0});
  CHECK((corner.point_a - Vec2(0.5, 0.5)).norm() < 1e-15);  // m
  CHECK((corner.point_b - Vec2(0.8, 0.9)).norm() < 1e-15);  // m
}

TEST_CASE("parallel edges need no more steps than others") {
  Uniform uniform(8);
  for (int trial = 0; trial < 20000; ++trial) {
    // An edge of a opposite an edge of b, parallel but for rounding.
    const int n_a = uniform.between(3, 9);
    const int n_b = uniform.between(3, 9);
    const Polygon a = regular_polygon(n_a, 1.0);
    const Polygon b = regular_polygon(n_b, uniform.between(0.5, 2.0));
    const double outward = std::numbers::pi / n_a;
    const double gap = std::pow(10.0, uniform.between(-12.0, 0.0));
    const Vec2 offset =
        Rotation::by(outward) * Vec2(a.inner_radius() + b.inner_radius() + gap, uniform.between(-1.0, 1.0));
    const Pose pose{offset, Rotation::by(outward + std::numbers::pi - std::numbers::pi / n_b)};
    const FeaturePair hint{static_cast<Feature>(uniform.between(0, 2 * n_a - 1)),
                           static_cast<Feature>(uniform.between(0, 2 * n_b - 1))};
    const ClosestFeatures found = closest(a, b, pose, hint);
    CAPTURE(trial);
    REQUIRE(std::abs(found.distance - slow_distance(a.vertices(), b.vertices(), pose)) < 1e-14);  // m
    REQUIRE(found.steps < 2 * (n_a + n_b) + 8);
    REQUIRE(closest(a, b, pose, found.features).steps == 0);
  }
}

TEST_CASE("overlapping, containing and touching polygons are at distance 0") {
  const Polygon square = rectangle(1.0, 1.0);
  const Polygon small = rectangle(0.2, 0.2);
  const Polygon sword = rectangle(4.0, 0.2);
  for (Feature i = 0; i < 8; ++i) {
    for (Feature j = 0; j < 8; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK(closest(square, square, {{0.7, 0.6}, {}}, {i, j}).distance == 0.0);
      CHECK(closest(square, square, {}, {i, j}).distance == 0.0);
      CHECK(closest(square, small, {{0.1, 0.2}, Rotation::by(1.0)}, {i, j}).distance == 0.0);
      CHECK(closest(small, square, {{0.1, 0.2}, Rotation::by(1.0)}, {i, j}).distance == 0.0);
      CHECK(closest(sword, sword, {{0.3, 0.2}, Rotation::by(1.5)}, {i, j}).distance == 0.0);
      CHECK(closest(square, square, {{1.0, 0.5}, {}}, {i, j}).distance == 0.0);  // flush
      CHECK(closest(square, square, {{1.0, 1.0}, {}}, {i, j}).distance == 0.0);  // vertex on vertex
    }
  }
}

TEST_CASE("polygons at a distance beyond rounding have no overlap") {
  Uniform uniform(9);
  const Shapes shapes(uniform, 3, 9, 10.0, 10.0);
  int near_misses = 0;
  int near_hits = 0;
  for (int trial = 0; trial < 50000; ++trial) {
    RandomPair pair = random_pair(shapes, uniform);
    // Push b towards a until a random small gap, or overlap, is left.
    const ClosestFeatures far = closest(pair.a, pair.b, pair.b_in_a);
    if (far.distance == 0.0) continue;
    const double gap = std::pow(10.0, uniform.between(-15.0, -3.0)) * (trial % 4 == 0 ? -1.0 : 1.0);
    pair.b_in_a.position -= (far.distance - gap) / far.distance * (far.point_b - far.point_a);
    const double distance = closest(pair.a, pair.b, pair.b_in_a, far.features).distance;
    const Overlap shared = overlap(pair.a.vertices(), pair.b.vertices(), pair.b_in_a);
    const double rounding = 1e-13 * (pair.a.bounding_radius() + pair.b.bounding_radius());
    CAPTURE(trial);
    if (distance > rounding) REQUIRE_FALSE(shared.touching());
    if (shared.depth > rounding) REQUIRE(distance == 0.0);
    near_misses += distance > rounding ? 1 : 0;
    near_hits += shared.depth > rounding ? 1 : 0;
  }
  CHECK(near_misses > 5000);
  CHECK(near_hits > 2000);
}

}  // namespace scree::closest_features_test
