#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dem/hard/events/wall_body.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/random.hpp"
#include "geometry/polygon.hpp"
#include "tests/hard/gases.hpp"

namespace scree::test {

/// Of mass 1 kg a square metre.
inline hard::GrainForm form_of(const Polygon& polygon) {
  return {.shape = ContactShape(polygon.vertices()), .area = polygon.area(), .inertia = polygon.second_moment()};
}

inline hard::GrainForm disk_form(double radius) {
  const double area = std::numbers::pi * radius * radius;
  return {.shape = ContactShape::disk(radius), .area = area, .inertia = 0.5 * area * radius * radius};
}

inline void add_grain(hard::Setup& setup, const hard::GrainForm& form, const Vec2& position, double angle = 0.0,
                      const Vec2& velocity = Vec2::Zero(), double angular_velocity = 0.0) {
  setup.has_forms = true;
  setup.form.push_back(form);
  setup.radius.push_back(form.shape.bounding_radius());
  setup.mass.push_back(form.area);
  setup.position.push_back(position);
  setup.angle.push_back(angle);
  setup.velocity.push_back(velocity);
  setup.angular_velocity.push_back(angular_velocity);
}

struct PolygonRecipe {
  int columns = 8;  ///< of a square lattice, which the grains fit in without touching
  int rows = 8;
  double packing_fraction = 0.3;
  double turned = 0.0;  ///< angle of all at the start [rad]
  bool periodic = true;
  double disks = 0.0;  ///< share of grains that are disks of the polygon's inner radius
  std::uint64_t seed = 1;
};

/// Polygons at the temperature of their mass, kT = mass in J, without mean velocity.
inline hard::Setup polygon_gas(const Polygon& polygon, const PolygonRecipe& recipe) {
  hard::Setup setup;
  const double spacing = std::sqrt(polygon.area() / recipe.packing_fraction);
  setup.domain.lo = Vec2::Zero();
  setup.domain.hi = spacing * Vec2(recipe.columns, recipe.rows);
  setup.domain.periodic = {recipe.periodic, recipe.periodic};
  Vec2 momentum = Vec2::Zero();
  double mass = 0.0;
  for (int k = 0; k < recipe.columns * recipe.rows; ++k) {
    Random random(recipe.seed, 78, static_cast<std::uint64_t>(k));
    const hard::GrainForm form = random.uniform() < recipe.disks ? disk_form(polygon.inner_radius()) : form_of(polygon);
    const double x = normal(random);
    const double y = normal(random);
    const double spin = normal(random) * std::sqrt(form.area / form.inertia);
    add_grain(setup, form, spacing * Vec2(k % recipe.columns + 0.5, k / recipe.columns + 0.5), recipe.turned, {x, y},
              spin);
    momentum += form.area * Vec2(x, y);
    mass += form.area;
  }
  for (Vec2& velocity : setup.velocity) velocity -= momentum / mass;
  return setup;
}

/// Puts walls among the grains; those that would overlap one are left out.
inline hard::Setup with_walls(const hard::Setup& setup, const std::vector<Wall>& walls) {
  hard::Setup kept = setup;
  kept.walls = walls;
  for (auto* const list : {&kept.position, &kept.velocity}) list->clear();
  for (auto* const list : {&kept.radius, &kept.mass, &kept.angle, &kept.angular_velocity}) list->clear();
  kept.form.clear();
  for (std::size_t i = 0; i < setup.position.size(); ++i) {
    const Pose pose{setup.position[i], Rotation::by(setup.angle[i])};
    const bool is_free = std::ranges::all_of(walls, [&](const Wall& wall) {
      return hard::WallBody(wall, setup.domain).gap_to(setup.form[i].shape, pose, Vec2::Zero(), 0.0) > 0.0;
    });
    if (is_free)
      add_grain(kept, setup.form[i], pose.position, setup.angle[i], setup.velocity[i], setup.angular_velocity[i]);
  }
  return kept;
}

/// How deep any two grains overlap now, by their outlines; negative if none do [m].
template <class S>
double deepest_overlap(const S& simulation) {
  const hard::Disks& disks = simulation.world().disks;
  const hard::Space& space = simulation.world().space;
  const double now = simulation.world().now;
  double deepest = -hard::kNever;
  for (hard::Index i = 0; i < disks.size(); ++i) {
    const Vec2 position = space.position_at(disks.flight(i), now);
    for (hard::Index j = 0; j < i; ++j) {
      const Vec2 way = shorter_way(space.position_at(disks.flight(j), now) - position, space.domain);
      if (way.norm() > disks.flight(i).radius + disks.flight(j).radius) continue;
      const double apart = separation(disks.forms()[i].shape, disks.pose(i, Vec2::Zero(), now), disks.forms()[j].shape,
                                      disks.pose(j, way, now));
      deepest = std::max(deepest, -apart);
    }
  }
  return deepest;
}

}  // namespace scree::test
