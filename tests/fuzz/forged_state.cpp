#include "tests/fuzz/forged_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/measure/measurements.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"
#include "io/scene/scene_reader.hpp"

using namespace scree;

namespace {

struct Example {
  const char* yaml;
  double until;                        // [s]
  std::optional<double> back_to = {};  // then it goes back, and is saved on the way [s]
};

const std::array kExamples = {
    Example{R"(scree: 1
seed: 3
domain: {x: [0, 0.1], y: [0, 0.1], periodic: [x]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 1e7, restitution: 0.5, friction: 0.4, rolling_friction: 0.1}
walls:
  - {name: floor, material: stone, box: {x: [0, 0.1], y: [0, 0.01]}}
  - {name: gate, material: stone, box: {x: [0.05, 0.06], y: [0.02, 0.03]}, until: 0.01}
  - {name: paddle, material: stone, box: {x: [0.03, 0.05], y: [0.03, 0.033]}, rotation: {rate: 9}, velocity: [0.3, 0]}
particles:
  - place:
      - {position: [0.012, 0.0149], velocity: [0.5, -0.4], angular_velocity: 30}
      - {position: [0.001, 0.0149], velocity: [-0.5, 0]}
      - {position: [0.05, 0.098], velocity: [0, 9]}
    material: stone
    shape: {polygon: [[0, 0], [1, 0], [1, 1], [0, 1]]}
    size: 0.01
  - pour: {count: 5, rate: 500, region: {x: [0.01, 0.09], y: [0.04, 0.06]}, velocity: [0.2, -1]}
    material: stone
    shape: disk
    size: {uniform: [0.007, 0.01]}
time: {end: 1}
output: {every: 0.01}
measure: {every: 0.004, radial_distribution: {to: 0.02, bins: 5}, velocity_distribution: {bins: 5},
          height_profile: {bins: 3}, mean_square_displacement: {}}
)",
            0.02},
    Example{R"(scree: 1
seed: 5
domain: {x: [0, 0.1], y: [0, 0.1], periodic: [x, y]}
materials:
  stone: {density: 2600, stiffness: 1e7, restitution: 0.8, friction: 0.4}
particles:
  - fill: {region: {x: [0, 0.1], y: [0, 0.1]}, jitter: 1.5, count: 12}
    material: stone
    shape: {random_polygon: {vertices: [3, 7]}}
    size: 0.012
contact: {law: area_potential_3_2}
broadphase: linked_cells
time: {end: 1, integrator: gear_6}
output: {every: 0.01}
)",
            0.01},
    Example{R"(scree: 1
seed: 3
domain: {x: [0, 0.1], y: [0, 0.1], periodic: [x]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 1e7, restitution: 0.5, friction: 0.4}
walls:
  - {name: floor, material: stone, box: {x: [0, 0.1], y: [0, 0.01]}}
particles:
  - place:
      - {position: [0.012, 0.02], velocity: [0.5, -0.4], angular_velocity: 30}
      - {position: [0.001, 0.04], velocity: [0.5, -1]}
      - {position: [0.05, 0.098], velocity: [0, 9]}
    material: stone
    shape: {polygon: [[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]]}
    size: 0.01
  - pour: {count: 3, rate: 1000, region: {x: [0.03, 0.09], y: [0.05, 0.09]}}
    material: stone
    shape: {parts: [{disk: 1}, {disk: 0.8, position: [1.5, 0]}]}
    size: 0.008
time: {end: 1}
output: {every: 0.01}
)",
            0.01},
    Example{R"(scree: 1
mode: hard
seed: 3
domain: {x: [0, 1], y: [-0.5, 1.5], periodic: [x]}
gravity: [0, -0.5]
materials:
  ball: {density: 1, restitution: 0.9, friction: 0.1, tangential_restitution: 0.5}
  wood: {density: 1, restitution: 0.7}
walls:
  - {name: shaker, material: wood, box: {x: [0.2, 0.5], y: [0, 0.1]}, oscillation: {amplitude: [0, 0.05], frequency: 3}}
  - {name: gate, material: wood, box: {x: [0.6, 0.9], y: [0, 0.1]}, until: 0.6}
particles:
  - place: [{position: [0.3, 0.4], velocity: [3, 0]}, {position: [0.9, -0.3]}]
    material: wood
    shape: disk
    size: 0.1
  - pour: {count: 30, rate: 20, region: {x: [0, 1], y: [0.6, 1.4]}}
    material: ball
    shape: disk
    size: {uniform: [0.05, 0.1]}
contact: {duration: 1e-4}
time: {end: 9}
output: {every: 0.125}
measure: {every: 0.1, free_flights: {}, height_profile: {bins: 3}}
)",
            0.8},
    Example{R"(scree: 1
mode: hard
seed: 19
domain: {x: [0, 0.15], y: [0, 0.15], periodic: [y], sides: reflecting}
materials:
  ball: {density: 1000, restitution: 1}
particles:
  - fill: {region: {x: [0, 0.15], y: [0, 0.15]}, count: 36, jitter: 0.5}
    material: ball
    shape: disk
    size: {uniform: [0.01, 0.015]}
well: {range: 1.4, energy: -2e-3}
time: {end: 0.6}
output: {every: 0.2}
measure: {every: 0.01, mean_square_displacement: {}}
)",
            0.1},
    Example{R"(scree: 1
mode: hard
seed: 9
domain: {x: [0, 1], y: [0, 1], periodic: [x, y]}
materials:
  ball: {density: 1000, restitution: 1}
particles:
  - fill: {region: {x: [0, 1], y: [0, 1]}, count: 36, jitter: 1}
    material: ball
    shape: disk
    size: {uniform: [0.11, 0.13]}
growth: {rate: 0.2, from: 0.3, pressure: 1e8}
time: {end: 6}
output: {every: 0.5}
)",
            1.0},
    Example{R"(scree: 1
mode: hard
arithmetic: exact
seed: 4
domain: {x: [0, 1], y: [0, 1], periodic: [x], sides: reflecting}
materials:
  ball: {density: 1000, restitution: 0.9}
  clay: {density: 1000, restitution: 0.5}
particles:
  - {fill: {region: {x: [0, 1], y: [0, 0.5]}, jitter: 0.5, count: 24}, material: ball, shape: disk, size: 0.1}
  - {fill: {region: {x: [0, 1], y: [0.5, 1]}, jitter: 0.5, count: 24}, material: clay, shape: disk, size: 0.1}
time: {end: 9}
output: {every: 0.5}
)",
            1.5, 0.8},
    Example{R"(scree: 1
mode: hard
arithmetic: exact
seed: 8
domain: {x: [0, 1], y: [0, 1], periodic: [x, y]}
materials:
  ball: {density: 1000, restitution: 0.95}
particles:
  - {fill: {region: {x: [0, 1], y: [0, 1]}, jitter: 0.5, count: 49}, material: ball, shape: disk, size: 0.12}
time: {end: 9, reverse: 0.5}
output: {every: 0.5}
measure: {every: 0.1, mean_square_displacement: {}}
)",
            1.0, 0.8},
    Example{R"(scree: 1
mode: hard
seed: 6
domain: {x: [0, 1], y: [0, 1], periodic: [x], sides: reflecting}
materials:
  ball: {density: 1000, restitution: 1}
particles:
  - {fill: {region: {x: [0, 1], y: [0, 1]}, jitter: 0.5, count: 36}, material: ball, shape: disk, size: 0.1}
time: {end: 9}
output: {every: 0.5}
)",
            1.0, 0.6},
    Example{R"(scree: 1
mode: hard
seed: 7
domain: {x: [0, 1], y: [0, 1], periodic: [x, y], cell: {xy: {rate: 1}}}
materials:
  ball: {density: 1000, restitution: 0.9}
particles:
  - {fill: {region: {x: [0, 1], y: [0, 1]}, jitter: 0.5, count: 36}, material: ball, shape: disk, size: 0.1}
time: {end: 9}
output: {every: 0.5}
)",
            1.0},
};

