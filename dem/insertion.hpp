#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dem/scene.hpp"
#include "dem/shapes.hpp"

namespace scree {

/// A grain before it has a place.
struct Grain {
  std::vector<Vec2> outline;              ///< about the centroid; empty: a disk [m]
  double area = 0.0;                      ///< [m^2]
  double second_moment = 0.0;             ///< polar, about the centroid [m^4]
  double bounding_radius = 0.0;           ///< [m]
  double inner_radius = 0.0;              ///< distance of the nearest edge from the centroid [m]
  double longest_side = 0.0;              ///< 0 for a disk [m]
  std::optional<double> given_mass = {};  ///< whatever its density is [kg]

  double mass(double density) const { return given_mass.value_or(density * area); }
  /// About the centroid [kg m^2].
  double inertia(double density) const {
    return given_mass ? *given_mass * (second_moment / area) : density * second_moment;
  }
  ShapeView view() const { return {outline, bounding_radius}; }
};

/// Grain number `index` of a group: a pure function of the scene, so that what will be poured is known at the start.
/// @pre for a group of placed grains: index is less than their number
Grain make_grain(const Scene& scene, int group, std::uint64_t index);

/// A grain with a place and a motion.
struct Birth {
  Grain grain;
  Vec2 position;            ///< of the centroid [m]
  double angle;             ///< [rad]
  Vec2 velocity;            ///< [m/s]
  double angular_velocity;  ///< [rad/s]
};

/// Is there room for this shape at this pose?
using IsFree = std::function<bool(const ShapeView&, const Pose&)>;

/// The grains of a group that are there from the start (`fill` and `place`; none for `pour`).
///
/// @param is_free asked for every site of a fill's lattice, in order; the sites do not disturb one another
/// @throws InvalidScene if a fill's `count` does not fit
std::vector<Birth> initial_grains(const Scene& scene, int group, const IsFree& is_free);

/// How far a pour has come. Plain data, saved with the state.
struct PourProgress {
  std::uint64_t born = 0;
  std::uint64_t attempts = 0;  ///< counter of the random places tried
};

/// Grains that should have been born by `time` [s].
std::uint64_t due(const Pour& pour, double time);

/// The next grain of a pour, if one is due and a place for it is found in a few attempts.
std::optional<Birth> try_pour(const Scene& scene, int group, double time, PourProgress& progress,
                              const IsFree& is_free);

/// Number of grains a group holds in all. For a fill: an upper bound.
std::uint64_t grains_in(const ParticleGroup& group);

}  // namespace scree
