#pragma once

#include <array>
#include <optional>

#include "dem/state.hpp"
#include "geometry/vec.hpp"

/// Periodic cells that deform, as pictures show them: as the parallelogram of their periods, though the grains of a
/// state are in a rectangle.
namespace scree {

/// Its corners, counter-clockwise from the lower left one [m]. @param tilt  that it is drawn with [m]
std::array<Vec2, 4> corners_of(const CellState& cell, const Vec2& centre, double tilt);

/// The state with each grain, and each contact's half at it, in the parallelogram about the centre; nothing if the
/// state has no cell.
std::optional<State> in_parallelogram(const State& state, const Vec2& centre);

}  // namespace scree
