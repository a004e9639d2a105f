#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/scene/scene_reader.hpp"

/// A scene that uses every key. Tests spoil it in one place and see what the reader says.
inline const std::string kMaximalScene = R"(scree: 1
title: "Everything at once"
mode: soft
seed: 18446744073709551615
domain: {x: [-1, 1], y: [-0.1, 2], periodic: [x]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}
  steel:
    density: 7800
    stiffness: 2.0e6
    damping: 0.05
walls:
  - {name: plate, material: steel, polygon: [[-0.3, -0.02], [0.3, -0.02], [0.3, 0], [-0.3, 0]]}
  - {name: gate, material: steel, box: {x: [0.4, 0.5], y: [0, 0.3]}, until: 1.5}
  - {name: belt, material: stone, box: {x: [0.6, 0.7], y: [0, 0.3]}, velocity: [0.125, 0], until: never}
  - name: paddle
    material: steel
    polygon: [[-0.8, 0], [-0.6, 0], [-0.6, 0.02]]
    velocity: [0, 0.25]
    rotation: {rate: 3.1, about: [-0.7, 0.01]}
  - {name: wheel, material: steel, box: {x: [-0.9, -0.8], y: [0.6, 0.7]}, rotation: {rate: -2}}
particles:
  - pour: {count: 1500, rate: 800, from: 0.5, region: {x: [-0.05, 0.05], y: [0.3, 0.5]}, velocity: [0, -0.5]}
    material: stone
    shape: {random_polygon: {vertices: [5, 8], aspect: [1.0, 1.4]}}
    size: {uniform: [0.008, 0.014]}
  - fill: {region: {x: [-0.5, 0.5], y: [1, 1.5]}, count: 100, jitter: 0.1}
    material: stone
    shape: {regular_polygon: {vertices: 6}}
    size: 0.02
  - fill: {region: {x: [-0.5, 0.5], y: [1.6, 1.9]}, count: all}
    material: steel
    shape: {disk: {}}
    size: 0.03
  - place:
      - {position: [0, 0.7], angle: 0.1, velocity: [1, 2], angular_velocity: -3}
      - {position: [0.2, 0.7]}
    material: steel
    shape: {polygon: [[0, 0], [0.04, 0], [0.04, 0.02], [0, 0.02]]}
  - pour: {count: 1e3, rate: 50, region: {x: [0.75, 0.95], y: [0.5, 1]}}
    material: stone
    shape: {random_polygon: {vertices: 6}}
    size: 0.01
contact: {law: area, disks: hertz, pairs: [{between: [steel, stone], friction: 0.4, dynamic_friction: 0.25, damping: 0.2}], initial_depth: 0.01}
time: {end: 4.0, step: 2e-6, integrator: velocity_verlet}
output: {every: 0.02, directory: out/everything, replay: true}
broadphase: linked_cells
measure:
  every: 0.25
  from: 1.5
  region: {x: [-0.5, 0.5], y: [0, 0.75]}
  radial_distribution: {to: 0.125, bins: 50}
  velocity_distribution: {to: 4, bins: 40}
  height_profile: {bins: 20}
  mean_square_displacement: {}
checkpoint: {every: 2.5}
)";

/// Replaces the one place where `text` holds `old`.
inline std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos || text.find(old, at + 1) != std::string::npos) {
    throw std::logic_error("the test expects this once: " + old);
  }
  return text.replace(at, old.size(), by);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// What the reader says, or nothing.
inline std::string complaint(const std::string& text) {
  try {
    scree::parse_scene(text, "s.yaml");
    return "";
  } catch (const scree::SceneError& error) {
    CHECK(error.line > 0);
    CHECK(error.column > 0);
    return error.what();
  }
}

/// The maximal scene spoilt in one place.
inline std::string complaint(const std::string& old, const std::string& by) {
  return complaint(replaced(kMaximalScene, old, by));
}

struct Mistake {
  const char* old;
  const char* by;
  const char* message;
};

inline void check_mistakes(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    CAPTURE(std::string(mistake.by));
    CHECK(complaint(mistake.old, mistake.by) == std::string("s.yaml:") + mistake.message);
  }
}
