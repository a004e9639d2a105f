#include "dem/soft/population.hpp"

#include <algorithm>
#include <variant>

namespace scree::soft {

void Population::add(const Scene& scene, const InitialState& birth, int group, Bodies& bodies) {
  const int material = scene.particles[static_cast<std::size_t>(group)].material;
  const double density = scene.materials[static_cast<std::size_t>(material)].density;
  const GrainShape& grain = birth.grain;
  bodies.add(take_ids(1), group, material, grain.mass(density), grain.inertia(density),
             0.5 * equivalent_diameter(grain.area), grain.bounding_radius, grain.outline);
  bodies.position.back() = {birth.position.x(), birth.position.y(), birth.angle};
  bodies.velocity.back() = {birth.velocity.x(), birth.velocity.y(), birth.angular_velocity};
  ++born_;
}

std::optional<InitialState> Population::try_pour(const Scene& scene, int group, double time, const IsFree& is_free) {
  const auto* pour = std::get_if<Pour>(&scene.particles[static_cast<std::size_t>(group)].how);
  if (pour == nullptr) return std::nullopt;
  return scree::try_pour(scene, group, due(*pour, time), pours_[static_cast<std::size_t>(group)], is_free);
}

std::vector<char> Population::leaving(const Scene& scene, const Bodies& bodies, const Placement& placement,
                                      double time) {
  const Domain& domain = scene.domain;
  const auto leaves = [&](std::uint32_t body) {
    if (bodies.is_wall(body)) {
      const Wall& wall = scene.walls[static_cast<std::size_t>(bodies.type[body])];
      return wall.until && time >= *wall.until;
    }
    const Aabb2& box = placement.box[body];
    for (int axis = 0; axis < 2; ++axis) {
      if (domain.periodic[static_cast<std::size_t>(axis)]) continue;
      if (box.hi[axis] < domain.lo[axis] || box.lo[axis] > domain.hi[axis]) return true;
    }
    return false;
  };
  std::vector<char> flags;
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    if (!leaves(body)) continue;
    flags.resize(bodies.size(), 0);
    flags[body] = 1;
  }
  return flags;
}

void Population::note_departure(const Bodies& bodies, std::uint32_t body, double time) {
  ++departed_;
  departures_.push_back({time, bodies.id[body], bodies.type[body], bodies.mass[body], linear(bodies.position[body]),
                         linear(bodies.velocity[body]), bodies.velocity[body].z()});
}

std::uint64_t Population::owed(const Scene& scene, double time) const {
  std::uint64_t owed = 0;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    if (const auto* pour = std::get_if<Pour>(&scene.particles[g].how)) {
      owed += due(*pour, time) - std::min(due(*pour, time), pours_[g].born);
    }
  }
  return owed;
}

}  // namespace scree::soft
