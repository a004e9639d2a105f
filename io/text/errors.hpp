#pragma once

#include <stdexcept>

namespace scree {

/// A file that cannot be read, written or understood. The message names the path and the reason, the system's own words
/// where it gave one ("No space left on device").
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace scree
