#include "io/warnings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/soft/checks/estimates.hpp"
#include "dem/soft/drives/moving_walls.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/forces/overlap_limits.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"

namespace scree {

namespace {

constexpr double kRigid = 1e8;        // Y / (rho g L) (docs/theory.md, section 7)
constexpr double kLongStep = 2.0;     // automatic steps
constexpr double kRefusedStep = 5.0;  // with which usual contacts have 20 steps a period, without strong damping

using Warnings = std::vector<std::string>;

/// Whether lengths are likely to be in metres and masses in kilograms: gravity is that of the Earth, or there is none.
bool looks_like_si(const Scene& scene) {
  const double gravity = scene.gravity.norm();
  return (gravity > 9.0 && gravity < 10.5) || (gravity == 0.0 && scene.mode == Mode::soft);
}

void look_at_gravity(const Scene& scene, Warnings& all) {
  const double gravity = scene.gravity.norm();
  for (const auto& [factor, unit] : {std::pair(100.0, "cm"), std::pair(1000.0, "mm")}) {
    if (std::abs(gravity / factor - 9.81) > 0.2) continue;
    all.push_back(fmt::format("gravity: {:.4g} m/s^2 looks like {:.3g} {}/s^2, which is {:.3g} m/s^2", gravity, gravity,
                              unit, gravity / factor));
  }
}

void look_at_materials(const Scene& scene, Warnings& all) {
  constexpr double kLightest = 30.0;  // kg/m^2; and the densest element has 22.6 g/cm^3
  for (const Material& material : scene.materials) {
    const std::string key = "materials." + material.name;
    if (looks_like_si(scene) && material.density >= 0.1 && material.density < kLightest) {
      all.push_back(fmt::format("{}.density: {:.3g} kg/m^2 looks like {:.3g} g/cm^3, which is {:.3g}", key,
                                material.density, material.density, 1000.0 * material.density));
    }
    if (material.friction >= 5.0 && material.friction < 90.0) {
      all.push_back(fmt::format("{}.friction: {:.3g} looks like an angle in degrees, whose coefficient is {:.2f}", key,
                                material.friction, std::tan(material.friction * std::numbers::pi / 180.0)));
    }
  }
}

void look_at_grains(const Scene& scene, Warnings& all) {
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const std::string key = fmt::format("particles[{}]", g);
    if (looks_like_si(scene) && group.size.greatest >= 1.0) {
      all.push_back(fmt::format("{}.size: {:.3g} m looks like {:.3g} mm, which is {:.3g}", key, group.size.greatest,
                                group.size.greatest, 1e-3 * group.size.greatest));
    }
    const auto* place = std::get_if<Place>(&group.how);
    if (place == nullptr || std::holds_alternative<Disk>(group.shape)) continue;
    const auto turned = std::ranges::find_if(
        *place, [](const Placed& placed) { return std::abs(placed.angle) > 2.0 * std::numbers::pi; });
    if (turned == place->end()) continue;
    all.push_back(fmt::format("{}.place[{}].angle: {:.4g} rad looks like degrees, which are {:.4g} rad", key,
                              turned - place->begin(), turned->angle, turned->angle * std::numbers::pi / 180.0));
  }
}

/// In a cell that shears a mean velocity across the flow makes the one along it grow as the strain, for ever.
void look_at_drift(const Scene& scene, Warnings& all) {
  if (!scene.domain.cell || (scene.domain.cell->xy.rate == 0.0 && !scene.domain.cell->xy.stress)) return;
  double mass = 0.0;
  double momentum = 0.0;
  double squares = 0.0;
  for (const ParticleGroup& group : scene.particles) {
    const auto* place = std::get_if<Place>(&group.how);
    if (place == nullptr) continue;
    for (const Placed& placed : *place) {
      const double size = placed.size.value_or(0.5 * (group.size.least + group.size.greatest));
      const double one = placed.mass.value_or(mass_of(scene, group, size));
      mass += one;
      momentum += one * placed.velocity.y();
      squares += one * placed.velocity.y() * placed.velocity.y();
    }
  }
  constexpr double kSmall = 0.01;  // of the rms
  if (std::abs(momentum) <= kSmall * std::sqrt(mass * squares)) return;
  all.push_back(fmt::format(
      "particles: have a mean velocity of {:.2g} m/s across the flow of domain.cell, which makes the one along "
      "it grow as the strain; take it out of their velocities",
      momentum / mass));
}

/// A wall that is as wide as a periodic domain has no images, so what of a grain is beyond a side finds it only as far
/// as it goes there; one with a flat side goes on by itself (soft::MovingWalls). Disks have their lowest point under
/// their centre, which is inside.
void look_at_periodic_sides(const Scene& scene, Warnings& all) {
  double widest = 0.0;
  for (const ParticleGroup& group : scene.particles) {
    if (!std::holds_alternative<Disk>(group.shape)) widest = std::max(widest, group.size.greatest);
  }
  if (scene.mode == Mode::hard || widest == 0.0) return;
  for (const Wall& wall : scene.walls) {
    for (const int axis : {0, 1}) {
      if (!scene.domain.periodic[static_cast<std::size_t>(axis)]) continue;
      double lo = std::numeric_limits<double>::infinity();
      double hi = -lo;
      for (const Vec2& corner : wall.polygon) {
        lo = std::min(lo, corner[axis]);
        hi = std::max(hi, corner[axis]);
      }
      const double period = scene.domain.hi[axis] - scene.domain.lo[axis];
      const double beyond = std::min(scene.domain.lo[axis] - lo, hi - scene.domain.hi[axis]);
      if (hi - lo < period || beyond >= 0.5 * widest || soft::has_flat_side(wall.polygon, axis, period)) continue;
      all.push_back(
          fmt::format("walls.{}: is as wide as the periodic domain, and grains that reach over its side sink in there; "
                      "let it go on "
                      "for {:.2g} m beyond both sides",
                      wall.name, widest));
    }
  }
}

Warnings about_numbers(const Scene& scene) {
  Warnings all;
  look_at_gravity(scene, all);
  look_at_materials(scene, all);
  look_at_grains(scene, all);
  look_at_drift(scene, all);
  return all;
}

std::string percent(double share) {
  return fmt::format("{:.2g} %", 100.0 * share);
}

std::string partners(const Scene& scene, const soft::ExpectedImpact& impact) {
  if (impact.target) return fmt::format("particles[{}] on particles[{}]", impact.group, *impact.target);
  return fmt::format("particles[{}] on {}", impact.group, scene.walls.size() == 1 ? "the wall" : "a wall");
}

}  // namespace

