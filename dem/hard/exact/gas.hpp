#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dem/archive.hpp"
#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/boxes/event_queue.hpp"
#include "dem/hard/boxes/exit_calendar.hpp"
#include "dem/hard/exact/grid.hpp"
#include "dem/hard/exact/integers.hpp"
#include "dem/hard/exact/losses.hpp"
#include "dem/hard/exact/tick_map.hpp"
#include "dem/scene/domain.hpp"

namespace scree::hard::exact {

/// Disks at one tick, by number.
struct Snapshot {
  std::vector<Vector> position;  ///< inside the domain [units]
  std::vector<Vector> velocity;  ///< [units a tick]
  std::vector<std::array<std::int32_t, 2>> image;

  bool operator==(const Snapshot&) const = default;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(fixed(self.position), fixed(self.velocity), fixed(self.image));
  }
};

/// What a gas starts from.
struct GasSetup {
  Grid grid;
  Domain domain;                            ///< sides are reflecting or periodic
  std::vector<std::int64_t> radius;         ///< [units]
  std::vector<Vector> position;             ///< inside the domain [units]
  std::vector<Vector> velocity;             ///< [units a tick]
  std::vector<std::int32_t> material = {};  ///< of each disk; empty: all 0
  /// Restitution of material a with b, in [Contraction::kLeast, 1]: number a times number of materials + b; empty:
  /// all 1.
  std::vector<double> restitution = {};
  double margin = 0.0;  ///< of boxes [m]; 0: chosen. Changes the cost, never the result
};

/// A gas of smooth disks of equal mass in whole numbers, which can be turned round at any tick and then goes back
/// through all its states, bit for bit, without having remembered any. Where disks are not elastic, it keeps what
/// restitution takes, some bits a collision (loss.hpp).
///
/// Positions, velocities and time are whole. In a tick all disks fly one velocity further; before that those that would
/// overlap, or leave the domain, change their velocities as the map of one tick says (tick_map.hpp), which is its own
/// inverse but for the sign of velocities. This class finds the next tick at which anything changes (Lubachevsky's
/// event loop), so that the ticks between cost nothing.
///
/// N finds neighbours: DiskCells, or Neighbourhood with a broadphase. All give the same bits.
template <class N, EventQueue Q>
class Gas {
 public:
  /// @throws InvalidScene if disks are too wide for a periodic side, or overlap
  explicit Gas(const GasSetup& setup);

  const Grid& grid() const { return grid_; }
  std::size_t size() const { return disks_.size(); }
  std::int64_t radius(Index i) const { return radius_[i]; }
  /// Ticks since the start, fewer again while time runs backward.
  std::int64_t tick() const { return origin_ + (runs_backward_ ? -clock_ : clock_); }
  bool runs_backward() const { return runs_backward_; }
  /// Whether velocities have been reversed an odd number of times, without those when time was turned.
  bool is_reversed() const { return tick_is_over_ != runs_backward_; }
  const Tally& tally() const { return tally_; }
  std::uint64_t box_exits() const { return box_exits_; }
  bool loses() const { return losses_.exist(); }
  /// Kept of all collisions since the start, with the marks of exceptions.
  std::uint64_t kept_bits() const { return losses_.bits(); }
  const Losses& losses() const { return losses_; }

  /// Goes on by so many ticks, or by at most so many events of the queue. @return whether all ticks are over
  /// @throws InvalidState where a gas that was loaded cannot have been
  bool advance(std::int64_t ticks, std::uint64_t at_most = ~std::uint64_t{0});
  /// All velocities are reversed now; time goes on.
  void reverse();
  /// Time runs the other way from now on: the gas goes back through its states. What counts collisions counts down.
  void turn_back();

  /// With the velocities as they are when time runs forward.
  Snapshot snapshot() const;
  /// Twice the kinetic energy over the mass of a disk, exactly [units^2 / ticks^2].
  Int128 energy() const;
  /// Called with each encounter, and the disks after it.
  using Listener = std::function<void(const Encounter&, const Cluster&)>;
  void set_listener(Listener listener) { listener_ = std::move(listener); }

  /// A disk and another one, or itself and a side, from whose positions and velocities no run can go on, since they
  /// cannot have come there: they overlap, or did so a tick before. O(N)
  std::optional<std::array<Index, 2>> first_unsound() const;
  /// Invariants, O(N^2): disks are outside each other, inside the domain and their boxes, and not too fast.
  /// @throws std::logic_error
  void audit() const;

  void save(OutArchive& archive) const;
  void load(InArchive& archive);

 private:
  struct FlyingDisk {
    Vector position;  // at `since`, inside the domain
    Vector velocity;
    std::int64_t since;  // on the clock
  };

  Vector position(const FlyingDisk& disk, std::int64_t now) const {
    return grid_.wrapped(disk.position + disk.velocity * (now - disk.since)).position;
  }
  Vector position(Index i, std::int64_t now) const { return position(disks_[i], now); }
  void synchronize(Index i, std::int64_t now);
  void move_to(Index i, const Vector& position);
  void begin_clock();
  void place_boxes();
  void plan_exits(std::int64_t now);
  void predict_all();
  void negate_velocities();
  double box_exit(Index i, std::int64_t now) const;
  bool stays_in_box(Index i, std::int64_t now, double time) const;
  std::size_t leave_boxes();
  void leave_box(Index i, std::int64_t now);
  /// The least of `best` and what comes to i by itself.
  Event next_event(Index i, std::int64_t now, Event best) const;
  Event next_collision(Index i, std::int64_t now, std::span<const Partner> partners, Event best) const;
  void schedule(Index i, const Event& event);
  void gather(Index i, std::int64_t now);
  void find_bystanders(std::int64_t now);
  void encounter(Index i, std::int64_t now);

  Grid grid_;
  std::vector<std::int64_t> radius_;
  Losses losses_;
  std::vector<FlyingDisk> disks_;
  std::vector<std::array<std::int32_t, 2>> image_;
  N neighbourhood_;
  std::vector<Vector> box_centre_;
  ExitCalendar exits_;
  Q queue_;
  std::int64_t clock_ = 0;   // of events: goes forward only
  std::int64_t passed_ = 0;  // the last tick at which anything happened, on the clock
  std::int64_t origin_ = 0;  // tick at which the clock was 0
  bool runs_backward_ = false;
  /// Whether the events of a tick belong to the time before it. This changes whenever velocities are reversed, so that
  /// both ways each tick happens once.
  bool tick_is_over_ = false;
  Tally tally_;
  std::uint64_t box_exits_ = 0;
  Cluster cluster_;
  std::vector<Index> members_;
  std::vector<Bystander> bystanders_;
  Listener listener_;
};

}  // namespace scree::hard::exact
