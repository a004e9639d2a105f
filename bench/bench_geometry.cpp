/// What the narrowphase costs per pair: polygons of 5 to 8 vertices, 10 000 different pairs in turn, so that no branch
/// predictor can learn them.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include <benchmark/benchmark.h>

#include "geometry/closest_features.hpp"
#include "geometry/overlap.hpp"
#include "geometry/polygon_makers.hpp"

namespace {

using namespace scree;

constexpr std::size_t kPairs = 10000;

/// A small generator with the same numbers everywhere (SplitMix64).
class Uniform {
 public:
  double operator()() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1;
};

struct Pair {
  const Polygon* a;
  const Polygon* b;
  Pose b_in_a;
  FeaturePair hint;
};

struct Pairs {
  std::vector<Polygon> shapes;
  std::vector<Pair> pairs;
};

/// Pairs in random directions and attitudes whose boxes overlap.
/// @param gap how far b is pulled away along the line of centres from where the outlines touch, negative: pushed into
/// a,
///            in units of the side of a square as large as a grain
Pairs pairs_at(double gap) {
  Uniform uniform;
  Pairs result;
  for (int i = 0; i < 512; ++i) result.shapes.push_back(random_convex_polygon(5 + i % 4, 1.5, std::ref(uniform)));
  while (result.pairs.size() < kPairs) {
    const auto pick = [&] { return &result.shapes[static_cast<std::size_t>(512.0 * uniform())]; };
    const Polygon* a = pick();
    const Polygon* b = pick();
    const Vec2 direction = Rotation::by(2.0 * std::numbers::pi * uniform()) * Vec2(1.0, 0.0);
    const Rotation turn = Rotation::by(2.0 * std::numbers::pi * uniform());
    double low = 0.0;
    double high = 4.0;
    for (int step = 0; step < 50; ++step) {
      const double middle = 0.5 * (low + high);
      const bool touch = overlap(a->vertices(), b->vertices(), {middle * direction, turn}).touching();
      (touch ? low : high) = middle;
    }
    const Pose b_in_a{(low + gap) * direction, turn};
    if (!bounds(a->vertices(), {}).overlaps(bounds(b->vertices(), b_in_a))) continue;
    const FeaturePair hint = closest_features(a->vertices(), b->vertices(), b_in_a, {}).features;
    result.pairs.push_back({a, b, b_in_a, hint});
  }
  return result;
}

/// Argument: the gap in thousandths, negative where they overlap.
void overlap_of_polygons(benchmark::State& state) {
  const Pairs made = pairs_at(1e-3 * static_cast<double>(state.range(0)));
  std::size_t i = 0;
  std::size_t touching = 0;
  for (auto _ : state) {
    const Pair& pair = made.pairs[i];
    const Overlap found = overlap(pair.a->vertices(), pair.b->vertices(), pair.b_in_a);
    touching += found.touching() ? 1 : 0;
    benchmark::DoNotOptimize(found);
    if (++i == kPairs) i = 0;
  }
  state.counters["touching"] = static_cast<double>(touching) / static_cast<double>(state.iterations());
}
BENCHMARK(overlap_of_polygons)->Arg(-100)->Arg(-10)->Arg(-1)->Arg(1)->Arg(30)->Arg(200);

/// Each pair starts from its own closest features, as in a simulation that moved little since.
void warm_closest_features(benchmark::State& state) {
  const Pairs made = pairs_at(1e-3 * static_cast<double>(state.range(0)));
  std::size_t i = 0;
  std::int64_t steps = 0;
  for (auto _ : state) {
    const Pair& pair = made.pairs[i];
    const ClosestFeatures found = closest_features(pair.a->vertices(), pair.b->vertices(), pair.b_in_a, pair.hint);
    steps += found.steps;
    benchmark::DoNotOptimize(found);
    if (++i == kPairs) i = 0;
  }
  state.counters["steps"] = static_cast<double>(steps) / static_cast<double>(state.iterations());
}
BENCHMARK(warm_closest_features)->Arg(-10)->Arg(1)->Arg(30)->Arg(200);

void closest_features_from_any_hint(benchmark::State& state) {
  const Pairs made = pairs_at(0.03);
  std::size_t i = 0;
  std::int64_t steps = 0;
  for (auto _ : state) {
    const Pair& pair = made.pairs[i];
    const ClosestFeatures found = closest_features(pair.a->vertices(), pair.b->vertices(), pair.b_in_a, {});
    steps += found.steps;
    benchmark::DoNotOptimize(found);
    if (++i == kPairs) i = 0;
  }
  state.counters["steps"] = static_cast<double>(steps) / static_cast<double>(state.iterations());
}
BENCHMARK(closest_features_from_any_hint);

}  // namespace
BENCHMARK_MAIN();
