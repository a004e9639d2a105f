#include "dem/soft/run.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "dem/scene.hpp"
#include "dem/soft/accelerations.hpp"
#include "dem/soft/checks/step_renewal.hpp"
#include "dem/soft/contact/rest.hpp"
#include "dem/soft/forces/dashpot_shares.hpp"
#include "dem/state.hpp"
#include "dem/thermostat.hpp"

/// What comes between two steps: guards, the length of the step, stages.
namespace scree::soft {

namespace {

/// Halves the step, or doubles it again, as the grains need it.
void renew_step(const ContactElements& elements, Rooms& r) {
  StepClock& clock = r.clock;
  const auto needed =
      renewed_halvings(step_need(elements, r.bodies.size(), stability_limit(r.gear.values()), clock), clock);
  if (const int halvings = needed.value_or(clock.most_halvings()); halvings != clock.halvings()) {
    clock.halve(halvings);
    renew_derivatives(r);
  }
  if (!needed) require(r, check_grains(view(r), elements));
}

/// Of all contacts.
ContactElements elements_of(const Rooms& r) {
  if (!r.plain.are_packed()) return contact_elements(r.bodies, r.contacts, r.laws);
  return contact_elements([&r](ElementBatch& batch) { r.plain.find_elements(plain_view(r), r.contacts, batch); },
                          r.contacts.size());
}

Problem find_imbalance(const Rooms& r, const EnergyBalance& energy) {
  return check_balance(view(r), summary_of(observe(r), energy));
}

/// Whether pours, gravity, or walls that come, go or move at a time, have not come to their end, or walls that forces
/// move are on their way.
bool has_more_to_come(const Rooms& r) {
  const Scene& scene = r.scene;
  if (!r.walls.drives().have_their_forces(r.bodies)) return true;
  const auto is_ahead = [&](double time) { return time < scene.end && !r.clock.has_reached(time); };
  if (!scene.soft.gravity_table.empty() && is_ahead(scene.soft.gravity_table.back().time)) return true;
  for (const Wall& wall : scene.walls) {
    if (wall.stage > 0) continue;
    if (is_ahead(wall.from.value_or(0.0)) || is_ahead(wall.until.value_or(0.0))) return true;
    if (!wall.taps.empty()) {
      const Taps& last = wall.taps.back();
      const double begins = last.until.value_or(last.every ? scene.end : last.from);
      if (std::min(begins + last.duration(), scene.end) > r.time()) return true;
    }
    if (wall.motions.empty()) continue;
    const PhaseOfMotion& last = wall.motions.back();
    const double end_of_table = last.table.empty() ? last.from : last.from + last.table.back().time;
    if (is_ahead(last.until.value_or(end_of_table))) return true;
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const auto* pour = std::get_if<Pour>(&scene.particles[g].how);
    if (pour != nullptr && r.population.pours()[g].born < pour->count) return true;
  }
  return false;
}

/// Where walls are that the next stage gives other motions.
StageBegin begin_of_next_stage(const Course& course, const Rooms& r) {
  StageBegin begin{.time = r.time(), .put = {}};
  for (const std::int32_t wall : course.walls_that_change(r.scene)) {
    const auto found = std::find(r.bodies.type.begin(), r.bodies.type.begin() + r.bodies.walls, wall);
    const auto body = static_cast<std::uint32_t>(found - r.bodies.type.begin());
    if (body == r.bodies.walls) {
      require(r, fmt::format("the stage '{}' gives the wall '{}' other motions, which was removed before; try a stage "
                             "before its end (until)",
                             r.scene.soft.stages[course.stage() + 1].name,
                             r.scene.walls[static_cast<std::size_t>(wall)].name));
    }
    begin.put.push_back(r.walls.put(body, r.periodic(), r.bodies));
  }
  return begin;
}

/// The next one, from the state that there is.
void begin_stage(Run& run) {
  Rooms& r = run.rooms;
  Course& course = run.course;
  Accounts& accounts = run.accounts;
  close_put_off(r, accounts);
  unpack_contacts(r);
  StageBegin begin = begin_of_next_stage(course, r);
  const ElasticEnergy before = elastic_energy(observe(r));
  const WallDrives drives = r.walls.drives();
  const Vec2 gravity_before = r.scene.gravity;
  course.begin_stage(std::move(begin), r.scene);
  make_anew(r);
  share_dashpots(r.bodies, r.contacts);  // contacts of several ranks come without
  r.walls.drives().take_over(drives, r.bodies, r.periodic(), r.contacts, r.laws);
  r.clock.go_on_with(r.step);
  renew_derivatives(r);
  r.cell.find_scales(r.bodies, r.laws, r.clock);
  if (r.scene.soft.stages[course.stage()].cell) {
    carry_along(r.cell.drive(*r.scene.domain.cell), r);
    renew_periods(r);
    r.cell.look(r.bodies, r.contacts, r.laws);
  }
  accounts.gain(gain_of_potential_energy(r.bodies, r.scene.gravity - gravity_before, r.periodic(), {}).value());
  change_gravity(r.scene.gravity, r);
  find_quanta(r);
  r.walls.find_fastest(r.periodic(), r.bodies);
  accounts.change_springs(before, elastic_energy(observe(r)));
}

}  // namespace

Run::Run(const Scene& scene, const Options& options)
    : rooms(scene, options.broadphase.value_or(scene.broadphase)), course(scene) {}

void enter_first_stage(Course& course, Rooms& r) {
  if (!course.has_stages()) return;
  StageBegin begin;
  for (const std::int32_t wall : course.walls_that_change(r.scene)) begin.put.push_back({wall, Vec2::Zero(), 0.0});
  course.begin_stage(std::move(begin), r.scene);
  make_anew(r);
  r.cell = Cell(r.scene);
  r.clock.go_on_with(r.step);
  renew_derivatives(r);
}

void enter_present_stage(const Course& course, Rooms& r) {
  if (!course.has_stages()) return;
  r.scene = course.scene();
  make_anew(r);
  r.cell = Cell(r.scene);
}

void check(bool alarm, Run& run) {
  Rooms& r = run.rooms;
  const ChecksDue due = checks_due(r.clock.steps(), r.step.is_automatic);
  if (due.grains || due.balance) close_put_off(r, run.accounts);
  if (alarm || due.balance) write_back_contacts(r);
  if (alarm) {
    require(r, check_motions(view(r)));
    require(r, check_depths(view(r)));
    require(r, check_passages(view(r)));
    require(r, check_contacts(view(r)));
  }
  require(r, r.walls.drives().find_too_light(r.scene, r.clock.dt()));
  if (due.scale) {
    run.accounts.look_at_motion(kinetic_energy(r.bodies, r.periodic()));
    run.accounts.look_at_flow(r.cell.flow_energy());
  }
  if (due.grains) renew_step(elements_of(r), r);
  if (due.balance) require(r, find_imbalance(r, run.accounts.energy));
}

void check_all(const Run& run) {
  const Rooms& r = run.rooms;
  require(r, check_grains(view(r), contact_elements(r.bodies, r.contacts, r.laws)));
  if (r.clock.steps() >= kStepsBetweenScales) require(r, find_imbalance(r, run.accounts.energy));
}

void set_velocity(std::uint32_t body, const Motion& velocity, Run& run) {
  Rooms& r = run.rooms;
  close_put_off(r, run.accounts);
  const double before = kinetic_energy(r.bodies, body, r.periodic());
  r.bodies.velocity[body] = with_fixed(r.scene, r.bodies, body, velocity);
  if (r.bodies.is_clump(body)) follow(r.periodic(), r.bodies, body);
  run.accounts.change_velocity(before, kinetic_energy(r.bodies, body, r.periodic()));
}

void thermalise(Run& run) {
  Rooms& r = run.rooms;
  if (!r.scene.thermostat || !r.clock.has_reached(time_of(*r.scene.thermostat, run.thermostat_turns + 1))) return;
  ++run.thermostat_turns;
  const Bodies& bodies = r.bodies;
  std::vector<std::uint32_t> particles;
  ParticleState grains;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body)) continue;
    particles.push_back(body);
    grains.id.push_back(bodies.id[body]);
    grains.mass.push_back(bodies.mass[body]);
    grains.inertia.push_back(bodies.inertia(body));
    grains.velocity.push_back(linear(bodies.velocity[body]));
    grains.angular_velocity.push_back(bodies.velocity[body].z());
  }
  const std::vector<Motion> velocities =
      thermalised(*r.scene.thermostat, grains, r.scene.domain.periodic, r.scene.seed, run.thermostat_turns);
  for (std::size_t k = 0; k < particles.size(); ++k) set_velocity(particles[k], velocities[k], run);
  run.accounts.look_at_motion(kinetic_energy(bodies, r.periodic()));
}

void check_course(Run& run) {
  Course& course = run.course;
  Rooms& r = run.rooms;
  bool is_over = false;
  if (r.scene.soft.until_unbalanced && r.clock.steps() % kStepsBetweenLooks == 0) {
    write_back_contacts(r);
    is_over = course.look(!has_more_to_come(r) && r.cell.has_its_stress() &&
                          unbalanced_force_ratio(r.scene, r.bodies, r.contacts, r.net_force) <
                              *r.scene.soft.until_unbalanced);
  }
  if (course.has_stages()) is_over = is_over || r.clock.has_reached(r.scene.end);
  if (!is_over) return;
  if (course.is_last_stage()) {
    course.end();
  } else {
    begin_stage(run);
  }
}

}  // namespace scree::soft
