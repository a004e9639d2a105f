#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dem/scene/domain.hpp"
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

/// Components xx, yy, xy of an upper triangular matrix.
using Components = Eigen::Array3d;

/// An upper triangular matrix times a vector.
inline Vec2 times(const Components& matrix, const Vec2& v) {
  return {matrix[0] * v.x() + matrix[2] * v.y(), matrix[1] * v.y()};
}

/// A periodic cell that deforms, at one time. Its periods are a = (length x, 0) and b = (tilt, length y).
struct CellShape {
  Vec2 centre = Vec2::Zero();  ///< which stays where it is [m]
  Vec2 length = Vec2::Zero();  ///< [m]
  double tilt = 0.0;           ///< at most half of length x [m]
  /// How often the tilt was set back by length x. Images count periods of the cell without that: b + flips * a.
  std::int32_t flips = 0;
  Components rate = Components::Zero();  ///< velocity gradient of the homogeneous flow [1/s]
};

/// The periodic sides of a domain. Along periodic axes a body is inside the domain; its images are displaced by whole
/// periods.
///
/// A cell that deforms is a rectangle all the same: those that leave it through its top come back at its bottom,
/// displaced by the tilt and slower by the difference of the flow's velocities, as A. W. Lees & S. F. Edwards (J. Phys.
/// C 5, 1921, 1972) have it. The periods along x and the tilt are whole multiples of a power of two so small that sums
/// of them are exact: which image stands for a pair, and when the tilt is set back, changes no bit of a distance.
class Periodic {
 public:
  explicit Periodic(const Domain& domain)
      : lo_(domain.lo),
        hi_(domain.hi),
        period_(domain.periodic[0] ? domain.hi.x() - domain.lo.x() : 0.0,
                domain.periodic[1] ? domain.hi.y() - domain.lo.y() : 0.0) {
    for (const int axis : {0, 1}) {
      if (!along(axis)) continue;
      inner_lo_[axis] = lo_[axis];
      inner_hi_[axis] = hi_[axis];
    }
  }

  bool any() const { return along(0) || along(1); }
  bool along(int axis) const { return period_[axis] > 0.0; }
  /// Length of the domain; 0 along axes that are not periodic [m].
  const Vec2& period() const { return period_; }

  /// Whether it is a cell that deforms.
  bool deforms() const { return deforms_; }
  /// A period along x, or a tilt, as it is in a cell of a length: a whole number of quanta [m].
  static double in_quanta(double way, double length) {
    const double quantum = std::ldexp(1.0, std::ilogb(length) - 40);
    return std::nearbyint(way / quantum) * quantum;
  }
  /// @pre periodic along both axes
  void deform(const CellShape& shape) {
    deforms_ = true;
    period_ = {in_quanta(shape.length.x(), shape.length.x()), shape.length.y()};
    tilt_ = in_quanta(shape.tilt, shape.length.x());
    flips_ = shape.flips;
    rate_ = shape.rate;
    centre_ = shape.centre;
    lo_ = centre_ - 0.5 * period_;
    hi_ = lo_ + period_;
    const Vec2 rounding = 1e-9 * period_ + 1e-14 * (lo_.cwiseAbs() + hi_.cwiseAbs());
    inner_lo_ = lo_ + rounding;
    inner_hi_ = hi_ - rounding;
  }
  /// The lower left corner of the domain [m].
  const Vec2& lo() const { return lo_; }

  /// Velocity of the homogeneous flow at a position, 0 if the domain does not deform [m/s].
  Vec2 flow(const Vec2& position) const { return deforms_ ? times(rate_, position - centre_) : Vec2(Vec2::Zero()); }
  /// The velocity of an image relative to its body [m/s]. @param displacement of the image [m]
  Vec2 drift(const Vec2& displacement) const { return deforms_ ? times(rate_, displacement) : Vec2(Vec2::Zero()); }

  /// Displacement from a body to its image [m].
  Vec2 shift(const Image& image) const {
    if (deforms_) [[unlikely]]
      return shift_in_cell(image);
    return {image[0] * period_.x(), image[1] * period_.y()};
  }

