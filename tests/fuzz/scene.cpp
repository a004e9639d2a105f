// A scene from any bytes: it is read, or refused with a place and in one line for each mistake that every terminal can
// show; what is read is the same scene after it was written.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/errors.hpp"
#include "io/message_text.hpp"
#include "io/scene_reader.hpp"
#include "io/scene_writer.hpp"

namespace {

void require(bool good, const char* what, const std::string& about) {
  if (good) return;
  std::fprintf(stderr, "%s: %s\n", what, about.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const scree::Scene scene = scree::parse_scene(text, "s.yaml");
    const std::string written = scree::to_yaml(scene);
    require(scree::parse_scene(written, "s.yaml") == scene, "another scene after it was written", written);
  } catch (const scree::SceneError& error) {
    require(!error.mistakes.empty(), "no mistake", error.what());
    for (const scree::SceneMistake& mistake : error.mistakes) {
      const std::string told = mistake.text();
      require(scree::is_printable(std::string_view(told)) && told.size() < 2000, "not readable", told);
      require(mistake.line > 0 && mistake.column > 0, "no place", told);
    }
  } catch (const scree::IoError&) {  // of a file of billiards
  }
  return 0;
}
