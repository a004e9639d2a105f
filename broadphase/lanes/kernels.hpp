#pragma once

#include <cstdint>

/// A loop over boxes of the plane that takes several numbers at once: compiled for lanes of 1, 2 and 4 numbers from the
/// same template (moves.hpp; one.cpp, two.cpp, four.cpp). The processor decides which is used; all give the same.
namespace scree::box_lanes {

struct Kernels {
  int width;

  /// Boxes [begin, end) become those of `now`, four numbers each (Aabb2), but for those that move further than their
  /// limit along an axis. A change that is not a number is none.
  /// @param faster gets the ids of these, ascending @return how many
  using FollowSlow = std::uint32_t (*)(double* boxes, const double* now, const double* limit, std::uint32_t begin,
                                       std::uint32_t end, std::uint32_t* faster);
  FollowSlow follow_slow;
};

extern const Kernels kOne;
extern const Kernels kTwo;
extern const Kernels kFour;

/// The kernels of lane_width().
const Kernels& kernels();
/// Chooses other kernels from now on, for tests. @return false if the processor has not got them
bool use_lanes(int width);

}  // namespace scree::box_lanes
