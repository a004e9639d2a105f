#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dem/scene/gravity_point.hpp"
#include "dem/scene/wall.hpp"
#include "io/scene/section.hpp"

namespace scree::keys {

/// More rows of a table in time are refused.
inline constexpr std::size_t kMostTableRows = 100'000;

enum class Rows { ascending, any };

/// The rows of a file of numbers, the first of which is a time that ascends unless they may be any; empty if it cannot
/// be read (then the reading has a note of that).
/// @param value the name of the file  @param columns  their names, e.g. time, x, y: those that the file may have
/// @param needed  how many of them, the first ones, it must have; the others are 0
std::vector<std::vector<double>> read_rows(Reading& reading, const YamlValue& value,
                                           const std::vector<std::string>& columns, std::size_t needed,
                                           Rows order = Rows::ascending);

/// Constant, one of them, or a table in time.
Kind<std::vector<GravityPoint>> gravity();

/// Several motions of a wall, one after the other.
Kind<std::vector<PhaseOfMotion>> motions();
Kind<std::vector<Taps>> taps();
const Section<Oscillation>& oscillation_section();

/// Motions without a centre of rotation turn about this point.
void set_pivot(std::vector<PhaseOfMotion>& motions, const Vec2& pivot);

}  // namespace scree::keys
