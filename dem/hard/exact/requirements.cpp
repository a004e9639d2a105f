#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/exact/loss.hpp"
#include "dem/hard/exact/simulation.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"

namespace scree::hard::exact {

namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& why, const std::string& allowed) {
  throw InvalidScene(key, fmt::format("{}, must be {} with `arithmetic: exact`", why, allowed));
}

/// Restitution is undone by bits that are kept; what friction does to spins is not whole.
void require_undoable(const std::string& key, const Material& material) {
  if (material.restitution < Contraction::kLeast) {
    refuse(key + ".restitution",
           fmt::format("is {:g}: a collision would leave next to nothing of the velocity from which to go back",
                       material.restitution),
           fmt::format("at least {:g}", Contraction::kLeast));
  }
  if (material.restitution_law != RestitutionLaw::constant) {
    refuse(key + ".restitution_law", "gives each speed a restitution of its own, which does not run backwards",
           "constant");
  }
  if (material.friction != 0.0) {
    refuse(key + ".friction",
           fmt::format("is {:g}: it turns disks, by angular velocities that are not whole", material.friction), "0");
  }
}

bool is_elastic(const Scene& scene) {
  return std::ranges::all_of(scene.materials, [](const Material& m) { return m.restitution == 1.0; }) &&
         std::ranges::all_of(scene.pairs, [](const auto& pair) { return pair.mixed.restitution == 1.0; });
}

/// All disks must have one mass, so that a collision that gives one of them a whole velocity gives it to the other.
void require_equal_masses(const Scene& scene) {
  std::optional<double> mass;
  const auto require = [&](const std::string& key, double other) {
    if (!mass) mass = other;
    if (std::abs(other - *mass) <= 1e-9 * *mass) return;
    refuse(key,
           fmt::format("gives a mass of {:.6g} kg beside one of {:.6g} kg: two such disks share momentum in parts that "
                       "are not whole",
                       other, *mass),
           "the same mass for all disks (place disks of other sizes with `mass`)");
  };
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const std::string key = fmt::format("particles[{}]", g);
    if (const auto* place = std::get_if<Place>(&group.how)) {
      for (std::size_t k = 0; k < place->size(); ++k) {
        const Placed& disk = (*place)[k];
        const std::string one = fmt::format("{}.place[{}]", key, k);
        if (disk.angular_velocity != 0.0) {
          refuse(one + ".angular_velocity", "is not 0: smooth disks do not feel their spin, and it is not kept", "0");
        }
        if (!disk.mass && !disk.size && group.size.least != group.size.greatest) {
          refuse(one + ".mass", "is missing, and sizes are drawn", "given");
        }
        require(one + (disk.mass ? ".mass" : ".size"),
                disk.mass.value_or(mass_of(scene, group, disk.size.value_or(group.size.least))));
      }
      continue;
    }
    require(key + ".size", mass_of(scene, group, group.size.least));
    require(key + ".size", mass_of(scene, group, group.size.greatest));
  }
}

}  // namespace

void require_exact(const Scene& scene) {
  const Domain& domain = scene.domain;
  if (!domain.reflecting && !(domain.periodic[0] && domain.periodic[1])) {
    refuse("domain.sides", "lets disks leave, and none comes back", "reflecting");
  }
  if (!scene.gravity.isZero()) refuse("gravity", "bends flights, which are sums of whole velocities", "[0, 0]");
  if (!scene.walls.empty()) {
    refuse("walls." + scene.walls.front().name,
           "is a wall: only sides of the domain, which lie along x and y, reflect "
           "whole velocities exactly",
           "left out");
  }
  if (scene.domain.cell) refuse("domain.cell", "moves images by ways that are not whole", "left out");
  if (scene.hard.growth.rate > 0.0) refuse("growth", "does work on the disks, which cannot be undone", "left out");
  if (scene.hard.well.range > 1.0) refuse("well", "changes speeds by square roots that are not whole", "left out");
  if (scene.measure && scene.measure->free_flights) {
    refuse("measure.free_flights", "is not measured in whole numbers", "left out");
  }
  if (scene.measure && scene.measure->collisions) {
    refuse("measure.collisions", "are not listed in whole numbers", "left out");
  }
  if (scene.measure && scene.measure->helfand_moments) {
    refuse("measure.helfand_moments", "are not measured in whole numbers", "left out");
  }
  for (const Material& material : scene.materials) require_undoable("materials." + material.name, material);
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    require_undoable(fmt::format("contact.pairs[{}]", k), scene.pairs[k].mixed);
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    if (std::holds_alternative<Pour>(scene.particles[g].how)) {
      refuse(fmt::format("particles[{}].pour", g), "adds disks as time goes on", "fill or place");
    }
  }
  if (scene.hard.contact_duration > 0.0 && !is_elastic(scene)) {
    refuse("contact.duration", "makes a restitution depend on when a disk collided before", "0");
  }
  require_equal_masses(scene);
}

}  // namespace scree::hard::exact
