#include "dem/soft/contact_forces.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "dem/shapes.hpp"
#include "dem/soft/guards.hpp"
#include "dem/soft/laws/laws.hpp"
#include "dem/soft/narrowphase.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How much of the step has passed since the first touch, going by depth and speed of approach [s].
double time_since_touch(double depth, double speed, double dt) {
  return depth < speed * dt ? depth / speed : dt;
}

/// All but the relative motion.
[[gnu::always_inline]] inline ContactKinematics kinematics_at_rest(const Bodies& bodies, const BodyPair& pair,
                                                                   const Overlap& overlap, const Vec2& branch_vector) {
  const bool wall = bodies.is_wall(pair.b);
  const double inverse_radius_a = 1.0 / bodies.radius[pair.a];
  const double inverse_radius_b = wall ? 0.0 : 1.0 / bodies.radius[pair.b];
  return {
      .reduced_mass = 1.0 / (bodies.inverse_mass[pair.a] + bodies.inverse_mass[pair.b]),
      .lever_arm_a = overlap.centroid.norm(),
      .lever_arm_b = wall ? kInfinity : (overlap.centroid - branch_vector).norm(),
      .inverse_effective_radius = inverse_radius_a + inverse_radius_b,
      .curvature = (bodies.outline_size[pair.a] == 0 ? inverse_radius_a : 0.0) +
                   (bodies.outline_size[pair.b] == 0 ? inverse_radius_b : 0.0),
  };
}

/// The force of one contact: the law's normal force, friction, rolling resistance, cohesion.
/// @return omega dt squared of the normal force [rad^2]
template <class Law>
double contact_force(const PairLaw& law, const Bodies& bodies, const BodyPair& pair, double dt,
                     const ContactGeometry& geometry, ContactHistory& history, ContactForce& force, ForceParts& parts) {
  constexpr bool kPolygons = IsOneOf<Law, PolygonLaws>::value;
  const Overlap& overlap = geometry.overlap;
  const Vec2& branch_vector = geometry.branch_vector;
  const Vec2 tangent = perp(overlap.normal);
  const Vec2 middle = kPolygons ? Vec2(0.5 * (overlap.chord_begin + overlap.chord_end)) : overlap.centroid;
  const Motion& velocity_a = bodies.velocity[pair.a];
  const Motion& velocity_b = bodies.velocity[pair.b];
  const auto velocity_of_b_at = [&](const Vec2& point) -> Vec2 {
    return velocity_at(velocity_b, point - branch_vector) - velocity_at(velocity_a, point);
  };
  ContactKinematics kinematics = kinematics_at_rest(bodies, pair, overlap, branch_vector);
  kinematics.speed = -velocity_of_b_at(middle).dot(overlap.normal);
  kinematics.relative_angular_velocity = velocity_b.z() - velocity_a.z();

  NormalForce normal;
  if constexpr (kPolygons) {
    normal = Law::force(law, overlap, tangent, kinematics);
  } else {
    normal = Law::force(law, overlap, kinematics);
  }
  force.point = middle + normal.offset * tangent;
  const double tangential_velocity = velocity_of_b_at(force.point).dot(tangent);
  const double touched = history.is_new ? time_since_touch(overlap.depth, kinematics.speed, dt) : dt;
  const auto travelled = [&](double before, double now) {
    return touched * (history.is_new ? now : 0.5 * (before + now));
  };
  const Friction tangential =
      friction(law, kinematics.reduced_mass, normal.force,
               {.displacement = history.tangential_displacement, .sliding = history.sliding}, tangential_velocity,
               travelled(history.tangential_velocity, tangential_velocity));
  parts.normal = normal.force;
  parts.spring = normal.force == 0.0 ? 0.0 : normal.spring_force;
  parts.spring_arm = normal.spring_offset - normal.offset;
  parts.non_conservative = Law::kConservative ? normal.spring_force - parts.spring : -parts.spring;
  parts.stiffness = normal.stiffness;
  parts.friction_dashpot = tangential.force + law.tangential_stiffness * tangential.displacement;
  parts.friction_heat =
      0.5 * law.tangential_stiffness * (history.tangential_displacement + tangential.displacement) * tangential.slid;
  history.tangential_displacement = tangential.displacement;
  history.sliding = tangential.sliding;
  force.normal = normal.force;
  force.tangential = tangential.force;
  force.on_b = normal.force * overlap.normal + tangential.force * tangent;
  force.torque_a = -cross(force.point, force.on_b);
  force.torque_b = cross(force.point - branch_vector, force.on_b);
  parts.rolling_dashpot = 0.0;
  parts.rolling_heat = 0.0;
  if (law.rolling_friction > 0.0) {
    const Friction rolled = rolling(law, kinematics, normal.force,
                                    {.displacement = history.rolling_displacement, .sliding = history.rolling},
                                    travelled(history.relative_angular_velocity, kinematics.relative_angular_velocity));
    const double couple = rolled.force / kinematics.inverse_effective_radius;
    parts.rolling_dashpot =
        (rolled.force + law.tangential_stiffness * rolled.displacement) / kinematics.inverse_effective_radius;
    parts.rolling_heat =
        0.5 * law.tangential_stiffness * (history.rolling_displacement + rolled.displacement) * rolled.slid;
    history.rolling_displacement = rolled.displacement;
    history.rolling = rolled.sliding;
    force.torque_a -= couple;
    force.torque_b += couple;
  }
  if (law.cohesion > 0.0) {
    const double pull = law.cohesion * overlap.chord();
    force.normal -= pull;
    force.on_b -= pull * overlap.normal;
    force.torque_a += pull * cross(middle, overlap.normal);
    force.torque_b -= pull * cross(middle - branch_vector, overlap.normal);
  }
  return normal.stiffness * dt * dt / kinematics.reduced_mass;
}

