#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

#include "dem/hard/setup.hpp"

namespace scree {

/// Disks in the unit box with hard walls, and what they look like.
struct Billiards {
  hard::Setup setup;
  std::vector<std::array<std::uint8_t, 3>> colour;  ///< red, green, blue; one a disk
};

/// Reads the data files of Sedgewick & Wayne, Algorithms, 6.1 Event-Driven Simulation: the number of disks, then a line
/// for each: rx ry vx vy radius mass red green blue. Blank lines do not count.
///
/// @param name stands for the file in messages
/// @throws IoError that names the line if a number is missing, superfluous or none, or a colour is not in 0 ... 255;
///         whether the disks make sense, hard::Simulation says
Billiards read_billiards(std::istream& in, const std::string& name);
/// @throws IoError also if the file cannot be opened
Billiards read_billiards(const std::filesystem::path& path);

}  // namespace scree
