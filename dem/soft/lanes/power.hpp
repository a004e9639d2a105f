#pragma once

#include "dem/soft/lanes/forces.hpp"

/// The kernel of the contacts' power, for any width. Included by one.cpp, two.cpp and four.cpp only.
namespace scree::soft::lanes {

/// Powers are calculated in lanes and added one by one, in the order of the contacts.
template <int W>
void add_power(const BodiesIn& bodies, const CandidatesIn& candidates, const ContactsInOut& contacts,
               std::uint32_t begin, std::uint32_t end, PowerSums& sums) {
  using N = Number<W>;
  using V = Vector<W>;
  for (std::uint32_t first = begin; first < end; first += W) {
    const int used = end - first < W ? static_cast<int>(end - first) : W;
    std::uint32_t b[W];
    const double* velocity_a[W];
    const double* velocity_b[W];
    const double* geometry[W];
    const double* force[W];
    const double* parts[W];
    double* history[W];
    for (int lane = 0; lane < W; ++lane) {
      const std::size_t contact = lane < used ? first + static_cast<std::uint32_t>(lane) : end - 1;
      const std::uint32_t* const pair = candidates.bodies + 2 * std::size_t{contacts.candidate[contact]};
      b[lane] = pair[1];
      velocity_a[lane] = bodies.velocity + 3 * std::size_t{pair[0]};
      velocity_b[lane] = bodies.velocity + 3 * std::size_t{pair[1]};
      geometry[lane] = contacts.geometry + kGeometrySize * contact;
      force[lane] = contacts.force + kForceSize * contact;
      parts[lane] = contacts.parts + kPartsSize * contact;
      history[lane] = contacts.history + kHistorySize * contact;
    }
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
    double value[5][W];
    (normal_and_spring.y * speed_at_spring - normal_and_spring.x * speed).store(value[0]);
    (arm_and_rest.y * speed_at_spring).store(value[1]);
    (stiffness_and_dashpot.y * tangential_velocity).store(value[2]);
    tangential_velocity.store(value[3]);
    relative_angular_velocity.store(value[4]);
    for (int lane = 0; lane < used; ++lane) {
      history[lane][kTangentialVelocity] = value[3][lane];
      history[lane][kRelativeAngularVelocity] = value[4][lane];
      sums.damping += value[0][lane];
      sums.law += value[1][lane];
      sums.friction -= value[2][lane];
      sums.rolling -= parts[lane][kRollingDashpotAndFrictionHeat] * value[4][lane];
      sums.friction_heat += parts[lane][kRollingDashpotAndFrictionHeat + 1];
      sums.rolling_heat += parts[lane][kRollingHeat];
      if (b[lane] < bodies.walls) {
        const double* const v = velocity_b[lane];
        const double* const on_b = force[lane] + kOnB;
        sums.wall_work -= on_b[0] * v[0] + on_b[1] * v[1] + force[lane][kTorques + 1] * v[2];
      }
    }
  }
}

}  // namespace scree::soft::lanes
