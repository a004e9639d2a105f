#include "io/text/hash64.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace scree {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

struct Hash64::State {
  XXH64_state_t of_xxhash;
};

Hash64::Hash64() : state_(std::make_unique<State>()) {
  XXH64_reset(&state_->of_xxhash, 0);
}

Hash64::~Hash64() = default;

void Hash64::add(std::string_view bytes) {
  XXH64_update(&state_->of_xxhash, bytes.data(), bytes.size());
}

std::uint64_t Hash64::value() const {
  return XXH64_digest(&state_->of_xxhash);
}

}  // namespace scree
