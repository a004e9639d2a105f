#include "geometry/overlap.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/polygon_makers.hpp"
#include "tests/geometry/overlap_oracle.hpp"
#include "tests/geometry/random_pairs.hpp"
#include "tests/sanitized.hpp"

namespace scree::overlap_test {

using namespace scree::test;

namespace {

constexpr double kPi = std::numbers::pi;

Overlap overlap_of(const Polygon& a, const Polygon& b, const Pose& b_in_a) {
  return overlap(a.vertices(), b.vertices(), b_in_a);
}

bool all_finite(const Overlap& o) {
  return std::isfinite(o.area) && std::isfinite(o.depth) && o.centroid.allFinite() && o.normal.allFinite() &&
         o.chord_begin.allFinite() && o.chord_end.allFinite();
}

Pose at(double x, double y, double angle = 0.0) {
  return {{x, y}, Rotation::by(angle)};
}

Vec2 chord_middle(const Overlap& o) {
  return 0.5 * (o.chord_begin + o.chord_end);
}

Vec2 chord_vector(const Overlap& o) {
  return o.chord_end - o.chord_begin;
}

/// Moment about the origin of a force |chord| n at the chord's middle.
double chord_moment(const Overlap& o) {
  return o.chord() * cross(chord_middle(o), o.normal);
}

}  // namespace

TEST_CASE("the overlap of random pairs is what a slow independent method finds") {
  Uniform uniform(1);
  const Shapes shapes(uniform, 3, 9, 4.0, 5.0);
  int touching = 0;
  int several_arcs = 0;
  int contained = 0;
  double worst_area = 0.0, worst_centroid = 0.0, worst_chord = 0.0, worst_moment = 0.0;
  const int trials = 100000;
  for (int trial = 0; trial < trials; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Overlap found = overlap_of(pair.a, pair.b, pair.b_in_a);
    const SlowOverlap slow = slow_overlap(pair.a.vertices(), pair.b.vertices(), pair.b_in_a);
    REQUIRE(all_finite(found));
    worst_area = std::max(worst_area, std::abs(found.area - static_cast<double>(slow.area)));
    if (!found.touching()) continue;
    ++touching;
    several_arcs += slow.arcs > 1 ? 1 : 0;
    const double chord = std::sqrt(static_cast<double>(dot(slow.chord, slow.chord)));
    if (slow.area > 1e-8L) {
      worst_centroid = std::max({worst_centroid, std::abs(found.centroid.x() - static_cast<double>(slow.centroid.x)),
                                 std::abs(found.centroid.y() - static_cast<double>(slow.centroid.y))});
    }
    worst_chord = std::max({worst_chord, std::abs(chord_vector(found).x() - static_cast<double>(slow.chord.x)),
                            std::abs(chord_vector(found).y() - static_cast<double>(slow.chord.y))});
    contained += chord < 1e-9 ? 1 : 0;
    worst_moment = std::max(worst_moment, std::abs(chord_moment(found) - static_cast<double>(slow.moment)));
  }
  CHECK(worst_area < 1e-13);      // m^2, of polygons up to 25 m^2
  CHECK(worst_centroid < 1e-12);  // m
  CHECK(worst_chord < 1e-11);     // m
  CHECK(worst_moment < 1e-10);    // m^2
  CHECK(touching > trials / 2);
  CHECK(touching < trials * 9 / 10);
  CHECK(several_arcs > trials / 100);
  CHECK(contained > trials / 100);
}

TEST_CASE("swapping the polygons turns the normal round and leaves the rest") {
  Uniform uniform(3);
  const Shapes shapes(uniform, 3, 8, 3.0, 3.0);
  int touching = 0;
  for (int trial = 0; trial < 20000 / kFewer; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Overlap one = overlap_of(pair.a, pair.b, pair.b_in_a);
    const Overlap other = overlap_of(pair.b, pair.a, pair.b_in_a.inverse());
    CAPTURE(trial);
    REQUIRE(std::abs(one.area - other.area) < 1e-13);  // m^2
    // Where the sum of the arcs nearly vanishes its direction is all rounding.
    if (one.area < 1e-10 || (one.chord() > 0.0 && one.chord() < 1e-4)) continue;
    ++touching;
    const auto in_a = [&](const Vec2& p) -> Vec2 { return pair.b_in_a * p; };
    REQUIRE(std::abs(one.depth - other.depth) < 1e-9);                                        // m
    REQUIRE((one.centroid - in_a(other.centroid)).norm() < 1e-9);                             // m
    REQUIRE((one.normal + pair.b_in_a.rotation * other.normal).norm() < 1e-9);                // 1
    REQUIRE((chord_vector(one) + pair.b_in_a.rotation * chord_vector(other)).norm() < 1e-9);  // m
    const double reach = 1.0 + chord_middle(one).norm();
    REQUIRE((chord_middle(one) - in_a(chord_middle(other))).norm() < 1e-6 * reach);  // m
  }
  CHECK(touching > 10000 / kFewer);
}

TEST_CASE("the common part does not depend on where the pair is or how it is turned") {
  Uniform uniform(4);
  const Shapes shapes(uniform, 3, 8, 3.0, 3.0);
  int touching = 0;
  for (int trial = 0; trial < 20000 / kFewer; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Overlap here = overlap_of(pair.a, pair.b, pair.b_in_a);
    const Rotation turn = random_rotation(uniform);
    const Pose turned = relative_pose(turn, turn * pair.b_in_a.rotation, turn * pair.b_in_a.position);
    const Overlap there = overlap_of(pair.a, pair.b, turned);
    CAPTURE(trial);
    REQUIRE(std::abs(here.area - there.area) < 1e-13);  // m^2
    if (here.area < 1e-10 || here.chord() < 1e-4) continue;
    ++touching;
    REQUIRE(std::abs(here.depth - there.depth) < 1e-9);                 // m
    REQUIRE((chord_vector(here) - chord_vector(there)).norm() < 1e-9);  // m
  }
  CHECK(touching > 10000 / kFewer);
}

TEST_CASE("the middle of the chord is beside the common region, never above or below it") {
  Uniform uniform(15);
  const Shapes shapes(uniform, 3, 8, 8.0, 3.0);
  int several_arcs = 0;
  for (int trial = 0; trial < 20000 / kFewer; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Overlap found = overlap_of(pair.a, pair.b, pair.b_in_a);
    // The shorter the chord, the farther along the tangent it may be, and rounding with it.
    if (!found.touching() || (found.chord() > 0.0 && found.chord() < 1e-6)) continue;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Vec2& v : overlap_polygon(pair.a.vertices(), pair.b.vertices(), pair.b_in_a)) {
      low = std::min(low, found.normal.dot(v));
      high = std::max(high, found.normal.dot(v));
    }
    const double height = found.normal.dot(chord_middle(found));
    CAPTURE(trial);
    REQUIRE(height > low - 1e-9);                         // m
    REQUIRE(height < high + 1e-9);                        // m
    REQUIRE(std::abs(high - low - found.depth) < 1e-12);  // m
    several_arcs += slow_overlap(pair.a.vertices(), pair.b.vertices(), pair.b_in_a).arcs > 1 ? 1 : 0;
  }
  CHECK(several_arcs > 1000 / kFewer);
}

