#include "dem/soft/simulation.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <istream>
#include <ostream>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/gravity.hpp"
#include "dem/room.hpp"
#include "dem/soft/coordinate_limits.hpp"
#include "dem/soft/stage_checks.hpp"
#include "dem/soft/start_overlaps.hpp"
#include "dem/soft/step_limits.hpp"
#include "dem/soft/step_renewal.hpp"
#include "dem/trim.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

// ------------------------------------------------------------------------------------------------------- beginning

Simulation::Simulation(const Scene& scene, Options options)
    : scene_(scene),
      course_(scene),
      step_(time_step(scene)),
      clock_(step_),
      gear_(gear_values(scene.integrator), step_.dt),
      walls_(scene),
      cell_(scene),
      population_(scene),
      pairs_(scene.domain, options.broadphase.value_or(scene.broadphase)),
      laws_(scene, gear_.values()),
      forces_(scene),
      losses_{{}, LocalDamping(scene.local_damping)},
      threads_(options.threads) {
  if (options.made_for == MadeFor::start) require_sound_stages(scene);
  if (course_.has_stages()) {
    StageBegin begin;
    for (const std::int32_t wall : course_.walls_that_change(scene_)) begin.put.push_back({wall, Vec2::Zero(), 0.0});
    course_.begin_stage(std::move(begin), scene_);
    make_anew();
    cell_ = Cell(scene_);
    clock_.go_on_with(step_);
    gear_.set_step(clock_.dt());
  }
  scene_.gravity = gravity_at(scene_, 0.0);
  walls_.drives().set_gravity(scene_.gravity);
  const bool starts = options.made_for == MadeFor::start;
  const bool is_resumed = scene_.start && !scene_.start->inherited;  // the state that is loaded has step and grains
  if (starts && !is_resumed) {
    require_sensible_step(scene_, step_);
    require_digits(scene_, step_);
  }
  if (!starts && scene_.start) scene_.start->inherited.reset();
  if (scene_.start && scene_.start->inherited) population_.set_next_id(scene_.start->inherited->next_id);
  if (scene_.measure) records_.transfers = Transfers(*scene_.measure, scene_.domain, scene_.walls.size());
  walls_.add_to(bodies_, population_.take_ids(scene_.walls.size()));
  for (std::uint32_t body = 0; body < bodies_.walls; ++body) gear_.add(Motion::Zero());
  pairs_.set_spans(walls_.spans());
  walls_.find_fastest(pairs_.periodic(), bodies_);
  walls_.move_to(0.0, pairs_.periodic(), bodies_);
  StartOverlaps overlaps;
  give_boxes(overlaps);
  inherit(overlaps);
  DrawnVelocities draws(scene_);
  std::vector<std::uint32_t> drawn;
  for (std::size_t g = 0; starts && g < scene_.particles.size(); ++g) {
    const int group = static_cast<int>(g);
    const auto is_free_there = [&](const ShapeView& shape, const Pose& pose) { return is_free(shape, pose); };
    // Those of a group are forgotten before their boxes take memory.
    for (const InitialState& birth : initial_grains(scene_, group, is_free_there)) {
      const std::uint32_t body = add(birth, group);
      if (!birth.is_drawn) continue;
      draws.add(bodies_.mass[body], birth.velocity);
      drawn.push_back(body);
    }
    give_boxes(overlaps);
  }
  for (const std::uint32_t body : drawn) {  // their energy, which add() has booked, stays
    const Vec2 velocity = draws.without_mean(linear(bodies_.velocity[body]));
    bodies_.velocity[body] = {velocity.x(), velocity.y(), bodies_.velocity[body][2]};
    if (bodies_.is_clump(body)) follow(pairs_.periodic(), bodies_, body);
  }
  set_in_motion();
  walls_.drives().aim(bodies_, pairs_.periodic());
  bodies_.trim();
  gear_.trim();
  trim(net_force_);
  contacts_.apply(pairs_.changes(), bodies_);
  contacts_.trim();
  pairs_.trim();
  inherit_histories();
  const Start start = contacts_at_start();
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    if (!bodies_.is_part(body)) gear_.set_acceleration(body, acceleration(body, start.net_force[body]));
  }
  const ElasticEnergy elastic = elastic_energy(observe(start.contacts, start.net_force));
  energy_.in += elastic.sum();
  energy_.law += elastic.without_potential;
  energy_.scale = energy_.scale_with(kinetic_energy(bodies_, pairs_.periodic()));
  if (cell_.deforms()) cell_.look(bodies_, start.contacts, laws_);
  losses_.power.find_quanta(bodies_, laws_, clock_.longest());
}

