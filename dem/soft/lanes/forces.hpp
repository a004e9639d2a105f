#pragma once

#include "dem/soft/contact/laws/laws.hpp"
#include "dem/soft/lanes/groups.hpp"

/// The kernel of the contact forces, for any law and any width. Included by the files of one width only.
namespace scree::soft::lanes {

/// Doubles of a ContactHistory, a ContactForce, a ForceParts and a RollingResistance, in their order there.
enum HistoryAt {
  kTangentialDisplacement,
  kTangentialVelocity,
  kRelativeAngularVelocity,
  kMaxDepthRatio,
  kFlags,
  kHistorySize
};
enum ForceAt { kOnB, kTorques = 2, kForceSize = 4 };
enum PartsAt {
  kPoint,
  kNormalAndTangential = 2,
  kSpringAndArm = 4,
  kNonConservativeAndStiffness = 6,
  kFrictionDashpotAndHeat = 8,
  kPartsSize = 10
};
enum RollingAt { kRollingDisplacement, kRollingDashpot, kRollingHeat, kRollingSize };
/// Bytes at kFlags.
enum FlagAt { kSliding, kRolling, kIsNew };

inline constexpr std::uint32_t kContactsAhead = 16;

/// Asks for the records of later contacts and the velocities of their bodies b. Without effect on values (see
/// fetch.hpp). No inline function: its registers would be missing where nothing is asked for.
/// @param group the present ones
template <int W, class Group>
[[gnu::noinline]] void fetch_later(const BodiesIn& bodies, const CandidatesIn& candidates,
                                   const ContactsInOut& contacts, const Group& group) {
  for (int lane = 0; lane < W; ++lane) {
    const std::size_t later = group[lane] + kContactsAhead;
    __builtin_prefetch(contacts.axes + kAxesSize * later);
    __builtin_prefetch(contacts.history + kHistorySize * later, 1);
    __builtin_prefetch(contacts.force + kForceSize * later, 1);
    __builtin_prefetch(contacts.parts + kPartsSize * later, 1);
    const std::size_t b = candidates.bodies[2 * std::size_t{contacts.candidate[later]} + 1];
    __builtin_prefetch(bodies.velocity + 3 * b);
  }
}

/// The same where there are later ones, and records are asked for.
template <int W, class Group>
SCREE_WIDE void fetch_contacts(const BodiesIn& bodies, const CandidatesIn& candidates, const ContactsInOut& contacts,
                               const Group& group) {
  if (group[W - 1] + kContactsAhead < contacts.fetched) [[unlikely]]
    fetch_later<W>(bodies, candidates, contacts, group);
}

template <int W>
SCREE_WIDE PairLawOf<Number<W>> law_at(const double* law) {
  return {law[0], law[1], law[2], law[3], law[4], law[5], law[6], law[7]};
}

/// The law of each lane's pair of materials.
template <int W>
SCREE_WIDE PairLawOf<Number<W>> law_of(const LawsIn& laws, const std::uint32_t (&a)[W], const std::uint32_t (&b)[W]) {
  const double* at[W];
  at[0] = laws.law;
  bool same = true;
  if (laws.materials > 1) {
    for (int lane = 0; lane < W; ++lane) {
      const auto pair = static_cast<std::size_t>(laws.material[a[lane]]) * laws.materials +
                        static_cast<std::size_t>(laws.material[b[lane]]);
      at[lane] = laws.law + pair * laws.stride;
      same = same && at[lane] == at[0];
    }
  }
  if (same) [[likely]]
    return law_at<W>(at[0]);
  const Vector<W> first = two_at<W>(at, 0);
  const Vector<W> second = two_at<W>(at, 2);
  const Vector<W> third = two_at<W>(at, 4);
  const Vector<W> fourth = two_at<W>(at, 6);
  return {first.x, first.y, second.x, second.y, third.x, third.y, fourth.x, fourth.y};
}

template <int W>
SCREE_WIDE Vector<W> velocity_at(const Vector<W>& linear, const Number<W>& angular, const Vector<W>& arm) {
  return linear + angular * perp(arm);
}

/// The force of each contact of a group: the law's normal force, friction, rolling resistance, cohesion.
/// @param only_law of all pairs; null: there are several materials
/// @tparam InFlow images move against their bodies  @tparam Group Successive<W> or Picked<W>
template <int W, class Law, bool InFlow, class Group>
SCREE_WIDE void compute_group(const BodiesIn& bodies, const CandidatesIn& candidates, const LawsIn& laws,
                              const PairLawOf<Number<W>>* only_law, const Limits& limits, const ContactsInOut& contacts,
                              const Group& group, Found& suspects) {
  using N = Number<W>;
  using V = Vector<W>;
  constexpr bool kPolygons = IsOneOf<Law, PolygonLaws>::value;
  constexpr double kInfinity = __builtin_huge_val();
  const N zero = 0.0;
  const N one = 1.0;
  const N dt = limits.dt;
  std::uint32_t a[W];
  std::uint32_t b[W];
  fetch_contacts<W>(bodies, candidates, contacts, group);
  for (int lane = 0; lane < W; ++lane) {
    const std::uint32_t* const pair = candidates.bodies + 2 * std::size_t{contacts.candidate[group[lane]]};
    a[lane] = pair[0];
    b[lane] = pair[1];
  }
  const auto region = group.template records<kRegionSize>(contacts.region);
  const auto axes = group.template records<kAxesSize>(contacts.axes);
  const auto history = group.template records<kHistorySize>(contacts.history);
  const auto force = group.template records<kForceSize>(contacts.force);
  const auto parts = group.template records<kPartsSize>(contacts.parts);
  const auto of_body = [&](const double* array, const std::uint32_t(&body)[W]) __attribute__((always_inline)) {
    const double* from[W];
    for (int lane = 0; lane < W; ++lane) from[lane] = array + body[lane];
    return load_one<W>(from);
  };
  PairLawOf<N> law = only_law != nullptr ? *only_law : law_of<W>(laws, a, b);
  if (contacts.dashpot_share != nullptr) {
    const N share = one_at<W>(group.template records<1>(contacts.dashpot_share), 0);
    law.damping_ratio = law.damping_ratio * share;
    law.tangential_damping_ratio = law.tangential_damping_ratio * share;
  }
  const V area_and_depth = two_at<W>(region, kArea);
  const N area = area_and_depth.x;
  const N depth = area_and_depth.y;
  const V centroid = two_at<W>(region, kCentroid);
  const V normal = two_at<W>(axes, kNormal);
  const V branch = two_at<W>(axes, kBranch);
  const N depth_ratio = one_at<W>(axes, kDepthRatio);
  const V tangent = perp(normal);

  // Masses and sizes.
  const N inverse_mass_b = of_body(bodies.inverse_mass, b);
  N lever_arm_a = length(centroid);
  N lever_arm_b = length(centroid - branch);
  const auto of_clump = [&](const std::uint32_t(&body)[W], N number) __attribute__((always_inline)) {
    if (bodies.clump_radius != nullptr) {
      const N clump_radius = of_body(bodies.clump_radius, body);
      number = select(less(zero, clump_radius), clump_radius, number);
    }
    return number;
  };
  lever_arm_a = of_clump(a, lever_arm_a);
  lever_arm_b = of_clump(b, lever_arm_b);
  const Mask<W> wall = equal(inverse_mass_b, zero);
  ContactKinematicsOf<N> kinematics;
  kinematics.reduced_mass = one / (of_body(bodies.inverse_mass, a) + inverse_mass_b);
  kinematics.lever_arm_a = lever_arm_a;
  kinematics.lever_arm_b = select(wall, N(kInfinity), lever_arm_b);
  N inverse_radius_a = zero;
  N inverse_radius_b = zero;
  const auto find_radii = [&]() __attribute__((always_inline)) {
    inverse_radius_a = one / of_clump(a, of_body(bodies.radius, a));
    inverse_radius_b = select(wall, zero, one / of_clump(b, of_body(bodies.radius, b)));
    kinematics.inverse_effective_radius = inverse_radius_a + inverse_radius_b;
  };
  if constexpr (Law::kReadsRadii) find_radii();
  if constexpr (Law::kReadsRadii && !kPolygons) {
    kinematics.curvature = kinematics.inverse_effective_radius;
    if (!bodies.only_disks) {
      double is_disk_a[W];
      double is_disk_b[W];
      for (int lane = 0; lane < W; ++lane) {
        is_disk_a[lane] = bodies.size[a[lane]] == 0 ? 1.0 : 0.0;
        is_disk_b[lane] = bodies.size[b[lane]] == 0 ? 1.0 : 0.0;
      }
      kinematics.curvature = select(less(N(0.5), N::load(is_disk_a)), inverse_radius_a, zero) +
                             select(less(N(0.5), N::load(is_disk_b)), inverse_radius_b, zero);
    }
  }

  // Relative motion.
  const double* velocity_a[W];
  const double* velocity_b[W];
  for (int lane = 0; lane < W; ++lane) {
    velocity_a[lane] = bodies.velocity + 3 * std::size_t{a[lane]};
    velocity_b[lane] = bodies.velocity + 3 * std::size_t{b[lane]};
  }
  const V linear_a = two_at<W>(velocity_a, 0);
  V linear_b = two_at<W>(velocity_b, 0);
  if constexpr (InFlow) linear_b = linear_b + two_at<W>(group.template records<2>(contacts.image_velocity), 0);
  const N angular_a = one_at<W>(velocity_a, 2);
  const N angular_b = one_at<W>(velocity_b, 2);
  const auto velocity_of_b_at = [&](const V& point) __attribute__((always_inline)) {
    return velocity_at(linear_b, angular_b, point - branch) - velocity_at(linear_a, angular_a, point);
  };
  V middle = centroid;
  OverlapSize<N> size = {.area = area, .depth = depth};
  N chord = zero;
  if constexpr (kPolygons) {
    const V chord_begin = two_at<W>(region, kChordBegin);
    const V chord_end = two_at<W>(region, kChordEnd);
    middle = N(0.5) * (chord_begin + chord_end);
    chord = length(chord_end - chord_begin);
    size.chord = chord;
    size.centroid_offset = dot(tangent, centroid - middle);
  }
  kinematics.speed = -dot(velocity_of_b_at(middle), normal);
  kinematics.relative_angular_velocity = angular_b - angular_a;

  const NormalForceOf<N> pushed = Law::force(law, size, kinematics);
  const V point = middle + pushed.offset * tangent;
  const N tangential_velocity = dot(velocity_of_b_at(point), tangent);

  // How far the bodies have moved on each other since the step before, or since the first touch, going by depth and
  // speed of approach.
  const V tangential_before = two_at<W>(history, kTangentialDisplacement);
  const N flags = one_at<W>(history, kFlags);  // only their bits mean something
  const Mask<W> is_new = bit_is_set(flags, 8 * kIsNew);
  const bool some_are_new = is_new.bits() != 0;
  N touched = dt;
  if (some_are_new) [[unlikely]] {
    const N way = kinematics.speed * dt;
    touched = select(is_new, select(less(depth, way), depth / kinematics.speed, dt), dt);
  }
  const auto travelled = [&](const N& before, const N& now) __attribute__((always_inline)) {
    const N mean = N(0.5) * (before + now);
    return touched * (some_are_new ? select(is_new, now, mean) : mean);
  };
  const Mask<W> slid_before = bit_is_set(flags, 8 * kSliding);
  const FrictionOf<N> tangential = friction(law, kinematics.reduced_mass, pushed.force,
                                            FrictionOf<N>{.displacement = tangential_before.x, .sliding = slid_before},
                                            tangential_velocity, travelled(tangential_before.y, tangential_velocity));

  V on_b = pushed.force * normal + tangential.force * tangent;
  N torque_a = -cross(point, on_b);
  N torque_b = cross(point - branch, on_b);
  const N spring = select(equal(pushed.force, zero), zero, pushed.spring_force);
  const N non_conservative = Law::kConservative ? pushed.spring_force - spring : -spring;
  const N friction_dashpot = tangential.force + law.tangential_stiffness * tangential.displacement;
  const N friction_heat =
      N(0.5) * law.tangential_stiffness * (tangential_before.x + tangential.displacement) * tangential.slid;

  // What rolling resistance leaves in a record is 0 from the beginning of a contact without it.
  const Mask<W> resists = less(zero, law.rolling_friction);
  const unsigned resisting = contacts.rolling != nullptr ? resists.bits() : 0U;
  if (resisting != 0) {
    if constexpr (!Law::kReadsRadii) find_radii();
    const auto resistance = group.template records<kRollingSize>(contacts.rolling);
    const N rolling_before = one_at<W>(resistance, kRollingDisplacement);
    const N turning_before = one_at<W>(history, kRelativeAngularVelocity);
    const FrictionOf<N> rolled =
        rolling(law, kinematics, pushed.force,
                FrictionOf<N>{.displacement = rolling_before, .sliding = bit_is_set(flags, 8 * kRolling)},
                travelled(turning_before, kinematics.relative_angular_velocity));
    const N couple = rolled.force / kinematics.inverse_effective_radius;
    const N rolling_dashpot = select(
        resists, (rolled.force + law.tangential_stiffness * rolled.displacement) / kinematics.inverse_effective_radius,
        zero);
    const N rolling_heat =
        select(resists, N(0.5) * law.tangential_stiffness * (rolling_before + rolled.displacement) * rolled.slid, zero);
    put_at<W>(resistance, kRollingDashpot, rolling_dashpot);
    put_at<W>(resistance, kRollingHeat, rolling_heat);
    put_at<W>(resistance, kRollingDisplacement, select(resists, rolled.displacement, rolling_before));
    const unsigned rolls = (rolled.sliding & resists).bits();
    for (int lane = 0; lane < W; ++lane) {
      if ((resisting >> lane & 1U) == 0) continue;
      reinterpret_cast<unsigned char*>(history[lane] + kFlags)[kRolling] =
          static_cast<unsigned char>(rolls >> lane & 1U);
    }
    torque_a = select(resists, torque_a - couple, torque_a);
    torque_b = select(resists, torque_b + couple, torque_b);
  }
  const Mask<W> coheres = less(zero, law.cohesion);
  if (coheres.bits() != 0) {
    N whole_chord = chord;
    if constexpr (!kPolygons) whole_chord = length(two_at<W>(region, kChordEnd) - two_at<W>(region, kChordBegin));
    const N pull = law.cohesion * whole_chord;
    on_b = {select(coheres, on_b.x - pull * normal.x, on_b.x), select(coheres, on_b.y - pull * normal.y, on_b.y)};
    torque_a = select(coheres, torque_a + pull * cross(middle, normal), torque_a);
    torque_b = select(coheres, torque_b - pull * cross(middle - branch, normal), torque_b);
  }

  put_at<W>(force, kOnB, on_b);
  put_at<W>(force, kTorques, {torque_a, torque_b});
  put_at<W>(parts, kPoint, point);
  put_at<W>(parts, kNormalAndTangential, {pushed.force, tangential.force});
  put_at<W>(parts, kSpringAndArm, {spring, pushed.spring_offset - pushed.offset});
  put_at<W>(parts, kNonConservativeAndStiffness, {non_conservative, pushed.stiffness});
  put_at<W>(parts, kFrictionDashpotAndHeat, {friction_dashpot, friction_heat});
  put_at<W>(history, kTangentialDisplacement, tangential.displacement);
  put_at<W>(history, kMaxDepthRatio, greater(depth_ratio, one_at<W>(history, kMaxDepthRatio)));
  const unsigned slides = tangential.sliding.bits();
  if ((slides | slid_before.bits()) != 0) [[unlikely]] {
    for (int lane = 0; lane < W; ++lane) {
      reinterpret_cast<unsigned char*>(history[lane] + kFlags)[kSliding] =
          static_cast<unsigned char>(slides >> lane & 1U);
    }
  }

  const Mask<W> sound = at_most(depth_ratio, N(limits.max_depth_ratio)) & at_most(depth, N(limits.min_inradius)) &
                        at_most(pushed.stiffness * dt * dt / kinematics.reduced_mass, N(limits.max_omega_dt_square));
  if (const unsigned others = ~sound.bits() & kAllLanes<W>; others != 0) [[unlikely]] {
    for (int lane = 0; lane < group.used; ++lane) {
      if ((others >> lane & 1U) != 0) suspects.at[suspects.count++] = group[lane];
    }
  }
}

template <int W, class Law, bool InFlow>
void compute_forces(const BodiesIn& bodies, const CandidatesIn& candidates, const LawsIn& laws, const Limits& limits,
                    const ContactsInOut& contacts, const Range& range, Found& suspects) {
  const PairLawOf<Number<W>> first_law = law_at<W>(laws.law);
  const PairLawOf<Number<W>>* const only_law = laws.materials > 1 ? nullptr : &first_law;
  for_each_group<W>(
      range, [&](const auto& group) __attribute__((always_inline)) {
        compute_group<W, Law, InFlow>(bodies, candidates, laws, only_law, limits, contacts, group, suspects);
      });
}

}  // namespace scree::soft::lanes
