#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "io/scene_error.hpp"

namespace scree {

/// The scene in a YAML file, complete and checked; docs/scene.md gives the format.
///
/// @param as the mode to read it for, whatever mode it names: a scene for both modes can be read for each. Reflecting
///        sides and free flights, which are the hard mode's, are left as they are in a scene that names that mode
/// @throws SceneError with all mistakes in the scene; IoError if the file is missing or cannot be read
Scene read_scene(const std::filesystem::path& file, std::optional<Mode> as = {});

/// The same from text. `name` stands for the file in messages and in the default output directory, out/<stem of name>.
/// @throws SceneError
Scene parse_scene(const std::string& text, const std::string& name, std::optional<Mode> as = {});

/// The same mistake with its place in the scene, as far as its keys are there.
/// @throws IoError, SceneError if there is no scene in the file any more
SceneError with_place(const InvalidScene& error, const std::filesystem::path& file);

}  // namespace scree
