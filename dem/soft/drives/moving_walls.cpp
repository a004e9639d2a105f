#include "dem/soft/drives/moving_walls.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "geometry/polygon.hpp"

namespace scree::soft {

namespace {

std::array<bool, 2> spans_of(const Polygon& polygon, const Domain& domain) {
  const Aabb2 box = bounds(polygon.vertices(), {polygon.centroid(), {}});
  std::array<bool, 2> spans = {false, false};
  for (int axis = 0; axis < 2; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    spans[at] = domain.periodic[at] && box.hi[axis] - box.lo[axis] >= domain.hi[axis] - domain.lo[axis];
  }
  return spans;
}

/// The outline, longer by so much at both ends. @param vertices counter-clockwise
std::vector<Vec2> lengthened(std::span<const Vec2> vertices, int axis, double by) {
  std::vector<Vec2> longer;
  // Whether an edge faces the greater end (1), the lesser one (-1), or neither.
  const auto facing = [&](std::size_t edge) {
    const Vec2 way = vertices[(edge + 1) % vertices.size()] - vertices[edge];
    const double outward = axis == 0 ? way.y() : -way.x();
    return outward > 0.0 ? 1.0 : outward < 0.0 ? -1.0 : 0.0;
  };
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    const double before = facing((k + vertices.size() - 1) % vertices.size());
    const double after = facing(k);
    const auto add = [&](double end) {
      longer.push_back(vertices[k]);
      longer.back()[axis] += end * by;
    };
    if (before * after < 0.0) {  // a corner at the top or the bottom becomes an edge
      add(before);
      add(after);
    } else {
      add(before != 0.0 ? before : after);
    }
  }
  return longer;
}

}  // namespace

bool has_flat_side(std::span<const Vec2> vertices, int axis, double period) {
  constexpr double kNearly = 1.0 - 1e-9;  // rounding
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    const Vec2 way = vertices[(k + 1) % vertices.size()] - vertices[k];
    if (way[1 - axis] == 0.0 && std::abs(way[axis]) >= kNearly * period) return true;
  }
  return false;
}

MovingWalls::MovingWalls(const Scene& scene) : drives_(scene) {
  for (std::size_t k = 0; k < scene.walls.size(); ++k) {
    const Wall& wall = scene.walls[k];
    if (wall.polygon.size() < 3)
      throw InvalidScene(fmt::format("walls.{}", wall.name), "must be a polygon in soft mode");
    const Polygon polygon(wall.polygon);
    spans_.push_back(spans_of(polygon, scene.domain));
    const bool turns = wall.angular_velocity != 0.0 || std::ranges::any_of(wall.motions, [](const PhaseOfMotion& one) {
                         return one.angular_velocity != 0.0 ||
                                std::ranges::any_of(one.table, [](const MotionPoint& at) { return at.angle != 0.0; });
                       });
    if (turns && (spans_.back()[0] || spans_.back()[1])) {
      throw InvalidScene(fmt::format("walls[{}].rotation", k), "a wall as wide as the periodic domain cannot turn");
    }
    drives_.require_clear_of(k, spans_.back());
    motion_.emplace_back(wall, spans_.back());
    centroid_.push_back(polygon.centroid() - motion_.back().origin());
    auto& phases = phases_.emplace_back();
    if (wall.put || !wall.motions.empty()) phases.emplace(wall, polygon.centroid(), spans_.back());
    comes_later_.push_back(wall.stage > 0 || wall.from.value_or(0.0) > 0.0 ? 1 : 0);
    auto& outline = outline_.emplace_back(polygon.vertices().begin(), polygon.vertices().end());
    for (const int axis : {0, 1}) {
      const double period = scene.domain.hi[axis] - scene.domain.lo[axis];
      if (!spans_.back()[static_cast<std::size_t>(axis)] || !has_flat_side(outline, axis, period)) continue;
      outline = lengthened(outline, axis, 0.5 * period);
    }
    material_.push_back(wall.material);
  }
}

void MovingWalls::add_to(Bodies& bodies, std::uint64_t first_id) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < motion_.size(); ++k) {
    double bounding_radius = 0.0;
    for (const Vec2& vertex : outline_[k]) bounding_radius = std::max(bounding_radius, vertex.norm());
    bodies.add(first_id + k, static_cast<int>(k), material_[k], kInfinity, kInfinity, kInfinity, bounding_radius,
               outline_[k]);
    ++bodies.walls;
  }
  if (std::ranges::find(comes_later_, 1) != comes_later_.end()) bodies.absent = comes_later_;
}

void MovingWalls::move_to(double t, const Periodic& periodic, Bodies& bodies) const {
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    const auto k = static_cast<std::size_t>(bodies.type[body]);
    Vec2 position;
    Vec2 velocity;
    double angle = 0.0;
    double angular_velocity = 0.0;
    if (phases_[k]) {
      const WallPhases::Kinematics now = phases_[k]->at(t);
      position = motion_[k].origin() + centroid_[k] + now.displacement;
      velocity = now.velocity + now.surface;
      angle = now.angle;
      angular_velocity = now.angular_velocity;
    } else {
      const WallMotion& motion = motion_[k];
      const WallMotion::Kinematics now = motion.at(t);
      position = now.position_of(centroid_[k]);
      const Vec2 arm = now.rotation * centroid_[k];
      velocity = now.velocity + now.surface + motion.angular_velocity() * perp(arm);
      angle = now.angle;
      angular_velocity = motion.angular_velocity();
    }
    const WallDrives::Offset driven = drives_.offset(k, position);
    position += driven.displacement;
    Image image = periodic.periods_outside(position);  // inside the domain, as every body
    for (const std::size_t axis : {0, 1}) {
      if (spans_[k][axis]) image[axis] = 0;
    }
    position -= periodic.shift(image);
    bodies.image[body] = image;
    velocity += driven.velocity;
    bodies.position[body] = {position.x(), position.y(), angle + driven.angle};
    bodies.velocity[body] = {velocity.x(), velocity.y(), angular_velocity + driven.angular_velocity};
  }
}

StageBegin::Put MovingWalls::put(std::uint32_t body, const Periodic& periodic, const Bodies& bodies) const {
  const auto k = static_cast<std::size_t>(bodies.type[body]);
  const Vec2 now = linear(bodies.position[body]) + periodic.shift(bodies.image[body]);
  return {bodies.type[body], now - (motion_[k].origin() + centroid_[k]), bodies.position[body].z()};
}

void MovingWalls::find_fastest(const Periodic& periodic, const Bodies& bodies) {
  fastest_ = {};
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    const auto k = static_cast<std::size_t>(bodies.type[body]);
    const double reach = centroid_[k].norm() + bodies.bounding_radius[body];
    const double prescribed =
        phases_[k] ? phases_[k]->max_speed(bodies.bounding_radius[body]) : motion_[k].max_speed(reach);
    const Vec2 centroid = linear(bodies.position[body]) + periodic.shift(bodies.image[body]);
    const double speed = prescribed + drives_.max_speed(k, centroid, bodies.bounding_radius[body]);
    if (speed > fastest_.speed) fastest_ = {speed, k};
  }
}

}  // namespace scree::soft
