#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dem/scene/particles.hpp"
#include "dem/scene/region.hpp"
#include "dem/size_distribution.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/section.hpp"
#include "io/scene/sections.hpp"

namespace scree::keys {

/// Grains that are packed at random, in one group with what is mixed in.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // packing takes long there, and reading is on trial
inline constexpr std::uint64_t kMostRandom = 30;
#else
inline constexpr std::uint64_t kMostRandom = 100'000;
#endif

/// Grains without overlap at random places of a region, to a packing fraction or a number.
struct RandomStart {
  Region region;
  double packing_fraction = 0.0;  ///< 0: a count is given
  std::optional<std::uint64_t> count = {};
  double jitter = 0.0;                  ///< [m/s]
  double temperature = 0.0;             ///< [J]
  double rotational_temperature = 0.0;  ///< [J]
};

enum class LatticeKind { square, hexagonal };

struct LatticeStart {
  Region region;
  LatticeKind kind = LatticeKind::hexagonal;
  std::optional<std::uint64_t> count = {};
  double spacing = 0.0;                 ///< 0: as near as the largest grain lets them [m]
  std::optional<double> angle = {};     ///< absent: each at random [rad]
  double jitter = 0.0;                  ///< [m/s]
  double temperature = 0.0;             ///< [J]
  double rotational_temperature = 0.0;  ///< [J]
};

/// Grains among those of the group before.
struct Mix {
  double share = 0.0;
  bool by_mass = false;
};

/// A group of grains as it is written down. What has no place in a Scene becomes grains at given places.
struct GroupEntry : ParticleGroup {
  SizeDistribution sizes = {};
  std::optional<RandomStart> random = {};
  std::optional<LatticeStart> lattice = {};
  std::optional<Mix> mix = {};
};

/// Where a start puts its grains. @param says  what is there
template <class Start>
Key<Start> region_key(std::string says) {
  return key("region", &Start::region, region()).required().says(std::move(says)).example("{x: [0, 1], y: [0, 1]}");
}
template <class Start>
Key<Start> jitter_key() {
  return key("jitter", &Start::jitter, number(Numbers::at_least(0.0, "m/s")))
      .says("velocities are drawn uniformly from [-jitter, jitter] in x and y")
      .example("0.1");
}

template <class Start>
Key<Start> temperature_key() {
  return key("temperature", &Start::temperature, number(Numbers::positive("J")))
      .written_if([](const Start& start) { return start.temperature > 0.0; })
      .says("k T at which velocities are drawn instead, normally distributed: mean of m v^2 along an axis")
      .otherwise("none")
      .example("1e-4");
}
template <class Start>
Key<Start> rotational_temperature_key() {
  return key("rotational_temperature", &Start::rotational_temperature, number(Numbers::positive("J")))
      .written_if([](const Start& start) { return start.rotational_temperature > 0.0; })
      .says("k T at which angular velocities are drawn: mean of I w^2")
      .otherwise("they are 0")
      .example("1e-4");
}
/// Velocities have one law.
template <class Start>
void refuse_jitter_beside_temperature(const Context<Start>& at) {
  if (at.value.jitter > 0.0 && at.given("temperature")) at.keys["jitter"].refuse("left out beside temperature");
}

/// size: and the sizes of the group.
Key<GroupEntry> size_key();

Key<GroupEntry> random_key();
Key<GroupEntry> lattice_key();
Key<GroupEntry> mix_key();
Key<GroupEntry> file_key();

/// Gives the grains of random, lattice and mix their places, and those of place and file without a size theirs.
/// Mistakes go to those of the reading. @param values  of the groups
void place_groups(Reading& reading, std::vector<GroupEntry>& groups, const std::vector<YamlValue>& values);

}  // namespace scree::keys
