#include "io/view_script.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

#include "io/atomic_file.hpp"
#include "io/view_text.hpp"  // io/view.py as kViewText, written by CMake

namespace scree {
namespace {

constexpr std::string_view kNoTitle = "\nTITLE = \"\"\n";  // the line of view.py that gets the run's title
constexpr std::size_t kTitleLine = kViewText.find(kNoTitle);
static_assert(kTitleLine != std::string_view::npos, "view.py has no line for the title");
static_assert(kTitleLine == kViewText.rfind(kNoTitle), "view.py has two lines for the title");

/// A string literal that Python reads as the same text; JSON's are such, as long as nothing is escaped as two
/// surrogates.
std::string python_literal(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void write_view_script(const std::filesystem::path& directory, const std::string& title) {
  std::string script(kViewText.substr(0, kTitleLine));
  script += "\nTITLE = ";
  script += python_literal(title);
  script += '\n';
  script += kViewText.substr(kTitleLine + kNoTitle.size());
  write_file_atomically(directory / "view.py", script);
}

}  // namespace scree
