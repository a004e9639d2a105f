#pragma once

#include <string>

#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"

namespace scree::test {

/// Why a scene is refused.
struct Complaint {
  std::string key;
  std::string text;

  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// Empty for a scene that can be simulated.
inline Complaint complaint(const Scene& scene) {
  try {
    soft::Simulation(scene, {.threads = 1});
    return {};
  } catch (const InvalidScene& error) {
    return {error.key, error.what()};
  }
}

}  // namespace scree::test
