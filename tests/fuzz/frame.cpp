// A frame with some of its numbers changed: it is refused, or shown.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"
#include "tests/fuzz/forged_frame.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scree::FrameContents frame = sound_frame();
  constexpr std::size_t kEdit = 14;
  for (std::size_t at = 0; at + kEdit <= size; at += kEdit) {
    FrameEdit edit{static_cast<FrameEdit::Kind>(data[at] % (static_cast<int>(FrameEdit::Kind::kMaxValue) + 1)),
                   data[at + 1], 0, 0};
    std::memcpy(&edit.place, data + at + 2, sizeof edit.place);
    std::memcpy(&edit.value, data + at + 6, sizeof edit.value);
    forge(edit, frame);
  }
  try {
    look_at(std::move(frame));
  } catch (const scree::IoError& error) {  // refused
    const std::string told = error.what();
    scree::test::require(scree::is_printable(std::string_view(told)) && told.size() < 500, "not readable", told);
  }
  return 0;
}
