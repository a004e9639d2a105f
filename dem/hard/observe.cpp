#include "dem/hard/observe.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dem/scene/domain.hpp"

namespace scree::hard {

namespace {

/// Walls have the ids before those of the disks, as in the soft mode.
WallState wall_state(const View& view) {
  WallState state;
  const Walls& walls = view.walls;
  for (Index k = 0; k < walls.size(); ++k) {
    if (walls.is_over(k, view.time)) continue;
    state.id.push_back(k + 1);
    state.number.push_back(k);
    state.name.push_back(walls.name(k));
    state.material.push_back(walls.material(k));
    state.velocity.push_back(walls[k].velocity(view.now));
    state.angular_velocity.push_back(walls[k].angular_velocity());
    state.force.emplace_back(Vec2::Zero());
    state.torque.push_back(0.0);
    const std::vector<Vec2> outline = walls[k].outline(view.now);
    state.outlines.vertices.insert(state.outlines.vertices.end(), outline.begin(), outline.end());
    state.outlines.first.push_back(static_cast<std::uint32_t>(state.outlines.vertices.size()));
  }
  return state;
}

/// An empty one of a disk.
void add_outline(const GrainForm& form, double size, const Pose& pose, Outlines& outlines) {
  for (std::size_t k = 0; k < form.shape.edges(); ++k) {
    outlines.vertices.push_back(pose * Vec2(size * form.shape.sides()[k].corner));
  }
  outlines.first.push_back(static_cast<std::uint32_t>(outlines.vertices.size()));
}

/// At how many points i and an image of j touch, but for a gap as a part of the distance at which disks do.
int points_between(const View& view, Index i, Index j, const Vec2& distance, double gap) {
  const double contact = view.radius(i) + view.radius(j);
  if (distance.norm() > (1.0 + gap) * contact) return 0;
  if (!view.disks.forms().exist()) return 1;
  return near_points(view.shape(i), view.disks.pose(i, Vec2::Zero(), view.now), view.shape(j),
                     view.disks.pose(j, distance, view.now), gap * contact);
}

/// As points_between(). @param distance of the centre from the side [m]  @param outward -1 or 1
int points_at_side(const View& view, Index i, int axis, double distance, double outward, double gap) {
  const double radius = view.radius(i);
  if (distance > (1.0 + gap) * radius) return 0;
  if (!view.disks.forms().exist()) return 1;
  const ContactShape& shape = view.disks.forms()[i].shape;
  const Rotation rotation = view.disks.pose(i, Vec2::Zero(), view.now).rotation;
  return static_cast<int>(std::ranges::count_if(shape.sides(), [&](const ContactShape::Side& side) {
    const double reach = outward * (rotation * side.corner)[axis] + shape.rounding_radius();
    return distance - view.size(i) * reach <= gap * radius;
  }));
}

/// As points_between(), of i and an image of a wall.
int points_at_wall(const View& view, Index i, Partner wall, double gap) {
  const Index k = wall.disk();
  if (!view.walls.stands(k)) return 0;
  const double radius = view.radius(i);
  const Vec2 shift = wall_shift(view.disks[i], wall.image(), view.space);
  if (!view.disks.forms().exist()) {
    Flight flight = view.disks.flight(i);
    flight.radius = radius;
    return view.walls[k].gap_to(flight, Vec2::Zero(), shift, view.now).gap <= gap * radius ? 1 : 0;
  }
  const RigidFlight body = view.walls[k].rigid_flight(view.now);
  return near_points(view.walls[k].contact_shape(), {body.position_at(view.now) + shift, Rotation::by(body.angle)},
                     view.shape(i), view.disks.pose(i, view.position(i), view.now), gap * radius);
}

}  // namespace

State state(const View& view, std::uint64_t steps) {
  State state;
  state.time = view.time;
  state.step = steps;
  ParticleState& particles = state.particles;
  const Disks& disks = view.disks;
  for (Index i = 0; i < disks.size(); ++i) {
    if (disks.has_left(i)) continue;
    const double mass = disks.mass(i);
    const bool has_form = disks.forms().exist();
    const double radius = has_form ? view.size(i) * disks.equivalent_radius(i) : view.radius(i);
    const Disks::Spin& spin = disks.spin(i);
    const Disks::WrappedPosition wrapped = disks.wrapped_position(i, view.now, view.space);
    particles.id.push_back(disks.label(i).id);
    particles.type.push_back(disks.label(i).type);
    particles.material.push_back(disks.label(i).material);
    particles.radius.push_back(radius);
    particles.mass.push_back(mass);
    particles.inertia.push_back(has_form ? disks.inertia(i) : 0.5 * mass * radius * radius);
    particles.position.push_back(wrapped.position);
    particles.image.push_back(wrapped.image);
    particles.angle.push_back(disks.angle_at(i, view.now));
    particles.velocity.push_back(wrapped.velocity);
    particles.angular_velocity.push_back(spin.angular_velocity);
    if (has_form)
      add_outline(disks.forms()[i], view.size(i), disks.pose(i, wrapped.position, view.now), particles.outlines);
  }
  particles.force.resize(particles.size(), Vec2::Zero());
  particles.torque.resize(particles.size());
  particles.coordination = view.compression.has_jammed() ? backbone(view).contacts : std::vector<int>(particles.size());
  if (!disks.forms().exist()) particles.outlines.first.resize(particles.size() + 1);
  state.walls = wall_state(view);
  return state;
}

std::vector<Image> images(const View& view) {
  std::vector<Image> images;
  for (Index i = 0; i < view.disks.size(); ++i) {
    if (!view.disks.has_left(i)) images.push_back(view.disks.wrapped_position(i, view.now, view.space).image);
  }
  return images;
}

Summary summary(const View& view) {
  const Disks& disks = view.disks;
  Summary summary;
  summary.time = view.time;
  summary.particles = disks.present();
  summary.particles_in = disks.entered();
  summary.particles_out = disks.left();
  summary.packing_fraction = packing_fraction(view);
  summary.reduced_pressure = view.compression.reduced_pressure();
  if (view.compression.has_jammed()) {
    const Backbone rigid = backbone(view);
    summary.contacts = rigid.total;
    summary.coordination = rigid.coordination;
  }
  return summary;
}

Energies energies(const View& view) {
  Energies energies;
  energies.kinetic = view.disks.kinetic_energy(view.now, view.space);
  for (Index i = 0; i < view.disks.size(); ++i) {
    if (view.disks.has_left(i)) continue;
    const double potential = view.disks.potential_energy(i, view.now, view.space);
    energies.potential += potential;
    energies.sum_of_magnitudes += std::abs(potential);
  }
  energies.potential += view.wells.energy();
  return energies;
}

double packing_fraction(const View& view) {
  return packing_fraction(view.disks, view.compression, view.space.domain_at(view.now), view.now);
}

std::vector<PackingContact> contacts(const View& view, double gap) {
  std::vector<PackingContact> contacts;
  const Domain& domain = view.space.domain;
  for (Index i = 0; i < view.disks.size(); ++i) {
    if (view.disks.has_left(i)) continue;
    const auto found = view.boxes.partners_of(i);
    std::vector<Partner> partners(found.begin(), found.end());
    std::ranges::sort(partners, {}, [](Partner p) { return std::pair(p.disk(), p.image().code); });
    partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
    const Vec2 position = view.position(i);
    for (const Partner partner : partners) {
      const Index j = partner.disk();
      const Vec2 distance =
          view.position(j) - position + image_shift(view.disks[i], view.disks[j], partner.image(), view.space.periodic);
      for (int point = points_between(view, i, j, distance, gap); point > 0; --point) contacts.push_back({i, j});
    }
    for (const Partner wall : view.walls.of(i)) {
      for (int point = points_at_wall(view, i, wall, gap); point > 0; --point) contacts.push_back({i, i});
    }
    for (int axis = 0; axis < 2; ++axis) {
      if (view.space.periodic.along(axis)) continue;
      for (int point = points_at_side(view, i, axis, position[axis] - domain.lo[axis], -1.0, gap); point > 0; --point) {
        contacts.push_back({i, i});
      }
      for (int point = points_at_side(view, i, axis, domain.hi[axis] - position[axis], 1.0, gap); point > 0; --point) {
        contacts.push_back({i, i});
      }
    }
  }
  return contacts;
}

Backbone backbone(const View& view) {
  return find_backbone(view.disks.size(), contacts(view, greatest_gap(view.compression.reduced_pressure())));
}

std::optional<Packing> packing(const View& view) {
  const Compression& compression = view.compression;
  if (!compression.has_grown()) return {};
  Packing packing{.grows = compression.grows(),
                  .jammed = compression.has_jammed(),
                  .packing_fraction = packing_fraction(view),
                  .reduced_pressure = compression.reduced_pressure(),
                  .disks = static_cast<std::size_t>(view.disks.present())};
  if (!packing.jammed) return packing;
  const Backbone rigid = backbone(view);
  packing.bearing = view.disks.size() - rigid.rattlers;
  packing.contacts = rigid.total;
  std::size_t freedoms = 0;
  for (Index i = 0; i < view.disks.size(); ++i) {
    if (rigid.contacts[i] == 0) continue;
    freedoms += view.disks.forms().exist() && !view.disks.forms()[i].is_disk() ? 3 : 2;
  }
  packing.least_contacts = least_contacts(freedoms, view.walls.free_axes(view.space.domain));
  return packing;
}

}  // namespace scree::hard
