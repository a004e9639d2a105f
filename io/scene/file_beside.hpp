#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "io/scene/section.hpp"
#include "io/text/errors.hpp"
#include "io/yaml/scene_error.hpp"

namespace scree::keys {

/// What read(path) makes of a file as seen from the scene's directory; nothing if it cannot be read, which
/// `reading.unreadable` then holds. Mistakes in the file are thrown on: they are none of `value`.
template <class Read>
auto read_beside(Reading& reading, const YamlValue& value, const std::string& name, const Read& read)
    -> std::optional<std::invoke_result_t<Read, const std::filesystem::path&>> {
  const std::filesystem::path path = value.beside(name);
  try {
    return read(path);
  } catch (const IoError& error) {
    reading.mistakes.excuse(value.path());
    reading.unreadable.push_back(value.error(fmt::format("cannot be used: {}", error.what())).mistakes.front());
  } catch (const SceneError&) {
    reading.mistakes.excuse(value.path());
    throw;
  }
  return std::nullopt;
}

}  // namespace scree::keys
