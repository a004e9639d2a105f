#pragma once

#include <string>

namespace scree {

/// JSON Schema (draft 07) of scenes, for editors: keys with their meanings, kinds of values, limits, defaults. It
/// checks neither what several keys must obey together nor what only one mode has; `scree check` does.
std::string scene_schema();

}  // namespace scree
