#include "geometry/disk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <doctest/doctest.h>

#include "geometry/polygon_makers.hpp"
#include "tests/geometry/random_pairs.hpp"

namespace scree::disk_test {

using namespace scree::test;

namespace {

constexpr double kPi = std::numbers::pi;

/// Tries every hint: none may change a bit.
Overlap overlap_polygon_disk(Outline a, const Vec2& centre, double radius) {
  Feature hint = 0;
  const Overlap expected = scree::overlap_polygon_disk(a, centre, radius, hint);
  for (Feature feature = 0; feature <= 2 * a.size(); ++feature) {
    hint = feature;
    const Overlap found = scree::overlap_polygon_disk(a, centre, radius, hint);
    REQUIRE(found.area == expected.area);
    REQUIRE(found.depth == expected.depth);
    REQUIRE(found.centroid == expected.centroid);
    REQUIRE(found.normal == expected.normal);
    REQUIRE(found.chord_begin == expected.chord_begin);
    REQUIRE(found.chord_end == expected.chord_end);
  }
  return expected;
}

}  // namespace

TEST_CASE("the overlap of two disks is the lens of the textbook formula") {
  for (const double distance : {0.6, 1.0, 1.3, 1.49}) {
    CAPTURE(distance);
    const double r = 1.0;
    const double s = 0.5;
    const Overlap found = overlap_disks(r, s, {0.0, -distance});
    const double x = (distance * distance + r * r - s * s) / (2.0 * distance);
    const double half_chord = std::sqrt(r * r - x * x);
    const double lens = r * r * std::acos(x / r) + s * s * std::acos((distance - x) / s) - distance * half_chord;
    CHECK(std::abs(found.area - lens) < 1e-14);                 // m^2
    CHECK(std::abs(found.depth - (r + s - distance)) < 1e-15);  // m
    CHECK((found.normal - Vec2(0.0, -1.0)).norm() < 1e-15);
    CHECK((found.chord_begin - Vec2(-half_chord, -x)).norm() < 1e-14);                // m
    CHECK((found.chord_end - Vec2(half_chord, -x)).norm() < 1e-14);                   // m
    CHECK((found.centroid - Vec2(0.0, -0.5 * (1.0 + distance - s))).norm() < 1e-15);  // m
  }
}

TEST_CASE("two disks overlap like polygons of two thousand vertices") {
  Uniform uniform(1);
  const Polygon circle = regular_polygon(2000, 1.0);
  for (int trial = 0; trial < 30; ++trial) {
    const double r = uniform.between(0.5, 2.0);
    const double s = uniform.between(0.5, 2.0);
    const double distance = uniform.between(std::abs(r - s) + 0.1, r + s - 0.1);
    const Vec2 offset = random_rotation(uniform) * Vec2(distance, 0.0);
    const Overlap disks = overlap_disks(r, s, offset);
    const Polygon a = circle.scaled(r);
    const Polygon b = circle.scaled(s);
    const Overlap polygons = overlap(a.vertices(), b.vertices(), {offset, {}});
    CAPTURE(trial);
    CHECK(std::abs(disks.area - polygons.area) < 3e-5);               // m^2, 2e-6 of each disk's area
    CHECK(std::abs(disks.chord() - polygons.chord()) < 1e-4);         // m
    CHECK((disks.chord_begin - polygons.chord_begin).norm() < 1e-4);  // m
    CHECK((disks.chord_end - polygons.chord_end).norm() < 1e-4);      // m
    CHECK((disks.normal - polygons.normal).norm() < 5e-3);
    CHECK(std::abs(disks.depth - polygons.depth) < 1e-4);  // m
  }
}

TEST_CASE("a shallow lens is accurate") {
  for (const double depth : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    CAPTURE(depth);
    const double distance = 2.0 - depth;
    const double exact = 2.0 - distance;  // the depth that the distance rounded to
    const Overlap found = overlap_disks(1.0, 1.0, {distance, 0.0});
    // Two segments of height h = depth/2: (4/3) h sqrt(2 h r) (1 - 3 h / (20 r) ...) each.
    const double h = 0.5 * exact;
    const double lens = 2.0 * (4.0 / 3.0) * h * std::sqrt(2.0 * h) * (1.0 - 3.0 * h / 20.0);
    CHECK(std::abs(found.area / lens - 1.0) < 1e-8);
    CHECK(std::abs(found.chord() / (2.0 * std::sqrt(2.0 * h - h * h)) - 1.0) < 1e-12);
  }
}

TEST_CASE("the lens of equal disks has its area to rounding, by either formula") {
  for (int k = 1; k <= 100; ++k) {
    const double distance = 2.0 * std::cos(0.005 * k);
    const long double angle = std::acos(0.5L * distance);
    const long double lens = 2.0L * (angle - std::sin(angle) * std::cos(angle));
    CAPTURE(distance);
    REQUIRE(std::abs(overlap_disks(1.0, 1.0, {distance, 0.0}).area / lens - 1.0L) < 1e-14L);
  }
}

TEST_CASE("the lens is smooth where its formula changes") {
  // Its rate of change is minus the chord; the series takes over where the chord is seen under half a radian.
  const double h = 1e-6;
  for (int k = 1; k < 400; ++k) {
    const double distance = 2.0 * k / 400.0;
    const double rate =
        (overlap_disks(1.0, 1.0, {distance + h, 0.0}).area - overlap_disks(1.0, 1.0, {distance - h, 0.0}).area) /
        (2.0 * h);
    CAPTURE(distance);
    REQUIRE(std::abs(rate + overlap_disks(1.0, 1.0, {distance, 0.0}).chord()) < 1e-8);  // m
  }
}

TEST_CASE("a disk inside another shares its area") {
  for (const double distance : {0.0, 0.1, 0.5}) {
    CAPTURE(distance);
    const Overlap found = overlap_disks(1.0, 0.5, {distance, 0.0});
    CHECK(std::abs(found.area - 0.25 * kPi) < 1e-15);  // m^2
    CHECK(found.depth == 1.0);                         // m
    CHECK(found.chord() == 0.0);
    CHECK(found.normal == Vec2(1.0, 0.0));
    CHECK(found.centroid == Vec2(distance, 0.0));
    const Overlap swapped = overlap_disks(0.5, 1.0, {-distance, 0.0});
    CHECK(swapped.area == found.area);
    CHECK(swapped.centroid == Vec2(0.0, 0.0));
  }
}

TEST_CASE("disks that touch in a point do not overlap") {
  CHECK_FALSE(overlap_disks(1.0, 0.5, {1.5, 0.0}).touching());
  CHECK_FALSE(overlap_disks(1.0, 0.5, {0.0, -1.6}).touching());
  CHECK(overlap_disks(1.0, 0.5, {1.5 - 1e-12, 0.0}).touching());
}

TEST_CASE("a disk on an edge overlaps in its segment") {
  const Polygon plate = rectangle(4.0, 2.0);
  for (const double height : {-0.4, -0.1, 0.0, 0.2, 0.499}) {  // of the centre above the plate
    CAPTURE(height);
    const double r = 0.5;
    const Overlap found = overlap_polygon_disk(plate.vertices(), {0.7, 1.0 + height}, r);
    const double half_chord = std::sqrt(r * r - height * height);
    const double segment = r * r * std::acos(height / r) - height * half_chord;
    CHECK(std::abs(found.area - segment) < 1e-12);        // m^2
    CHECK(std::abs(found.depth - (r - height)) < 1e-15);  // m
    CHECK((found.normal - Vec2(0.0, 1.0)).norm() < 1e-15);
    CHECK((found.chord_begin - Vec2(0.7 + half_chord, 1.0)).norm() < 1e-14);       // m
    CHECK((found.chord_end - Vec2(0.7 - half_chord, 1.0)).norm() < 1e-14);         // m
    CHECK((found.centroid - Vec2(0.7, 1.0 - 0.5 * (r - height))).norm() < 1e-15);  // m
  }
}

TEST_CASE("a disk on an edge overlaps like a polygon of two thousand vertices") {
  const Polygon plate = rectangle(4.0, 4.0);
  const Polygon circle = regular_polygon(2000, 0.5);
  for (const double x : {1.6, 1.9, 2.0, 2.2, 2.45}) {
    CAPTURE(x);
    const Overlap disk = overlap_polygon_disk(plate.vertices(), {x, 0.3}, 0.5);
    const Overlap polygon = overlap(plate.vertices(), circle.vertices(), {{x, 0.3}, {}});
    CHECK(std::abs(disk.area - polygon.area) < 2e-6);               // m^2
    CHECK((disk.chord_begin - polygon.chord_begin).norm() < 1e-5);  // m
    CHECK((disk.chord_end - polygon.chord_end).norm() < 1e-5);      // m
    CHECK((disk.normal - polygon.normal).norm() < 1e-4);
  }
}

TEST_CASE("near a vertex the normal of a disk points from the vertex to its centre") {
  const Polygon plate = rectangle(2.0, 2.0);
  const Vec2 away(0.3, 0.4);  // of length 0.5
  const Overlap found = overlap_polygon_disk(plate.vertices(), Vec2(1.0, 1.0) + away, 0.6);
  CHECK((found.normal - away / 0.5).norm() < 1e-15);
  CHECK(std::abs(found.depth - 0.1) < 1e-15);  // m
  // Never less than what a polygon in the disk's place shares.
  const Polygon circle = regular_polygon(2000, 0.6);
  CHECK(found.area > overlap(plate.vertices(), circle.vertices(), {Vec2(1.0, 1.0) + away, {}}).area);
  CHECK_FALSE(overlap_polygon_disk(plate.vertices(), Vec2(1.0, 1.0) + away, 0.499).touching());
}

TEST_CASE("a disk whose centre is on the outline is pushed straight out") {
  const Polygon plate = rectangle(2.0, 2.0);
  for (const double off : {-1e-12, -1e-17, 0.0, 1e-17, 1e-12}) {
    CAPTURE(off);
    const Overlap found = overlap_polygon_disk(plate.vertices(), {1.0 + off, 0.123456789}, 0.5);
    CHECK((found.normal - Vec2(1.0, 0.0)).norm() < 1e-14);
    CHECK(std::abs(found.area - 0.125 * kPi) < 1e-11);  // m^2, half of the disk
  }
}

TEST_CASE("a disk all inside a polygon has its whole area and no chord") {
  const Polygon plate = rectangle(4.0, 4.0);
  const Overlap found = overlap_polygon_disk(plate.vertices(), {1.0, 0.2}, 0.5);
  CHECK(std::abs(found.area - 0.25 * kPi) < 1e-15);  // m^2
  CHECK(found.depth == 1.0);                         // m
  CHECK(found.normal == Vec2(1.0, 0.0));             // the nearest edge
  CHECK(found.chord() == 0.0);
  CHECK(found.centroid == Vec2(1.0, 0.2));
}

TEST_CASE("the depth and the area of a disk in a polygon change smoothly along any path") {
  Uniform uniform(2);
  int touching = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Polygon polygon = random_convex_polygon(uniform.between(3, 8), 2.0, std::ref(uniform));
    const double radius = uniform.between(0.1, 1.0);
    const Vec2 from = random_rotation(uniform) * Vec2(2.0, 0.0);
    const Vec2 to = random_rotation(uniform) * Vec2(2.0, 0.0);
    Overlap last;
    for (int k = 0; k <= 1000; ++k) {
      const Vec2 centre = from + k / 1000.0 * (to - from);
      const Overlap found = overlap_polygon_disk(polygon.vertices(), centre, radius);
      const double step = (to - from).norm() / 1000.0;
      REQUIRE(std::isfinite(found.area));
      if (k == 0) last = found;
      REQUIRE(std::abs(found.depth - last.depth) < 1.001 * step);               // m
      REQUIRE(std::abs(found.area - last.area) < 1.001 * 2.0 * radius * step);  // m^2, at most a diameter wide
      touching += found.touching() ? 1 : 0;
      last = found;
    }
  }
  CHECK(touching > 25000);
}

TEST_CASE("a disk whose centre is on a vertex is pushed the same way from every hint") {
  const Polygon triangle(std::array{Vec2(1.0, -1.0), Vec2(1.0, 1.0), Vec2(-2.0, 0.0)});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(overlap_polygon_disk(triangle.vertices(), triangle.vertices()[i], 0.5).depth == 0.5);
    const Vec2 on_edge = 0.5 * (triangle.vertices()[i] + triangle.vertices()[(i + 1) % 3]);
    CHECK(std::abs(overlap_polygon_disk(triangle.vertices(), on_edge, 0.5).depth - 0.5) < 1e-15);
  }
}

TEST_CASE("a disk at a position that is not a number overlaps nothing, and the walk to it ends") {
  const Polygon square = rectangle(1.0, 1.0);
  for (Feature hint = 0; hint < 8; ++hint) {
    const double nowhere = std::numeric_limits<double>::quiet_NaN();
    Feature start = hint;
    CHECK_FALSE(scree::overlap_polygon_disk(square.vertices(), {nowhere, nowhere}, 0.5, start).touching());
  }
}

}  // namespace scree::disk_test
