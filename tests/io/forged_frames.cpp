// Frames in which one number at a time is wrong: in the arrays, which are inflated and deflated again, and in the
// header.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <doctest/doctest.h>

#include "io/text/errors.hpp"
#include "tests/fuzz/forged_frame.hpp"
#include "tests/sanitized.hpp"

namespace scree::forged_frames_test {

namespace {

using Kind = FrameEdit::Kind;
using scree::test::kSanitized;

/// What somebody may have put there instead: bits of a number of any type.
constexpr std::uint64_t kValues[] = {0,
                                     1,
                                     7,
                                     ~std::uint64_t{0},       // -1
                                     std::uint64_t{1} << 40,  // no index
                                     2'000'000'000,           // no count
                                     0x7fc000007fc00000,      // not a number
                                     0x7f8000007f800000,      // infinite
                                     0x7fefffffffffffff,      // the largest double
                                     0x8000000080000000};

/// Whether it is refused. Anything but a refusal and a picture fails.
bool is_refused(const FrameEdit& edit) {
  FrameContents frame = sound_frame();
  forge(edit, frame);
  try {
    look_at(std::move(frame));
  } catch (const IoError&) {
    return true;
  }
  return false;
}

const FrameArray& array_named(const std::vector<FrameArray>& arrays, const std::string& name, std::size_t which) {
  for (const FrameArray& array : arrays) {
    if (array.name == name && !array.raw.empty() && which-- == 0) return array;
  }
  FAIL("no array " << name);
  return arrays.front();
}

/// What a frame says whose file of this series has another number in an array.
template <class Number>
std::string refusal(std::size_t series, const std::string& name, std::size_t which, Number number) {
  FrameContents frame = sound_frame();
  const std::vector<FrameArray> arrays = arrays_in(frame[series]);
  const FrameArray& array = array_named(arrays, name, 0);
  REQUIRE(array.raw.size() >= (which + 1) * sizeof number);
  std::string raw = array.raw;
  std::memcpy(raw.data() + which * sizeof number, &number, sizeof number);
  replace(array, raw, frame[series]);
  try {
    look_at(std::move(frame));
  } catch (const IoError& error) {
    return error.what();
  }
  return "it was read";
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("a sound frame is read, as it was written and with an array that is deflated anew") {
  FrameContents frame = sound_frame();
  CHECK_NOTHROW(look_at(frame));
  for (std::string& file : frame) {
    for (const FrameArray& array : arrays_in(file)) {
      const std::string before = file;
      if (!array.raw.empty()) replace(array, array.raw, file);
      CHECK_NOTHROW(look_at(frame));
      file = before;
    }
  }
}

TEST_CASE("cells of points that are not there are refused") {
  for (const std::size_t series : {0, 1, 2}) {  // contacts, walls, particles
    CAPTURE(series);
    CHECK(refusal(series, "connectivity", 0, std::int32_t{-1}).find("connectivity has -1") != std::string::npos);
    CHECK(refusal(series, "connectivity", 0, std::int32_t{1} << 30).find("not there") != std::string::npos);
    CHECK(refusal(series, "offsets", 0, std::int32_t{0}).find("too few points") != std::string::npos);
    CHECK(refusal(series, "offsets", 1, std::int32_t{-5}).find("offsets has -5") != std::string::npos);
  }
}

TEST_CASE("sizes that a file claims take no memory") {
  if (kSanitized) return;  // a sanitizer has memory of its own
  (void)is_refused({Kind::byte, 0, 0, '<'});
  const long before = peak_kilobytes();
  std::size_t refused = 0;
  for (std::uint8_t file = 0; file < 3; ++file) {
    for (std::uint32_t place = 0; place < 120; ++place) {
      for (const std::uint64_t value : {std::uint64_t{2'000'000'000}, std::uint64_t{1} << 40}) {
        refused += is_refused({Kind::header, file, place, value}) ? 1 : 0;
      }
    }
  }
  CHECK(refused > 100);
  CHECK(peak_kilobytes() - before < 100'000);
}

TEST_CASE("whatever number of a frame is changed, it is refused or shown") {
  std::size_t refused = 0;
  std::size_t tried = 0;
  for (std::uint8_t file = 0; file < 3; ++file) {
    const auto arrays = static_cast<std::uint32_t>(arrays_in(sound_frame()[file]).size());
    for (std::uint32_t place = 0; place < 2 * arrays; ++place) {
      for (const std::uint64_t value : kValues) {
        refused += is_refused({Kind::number, file, place, value}) ? 1 : 0;
        ++tried;
      }
      CHECK_NOTHROW((void)is_refused({Kind::less, file, place, 0}));
    }
    for (std::uint32_t place = 0; place < 60; ++place) {
      for (const std::uint64_t value : kValues) CHECK_NOTHROW((void)is_refused({Kind::header, file, place, value}));
    }
    const std::size_t end = sound_frame()[file].rfind('>');  // a line break may follow
    for (std::uint32_t place = 0; place <= end; place += 53) {
      CHECK(is_refused({Kind::cut_off, file, place, 0}));
    }
  }
  CHECK(refused > tried / 4);
  CHECK(refused < tried);
}

}  // namespace scree::forged_frames_test
