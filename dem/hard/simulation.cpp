#include "dem/hard/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/hard/audit.hpp"
#include "dem/hard/boxes/box_margin.hpp"
#include "dem/hard/epochs.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/placing.hpp"
#include "dem/hard/world_kinds.hpp"
#include "dem/room.hpp"

namespace scree::hard {

namespace {

/// Room for twice as many disks as are present. Boxes and events are made anew, which changes no future.
template <FindsNeighbours B, EventQueue Q, class K>
void grow_capacity(World<B, Q, K>& world) {
  constexpr std::size_t kAtLeast = 64;
  world.disks.compact();
  place_boxes(world, std::max(kAtLeast, 2 * world.disks.size()));
}

}  // namespace

template <FindsNeighbours B, EventQueue Q, class K>
BasicSimulation<B, Q, K>::BasicSimulation(const Setup& setup) : world_(setup) {
  plan_rebasing(world_);
  place_boxes(world_, world_.disks.size());
  if (!setup.is_for_load) check_start(view(world_));
  Wells& wells = world_.wells;
  if (wells.exist()) {
    wells.pairs.assign(world_.disks.size(),
                       pairs_by_distance(wells.well, world_.disks, world_.neighbourhood.boxes(), world_.space));
  }
  world_.energy.in = wells.energy();
  for (Index i = 0; i < world_.disks.size(); ++i) world_.energy.in += world_.disks.energy(i, 0.0, world_.space);
}

template <FindsNeighbours B, EventQueue Q, class K>
bool BasicSimulation<B, Q, K>::has_room_for(const Vec2& position, double radius) const {
  const double now = world_.now_on_clock();
  const FlyingDisk disk{{position, Vec2::Zero(), now, radius}};
  if (world_.walls.nearest(disk, world_.space, now).gap < 0.0) return false;
  std::vector<Index> found;
  const auto near = [&](const Aabb2& box, const auto& take) {
    world_.neighbourhood.query(box, found);
    for (const Index i : found) {
      const Flight& flight = world_.disks.flight(i);
      const Vec2 centre =
          world_.space.position_at(flight, now) + world_.space.periodic.shift(world_.disks[i].box_image_offset);
      take(disk_shape(flight.radius), Pose{centre, {}});
    }
  };
  return has_room(disk_shape(radius), {position, {}}, world_.space.periodic, near);
}

template <FindsNeighbours B, EventQueue Q, class K>
bool BasicSimulation<B, Q, K>::has_room_for(const ShapeView& shape, const Pose& pose) const {
  if constexpr (!K::kHaveForms) return has_room_for(pose.position, shape.radius);
  const double now = world_.now_on_clock();
  if (world_.walls.overlap(shape, pose, now)) return false;
  std::vector<Index> found;
  const auto near = [&](const Aabb2& box, const auto& take) {
    world_.neighbourhood.query(box, found);
    for (const Index i : found) {
      const Vec2 centre = world_.space.position_at(world_.disks.flight(i), now) +
                          world_.space.periodic.shift(world_.disks[i].box_image_offset);
      const GrainForm& form = world_.disks.forms()[i];
      const std::vector<Vec2> corners = form.corners();
      take(ShapeView{corners, form.shape.bounding_radius()}, world_.disks.pose(i, centre, now));
    }
  };
  return has_room(shape, pose, world_.space.periodic, near);
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::add(const NewDisk& disk) {
  require_boxes(world_);
  world_.now = world_.now_on_clock();
  const DiskBoxes& boxes = world_.neighbourhood.boxes();
  if (world_.disks.size() == boxes.capacity()) grow_capacity(world_);
  const Index i = world_.disks.add(disk, world_.now);
  world_.rebasing.add(K::speed_squared(world_.disks, i), world_.now, max_path(world_),
                      world_.space.gravity.acceleration);
  world_.disks.synchronize(i, world_.now, world_.space);
  world_.energy.in += world_.disks.energy(i, world_.now, world_.space);
  const Vec2 centre = world_.disks.place_box(i, world_.now, world_.space);
  world_.neighbourhood.insert(i, centre, disk.radius);
  world_.walls.find(i, boxes.box(centre, disk.radius));
  set_event(world_, i, Event::advancement(world_.now, i));
  world_.exits.plan(i, predictor(world_).box_exit_time(i, world_.now));
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::reverse() {
  require_boxes(world_);
  world_.now = world_.now_on_clock();
  world_.disks.reverse(world_.now, world_.space);
  invalidate_events(world_);
}

template <FindsNeighbours B, EventQueue Q, class K>
std::optional<std::uint64_t> BasicSimulation<B, Q, K>::set_velocities(std::span<const std::uint64_t> ids,
                                                                      std::span<const Motion> velocities) {
  if (world_.compression.grows()) {
    throw InvalidScene("growth",
                       "still goes on: the velocities of growing disks are rescaled to the energy of the "
                       "start; try again when it is over");
  }
  require_boxes(world_);
  // After so many events as were allowed the time may be that of the last one, rounded.
  world_.now = world_.now_on_clock();
  if (world_.disks.size() > 0)
    world_.now = std::max(world_.now, world_.disks.flight(world_.disks.last_to_begin()).time);
  if (world_.disks.has_places_of_departed()) {
    world_.disks.compact();
    place_boxes(world_, world_.neighbourhood.boxes().capacity());
  }
  std::vector<Index> disks;
  for (const std::uint64_t id : ids) {
    const std::optional<Index> disk = world_.disks.find(id);
    if (!disk) return id;
    disks.push_back(*disk);
  }
  if (disks.empty()) return {};
  if (world_.space.cell.exists()) rebase_flights(world_);  // an epoch of the clock has one mean velocity: drift.hpp
  for (std::size_t k = 0; k < disks.size(); ++k) {
    const Index i = disks[k];
    world_.end_flight(i);
    world_.disks.synchronize(i, world_.now, world_.space);
    world_.energy.in -= world_.disks.kinetic_energy(i, world_.now, world_.space);
    ImpactBody body = world_.disks.impact_body(i);
    if (auto& moments = world_.recorder.moments()) {
      const double mass = world_.disks.mass(i);
      moments->change({mass, body.velocity}, {mass, linear(velocities[k])}, world_.time);
    }
    body.velocity = linear(velocities[k]);
    body.angular_velocity = velocities[k].z();
    world_.disks.set_velocities(i, body);
    world_.energy.in += world_.disks.kinetic_energy(i, world_.now, world_.space);
    world_.disks.forget_free_flight(i);
    world_.rebasing.update_deadline(K::speed_squared(world_.disks, i), world_.now);
  }
  world_.energy.scale = world_.energy.scale_with(world_.disks.kinetic_energy(world_.now, world_.space));
  place_boxes(world_, world_.neighbourhood.boxes().capacity());
  return {};
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::audit() const {
  if (world_.has_boxes()) return hard::audit(view(world_));
  World<B, Q, K> copy = world_;
  require_boxes(copy);
  hard::audit(view(copy));
}

template <FindsNeighbours B, EventQueue Q, class K>
template <class Archive, class WorldOrConst, class DisksOfIt>
void BasicSimulation<B, Q, K>::visit(Archive& archive, WorldOrConst& world, DisksOfIt& disks) {
  archive(world.time, world.counters.collisions, world.counters.wall_hits, world.counters.crossings, world.energy);
  if constexpr (K::kHaveForms) archive(world.counters.made_elastic);
  Disks::visit(archive, disks);
  Rebasing::visit(archive, world.rebasing);
  Compression::visit(archive, world.compression);
  Watchdog::visit(archive, world.watchdog);
  Recorder::visit(archive, world.recorder);
  Walls::visit(archive, world.walls);
  if (!world.space.cell.exists()) return;
  Cell::visit(archive, world.space.cell);
  CellSums::visit(archive, world.recorder.cell_sums());
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::save(std::ostream& out) const {
  OutArchive archive(out);
  const Disks disks = world_.disks.to_be_saved();
  visit(archive, world_, disks);
  archive(world_.wells.pairs.all());
}

/// What is not saved is a function of the flights: boxes, partners and what comes next.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::load(std::istream& in) {
  InArchive archive(in);
  const Transfers transfers_at_start = world_.recorder.transfers();
  visit(archive, world_, world_.disks);
  std::vector<WellPair> pairs;
  archive(pairs);
  require_state(world_.time >= 0.0 && std::isfinite(world_.time), "the time");
  if (world_.space.cell.exists()) world_.resume_cell();
  world_.disks.require_sound(world_.space, world_.rules.materials());
  world_.compression.require_sound(world_.disks);
  const double longest_path =
      hard::max_path(world_.space.domain, 2.0 * world_.disks.greatest_radius() * world_.compression.growth().scale);
  world_.rebasing.require_sound(world_.disks, world_.time, longest_path, world_.space.gravity.acceleration);
  world_.recorder.require_sound(transfers_at_start);
  require_sound(pairs, world_.disks.size());
  world_.wells.pairs.assign(world_.disks.size(), pairs);
  world_.now = world_.now_on_clock();
  world_.rebasing.resume(max_path(world_));
  world_.watchdog.resume(world_.time);
  world_.disks.compact();
  place_boxes(world_, world_.disks.size());
}

/// Everything but counters of what only costs.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::list_values(StateValues& values) const {
  const auto add_run = [&](const auto&... clock) {
    const Growth& growth = world_.compression.growth();
    values.add(Quantity::run, {}, world_.time, clock..., world_.rebasing.changes(), world_.rebasing.changes_to_rebase(),
               world_.rebasing.deadline(), world_.disks.entered(), world_.disks.left(), world_.counters.collisions,
               world_.counters.wall_hits, world_.counters.crossings, growth.scale, growth.rate,
               world_.compression.virial(), world_.compression.reduced_pressure());
  };
  Clock::visit(add_run, world_.rebasing.clock());
  if (world_.space.cell.exists()) {
    const auto add_cell = [&](const auto&... value) { values.add(Quantity::run, {}, value...); };
    Cell::visit(add_cell, world_.space.cell);
    CellSums::visit(add_cell, world_.recorder.cell_sums());
  }
  world_.disks.list_values(values);
  for (const WellPair& pair : world_.wells.pairs.all()) {
    values.add(Quantity::well, {world_.disks.label(pair.a).id, world_.disks.label(pair.b).id, pair.periods});
  }
}

template <FindsNeighbours B, EventQueue Q, class K>
State BasicSimulation<B, Q, K>::state() const {
  State state = hard::state(view(world_), world_.counters.collisions + world_.counters.wall_hits);
  if (world_.space.cell.exists())
    state.cell = world_.space.cell.state(world_.cell_sums(), world_.now_on_clock(), world_.time);
  if (const auto& moments = world_.recorder.moments()) state.moments = moments->at(world_.time);
  return state;
}

template <FindsNeighbours B, EventQueue Q, class K>
Summary BasicSimulation<B, Q, K>::summary() const {
  const View now = view(world_);
  Summary summary = hard::summary(now);
  EnergyBalance accounts = world_.energy;
  if (world_.space.cell.exists()) accounts.wall_work += world_.cell_sums().work;
  balance(accounts, energies(now), summary);
  return summary;
}

#define SCREE_INSTANTIATE(B, Q, K) template class BasicSimulation<B, Q, K>;
SCREE_FOR_HARD_WORLDS(SCREE_INSTANTIATE)
#undef SCREE_INSTANTIATE

}  // namespace scree::hard
