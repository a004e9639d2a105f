#include "io/frames/view_script.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

#include "io/files/atomic_file.hpp"
#include "io/frames/view_text.hpp"  // io/frames/view.py as kViewText, written by CMake

namespace scree {
namespace {

// The lines of view.py that get the run's title and sides.
constexpr std::string_view kNoTitle = "\nTITLE = \"\"\nSIDES = []";
constexpr std::size_t kTitleLine = kViewText.find(kNoTitle);
static_assert(kTitleLine != std::string_view::npos, "view.py has no line for the title");
static_assert(kTitleLine == kViewText.rfind(kNoTitle), "view.py has two lines for the title");

/// A string literal that Python reads as the same text; JSON's are such, as long as nothing is escaped as two
/// surrogates.
std::string python_literal(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

/// Sides that are not open: both ends, and 1 for a periodic one, 2 for a reflecting one.
nlohmann::json sides_of(const Domain& domain) {
  nlohmann::json sides = nlohmann::json::array();
  if (domain.cell) return sides;  // frames have them
  const Vec2& lo = domain.lo;
  const Vec2& hi = domain.hi;
  const auto add = [&](std::size_t axis, const Vec2& from, const Vec2& to) {
    if (!domain.periodic[axis] && !domain.reflecting) return;
    sides.push_back({from.x(), from.y(), to.x(), to.y(), domain.periodic[axis] ? 1 : 2});
  };
  add(0, lo, {lo.x(), hi.y()});
  add(0, {hi.x(), lo.y()}, hi);
  add(1, lo, {hi.x(), lo.y()});
  add(1, {lo.x(), hi.y()}, hi);
  return sides;
}

}  // namespace

void write_view_script(const std::filesystem::path& directory, const std::string& title, const Domain& domain) {
  std::string script(kViewText.substr(0, kTitleLine));
  script += "\nTITLE = ";
  script += python_literal(title);
  script += "\nSIDES = " + sides_of(domain).dump();
  script += kViewText.substr(kTitleLine + kNoTitle.size());
  write_file_atomically(directory / "view.py", script);
}

}  // namespace scree
