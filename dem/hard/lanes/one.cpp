#include "dem/hard/lanes/table.hpp"

namespace scree::hard::lanes {

constinit const Kernels kOne = table<1>();

}  // namespace scree::hard::lanes