TEST_CASE("a grain of a centimetre keeps its overlap a thousand kilometres from the origin") {
  const Polygon grain = regular_polygon(6, 0.005);
  const Rotation turn = Rotation::by(0.3);
  const Vec2 offset(0.0084228515625, 0.000732421875);  // a multiple of 2^-30, so it survives at 1e6 m
  const Vec2 a(1e6, -1e6);
  const Vec2 b = a + offset;
  const Overlap near = overlap_of(grain, grain, relative_pose({}, turn, offset));
  const Overlap far = overlap_of(grain, grain, relative_pose({}, turn, b - a));
  CHECK(near.area > 1e-9);  // m^2
  CHECK(near.area == far.area);
  CHECK(near.chord_begin == far.chord_begin);
}

TEST_CASE("two squares corner in corner share a rectangle, its diagonal is the chord") {
  const Polygon square = rectangle(1.0, 1.0);
  const Overlap found = overlap_of(square, square, at(0.9, 0.25));
  const Vec2 diagonal(-0.1, 0.75);
  CHECK(std::abs(found.area - 0.075) < 1e-15);                   // m^2
  CHECK((found.centroid - Vec2(0.45, 0.125)).norm() < 1e-15);    // m
  CHECK((found.chord_begin - Vec2(0.5, -0.25)).norm() < 1e-15);  // m
  CHECK((found.chord_end - Vec2(0.4, 0.5)).norm() < 1e-15);      // m
  CHECK((found.normal + perp(diagonal) / diagonal.norm()).norm() < 1e-15);
  CHECK(std::abs(found.depth - 2.0 * 0.075 / diagonal.norm()) < 1e-15);  // m
}

TEST_CASE("a square standing on its corner overlaps an edge in a right triangle") {
  const Polygon square = rectangle(1.0, 1.0);
  const double depth = 0.01;
  const Overlap found = overlap_of(square, square, at(0.1, 0.5 + std::sqrt(0.5) - depth, kPi / 4.0));
  CHECK(std::abs(found.area - depth * depth) < 1e-16);  // m^2
  CHECK(std::abs(found.depth - depth) < 1e-15);         // m
  CHECK((found.normal - Vec2(0.0, 1.0)).norm() < 1e-14);
  CHECK((found.chord_begin - Vec2(0.1 + depth, 0.5)).norm() < 1e-14);     // m
  CHECK((found.chord_end - Vec2(0.1 - depth, 0.5)).norm() < 1e-14);       // m
  CHECK((found.centroid - Vec2(0.1, 0.5 - depth / 3.0)).norm() < 1e-14);  // m
}

