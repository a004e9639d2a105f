#pragma once

#include <array>
#include <optional>

#include "dem/scene/domain.hpp"
#include "dem/state.hpp"
#include "geometry/vec.hpp"

/// Periodic cells that deform, as frames and pictures show them: as the parallelogram of their periods. The grains of a
/// simulation's state are in a rectangle, whose rows the sides of the parallelogram cut elsewhere.
namespace scree {

/// Which a cell keeps while it deforms [m].
inline Vec2 centre_of(const Domain& domain) {
  return 0.5 * (domain.lo + domain.hi);
}

/// Its corners, counter-clockwise from the lower left one [m]. @param tilt  that it is drawn with [m]
std::array<Vec2, 4> corners_of(const CellState& cell, const Vec2& centre, double tilt);

/// Moves each grain along x by whole periods, into the parallelogram about the centre, with its outline; its image
/// count (if there is one) changes as much the other way. A contact goes with its first body, and its `image_shift`
/// says where the second one is now; the half of a contact (`centre2 == point`) goes with its body. Nothing happens to
/// a state without a cell, nor to one that is there already, but for grains within rounding of a side.
void move_into_parallelogram(State& state, const Vec2& centre);

/// Moves all grains into the rectangle about the centre, where a simulation has them.
void move_into_rectangle(State& state, const Vec2& centre);

/// A copy for pictures: moved into the parallelogram, and each contact across a side is two, each with the body on its
/// side as body 1 and with `centre2 == point`, as in a state that is read from a frame. Nothing if the state has no
/// cell.
std::optional<State> in_parallelogram(const State& state, const Vec2& centre);

}  // namespace scree
