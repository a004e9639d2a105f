#include "broadphase/lanes/kernels.hpp"

#include "parallel/lane_width.hpp"

namespace scree::box_lanes {

using Choice = KernelsByWidth<Kernels, kOne, kTwo, kFour>;

const Kernels& kernels() {
  return Choice::chosen();
}

bool use_lanes(int width) {
  return Choice::choose(width);
}

}  // namespace scree::box_lanes
