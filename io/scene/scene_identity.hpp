#pragma once

#include <optional>
#include <string>

/// What distinguishes one scene from another: all of it but title, output, checkpoint and time.end, which do not
/// determine the motion.
namespace scree {

struct Scene;

/// As 16 hexadecimal digits.
std::string scene_hash(const Scene& scene);

/// The first key in which two resolved scenes differ, and the value in each, "absent" if there is none.
struct SceneDifference {
  std::string key;  ///< "materials.stone.density"
  std::string first;
  std::string second;
};
/// Nothing if there is none.
std::optional<SceneDifference> first_difference(const std::string& first_yaml, const std::string& second_yaml);

}  // namespace scree
