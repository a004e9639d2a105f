// Gases that run backwards (docs/reversible.md, "Exactly"): equal disks in a periodic box, whole numbers beside floats.
//
//   bench_exact [back] [drift] [limit] [loss] [alike] [cost] [--collisions C] [--disks N] [--packing P ...]
//   [--exact|--float]
//
// back   N disks (1024) collide C times (10 000 000) at packing fractions 0.1, 0.4 and 0.7 (or P), and go back: whether
//        the state is the same to the last bit, energy drift, clusters that went back and the momentum they cost,
//        collisions a second of processor time.
// drift  the drift of the energy and the clusters that went back, against the bits of the velocities.
// limit  floats: after how many collisions a disk the state at the start can no longer be restored to 1e-9 diameters.
// loss   inelastic disks there and back: bytes that are kept of a collision, beside the states of the pair.
// alike  equation of state, pair correlation at contact and fourth moment of the velocities, whole numbers and floats:
//        means of 8 gases of 256 disks, with their standard errors; C collisions of a disk (400).
// cost   C collisions (20 a disk) by --exact or --float only, for callgrind.
// Exit status 1 if a gas does not come back, or the two differ by more than four standard errors. All without a word
// but `cost`.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/exact/gas.hpp"
#include "dem/hard/exact/simulation.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/state_values.hpp"
#include "tests/hard/gases.hpp"

namespace {

using namespace scree;
using hard::SceneSimulation;

constexpr std::string_view kParts[] = {"back", "drift", "limit", "loss", "alike", "cost"};

struct Options {
  std::vector<std::string> parts;
  double collisions = 0.0;  // 0: as many as the part says
  int disks = 1024;
  std::vector<double> packing_fractions = {0.1, 0.4, 0.7};
  Arithmetic arithmetic = Arithmetic::exact;

