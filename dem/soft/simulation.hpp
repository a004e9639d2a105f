#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/energy_balance.hpp"
#include "dem/inherited.hpp"
#include "dem/measure/transfers.hpp"
#include "dem/scene.hpp"
#include "dem/simulation.hpp"
#include "dem/soft/cell.hpp"
#include "dem/soft/contact_elements.hpp"
#include "dem/soft/contact_forces.hpp"
#include "dem/soft/contact_laws.hpp"
#include "dem/soft/contact_power.hpp"
#include "dem/soft/contacts.hpp"
#include "dem/soft/course.hpp"
#include "dem/soft/depth_histogram.hpp"
#include "dem/soft/gear.hpp"
#include "dem/soft/guards.hpp"
#include "dem/soft/local_damping.hpp"
#include "dem/soft/moving_walls.hpp"
#include "dem/soft/narrowphase.hpp"
#include "dem/soft/observe.hpp"
#include "dem/soft/pair_finder.hpp"
#include "dem/soft/placement.hpp"
#include "dem/soft/population.hpp"
#include "dem/soft/stage_times.hpp"
#include "dem/soft/step_clock.hpp"
#include "dem/soft/time_step.hpp"
#include "dem/state.hpp"
#include "dem/tolerances.hpp"
#include "parallel/threads.hpp"

namespace scree::soft {

class StartOverlaps;
class Subdomain;

struct Options {
  int threads = 0;                                ///< 0: as many as there are cores
  std::optional<BroadphaseKind> broadphase = {};  ///< absent: that of the scene
  MadeFor made_for = MadeFor::start;              ///< load: without grains, which the state has
};

/// Time-stepped dynamics: grains overlap a little, the overlap makes a force, Gear's predictor-corrector integrates.
/// Owns the rooms of the soft mode and orders the step.
///
/// The trajectory is a pure function of the scene: the same to the last bit for any number of threads, any broadphase,
/// any way of cutting the time into calls of advance_to, and across save and load.
class Simulation {
 public:
  /// @throws InvalidScene for what cannot be simulated: grains that overlap at the start (dem/soft/start_overlaps.hpp),
  ///         an automatic step that makes no sense (dem/soft/step_limits.hpp), coordinates too large for the grains
  ///         (dem/soft/coordinate_limits.hpp), and what the rooms throw
  explicit Simulation(const Scene& scene, Options options = {});

  double time() const { return clock_.time(); }  ///< [s]
  bool has_reached(double t) const { return clock_.has_reached(t); }
  double dt() const { return clock_.dt(); }                 ///< of the next step [s]
  double longest_step() const { return clock_.longest(); }  ///< [s]
  const std::string& step_reason() const { return step_.reason; }
  /// Which broadphase is at work, and what the last trial found if it chose itself.
  std::string broadphase_reason() const { return pairs_.broadphase_reason(); }
  std::uint64_t steps() const { return clock_.steps(); }
  std::uint64_t particle_steps() const { return records_.particle_steps; }
  std::uint64_t chord_jumps() const { return records_.chord_jumps; }  ///< see Summary
  std::uint32_t particles() const { return bodies_.particles(); }
  /// The scene's own condition of its end holds (time.until, the last of its stages): nothing moves any more.
  bool is_over() const { return course_.is_over(); }
  /// Which stage of the scene it is in, and when each began.
  const Course& course() const { return course_; }
  /// For a run that begins with these grains.
  Inherited hand_over() const;
  int threads() const { return threads_.count(); }
  /// Walls and particles as they are now. The next step changes and moves these arrays.
  const Bodies& bodies() const { return bodies_; }

  /// To the first step whose time is not before t (within 1e-9 of a step), or until it is over. At most `at_most`
  /// steps.
  /// @throws PhysicsError if a value is not a number or an overlap is too deep; the state is then that of the step in
  ///         which it happened and can still be written
  void advance_to(double t, std::uint64_t at_most = ~std::uint64_t{0});

  /// What advance_to checks now and then only: whether the step is short enough for each grain with all its contacts,
  /// and whether energy balances. For the end of a run. @throws PhysicsError as advance_to
  void check_all() const;

  /// From outside: gives particles other velocities (x, y, angular) [m/s, rad/s]. The energy that this brings counts as
  /// energy_in; what the scene fixes stays. @return the first id that no particle has; then nothing has changed
  std::optional<std::uint64_t> set_velocities(std::span<const std::uint64_t> ids, std::span<const Motion> velocities);

