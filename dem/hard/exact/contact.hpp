#pragma once

#include <cstdint>

#include "dem/hard/exact/integers.hpp"

namespace scree::hard::exact {

constexpr std::int64_t kNoTick = INT64_MAX;

/// Whether the centres at a distance r are nearer than `contact`: the disks overlap.
inline bool overlap(const Vector& r, std::int64_t contact) {
  return squared(r) < product(contact, contact);
}

/// How many ticks a pair flies until the last one before it overlaps: the least t >= 0 with r + (t + 1) v inside and r
/// + t v outside. kNoTick if it never overlaps at a whole tick, or if t > latest.
///
/// The answer is exact: doubles only guess where to look.
///
/// @param r distance of the centres now, outside [units] @param v its change in a tick @param contact at which they
///        touch [units]
/// @pre |r| < 2^61
/// Cost: some ten products of 64 bits, rarely more
std::int64_t ticks_to_contact(const Vector& r, const Vector& v, std::int64_t contact, std::int64_t latest);

/// The same for one coordinate between two bounds. @pre lowest <= x <= highest
inline std::int64_t ticks_to_bound(std::int64_t x, std::int64_t v, std::int64_t lowest, std::int64_t highest) {
  if (v > 0) return (highest - x) / v;
  if (v < 0) return (x - lowest) / -v;
  return kNoTick;
}

}  // namespace scree::hard::exact
