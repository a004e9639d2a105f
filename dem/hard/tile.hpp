#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dem/hard/change.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/hard/strips.hpp"

namespace scree::hard {

/// Which tile owns each disk.
using Owners = std::vector<std::uint32_t>;

/// The disks of a strip, and copies of those in a halo around it, simulated as if there were no others. What becomes of
/// the strip's own disks is right if what became of the copies that came near to them is.
///
/// Calls alternate with those of the other tiles: `hand_over`, `run`, `agrees`. Each may be made for all tiles at
/// once.
class Tile {
 public:
  /// @param halo how far beyond the strip disks are copied [m]
  Tile(const Simulation& whole, const Strips& strips, std::size_t number, double halo, const Owners& owners);

  /// Finds where its disks are. Own ones that are in another strip now belong to its tile, if that has room for them.
  void hand_over(const Simulation& whole, std::span<const Tile> all, Owners& owners);
  /// From the state of the whole until then. @return false if that failed: what it did means nothing
  bool run(const Simulation& whole, const Owners& owners, double until);
  /// Whether disks of others that came within a contact distance of own ones did the same in the tiles that own them,
  /// to the last bit. @param contact the greatest distance of centres at which two disks touch [m] @pre all have run
  bool agrees(std::span<const Tile> all, const Owners& owners, double contact) const;

  /// What own disks did, in order, in names of the whole; what two tiles know of, only where the lower disk is owned.
  std::size_t count() const { return own_changes_.size(); }
  const Change& change(std::size_t k) const { return log()[own_changes_[k]]; }
  const Counters& counters() const { return part_.counters(); }

 private:
  enum class Role : std::uint8_t { absent, copy, own };
  static constexpr std::uint32_t kNone = 0xffffffff;

  const std::vector<Change>& log() const { return part_.changes(); }
  std::optional<Index> place_of(Index in_whole) const;
  void begin(const Simulation& whole, const Owners& owners);
  void read_log();
  void note(Index i, std::uint32_t change, std::uint32_t side);
  bool does_the_same(Index i, const Tile& other, Index there) const;

  const Strips* strips_;
  std::size_t number_;
  double halo_;
  std::vector<Index> members_;  // in the whole, ascending: so ties have the same order here
  Simulation part_;
  std::vector<Role> roles_;
  std::vector<double> shifts_;       // whole periods that bring a disk to the strip [m]
  std::vector<Stretch> ways_;        // where each disk was
  Stretch own_way_;                  // where own disks were
  std::vector<Index> outer_;         // own disks that were near to other strips
  std::vector<std::uint32_t> last_;  // change of each disk, twice its number in the log, and 1 more for the partner
  std::vector<std::array<std::uint32_t, 2>> previous_;  // by change: those of its disks before
  std::vector<std::uint32_t> own_changes_;
};

}  // namespace scree::hard
