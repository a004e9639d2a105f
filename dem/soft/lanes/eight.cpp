#include "dem/soft/lanes/table.hpp"

#ifdef __AVX512DQ__
namespace scree::soft::lanes {

constinit const Kernels kEight = table<8>(&kPlainFour);

}  // namespace scree::soft::lanes
#endif