TEST_CASE("triangles on lattice points overlap in exact fractions") {
  // (0,0) (4,0) (0,4) and (3,3) (-1,3) (3,-1): a hexagon, 8 less three corners of the lattice each way.
  const Polygon a(std::array{Vec2(0, 0), Vec2(4, 0), Vec2(0, 4)});
  const Polygon b(std::array{Vec2(3, 3), Vec2(-1, 3), Vec2(3, -1)});
  const Overlap found = overlap_of(a, b, {b.centroid() - a.centroid(), {}});
  // The corners of a beyond b: (0,0) to x + y = 2: 2; (4,0) beyond x = 3: 1/2; (0,4) beyond y = 3: 1/2.
  CHECK(std::abs(found.area - 5.0) < 1e-14);                               // m^2
  CHECK((found.centroid + a.centroid() - Vec2(1.5, 1.5)).norm() < 1e-14);  // m, by the symmetry of both
}

TEST_CASE("outlines that only touch do not overlap") {
  const Polygon square = rectangle(1.0, 1.0);
  SUBCASE("vertex on vertex") {
    CHECK_FALSE(overlap_of(square, square, at(1.0, 1.0)).touching());
    CHECK_FALSE(overlap_of(square, square, at(-1.0, 1.0)).touching());
  }
  SUBCASE("vertex on edge") {
    const Polygon diamond(std::array{Vec2(0.5, 0.0), Vec2(0.0, 0.5), Vec2(-0.5, 0.0), Vec2(0.0, -0.5)});
    CHECK_FALSE(overlap_of(square, diamond, at(1.0, 0.2)).touching());
    CHECK_FALSE(overlap_of(diamond, square, at(0.2, 1.0)).touching());
  }
  SUBCASE("flush edges") {
    for (const double along : {-0.7, 0.0, 0.25, 1.0}) {
      CAPTURE(along);
      CHECK_FALSE(overlap_of(square, square, at(along, 1.0)).touching());
      CHECK_FALSE(overlap_of(square, square, at(-1.0, along)).touching());
    }
  }
  SUBCASE("flush edges at angles that round") {
    Uniform uniform(5);
    for (int trial = 0; trial < 20000 / kFewer; ++trial) {
      const Polygon a = regular_polygon(uniform.between(3, 9), uniform.between(0.1, 10.0));
      const Polygon b = regular_polygon(uniform.between(3, 9), uniform.between(0.1, 10.0));
      // Edge 0 of a against edge 0 of b turned round, shifted along it.
      const auto normal_angle = [](const Polygon& p) { return kPi / static_cast<double>(p.vertices().size()); };
      const Vec2 outward = Rotation::by(normal_angle(a)) * Vec2(1.0, 0.0);
      const double shift = uniform.between(-0.5, 0.5) * a.longest_side();
      const Vec2 offset = (a.inner_radius() + b.inner_radius()) * outward + shift * perp(outward);
      const Pose b_in_a{offset, Rotation::by(normal_angle(a) + kPi - normal_angle(b))};
      CAPTURE(trial);
      REQUIRE_FALSE(overlap_of(a, b, b_in_a).touching());
      const Overlap deeper = overlap_of(a, b, {b_in_a.position - 1e-9 * outward, b_in_a.rotation});
      REQUIRE(deeper.touching());
      const double half_a = 0.5 * a.longest_side();
      const double half_b = 0.5 * b.longest_side();
      const double common = std::min(half_a, shift + half_b) - std::max(-half_a, shift - half_b);
      REQUIRE(std::abs(deeper.area - 1e-9 * common) < 1e-13);  // m^2
      // The chord of a corner in a corner is the diagonal of the strip, so it sees its thickness twice.
      REQUIRE(deeper.depth > 1e-9 - 1e-13);        // m
      REQUIRE(deeper.depth < 2.0 * 1e-9 + 1e-13);  // m
    }
  }
}

TEST_CASE("of edges flush with the insides on one side, an infinitesimal shift of b to the upper right decides") {
  // A narrow plate inside a broad one, both standing on y = -0.5: shifted, its upper edge leaves the broad one.
  const Polygon broad = rectangle(4.0, 1.0);
  const Polygon narrow = rectangle(1.0, 1.0);
  const Overlap inner = overlap_of(broad, narrow, at(0.5, 0.0));
  CHECK(inner.area == 1.0);  // m^2
  CHECK(inner.chord_begin == Vec2(1.0, 0.5));
  CHECK(inner.chord_end == Vec2(0.0, 0.5));
  CHECK(inner.normal == Vec2(0.0, 1.0));
  const Overlap outer = overlap_of(narrow, broad, at(-0.5, 0.0));
  CHECK(outer.area == 1.0);  // m^2
  CHECK(outer.chord() == 1.0);
  CHECK(outer.normal == Vec2(0.0, 1.0));
}

TEST_CASE("a polygon overlaps itself in its whole area") {
  Uniform uniform(6);
  for (int trial = 0; trial < 1000; ++trial) {
    const Polygon polygon = random_convex_polygon(uniform.between(3, 12), 3.0, std::ref(uniform));
    const Overlap found = overlap_of(polygon, polygon, {});
    REQUIRE(std::abs(found.area - 1.0) < 1e-14);  // m^2
    REQUIRE(found.centroid.norm() < 1e-14);       // m
    REQUIRE(found.normal.x() > 0.0);              // away from where b is shifted
    REQUIRE(std::abs(found.normal.norm() - 1.0) < 1e-15);
  }
}

