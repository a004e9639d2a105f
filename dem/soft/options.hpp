#pragma once

#include <optional>

#include "broadphase/kind.hpp"
#include "dem/simulation.hpp"

namespace scree::soft {

struct Options {
  int threads = 0;                                ///< 0: as many as there are cores, or one, whatever is faster
  std::optional<BroadphaseKind> broadphase = {};  ///< absent: that of the scene
  MadeFor made_for = MadeFor::start;              ///< load: without grains, which the state has
};

}  // namespace scree::soft
