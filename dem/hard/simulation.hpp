#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broadphase/pair.hpp"
#include "dem/bodies.hpp"
#include "dem/energy_balance.hpp"
#include "dem/hard/audit.hpp"
#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/boxes/event_queue.hpp"
#include "dem/hard/boxes/exit_calendar.hpp"
#include "dem/hard/boxes/neighbourhood.hpp"
#include "dem/hard/disk/handlers.hpp"
#include "dem/hard/disk/predictor.hpp"
#include "dem/hard/disk/rule_table.hpp"
#include "dem/hard/disk/wells.hpp"
#include "dem/hard/events/part.hpp"
#include "dem/hard/events/rebasing.hpp"
#include "dem/hard/events/recorder.hpp"
#include "dem/hard/events/walls.hpp"
#include "dem/hard/events/watchdog.hpp"
#include "dem/hard/flight/compression.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/hard/grain_kinds.hpp"
#include "dem/hard/observe.hpp"
#include "dem/hard/view.hpp"
#include "dem/periodic.hpp"
#include "dem/shapes.hpp"
#include "dem/simulation.hpp"
#include "dem/state.hpp"

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

/// What tells which disks may collide: a broadphase, or the cells of the hard mode.
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

/// Event-driven hard disks, or polygons and disks: free flight between instantaneous collisions.
///
/// The algorithm is Lubachevsky's with delayed update (1991, Fig. 6.1). Each disk has an old event, the flight it is
/// on, and a new one, the earliest that is known to end it; both partners of a collision have it as their new event.
/// The new event of a disk that was processed is found among its partners, except those that have an earlier one. The
/// partner is taken away from a third disk, whose event becomes an advancement: then its next event is found anew.
///
/// Only events that change a velocity, and the rebasing of the clock, after a fixed number of them or when a disk may
/// have flown too far, rewrite a disk's flight, and predictions are functions of flights alone. So the trajectory is
/// the same to the last bit for any broadphase, queue, margin and output interval, and across save and load.
///
/// This class owns the rooms and orders the event loop. Only what depends on broadphase, queue and kind of grains is a
/// template. What is said of disks holds for grains of any kind; their radii are then those of their bounding circles.
///
/// Cost an event: O(1) with BucketQueue, O(log N) with ImplicitHeap, and the broadphase's move when a disk leaves its
/// box. Some 300 bytes a disk; docs/performance.md.
template <FindsNeighbours B, EventQueue Q, class K = OfDisks>
class BasicSimulation {
 public:
  /// @throws InvalidScene if the setup makes no sense, names disks that overlap, or disks that are too small for their
  ///         coordinates
  explicit BasicSimulation(const Setup& setup);

  double time() const { return time_; }  ///< [s]
  bool has_reached(double time) const { return time_ >= time; }
  bool is_over() const { return false; }
  std::uint64_t particles() const { return disks_.present(); }
  /// At most so many events; the time is then that of the last one, before `time`.
  /// @throws PhysicsError if time stands still: infinitely many collisions in no time, or so little time in 100 changes
  ///         of velocity a disk that `time` is 1e12 of them a disk away, or less than 1e-6 of the contact duration; or
  ///         if disks are too fast for the clock. The time is then that of the last event.
  void advance_to(double time, std::uint64_t at_most = ~std::uint64_t{0}) {
    aim_at(time);
    advance(time, at_most);
  }
  /// The time that the run is to reach, by which it is told whether time stands still.
  void aim_at(double time) { watchdog_.aim_at(time); }
  /// As advance_to, on the way to the time that was aimed at.
  void advance(double time, std::uint64_t at_most = ~std::uint64_t{0});
  /// A copy, positions inside the domain along periodic axes.
  State state() const;
  Summary summary() const;
  std::vector<Departure> take_departures() { return std::exchange(departures_, {}); }
  /// Empty unless the setup measures.
  const Transfers& transfers() const { return recorder_.transfers(); }

  /// Whether a grain would overlap no wall and none of those that are there now.
  /// @pre its centre is inside the domain
  bool has_room_for(const ShapeView& shape, const Pose& pose) const;
  /// Whether there is room for a disk.
  bool has_room_for(const Vec2& position, double radius) const;
  /// A disk begins to fly now. @pre there is room for it, and no event until now is left
  void add(const NewDisk& disk);
  /// All velocities and spins are reversed now: elastic disks retrace their paths, as far as rounding lets them.
  /// Walls go on as they do. @pre nothing grows, and no event until now is left
  void reverse();
  /// From outside: gives disks other velocities (x, y, angular) [m/s, rad/s] now. Their flights end and others begin,
  /// as in a collision; no event is counted, free flights that are not over are not measured, and a contact duration
  /// has no contacts. The energy that this brings counts as energy_in.
  /// @return the first id that no disk has; then nothing has changed
  /// @throws InvalidScene while disks grow, whose velocities follow from the energy of the start
  /// Cost: O(N log N): boxes and events are made anew
  std::optional<std::uint64_t> set_velocities(std::span<const std::uint64_t> ids, std::span<const Motion> velocities);