  /// Number of periods by which a position is outside the domain, at most 2^24 of them; 0 along axes that are not
  /// periodic, and for not-a-number.
  Image periods_outside(const Vec2& position) const {
    const auto periods = [&](int axis, double x) -> std::int32_t {
      if (!along(axis) || !(x < lo_[axis] || x >= hi_[axis])) return 0;
      constexpr double kMost = 1 << 24;
      return static_cast<std::int32_t>(std::clamp(std::floor((x - lo_[axis]) / period_[axis]), -kMost, kMost));
    };
    if (!deforms_) [[likely]]
      return {periods(0, position.x()), periods(1, position.y())};
    const std::int32_t up = periods(1, position.y());
    return named(periods(0, position.x() - up * tilt_), up);
  }

  /// Whether a body in this box needs an image at a number of periods along an axis.
  /// @param step -1, 0 or 1; 0 is the body itself  @pre it does not deform
  bool needs_image(const Aabb2& box, int axis, int step) const {
    if (step == 0) return true;
    return along(axis) && (step > 0 ? box.lo[axis] <= lo_[axis] : box.hi[axis] >= hi_[axis]);
  }
  /// Whether a body in this box reaches no side, so that it needs no image. May say no of a cell that deforms, where it
  /// is so near that rounding decides.
  bool is_inside(const Aabb2& box) const {
    return box.lo.x() > inner_lo_.x() && box.hi.x() < inner_hi_.x() && box.lo.y() > inner_lo_.y() &&
           box.hi.y() < inner_hi_.y();
  }

  /// A bit for each of the images of a body that may reach into the domain, the body itself included. In a cell that
  /// deforms they are kMostAlongX periods away at most along x, beside the tilt; else one along each axis.
  static constexpr int kMostAlongX = 2;
  /// @param along_x, along_y in periods a and b of now: those along x do not count flips
  static std::uint32_t bit(int along_x, int along_y) {
    return 1U << static_cast<unsigned>((along_x + kMostAlongX) * 3 + along_y + 1);
  }
  /// @param box of the body, which is inside the domain, not much wider than half a period
  /// @param spans axes along which the body coincides with its images  @pre no cell that deforms, if there are some
  std::uint32_t needed_images(const Aabb2& box, const std::array<bool, 2>& spans) const {
    std::uint32_t needed = bit(0, 0);
    if (!deforms_) {
      const auto reaches = [&](int axis, int step) {
        return step == 0 || (!spans[static_cast<std::size_t>(axis)] && needs_image(box, axis, step));
      };
      for (const int x : {-1, 0, 1}) {
        for (const int y : {-1, 0, 1}) needed |= reaches(0, x) && reaches(1, y) ? bit(x, y) : 0U;
      }
      return needed;
    }
    for (int y = -1; y <= 1; ++y) {
      const double rise = y * period_.y();
      if (y != 0 && (box.hi.y() + rise < lo_.y() || box.lo.y() + rise > hi_.y())) continue;
      for (int x = -kMostAlongX; x <= kMostAlongX; ++x) {
        const double way = x * period_.x() + y * tilt_;
        if (box.hi.x() + way >= lo_.x() && box.lo.x() + way <= hi_.x()) needed |= bit(x, y);
      }
    }
    return needed;
  }
  /// An image in periods of now, as the numbers that name it at any time.
  Image named(std::int32_t along_x, std::int32_t along_y) const {
    return {static_cast<std::int32_t>(along_x - std::int64_t{along_y} * flips_), along_y};
  }
  /// The other way round.
  Image counted(const Image& image) const {
    return {static_cast<std::int32_t>(image[0] + std::int64_t{image[1]} * flips_), image[1]};
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
  Vec2 shift_in_cell(const Image& image) const {
    const Image now = counted(image);
    return {now[0] * period_.x() + now[1] * tilt_, now[1] * period_.y()};
  }

  Vec2 lo_;
  Vec2 hi_;
  Vec2 period_;
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  Vec2 inner_lo_ = {-kFar, -kFar};  // see is_inside()
  Vec2 inner_hi_ = {kFar, kFar};
  // The shape of a cell that deforms; see CellShape.
  bool deforms_ = false;
  std::int32_t flips_ = 0;
  double tilt_ = 0.0;
  Components rate_ = Components::Zero();
  Vec2 centre_ = Vec2::Zero();
};

}  // namespace scree
