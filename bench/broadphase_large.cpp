// Up to a million boxes, dense and moving: what a box and step costs and, for those that sort, how many ends it passes.

#include <concepts>
#include <cstdio>

#include "broadphase_bench.hpp"

namespace scree::bench {

namespace {

template <class B>
concept Sorting = requires(const B& b) {
  { b.exchanges() } -> std::convertible_to<std::uint64_t>;
};

template <class B, int Dim>
double exchanges_per_box(const Scene<Dim>& start, int steps) {
  Scene<Dim> scene = start;
  Tracked<B, Dim> tracked(scene.boxes());
  const std::uint64_t before = tracked.broadphase.exchanges();
  for (int k = 0; k < steps; ++k) {
    scene.step();
    tracked.broadphase.update(scene.boxes(), tracked.changes);
  }
  return static_cast<double>(tracked.broadphase.exchanges() - before) / steps /
         static_cast<double>(scene.boxes().size());
}

template <int Dim>
void growing(const Options& options) {
  const std::vector<std::size_t> counts = options.counts({1000, 10'000, 100'000, 1'000'000});
  std::vector<std::string> columns;
  for (const std::size_t n : counts) columns.push_back(power_of_ten(n));
  const std::string what = std::to_string(Dim) + "-D, all move, ids sorted in space, N boxes: ";
  Table cost(what + "ns a box and step", columns);
  Table exchanges(what + "exchanges a box and step", columns);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const std::size_t n = counts[c];
    const Scene<Dim> scene = strewn<Dim>(n, 1, Ids::kSorted);
    std::vector<Contender> contenders;
    for_each_member<Dim>(n, [&]<class B>(std::type_identity<B>, const std::string& name) {
      contenders.push_back(updating<B, Dim>(name, scene, steps_for(n, options)));
      if constexpr (Sorting<B>) {
        exchanges.set(name, c, number(exchanges_per_box<B, Dim>(scene, options.quick ? 3 : 10)));
      }
    });
    std::vector<double> costs = medians(contenders, options);
    for (double& nanoseconds : costs) nanoseconds /= static_cast<double>(n);
    cost.set(contenders, c, costs);
  }
  cost.print();
  exchanges.print();
}

}  // namespace

void large(const Options& options) {
  std::printf("\n== Large N\n");
  growing<2>(options);
  growing<3>(options);
}

}  // namespace scree::bench