  void save(std::ostream& out) const;
  void load(std::istream& in);
  void list_values(StateValues& values) const;

  const Counters& counters() const { return counters_; }
  /// Pairs of disks, or of one disk and another's periodic image, inside each other's well.
  std::size_t pairs_in_wells() const { return wells_.pairs.size(); }
  /// How often each disk went around.
  std::vector<Image> images() const { return hard::images(view()); }
  double packing_fraction() const { return hard::packing_fraction(view()); }
  /// p A / (N kT) between the last two rescalings of growing disks; 0: not measured yet.
  double reduced_pressure() const { return compression_.reduced_pressure(); }
  bool grows() const { return compression_.grows(); }
  /// Growth has ended by the pressure. Then contacts and coordination are those of the backbone; rattlers have none.
  bool has_jammed() const { return compression_.has_jammed(); }
  /// Disks and sides nearer to each other than a part of the distance of centres at which they touch.
  /// @param gap below 1e-3; in a jammed packing, some tens over the reduced pressure
  std::vector<PackingContact> contacts(double gap) const { return hard::contacts(view(), gap); }
  /// Backbone of a jammed packing: the disks whose gaps are at most `greatest_gap`.
  Backbone backbone() const { return hard::backbone(view()); }
  /// Nothing if disks never grew.
  std::optional<Packing> packing() const { return hard::packing(view()); }
  /// @throws PhysicsError if disks overlap each other or walls by more than rounding explains, or a disk is outside its
  /// box or the domain.
  /// O(N^2): all pairs are checked, not only partners.
  void audit() const;

  // A simulation in parts: dem/hard/threads/windows.hpp. Its disks are kept here, boxes and events in the parts.

  const Disks& disks() const { return disks_; }
  const Space& space() const { return space_; }
  const Rebasing& rebasing() const { return rebasing_; }
  double now() const { return rebasing_.clock().at(time_); }  ///< on the clock [s]
  double last_event() const { return now_; }                  ///< its time on the clock, without rounding [s]
  /// How far disks may go from the centres of their boxes [m].
  double margin() const { return neighbourhood_.boxes().margin(); }
  /// Empty if what happens is of one disk or two near each other, and none comes or goes; else what does not let that
  /// be.
  std::string why_undivided() const;
  /// Whether what happens must be repeated one by one, since it is measured.
  bool measures() const { return recorder_.records(); }
  bool has_boxes() const { return queue_.size() > 0 || disks_.size() == 0; }
  /// Until something needs them again.
  void give_up_boxes();
  /// What has happened in parts until `time` happens here. @param changes in order
  /// @return false if the clock was rebased on the way: then nothing that comes later has happened
  bool repeat(std::span<const Change* const> changes, double time);
  /// Takes over a part in two calls, if the clock need not be rebased and nothing is measured: disk i is as disk
  /// `there` of a part is. For different disks at the same time.
  void take_over(Index i, const BasicSimulation& part, Index there) { disks_.take_in(i, part.disks_, there); }
  /// @param counters of what happened  @param deadline of the clock @param losses all changes in order, if any of them
  /// lost or gained energy
  void take_over(const Counters& counters, double deadline, std::span<const Change* const> losses, double time);

  // A part.

  /// A simulation of these disks alone, in this order, which goes on from now and keeps all changes. It never rebases
  /// its clock.
  BasicSimulation part(std::span<const Index> members, int axis, const Stretch& inner) const {
    return BasicSimulation(*this, members, axis, inner);
  }
  /// Since they were cleared.
  std::vector<Change>& changes() { return recorder_.changes(); }
  const std::vector<Change>& changes() const { return recorder_.changes(); }
  Part& as_part() { return *part_; }
  const Part& as_part() const { return *part_; }
  const Vec2& box_centre(Index i) const { return neighbourhood_.boxes().centre(i); }
  /// Disk i is not there any more.
  void leave_out(Index i);
  /// Disk i is now as disk `there` of the whole is.
  void take_in(Index i, const Disks& whole, Index there);
  /// All disks that are there go on as in the whole, which is at an earlier time. @param members by disk: its place
  /// there
  void resume(const BasicSimulation& whole, std::span<const Index> members);

