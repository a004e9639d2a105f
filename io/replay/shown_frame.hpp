#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dem/scene/domain.hpp"
#include "dem/state.hpp"

namespace scree {

/// One frame after the other of a run that goes on, as arrays of float for the player (io/replay/engine_source.js).
///
/// Grains are numbered by their births; one that left keeps its number. Places are from the domain's corner [m].
class ShownFrame {
 public:
  enum Array {
    poses,  ///< four a grain: x, y, angle, and its radius in that of its birth; 0 if it is not there
    speed,  ///< and the next three: one a grain [m/s, rad/s, N, -]
    angular_velocity,
    force,
    coordinations,
    chains,         ///< five a line: grain a, grain b or -1, the way from a's centroid to the contact, normal force [N]
    walls,          ///< x and y of all corners
    wall_starts,    ///< the first corner of each wall, and one behind the last
    births,         ///< seven a grain that is new: type, material, corners, radius [m], mass [kg], colour or -1, id
    birth_corners,  ///< x and y about the centroid, at angle 0 [m]
    cell,           ///< x and y of the four corners of a periodic cell that deforms; else nothing
    kArrays
  };
  static constexpr std::array<const char*, kArrays> kNames = {
      "poses", "speed",       "angular_velocity", "force",         "coordination", "chains",
      "walls", "wall_starts", "births",           "birth_corners", "cell"};

  explicit ShownFrame(const Domain& domain) : domain_(domain) {}

  /// Fills all arrays. @param state  of a simulation, or read from a frame
  void take(const State& state);

  const std::vector<float>& array(std::size_t which) const { return arrays_.at(which); }
  std::size_t grains() const { return number_of_.size(); }  ///< so far
  double chain_force() const { return chain_force_; }       ///< where the scale of forces ends [N]

 private:
  void add_birth(const ParticleState& p, std::size_t i);
  void fill_grains(const ParticleState& p);
  void fill_chains(const std::vector<ContactState>& contacts);
  void fill_walls(const WallState& w);

  Domain domain_;
  std::array<std::vector<float>, kArrays> arrays_;
  std::unordered_map<std::uint64_t, std::uint32_t> number_of_;
  std::vector<double> first_radius_;  // of each grain [m]
  double chain_force_ = 0.0;          // [N]
};

}  // namespace scree
