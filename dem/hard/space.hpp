#pragma once

#include "dem/hard/prediction.hpp"
#include "dem/hard/cell.hpp"
#include "dem/periodic.hpp"
#include "dem/scene.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// Where the disks fly: the domain, its sides and the field. Constant throughout a run, but for the shear of a cell,
/// which is that of the clock's epoch.
struct Space {
  Space(const Domain& of, bool is_open, const Vec2& acceleration)
      : domain(of), periodic(of), open(is_open), gravity{acceleration}, falls(!acceleration.isZero()), cell(of) {}

  Domain domain;
  Periodic periodic;
  bool open;  ///< disks leave through sides that are not periodic; else these are hard
  Gravity gravity;
  bool falls;  ///< gravity is not zero
  Cell cell;

  /// Whether a position needs no wrapping, by its being inside the domain.
  bool is_inside(const Vec2& position) const {
    return position.x() >= domain.lo.x() && position.x() < domain.hi.x() && position.y() >= domain.lo.y() &&
           position.y() < domain.hi.y();
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
