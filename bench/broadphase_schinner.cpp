// A. Schinner, Fast algorithms for the simulation of polygonal particles, Granular Matter 2 (1999), section 3: "ideal"
// O(number of particles that have moved) for every distribution of sizes; elongated boxes (his figure 5) cost nothing
// more; a tower turned over within a step (figure 6) is the worst case of sort-and-update. All in the plane.

#include <cstdio>
#include <numbers>

#include "broadphase_bench.hpp"
#include "dem/scene.hpp"

namespace scree::bench {

namespace {

constexpr int kDim = 2;

// As updating(), but by move() of each box that moves.
template <class B>
Contender moving(const std::string& name, const Scene<kDim>& start, int steps) {
  struct State : Tracked<B, kDim> {
    explicit State(const Scene<kDim>& first) : Tracked<B, kDim>(first.boxes()), scene(first) {}
    double step() {
      scene.step();
      const double begin = nanoseconds();
      for (ProxyId id = 0; id < scene.moving(); ++id) {
        this->broadphase.move(id, scene.boxes()[id], this->changes);
        this->digest.follow(this->changes);
      }
      return nanoseconds() - begin;
    }
    Scene<kDim> scene;
  };
  const auto state = std::make_shared<State>(start);
  return {name, [state, steps] { return mean_of_steps(steps, [&] { return state->step(); }); },
          [state] { return state->digest; }, [state] { return true_digest(state->scene.boxes()); }};
}

std::vector<Contender> family_updating(const Scene<kDim>& scene, int steps) {
  std::vector<Contender> contenders;
  for_each_member<kDim>(scene.boxes().size(), [&]<class B>(std::type_identity<B>, const std::string& name) {
    contenders.push_back(updating<B, kDim>(name, scene, steps));
  });
  return contenders;
}

void divide(std::vector<double>& values, std::size_t n) {
  for (double& value : values) value /= static_cast<double>(n);
}

void few_move(std::size_t n, const Options& options) {
  const std::vector<std::size_t> parts{0, 1000, 100, 10, 1};  // one box of so many moves
  Table table("one box of so many moves, the rest at rest, N = " + power_of_ten(n) + ": ns a box (of all) and step",
              {"none", "1000", "100", "10", "all"});
  for (std::size_t c = 0; c < parts.size(); ++c) {
    Scene<kDim> scene = strewn<kDim>(n, 1, Ids::kShuffled);
    scene.move_only(parts[c] == 0 ? 0 : n / parts[c]);
    std::vector<Contender> contenders = family_updating(scene, steps_for(n, options));
    for_each_member<kDim>(n, [&]<class B>(std::type_identity<B>, const std::string& name) {
      if (parts[c] > 1) contenders.push_back(moving<B>(name + ", by move()", scene, steps_for(n, options)));
    });
    std::vector<double> costs = medians(contenders, options);
    divide(costs, n);
    table.set(contenders, c, costs);
  }
  table.print();
}

void polydispersity(std::size_t n, const Options& options) {
  const std::vector<int> ratios{1, 3, 10, 30, 100};
  std::vector<std::string> columns;
  for (const int ratio : ratios) columns.push_back("1:" + std::to_string(ratio));
  Table table("ratio of sizes, all move, N = " + power_of_ten(n) + ": ns a box and step", columns);
  for (std::size_t c = 0; c < ratios.size(); ++c) {
    const auto contenders = family_updating(strewn<kDim>(n, ratios[c], Ids::kShuffled), steps_for(n, options));
    std::vector<double> costs = medians(contenders, options);
    divide(costs, n);
    table.set(contenders, c, costs);
  }
  table.print();
}

// Rods half as long as the domain lie at random angles among cubes of size 1: their bounding boxes hold many others.
Scene<kDim> with_rods(std::size_t n, std::size_t rods) {
  const double side = std::sqrt(4 * static_cast<double>(n) / (2 * kPairsPerBox));
  Random random(3);
  std::vector<Scene<kDim>::Body> bodies(n, {Eigen::Vector2d::Ones(), kStep});
  for (std::size_t i = 0; i < rods; ++i) {
    const double angle = std::numbers::pi / 2 * random.uniform();
    bodies[i].extent += side / 2 * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  }
  return Scene<kDim>(bodies, side, Ids::kShuffled);
}

void elongated(std::size_t n, const Options& options) {
  const std::vector<std::size_t> rods{0, 1, 10, 100};
  std::vector<std::string> columns;
  for (const std::size_t count : rods) columns.push_back(std::to_string(count));
  Table table("figure 5, so many rods half as long as the domain among N = " + power_of_ten(n) +
                  " cubes, all move: ns a box and step",
              columns);
  for (std::size_t c = 0; c < rods.size(); ++c) {
    const auto contenders = family_updating(with_rods(n, rods[c]), steps_for(n, options));
    std::vector<double> costs = medians(contenders, options);
    divide(costs, n);
    table.set(contenders, c, costs);
    table.set("pairs a box", c,
              number(static_cast<double>(contenders.front().pairs().count()) / static_cast<double>(n)));
  }
  table.print();
}

// n boxes one upon the other, the k-th at the height of `places[k]`, each touching the next.
std::vector<Aabb2> tower(const std::vector<std::size_t>& places, double x) {
  std::vector<Aabb2> boxes;
  for (const std::size_t place : places) {
    const double y = static_cast<double>(place);
    boxes.push_back({{x, y}, {x + 1, y + 1}});
  }
  return boxes;
}

// Nanoseconds of the step that turns it over, or of the one after.
template <class B>
Contender turning_over(const std::string& name, std::size_t n, bool after) {
  struct State {
    std::vector<Aabb2> boxes;
    PairDigest digest;
  };
  const auto state = std::make_shared<State>();
  const auto round = [n, after, state] {
    std::vector<std::size_t> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = i;
    Tracked<B, kDim> tracked(tower(places, 0));
    const auto timed = [&](double x) {
      state->boxes = tower(places, x);
      const double begin = nanoseconds();
      tracked.broadphase.update(state->boxes, tracked.changes);
      const double spent = nanoseconds() - begin;
      tracked.digest.follow(tracked.changes);
      state->digest = tracked.digest;
      return spent;
    };
    std::reverse(places.begin(), places.end());
    const double reversal = timed(0);
    return after ? timed(kStep) : reversal;
  };
  return {name, round, [state] { return state->digest; }, [state] { return true_digest(state->boxes); }};
}

void reversed_tower(const Options& options) {
  std::vector<std::size_t> heights{100, 1000, 10'000};
  if (options.quick) heights.pop_back();
  std::vector<std::string> columns;
  for (const std::size_t n : heights) columns.push_back(power_of_ten(n));
  for (const bool after : {false, true}) {
    Table table(std::string("figure 6, a tower of N boxes is turned over within a step; ") +
                    (after ? "the step after" : "that step") + ": ns a box",
                columns);
    for (std::size_t c = 0; c < heights.size(); ++c) {
      std::vector<Contender> contenders;
      for_each_member<kDim>(heights[c], [&]<class B>(std::type_identity<B>, const std::string& name) {
        contenders.push_back(turning_over<B>(name, heights[c], after));
      });
      std::vector<double> costs = medians(contenders, options);
      divide(costs, heights[c]);
      table.set(contenders, c, costs);
    }
    table.print();
  }
}

}  // namespace

void schinner(const Options& options) {
  std::printf("\n== Schinner: motion, rest, sizes, shapes\n");
  for (const std::size_t n : options.counts({10'000, 100'000})) few_move(n, options);
  const std::size_t n = options.counts({10'000}).front();
  polydispersity(n, options);
  elongated(n, options);
  reversed_tower(options);
}

}  // namespace scree::bench
