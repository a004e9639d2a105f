#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dem/hard/flight/setup.hpp"
#include "dem/scene/domain.hpp"

namespace scree {

/// Disks in the unit box with hard walls, and what they look like.
struct Billiards {
  hard::Setup setup;
  std::vector<std::array<std::uint8_t, 3>> colour;  ///< red, green, blue; one a disk
};

/// A scene has no more grains at given places: each of them is written down in its resolved scene.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
inline constexpr std::size_t kMostPlaced = 1000;
#else
inline constexpr std::size_t kMostPlaced = 500'000;
#endif

/// Reads the data files of Sedgewick & Wayne, Algorithms, 6.1 Event-Driven Simulation: the number of disks, then a line
/// for each: rx ry vx vy radius mass red green blue. Blank lines do not count. Cost: linear.
///
/// @param name stands for the file in messages
/// @param domain that the disks must be in, if it is known
/// @throws SceneError with all mistakes and their places in the file. Nothing of a file that is none of billiards is
///         repeated there
Billiards parse_billiards(std::string_view text, const std::string& name, const std::optional<Domain>& domain = {});
/// Billiards from a file. @throws IoError also if it cannot be read
Billiards read_billiards(const std::filesystem::path& path, const std::optional<Domain>& domain = {});

}  // namespace scree