/// @param force of contacts
Motion Simulation::acceleration(std::uint32_t body, const Motion& force) const {
  const double per_mass = bodies_.inverse_mass[body];
  const Motion own = with_fixed(body, Motion(scene_.gravity.x(), scene_.gravity.y(), 0.0) +
                                          force * Motion(per_mass, per_mass, bodies_.inverse_inertia[body]));
  return cell_.deforms() ? Motion(own + in_cell(body)) : own;
}

/// Without what the scene fixes.
Motion Simulation::with_fixed(std::uint32_t body, Motion acceleration) const {
  const std::array<bool, 3>& fixed = scene_.particles[static_cast<std::size_t>(bodies_.type[body])].fixed;
  for (const std::size_t k : {0, 1, 2}) {
    if (fixed[k]) acceleration[static_cast<Eigen::Index>(k)] = 0.0;
  }
  return acceleration;
}

/// @return its place
std::uint32_t Simulation::add(const InitialState& birth, int group) {
  const std::uint32_t body = bodies_.size();
  population_.add(scene_, birth, group, bodies_);
  const std::array<bool, 3>& fixed = scene_.particles[static_cast<std::size_t>(group)].fixed;
  for (const std::size_t k : {0, 1, 2}) {
    if (!fixed[k] || bodies_.velocity[body][static_cast<Eigen::Index>(k)] == 0.0) continue;
    throw InvalidScene(fmt::format("particles[{}].fixed", group), "is given for a grain with a velocity along it");
  }
  gear_.add(with_fixed(body, {scene_.gravity.x(), scene_.gravity.y(), 0.0}));
  for (std::uint32_t part = body + 1; part < bodies_.size(); ++part) gear_.add(Motion::Zero());
  if (bodies_.is_clump(body)) follow(pairs_.periodic(), bodies_, body);
  if (bodies_.parts > 0) net_force_.resize(bodies_.size(), Motion::Zero());
  energy_.in += kinetic_energy(bodies_, body, pairs_.periodic()) +
                potential_energy(bodies_, body, scene_.gravity, pairs_.periodic());
  return body;
}

/// For bodies that have none yet, and for the images that they need. Looks first whether they overlap.
void Simulation::give_boxes(StartOverlaps& overlaps) {
  const auto first = static_cast<std::uint32_t>(placement_.box.size());
  placement_.add_missing(bodies_);
  overlaps.add({scene_, laws_, pairs_.proxies(), bodies_, placement_});
  pairs_.insert(first, bodies_, placement_);
  pairs_.insert_images(bodies_, placement_);
}

/// Contacts and forces before the first step: for output, and for the energy that grains bring with them.
auto Simulation::contacts_at_start() const -> Start {
  Start start{{}, std::vector<Motion>(bodies_.size(), Motion::Zero())};
  const Candidates& all = contacts_.candidates;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto [a, b] = all.bodies[k];
    const Vec2 branch_vector = pairs_.proxies().branch_vector(bodies_, a, b, all.image_of(k));
    const Pose b_in_a = relative_pose(placement_.rotation_of(a), placement_.rotation_of(b), branch_vector);
    if (!clearly_apart(bodies_.shape(a), bodies_.shape(b), b_in_a)) start.contacts.candidates.append(all, k, k + 1);
  }
  Narrowphase narrowphase;
  narrowphase.detect({bodies_, placement_, pairs_.proxies(), gear_}, start.contacts);
  start.contacts.update(narrowphase.found());
  std::size_t known = 0;
  for (std::size_t k = 0; k < start.contacts.size(); ++k) {  // of an earlier run
    const PairKey key = start.contacts.key(bodies_, k);
    while (known < contacts_.size() && contacts_.key(bodies_, known) < key) ++known;
    if (known < contacts_.size() && contacts_.key(bodies_, known) == key) {
      start.contacts.remember(k, contacts_.history[known], contacts_.rolling_displacement(known));
    }
  }
  if (cell_.deforms()) start.contacts.follow(pairs_.periodic(), bodies_);
  forces_.compute({bodies_, placement_, laws_, clock_.dt()}, start.contacts);
  start.contacts.list_by_body(bodies_.size(), bodies_.walls);
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    start.net_force[body] = net_force(bodies_, start.contacts, body);
  }
  return start;
}