template <class PolygonLaw, class DiskLaw>
bool compute(const ForceView& view, Contacts& contacts) {
  const Bodies& bodies = view.bodies;
  const ContactLaws& laws = view.laws;
  const double max_square = laws.max_omega_dt() * laws.max_omega_dt();
  std::atomic<bool> alarm = false;
  parallel_for_ranges(contacts.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const BodyPair pair = contacts.bodies(k);
      const ContactGeometry& geometry = contacts.geometry[k];
      ContactHistory& history = contacts.history[k];
      history.max_depth_ratio = std::max(history.max_depth_ratio, geometry.depth_ratio);
      const auto compute_with = [&]<class Law>(Law, const PairLaw& law) {
        const double square =
            contact_force<Law>(law, bodies, pair, view.dt, geometry, history, contacts.force[k], contacts.parts[k]);
        if (square > max_square || is_too_deep(geometry, law) ||
            passes_through(bodies, view.placement, pair, geometry, law)) {
          alarm.store(true, std::memory_order_relaxed);
        }
      };
      if (has_disk(bodies, pair)) {
        compute_with(DiskLaw{}, laws.of_disks(bodies, pair));
      } else {
        compute_with(PolygonLaw{}, laws.of_polygons(bodies, pair));
      }
    }
  });
  return alarm;
}

template <class PolygonLaw, class DiskLaw>
ElasticEnergy elastic_energy_of(const Bodies& bodies, const ContactLaws& laws, const Proxies& proxies,
                                const ContactRecord& contact) {
  const BodyPair& pair = contact.bodies;
  const PairLaw& law = laws.of(bodies, pair);
  ElasticEnergy energy{.tangential = tangential_energy(law, contact.history)};
  const ShapeView a = bodies.shape(pair.a);
  const ShapeView b = bodies.shape(pair.b);
  const Pose b_in_a = relative_pose(bodies.pose(pair.a).rotation, bodies.pose(pair.b).rotation,
                                    proxies.branch_vector(bodies, pair.a, pair.b, contact.image));
  PairHint hint = contact.hint;
  const Overlap found = overlap(a, b, b_in_a, hint);
  if (!found.touching()) return energy;  // the correction has moved the bodies apart since the overlap was measured
  const ContactKinematics sizes = kinematics_at_rest(bodies, pair, found, b_in_a.position);
  const auto add = [&](bool conservative, double normal) {
    (conservative ? energy.potential : energy.without_potential) += normal;
  };
  if (has_disk(bodies, pair)) {
    add(DiskLaw::kConservative, DiskLaw::energy(law, found, sizes));
  } else {
    const auto region = overlap_polygon(a.outline, b.outline, b_in_a, hint.features);
    add(PolygonLaw::kConservative, PolygonLaw::energy(law, found, region, sizes));
  }
  energy.potential -= law.cohesion * found.area;
  return energy;
}

}  // namespace

ContactForces::ContactForces(const Scene& scene) {
  with_law<PolygonLaws>(scene.contact_law, "contact.law", [&](auto polygon_law) {
    with_law<DiskLaws>(scene.disk_law, "contact.disks", [&](auto disk_law) {
      compute_ = soft::compute<decltype(polygon_law), decltype(disk_law)>;
      elastic_energy_ = elastic_energy_of<decltype(polygon_law), decltype(disk_law)>;
    });
  });
}

}  // namespace scree::soft