  bool wants(std::string_view part) const {
    return parts.empty() ? part != "cost" : std::ranges::find(parts, part) != parts.end();
  }
};

/// Disks of diameter 1 m, of thermal velocity 1 m/s along each axis.
Scene gas(int disks, double packing_fraction, Arithmetic arithmetic, std::uint64_t seed = 1, double restitution = 1.0) {
  const int side = 2 * std::max(2, static_cast<int>(std::lround(0.5 * std::sqrt(disks))));
  const hard::Setup setup =
      test::gas({.columns = side, .rows = side, .packing_fraction = packing_fraction, .seed = seed});
  Scene scene;
  scene.mode = Mode::hard;
  scene.hard.arithmetic = arithmetic;
  scene.domain = setup.domain;
  scene.materials = {{.name = "ball", .density = 4.0 / std::numbers::pi, .restitution = restitution}};
  Place place;
  for (std::size_t i = 0; i < setup.position.size(); ++i) {
    place.push_back({.position = setup.position[i], .velocity = setup.velocity[i]});
  }
  scene.particles = {{.how = place, .shape = Disk{}, .size = {1.0, 1.0}}};
  scene.end = 1e5;
  scene.output_every = 1.0;
  return scene;
}

StateHash hash(const SceneSimulation& simulation) {
  StateValues values;
  simulation.list_values(values);
  return values.hashes();
}

double collisions(const SceneSimulation& simulation) {
  return static_cast<double>(simulation.counters().collisions);
}

/// Until so many disks have collided.
void run(SceneSimulation& simulation, double collisions_in_all) {
  const double step = 0.01;  // of a mean free time or more
  while (collisions(simulation) < collisions_in_all) simulation.advance_to(simulation.time() + step);
}

double seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

bool back(const Options& options) {
  const double wanted = options.collisions > 0.0 ? options.collisions : 1e7;
  std::puts("packing  disks  collisions  retraces  momentum [% of N thermal]  energy drift  coll./s  back");
  bool all_came_back = true;
  for (const double packing : options.packing_fractions) {
    SceneSimulation simulation(gas(options.disks, packing, Arithmetic::exact));
    const StateHash start = hash(simulation);
    const double energy = simulation.summary().kinetic_energy;
    const std::clock_t begin = std::clock();
    run(simulation, wanted);
    const double rate = collisions(simulation) / seconds_since(begin);
    const hard::exact::Tally tally = simulation.in_whole_numbers()->tally();
    const hard::exact::Grid& grid = simulation.in_whole_numbers()->grid();
    const double drift = simulation.summary().kinetic_energy / energy - 1.0;
    const double momentum = grid.metres(tally.momentum_size) / grid.tick / static_cast<double>(simulation.particles());
    simulation.turn_back();
    simulation.go_back_to(0.0);
    const bool came_back = hash(simulation) == start;
    all_came_back &= came_back;
    std::printf("%7.2f  %5d  %10lld  %8lld  %25.2g  %12.1e  %7.0f  %s\n", packing,
                static_cast<int>(simulation.particles()), static_cast<long long>(tally.collisions),
                static_cast<long long>(tally.retraces), 100.0 * momentum, drift, rate,
                came_back ? "equal hashes" : "NOT EQUAL");
    std::fflush(stdout);
  }
  return all_came_back;
}

bool drift(const Options& options) {
  using hard::exact::Gas;
  const double wanted = options.collisions > 0.0 ? options.collisions : 1e6;
  const double packing = 0.4;
  std::puts("bits  collisions  energy drift  of a collision  exchanges  retraces  back");
  bool all_came_back = true;
  for (const int bits : {18, 21, 24, 27, 30}) {
    const hard::Setup from = test::gas({.columns = 16, .rows = 16, .packing_fraction = packing});
    hard::exact::GasSetup setup;
    setup.domain = from.domain;
    setup.grid = hard::exact::choose_grid(from.domain, from.velocity, 1.0, bits);
    for (std::size_t i = 0; i < from.position.size(); ++i) {
      setup.position.push_back(setup.grid.position(from.position[i]));
      setup.velocity.push_back(setup.grid.velocity(from.velocity[i]));
      setup.radius.push_back(setup.grid.length(from.radius[i]) - hard::exact::shrinkage(setup.grid));
    }
    Gas<hard::DiskCells, hard::BucketQueue> gas(setup);
    const hard::exact::Snapshot start = gas.snapshot();
    const auto energy = static_cast<double>(gas.energy());
    const auto piece = static_cast<std::int64_t>(0.1 / setup.grid.tick) + 1;
    while (static_cast<double>(gas.tally().collisions) < wanted) gas.advance(piece);
    const hard::exact::Tally tally = gas.tally();
    const double of_energy = static_cast<double>(gas.energy()) / energy - 1.0;
    gas.turn_back();
    gas.advance(gas.tick());
    const bool came_back = gas.snapshot() == start;
    all_came_back &= came_back;
    std::printf("%4d  %10lld  %12.1e  %14.1e  %9lld  %8lld  %s\n", bits, static_cast<long long>(tally.collisions),
                of_energy, std::abs(of_energy) / std::sqrt(static_cast<double>(tally.collisions)),
                static_cast<long long>(tally.exchanges), static_cast<long long>(tally.retraces),
                came_back ? "equal" : "NOT EQUAL");
    std::fflush(stdout);
  }
  return all_came_back;
}

/// The largest error of a position [m] after going back from so many collisions a disk.
double error_after(const Scene& scene, double collisions_of_a_disk) {
  SceneSimulation simulation(scene);
  const State start = simulation.state();
  run(simulation, 0.5 * collisions_of_a_disk * static_cast<double>(simulation.particles()));
  simulation.turn_back();
  simulation.go_back_to(0.0);
  const State end = simulation.state();
  double error = 0.0;
  for (std::size_t i = 0; i < end.particles.size(); ++i) {
    Vec2 difference = end.particles.position[i] - start.particles.position[i];
    const Vec2 period = scene.domain.hi - scene.domain.lo;
    for (const int axis : {0, 1}) difference[axis] -= period[axis] * std::round(difference[axis] / period[axis]);
    error = std::max(error, difference.norm());
  }
  return error;
}

void limit(const Options& options) {
  std::puts("packing  collisions a disk: largest error after going back [diameters]");
  for (const double packing : options.packing_fractions) {
    const Scene scene = gas(options.disks, packing, Arithmetic::floating);
    std::printf("%7.2f ", packing);
    double last = 0.0;
    for (double count = 1.0; count <= 40.0; ++count) {
      const double error = error_after(scene, count);
      if (error <= 1e-9) last = count;
      std::printf(" %.0f: %.1e", count, error);
      if (error > 1e-3) break;
    }
    std::printf("\n         restored to 1e-9 after at most %.0f collisions a disk\n", last);
    std::fflush(stdout);
  }
}

bool loss(const Options& options) {
  const double wanted = options.collisions > 0.0 ? options.collisions : 1e5;
  constexpr double kOfPair = 2 * 4 * sizeof(double);  // positions and velocities of two disks
  std::puts("restitution  collisions  kinetic energy left  bits kept of one  bytes  states of the pair  back");
  bool all_came_back = true;
  for (const double restitution : {0.99, 0.95, 0.9, 0.8}) {
    SceneSimulation simulation(gas(options.disks, 0.4, Arithmetic::exact, 1, restitution));
    const StateHash start = hash(simulation);
    const double energy = simulation.summary().kinetic_energy;
    // It cools, and collides ever less often: up to a millionth of the energy.
    double step = 0.01;
    while (collisions(simulation) < wanted && simulation.summary().kinetic_energy > 1e-6 * energy) {
      const double before = collisions(simulation);
      simulation.advance_to(simulation.time() + step);
      if (collisions(simulation) < before + 0.01 * options.disks) step *= 1.2;
    }
    const hard::exact::Simulation& exact = *simulation.in_whole_numbers();
    const auto count = static_cast<double>(exact.tally().collisions);
    const double bits = static_cast<double>(exact.kept_bits()) / count;
    const double left = simulation.summary().kinetic_energy / energy;
    const auto made = static_cast<long long>(exact.tally().collisions);
    simulation.turn_back();
    simulation.go_back_to(0.0);
    const bool came_back = hash(simulation) == start;
    all_came_back &= came_back;
    std::printf("%11.2f  %10lld  %19.2e  %16.3f  %5.3f  %18.0f  %s\n", restitution, made, left, bits, bits / 8.0,
                kOfPair, came_back ? "equal hashes" : "NOT EQUAL");
    std::fflush(stdout);
  }
  return all_came_back;
}

/// What a gas is in equilibrium.
struct Gas {
  double z;        // p A / (N kT)
  double contact;  // g(r) near contact
  double fourth;   // <v^4> / <v^2>^2 of components: 3 in Maxwell's distribution
};

Gas measured(double packing, Arithmetic arithmetic, std::uint64_t seed, double of_a_disk) {
  constexpr int kDisks = 256;
  constexpr double kMelt = 40.0;   // collisions of a disk
  constexpr double kShell = 0.02;  // of the diameter
  constexpr int kSamples = 100;
  Scene scene = gas(kDisks, packing, arithmetic, seed);
  scene.measure = Measure{};
  scene.measure->region = {scene.domain.lo, scene.domain.hi};
  SceneSimulation simulation(scene);
  run(simulation, 0.5 * kMelt * kDisks);
  const auto virial = [&] {
    double sum = 0.0;
    for (const LayerTransfer& layer : simulation.transfers().layers()) sum += layer.virial.trace();
    return sum;
  };
  const double begin = simulation.time();
  const double virial_before = virial();
  const Vec2 period = scene.domain.hi - scene.domain.lo;
  double pairs = 0.0, square = 0.0, fourth = 0.0;
  for (int sample = 1; sample <= kSamples; ++sample) {
    run(simulation, 0.5 * (kMelt + of_a_disk * sample / kSamples) * kDisks);
    const ParticleState disks = simulation.state().particles;
    for (std::size_t i = 0; i < disks.size(); ++i) {
      for (const double v : {disks.velocity[i].x(), disks.velocity[i].y()}) {
        square += v * v;
        fourth += v * v * v * v;
      }
      for (std::size_t j = 0; j < i; ++j) {
        Vec2 r = disks.position[i] - disks.position[j];
        for (const int axis : {0, 1}) r[axis] -= period[axis] * std::round(r[axis] / period[axis]);
        if (r.squaredNorm() < (1.0 + kShell) * (1.0 + kShell)) ++pairs;
      }
    }
  }
  constexpr double kComponents = 2.0 * kDisks * kSamples;
  const double kinetic = simulation.summary().kinetic_energy;  // N kT
  const double shell = std::numbers::pi * ((1.0 + kShell) * (1.0 + kShell) - 1.0);
  return {1.0 + virial() / (2.0 * kinetic * (simulation.time() - begin)) -
              virial_before / (2.0 * kinetic * (simulation.time() - begin)),
          pairs / kSamples * period.prod() / (0.5 * kDisks * kDisks * shell),
          fourth / kComponents / std::pow(square / kComponents, 2)};
}

struct Mean {
  double value;
  double error;  // standard
};

Mean mean(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0.0, squares = 0.0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  return {sum / n, std::sqrt(squares / (n * (n - 1.0)))};
}

bool alike(const Options& options) {
  constexpr int kGases = 8;
  const double of_a_disk = options.collisions > 0.0 ? options.collisions : 400.0;
  std::puts("packing  quantity        whole numbers         floats                difference [errors]");
  bool all_alike = true;
  for (const double packing : options.packing_fractions) {
    std::vector<std::vector<double>> found(6);
    for (std::uint64_t seed = 1; seed <= kGases; ++seed) {
      for (const std::size_t k : {0u, 1u}) {
        const Gas gas = measured(packing, k == 0 ? Arithmetic::exact : Arithmetic::floating, seed, of_a_disk);
        found[k].push_back(gas.z);
        found[2 + k].push_back(gas.contact);
        found[4 + k].push_back(gas.fourth);
      }
    }
    const char* const names[] = {"Z", "g at contact", "<v^4>/<v^2>^2"};
    for (const std::size_t q : {0u, 1u, 2u}) {
      const Mean exact = mean(found[2 * q]);
      const Mean floating = mean(found[2 * q + 1]);
      const double difference = (exact.value - floating.value) / std::hypot(exact.error, floating.error);
      all_alike &= std::abs(difference) < 4.0;
      std::printf("%7.2f  %-14s  %8.4f +- %.4f    %8.4f +- %.4f    %+.1f\n", packing, names[q], exact.value,
                  exact.error, floating.value, floating.error, difference);
    }
    std::fflush(stdout);
  }
  return all_alike;
}

void cost(const Options& options) {
  for (const double packing : options.packing_fractions) {
    SceneSimulation simulation(gas(options.disks, packing, options.arithmetic));
    run(simulation, options.collisions > 0.0 ? options.collisions : 10.0 * options.disks);
    std::printf("%.2f: %.0f collisions of %d disks\n", packing, collisions(simulation),
                static_cast<int>(simulation.particles()));
  }
}

bool read(int argc, char** argv, Options& options) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const bool has_value = k + 1 < argc;
    if (std::ranges::find(kParts, word) != std::end(kParts)) {
      options.parts.push_back(word);
    } else if (word == "--collisions" && has_value) {
      options.collisions = std::atof(argv[++k]);
    } else if (word == "--disks" && has_value) {
      options.disks = std::atoi(argv[++k]);
    } else if (word == "--packing" && has_value) {
      options.packing_fractions.clear();
      while (k + 1 < argc && std::atof(argv[k + 1]) > 0.0) options.packing_fractions.push_back(std::atof(argv[++k]));
    } else if (word == "--exact" || word == "--float") {
      options.arithmetic = word == "--exact" ? Arithmetic::exact : Arithmetic::floating;
    } else {
      return false;
    }
  }
  return options.disks >= 16 && !options.packing_fractions.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read(argc, argv, options)) {
    std::fputs(
        "usage: bench_exact [back] [drift] [limit] [loss] [alike] [cost] [--collisions C] [--disks N] "
        "[--packing P ...] [--exact|--float]\n",
        stderr);
    return 2;
  }
  bool holds = true;
  if (options.wants("back")) holds &= back(options);
  if (options.wants("drift")) holds &= drift(options);
  if (options.wants("limit")) limit(options);
  if (options.wants("loss")) holds &= loss(options);
  if (options.wants("alike")) holds &= alike(options);
  if (options.wants("cost")) cost(options);
  return holds ? 0 : 1;
}