constexpr int kPieces = 20;

template <class Do>
auto with_simulation(const Scene& scene, const Do& act) {
  if (scene.mode == Mode::hard) {
    hard::SceneSimulation simulation(scene);
    return act(simulation);
  }
  soft::Simulation simulation(scene, {.threads = 1});
  return act(simulation);
}

template <AnySimulation S>
void take_samples(const S& simulation, std::optional<Measurements>& measurements) {
  if (measurements && simulation.has_reached(measurements->next())) {
    measurements->take(simulation.state(), simulation.transfers());
  }
}

template <class S>
constexpr bool kTurnsBack = std::is_same_v<std::remove_cvref_t<S>, hard::SceneSimulation>;

SavedRun saved_run(const Example& example) {
  SavedRun run{parse_scene(example.yaml, "example.yaml"), {}};
  std::optional<Measurements> measurements;
  if (run.scene.measure) measurements.emplace(run.scene);
  run.checkpoint = {.scene_name = "example.yaml", .scene_yaml = example.yaml, .state = {}};
  with_simulation(run.scene, [&](auto& simulation) {
    for (int piece = 0; piece <= kPieces; ++piece) {
      simulation.advance_to(example.until * piece / kPieces);
      take_samples(simulation, measurements);
    }
    if constexpr (kTurnsBack<decltype(simulation)>) {
      if (example.back_to) simulation.turn_back();
      for (int piece = kPieces; example.back_to && piece >= 0; --piece) {
        simulation.go_back_to(std::lerp(*example.back_to, example.until, static_cast<double>(piece) / kPieces));
      }
    }
    std::ostringstream state;
    simulation.save(state);
    run.checkpoint.state = std::move(state).str();
  });
  if (measurements) {
    std::ostringstream measured;
    OutArchive archive(measured);
    Measurements::visit(archive, std::as_const(*measurements));
    run.checkpoint.measurements = std::move(measured).str();
  }
  return run;
}

