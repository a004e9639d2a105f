#include "geometry/union.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/polygon_makers.hpp"

namespace scree::union_test {

namespace {

constexpr double kPi = std::numbers::pi;

ConvexPart box(double x0, double y0, double x1, double y1) {
  return {.polygon = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}};
}
ConvexPart disk(double x, double y, double r) {
  return {.polygon = {}, .centre = {x, y}, .radius = r};
}

std::string error_of(const auto& act) {
  try {
    act();
  } catch (const GeometryError& error) {
    return error.what();
  }
  return "no error";
}

double area_of(const std::vector<Vec2>& line) {
  double doubled = 0.0;
  for (std::size_t k = 0; k < line.size(); ++k) doubled += cross(line[k], line[(k + 1) % line.size()]);
  return 0.5 * doubled;
}

/// What a part covers of the line at a height, as its definition says.
std::optional<std::pair<double, double>> covered(const ConvexPart& part, double y) {
  if (part.is_disk()) {
    const double square = part.radius * part.radius - (y - part.centre.y()) * (y - part.centre.y());
    if (square <= 0.0) return {};
    return std::pair(part.centre.x() - std::sqrt(square), part.centre.x() + std::sqrt(square));
  }
  std::vector<double> at;
  for (std::size_t k = 0; k < part.polygon.size(); ++k) {
    const Vec2& a = part.polygon[k];
    const Vec2& b = part.polygon[(k + 1) % part.polygon.size()];
    if ((a.y() > y) != (b.y() > y)) at.push_back(a.x() + (y - a.y()) / (b.y() - a.y()) * (b.x() - a.x()));
  }
  if (at.size() != 2) return {};
  return std::pair(std::min(at[0], at[1]), std::max(at[0], at[1]));
}

/// Moments by strips: exact along x, the rule of midpoints along y.
struct Strips {
  double area = 0.0;
  Vec2 first = Vec2::Zero();
  double second = 0.0;  // about the origin

  explicit Strips(const std::vector<ConvexPart>& parts, double lo, double hi, int count = 60000) {
    const double height = (hi - lo) / count;
    for (int k = 0; k < count; ++k) {
      const double y = lo + (k + 0.5) * height;
      std::vector<std::pair<double, double>> intervals;
      for (const ConvexPart& part : parts) {
        if (const auto one = covered(part, y)) intervals.push_back(*one);
      }
      std::ranges::sort(intervals);
      double end = -1e300;
      for (const auto& [from, to] : intervals) {
        const double a = std::max(from, end);
        if (to <= a) continue;
        area += height * (to - a);
        first += height * Vec2(0.5 * (to * to - a * a), y * (to - a));
        second += height * ((to * to * to - a * a * a) / 3.0 + y * y * (to - a));
        end = to;
      }
    }
  }
};

/// A star-shaped polygon around the origin, whose radius jumps.
std::vector<Vec2> random_star(std::mt19937& random, int corners) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Vec2> points;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2.0 * kPi * (k + 0.6 * uniform(random)) / corners;
    const double radius = 0.2 + uniform(random);
    points.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return points;
}

}  // namespace

