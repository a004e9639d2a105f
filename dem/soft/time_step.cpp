#include "dem/soft/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "dem/insertion.hpp"
#include "dem/soft/gear.hpp"
#include "dem/soft/laws/laws.hpp"

namespace scree::soft {

namespace {

/// The longest side lying flat; or, if the grain is rounder than that, the chord of its inscribed circle pressed in by
/// kDeepInRadii: many short sides touch at once.
double widest_chord(const GrainShape& grain) {
  if (grain.longest_side == 0.0) return 0.0;  // a disk, whose stiffness knows no chord
  constexpr double kDeepInRadii = 0.1;
  return std::max(grain.longest_side, 2.0 * std::sqrt(kDeepInRadii * (2.0 - kDeepInRadii)) * grain.inner_radius);
}

struct GrainBounds {
  double mass;
  double per_inner_radius;
  double per_radius;  ///< of the disk of equal area
  double chord;       ///< the longest it can press on with; 0 for a disk
};

std::vector<GrainBounds> bounds_of_grains(const Scene& scene) {
  std::vector<GrainBounds> grains;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const double density = scene.materials[static_cast<std::size_t>(group.material)].density;
    for (std::uint64_t k = 0; k < grains_in(group); ++k) {
      const GrainShape grain = make_grain(scene, static_cast<int>(g), k);
      grains.push_back(
          {grain.mass(density), 1.0 / grain.inner_radius, 2.0 / equivalent_diameter(grain.area), widest_chord(grain)});
    }
  }
  return grains;
}

/// What the scene's materials can do at most, alone or mixed.
struct MaterialBounds {
  double stiffness =
      0.0;  ///< Y, or, where tangential springs with their lever arms are stiffer still, as much as those
  double damping_ratio = 0.0;
  double friction_damping = 0.0;  ///< zeta sqrt(k_t) of friction's dashpot with its lever arms [sqrt(N/m)]
};

template <class PolygonLaw, class DiskLaw>
MaterialBounds bounds_of_materials(const Scene& scene) {
  MaterialBounds bounds;
  const auto take = [&](const Material& material) {
    // On a disk friction's spring has k_t (1/m + r^2/I) = 3 k_t/m, rolling resistance's k_t R^2/I <= 2 k_t/m.
    const double arms = material.rolling_friction > 0.0 ? 5.0 : 3.0;
    const double levers = material.tangential_stiffness * arms;
    bounds.stiffness = std::max(bounds.stiffness, material.stiffness * std::max(1.0, levers));
    for (const auto of_restitution : {PolygonLaw::kDampingRatio, DiskLaw::kDampingRatio}) {
      const PairLaw law = pair_law(material, of_restitution);
      const bool is_rough = law.friction > 0.0 || law.rolling_friction > 0.0;
      const double rough = is_rough ? law.tangential_damping_ratio : 0.0;
      bounds.damping_ratio = std::max({bounds.damping_ratio, law.damping_ratio, rough});
      bounds.friction_damping = std::max(bounds.friction_damping, rough * arms * std::sqrt(law.tangential_stiffness));
    }
  };
  for (const Material& material : scene.materials) take(material);
  for (const MaterialPair& pair : scene.pairs) take(pair.mixed);
  return bounds;
}

template <class PolygonLaw, class DiskLaw>
TimeStep automatic_step(const Scene& scene) {
  const std::vector<GrainBounds> grains = bounds_of_grains(scene);
  if (grains.empty()) return {1e-3, "step 0.001 s: the scene has no grains"};
  const auto materials = bounds_of_materials<PolygonLaw, DiskLaw>(scene);
  GrainBounds least{std::numeric_limits<double>::infinity(), 0.0, 0.0, 0.0};  // in size
  for (const GrainBounds& grain : grains) {
    least.mass = std::min(least.mass, grain.mass);
    least.per_inner_radius = std::max(least.per_inner_radius, grain.per_inner_radius);
    least.per_radius = std::max(least.per_radius, grain.per_radius);
  }

  double highest = 0.0;  // omega^2 of a single contact
  double its_mass = 0.0;
  double its_stiffness = 0.0;
  for (const GrainBounds& grain : grains) {
    const double inverse_mass = 1.0 / grain.mass;
    const auto stiffest = [&](double per_inner_radius, double per_radius) {
      return grain.chord == 0.0
                 ? DiskLaw::greatest_stiffness(materials.stiffness)
                 : PolygonLaw::greatest_stiffness(materials.stiffness,
                                                  {.chord = grain.chord,
                                                   .inverse_lever_arm = grain.per_inner_radius + per_inner_radius,
                                                   .inverse_effective_radius = grain.per_radius + per_radius});
    };
    const double on_wall = stiffest(0.0, 0.0);
    const double on_grain = stiffest(least.per_inner_radius, least.per_radius);
    const double omega2 = std::max(on_wall * inverse_mass, on_grain * (inverse_mass + 1.0 / least.mass));
    if (omega2 > highest) {
      highest = omega2;
      its_mass = grain.mass;
      its_stiffness = std::max(on_wall, on_grain);
    }
  }
  const double contact_time = std::numbers::pi / std::sqrt(kSeveralContacts * highest);
  // Where the normal springs are far softer than Y, friction's dashpots, with their lever arms, are the strongest. They
  // are 2.5 times as strong as the normal ones in what strong_damping allows for: round polygons with the law `area`.
  constexpr double kUsual = 2.5;
  const double damping_ratio =
      std::max(materials.damping_ratio, materials.friction_damping * std::sqrt(2.0 / least.mass / highest) / kUsual);
  const double shorter = std::max(1.0, damping_ratio / strong_damping(gear_values(scene.integrator)));
  const double dt = contact_time / kStepsPerContact / shorter;
  const std::string of_damping =
      shorter > 1.0 ? fmt::format("; {:.3g} times shorter for a damping ratio of {:.3g}", shorter, damping_ratio) : "";
  return {dt,
          fmt::format("step {:.3g} s = 1/{:.3g} of the shortest contact, {:.3g} s: that of a grain of {:.3g} kg with a "
                      "stiffness of {:.3g} N/m along its longest chord, doubled for several contacts and lever arms{}",
                      dt, contact_time / dt, contact_time, its_mass, its_stiffness, of_damping)};
}

}  // namespace

double strong_damping(int gear_values) {
  constexpr double kOf4Values = 0.8;
  return kOf4Values * std::min(1.0, stability_limit(gear_values).damping / stability_limit(4).damping);
}

double max_omega_dt(double damping_ratio, int gear_values) {
  // x^2 / stiffness + 2 zeta x / damping = 1
  const StabilityLimit limit = stability_limit(gear_values);
  const double b = damping_ratio / limit.damping;
  return std::min(kMaxOmegaDt, 1.0 / (b + std::sqrt(b * b + 1.0 / limit.stiffness)));
}

TimeStep automatic_time_step(const Scene& scene) {
  TimeStep step;
  with_law<PolygonLaws>(scene.contact_law, "contact.law", [&](auto polygon_law) {
    with_law<DiskLaws>(scene.disk_law, "contact.disks",
                       [&](auto disk_law) { step = automatic_step<decltype(polygon_law), decltype(disk_law)>(scene); });
  });
  return step;
}

TimeStep time_step(const Scene& scene) {
  if (scene.step) return {*scene.step, fmt::format("step {:.3g} s as the scene says", *scene.step)};
  return automatic_time_step(scene);
}

}  // namespace scree::soft
