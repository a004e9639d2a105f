#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "geometry/closest_features.hpp"
#include "geometry/disk.hpp"
#include "geometry/overlap.hpp"
#include "geometry/polygon.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/fuzz/exact_disagreement.hpp"

// What must hold for any two polygons, pose and hints; libFuzzer makes them up (./dev fuzz).

using namespace scree;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// One pair, and what to print where it fails.
struct Case {
  Polygon a;
  Polygon b;
  Pose b_in_a;
  FeaturePair hints[2];
};

void print(const char* name, Outline outline) {
  std::fprintf(stderr, "const std::vector<Vec2> %s{", name);
  for (const Vec2& v : outline) std::fprintf(stderr, "{%a, %a}, ", v.x(), v.y());
  std::fprintf(stderr, "};\n");
}

/// Prints what failed and the pair, as code for a test, and aborts.
void fail(const Case& c, const char* what) {
  std::fprintf(stderr, "failed: %s\n", what);
  print("a", c.a.vertices());
  print("b", c.b.vertices());
  const auto& [position, rotation] = c.b_in_a;
  std::fprintf(stderr, "const Pose pose{{%a, %a}, {%a, %a}};\n", position.x(), position.y(), rotation.cos,
               rotation.sin);
  for (const FeaturePair& hint : c.hints) std::fprintf(stderr, "FeaturePair{%uU, %uU};\n", hint.a, hint.b);
  std::abort();
}

void require(const Case& c, bool holds, const char* what) {
  if (!holds) fail(c, what);
}

// --- from bytes
// -------------------------------------------------------------------------------------------------------

/// Some units in the last place beside x; not where the predicates' products would underflow.
double nudged(double x, int ulps) {
  return x + ulps * kEpsilon * std::max(std::abs(x), 1e-3);
}

/// A number in one of four manners: on a small lattice, near it, anywhere in [-8, 8], or of any magnitude.
double number(FuzzedDataProvider& bytes, int manner) {
  switch (manner) {
    case 0:
      return bytes.ConsumeIntegralInRange<int>(-8, 8);
    case 1: {
      const double x = 0.25 * bytes.ConsumeIntegralInRange<int>(-8, 8);
      return nudged(x, bytes.ConsumeIntegralInRange<int>(-3, 3));
    }
    case 2:
      return bytes.ConsumeFloatingPointInRange<double>(-8.0, 8.0);
    default: {
      const double mantissa = bytes.ConsumeFloatingPointInRange<double>(-1.0, 1.0);
      return std::ldexp(mantissa, bytes.ConsumeIntegralInRange<int>(-30, 30));
    }
  }
}

std::optional<Polygon> polygon(FuzzedDataProvider& bytes) {
  const int manner = bytes.ConsumeIntegralInRange<int>(0, 5);
  if (manner == 5) return regular_polygon(bytes.ConsumeIntegralInRange<int>(3, 100), 1.0);
  const int n = bytes.ConsumeIntegralInRange<int>(3, 12);
  std::vector<Vec2> points;
  for (int i = 0; i < n; ++i) {
    if (manner == 4) {  // on an ellipse, of which every choice of points is convex
      const Rotation at = Rotation::by(2.0 * std::numbers::pi * (i + bytes.ConsumeProbability<double>()) / n);
      points.emplace_back(at.cos, 0.3 * at.sin);
    } else {
      const double x = number(bytes, manner);
      points.emplace_back(x, number(bytes, manner));
    }
  }
  if (manner != 4) {  // sorted around their middle, most sets of few points are convex
    Vec2 middle = Vec2::Zero();
    for (const Vec2& p : points) middle += p / n;
    std::sort(points.begin(), points.end(), [&](const Vec2& p, const Vec2& q) {
      return std::atan2(p.y() - middle.y(), p.x() - middle.x()) < std::atan2(q.y() - middle.y(), q.x() - middle.x());
    });
  }
  try {
    return Polygon(points);
  } catch (const GeometryError&) {
    return std::nullopt;
  }
}

Vec2 edge(Outline outline, std::size_t i) {
  return outline[(i + 1) % outline.size()] - outline[i];
}

