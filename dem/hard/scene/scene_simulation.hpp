#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broadphase/kind.hpp"
#include "dem/bodies.hpp"
#include "dem/hard/counters.hpp"
#include "dem/hard/flight/packing.hpp"
#include "dem/insertion.hpp"
#include "dem/simulation.hpp"
#include "dem/state.hpp"
#include "dem/state_values.hpp"
#include "dem/transfers.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::hard {

namespace exact {
class Simulation;
}  // namespace exact

/// A scene in the event-driven mode: BasicSimulation with the broadphase that the scene names, pours and reversal.
///
/// At from, from + 1 / rate, from + 2 / rate ... [s] a pour tries to insert all disks that are due; those for which
/// there is no room in a few attempts are owed until the next of these times. After n intervals without success it
/// waits for n / 64 more, so that no pour, however fast, stops the time.
///
/// With `arithmetic: exact` it is exact::Simulation instead.
///
/// At HardOptions::reverse all velocities are reversed, after the events of that time and before its output.
///
/// Where nothing that happens needs to be remembered (require_way_back), it can be turned back, and then goes back
/// through its states: in whole numbers bit for bit, else up to rounding, which each collision amplifies. The direction
/// is part of the state.
///
/// `auto` is linked cells, or the hierarchical grid if the greatest disk is more than kWideSizes times as large as the
/// smallest, or a cell deforms.
class SceneSimulation {
 public:
  static constexpr double kWideSizes = 4.0;

  /// @param broadphase absent: that of the scene
  /// @param threads 0: as many as there are cores. Several are used where windows.hpp can: with cells, without pours.
  /// @throws InvalidScene for what cannot be simulated
  explicit SceneSimulation(const Scene& scene, std::optional<BroadphaseKind> broadphase = {}, int threads = 1,
                           MadeFor made_for = MadeFor::start);
  ~SceneSimulation();

  double time() const;  ///< [s]
  bool has_reached(double time) const;
  bool is_over() const { return false; }
  std::uint64_t particles() const;
  /// To `time` [s], or at most so many events. @throws PhysicsError as BasicSimulation
  void advance_to(double time, std::uint64_t at_most = ~std::uint64_t{0});
  /// Time runs the other way from now on: to `go_back_to`, or again to `advance_to`. @pre require_way_back
  void turn_back();
  bool runs_backward() const;
  /// To `time` [s], not before 0, or at most so many events. @pre runs_backward
  void go_back_to(double time, std::uint64_t at_most = ~std::uint64_t{0});
  /// `go_back_to(time)` would do nothing.
  bool is_back_at(double time) const;
  /// From outside, as BasicSimulation. @throws InvalidScene where velocities cannot be given: in whole numbers, on the
  /// way back, while disks grow
  std::optional<std::uint64_t> set_velocities(std::span<const std::uint64_t> ids, std::span<const Motion> velocities);
  /// With the velocities as they are when time runs forward, as all output of it.
  State state() const;
  Summary summary() const;
  std::vector<Departure> take_departures();
  /// Since the last call, in their order, if the scene lists them (Measure::collisions). They are in memory until then.
  std::vector<Collision> take_collisions();
  const Transfers& transfers() const;
  void save(std::ostream& out) const;
  void load(std::istream& in);
  void list_values(StateValues& values) const;

  Counters counters() const;
  int threads() const;
  /// Why only one of several threads is used; empty if all are.
  std::string why_serial() const;
  /// Counts of windows in a run on several threads.
  const WindowCounts& windows() const;
  /// Nothing if disks never grew.
  std::optional<Packing> packing() const;
  /// The simulation in whole numbers, if the scene asks for it; else null.
  const exact::Simulation* in_whole_numbers() const;
  /// Grains are polygons, or disks among such.
  bool has_polygons() const;
  /// Which broadphase is used, and why.
  const std::string& broadphase_reason() const { return broadphase_reason_; }
  /// See BasicSimulation: O(N^2).
  void audit() const;

 private:
  /// The scene, its simulation with one of the broadphases, and the windows: others need not compile them.
  struct Parts;
  struct Pouring {
    std::size_t group;
    double next = 0.0;       ///< when it tries again: from + next / rate
    double had_room = -1.0;  ///< the last time when it owed nothing, likewise
    PourProgress progress = {};

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.group, self.next, self.had_room, self.progress);
    }
  };
  double next_time(const Pouring& pouring) const;
  double next_reversal() const;
  double next_thermostat() const;
  void thermalise();
  double clock() const;
  void require_sound_direction() const;
  void reverse_velocities();
  void advance_between(double time, std::uint64_t at_most);
  void pour();
  void pour(Pouring& pouring);

  std::unique_ptr<Parts> parts_;
  std::vector<Pouring> pourings_;
  /// Time when floats that run backward were turned. Their clock goes on.
  std::optional<double> turned_;
  std::uint64_t thermostat_turns_ = 0;  ///< so far
  std::string broadphase_reason_;
};

/// That a scene can be turned back. @throws InvalidScene that names the first key that cannot, and why
void require_way_back(const Scene& scene);

static_assert(AnySimulation<SceneSimulation>);

}  // namespace scree::hard
