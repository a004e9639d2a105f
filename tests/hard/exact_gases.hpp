#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/exact/gas.hpp"
#include "dem/hard/exact/loss.hpp"
#include "dem/hard/exact/tick_map.hpp"

/// Gases in whole numbers, for tests, and how they move if nothing is left out.
namespace scree::tests {

using namespace scree::hard::exact;

struct Sides {
  const char* what;
  std::array<bool, 2> periodic;
  Vec2 size;
};
inline const Sides kSidesOfAllKinds[] = {{"a box", {false, false}, Vec2(1.0, 1.0)},
                                         {"a torus", {true, true}, Vec2(1.0, 1.0)},
                                         {"a channel", {true, false}, Vec2(1.0, 0.7)},
                                         {"an upright channel", {false, true}, Vec2(0.8, 1.0)}};

/// Disks on a lattice with random velocities. @param spread of the radii, as a share
inline GasSetup setup_of(const Sides& sides, int per_row, double packing_fraction, int bits, double spread = 0.0,
                         unsigned seed = 1) {
  GasSetup setup;
  setup.domain = {
      .lo = Vec2(-0.4, 0.2), .hi = Vec2(-0.4, 0.2) + sides.size, .periodic = sides.periodic, .reflecting = true};
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const int n = per_row * per_row;
  std::vector<Vec2> velocities;
  for (int i = 0; i < n; ++i) {
    const double y = normal(random);  // one after the other: compilers order arguments as they like
    velocities.emplace_back(normal(random), y);
  }
  Vec2 mean = Vec2::Zero();
  for (const Vec2& v : velocities) mean += v / n;
  for (Vec2& v : velocities) v -= mean;
  setup.grid = choose_grid(setup.domain, velocities, 1.0, bits);
  const double radius = std::sqrt(packing_fraction * sides.size.prod() / (n * std::numbers::pi));
  for (int i = 0; i < n; ++i) {
    const Vec2 place((i % per_row + 0.5) * sides.size.x() / per_row, (i / per_row + 0.5) * sides.size.y() / per_row);
    setup.position.push_back(setup.grid.position(setup.domain.lo + place));
    setup.velocity.push_back(setup.grid.velocity(velocities[static_cast<std::size_t>(i)]));
    const double share = 1.0 - spread * std::uniform_real_distribution<double>()(random);
    setup.radius.push_back(setup.grid.length(radius * share));
  }
  return setup;
}

/// All ticks, one after the other, all pairs: O(N^2) a tick.
class TickByTick {
 public:
  explicit TickByTick(const GasSetup& setup)
      : grid_(setup.grid), position_(setup.position), velocity_(setup.velocity), radius_(setup.radius) {
    if (!setup.restitution.empty()) contraction_ = Contraction(setup.restitution.front());
  }

  void pass(std::int64_t ticks) {
    for (; ticks > 0; --ticks) {
      change_velocities();
      for (std::size_t i = 0; i < position_.size(); ++i) {
        position_[i] = grid_.wrapped(position_[i] + velocity_[i]).position;
      }
    }
  }
  const std::vector<Vector>& position() const { return position_; }
  const std::vector<Vector>& velocity() const { return velocity_; }
  const Tally& tally() const { return tally_; }

 private:
  void change_velocities() {
    const std::size_t n = position_.size();
    std::vector<std::size_t> cluster(n);  // the least disk that is linked
    std::iota(cluster.begin(), cluster.end(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          if (cluster[a] == cluster[b]) continue;
          if (!are_near(grid_, grid_.distance(position_[a], position_[b]), radius_[a] + radius_[b])) continue;
          cluster[a] = cluster[b] = std::min(cluster[a], cluster[b]);
          changed = true;
        }
      }
    }
    for (std::size_t first = 0; first < n; ++first) {
      std::vector<std::size_t> members;
      Cluster disks;
      for (std::size_t i = 0; i < n; ++i) {
        if (cluster[i] != first) continue;
        members.push_back(i);
        disks.push_back({position_[i], velocity_[i], radius_[i]});
      }
      if (members.empty()) continue;
      Encounter done = pass_tick_with_loss(members, disks);
      tally_.count(done, 1);
      for (std::size_t k = 0; k < members.size(); ++k) {
        velocity_[members[k]] = disks[k].velocity;
        position_[members[k]] = disks[k].position;
      }
    }
  }

  Encounter pass_tick_with_loss(const std::vector<std::size_t>& members, Cluster& disks) const {
    const Cluster before = disks;
    Encounter done = pass_tick(grid_, disks);
    if (done.kind == Encounter::Kind::none || !contraction_.loses() || !can_lose(grid_, before)) return done;
    std::vector<Bystander> others;
    for (std::size_t i = 0; i < position_.size(); ++i) {
      if (std::ranges::find(members, i) == members.end()) others.push_back({position_[i], radius_[i]});
    }
    const auto bounce = lose(grid_, before, contraction_, others);
    if (!bounce) return done;
    disks = bounce->disks;
    done.kind = Encounter::Kind::collision;
    done.has_lost = true;
    for (const std::size_t k : {0u, 1u}) done.lost += squared(before[k].velocity) - squared(disks[k].velocity);
    return done;
  }

  Grid grid_;
  Contraction contraction_;
  std::vector<Vector> position_;
  std::vector<Vector> velocity_;
  std::vector<std::int64_t> radius_;
  Tally tally_;
};

/// A gas that finds its events and one that passes all ticks stay the same, at the end of each piece of so many ticks.
template <class AnyGas>
void require_that_events_are_those_of_all_ticks(AnyGas& gas, const GasSetup& setup, int pieces, std::int64_t ticks) {
  TickByTick oracle(setup);
  for (int k = 0; k < pieces; ++k) {
    gas.advance(ticks);
    oracle.pass(ticks);
    const Snapshot now = gas.snapshot();
    REQUIRE(now.position == oracle.position());
    REQUIRE(now.velocity == oracle.velocity());
    REQUIRE(gas.tally() == oracle.tally());
    gas.audit();
  }
}

}  // namespace scree::tests