Pose pose(FuzzedDataProvider& bytes, const Polygon& a, const Polygon& b) {
  const std::size_t i = bytes.ConsumeIntegral<std::uint8_t>() % a.vertices().size();
  const std::size_t j = bytes.ConsumeIntegral<std::uint8_t>() % b.vertices().size();
  Pose pose;
  switch (bytes.ConsumeIntegralInRange<int>(0, 3)) {
    case 0: {
      const Rotation quarters[] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
      pose.rotation = quarters[bytes.ConsumeIntegralInRange<int>(0, 3)];
      break;
    }
    case 1:
      pose.rotation = Rotation::by(bytes.ConsumeFloatingPointInRange<double>(-4.0, 4.0));
      break;
    case 2: {  // an edge along an edge, up to rounding
      const Vec2 of_a = edge(a.vertices(), i);
      const Vec2 of_b = edge(b.vertices(), j);
      const double flip = bytes.ConsumeBool() ? std::numbers::pi : 0.0;
      pose.rotation = Rotation::by(std::atan2(of_a.y(), of_a.x()) - std::atan2(of_b.y(), of_b.x()) + flip);
      break;
    }
    default:
      pose.rotation = Rotation::by(std::numbers::pi * bytes.ConsumeIntegralInRange<int>(-12, 12) / 12.0);
  }
  const auto coordinate = [&] { return number(bytes, bytes.ConsumeIntegralInRange<int>(0, 3)); };
  switch (bytes.ConsumeIntegralInRange<int>(0, 4)) {
    case 0:
      break;
    case 1:
      pose.position.x() = coordinate();
      pose.position.y() = coordinate();
      break;
    case 2:  // a vertex on a vertex, up to rounding
      pose.position = a.vertices()[i] - pose.rotation * b.vertices()[j];
      break;
    case 3:  // the centroid on a vertex or edge
      pose.position = a.vertices()[i] + 0.25 * bytes.ConsumeIntegralInRange<int>(0, 2) * edge(a.vertices(), i);
      break;
    default:  // a vertex on an edge
      pose.position = a.vertices()[i] + bytes.ConsumeProbability<double>() * edge(a.vertices(), i) -
                      pose.rotation * b.vertices()[j];
  }
  if (bytes.ConsumeBool()) {
    pose.position.x() = nudged(pose.position.x(), bytes.ConsumeIntegralInRange<int>(-4, 4));
    pose.position.y() = nudged(pose.position.y(), bytes.ConsumeIntegralInRange<int>(-4, 4));
  }
  return pose;
}

// --- what must hold
// ---------------------------------------------------------------------------------------------------

bool finite(const Overlap& o) {
  return std::isfinite(o.area) && std::isfinite(o.depth) && o.centroid.allFinite() && o.normal.allFinite() &&
         o.chord_begin.allFinite() && o.chord_end.allFinite();
}

bool same_bits(const Overlap& o, const Overlap& p) {
  return o.area == p.area && o.depth == p.depth && o.centroid == p.centroid && o.normal == p.normal &&
         o.chord_begin == p.chord_begin && o.chord_end == p.chord_end;
}

bool same_bits(const ClosestFeatures& c, const ClosestFeatures& d) {
  if (c.relation != d.relation || c.distance != d.distance) return false;
  return c.distance == 0.0 || (c.features == d.features && c.point_a == d.point_a && c.point_b == d.point_b);
}

void check_overlap(const Case& c, const Overlap& o) {
  require(c, finite(o), "all of an overlap is finite");
  require(c, o.area >= 0.0 && o.depth >= 0.0 && o.chord() >= 0.0, "area, depth and chord are not negative");
  if (!o.touching()) return;
  const double size = std::min(c.a.bounding_radius(), c.b.bounding_radius());
  const double reach = c.a.bounding_radius() + c.b.bounding_radius() + c.b_in_a.position.norm();
  const double rounding = 64.0 * kEpsilon * reach;
  require(c, o.area <= std::min(c.a.area(), c.b.area()) * (1.0 + 1e-9) + rounding * size, "no more than the smaller");
  require(c, std::abs(o.normal.norm() - 1.0) < 1e-12, "the normal is a unit vector");
  require(c, o.depth <= 2.0 * size + rounding, "the depth is within the smaller");
  require(c, o.centroid.norm() <= c.a.bounding_radius() + rounding, "the centroid is in a's circle");
  require(c, (o.centroid - c.b_in_a.position).norm() <= c.b.bounding_radius() + rounding, "... and in b's");
  const Vec2 chord = o.chord_end - o.chord_begin;
  const double far = o.chord_begin.norm() + o.chord_end.norm() + reach;
  require(c, std::abs(chord.dot(o.normal)) <= 64.0 * kEpsilon * far, "the chord is perpendicular to the normal");

  const Overlap swapped = overlap(c.b.vertices(), c.a.vertices(), c.b_in_a.inverse());
  require(c, std::abs(swapped.area - o.area) <= 4.0 * rounding * size, "swapped, the area is the same to rounding");
}

