#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace scree {

/// XXH64 of bytes. @param seed e.g. the hash of what comes before them
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

/// The hash of bytes that come in pieces.
class Hash64 {
 public:
  Hash64();
  ~Hash64();
  Hash64(const Hash64&) = delete;
  Hash64& operator=(const Hash64&) = delete;

  void add(std::string_view bytes);
  std::uint64_t value() const;  ///< of all bytes so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scree
