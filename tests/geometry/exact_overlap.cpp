#include <CGAL/convex_hull_2.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/closest_features.hpp"
#include "geometry/overlap.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/geometry/exact_comparison.hpp"
#include "tests/geometry/random_pairs.hpp"

namespace scree::exact_overlap_test {

using namespace scree::test;

namespace {

constexpr double kPi = std::numbers::pi;

/// How many pairs are compared, of all families; the long test sets more.
int pairs_to_compare() {
  const char* given = std::getenv("SCREE_PAIRS");
  return given ? std::atoi(given) : 100000;
}

using Stock = std::vector<Polygon>;

const Polygon& pick(const Stock& stock, Uniform& uniform) {
  return stock[static_cast<std::size_t>(uniform.between(0, static_cast<int>(stock.size()) - 1))];
}

Stock random_stock(Uniform& uniform, double largest_aspect) {
  Stock stock;
  for (int i = 0; i < 300; ++i) {
    const double aspect = std::pow(largest_aspect, uniform());
    stock.push_back(random_convex_polygon(uniform.between(3, 9), aspect, std::ref(uniform)).scaled(1.0 + uniform()));
  }
  return stock;
}

Stock regular_stock(Uniform& uniform) {
  Stock stock;
  for (int n = 3; n < 13; ++n) stock.push_back(regular_polygon(n, 1.0));
  for (const int n : {16, 24, 50, 300}) stock.push_back(regular_polygon(n, 1.0 + uniform()));
  return stock;
}

/// Vertices and centroid are on lattice points.
Stock lattice_stock(Uniform& uniform) {
  Stock stock;
  while (stock.size() < 300) {
    std::vector<Rounded> points;
    const int pairs = uniform.between(2, 5);
    for (int i = 0; i < pairs; ++i) {
      points.emplace_back(uniform.between(-3, 3), uniform.between(-3, 3));
      points.emplace_back(-points.back().x(), -points.back().y());
    }
    std::vector<Rounded> hull;
    CGAL::convex_hull_2(points.begin(), points.end(), std::back_inserter(hull));
    if (hull.size() < 3) continue;
    std::vector<Vec2> outline;
    for (const Rounded& p : hull) outline.emplace_back(p.x(), p.y());
    stock.emplace_back(outline);
  }
  return stock;
}

/// 0, some units in the last place, or any magnitude up to `largest`; of either sign.
double small_number(Uniform& uniform, double largest) {
  const double sign = uniform() < 0.5 ? -1.0 : 1.0;
  switch (uniform.between(0, 3)) {
    case 0:
      return 0.0;
    case 1:
      return sign * largest * 0x1p-53 * uniform.between(1, 16);
    default:
      return sign * largest * std::pow(10.0, -16.0 * uniform());
  }
}

Vec2 edge(const Polygon& p, std::size_t i) {
  return p.vertices()[(i + 1) % p.vertices().size()] - p.vertices()[i];
}

std::size_t any_vertex(const Polygon& p, Uniform& uniform) {
  return static_cast<std::size_t>(uniform.between(0, static_cast<int>(p.vertices().size()) - 1));
}

struct Pair {
  const Polygon& a;
  const Polygon& b;
  Pose b_in_a;
};

Pair anywhere(const Polygon& a, const Polygon& b, Uniform& uniform) {
  const double reach = a.bounding_radius() + b.bounding_radius();
  return {a, b, {random_rotation(uniform) * Vec2(reach * uniform(), 0.0), random_rotation(uniform)}};
}

/// A vertex of b near a point of an edge of a, with b outside or, turned round, inside.
Pair vertex_on_edge(const Polygon& a, const Polygon& b, double side, Uniform& uniform) {
  const std::size_t i = any_vertex(a, uniform);
  const std::size_t j = any_vertex(b, uniform);
  const Vec2 along = edge(a, i);
  const Vec2 outward = Vec2(-perp(along)) / along.norm();
  const Vec2& corner = b.vertices()[j];
  const double turn = std::atan2(side * outward.y(), side * outward.x()) - std::atan2(-corner.y(), -corner.x());
  const Rotation rotation = Rotation::by(turn + 0.5 * (uniform() - 0.5));
  const double place = uniform() < 0.2 ? 0.0 : uniform();
  const double gap = small_number(uniform, std::min(a.inner_radius(), b.inner_radius()));
  return {a, b, {a.vertices()[i] + place * along + gap * outward - rotation * corner, rotation}};
}

/// An edge of b along an edge of a, as far as a rotation by an angle in doubles can bring it there.
Pair flush(const Polygon& a, const Polygon& b, Uniform& uniform) {
  const std::size_t i = any_vertex(a, uniform);
  const std::size_t j = any_vertex(b, uniform);
  const Vec2 along = edge(a, i);
  const Vec2 of_b = edge(b, j);
  const bool outside = uniform() < 0.8;
  const double turn = std::atan2(along.y(), along.x()) - std::atan2(of_b.y(), of_b.x()) + (outside ? kPi : 0.0);
  const Rotation rotation = Rotation::by(turn + small_number(uniform, 1e-3));
  const double place = uniform() < 0.5 ? uniform.between(0, 1) : uniform.between(-0.5, 1.5);
  const double gap = small_number(uniform, std::min(a.inner_radius(), b.inner_radius()));
  const Vec2 outward = Vec2(-perp(along)) / along.norm();
  return {a, b, {a.vertices()[i] + place * along + gap * outward - rotation * b.vertices()[j], rotation}};
}

Pair near_or_anywhere(const Polygon& a, const Polygon& b, Uniform& uniform) {
  return uniform() < 0.5 ? anywhere(a, b, uniform) : vertex_on_edge(a, b, 1.0, uniform);
}

/// What became of the pairs of a family.
struct Tally {
  int pairs = 0;
  int touching = 0;
  int apart = 0;    ///< at a distance
  int tied = 0;     ///< with a vertex on the line of an edge of the other
  int concave = 0;  ///< by rounding: not compared
  int fell_back = 0;
  Deviation worst;
};

/// Compares the share of all pairs that a family has, and prints what became of them.
Tally compare(const std::string& family, double share, const std::function<Pair(Uniform&)>& make) {
  Uniform uniform(static_cast<std::uint64_t>(1000.0 * share) + family.size());
  Tally tally;
  const int pairs = static_cast<int>(share * pairs_to_compare());
  for (; tally.pairs < pairs; ++tally.pairs) {
    const Pair pair = make(uniform);
    const Outline a = pair.a.vertices();
    const Outline b = pair.b.vertices();
    const ExactPair exact = exact_pair(a, b, pair.b_in_a);
    if (!exact.convex) {
      ++tally.concave;
      continue;
    }
    const FeaturePair hint{static_cast<Feature>(uniform.between(0, 20)), static_cast<Feature>(uniform.between(0, 20))};
    ClosestFeatures closest = closest_features(a, b, pair.b_in_a, hint);
    closest.leaving = hint;
    const ClosestFeatures found = closest;
    const Deviation off = deviation(exact, found, overlap(a, b, pair.b_in_a, closest));
    if (!off.small()) {
      CAPTURE(tally.pairs);
      CAPTURE(CGAL::to_double(exact.area));
      CHECK_FALSE(off.relation);
      CHECK(off.area <= kMostRoundings);
      CHECK(off.centroid <= kMostRoundings);
      CHECK(off.chord <= kMostRoundings);
      CHECK(off.distance <= kMostRoundings);
      FAIL(family);
    }
    tally.touching += exact.area > 0 ? 1 : 0;
    tally.apart += exact.disjoint ? 1 : 0;
    tally.tied += exact.tied ? 1 : 0;
    tally.fell_back += found.fell_back ? 1 : 0;
    tally.worst.area = std::max(tally.worst.area, off.area);
    tally.worst.centroid = std::max(tally.worst.centroid, off.centroid);
    tally.worst.chord = std::max(tally.worst.chord, off.chord);
    tally.worst.distance = std::max(tally.worst.distance, off.distance);
  }
  MESSAGE(family << ": " << tally.pairs << " pairs, " << tally.touching << " touch, " << tally.apart << " apart, "
                 << tally.tied << " tied, " << tally.concave << " concave, " << tally.fell_back
                 << " fell back; worst in roundings: area " << tally.worst.area << ", centroid " << tally.worst.centroid
                 << ", chord " << tally.worst.chord << ", distance " << tally.worst.distance);
  CHECK(tally.concave <= tally.pairs / 100);
  return tally;
}

}  // namespace

TEST_CASE("closest features and overlap are exact to rounding; the relation is exact") {
  Uniform uniform(31);
  const Stock grains = random_stock(uniform, 4.0);
  const Stock regular = regular_stock(uniform);
  SUBCASE("random polygons") {
    const Tally tally =
        compare("random", 0.4, [&](Uniform& u) { return near_or_anywhere(pick(grains, u), pick(grains, u), u); });
    CHECK(tally.touching > tally.pairs / 3);
    CHECK(tally.apart > tally.pairs / 10);
  }
  SUBCASE("regular polygons of up to 300 vertices") {
    const Tally tally =
        compare("regular", 0.04, [&](Uniform& u) { return near_or_anywhere(pick(regular, u), pick(regular, u), u); });
    CHECK(tally.touching > tally.pairs / 3);
    CHECK(tally.apart > tally.pairs / 10);
  }
  SUBCASE("lattice polygons, with vertices on vertices and edges along edges") {
    const Stock lattice = lattice_stock(uniform);
    const std::array turns{Rotation{1.0, 0.0}, Rotation{0.0, 1.0}, Rotation{-1.0, 0.0}, Rotation{0.0, -1.0}};
    const Tally tally = compare("lattice", 0.15, [&](Uniform& u) {
      const Polygon& a = pick(lattice, u);
      const Vec2 offset(u.between(-5, 5), u.between(-5, 5));
      return Pair{a, pick(lattice, u), {offset, turns[static_cast<std::size_t>(u.between(0, 3))]}};
    });
    CHECK(tally.touching > tally.pairs / 3);
    CHECK(tally.apart > tally.pairs / 10);
    CHECK(tally.tied > tally.pairs / 3);
  }
  SUBCASE("edges flush up to rounding") {
    const Tally tally = compare("flush", 0.15, [&](Uniform& u) {
      const Polygon& a = u() < 0.5 ? pick(grains, u) : pick(regular, u);
      return flush(a, u() < 0.2 ? a : pick(grains, u), u);
    });
    CHECK(tally.touching > tally.pairs / 3);
    CHECK(tally.apart > tally.pairs / 10);
  }
  SUBCASE("slivers ten thousand times as long as wide") {
    const Stock slivers = random_stock(uniform, 1e4);
    const Tally tally = compare("slivers", 0.08, [&](Uniform& u) {
      const Polygon& a = pick(slivers, u);
      const Polygon& b = u() < 0.5 ? pick(slivers, u) : pick(grains, u);
      return u() < 0.3 ? flush(a, b, u) : near_or_anywhere(a, b, u);
    });
    CHECK(tally.touching > tally.pairs / 10);
    CHECK(tally.apart > tally.pairs / 10);
  }
  SUBCASE("one up to a million times as large as the other") {
    Stock large;
    for (const Polygon& grain : grains) large.push_back(grain.scaled(std::pow(10.0, uniform.between(2.0, 6.0))));
    const Tally tally = compare("sizes", 0.08, [&](Uniform& u) {
      const Polygon& grain = pick(grains, u);
      const Polygon& wall = pick(large, u);
      if (u() < 0.2) return flush(grain, wall, u);
      return u() < 0.5 ? vertex_on_edge(grain, wall, 1.0, u) : vertex_on_edge(wall, grain, 1.0, u);
    });
    CHECK(tally.touching > tally.pairs / 5);
    CHECK(tally.apart > tally.pairs / 5);
  }
  SUBCASE("one polygon turned on to itself") {
    const Tally tally = compare("itself", 0.05, [&](Uniform& u) {
      const Polygon& a = u() < 0.5 ? pick(grains, u) : pick(regular, u);
      const auto n = static_cast<int>(a.vertices().size());
      const double turn = 2.0 * kPi * u.between(0, n) / n + small_number(u, 1e-2);
      return Pair{a, a, {{small_number(u, 1e-2), small_number(u, 1e-2)}, Rotation::by(turn)}};
    });
    CHECK(tally.touching == tally.pairs);
    CHECK(tally.tied > tally.pairs / 20);
  }
  SUBCASE("crossed swords") {
    Stock swords;
    for (int i = 0; i < 50; ++i) swords.push_back(rectangle(2.0, 2.0 * std::pow(10.0, -3.0 * uniform())));
    const Tally tally = compare("swords", 0.03, [&](Uniform& u) {
      const Vec2 offset(u.between(-0.9, 0.9), u.between(-0.9, 0.9));
      return Pair{pick(swords, u), pick(swords, u), {offset, random_rotation(u)}};
    });
    CHECK(tally.touching > tally.pairs / 3);
    CHECK(tally.apart > tally.pairs / 20);
  }
  SUBCASE("one inside the other, some at the border") {
    Stock small;
    for (const Polygon& grain : grains) small.push_back(grain.scaled(std::pow(10.0, uniform.between(-2.0, -0.3))));
    const Tally tally = compare("inside", 0.02, [&](Uniform& u) {
      const Polygon& grain = pick(small, u);
      const Polygon& around = u() < 0.5 ? pick(grains, u) : pick(regular, u);
      if (u() < 0.5) return vertex_on_edge(around, grain, -1.0, u);
      const Vec2 offset = random_rotation(u) * Vec2(around.inner_radius() * u(), 0.0);
      const Pose pose{offset, random_rotation(u)};
      return u() < 0.5 ? Pair{around, grain, pose} : Pair{grain, around, pose.inverse()};
    });
    CHECK(tally.touching > tally.pairs * 9 / 10);
  }
}

namespace {

bool same_bits(const Overlap& o, const Overlap& p) {
  return o.area == p.area && o.depth == p.depth && o.centroid == p.centroid && o.normal == p.normal &&
         o.chord_begin == p.chord_begin && o.chord_end == p.chord_end;
}

}  // namespace

TEST_CASE("a hint passed on along a motion of small steps changes no bit, and the fallback is rare") {
  Uniform uniform(32);
  const Stock grains = random_stock(uniform, 4.0);
  const Stock slivers = random_stock(uniform, 1e4);
  const Stock regular = regular_stock(uniform);
  const int steps = 200;
  int queries = 0;
  int touching = 0;
  int examined = 0;
  int fell_back = 0;
  while (queries < 5 * pairs_to_compare()) {
    const Stock& stock = queries / steps % 3 == 0 ? grains : queries / steps % 3 == 1 ? slivers : regular;
    const Pair pair = near_or_anywhere(pick(stock, uniform), pick(stock, uniform), uniform);
    const Vec2 velocity = random_rotation(uniform) * Vec2(std::pow(10.0, uniform.between(-6.0, -2.0)), 0.0);
    const double spin = small_number(uniform, 1e-2);
    ClosestFeatures hint;
    for (int step = 0; step < steps; ++step, ++queries) {
      const Pose pose{pair.b_in_a.position + (step - steps / 2) * velocity,
                      Rotation::by(step * spin) * pair.b_in_a.rotation};
      const Outline a = pair.a.vertices();
      const Outline b = pair.b.vertices();
      ClosestFeatures warm = closest_features(a, b, pose, hint.features);
      warm.leaving = hint.leaving;
      ClosestFeatures cold = closest_features(a, b, pose, {});
      CAPTURE(queries);
      REQUIRE(warm.relation == cold.relation);
      REQUIRE(warm.distance == cold.distance);
      if (warm.distance > 0.0) {
        REQUIRE(warm.features == cold.features);
        REQUIRE(warm.point_a == cold.point_a);
        REQUIRE(warm.point_b == cold.point_b);
      }
      const Overlap found = overlap(a, b, pose, warm);
      REQUIRE(same_bits(found, overlap(a, b, pose, cold)));
      touching += found.touching() ? 1 : 0;
      fell_back += step > 0 && warm.fell_back ? 1 : 0;
      examined += step > 0 ? warm.steps : 0;
      hint = warm;
    }
  }
  MESSAGE(queries << " queries, " << touching << " touch, " << fell_back << " fell back, "
                  << static_cast<double>(examined) / queries << " pairs of features examined on average");
  CHECK(touching > queries / 4);
  CHECK(touching < queries * 3 / 4);
  CHECK(fell_back < 1e-4 * queries);
  CHECK(examined < queries / 20);
}

}  // namespace scree::exact_overlap_test
