#include <string>
#include <variant>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/wall_motion.hpp"

namespace scree::hard {

namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& why, const std::string& allowed) {
  throw InvalidScene(key, fmt::format("{}, must be {} to go back in time", why, allowed));
}

void require_no_loss(const std::string& key, const Material& material) {
  const char* const forgotten = "and floats do not keep what is lost";
  if (material.restitution != 1.0) {
    refuse(key + ".restitution", fmt::format("is {:g}: collisions lose energy, {}", material.restitution, forgotten),
           "1, or `arithmetic` exact,");
  }
  if (material.friction != 0.0) {
    refuse(key + ".friction", fmt::format("is {:g}: collisions lose energy, {}", material.friction, forgotten), "0");
  }
}

/// Requires that floats can run backward. What whole numbers cannot undo is found when the simulation is made.
void require_way_back_of_floats(const Scene& scene) {
  if (scene.hard.reverse) {
    refuse("time.reverse", "reverses velocities in a run that shows the way back itself",
           "left out, or `arithmetic` exact,");
  }
  if (!scene.domain.reflecting && !(scene.domain.periodic[0] && scene.domain.periodic[1])) {
    refuse("domain.sides", "lets disks leave, and none comes back", "reflecting");
  }
  if (scene.domain.cell) refuse("domain.cell", "does work on the disks, which is not undone", "left out");
  if (scene.hard.growth.rate > 0.0) refuse("growth", "does work on the disks, which is not undone", "left out");
  if (scene.domain.has_thermal_sides()) refuse("domain.thermal_sides", "give velocities at random", "left out");
  if (scene.thermostat) refuse("thermostat", "does work on the disks, which is not undone", "left out");
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    if (!std::holds_alternative<Pour>(scene.particles[g].how)) continue;
    refuse(fmt::format("particles[{}].pour", g), "adds disks as time goes on", "fill or place");
  }
  for (const Wall& wall : scene.walls) {
    if (ever_moves(wall)) refuse("walls." + wall.name, "moves, and does work on the disks", "at rest");
    if (wall.until) refuse("walls." + wall.name + ".until", "removes the wall", "left out");
  }
  for (const Material& material : scene.materials) require_no_loss("materials." + material.name, material);
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    require_no_loss(fmt::format("contact.pairs[{}]", k), scene.pairs[k].mixed);
  }
}

}  // namespace

void require_way_back(const Scene& scene) {
  if (scene.mode != Mode::hard) {
    refuse("mode", "is soft: springs and dashpots advance in steps that have no way back", "hard");
  }
  if (scene.hard.arithmetic != Arithmetic::exact) require_way_back_of_floats(scene);
}

}  // namespace scree::hard
