#pragma once

namespace scree::app {

/// Exit codes of the program.
enum ExitCode { kOk = 0, kDiffers = 1, kBadInput = 2, kPhysics = 3, kInputOutput = 4, kInterrupted = 130 };

}  // namespace scree::app
