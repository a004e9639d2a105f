#include <algorithm>
#include <istream>
#include <ostream>

#include "dem/archive.hpp"
#include "dem/gravity.hpp"
#include "dem/soft/simulation.hpp"

/// Saving, loading and hashing.
namespace scree::soft {

template <class Archive, class Self>
void Simulation::visit_dynamics(Archive& archive, Self& self) {
  StepClock::visit(archive, self.clock_);
  Population::visit(archive, self.population_);
  Bodies::visit(archive, self.bodies_);
  Gear::visit(archive, self.gear_);
}

template <class Archive, class Self>
void Simulation::visit_caches(Archive& archive, Self& self) {
  PairFinder::visit(archive, self.pairs_);
  Transfers::visit(archive, self.records_.transfers);
  Placement::visit(archive, self.placement_);
  Contacts::visit(archive, self.contacts_);
  PowerIntegral::visit(archive, self.losses_.power);
  WallDrives::visit(archive, self.walls_.drives());
  if (self.cell_.deforms()) Cell::visit(archive, self.cell_);
  LocalDamping::visit(archive, self.losses_.local);
  Population::visit_departures(archive, self.population_);
  archive(self.net_force_, self.records_.particle_steps, self.records_.chord_jumps, self.records_.impact_depths,
          self.energy_);
}

namespace {

/// Of a run that began with the grains of another: its scene does not tell the step.
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
  OutArchive archive(out);
  archive(gear_.values());
  if (scene_.start) soft::save(step_, archive);
  Course::visit(archive, course_);
  visit_dynamics(archive, *this);
  visit_caches(archive, *this);
}

void Simulation::list_values(StateValues& values) const {
  values.add(Quantity::run, {}, clock_.dt(), gear_.values(), clock_.ticks(), population_.next_id(), population_.born(),
             population_.departed());
  for (std::size_t group = 0; group < scene_.particles.size(); ++group) {
    const PourProgress& pour = population_.pours()[group];
    values.add(Quantity::pour, {.body = group}, pour.born, pour.attempts);
  }
  if (scene_.until_unbalanced || course_.has_stages()) {
    values.add(Quantity::run, {}, course_.looks_at_rest(), course_.is_over() ? 1U : 0U);
    for (const StageBegin& begin : course_.begun()) {
      values.add(Quantity::run, {}, begin.time);
      for (const StageBegin::Put& put : begin.put) values.add(Quantity::run, {}, put.displacement, put.angle);
    }
  }
  for (std::size_t drive = 0; drive < walls_.drives().size(); ++drive) {
    const DriveMotion& motion = walls_.drives().motion(drive);
    values.add(Quantity::run, {.body = walls_.drives().wall(drive) + 1}, motion.coordinate, motion.rate,
               motion.acceleration, motion.load.force, motion.load.stiffness, motion.load.damping,
               motion.load.contacts);
  }
  if (cell_.deforms()) {
    cell_.for_each_value([&](const auto&... value) { values.add(Quantity::run, {}, value...); });
  }
  soft::list_values(bodies_, gear_, contacts_, values);
}

/// What was loaded fits together: nothing that comes later reads beyond an array.
void Simulation::require_sound() const {
  clock_.require_sound();
  bodies_.require_sound(scene_);
  gear_.require_sound(bodies_);
  placement_.require_sound(bodies_);
  pairs_.require_sound(bodies_);
  contacts_.require_sound(bodies_);
  walls_.drives().require_sound();
  if (cell_.deforms()) cell_.require_sound();
  require_state(net_force_.empty() || net_force_.size() == bodies_.size(), "the number of forces");
  require_state(bodies_.id.empty() || std::ranges::max(bodies_.id) < population_.next_id(), "the next id");
  const Transfers expected =
      scene_.measure ? Transfers(*scene_.measure, scene_.domain, scene_.walls.size()) : Transfers{};
  records_.transfers.require_sound(expected);
}

void Simulation::load(std::istream& in) {
  InArchive archive(in);
  int gear_values = 0;
  archive(gear_values);
  require_state(gear_values == gear_.values(), "another integrator than the scene's");
  if (scene_.start) soft::load(step_, archive);
  Course::visit(archive, course_);
  course_.require_sound();
  if (course_.has_stages()) {
    scene_ = course_.scene();
    make_anew();
    cell_ = Cell(scene_);
  }
  visit_dynamics(archive, *this);
  visit_caches(archive, *this);
  require_sound();
  scene_.gravity = gravity_at(scene_, time());
  walls_.drives().set_gravity(scene_.gravity);
  gear_.set_step(clock_.dt());
  if (cell_.deforms()) {
    cell_.know(bodies_, laws_, clock_);
    pairs_.deform(cell_.shape());
  }
  bodies_.sum_up();
  losses_.power.find_quanta(bodies_, laws_, clock_.longest());
  placement_.restore(bodies_);
  pairs_.restore(placement_);
  contacts_.restore();
  contacts_.list_by_body(bodies_.size(), bodies_.walls);
  walls_.find_fastest(pairs_.periodic(), bodies_);
}

}  // namespace scree::soft
