// Whole steps of the soft mode: random 5- to 8-gons, other polygons or disks in a box, particle-steps a second and
// nanoseconds a particle-step by stage, on one thread and two; bytes a particle.
//
//   bench_soft [GRAINS ...]    default: 1000 10000 100000 1000:8 1000:64 1000:1024 1000:disks 10000:disks
//   bench_soft --advance STEPS GRAINS    only so many steps, for a program that counts instructions
//   bench_soft --speed THREADS GRAINS    particle-steps a second, contacts a particle
//   bench_soft --bytes GRAINS            bytes a particle, after 64 steps
//   bench_soft --ranks RANKS GRAINS      the same with ranks, which are threads of this program, and what they send
//   mpirun -n RANKS bench_soft --mpi GRAINS        the same with ranks that are processes
//
// GRAINS is a number, which shape, and what they do: N, N:8 (regular 8-gons), N:5-7 (random 5- to 7-gons), N:disks; at
// rest, or N/falling (on their way down) or N/landing (when most of them have hit the others), or N/shuffled (at
// rest, their places in memory drawn at random; beside it N/laid: the same grains in the order of a lattice).
//
// The grains settle first; the settled state is kept in the working directory (bench_soft_N.state), so that only the
// first run waits for it. More than 1000 are stopped once they have landed, and come to rest from there.
// More than 2500 are beds of 2500 side by side.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "dem/scene.hpp"
#include "dem/soft/ranks/ranked_simulation.hpp"
#include "dem/soft/ranks/subdomain.hpp"
#include "dem/soft/simulation.hpp"
#include "parallel/huge_pages.hpp"
#include "parallel/ranks.hpp"

using namespace scree;
using soft::Simulation;

namespace {

Wall box_wall(const char* name, Vec2 lo, Vec2 hi) {
  Wall wall;
  wall.name = name;
  wall.polygon = {lo, {hi.x(), lo.y()}, hi, {lo.x(), hi.y()}};
  return wall;
}

enum class Flow { rest, falling, landing, laid, shuffled };
constexpr std::array kFlows = {"", "/falling", "/landing", "/laid", "/shuffled"};  // in their order

struct Grains {
  std::uint64_t count = 0;
  int vertices = 5;  ///< at least; kDisks
  int most = 8;      ///< vertices at most; as many as at least: regular polygons
  Flow flow = Flow::rest;
  static constexpr int kDisks = -1;

