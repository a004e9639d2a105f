#include "dem/hard/neighbourhood.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/hard/disk_cells.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"

using namespace scree;
using namespace scree::hard;
using test::Dice;

namespace {

using Entry = std::tuple<Index, Index, int, int>;  // disk, partner, image along x and y

struct Case {
  const char* name;
  std::array<bool, 2> periodic;
  double side;
  double margin;
  double largest;  // radius
};

constexpr Case kCases[] = {{"walls", {false, false}, 10.0, 0.3, 0.6},
                           {"periodic", {true, true}, 8.0, 0.3, 0.9},
                           {"periodic along x", {true, false}, 6.0, 0.3, 0.9},
                           {"periodic and narrow", {true, true}, 3.0, 0.44, 1.0},
                           {"large and small", {true, true}, 20.0, 0.1, 6.0}};

template <class N>
std::set<Entry> partners(const N& neighbourhood, Index disks) {
  std::set<Entry> found;
  for (Index i = 0; i < disks; ++i) {
    for (const Partner p : neighbourhood.boxes().partners_of(i))
      found.insert({i, p.disk(), p.image().x(), p.image().y()});
  }
  return found;
}

/// By definition: every image of every other disk.
std::set<Entry> expected(const Case& c, const std::vector<Vec2>& centres, const std::vector<double>& radii,
                         double reach, bool circles) {
  std::set<Entry> found;
  for (Index i = 0; i < centres.size(); ++i) {
    for (Index j = 0; j < centres.size(); ++j) {
      for (int x = -2; x <= 2; ++x) {
        for (int y = -2; y <= 2; ++y) {
          if (i == j || (x != 0 && !c.periodic[0]) || (y != 0 && !c.periodic[1])) continue;
          const Vec2 distance = centres[j] + c.side * Vec2(x, y) - centres[i];
          const double apart = circles ? distance.norm() : distance.cwiseAbs().maxCoeff();
          if (apart <= radii[i] + radii[j] + 2 * reach) found.insert({i, j, x, y});
        }
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE("partners are all those whose boxes overlap, across periodic sides too", B, AllPairs<2>,
                   SortAndUpdate<2>, LinkedCells<2>, SortedStrips<2>, DiskCells) {
  constexpr bool kCircles = std::is_same_v<B, DiskCells>;
  for (const Case& c : kCases) {
    CAPTURE(std::string(c.name));
    Dice dice(3);
    constexpr Index kDisks = 12;
    std::vector<Vec2> centres;
    std::vector<double> radii;
    const auto somewhere = [&] { return Vec2(dice.between(-2, c.side - 2), dice.between(1, c.side + 1)); };
    for (Index i = 0; i < kDisks; ++i) {
      centres.push_back(somewhere());
      radii.push_back(i == 0 ? c.largest : dice.between(0.01, 0.3 * c.largest));
    }
    const double slack = kBoxSlack * c.margin;
    const Domain domain{{-2.0, 1.0}, {c.side - 2.0, c.side + 1.0}, c.periodic};
    NeighbourhoodBy<B> neighbourhood(domain, c.margin);
    neighbourhood.assign(centres, radii);
    std::size_t seen = 0;
    std::size_t across = 0;
    for (int k = 0; k < 1000; ++k) {
      const std::set<Entry> should = expected(c, centres, radii, c.margin + slack, kCircles);
      const std::set<Entry> found = partners(neighbourhood, kDisks);
      if constexpr (kCircles) {  // all of them, and those that single precision cannot tell from them
        CHECK(std::ranges::includes(found, should));
        CHECK(std::ranges::includes(expected(c, centres, radii, c.margin + slack + 1e-5 * c.side, true), found));
      } else {
        CHECK(found == should);
      }
      seen += should.size();
      across += static_cast<std::size_t>(
          std::ranges::count_if(should, [](const Entry& e) { return std::get<2>(e) != 0 || std::get<3>(e) != 0; }));
      const Index i = dice.below(kDisks);
      Vec2 to = dice.below(4) == 0 ? somewhere() : centres[i] + Vec2(dice.between(-1, 1), dice.between(-1, 1));
      for (int axis = 0; axis < 2; ++axis) {
        const double lo = domain.lo[axis];
        to[axis] = lo + std::fmod(to[axis] - lo + c.side, c.side);
      }
      centres[i] = to;
      const std::set<Entry> before = partners(neighbourhood, kDisks);
      std::set<Entry> after = before;
      for (const Partner p : neighbourhood.move(i, to, radii[i])) {
        const bool is_new = after.insert({i, p.disk(), p.image().x(), p.image().y()}).second;
        CHECK((is_new || !kCircles));
      }
      for (const Entry& entry : partners(neighbourhood, kDisks))
        CHECK((std::get<0>(entry) != i || after.contains(entry)));
      CHECK(neighbourhood.boxes().centre(i) == to);
    }
    CHECK(seen > 1000);
    if (c.periodic[0]) CHECK(across > 300);
  }
}
