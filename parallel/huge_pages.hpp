#pragma once

#include <cstddef>
#include <vector>

namespace scree {

/// Asks for huge pages for the whole ones in this piece of memory, which was not touched yet. Nothing happens where the
/// system has none.
void ask_for_huge_pages(const void* begin, std::size_t bytes);

/// Room for so many values, in huge pages where the system has them for those who ask: large arrays that are read all
/// over with small pages miss the processor's table of addresses at nearly every access. Without effect on values.
/// @pre the array is empty: pages that were touched stay as they are
template <class T>
void reserve_in_huge_pages(std::vector<T>& array, std::size_t count) {
  array.reserve(count);
  ask_for_huge_pages(array.data(), array.capacity() * sizeof(T));
}

}  // namespace scree
