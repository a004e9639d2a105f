#pragma once

#include <cstddef>
#include <vector>

#include "parallel/huge_pages.hpp"

namespace scree {

/// As resize(), but with a spare sixteenth instead of as much again: for arrays that are most of what a box or a grain
/// takes. Large ones are in huge pages where the system has them.
/// @param value of those that are new; absent: as resize() has it
template <class T, class... Value>
void lengthen(std::vector<T>& array, std::size_t size, const Value&... value) {
  if (size > array.capacity()) move_to_huge_pages(array, size + size / 16);
  array.resize(size, value...);
}

}  // namespace scree