TEST_CASE("a polygon turned on to itself overlaps itself but for rounding") {
  // Every vertex lies on the lines of two edges of the other polygon, inside or outside at random.
  Uniform uniform(16);
  for (int trial = 0; trial < 20000 / kFewer; ++trial) {
    const int n = uniform.between(3, 40);
    const Polygon polygon = regular_polygon(n, 1.0);
    const Rotation turn = Rotation::by(2.0 * kPi * uniform.between(0, n - 1) / n);
    const Vec2 shift(uniform.between(-1e-15, 1e-15), uniform.between(-1e-15, 1e-15));
    const Overlap found = overlap_of(polygon, polygon, {shift, turn});
    CAPTURE(trial);
    REQUIRE(all_finite(found));
    REQUIRE(std::abs(found.area - polygon.area()) < 1e-13);  // m^2
    REQUIRE(found.centroid.norm() < 1e-14);                  // m
  }
}

TEST_CASE("a polygon inside another shares its area, with a chord of no length towards it") {
  const Polygon outer = regular_polygon(8, 2.0);
  const Polygon inner = random_convex_polygon(5, 1.5, Uniform(7)).scaled(0.5);
  const Pose inner_in_outer = at(0.3, -0.4, 0.7);
  const auto check = [](const Overlap& found, double area, const Vec2& normal, const Vec2& centroid) {
    CHECK(std::abs(found.area - area) < 1e-15);  // m^2
    CHECK(found.chord() == 0.0);
    CHECK((found.normal - normal).norm() < 1e-15);
    CHECK((found.centroid - centroid).norm() < 1e-15);  // m
    CHECK(found.chord_begin == found.centroid);
    CHECK(found.depth > 0.3);  // m
  };
  check(overlap_of(outer, inner, inner_in_outer), 0.25, {0.6, -0.8}, inner_in_outer.position);
  const Pose outer_in_inner = inner_in_outer.inverse();
  check(overlap_of(inner, outer, outer_in_inner), 0.25, outer_in_inner.position / 0.5, Vec2::Zero());
}

TEST_CASE("crossed swords have one chord with the moment of both arcs") {
  const Polygon sword = rectangle(4.0, 0.4);
  SUBCASE("crossed at right angles the arcs cancel") {
    const Overlap found = overlap_of(sword, sword, at(0.5, 0.25, kPi / 2.0));
    CHECK(std::abs(found.area - 0.16) < 1e-15);  // m^2
    CHECK(found.chord() == 0.0);
    CHECK((found.normal - Vec2(2.0, 1.0) / std::sqrt(5.0)).norm() < 1e-15);
  }
  SUBCASE("a wedge is pushed out of the crossing") {
    // A wedge along y crosses a plate along x: the arcs of the plate lean towards the thin end.
    const Polygon wedge(std::array{Vec2(-0.3, -2.0), Vec2(0.3, -2.0), Vec2(0.05, 2.0), Vec2(-0.05, 2.0)});
    const Overlap found = overlap_of(wedge, sword, at(0.0, 0.5));
    const SlowOverlap slow = slow_overlap(wedge.vertices(), sword.vertices(), at(0.0, 0.5));
    CHECK(slow.arcs == 2);
    CHECK(std::abs(found.area - static_cast<double>(slow.area)) < 1e-15);  // m^2
    CHECK(std::abs(found.chord() - 2.0 * 0.4 * 0.25 / 4.0) < 1e-14);       // m, both sides lean 0.25 in 4
    CHECK((found.normal - Vec2(0.0, 1.0)).norm() < 1e-12);
    CHECK(std::abs(chord_moment(found) - static_cast<double>(slow.moment)) < 1e-14);  // m^2
    CHECK(std::abs(chord_middle(found).x()) < 1e-12);                                 // m, by symmetry
  }
}

TEST_CASE("an overlap of 1e-9 of a grain of a centimetre is accurate") {
  const Polygon grain = rectangle(0.01, 0.01);
  for (const double depth : {1e-5, 1e-7, 1e-9, 1e-11}) {
    CAPTURE(depth);
    SUBCASE("edge on edge") {
      const double offset = 0.01 - depth;
      const double exact = 0.01 - offset;  // the depth that the offset rounded to
      const Overlap found = overlap_of(grain, grain, at(offset, 0.002));
      CHECK(std::abs(found.area / (exact * 0.008) - 1.0) < 1e-6);
      CHECK(std::abs(found.centroid.x() - (0.005 - 0.5 * depth)) < 1e-6 * depth + 2e-18);  // m
    }
    SUBCASE("vertex on edge") {
      const Polygon diamond(std::array{Vec2(0.005, 0.0), Vec2(0.0, 0.005), Vec2(-0.005, 0.0), Vec2(0.0, -0.005)});
      const double offset = 0.01 - depth;
      const double exact = 0.01 - offset;
      const Overlap found = overlap_of(grain, diamond, at(offset, 0.001));
      CHECK(std::abs(found.area / (exact * exact) - 1.0) < 1e-6);
      CHECK(std::abs(found.chord() / (2.0 * exact) - 1.0) < 1e-6);
      CHECK(std::abs(found.depth / exact - 1.0) < 1e-6);
    }
  }
}

