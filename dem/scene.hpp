#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broadphase/kind.hpp"
#include "dem/mode.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/gravity_point.hpp"
#include "dem/scene/hard_options.hpp"
#include "dem/scene/integrator.hpp"
#include "dem/scene/material.hpp"
#include "dem/scene/measure.hpp"
#include "dem/scene/particles.hpp"
#include "dem/scene/stage.hpp"
#include "dem/scene/start.hpp"
#include "dem/scene/thermostat.hpp"
#include "dem/scene/wall.hpp"
#include "geometry/vec.hpp"

/// A scene as plain data: what a user asked for, validated, nothing simulated yet. io reads it from YAML; programs that
/// embed scree fill it themselves. Units are SI in two dimensions (docs/conventions.md). Its parts are in dem/scene;
/// what needs one of them includes that one, since a change of this file compiles all anew that includes it.
namespace scree {

/// What only the time-stepped mode uses.
struct SoftOptions {
  std::vector<GravityPoint> gravity_table = {};  ///< ascending in time; empty: constant
  double initial_depth = 0.0;                    ///< greatest depth ratio of a contact at time 0; [0, 0.2]
  /// The run ends before its end as soon as the unbalanced force ratio (dem/soft/contact/rest.hpp) is below this.
  std::optional<double> until_unbalanced = {};
  std::vector<Stage> stages = {};   ///< their sum of durations is then the scene's end
  std::optional<double> step = {};  ///< [s]; absent: automatic
  Integrator integrator = Integrator::gear_4;
  /// Share of the force on a grain that opposes its motion, [0, 1); see dem/soft/motion/local_damping.hpp.
  double local_damping = 0.0;
  bool output_stress = false;  ///< whether frames have the stress of each grain

  bool operator==(const SoftOptions&) const = default;
};

struct Scene {
  std::string title;
  Mode mode = Mode::soft;
  std::uint64_t seed = 1;
  /// Whether the grains keep the net momentum of the velocities that are drawn at random; see dem/insertion.hpp.
  bool keeps_drawn_momentum = false;
  Domain domain;
  Vec2 gravity = Vec2::Zero();  ///< with a table: at time 0 [m/s^2]
  std::vector<Material> materials;
  std::vector<Wall> walls;
  std::vector<ParticleGroup> particles;
  std::string contact_law = "area";  ///< of polygons against polygons, by name
  std::string disk_law = "linear";   ///< of contacts with disks, by name
  std::vector<MaterialPair> pairs;   ///< each pair of materials at most once
  BroadphaseKind broadphase = BroadphaseKind::automatic;
  SoftOptions soft = {};
  HardOptions hard = {};
  std::optional<Thermostat> thermostat = {};
  double end = 0.0;  ///< [s]
  std::optional<Start> start = {};
  double output_every = 0.0;     ///< [s], > 0
  std::string output_directory;  ///< as written in the scene: relative to where the program runs
  bool output_replay = false;    ///< whether the run writes its replay when it ends
  /// Wall time between two saves of the state [s], > 0; absent: chosen by the program.
  std::optional<double> checkpoint_every = {};
  std::optional<Measure> measure = {};

  bool operator==(const Scene&) const = default;
};

/// What the scene gives for a pair of materials, in either order; null if they are to be mixed.
inline const MaterialPair* given_pair(const Scene& scene, int a, int b) {
  const auto found = std::ranges::find_if(
      scene.pairs, [&](const MaterialPair& pair) { return std::minmax(pair.first, pair.second) == std::minmax(a, b); });
  return found != scene.pairs.end() ? &*found : nullptr;
}

}  // namespace scree
