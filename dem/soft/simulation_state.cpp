#include <algorithm>
#include <istream>
#include <ostream>

#include "dem/archive.hpp"
#include "dem/gravity.hpp"
#include "dem/scene.hpp"
#include "dem/soft/run.hpp"
#include "dem/soft/simulation.hpp"

/// Saving, loading and hashing.
namespace scree::soft {

namespace {

template <class Archive, class Self>
void visit_dynamics(Archive& archive, Self& rooms) {
  StepClock::visit(archive, rooms.clock);
  Population::visit(archive, rooms.population);
  Bodies::visit(archive, rooms.bodies);
  Gear::visit(archive, rooms.gear);
}

template <class Archive, class Self>
void visit_caches(Archive& archive, Self& run) {
  auto& r = run.rooms;
  auto& accounts = run.accounts;
  PairFinder::visit(archive, r.pairs);
  Transfers::visit(archive, accounts.transfers);
  Placement::visit(archive, r.placement);
  Contacts::visit(archive, r.contacts);
  PowerIntegral::visit(archive, r.power);
  WallDrives::visit(archive, r.walls.drives());
  if (r.cell.deforms()) Cell::visit(archive, r.cell);
  LocalDamping::visit(archive, r.local);
  Population::visit_departures(archive, r.population);
  archive(r.net_force, accounts.particle_steps, accounts.chord_jumps, accounts.impact_depths, accounts.energy);
  if (r.scene.thermostat) archive(run.thermostat_turns);
}

/// Saves the step of a run that began with the grains of another: it does not follow from its scene.
void save(const TimeStep& step, OutArchive& archive) {
  archive(step.dt, std::vector<char>(step.reason.begin(), step.reason.end()), step.shortest_contact);
}
void load(TimeStep& step, InArchive& archive) {
  std::vector<char> reason;
  archive(step.dt, reason, step.shortest_contact);
  step.reason.assign(reason.begin(), reason.end());
}

}  // namespace

void Simulation::save(std::ostream& out) const {
  const Run& run = *run_;
  const Rooms& r = readable();
  OutArchive archive(out);
  archive(r.gear.values());
  if (r.scene.start) soft::save(r.step, archive);
  Course::visit(archive, run.course);
  visit_dynamics(archive, r);
  visit_caches(archive, run);
}

void Simulation::list_values(StateValues& values) const {
  const Rooms& r = readable();
  values.add(Quantity::run, {}, r.clock.dt(), r.gear.values(), r.clock.ticks(), r.population.next_id(),
             r.population.born(), r.population.departed());
  for (std::size_t group = 0; group < r.scene.particles.size(); ++group) {
    const PourProgress& pour = r.population.pours()[group];
    values.add(Quantity::pour, {.body = group}, pour.born, pour.attempts);
  }
  if (r.scene.soft.until_unbalanced || run_->course.has_stages()) {
    values.add(Quantity::run, {}, run_->course.looks_at_rest(), run_->course.is_over() ? 1U : 0U);
    for (const StageBegin& begin : run_->course.begun()) {
      values.add(Quantity::run, {}, begin.time);
      for (const StageBegin::Put& put : begin.put) values.add(Quantity::run, {}, put.displacement, put.angle);
    }
  }
  for (std::size_t drive = 0; drive < r.walls.drives().size(); ++drive) {
    const DriveMotion& motion = r.walls.drives().motion(drive);
    values.add(Quantity::run, {.body = r.walls.drives().wall(drive) + 1}, motion.coordinate, motion.rate,
               motion.acceleration, motion.load.force, motion.load.stiffness, motion.load.damping,
               motion.load.contacts);
  }
  if (r.scene.thermostat) values.add(Quantity::run, {}, run_->thermostat_turns);
  if (r.cell.deforms()) {
    r.cell.for_each_value([&](const auto&... value) { values.add(Quantity::run, {}, value...); });
  }
  soft::list_values(r.bodies, r.gear, r.contacts, values);
}

/// What was loaded fits together: nothing that comes later reads beyond an array.
void Simulation::require_sound() const {
  const Rooms& r = run_->rooms;
  r.clock.require_sound();
  r.bodies.require_sound(r.scene);
  r.gear.require_sound(r.bodies);
  r.placement.require_sound(r.bodies);
  r.pairs.require_sound(r.bodies);
  r.contacts.require_sound(r.bodies);
  r.walls.drives().require_sound();
  if (r.cell.deforms()) r.cell.require_sound();
  require_state(run_->thermostat_turns < (std::uint64_t{1} << 32U), "the turns of the thermostat");
  require_state(r.net_force.empty() || r.net_force.size() == r.bodies.size(), "the number of forces");
  require_state(r.bodies.id.empty() || std::ranges::max(r.bodies.id) < r.population.next_id(), "the next id");
  const Transfers expected =
      r.scene.measure ? Transfers(*r.scene.measure, r.scene.domain, r.scene.walls.size()) : Transfers{};
  run_->accounts.transfers.require_sound(expected);
}

void Simulation::load(std::istream& in) {
  Rooms& r = run_->rooms;
  InArchive archive(in);
  int gear_values = 0;
  archive(gear_values);
  require_state(gear_values == r.gear.values(), "another integrator than the scene's");
  if (r.scene.start) soft::load(r.step, archive);
  Course::visit(archive, run_->course);
  run_->course.require_sound();
  enter_present_stage(run_->course, r);
  visit_dynamics(archive, r);
  visit_caches(archive, *run_);
  r.plain.forget(r.contacts);
  require_sound();
  change_gravity(gravity_at(r.scene, time()), r);
  renew_derivatives(r);
  r.cell.find_scales(r.bodies, r.laws, r.clock);
  renew_periods(r);
  r.bodies.sum_up();
  find_quanta(r);
  r.placement.restore(r.bodies);
  r.pairs.restore(r.placement);
  r.contacts.restore();
  r.contacts.list_by_body(r.bodies.size(), r.bodies.walls);
  r.walls.find_fastest(r.periodic(), r.bodies);
}

}  // namespace scree::soft
