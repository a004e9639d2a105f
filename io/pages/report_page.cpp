#include "io/pages/report_page.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "io/pages/svg_plot.hpp"

namespace scree {
namespace {

std::string markdown(const Table& table) {
  std::string out;
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const std::string& cell : table[row]) out += fmt::format("| {} ", cell);
    out += "|\n";
    if (row > 0) continue;
    for (std::size_t column = 0; column < table[0].size(); ++column) out += "|---";
    out += "|\n";
  }
  return out + "\n";
}

std::string html(const Table& table) {
  std::string out = table[0].size() == 2 ? "<table class=\"facts\">\n" : "<table>\n";
  for (std::size_t row = 0; row < table.size(); ++row) {
    const char* cell = row == 0 ? "th" : "td";
    constexpr std::size_t kWords = 40;  // letters: what is longer is a sentence, and may go on in another line
    out += "<tr>";
    for (const std::string& text : table[row]) {
      out += fmt::format("<{0}{2}>{1}</{0}>", cell, escaped(text), text.size() > kWords ? " class=\"words\"" : "");
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

constexpr const char* kStyleSheet =
    "body { font-family: sans-serif; max-width: 66em; margin: 2em auto; padding: 0 1em; line-height: 1.4; }\n"
    "table { border-collapse: collapse; margin: 1em 0; width: 100%; font-size: 0.9em; }\n"
    "td { white-space: nowrap; }\n"
    "td:first-child { white-space: normal; }\n"
    "td.words { white-space: normal; text-align: left; min-width: 14em; }\n"
    ".facts td { white-space: normal; text-align: left; overflow-wrap: anywhere; }\n"
    ".facts td:first-child { width: 11em; color: #555; }\n"
    "th, td { border-bottom: 1px solid #ccc; padding: 0.3em 0.6em; text-align: right; vertical-align: top; }\n"
    "th:first-child, td:first-child { text-align: left; }\n"
    "div { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28em, 100%), 1fr)); gap: 1em; "
    "align-items: start; }\n"
    "pre { font-size: 0.8em; overflow-x: auto; background: #f6f5f2; padding: 0.8em; }\n"
    "svg { max-width: 100%; height: auto; display: block; }\n"
    "@media (max-width: 45em) { table { display: block; overflow-x: auto; } }\n"
    "@media print {\n"
    "  @page { margin: 15mm; }\n"
    "  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; }\n"
    "  table { font-size: 8pt; }\n"
    "  th, td { padding: 0.2em 0.4em; }\n"
    "  tr, svg { break-inside: avoid; }\n"
    "  h2 { break-after: avoid; }\n"
    "  div { grid-template-columns: 1fr 1fr; }\n"
    "  svg { max-height: 240mm; }\n"
    "}\n";

std::string markdown(const Section& section) {
  std::string out;
  if (!section.title.empty()) out += fmt::format("## {}\n\n", section.title);
  for (const Table& table : section.tables) out += markdown(table);
  for (const std::string& paragraph : section.text) out += paragraph + "\n\n";
  if (!section.verbatim.empty()) out += fmt::format("```yaml\n{}```\n\n", section.verbatim);
  for (const Drawing& drawing : section.drawings) out += fmt::format("![{}]({})\n\n", drawing.title, drawing.file);
  return out;
}

std::string html(const Section& section) {
  std::string out;
  if (!section.title.empty()) out += fmt::format("<h2>{}</h2>\n", section.title);
  for (const Table& table : section.tables) out += html(table);
  for (const std::string& paragraph : section.text) out += fmt::format("<p>{}</p>\n", escaped(paragraph));
  if (!section.verbatim.empty()) out += fmt::format("<pre>{}</pre>\n", escaped(section.verbatim));
  if (section.drawings.empty()) return out;
  out += "<div>\n";
  for (const Drawing& drawing : section.drawings) out += drawing.svg;
  return out + "</div>\n";
}

}  // namespace

std::string to_text(const ReportPage& page) {
  std::string out = fmt::format("# {}\n\n", page.title);
  for (const Section& section : page.sections) {
    if (section.drawings.empty()) out += markdown(section);
  }
  return out;
}

std::string to_markdown(const ReportPage& page) {
  std::string out = fmt::format("# {}\n\n", page.title);
  for (const Section& section : page.sections) out += markdown(section);
  return out +
         "The numbers are in the tables (.csv) in this directory; report.html has the whole report in one file.\n";
}

std::string to_html(const ReportPage& page) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escaped(page.title), kStyleSheet);
  for (const Section& section : page.sections) out += html(section);
  return out + "</body>\n</html>\n";
}

std::vector<Drawing> drawings(const ReportPage& page) {
  std::vector<Drawing> all;
  for (const Section& section : page.sections) {
    all.insert(all.end(), section.drawings.begin(), section.drawings.end());
  }
  return all;
}

}  // namespace scree
