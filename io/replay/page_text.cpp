#include "io/replay/page_text.hpp"

#include <fmt/format.h>

#include "io/pages/svg_plot.hpp"
#include "io/text/version.hpp"
// The files in io/replay/ as kReplayStyle and so on, written by CMake.
#include "io/replay/body.html.hpp"
#include "io/replay/style.css.hpp"

namespace scree {

std::string page_text(const PageParts& parts) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data: blob:; {}base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"scree {}\">\n<title>{}</title>\n{}<style>\n{}{}</style>\n</head>\n{}",
      parts.policy, version(), escaped(parts.title.empty() ? "A run of scree" : parts.title), parts.head, kReplayStyle,
      parts.styles, kReplayBody);
  out += parts.data;
  for (const std::string_view script : parts.scripts) out += fmt::format("<script>\n{}</script>\n", script);
  return out += "</body>\n</html>\n";
}

}  // namespace scree
