#pragma once

#include "dem/soft/lanes/kernels.hpp"
#include "geometry/wide.hpp"

/// Memory that is asked for before it is needed, where there are more records than a core's caches keep. A processor
/// sees only some two groups ahead, and no stream in lines that are taken out of order. Without effect on values.
namespace scree::soft::lanes {

inline constexpr std::uint32_t kBlocksAhead = 12;
inline constexpr std::uint32_t kBodiesAhead = 6;  ///< blocks; they are here by then

/// A later block, all of it, to be changed. @param g the present one
SCREE_WIDE void fetch_block(const DiskBlocks& blocks, std::uint32_t g) {
  constexpr std::size_t kLine = 64;  // bytes
  if (g + kBlocksAhead >= blocks.fetched) return;
  const char* const block = reinterpret_cast<const char*>(blocks.block + g + kBlocksAhead);
  for (std::size_t at = 0; at < sizeof(DiskBlock); at += kLine) __builtin_prefetch(block + at, 1);
}

/// Motions of the bodies b of a later block, and their sums. Each a was a b before.
SCREE_WIDE void fetch_bodies(const BodiesIn& bodies, const DiskBlocks& blocks, std::uint32_t g) {
  if (g + kBodiesAhead >= blocks.fetched) return;
  const DiskBlock& block = blocks.block[g + kBodiesAhead];
  for (int k = 0; k < DiskBlock::kContacts; ++k) {
    __builtin_prefetch(reinterpret_cast<const char*>(bodies.position) + block.b[k]);
    __builtin_prefetch(reinterpret_cast<const char*>(bodies.velocity) + block.b[k]);
    __builtin_prefetch(reinterpret_cast<const char*>(blocks.sum) + block.sum_b[k], 1);
  }
}

}  // namespace scree::soft::lanes
