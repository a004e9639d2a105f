#include "io/scene/scene_identity.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "dem/scene.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/hash64.hpp"

namespace scree {

namespace {

/// Nothing if the text is none of a scene.
YAML::Node determining_part(const std::string& yaml) try {
  YAML::Node scene = YAML::Load(yaml);
  if (!scene.IsMap()) return {};
  for (const char* key : {"title", "output", "checkpoint"}) scene.remove(key);
  if (scene["time"].IsMap()) scene["time"].remove("end");
  return scene;
} catch (const YAML::Exception&) {
  return {};
}

std::string value_text(const YAML::Node& node) {
  constexpr std::size_t kMost = 60;
  if (!node.IsDefined()) return "absent";
  YAML::Node in_one_line = YAML::Clone(node);
  in_one_line.SetStyle(YAML::EmitterStyle::Flow);
  const std::string text = YAML::Dump(in_one_line);
  return text.size() <= kMost ? text : text.substr(0, kMost - 3) + "...";
}

std::optional<SceneDifference> difference(const std::string& key, const YAML::Node& first, const YAML::Node& second) {
  if (!first.IsDefined() || !second.IsDefined() || first.Type() != second.Type() || first.IsScalar()) {
    const std::string one = value_text(first);
    const std::string other = value_text(second);
    if (one == other) return std::nullopt;
    return SceneDifference{key.empty() ? "the scene" : key, one, other};
  }
  if (first.IsSequence()) {
    for (std::size_t k = 0; k < std::max(first.size(), second.size()); ++k) {
      const auto item = [&](const YAML::Node& list) {
        return k < list.size() ? list[k] : YAML::Node(YAML::NodeType::Undefined);
      };
      if (auto found = difference(fmt::format("{}[{}]", key, k), item(first), item(second))) return found;
    }
  }
  if (first.IsMap()) {
    for (const YAML::Node& keys_of : {first, second}) {
      for (const auto& entry : keys_of) {
        const auto name = entry.first.as<std::string>();
        const std::string path = key.empty() ? name : key + '.' + name;
        if (auto found = difference(path, first[name], second[name])) return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string scene_hash(const Scene& scene) {
  Scene determining = scene;
  determining.title.clear();
  determining.output_every = 1.0;
  determining.output_directory.clear();
  determining.output_replay = false;
  determining.soft.output_stress = false;
  determining.checkpoint_every.reset();
  determining.end = 1.0;
  return fmt::format("{:016x}", hash64(to_yaml(determining)));
}

std::optional<SceneDifference> first_difference(const std::string& first_yaml, const std::string& second_yaml) {
  return difference("", determining_part(first_yaml), determining_part(second_yaml));
}

}  // namespace scree