TEST_CASE("an overlap a hundred times as deep as its rounding is a contact") {
  const Polygon grain = rectangle(0.01, 0.01);
  const double rounding = std::numeric_limits<double>::epsilon() * 0.01;
  const Overlap edge_on_edge = overlap_of(grain, grain, at(0.01 - 100.0 * rounding, 0.002));
  CHECK(std::abs(edge_on_edge.area / (100.0 * rounding * 0.008) - 1.0) < 0.05);
  const Polygon diamond(std::array{Vec2(0.005, 0.0), Vec2(0.0, 0.005), Vec2(-0.005, 0.0), Vec2(0.0, -0.005)});
  const Overlap vertex_on_edge = overlap_of(grain, diamond, at(0.01 - 100.0 * rounding, 0.001));
  CHECK(std::abs(vertex_on_edge.depth / (100.0 * rounding) - 1.0) < 0.05);
}

TEST_CASE("slivers overlap like any other polygon") {
  Uniform uniform(8);
  int touching = 0;
  for (int trial = 0; trial < 20000 / kFewer; ++trial) {
    const double thickness = std::pow(10.0, uniform.between(-4.0, 0.0));
    const Polygon a = trial % 2 == 0 ? rectangle(1.0, thickness)
                                     : Polygon(std::array{Vec2(0.0, 0.0), Vec2(1.0, 0.0), Vec2(0.3, thickness)});
    const Polygon b = random_convex_polygon(uniform.between(3, 7), 1e4, std::ref(uniform)).scaled(0.01);
    const Pose b_in_a{random_rotation(uniform) * Vec2(uniform.between(0.0, 0.7), 0.0), random_rotation(uniform)};
    const Overlap found = overlap_of(a, b, b_in_a);
    const SlowOverlap slow = slow_overlap(a.vertices(), b.vertices(), b_in_a);
    CAPTURE(trial);
    REQUIRE(all_finite(found));
    REQUIRE(std::abs(found.area - static_cast<double>(slow.area)) < 1e-15);  // m^2
    if (!found.touching()) continue;
    ++touching;
    REQUIRE(std::abs(found.centroid.x() - static_cast<double>(slow.centroid.x)) < 1e-7);  // m
    REQUIRE(std::abs(found.centroid.y() - static_cast<double>(slow.centroid.y)) < 1e-7);  // m
  }
  CHECK(touching > 4000 / kFewer);
}

TEST_CASE("a grain overlaps a body a million times as large like one of its own size") {
  const Polygon grain = regular_polygon(5, 1e-2);
  const Polygon floor = rectangle(1e4, 1e4);
  const double floor_top = 5e3;
  // Lowest vertex at the angle of vertex 4 turned down.
  const Rotation down = Rotation::by(-kPi / 2.0);
  const double depth = 0x1p-20;
  const Overlap found = overlap_of(floor, grain, {{1000.0, floor_top + 1e-2 - depth}, down});
  const double exact = floor_top - ((floor_top + 1e-2 - depth) - 1e-2);
  const double half_angle = 0.5 * (kPi - 2.0 * kPi / 5.0);
  CHECK(std::abs(found.area / (exact * exact * std::tan(half_angle)) - 1.0) < 1e-5);
  CHECK(std::abs(found.depth / exact - 1.0) < 1e-5);
  CHECK((found.normal - Vec2(0.0, 1.0)).norm() < 1e-12);
}

TEST_CASE("a nearly straight outline on a large body is cut once, for any rounding of its vertices") {
  // The arc stands out by less than the rounding of a vertex in the frame of the large body.
  std::vector<Vec2> points{{0.01, 0.01}, {-0.01, 0.01}};
  for (int i = 0; i <= 20; ++i) points.emplace_back(-0.01 + 0.001 * i, 1e-8 * (0.1 * i - 1.0) * (0.1 * i - 1.0));
  const Polygon grain(points);
  REQUIRE(grain.vertices().size() > 15);
  const Polygon body = regular_polygon(7, 1e8);
  Uniform uniform(17);
  int touching = 0;
  for (int trial = 0; trial < 20000 / kFewer; ++trial) {
    // The arc is just outside the body's surface, with the grain beyond it, or just inside, with the grain within.
    const double outward = kPi / 7.0;
    const double side = trial % 2 == 0 ? 1.0 : -1.0;
    const double depth = uniform.between(-3e-8, 3e-8);
    const Vec2 offset = Rotation::by(outward) *
                        Vec2(body.inner_radius() + side * grain.centroid().y() - depth, uniform.between(-0.3e8, 0.3e8));
    const Pose pose{offset, Rotation::by(outward - side * 0.5 * kPi)};
    const Overlap found = overlap_of(body, grain, pose);
    const SlowOverlap slow = slow_overlap(body.vertices(), grain.vertices(), pose);
    CAPTURE(trial);
    REQUIRE(all_finite(found));
    // Each of the up to 0.02 m of the arc may be off by a few roundings of 1e8 m.
    REQUIRE(std::abs(found.area - static_cast<double>(slow.area)) < 0.02 * 1e-7);  // m^2
    touching += found.touching() ? 1 : 0;
  }
  CHECK(touching == 10000 / kFewer);  // those within; outside nothing is as deep as the rounding
}

