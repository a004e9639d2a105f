#include "dem/hard/exact/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/energy_balance.hpp"
#include "dem/errors.hpp"
#include "dem/scene.hpp"

namespace scree::hard::exact {

Simulation::Simulation(const Scene& scene, const Setup& setup, BroadphaseKind kind)
    : first_id_(setup.first_id),
      mass_(setup.mass.empty() ? 0.0 : setup.mass.front()),
      radius_(setup.radius),
      angle_(setup.angle),
      type_(setup.type),
      material_(setup.material),
      gas_(make(gas_setup(scene, setup), kind)),
      record_(std::make_unique<Record>()) {
  energy_at_start_ = kinetic_energy();
  double area = 0.0;
  for (const double radius : radius_) area += std::numbers::pi * radius * radius;
  packing_fraction_ = area / (scene.domain.hi - scene.domain.lo).prod();
  if (!scene.measure) return;
  record_->transfers = Transfers(*scene.measure, scene.domain, kSides);
  record_->grid = grid();
  record_->mass = mass_;
  std::visit(
      [record = record_.get()](auto& gas) {
        gas.set_listener([record](const Encounter& encounter, const Cluster& disks) { record->add(encounter, disks); });
      },
      gas_);
}

/// A cluster that went back transferred nothing from disk to disk.
void Simulation::Record::add(const Encounter& encounter, const Cluster& disks) {
  const auto way = [&](const Vector& v) { return Vec2(grid.metres(v[0]), grid.metres(v[1])); };
  const Vec2 impulse = -mass / grid.tick * way(encounter.change);
  const Vec2 centre = grid.metres(disks.front().position);
  switch (encounter.kind) {
    case Encounter::Kind::none:
    case Encounter::Kind::retrace:
      return;
    case Encounter::Kind::collision:
    case Encounter::Kind::exchange:
      return transfers.add({centre, way(-encounter.distance), impulse});
    case Encounter::Kind::side:
      for (const int axis : {0, 1}) {
        if (impulse[axis] == 0.0) continue;
        const double to_side = std::copysign(grid.metres(disks.front().radius), impulse[axis]);
        const std::size_t side = 2 * static_cast<std::size_t>(axis) + (impulse[axis] > 0.0 ? 1 : 0);
        transfers.add_on_wall({centre, to_side * Vec2::Unit(axis), impulse[axis] * Vec2::Unit(axis)}, side, 0.0);
      }
  }
}

GasSetup Simulation::gas_setup(const Scene& scene, const Setup& setup) {
  GasSetup gas;
  gas.grid = choose_grid(scene.domain, setup.velocity, scene.end);
  gas.domain = scene.domain;
  gas.material = setup.material;
  for (const CollisionRule& rule : setup.rules.pairs) gas.restitution.push_back(rule.restitution);
  for (std::size_t i = 0; i < setup.position.size(); ++i) {
    const std::int64_t radius = gas.grid.length(setup.radius[i]) - shrinkage(gas.grid);
    constexpr std::int64_t kLeast = 8;  // ticks that the fastest disk takes for a radius
    if (radius < kLeast * gas.grid.fastest) {
      throw InvalidScene(
          fmt::format("particles[{}].size", setup.type[i]),
          fmt::format("is {:.3g} m, too small for `arithmetic: exact`: the fastest disk may go {:.2g} m in a tick; "
                      "allowed: at least {:.3g} m, or a smaller domain",
                      2.0 * setup.radius[i], gas.grid.metres(gas.grid.fastest),
                      2.0 * gas.grid.metres(kLeast * gas.grid.fastest + shrinkage(gas.grid))));
    }
    gas.radius.push_back(radius);
    gas.position.push_back(gas.grid.position(setup.position[i]));
    gas.velocity.push_back(gas.grid.velocity(setup.velocity[i]));
  }
  return gas;
}

auto Simulation::make(const GasSetup& setup, BroadphaseKind kind) -> WithAnyBroadphase {
  switch (kind) {
    case BroadphaseKind::sort_and_update:
      return Gas<Neighbourhood<SortAndUpdate<2>>, BucketQueue>(setup);
    case BroadphaseKind::sorted_strips:
      return Gas<Neighbourhood<SortedStrips<2>>, BucketQueue>(setup);
    case BroadphaseKind::hierarchical_grid:
      return Gas<Neighbourhood<HierarchicalGrid<2>>, BucketQueue>(setup);
    case BroadphaseKind::distance_sort:
      return Gas<Neighbourhood<DistanceSort<2>>, BucketQueue>(setup);
    case BroadphaseKind::all_pairs:
      return Gas<Neighbourhood<AllPairs<2>>, ImplicitHeap>(setup);
    case BroadphaseKind::automatic:
    case BroadphaseKind::linked_cells:
      break;
  }
  return Gas<DiskCells, BucketQueue>(setup);
}

const Grid& Simulation::grid() const {
  return std::visit([](const auto& gas) -> const Grid& { return gas.grid(); }, gas_);
}

Tally Simulation::tally() const {
  return std::visit([](const auto& gas) { return gas.tally(); }, gas_);
}

std::string Simulation::doubt() const {
  constexpr double kMostRetraces = 0.01;  // of all encounters
  const Tally tally = this->tally();
  const std::int64_t encounters = tally.collisions + tally.retraces;
  if (static_cast<double>(tally.retraces) <= kMostRetraces * static_cast<double>(encounters)) return {};
  const double share = static_cast<double>(tally.retraces) / static_cast<double>(encounters);
  const Vec2 momentum(static_cast<double>(tally.momentum[0]), static_cast<double>(tally.momentum[1]));
  const double change = momentum.norm() * grid().unit / grid().tick;  // over the mass of a disk [m/s]
  const auto disks = static_cast<double>(particles());
  const double at_start = std::sqrt(2.0 * energy_at_start_ * disks / mass_);  // as if all flew the same way [m/s]
  return fmt::format(
      "arithmetic: exact sent {} of {} clusters that met ({:.3g} %) back where they came from, since they were more "
      "than two disks, or two at a side: these are no collisions, and the momentum of all disks has changed by "
      "{:.3g} % of mass times speed at the start. Disks that lose much energy gather so. This is not the motion of the "
      "scene's disks; try a higher restitution, a lower packing fraction, or arithmetic: float (docs/reversible.md)",
      tally.retraces, encounters, 100.0 * share, 100.0 * change / at_start);
}

std::uint64_t Simulation::box_exits() const {
  return std::visit([](const auto& gas) { return gas.box_exits(); }, gas_);
}

bool Simulation::runs_backward() const {
  return std::visit([](const auto& gas) { return gas.runs_backward(); }, gas_);
}

bool Simulation::is_reversed() const {
  return std::visit([](const auto& gas) { return gas.is_reversed(); }, gas_);
}

double Simulation::time() const {
  return std::visit([](const auto& gas) { return gas.grid().seconds(gas.tick()); }, gas_);
}

bool Simulation::has_reached(double time) const {
  return this->time() >= time;
}

bool Simulation::is_back_at(double time) const {
  return std::visit([&](const auto& gas) { return gas.tick() <= gas.grid().ticks(time); }, gas_);
}

void Simulation::advance_to(double time, std::uint64_t at_most) {
  std::visit(
      [&](auto& gas) {
        const Grid& grid = gas.grid();
        const double last = grid.seconds(kMostTicks);
        if (!(time > grid.seconds(gas.tick()))) return;
        if (gas.advance(grid.ticks(std::min(time, last)) - gas.tick(), at_most) && time > last) {
          throw PhysicsError(fmt::format(
              "t = {:.9g} s is the last tick, {} of {:.3g} s each, that whole numbers count with `arithmetic: exact`; "
              "end the run before it",
              last, kMostTicks, grid.tick));
        }
      },
      gas_);
}

void Simulation::go_back_to(double time, std::uint64_t at_most) {
  std::visit(
      [&](auto& gas) {
        const std::int64_t ticks = gas.tick() - gas.grid().ticks(time);
        if (ticks > 0) gas.advance(ticks, at_most);
      },
      gas_);
}

void Simulation::reverse() {
  std::visit([](auto& gas) { gas.reverse(); }, gas_);
}

void Simulation::turn_back() {
  std::visit([](auto& gas) { gas.turn_back(); }, gas_);
}

/// [J]
double Simulation::energy_of(Int128 squares) const {
  const double speed = grid().unit / grid().tick;
  return 0.5 * mass_ * static_cast<double>(squares) * speed * speed;
}

double Simulation::kinetic_energy() const {
  return energy_of(std::visit([](const auto& gas) { return gas.energy(); }, gas_));
}

std::uint64_t Simulation::kept_bits() const {
  return std::visit([](const auto& gas) { return gas.kept_bits(); }, gas_);
}

State Simulation::state() const {
  const Snapshot now = std::visit([](const auto& gas) { return gas.snapshot(); }, gas_);
  const Grid& grid = this->grid();
  const Tally tally = this->tally();
  State state;
  state.time = time();
  state.step = static_cast<std::uint64_t>(tally.collisions + tally.side_hits);
  ParticleState& particles = state.particles;
  for (std::size_t i = 0; i < radius_.size(); ++i) {
    particles.id.push_back(first_id_ + i);
    particles.inertia.push_back(0.5 * mass_ * radius_[i] * radius_[i]);
    particles.position.push_back(grid.metres(now.position[i]));
    particles.velocity.push_back(grid.metres_a_second(now.velocity[i]));
  }
  particles.type.assign(type_.begin(), type_.end());
  particles.material.assign(material_.begin(), material_.end());
  particles.radius = radius_;
  particles.mass.assign(radius_.size(), mass_);
  particles.image = now.image;
  particles.angle = angle_;
  particles.angular_velocity.resize(radius_.size());
  particles.force.resize(radius_.size(), Vec2::Zero());
  particles.torque.resize(radius_.size());
  particles.coordination.resize(radius_.size());
  particles.outlines.first.resize(radius_.size() + 1);
  return state;
}

Summary Simulation::summary() const {
  Summary summary;
  summary.time = time();
  summary.particles = summary.particles_in = particles();
  summary.packing_fraction = packing_fraction_;
  const double lost = energy_of(tally().lost);
  balance({.in = energy_at_start_, .damping = lost, .scale = energy_at_start_}, {.kinetic = kinetic_energy()}, summary);
  return summary;
}

void Simulation::save(std::ostream& out) const {
  OutArchive archive(out);
  std::visit([&](const auto& gas) { gas.save(archive); }, gas_);
  Transfers::visit(archive, record_->transfers);
}

void Simulation::load(std::istream& in) {
  InArchive archive(in);
  std::visit([&](auto& gas) { gas.load(archive); }, gas_);
  const Transfers fresh = record_->transfers;
  Transfers::visit(archive, record_->transfers);
  record_->transfers.require_sound(fresh);
}

/// The state by itself: how the run came there, forward or backward, is not in it.
void Simulation::list_values(StateValues& values) const {
  const Tally tally = this->tally();
  std::visit(
      [&](const auto& gas) {
        values.add(Quantity::run, {}, gas.tick(), tally.collisions, tally.exchanges, tally.side_hits, tally.retraces,
                   tally.momentum, tally.momentum_size, tally.losses);
        const Snapshot now = gas.snapshot();
        std::vector<std::vector<std::int64_t>> exceptions(now.position.size());
        for (const auto& [tick, lower] : gas.losses().exceptions()) exceptions[lower].push_back(tick);
        for (std::size_t i = 0; i < now.position.size(); ++i) {
          const Owner disk{.body = first_id_ + i};
          values.add(Quantity::body, disk, gas.radius(static_cast<Index>(i)), mass_, type_[i], material_[i]);
          values.add(Quantity::image, disk, now.image[i]);
          values.add(Quantity::position, disk, now.position[i]);
          values.add(Quantity::velocity, disk, now.velocity[i]);
          if (!gas.loses()) continue;
          const Remainders& kept = gas.losses().remainders()[i];
          values.add(Quantity::last_collision, disk, kept.bits(), kept.words(), exceptions[i]);
        }
      },
      gas_);
}

void Simulation::audit() const {
  std::visit([](const auto& gas) { gas.audit(); }, gas_);
}

}  // namespace scree::hard::exact
