#pragma once

#include "dem/soft/lanes/forces.hpp"

/// The kernel of the contacts' power, for any width. Included by one.cpp, two.cpp and four.cpp only.
namespace scree::soft::lanes {

/// Powers are calculated in lanes and added one by one, in the order of the contacts.
template <int W>
void add_power(const BodiesIn& bodies, const CandidatesIn& candidates, const ContactsInOut& contacts,
               std::uint32_t begin, std::uint32_t end, bool rolling, PowerSums& result) {
  using N = Number<W>;
  using V = Vector<W>;
  PowerSums sums = result;
  const Range range = {nullptr, begin, end};
  for_each_group<W>(
      range, [&](const auto& group) __attribute__((always_inline)) {
        const double* velocity_a[W];
        const double* velocity_b[W];
        unsigned walls = 0;
        for (int lane = 0; lane < W; ++lane) {
          const std::uint32_t* const pair = candidates.bodies + 2 * std::size_t{contacts.candidate[group[lane]]};
          velocity_a[lane] = bodies.velocity + 3 * std::size_t{pair[0]};
          velocity_b[lane] = bodies.velocity + 3 * std::size_t{pair[1]};
          walls |= static_cast<unsigned>(pair[1] < bodies.walls) << lane;
        }
        const auto geometry = group.template records<kGeometrySize>(contacts.geometry);
        const auto history = group.template records<kHistorySize>(contacts.history);
        const auto force = group.template records<kForceSize>(contacts.force);
        const auto parts = group.template records<kPartsSize>(contacts.parts);
        const V normal = two_at<W>(geometry, kNormal);
        const V branch = two_at<W>(geometry, kBranch);
        const V point = two_at<W>(force, kPoint);
        const N angular_a = one_at<W>(velocity_a, 2);
        const N angular_b = one_at<W>(velocity_b, 2);
        const V relative = velocity_at(two_at<W>(velocity_b, 0), angular_b, point - branch) -
                           velocity_at(two_at<W>(velocity_a, 0), angular_a, point);
        const N tangential_velocity = dot(relative, perp(normal));
        const N relative_angular_velocity = angular_b - angular_a;
        const N speed = dot(relative, normal);
        const V normal_and_spring = two_at<W>(parts, kNormalAndSpring);
        const V arm_and_rest = two_at<W>(parts, kArmAndNonConservative);
        const V stiffness_and_dashpot = two_at<W>(parts, kStiffnessAndFrictionDashpot);
        const N speed_at_spring = speed - relative_angular_velocity * arm_and_rest.x;
        double value[4][W];
        (normal_and_spring.y * speed_at_spring - normal_and_spring.x * speed).store(value[0]);
        (arm_and_rest.y * speed_at_spring).store(value[1]);
        (stiffness_and_dashpot.y * tangential_velocity).store(value[2]);
        relative_angular_velocity.store(value[3]);
        put_at<W>(history, kTangentialVelocity, tangential_velocity);
        put_at<W>(history, kRelativeAngularVelocity, relative_angular_velocity);
        for (int lane = 0; lane < W; ++lane) {
          if (lane >= group.used) break;
          sums.damping += value[0][lane];
          sums.law += value[1][lane];
          sums.friction -= value[2][lane];
          sums.friction_heat += parts[lane][kFrictionHeat];
        }
        if (rolling) {
          for (int lane = 0; lane < group.used; ++lane) {
            sums.rolling -= parts[lane][kRollingDashpot] * value[3][lane];
            sums.rolling_heat += parts[lane][kRollingHeat];
          }
        }
        if (walls == 0) [[likely]]
          return;
        for (int lane = 0; lane < group.used; ++lane) {
          if ((walls >> lane & 1U) == 0) continue;
          const double* const v = velocity_b[lane];
          const double* const on_b = force[lane] + kOnB;
          sums.wall_work -= on_b[0] * v[0] + on_b[1] * v[1] + on_b[2] * v[2];
        }
      });
  result = sums;
}

}  // namespace scree::soft::lanes
