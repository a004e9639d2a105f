/// What the narrowphase costs a pair in coherent motion: at every call b turns by 10^-3 rad and moves around a by 10^-3
/// diameters, some calls to and fro; the pose of b in a's frame is part of the price. Regular polygons of n vertices in
/// random attitudes, many pairs in turn, so that no branch predictor can learn them.
///
///   distance/n/pairs   about 2 % of a diameter apart: closest features
///   overlap/n/pairs    about 1 % of a diameter deep: closest features and overlap
///   box2d/n/pairs      b2Distance of a well-known peer, apart, its own cache warm (up to 8 vertices it takes them as a
///                      polygon, beyond that as a bare set of points)
///
/// Counters: steps of the walk a query, and how many queries fell back to another method.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include <benchmark/benchmark.h>
#ifdef SCREE_BENCH_BOX2D
#include <box2d/b2_distance.h>
#endif

#include "geometry/closest_features.hpp"
#include "geometry/overlap.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/geometry/random_pairs.hpp"

namespace {

using namespace scree;

struct Pair {
  const Polygon* a;
  const Polygon* b;
  Rotation turn_a;
  Rotation turn_b;
  Vec2 offset;    ///< from the centre of a to that of b [m]
  Rotation step;  ///< of the offset
  int call = 0;
  PairHint hint = {};

  /// @return b in the frame of a
  Pose move() {
    static const Rotation turn = Rotation::by(1e-3);
    const bool back = (call++ & 8) != 0;
    turn_b = turn_b * (back ? turn.inverse() : turn);
    offset = (back ? step.inverse() : step) * offset;
    return relative_pose(turn_a, turn_b, offset);
  }
};

struct Pairs {
  std::vector<Polygon> shapes;
  std::vector<Pair> pairs;
};

/// @param gap from where they touch, in diameters; negative: they overlap
Pairs make(int vertices, std::size_t count, double gap) {
  test::Uniform uniform(1);
  Pairs result;
  for (int i = 0; i < 64; ++i) result.shapes.push_back(regular_polygon(vertices, uniform.between(0.5, 1.0)));
  for (std::size_t i = 0; i < count; ++i) {
    const auto pick = [&] { return &result.shapes[static_cast<std::size_t>(uniform.between(0, 63))]; };
    const auto turn = [&] { return Rotation::by(uniform.between(0.0, 2.0 * std::numbers::pi)); };
    const Polygon* a = pick();
    const Polygon* b = pick();
    const Rotation turn_a = turn();
    const Rotation turn_b = turn();
    const Vec2 direction = turn() * Vec2(1.0, 0.0);
    const double diameter = a->bounding_radius() + b->bounding_radius();
    double low = 0.0;
    double high = 1.01 * diameter;
    FeaturePair hint;
    while (high - low > 1e-6 * diameter) {
      const double middle = 0.5 * (low + high);
      const Pose pose = relative_pose(turn_a, turn_b, middle * direction);
      const ClosestFeatures found = closest_features(a->vertices(), b->vertices(), pose, hint);
      hint = found.features;
      (found.distance == 0.0 ? low : high) = middle;
    }
    const double apart = low + gap * diameter;
    result.pairs.push_back({a, b, turn_a, turn_b, apart * direction, Rotation::by(1e-3 * diameter / apart)});
    result.pairs.back().hint.features = hint;
    result.pairs.back().call = static_cast<int>(i) & 15;
  }
  return result;
}

template <class Query>
void run(benchmark::State& state, double gap, Query query) {
  Pairs made = make(static_cast<int>(state.range(0)), static_cast<std::size_t>(state.range(1)), gap);
  std::size_t i = 0;
  std::int64_t steps = 0;
  std::int64_t fallbacks = 0;
  std::int64_t touching = 0;
  for (auto _ : state) {
    Pair& pair = made.pairs[i];
    const ClosestFeatures found = query(pair, pair.move());
    steps += found.steps;
    fallbacks += found.fell_back ? 1 : 0;
    touching += found.relation == Relation::kCrossing ? 1 : 0;
    if (++i == made.pairs.size()) i = 0;
  }
  state.counters["steps"] = static_cast<double>(steps) / static_cast<double>(state.iterations());
  state.counters["touching"] = static_cast<double>(touching) / static_cast<double>(state.iterations());
  state.counters["fallbacks"] = static_cast<double>(fallbacks);
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const int pairs : {1000, 10000}) {
    for (const int vertices : {4, 8, 16, 64, 256, 1024}) bench->Args({vertices, pairs});
  }
}

void distance(benchmark::State& state) {
  run(state, 0.02, [](Pair& pair, const Pose& pose) {
    const ClosestFeatures found = closest_features(pair.a->vertices(), pair.b->vertices(), pose, pair.hint.features);
    pair.hint.features = found.features;
    benchmark::DoNotOptimize(found.distance);
    return found;
  });
}
BENCHMARK(distance)->Apply(sizes);

void overlap(benchmark::State& state) {
  run(state, -0.01, [](Pair& pair, const Pose& pose) {
    const Overlap shared = scree::overlap(pair.a->vertices(), pair.b->vertices(), pose, pair.hint);
    benchmark::DoNotOptimize(shared);
    ClosestFeatures found;
    found.relation = shared.touching() ? Relation::kCrossing : Relation::kApart;
    return found;
  });
}
BENCHMARK(overlap)->Apply(sizes);

#ifdef SCREE_BENCH_BOX2D
void box2d(benchmark::State& state) {
  Pairs made = make(static_cast<int>(state.range(0)), static_cast<std::size_t>(state.range(1)), 0.02);
  std::vector<std::vector<b2Vec2>> points;
  std::vector<b2DistanceProxy> proxies(made.shapes.size());
  for (std::size_t s = 0; s < made.shapes.size(); ++s) {
    points.emplace_back();
    for (const Vec2& v : made.shapes[s].vertices()) points[s].emplace_back(float(v.x()), float(v.y()));
  }
  for (std::size_t s = 0; s < made.shapes.size(); ++s) {
    proxies[s].m_vertices = points[s].data();
    proxies[s].m_count = static_cast<int>(points[s].size());
    proxies[s].m_radius = 0.0f;
  }
  std::vector<b2SimplexCache> caches(made.pairs.size());
  for (b2SimplexCache& cache : caches) cache.count = 0;
  const auto transform = [](const Rotation& turn, const Vec2& at) {
    b2Transform t;
    t.q.c = float(turn.cos);
    t.q.s = float(turn.sin);
    t.p.Set(float(at.x()), float(at.y()));
    return t;
  };
  std::size_t i = 0;
  for (auto _ : state) {
    Pair& pair = made.pairs[i];
    pair.move();
    b2DistanceInput input;
    input.proxyA = proxies[static_cast<std::size_t>(pair.a - made.shapes.data())];
    input.proxyB = proxies[static_cast<std::size_t>(pair.b - made.shapes.data())];
    input.transformA = transform(pair.turn_a, Vec2::Zero());
    input.transformB = transform(pair.turn_b, pair.offset);
    input.useRadii = false;
    b2DistanceOutput output;
    b2Distance(&output, &caches[i], &input);
    benchmark::DoNotOptimize(output);
    if (++i == made.pairs.size()) i = 0;
  }
}
BENCHMARK(box2d)->Apply(sizes);
#endif

}  // namespace
BENCHMARK_MAIN();
