#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "dem/hard/events/wall_body.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/random.hpp"

namespace scree::test {

/// A normal random number, mean 0, variance 1 (Box & Muller).
inline double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

struct GasRecipe {
  int columns = 10;               ///< of a triangular lattice; even if periodic
  int rows = 10;                  ///< likewise
  double packing_fraction = 0.5;  ///< below 0.9; as if all disks were as large as the largest
  double smallest = 1.0;          ///< radius over that of the largest disk
  bool periodic = true;           ///< on both axes; else hard walls
  Vec2 centre = Vec2::Zero();     ///< of the domain [m]
  std::uint64_t seed = 1;
};

/// Disks of largest diameter 1 m on a lattice as wide as asked for, velocities normal with variance 1 and no mean.
/// Masses go with areas. A hard box is wider by one step of the lattice.
inline hard::Setup gas(const GasRecipe& recipe) {
  hard::Setup setup;
  const int disks = recipe.columns * recipe.rows;
  Vec2 momentum = Vec2::Zero();
  double mass = 0.0;
  for (int i = 0; i < disks; ++i) {
    Random random(recipe.seed, 77, static_cast<std::uint64_t>(i));
    const double radius = 0.5 * (recipe.smallest + (1.0 - recipe.smallest) * random.uniform());
    setup.radius.push_back(radius);
    setup.mass.push_back(4.0 * radius * radius);
    const double x = normal(random);
    setup.velocity.emplace_back(x, normal(random));
    momentum += setup.mass.back() * setup.velocity.back();
    mass += setup.mass.back();
  }
  for (Vec2& velocity : setup.velocity) velocity -= momentum / mass;
  const double step = std::sqrt(0.25 * std::numbers::pi / (recipe.packing_fraction * std::sqrt(0.75)));
  const Vec2 size(step * recipe.columns, std::sqrt(0.75) * step * recipe.rows);
  setup.domain.lo = recipe.centre - 0.5 * size;
  setup.domain.hi = recipe.centre + 0.5 * size;
  setup.domain.periodic = {recipe.periodic, recipe.periodic};
  if (!recipe.periodic) {  // room for the outermost
    setup.domain.hi += Vec2(0.5 * step, 0.5 * step);
    setup.domain.lo -= Vec2(0.5 * step, 0.5 * step);
  }
  for (int i = 0; i < disks; ++i) {
    const int row = i / recipe.columns;
    const double x = (i % recipe.columns + (row % 2 == 0 ? 0.25 : 0.75)) * step;
    const double y = (row + 0.5) * std::sqrt(0.75) * step;
    setup.position.push_back(recipe.centre - 0.5 * size + Vec2(x, y));
  }
  return setup;
}

/// Puts walls among the disks; those that would overlap one are left out.
inline void add_walls(hard::Setup& setup, const std::vector<Wall>& walls) {
  setup.walls = walls;
  const hard::Setup all = setup;
  setup.position.clear();
  setup.velocity.clear();
  setup.radius.clear();
  setup.mass.clear();
  for (std::size_t i = 0; i < all.position.size(); ++i) {
    const hard::Flight flight{all.position[i], all.velocity[i], 0.0, all.radius[i]};
    const bool is_free = std::ranges::all_of(walls, [&](const Wall& wall) {
      return hard::WallBody(wall, all.domain).gap_to(flight, Vec2::Zero(), Vec2::Zero(), 0.0).gap > 0.0;
    });
    if (!is_free) continue;
    setup.position.push_back(all.position[i]);
    setup.velocity.push_back(all.velocity[i]);
    setup.radius.push_back(all.radius[i]);
    setup.mass.push_back(all.mass[i]);
  }
}

/// One wall of every kind of motion in a square of 5 m by 5 m about `centre`, one of which goes after a while, and one
/// that is tapped.
inline std::vector<Wall> walls_of_all_kinds(const Vec2& centre) {
  const auto triangle = [&](double x, double y) {
    const Vec2 middle = centre + Vec2(x, y);
    return std::vector<Vec2>{middle + Vec2(-0.5, -0.3), middle + Vec2(0.5, -0.4), middle + Vec2(0.1, 0.5)};
  };
  std::vector<Wall> walls(5);
  walls[0] = {.name = "still", .polygon = triangle(-1.5, -1.5), .until = 6.5};
  walls[1] = {.name = "segment", .polygon = {centre + Vec2(1.0, 1.0), centre + Vec2(2.0, 1.5)}};
  walls[2] = {.name = "shaken",
              .polygon = triangle(1.5, -1.5),
              .oscillation = {.amplitude = {0.1, 0.3}, .frequency = 0.8, .phase = 1.0}};
  walls[3] = {
      .name = "paddle", .polygon = triangle(-1.5, 1.5), .angular_velocity = 1.3, .pivot = centre + Vec2(-1.4, 1.5)};
  walls[4] = {.name = "tapped",
              .polygon = {centre + Vec2(-0.2, -0.1), centre + Vec2(0.2, -0.2), centre + Vec2(0.0, 0.2)},
              .taps = {{.from = 0.5, .every = 0.7, .until = 4.0, .amplitude = {0.1, 0.2}, .frequency = 2.0},
                       {.from = 4.5, .amplitude = {-0.05, -0.1}, .frequency = 0.5},
                       {.from = 6.0, .every = 0.5, .amplitude = {0.1, 0.2}, .frequency = 1.0}}};
  return walls;
}

}  // namespace scree::test
