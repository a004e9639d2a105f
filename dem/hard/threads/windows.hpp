#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dem/hard/counters.hpp"
#include "dem/hard/events/strips.hpp"
#include "dem/hard/threads/tile.hpp"
#include "dem/hard/world.hpp"
#include "parallel/threads.hpp"

namespace scree::hard {

struct WindowOptions {
  int threads = 1;               ///< 0: as many as there are cores
  int tiles = 0;                 ///< 0: as many as there are threads
  double halo = 5.0;             ///< greatest diameters
  double mean_free_times = 1.0;  ///< that a window lasts, at most
};

/// Advances a simulation of the hard mode on several threads, with the bits of one.
///
/// No event is safe from those far away: a chain of disks in contact passes momentum on at once. But that is rare. So
/// the domain is divided into strips, and each tile, a strip and copies of the disks in a halo around it, is
/// simulated alone for a window of about a mean free time. Then the tiles are compared. If all copies that came
/// within a contact distance of where a tile's own disks were did in it exactly what they did in the tile that owns
/// them, and no disk came there that the tile does not have, then the own disks did what they do in the serial run:
/// the first event in which they differed from it would be of two disks of which each was simulated rightly until then
/// in a tile that has both. The same holds until the first moment at which a copy did something else: so the window is
/// cut there, and the tiles go back to that moment; so it is where a tile stops, since disks collapse there and there
/// is no end of its events. If nothing is left of it windows become shorter, and at last the run is serial for a while.
///
/// What own disks did is what they do in the whole. Sums of energies have their bits if changes are added in their
/// order. Where something is measured, or the clock is to be rebased, the changes are repeated in the whole one by one.
///
/// Serial throughout: scenes with growth, wells, open sides, or walls that move or are removed; domains less than
/// 8 halos long.
///
/// Source: B. D. Lubachevsky, J. Comput. Phys. 94 (1991) 255, section 9; speculation and its check are ours.
/// Memory: for each thread its share of the boxes and events, its halo, and 144 bytes for each change in a window. Two
/// threads have 920 bytes a disk at 10^4, one has 330.
class Windows {
 public:
  explicit Windows(const WindowOptions& options);

  /// As BasicSimulation::advance_to, but that it stops between windows only. The boxes of the whole are given up as
  /// long as it is divided.
  void advance_to(DiskWorld& whole, double time, std::uint64_t at_most = ~std::uint64_t{0});

  /// Why it advances this one as the serial run would; empty if it does not.
  std::string why_serial(const DiskWorld& whole) const;

  int threads() const { return threads_.count(); }
  /// At most.
  int tiles() const { return options_.tiles > 0 ? options_.tiles : threads_.count(); }
  const WindowCounts& counts() const { return counts_; }  ///< so far

 private:
  struct Division {
    Strips strips;
    Owners owners;
    std::vector<Tile> tiles;
  };

  /// Not if the whole has gone on otherwise since.
  bool is_divided(const DiskWorld& whole) const { return division_ && !whole.has_boxes(); }
  TileWidths widths(const DiskWorld& whole) const;
  Strips strips(const DiskWorld& whole) const;
  bool divide(DiskWorld& whole);
  void advance_by_a_window(DiskWorld& whole, double time);
  double run_tiles(const DiskWorld& whole, double until);
  bool take_over(DiskWorld& whole, double until);
  std::span<const KeptChange> merge();
  void choose_width(double duration, std::uint64_t changes, std::uint64_t disks);

  WindowOptions options_;
  Threads threads_;
  std::unique_ptr<Division> division_;  // none if the whole has boxes
  std::vector<KeptChange> merged_;
  double width_ = 0.0;  // of the next window [s]; 0: not known yet
  double mean_free_times_;
  int failures_ = 0;  // windows of which little was left, one after the other
  WindowCounts counts_;
};

}  // namespace scree::hard
