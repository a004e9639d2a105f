#pragma once

#include <cstdint>
#include <vector>

#include "dem/scene/domain.hpp"
#include "dem/state.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// Displacements of particles since the beginning, including turns around a periodic domain.
class MeanSquareDisplacement {
 public:
  explicit MeanSquareDisplacement(const Domain& domain) : period_(domain.hi - domain.lo) {}

  void begin(const ParticleState& particles);

  struct Mean {
    std::uint64_t particles;  ///< number of those present since the beginning
    Vec2 squares;             ///< along x, along y [m^2]; their sum is the mean square displacement
    Vec2 displacement;        ///< [m]
  };
  /// Cost: O(N log N)
  Mean now(const ParticleState& particles) const;

  /// After loading. @throws InvalidState
  void require_sound() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.id_, self.start_);
  }

 private:
  Vec2 unwrapped(const ParticleState& particles, std::size_t i) const;

  Vec2 period_;                    // [m]
  std::vector<std::uint64_t> id_;  // ascending
  std::vector<Vec2> start_;        // [m]
};

}  // namespace scree
