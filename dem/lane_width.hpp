#pragma once

namespace scree {

/// Whether the processor has lanes of so many numbers of double precision: 1, 2, or 4 (AVX2).
bool has_lanes(int width);

/// The widest lanes of the processor, or those of SCREE_LANES (1, 2 or 4) in the environment.
/// @throws std::invalid_argument if SCREE_LANES is something else, or more than the processor has
int lane_width();

}  // namespace scree
