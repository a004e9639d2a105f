#pragma once

#include <stdexcept>
#include <string>

namespace scree {

/// A scene that cannot be simulated, found after reading: carries the key it is about, as written in the scene.
struct InvalidScene : std::invalid_argument {
  InvalidScene(std::string key_path, const std::string& what_is_wrong)
      : std::invalid_argument(key_path + ": " + what_is_wrong), key(std::move(key_path)) {}
  std::string key;
};

/// Numerical trouble (a value that is not a number, an overlap too deep): the run cannot go on. Says when, who and what
/// to try.
struct PhysicsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace scree
