#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include "broadphase/sort_and_update.hpp"

// Nanoseconds per box and step for square boxes strewn over a square domain at random, 2.5 overlapping pairs a box.
// Sizes are spread evenly in their logarithm from 1 to the ratio given; each box flies straight at 0.1 % of its size a
// step, in a random direction, and is reflected by the domain's edge. Counters are per box and step; `ns` is the median
// over the steps, which a machine shared with others disturbs less than the mean that the column Time shows.

namespace {

using scree::Aabb2;
using scree::ProxyId;

constexpr double kPairsPerBox = 2.5;
constexpr double kStep = 1e-3;  // of a box's size

class Scene {
 public:
  Scene(std::size_t n, double size_ratio) : boxes_(n), velocities_(n) {
    std::mt19937_64 engine(1);
    const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
    std::vector<double> sizes(n);
    double sum = 0;
    double sum_of_squares = 0;
    for (double& size : sizes) {
      size = std::pow(size_ratio, uniform());
      sum += size;
      sum_of_squares += size * size;
    }
    // Two centres in a square of side L overlap with probability ((s_i + s_j) / L)^2, edges aside.
    const auto count = static_cast<double>(n);
    const double mean_square_of_sum = 2 * sum_of_squares / count + 2 * (sum / count) * (sum / count);
    side_ = std::sqrt(mean_square_of_sum * count / (2 * kPairsPerBox));
    for (std::size_t i = 0; i < n; ++i) {
      const Eigen::Vector2d centre(uniform() * side_, uniform() * side_);
      const double angle = 2 * std::numbers::pi * uniform();
      boxes_[i] = {centre.array() - sizes[i] / 2, centre.array() + sizes[i] / 2};
      velocities_[i] = kStep * sizes[i] * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    }
  }

  void step() {
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      boxes_[i] = boxes_[i].shifted(velocities_[i]);
      for (int k = 0; k < 2; ++k) {
        const double centre = (boxes_[i].lo[k] + boxes_[i].hi[k]) / 2;
        if (centre < 0) velocities_[i][k] = std::abs(velocities_[i][k]);
        if (centre > side_) velocities_[i][k] = -std::abs(velocities_[i][k]);
      }
    }
  }

  const std::vector<Aabb2>& boxes() const { return boxes_; }

  std::vector<ProxyId> ids() const {
    std::vector<ProxyId> ids;
    for (ProxyId id = 0; id < boxes_.size(); ++id) ids.push_back(id);
    return ids;
  }

 private:
  std::vector<Aabb2> boxes_;
  std::vector<Eigen::Vector2d> velocities_;
  double side_;
};

double nanoseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

template <class B>
void update(benchmark::State& state, bool moving) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(state.range(2)));
  Scene scene(static_cast<std::size_t>(state.range(0)), static_cast<double>(state.range(1)));
  B broadphase;
  scree::PairChanges changes;
  broadphase.insert(scene.ids(), scene.boxes(), changes);
  const auto pairs = static_cast<double>(changes.begun.size());
  const std::uint64_t exchanges = broadphase.exchanges();
  double begun = 0;
  std::vector<double> times;
  for (auto _ : state) {
    if (moving) scene.step();
    const auto begin = std::chrono::steady_clock::now();
    broadphase.update(scene.boxes(), changes);
    const double elapsed = nanoseconds_since(begin);
    state.SetIterationTime(elapsed * 1e-9);
    times.push_back(elapsed);
    begun += static_cast<double>(changes.begun.size());
  }
  const auto boxes = static_cast<double>(state.range(0));
  const double box_steps = boxes * static_cast<double>(state.iterations());
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  state.counters["ns"] = *middle / boxes;
  state.counters["exchanges"] = static_cast<double>(broadphase.exchanges() - exchanges) / box_steps;
  state.counters["begun"] = begun / box_steps;
  state.counters["pairs"] = pairs / boxes;
}

template <class B>
void all_move(benchmark::State& state) {
  update<B>(state, true);
}

template <class B>
void at_rest(benchmark::State& state) {
  update<B>(state, false);
}

// One box of many goes 0.3 of its size away and back, as in event-driven dynamics; ns are per move.
template <class B>
void one_moves(benchmark::State& state) {
  Scene scene(static_cast<std::size_t>(state.range(0)), static_cast<double>(state.range(1)));
  B broadphase;
  scree::PairChanges changes;
  broadphase.insert(scene.ids(), scene.boxes(), changes);
  const std::uint64_t exchanges = broadphase.exchanges();
  ProxyId id = 0;
  for (auto _ : state) {
    const Aabb2& home = scene.boxes()[id];
    const Eigen::Vector2d way = Eigen::Vector2d(0.18, 0.24) * (home.hi - home.lo).x();
    broadphase.move(id, home.shifted(way), changes);
    broadphase.move(id, home, changes);
    id = static_cast<ProxyId>((id + 7919u) % scene.boxes().size());
  }
  const double moves = 2 * static_cast<double>(state.iterations());
  state.counters["exchanges"] = static_cast<double>(broadphase.exchanges() - exchanges) / moves;
}

template <class B>
void start(benchmark::State& state) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(state.range(2)));
  const Scene scene(static_cast<std::size_t>(state.range(0)), static_cast<double>(state.range(1)));
  const std::vector<ProxyId> ids = scene.ids();
  scree::PairChanges changes;
  for (auto _ : state) {
    B broadphase;
    broadphase.insert(ids, scene.boxes(), changes);
    benchmark::DoNotOptimize(changes.begun.data());
  }
}

void scenes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"N", "ratio", "threads"});
  for (const std::int64_t threads : {1, 2}) {
    for (const std::int64_t n : {10'000, 100'000}) {
      for (const std::int64_t ratio : {1, 10, 50}) bench->Args({n, ratio, threads});
    }
  }
}

void scenes_of_one_thread(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"N", "ratio"});
  for (const std::int64_t n : {10'000, 100'000}) {
    for (const std::int64_t ratio : {1, 10, 50}) bench->Args({n, ratio});
  }
}

BENCHMARK(all_move<scree::SortAndUpdate<2>>)->Apply(scenes)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(at_rest<scree::SortAndUpdate<2>>)->Apply(scenes)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(one_moves<scree::SortAndUpdate<2>>)->Apply(scenes_of_one_thread)->Unit(benchmark::kMicrosecond);
BENCHMARK(start<scree::SortAndUpdate<2>>)->Apply(scenes)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
