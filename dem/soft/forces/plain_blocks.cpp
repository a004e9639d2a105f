#include "dem/soft/forces/plain_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace scree::soft {

using lanes::DiskBlock;

Vec2 shift_of(const PlainView& view, const BodyPair& pair, const Image& image) {
  const Image between = Proxies::image_between(view.bodies, pair.a, pair.b, image);
  Vec2 shift = Vec2::Zero();
  for (const int axis : {0, 1}) {
    if (view.proxies.spans(pair.b, axis)) continue;
    shift[axis] = between[static_cast<std::size_t>(axis)] * view.proxies.periodic().period()[axis];
  }
  return shift;
}

namespace {

void put_bodies(std::uint32_t a, std::uint32_t b, std::uint32_t at, DiskBlock& block) {
  constexpr std::uint32_t kMotion = 3 * sizeof(double);
  constexpr std::uint32_t kSum = 4 * sizeof(double);
  block.a[at] = kMotion * a;
  block.b[at] = kMotion * b;
  block.sum_a[at] = kSum * a;
  block.sum_b[at] = kSum * b;
}

}  // namespace

double put_contact(const Bodies& bodies, const BodyPair& pair, const ContactHistory& history, const PairLaw& law,
                   std::uint32_t at, DiskBlock& block) {
  const auto [a, b] = pair;
  const double reduced_mass = 1.0 / (bodies.inverse_mass[a] + bodies.inverse_mass[b]);
  put_bodies(a, b, at, block);
  block.radius_a[at] = bodies.bounding_radius[a];
  block.sum_of_radii[at] = bodies.bounding_radius[a] + bodies.bounding_radius[b];
  block.twice_smaller[at] = 2.0 * std::min(bodies.radius[a], bodies.radius[b]);
  block.dashpot[at] = 2.0 * law.damping_ratio * std::sqrt(reduced_mass * law.stiffness);
  block.tangential_dashpot[at] =
      2.0 * law.tangential_damping_ratio * std::sqrt(reduced_mass * law.tangential_stiffness);
  block.displacement[at] = history.tangential_displacement;
  block.tangential_velocity[at] = history.tangential_velocity;
  block.depth_ratio[at] = std::copysign(history.max_depth_ratio, history.sliding ? -1.0 : 1.0);
  return reduced_mass;
}

void put_nothing(std::uint32_t a, std::uint32_t b, std::uint32_t at, DiskBlock& block) {
  put_bodies(a, b, at, block);
  block.twice_smaller[at] = 1.0;
  for (double* const number : {block.radius_a, block.sum_of_radii, block.dashpot, block.tangential_dashpot,
                               block.displacement, block.tangential_velocity, block.depth_ratio}) {
    number[at] = 0.0;
  }
}

void copy_contact(const DiskBlock& from, std::uint32_t at, DiskBlock& to, std::uint32_t there) {
  for (const auto places : {&DiskBlock::a, &DiskBlock::b, &DiskBlock::sum_a, &DiskBlock::sum_b}) {
    (to.*places)[there] = (from.*places)[at];
  }
  for (const auto numbers : {&DiskBlock::radius_a, &DiskBlock::sum_of_radii, &DiskBlock::twice_smaller,
                             &DiskBlock::dashpot, &DiskBlock::tangential_dashpot, &DiskBlock::depth_ratio,
                             &DiskBlock::displacement, &DiskBlock::tangential_velocity}) {
    (to.*numbers)[there] = (from.*numbers)[at];
  }
}

void copy_law(const lanes::BlockLaw& from, std::uint32_t at, lanes::BlockLaw& to, std::uint32_t there) {
  to.stiffness[there] = from.stiffness[at];
  to.friction[there] = from.friction[at];
  to.dynamic_friction[there] = from.dynamic_friction[at];
  to.tangential_stiffness[there] = from.tangential_stiffness[at];
}

void write_history(const DiskBlock& block, std::uint32_t at, bool is_new, ContactHistory& history) {
  history.tangential_displacement = block.displacement[at];
  history.tangential_velocity = block.tangential_velocity[at];
  history.max_depth_ratio = std::abs(block.depth_ratio[at]);
  history.sliding = std::signbit(block.depth_ratio[at]);
  history.is_new = is_new;
}

void write_force(const DiskBlock& block, std::uint32_t at, const Vec2& point, double stiffness,
                 double tangential_stiffness, ContactForce& force, ForceParts& parts) {
  const Vec2 normal(block.normal_x[at], block.normal_y[at]);
  const Vec2 branch(block.branch_x[at], block.branch_y[at]);
  const double pushed = block.normal[at];
  const double rubbed = block.tangential[at];
  const double spring = stiffness * block.depth[at];
  parts.point = point;
  force.on_b = pushed * normal + rubbed * perp(normal);
  force.torque = {-cross(point, force.on_b), cross(point - branch, force.on_b)};
  parts.normal = pushed;
  parts.tangential = rubbed;
  parts.spring = pushed == 0.0 ? 0.0 : spring;
  parts.spring_arm = 0.0;
  parts.non_conservative = spring - parts.spring;
  parts.stiffness = stiffness;
  parts.friction_dashpot = rubbed + tangential_stiffness * block.displacement[at];
  parts.friction_heat = block.heat[at];
}

ContactSprings springs_of(const DiskBlock& block, std::uint32_t at, const Vec2& point, double stiffness) {
  return {.bodies = {body_with_sum(block.sum_a[at]), body_with_sum(block.sum_b[at])},
          .normal = {block.normal_x[at], block.normal_y[at]},
          .middle = point,
          .point = point,
          .branch_vector = {block.branch_x[at], block.branch_y[at]},
          .stiffness = stiffness,
          .chord = {}};
}

void follow(std::span<const std::uint32_t> ended, std::vector<std::uint32_t>& contacts) {
  std::uint32_t before = 0;
  for (std::uint32_t& contact : contacts) {
    if (contact == lanes::kNoContact) continue;
    while (before < ended.size() && ended[before] < contact) ++before;
    contact -= before;
  }
}

void follow_begun(std::span<const std::uint32_t> begun, std::vector<std::uint32_t>& contacts) {
  std::uint32_t before = 0;
  for (std::uint32_t& contact : contacts) {
    if (contact == lanes::kNoContact) continue;
    while (before < begun.size() && begun[before] <= contact + before) ++before;
    contact += before;
  }
}

}  // namespace scree::soft