std::optional<std::uint64_t> Simulation::set_velocities(std::span<const std::uint64_t> ids,
                                                        std::span<const Motion> velocities) {
  std::unordered_map<std::uint64_t, std::uint32_t> body_of;
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) body_of.emplace(bodies_.id[body], body);
  const auto unknown = std::ranges::find_if(ids, [&](std::uint64_t id) { return !body_of.contains(id); });
  if (unknown != ids.end()) return *unknown;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::uint32_t body = body_of.at(ids[k]);
    energy_.in -= kinetic_energy(bodies_, body, pairs_.periodic());
    bodies_.velocity[body] = with_fixed(body, velocities[k]);
    if (bodies_.is_clump(body)) follow(pairs_.periodic(), bodies_, body);
    energy_.in += kinetic_energy(bodies_, body, pairs_.periodic());
  }
  energy_.scale = energy_.scale_with(kinetic_energy(bodies_, pairs_.periodic()));
  return {};
}

// ---------------------------------------------------------------------------------------------------------- the step

void Simulation::advance_to(double t, std::uint64_t at_most) {
  threads_.run([&] {
    while (at_most > 0 && !is_over() && !clock_.has_reached(t)) --at_most, step();
  });
}

void Simulation::step() {
  const auto timed = [&](Stage stage, const auto& work) { return records_.stage_times.timed(stage, work); };
  if (cell_.deforms()) require(cell_.find_problem(clock_.dt()));
  const double t = clock_.time_after_step();
  timed(Stage::exchange, [&] { exchange(); });
  set_gravity(t);
  timed(Stage::predict, [&] {
    gear_.predict(bodies_);
    if (cell_.deforms()) advance_cell();
    follow(pairs_.periodic(), bodies_);
    walls_.drives().advance(bodies_, pairs_.periodic(), clock_.dt());
    walls_.move_to(t, pairs_.periodic(), bodies_);
    if (walls_.drives().has_unbounded_speed()) walls_.find_fastest(pairs_.periodic(), bodies_);
  });
  timed(Stage::place, [&] { placement_.update(bodies_); });
  timed(Stage::find_pairs, [&] { pairs_.update(bodies_, placement_); });
  timed(Stage::apply_changes, [&] { end_with_their_pairs(contacts_.apply(pairs_.changes(), bodies_)); });
  const auto ended = timed(Stage::detect, [&] {
    narrowphase_.detect({bodies_, placement_, pairs_.proxies(), gear_}, contacts_);
    return contacts_.update(narrowphase_.found(), narrowphase_.some_are_apart());
  });
  bool alarm = timed(Stage::forces, [&] {
    if (cell_.deforms()) contacts_.follow(pairs_.periodic(), bodies_);
    return forces_.compute({bodies_, placement_, laws_, clock_.dt()}, contacts_);
  });
  if (scene_.measure) add_transfers(bodies_, contacts_, clock_.dt(), records_.transfers);
  timed(Stage::correct, [&] {
    CellTally of_cell;
    if (cell_.deforms()) {
      of_cell = cell_.tally(bodies_, contacts_, laws_);
      cell_.feel(of_cell, clock_.dt());
    }
    alarm |= gather_and_correct();
    if (cell_.deforms()) correct_cell();
    follow(pairs_.periodic(), bodies_);
    if (walls_.drives().any()) {
      walls_.drives().feel(bodies_, pairs_.periodic(), contacts_, laws_, clock_.dt(), energy_);
      walls_.move_to(t, pairs_.periodic(), bodies_);  // with the corrected velocities of walls that have a mass
    }
    losses_.power.account(bodies_, laws_, clock_.dt(), ended, contacts_, energy_);
    if (losses_.local.acts()) {
      losses_.local.close(losses_.local.power(bodies_, pairs_.periodic()).value(), clock_.dt(), energy_);
    }
    if (cell_.deforms()) {
      cell_.tally_grains(bodies_, {}, of_cell);
      cell_.account(of_cell, clock_.dt(), energy_);
    }
    clock_.advance();
    if (!cell_.deforms()) {
      wrap(pairs_.periodic(), bodies_);
    } else {
      wrap_in_cell();
    }
  });
  records_.count(bodies_.particles(), narrowphase_.chord_jumps(), ended);
  check(alarm);
  check_course();
}

/// Bodies that left through an open side in the last step and walls whose time is over go; grains that are due and find
/// room are born.
void Simulation::exchange() {
  const auto population = [&] { return std::pair(population_.next_id(), population_.departed()); };
  const auto before = population();
  if (const auto leaving = Population::leaving(scene_, bodies_, placement_, time()); !leaving.empty()) remove(leaving);
  put_in_walls();
  for (std::size_t g = 0; g < scene_.particles.size(); ++g) {
    const int group = static_cast<int>(g);
    while (const auto birth = population_.try_pour(
               scene_, group, time(), [&](const ShapeView& shape, const Pose& pose) { return is_free(shape, pose); })) {
      const std::uint32_t body = add(*birth, group);
      placement_.add_missing(bodies_);
      pairs_.insert(body, bodies_, placement_);
    }
  }
  if (population() != before) losses_.power.find_quanta(bodies_, laws_, clock_.longest());
}

