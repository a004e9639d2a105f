#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/kind.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/boxes/neighbourhood.hpp"
#include "dem/hard/exact/gas.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/state.hpp"
#include "dem/state_values.hpp"
#include "dem/transfers.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::hard::exact {

/// That a scene can be run in whole numbers. @throws InvalidScene that names the first key that cannot
void require_exact(const Scene& scene);

/// A scene of the event-driven mode in whole numbers: a Gas, in SI units. Between two ticks there is no time: what is
/// asked for at a time happens at the first tick not before it.
class Simulation {
 public:
  /// @param setup of the scene, which was found to be possible (require_exact)
  /// @throws InvalidScene if it has too many ticks, or disks too small for its ticks, or overlapping ones
  Simulation(const Scene& scene, const Setup& setup, BroadphaseKind kind);

  double time() const;  ///< [s]
  bool has_reached(double time) const;
  std::uint64_t particles() const { return radius_.size(); }
  /// @throws PhysicsError at the last tick that whole numbers count
  void advance_to(double time, std::uint64_t at_most = ~std::uint64_t{0});
  /// All velocities are reversed now, and time goes on.
  void reverse();

  /// Whether velocities have been reversed an odd number of times.
  bool is_reversed() const;

  /// Time runs the other way from now on: `go_back_to` goes on, or `advance_to`.
  void turn_back();
  bool runs_backward() const;
  /// @pre runs_backward
  void go_back_to(double time, std::uint64_t at_most = ~std::uint64_t{0});
  /// Whether going back has come to the tick of this time.
  bool is_back_at(double time) const;

  State state() const;
  Summary summary() const;
  std::vector<Departure> take_departures() { return {}; }
  std::vector<Collision> take_collisions() { return {}; }
  const Transfers& transfers() const { return record_->transfers; }
  void save(std::ostream& out) const;
  void load(std::istream& in);
  void list_values(StateValues& values) const;

  const Grid& grid() const;
  Tally tally() const;
  /// What makes the run doubtful, for a person: more than one in a hundred encounters was a cluster that went back,
  /// which is no collision. Empty if all is well.
  std::string doubt() const;
  /// Bits that record what restitution took, so that the gas can go back.
  std::uint64_t kept_bits() const;
  std::uint64_t box_exits() const;
  void audit() const;

 private:
  using WithAnyBroadphase =
      std::variant<Gas<DiskCells, BucketQueue>, Gas<Neighbourhood<HierarchicalGrid<2>>, BucketQueue>,
                   Gas<Neighbourhood<SortAndUpdate<2>>, BucketQueue>, Gas<Neighbourhood<SortedStrips<2>>, BucketQueue>,
                   Gas<Neighbourhood<DistanceSort<2>>, BucketQueue>, Gas<Neighbourhood<AllPairs<2>>, ImplicitHeap>>;
  /// For measurements; stays where it is when the simulation moves.
  struct Record {
    Transfers transfers;
    Grid grid;
    double mass = 0.0;  // [kg]

    void add(const Encounter& encounter, const Cluster& disks);
  };

  static GasSetup gas_setup(const Scene& scene, const Setup& setup);
  static WithAnyBroadphase make(const GasSetup& setup, BroadphaseKind kind);
  double energy_of(Int128 squares) const;
  double kinetic_energy() const;

  std::uint64_t first_id_;
  double mass_;                 // [kg]
  std::vector<double> radius_;  // as given [m]
  std::vector<double> angle_;   // [rad]
  std::vector<std::int32_t> type_;
  std::vector<std::int32_t> material_;
  double packing_fraction_ = 0.0;
  WithAnyBroadphase gas_;
  double energy_at_start_ = 0.0;  // [J]
  std::unique_ptr<Record> record_;
};

}  // namespace scree::hard::exact
