// One simulation behind functions of C: for the page's Worker (web/worker.js) and for tests in node. What they say is
// JSON, what they show are arrays of float; both are valid until the next call.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <emscripten.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "dem/errors.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/soft/simulation.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/frames/group_names.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/pages/colours.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_source.hpp"
#include "io/scene/sections.hpp"

namespace scree::web {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kName = "scene.yaml";  // of the text, in messages
constexpr double kFaintest = 1.0 / 64.0;     // of the greatest force: weaker contacts are left out
constexpr double kStrongShare = 0.99;        // of a hundred contacts one is stronger than "the greatest"
constexpr double kFading = 0.97;             // of the greatest force from frame to frame: an impact is soon forgotten
constexpr std::chrono::milliseconds kBetweenLooks{2};  // at the clock

/// What the arrays of a frame are called, in the order of scree_array.
enum Array {
  poses,
  speed,
  angular_velocity,
  force,
  coordination,
  chains,
  walls,
  wall_starts,
  births,
  birth_corners,
  cell,
  kArrays
};

/// The frame that the page shows. Grains are numbered by their births; one that left keeps its number.
struct Frame {
  std::array<std::vector<float>, kArrays> arrays;
  std::unordered_map<std::uint64_t, std::uint32_t> number_of;
  std::vector<double> first_radius;  // of each grain [m]
  double chain_force = 0.0;          // where the scale of forces ends [N]
};

struct Engine {
  Scene scene;
  std::variant<std::unique_ptr<soft::Simulation>, std::unique_ptr<hard::SceneSimulation>> simulation;
  Colours colours;
  Frame frame = {};
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

/// What of the plane is shown: the domain, but of open sides that are far from all that is there only a part.
Json view_of(const Scene& scene, const State& start) {
  Vec2 lo = scene.domain.hi;
  Vec2 hi = scene.domain.lo;
  const auto grow = [&](const Vec2& point) {
    lo = lo.cwiseMin(point);
    hi = hi.cwiseMax(point);
  };
  const auto grow_to_region = [&](const Region& region) {
    grow(region.lo);
    grow(region.hi);
  };
  for (std::size_t i = 0; i < start.particles.size(); ++i) grow(start.particles.position[i]);
  for (const ParticleGroup& group : scene.particles) {
    if (const auto* pour = std::get_if<Pour>(&group.how)) grow_to_region(pour->region);
  }
  for (const Vec2& corner : start.walls.outlines.vertices) {
    grow(corner.cwiseMax(scene.domain.lo).cwiseMin(scene.domain.hi));
  }
  const Domain& domain = scene.domain;
  if (!(hi.x() >= lo.x() && hi.y() >= lo.y())) lo = domain.lo, hi = domain.hi;
  const double margin = 0.6 * (hi - lo).maxCoeff();
  for (const Eigen::Index k : {0, 1}) {
    const bool is_open = !domain.reflecting && !domain.periodic[static_cast<std::size_t>(k)];
    lo[k] = is_open && margin > 0.0 ? std::max(domain.lo[k], lo[k] - margin) : domain.lo[k];
    hi[k] = is_open && margin > 0.0 ? std::min(domain.hi[k], hi[k] + margin) : domain.hi[k];
  }
  return {lo.x(), hi.x(), lo.y(), hi.y()};
}

Json description_of(Engine& e, const std::string& text) {
  const Scene& scene = e.scene;
  const Domain& domain = scene.domain;
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
  return {
      {"title", scene.title},
      {"mode", name_of(scene.mode)},
      {"end", scene.end},
      {"every", scene.output_every},
      {"domain",
       {{"lo", {domain.lo.x(), domain.lo.y()}},
        {"hi", {domain.hi.x(), domain.hi.y()}},
        {"periodic", {domain.periodic[0], domain.periodic[1]}},
        {"reflecting", domain.reflecting}}},
      {"view", view_of(scene, with_simulation(e, [](auto& simulation) { return simulation.state(); }))},
      {"materials", material_names(scene)},
      {"groups", group_names(scene)},
      {"parameters", parameters_of(text)},
      {"can_turn_back", can_turn_back},
      {"why_not", why_not},
      {"is_exact", scene.mode == Mode::hard && scene.hard.arithmetic == Arithmetic::exact},
      {"run", run},
  };
}

/// At first and after births: type, material, number of corners, radius [m], mass [kg], colour, id.
void add_birth(Frame& frame, const ParticleState& p, std::size_t i) {
  frame.number_of.emplace(p.id[i], static_cast<std::uint32_t>(frame.number_of.size()));
  frame.first_radius.push_back(p.radius[i]);
  const auto corners =
      std::span(p.outlines.vertices).subspan(p.outlines.first[i], p.outlines.first[i + 1] - p.outlines.first[i]);
  const double colour = p.colour.empty() ? -1.0 : p.colour[i][0] * 65536.0 + p.colour[i][1] * 256.0 + p.colour[i][2];
  for (const double value :
       {static_cast<double>(p.type[i]), static_cast<double>(p.material[i]), static_cast<double>(corners.size()),
        p.radius[i], p.mass[i], colour, static_cast<double>(p.id[i])}) {
    frame.arrays[births].push_back(static_cast<float>(value));
  }
  const double c = std::cos(p.angle[i]);
  const double s = std::sin(p.angle[i]);
  for (const Vec2& corner : corners) {
    const Vec2 d = corner - p.position[i];
    frame.arrays[birth_corners].push_back(static_cast<float>(c * d.x() + s * d.y()));
    frame.arrays[birth_corners].push_back(static_cast<float>(c * d.y() - s * d.x()));
  }
}

void fill_grains(Frame& frame, const ParticleState& p, const Domain& domain) {
  frame.arrays[births].clear();
  frame.arrays[birth_corners].clear();
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!frame.number_of.contains(p.id[i])) add_birth(frame, p, i);
  }
  const std::size_t n = frame.number_of.size();
  frame.arrays[poses].assign(4 * n, 0.0F);  // scale 0: it is not there
  for (const Array array : {speed, angular_velocity, force, coordination}) frame.arrays[array].assign(n, 0.0F);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::uint32_t k = frame.number_of.at(p.id[i]);
    const Vec2 at = p.position[i] - domain.lo;
    const double values[] = {at.x(), at.y(), std::remainder(p.angle[i], 6.283185307179586),
                             p.radius[i] / frame.first_radius[k]};
    for (std::size_t c = 0; c < 4; ++c) frame.arrays[poses][4 * k + c] = static_cast<float>(values[c]);
    frame.arrays[speed][k] = static_cast<float>(p.velocity[i].norm());
    frame.arrays[angular_velocity][k] = static_cast<float>(p.angular_velocity[i]);
    frame.arrays[force][k] = static_cast<float>(p.force[i].norm());
    frame.arrays[coordination][k] = static_cast<float>(p.coordination[i]);
  }
}

