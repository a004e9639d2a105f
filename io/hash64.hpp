#pragma once

#include <cstdint>
#include <string_view>

namespace scree {

/// XXH64 of bytes. @param seed e.g. the hash of what comes before them
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace scree
