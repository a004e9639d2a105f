#include "dem/soft/exchange.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/room.hpp"
#include "dem/scene.hpp"
#include "dem/soft/accelerations.hpp"
#include "dem/soft/checks/start_overlaps.hpp"

namespace scree::soft {

namespace {

/// @param leaving one flag a body
void remove(const std::vector<char>& leaving, Rooms& r, Accounts& accounts) {
  close_put_off(r, accounts);
  unpack_contacts(r);
  for (std::uint32_t body = r.bodies.walls; body < r.bodies.size(); ++body) {
    if (leaving[body] && !r.bodies.is_part(body)) depart(body, r, accounts);
  }
  for (const EndedContact& contact : end_contacts_of(leaving, r)) {
    accounts.end_with_body(contact.history.max_depth_ratio,
                           r.forces.elastic_energy(r.bodies, r.laws, r.pairs.proxies(), contact));
  }
  compact(leaving, r);
  r.walls.find_fastest(r.periodic(), r.bodies);
}

/// A grain and a wall that is put in.
void require_apart(const Rooms& r, const PairChange& pair) {
  const Bodies& bodies = r.bodies;
  const auto [a, b] = pair.bodies;
  const Vec2 branch_vector = r.pairs.proxies().branch_vector(bodies, a, b, pair.key.image);
  const Pose b_in_a = relative_pose(r.placement.rotation_of(a), r.placement.rotation_of(b), branch_vector);
  PairHint no_hint;
  const Overlap found = overlap(bodies.shape(a), bodies.shape(b), b_in_a, no_hint);
  if (!found.touching() ||
      found.depth <= std::max(r.scene.soft.initial_depth, kTouchingDepth) * 2.0 * bodies.radius[a]) {
    return;
  }
  require(r, fmt::format("the wall '{}' is put in where particle {} is, at ({:.4g}, {:.4g}) m: it overlaps it by "
                         "{:.3g} m; try another place, or a later time (from)",
                         r.scene.walls[static_cast<std::size_t>(bodies.type[b])].name, bodies.id[a],
                         bodies.position[a].x(), bodies.position[a].y(), found.depth));
}

/// Puts in the walls that are due.
void put_in_walls(Rooms& r) {
  Bodies& bodies = r.bodies;
  if (bodies.absent.empty()) return;
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    if (!bodies.is_absent(body)) continue;
    const Wall& wall = r.scene.walls[static_cast<std::size_t>(bodies.type[body])];
    if (wall.stage > 0 || r.time() < wall.from.value_or(0.0)) continue;
    bodies.absent[body] = 0;
    // Where it is now, since a wall that is driven does not move before.
    r.walls.move_to(r.time(), r.periodic(), bodies);
    write_back_contacts(r);  // as they were placed
    r.placement.update(bodies);
    r.pairs.insert_one(body, bodies, r.placement);
    r.pairs.insert_images(bodies, r.placement);
    for (const PairChange& pair : r.pairs.changes()) {
      if (pair.bodies.b == body) require_apart(r, pair);
    }
  }
  if (std::ranges::find(bodies.absent, 1) == bodies.absent.end()) bodies.absent.clear();
}

}  // namespace

bool is_free(const Rooms& r, const ShapeView& shape, const Pose& pose) {
  return has_room(shape, pose, kRoomAround * shape.radius,
                  [&](const Aabb2& box, const auto& take) { r.pairs.for_each_near(box, r.bodies, take); });
}

std::uint32_t add(const InitialState& birth, int group, Rooms& r) {
  Bodies& bodies = r.bodies;
  const std::uint32_t body = bodies.size();
  r.population.add(r.scene, birth, group, bodies);
  const std::array<bool, 3>& fixed = r.scene.particles[static_cast<std::size_t>(group)].fixed;
  for (const std::size_t k : {0, 1, 2}) {
    if (!fixed[k] || bodies.velocity[body][static_cast<Eigen::Index>(k)] == 0.0) continue;
    throw InvalidScene(fmt::format("particles[{}].fixed", group), "is given for a grain with a velocity along it");
  }
  r.gear.add(with_fixed(r.scene, bodies, body, {r.scene.gravity.x(), r.scene.gravity.y(), 0.0}));
  for (std::uint32_t part = body + 1; part < bodies.size(); ++part) r.gear.add(Motion::Zero());
  if (bodies.is_clump(body)) follow(r.periodic(), bodies, body);
  if (bodies.parts > 0) r.net_force.resize(bodies.size(), Motion::Zero());
  return body;
}

void give_boxes(std::uint32_t first, Rooms& r) {
  r.placement.add_missing(r.bodies);
  r.pairs.insert(first, r.bodies, r.placement);
}

ParticleEnergy energy_of(const Rooms& r, std::uint32_t body) {
  return {kinetic_energy(r.bodies, body, r.periodic()),
          potential_energy(r.bodies, body, r.scene.gravity, r.periodic())};
}

void depart(std::uint32_t body, Rooms& r, Accounts& accounts) {
  r.population.note_departure(r.bodies, body, r.time());
  accounts.leave(energy_of(r, body));
}

std::span<const EndedContact> end_contacts_of(const std::vector<char>& leaving, Rooms& r) {
  r.pairs.erase(leaving, r.bodies);
  return r.contacts.apply(r.pairs.changes(), r.bodies);
}

std::vector<std::uint32_t> compact(const std::vector<char>& leaving, Rooms& r) {
  std::vector<std::uint32_t> new_index = r.bodies.remove(leaving);
  r.gear.remove(new_index);
  r.placement.remove(new_index);
  keep_remaining(r.net_force, new_index);
  r.pairs.renumber(new_index, r.bodies);
  r.contacts.renumber(new_index);
  r.contacts.list_by_body(r.bodies.size(), r.bodies.walls);
  return new_index;
}

Tally::Ended ended_with_boxes(const Rooms& r, const EndedContact& contact) {
  return {key_of(r.bodies, contact.bodies, contact.image),
          tangential_energy(r.laws.of(r.bodies, contact.bodies), contact), contact.history.max_depth_ratio};
}

void exchange(Rooms& r, Accounts& accounts) {
  const auto population = [&] { return std::pair(r.population.next_id(), r.population.departed()); };
  const auto before = population();
  if (const auto leaving = Population::leaving(r.scene, r.bodies, r.placement, r.time()); !leaving.empty()) {
    remove(leaving, r, accounts);
  }
  put_in_walls(r);
  for (std::size_t g = 0; g < r.scene.particles.size(); ++g) {
    const int group = static_cast<int>(g);
    while (const auto birth = r.population.try_pour(
               r.scene, group, r.time(),
               [&](const ShapeView& shape, const Pose& pose) { return is_free(r, shape, pose); })) {
      const std::uint32_t body = add(*birth, group, r);
      accounts.enter(energy_of(r, body));
      give_boxes(body, r);
    }
  }
  if (population() != before) {
    close_put_off(r, accounts);
    find_quanta(r);
  }
}

}  // namespace scree::soft
