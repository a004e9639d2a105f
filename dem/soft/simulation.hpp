#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/fastest.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/bodies.hpp"
#include "dem/insertion.hpp"
#include "dem/measure/transfers.hpp"
#include "dem/proxies.hpp"
#include "dem/scene.hpp"
#include "dem/simulation.hpp"
#include "dem/soft/chord_jump.hpp"
#include "dem/soft/contacts.hpp"
#include "dem/soft/force_law.hpp"
#include "dem/soft/gear.hpp"
#include "dem/soft/ledger.hpp"
#include "dem/soft/time_step.hpp"
#include "dem/state.hpp"
#include "parallel/threads.hpp"

namespace scree::soft {

/// A depth beyond this share of the smaller grain's diameter ends the run: the laws mean nothing there.
inline constexpr double kDeepest = 0.2;

/// An energy residual beyond this ends the run: the step is too long for what happens.
inline constexpr double kLargestResidual = 0.05;

struct Options {
  int threads = 0;                                ///< 0: as many as there are cores
  std::optional<BroadphaseKind> broadphase = {};  ///< absent: that of the scene
};

/// How deep contacts went, as shares of the smaller grain's diameter: counts in equal bins.
struct DepthHistogram {
  static constexpr double kBin = 0.0005;
  std::array<std::uint64_t, 512> counts = {};  ///< the last bin takes all that is deeper

  void add(double depth_ratio);             ///< safe from several threads at a time
  double percentile(double percent) const;  ///< upper edge of the bin where it lies; 0 if empty
  std::uint64_t total() const;
};

/// Energy in the springs of contacts, and of cohesion [J].
struct ElasticEnergy {
  double potential = 0.0;          ///< of normal springs that have one, and of cohesion
  double without_potential = 0.0;  ///< of the others: what their law says it is
  double tangential = 0.0;         ///< friction's and rolling resistance's springs

  ElasticEnergy& operator+=(const ElasticEnergy& other);
  double sum() const { return potential + without_potential + tangential; }
};

/// Time-stepped dynamics: grains overlap a little, the overlap makes a force, Gear's predictor-corrector integrates.
///
/// The trajectory is a pure function of the scene: the same to the last bit for any number of threads, any broadphase,
/// any way of cutting the time into calls of advance_to, and across save and load.
class Simulation {
 public:
  /// @throws InvalidScene for what cannot be simulated
  explicit Simulation(const Scene& scene, Options options = {});

  double time() const { return static_cast<double>(steps_) * step_.dt; }  ///< [s]
  bool has_reached(double t) const { return time() >= t - 1e-9 * step_.dt; }
  double dt() const { return step_.dt; }  ///< [s]
  const std::string& step_reason() const { return step_.reason; }
  /// Which broadphase is at work, and what the last trial found if it chose itself.
  std::string broadphase_reason() const;
  std::uint64_t steps() const { return steps_; }
  std::uint64_t particle_steps() const { return particle_steps_; }
  std::uint64_t chord_jumps() const { return chord_jumps_; }  ///< see Summary
  std::uint32_t particles() const { return bodies_.particles(); }
  int threads() const { return threads_.count(); }

  /// To the first step whose time is not before t (within 1e-9 of a step). At most `at_most` steps.
  /// @throws PhysicsError if a value is not a number or an overlap is too deep; the state is then that of the step in
  ///         which it happened and can still be looked at
  void advance_to(double t, std::uint64_t at_most = ~std::uint64_t{0});

  /// What advance_to looks at now and then only: whether the step is short enough for each grain with all its contacts,
  /// and whether energy balances. For the end of a run. @throws PhysicsError as advance_to
  void check_all() const;

  State state() const;
  Summary summary() const;
  std::vector<Departure> take_departures();
  /// Empty unless the scene measures.
  const Transfers& transfers() const { return transfers_; }

  /// Largest depth of every contact that ended, and the depths of those that last.
  const DepthHistogram& impact_depths() const { return impact_depths_; }
  DepthHistogram present_depths() const;

  void save(std::ostream& out) const;
  void load(std::istream& in);
  void save_for_hash(std::ostream& out) const;

  /// Time spent in each stage of the step since the start, for benchmarks.
  struct StageTime {
    const char* name;
    double seconds = 0.0;
  };
  std::vector<StageTime> stage_times() const { return {stage_times_.begin(), stage_times_.end()}; }

 private:
  // The step, stage by stage.
  void do_step();
  void remove_the_gone();
  void pour();
  void predict();
  void move_walls(double t);
  void place();
  void find_pairs();
  std::span<const Parted> follow();
  template <class PolygonLaw, class DiskLaw>
  void interact();
  void touch(std::size_t pair);
  void watch_chord(std::size_t pair, const Pose& b_in_a, const Chord& before, const Chord& now);
  template <class Law>
  void push(std::size_t pair, const PairLaw& pair_law);
  void add_transfers();
  void gather_and_correct();
  void book();
  void wrap();
  void check();

