#pragma once

#include <cstddef>
#include <vector>

namespace scree {

/// As resize(), but with a spare eighth instead of as much again: for arrays that are most of what a box or a grain
/// takes.
/// @param value of those that are new; absent: as resize() has it
template <class T, class... Value>
void lengthen(std::vector<T>& array, std::size_t size, const Value&... value) {
  if (size > array.capacity()) array.reserve(size + size / 8);
  array.resize(size, value...);
}

}  // namespace scree
