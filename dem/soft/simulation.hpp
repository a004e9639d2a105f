#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/inherited.hpp"
#include "dem/simulation.hpp"
#include "dem/soft/contact/depth_histogram.hpp"
#include "dem/soft/motion/course.hpp"
#include "dem/soft/options.hpp"
#include "dem/soft/stage_times.hpp"
#include "dem/state.hpp"
#include "dem/state_values.hpp"
#include "dem/transfers.hpp"
#include "parallel/thread_trial.hpp"
#include "parallel/threads.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

class StartOverlaps;
struct Rooms;
struct Run;

/// Time-stepped dynamics: grains overlap a little, the overlap makes a force, Gear's predictor-corrector integrates.
/// A run that has all bodies: it steps, keeps the accounts, and goes through the stages of its scene.
///
/// The trajectory is a pure function of the scene: the same to the last bit for any number of threads, any broadphase,
/// any way of cutting the time into calls of advance_to, and across save and load.
class Simulation {
 public:
  /// @throws InvalidScene for what cannot be simulated: grains that overlap at the start
  /// (dem/soft/checks/start_overlaps.hpp),
  ///         an automatic step that makes no sense (dem/soft/checks/step_limits.hpp), coordinates too large for the
  ///         grains (dem/soft/checks/coordinate_limits.hpp), and what the rooms throw
  explicit Simulation(const Scene& scene, Options options = {});
  ~Simulation();

  double time() const;  ///< [s]
  bool has_reached(double t) const;
  double dt() const;            ///< of the next step [s]
  double longest_step() const;  ///< [s]
  const std::string& step_reason() const;
  /// Which broadphase is at work, and what the last trial found if it chose itself.
  std::string broadphase_reason() const;
  std::uint64_t steps() const;
  std::uint64_t particle_steps() const;
  std::uint64_t chord_jumps() const;  ///< see Summary
  std::uint32_t particles() const;
  /// The scene's own condition of its end holds (time.until, the last of its stages): nothing moves any more.
  bool is_over() const;
  /// Which stage of the scene it is in, and when each began.
  const Course& course() const;
  /// For a run that begins with these grains.
  Inherited hand_over() const;
  int threads() const { return threads_.count(); }
  /// All but one are idle, since one was faster; only where the number was left to the program.
  bool one_thread_is_faster() const { return trial_.one_is_faster(); }
  /// Walls and particles as they are now. The next step changes and moves these arrays.
  const Bodies& bodies() const;

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

  // What reads contacts below makes their records first, where the steps have left them out. So several threads may not
  // read at once.

  /// Before the first step, contacts and forces are those of the grains as they were put; nothing remembers them.
  State state() const;
  Summary summary() const;
  std::vector<Departure> take_departures();
  /// Empty unless the scene measures.
  const Transfers& transfers() const;

  /// Largest depth of every contact that ended, and the depths of those that last.
  const DepthHistogram& impact_depths() const;
  DepthHistogram present_depths() const;

  void save(std::ostream& out) const;
  void load(std::istream& in);
  void list_values(StateValues& values) const;

  /// Time spent in each stage of the step since the start, for benchmarks.
  const StageTimes& stage_times() const;

  /// The data of the run, for those that advance parts of it and put them together (dem/soft/ranks/subdomain.hpp).
  Run& run();

 private:
  struct Start;

  void step(bool is_to_be_read);
  void inherit(StartOverlaps& overlaps);
  void inherit_histories();
  void give_boxes(StartOverlaps& overlaps);
  std::uint32_t add_particle(const InitialState& birth, int group);
  Start contacts_at_start() const;
  const Rooms& readable() const;
  void require_sound() const;

  std::unique_ptr<Run> run_;
  Threads threads_;
  ThreadTrial trial_;
  mutable bool was_read_ = false;  // contacts, since the last call of advance_to: then they may be after the next, too
};

static_assert(AnySimulation<Simulation>);

}  // namespace scree::soft