  // Parts of them.
  void add_walls();
  void add_initial_grains();
  void add_grain(const Birth& birth, int group);
  void insert_boxes(std::span<const Proxy> proxies);
  void erase_box(ProxyId id);
  void place(std::uint32_t body);
  bool is_free(const ShapeView& shape, const Pose& pose) const;
  Vec2 offset(const PairKey& key) const;
  template <class PolygonLaw, class DiskLaw>
  void set_laws();
  std::size_t materials(const PairKey& key) const {  // index of the pair's laws
    return static_cast<std::size_t>(bodies_.material[key.a]) * scene_.materials.size() +
           static_cast<std::size_t>(bodies_.material[key.b]);
  }
  bool with_disk(const PairKey& key) const {
    return bodies_.outline_size[key.a] == 0 || bodies_.outline_size[key.b] == 0;
  }
  [[gnu::always_inline]] inline Approach approach(const PairKey& key, const Overlap& found, const Vec2& to_b) const;
  const PairLaw& law_of(const PairKey& key) const {
    return (with_disk(key) ? disk_laws_ : polygon_laws_)[materials(key)];
  }
  Ledger::Step work(std::size_t first_pair, std::size_t end);
  double kinetic_energy(std::uint32_t body) const;
  double potential_energy(std::uint32_t body) const;
  double kinetic_energy() const;
  ElasticEnergy elastic_energy() const;
  void balance(Summary& summary) const;
  bool motion_is_sound(std::uint32_t body) const;
  double moves(std::uint32_t body) const;
  struct FastWall {
    double speed = 0.0;    // [m/s]
    std::size_t wall = 0;  // its number in the scene
  };
  FastWall fastest_wall() const;
  void check_motions() const;
  void check_depths() const;
  void check_passages() const;
  double thickness(std::uint32_t body, const Vec2& direction) const;
  bool is_too_deep(std::size_t pair) const;
  bool passes_through(std::size_t pair) const;
  void check_contacts() const;
  void check_grains() const;
  void check_balance() const;
  std::string when() const;
  std::string who(std::uint32_t body) const;
  std::string too_long_a_step(double frequency) const;
  template <class PolygonLaw, class DiskLaw>
  ElasticEnergy elastic_energy(const PairKey& key, const PairMemory& memory) const;
  template <class Archive, class Self>
  static void visit_dynamics(Archive& archive, Self& self);
  template <class Archive, class Self>
  static void visit_caches(Archive& archive, Self& self);

  Scene scene_;
  static constexpr std::uint64_t kBetweenLooks = 64;  // steps between looks at kinetic energies and at stiff grains
  static constexpr std::uint64_t kBetweenBalances = 512;

  TimeStep step_;
  double longest_phase_ = 0.0;         // [rad]
  std::vector<PairLaw> polygon_laws_;  // by material of a times number of materials + material of b
  std::vector<PairLaw> disk_laws_;
  // With the scene's laws.
  void (Simulation::*interact_)() = nullptr;
  ElasticEnergy (Simulation::*elastic_energy_)(const PairKey&, const PairMemory&) const = nullptr;
  std::vector<Vec2> wall_start_;  // centroid of the scene's walls at time 0 [m]
  FastWall fastest_wall_;         // of those that are there

  Bodies bodies_;
  Gear gear_;
  Contacts contacts_;
  std::vector<PourProgress> pours_;  // one a particle group
  std::uint64_t steps_ = 0;
  std::uint64_t particle_steps_ = 0;
  std::uint64_t next_id_ = 1;
  std::uint64_t particles_in_ = 0;
  std::uint64_t particles_out_ = 0;
  std::vector<Departure> departures_;
  Ledger ledger_;
  DepthHistogram impact_depths_;
  std::uint64_t chord_jumps_ = 0;
  Transfers transfers_;

  Proxies proxies_;
  std::variant<Fastest<2>, SortAndUpdate<2>, SortedStrips<2>, LinkedCells<2>, HierarchicalGrid<2>, DistanceSort<2>,
               AllPairs<2>>
      broadphase_;            // in the order of BroadphaseKind
  std::vector<Aabb2> boxes_;  // by proxy
  PairChanges changes_;
  Proxies::ImageChanges image_changes_;

  // By body, as predicted in the last step.
  std::vector<Rotation> rotation_;  ///< of polygons; a disk looks the same however it is turned
  std::vector<Aabb2> body_box_;
  std::vector<Extremes> extremes_;  ///< hints for the boxes
  // By body, as found in the last step.
  std::vector<Motion> force_;  // of contacts: x, y [N], torque [N m]
  std::vector<Ledger::Step> work_by_range_;

  std::atomic<bool> trouble_ = false;
  Threads threads_;

  enum Stage { kBirths, kPredict, kPlace, kBroadphase, kFollow, kInteract, kCorrect, kStages };
  std::array<StageTime, kStages> stage_times_ = {{{"births and departures"},
                                                  {"predict"},
                                                  {"place"},
                                                  {"broadphase"},
                                                  {"follow pairs"},
                                                  {"touch and push"},
                                                  {"gather and correct"}}};
};

static_assert(AnySimulation<Simulation>);

}  // namespace scree::soft
