#include "dem/hard/audit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/scene/domain.hpp"

namespace scree::hard {

namespace {

double tolerance(const View& view, double diameter) {
  return hard::tolerance(view.space.domain, diameter);
}

std::string name(const View& view, Index i) {
  return view.disks.name(i);
}

Pose pose(const View& view, Index i) {
  return view.disks.pose(i, view.position(i), view.now);
}

/// How much deeper than rounding explains i and an image of j overlap, by their outlines [m].
double excess_of_forms(const View& view, Index i, Index j, const Vec2& distance) {
  const double apart = distance.norm() - (view.radius(i) + view.radius(j));
  if (apart > 0.0) return -apart;
  Pose of_i = pose(view, i);
  Pose of_j = pose(view, j);
  of_i.position = Vec2::Zero();
  of_j.position = distance;
  const double smaller = std::min(view.radius(i), view.radius(j));
  const double apart_by_outlines = separation(view.shape(i), of_i, view.shape(j), of_j);
  return -apart_by_outlines - tolerance(view, 2.0 * smaller);
}

/// How much deeper than rounding explains i and an image of j overlap [m].
double excess(const View& view, Index i, Index j, const Vec2& distance) {
  if (view.disks.forms().exist()) return excess_of_forms(view, i, j, distance);
  const double contact = view.radius(i) + view.radius(j);
  const double smaller = std::min(view.radius(i), view.radius(j));
  return contact - distance.norm() - tolerance(view, 2.0 * smaller);
}

/// How far a grain reaches from its centre along an axis, down (-1) or up (1) [m].
double reach(const View& view, Index i, int axis, double direction) {
  if (!view.disks.forms().exist() || view.space.open) return view.space.open ? -view.radius(i) : view.radius(i);
  const GrainForm& form = view.disks.forms()[i];
  const Rotation rotation = pose(view, i).rotation;
  double greatest = -kNever;
  for (const ContactShape::Side& side : form.shape.sides()) {
    greatest = std::max(greatest, direction * (rotation * side.corner)[axis] + form.shape.rounding_radius());
  }
  return view.size(i) * greatest;
}

/// How far a disk sticks out of the domain's hard sides, or flies on beyond open ones [m]; negative inside.
double outside_sides(const View& view, Index i) {
  const Domain& domain = view.space.domain;
  const Vec2 position = view.position(i);
  double outside = -kNever;
  for (int axis = 0; axis < 2; ++axis) {
    if (view.space.periodic.along(axis)) continue;
    outside = std::max({outside, domain.lo[axis] - (position[axis] - reach(view, i, axis, -1.0)),
                        position[axis] + reach(view, i, axis, 1.0) - domain.hi[axis]});
  }
  return outside;
}

/// To the nearest image.
Vec2 shorter_way(const View& view, const Vec2& way) {
  const Cell& cell = view.space.cell;
  if (!cell.exists()) return scree::shorter_way(way, view.space.domain);
  const Vec2 period = cell.length_at(view.now);
  const auto up = static_cast<std::int32_t>(std::nearbyint(way.y() / period.y()));
  const Vec2 level = way - cell.shift({0, up}, view.now);
  return level - Vec2(period.x() * std::nearbyint(level.x() / period.x()), 0.0);
}

Walls::Nearest nearest_wall(const View& view, Index i) {
  if (view.disks.forms().exist()) {
    return view.walls.nearest(view.shape(i), pose(view, i), view.disks[i], view.space, view.now);
  }
  FlyingDisk disk = view.disks[i];
  disk.flight.radius = view.radius(i);
  return view.walls.nearest(disk, view.space, view.now);
}

void audit_wells(const View& view, Index i) {
  for (const Partner partner : view.boxes.partners_of(i)) {
    const Index j = partner.disk();
    const Vec2 distance = view.position(j) - view.position(i) +
                          image_shift(view.disks[i], view.disks[j], partner.image(), view.space.periodic);
    const double contact = view.disks.flight(i).radius + view.disks.flight(j).radius;
    const double beyond = distance.norm() - view.wells.well.range * contact;
    const bool inside = view.wells.pairs.contains(well_pair(view.disks, i, j, partner.image()));
    if ((inside ? beyond : -beyond) > tolerance(view, contact)) {
      throw PhysicsError(
          fmt::format("{} and {} are on the wrong side of their well's edge", name(view, i), name(view, j)));
    }
  }
}

void audit(const View& view, Index i) {
  const FlyingDisk& disk = view.disks[i];
  const Vec2 position = view.position(i);
  const Vec2 in_box = position + view.space.shift(disk.box_image_offset, view.now) - view.boxes.centre(i);
  const double rounding = tolerance(view, 2.0 * disk.flight.radius);
  if (!(in_box.norm() <= view.boxes.margin() + rounding)) {
    throw PhysicsError(fmt::format("{} is outside its box", name(view, i)));
  }
  if (!(outside_sides(view, i) <= rounding)) throw PhysicsError(fmt::format("{} is outside the domain", name(view, i)));
  const Walls::Nearest wall = nearest_wall(view, i);
  if (wall.gap < -rounding) {
    throw PhysicsError(fmt::format("{} overlaps the wall '{}'", name(view, i), view.walls.name(wall.wall)));
  }
  if (view.wells.exist()) audit_wells(view, i);
  for (Index j = 0; j < i; ++j) {
    if (view.disks.has_left(j)) continue;
    const Vec2 distance = shorter_way(view, view.position(j) - position);
    if (!(excess(view, i, j, distance) <= 0.0)) {
      throw PhysicsError(fmt::format("{} and {} overlap", name(view, i), name(view, j)));
    }
  }
}

}  // namespace

void check_start(const View& view) {
  const std::string it = view.disks.forms().exist() ? "the grain" : "the disk";
  for (Index i = 0; i < view.disks.size(); ++i) {
    const double rounding = tolerance(view, 2.0 * view.disks.flight(i).radius);
    if (outside_sides(view, i) > rounding) throw DiskInTheWay(i, it + " sticks out of the domain");
    const Walls::Nearest wall = nearest_wall(view, i);
    if (wall.gap < -rounding) {
      throw DiskInTheWay(i, fmt::format("{} overlaps the wall '{}'", it, view.walls.name(wall.wall)));
    }
    for (const Partner partner : view.boxes.partners_of(i)) {
      const Index j = partner.disk();
      if (excess(view, i, j, view.disks.approach(i, j, partner.image(), view.space).distance) > 0.0) {
        throw DiskInTheWay(std::max(i, j), it + " overlaps", std::min(i, j));
      }
    }
  }
}

void audit(const View& view) {
  for (Index i = 0; i < view.disks.size(); ++i) {
    if (!view.disks.has_left(i)) audit(view, i);
  }
}

}  // namespace scree::hard