  bool are_disks() const { return vertices == kDisks; }
  bool are_regular() const { return vertices == most; }
  std::string shape() const {
    if (are_disks()) return "disks";
    if (are_regular()) return "regular " + std::to_string(most) + "-gons";
    return std::to_string(vertices) + "- to " + std::to_string(most) + "-gons";
  }
  /// Of a file, too.
  std::string name() const {
    std::string name = std::to_string(count);
    if (are_disks()) {
      name.append("_disks");
    } else if (are_regular() || vertices != 5 || most != 8) {
      name.append("_").append(std::to_string(vertices));
      if (!are_regular()) name.append("-").append(std::to_string(most));
    }
    if (flow != Flow::rest) name.append("_").append(kFlows[static_cast<std::size_t>(flow)] + 1);
    return name;
  }
  /// Of a settled bed, built anew from its grains.
  bool are_placed() const { return flow == Flow::laid || flow == Flow::shuffled; }
  Grains at_rest() const {
    Grains same = *this;
    same.flow = Flow::rest;
    return same;
  }
  Grains with_count(std::uint64_t other) const {
    Grains same = *this;
    same.count = other;
    return same;
  }
};

ShapeSpec shape_of(Grains grains) {
  if (grains.are_disks()) return Disk{};
  if (grains.are_regular()) return RegularPolygon{grains.most};
  return RandomPolygon{{grains.vertices, grains.most}, {1.0, 1.3}};
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
                      .stiffness = grains.most > 16 && !grains.are_disks() ? 4e7 : 4e6,
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

constexpr std::uint64_t kMostSettled = 2500;
constexpr std::uint64_t kMostUnstopped = 1000;

/// As many copies of a settled bed as it takes, a wall between each two.
/// @param order of its grains
Scene side_by_side(const Scene& bed, const State& settled, std::uint64_t copies, std::span<const std::size_t> order) {
  const double pitch = bed.walls[0].polygon[1].x();  // the floor's
  const ParticleState& grains = settled.particles;
  Scene scene = bed;
  scene.domain.hi.x() += pitch * static_cast<double>(copies - 1);
  scene.walls.clear();
  scene.particles.clear();
  scene.soft.initial_depth = 0.1;  // they bear each other
  for (std::uint64_t copy = 0; copy < copies; ++copy) {
    for (Wall wall : bed.walls) {
      for (Vec2& v : wall.polygon) v.x() += pitch * static_cast<double>(copy);
      scene.walls.push_back(wall);
    }
  }
  Place disks;  // of one group, since a step looks at each
  for (const std::size_t i : order) {
    const double size = 2.0 * grains.radius[i];
    const Pose from_world = Pose{grains.position[i], Rotation::by(grains.angle[i])}.inverse();
    ExplicitPolygon polygon;
    for (std::uint32_t k = grains.outlines.first[i]; k < grains.outlines.first[i + 1]; ++k) {
      polygon.vertices.push_back(from_world * grains.outlines.vertices[k]);
    }
    Place of_polygon;
    Place& places = polygon.vertices.empty() ? disks : of_polygon;
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      const Vec2 shift(pitch * static_cast<double>(copy), 0.0);
      places.push_back({.position = grains.position[i] + shift, .angle = grains.angle[i], .size = size});
    }
    if (!of_polygon.empty()) {
      scene.particles.push_back({.how = of_polygon, .material = 0, .shape = polygon, .size = {size, size}});
    }
  }
  if (!disks.empty()) {
    scene.particles.push_back({.how = disks, .material = 0, .shape = Disk{}, .size = bed.particles.front().size});
  }
  return scene;
}

/// @param every how often they are looked at [s]
void advance_until_at_rest(double every, Simulation& simulation) {
  Summary summary = simulation.summary();
  do {
    simulation.advance_to(simulation.time() + every);
    summary = simulation.summary();
    std::fprintf(stderr, ".");
  } while (summary.kinetic_energy > 1e-6 * summary.potential_energy && simulation.time() < 5.0);
}

std::string file_of(Grains grains) {
  return "bench_soft_" + grains.name() + ".state";
}

/// The state that an earlier run has kept, if there is one.
std::optional<std::string> kept(Grains grains, const Scene& scene) {
  std::ifstream in(file_of(grains), std::ios::binary);
  if (!in) return {};
  std::ostringstream bytes;
  bytes << in.rdbuf();
  try {
    std::istringstream again(bytes.str());
    Simulation(scene).load(again);
    return std::move(bytes).str();
  } catch (const std::exception&) {
    std::fprintf(stderr, "%s is of another version; settling anew\n", file_of(grains).c_str());
    return {};
  }
}

std::string keep(Grains grains, const Simulation& simulation) {
  std::ostringstream bytes;
  simulation.save(bytes);
  std::ofstream(file_of(grains), std::ios::binary) << bytes.str();
  return std::move(bytes).str();
}

/// Scene and state of any number of grains.
struct Start {
  Scene scene;
  std::string state;

