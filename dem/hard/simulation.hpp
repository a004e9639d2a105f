#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/hard/event_loop.hpp"
#include "dem/hard/observe.hpp"
#include "dem/hard/world.hpp"
#include "dem/periodic.hpp"
#include "dem/shapes.hpp"
#include "dem/simulation.hpp"
#include "dem/state.hpp"

namespace scree::hard {

/// Event-driven hard disks, or polygons and disks: free flight between instantaneous collisions. A world, what is done
/// to it from outside, and what is shown of it; its events are the loop's (event_loop.hpp).
///
/// Some 300 bytes a disk; docs/performance.md.
template <FindsNeighbours B, EventQueue Q, class K = OfDisks>
class BasicSimulation {
 public:
  /// @throws InvalidScene if the setup makes no sense, names disks that overlap, or disks that are too small for their
  ///         coordinates
  explicit BasicSimulation(const Setup& setup);

  double time() const { return world_.time; }  ///< [s]
  bool has_reached(double time) const { return world_.time >= time; }
  bool is_over() const { return false; }
  std::uint64_t particles() const { return world_.disks.present(); }
  /// At most so many events; the time is then that of the last one, before `time`.
  /// @throws PhysicsError if time stands still: infinitely many collisions in no time, or so little time in 100 changes
  ///         of velocity a disk that `time` is 1e12 of them a disk away, or less than 1e-6 of the contact duration; or
  ///         if disks are too fast for the clock. The time is then that of the last event.
  void advance_to(double time, std::uint64_t at_most = ~std::uint64_t{0}) {
    world_.watchdog.aim_at(time);
    advance(world_, time, at_most);
  }
  /// A copy, positions inside the domain along periodic axes.
  State state() const;
  Summary summary() const;
  std::vector<Departure> take_departures() { return std::exchange(world_.departures, {}); }
  /// Since the last call, in their order; none unless the setup lists them.
  std::vector<Collision> take_collisions() { return world_.recorder.take_collisions(); }
  /// Empty unless the setup measures.
  const Transfers& transfers() const { return world_.recorder.transfers(); }

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

  const Counters& counters() const { return world_.counters; }
  /// Pairs of disks, or of one disk and another's periodic image, inside each other's well.
  std::size_t pairs_in_wells() const { return world_.wells.pairs.size(); }
  /// How often each disk went around.
  std::vector<Image> images() const { return hard::images(view(world_)); }
  double packing_fraction() const { return hard::packing_fraction(view(world_)); }
  /// p A / (N kT) between the last two rescalings of growing disks; 0: not measured yet.
  double reduced_pressure() const { return world_.compression.reduced_pressure(); }
  bool grows() const { return world_.compression.grows(); }
  /// Growth has ended by the pressure. Then contacts and coordination are those of the backbone; rattlers have none.
  bool has_jammed() const { return world_.compression.has_jammed(); }
  /// Disks and sides nearer to each other than a part of the distance of centres at which they touch.
  /// @param gap below 1e-3; in a jammed packing, some tens over the reduced pressure
  std::vector<PackingContact> contacts(double gap) const { return hard::contacts(view(world_), gap); }
  /// Backbone of a jammed packing: the disks whose gaps are at most `greatest_gap`.
  Backbone backbone() const { return hard::backbone(view(world_)); }
  /// Nothing if disks never grew.
  std::optional<Packing> packing() const { return hard::packing(view(world_)); }
  /// @throws PhysicsError if disks overlap each other or walls by more than rounding explains, or a disk is outside its
  /// box or the domain.
  /// O(N^2): all pairs are checked, not only partners.
  void audit() const;

  /// For what advances it otherwise: threads/windows.hpp.
  World<B, Q, K>& world() { return world_; }
  const World<B, Q, K>& world() const { return world_; }

 private:
  template <class Archive, class WorldOrConst, class DisksOfIt>
  static void visit(Archive& archive, WorldOrConst& world, DisksOfIt& disks);

  World<B, Q, K> world_;
};

/// The fastest for disks of similar sizes. Others: world_kinds.hpp.
using Simulation = BasicSimulation<DiskCells, BucketQueue>;
/// Simulation of polygons, and of disks among them.
using PolygonSimulation = BasicSimulation<DiskCells, BucketQueue, OfPolygons>;
static_assert(AnySimulation<Simulation> && AnySimulation<PolygonSimulation>);

}  // namespace scree::hard
