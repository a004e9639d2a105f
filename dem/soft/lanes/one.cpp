#include "dem/soft/lanes/table.hpp"

namespace scree::soft::lanes {

constinit const Kernels kOne = table<1>();

}  // namespace scree::soft::lanes