  State made() const {
    Simulation simulation(scene);
    std::istringstream in(state);
    simulation.load(in);
    return simulation.state();
  }
};

std::vector<std::size_t> order_of(const State& state) {
  std::vector<std::size_t> order(state.particles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Stops all grains when nearly all have landed.
void stop_landed(Simulation& simulation) {
  simulation.advance_to(0.25);
  const std::vector<std::uint64_t> ids = simulation.state().particles.id;
  simulation.set_velocities(ids, std::vector<Motion>(ids.size(), Motion::Zero()));
}

/// At most kMostSettled grains, as they are typically.
Start settled(Grains grains) {
  const Scene scene = bed(grains);
  if (const auto state = kept(grains, scene)) return {scene, *state};
  Simulation simulation(scene);
  std::fprintf(stderr, "preparing %s grains", grains.name().c_str());
  switch (grains.flow) {
    case Flow::falling:
      simulation.advance_to(0.1);
      break;
    case Flow::landing:
      simulation.advance_to(0.2);
      break;
    default:
      if (grains.count > kMostUnstopped) stop_landed(simulation);
      advance_until_at_rest(grains.count > kMostUnstopped ? 0.02 : 0.1, simulation);
  }
  std::fprintf(stderr, " t = %.2f s\n", simulation.time());
  return {scene, keep(grains, simulation)};
}

struct Measured {
  double seconds;  // a step, median over chunks
  std::vector<soft::StageTimes::StageTime> stages;
};

constexpr int kChunks = 25;

/// Seconds a step, median over chunks of steps; one has gone before.
template <class AnySoftSimulation>
double seconds_a_step(AnySoftSimulation& simulation, std::uint64_t chunk) {
  std::vector<double> seconds;
  for (int k = 0; k < kChunks; ++k) {
    const auto start = std::chrono::steady_clock::now();
    simulation.advance_to(1e9, chunk);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    seconds.push_back(spent.count() / static_cast<double>(chunk));
  }
  std::nth_element(seconds.begin(), seconds.begin() + kChunks / 2, seconds.end());
  return seconds[kChunks / 2];
}

/// No fewer than come between two checks of the grains.
std::uint64_t steps_of_a_chunk(std::uint64_t particles) {
  return std::max<std::uint64_t>(64, 200000 / particles);
}

Measured measure(Simulation& simulation) {
  const std::uint64_t chunk = steps_of_a_chunk(simulation.particles());
  simulation.advance_to(1e9, chunk);
  const auto stages_so_far = [&] {
    return std::vector(simulation.stage_times().begin(), simulation.stage_times().end());
  };
  const auto before = stages_so_far();
  const double seconds = seconds_a_step(simulation, chunk);
  auto stages = stages_so_far();
  for (std::size_t k = 0; k < stages.size(); ++k) {
    stages[k].seconds = (stages[k].seconds - before[k].seconds) / static_cast<double>(chunk * kChunks);
  }
  return {seconds, stages};
}

Start start_of(Grains grains) {
  Grains one_bed = grains.with_count(std::min(grains.count, kMostSettled));
  if (grains.are_placed()) one_bed = one_bed.at_rest();
  const Start one = settled(one_bed);
  if (grains.count <= kMostSettled && !grains.are_placed()) return one;
  const State state = one.made();
  std::vector<std::size_t> order = order_of(state);
  if (grains.flow == Flow::shuffled) std::shuffle(order.begin(), order.end(), std::mt19937(1));
  const std::uint64_t copies = std::max<std::uint64_t>(1, grains.count / kMostSettled);
  const Scene scene = side_by_side(bed(one_bed), state, copies, order);
  if (const auto bytes = kept(grains, scene)) return {scene, *bytes};
  Simulation all(scene, {.broadphase = BroadphaseKind::sorted_strips});
  all.advance_to(1e9, 300);  // until friction bears again
  return {scene, keep(grains, all)};
}

std::size_t heap_in_use() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

/// What a simulation takes, less its copy of the scene: in that of copies each grain of a bed is described.
std::size_t heap_since(std::size_t before, const Scene& scene) {
  const std::size_t now = heap_in_use();
  const Scene copy = scene;
  return now - before - (heap_in_use() - now);
}

void bench(Grains grains) {
  const Start start = start_of(grains);
  for (const int threads : {1, 2}) {
    const std::size_t heap_before = heap_in_use();
    Simulation simulation(start.scene, {.threads = threads});
    std::istringstream in(start.state);
    simulation.load(in);
    const Measured measured = measure(simulation);
    const std::size_t heap = heap_since(heap_before, start.scene) - start.state.size();
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

/// The broadphase is fixed where one number is measured, since `auto` chooses by the clock.
constexpr BroadphaseKind kBroadphase = BroadphaseKind::sorted_strips;

void speed(Grains grains, int threads) {
  const Start start = start_of(grains);
  Simulation simulation(start.scene, {.threads = threads, .broadphase = kBroadphase});
  std::istringstream in(start.state);
  simulation.load(in);
  const Measured measured = measure(simulation);
  std::printf("%.6g particle-steps/s, %.2f contacts a particle\n",
              static_cast<double>(simulation.particles()) / measured.seconds, simulation.summary().coordination);
}

/// Counts what a rank sends.
class CountedRanks : public Ranks {
 public:
  explicit CountedRanks(Ranks& of) : of_(of) {}
  int rank() const override { return of_.rank(); }
  int size() const override { return of_.size(); }
  void send(int to, Bytes message) override {
    ++messages_;
    bytes_ += static_cast<double>(message.size());
    of_.send(to, std::move(message));
  }
  Bytes receive(int from) override { return of_.receive(from); }
  void give_up(int status) override { of_.give_up(status); }
  double messages() const { return messages_; }
  double bytes() const { return bytes_; }

 private:
  Ranks& of_;
  double messages_ = 0.0;
  double bytes_ = 0.0;
};

/// What one of several ranks does.
class RankedBench {
 public:
  explicit RankedBench(const Grains& grains) : start_(start_of(grains)) {}

  void operator()(Ranks& each) {
    CountedRanks ranks(each);
    const soft::Options options{.threads = 1, .broadphase = kBroadphase};
    if (ranks.rank() > 0) {
      soft::Subdomain domain(start_.scene, options, ranks, {}, nullptr);
      domain.serve();
      return tell(domain, ranks);
    }
    soft::RankedSimulation simulation(start_.scene, options, ranks);
    std::istringstream in(start_.state);
    simulation.load(in);
    const std::uint64_t chunk = std::max<std::uint64_t>(8, steps_of_a_chunk(simulation.particles()));
    simulation.advance_to(1e9, chunk);
    const double speed = static_cast<double>(simulation.particles()) / seconds_a_step(simulation, chunk);
    std::printf("%.6g particle-steps/s\n", speed);
    soft::Subdomain::end(ranks);
    tell(simulation.domain(), ranks);
  }

 private:
  void tell(const soft::Subdomain& domain, const CountedRanks& ranks) {
    const std::lock_guard lock(mutex_);
    const auto steps = static_cast<double>(domain.counts().steps);
    std::printf("rank %d: %u grains, %u ghosts; %.2f messages and %.0f bytes a step\n", ranks.rank(), domain.own(),
                domain.ghosts(), ranks.messages() / steps, ranks.bytes() / steps);
  }

  Start start_;
  std::mutex mutex_;
};

/// @return exit status
int with_processes(const Grains& grains) {
#ifdef SCREE_MPI_MODULE
  if (void* const module = dlopen(SCREE_MPI_MODULE, RTLD_NOW | RTLD_GLOBAL)) {
    const auto make = reinterpret_cast<Ranks* (*)()>(dlsym(module, "scree_mpi_ranks"));
    const std::unique_ptr<Ranks> ranks(make());
    RankedBench bench(grains);
    bench(*ranks);
    return 0;
  }
  std::fprintf(stderr, "bench_soft: %s\n", dlerror());
#else
  static_cast<void>(grains);
  std::fprintf(stderr, "bench_soft: built without MPI\n");
#endif
  return 77;
}

void bytes(Grains grains) {
  const Start start = start_of(grains);
  const std::size_t heap_before = heap_in_use();
  Simulation simulation(start.scene, {.threads = 1, .broadphase = kBroadphase});
  {
    std::istringstream in(start.state);
    simulation.load(in);
  }
  simulation.advance_to(1e9, 64);
  const std::size_t heap = heap_since(heap_before, start.scene);
  std::printf("%.0f bytes a particle, %.2f contacts a particle\n",
              static_cast<double>(heap) / static_cast<double>(simulation.particles()),
              simulation.summary().coordination);
}

void advance(Grains grains, std::uint64_t steps) {
  const Start start = start_of(grains);
  Simulation simulation(start.scene, {.threads = 1, .broadphase = kBroadphase});
  std::istringstream in(start.state);
  simulation.load(in);
  simulation.advance_to(1e9, steps);
}

std::optional<Grains> grains_in(const std::string& text) {
  Grains grains;
  std::string shape;
  std::istringstream in(text.substr(0, text.find('/')));
  in >> grains.count;
  std::getline(in, shape);
  bool is_right = grains.count > 0;
  if (shape == ":disks") {
    grains.vertices = Grains::kDisks;
  } else if (!shape.empty()) {
    int length = 0;
    const int found = std::sscanf(shape.c_str(), ":%d%n-%d%n", &grains.vertices, &length, &grains.most, &length);
    if (found == 1) grains.most = grains.vertices;
    is_right = is_right && found >= 1 && static_cast<std::size_t>(length) == shape.size() && grains.vertices >= 3 &&
               grains.most >= grains.vertices;
  }
  if (const auto slash = text.find('/'); slash != std::string::npos) {
    const auto flow = std::find(kFlows.begin() + 1, kFlows.end(), text.substr(slash));
    is_right = is_right && flow != kFlows.end();
    grains.flow = static_cast<Flow>(flow - kFlows.begin());
  }
  if (is_right) return grains;
  std::fprintf(stderr,
               "bench_soft: '%s' is not N, N:vertices, N:least-most or N:disks, with /falling, /landing, /laid "
               "or /shuffled\n",
               text.c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  scree::give_large_arrays_their_own_pages();  // as scree does
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0].starts_with("--")) {
    const bool has_number = words[0] == "--advance" || words[0] == "--speed" || words[0] == "--ranks";
    if (words.size() != (has_number ? 3 : 2)) {
      std::fprintf(
          stderr,
          "bench_soft: --advance STEPS GRAINS, --speed THREADS GRAINS, --ranks RANKS GRAINS, --mpi GRAINS or --bytes "
          "GRAINS\n");
      return 2;
    }
    const auto grains = grains_in(words.back());
    if (!grains) return 2;
    if (words[0] == "--advance") {
      advance(*grains, std::strtoull(words[1].c_str(), nullptr, 10));
    } else if (words[0] == "--speed") {
      speed(*grains, std::max(1, std::atoi(words[1].c_str())));
    } else if (words[0] == "--ranks") {
      RankedBench ranked(*grains);
      run_as_ranks(std::max(1, std::atoi(words[1].c_str())), [&](Ranks& ranks) { ranked(ranks); });
    } else if (words[0] == "--mpi") {
      return with_processes(*grains);
    } else if (words[0] == "--bytes") {
      bytes(*grains);
    } else {
      std::fprintf(stderr, "bench_soft: unknown option %s\n", words[0].c_str());
      return 2;
    }
    return 0;
  }
  std::vector<Grains> all;
  for (const std::string& word : words) {
    const auto grains = grains_in(word);
    if (!grains) return 2;
    all.push_back(*grains);
  }
  if (all.empty()) {
    all = {{.count = 1000},
           {.count = 10000},
           {.count = 100000},
           {.count = 1000, .vertices = 8},
           {.count = 1000, .vertices = 64, .most = 64},
           {.count = 1000, .vertices = 1024, .most = 1024},
           {.count = 1000, .vertices = Grains::kDisks},
           {.count = 10000, .vertices = Grains::kDisks}};
  }
  for (const Grains& grains : all) bench(grains);
}