TEST_CASE("known unions") {
  SUBCASE("one box") {
    const Union one = unite(std::vector{box(1.0, 2.0, 4.0, 6.0)});
    CHECK(one.area == doctest::Approx(12.0).epsilon(1e-14));
    CHECK((one.centroid - Vec2(2.5, 4.0)).norm() < 1e-14);
    CHECK(one.second_moment == doctest::Approx(12.0 * (9.0 + 16.0) / 12.0).epsilon(1e-14));
    CHECK(one.bounding_radius == doctest::Approx(2.5).epsilon(1e-14));
    CHECK(one.shared_area == 0.0);
    CHECK(one.outline.size() == 4);
  }
  SUBCASE("two boxes of an L share an edge, and its corners lie on longer sides") {
    const Union l = unite(std::vector{box(0.0, 0.0, 3.0, 1.0), box(0.0, 1.0, 1.0, 2.0)});
    CHECK(l.area == doctest::Approx(4.0).epsilon(1e-14));
    CHECK(l.shared_area == 0.0);
    CHECK((l.centroid - Vec2((3.0 * 1.5 + 0.5) / 4.0, (3.0 * 0.5 + 1.5) / 4.0)).norm() < 1e-14);
    const double about_origin = (27.0 + 3.0) / 3.0 + (1.0 / 3.0 + (8.0 - 1.0) / 3.0);
    CHECK(l.second_moment == doctest::Approx(about_origin - 4.0 * l.centroid.squaredNorm()).epsilon(1e-13));
    CHECK(area_of(l.outline) == doctest::Approx(4.0).epsilon(1e-13));
    CHECK(l.outline.size() <= 8);
  }
  SUBCASE("a plus of two bars counts its middle once") {
    const Union plus = unite(std::vector{box(-3.0, -1.0, 3.0, 1.0), box(-1.0, -3.0, 1.0, 3.0)});
    CHECK(plus.area == doctest::Approx(20.0).epsilon(1e-14));
    CHECK(plus.shared_area == doctest::Approx(4.0).epsilon(1e-14));
    CHECK(plus.centroid.norm() < 1e-14);
    CHECK(plus.second_moment == doctest::Approx(2.0 * 12.0 * 40.0 / 12.0 - 4.0 * 8.0 / 12.0).epsilon(1e-14));
    CHECK(plus.outline.size() == 12);
  }
  SUBCASE("two disks: a lens less than both") {
    const double d = 1.2;
    const Union two = unite(std::vector{disk(5.0, 1.0, 1.0), disk(5.0 + d, 1.0, 1.0)});
    const double lens = 2.0 * std::acos(0.5 * d) - 0.5 * d * std::sqrt(4.0 - d * d);
    CHECK(two.area == doctest::Approx(2.0 * kPi - lens).epsilon(1e-14));
    CHECK(two.shared_area == doctest::Approx(lens).epsilon(1e-13));
    CHECK((two.centroid - Vec2(5.0 + 0.5 * d, 1.0)).norm() < 1e-14);
    CHECK(two.bounding_radius == doctest::Approx(1.0 + 0.5 * d).epsilon(1e-14));
    // Each half beyond the chord: of the whole disk less the cap on the other side.
    const double a = std::acos(0.5 * d);
    const double cap = a - std::sin(a) * std::cos(a);
    const double cap_at = 2.0 / 3.0 * std::pow(std::sin(a), 3) / cap;  // centroid of a cap from the centre
    const double cap_second = 0.5 * a - std::sin(a) * std::cos(a) / 2.0 +
                              std::pow(std::sin(a), 3) * std::cos(a) / 3.0;  // polar, about the centre
    const double rest = kPi - cap;
    const double rest_at = -cap * cap_at / rest;
    const double rest_second = 0.5 * kPi - cap_second;
    const double about_middle = rest_second - rest * rest_at * rest_at + rest * std::pow(rest_at - 0.5 * d, 2);
    CHECK(two.second_moment == doctest::Approx(2.0 * about_middle).epsilon(1e-12));
  }
  SUBCASE("a disk inside a box, and the same part twice, add nothing") {
    const Union with_disk = unite(std::vector{box(-1.0, -1.0, 1.0, 1.0), disk(0.2, 0.1, 0.5)});
    CHECK(with_disk.area == doctest::Approx(4.0).epsilon(1e-14));
    CHECK(with_disk.shared_area == doctest::Approx(0.25 * kPi).epsilon(1e-13));
    const Union twice = unite(std::vector{disk(0.0, 0.0, 1.0), disk(0.0, 0.0, 1.0), box(2.0, 0.0, 0.5, 0.1)});
    CHECK(unite(std::vector{disk(0.0, 0.0, 1.0), box(2.0, 0.0, 0.5, 0.1)}).area ==
          doctest::Approx(twice.area).epsilon(1e-14));
    const Union boxes = unite(std::vector{box(0, 0, 1, 1), box(0, 0, 1, 1), box(0, 0, 2, 1)});
    CHECK(boxes.area == doctest::Approx(2.0).epsilon(1e-14));
    CHECK(boxes.second_moment == doctest::Approx(2.0 * 5.0 / 12.0).epsilon(1e-14));
  }
  SUBCASE("a frame of four bars has a hole, joined to its outline") {
    const Union frame = unite(std::vector{box(0, 0, 4, 1), box(0, 3, 4, 4), box(0, 1, 1, 3), box(3, 1, 4, 3)});
    CHECK(frame.area == doctest::Approx(12.0).epsilon(1e-14));
    CHECK((frame.centroid - Vec2(2.0, 2.0)).norm() < 1e-14);
    CHECK(frame.second_moment == doctest::Approx(16.0 * 32.0 / 12.0 - 4.0 * 8.0 / 12.0).epsilon(1e-14));
    CHECK(area_of(frame.outline) < 12.0);
    CHECK(area_of(frame.outline) > 12.0 - 2e-4 * 4.0);  // the slit is 1 long
    CHECK_NOTHROW(split_into_convex(frame.outline));    // it does not meet itself
  }
  SUBCASE("a stadium of a box and two disks that touch it along arcs' ends") {
    const Union stadium = unite(std::vector{box(-2, -1, 2, 1), disk(-2, 0, 1), disk(2, 0, 1)});
    CHECK(stadium.area == doctest::Approx(8.0 + kPi).epsilon(1e-14));
    CHECK(stadium.centroid.norm() < 1e-14);
    CHECK(area_of(stadium.outline) == doctest::Approx(8.0 + kPi).epsilon(2e-3));
    CHECK(area_of(stadium.outline) < 8.0 + kPi);
  }
  SUBCASE("far from the origin it keeps its digits") {
    const Union near = unite(std::vector{box(0.0, 0.0, 3.0, 1.0), disk(2.0, 1.0, 0.75)});
    const Union far = unite(std::vector{box(1e6, 1e6, 1e6 + 3.0, 1e6 + 1.0), disk(1e6 + 2.0, 1e6 + 1.0, 0.75)});
    CHECK(far.area == doctest::Approx(near.area).epsilon(1e-13));
    CHECK(far.second_moment == doctest::Approx(near.second_moment).epsilon(1e-12));
  }
}

