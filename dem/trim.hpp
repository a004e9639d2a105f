#pragma once

#include <vector>

namespace scree {

/// Gives back the memory that a vector that has grown holds beyond an eighth of its contents.
template <class T>
void trim(std::vector<T>& values) {
  if (values.capacity() > values.size() + values.size() / 8) values.shrink_to_fit();
}

}  // namespace scree
