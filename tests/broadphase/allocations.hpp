#pragma once

#include <cstddef>

namespace scree::test {

/// Calls of operator new so far, on all threads, in a program linked with allocations.cpp.
std::size_t allocations();

}  // namespace scree::test
