#include "dem/soft/rooms.hpp"

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/scene.hpp"

namespace scree::soft {

Rooms::Rooms(const Scene& given, BroadphaseKind kind)
    : scene(given),
      step(time_step(given)),
      clock(step),
      gear(gear_values(given.soft.integrator), step.dt),
      walls(given),
      cell(given),
      population(given),
      pairs(given.domain, kind),
      laws(given, gear.values()),
      forces(given),
      local(given.soft.local_damping) {}

void put_walls(Rooms& r) {
  r.walls.add_to(r.bodies, r.population.take_ids(r.scene.walls.size()));
  for (std::uint32_t body = 0; body < r.bodies.walls; ++body) r.gear.add(Motion::Zero());
  r.pairs.set_spans(r.walls.spans());
  r.walls.find_fastest(r.periodic(), r.bodies);
  r.walls.move_to(0.0, r.periodic(), r.bodies);
}

void make_anew(Rooms& r) {
  r.walls = MovingWalls(r.scene);
  r.laws = ContactLaws(r.scene, r.gear.values());
  r.step = time_step(r.scene);
}

void change_gravity(const Vec2& gravity, Rooms& r) {
  r.scene.gravity = gravity;
  r.walls.drives().set_gravity(gravity);
}

std::optional<PowerTally> take_put_off(Rooms& r) {
  if (!r.put_off.is_due) return {};
  r.put_off.is_due = false;
  PowerTally all = r.power.tally(r.bodies, r.laws, {}, {}, r.contacts);
  all += r.put_off.so_far;
  return all;
}

StepView view(const Rooms& r) {
  return {r.scene, r.bodies, r.placement, r.contacts, r.laws, r.walls.fastest(), r.clock.dt(), r.step};
}

ObserveView observe(const Rooms& r, const Contacts& contacts, std::span<const Motion> net_force) {
  return {r.scene, r.bodies, r.pairs.proxies(), contacts, r.laws, r.forces, net_force};
}

void require(const Rooms& r, const Problem& problem) {
  if (!problem) return;
  throw PhysicsError(fmt::format("at t = {:f} s (step {}): {}", r.time(), r.clock.steps(), *problem));
}

}  // namespace scree::soft
