#include "dem/soft/checks/step_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/thermostat.hpp"

namespace scree::soft {

namespace {

/// A key on which the automatic step depends.
struct Cause {
  std::string key;
  std::string value;  ///< with its unit
  double decades;     ///< by which it makes the squared step longer than usual values do
};

/// What a stone of 1 cm has.
constexpr double kUsualStiffness = 1e6;  // N/m
constexpr double kUsualDensity = 2600;   // kg/m^2
constexpr double kUsualSize = 0.01;      // m
constexpr double kUsualMass = 0.2;       // kg

Cause cause(const std::string& key, double value, const char* unit, double decades) {
  return {key, fmt::format("{:.3g}{}", value, unit), decades};
}

/// Causes in the stiffest material or pair of materials.
std::vector<Cause> causes_in_materials(const Scene& scene) {
  const Material* stiffest = nullptr;
  std::string key;
  const auto take = [&](const Material& material, const std::string& where) {
    const auto springs = [](const Material& m) { return m.stiffness * std::max(1.0, m.tangential_stiffness); };
    if (stiffest != nullptr && springs(material) <= springs(*stiffest)) return;
    stiffest = &material;
    key = where;
  };
  for (const Material& material : scene.materials) take(material, "materials." + material.name);
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) take(scene.pairs[k].mixed, fmt::format("contact.pairs[{}]", k));
  if (stiffest == nullptr) return {};
  std::vector<Cause> causes = {
      cause(key + ".stiffness", stiffest->stiffness, " N/m", -std::log10(stiffest->stiffness / kUsualStiffness))};
  if (stiffest->tangential_stiffness > 1.0) {
    causes.push_back(cause(key + ".tangential_stiffness", stiffest->tangential_stiffness, "",
                           -std::log10(stiffest->tangential_stiffness)));
  }
  return causes;
}

/// The least restitution, if it takes so strong a damping that this shortens the step.
std::vector<Cause> causes_in_damping(const Scene& scene) {
  constexpr double kStrong = 0.05;
  double least = kStrong;
  std::string key;
  const auto take = [&](const Material& material, const std::string& where) {
    if (material.damping || material.restitution >= least) return;
    least = material.restitution;
    key = where + ".restitution";
  };
  for (const Material& material : scene.materials) take(material, "materials." + material.name);
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) take(scene.pairs[k].mixed, fmt::format("contact.pairs[{}]", k));
  if (key.empty()) return {};
  return {cause(key, least, "", std::log10(least))};
}

/// Causes in the lightest grain.
std::vector<Cause> causes_in_grains(const Scene& scene) {
  double least = std::numeric_limits<double>::infinity();  // mass [kg]
  double size = 0.0;
  std::size_t group = 0;
  std::uint64_t number = 0;
  bool is_given = false;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& spec = scene.particles[g];
    const double density = scene.materials[static_cast<std::size_t>(spec.material)].density;
    for (std::uint64_t k = 0; k < grains_in(spec); ++k) {
      const GrainShape grain = make_grain(scene, static_cast<int>(g), k);
      if (!(grain.mass(density) < least)) continue;
      least = grain.mass(density);
      size = equivalent_diameter(grain.area);
      group = g;
      number = k;
      is_given = grain.given_mass.has_value();
    }
  }
  if (size == 0.0) return {};
  const ParticleGroup& spec = scene.particles[group];
  const std::string at = fmt::format("particles[{}]", group);
  const std::string placed = fmt::format("{}.place[{}]", at, number);
  if (is_given) return {cause(placed + ".mass", least, " kg", std::log10(least / kUsualMass))};
  const Material& material = scene.materials[static_cast<std::size_t>(spec.material)];
  const auto* place = std::get_if<Place>(&spec.how);
  const bool has_own_size = place != nullptr && (*place)[number].size;
  return {cause("materials." + material.name + ".density", material.density, " kg/m^2",
                std::log10(material.density / kUsualDensity)),
          cause((has_own_size ? placed : at) + ".size", size, " m", 2.0 * std::log10(size / kUsualSize))};
}

/// Causes of a step that is too long or too short, those with the largest part first.
std::vector<Cause> causes(const Scene& scene, bool is_too_long) {
  std::vector<Cause> all;
  for (const auto& some : {causes_in_materials(scene), causes_in_grains(scene), causes_in_damping(scene)}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::stable_sort(
      all, [&](const Cause& a, const Cause& b) { return is_too_long ? a.decades > b.decades : a.decades < b.decades; });
  return all;
}

[[noreturn]] void refuse(const Scene& scene, const TimeStep& step, bool is_too_long, const std::string& allowed) {
  const std::vector<Cause> all = causes(scene, is_too_long);
  if (scene.particles.empty() || all.empty()) {
    throw InvalidScene("time.step", fmt::format("is automatic, {:.3g} s as there are no grains, must be {}; give "
                                                "time.step",
                                                step.dt, allowed));
  }
  std::string others;
  for (std::size_t k = 1; k < all.size(); ++k) {
    others += fmt::format("{}{} ({})", k == 1 ? " and " : ", ", all[k].key, all[k].value);
  }
  throw InvalidScene(all.front().key, fmt::format("is {}: with this{} the automatic step is {:.3g} s, must be {}",
                                                  all.front().value, others, step.dt, allowed));
}

}  // namespace

void require_sensible(const Thermostat& thermostat, const Scene& scene, const TimeStep& step) {
  scree::require_sensible(thermostat, scene);
  if (thermostat.every >= step.dt) return;
  throw InvalidScene("thermostat.every",
                     fmt::format("is {:g}, must be at least the time step, {:.3g} [s]", thermostat.every, step.dt));
}

void require_sensible_step(const Scene& scene, const TimeStep& step) {
  if (scene.soft.step) return;
  if (scene.output_every > 0.0 && !(step.dt <= scene.output_every)) {
    refuse(scene, step, true, fmt::format("up to output.every, {:.3g} s", scene.output_every));
  }
  if (scene.end > 0.0 && !(step.dt <= scene.end)) {
    refuse(scene, step, true, fmt::format("up to time.end, {:.3g} s", scene.end));
  }
  if (!(step.dt >= scene.end / kMostSteps) || !(step.dt > 0.0)) {
    refuse(scene, step, false,
           fmt::format("at least {:.3g} s: 1e-15 of time.end, {:.3g} s", scene.end / kMostSteps, scene.end));
  }
}

}  // namespace scree::soft
