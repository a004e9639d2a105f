// The event-driven mode: equal elastic disks in a periodic square, N disks at packing fractions 0.3, 0.5 and 0.7, on
// one thread. Real collisions (of two disks) a second, nanoseconds an event of any kind, events a collision, bytes a
// disk.
//
//   bench_hard [N ...] [--packing P] [--margin M] [--heap] [--collisions C] [--tiles K] [--threads T]
//                                                                               default: 1000 10000 100000
//   bench_hard scenes|box|hopper|shaker [--collisions C]
//
// `scenes` runs some 1000 rough disks in a box, in a hopper from which they flow, and on a shaken floor; with their
// names one of them.
//
// --packing takes one packing fraction only, --margin is that of the boxes in diameters, --heap takes Lubachevsky's
// heap instead of the queue with buckets, and C collisions a disk are timed (20). With --tiles, or --threads, the
// domain is divided as on several threads: dem/hard/threads/windows.hpp. Before, every disk collides 20 times: the
// lattice that they start from has melted.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <malloc.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dem/hard/simulation.hpp"
#include "dem/hard/threads/windows.hpp"
#include "geometry/polygon_makers.hpp"
#include "parallel/huge_pages.hpp"
#include "tests/hard/gases.hpp"
#include "tests/hard/polygon_gases.hpp"

using namespace scree;
using hard::BasicSimulation;
using hard::Counters;

namespace {

constexpr std::string_view kScenes[] = {"scenes", "box", "hopper", "shaker", "polygons", "squares"};

struct Options {
  std::vector<int> disks;
  std::vector<double> packing_fractions = {0.3, 0.5, 0.7};
  double margin = 0.0;
  double collisions = 20.0;  // of a disk
  bool heap = false;
  hard::WindowOptions windows;
  std::string scene;  // or all `scenes`
};

/// Of one thread the processor's time, which a busy machine disturbs little; of several the clock's.
class Stopwatch {
 public:
  explicit Stopwatch(int threads) : threads_(threads) {}

  double seconds() const {
    if (threads_ == 1) return static_cast<double>(std::clock() - processor_) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_).count();
  }

 private:
  int threads_;
  std::clock_t processor_ = std::clock();
  std::chrono::steady_clock::time_point clock_ = std::chrono::steady_clock::now();
};

std::size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::uint64_t events(const Counters& counters) {
  return 2 * counters.collisions + counters.wall_hits + counters.box_exits + counters.advancements;
}

/// Advances until every disk has collided so often, on average; windows end where they do.
template <class S>
void run(S& simulation, hard::Windows& windows, double collisions, double disks) {
  const std::uint64_t end = simulation.counters().collisions + static_cast<std::uint64_t>(0.5 * collisions * disks);
  const double step = 0.01;  // [s] of a mean free time or more
  constexpr double kLong = 1e3;
  while (simulation.counters().collisions < end) {
    if constexpr (std::is_same_v<S, hard::Simulation>) {
      const bool is_divided = windows.tiles() > 1;
      windows.advance_to(simulation.world(), simulation.time() + (is_divided ? kLong : step),
                         is_divided ? end - simulation.counters().collisions : ~std::uint64_t{0});
    } else {
      simulation.advance_to(simulation.time() + step);
    }
  }
}

template <class S>
void measure(int disks, double packing_fraction, const Options& options) {
  const int columns = 2 * static_cast<int>(std::lround(std::sqrt(disks) / 2));
  const int rows = 2 * static_cast<int>(std::lround(0.5 * disks / columns));
  const double count = static_cast<double>(columns) * rows;
  hard::Setup setup = test::gas({.columns = columns, .rows = rows, .packing_fraction = packing_fraction});
  setup.margin = options.margin;
  const std::size_t empty = heap_bytes();
  S simulation(setup);
  hard::Windows windows(options.windows);
  run(simulation, windows, 20.0, count);
  const Counters before = simulation.counters();
  const Stopwatch stopwatch(windows.threads());
  run(simulation, windows, options.collisions, count);
  const double seconds = stopwatch.seconds();
  const Counters& now = simulation.counters();
  const auto collisions = static_cast<double>(now.collisions - before.collisions);
  const auto all = static_cast<double>(events(now) - events(before));
  std::printf("%8.0f  %4.2f  %9.3f  %9.1f  %9.2f  %9.2f  %8.0f  %10.0f\n", count, packing_fraction,
              collisions / seconds / 1e6, seconds / all * 1e9,
              static_cast<double>(now.box_exits - before.box_exits) / collisions,
              static_cast<double>(now.advancements - before.advancements) / collisions,
              static_cast<double>(heap_bytes() - empty) / count, collisions);
  if (windows.tiles() > 1) {
    const hard::WindowCounts& counts = windows.counts();
    std::printf("%d tiles, %llu collisions in all: %llu windows, %llu cut short, %llu serial\n", windows.tiles(),
                static_cast<unsigned long long>(now.collisions), static_cast<unsigned long long>(counts.windows),
                static_cast<unsigned long long>(counts.cut_short), static_cast<unsigned long long>(counts.serial));
  }
  std::fflush(stdout);
}

