#include "io/formats/checkpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <fuzzer/FuzzedDataProvider.h>
#include <string>

#include "io/text/errors.hpp"
#include "tests/fuzz/forged_state.hpp"

// A saved state with some bytes changed and its checksum made right again: it is refused, or the run goes on from it.
// libFuzzer makes the changes up (./dev fuzz checkpoint).

using namespace scree;

/// The runs that are saved first take longer than any input may.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  saved_runs();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const auto runs = saved_runs();
  const SavedRun& run = runs[bytes.ConsumeIntegralInRange<std::size_t>(0, runs.size() - 1)];
  // Of another scene, now and then.
  const SavedRun& other = bytes.ConsumeIntegralInRange(0, 15) == 0
                              ? runs[bytes.ConsumeIntegralInRange<std::size_t>(0, runs.size() - 1)]
                              : run;
  std::string body = checkpoint_body(run.checkpoint);
  const std::size_t at_first = body.size();
  while (bytes.remaining_bytes() > 0) {
    const auto kind = bytes.ConsumeEnum<Edit::Kind>();
    const auto offset = bytes.ConsumeIntegralInRange<std::uint64_t>(0, at_first);
    apply({kind, offset, bytes.ConsumeIntegral<std::uint64_t>()}, body);
  }
  try {
    continue_from(other.scene, parse_checkpoint(seal_checkpoint(body), "forged.scree"));
  } catch (const IoError&) {  // refused
  }
  return 0;
}
