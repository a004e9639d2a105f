#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "dem/scene/region.hpp"

namespace scree {

/// With which a particle's mass, or a contact's stress, is spread over the plane.
enum class KernelKind : std::uint8_t {
  gauss,  ///< exp(-r^2 / 2 w^2) / (2 pi w^2)
  lucy    ///< 5 / (pi w^2) (1 + 3 r/w) (1 - r/w)^3 up to r = w, 0 beyond
};

/// As users write them, in the order of KernelKind.
inline constexpr std::array<const char*, 2> kKernelNames = {"gauss", "lucy"};

/// What is measured beside the summary: docs/scene.md, measure.
struct Measure {
  static constexpr int kDefaultBins = 100;

  struct RadialDistribution {
    double to = 0.0;  ///< largest distance [m], > 0, at most half of the region's shorter side
    int bins = kDefaultBins;

    bool operator==(const RadialDistribution&) const = default;
  };
  struct VelocityDistribution {
    double to = 5.0;  ///< largest velocity, in thermal ones, > 0; beyond the default: one in 200 000
    int bins = kDefaultBins;

    bool operator==(const VelocityDistribution&) const = default;
  };
  struct HeightProfile {
    int bins = kDefaultBins;  ///< layers of the region, one above the other

    bool operator==(const HeightProfile&) const = default;
  };

  /// Pairs by distance, and how they and their grains are turned.
  struct PairOrientation {
    double to = 0.0;  ///< largest distance [m], > 0, at most half of the region's shorter side
    int bins = kDefaultBins;
    int symmetry = 2;  ///< the grains look alike after this share of a turn, >= 1

    bool operator==(const PairOrientation&) const = default;
  };
  /// Normal forces over their mean.
  struct Forces {
    double to = 10.0;  ///< the last bin has all beyond, > 0
    int bins = kDefaultBins;

    bool operator==(const Forces&) const = default;
  };
  /// Coarse-grained fields on a grid over the region.
  struct Fields {
    double width = 0.0;                  ///< of the kernel [m], > 0
    std::optional<double> spacing = {};  ///< the longest side of a cell [m], > 0; absent: half the width
    std::optional<double> every = {};    ///< between two images, each of which is an average [s]; absent: of frames
    KernelKind kernel = KernelKind::gauss;

    bool operator==(const Fields&) const = default;
  };

  double every = 0.0;  ///< between two samples [s], > 0
  double from = 0.0;   ///< when measuring begins [s]
  Region region;       ///< where; inside the domain, of positive area
  std::optional<RadialDistribution> radial_distribution = {};
  std::optional<VelocityDistribution> velocity_distribution = {};
  std::optional<HeightProfile> height_profile = {};
  bool mean_square_displacement = false;
  bool free_flights = false;  ///< mode hard only, as are collisions
  bool collisions = false;    ///< whether each one is listed
  bool helfand_moments = false;
  bool texture = false;  ///< mode soft only, as are forces
  std::optional<Forces> forces = {};
  std::optional<PairOrientation> pair_orientation = {};
  std::optional<Fields> fields = {};

  bool operator==(const Measure&) const = default;
};

}  // namespace scree
