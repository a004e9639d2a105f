#pragma once

#include <cstdint>

#include "dem/hard/flight/outcome.hpp"

namespace scree::hard {

/// Events so far.
struct Counters {
  std::uint64_t collisions = 0;    ///< of two disks
  std::uint64_t wall_hits = 0;     ///< of a disk and a wall or a side of the domain
  std::uint64_t crossings = 0;     ///< of a well's edge, and bounces off it
  std::uint64_t box_exits = 0;     ///< new boxes of disks, and of walls that move; cost only
  std::uint64_t advancements = 0;  ///< cost only
  std::uint64_t made_elastic = 0;  ///< collisions and hits of polygons that the contact duration let lose nothing

  void count(Outcome::Kind kind) {
    ++(kind == Outcome::Kind::collision ? collisions : kind == Outcome::Kind::wall_hit ? wall_hits : crossings);
  }
};

/// Windows of a run on several threads so far (dem/hard/threads/windows.hpp).
struct WindowCounts {
  std::uint64_t windows = 0;    ///< in which all tiles agreed
  std::uint64_t cut_short = 0;  ///< since they did not, always
  std::uint64_t serial = 0;     ///< at last
};

}  // namespace scree::hard
