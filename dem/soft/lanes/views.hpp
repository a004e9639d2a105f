#pragma once

#include <cstddef>

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "geometry/long_arc.hpp"
#include "geometry/polygon.hpp"

/// Arrays of the soft mode as the kernels for lanes see them.
namespace scree::soft {

static_assert(sizeof(Motion) == 3 * sizeof(double) && sizeof(Rotation) == 2 * sizeof(double));
static_assert(sizeof(ShortHint) == 4 * sizeof(std::uint16_t) && sizeof(BodyPair) == 2 * sizeof(std::uint32_t));
static_assert(sizeof(ContactRegion) == 8 * sizeof(double) && sizeof(ContactAxes) == 6 * sizeof(double));
static_assert(sizeof(ContactHistory) == 5 * sizeof(double));
static_assert(sizeof(ContactForce) == 4 * sizeof(double) && sizeof(ForceParts) == 10 * sizeof(double));
static_assert(sizeof(RollingResistance) == 3 * sizeof(double));

static_assert(Bodies::kRepeated == 3, "BodiesIn::vertices");
static_assert(kUnsummedInLanes == kMostUnsummed);
static_assert(sizeof(ArcSum) == 4 * sizeof(double) && offsetof(ArcSum, moment) == 2 * sizeof(double), "BodiesIn::sums");

/// What the caches of a core keep, roughly [bytes]. Tests change it: no result depends on it.
inline std::size_t kept_by_caches = std::size_t{1} << 23;

/// Those of so many records that are asked for ahead of their use (lanes/fetch.hpp): all if caches do not keep them.
inline std::uint32_t fetched(std::size_t records, std::size_t bytes_of_one) {
  return records * bytes_of_one > kept_by_caches ? static_cast<std::uint32_t>(records) : 0;
}

/// @param rotation by body, or empty where no kernel reads it; null pointers if there are no bodies
inline lanes::BodiesIn bodies_for_lanes(const Bodies& bodies, const std::vector<Rotation>& rotation = {}) {
  if (bodies.size() == 0) return {};
  return {bodies.position.front().data(),
          bodies.velocity.front().data(),
          rotation.empty() ? nullptr : &rotation.front().cos,
          bodies.radius.data(),
          bodies.parts > 0 ? bodies.clump_radius.data() : nullptr,
          bodies.bounding_radius.data(),
          bodies.inverse_mass.data(),
          bodies.outline_first.data(),
          bodies.outline_size.data(),
          bodies.vertices.empty() ? nullptr : bodies.vertices.front().data(),
          bodies.sums.empty() ? nullptr : &bodies.sums.front().doubled_area,
          bodies.sums_first.data(),
          bodies.walls,
          bodies.disks > 0 && bodies.disks == bodies.beyond_walls()};
}

/// Null pointers if there are no candidates.
inline lanes::CandidatesIn candidates_for_lanes(const Contacts& contacts) {
  if (contacts.candidates.size() == 0) return {};
  return {&contacts.candidates.bodies.front().a, contacts.candidates.hint.front().data()};
}

/// Where the region of contact 0 would be; kernels use those of the window's contacts only.
inline double* regions_for_lanes(const RegionWindow& window) {
  const auto first = reinterpret_cast<std::uintptr_t>(window.of_first);
  return reinterpret_cast<double*>(first - window.first * sizeof(ContactRegion));
}

/// @param window of contacts that are measured
inline lanes::GeometryOut geometry_for_lanes(Contacts& contacts, const RegionWindow& window) {
  return {regions_for_lanes(window), contacts.axes.empty() ? nullptr : contacts.axes.front().normal.data()};
}

/// Contacts whose records, but for their regions, are asked for ahead of their use.
inline std::uint32_t fetched_contacts(const Contacts& contacts) {
  constexpr std::size_t kBytes =
      sizeof(ContactAxes) + sizeof(ContactHistory) + sizeof(ContactForce) + sizeof(ForceParts);
  return fetched(contacts.size(), kBytes);
}

/// Null pointers if there are no contacts. @param window of contacts that are read
inline lanes::ContactsInOut contacts_for_lanes(Contacts& contacts, const RegionWindow& window) {
  if (contacts.size() == 0) return {};
  return {contacts.candidate.data(),
          fetched_contacts(contacts),
          regions_for_lanes(window),
          contacts.axes.front().normal.data(),
          &contacts.history.front().tangential_displacement,
          contacts.force.front().on_b.data(),
          contacts.parts.front().point.data(),
          contacts.rolling.empty() ? nullptr : &contacts.rolling.front().displacement,
          contacts.dashpot_share.empty() ? nullptr : contacts.dashpot_share.data(),
          contacts.image_velocity.empty() ? nullptr : contacts.image_velocity.front().data()};
}

}  // namespace scree::soft
