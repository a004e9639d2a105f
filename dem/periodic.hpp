#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "dem/scene.hpp"
#include "geometry/aabb.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// A periodic image: numbers of periods along x and along y.
using Image = std::array<std::int32_t, 2>;

/// Whether an image that was loaded is so near that sums of a few do not overflow.
inline bool is_moderate(const Image& image) {
  constexpr std::int32_t kMost = 1 << 29;
  return -kMost < image[0] && image[0] < kMost && -kMost < image[1] && image[1] < kMost;
}

/// The periodic sides of a domain. Along periodic axes a body is inside the domain; its images are displaced by whole
/// periods.
class Periodic {
 public:
  explicit Periodic(const Domain& domain)
      : lo_(domain.lo),
        hi_(domain.hi),
        period_(domain.periodic[0] ? domain.hi.x() - domain.lo.x() : 0.0,
                domain.periodic[1] ? domain.hi.y() - domain.lo.y() : 0.0) {}

  bool any() const { return along(0) || along(1); }
  bool along(int axis) const { return period_[axis] > 0.0; }
  /// Length of the domain; 0 along axes that are not periodic [m].
  const Vec2& period() const { return period_; }

  /// Displacement from a body to its image [m].
  Vec2 shift(const Image& image) const { return {image[0] * period_.x(), image[1] * period_.y()}; }

  /// Number of periods by which a position is outside the domain, at most 2^24 of them; 0 along axes that are not
  /// periodic, and for not-a-number.
  Image periods_outside(const Vec2& position) const {
    const auto periods = [&](int axis) -> std::int32_t {
      const double x = position[axis];
      if (!along(axis) || !(x < lo_[axis] || x >= hi_[axis])) return 0;
      constexpr double kMost = 1 << 24;
      return static_cast<std::int32_t>(std::clamp(std::floor((x - lo_[axis]) / period_[axis]), -kMost, kMost));
    };
    return {periods(0), periods(1)};
  }

  /// Whether a body in this box needs an image at a number of periods along an axis.
  /// @param step -1, 0 or 1; 0 is the body itself
  bool needs_image(const Aabb2& box, int axis, int step) const {
    if (step == 0) return true;
    return along(axis) && (step > 0 ? box.lo[axis] <= lo_[axis] : box.hi[axis] >= hi_[axis]);
  }

  /// Calls act(image) for the body itself and its images one period away: along x, for each of these along y.
  template <class Act>
  void for_each_near_image(const Act& act) const {
    const std::int32_t along_x = along(0) ? 1 : 0;
    const std::int32_t along_y = along(1) ? 1 : 0;
    for (std::int32_t x = -along_x; x <= along_x; ++x) {
      for (std::int32_t y = -along_y; y <= along_y; ++y) act(Image{x, y});
    }
  }

 private:
  Vec2 lo_;
  Vec2 hi_;
  Vec2 period_;
};

}  // namespace scree