TEST_CASE("polygons of up to a thousand vertices overlap like disks") {
  for (const int n : {33, 100, 1000}) {
    CAPTURE(n);
    const Polygon a = regular_polygon(n, 1.0);
    const Polygon b = regular_polygon(n - 1, 1.0);
    const double distance = 1.5;
    const double angle = 2.0 * std::acos(0.5 * distance);
    const double lens = angle - std::sin(angle);
    const Overlap found = overlap_of(a, b, {Rotation::by(2.0) * Vec2(distance, 0.0), {}});
    const double error = 40.0 / (static_cast<double>(n) * n);              // of the polygon against its circle
    CHECK(std::abs(found.area - lens) < error);                            // m^2
    CHECK(std::abs(found.chord() - 2.0 * std::sin(0.5 * angle)) < error);  // m
    CHECK(std::abs(found.depth - 0.5) < error);                            // m
    const SlowOverlap slow = slow_overlap(a.vertices(), b.vertices(), {Rotation::by(2.0) * Vec2(distance, 0.0), {}});
    CHECK(std::abs(found.area - static_cast<double>(slow.area)) < 1e-13);  // m^2
  }
}

TEST_CASE("the area changes with a shift or a turn of b by the chord and its moment") {
  Uniform uniform(9);
  const Shapes shapes(uniform, 3, 8, 4.0, 3.0);
  const double h = 1e-7;
  int touching = 0;
  int several_arcs = 0;
  double worst = 0.0;
  int kinks = 0;
  for (int trial = 0; trial < 20000 / kFewer; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Overlap found = overlap_of(pair.a, pair.b, pair.b_in_a);
    if (!found.touching()) continue;
    ++touching;
    several_arcs += slow_overlap(pair.a.vertices(), pair.b.vertices(), pair.b_in_a).arcs > 1 ? 1 : 0;
    const auto area = [&](double x, double y, double angle) {
      const Rotation turn = Rotation::by(angle);
      const Pose moved{turn * pair.b_in_a.position + Vec2(x, y), turn * pair.b_in_a.rotation};
      return overlap_of(pair.a, pair.b, moved).area;
    };
    const double by_x = (area(h, 0, 0) - area(-h, 0, 0)) / (2.0 * h);
    const double by_y = (area(0, h, 0) - area(0, -h, 0)) / (2.0 * h);
    const double by_angle = (area(0, 0, h) - area(0, 0, -h)) / (2.0 * h);
    const Vec2 push = found.chord() * found.normal;
    const double error =
        std::max({std::abs(by_x + push.x()), std::abs(by_y + push.y()), std::abs(by_angle + chord_moment(found))});
    // Edges that are almost parallel make the second derivative as large as one likes: rarely.
    kinks += error > 1e-6 ? 1 : 0;
    worst = std::max(worst, error);
  }
  CHECK(touching > 10000 / kFewer);
  CHECK(several_arcs > 500 / kFewer);
  CHECK(kinks < touching / 1000);
  CHECK(worst < 1e-2);  // m
}

TEST_CASE("the force along the chord is the gradient of a potential of the area, with its torque") {
  // W = A^2 / 2, so that the force on a is -A |D| n at the chord's middle.
  Uniform uniform(10);
  const Shapes shapes(uniform, 3, 8, 4.0, 3.0);
  const double h = 1e-7;
  int touching = 0;
  int within = 0;
  for (int trial = 0; trial < 5000 / kFewer; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Overlap found = overlap_of(pair.a, pair.b, pair.b_in_a);
    if (!found.touching()) continue;
    ++touching;
    // Moving a by (x, y) and turning it about its centroid is moving b the other way round.
    const auto potential = [&](double x, double y, double angle) {
      const Rotation back = Rotation::by(-angle);
      const Pose moved{back * (pair.b_in_a.position - Vec2(x, y)), back * pair.b_in_a.rotation};
      const double area = overlap_of(pair.a, pair.b, moved).area;
      return 0.5 * area * area;
    };
    const Vec2 force(-(potential(h, 0, 0) - potential(-h, 0, 0)) / (2.0 * h),
                     -(potential(0, h, 0) - potential(0, -h, 0)) / (2.0 * h));
    const double torque = -(potential(0, 0, h) - potential(0, 0, -h)) / (2.0 * h);
    const Vec2 expected = -found.area * found.chord() * found.normal;
    const double expected_torque = cross(chord_middle(found), expected);
    within += (force - expected).norm() < 1e-6 && std::abs(torque - expected_torque) < 1e-6 ? 1 : 0;
  }
  CHECK(touching > 2500 / kFewer);
  CHECK(within >= touching - 3);  // near-parallel edges, as above
}

