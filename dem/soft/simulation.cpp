#include "dem/soft/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dem/gravity.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/soft/accelerations.hpp"
#include "dem/soft/checks/coordinate_limits.hpp"
#include "dem/soft/checks/stage_checks.hpp"
#include "dem/soft/checks/start_overlaps.hpp"
#include "dem/soft/checks/step_limits.hpp"
#include "dem/soft/exchange.hpp"
#include "dem/soft/observe.hpp"
#include "dem/soft/run.hpp"
#include "dem/soft/step.hpp"
#include "dem/trim.hpp"

namespace scree::soft {

// ------------------------------------------------------------------------------------------------------- beginning

/// Contacts and forces before the first step.
struct Simulation::Start {
  Contacts contacts;
  std::vector<Motion> net_force;
};

Simulation::Simulation(const Scene& scene, Options options)
    : run_(std::make_unique<Run>(scene, options)),
      threads_(options.threads),
      trial_(options.threads == 0 && threads_.count() > 1) {
  Rooms& r = run_->rooms;
  if (options.made_for == MadeFor::start) require_sound_stages(scene);
  enter_first_stage(run_->course, r);
  change_gravity(gravity_at(r.scene, 0.0), r);
  const bool starts = options.made_for == MadeFor::start;
  const bool is_resumed = r.scene.start && !r.scene.start->inherited;  // the state that is loaded has step and grains
  if (starts && !is_resumed) {
    require_sensible_step(r.scene, r.step);
    require_digits(r.scene, r.step);
    if (r.scene.thermostat) require_sensible(*r.scene.thermostat, r.scene, r.step);
  }
  if (!starts && r.scene.start) r.scene.start->inherited.reset();
  if (r.scene.start && r.scene.start->inherited) r.population.set_next_id(r.scene.start->inherited->next_id);
  if (r.scene.measure) run_->accounts.transfers = Transfers(*r.scene.measure, r.scene.domain, r.scene.walls.size());
  put_walls(r);
  StartOverlaps overlaps;
  give_boxes(overlaps);
  inherit(overlaps);
  DrawnVelocities draws(r.scene);
  std::vector<std::uint32_t> drawn;
  for (std::size_t g = 0; starts && g < r.scene.particles.size(); ++g) {
    const int group = static_cast<int>(g);
    const auto is_free_there = [&](const ShapeView& shape, const Pose& pose) {
      if (r.placement.box.size() < r.bodies.size()) give_boxes(overlaps);  // of earlier groups
      return overlaps.has_room({r.scene, r.laws, r.pairs.proxies(), r.bodies, r.placement}, shape, pose);
    };
    // The grains of a group are freed before their boxes take memory.
    for (const InitialState& birth : initial_grains(r.scene, group, is_free_there)) {
      const std::uint32_t body = add_particle(birth, group);
      if (!birth.is_drawn) continue;
      draws.add(r.bodies.mass[body], birth.velocity);
      drawn.push_back(body);
    }
  }
  give_boxes(overlaps);
  for (const std::uint32_t body : drawn) {  // their energy, which add_particle() has booked, stays
    const Vec2 velocity = draws.without_mean(linear(r.bodies.velocity[body]));
    r.bodies.velocity[body] = {velocity.x(), velocity.y(), r.bodies.velocity[body][2]};
    if (r.bodies.is_clump(body)) follow(r.periodic(), r.bodies, body);
  }
  r.cell.find_scales(r.bodies, r.laws, r.clock);
  renew_periods(r);
  carry_along(r.cell.shape().rate, r);
  r.walls.drives().aim(r.bodies, r.periodic());
  r.bodies.trim();
  r.gear.trim();
  trim(r.net_force);
  r.contacts.apply(r.pairs.changes(), r.bodies);
  r.contacts.trim();
  r.pairs.trim();
  inherit_histories();
  const Start start = contacts_at_start();
  for (std::uint32_t body = r.bodies.walls; body < r.bodies.size(); ++body) {
    if (r.bodies.is_part(body)) continue;
    r.gear.set_acceleration(body, acceleration_at_start(r, body, start.net_force[body]));
  }
  run_->accounts.change_springs({}, elastic_energy(observe(r, start.contacts, start.net_force)));
  run_->accounts.look_at_motion(kinetic_energy(r.bodies, r.periodic()));
  r.cell.look(r.bodies, start.contacts, r.laws);
  find_quanta(r);
}

Simulation::~Simulation() = default;

std::uint32_t Simulation::add_particle(const InitialState& birth, int group) {
  const std::uint32_t body = add(birth, group, run_->rooms);
  run_->accounts.enter(energy_of(run_->rooms, body));
  return body;
}

/// For bodies that have none yet, and for the images that they need. Looks first whether they overlap.
void Simulation::give_boxes(StartOverlaps& overlaps) {
  Rooms& r = run_->rooms;
  const auto first = static_cast<std::uint32_t>(r.placement.box.size());
  r.placement.add_missing(r.bodies);
  overlaps.add({r.scene, r.laws, r.pairs.proxies(), r.bodies, r.placement});
  r.pairs.insert(first, r.bodies, r.placement);
  r.pairs.insert_images(r.bodies, r.placement);
}

/// Contacts and forces before the first step: for output, and for the energy that grains bring with them.
auto Simulation::contacts_at_start() const -> Start {
  const Rooms& r = run_->rooms;
  Start start{{}, std::vector<Motion>(r.bodies.size(), Motion::Zero())};
  const Candidates& all = r.contacts.candidates;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto [a, b] = all.bodies[k];
    const Vec2 branch_vector = r.pairs.proxies().branch_vector(r.bodies, a, b, all.image_of(k));
    const Pose b_in_a = relative_pose(r.placement.rotation_of(a), r.placement.rotation_of(b), branch_vector);
    if (!clearly_apart(r.bodies.shape(a), r.bodies.shape(b), b_in_a)) start.contacts.candidates.append(all, k, k + 1);
  }
  Narrowphase narrowphase;
  narrowphase.detect({r.bodies, r.placement, r.pairs.proxies(), r.gear}, start.contacts);
  start.contacts.update(narrowphase.found(), narrowphase.apart());
  std::size_t known = 0;
  for (std::size_t k = 0; k < start.contacts.size(); ++k) {  // of an earlier run
    const PairKey key = start.contacts.key(r.bodies, k);
    while (known < r.contacts.size() && r.contacts.key(r.bodies, known) < key) ++known;
    if (known < r.contacts.size() && r.contacts.key(r.bodies, known) == key) {
      start.contacts.remember(k, r.contacts.history[known], r.contacts.rolling_displacement(known));
    }
  }
  start.contacts.follow(r.periodic(), r.bodies);
  r.forces.compute({r.bodies, r.placement, r.laws, r.clock.dt()}, start.contacts);
  start.contacts.list_by_body(r.bodies.size(), r.bodies.walls);
  for (std::uint32_t body = r.bodies.walls; body < r.bodies.size(); ++body) {
    start.net_force[body] = net_force(r.bodies, start.contacts, body);
  }
  return start;
}

