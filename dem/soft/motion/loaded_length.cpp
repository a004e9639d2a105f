#include "dem/soft/motion/loaded_length.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace scree::soft {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Interval {
  double lo = kInfinity;
  double hi = -kInfinity;

  void add(double value) {
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
};

/// What a convex outline has of a line, measured along it. @param level where the line is along `direction` [m]
Interval cut(const Bodies& bodies, std::uint32_t body, const Vec2& direction, double level) {
  const Pose pose = bodies.pose(body);
  const auto outline = bodies.shape(body).outline;
  const Vec2 along = perp(direction);
  Interval found;
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const Vec2 from = pose * outline[k];
    const Vec2 to = pose * outline[k + 1 < outline.size() ? k + 1 : 0];
    const double a = from.dot(direction) - level;
    const double b = to.dot(direction) - level;
    if (a == 0.0) found.add(from.dot(along));
    if ((a < 0.0) != (b < 0.0) && a != 0.0 && b != 0.0) found.add((from + a / (a - b) * (to - from)).dot(along));
  }
  return found;
}

}  // namespace

double loaded_length(const Bodies& bodies, const Periodic& periodic, const Vec2& direction,
                     const std::function<bool(std::uint32_t)>& belongs) {
  const Vec2 along = perp(direction);
  double front = -kInfinity;
  Interval width;
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    if (bodies.is_absent(body) || !belongs(body)) continue;
    const Pose pose = bodies.pose(body);
    for (const Vec2& vertex : bodies.shape(body).outline) {
      const Vec2 corner = pose * vertex;
      front = std::max(front, corner.dot(direction));
      width.add(corner.dot(along));
    }
  }
  if (!(width.lo < width.hi)) return 0.0;
  std::vector<Interval> covered;
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    if (bodies.is_absent(body) || belongs(body)) continue;
    if (const Interval part = cut(bodies, body, direction, front); part.lo < part.hi) covered.push_back(part);
  }
  std::ranges::sort(covered, {}, [](const Interval& part) { return std::pair(part.lo, part.hi); });
  double longest = 0.0;
  double free_from = width.lo;
  for (const Interval& part : covered) {
    longest = std::max(longest, std::min(part.lo, width.hi) - free_from);
    free_from = std::max(free_from, part.hi);
  }
  longest = std::max(longest, width.hi - free_from);
  for (const int axis : {0, 1}) {
    if (periodic.along(axis) && std::abs(along[axis]) == 1.0) longest = std::min(longest, periodic.period()[axis]);
  }
  return longest;
}

}  // namespace scree::soft
