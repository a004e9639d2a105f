#include "dem/soft/motion/population.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

#include "dem/scene.hpp"

namespace scree::soft {

Population::Population(const Scene& scene) : pours_(scene.particles.size()) {}

void Population::add(const Scene& scene, const InitialState& birth, int group, Bodies& bodies) {
  const int material = scene.particles[static_cast<std::size_t>(group)].material;
  const double density = scene.materials[static_cast<std::size_t>(material)].density;
  const GrainShape& grain = birth.grain;
  bodies.add(take_ids(1), group, material, grain.mass(density), grain.inertia(density),
             0.5 * equivalent_diameter(grain.area), grain.bounding_radius,
             grain.is_clump() ? Outline() : Outline(grain.outline));
  bodies.position.back() = {birth.position.x(), birth.position.y(), birth.angle};
  bodies.velocity.back() = {birth.velocity.x(), birth.velocity.y(), birth.angular_velocity};
  if (grain.is_clump()) bodies.add_silhouette(grain.outline);
  for (const GrainPart& part : grain.parts) {
    bodies.add_part(part.arm, 0.5 * equivalent_diameter(part.area), part.bounding_radius, part.outline);
  }
  ++born_;
}

std::optional<InitialState> Population::try_pour(const Scene& scene, int group, double time, const IsFree& is_free) {
  const auto* pour = std::get_if<Pour>(&scene.particles[static_cast<std::size_t>(group)].how);
  if (pour == nullptr) return std::nullopt;
  return scree::try_pour(scene, group, due(*pour, time), pours_[static_cast<std::size_t>(group)], is_free);
}

std::vector<char> Population::leaving(const Scene& scene, const Bodies& bodies, const Placement& placement,
                                      double time) {
  Aabb2 open{scene.domain.lo, scene.domain.hi};  // nothing leaves along a periodic axis
  for (const int axis : {0, 1}) {
    if (!scene.domain.periodic[static_cast<std::size_t>(axis)]) continue;
    open.lo[axis] = -std::numeric_limits<double>::infinity();
    open.hi[axis] = std::numeric_limits<double>::infinity();
  }
  std::vector<char> flags;
  const auto flag = [&](std::uint32_t body) {
    flags.resize(bodies.size(), 0);
    flags[body] = 1;
  };
  for (std::uint32_t wall = 0; wall < bodies.walls; ++wall) {
    const Wall& spec = scene.walls[static_cast<std::size_t>(bodies.type[wall])];
    if (spec.stage == 0 && spec.until && time >= *spec.until) flag(wall);
  }
  const std::optional<Aabb2>& reach = placement.reach;
  if (reach && (reach->lo.array() <= open.hi.array()).all() && (reach->hi.array() >= open.lo.array()).all())
    return flags;
  const auto is_beyond = [&](std::uint32_t body) {
    const Aabb2& box = placement.box[body];
    return (box.hi.array() < open.lo.array()).any() || (box.lo.array() > open.hi.array()).any();
  };
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    const std::uint32_t parts = bodies.parts_of(body);
    bool leaves = parts > 0 || is_beyond(body);
    for (std::uint32_t k = 1; k <= parts; ++k) leaves = leaves && is_beyond(body + k);
    for (std::uint32_t k = 0; leaves && k <= parts; ++k) flag(body + k);
    body += parts;
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
