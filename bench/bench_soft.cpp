// Whole steps of the soft mode: N random 5- to 8-gons at rest in a box, or N regular n-gons, particle-steps a second
// and nanoseconds a particle-step by stage, on one thread and two; bytes a particle.
//
//   bench_soft [N | N:n | N:disks ...]    default: 1000 10000 100000 1000:8 1000:64 1000:1024 1000:disks 10000:disks
//   bench_soft --advance STEPS N[:n | :disks]
//                                only so many steps of a settled bed, for a program that counts instructions
//
// The grains settle first; the settled state is kept in the working directory (bench_soft_N.state), so that only the
// first run waits for it. More than 10 000 grains are beds of 10 000 side by side.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "dem/soft/simulation.hpp"

using namespace scree;
using soft::Simulation;

namespace {

Wall box_wall(const char* name, Vec2 lo, Vec2 hi) {
  Wall wall;
  wall.name = name;
  wall.polygon = {lo, {hi.x(), lo.y()}, hi, {lo.x(), hi.y()}};
  return wall;
}

struct Grains {
  std::uint64_t count = 0;
  int vertices = 0;  ///< of regular polygons; 0: random 5- to 8-gons; kDisks
  static constexpr int kDisks = -1;

  std::string name() const {
    std::string name = std::to_string(count);
    if (vertices > 0) name.append("_").append(std::to_string(vertices));
    if (vertices == kDisks) name.append("_disks");
    return name;
  }
  std::string shape() const {
    if (vertices == kDisks) return "disks";
    return vertices > 0 ? "regular " + std::to_string(vertices) + "-gons" : "5- to 8-gons";
  }
};

ShapeSpec shape_of(Grains grains) {
  if (grains.vertices == Grains::kDisks) return Disk{};
  if (grains.vertices > 0) return RegularPolygon{grains.vertices};
  return RandomPolygon{{5, 8}, {1.0, 1.3}};
}

/// A box filled loosely; gravity does the rest. Wider for more grains, not higher: the same bed, only more of it.
Scene bed(Grains grains) {
  const std::uint64_t count = grains.count;
  constexpr double kSize = 0.01;          // mean diameter [m]
  constexpr double kRows = 16.0;          // of the lattice
  constexpr double kPitch = 1.6 * kSize;  // wider than the lattice's
  const double width = std::max(4.0, static_cast<double>(count) / kRows) * kPitch;
  const double height = 1.5 * kRows * kPitch;
  Scene scene;
  scene.domain = {{-0.1, -0.1}, {width + 0.1, height + 0.1}};
  scene.gravity = {0.0, -9.81};
  scene.materials = {{.name = "stone",
                      .density = 2600.0,
                      .stiffness = grains.vertices > 16 ? 4e7 : 4e6,
                      .restitution = 0.2,
                      .friction = 0.4}};
  scene.walls = {box_wall("floor", {-0.05, -0.05}, {width + 0.05, 0.0}), box_wall("left", {-0.05, 0.0}, {0.0, height}),
                 box_wall("right", {width, 0.0}, {width + 0.05, height})};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {width, height}}, .count = count, .jitter = 0.2},
                      .material = 0,
                      .shape = shape_of(grains),
                      .size = {0.8 * kSize, 1.2 * kSize}}};
  scene.end = 1e9;
  return scene;
}

constexpr std::uint64_t kMostSettled = 10000;

/// As many copies of a settled bed as it takes, a wall between each two.
Scene side_by_side(const Scene& bed, const State& settled, std::uint64_t copies) {
  const double pitch = bed.walls[0].polygon[1].x();  // the floor's
  const ParticleState& grains = settled.particles;
  Scene scene = bed;
  scene.domain.hi.x() += pitch * static_cast<double>(copies - 1);
  scene.walls.clear();
  scene.particles.clear();
  for (std::uint64_t copy = 0; copy < copies; ++copy) {
    for (Wall wall : bed.walls) {
      for (Vec2& v : wall.polygon) v.x() += pitch * static_cast<double>(copy);
      scene.walls.push_back(wall);
    }
  }
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const double size = 2.0 * grains.radius[i];
    const Pose from_world = Pose{grains.position[i], Rotation::by(grains.angle[i])}.inverse();
    ExplicitPolygon polygon;
    for (std::uint32_t k = grains.outlines.first[i]; k < grains.outlines.first[i + 1]; ++k) {
      polygon.vertices.push_back(from_world * grains.outlines.vertices[k]);
    }
    Place places;
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      const Vec2 shift(pitch * static_cast<double>(copy), 0.0);
      places.push_back({.position = grains.position[i] + shift, .angle = grains.angle[i]});
    }
    const ShapeSpec shape = polygon.vertices.empty() ? ShapeSpec(Disk{}) : ShapeSpec(polygon);
    scene.particles.push_back({.how = places, .material = 0, .shape = shape, .size = {size, size}});
  }
  return scene;
}