TEST_CASE("unions of random parts have the moments of their strips") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int compared = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<ConvexPart> parts;
    const int count = 2 + trial % 5;
    for (int k = 0; k < count; ++k) {
      const double x = uniform(random);
      const double y = uniform(random);
      if (k % 2 == trial % 2) {
        parts.push_back(disk(x, y, 0.6 + 0.4 * uniform(random)));
        continue;
      }
      ConvexPart part;
      const Polygon polygon = random_convex_polygon(3 + k, 1.5, [&] { return 0.5 + 0.4999 * uniform(random); });
      for (const Vec2& corner : polygon.vertices()) part.polygon.emplace_back(corner + Vec2(x, y));
      parts.push_back(part);
    }
    Union united;
    try {
      united = unite(parts);
    } catch (const GeometryError&) {
      continue;  // they lie apart
    }
    ++compared;
    const Strips strips(parts, -3.0, 3.0);
    const Vec2 centroid = strips.first / strips.area;
    CAPTURE(trial);
    CHECK(united.area == doctest::Approx(strips.area).epsilon(1e-6));
    CHECK((united.centroid - centroid).norm() < 1e-6);
    CHECK(united.second_moment == doctest::Approx(strips.second - strips.area * centroid.squaredNorm()).epsilon(1e-5));
    CHECK(area_of(united.outline) == doctest::Approx(united.area).epsilon(2e-3));
    double reach = 0.0;
    for (const Vec2& point : united.outline) reach = std::max(reach, point.norm());
    CHECK(reach <= united.bounding_radius * (1.0 + 1e-12));
    CHECK(reach >= united.bounding_radius * 0.998);
  }
  CHECK(compared > 40);
}

TEST_CASE("a union does not depend on where its parts are, but for rounding") {
  const std::vector<ConvexPart> parts = {box(0, 0, 3, 1), box(0, 1, 1, 2), disk(3, 0.5, 0.7), disk(0.5, 2.0, 0.5)};
  const Union straight = unite(parts);
  for (int k = 1; k < 40; ++k) {
    const Rotation rotation = Rotation::by(0.37 * k);
    std::vector<ConvexPart> turned = parts;
    for (ConvexPart& part : turned) {
      for (Vec2& corner : part.polygon) corner = rotation * corner;
      part.centre = rotation * part.centre;
    }
    const Union there = unite(turned);
    CHECK(there.area == doctest::Approx(straight.area).epsilon(1e-13));
    CHECK(there.second_moment == doctest::Approx(straight.second_moment).epsilon(1e-13));
    CHECK((there.centroid - rotation * straight.centroid).norm() < 1e-13);
    CHECK(there.outline.size() == straight.outline.size());
  }
  const Union large = straight.scaled(3.0);
  CHECK(large.area == doctest::Approx(9.0 * straight.area).epsilon(1e-15));
  CHECK(large.second_moment == doctest::Approx(81.0 * straight.second_moment).epsilon(1e-15));
}

