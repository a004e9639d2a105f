#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dem/hard/events/change.hpp"
#include "dem/hard/events/strips.hpp"
#include "dem/hard/world.hpp"

namespace scree::hard {

/// Which tile owns each disk.
using Owners = std::vector<std::uint32_t>;

/// Lengths that tiles have in common [m].
struct TileWidths {
  double contact;  ///< greatest distance of centres at which two disks touch
  double halo;     ///< so far beyond the strip disks are copied
  double border;   ///< so far inside it the strip's own disks are watched
};

/// The disks of a strip, and copies of those in a halo around it, simulated as if there were no others. What becomes of
/// the strip's own disks is right as long as what becomes of the copies that came near to them is.
///
/// Only disks near the borders are watched: copies, and own disks whose boxes are not in the inner part of the strip.
///
/// Calls alternate with those of the other tiles: `hand_over`, `run`, `agrees_until`; `cut` if they do not agree until
/// the end; `write_back`, if the whole does not get there otherwise; and after a cut `resume`. Each may be made for all
/// tiles at once.
class Tile {
 public:
  Tile(const DiskWorld& whole, const Strips& strips, std::size_t number, const TileWidths& widths,
       const Owners& owners);

  /// Finds where watched disks are. Own ones that are in another strip now belong to its tile, if that has copies.
  void hand_over(const DiskWorld& whole, std::span<const Tile> all, Owners& owners);
  /// From the state of the whole until then, or until so many events that something is wrong: where disks collapse
  /// there is no end of them. @return false if that failed: what it did means nothing
  bool run(const DiskWorld& whole, const Owners& owners, double until);
  /// Until when disks of others that came within a contact distance of own ones did the same in the tiles that own
  /// them, to the last bit, and until it stopped; kNever if they all did, always, and it did not [s on the clock].
  /// @pre all have run
  double agrees_until(std::span<const Tile> all, const Owners& owners) const;
  /// What it did from that moment on has not happened [s on the clock]. @pre changes have no names of the whole yet
  void cut(const DiskWorld& whole, double moment);
  /// Own disks of the whole are as they became here.
  void write_back(DiskWorld& whole) const;
  /// Back to where the whole is: where it was cut.
  void resume(const DiskWorld& whole);

  /// Counters of own disks; an event of two tiles is counted by that of the lower disk.
  const Counters& counters() const { return counters_; }
  /// Whether energy was lost or gained.
  bool has_losses() const { return has_losses_; }
  /// Of own disks.
  const Rebasing::Haste& haste() const { return haste_; }
  /// What own disks did, in order. @pre name_changes
  std::span<const KeptChange> changes() const { return own_changes_; }
  /// Gives all changes the names of the whole.
  void name_changes();
  /// How many changes of disk i (in the whole), others' included, came at the same time before that one.
  /// @pre name_changes
  std::size_t changes_at_once_before(std::size_t k, Index i) const;

 private:
  enum class Role : std::uint8_t { absent, copy, own };
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint32_t kScans = 4;  // windows between two of them

  const std::vector<Change>& log() const { return world_.recorder.changes(); }
  std::optional<Index> place_of(Index in_whole) const;
  bool has(Index in_whole) const;
  bool is_inner(Index i) const;
  void watch(Index i, const Stretch& way);
  void find_copies(const DiskWorld& whole);
  void begin(const DiskWorld& whole, const Owners& owners, double until);
  void watch_strayed();
  void read_log();
  void count(const DiskWorld& whole);
  bool owns(const Change& change) const;
  void note(Index i, std::uint32_t change, std::uint32_t side);
  double same_until(Index i, const Tile& other, Index there) const;

  const Strips* strips_;
  std::size_t number_;
  TileWidths widths_;
  std::vector<Index> members_;  // in the whole, ascending: so ties have the same order here
  DiskWorld world_;
  std::vector<Role> roles_;
  std::vector<Index> watched_;  // disks
  std::vector<std::uint8_t> is_watched_;
  std::vector<double> shifts_;       // of watched disks: whole periods that bring them to the strip [m]
  std::vector<Stretch> ways_;        // where each of them was
  Stretch own_way_;                  // where own disks were
  std::vector<std::uint32_t> last_;  // change of each watched disk, twice its number in the log, and 1 for the partner
  std::vector<std::array<std::uint32_t, 2>> previous_;  // by change: those of its disks before
  std::vector<KeptChange> own_changes_;
  std::vector<Index> undone_;  // disks whose changes were cut off, ascending
  Counters counters_;
  bool has_losses_ = false;
  Rebasing::Haste haste_;
  double stopped_at_ = kNever;    // before the end of the window [s on the clock]
  std::uint32_t until_scan_ = 0;  // windows
};

}  // namespace scree::hard
