#pragma once

#include <stdexcept>
#include <string>

namespace scree {

/// Bad input in a scene. what() is "file:line:column: key.path: what is wrong, what is allowed".
struct SceneError : std::runtime_error {
  SceneError(const std::string& in_file, int at_line, int at_column, const std::string& at_key,
             const std::string& problem)
      : std::runtime_error(in_file + ':' + std::to_string(at_line) + ':' + std::to_string(at_column) + ": " +
                           (at_key.empty() ? "" : at_key + ": ") + problem),
        file(in_file),
        line(at_line),
        column(at_column),
        key(at_key) {}

  std::string file;
  int line;         ///< from 1
  int column;       ///< from 1
  std::string key;  ///< e.g. particles[0].pour.region.x; empty for the scene as a whole
};

}  // namespace scree
