#include "app/written_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "app/run_directory.hpp"
#include "dem/scene.hpp"
#include "io/files/atomic_file.hpp"
#include "io/formats/run_info.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/text/errors.hpp"
#include "io/yaml/scene_error.hpp"

namespace scree::app {

namespace fs = std::filesystem;

WrittenRun open_run(const fs::path& directory) {
  const auto refuse = [&](const std::string& why) {
    return IoError(fmt::format("cannot show {}: {}; needed: the output directory of a run", directory.string(), why));
  };
  if (!fs::exists(directory)) throw refuse("there is no such directory");
  if (!fs::is_directory(directory)) throw refuse("it is a file");
  for (const char* file : {kInfoFile, "particles.pvd"}) {
    if (!fs::is_regular_file(directory / file)) throw refuse(fmt::format("it holds no {}", file));
  }
  WrittenRun run{directory, read_file(directory / kInfoFile), {}, list_frames(directory)};
  if (run.frames.empty()) throw refuse("it holds no frames yet");
  const EarlierRun info = read_run_info(directory / kInfoFile);
  if (info.scene_yaml.empty()) throw refuse(fmt::format("its {} holds no scene", kInfoFile));
  try {
    run.scene = std::make_shared<const Scene>(parse_saved_scene(info.scene_yaml, kInfoFile));
  } catch (const SceneError& error) {  // a file of the program's, not of the user's
    throw refuse(fmt::format("the scene in its {} is not one of this version of scree: {}", kInfoFile, error.what()));
  }
  return run;
}

PictureScales scales_of(const WrittenRun& run, const std::string& colour) {
  constexpr std::size_t kMost = 9;
  PictureScales scales(*run.scene, colour);
  const std::size_t count = std::min(kMost, run.frames.size());
  for (std::size_t k = 0; k < count; ++k) {
    scales.add(
        read_frame(run.directory, run.frames[count == 1 ? 0 : k * (run.frames.size() - 1) / (count - 1)], *run.scene));
  }
  return scales;
}

const WrittenFrame& frame_at(const WrittenRun& run, double time) {
  return *std::ranges::min_element(run.frames, {},
                                   [&](const WrittenFrame& frame) { return std::abs(frame.time - time); });
}

}  // namespace scree::app
