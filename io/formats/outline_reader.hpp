#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/vec.hpp"

/// Outlines from files: bounded, and nothing in a file but numbers is followed.
namespace scree {

/// More corners are refused.
inline constexpr std::size_t kMostOutlinePoints = 10'000;

/// Points x, y, one a line (io/formats/csv_reader.hpp), the columns called x and y if they have names. A last point
/// that is the first one again is left out.
/// @throws SceneError with all mistakes
std::vector<Vec2> parse_outline_csv(std::string_view text, const std::string& name);

/// The one outline in an SVG: a <polygon>, a <polyline> or a <path> of straight lines (M L H V Z). y is reversed, so
/// that what is above is above. Other shapes, curves and transforms are refused by name, entities and a document type,
/// too.
/// @throws SceneError
std::vector<Vec2> parse_outline_svg(std::string_view text, const std::string& name);

/// The corners in a file; the ending of its name says how it is written: .csv, .txt or .svg.
/// @throws SceneError, IoError
std::vector<Vec2> read_outline(const std::filesystem::path& path);

}  // namespace scree
