#pragma once

#include <array>
#include <cstdint>

#include "geometry/vec.hpp"

namespace scree {

/// With which a particle's mass, or a contact's stress, is spread over the plane.
enum class KernelKind : std::uint8_t {
  gauss,  ///< exp(-r^2 / 2 w^2) / (2 pi w^2)
  lucy    ///< 5 / (pi w^2) (1 + 3 r/w) (1 - r/w)^3 up to r = w, 0 beyond
};

/// As users write them, in the order of KernelKind.
inline constexpr std::array<const char*, 2> kKernelNames = {"gauss", "lucy"};

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
