#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/gravity.hpp"
#include "dem/insertion.hpp"
#include "dem/soft/dashpot_shares.hpp"
#include "dem/soft/rest.hpp"
#include "dem/soft/simulation.hpp"
#include "dem/soft/start_overlaps.hpp"

/// What changes on the way: gravity, walls that come later, stages; and grains of an earlier run.
namespace scree::soft {

namespace {

/// The shape of a particle as a new one can have it.
GrainShape grain_of(const Bodies& bodies, std::uint32_t body) {
  GrainShape grain = grain_like(bodies.shape(body), bodies.mass[body]);
  if (!bodies.is_clump(body)) return grain;
  const std::span<const Vec2> look = bodies.look(body);
  grain.outline.assign(look.begin(), look.end());
  grain.area = std::numbers::pi * bodies.radius[body] * bodies.radius[body];
  grain.second_moment = bodies.inertia(body) / bodies.mass[body] * grain.area;
  grain.bounding_radius = bodies.bounding_radius[body];
  grain.inner_radius = 0.0;
  for (std::uint32_t k = body + 1; k <= body + bodies.parts_of(body); ++k) {
    GrainShape shape = grain_like(bodies.shape(k), bodies.mass[k]);
    grain.parts.push_back({.outline = std::move(shape.outline),
                           .arm = bodies.arm[k],
                           .area = shape.area,
                           .bounding_radius = shape.bounding_radius,
                           .inner_radius = shape.inner_radius,
                           .longest_side = shape.longest_side});
  }
  return grain;
}

}  // namespace

// ----------------------------------------------------------------------------------------------------------- changes

/// Gravity as it is at a time. @param t [s]
void Simulation::set_gravity(double t) {
  const Vec2 now = gravity_at(scene_, t);
  if (now == scene_.gravity) return;
  energy_.in += gain_of_potential_energy(bodies_, now - scene_.gravity, pairs_.periodic(), {}).value();
  scene_.gravity = now;
  walls_.drives().set_gravity(now);
}

/// Those whose time has come.
void Simulation::put_in_walls() {
  if (bodies_.absent.empty()) return;
  for (std::uint32_t body = 0; body < bodies_.walls; ++body) {
    if (!bodies_.is_absent(body)) continue;
    const Wall& wall = scene_.walls[static_cast<std::size_t>(bodies_.type[body])];
    if (wall.stage > 0 || time() < wall.from.value_or(0.0)) continue;
    bodies_.absent[body] = 0;
    // Where it is now, since a wall that is driven does not move before.
    walls_.move_to(time(), pairs_.periodic(), bodies_);
    placement_.update(bodies_);
    pairs_.insert_one(body, bodies_, placement_);
    pairs_.insert_images(bodies_, placement_);
    for (const PairChange& pair : pairs_.changes()) {
      if (pair.bodies.b == body) require_apart(pair);
    }
  }
  if (std::ranges::find(bodies_.absent, 1) == bodies_.absent.end()) bodies_.absent.clear();
}

/// A grain and a wall that is put in.
void Simulation::require_apart(const PairChange& pair) const {
  const auto [a, b] = pair.bodies;
  const Vec2 branch_vector = pairs_.proxies().branch_vector(bodies_, a, b, pair.key.image);
  const Pose b_in_a = relative_pose(placement_.rotation_of(a), placement_.rotation_of(b), branch_vector);
  PairHint no_hint;
  const Overlap found = overlap(bodies_.shape(a), bodies_.shape(b), b_in_a, no_hint);
  if (!found.touching() || found.depth <= std::max(scene_.initial_depth, kTouchingDepth) * 2.0 * bodies_.radius[a]) {
    return;
  }
  throw PhysicsError(fmt::format(
      "at t = {:f} s (step {}): the wall '{}' is put in where particle {} is, at ({:.4g}, {:.4g}) m: it overlaps it by "
      "{:.3g} m; try another place, or a later time (from)",
      time(), steps(), scene_.walls[static_cast<std::size_t>(bodies_.type[b])].name, bodies_.id[a],
      bodies_.position[a].x(), bodies_.position[a].y(), found.depth));
}

// ------------------------------------------------------------------------------------------------------------ stages

/// Whether pours, gravity, or walls that come, go or move at a time, have not come to their end, or walls that forces
/// move are on their way.
bool Simulation::has_more_to_come() const {
  if (!walls_.drives().have_their_forces(bodies_)) return true;
  const auto is_ahead = [&](double time) { return time < scene_.end && !clock_.has_reached(time); };
  if (!scene_.gravity_table.empty() && is_ahead(scene_.gravity_table.back().time)) return true;
  for (const Wall& wall : scene_.walls) {
    if (wall.stage > 0) continue;
    if (is_ahead(wall.from.value_or(0.0)) || is_ahead(wall.until.value_or(0.0))) return true;
    if (wall.motions.empty()) continue;
    const PhaseOfMotion& last = wall.motions.back();
    const double end_of_table = last.table.empty() ? last.from : last.from + last.table.back().time;
    if (is_ahead(last.until.value_or(end_of_table))) return true;
  }
  for (std::size_t g = 0; g < scene_.particles.size(); ++g) {
    const auto* pour = std::get_if<Pour>(&scene_.particles[g].how);
    if (pour != nullptr && population_.pours()[g].born < pour->count) return true;
  }
  return false;
}

/// Whether the run, or a stage of it, is over.
void Simulation::check_course() {
  bool is_over = false;
  if (scene_.until_unbalanced && clock_.steps() % kStepsBetweenLooks == 0) {
    is_over = course_.look(!has_more_to_come() && (!cell_.deforms() || cell_.has_its_stress()) &&
                           unbalanced_force_ratio(scene_, bodies_, contacts_, net_force_) < *scene_.until_unbalanced);
  }
  if (course_.has_stages()) is_over = is_over || clock_.has_reached(scene_.end);
  if (!is_over) return;
  if (course_.is_last_stage()) {
    course_.end();
  } else {
    begin_stage();
  }
}

/// The next one, from the state that there is.
void Simulation::begin_stage() {
  StageBegin begin{.time = time(), .put = {}};
  for (const std::int32_t wall : course_.walls_that_change(scene_)) {
    const auto body =
        std::find(bodies_.type.begin(), bodies_.type.begin() + bodies_.walls, wall) - bodies_.type.begin();
    if (static_cast<std::uint32_t>(body) == bodies_.walls) {
      throw PhysicsError(fmt::format(
          "at t = {:f} s (step {}): the stage '{}' gives the wall '{}' other motions, which "
          "was removed before; try a stage before its end (until)",
          time(), steps(), scene_.stages[course_.stage() + 1].name, scene_.walls[static_cast<std::size_t>(wall)].name));
    }
    begin.put.push_back(walls_.put(static_cast<std::uint32_t>(body), pairs_.periodic(), bodies_));
  }
  const ElasticEnergy before = elastic_energy(observe(contacts_, net_force_));
  const WallDrives drives = walls_.drives();
  const Vec2 gravity_before = scene_.gravity;
  course_.begin_stage(std::move(begin), scene_);
  make_anew();
  share_dashpots(bodies_, contacts_);  // contacts of several ranks come without
  walls_.drives().take_over(drives, bodies_, pairs_.periodic(), contacts_, laws_);
  clock_.go_on_with(step_);
  gear_.set_step(clock_.dt());
  if (cell_.deforms()) cell_.know(bodies_, laws_, clock_);
  if (scene_.stages[course_.stage()].cell) {
    carry_along(cell_.drive(*scene_.domain.cell));
    pairs_.deform(cell_.shape());
    cell_.look(bodies_, contacts_, laws_);
  }
  energy_.in += gain_of_potential_energy(bodies_, scene_.gravity - gravity_before, pairs_.periodic(), {}).value();
  walls_.drives().set_gravity(scene_.gravity);
  losses_.power.find_quanta(bodies_, laws_, clock_.longest());
  walls_.find_fastest(pairs_.periodic(), bodies_);
  const ElasticEnergy after = elastic_energy(observe(contacts_, net_force_));
  energy_.in += after.sum() - before.sum();
  energy_.law += after.without_potential - before.without_potential;
}

/// What follows from the scene and is no state.
void Simulation::make_anew() {
  walls_ = MovingWalls(scene_);
  laws_ = ContactLaws(scene_, gear_.values());
  step_ = time_step(scene_);
}

// ------------------------------------------------------------------------------------------------ a cell that deforms

/// The grains, as they were put, into the homogeneous flow.
void Simulation::set_in_motion() {
  if (!cell_.deforms()) return;
  cell_.know(bodies_, laws_, clock_);
  pairs_.deform(cell_.shape());
  carry_along(cell_.shape().rate);
}

/// @param change of the flow's velocity gradient
void Simulation::carry_along(const Components& change) {
  const Vec2 centre = cell_.shape().centre;
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    if (bodies_.is_part(body)) continue;
    const Vec2 faster = times(change, linear(bodies_.position[body]) - centre);
    bodies_.velocity[body] += Motion(faster.x(), faster.y(), 0.0);
    if (bodies_.is_clump(body)) follow(pairs_.periodic(), bodies_, body);
  }
}

