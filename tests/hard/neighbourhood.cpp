#include "dem/hard/boxes/neighbourhood.hpp"

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
#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/sanitized.hpp"

namespace scree::neighbourhood_test {

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
      if constexpr (kCircles) {  // all of them, and those that 15 sizes and whole units cannot tell from them
        constexpr double kUnit = 1.0 / 4096;  // of a cell's side, at most
        const double rounding = (c.largest + c.margin + slack) / 15 + 10 * kUnit * c.side;
        CHECK(std::ranges::includes(found, should));
        CHECK(std::ranges::includes(expected(c, centres, radii, c.margin + slack + 0.5 * rounding, true), found));
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

TEST_CASE("cells of whatever domain miss no circle that overlaps, and lanes of all widths find the same ones") {
  const int width = lanes::kernels().width;
  for (std::uint32_t seed = 0; seed < 400 / test::kFewer; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const auto about = [&](double least, double most) { return least * std::pow(most / least, dice.between(0, 1)); };
    const Vec2 lo = dice.below(3) == 0 ? Vec2(dice.between(-1e6, 1e6), 1e3) : Vec2(0.0, 0.0);
    const Vec2 size(about(1.0, 300.0), about(1.0, 30.0));
    const Domain domain{lo, lo + size, {dice.below(2) == 0, dice.below(2) == 0}};
    const double widest = 0.4 * size.minCoeff();
    const double radius = about(1e-4 * widest, 0.5 * widest);
    double margin = about(1e-3 * widest, 0.45 * widest);
    if (!domain.periodic[0] && !domain.periodic[1] && dice.below(4) == 0) margin *= about(1.0, 1e4);
    const Index disks = 1 + dice.below(40);
    const auto somewhere = [&] {
      Vec2 centre;
      for (const int axis : {0, 1}) {
        const bool is_periodic = domain.periodic[static_cast<std::size_t>(axis)];
        const double outside = is_periodic || dice.below(3) > 0 ? 0.0 : about(0.1, 100.0) * size[axis];
        centre[axis] = lo[axis] + dice.between(-outside, 0.999 * size[axis] + outside);
      }
      return centre;
    };
    std::vector<Vec2> centres;
    std::vector<double> radii;
    for (Index i = 0; i < disks; ++i) {
      centres.push_back(somewhere());
      radii.push_back(dice.below(2) == 0 ? radius : radius * dice.between(0.01, 1.0));
    }
    std::vector<DiskCells> all;
    for (const int lanes : {1, 2, 4}) {
      if (!lanes::use_lanes(lanes)) continue;
      all.emplace_back(domain, margin);
      all.back().assign(centres, radii, disks + 1);
    }
    for (int k = 0; k < 30; ++k) {
      for (const DiskCells& cells : all) CHECK(partners(cells, disks) == partners(all.front(), disks));
      bool has_all = true;
      for (Index i = 0; i < disks; ++i) {
        for (Index j = 0; j < disks; ++j) {
          Vec2 distance = centres[j] - centres[i];
          for (const int axis : {0, 1}) {
            if (domain.periodic[static_cast<std::size_t>(axis)])
              distance[axis] -= size[axis] * std::round(distance[axis] / size[axis]);
          }
          if (i == j || distance.norm() > radii[i] + radii[j] + 2 * margin) continue;
          const auto its = all.front().boxes().partners_of(i);
          has_all &= std::ranges::any_of(its, [&](Partner p) { return p.disk() == j; });
        }
      }
      CHECK(has_all);
      const Index i = dice.below(disks);
      centres[i] = somewhere();
      if (dice.below(4) == 0) {  // another disk instead, perhaps larger than all so far
        radii[i] = dice.below(2) == 0 ? radii[i] : 0.5 * widest;
        for (DiskCells& cells : all) cells.erase(i);
        for (DiskCells& cells : all) cells.insert(i, centres[i], radii[i]);
      } else {
        for (DiskCells& cells : all) cells.move(i, centres[i], radii[i]);
      }
    }
  }
  lanes::use_lanes(width);
}

TEST_CASE_TEMPLATE("in a cell that deforms, partners are all those whose boxes can meet until images are moved", B,
                   AllPairs<2>, LinkedCells<2>, SortedStrips<2>) {
  constexpr Index kDisks = 12;
  constexpr double kMargin = 0.05;
  Dice dice(5);
  std::size_t seen = 0;
  std::size_t across = 0;
  std::size_t windows = 0;
  for (int round = 0; round < (test::kSanitized ? 10 : 100); ++round) {
    Domain domain{{-5.0, 2.0}, {4.0, 9.0}, {true, true}};
    const double fastest = round % 3 == 0 ? 0.0 : 0.4;
    domain.cell = CellDrive{.xx = {.rate = dice.between(-fastest, fastest)},
                            .yy = {.rate = dice.between(-fastest, fastest)},
                            .xy = {.rate = dice.between(-1.0, 1.0)}};
    Cell cell(domain);
    for (int k = static_cast<int>(dice.below(40)); k > 0; --k) cell.rebase(cell.end_of_epoch());
    std::vector<Vec2> centres;
    std::vector<double> radii;
    const auto somewhere = [&](double now, double radius) {  // mostly so that its box hardly sticks out, or deep
      const Vec2 lo = cell.lo_at(now);
      const Vec2 hi = cell.hi_at(now);
      Vec2 at;
      for (const int axis : {0, 1}) {
        const std::uint32_t where = dice.below(8);
        const double reach = where < 4 ? radius + kMargin + dice.between(-0.01, 0.01) : dice.between(0.0, radius);
        at[axis] =
            where < 6 ? (where % 2 == 0 ? lo[axis] + reach : hi[axis] - reach) : dice.between(lo[axis], hi[axis]);
      }
      return at;
    };
    for (Index i = 0; i < kDisks; ++i) {
      radii.push_back(i == 0 ? 1.5 : dice.between(0.01, 1.4));
      centres.push_back(somewhere(0.0, radii[i]));
    }
    Neighbourhood<B> neighbourhood(domain, kMargin);
    double now = 0.0;
    for (int k = 0; k < 8 && now < cell.end_of_epoch(); ++k) {
      const ImagesForAWhile images = cell.images(now, dice.below(2) == 0 ? kMargin : 0.1 * kMargin);
      neighbourhood.place_images(images);
      if (k == 0) neighbourhood.assign(centres, radii);
      for (Index i = 0; i < kDisks; ++i) {
        if (k > 0 && neighbourhood.has_moving_images(i, radii[i])) neighbourhood.move(i, centres[i], radii[i]);
      }
      const double until = std::min(images.until, cell.end_of_epoch());
      std::set<Entry> should;
      const auto add_all_at = [&](double time, const Vec2& wider, std::set<Entry>& met) {
        for (Index i = 0; i < kDisks; ++i) {
          for (Index j = 0; j < kDisks; ++j) {
            for (int x = -2; x <= 2; ++x) {
              for (int y = -2; y <= 2; ++y) {
                if (i == j) continue;
                const Vec2 apart = (centres[j] + cell.shift({x, y}, time) - centres[i]).cwiseAbs() - wider;
                if (apart.maxCoeff() <= radii[i] + radii[j] + 2.0 * kMargin) met.insert({i, j, x, y});
              }
            }
          }
        }
      };
      for (int sample = 0; sample <= 6; ++sample) add_all_at(now + sample / 6.0 * (until - now), Vec2::Zero(), should);
      const std::set<Entry> found = partners(neighbourhood, kDisks);
      CHECK(std::ranges::includes(found, should));
      std::set<Entry> could;  // and hardly more: with the boxes' slack twice, and that of images
      add_all_at(0.5 * (now + images.until),
                 Vec2::Constant(2.1 * kBoxSlack * kMargin) + images.slack_a + images.slack_b, could);
      CHECK((images.until == kNever || std::ranges::includes(could, found)));
      seen += should.size();
      across += static_cast<std::size_t>(
          std::ranges::count_if(should, [](const Entry& e) { return std::get<2>(e) != 0 || std::get<3>(e) != 0; }));
      ++windows;
      now = until;
      if (!(now < kNever)) break;
      const Index moved = dice.below(kDisks);
      centres[moved] = somewhere(now, radii[moved]);
      neighbourhood.move(moved, centres[moved], radii[moved]);
    }
  }
  CHECK(windows > (test::kSanitized ? 20 : 300));
  CHECK(seen > 10 * windows);
  CHECK(across > 2 * windows);
}

}  // namespace scree::neighbourhood_test