  /// Before the first step, contacts and forces are those of the grains as they were put; nothing remembers them.
  State state() const;
  Summary summary() const;
  std::vector<Departure> take_departures() { return population_.take_departures(); }
  /// Empty unless the scene measures.
  const Transfers& transfers() const { return records_.transfers; }

  /// Largest depth of every contact that ended, and the depths of those that last.
  const DepthHistogram& impact_depths() const { return records_.impact_depths; }
  DepthHistogram present_depths() const { return depths_of(contacts_); }

  void save(std::ostream& out) const;
  void load(std::istream& in);
  void list_values(StateValues& values) const;

  /// Time spent in each stage of the step since the start, for benchmarks.
  const StageTimes& stage_times() const { return records_.stage_times; }

 private:
  friend class Subdomain;  // advances a part of a simulation, with these rooms

  void step();

  void exchange();
  void put_in_walls();
  void require_apart(const PairChange& pair) const;
  void inherit(StartOverlaps& overlaps);
  void inherit_histories();
  void set_gravity(double t);
  void begin_stage();
  void make_anew();
  void check_course();
  bool has_more_to_come() const;
  void set_in_motion();
  void carry_along(const Components& change);
  void advance_cell();
  void correct_cell();
  void wrap_in_cell();
  Motion in_cell(std::uint32_t body) const;
  Motion own_velocity(std::uint32_t body) const;
  void remove(const std::vector<char>& leaving);
  void depart(std::uint32_t body);
  std::span<const EndedContact> end_contacts_of(const std::vector<char>& leaving);
  void end_with_body(double depth_ratio, const ElasticEnergy& elastic);
  std::vector<std::uint32_t> compact(const std::vector<char>& leaving);
  std::uint32_t add(const InitialState& birth, int group);
  void give_boxes(StartOverlaps& overlaps);
  void end_with_their_pairs(std::span<const EndedContact> ended);
  bool gather_and_correct();
  Motion acceleration(std::uint32_t body, const Motion& force) const;
  Motion with_fixed(std::uint32_t body, Motion acceleration) const;
  Motion alter(std::uint32_t body, const Motion& acceleration);
  void check(bool alarm);
  void renew_step(std::span<const ContactElement> elements);
  void require(const Problem& problem) const;

  /// Boxes are those of the prediction; bodies have moved on by the correction, which is far less than this [radii].
  static constexpr double kRoomAround = 0.05;
  bool is_free(const ShapeView& shape, const Pose& pose) const;
  StepView view() const;
  ObserveView observe(const Contacts& contacts, std::span<const Motion> net_force) const;
  struct Start {
    Contacts contacts;
    std::vector<Motion> net_force;
  };
  Start contacts_at_start() const;
  void require_sound() const;
  template <class Archive, class Self>
  static void visit_dynamics(Archive& archive, Self& self);
  template <class Archive, class Self>
  static void visit_caches(Archive& archive, Self& self);

  /// What is counted on the way and read by nobody in the step.
  struct Records {
    std::uint64_t particle_steps = 0;
    std::uint64_t chord_jumps = 0;
    DepthHistogram impact_depths;
    Transfers transfers;
    StageTimes stage_times;

    void count(std::uint64_t particles, std::uint64_t jumps, std::span<const EndedContact> ended) {
      particle_steps += particles;
      chord_jumps += jumps;
      for (const EndedContact& contact : ended) impact_depths.add(contact.history.max_depth_ratio);
    }
  };

  Scene scene_;  // of the present stage; its gravity is that of now
  Course course_;
  TimeStep step_;
  StepClock clock_;

  Bodies bodies_;
  Gear gear_;
  MovingWalls walls_;
  Cell cell_;
  Population population_;
  Placement placement_;  // as predicted in the last step
  PairFinder pairs_;
  Contacts contacts_;
  Narrowphase narrowphase_;
  ContactLaws laws_;
  ContactForces forces_;
  std::vector<Motion> net_force_;  // only where there are clumps, see ObserveView
  struct Losses {
    PowerIntegral power;
    LocalDamping local;
  };
  Losses losses_;
  EnergyBalance energy_;
  Records records_;
  Threads threads_;
};

static_assert(AnySimulation<Simulation>);

}  // namespace scree::soft
