#include "dem/soft/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "dem/insertion.hpp"
#include "dem/soft/force_law.hpp"

namespace scree::soft {

namespace {

std::string formatted(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// The longest side lying flat; or, if the grain is rounder than that, the chord of its inscribed circle pressed in by
/// kDeepInRadii: many short sides touch at once.
double widest_chord(const Grain& grain) {
  if (grain.longest_side == 0.0) return 0.0;  // a disk, whose stiffness knows no chord
  constexpr double kDeepInRadii = 0.1;
  return std::max(grain.longest_side, 2.0 * std::sqrt(kDeepInRadii * (2.0 - kDeepInRadii)) * grain.inner_radius);
}

}  // namespace

TimeStep time_step(const Scene& scene) {
  if (scene.step) return {*scene.step, "step " + formatted("%.3g", *scene.step) + " s as the scene says"};

  double stiffest = 0.0;  // Y, over all pairs of materials: the harmonic mean is at most the larger one
  for (const Material& material : scene.materials) stiffest = std::max(stiffest, material.stiffness);

  struct Found {
    double mass;
    double inner_radius;
    double chord;  ///< the longest it can press on with; 0 for a disk
  };
  std::vector<Found> grains;
  double least_mass = std::numeric_limits<double>::infinity();
  double least_radius = least_mass;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const double density = scene.materials[static_cast<std::size_t>(group.material)].density;
    for (std::uint64_t k = 0; k < grains_in(group); ++k) {
      const Grain grain = make_grain(scene, static_cast<int>(g), k);
      grains.push_back({density * grain.area, grain.inner_radius, widest_chord(grain)});
      least_mass = std::min(least_mass, grains.back().mass);
      least_radius = std::min(least_radius, grain.inner_radius);
    }
  }
  if (grains.empty()) return {1e-3, "step 0.001 s: the scene has no grains"};

  double highest = 0.0;  // omega^2 of a single contact
  double its_mass = 0.0;
  double its_stiffness = 0.0;
  for (const Found& grain : grains) {
    const double inverse_mass = 1.0 / grain.mass;
    const bool disk = grain.chord == 0.0;
    const double on_wall = disk ? stiffest : stiffest * grain.chord * 0.25 / grain.inner_radius;
    const double on_grain =
        disk ? stiffest : stiffest * grain.chord * 0.25 * (1.0 / grain.inner_radius + 1.0 / least_radius);
    const double omega2 = std::max(on_wall * inverse_mass, on_grain * (inverse_mass + 1.0 / least_mass));
    if (omega2 > highest) {
      highest = omega2;
      its_mass = grain.mass;
      its_stiffness = std::max(on_wall, on_grain);
    }
  }
  const double contact_time = std::numbers::pi / std::sqrt(kSeveralContacts * highest);
  const double dt = contact_time / kStepsPerContact;
  return {dt, "step " + formatted("%.3g", dt) + " s = 1/50 of the shortest contact, " +
                  formatted("%.3g", contact_time) + " s: a grain of " + formatted("%.3g", its_mass) +
                  " kg on its longest chord meets a stiffness of " + formatted("%.3g", its_stiffness) +
                  " N/m, taken twice for several contacts and lever arms"};
}

}  // namespace scree::soft