/// @param leaving one flag a body
void Simulation::remove(const std::vector<char>& leaving) {
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    if (leaving[body] && !bodies_.is_part(body)) depart(body);
  }
  for (const EndedContact& contact : end_contacts_of(leaving)) {
    end_with_body(contact.history.max_depth_ratio, forces_.elastic_energy(bodies_, laws_, pairs_.proxies(), contact));
  }
  compact(leaving);
  walls_.find_fastest(pairs_.periodic(), bodies_);
}

/// A particle leaves with its energy.
void Simulation::depart(std::uint32_t body) {
  population_.note_departure(bodies_, body, time());
  const double kinetic = kinetic_energy(bodies_, body, pairs_.periodic());
  energy_.out += kinetic + potential_energy(bodies_, body, scene_.gravity, pairs_.periodic());
  energy_.kinetic_out += kinetic;
}

/// Bodies that leave have no boxes and no pairs any more.
std::span<const EndedContact> Simulation::end_contacts_of(const std::vector<char>& leaving) {
  pairs_.erase(leaving, bodies_);
  return contacts_.apply(pairs_.changes(), bodies_);
}

/// A contact ends since a body leaves, with what its springs hold.
void Simulation::end_with_body(double depth_ratio, const ElasticEnergy& elastic) {
  records_.impact_depths.add(depth_ratio);
  energy_.out += elastic.sum();
  energy_.law -= elastic.without_potential;
}

/// The arrays without bodies that left. @return see Bodies::remove
std::vector<std::uint32_t> Simulation::compact(const std::vector<char>& leaving) {
  std::vector<std::uint32_t> new_index = bodies_.remove(leaving);
  gear_.remove(new_index);
  placement_.remove(new_index);
  keep_remaining(net_force_, new_index);
  pairs_.renumber(new_index, bodies_);
  contacts_.renumber(new_index);
  contacts_.list_by_body(bodies_.size(), bodies_.walls);
  return new_index;
}

/// Contacts whose boxes parted: what was left in their tangential springs is dissipated.
void Simulation::end_with_their_pairs(std::span<const EndedContact> ended) {
  for (const EndedContact& contact : ended) {
    records_.impact_depths.add(contact.history.max_depth_ratio);
    energy_.law += tangential_energy(laws_.of(bodies_, contact.bodies), contact);
  }
}

/// What becomes of the acceleration by contacts and gravity: what the scene fixes, local damping, the flow of a cell.
/// @pre the motion of the body is as predicted
Motion Simulation::alter(std::uint32_t body, const Motion& acceleration) {
  Motion altered = with_fixed(body, acceleration);
  if (losses_.local.acts()) altered = losses_.local.apply(body, altered, own_velocity(body));
  if (cell_.deforms()) altered += in_cell(body);
  return altered;
}

/// Sums the forces on every particle, in a fixed order, and corrects its motion. On several threads.
/// @return whether a guard has to be told
bool Simulation::gather_and_correct() {
  std::atomic<bool> alarm = false;
  contacts_.list_by_body(bodies_.size(), bodies_.walls);
  if (losses_.local.acts()) losses_.local.resize(bodies_.size());
  const bool is_altered =
      losses_.local.acts() || cell_.deforms() || std::ranges::any_of(scene_.particles, [](const ParticleGroup& group) {
        return group.fixed != std::array{false, false, false};
      });
  constexpr std::size_t kBlock = 64;  // bodies
  const Motion gravity(scene_.gravity.x(), scene_.gravity.y(), 0.0);
  const double* const per_mass = bodies_.inverse_mass.data();
  const double* const per_inertia = bodies_.inverse_inertia.data();
  const Contacts& contacts = contacts_;
  Motion* const net = net_force_.empty() ? nullptr : net_force_.data();
  parallel_for_ranges(
      bodies_.beyond_walls(), [&, gravity, per_mass, per_inertia, net](std::size_t begin, std::size_t end) {
        std::array<Motion, kBlock> accelerations;
        for (; begin < end; begin += kBlock) {
          const auto first = bodies_.walls + static_cast<std::uint32_t>(begin);
          const std::size_t count = std::min(kBlock, end - begin);
          for (std::size_t k = 0; k < count; ++k) {
            const auto body = first + static_cast<std::uint32_t>(k);
            if (bodies_.is_part(body)) {  // it follows its clump, which sums the forces on it
              accelerations[k] = Motion::Zero();
              continue;
            }
            const Motion force = net_force(bodies_, contacts, body);
            if (net != nullptr) net[body] = force;
            accelerations[k] = gravity + force * Motion(per_mass[body], per_mass[body], per_inertia[body]);
          }
          for (std::size_t k = 0; is_altered && k < count; ++k) {
            const auto body = first + static_cast<std::uint32_t>(k);
            if (bodies_.is_part(body)) continue;
            accelerations[k] = alter(body, accelerations[k]);
          }
          gear_.correct(bodies_, first, std::span(accelerations).first(count));
          if (!motions_are_sound(bodies_, first, first + static_cast<std::uint32_t>(count), clock_.dt(),
                                 walls_.fastest().speed)) {
            alarm.store(true, std::memory_order_relaxed);
          }
        }
      });
  return alarm;
}

