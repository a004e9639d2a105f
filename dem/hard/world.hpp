#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broadphase/pair.hpp"
#include "dem/energy_balance.hpp"
#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/boxes/event_queue.hpp"
#include "dem/hard/boxes/exit_calendar.hpp"
#include "dem/hard/boxes/neighbourhood.hpp"
#include "dem/hard/counters.hpp"
#include "dem/hard/disk/rule_table.hpp"
#include "dem/hard/disk/wells.hpp"
#include "dem/hard/events/part.hpp"
#include "dem/hard/events/rebasing.hpp"
#include "dem/hard/events/recorder.hpp"
#include "dem/hard/events/walls.hpp"
#include "dem/hard/events/watchdog.hpp"
#include "dem/hard/flight/compression.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/outcome.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/hard/grain_kinds.hpp"
#include "dem/hard/view.hpp"
#include "dem/state.hpp"

/// What the event loop works on: plain data, a member a room. All that is done to it is a function over it: the events
/// (event_loop), boxes and calendars (placing), the clock (epochs), what a part of it needs (threads/parts).
namespace scree::hard {

/// What the trajectory depends on, and what is counted and measured along it.
struct Flights {
  /// @throws InvalidScene if the setup makes no sense
  explicit Flights(const Setup& setup);
  /// These disks alone, in this order; measures nothing and keeps all changes. @param as what it needs as one
  Flights(const Flights& whole, std::span<const Index> members, Part as);

  Space space;
  RuleTable rules;
  Walls walls;
  Disks disks;
  Wells wells;
  Compression compression;
  Rebasing rebasing;
  Watchdog watchdog;
  Recorder recorder;
  EnergyBalance energy;
  Counters counters;
  std::vector<Departure> departures;
  double time = 0.0;         ///< [s]
  double now = 0.0;          ///< on the clock: of the event under way [s]
  std::optional<Part> part;  ///< if this is one

  double now_on_clock() const { return rebasing.clock().at(time); }  ///< of `time` [s]
  double present() const { return rebasing.clock().epoch() + now; }  ///< of the event under way [s]
  /// Rather than in the cache: then it is worth while to load ahead what events and moves of boxes will read.
  bool is_in_memory() const { return disks.size() > kMostInCache; }
  std::string name_and_speed(Index i) const;
  /// @throws PhysicsError, always; the time is then that of the event under way
  [[noreturn]] void stop(const std::string& why);

  /// What an event did, for what measures. @param i whose event it was
  void record(Index i, const Event& event, const Outcome& outcome) {
    if (!recorder.records()) return;
    recorder.record(i, event, outcome, now, walls, space, disks);
    if (recorder.asks_when()) recorder.record_when(i, event, outcome, present(), disks);
  }

  // What a cell that deforms needs.

  /// Before disk i begins another flight.
  void end_flight(Index i) {
    if (space.cell.exists()) space.cell.add_flight(disks.flight(i), disks.mass(i), now, recorder.cell_sums());
  }
  /// Until now, of flights that go on, too.
  CellSums cell_sums() const;
  /// After loading. @throws InvalidState
  void resume_cell();
  /// Disks that are squeezed more and more have more and more collisions, until none of the cell's strain is left. That
  /// ends the run before. @param changes of velocity since the clock was rebased the last time but one
  void require_no_jam(std::uint64_t changes);
};

/// What finds which disks may collide: a broadphase, or the cells of the hard mode.
template <class B>
struct NeighbourhoodOf {
  using Type = Neighbourhood<B>;
};
template <>
struct NeighbourhoodOf<DiskCells> {
  using Type = DiskCells;
};
template <class B>
using NeighbourhoodBy = typename NeighbourhoodOf<B>::Type;
template <class B>
concept FindsNeighbours = Broadphase<B, 2> || std::same_as<B, DiskCells>;

/// Cells that deform have images that move, which DiskCells do not have.
template <class B>
inline constexpr bool kCanDeform = !std::same_as<B, DiskCells>;

/// Flights, and what is made anew from them at any time: boxes and events. No trajectory depends on these.
template <FindsNeighbours B, EventQueue Q, class K = OfDisks>
struct World : Flights {
  /// Without boxes: place_boxes is next. @throws InvalidScene if the setup makes no sense, or disks are too small for
  /// their coordinates
  explicit World(const Setup& setup);
  /// A part of another one: threads/parts.hpp. Without boxes.
  World(const World& whole, std::span<const Index> members, const Part& as)
      : Flights(whole, members, as),
        neighbourhood(space.domain, whole.neighbourhood.boxes().margin()),
        margin(whole.margin) {}

  NeighbourhoodBy<B> neighbourhood;
  double margin;       ///< of the setup [m]
  double reach = 1.0;  ///< times the radius: what boxes cover
  ExitCalendar exits;
  Q queue;

  bool has_boxes() const { return queue.size() > 0 || disks.size() == 0; }
};

/// The fastest for disks of similar sizes.
using DiskWorld = World<DiskCells, BucketQueue>;

template <FindsNeighbours B, EventQueue Q, class K>
View view(const World<B, Q, K>& world) {
  return {world.space,       world.disks, world.neighbourhood.boxes(), world.walls, world.wells,
          world.compression, world.time,  world.now_on_clock()};
}

template <FindsNeighbours B, EventQueue Q, class K>
typename K::Handlers handlers(World<B, Q, K>& world) {
  return {world.space, world.rules, world.walls, world.compression, world.disks, world.wells};
}

template <FindsNeighbours B, EventQueue Q, class K>
typename K::Predictor predictor(const World<B, Q, K>& world) {
  const Predictor of_disks = {world.space, world.disks,       world.neighbourhood.boxes(), world.walls,
                              world.wells, world.compression, world.queue.events()};
  if constexpr (K::kHaveForms) {
    return {of_disks, world.rebasing, world.reach};
  } else {
    return of_disks;
  }
}

// Events of one disk: Lubachevsky 1991, Fig. 6.1, by line.

template <FindsNeighbours B, EventQueue Q, class K>
void set_event(World<B, Q, K>& world, Index i, const Event& event) {
  world.queue.schedule(i, event);
  world.disks.set_event_time(i, event.time);
}

/// The new event of i: Fig. 6.1, lines 16 to 23.
template <FindsNeighbours B, EventQueue Q, class K>
[[gnu::always_inline]] inline void schedule(World<B, Q, K>& world, Index i, const Event& next) {
  set_event(world, i, next);
  if (!next.collides()) return;
  const Index j = next.partner(i);
  const Event given_up = world.queue[j];
  set_event(world, j, next);
  if (given_up.collides()) world.queue.turn_into_advancement(given_up.partner(j));
}

/// Instead of the event that i has, which may be the same.
template <FindsNeighbours B, EventQueue Q, class K>
void reschedule(World<B, Q, K>& world, Index i, const Event& next) {
  const Event given_up = world.queue[i];
  if (next == given_up) return;
  if (given_up.collides()) world.queue.turn_into_advancement(given_up.partner(i));
  schedule(world, i, next);
}

/// An advancement now instead: the loop does the rest.
template <FindsNeighbours B, EventQueue Q, class K>
void invalidate_event(World<B, Q, K>& world, Index i) {
  const Event given_up = world.queue[i];
  if (given_up.collides()) world.queue.turn_into_advancement(given_up.partner(i));
  set_event(world, i, Event::advancement(world.now, i));
}

}  // namespace scree::hard
