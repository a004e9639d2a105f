#include <cmath>
#include <cstdio>

#include "app/run.hpp"
#include "dem/insertion.hpp"
#include "dem/soft/simulation.hpp"
#include "io/progress.hpp"
#include "io/scene_reader.hpp"

namespace scree::app {

namespace {

// For rough estimates, measured on one core of an AMD EPYC (bench/README.md); your machine may be twice as fast or
// slow.
constexpr double kSecondsPerParticleStep = 0.35e-6;
constexpr double kBytesPerParticleAndFrame = 200.0;

const char* name_of(const ParticleGroup& group) {
  if (std::holds_alternative<Pour>(group.how)) return "poured";
  if (std::holds_alternative<Fill>(group.how)) return "filled in at the start";
  return "placed at the start";
}

/// Particle-seconds of simulated time, if nothing leaves.
double particle_seconds(const Scene& scene, const ParticleGroup& group, std::uint64_t count) {
  const auto* pour = std::get_if<Pour>(&group.how);
  if (pour == nullptr) return static_cast<double>(count) * scene.end;
  const double left = std::max(scene.end - pour->from, 0.0);
  const double born = std::min(static_cast<double>(count), left * pour->rate);
  return born * (left - 0.5 * born / pour->rate);
}

}  // namespace

int check(const std::filesystem::path& file) {
  const Scene scene = read_scene(file);
  const soft::Simulation simulation(scene);
  std::printf("%s: a valid scene, soft mode%s%s\n", file.c_str(), scene.title.empty() ? "" : ": ", scene.title.c_str());
  std::printf("walls: %zu\n", scene.walls.size());
  std::printf("particles: %u at the start\n", simulation.particles());
  double work = 0.0;
  for (const ParticleGroup& group : scene.particles) {
    const bool fill = std::holds_alternative<Fill>(group.how);
    const std::uint64_t count = fill ? simulation.particles() : grains_in(group);
    work += particle_seconds(scene, group, count);
    if (const auto* pour = std::get_if<Pour>(&group.how)) {
      std::printf("  %llu of %s, %s from t = %.4g to %.4g s, diameters %.4g to %.4g m\n",
                  static_cast<unsigned long long>(pour->count),
                  scene.materials[static_cast<std::size_t>(group.material)].name.c_str(), name_of(group), pour->from,
                  pour->from + static_cast<double>(pour->count - 1) / pour->rate, group.size.least,
                  group.size.greatest);
    } else {
      std::printf("  of %s, %s, diameters %.4g to %.4g m\n",
                  scene.materials[static_cast<std::size_t>(group.material)].name.c_str(), name_of(group),
                  group.size.least, group.size.greatest);
    }
  }
  const double steps = std::ceil(scene.end / simulation.dt());
  const double frames = std::ceil(scene.end / scene.output_every) + 1.0;
  const double mean_particles = work / scene.end;
  std::printf("%s\n", simulation.step_reason().c_str());
  std::printf("time: %.4g s, %s steps\n", scene.end, count_text(steps).c_str());
  std::printf("output: %.0f frames in %s, about %sB\n", frames, scene.output_directory.c_str(),
              count_text(frames * mean_particles * kBytesPerParticleAndFrame).c_str());
  std::printf("run time: roughly %s on one thread, %s on two\n",
              duration_text(steps * mean_particles * kSecondsPerParticleStep).c_str(),
              duration_text(steps * mean_particles * kSecondsPerParticleStep / 1.7).c_str());
  return kOk;
}

}  // namespace scree::app
