#include "dem/soft/accelerations.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "dem/scene.hpp"
#include "dem/soft/lanes/views.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

Motion with_fixed(const Scene& scene, const Bodies& bodies, std::uint32_t body, Motion motion) {
  const std::array<bool, 3>& fixed = scene.particles[static_cast<std::size_t>(bodies.type[body])].fixed;
  for (const std::size_t k : {0, 1, 2}) {
    if (fixed[k]) motion[static_cast<Eigen::Index>(k)] = 0.0;
  }
  return motion;
}

Motion acceleration_at_start(const Rooms& r, std::uint32_t body, const Motion& force) {
  const double per_mass = r.bodies.inverse_mass[body];
  const Motion own = with_fixed(r.scene, r.bodies, body,
                                Motion(r.scene.gravity.x(), r.scene.gravity.y(), 0.0) +
                                    force * Motion(per_mass, per_mass, r.bodies.inverse_inertia[body]));
  return r.cell.with_flow(linear(r.bodies.position[body]), own);
}

Motion own_velocity(const Rooms& r, std::uint32_t body) {
  const Motion& velocity = r.bodies.velocity[body];
  if (!r.periodic().deforms()) return velocity;
  const Vec2 flow = r.periodic().flow(linear(r.bodies.position[body]));
  return velocity - Motion(flow.x(), flow.y(), 0.0);
}

Motion alter(std::uint32_t body, const Motion& acceleration, Rooms& r) {
  Motion altered = with_fixed(r.scene, r.bodies, body, acceleration);
  if (r.local.acts()) altered = r.local.apply(body, altered, own_velocity(r, body));
  return r.cell.with_flow(linear(r.bodies.position[body]), altered);
}

namespace {

/// Sums of the forces on all bodies; null where each body's are to be gathered: by several threads, or of clumps.
double* force_sums(Rooms& r) {
  if (r.plain.are_packed()) return r.plain.sums();
  if (Threads::are_several() || r.bodies.parts > 0 || r.bodies.size() == 0) return nullptr;
  r.force_sums.resize(r.bodies.size());
  double* const sums = r.force_sums.front().number;
  if (r.contacts.size() > 0) {
    const std::span<const std::uint32_t> at_walls = r.contacts.at_walls(r.bodies.walls);
    lanes::kernels().add_up(candidates_for_lanes(r.contacts), r.contacts.candidate.data(),
                            static_cast<std::uint32_t>(r.contacts.size()), r.contacts.force.front().on_b.data(),
                            {at_walls.data(), 0, static_cast<std::uint32_t>(at_walls.size())}, sums);
  }
  return sums;
}

/// Whether accelerations are more than forces and gravity.
bool is_altered(const Rooms& r) {
  return r.local.acts() || r.cell.deforms() || std::ranges::any_of(r.scene.particles, [](const ParticleGroup& group) {
           return group.fixed != std::array{false, false, false};
         });
}

constexpr std::uint32_t kBlock = 256;  // bodies
using Accelerations = std::array<Motion, kBlock>;

/// Corrects at most a block of bodies. @param found by forces and gravity
bool correct_block(std::uint32_t first, std::span<Motion> found, bool is_altered, Rooms& r) {
  for (std::size_t k = 0; is_altered && k < found.size(); ++k) {
    const auto body = first + static_cast<std::uint32_t>(k);
    if (r.bodies.is_part(body)) continue;
    found[k] = alter(body, found[k], r);
  }
  r.gear.correct(r.bodies, first, found);
  return !motions_are_sound(r.bodies, first, first + static_cast<std::uint32_t>(found.size()), r.clock.dt(),
                            r.walls.fastest().speed);
}

/// Forces and gravity → accelerations. The sums become 0.
void accelerate(std::uint32_t first, std::span<Motion> found, double* sums, const Rooms& r) {
  const Motion gravity(r.scene.gravity.x(), r.scene.gravity.y(), 0.0);
  lanes::kernels().accelerate(sums, r.bodies.inverse_mass.data(), r.bodies.inverse_inertia.data(), gravity.data(),
                              first, first + static_cast<std::uint32_t>(found.size()), found.front().data());
}

/// The same of forces that each body gathers.
void accelerate(std::uint32_t first, std::span<Motion> found, Rooms& r) {
  const Bodies& bodies = r.bodies;
  const Motion gravity(r.scene.gravity.x(), r.scene.gravity.y(), 0.0);
  const double* const per_mass = bodies.inverse_mass.data();
  const double* const per_inertia = bodies.inverse_inertia.data();
  Motion* const net = r.net_force.empty() ? nullptr : r.net_force.data();
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto body = first + static_cast<std::uint32_t>(k);
    if (bodies.is_part(body)) {  // it follows its clump, which sums the forces on it
      found[k] = Motion::Zero();
      continue;
    }
    const Motion force = net_force(bodies, r.contacts, body);
    if (net != nullptr) net[body] = force;
    found[k] = gravity + force * Motion(per_mass[body], per_mass[body], per_inertia[body]);
  }
}

}  // namespace

Correction::Correction(double* sums, Rooms& rooms) : sums_(sums), rooms_(rooms), is_altered_(is_altered(rooms)) {
  if (rooms.local.acts()) rooms.local.resize(rooms.bodies.size());
}

bool Correction::operator()(std::uint32_t begin, std::uint32_t end) const {
  bool alarm = false;
  Accelerations accelerations;
  for (; begin < end; begin += kBlock) {
    const std::span found = std::span(accelerations).first(std::min(kBlock, end - begin));
    sums_ != nullptr ? accelerate(begin, found, sums_, rooms_) : accelerate(begin, found, rooms_);
    alarm |= correct_block(begin, found, is_altered_, rooms_);
  }
  return alarm;
}

bool gather_and_correct(Rooms& r) {
  const std::uint32_t walls = r.bodies.walls;
  double* const sums = force_sums(r);
  if (!r.plain.are_packed()) r.contacts.list_by_body(r.bodies.size(), walls);  // others read it, too
  const Correction correct(sums, r);
  std::atomic<bool> alarm = false;
  parallel_for_ranges(r.bodies.beyond_walls(), [&](std::size_t begin, std::size_t end) {
    if (correct(walls + static_cast<std::uint32_t>(begin), walls + static_cast<std::uint32_t>(end)))
      alarm.store(true, std::memory_order_relaxed);
  });
  return alarm;
}

void carry_along(const Components& change, Rooms& r) {
  if (!r.cell.deforms()) return;
  const Vec2 centre = r.cell.shape().centre;
  for (std::uint32_t body = r.bodies.walls; body < r.bodies.size(); ++body) {
    if (r.bodies.is_part(body)) continue;
    const Vec2 faster = times(change, linear(r.bodies.position[body]) - centre);
    r.bodies.velocity[body] += Motion(faster.x(), faster.y(), 0.0);
    if (r.bodies.is_clump(body)) follow(r.periodic(), r.bodies, body);
  }
}

void jump_at_sides(Rooms& r) {
  const Periodic& periodic = r.periodic();
  if (!periodic.deforms()) return;
  for (std::uint32_t body = r.bodies.walls; body < r.bodies.size(); ++body) {
    if (r.bodies.is_part(body)) continue;
    const Image periods = periodic.periods_outside(linear(r.bodies.position[body]));
    if (periods == Image{0, 0}) continue;
    const Vec2 jump = r.cell.jump(periodic.shift(periods));
    r.gear.set_acceleration(body, r.gear.acceleration(body) - Motion(jump.x(), jump.y(), 0.0));
  }
}

}  // namespace scree::soft
