#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/pages/picture.hpp"

namespace scree::app {

struct PictureCommand {
  std::optional<double> time;  ///< [s]; none: the last frame
  std::filesystem::path output;
  PictureOptions look;
  std::string colour = {};  ///< of grains: one of grain_colours(); empty: the scene's, else speed
  bool quiet = false;
};

/// Draws the frame nearest to a time, as SVG or PNG. Returns the exit code.
/// Throws UsageError if the file's name ends with neither; IoError if the run cannot be read, the file not written.
int picture(const std::filesystem::path& directory, const PictureCommand& command);

struct FilmCommand {
  std::filesystem::path output;
  int frames_per_second = 25;
  PictureOptions look;
  std::string colour = {};  ///< of grains: one of grain_colours(); empty: the scene's, else speed
  bool quiet = false;
};

/// Draws every frame and has ffmpeg make a film of them, MP4 or GIF. Returns the exit code.
/// Throws as picture does; IoError if there is no ffmpeg, or it fails.
int film(const std::filesystem::path& directory, const FilmCommand& command);

}  // namespace scree::app
