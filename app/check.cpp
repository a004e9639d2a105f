#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/reports.hpp"
#include "app/run.hpp"
#include "app/say.hpp"
#include "dem/compare/gas_theory.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/tolerances.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/tables/progress.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/warnings.hpp"

namespace scree::app {

namespace {

// For rough estimates. A grain in a dense bed of polygons took 0.48 us a step on one core of an Intel Xeon, disks and
// grains in flight less; a run has some of each.
constexpr double kSecondsPerParticleStep = 0.35e-6;
// Hard disks: 0.5 to 1.8 million collisions a second (bench/README.md), and walls cost, too.
constexpr double kSecondsPerCollision = 1.2e-6;
constexpr double kContactsPerDisk = 2.0;  // of a bed: each belongs to two disks
// Compressed as far as a bed of 550 stones was.
constexpr double kBytesPerFrame = 12e3;
constexpr double kBytesPerParticleAndFrame = 150.0;
constexpr double kBytesPerRun = 20e3;
// Processor time of runs with 203 frames less that of runs with 3, of 4 and of 2000 hard disks, on a busy Intel Xeon.
constexpr double kSecondsPerFrame = 5e-3;
constexpr double kSecondsPerParticleAndFrame = 13e-6;
constexpr double kBytesPerParticle = 600.0;  // of the saved state

std::string lengths(const SizeSpec& size) {
  if (size.least == size.greatest) return fmt::format("{:.4g} m", size.least);
  return fmt::format("{:.4g} to {:.4g} m", size.least, size.greatest);
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
    how = fmt::format("poured from t = {:.4g} to {:.4g} s", pour->from, last);
    if (born < count) how += fmt::format(" ({} before the end)", number_text(born));
    work = born * (std::max(scene.end - pour->from, 0.0) - 0.5 * born / pour->rate);
  }
  say("  {:.0f} of {}, {}, diameter {}\n", count, material, how, lengths(group.size));
  return std::max(work, 0.0);
}

/// What a run writes.
struct Output {
  double frames;
  double bytes;
  double seconds;  ///< to write it
};

Output output_of(const Scene& scene, double mean_particles) {
  const double frames = std::ceil(scene.end / scene.output_every - kSameTime) + 1.0;
  return {frames,
          kBytesPerRun + frames * (kBytesPerFrame + mean_particles * kBytesPerParticleAndFrame) +
              mean_particles * kBytesPerParticle,
          frames * (kSecondsPerFrame + mean_particles * kSecondsPerParticleAndFrame)};
}

/// Where a directory will be made.
std::filesystem::space_info space_for(std::filesystem::path directory) {
  std::error_code none;
  directory = std::filesystem::absolute(directory, none);
  while (!std::filesystem::exists(directory, none) && directory.has_parent_path() &&
         directory != directory.parent_path()) {
    directory = directory.parent_path();
  }
  return std::filesystem::space(directory, none);
}

void describe(const Scene& scene, const Output& output) {
  say("output: {:.0f} frames in {}{}, about {}B, {} to write\n", output.frames, scene.output_directory,
      std::filesystem::exists(scene.output_directory) ? " (which exists already)" : "", count_text(output.bytes),
      duration_text(output.seconds));
}

void warn_of(const Scene& scene, const Output& output) {
  const double available = static_cast<double>(space_for(scene.output_directory).available);
  if (output.bytes > available) {
    say("warning: output.every: {} frames take about {}B, and there are {}B free on the disk\n",
        count_text(output.frames), count_text(output.bytes), count_text(available));
  }
}

/// @param particles of each group, mean over the run  @param to_write the output [s]
void describe_cost(const Scene& scene, const soft::Simulation& simulation, const std::vector<double>& particles,
                   double to_write) {
  const double mean_particles = std::accumulate(particles.begin(), particles.end(), 0.0);
  const double steps = std::max(1.0, std::ceil(scene.end / simulation.longest_step() - kSameTime));
  say("time: {:.4g} s, {} step{}\n", scene.end, count_text(steps), steps == 1.0 ? "" : "s");
  say("run time: about {} on one thread, within a factor of three if no grain leaves\n",
      duration_text(steps * mean_particles * kSecondsPerParticleStep + to_write));
}

/// A gas as dense as the scene's disks, and as hot as they are at the start and by falling through half the domain.
compare::Gas gas_of(const Scene& scene, const ParticleState& start, const std::vector<double>& disks) {
  compare::Gas gas{.narrowness = 1.0};
  const Vec2 extent = scene.domain.hi - scene.domain.lo;
  const double fall = 0.5 * scene.gravity.cwiseAbs().dot(extent);  // [J/kg]
  double area = 0.0;
  const auto add = [&](double count, double diameter, double mass, const Vec2& velocity) {
    gas.disks += count;
    gas.mean_diameter += count * diameter;
    gas.mean_mass += count * mass;
    gas.temperature += count * mass * (fall + 0.5 * velocity.squaredNorm());
    area += count * 0.25 * std::numbers::pi * diameter * diameter;
  };
  for (std::size_t i = 0; i < start.size(); ++i) add(1.0, 2.0 * start.radius[i], start.mass[i], start.velocity[i]);
  for (std::size_t g = 0; g < disks.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const auto* pour = std::get_if<Pour>(&group.how);
    if (pour == nullptr) continue;
    const double diameter = 0.5 * (group.size.least + group.size.greatest);
    add(disks[g], diameter, mass_of(scene, group, diameter), pour->velocity);
  }
  gas.mean_diameter /= gas.disks;
  gas.mean_mass /= gas.disks;
  gas.temperature /= gas.disks;
  gas.packing_fraction = std::min(area / extent.prod(), 0.85);
  return gas;
}

/// Whether disks grow slowly enough to jam (docs/theory.md, section 11). @param gas at the start, with growing disks
void describe_growth(const GrowthSpec& growth, const compare::Gas& gas) {
  constexpr double kSlow = 0.01;
  constexpr double kTooFast = 0.1;
  const double per_rate = gas.mean_diameter / growth.from / std::sqrt(gas.temperature / gas.mean_mass);
  say("growth: diameters grow at {:.2g} times the thermal speed", growth.rate * per_rate);
  const double rate = growth.rate_at(growth.pressure) * per_rate;
  if (growth.slow_beyond) say(", at {:.2g} when they jam", rate);
  if (rate > kSlow) {
    say(": {}; try growth.rate: {:.1g} or less",
        rate > kTooFast ? "too fast, a few grains may end it by their pressure while no grain bears load"
                        : "fast, a part of the disks may jam before the others",
        kSlow / rate * growth.rate);
  }
  say("\n");
}

void describe_cost(const Scene& scene, const hard::SceneSimulation& simulation, const std::vector<double>& disks,
                   double to_write) {
  say("time: {:.4g} s", scene.end);
  if (scene.hard.reverse) say(", velocities reversed at {:.4g} s", *scene.hard.reverse);
  say("\n");
  const compare::Gas gas = gas_of(scene, simulation.state().particles, disks);
  const bool falls = !scene.gravity.isZero();
  if (scene.hard.growth.rate > 0.0 && gas.temperature > 0.0) describe_growth(scene.hard.growth, gas);
  if (!(gas.temperature > 0.0) || scene.hard.growth.rate > 0.0) {
    say("run time: unknown: {}\n", scene.hard.growth.rate > 0.0 ? "disks grow" : "no disk moves");
    return;
  }
  const double rate = compare::collision_rate(gas);
  const double collisions = 0.5 * gas.disks * rate * scene.end;
  say("collisions: about {}, {} per disk and second, as in an elastic gas of this density and the temperature {}\n",
      count_text(collisions), count_text(rate), falls ? "after a fall through half the domain" : "at the start");
  say("run time: about {}; a rough estimate, since disks cool, gather and leave\n",
      duration_text(collisions * kSecondsPerCollision + to_write));
  if (!falls) return;
  if (scene.hard.contact_duration == 0.0) {
    say("beds at rest: end the run unless all disks are elastic, since contact.duration is 0\n");
    return;
  }
  const double at_rest = kContactsPerDisk * gas.disks * scene.end / scene.hard.contact_duration;
  say("beds at rest: if all disks rest all the time, about {} collisions in {}: one per contact and "
      "contact.duration\n",
      count_text(at_rest), duration_text(at_rest * kSecondsPerCollision));
}

std::string walls_text(std::size_t count) {
  return count == 1 ? "a wall" : fmt::format("{} walls", count);
}

template <AnySimulation S>
void check(const std::filesystem::path& file, const Scene& scene, const S& simulation) {
  say("{}: a valid scene, {} mode{}{}\n", file.string(), name_of(scene.mode), scene.title.empty() ? "" : ": ",
      shortened(scene.title, 200));
  say("walls: {}\n", scene.walls.size());
  say("particles: {} at the start\n", simulation.particles());
  if (scene.start) say("  of them those of {} (hash {})\n", shortened(scene.start->from, 200), scene.start->hash);
  for (const Stage& stage : scene.soft.stages) {
    say("stage {}: at most {:.4g} s{}{}{}\n", shortened(stage.name), stage.end,
        stage.unbalanced ? fmt::format(", until the unbalanced force ratio is below {:.3g}", *stage.unbalanced) : "",
        stage.motions.empty() ? "" : fmt::format(", other motions of {}", walls_text(stage.motions.size())),
        stage.remove.empty() ? "" : fmt::format(", without {}", walls_text(stage.remove.size())));
  }
  const std::vector<int> groups = simulation.state().particles.type;
  std::vector<double> particles;  // of each group, mean over the run
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const auto at_the_start = std::count(groups.begin(), groups.end(), static_cast<int>(g));
    particles.push_back(describe(scene, scene.particles[g], at_the_start) / scene.end);
  }
  const Output output = output_of(scene, std::accumulate(particles.begin(), particles.end(), 0.0));
  say("{}\n", pace_of(simulation));
  describe(scene, output);
  describe_cost(scene, simulation, particles, output.seconds);
  if (scene.mode == Mode::soft) say("{}", expectations(scene));
  for (const std::string& warning : all_warnings(scene, simulation)) say("warning: {}\n", warning);
  warn_of(scene, output);
}

}  // namespace

int check(const std::filesystem::path& file, const Settings& settings) {
  const Scene scene = read_scene(file, {}, settings);
  if (scene.mode == Mode::hard) {
    check(file, scene, hard::SceneSimulation(scene));
  } else {
    check(file, scene, soft::Simulation(scene));
  }
  return kOk;
}

}  // namespace scree::app
