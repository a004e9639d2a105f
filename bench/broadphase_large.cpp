// Up to a million boxes, dense and moving: what a box and step costs and, for those that sort, how many ends it passes.

#include <cstdio>

#include "broadphase_bench.hpp"
#include "dem/scene.hpp"

namespace scree::bench {

namespace {

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
    });
    std::vector<double> costs = medians(contenders, options);
    for (double& nanoseconds : costs) nanoseconds /= static_cast<double>(n);
    cost.set(contenders, c, costs);
    for (const Contender& contender : contenders) {
      if (contender.exchanges) {
        exchanges.set(contender.name, c, number(contender.exchanges() / static_cast<double>(n)));
      }
    }
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
