#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "dem/inherited.hpp"
#include "dem/scene.hpp"
#include "dem/state.hpp"

namespace scree {

/// What a run may begin with.
struct EarlierGrains {
  Scene scene;          ///< of the earlier run, as it is kept there
  Inherited inherited;  ///< groups are those of that scene
  std::string hash;     ///< of all that is taken over, as 16 hexadecimal digits
};

/// The grains of an earlier run in the soft mode: of its directory or its state, with what their contacts remember; of
/// a frame (particles_000012.vtp), in single precision and without that.
/// @throws IoError if there is none, or it cannot be read
/// Cost: that of beginning the earlier run, without its steps
EarlierGrains read_earlier_grains(const std::filesystem::path& from);

/// Reads the frame of this number in the directory of a run of this scene (io/frame_reader.hpp).
using FrameReader = State (*)(const std::filesystem::path& directory, std::size_t number, const Scene& scene);
/// A program that is linked with scree::io does this when it begins; others refuse frames.
bool let_starts_read_frames(FrameReader reader);

}  // namespace scree
