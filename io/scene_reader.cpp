#include "io/scene_reader.hpp"

#include <algorithm>
#include <vector>

#include "io/errors.hpp"
#include "io/input_file.hpp"
#include "io/scene/sections.hpp"
#include "io/yaml_value.hpp"

namespace scree {

Scene parse_scene(const std::string& text, const std::string& name, std::optional<Mode> as) {
  const YamlValue document = YamlValue::document(text, name);
  Scene scene;
  scene.mode = as.value_or(scene.mode);
  keys::Reading reading{.scene = scene, .file = name, .as = as, .mode = scene.mode};
  const std::vector<keys::KeyInfo>& known = keys::scene_section().info().keys;
  if (document.is_mapping() &&
      std::ranges::none_of(known, [&](const auto& key) { return document[key.name].given(); })) {
    document.fail("is not a scene, must have scree and other keys of docs/scene.md");  // and is not quoted
  }
  if (const YamlValue version = document["scree"]; version.given()) keys::require_version(version);
  try {
    keys::scene_section().read(reading, document, scene);
    for (const auto& read : reading.last) read();
    if (!reading.mistakes.any() && !reading.unreadable.empty()) {
      throw IoError(SceneError(std::move(reading.unreadable)).what());
    }
    for (const SceneMistake& file : reading.unreadable) reading.mistakes.add(SceneError({file}));
  } catch (const TooManyMistakes& error) {
    throw SceneError(error.mistakes);
  }
  reading.mistakes.throw_if_any();
  return scene;
}

Scene read_scene(const std::filesystem::path& file, std::optional<Mode> as) {
  return parse_scene(read_input_file(file, "a scene"), file.string(), as);
}

SceneError with_place(const InvalidScene& error, const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::string problem = std::string(error.what()).substr(error.key.size() + 2);
  return YamlValue::document(read_input_file(file, "a scene"), name).error_at(error.key, problem);
}

}  // namespace scree