TEST_CASE("the chord moves continuously when an arc is divided in two") {
  Uniform uniform(11);
  const Shapes shapes(uniform, 3, 8, 4.0, 3.0);
  int events = 0;
  for (int trial = 0; trial < 20000 / kFewer && events < 500 / kFewer; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Vec2 direction = random_rotation(uniform) * Vec2(1.0, 0.0);
    const auto pose = [&](double t) { return Pose{pair.b_in_a.position + t * direction, pair.b_in_a.rotation}; };
    const auto arcs = [&](double t) { return slow_overlap(pair.a.vertices(), pair.b.vertices(), pose(t)).arcs; };
    double before = 0.0;
    double after = 0.05;
    if (arcs(before) * arcs(after) != 2) continue;  // one arc here, two there
    const int arcs_before = arcs(before);
    for (int step = 0; step < 40; ++step) {
      const double middle = 0.5 * (before + after);
      (arcs(middle) == arcs_before ? before : after) = middle;
    }
    if (arcs(before) * arcs(after) != 2) continue;
    const Overlap one = overlap_of(pair.a, pair.b, pose(before));
    const Overlap other = overlap_of(pair.a, pair.b, pose(after));
    if (one.chord() < 0.05) continue;  // the place of a chord that vanishes is far away
    ++events;
    CAPTURE(trial);
    REQUIRE(std::abs(one.area - other.area) < 1e-9);               // m^2
    REQUIRE((one.chord_begin - other.chord_begin).norm() < 1e-8);  // m
    REQUIRE((one.chord_end - other.chord_end).norm() < 1e-8);      // m
    REQUIRE(std::abs(one.depth - other.depth) < 1e-8);             // m
  }
  CHECK(events > 200 / kFewer);
}

TEST_CASE("along a smooth motion the area never changes faster than its outline allows") {
  Uniform uniform(12);
  const Shapes shapes(uniform, 3, 8, 4.0, 3.0);
  int touching = 0;
  for (int trial = 0; trial < 200 / kFewer; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Vec2 velocity = random_rotation(uniform) * Vec2(1.0, 0.0);
    const double spin = uniform.between(-2.0, 2.0);
    double last = -1.0;
    const double step = 1e-3;
    for (int k = 0; k < 500; ++k) {
      const double t = step * k;
      const Pose pose{pair.b_in_a.position + t * velocity, Rotation::by(spin * t) * pair.b_in_a.rotation};
      const Overlap found = overlap_of(pair.a, pair.b, pose);
      REQUIRE(all_finite(found));
      REQUIRE(found.area >= 0.0);
      const double speed = 1.0 + std::abs(spin) * pair.b.bounding_radius();
      const double outline = 2.0 * kPi * std::min(pair.a.bounding_radius(), pair.b.bounding_radius());
      if (last >= 0.0) REQUIRE(std::abs(found.area - last) <= speed * outline * step);  // m^2
      touching += found.touching() ? 1 : 0;
      last = found.area;
    }
  }
  CHECK(touching > 20000 / kFewer);
}

TEST_CASE("the common region is a polygon of the area found") {
  Uniform uniform(13);
  const Shapes shapes(uniform, 3, 8, 3.0, 3.0);
  int touching = 0;
  for (int trial = 0; trial < 5000 / kFewer; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Overlap found = overlap_of(pair.a, pair.b, pair.b_in_a);
    const std::vector<Vec2> region = overlap_polygon(pair.a.vertices(), pair.b.vertices(), pair.b_in_a);
    REQUIRE(region.empty() != found.touching());
    if (region.empty()) continue;
    ++touching;
    double area = 0.0;
    for (std::size_t i = 0; i < region.size(); ++i) {
      area += 0.5 * cross(region[i] - region[0], region[(i + 1) % region.size()] - region[0]);
    }
    REQUIRE(std::abs(area - found.area) < 1e-15);  // m^2
  }
  CHECK(touching > 2500 / kFewer);
}

TEST_CASE("the same arguments give the same bits, independent of earlier queries") {
  Uniform uniform(14);
  const Polygon large = regular_polygon(80, 1.0);
  const Polygon small = regular_polygon(5, 1.0);
  for (int trial = 0; trial < 200; ++trial) {
    const Pose pose{random_rotation(uniform) * Vec2(1.5, 0.0), random_rotation(uniform)};
    const Overlap first = overlap_of(large, small, pose);
    overlap_of(regular_polygon(uniform.between(3, 200), 2.0), large, pose);
    const Overlap second = overlap_of(large, small, pose);
    REQUIRE(first.area == second.area);
    REQUIRE(first.depth == second.depth);
    REQUIRE(first.centroid == second.centroid);
    REQUIRE(first.chord_begin == second.chord_begin);
    REQUIRE(first.chord_end == second.chord_end);
  }
}

