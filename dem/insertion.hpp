#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/scene/grain_shape.hpp"
#include "dem/scene/particles.hpp"
#include "dem/shapes.hpp"

namespace scree {

class Random;
struct Scene;

/// A convex part of a clump.
struct GrainPart {
  std::vector<Vec2> outline;     ///< about its own centroid; empty: a disk [m]
  Vec2 arm = Vec2::Zero();       ///< from the clump's centroid to its own [m]
  double area = 0.0;             ///< [m^2]
  double bounding_radius = 0.0;  ///< about its own centroid [m]
  double inner_radius = 0.0;     ///< distance of the nearest edge from its own centroid [m]
  double longest_side = 0.0;     ///< 0 for a disk [m]

  ShapeView view() const { return {outline, bounding_radius}; }
};

/// Outline, size and mass of a grain.
struct GrainShape {
  /// About the centroid; empty: a disk; of a clump: how it looks, which need not be convex [m]
  std::vector<Vec2> outline;
  double area = 0.0;                      ///< [m^2]
  double second_moment = 0.0;             ///< polar, about the centroid [m^4]
  double bounding_radius = 0.0;           ///< [m]
  double inner_radius = 0.0;              ///< distance of the nearest edge from the centroid [m]
  double longest_side = 0.0;              ///< 0 for a disk [m]
  std::optional<double> given_mass = {};  ///< if given, it replaces density times area [kg]
  std::vector<GrainPart> parts = {};      ///< of a clump; empty: the grain is convex

  bool is_clump() const { return !parts.empty(); }
  double mass(double density) const { return given_mass.value_or(density * area); }
  /// About the centroid [kg m^2].
  double inertia(double density) const {
    return given_mass ? *given_mass * (second_moment / area) : density * second_moment;
  }
  /// @pre no clump
  ShapeView view() const { return {outline, bounding_radius}; }

  /// Calls act(shape, pose) for its parts, or for itself, at a pose of the grain.
  template <class Act>
  void for_each_part(const Pose& pose, const Act& act) const {
    if (!is_clump()) act(view(), pose);
    for (const GrainPart& part : parts) act(part.view(), Pose{pose * part.arm, pose.rotation});
  }
};

/// The box around a grain at a pose [m].
Aabb2 box_around(const GrainShape& grain, const Pose& pose);

/// Shape of grain number `index` of a group: a pure function of the scene, so that all grains of a pour are known at
/// the start.
/// @pre for a group of placed grains: index is less than their number
GrainShape make_grain(const Scene& scene, int group, std::uint64_t index);

/// Mass of a grain of a group, by its size: diameter of the disk of equal area [m] @return [kg]
double mass_of(const Scene& scene, const ParticleGroup& group, double size);

/// A clump of a size: diameter of the disk of equal area [m].
GrainShape clump_of(const Clump& form, double diameter);

/// A grain of an outline about its centroid, or a disk, with a mass of its own [kg].
GrainShape grain_like(const ShapeView& shape, double mass);

/// A grain as it is put into the run.
struct InitialState {
  GrainShape grain;
  Vec2 position;            ///< of the centroid [m]
  double angle;             ///< [rad]
  Vec2 velocity;            ///< [m/s]
  double angular_velocity;  ///< [rad/s]
  bool is_drawn = false;    ///< whether the velocity was drawn at random
};

/// Draws the velocity of a grain in equilibrium: normally distributed, with variances k T / m along each axis, and k T
/// / I.
/// @param temperature, rotational_temperature  k T [J]; 0: at rest
/// @return x, y, angular [m/s, rad/s]
Motion drawn_motion(Random& random, double temperature, double rotational_temperature, double mass, double inertia);

/// Takes the net momentum out of velocities that are drawn at random, along the axes along which the domain is
/// periodic, and keeps the energy along each: N draws have a mean of some 1/sqrt(N) of a draw, which nothing stops
/// there, and which a sheared cell makes grow as the strain. Along other axes, in a scene that keeps it, and of a lone
/// grain it stays.
///
/// Cost: O(1) a velocity
class DrawnVelocities {
 public:
  explicit DrawnVelocities(const Scene& scene);

  /// @param mass [kg] @param velocity as it was drawn [m/s]
  void add(double mass, const Vec2& velocity);

  /// @param velocity one of those added @return that of the grain, when all were added [m/s]
  Vec2 without_mean(const Vec2& velocity) const;

 private:
  std::array<bool, 2> is_removed_;  // along x, y
  double mass_ = 0.0;
  Vec2 momentum_ = Vec2::Zero();
  Vec2 twice_energy_ = Vec2::Zero();  // along x, y
};

/// Whether there is room for this shape at this pose.
using IsFree = std::function<bool(const ShapeView&, const Pose&)>;

/// The grains of a group that are present from the start (`fill` and `place`; none for `pour`).
///
/// @param is_free called for every site of a fill's lattice, in order; grains on different sites never overlap
/// @throws InvalidScene if a fill's `count` does not fit
std::vector<InitialState> initial_grains(const Scene& scene, int group, const IsFree& is_free);

/// Progress of a pour. Plain data, saved with the state.
struct PourProgress {
  std::uint64_t born = 0;
  std::uint64_t attempts = 0;  ///< counter of the random positions tried

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.born, self.attempts);
  }
};

/// Number of grains that a pour should have created by `time` [s].
std::uint64_t due(const Pour& pour, double time);

/// The next grain of a pour, if one is due and a free position is found in a few attempts.
/// @param due how many grains it should have created by now
std::optional<InitialState> try_pour(const Scene& scene, int group, std::uint64_t due, PourProgress& progress,
                                     const IsFree& is_free);

/// Total number of grains of a group. For a fill: an upper bound.
std::uint64_t grains_in(const ParticleGroup& group);

}  // namespace scree
