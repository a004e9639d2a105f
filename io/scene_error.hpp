#pragma once

#include <stdexcept>
#include <string>

namespace scree {

/// Bad input in a scene. what() is "file:line:column: key.path: what is wrong, what is allowed".
struct SceneError : std::runtime_error {
  SceneError(const std::string& where, int line_, int column_, const std::string& key_, const std::string& problem)
      : std::runtime_error(where + ':' + std::to_string(line_) + ':' + std::to_string(column_) + ": " +
                           (key_.empty() ? "" : key_ + ": ") + problem),
        file(where),
        line(line_),
        column(column_),
        key(key_) {}

  std::string file;
  int line;         ///< from 1
  int column;       ///< from 1
  std::string key;  ///< e.g. particles[0].pour.region.x; empty for the scene as a whole
};

}  // namespace scree
