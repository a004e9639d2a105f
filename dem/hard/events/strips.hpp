#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/periodic.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// A stretch of the axis along which a domain is divided [m].
struct Stretch {
  double lo = kNever;
  double hi = -kNever;

  void include(double x) {
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  }
  void include(const Stretch& other) {
    lo = std::min(lo, other.lo);
    hi = std::max(hi, other.hi);
  }
  double centre() const { return 0.5 * (lo + hi); }
  double half_width() const { return 0.5 * (hi - lo); }
};

/// A domain divided into strips with about as many disks each. Along a periodic axis the last one borders on the first
/// one, and coordinates that differ by periods are the same.
class Strips {
 public:
  /// Along the longer axis across gravity. There is one strip only if two would be too narrow.
  /// @param most strips  @param least_width of a strip [m]
  Strips(const Disks& disks, const Space& space, double now, std::size_t most, double least_width);

  int axis() const { return axis_; }
  std::size_t count() const { return ends_.size() - 1; }
  /// Coordinate of a disk, as if nothing had ever been wrapped into the domain [m].
  double coordinate(const Disks& disks, Index i, double now) const {
    const Flight& flight = disks.flight(i);  // gravity has no part along the axis
    return coordinate(flight.position, disks.wraps(i)) + flight.velocity[axis_] * (now - flight.time);
  }
  double coordinate(const Vec2& position, const Image& wraps) const {
    return position[axis_] + wraps[static_cast<std::size_t>(axis_)] * period_;
  }
  Stretch operator[](std::size_t strip) const { return {ends_[strip], ends_[strip + 1]}; }
  bool has_another_below(std::size_t strip) const { return period_ != 0.0 || strip > 0; }
  bool has_another_above(std::size_t strip) const { return period_ != 0.0 || strip + 1 < count(); }
  /// The strip that contains a coordinate, or the outermost one.
  std::size_t at(double x) const;
  /// Periods that bring x as near as can be to a strip's middle [m].
  double shift_to(std::size_t strip, double x) const { return shift(x, (*this)[strip].centre()); }
  /// From a strip to a coordinate; negative inside [m].
  double distance(std::size_t strip, double x) const {
    const Stretch here = (*this)[strip];
    return std::abs(x + shift(x, here.centre()) - here.centre()) - here.half_width();
  }
  /// Whether points of two stretches are within that distance of each other.
  bool meet(const Stretch& a, const Stretch& b, double distance) const {
    const double between = b.centre() + shift(b.centre(), a.centre()) - a.centre();
    return std::abs(between) <= a.half_width() + b.half_width() + distance;
  }

 private:
  double shift(double x, double to) const {
    return std::abs(to - x) <= 0.5 * period_ || period_ == 0.0 ? 0.0 : period_ * std::nearbyint((to - x) / period_);
  }

  int axis_;
  double period_;             // 0: none [m]
  std::vector<double> ends_;  // of the strips, ascending [m]
};

}  // namespace scree::hard
