// A scene from any bytes: it is read, or refused with a place and in one line for each mistake that every terminal can
// show; what is read is the same scene after it was written.

#include "dem/scene.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/errors.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const scree::Scene scene = scree::parse_scene(text, "s.yaml");
    const std::string written = scree::to_yaml(scene);
    scree::test::require(scree::parse_scene(written, "s.yaml") == scene, "another scene after it was written", written);
  } catch (const scree::SceneError& error) {
    scree::test::require_readable(error, 2000);
  } catch (const scree::IoError&) {  // of a file of billiards
  }
  return 0;
}
