#pragma once

#include <stdexcept>
#include <string>

namespace scree {

/// A scene that cannot be simulated, if this is found after reading. Carries the key concerned, as written in the
/// scene.
struct InvalidScene : std::invalid_argument {
  InvalidScene(std::string key_path, const std::string& what_is_wrong)
      : std::invalid_argument(key_path + ": " + what_is_wrong), key(std::move(key_path)) {}
  std::string key;
};

/// Numerical failure (a value that is not a number, an overlap that is too deep): the run cannot continue. The message
/// gives the time, the bodies and advice.
struct PhysicsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace scree