/// Disks of diameter 1 m that dissipate little, 32 by 32 on a lattice. Between hard sides.
hard::Setup rough_disks(double packing_fraction) {
  hard::Setup setup =
      test::gas({.columns = 32, .rows = 32, .packing_fraction = packing_fraction, .smallest = 0.8, .periodic = false});
  setup.rules.disks = {0.98, 0.2, 0.3};
  setup.rules.walls = {0.98, 0.2, 0.3};
  setup.contact_duration = 1e-4;
  return setup;
}

/// They fall into a funnel and leave below. Period 40 m along x, so that only the floor of the domain is open.
hard::Setup hopper() {
  hard::Setup setup = rough_disks(0.6);
  setup.gravity = {0.0, -1.0};
  const double left = setup.domain.lo.x();
  const double right = setup.domain.hi.x();
  const double bottom = setup.domain.lo.y();
  setup.domain.lo.y() -= 20.0;
  setup.domain.hi.y() += 200.0;
  setup.open = true;
  const auto segment = [](const char* name, const Vec2& a, const Vec2& b) {
    Wall wall;
    wall.name = name;
    wall.polygon = {a, b};
    return wall;
  };
  setup.walls = {segment("left", {left, bottom}, {left, bottom + 200.0}),
                 segment("right", {right, bottom}, {right, bottom + 200.0}),
                 segment("left of the funnel", {left, bottom}, {-2.0, bottom - 15.0}),
                 segment("right of the funnel", {right, bottom}, {2.0, bottom - 15.0})};
  setup.domain.lo.x() -= 2.0;
  setup.domain.hi.x() += 2.0;
  return setup;
}

hard::Setup shaker() {
  hard::Setup setup = rough_disks(0.6);
  setup.gravity = {0.0, -1.0};
  Wall floor;
  floor.name = "floor";
  const double left = setup.domain.lo.x() - 1.0;
  const double right = setup.domain.hi.x() + 1.0;
  const double top = setup.domain.lo.y() - 0.5;
  floor.polygon = {{left, top - 1.0}, {right, top - 1.0}, {right, top}, {left, top}};
  floor.oscillation = {.amplitude = {0.0, 0.4}, .frequency = 0.5};
  setup.walls = {floor};
  setup.domain.lo.y() -= 3.0;
  setup.domain.hi.y() += 100.0;
  return setup;
}

void measure_scene(const char* name, const hard::Setup& setup, double collisions) {
  hard::Simulation simulation(setup);
  const auto disks = static_cast<double>(setup.radius.size());
  const auto done = [&] {
    return static_cast<double>(simulation.counters().collisions + simulation.counters().wall_hits);
  };
  const std::clock_t start = std::clock();
  while (done() < 0.5 * collisions * disks && simulation.particles() > 0)
    simulation.advance_to(simulation.time() + 0.01);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%-8s  %8.0f  %12.0f  %9.3f\n", name, disks, done(), done() / seconds / 1e6);
  std::fflush(stdout);
}

void measure_scenes(const Options& options) {
  std::printf("%-8s  %8s  %12s  %9s\n", "scene", "disks", "collisions", "10^6 c/s");
  const auto measure_if_wanted = [&](const std::string& name, const hard::Setup& setup) {
    if (options.scene == "scenes" || options.scene == name) measure_scene(name.c_str(), setup, options.collisions);
  };
  measure_if_wanted("box", rough_disks(0.5));
  measure_if_wanted("hopper", hopper());
  measure_if_wanted("shaker", shaker());
}

