#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/formats/frame_reader.hpp"
#include "io/pages/picture.hpp"

namespace scree::app {

/// What a run left in its directory, or has left so far: what the commands show that read it.
struct WrittenRun {
  std::filesystem::path directory;
  std::string info;                    ///< run.json
  std::shared_ptr<const Scene> scene;  ///< never null
  std::vector<WrittenFrame> frames;    ///< one at least
};

/// Throws IoError with what is missing and what is needed.
WrittenRun open_run(const std::filesystem::path& directory);

/// What fits all its pictures, from at most nine frames.
/// @param colour  one of grain_colours(), or empty
PictureScales scales_of(const WrittenRun& run, const std::string& colour = {});

/// The frame nearest to a time.
const WrittenFrame& frame_at(const WrittenRun& run, double time);

}  // namespace scree::app
