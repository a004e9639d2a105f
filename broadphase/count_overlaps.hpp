#pragma once

#include <cstdint>
#include <span>

#include "geometry/aabb.hpp"

namespace scree {

/// Number of pairs of closed boxes that overlap, without looking at each pair.
///
/// Two boxes do not overlap if one is beside the other, above it, or both: of all pairs those that are apart along x
/// are taken away, those that are apart along y, and those that are apart along both, taken away twice, are added
/// again.
///
/// @pre every box has lo <= hi; infinite ones are allowed
/// Cost: O(n log n) time, O(n) memory
std::uint64_t count_overlaps(std::span<const Aabb2> boxes);

}  // namespace scree