std::optional<std::string> too_deep_impacts(const Scene& scene) {
  const auto deepest = soft::deepest_impact(scene);
  if (!deepest || deepest->depth_ratio < soft::kMaxDepthRatio) return {};
  return fmt::format(
      "particles[{}]: impacts at up to {:.3g} m/s can be too deep ({}: about {} of the smaller grain's diameter; {} "
      "end the run); try a greater material stiffness, less fall or less speed",
      deepest->group, deepest->speed, partners(scene, *deepest), percent(deepest->depth_ratio),
      percent(soft::kMaxDepthRatio));
}

namespace {

void look_at_step(const Scene& scene, const soft::Simulation& simulation, Warnings& all) {
  if (scene.soft.step && simulation.particles() > 0) {
    Scene automatic = scene;
    automatic.soft.step.reset();
    const double usual = soft::time_step(automatic).dt;
    const double ratio = *scene.soft.step / usual;
    const auto say = [&](const char* what) {
      all.push_back(fmt::format("time.step: {:.3g} s is {:.3g} times the automatic step, {:.3g} s; {}",
                                *scene.soft.step, ratio, usual, what));
    };
    if (ratio > kRefusedStep) {
      say("a guard will end the run (exit status 3)");
    } else if (ratio > kLongStep) {
      say("a guard ends the run (exit status 3) if grains with several contacts become too stiff for it");
    }
  }
  const double path = soft::greatest_speed(scene) * simulation.longest_step();
  double least = std::numeric_limits<double>::infinity();
  for (const ParticleGroup& group : scene.particles) least = std::min(least, 0.5 * group.size.least);
  if (path > least) {
    all.push_back(
        fmt::format("time.step: in a step of {:.3g} s grains move by up to {:.3g} m, farther than the radius "
                    "of the smallest, {:.3g} m: a guard will end the run (exit status 3)",
                    simulation.longest_step(), path, least));
  }
}

void look_at_blocks(const Scene& scene, Warnings& all) {
  const auto rigidity = soft::rigidity(scene);
  if (!rigidity || *rigidity >= kRigid) return;
  all.push_back(fmt::format(
      "particles: blocks lie on each other with Y/(rho g L) = {:.2g}; arches and stacks that are to stand like rigid "
      "ones need about 1e8 (docs/theory.md, section 7): {:.2g} times the stiffness",
      *rigidity, kRigid / *rigidity));
}

/// Where two parts lie on each other, a contact counts twice.
void look_at_clumps(const Scene& scene, Warnings& all) {
  constexpr double kRounding = 1e-6;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const auto* clump = std::get_if<Clump>(&scene.particles[g].shape);
    if (clump == nullptr) continue;
    const Union& parts = clump->whole();
    if (parts.shared_area <= kRounding * parts.area) continue;
    all.push_back(fmt::format(
        "particles[{}].shape.parts: parts lie on each other, on {} of the grain's area: contacts are twice as stiff "
        "there; parts that only share sides, or an outline as polygon, are as stiff everywhere",
        g, percent(parts.shared_area / parts.area)));
  }
}

}  // namespace

Warnings warnings(const Scene& scene, const soft::Simulation& simulation) {
  Warnings all = about_numbers(scene);
  if (auto too_deep = too_deep_impacts(scene)) all.push_back(std::move(*too_deep));
  look_at_step(scene, simulation, all);
  look_at_blocks(scene, all);
  look_at_clumps(scene, all);
  look_at_periodic_sides(scene, all);
  return all;
}

Warnings warnings(const Scene& scene, const hard::SceneSimulation&) {
  return about_numbers(scene);
}

std::string expectations(const Scene& scene) {
  std::string lines;
  if (const auto deepest = soft::deepest_impact(scene)) {
    lines += fmt::format("impacts: at up to {:.3g} m/s, about {} of the smaller grain's diameter deep ({})\n",
                         deepest->speed, percent(deepest->depth_ratio), partners(scene, *deepest));
  }
  if (const auto rigidity = soft::rigidity(scene)) {
    lines +=
        fmt::format("blocks: Y/(rho g L) = {:.2g}; corners that carry the weight give way by about {} of a block\n",
                    *rigidity, percent(1.0 / std::sqrt(*rigidity)));
  }
  return lines;
}

}  // namespace scree