/// Where the periods are at the end of the step, and how fast they move as predicted.
void Simulation::advance_cell() {
  cell_.advance(clock_.dt());
  pairs_.deform(cell_.shape());
}

/// The periods move as corrected.
void Simulation::correct_cell() {
  pairs_.deform(cell_.shape());
  contacts_.follow(pairs_.periodic(), bodies_);
}

/// As wrap(), with the accelerations of those that cross a side.
void Simulation::wrap_in_cell() {
  const Periodic& periodic = pairs_.periodic();
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    if (bodies_.is_part(body)) continue;
    const Image periods = periodic.periods_outside(linear(bodies_.position[body]));
    if (periods == Image{0, 0}) continue;
    const Vec2 jump = cell_.jump(periodic.shift(periods));
    gear_.set_acceleration(body, gear_.acceleration(body) - Motion(jump.x(), jump.y(), 0.0));
  }
  wrap(periodic, bodies_);
}

/// Acceleration of the homogeneous flow where a body is.
Motion Simulation::in_cell(std::uint32_t body) const {
  const Vec2 flow = cell_.acceleration(linear(bodies_.position[body]));
  return {flow.x(), flow.y(), 0.0};
}

/// Velocity of a body beside the homogeneous flow.
Motion Simulation::own_velocity(std::uint32_t body) const {
  const Motion& velocity = bodies_.velocity[body];
  if (!cell_.deforms()) return velocity;
  const Vec2 flow = pairs_.periodic().flow(linear(bodies_.position[body]));
  return velocity - Motion(flow.x(), flow.y(), 0.0);
}

