#pragma once

namespace scree {

/// An arc with more vertices than this is summed with running sums, on an outline that has them (append_arc_sums()).
inline constexpr int kLongArc = 8;

/// Outlines with more vertices than this have running sums: kMostUnsummed (geometry/polygon.hpp), for kernels.
inline constexpr int kUnsummedInLanes = 16;

}  // namespace scree
