#pragma once

#include <cstdint>

#include "dem/hard/flight/cell.hpp"
#include "dem/hard/flight/prediction.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/region.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// Where the disks fly: the domain, its sides and the field. Constant throughout a run, but for a cell that deforms.
struct Space {
  Space(const Domain& of, bool is_open, const Vec2& acceleration, std::uint64_t its_seed = 1)
      : domain(of),
        periodic(of),
        open(is_open && !(of.periodic[0] && of.periodic[1])),
        gravity{acceleration},
        falls(!acceleration.isZero()),
        seed(its_seed),
        cell(of) {
    follow_cell();
  }

  Domain domain;  ///< when the clock shows 0
  Periodic periodic;
  bool open;  ///< there are sides that are not periodic, and disks leave through them; else such sides are hard
  Gravity gravity;
  bool falls;  ///< gravity is not zero
  std::uint64_t seed;
  Cell cell;
  Region certain;  ///< inside the domain throughout the clock's epoch [m]

  /// The clock shows 0 instead of `now`. @return by which the velocity gradient of the cell has changed
  Components rebase(double now) {
    const Components change = cell.rebase(now);
    follow_cell();
    return change;
  }
  /// The domain and what is certain, once the cell begins an epoch.
  void follow_cell() {
    certain = {domain.lo, domain.hi};
    if (!cell.stretches()) return;
    domain.lo = cell.lo_at(0.0);
    domain.hi = cell.hi_at(0.0);
    const double end = cell.end_of_epoch();
    certain = {domain.lo.cwiseMax(cell.lo_at(end)), domain.hi.cwiseMin(cell.hi_at(end))};
  }
  Domain domain_at(double time) const {
    Domain then = domain;
    if (!cell.stretches()) return then;
    then.lo = cell.lo_at(time);
    then.hi = cell.hi_at(time);
    return then;
  }
  /// True only if a position needs no wrapping, by its being inside the domain.
  bool is_inside(const Vec2& position) const {
    return position.x() >= certain.lo.x() && position.x() < certain.hi.x() && position.y() >= certain.lo.y() &&
           position.y() < certain.hi.y();
  }
  /// Calls `act` with the field. It is compiled for each, so that straight flights cost nothing more.
  template <class Act>
  auto in_field(const Act& act) const {
    return falls ? act(gravity) : act(NoField{});
  }
  Vec2 position_at(const Flight& flight, double time) const {
    return in_field([&](const auto& field) { return flight.position_at(time, field); });
  }
  Vec2 velocity_at(const Flight& flight, double time) const {
    return in_field([&](const auto& field) { return flight.velocity_at(time, field); });
  }
  /// From a body to its image, in periods of now [m].
  Vec2 shift(const Image& image, double time) const {
    return cell.exists() ? cell.shift(image, time) : periodic.shift(image);
  }
  Image periods_outside(const Vec2& position, double time) const {
    return cell.exists() ? cell.periods_outside(position, time) : periodic.periods_outside(position);
  }
  Vec2 displacement_until(const Flight& flight, double time) const {
    return in_field([&](const auto& field) { return flight.displacement_until(time, field); });
  }
};

}  // namespace scree::hard
