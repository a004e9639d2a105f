#pragma once

#include "dem/soft/lanes/forces.hpp"

/// The kernel of the contacts' power, for any width. Included by the files of one width only.
namespace scree::soft::lanes {

/// A sum of whole quanta in each lane (parallel/whole_sum.hpp).
template <int W>
struct LaneSum {
  Whole<W> coarse = Whole<W>::zero();
  Whole<W> fine = Whole<W>::zero();

  SCREE_WIDE void add(const Number<W>& x, const Number<W>& per_quantum) {
    const Number<W> most = Quanta::kMost;
    const Number<W> shift = Quanta::kShift;
    const Number<W> quanta = greater(lesser(x * per_quantum, most), -most);
    const Number<W> whole = quanta + shift;
    coarse = coarse + bits_of(whole);
    fine = fine + bits_of((quanta - (whole - shift)) * Number<W>(Quanta::kFinePerCoarse) + shift);
  }
  /// @param numbers that were added in each lane
  SCREE_WIDE void add_to(WholeSum& sum, std::uint64_t numbers) const {
    const double shift = Quanta::kShift;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &shift, sizeof bits);
    const std::uint64_t shifts = W * numbers * bits;  // whole numbers wrap around
    sum.coarse = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum.coarse) + coarse.sum() - shifts);
    sum.fine = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum.fine) + fine.sum() - shifts);
  }
};

/// @tparam InFlow images move against their bodies
template <int W, bool InFlow>
void add_power(const BodiesIn& bodies, const CandidatesIn& candidates, const ContactsInOut& contacts,
               const Range& range, bool rolling, const PerQuantum& per_quantum, PowerSums& result) {
  using N = Number<W>;
  using V = Vector<W>;
  LaneSum<W> damping;
  LaneSum<W> law;
  LaneSum<W> friction;
  LaneSum<W> friction_heat;
  LaneSum<W> rolling_loss;
  LaneSum<W> rolling_heat;
  LaneSum<W> wall_work;
  std::uint64_t groups = 0;
  std::uint64_t groups_that_slide = 0;
  std::uint64_t groups_with_walls = 0;
  const N per_watt = per_quantum.power;
  const N per_joule = per_quantum.energy;
  for_each_group<W>(
      range, [&](const auto& group) __attribute__((always_inline)) {
        const double* velocity_a[W];
        const double* velocity_b[W];
        const std::uint32_t* pairs[W];
        std::uint32_t least_b = 0xffffffff;
        fetch_contacts<W>(bodies, candidates, contacts, group);
        for (int lane = 0; lane < W; ++lane) {
          const std::uint32_t* const pair = candidates.bodies + 2 * std::size_t{contacts.candidate[group[lane]]};
          velocity_a[lane] = bodies.velocity + 3 * std::size_t{pair[0]};
          velocity_b[lane] = bodies.velocity + 3 * std::size_t{pair[1]};
          pairs[lane] = pair;
          least_b = pair[1] < least_b ? pair[1] : least_b;
        }
        const auto axes = group.template records<kAxesSize>(contacts.axes);
        const auto history = group.template records<kHistorySize>(contacts.history);
        const auto force = group.template records<kForceSize>(contacts.force);
        const auto parts = group.template records<kPartsSize>(contacts.parts);
        const V normal = two_at<W>(axes, kNormal);
        const V branch = two_at<W>(axes, kBranch);
        const V point = two_at<W>(parts, kPoint);
        const N angular_a = one_at<W>(velocity_a, 2);
        const N angular_b = one_at<W>(velocity_b, 2);
        V linear_b = two_at<W>(velocity_b, 0);
        if constexpr (InFlow) linear_b = linear_b + two_at<W>(group.template records<2>(contacts.image_velocity), 0);
        const V relative =
            velocity_at(linear_b, angular_b, point - branch) - velocity_at(two_at<W>(velocity_a, 0), angular_a, point);
        const N tangential_velocity = dot(relative, perp(normal));
        const N relative_angular_velocity = angular_b - angular_a;
        const N speed = dot(relative, normal);
        const N pushed = one_at<W>(parts, kNormalAndTangential);
        const V spring_and_arm = two_at<W>(parts, kSpringAndArm);
        const N non_conservative = one_at<W>(parts, kNonConservativeAndStiffness);
        const V dashpot_and_heat = two_at<W>(parts, kFrictionDashpotAndHeat);
        const N speed_at_spring = speed - relative_angular_velocity * spring_and_arm.y;
        put_at<W>(history, kTangentialVelocity, tangential_velocity);
        put_at<W>(history, kRelativeAngularVelocity, relative_angular_velocity);
        const auto present = [&](const N& x) __attribute__((always_inline)) {
          return used_lanes<W>(group, x);
        };
        ++groups;
        damping.add(present(spring_and_arm.x * speed_at_spring - pushed * speed), per_watt);
        law.add(present(non_conservative * speed_at_spring), per_watt);
        friction.add(present(-(dashpot_and_heat.x * tangential_velocity)), per_watt);
        if (equal(dashpot_and_heat.y, N(0.0)).bits() != kAllLanes<W>) [[unlikely]] {
          friction_heat.add(present(dashpot_and_heat.y), per_joule);
          ++groups_that_slide;
        }
        if (rolling) {
          const V resistance = two_at<W>(group.template records<kRollingSize>(contacts.rolling), kRollingDashpot);
          rolling_loss.add(present(-(resistance.x * relative_angular_velocity)), per_watt);
          rolling_heat.add(present(resistance.y), per_joule);
        }
        if (least_b >= bodies.walls) [[likely]]
          return;
        ++groups_with_walls;
        double work[W];
        for (int lane = 0; lane < W; ++lane) {
          const double* const v = velocity_b[lane];
          const double* const on_b = force[lane] + kOnB;
          work[lane] = 0.0;
          if (pairs[lane][1] >= bodies.walls) continue;
          work[lane] -= on_b[0] * v[0] + on_b[1] * v[1] + force[lane][kTorques + 1] * v[2];
        }
        wall_work.add(present(N::load(work)), per_watt);
      });
  damping.add_to(result.damping, groups);
  law.add_to(result.law, groups);
  friction.add_to(result.friction, groups);
  friction_heat.add_to(result.friction_heat, groups_that_slide);
  if (rolling) {
    rolling_loss.add_to(result.rolling, groups);
    rolling_heat.add_to(result.rolling_heat, groups);
  }
  wall_work.add_to(result.wall_work, groups_with_walls);
}

}  // namespace scree::soft::lanes
