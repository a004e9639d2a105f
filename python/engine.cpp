#include "python/engine.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "io/checkpoint.hpp"
#include "io/errors.hpp"
#include "io/scene_reader.hpp"
#include "io/scene_writer.hpp"

namespace scree::python {

std::unique_ptr<Engine::Either> Engine::make(const Scene& scene, int threads) {
  if (scene.mode == Mode::hard) {
    return std::make_unique<Either>(std::in_place_type<hard::SceneSimulation>, scene, std::nullopt,
                                    std::max(threads, 1));
  }
  return std::make_unique<Either>(std::in_place_type<soft::Simulation>, scene, soft::Options{.threads = threads});
}

Engine::Engine(Scene scene, int threads) : scene_(std::move(scene)), simulation_(make(scene_, threads)) {}

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

void Engine::advance_to(double time, std::uint64_t at_most) {
  if (is_lent()) {
    throw WrongMoment(
        "the simulation cannot go on while an array of a view is in use; copy it (array.copy()) or del it before");
  }
  if (!failure_.empty()) throw PhysicsError("the simulation stopped before: " + failure_);
  state_.reset();
  try {
    std::visit([&](auto& s) { s.advance_to(time, at_most); }, *simulation_);
  } catch (const PhysicsError& error) {
    failure_ = error.what();
    throw;
  }
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

void Engine::save(const std::filesystem::path& file) const {
  std::ostringstream state;
  std::visit([&](const auto& s) { s.save(state); }, *simulation_);
  write_checkpoint(file, {"scene.yaml", to_yaml(scene_), std::move(state).str(), hash(), {}, {}});
}

std::shared_ptr<Engine> Engine::load(const std::filesystem::path& file, int threads) {
  const Checkpoint checkpoint = read_checkpoint(file);
  const auto refuse = [&](const std::string& why) {
    return IoError(fmt::format("cannot load {}: {}", file.string(), why));
  };
  auto engine = std::make_shared<Engine>(parse_saved_scene(checkpoint.scene_yaml, checkpoint.scene_name), threads);
  std::istringstream state(checkpoint.state);
  try {
    std::visit([&](auto& s) { s.load(state); }, *engine->simulation_);
  } catch (const InvalidState& error) {
    throw refuse(error.what());
  }
  if (state.peek() != std::istringstream::traits_type::eof()) throw refuse("it goes on behind its end");
  if (engine->hash() != checkpoint.state_hash) {
    throw refuse("its values are not those that this version of scree saves");
  }
  return engine;
}

}  // namespace scree::python