TEST_CASE("parts that do not hang together are refused") {
  const auto said = [](const std::vector<ConvexPart>& parts) { return error_of([&] { unite(parts); }); };
  CHECK(said({box(0, 0, 1, 1), box(2, 0, 3, 1)}) ==
        "the parts do not hang together: they make 2 pieces, which touch in points at most");
  CHECK(said({box(0, 0, 1, 1), box(1, 1, 2, 2)}) ==
        "the parts do not hang together: they make 2 pieces, which touch in points at most");
  CHECK(said({disk(0, 0, 1), disk(2.5, 0, 1), disk(5, 0, 1)}) ==
        "the parts do not hang together: they make 3 pieces, which touch in points at most");
  CHECK(said({}) == "there are no parts");
}

TEST_CASE("outlines are split into convex parts that make them up") {
  const auto check = [](const std::vector<Vec2>& outline, std::size_t most) {
    std::vector<ConvexPart> parts;
    double sum = 0.0;
    for (const std::vector<Vec2>& part : split_into_convex(outline)) {
      const Polygon polygon(part);  // throws unless it is convex
      sum += polygon.area();
      parts.push_back({.polygon = part});
    }
    CHECK(parts.size() <= most);
    CHECK(sum == doctest::Approx(std::abs(area_of(outline))).epsilon(1e-9));
    const Union all = unite(parts);
    CHECK(all.area == doctest::Approx(std::abs(area_of(outline))).epsilon(1e-9));
    CHECK(all.shared_area < 1e-9 * all.area);
    return parts.size();
  };
  CHECK(check({{0, 0}, {2, 0}, {2, 1}, {0, 1}}, 1) == 1);
  CHECK(check({{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}}, 2) == 2);                          // L
  CHECK(check({{0, 2}, {1, 2}, {1, 1}, {3, 1}, {3, 0}, {0, 0}}, 2) == 2);                          // clockwise
  CHECK(check({{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}, 3) == 3);          // U
  CHECK(check({{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 1}, {1, 2}, {0, 2}}, 2) == 2);  // idle corners
  CHECK(
      check(
          {{-1, -3}, {1, -3}, {1, -1}, {3, -1}, {3, 1}, {1, 1}, {1, 3}, {-1, 3}, {-1, 1}, {-3, 1}, {-3, -1}, {-1, -1}},
          5) >= 3);  // plus
  std::mt19937 random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const int corners = 4 + trial % 20;
    CAPTURE(trial);
    check(random_star(random, corners), static_cast<std::size_t>(corners) - 2);
  }
}

TEST_CASE("the parts of an outline depend neither on its first corner nor on its sense") {
  std::mt19937 random(5);
  std::vector<std::vector<Vec2>> outlines = {
      {{-1, -3}, {1, -3}, {1, -1}, {3, -1}, {3, 1}, {1, 1}, {1, 3}, {-1, 3}, {-1, 1}, {-3, 1}, {-3, -1}, {-1, -1}},
      {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 2}}};  // idle corners
  for (int k = 0; k < 20; ++k) outlines.push_back(random_star(random, 5 + k));
  for (std::vector<Vec2> outline : outlines) {
    const auto parts = split_into_convex(outline);
    for (std::size_t k = 0; k < outline.size(); ++k) {
      std::rotate(outline.begin(), outline.begin() + 1, outline.end());
      CHECK(split_into_convex(outline) == parts);
      std::vector<Vec2> backward(outline.rbegin(), outline.rend());
      CHECK(split_into_convex(backward) == parts);
    }
  }
}

TEST_CASE("outlines that meet themselves are not split") {
  const auto said = [](const std::vector<Vec2>& outline) { return error_of([&] { split_into_convex(outline); }); };
  CHECK(said({{0, 0}, {1, 1}, {1, 0}, {0, 1}}).find("the outline meets itself") == 0);
  CHECK(said({{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}).find("the outline meets itself") == 0);
  CHECK(said({{0, 0}, {2, 0}, {1, 0}, {1, 1}}).find("the outline turns back on itself") == 0);
  CHECK(said({{0, 0}, {1, 0}, {2, 0}}) == "the outline has no area");
  CHECK(said({{0, 0}, {1, 0}, {std::nan(""), 0}}) == "a corner is not finite");
}

}  // namespace scree::union_test
