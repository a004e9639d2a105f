#include "dem/soft/forces/pair_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "dem/shapes.hpp"
#include "geometry/tolerances.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

/// Acceleration of a body; of a part as its clump carries it.
Motion acceleration_of(const DetectionView& view, std::uint32_t body) {
  const Bodies& bodies = view.bodies;
  if (!bodies.is_part(body)) return view.gear.acceleration(body);
  const std::uint32_t clump = bodies.particle(body);
  const Motion& of_clump = view.gear.acceleration(clump);
  const double turning = bodies.velocity[clump].z();
  const Vec2 arm = bodies.arm_of(body);
  const Vec2 about_centre = of_clump.z() * perp(arm) - turning * turning * arm;
  return of_clump + Motion(about_centre.x(), about_centre.y(), 0.0);
}

}  // namespace

PairGeometry pair_geometry(const Bodies& bodies, const Placement& placement, const BodyPair& pair,
                           const Vec2& branch_vector, PairHint& hint) {
  const ShapeView a = bodies.shape(pair.a);
  const ShapeView b = bodies.shape(pair.b);
  const Rotation& to_world = placement.rotation_of(pair.a);
  const Pose b_in_a = relative_pose(to_world, placement.rotation_of(pair.b), branch_vector);
  const Overlap found = overlap(a, b, b_in_a, hint);
  const bool has_chord = found.touching() && !a.is_disk() && !b.is_disk();
  return {.geometry = {.overlap = {.area = found.area,
                                   .depth = found.depth,
                                   .centroid = to_world * found.centroid,
                                   .normal = to_world * found.normal,
                                   .chord_begin = to_world * found.chord_begin,
                                   .chord_end = to_world * found.chord_end},
                       .branch_vector = branch_vector,
                       .depth_ratio = found.depth / (2.0 * std::min(bodies.radius[pair.a], bodies.radius[pair.b]))},
          .chord = has_chord ? Vec2(found.chord_end - found.chord_begin) : Vec2(Vec2::Zero())};
}

void renew_regions(const Bodies& bodies, const Placement& placement, Contacts& contacts) {
  if (contacts.have_regions()) return;
  contacts.keep_regions();
  parallel_for_ranges(contacts.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      PairHint hint = whole(contacts.candidates.hint[contacts.candidate[k]]);
      contacts.region[k] = region_of(
          pair_geometry(bodies, placement, contacts.bodies(k), contacts.axes[k].branch_vector, hint).geometry);
    }
  });
}

bool has_jumped(const DetectionView& view, const BodyPair& pair, const ContactGeometry& found, const Chord& before,
                const Chord& now) {
  const auto& [bodies, placement, proxies, gear, counted] = view;
  const ShapeView a = bodies.shape(pair.a);
  const ShapeView b = bodies.shape(pair.b);
  const Vec2& at = found.overlap.centroid;
  const Vec2 to_image = found.branch_vector - linear(bodies.position[pair.b]) + linear(bodies.position[pair.a]);
  const Vec2 drift = proxies.periodic().drift(to_image);
  const auto relative = [&](const Motion& of_a, const Motion& of_b) {
    return (velocity_at(of_b, at - found.branch_vector) - velocity_at(of_a, at)).norm() +
           std::abs(of_b.z() - of_a.z()) * (now.vector.norm() + found.overlap.depth);
  };
  const double dt = gear.dt();
  const Motion velocity_of_b = bodies.velocity[pair.b] + Motion(drift.x(), drift.y(), 0.0);
  const double by_velocity = dt * relative(bodies.velocity[pair.a], velocity_of_b);
  if (is_explained_at_any_angle(before, now, by_velocity)) return false;  // which the rest of it does not make less
  const double displacement = by_velocity +
                              dt * dt * relative(acceleration_of(view, pair.a), acceleration_of(view, pair.b)) +
                              kDozensOfRoundings * (a.radius + b.radius);
  if (is_explained_at_any_angle(before, now, displacement)) return false;
  const double turn = dt * std::abs(bodies.velocity[pair.b].z() - bodies.velocity[pair.a].z());
  const double extent = 2.0 * std::min(a.radius, b.radius);
  const Pose b_in_a = relative_pose(placement.rotation_of(pair.a), placement.rotation_of(pair.b), found.branch_vector);
  return chord_jumped(a.outline, b.outline, b_in_a, before, now, found.overlap.area / (extent * extent), displacement,
                      turn);
}

}  // namespace scree::soft