/// Forces as lines: grain a, grain b or -1, from a's centroid to the point [m], normal force [N].
void fill_chains(Frame& frame, const std::vector<ContactState>& contacts) {
  std::vector<float>& out = frame.arrays[chains];
  out.clear();
  std::vector<double> forces;
  for (const ContactState& c : contacts) {
    if (c.force_normal > 0.0) forces.push_back(c.force_normal);
  }
  frame.chain_force *= kFading;
  if (!forces.empty()) {
    const auto strong = forces.begin() + static_cast<std::ptrdiff_t>(kStrongShare * static_cast<double>(forces.size()));
    std::nth_element(forces.begin(), strong, forces.end());
    frame.chain_force = std::max(frame.chain_force, *strong);
  }
  const auto add = [&](std::uint32_t a, double b, const Vec2& way, double normal) {
    for (const double value : {static_cast<double>(a), b, way.x(), way.y(), normal}) {
      out.push_back(static_cast<float>(value));
    }
  };
  for (const ContactState& c : contacts) {
    const auto a = frame.number_of.find(c.id1);
    const auto b = frame.number_of.find(c.id2);
    if (a == frame.number_of.end() || !(c.force_normal > kFaintest * frame.chain_force)) continue;
    const bool goes_on = b != frame.number_of.end() && c.centre2 != c.point;
    const bool is_near = goes_on && c.image_shift == Vec2::Zero();
    add(a->second, is_near ? b->second : -1.0, c.point - c.centre1, c.force_normal);
    if (goes_on && !is_near) add(b->second, -1.0, c.point - c.centre2, c.force_normal);
  }
}

void fill_walls(Frame& frame, const WallState& w, const Domain& domain) {
  frame.arrays[walls].clear();
  for (const Vec2& corner : w.outlines.vertices) {
    frame.arrays[walls].push_back(static_cast<float>(corner.x() - domain.lo.x()));
    frame.arrays[walls].push_back(static_cast<float>(corner.y() - domain.lo.y()));
  }
  frame.arrays[wall_starts].assign(w.outlines.first.begin(), w.outlines.first.end());
}

void look(Engine& e) {
  State state = with_simulation(e, [](auto& simulation) { return simulation.state(); });
  e.colours.paint(state.particles);
  const Domain& domain = e.scene.domain;
  const Vec2 centre = centre_of(domain);
  e.frame.arrays[cell].clear();
  if (state.cell) {
    for (const Vec2& corner : corners_of(*state.cell, centre, state.cell->tilt)) {
      e.frame.arrays[cell].push_back(static_cast<float>(corner.x() - domain.lo.x()));
      e.frame.arrays[cell].push_back(static_cast<float>(corner.y() - domain.lo.y()));
    }
    state = *in_parallelogram(state, centre);
  }
  fill_grains(e.frame, state.particles, domain);
  fill_chains(e.frame, state.contacts);
  fill_walls(e.frame, state.walls, domain);
  const Summary s = with_simulation(e, [](auto& simulation) { return simulation.summary(); });
  say({{"time", state.time},
       {"grains", e.frame.number_of.size()},
       {"chain_force", e.frame.chain_force},
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
    Engine made{.scene = parse_scene(text, kName), .simulation = {}, .colours = {}};
    try {
      if (made.scene.mode == Mode::soft) {
        made.simulation = std::make_unique<soft::Simulation>(made.scene, soft::Options{.threads = 1});
      } else {
        made.simulation = std::make_unique<hard::SceneSimulation>(made.scene);
      }
    } catch (const InvalidScene& error) {
      throw with_place(error, text, kName);
    }
    const State start = with_simulation(made, [](auto& simulation) { return simulation.state(); });
    made.colours = Colours(made.scene, start.particles);
    engine = std::make_unique<Engine>(std::move(made));
    say(description_of(*engine, text));
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

/// Fills the arrays of the frame; the answer has its time and a row of the tables.
EMSCRIPTEN_KEEPALIVE bool scree_look() {
  return attempt([] { look(*engine); });
}

EMSCRIPTEN_KEEPALIVE const float* scree_array(int which) {
  return engine->frame.arrays.at(static_cast<std::size_t>(which)).data();
}

EMSCRIPTEN_KEEPALIVE std::size_t scree_array_size(int which) {
  return engine->frame.arrays.at(static_cast<std::size_t>(which)).size();
}

/// Of the state, as run.json has it.
EMSCRIPTEN_KEEPALIVE const char* scree_hash() {
  attempt([] { answer = with_simulation(*engine, [](auto& simulation) { return state_hash(simulation); }); });
  return answer.c_str();
}

}  // extern "C"

}  // namespace scree::web