// -------------------------------------------------------------------------------------------- grains of an earlier run

Inherited Simulation::hand_over() const {
  Inherited all;
  all.next_id = population_.next_id();
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    if (bodies_.is_part(body)) continue;
    Inherited::Grain grain{
        .id = bodies_.id[body],
        .group = bodies_.type[body],
        .state = {grain_of(bodies_, body), linear(bodies_.position[body]), bodies_.position[body].z(),
                  linear(bodies_.velocity[body]), bodies_.velocity[body].z()},
        .image = bodies_.image[body]};
    all.grains.push_back(std::move(grain));
  }
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const BodyPair& pair = contacts_.bodies(k);
    const bool with_wall = bodies_.is_wall(pair.b);
    const PairKey key = contacts_.key(bodies_, k);
    const ContactHistory& history = contacts_.history[k];
    const std::string wall =
        with_wall ? scene_.walls[static_cast<std::size_t>(bodies_.type[pair.b])].name : std::string();
    all.contacts.push_back({key.a, key.b, key.part_a, key.part_b, key.image, wall, history.tangential_displacement,
                            history.tangential_velocity, contacts_.rolling_displacement(k),
                            history.relative_angular_velocity, history.max_depth_ratio, history.sliding,
                            history.rolling});
    all.max_depth_ratio = std::max(all.max_depth_ratio, contacts_.geometry[k].depth_ratio);
  }
  return all;
}

/// Grains that the start brings.
void Simulation::inherit(StartOverlaps& overlaps) {
  if (!scene_.start || !scene_.start->inherited) return;
  const Inherited& inherited = *scene_.start->inherited;
  for (const Inherited::Grain& grain : inherited.grains) {
    population_.set_next_id(grain.id);
    const std::uint32_t body = add(grain.state, grain.group);
    bodies_.image[body] = grain.image;
    if (bodies_.is_clump(body)) follow(pairs_.periodic(), bodies_, body);
  }
  population_.set_next_id(std::max(population_.next_id(), inherited.next_id + scene_.walls.size()));
  give_boxes(overlaps);
}

/// What their contacts remember, and their accelerations.
void Simulation::inherit_histories() {
  if (!scene_.start || !scene_.start->inherited) return;
  const Inherited& inherited = *scene_.start->inherited;
  std::map<std::string, std::uint64_t> id_of_wall;
  for (std::uint32_t wall = 0; wall < bodies_.walls; ++wall) {
    id_of_wall[scene_.walls[static_cast<std::size_t>(bodies_.type[wall])].name] = bodies_.id[wall];
  }
  std::map<PairKey, std::pair<ContactHistory, double>> histories;  // and of rolling resistance
  for (const Inherited::Contact& contact : inherited.contacts) {
    PairKey key{
        .a = contact.a, .b = contact.b, .part_a = contact.part_a, .part_b = contact.part_b, .image = contact.image};
    if (!contact.wall.empty()) {
      const auto wall = id_of_wall.find(contact.wall);
      if (wall == id_of_wall.end()) continue;
      key.b = wall->second;
    }
    histories[key] = {{.tangential_displacement = contact.tangential_displacement,
                       .tangential_velocity = contact.tangential_velocity,
                       .relative_angular_velocity = contact.relative_angular_velocity,
                       .max_depth_ratio = contact.max_depth_ratio,
                       .sliding = contact.sliding,
                       .rolling = contact.rolling},
                      contact.rolling_displacement};
  }
  // Contacts exist from now on, those that had one with their history.
  narrowphase_.detect({bodies_, placement_, pairs_.proxies(), gear_}, contacts_);
  contacts_.update(narrowphase_.found());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const auto known = histories.find(contacts_.key(bodies_, k));
    if (known != histories.end()) contacts_.remember(k, known->second.first, known->second.second);
  }
}

}  // namespace scree::soft
