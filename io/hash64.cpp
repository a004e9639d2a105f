#include "io/hash64.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace scree {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

}  // namespace scree
