#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dem/hard/event.hpp"

namespace scree::hard {

/// A disk touches another one, or, if that is the disk itself, a side of the domain.
struct Touch {
  Index disk;
  Index other;
};

/// The rigid part of a packing, and who rattles in it.
struct Backbone {
  std::vector<bool> is_rattler;  ///< by disk
  std::size_t rattlers = 0;
  double coordination = 0.0;  ///< mean number of contacts of the others, among themselves and with sides
};

/// A rattler has fewer than three contacts, not counting those with rattlers.
///
/// @param touches each contact once from either disk
/// Cost: O(disks + contacts) a round; rounds until no disk is taken away any more.
Backbone find_backbone(std::size_t disks, std::span<const Touch> touches);

}  // namespace scree::hard
