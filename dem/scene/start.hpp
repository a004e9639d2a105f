#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace scree {

struct Inherited;  // dem/inherited.hpp

/// The grains of an earlier run, with which this one begins.
struct Start {
  std::string from;        ///< as written in the scene: a run's directory, a saved state or a frame
  std::string hash = {};   ///< of what was taken over; empty: not known yet
  std::size_t groups = 0;  ///< so many groups of particles, the last ones, are those of the earlier run
  /// What was taken over; null in a scene that is resumed, whose saved state has all of it.
  std::shared_ptr<const Inherited> inherited = {};

  bool operator==(const Start& other) const {
    return from == other.from && hash == other.hash && groups == other.groups;
  }
};

}  // namespace scree
