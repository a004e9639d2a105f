#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_elements.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "geometry/pose.hpp"

/// What blocks of contacts between disks and blocks of those with walls have in common.
namespace scree::soft {

/// What is read beside the contacts.
struct PlainView {
  const Bodies& bodies;
  const std::vector<Rotation>& rotation;  ///< as placed in this step, of walls
  const Proxies& proxies;
  const ContactLaws& laws;
  double dt;  ///< the step [s]
};

inline constexpr std::uint32_t kInBlock = lanes::DiskBlock::kContacts;
inline constexpr double kNearly = 1.0 - 1e-12;  ///< of a limit, for rounding: a guard looks again
/// The body with this sum of forces. @param sum see DiskBlock
inline std::uint32_t body_with_sum(std::uint32_t sum) {
  return sum / (4 * sizeof(double));
}

/// Whether a contact with this law needs no more than a block has.
inline bool is_plain(const PairLaw& law) {
  return !(law.rolling_friction > 0.0) && !(law.cohesion > 0.0) && !law.is_ghost;
}

inline void put_law(const PairLaw& law, std::uint32_t at, lanes::BlockLaw& block) {
  block.stiffness[at] = law.stiffness;
  block.friction[at] = law.friction;
  block.dynamic_friction[at] = law.dynamic_friction;
  block.tangential_stiffness[at] = law.tangential_stiffness;
}

/// Which contacts are in their first step: a bit for each, by block.
using FreshBits = std::vector<std::uint8_t>;
inline bool is_fresh(const FreshBits& fresh, std::uint32_t place) {
  return (fresh[place / kInBlock] >> place % kInBlock & 1U) != 0;
}
inline void set_fresh(std::uint32_t place, bool is_fresh, FreshBits& fresh) {
  std::uint8_t& bits = fresh[place / kInBlock];
  const unsigned bit = 1U << place % kInBlock;
  bits = static_cast<std::uint8_t>(is_fresh ? bits | bit : bits & ~bit);
}

/// From b to its image, as Proxies::branch_vector() has it [m].
Vec2 shift_of(const PlainView& view, const BodyPair& pair, const Image& image);
/// @param shifts see DiskBlocks::shift
inline void put_shift(const Vec2& shift, std::size_t place, std::vector<double>& shifts) {
  double* const of_block = shifts.data() + 2 * kInBlock * (place / kInBlock);
  of_block[place % kInBlock] = shift.x();
  of_block[kInBlock + place % kInBlock] = shift.y();
}
inline Vec2 shift_at(std::size_t place, const std::vector<double>& shifts) {
  const double* const of_block = shifts.data() + 2 * kInBlock * (place / kInBlock);
  return {of_block[place % kInBlock], of_block[kInBlock + place % kInBlock]};
}

/// What a contact is computed from. @return its reduced mass [kg]
double put_contact(const Bodies& bodies, const BodyPair& pair, const ContactHistory& history, const PairLaw& law,
                   std::uint32_t at, lanes::DiskBlock& block);
/// What a contact has from step to step, to another place.
void copy_contact(const lanes::DiskBlock& from, std::uint32_t at, lanes::DiskBlock& to, std::uint32_t there);
void copy_law(const lanes::BlockLaw& from, std::uint32_t at, lanes::BlockLaw& to, std::uint32_t there);
/// Nothing, at body a.
void put_nothing(std::uint32_t a, std::uint32_t b, std::uint32_t at, lanes::DiskBlock& block);

/// What is 0 without rolling resistance stays as it was.
void write_history(const lanes::DiskBlock& block, std::uint32_t at, bool is_new, ContactHistory& history);
/// See the kernel of the contact forces (lanes/forces.hpp). @param point of attack, from the centre of a [m]
void write_force(const lanes::DiskBlock& block, std::uint32_t at, const Vec2& point, double stiffness,
                 double tangential_stiffness, ContactForce& force, ForceParts& parts);

/// Where two disks push each other, from the centre of a [m].
inline Vec2 point_of(const lanes::DiskBlock& block, std::uint32_t at) {
  return (block.radius_a[at] - 0.5 * block.depth[at]) * Vec2(block.normal_x[at], block.normal_y[at]);
}
/// What the elements of a contact follow from. @param point of attack, from the centre of a [m]
ContactSprings springs_of(const lanes::DiskBlock& block, std::uint32_t at, const Vec2& point, double stiffness);

/// The places of contacts after some ended, none of these. @param ended ascending  @param contacts ascending, or
/// kNoContact
void follow(std::span<const std::uint32_t> ended, std::vector<std::uint32_t>& contacts);
/// The same after some began. @param begun their places, ascending
void follow_begun(std::span<const std::uint32_t> begun, std::vector<std::uint32_t>& contacts);

}  // namespace scree::soft