/// By so many steps or events, in the direction in which the run goes.
template <AnySimulation S>
void go_on(S& simulation, std::uint64_t few) {
  if constexpr (kTurnsBack<S>) {
    if (simulation.runs_backward()) return simulation.go_back_to(std::max(simulation.time() - 0.05, 0.0), few);
  }
  simulation.advance_to(simulation.time() + 0.05, few);
}

template <AnySimulation S>
void go_on(const Checkpoint& checkpoint, S& simulation, std::optional<Measurements>& measurements) {
  std::istringstream state(checkpoint.state);
  simulation.load(state);
  require_state(state.peek() == std::istringstream::traits_type::eof(), "more than there is");
  if (measurements) {
    std::istringstream measured(checkpoint.measurements);
    InArchive archive(measured);
    Measurements::visit(archive, *measurements);
    measurements->require_sound(simulation.transfers());
  }
  for (const std::uint64_t few : {1, 4, 64}) {
    go_on(simulation, few);
    simulation.state();
    simulation.summary();
    simulation.take_departures();
    take_samples(simulation, measurements);
    StateValues values;
    simulation.list_values(values);
  }
  std::ostringstream again;
  simulation.save(again);
  if (!measurements) return;
  measurements->height_profile();
  measurements->free_paths();
}

}  // namespace

std::span<const SavedRun> saved_runs() {
  static const std::vector<SavedRun> runs = [] {
    std::vector<SavedRun> all;
    for (const Example& example : kExamples) all.push_back(saved_run(example));
    return all;
  }();
  return runs;
}

void apply(const Edit& edit, std::string& bytes) {
  if (bytes.empty()) return;
  const std::size_t at = edit.offset % bytes.size();
  const auto set = [&](std::uint64_t value, std::size_t size) {
    std::memcpy(bytes.data() + at, &value, std::min(size, bytes.size() - at));
  };
  constexpr std::uint64_t kMostInserted = 1 << 12;
  switch (edit.kind) {
    case Edit::Kind::set_1:
      return set(edit.value, 1);
    case Edit::Kind::set_4:
      return set(edit.value, 4);
    case Edit::Kind::set_8:
      return set(edit.value, 8);
    case Edit::Kind::add_8: {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + at, std::min(sizeof value, bytes.size() - at));
      return set(value + edit.value, 8);
    }
    case Edit::Kind::insert:
      bytes.insert(at, edit.value % kMostInserted, static_cast<char>(edit.value >> 56));
      return;
    case Edit::Kind::erase:
      bytes.erase(at, edit.value % kMostInserted);
      return;
    case Edit::Kind::cut_off:
      bytes.resize(at);
      return;
  }
}

Fate continue_from(const Scene& scene, const Checkpoint& checkpoint) {
  try {
    std::optional<Measurements> measurements;
    if (scene.measure) measurements.emplace(scene);
    with_simulation(scene, [&](auto& simulation) { go_on(checkpoint, simulation, measurements); });
    return Fate::went_on;
  } catch (const InvalidState&) {
    return Fate::refused;
  } catch (const PhysicsError&) {
    return Fate::stopped;
  }
}
