#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dem/hard/event.hpp"

namespace scree::hard {

/// A disk touches another one, or a side of the domain if `other` is the disk itself.
struct PackingContact {
  Index disk;
  Index other;
};

/// The rigid part of a packing, and the rattlers in it.
struct Backbone {
  std::vector<int> contacts;  ///< of each disk with the backbone and sides; rattlers have none
  std::size_t rattlers = 0;
  std::size_t total = 0;      ///< contacts, each once
  double coordination = 0.0;  ///< mean number of contacts of disks that are no rattlers
};

/// A rattler has fewer than three contacts, not counting those with rattlers.
///
/// @param contacts each contact once from either disk
/// Cost: O(disks + contacts) a round; rounds until no disk is taken away any more.
Backbone find_backbone(std::size_t disks, std::span<const PackingContact> contacts);

}  // namespace scree::hard