TEST_CASE("a pose that is not finite overlaps nothing") {
  const Polygon square = rectangle(1.0, 1.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_FALSE(overlap_of(square, square, {{nan, 0.0}, {}}).touching());
  CHECK_FALSE(overlap_of(square, square, {{0.0, 0.0}, {nan, nan}}).touching());
  CHECK_FALSE(overlap_of(square, square, {{infinity, 0.0}, {}}).touching());
}

TEST_CASE("along random motions area and chord are continuous, into containment and out of it, too") {
  Uniform uniform(31);
  const Shapes shapes(uniform, 3, 8, 4.0, 3.0);
  int fast = 0;
  int jumps = 0;
  int contained = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const RandomPair pair = random_pair(shapes, uniform);
    const Vec2 velocity = random_rotation(uniform) * Vec2(1.0, 0.0);
    const double spin = uniform.between(-2.0, 2.0);
    const auto at_time = [&](double t) {
      return overlap_of(pair.a, pair.b,
                        {pair.b_in_a.position + t * velocity, Rotation::by(spin * t) * pair.b_in_a.rotation});
    };
    const auto differ = [](const Overlap& one, const Overlap& other) {
      if (one.touching() != other.touching()) return false;  // the chord grows from nothing
      return (chord_vector(one) - chord_vector(other)).norm() > 0.05;
    };
    Overlap last = at_time(0.0);
    for (int k = 1; k <= 1000; ++k) {
      const double step = 1e-3;
      const Overlap found = at_time(step * k);
      const double outline = 2.0 * kPi * std::min(pair.a.bounding_radius(), pair.b.bounding_radius());
      const double speed = 1.0 + std::abs(spin) * pair.b.bounding_radius();
      REQUIRE(std::abs(found.area - last.area) <= speed * outline * step);  // m^2
      if (differ(last, found)) {
        ++fast;
        // Nearly parallel edges are fast; a jump remains however short the time.
        double before = step * (k - 1);
        double after = step * k;
        for (int half = 0; half < 40; ++half) {
          const double middle = 0.5 * (before + after);
          (differ(at_time(before), at_time(middle)) ? after : before) = middle;
        }
        jumps += differ(at_time(before), at_time(after)) ? 1 : 0;
      }
      contained += found.touching() && (found.chord() == 0.0) != (last.chord() == 0.0) ? 1 : 0;
      last = found;
    }
  }
  CHECK(fast > 0);
  CHECK(contained > 10);
  CHECK(jumps == 0);
}

TEST_CASE("hints along a motion of fine polygons change no bit, and running sums give the right area") {
  Uniform uniform(32);
  int touching = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Polygon a = regular_polygon(uniform.between(20, 1024), uniform.between(0.5, 1.0));
    const Polygon b = trial % 3 == 0   ? rectangle(6.0, 1.0)
                      : trial % 3 == 1 ? regular_polygon(uniform.between(20, 1024), 1.0)
                                       : random_convex_polygon(40, 5.0, std::ref(uniform));
    const Vec2 direction = random_rotation(uniform) * Vec2(1.0, 0.0);
    const Rotation turn = random_rotation(uniform);
    double apart = 0.0;
    for (double high = 10.0; high - apart > 1e-9;) {
      const double middle = 0.5 * (apart + high);
      (overlap_of(a, b, {middle * direction, turn}).touching() ? apart : high) = middle;
    }
    apart -= uniform.between(-1e-3, 3e-2);
    PairHint hint;
    for (int k = 0; k < 100; ++k) {
      const Vec2 centre = (apart + 1e-4 * k) * (Rotation::by(1e-3 * k) * direction);
      const Pose pose{centre, Rotation::by(-2e-3 * k) * turn};
      const Overlap found = overlap(a.vertices(), b.vertices(), pose, hint);
      const Overlap expected = overlap_of(a, b, pose);
      CAPTURE(trial);
      CAPTURE(k);
      REQUIRE(found.area == expected.area);
      REQUIRE(found.depth == expected.depth);
      REQUIRE(found.centroid == expected.centroid);
      REQUIRE(found.chord_begin == expected.chord_begin);
      REQUIRE(found.chord_end == expected.chord_end);
      if (!found.touching()) continue;
      ++touching;
      if (k % 10 > 0) continue;
      const SlowOverlap slow = slow_overlap(a.vertices(), b.vertices(), pose);
      REQUIRE(std::abs(found.area - static_cast<double>(slow.area)) < 1e-14);                             // m^2
      REQUIRE(std::abs(found.centroid.x() - static_cast<double>(slow.centroid.x)) * found.area < 1e-14);  // m^3
      REQUIRE(std::abs(found.centroid.y() - static_cast<double>(slow.centroid.y)) * found.area < 1e-14);  // m^3
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      for (const Vec2& v : overlap_polygon(a.vertices(), b.vertices(), pose)) {
        low = std::min(low, found.normal.dot(v));
        high = std::max(high, found.normal.dot(v));
      }
      REQUIRE(std::abs(high - low - found.depth) < 1e-14);  // m
    }
  }
  CHECK(touching > 3000);
}

}  // namespace scree::overlap_test