std::optional<std::uint64_t> Simulation::set_velocities(std::span<const std::uint64_t> ids,
                                                        std::span<const Motion> velocities) {
  Rooms& r = run_->rooms;
  std::unordered_map<std::uint64_t, std::uint32_t> body_of;
  for (std::uint32_t body = r.bodies.walls; body < r.bodies.size(); ++body) body_of.emplace(r.bodies.id[body], body);
  const auto unknown = std::ranges::find_if(ids, [&](std::uint64_t id) { return !body_of.contains(id); });
  if (unknown != ids.end()) return *unknown;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    set_velocity(body_of.at(ids[k]), velocities[k], *run_);
  }
  run_->accounts.look_at_motion(kinetic_energy(r.bodies, r.periodic()));
  return {};
}

// ---------------------------------------------------------------------------------------------------------- the step

namespace {

/// What a run alone does in place of neighbours.
class Alone final : public Neighbours {
 public:
  explicit Alone(Transfers& transfers) : transfers_(transfers) {}
  void record(const Rooms& r) override { add_transfers(r.bodies, r.contacts, r.clock.dt(), transfers_); }

 private:
  Transfers& transfers_;
};

}  // namespace

void Simulation::advance_to(double t, std::uint64_t at_most) {
  const StepClock& clock = run_->rooms.clock;
  const bool is_read = std::exchange(was_read_, false);
  const auto is_last = [&] { return at_most == 0 || clock.time_after_step() > t - 0.5 * clock.dt(); };
  const auto is_due = [&] { return at_most > 0 && !is_over() && !has_reached(t); };
  const auto steps_of_trial = [&] {
    const std::uint64_t all = trial_.steps();
    std::uint64_t left = all;
    const auto begin = std::chrono::steady_clock::now();
    for (; left > 0 && is_due(); --left) --at_most, step(is_read && is_last());
    trial_.took(all - left, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  };
  while (is_due()) trial_.several() ? threads_.run(steps_of_trial) : Threads::run_alone(steps_of_trial);
}

/// @param is_to_be_read contacts are, probably, before the next step
void Simulation::step(bool is_to_be_read) {
  Rooms& r = run_->rooms;
  Accounts& accounts = run_->accounts;
  const double dt = r.clock.dt();
  require(r, r.cell.find_problem(dt));
  StageWatch watch(accounts.stage_times);
  watch(Stage::exchange, exchange, r, accounts);
  Alone alone(accounts.transfers);
  const ChecksDue due = checks_due(r.clock.steps() + 1, r.step.is_automatic);
  Tally told = soft::step(r, {}, due.grains || is_to_be_read, alone, watch);
  watch.stop();
  accounts.close_step(told, dt, r.bodies.particles(), r.power, r.local, r.cell);
  thermalise(*run_);
  check(told.alarm, *run_);
  check_course(*run_);
}

void Simulation::check_all() const {
  (void)readable();
  soft::check_all(*run_);
}

/// With contacts as they would be if the steps had left nothing out.
const Rooms& Simulation::readable() const {
  was_read_ = true;
  const auto write_back = [&] {
    close_put_off(run_->rooms, run_->accounts);
    write_back_contacts(run_->rooms);
  };
  trial_.several() ? threads_.run(write_back) : Threads::run_alone(write_back);
  return run_->rooms;
}

// -------------------------------------------------------------------------------------------------------- observation

double Simulation::time() const {
  return run_->rooms.clock.time();
}
bool Simulation::has_reached(double t) const {
  return run_->rooms.clock.has_reached(t);
}
double Simulation::dt() const {
  return run_->rooms.clock.dt();
}
double Simulation::longest_step() const {
  return run_->rooms.clock.longest();
}
const std::string& Simulation::step_reason() const {
  return run_->rooms.step.reason;
}
std::string Simulation::broadphase_reason() const {
  return run_->rooms.pairs.broadphase_reason();
}
std::uint64_t Simulation::steps() const {
  return run_->rooms.clock.steps();
}
std::uint64_t Simulation::particle_steps() const {
  return run_->accounts.particle_steps;
}
std::uint64_t Simulation::chord_jumps() const {
  return run_->accounts.chord_jumps;
}
std::uint32_t Simulation::particles() const {
  return run_->rooms.bodies.particles();
}
bool Simulation::is_over() const {
  return run_->course.is_over();
}
const Course& Simulation::course() const {
  return run_->course;
}
const Bodies& Simulation::bodies() const {
  return run_->rooms.bodies;
}
std::vector<Departure> Simulation::take_departures() {
  return run_->rooms.population.take_departures();
}
const Transfers& Simulation::transfers() const {
  return run_->accounts.transfers;
}
const DepthHistogram& Simulation::impact_depths() const {
  return run_->accounts.impact_depths;
}
DepthHistogram Simulation::present_depths() const {
  return depths_of(readable().contacts);
}
const StageTimes& Simulation::stage_times() const {
  return run_->accounts.stage_times;
}

Run& Simulation::run() {
  (void)readable();
  return *run_;
}

State Simulation::state() const {
  const Rooms& r = readable();
  const Start start = steps() == 0 ? contacts_at_start() : Start{};
  Contacts listed;  // where a step ended before its forces were summed
  const bool has_lists = r.contacts.are_listed(r.bodies.size());
  if (steps() > 0 && !has_lists) {
    listed = r.contacts;
    listed.list_by_body(r.bodies.size(), r.bodies.walls);
  }
  State state = state_of(steps() == 0 ? observe(r, start.contacts, start.net_force)
                                      : observe(r, has_lists ? r.contacts : listed, r.net_force));
  state.time = time();
  state.step = steps();
  state.drives = drive_states(r.walls.drives(), r.bodies);
  if (r.cell.deforms()) state.cell = r.cell.state();
  return state;
}

Summary Simulation::summary() const {
  const Rooms& r = readable();
  const Start start = steps() == 0 ? contacts_at_start() : Start{};
  Summary summary =
      summary_of(steps() == 0 ? observe(r, start.contacts, start.net_force) : observe(r), run_->accounts.energy);
  summary.time = time();
  summary.particles_in = r.population.born();
  summary.particles_out = r.population.departed();
  summary.particles_owed = r.population.owed(r.scene, time());
  summary.chord_jumps = run_->accounts.chord_jumps;
  return summary;
}

}  // namespace scree::soft
