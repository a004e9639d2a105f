#include "python/engine.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/soft/checks/step_limits.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "io/files/atomic_file.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/formats/run_info.hpp"
#include "io/frames/group_names.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/frames/view_script.hpp"
#include "io/run_description.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/errors.hpp"
#include "io/warnings.hpp"

namespace scree::python {

namespace {

/// Adds how long it lives.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;  // [s]
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<Engine::Either> Engine::make(const Scene& scene, int threads, MadeFor made_for) {
  if (scene.mode == Mode::hard) {
    return std::make_unique<Either>(std::in_place_type<hard::SceneSimulation>, scene, std::nullopt,
                                    std::max(threads, 1), made_for);
  }
  return std::make_unique<Either>(std::in_place_type<soft::Simulation>, scene,
                                  soft::Options{.threads = threads, .made_for = made_for});
}

Engine::Engine(Scene scene, int threads)
    : scene_(std::move(scene)), threads_(threads), simulation_(make(scene_, threads, MadeFor::start)) {}

double Engine::time() const {
  return std::visit([](const auto& s) { return s.time(); }, *simulation_);
}

bool Engine::is_over() const {
  return std::visit([](const auto& s) { return s.is_over(); }, *simulation_);
}

bool Engine::has_reached(double time) const {
  return std::visit([&](const auto& s) { return s.has_reached(time); }, *simulation_);
}

std::uint64_t Engine::particles() const {
  return std::visit([](const auto& s) { return static_cast<std::uint64_t>(s.particles()); }, *simulation_);
}

std::uint64_t Engine::steps() const {
  if (const auto* soft = std::get_if<soft::Simulation>(simulation_.get())) return soft->steps();
  const hard::Counters counters = std::get<hard::SceneSimulation>(*simulation_).counters();
  return counters.collisions + counters.wall_hits + counters.crossings;
}

int Engine::threads() const {
  return std::visit([](const auto& s) { return s.threads(); }, *simulation_);
}

std::string Engine::hash() const {
  return std::visit([](const auto& s) { return state_hash(s); }, *simulation_);
}

Summary Engine::summary() const {
  return std::visit([](const auto& s) { return s.summary(); }, *simulation_);
}

std::string Engine::broadphase() const {
  return std::visit([](const auto& s) { return std::string(s.broadphase_reason()); }, *simulation_);
}

std::optional<double> Engine::dt() const {
  const auto* soft = std::get_if<soft::Simulation>(simulation_.get());
  return soft != nullptr ? std::optional(soft->dt()) : std::nullopt;
}

void Engine::require_idle() const {
  if (is_lent()) {
    throw WrongMoment(
        "the simulation cannot go on while an array of a view is in use; copy it (array.copy()) or del it before");
  }
  if (!failure_.empty()) throw PhysicsError("the simulation stopped before: " + failure_);
}

void Engine::advance_to(double time, std::uint64_t at_most) {
  require_idle();
  state_.reset();
  const Stopwatch watch(wall_time_);
  try {
    std::visit([&](auto& s) { s.advance_to(time, at_most); }, *simulation_);
  } catch (const PhysicsError& error) {
    failure_ = error.what();
    throw;
  }
}

std::vector<Collision> Engine::take_collisions() {
  require_idle();
  auto* hard = std::get_if<hard::SceneSimulation>(simulation_.get());
  return hard != nullptr ? hard->take_collisions() : std::vector<Collision>{};
}

void Engine::check_all() {
  const auto* soft = std::get_if<soft::Simulation>(simulation_.get());
  if (soft == nullptr) return;
  try {
    soft->check_all();
  } catch (const PhysicsError& error) {
    failure_ = error.what();
    throw;
  }
}

std::shared_ptr<const State> Engine::state() const {
  if (!state_) {
    state_ = std::make_shared<const State>(std::visit([](const auto& s) { return s.state(); }, *simulation_));
  }
  return state_;
}

const Bodies* Engine::bodies() const {
  const auto* soft = std::get_if<soft::Simulation>(simulation_.get());
  return soft != nullptr ? &soft->bodies() : nullptr;
}

void Engine::set_velocities(const std::vector<std::uint64_t>& ids, const std::vector<Motion>& velocities) {
  require_idle();
  state_.reset();
  const auto unknown = std::visit([&](auto& s) { return s.set_velocities(ids, velocities); }, *simulation_);
  if (unknown) throw std::invalid_argument(fmt::format("ids: there is no particle {}", *unknown));
}

Scene Engine::with_wall_velocity(const std::string& name, const Vec2& velocity) const {
  Scene scene = scene_;
  const auto wall = std::ranges::find(scene.walls, name, &Wall::name);
  if (wall == scene.walls.end()) throw std::invalid_argument(fmt::format("name: there is no wall {}", name));
  const bool is_driven = !std::holds_alternative<std::monostate>(wall->drive) || !wall->moves_with.empty();
  if (is_driven) throw std::invalid_argument(fmt::format("name: the wall {} is moved by forces", name));
  if (!wall->motions.empty()) {
    throw std::invalid_argument(fmt::format("name: the wall {} has motions one after the other", name));
  }
  if (wall->stage > 0 || (wall->from && *wall->from > time())) {
    throw std::invalid_argument(fmt::format("name: the wall {} is not there yet", name));
  }
  if (wall->until && *wall->until <= time()) {
    throw std::invalid_argument(fmt::format("name: the wall {} is not there any more", name));
  }
  // Where it would be at time 0, so that it is where it is now.
  Vec2 back = (wall->velocity - velocity) * time();
  for (const int axis : {0, 1}) {
    if (!scene.domain.periodic[static_cast<std::size_t>(axis)]) continue;
    const auto along = [axis](const Vec2& a, const Vec2& b) { return a[axis] < b[axis]; };
    const auto [least, greatest] = std::ranges::minmax(wall->polygon, along);
    // A belt stays where it is.
    if (greatest[axis] - least[axis] >= scene.domain.hi[axis] - scene.domain.lo[axis]) back[axis] = 0.0;
  }
  for (Vec2& corner : wall->polygon) corner += back;
  wall->pivot += back;
  wall->velocity = velocity;
  return scene;
}

void Engine::replace_scene(Scene scene) {
  require_idle();
  if (!scene_.soft.stages.empty())
    throw std::invalid_argument("walls and materials of a scene with stages change by these");
  for (std::size_t k = 0; k < scene.materials.size(); ++k) {
    if (scene.materials[k].density == scene_.materials.at(k).density) continue;
    throw std::invalid_argument("density: cannot change, since grains have their masses");
  }
  const bool knows_grains = !scene.start || scene.start->inherited;  // else the state has them, and the step
  if (scene.mode == Mode::soft && knows_grains) soft::require_sensible_step(scene, soft::time_step(scene));
  std::ostringstream state;
  std::visit([&](const auto& s) { s.save(state); }, *simulation_);
  simulation_ = loaded(scene, std::move(state).str(), threads_);
  scene_ = std::move(scene);
  state_.reset();
}

std::unique_ptr<Engine::Either> Engine::loaded(const Scene& scene, const std::string& bytes, int threads) {
  auto simulation = make(scene, threads, MadeFor::load);
  std::istringstream in(bytes);
  std::visit([&](auto& s) { s.load(in); }, *simulation);
  require_state(in.peek() == std::istringstream::traits_type::eof(), "it goes on behind its end");
  return simulation;
}

std::vector<std::string> Engine::warnings() const {
  return std::visit([&](const auto& s) { return all_warnings(scene_, s); }, *simulation_);
}

void Engine::write(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  const fs::path place = fs::absolute(directory);
  if (!frames_ || place != written_to_) {
    std::error_code ignored;
    if (fs::exists(place) && !fs::is_empty(place, ignored)) {
      throw IoError(fmt::format("cannot write to {}: it is there already and not empty; allowed: a new directory",
                                directory.string()));
    }
    make_directory(place);
    frames_.emplace(place, std::vector<FrameRecord>{}, FrameNames{group_names(scene_), material_names(scene_)},
                    scene_.soft.output_stress ? FrameExtras::stress : FrameExtras::none, centre_of(scene_.domain));
    written_to_ = place;
    write_view_script(place, scene_.title, scene_.domain);
  }
  if (frames_->frames().empty() || frames_->frames().back().time < time()) frames_->write(*state());
  RunInfo info = std::visit([&](const auto& s) { return describe(scene_, s); }, *simulation_);
  info.scene_file = "scene.yaml";
  info.wall_time = wall_time_;
  info.until = scene_.end;
  info.status = is_over() || has_reached(scene_.end) ? "finished" : "running";
  info.edits = edits;
  write_run_info(place / "run.json", info);
}

void Engine::save(const std::filesystem::path& file) const {
  std::ostringstream state;
  std::visit([&](const auto& s) { s.save(state); }, *simulation_);
  write_checkpoint(file, {"scene.yaml", to_yaml(scene_), std::move(state).str(), hash(), {}, {}, edits},
                   Earlier::replaced);
}

std::shared_ptr<Engine> Engine::load(const std::filesystem::path& file, int threads) {
  const Checkpoint checkpoint = read_checkpoint(file);
  const auto refuse = [&](const std::string& why) {
    return IoError(fmt::format("cannot load {}: {}", file.string(), why));
  };
  const Scene scene = parse_saved_scene(checkpoint.scene_yaml, checkpoint.scene_name);
  std::shared_ptr<Engine> engine;
  try {
    engine.reset(new Engine(scene, threads, loaded(scene, checkpoint.state, threads)));
  } catch (const InvalidState& error) {
    throw refuse(error.what());
  }
  const auto* hard = std::get_if<hard::SceneSimulation>(engine->simulation_.get());
  if (hard != nullptr && hard->runs_backward()) throw refuse("it goes back in time, which only scree rewind does");
  engine->edits = checkpoint.edits;
  if (engine->hash() != checkpoint.state_hash) {
    throw refuse("its values are not those that this version of scree saves");
  }
  return engine;
}

}  // namespace scree::python
