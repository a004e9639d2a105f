#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/yaml/yaml_value.hpp"

namespace scree {

/// Files that one scene includes, directly or not; one in another.
inline constexpr std::size_t kMostIncluded = 100;
inline constexpr std::size_t kMostIncludedInEachOther = 16;
inline constexpr std::size_t kMostParameters = 10'000;

/// A scene as one document: its text, what it includes, what settings change, and its parameters with their values.
/// Mappings of files are merged key by key; of other values that of the including file holds. All values keep the
/// places where they stand.
///
/// @param settings  "key=value" each; places in them have no lines
/// @param known     keys that a scene has at its top: a setting that begins with none of them means a parameter
/// @param mistakes  those in parameters are added
/// @throws SceneError if there is not one document to read: a file that is no YAML or includes itself, a setting of
///         what is not there; IoError if an included file cannot be read
YamlValue scene_document(const std::string& text, const std::string& name, const std::vector<std::string>& settings,
                         const YamlValue::Words& known, Mistakes& mistakes);

}  // namespace scree