std::string settled(Grains grains) {
  const std::string file = "bench_soft_" + grains.name() + ".state";
  std::ostringstream bytes;
  if (std::ifstream in(file, std::ios::binary); in) {
    bytes << in.rdbuf();
    try {
      std::istringstream again(bytes.str());
      Simulation(bed(grains)).load(again);
      return bytes.str();
    } catch (const std::exception&) {
      std::fprintf(stderr, "%s is of another version; settling anew\n", file.c_str());
      bytes.str("");
    }
  }
  Simulation simulation(bed(grains));
  std::fprintf(stderr, "settling %s grains", grains.name().c_str());
  Summary summary = simulation.summary();
  do {
    simulation.advance_to(simulation.time() + 0.1);
    summary = simulation.summary();
    std::fprintf(stderr, ".");
  } while (summary.kinetic_energy > 1e-6 * summary.potential_energy && simulation.time() < 5.0);
  std::fprintf(stderr, " t = %.1f s\n", simulation.time());
  simulation.save(bytes);
  std::ofstream(file, std::ios::binary) << bytes.str();
  return bytes.str();
}

struct Measured {
  double seconds;  // a step, median over chunks
  std::vector<soft::StageTimes::StageTime> stages;
};

Measured measure(Simulation& simulation) {
  const std::uint64_t chunk = std::max<std::uint64_t>(1, 200000 / simulation.particles());
  simulation.advance_to(1e9, chunk);
  const auto stages_so_far = [&] {
    return std::vector(simulation.stage_times().begin(), simulation.stage_times().end());
  };
  const auto before = stages_so_far();
  std::vector<double> seconds;
  constexpr int kChunks = 25;
  for (int k = 0; k < kChunks; ++k) {
    const auto start = std::chrono::steady_clock::now();
    simulation.advance_to(1e9, chunk);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    seconds.push_back(spent.count() / static_cast<double>(chunk));
  }
  std::nth_element(seconds.begin(), seconds.begin() + kChunks / 2, seconds.end());
  auto stages = stages_so_far();
  for (std::size_t k = 0; k < stages.size(); ++k) {
    stages[k].seconds = (stages[k].seconds - before[k].seconds) / static_cast<double>(chunk * kChunks);
  }
  return {seconds[kChunks / 2], stages};
}

void bench(Grains grains) {
  Scene scene = bed({std::min(grains.count, kMostSettled), grains.vertices});
  std::string state = settled({std::min(grains.count, kMostSettled), grains.vertices});
  if (grains.count > kMostSettled) {
    Simulation one(scene);
    std::istringstream in(state);
    one.load(in);
    scene = side_by_side(scene, one.state(), grains.count / kMostSettled);
    Simulation all(scene, {.broadphase = BroadphaseKind::sorted_strips});
    all.advance_to(1e9, 300);  // until friction bears again
    std::ostringstream out;
    all.save(out);
    state = out.str();
  }
  for (const int threads : {1, 2}) {
    const std::size_t heap_before = mallinfo2().uordblks + mallinfo2().hblkhd;
    Simulation simulation(scene, {.threads = threads});
    std::istringstream in(state);
    simulation.load(in);
    const Measured measured = measure(simulation);
    const std::size_t heap = mallinfo2().uordblks + mallinfo2().hblkhd - heap_before - state.size();
    const Summary summary = simulation.summary();
    const double n = static_cast<double>(summary.particles);
    std::printf(
        "N = %.0f %s, %d thread%s: %.2f M particle-steps/s, %.0f ns a particle-step; %.2f contacts a particle, "
        "%.0f bytes a particle\n",
        n, grains.shape().c_str(), threads, threads == 1 ? "" : "s", 1e-6 * n / measured.seconds,
        1e9 * measured.seconds / n, summary.coordination, static_cast<double>(heap) / n);
    for (const auto& stage : measured.stages) std::printf("  %-24s %7.1f ns\n", stage.name, 1e9 * stage.seconds / n);
  }
}

/// The broadphase is fixed, since `auto` chooses by the clock.
void advance(Grains grains, std::uint64_t steps) {
  Simulation simulation(bed(grains), {.threads = 1, .broadphase = BroadphaseKind::sorted_strips});
  std::istringstream in(settled(grains));
  simulation.load(in);
  simulation.advance_to(1e9, steps);
}

std::optional<Grains> grains_in(const char* text) {
  Grains grains;
  char* end = nullptr;
  grains.count = std::strtoull(text, &end, 10);
  if (std::string(end) == ":disks") {
    grains.vertices = Grains::kDisks;
    return grains;
  }
  if (*end == ':') grains.vertices = static_cast<int>(std::strtol(end + 1, &end, 10));
  if (*end == '\0' && grains.count > 0 && (grains.vertices == 0 || grains.vertices >= 3)) return grains;
  std::fprintf(stderr, "bench_soft: '%s' is not N, N:vertices or N:disks\n", text);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--advance") {
    const auto grains = grains_in(argv[3]);
    if (!grains) return 2;
    advance(*grains, std::strtoull(argv[2], nullptr, 10));
    return 0;
  }
  std::vector<Grains> all;
  for (int k = 1; k < argc; ++k) {
    const auto grains = grains_in(argv[k]);
    if (!grains) return 2;
    all.push_back(*grains);
  }
  if (all.empty())
    all = {{1000},
           {10000},
           {100000},
           {1000, 8},
           {1000, 64},
           {1000, 1024},
           {1000, Grains::kDisks},
           {10000, Grains::kDisks}};
  for (const Grains& grains : all) bench(grains);
}
