#pragma once

#include "dem/scene/measure.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// A function W(r) whose integral over the plane is 1.
class SmoothingKernel {
 public:
  /// @param width  w above [m], > 0
  SmoothingKernel(KernelKind kind, double width) : kind_(kind), width_(width) {}

  /// Beyond it the kernel is 0, or below 3e-18 of its greatest value [m].
  double reach() const { return kind_ == KernelKind::gauss ? 9.0 * width_ : width_; }
  double width() const { return width_; }

  /// W at a distance from the centre [1/m^2].
  double at(const Vec2& offset) const;
  /// Its mean along a branch: integral over s from 0 to 1 of W(offset + s branch), in closed form [1/m^2].
  /// @param offset  from the centre of the particle to the point asked for [m]
  /// @param branch  from the point of contact to the centre of the particle [m]
  double along(const Vec2& offset, const Vec2& branch) const;

 private:
  KernelKind kind_;
  double width_;
};

}  // namespace scree
