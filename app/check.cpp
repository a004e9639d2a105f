#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/reports.hpp"
#include "app/run.hpp"
#include "dem/insertion.hpp"
#include "io/number_text.hpp"
#include "io/progress.hpp"
#include "io/scene_reader.hpp"

namespace scree::app {

namespace {

// For rough estimates. A grain in a dense bed of polygons took 0.48 us a step on one core of an Intel Xeon, disks and
// grains in flight less; a run has some of each.
constexpr double kSecondsPerParticleStep = 0.35e-6;
// Compressed as far as a bed of 550 stones was.
constexpr double kBytesPerFrame = 12e3;
constexpr double kBytesPerParticleAndFrame = 150.0;
constexpr double kBytesPerRun = 20e3;
constexpr double kBytesPerParticle = 600.0;  // of the saved state

std::string lengths(const SizeSpec& size) {
  const std::string least = number_text(size.least, 4);
  const std::string greatest = number_text(size.greatest, 4);
  return (size.least == size.greatest ? least : least + " to " + greatest) + " m";
}

/// Says what a group holds. @return its particle-seconds of simulated time, if nothing leaves
double describe(const Scene& scene, const ParticleGroup& group, std::int64_t at_the_start) {
  const std::string& material = scene.materials[static_cast<std::size_t>(group.material)].name;
  std::string how = std::holds_alternative<Fill>(group.how) ? "filled in at the start" : "placed at the start";
  double count = static_cast<double>(at_the_start);
  double work = count * scene.end;
  if (const auto* pour = std::get_if<Pour>(&group.how)) {
    const double born = static_cast<double>(due(*pour, scene.end));
    count = static_cast<double>(pour->count);
    const double last = pour->from + (count - 1.0) / pour->rate;
    how = "poured from t = " + number_text(pour->from, 4) + " to " + number_text(last, 4) + " s";
    if (born < count) how += " (" + number_text(born) + " before the end)";
    work = born * (std::max(scene.end - pour->from, 0.0) - 0.5 * born / pour->rate);
  }
  std::printf("  %.0f of %s, %s, diameter %s\n", count, material.c_str(), how.c_str(), lengths(group.size).c_str());
  return std::max(work, 0.0);
}

void describe_cost(const Scene& scene, const soft::Simulation& simulation, double mean_particles) {
  const double steps = std::max(1.0, std::ceil(scene.end / simulation.dt() - 1e-9));
  std::printf("time: %.4g s, %s step%s\n", scene.end, count_text(steps).c_str(), steps == 1.0 ? "" : "s");
  std::printf("run time: very roughly %s on one thread; within a factor of three, if no grain leaves\n",
              duration_text(steps * mean_particles * kSecondsPerParticleStep).c_str());
}

void describe_cost(const Scene& scene, const hard::SceneSimulation&, double) {
  std::printf("time: %.4g s\n", scene.end);
}

template <AnySimulation S>
void check(const std::filesystem::path& file, const Scene& scene, const S& simulation) {
  std::printf("%s: a valid scene, %s mode%s%s\n", file.c_str(), scene.mode == Mode::soft ? "soft" : "hard",
              scene.title.empty() ? "" : ": ", scene.title.c_str());
  std::printf("walls: %zu\n", scene.walls.size());
  std::printf("particles: %llu at the start\n", static_cast<unsigned long long>(simulation.particles()));
  const std::vector<int> groups = simulation.state().particles.type;
  double work = 0.0;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    work += describe(scene, scene.particles[g], std::count(groups.begin(), groups.end(), static_cast<int>(g)));
  }
  const double frames = std::ceil(scene.end / scene.output_every - 1e-9) + 1.0;
  const double mean_particles = work / scene.end;
  const double bytes = kBytesPerRun + frames * (kBytesPerFrame + mean_particles * kBytesPerParticleAndFrame) +
                       mean_particles * kBytesPerParticle;
  std::printf("%s\n", pace_of(simulation).c_str());
  std::printf("output: %.0f frames in %s%s, about %sB\n", frames, scene.output_directory.c_str(),
              std::filesystem::exists(scene.output_directory) ? " (which exists already)" : "",
              count_text(bytes).c_str());
  describe_cost(scene, simulation, mean_particles);
}

}  // namespace

int check(const std::filesystem::path& file) {
  const Scene scene = read_scene(file);
  if (scene.mode == Mode::hard) {
    check(file, scene, hard::SceneSimulation(scene));
  } else {
    check(file, scene, soft::Simulation(scene));
  }
  return kOk;
}

}  // namespace scree::app
