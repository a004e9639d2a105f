// The inputs that libFuzzer kept (tests/fuzz), without libFuzzer: none fails.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "io/files/atomic_file.hpp"

// The targets of tests/fuzz, by these names here.
extern "C" int fuzz_frame(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_table(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_outline(const std::uint8_t* data, std::size_t size);

namespace {

std::size_t try_all(const char* folder, int (*target)(const std::uint8_t*, std::size_t)) {
  std::size_t tried = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(SCREE_FUZZ) / folder)) {
    CAPTURE(entry.path().string());
    const std::string input = scree::read_file(entry.path());
    target(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ++tried;
  }
  return tried;
}

}  // namespace

TEST_CASE("what fuzzers tried before is refused or read, and nothing else happens") {
  CHECK(try_all("frames", fuzz_frame) > 10);
  CHECK(try_all("tables", fuzz_table) > 10);
  CHECK(try_all("outlines", fuzz_outline) > 0);
}
