#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "dem/inherited.hpp"
#include "dem/scene.hpp"

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

}  // namespace scree
