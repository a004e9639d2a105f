#include "dem/hard/lanes/table.hpp"

#ifdef __AVX2__
namespace scree::hard::lanes {

constinit const Kernels kFour = table<4>();

}  // namespace scree::hard::lanes
#endif
