#pragma once

#include "dem/hard/flight/cell.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/space.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// Takes out of the stress what the mean velocity of all disks beside the flow has put into it since the clock showed
/// 0, so that it does not depend on a velocity that all have in common. Collisions keep that mean, and the flow changes
/// it as it changes the velocity of a disk: it is that of one with the mass of all. Work stays: the drive does it.
/// @param now on the clock [s] @param sums with all flights until now
/// Cost: O(N)
inline void remove_drift(const Space& space, const Disks& disks, double now, CellSums& sums) {
  Vec2 momentum = Vec2::Zero();
  double mass = 0.0;
  for (Index i = 0; i < disks.size(); ++i) {
    const Flight& flight = disks.flight(i);
    momentum += disks.mass(i) * space.cell.beside_flow(space.position_at(flight, now), flight.velocity, now);
    mass += disks.mass(i);
  }
  if (mass == 0.0) return;
  const Vec2 drift = momentum / mass;
  const Vec2 centre = 0.5 * (space.cell.lo_at(0.0) + space.cell.hi_at(0.0));  // where nothing flows; it stays
  CellSums of_mean;
  space.cell.add_flight({centre - drift * now, drift, 0.0, 0.0}, mass, now, of_mean);
  sums.kinetic -= of_mean.kinetic;
}

}  // namespace scree::hard