bool Simulation::is_free(const ShapeView& shape, const Pose& pose) const {
  return has_room(shape, pose, kRoomAround * shape.radius,
                  [&](const Aabb2& box, const auto& take) { pairs_.for_each_near(box, bodies_, take); });
}

// ------------------------------------------------------------------------------------------------------------ guards

StepView Simulation::view() const {
  return {scene_, bodies_, placement_, contacts_, laws_, walls_.fastest(), clock_.dt(), step_};
}

void Simulation::require(const Problem& problem) const {
  if (!problem) return;
  throw PhysicsError(fmt::format("at t = {:f} s (step {}): {}", time(), steps(), *problem));
}

/// @param alarm something in the step looked wrong
void Simulation::check(bool alarm) {
  if (alarm) {
    require(check_motions(view()));
    require(check_depths(view()));
    require(check_passages(view()));
    require(check_contacts(view()));
  }
  require(walls_.drives().find_too_light(scene_, clock_.dt()));
  const ChecksDue due = checks_due(clock_.steps(), step_.is_automatic);
  if (due.scale) {
    energy_.scale = energy_.scale_with(kinetic_energy(bodies_, pairs_.periodic()));
    if (cell_.deforms()) energy_.scale = std::max(energy_.scale, cell_.flow_energy());
  }
  if (due.grains) renew_step(contact_elements(bodies_, contacts_, laws_));
  if (due.balance) require(check_balance(view(), summary()));
}

/// Halves the step, or doubles it again, as the grains need it.
void Simulation::renew_step(std::span<const ContactElement> elements) {
  const auto needed =
      renewed_halvings(step_need(elements, bodies_.size(), stability_limit(gear_.values()), clock_), clock_);
  if (const int halvings = needed.value_or(clock_.most_halvings()); halvings != clock_.halvings()) {
    clock_.halve(halvings);
    gear_.set_step(clock_.dt());
  }
  if (!needed) require(check_grains(view(), elements));
}

void Simulation::check_all() const {
  require(check_grains(view(), contact_elements(bodies_, contacts_, laws_)));
  if (clock_.steps() >= kStepsBetweenScales) require(check_balance(view(), summary()));
}

// -------------------------------------------------------------------------------------------------------- observation

ObserveView Simulation::observe(const Contacts& contacts, std::span<const Motion> net_force) const {
  return {scene_, bodies_, pairs_.proxies(), contacts, laws_, forces_, net_force};
}

State Simulation::state() const {
  const Start start = steps() == 0 ? contacts_at_start() : Start{};
  Contacts listed;  // where a step ended before its forces were summed
  const bool has_lists = contacts_.are_listed(bodies_.size());
  if (steps() > 0 && !has_lists) {
    listed = contacts_;
    listed.list_by_body(bodies_.size(), bodies_.walls);
  }
  State state = state_of(steps() == 0 ? observe(start.contacts, start.net_force)
                                      : observe(has_lists ? contacts_ : listed, net_force_));
  state.time = time();
  state.step = steps();
  state.drives = drive_states(walls_.drives(), bodies_);
  if (cell_.deforms()) state.cell = cell_.state();
  return state;
}

Summary Simulation::summary() const {
  const Start start = steps() == 0 ? contacts_at_start() : Start{};
  Summary summary =
      summary_of(steps() == 0 ? observe(start.contacts, start.net_force) : observe(contacts_, net_force_), energy_);
  summary.time = time();
  summary.particles_in = population_.born();
  summary.particles_out = population_.departed();
  summary.particles_owed = population_.owed(scene_, time());
  summary.chord_jumps = records_.chord_jumps;
  return summary;
}

}  // namespace scree::soft
