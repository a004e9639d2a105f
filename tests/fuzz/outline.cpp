// An outline from any bytes, as CSV and as SVG: it is read, or refused with a place and in one line for each mistake
// that every terminal can show.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/formats/outline_reader.hpp"
#include "io/yaml/scene_error.hpp"
#include "tests/fuzz/require.hpp"

using scree::test::require;

namespace {

template <class Parse>
void look_at(std::string_view text, const Parse& parse) {
  try {
    const std::vector<scree::Vec2> points = parse(text, std::string("outline"));
    require(points.size() <= scree::kMostOutlinePoints, "too many points", std::to_string(points.size()));
    for (const scree::Vec2& point : points) require(point.allFinite(), "not finite", "");
  } catch (const scree::SceneError& error) {
    scree::test::require_readable(error, 500);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  look_at(text, scree::parse_outline_csv);
  look_at(text, scree::parse_outline_svg);
  return 0;
}
