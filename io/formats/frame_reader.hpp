#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "dem/state.hpp"
#include "io/files/written.hpp"

/// Frames that a run has written (io/frames/vtk_writer.hpp), read back.
namespace scree {

struct Scene;

struct WrittenFrame {
  double time;             ///< [s]
  std::size_t number = 0;  ///< of its files
};

/// The frames that particles.pvd lists, in the order of time. A run that goes on has only whole frames there.
/// Throws IoError if there is no such list or it cannot be read.
std::vector<WrittenFrame> list_frames(const std::filesystem::path& directory);

/// The state in a frame, as far as its files have it: in single precision; without inertia, image counts and names of
/// walls. A disk has no outline. A contact across a periodic side is two: each with the body on its side as body 1 and
/// with centre2 == point. What does not belong together is refused, as what a state may not have: groups and materials
/// that the scene has not, ids that two bodies have, numbers that are not finite.
/// @param scene  of the run
/// Throws IoError with the file and what is wrong with it.
/// Cost: that of inflating the files, and some operations for each corner.
State read_frame(const std::filesystem::path& directory, const WrittenFrame& frame, const Scene& scene);

/// A frame from the contents of its files, in the order of kSeries. @param directory  for messages
using FrameContents = std::array<std::string, kSeries.size()>;
State parse_frame(FrameContents&& contents, const std::filesystem::path& directory, const WrittenFrame& frame,
                  const Scene& scene);

}  // namespace scree
