#include "dem/soft/lanes/kernels.hpp"

#include "parallel/lane_width.hpp"

namespace scree::soft::lanes {

using Choice = KernelsByWidth<Kernels, kOne, kTwo, kFour, kEight>;

const Kernels& kernels() {
  return Choice::chosen();
}

bool use_lanes(int width) {
  return Choice::choose(width);
}

}  // namespace scree::soft::lanes
