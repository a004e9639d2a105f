#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dem/errors.hpp"
#include "dem/hard/flight/collision_rule.hpp"
#include "dem/hard/flight/grain_forms.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/hard_options.hpp"
#include "dem/scene/measure.hpp"
#include "dem/scene/wall.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// What happens in collisions.
struct CollisionRules {
  CollisionRule disks;               ///< of disks with each other, if `pairs` is empty
  std::vector<CollisionRule> pairs;  ///< of material a with b: number a times number of materials + b
  CollisionRule walls;               ///< of disks with hard sides; with walls, too, if `pairs` is empty
};

/// What the event-driven mode starts from: disks in free flight. Arrays by property, one entry a disk.
struct Setup {
  Domain domain;
  bool open = false;                     ///< disks leave through sides that are not periodic; else these are hard
  Vec2 gravity = Vec2::Zero();           ///< [m/s^2]
  std::vector<Vec2> position;            ///< of the centre [m]
  std::vector<Vec2> velocity;            ///< [m/s]
  std::vector<double> angle;             ///< [rad]; empty: all 0
  std::vector<double> angular_velocity;  ///< [rad/s]; empty: none spins
  std::vector<double> radius;            ///< > 0 [m]
  std::vector<double> mass;              ///< > 0 [kg]
  /// Grains are polygons, or disks among them: not with wells, a cell that deforms, tangential restitution, or
  /// a restitution that depends on speed. Those that are added have forms, too.
  bool has_forms = false;
  std::vector<GrainForm> form;         ///< of each grain then; `radius` is that of its bounding circle
  std::vector<std::int32_t> type;      ///< number of the particle group in the scene; empty: all 0
  std::vector<std::int32_t> material;  ///< number of the material in the scene; empty: all 0
  std::uint64_t first_id = 1;          ///< of the first disk; the others follow
  CollisionRules rules;
  std::vector<Wall> walls;  ///< convex polygons, or segments: two corners
  /// t_c of the TC model [s]: a collision within t_c after the last one of either disk keeps the energy of the normal
  /// motion, so that no collapse takes infinitely many collisions. 0: every collision dissipates.
  /// Source: S. Luding & S. McNamara, Granular Matter 1 (1998) 113.
  double contact_duration = 0.0;
  double greatest_radius = 0.0;  ///< of disks that are added later [m]
  GrowthSpec growth;             ///< not with gravity, friction, open sides, walls that move or disks that are added
  /// Share of the rate with which disks of a type grow, [0, 1]; empty: all of it.
  std::vector<double> growth_share = {};
  Well well;  ///< not with growth, open sides or disks that are added
  /// How far a disk may go from the centre of its box, along each axis, before it gets another one [m]; 0: chosen from
  /// the density. Changes the cost, never the result.
  double margin = 0.0;
  std::uint64_t seed = 1;               ///< of the velocities that thermal sides give
  std::optional<Measure> measure = {};  ///< what the simulation keeps sums for; never changes the trajectory
  bool is_for_load = false;  ///< a saved state comes next: the disks need not be clear of each other and walls
};

/// A disk that cannot start where it is; `key` is position[disk].
struct DiskInTheWay : InvalidScene {
  DiskInTheWay(std::size_t which, const std::string& why, std::optional<std::size_t> overlaps = {});

  std::size_t disk;
  std::string what_is_wrong;
  std::optional<std::size_t> other;  ///< with which it overlaps
};

/// What is wrong with a setup, by itself: sizes, values, disks outside the domain.
/// @throws InvalidScene that names the property and the disk
void validate(const Setup& setup);

/// Number of materials that its rules distinguish.
std::size_t materials_in(const Setup& setup);

/// The margin that gives disks of these radii about eight partners [m]; 0 for none.
double choose_margin(const Domain& domain, std::span<const double> radii);

}  // namespace scree::hard
