#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "dem/scene/colour.hpp"
#include "dem/scene/grain_shape.hpp"
#include "dem/scene/region.hpp"
#include "dem/size_distribution.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// Diameter of the disk of equal area, drawn uniformly from [least, greatest] [m].
struct SizeSpec {
  double least = 0.0;
  double greatest = 0.0;

  bool operator==(const SizeSpec&) const = default;
};

/// Grains that appear in a region one after another, as fast as asked and as there is room.
struct Pour {
  std::uint64_t count = 0;
  double rate = 0.0;             ///< grains a second, > 0
  double from = 0.0;             ///< time of the first [s]
  Region region;                 ///< the whole grain appears inside it
  Vec2 velocity = Vec2::Zero();  ///< at birth [m/s]

  bool operator==(const Pour&) const = default;
};
/// Grains on a square lattice that fills a region from below at the start, each turned at random.
struct Fill {
  Region region;
  std::optional<std::uint64_t> count;   ///< at most so many; absent: as many as fit
  double jitter = 0.0;                  ///< velocities drawn uniformly from [-jitter, jitter] in x and y [m/s]
  double spacing = 0.0;                 ///< of neighbours; 0, or too small: as near as the largest grain lets them [m]
  double temperature = 0.0;             ///< k T of velocities that are drawn instead, normally distributed [J]
  double rotational_temperature = 0.0;  ///< k T of angular velocities, likewise [J]

  bool operator==(const Fill&) const = default;
};

/// One grain at a given place at the start.
struct Placed {
  Vec2 position = Vec2::Zero();       ///< of the centroid [m]
  double angle = 0.0;                 ///< [rad]
  Vec2 velocity = Vec2::Zero();       ///< [m/s]
  double angular_velocity = 0.0;      ///< [rad/s]
  std::optional<double> size = {};    ///< instead of the group's [m], > 0
  std::optional<double> mass = {};    ///< instead of density times area [kg], > 0
  std::optional<Colour> colour = {};  ///< for pictures

  bool operator==(const Placed&) const = default;
};
using Place = std::vector<Placed>;

struct ParticleGroup {
  std::variant<Pour, Fill, Place> how;
  int material = 0;  ///< index into Scene::materials
  ShapeSpec shape;
  SizeSpec size;
  std::optional<SizeDistribution> sizes = {};  ///< of a pour or fill, in the range of `size`; absent: uniform
  std::optional<Colour> colour = {};           ///< for pictures, of grains that have none of their own
  /// Soft mode: x, y, angle of its grains stay as they are put.
  std::array<bool, 3> fixed = {false, false, false};
  /// Hard mode: at which the share of their sizes that its grains have grows, instead of GrowthSpec::rate and no more
  /// than that, >= 0 [1/s]
  std::optional<double> growth_rate = {};

  bool operator==(const ParticleGroup&) const = default;
};

}  // namespace scree
