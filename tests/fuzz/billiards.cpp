// A file of billiards from any bytes: it is read, or refused with a place and in one line for each mistake that every
// terminal can show.
#include "io/formats/billiards.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/require.hpp"

using scree::test::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const scree::Billiards read = scree::parse_billiards(text, "b.txt", scree::Domain{{0.0, 0.0}, {1.0, 1.0}});
    const std::size_t disks = read.setup.position.size();
    require(read.colour.size() == disks && read.setup.radius.size() == disks, "not as many", std::to_string(disks));
    for (std::size_t k = 0; k < disks; ++k) {
      const bool is_sound = read.setup.position[k].allFinite() && read.setup.velocity[k].allFinite() &&
                            read.setup.radius[k] > 0.0 && read.setup.mass[k] > 0.0;
      require(is_sound, "not sound", std::to_string(k));
    }
  } catch (const scree::SceneError& error) {
    scree::test::require_readable(error, 500);
  }
  return 0;
}
