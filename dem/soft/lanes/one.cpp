#include "dem/soft/lanes/table.hpp"

namespace scree::soft::lanes {

constinit const PlainKernels kPlainOne = plain_table<1>();
constinit const Kernels kOne = table<1>(&kPlainOne);

}  // namespace scree::soft::lanes
