#include "dem/hard/epochs.hpp"

#include <algorithm>
#include <cmath>

#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/flight/drift.hpp"
#include "dem/hard/placing.hpp"
#include "dem/hard/world_kinds.hpp"

namespace scree::hard {

namespace {

/// @param energy translational, that all disks get together [J]
template <FindsNeighbours B, EventQueue Q, class K>
void rescale_velocities(World<B, Q, K>& world, double energy) {
  const double before = world.disks.translational_energy();
  world.energy.rescaling += before - energy;
  if constexpr (K::kHaveForms) world.energy.rescaling += world.disks.rotational_energy() * (1.0 - energy / before);
  world.disks.scale_velocities(std::sqrt(energy / before));
  plan_rebasing(world);
  plan_exits(world);
}

/// Grains are as large as they are now, and turn as fast as before: their moments of inertia are those of their
/// outlines.
template <FindsNeighbours B, EventQueue Q, class K>
void rebase_sizes(World<B, Q, K>& world) {
  const double before = world.compression.growth().scale;
  world.compression.rebase(world.now);
  if constexpr (K::kHaveForms) {
    if (!world.compression.grows()) return;
    const double rotational = world.disks.rotational_energy();
    for (Index i = 0; i < world.disks.size(); ++i) {
      const GrowthShare share = world.compression.share(world.disks, i);
      const double grown = share.at(world.compression.growth().scale) / share.at(before);
      world.disks.scale_inertia(i, grown * grown);
    }
    world.energy.rescaling += rotational - world.disks.rotational_energy();
  }
}

/// Boxes near the sides get the partners that come along there. Events stay unless a disk hits one of them before.
template <FindsNeighbours B, EventQueue Q, class K>
void move_images(World<B, Q, K>& world) {
  if constexpr (kCanDeform<B>) {
    place_images(world);
    const auto predictor = hard::predictor(world);
    for (Index i = 0; i < world.disks.size(); ++i) {
      const double radius = world.disks.flight(i).radius * world.reach;
      if (!world.neighbourhood.has_moving_images(i, radius)) continue;
      const std::span<const Partner> newcomers =
          world.neighbourhood.move(i, world.neighbourhood.boxes().centre(i), radius);
      if (!newcomers.empty()) reschedule(world, i, predictor.next_event_with(i, newcomers));
    }
  }
}

}  // namespace

template <FindsNeighbours B, EventQueue Q, class K>
void plan_rebasing(World<B, Q, K>& world) {
  const std::size_t disks = world.disks.size();
  world.rebasing.plan(
      world.disks.all(),
      world.compression.grows() ? world.compression.changes_until_rescaling(disks) : changes_until_rebase(disks),
      max_path(world), world.space.gravity.acceleration);
  if constexpr (K::kHaveForms) {
    for (Index i = 0; i < world.disks.size(); ++i)
      world.rebasing.update_deadline(K::speed_squared(world.disks, i), 0.0);
  }
  if (world.space.cell.exists()) world.rebasing.end_by(world.space.cell.end_of_epoch());
}

template <FindsNeighbours B, EventQueue Q, class K>
void rebase_flights(World<B, Q, K>& world) {
  const bool some_left = world.disks.has_places_of_departed();
  world.disks.compact();
  world.energy.scale = world.energy.scale_with(world.disks.kinetic_energy(world.now, world.space));
  for (Index i = 0; i < world.disks.size() && world.space.cell.exists(); ++i) world.end_flight(i);
  if (world.space.cell.exists()) remove_drift(world.space, world.disks, world.now, world.recorder.cell_sums());
  world.disks.rebase(world.now, world.space);
  const Components change = world.space.rebase(world.now);
  if (!change.isZero(0.0)) world.disks.follow_flow(change, world.space.cell);
  rebase_sizes(world);
  world.rebasing.rebase_clock(world.now);
  world.walls.rebase(world.rebasing.clock(), world.now);
  world.now = 0.0;
  plan_rebasing(world);
  if (!world.has_boxes()) return;
  some_left || world.space.cell.exists() ? place_boxes(world, world.neighbourhood.boxes().capacity())
                                         : invalidate_events(world);
}

template <FindsNeighbours B, EventQueue Q, class K>
void rebase_clock(World<B, Q, K>& world, Index last) {
  const double elapsed = world.now;
  const std::uint64_t changes = world.rebasing.changes();
  if (const auto problem = world.watchdog.check_epoch({.changes = changes,
                                                       .duration = elapsed,
                                                       .present = world.present(),
                                                       .disks = world.disks.size(),
                                                       .contact_duration = world.rules.contact_duration(),
                                                       .grows = world.compression.grows(),
                                                       .last = world.name_and_speed(last)})) {
    world.stop(*problem);
  }
  rebase_flights(world);
  if (world.space.cell.stretches()) world.require_no_jam(changes);
  if (world.compression.grows())
    rescale_velocities(world, world.compression.measure(elapsed, world.disks.translational_energy()));
}

template <FindsNeighbours B, EventQueue Q, class K>
void carry_out_global_event(World<B, Q, K>& world) {
  world.now = next_global_event(world);
  if (world.now == world.rebasing.deadline()) return rebase_clock(world, world.disks.last_to_begin());
  if constexpr (kCanDeform<B>) {
    if (world.now == world.neighbourhood.images_until()) return move_images(world);
  }
  if (world.compression.outgrows_boxes_first(world.reach))
    return place_boxes(world, world.neighbourhood.boxes().capacity());
  rebase_flights(world);
  rescale_velocities(world, world.compression.reach_goal());
}

#define SCREE_INSTANTIATE(B, Q, K)                       \
  template void carry_out_global_event(World<B, Q, K>&); \
  template void rebase_clock(World<B, Q, K>&, Index);    \
  template void rebase_flights(World<B, Q, K>&);         \
  template void plan_rebasing(World<B, Q, K>&);
SCREE_FOR_HARD_WORLDS(SCREE_INSTANTIATE)
#undef SCREE_INSTANTIATE

}  // namespace scree::hard
