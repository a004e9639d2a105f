#include "io/scene/scene_reader.hpp"

#include <vector>

#include "dem/scene.hpp"
#include "io/files/input_file.hpp"
#include "io/scene/scene_source.hpp"
#include "io/scene/sections.hpp"
#include "io/text/errors.hpp"
#include "io/yaml/yaml_value.hpp"

namespace scree {

namespace {

Scene parse(const std::string& text, const std::string& name, std::optional<Mode> as, const Settings& settings,
            bool is_saved) {
  Scene scene;
  scene.mode = as.value_or(scene.mode);
  keys::Reading reading{.scene = scene, .file = name, .as = as, .mode = scene.mode, .is_saved = is_saved};
  try {
    const YamlValue document = scene_document(text, name, settings, keys::scene_keys(), reading.mistakes);
    keys::scene_section().read(reading, document, scene);
    for (const auto& read : reading.last) read();
    if (!reading.mistakes.any() && !reading.unreadable.empty()) {
      throw IoError(SceneError(std::move(reading.unreadable)).what());
    }
    for (const SceneMistake& file : reading.unreadable) reading.mistakes.add(SceneError({file}));
  } catch (const TooManyMistakes& error) {
    throw SceneError(error.mistakes);
  }
  reading.mistakes.tell_if_any();
  return scene;
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& name, std::optional<Mode> as, const Settings& settings) {
  return parse(text, name, as, settings, false);
}

Scene parse_saved_scene(const std::string& text, const std::string& name) {
  return parse(text, name, {}, {}, true);
}

Scene read_scene(const std::filesystem::path& file, std::optional<Mode> as, const Settings& settings) {
  return parse_scene(read_input_file(file, "a scene"), file.string(), as, settings);
}

SceneError with_place(const InvalidScene& error, const std::filesystem::path& file, const Settings& settings) {
  return with_place(error, read_input_file(file, "a scene"), file.string(), settings);
}

SceneError with_place(const InvalidScene& error, const std::string& text, const std::string& name,
                      const Settings& settings) {
  const std::string problem = std::string(error.what()).substr(error.key.size() + 2);
  Mistakes none;
  return scene_document(text, name, settings, keys::scene_keys(), none).error_at(error.key, problem);
}

}  // namespace scree
