#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "geometry/union.hpp"
#include "geometry/vec.hpp"

namespace scree {

struct Disk {
  bool operator==(const Disk&) const = default;
};
struct RegularPolygon {
  int vertices = 6;

  bool operator==(const RegularPolygon&) const = default;
};
/// See random_convex_polygon: each grain draws its own.
struct RandomPolygon {
  std::array<int, 2> vertices = {5, 8};       ///< least and greatest number
  std::array<double, 2> aspect = {1.0, 1.0};  ///< least and greatest ratio of axes

  bool operator==(const RandomPolygon&) const = default;
};
/// Any convex polygon; only its form counts, the size comes from the group's size.
struct ExplicitPolygon {
  std::vector<Vec2> vertices;

  bool operator==(const ExplicitPolygon&) const = default;
};
/// Soft mode: a grain of several convex parts, polygons and disks, that move together; only their form counts.
class Clump {
 public:
  static constexpr std::size_t kMostParts = 100;

  /// @throws GeometryError, see unite
  explicit Clump(std::vector<ConvexPart> parts)
      : parts_(std::move(parts)), whole_(std::make_shared<const Union>(unite(parts_))) {}

  const std::vector<ConvexPart>& parts() const { return parts_; }  ///< they hang together
  const Union& whole() const { return *whole_; }                   ///< what they make together

  bool operator==(const Clump& other) const { return parts_ == other.parts_; }

 private:
  std::vector<ConvexPart> parts_;
  std::shared_ptr<const Union> whole_;  // the same for all copies
};
using ShapeSpec = std::variant<Disk, RegularPolygon, RandomPolygon, ExplicitPolygon, Clump>;

}  // namespace scree
