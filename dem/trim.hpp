#pragma once

#include <cstddef>
#include <vector>

#include "parallel/huge_pages.hpp"

namespace scree {

/// Gives back the memory that a vector that has grown holds beyond an eighth of its contents, and moves large ones to
/// huge pages where the system has them.
template <class T>
void trim(std::vector<T>& values) {
  constexpr std::size_t kLarge = std::size_t{1} << 22;  // two huge pages: at least one is within
  const bool has_much_to_spare = values.capacity() > values.size() + values.size() / 8;
  if (has_much_to_spare || values.size() * sizeof(T) >= kLarge) move_to_huge_pages(values, values.size());
}

}  // namespace scree
