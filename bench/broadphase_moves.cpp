// Single moves, as event-driven dynamics makes them when a disk leaves its box: the box of a random disk of many goes
// 0.3 diameters in a random direction. A box covers its disk wherever it may be within 0.3 diameters. In the plane.

#include <cstdio>
#include <numbers>

#include <Eigen/Geometry>

#include "broadphase_bench.hpp"

namespace scree::bench {

namespace {

constexpr double kMove = 0.3;  // diameters; the diameter is 1

// Disks on a square lattice, each shaken within its own square, in the order of the rows; turned, so that rows do not
// stand in line along an axis.
std::vector<Aabb2> lattice(std::size_t n, double packing_fraction) {
  const double pitch = std::sqrt(std::numbers::pi / (4 * packing_fraction));
  const Eigen::Rotation2Dd turned(0.5);
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  Random random(1);
  std::vector<Aabb2> boxes;
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::Vector2d corner(static_cast<double>(i % columns) * pitch, static_cast<double>(i / columns) * pitch);
    const Eigen::Vector2d centre = turned * (corner + random.point<2>(pitch - 1));
    boxes.push_back(Aabb2{centre, centre}.expanded(0.5 + kMove));
  }
  return boxes;
}

// Nanoseconds a move. A box goes away and, when its turn comes again, back: the packing stays what it was.
template <class B>
Contender moving_one(const std::string& name, const std::vector<Aabb2>& boxes, int moves) {
  struct State : Tracked<B, 2> {
    explicit State(const std::vector<Aabb2>& first) : Tracked<B, 2>(first), home(first), now(first) {}
    void move() {
      const auto id = static_cast<ProxyId>(random.below(home.size()));
      const bool away = now[id].lo != home[id].lo;
      now[id] = away ? home[id] : home[id].shifted(kMove * random.direction<2>());
      this->broadphase.move(id, now[id], this->changes);
      this->digest.follow(this->changes);
    }
    std::vector<Aabb2> home;
    std::vector<Aabb2> now;
    Random random{2};
  };
  const auto state = std::make_shared<State>(boxes);
  const auto round = [state, moves] {
    const double begin = nanoseconds();
    for (int k = 0; k < moves; ++k) state->move();
    return (nanoseconds() - begin) / moves;
  };
  return {name, round, [state] { return state->digest; }, [state] { return true_digest(state->now); }};
}

}  // namespace

void moves(const Options& options) {
  std::printf("\n== Single moves, as in event-driven dynamics\n");
  const std::vector<std::size_t> counts = options.counts({1000, 10'000, 100'000, 1'000'000});
  std::vector<std::string> columns;
  for (const std::size_t n : counts) columns.push_back(power_of_ten(n));
  for (const double packing_fraction : {0.3, 0.7}) {
    Table table("packing fraction " + number(packing_fraction) + ", N disks: ns a move", columns);
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const std::vector<Aabb2> boxes = lattice(counts[c], packing_fraction);
      std::vector<Contender> contenders;
      for_each_member<2>(counts[c], [&]<class B>(std::type_identity<B>, const std::string& name) {
        contenders.push_back(moving_one<B>(name, boxes, options.quick ? 1000 : 20'000));
      });
      table.set(contenders, c, medians(contenders, options));
    }
    table.print();
  }
}

}  // namespace scree::bench