void check_pair(const Case& c) {
  const Outline a = c.a.vertices();
  const Outline b = c.b.vertices();
  const ClosestFeatures closest = closest_features(a, b, c.b_in_a, {});
  ClosestFeatures handed_back = closest;
  const Overlap shared = overlap(a, b, c.b_in_a, handed_back);
  require(c, closest.relation == Relation::kApart || closest.distance == 0.0, "only what is apart has a distance");
  require(c, closest.relation != Relation::kApart || !shared.touching(), "what is apart does not overlap");
  require(c, std::isfinite(closest.distance) && closest.distance >= 0.0, "a distance is finite and not negative");
  check_overlap(c, shared);
  require(c, overlap_polygon(a, b, c.b_in_a, c.hints[0]).empty() != shared.touching(), "a region if they touch");
  for (const FeaturePair& hint : {c.hints[0], c.hints[1], closest.features, handed_back.features}) {
    ClosestFeatures found = closest_features(a, b, c.b_in_a, hint);
    found.leaving = c.hints[1];
    require(c, same_bits(found, closest), "no hint changes a bit of the closest features");
    require(c, same_bits(overlap(a, b, c.b_in_a, found), shared), "no hint changes a bit of the overlap");
    require(c, found.features.a < 2 * a.size() && found.features.b < 2 * b.size(), "features are in range");
  }
  const std::string wrong = test::exact_disagreement(a, b, c.b_in_a, closest, shared);
  require(c, wrong.empty(), wrong.c_str());
}

/// b's place and bounding circle serve as a disk.
void check_disk(const Case& c) {
  const Outline a = c.a.vertices();
  const double radius = c.b.bounding_radius();
  Feature nearest = 0;
  const Overlap shared = overlap_polygon_disk(a, c.b_in_a.position, radius, nearest);
  require(c, finite(shared), "disk: all of an overlap is finite");
  require(c, shared.area >= 0.0 && shared.area <= std::numbers::pi * radius * radius * (1.0 + 1e-12),
          "disk: no more than the disk");
  require(c, shared.depth >= 0.0 && shared.depth <= 2.0 * radius, "disk: no deeper than the disk");
  if (shared.touching()) require(c, std::abs(shared.normal.norm() - 1.0) < 1e-12, "disk: the normal is a unit vector");
  for (Feature hint : {c.hints[0].a, c.hints[1].a, nearest}) {
    const Overlap again = overlap_polygon_disk(a, c.b_in_a.position, radius, hint);
    require(c, same_bits(again, shared), "disk: no hint changes a bit");
    require(c, hint < 2 * a.size(), "disk: the hint stays in range");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const int of_b = bytes.ConsumeIntegralInRange<int>(0, 3);
  const auto hint = [&] {
    return FeaturePair{bytes.ConsumeIntegralInRange<Feature>(0, 201), bytes.ConsumeIntegralInRange<Feature>(0, 201)};
  };
  const FeaturePair one = hint();
  const FeaturePair other = hint();
  const std::optional<Polygon> a = polygon(bytes);
  if (!a) return 0;
  std::optional<Polygon> b = of_b == 0 ? a : polygon(bytes);
  if (!b) return 0;
  if (of_b == 1) b = b->scaled(std::ldexp(1.0, bytes.ConsumeIntegralInRange<int>(-20, 20)));
  const Case c{*a, *b, pose(bytes, *a, *b), {one, other}};
  check_pair(c);
  check_disk(c);
  return 0;
}
