#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"
#include "dem/state.hpp"
#include "io/frames/vtk_writer.hpp"

namespace scree::python {

/// What the simulation is asked for at a moment when it cannot do it: while it runs, or while memory of it is lent.
struct WrongMoment : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A simulation of either mode as the module needs it. It does not depend on Python.
class Engine {
 public:
  /// @param threads 0: as many as there are cores; in hard mode, where several seldom pay, one
  /// @throws InvalidScene
  Engine(Scene scene, int threads);

  const Scene& scene() const { return scene_; }
  double time() const;  ///< [s]
  bool has_reached(double time) const;
  bool is_over() const;  ///< the scene's own condition of its end holds: it does not go on
  std::uint64_t particles() const;
  std::uint64_t steps() const;  ///< soft: steps; hard: changes of velocity
  int threads() const;
  std::string hash() const;  ///< as run.json and `scree diverge` have it
  Summary summary() const;
  std::string broadphase() const;
  std::optional<double> dt() const;  ///< soft: of the next step [s]

  /// To `time`, at most so many steps or events. @throws PhysicsError; from then on the simulation only shows its state
  void advance_to(double time, std::uint64_t at_most);
  /// See hard::SceneSimulation; none in soft mode.
  std::vector<Collision> take_collisions();
  /// What is checked at the end of a run. @throws PhysicsError
  void check_all();

  /// A copy, made once for each moment.
  std::shared_ptr<const State> state() const;
  /// The soft mode's own arrays; null in hard mode, whose disks have no position at one time but those of a copy.
  const Bodies* bodies() const;

  /// From outside: gives particles other velocities (x, y, angular). @throws std::invalid_argument for an id that is
  /// not there, InvalidScene where velocities cannot be given
  void set_velocities(const std::vector<std::uint64_t>& ids, const std::vector<Motion>& velocities);
  /// From outside: goes on with another scene, which differs in values of materials (not their densities) or in the
  /// velocities of walls. @throws InvalidScene
  void replace_scene(Scene scene);
  /// Velocity of a wall from now on, as a scene that has it there now. @throws std::invalid_argument
  Scene with_wall_velocity(const std::string& name, const Vec2& velocity) const;

  /// What was changed so far, as a JSON list; empty: nothing.
  std::string edits;

  /// Appends the present state as a frame to a run's directory, which then can be opened: frames, view.py, run.json.
  /// A directory that this simulation did not begin must be new or empty. @throws IoError
  void write(const std::filesystem::path& directory);

  /// What is suspicious about the scene, the warnings of `scree check`.
  std::vector<std::string> warnings() const;

  /// @throws IoError
  void save(const std::filesystem::path& file) const;
  /// The simulation in a file: one that save() wrote, or a run's state.scree. @throws IoError
  static std::shared_ptr<Engine> load(const std::filesystem::path& file, int threads);

  /// While a copy of it lives, the engine's memory is lent and advance_to refuses.
  std::shared_ptr<const void> lend() { return loan_; }
  bool is_lent() const { return loan_.use_count() > 1; }

 private:
  using Either = std::variant<soft::Simulation, hard::SceneSimulation>;
  Engine(Scene scene, int threads, std::unique_ptr<Either> simulation)
      : scene_(std::move(scene)), threads_(threads), simulation_(std::move(simulation)) {}
  static std::unique_ptr<Either> make(const Scene& scene, int threads, MadeFor made_for);
  void require_idle() const;
  /// What was saved of a simulation, in one of another scene.
  static std::unique_ptr<Either> loaded(const Scene& scene, const std::string& state, int threads);

  Scene scene_;
  int threads_;
  std::unique_ptr<Either> simulation_;
  mutable std::shared_ptr<const State> state_;
  std::shared_ptr<const void> loan_ = std::make_shared<char>();
  std::string failure_;     // why it cannot go on; empty: it can
  double wall_time_ = 0.0;  // spent on going on [s]
  std::filesystem::path written_to_;
  std::optional<VtkSeries> frames_;  // in written_to_
};

}  // namespace scree::python
