#include "io/scene_reader.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "io/errors.hpp"
#include "io/scene/sections.hpp"
#include "io/yaml_value.hpp"

namespace scree {

Scene parse_scene(const std::string& text, const std::string& name, std::optional<Mode> as) {
  const YamlValue document = YamlValue::document(text, name);
  Scene scene;
  scene.mode = as.value_or(scene.mode);
  keys::Reading reading{.scene = scene, .file = name, .as = as, .mode = scene.mode};
  if (const YamlValue version = document["scree"]; version.given()) keys::require_version(version);
  keys::scene_section().read(reading, document, scene);
  for (const auto& read : reading.last) read();
  reading.mistakes.throw_if_any();
  return scene;
}

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::error_code no_error;
  if (std::filesystem::is_directory(file, no_error)) throw IoError(file.string() + ": is a directory, not a scene");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    throw IoError(file.string() + ": cannot be read" + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
  }
  return text;
}

}  // namespace

Scene read_scene(const std::filesystem::path& file, std::optional<Mode> as) {
  return parse_scene(text_of(file), file.string(), as);
}

SceneError with_place(const InvalidScene& error, const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::string problem = std::string(error.what()).substr(error.key.size() + 2);
  return YamlValue::document(text_of(file), name).error_at(error.key, problem);
}

}  // namespace scree