 private:
  BasicSimulation(const BasicSimulation& whole, std::span<const Index> members, int axis, const Stretch& inner);
  void repeat(const Change& change);
  void require_boxes();
  bool renew_box(Index i);
  void let_be(Index i, const Event& event);
  static constexpr bool kCanDeform = !std::same_as<B, DiskCells>;
  using Predictor = typename K::Predictor;
  using Handlers = typename K::Handlers;

  // Events of one disk: Lubachevsky 1991, Fig. 6.1, by line.
  Handlers handlers() { return {space_, rules_, walls_, compression_, disks_, wells_}; }
  Predictor predictor() const {
    if constexpr (K::kHaveForms) {
      return {{space_, disks_, neighbourhood_.boxes(), walls_, wells_, compression_, queue_.events()}, rebasing_};
    } else {
      return {space_, disks_, neighbourhood_.boxes(), walls_, wells_, compression_, queue_.events()};
    }
  }
  void advance_until(double time, std::uint64_t at_most);
  void process(Index i, const Event& event, const Predictor& predictor, const Handlers& handlers);
  void account(Index i, const Event& event, const Outcome& outcome, const Predictor& predictor);
  void follow(Index i, const Predictor& predictor);
  void leave_domain(Index i);
  void schedule(Index i, const Event& next);
  void reschedule(Index i, const Event& next);
  void set_event(Index i, const Event& event);
  void invalidate_event(Index i);
  void invalidate_events();
  void stop_before(double time);

  // Boxes, which no flight depends on.
  std::size_t leave_boxes(const Predictor& predictor);
  void leave_box(Index i, const Predictor& predictor);
  void plan_exits();
  bool outgrows_the_cache() const { return disks_.size() > 1200; }  // of a core: some 400 bytes a disk
  bool is_in_memory() const { return disks_.size() > 30000; }       // mostly: boxes' moves wait for it
  void load_ahead(const Event& event) const;
  void load_ahead(std::span<const Index> leaving) const;

  // Events of all.
  double next_global_event() const {
    const double next = std::min(compression_.due(reach_), rebasing_.deadline());
    if constexpr (kCanDeform) return std::min(next, neighbourhood_.images_until());
    return next;
  }
  void carry_out_global_event();
  void update_wall();
  void rebase_clock(Index last);

  // What a cell that deforms needs.
  void require_cell() const;
  void resume_cell();
  void place_images();
  void move_images();
  void end_flight(Index i);
  CellSums cell_sums() const;
  void fit_boxes_to_cell(std::span<const double> radii);
  void require_no_jam(std::uint64_t changes);

  void rebase_flights();
  void rescale_velocities(double energy);
  void plan_rebasing();
  void grow_capacity();
  void place_boxes(std::size_t capacity);

  View view() const {
    const double now = rebasing_.clock().at(time_);
    return {space_, disks_, neighbourhood_.boxes(), walls_, wells_, compression_, time_, now};
  }
  double present() const { return rebasing_.clock().epoch() + now_; }  // of the event under way [s]
  double max_path() const;
  template <class Name>
  void count_box_exit(const Name& whose);
  std::string name_and_speed(Index i) const;
  [[noreturn]] void stop(const std::string& why);
  template <class Archive, class Self, class DisksOfSelf>
  static void visit(Archive& archive, Self& self, DisksOfSelf& disks);

  Space space_;
  RuleTable rules_;
  Walls walls_;
  Disks disks_;
  Wells wells_;
  Compression compression_;
  Rebasing rebasing_;
  Watchdog watchdog_;
  Recorder recorder_;
  EnergyBalance energy_;
  Counters counters_;
  std::vector<Departure> departures_;
  NeighbourhoodBy<B> neighbourhood_;
  double margin_;       // of the setup [m]
  double reach_ = 1.0;  // times the radius: what boxes cover
  ExitCalendar exits_;
  Q queue_;
  double time_ = 0.0;         // [s]
  double now_ = 0.0;          // on the clock: of the event under way [s]
  std::optional<Part> part_;  // if this is one
};

/// The fastest for disks of similar sizes. Other pairs of a broadphase and a queue are at the end of simulation.cpp.
using Simulation = BasicSimulation<DiskCells, BucketQueue>;
/// Simulation of polygons, and of disks among them.
using PolygonSimulation = BasicSimulation<DiskCells, BucketQueue, OfPolygons>;
static_assert(AnySimulation<Simulation> && AnySimulation<PolygonSimulation>);

}  // namespace scree::hard
