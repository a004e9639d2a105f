// The event-driven mode: equal elastic disks in a periodic square, N disks at packing fractions 0.3, 0.5 and 0.7, on
// one thread. Real collisions (of two disks) a second, nanoseconds an event of any kind, events a collision, bytes a
// disk.
//
//   bench_hard [N ...] [--packing P] [--margin M] [--heap] [--collisions C]     default: 1000 10000 100000
//
// --packing takes one packing fraction only, --margin is that of the boxes in diameters, --heap takes Lubachevsky's
// heap instead of the queue with buckets, and C collisions a disk are timed (20). Before, every disk collides 20 times:
// the lattice that they start from has melted.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <malloc.h>
#include <vector>

#include "dem/hard/simulation.hpp"
#include "tests/hard/gases.hpp"

using namespace scree;
using hard::BasicSimulation;
using hard::Counters;

namespace {

struct Options {
  std::vector<int> disks;
  std::vector<double> packing_fractions = {0.3, 0.5, 0.7};
  double margin = 0.0;
  double collisions = 20.0;  // of a disk
  bool heap = false;
};

std::size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::uint64_t events(const Counters& counters) {
  return 2 * counters.collisions + counters.wall_hits + counters.box_exits + counters.advancements;
}

/// Advances until every disk has collided so often, on average.
template <class S>
void run(S& simulation, double collisions, double disks) {
  const std::uint64_t end = simulation.counters().collisions + static_cast<std::uint64_t>(0.5 * collisions * disks);
  const double step = 0.01;  // of a mean free time or more
  while (simulation.counters().collisions < end) simulation.advance_to(simulation.time() + step);
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
  run(simulation, 20.0, count);
  const Counters before = simulation.counters();
  const std::clock_t start = std::clock();  // processor time: a busy machine disturbs it little
  run(simulation, options.collisions, count);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const Counters& now = simulation.counters();
  const auto collisions = static_cast<double>(now.collisions - before.collisions);
  const auto all = static_cast<double>(events(now) - events(before));
  std::printf("%8.0f  %4.2f  %9.3f  %9.1f  %9.2f  %9.2f  %8.0f\n", count, packing_fraction, collisions / seconds / 1e6,
              seconds / all * 1e9, static_cast<double>(now.box_exits - before.box_exits) / collisions,
              static_cast<double>(now.advancements - before.advancements) / collisions,
              static_cast<double>(heap_bytes() - empty) / count);
  std::fflush(stdout);
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
    } else if (std::strcmp(argv[k], "--heap") == 0) {
      options.heap = true;
    } else if (std::atoi(argv[k]) > 0) {
      options.disks.push_back(std::atoi(argv[k]));
    } else {
      std::fprintf(stderr, "usage: bench_hard [N ...] [--packing P] [--margin M] [--heap] [--collisions C]\n");
      std::exit(2);
    }
  }
  if (options.disks.empty()) options.disks = {1000, 10000, 100000};
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read(argc, argv);
  std::printf("%8s  %4s  %9s  %9s  %9s  %9s  %8s\n", "disks", "eta", "10^6 c/s", "ns/event", "exits/c", "advanc./c",
              "B/disk");
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
