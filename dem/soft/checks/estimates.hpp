#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "dem/insertion.hpp"
#include "dem/scene/material.hpp"

namespace scree {
struct Scene;
}  // namespace scree

/// What is to be expected of a scene in soft mode, from its keys alone: estimates for people, before a run. Pure
/// functions; nothing on the path of a trajectory reads them.
namespace scree::soft {

/// A grain as it hits something: a disk, or a polygon with its sharpest corner ahead.
struct Impactor {
  double mass = 0.0;                ///< [kg]
  double radius = 0.0;              ///< of the disk of equal area [m]
  double half_angle_tangent = 0.0;  ///< of the sharpest corner: tangent of half its angle; 0: a disk
  double lever_arm = 0.0;           ///< from the centre of mass to that corner, or the radius [m]
  double own_radius = 0.0;  ///< of the disk that has the area of the part ahead: depths are compared with it [m]
};
/// One for a convex grain. Of a clump each part with its sharpest corner, of those that stick out, since the outline is
/// what hits; its own area is small beside that of the grain.
std::vector<Impactor> impactors_of(const GrainShape& grain, double density);

/// What is hit: flat, at rest, and held from behind.
struct Target {
  double radius = std::numeric_limits<double>::infinity();  ///< of a grain; infinite: a wall [m]
};

/// How deep an impact goes: where the energy in the spring is what the dashpot leaves of the impact's. With a damping
/// ratio zeta < 1 that is the share exp(-2 zeta arccos(zeta) / sqrt(1 - zeta^2)) (docs/theory.md, section 7).
/// @param mixed what holds between both materials  @param energy of the impact [J]
/// @return at most twice the impactor's own radius [m]
double impact_depth(const Scene& scene, const Material& mixed, const Impactor& impactor, const Target& target,
                    double energy);

/// The deepest impact that free fall and the given velocities can lead to.
struct ExpectedImpact {
  std::size_t group = 0;
  std::optional<std::size_t> target = {};  ///< the group of grains that is hit; absent: a wall
  double speed = 0.0;                      ///< [m/s]
  double depth_ratio = 0.0;                ///< over the smaller grain's diameter
};
/// Looks at no more than 1000 grains of each group. A grain falls from where it starts to the lowest of the walls; what
/// fills a region falls as a whole, and by as much as it is loose. What is hit is a wall, a grain of the same group, or
/// the smallest of all. Nothing if nothing moves or nothing can be hit.
std::optional<ExpectedImpact> deepest_impact(const Scene& scene);

/// The greatest speed that a grain has at the start or reaches by falling [m/s].
double greatest_speed(const Scene& scene);

/// Y/(rho g L) of blocks that lie on each other, L their height together: under their own weight flat joints give way
/// by about its inverse, corners and edges that carry all of it by the inverse of its root, over a block's size
/// (docs/theory.md, section 7). The least of their materials. Nothing without gravity, or if no two polygons that are
/// placed are so near that they could touch.
std::optional<double> rigidity(const Scene& scene);

}  // namespace scree::soft