/// Collisions a second of polygons that fly in a periodic box, and over those of disks in this run; of squares alone,
/// or of others, too.
void measure_polygons(const Options& options) {
  const int wanted = options.disks.front();
  const int columns = static_cast<int>(std::lround(std::sqrt(wanted)));
  const double count = static_cast<double>(columns) * columns;
  const auto rate = [&](auto& simulation) {
    hard::Windows windows(options.windows);
    run(simulation, windows, 4.0, count);
    const std::uint64_t before = simulation.counters().collisions;
    const std::clock_t start = std::clock();
    run(simulation, windows, options.collisions, count);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return static_cast<double>(simulation.counters().collisions - before) / seconds;
  };
  std::printf("%8s  %5s  %4s  %9s  %13s\n", "grains", "sides", "eta", "10^6 c/s", "share of disks");
  for (const double packing_fraction : options.packing_fractions) {
    const int even = 2 * ((columns + 1) / 2);
    double of_disks = 0.0;
    if (options.scene == "polygons") {
      hard::Simulation disks(test::gas({.columns = even, .rows = even, .packing_fraction = packing_fraction}));
      of_disks = rate(disks);
    }
    const auto measure = [&](const Polygon& polygon) {
      hard::Setup setup = test::polygon_gas(
          polygon, {.columns = columns, .rows = columns, .packing_fraction = packing_fraction, .seed = 2});
      setup.margin = options.margin;
      hard::PolygonSimulation simulation(setup);
      const double of_polygons = rate(simulation);
      std::printf("%8.0f  %5zu  %4.2f  %9.4f  %13.4f\n", count, polygon.vertices().size(), packing_fraction,
                  of_polygons / 1e6, of_disks > 0.0 ? of_polygons / of_disks : 0.0);
      std::fflush(stdout);
    };
    measure(rectangle(1.0, 1.0));
    if (packing_fraction > 0.3 || options.scene == "squares")
      continue;  // others do not fit on a square lattice at any density
    for (const int sides : {3, 6, 8, 16, 32, 64}) measure(regular_polygon(sides, 1.0));
  }
}

Options read(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const auto value = [&] { return k + 1 < argc ? std::atof(argv[++k]) : 0.0; };
    if (std::strcmp(argv[k], "--margin") == 0) {
      options.margin = value();
    } else if (std::strcmp(argv[k], "--packing") == 0) {
      options.packing_fractions = {value()};
    } else if (std::strcmp(argv[k], "--collisions") == 0) {
      options.collisions = value();
    } else if (std::strcmp(argv[k], "--tiles") == 0) {
      options.windows.tiles = static_cast<int>(value());
    } else if (std::strcmp(argv[k], "--halo") == 0) {
      options.windows.halo = value();
    } else if (std::strcmp(argv[k], "--mean-free-times") == 0) {
      options.windows.mean_free_times = value();
    } else if (std::strcmp(argv[k], "--threads") == 0) {
      options.windows.threads = static_cast<int>(value());
    } else if (std::strcmp(argv[k], "--heap") == 0) {
      options.heap = true;
    } else if (std::ranges::find(kScenes, std::string_view(argv[k])) != std::end(kScenes)) {
      options.scene = argv[k];
    } else if (std::atoi(argv[k]) > 0) {
      options.disks.push_back(std::atoi(argv[k]));
    } else {
      std::fprintf(
          stderr,
          "usage: bench_hard [N ... | scenes | box | hopper | shaker | polygons | squares] [N] [--packing P] [--margin "
          "M] [--heap] "
          "[--collisions C] [--tiles K] [--threads T]\n");
      std::exit(2);
    }
  }
  if (options.disks.empty() && (options.scene == "polygons" || options.scene == "squares")) options.disks = {10000};
  if (options.disks.empty()) options.disks = {1000, 10000, 100000};
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  scree::give_large_arrays_their_own_pages();  // as scree does
  const Options options = read(argc, argv);
  if (options.scene == "polygons" || options.scene == "squares") {
    measure_polygons(options);
    return 0;
  }
  if (!options.scene.empty()) {
    measure_scenes(options);
    return 0;
  }
  std::printf("%8s  %4s  %9s  %9s  %9s  %9s  %8s  %10s\n", "disks", "eta", "10^6 c/s", "ns/event", "exits/c",
              "advanc./c", "B/disk", "collisions");
  for (const int disks : options.disks) {
    for (const double packing_fraction : options.packing_fractions) {
      if (options.heap) {
        measure<BasicSimulation<hard::DiskCells, hard::ImplicitHeap>>(disks, packing_fraction, options);
      } else {
        measure<hard::Simulation>(disks, packing_fraction, options);
      }
    }
  }
}
