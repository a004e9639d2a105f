// One simulation behind functions of C: for the page's Worker (web/worker.js) and for tests in node. What they say is
// JSON, what they show are arrays of float; both are valid until the next call.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <emscripten.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "dem/errors.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/pages/colours.hpp"
#include "io/replay/shown_frame.hpp"
#include "io/replay/shown_scene.hpp"
#include "io/scene/restart_text.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_source.hpp"
#include "io/scene/sections.hpp"

namespace scree::web {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kName = "scene.yaml";            // of the text, in messages
constexpr std::chrono::milliseconds kBetweenLooks{2};  // at the clock

struct Engine {
  Scene scene;
  std::variant<std::unique_ptr<soft::Simulation>, std::unique_ptr<hard::SceneSimulation>> simulation;
  Colours colours;
  ShownFrame frame;
  std::uint64_t batch = 1;  // steps or events between looks at the clock
};

std::unique_ptr<Engine> engine;
std::string answer;

template <class Do>
decltype(auto) with_simulation(Engine& e, const Do& act) {
  return std::visit([&](auto& simulation) -> decltype(auto) { return act(*simulation); }, e.simulation);
}

hard::SceneSimulation* hard_simulation(Engine& e) {
  const auto* simulation = std::get_if<std::unique_ptr<hard::SceneSimulation>>(&e.simulation);
  return simulation != nullptr ? simulation->get() : nullptr;
}

void say(const Json& json) {
  answer = json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void say_mistakes(const SceneError& error) {
  Json list = Json::array();
  for (const SceneMistake& mistake : error.mistakes) {
    if (mistake.is_consequence) continue;
    list.push_back(
        {{"line", mistake.line}, {"column", mistake.column}, {"key", mistake.key}, {"problem", mistake.problem}});
    if (list.size() == kMostMistakesTold) break;
  }
  say({{"mistakes", list}});
}

/// @return whether it was done; else the answer is what was wrong
template <class Do>
bool attempt(const Do& act) {
  try {
    act();
    return true;
  } catch (const SceneError& error) {
    say_mistakes(error);
  } catch (const std::bad_alloc&) {
    say({{"error", "the page has no memory left: a browser gives a page 4 GB at most"}});
  } catch (const std::exception& error) {
    say({{"error", error.what()}});
  }
  return false;
}

/// The scene's parameters with their values and where these stand.
Json parameters_of(const std::string& text) {
  Json list = Json::array();
  Mistakes none;
  const YamlValue parameters = scene_document(text, kName, {}, keys::scene_keys(), none)["parameters"];
  if (!parameters.is_mapping()) return list;
  for (const auto& [name, value] : parameters.entries("", none)) {
    const SceneMistake place = value.error("").mistakes.front();
    list.push_back(
        {{"name", name}, {"value", value.number(Numbers::any(""))}, {"line", place.line}, {"column", place.column}});
  }
  return list;
}

Json description_of(Engine& e, const std::string& text) {
  const Scene& scene = e.scene;
  bool can_turn_back = false;
  std::string why_not;
  try {
    hard::require_way_back(scene);
    can_turn_back = true;
  } catch (const InvalidScene& error) {
    why_not = error.what();
  }
  Json run = {{"status", ""}, {"seed", scene.seed}};
  if (const auto* simulation = std::get_if<std::unique_ptr<soft::Simulation>>(&e.simulation)) {
    run["step"] = (*simulation)->dt();
    run["step_reason"] = (*simulation)->step_reason();
  }
  Json description = shown_scene(scene, with_simulation(e, [](auto& simulation) { return simulation.state(); }));
  description.update({{"end", scene.end},
                      {"every", scene.output_every},
                      {"parameters", parameters_of(text)},
                      {"can_turn_back", can_turn_back},
                      {"why_not", why_not},
                      {"is_exact", scene.mode == Mode::hard && scene.hard.arithmetic == Arithmetic::exact},
                      {"run", run}});
  return description;
}

void look(Engine& e) {
  State state = with_simulation(e, [](auto& simulation) { return simulation.state(); });
  e.colours.paint(state.particles);
  e.frame.take(state);
  const Summary s = with_simulation(e, [](auto& simulation) { return simulation.summary(); });
  say({{"time", state.time},
       {"grains", e.frame.grains()},
       {"chain_force", e.frame.chain_force()},
       {"row",
        {{"time [s]", s.time},
         {"particles", s.particles},
         {"particles_out", s.particles_out},
         {"coordination", s.coordination},
         {"kinetic_energy [J]", s.kinetic_energy},
         {"elastic_energy [J]", s.elastic_energy},
         {"max_depth_ratio", s.max_depth_ratio},
         {"energy_residual", s.energy_residual},
         {"packing_fraction", s.packing_fraction}}}});
}

/// At the beginning of a scene. @throws SceneError
Engine begin(const char* text) {
  Scene scene = parse_scene(text, kName);
  const ShownFrame frame(scene.domain);
  Engine made{.scene = std::move(scene), .simulation = {}, .colours = {}, .frame = frame};
  try {
    if (made.scene.mode == Mode::soft) {
      made.simulation = std::make_unique<soft::Simulation>(made.scene, soft::Options{.threads = 1});
    } else {
      made.simulation = std::make_unique<hard::SceneSimulation>(made.scene);
    }
  } catch (const InvalidScene& error) {
    throw with_place(error, text, kName);
  }
  return made;
}

/// Advances by advance(at_most) until done() or the time is up. @return whether done
template <class Advance, class Done>
bool advance_for(Engine& e, double milliseconds, const Advance& advance, const Done& done) {
  const Clock::time_point start = Clock::now();
  const auto end = start + std::chrono::duration<double, std::milli>(milliseconds);
  for (Clock::time_point last = start; !done();) {
    advance(e.batch);
    const Clock::time_point now = Clock::now();
    if (now - last < kBetweenLooks / 2) {
      e.batch = std::min<std::uint64_t>(2 * e.batch, 1U << 30U);
    } else if (now - last > 2 * kBetweenLooks && e.batch > 1) {
      e.batch /= 2;
    }
    last = now;
    if (now >= end) return done();
  }
  return true;
}

}  // namespace

extern "C" {

/// What the last function said.
EMSCRIPTEN_KEEPALIVE const char* scree_answer() {
  return answer.c_str();
}

/// Reads a scene and no more. @return whether it can be read; the answer has its parameters or its mistakes
EMSCRIPTEN_KEEPALIVE bool scree_check(const char* text) {
  return attempt([&] {
    parse_scene(text, kName);
    say({{"parameters", parameters_of(text)}});
  });
}

/// Begins a scene, in place of the one before. @return whether it began; the answer describes it or has its mistakes
EMSCRIPTEN_KEEPALIVE bool scree_open(const char* text) {
  engine.reset();
  return attempt([&] {
    Engine made = begin(text);
    const State start = with_simulation(made, [](auto& simulation) { return simulation.state(); });
    made.colours = Colours(made.scene, start.particles);
    engine = std::make_unique<Engine>(std::move(made));
    say(description_of(*engine, text));
  });
}

/// What the text of the scene becomes where a grain is put elsewhere: all grains at given places, from where they go
/// on. The scene that runs stays as it is. @param text  of it  @param id  of the grain  @param x [m]  @param y [m]
/// @return whether that scene could begin; the answer has its text, or why not
EMSCRIPTEN_KEEPALIVE bool scree_put(const char* text, double id, double x, double y) {
  return attempt([&] {
    State state = with_simulation(*engine, [](auto& simulation) { return simulation.state(); });
    ParticleState& grains = state.particles;
    const auto found = std::ranges::find(grains.id, static_cast<std::uint64_t>(id));
    const auto k = static_cast<std::size_t>(found - grains.id.begin());
    if (k == grains.size()) throw InvalidScene("particles", "this grain is not there any more");
    const Vec2 by = Vec2(x, y) - grains.position[k];
    grains.position[k] += by;
    for (std::uint32_t v = grains.outlines.first[k]; v < grains.outlines.first[k + 1]; ++v)
      grains.outlines.vertices[v] += by;
    const Summary summary = with_simulation(*engine, [](auto& simulation) { return simulation.summary(); });
    const std::string restarted = restart_text(text, engine->scene, state, summary);
    begin(restarted.c_str());
    say({{"text", restarted}});
  });
}

/// Forward to a time [s], or on the way back down to it, for at most so many milliseconds and a little more.
/// @return 0: it failed, the answer says why; 1: it can go on; 2: it is there; 3: the scene is over
/// @pre a scene was begun
EMSCRIPTEN_KEEPALIVE int scree_advance(double to, double milliseconds) {
  Engine& e = *engine;
  bool is_there = false;
  bool is_over = false;
  const bool is_good = attempt([&] {
    hard::SceneSimulation* const reversible = hard_simulation(e);
    if (reversible != nullptr && reversible->runs_backward()) {
      is_there = advance_for(
          e, milliseconds, [&](std::uint64_t at_most) { reversible->go_back_to(to, at_most); },
          [&] { return reversible->is_back_at(to); });
      is_over = reversible->is_back_at(0.0);
      return;
    }
    with_simulation(e, [&](auto& simulation) {
      is_there = advance_for(
          e, milliseconds, [&](std::uint64_t at_most) { simulation.advance_to(to, at_most); },
          [&] { return simulation.is_over() || simulation.has_reached(to); });
      is_over = simulation.is_over();
    });
  });
  return !is_good ? 0 : is_over ? 3 : is_there ? 2 : 1;
}

/// Time runs the other way from now on. @return whether it does; else the answer says why not
EMSCRIPTEN_KEEPALIVE bool scree_turn_back() {
  return attempt([] {
    hard::require_way_back(engine->scene);
    hard_simulation(*engine)->turn_back();
  });
}

EMSCRIPTEN_KEEPALIVE bool scree_runs_backward() {
  const hard::SceneSimulation* const reversible = hard_simulation(*engine);
  return reversible != nullptr && reversible->runs_backward();
}

EMSCRIPTEN_KEEPALIVE double scree_time() {
  return with_simulation(*engine, [](auto& simulation) { return simulation.time(); });
}

/// Fills the arrays of the frame (ShownFrame::Array); the answer has its time and a row of the tables.
EMSCRIPTEN_KEEPALIVE bool scree_look() {
  return attempt([] { look(*engine); });
}

EMSCRIPTEN_KEEPALIVE const float* scree_array(int which) {
  return engine->frame.array(static_cast<std::size_t>(which)).data();
}

EMSCRIPTEN_KEEPALIVE std::size_t scree_array_size(int which) {
  return engine->frame.array(static_cast<std::size_t>(which)).size();
}

/// Of the state, as run.json has it.
EMSCRIPTEN_KEEPALIVE const char* scree_hash() {
  attempt([] { answer = with_simulation(*engine, [](auto& simulation) { return state_hash(simulation); }); });
  return answer.c_str();
}

}  // extern "C"

}  // namespace scree::web
