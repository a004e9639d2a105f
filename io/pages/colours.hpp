#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dem/scene/colour.hpp"
#include "dem/state.hpp"

namespace scree {

struct Scene;

/// The colours that a scene gives to its grains.
class Colours {
 public:
  Colours() = default;
  /// @param start  the particles at time 0, when all that are placed are there
  Colours(const Scene& scene, const ParticleState& start);
  /// Whether some particles have colours that follow only from those at time 0.
  static bool follow_from_start(const Scene& scene);

  /// Gives the particles of a later state their colours, and grey to those that have none; nothing if none has one.
  void paint(ParticleState& particles) const;

 private:
  std::vector<std::optional<Colour>> of_group_;
  std::unordered_map<std::uint64_t, Colour> of_id_;  // of placed grains, instead
};

}  // namespace scree
