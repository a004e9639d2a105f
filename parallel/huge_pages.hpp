#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

namespace scree {

/// From now on arrays beyond two megabytes have pages of their own, which were not touched before and which the system
/// has back when the array ends. The C library's own limit grows with each array that ends: then large ones share a
/// heap that keeps the most that it ever held. That of smaller ones keeps eight megabytes that are free: what is taken
/// and given back all the time, by the compression of frames first of all, does not go to the system each time. For the
/// beginning of a program.
void give_large_arrays_their_own_pages();

/// Asks for huge pages for the whole ones in this piece of memory, which was not touched yet. Nothing happens where the
/// system has none.
void ask_for_huge_pages(const void* begin, std::size_t bytes);

/// Room for so many values, in huge pages where the system has them on request: large arrays that are read all
/// over with small pages miss the processor's table of addresses at nearly every access. Without effect on values.
/// @pre the array is empty: pages that were touched stay as they are
template <class T>
void reserve_in_huge_pages(std::vector<T>& array, std::size_t count) {
  array.reserve(count);
  ask_for_huge_pages(array.data(), array.capacity() * sizeof(T));
}

/// Moves the values of an array to room for `capacity` of them, in huge pages as above. Cost: O(size)
/// @pre capacity is no less than the size
template <class T>
void move_to_huge_pages(std::vector<T>& array, std::size_t capacity) {
  std::vector<T> moved;
  reserve_in_huge_pages(moved, capacity);
  moved.assign(std::move_iterator(array.begin()), std::move_iterator(array.end()));
  array.swap(moved);
}

}  // namespace scree
