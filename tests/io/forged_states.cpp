#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "dem/random.hpp"
#include "tests/fuzz/forged_state.hpp"

namespace scree::forged_states_test {

namespace {

/// Changes one number of a saved state, its measurements included, and continues from it.
Fate fate_of(const SavedRun& run, const Edit& edit) {
  Checkpoint forged = run.checkpoint;
  const std::size_t state = forged.state.size();
  std::string& bytes = edit.offset < state ? forged.state : forged.measurements;
  apply({edit.kind, edit.offset < state ? edit.offset : edit.offset - state, edit.value}, bytes);
  return continue_from(run.scene, forged);
}

}  // namespace

TEST_CASE("saved runs go on, and there is something to forge in each") {
  for (const SavedRun& run : saved_runs()) {
    CHECK(run.checkpoint.state.size() > 3000);
    CHECK(continue_from(run.scene, run.checkpoint) == Fate::went_on);
  }
}

TEST_CASE("forged states are refused, or go on, or end as bad physics; they never crash, hang or eat memory") {
  constexpr std::array<std::uint64_t, 10> kValues = {
      0, 1, 2, 0xff, 0x7fffffff, 0xffffffff, 0xffffffff0, ~0ULL >> 1, ~0ULL - 0xffff, 0x7ff0000000000000};
#ifdef SCREE_SANITIZED
  constexpr std::uint64_t kEvery = 13;
#else
  constexpr std::uint64_t kEvery = 3;
#endif
  std::array<int, 3> fates = {};
  std::uint64_t number = 0;
  for (const SavedRun& run : saved_runs()) {
    const std::uint64_t size = run.checkpoint.state.size() + run.checkpoint.measurements.size();
    // The beginning of a state, where lists are named, and every so many words of the rest.
    for (std::uint64_t at = 0; at < size; at += at < 512 ? 4 : 4 * kEvery) {
      const std::uint64_t value = kValues[number++ % kValues.size()];
      const auto kind = static_cast<Edit::Kind>(1 + number % 3);
      CAPTURE(at);
      CAPTURE(value);
      Fate fate{};
      CHECK_NOTHROW(fate = fate_of(run, {kind, at, value}));
      ++fates[static_cast<std::size_t>(fate)];
    }
  }
  MESSAGE("refused ", fates[0], ", stopped ", fates[1], ", went on ", fates[2]);
  CHECK(fates[0] > 100);
  CHECK(fates[2] > 20);
}

TEST_CASE("times, speeds and energies that nothing has do not keep a forged state from ending") {
#ifdef SCREE_SANITIZED
  constexpr std::uint64_t kStep = 12;
#else
  constexpr std::uint64_t kStep = 4;
#endif
  constexpr auto kBeforeTheBeginning = std::bit_cast<std::uint64_t>(-4.7e226);
  for (const SavedRun& run : saved_runs()) {
    for (std::uint64_t at = 0; at < run.checkpoint.state.size(); at += kStep) {
      CAPTURE(at);
      CHECK_NOTHROW(fate_of(run, {Edit::Kind::set_8, at, kBeforeTheBeginning}));
    }
  }
}

}  // namespace scree::forged_states_test
