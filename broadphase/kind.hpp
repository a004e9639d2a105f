#pragma once

#include <array>
#include <cstddef>

namespace scree {

/// The broadphases by name, to choose one at run time.
enum class BroadphaseKind {
  automatic,  ///< Fastest: by trial
  sort_and_update,
  sorted_strips,
  linked_cells,
  hierarchical_grid,
  distance_sort,
  all_pairs,
};

/// Names in scenes, in the order of BroadphaseKind.
inline constexpr std::array<const char*, 7> kBroadphaseNames = {
    "auto", "sort_and_update", "sorted_strips", "linked_cells", "hierarchical_grid", "distance_sort", "all_pairs"};

inline const char* name(BroadphaseKind kind) {
  return kBroadphaseNames[static_cast<std::size_t>(kind)];
}

}  // namespace scree
