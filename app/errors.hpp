#pragma once

#include <stdexcept>

namespace scree::app {

/// The command line asks for what cannot be done; nothing was written. The message says what would be allowed.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace scree::app
