#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dem/errors.hpp"
#include "dem/mode.hpp"
#include "io/yaml/scene_error.hpp"

namespace scree {

struct Scene;

/// Values that replace those of a scene, "key=value" each: "materials.stone.friction=0.3". A key that is none of a
/// scene's is the name of one of its parameters. They are checked as what stands in the file.
using Settings = std::vector<std::string>;

/// The scene in a YAML file with what it includes, complete and checked; docs/scene.md gives the format.
///
/// @param as the mode to read it for, whatever mode it names: a scene for both modes can be read for each. Reflecting
///        sides and free flights, which are the hard mode's, are left as they are in a scene that names that mode
/// @throws SceneError with all mistakes in the scene; IoError if the file is missing or cannot be read
Scene read_scene(const std::filesystem::path& file, std::optional<Mode> as = {}, const Settings& settings = {});

/// A scene from text. `name` stands for the file in messages and the default output directory, out/<stem of name>.
/// @throws SceneError; IoError if a file that it names cannot be read
Scene parse_scene(const std::string& text, const std::string& name, std::optional<Mode> as = {},
                  const Settings& settings = {});

/// The scene that a run keeps: what it began with (start) is in its saved state and not read again.
/// @throws SceneError
Scene parse_saved_scene(const std::string& text, const std::string& name);

/// A mistake with its place in the scene, as far as its keys are there.
/// @throws IoError, SceneError if there is no scene in the file any more
SceneError with_place(const InvalidScene& error, const std::filesystem::path& file, const Settings& settings = {});
/// An error with its place in a text. @param name stands for the file in the message  @throws SceneError
SceneError with_place(const InvalidScene& error, const std::string& text, const std::string& name,
                      const Settings& settings = {});

}  // namespace scree
