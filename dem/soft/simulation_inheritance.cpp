#include <algorithm>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/soft/checks/start_overlaps.hpp"
#include "dem/soft/run.hpp"
#include "dem/soft/simulation.hpp"

/// Grains that one run hands over to another.
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

Inherited Simulation::hand_over() const {
  const Rooms& r = readable();
  Inherited all;
  all.next_id = r.population.next_id();
  for (std::uint32_t body = r.bodies.walls; body < r.bodies.size(); ++body) {
    if (r.bodies.is_part(body)) continue;
    Inherited::Grain grain{
        .id = r.bodies.id[body],
        .group = r.bodies.type[body],
        .state = {grain_of(r.bodies, body), linear(r.bodies.position[body]), r.bodies.position[body].z(),
                  linear(r.bodies.velocity[body]), r.bodies.velocity[body].z()},
        .image = r.bodies.image[body]};
    all.grains.push_back(std::move(grain));
  }
  for (std::size_t k = 0; k < r.contacts.size(); ++k) {
    const BodyPair& pair = r.contacts.bodies(k);
    const bool with_wall = r.bodies.is_wall(pair.b);
    const PairKey key = r.contacts.key(r.bodies, k);
    const ContactHistory& history = r.contacts.history[k];
    const std::string wall =
        with_wall ? r.scene.walls[static_cast<std::size_t>(r.bodies.type[pair.b])].name : std::string();
    all.contacts.push_back({key.a, key.b, key.part_a, key.part_b, key.image, wall, history.tangential_displacement,
                            history.tangential_velocity, r.contacts.rolling_displacement(k),
                            history.relative_angular_velocity, history.max_depth_ratio, history.sliding,
                            history.rolling});
    all.max_depth_ratio = std::max(all.max_depth_ratio, r.contacts.axes[k].depth_ratio);
  }
  return all;
}

/// Grains that the start brings.
void Simulation::inherit(StartOverlaps& overlaps) {
  Rooms& r = run_->rooms;
  if (!r.scene.start || !r.scene.start->inherited) return;
  const Inherited& inherited = *r.scene.start->inherited;
  for (const Inherited::Grain& grain : inherited.grains) {
    r.population.set_next_id(grain.id);
    const std::uint32_t body = r.bodies.size();
    add_particle(grain.state, grain.group);
    r.bodies.image[body] = grain.image;
    if (r.bodies.is_clump(body)) follow(r.periodic(), r.bodies, body);
  }
  r.population.set_next_id(std::max(r.population.next_id(), inherited.next_id + r.scene.walls.size()));
  give_boxes(overlaps);
}

/// What their contacts remember, and their accelerations.
void Simulation::inherit_histories() {
  Rooms& r = run_->rooms;
  if (!r.scene.start || !r.scene.start->inherited) return;
  const Inherited& inherited = *r.scene.start->inherited;
  std::map<std::string, std::uint64_t> id_of_wall;
  for (std::uint32_t wall = 0; wall < r.bodies.walls; ++wall) {
    id_of_wall[r.scene.walls[static_cast<std::size_t>(r.bodies.type[wall])].name] = r.bodies.id[wall];
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
  r.narrowphase.detect({r.bodies, r.placement, r.pairs.proxies(), r.gear}, r.contacts);
  r.contacts.update(r.narrowphase.found(), r.narrowphase.apart());
  for (std::size_t k = 0; k < r.contacts.size(); ++k) {
    const auto known = histories.find(r.contacts.key(r.bodies, k));
    if (known != histories.end()) r.contacts.remember(k, known->second.first, known->second.second);
  }
}

}  // namespace scree::soft
