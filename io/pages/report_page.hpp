#pragma once

#include <string>
#include <vector>

/// Reports for people, of runs and of comparisons: one layout, as Markdown and as a page.
namespace scree {

/// Rows of cells; the first is the head.
using Table = std::vector<std::vector<std::string>>;

/// A picture as SVG.
struct Drawing {
  std::string file;  ///< the name under which the Markdown report expects it
  std::string title;
  std::string svg;
};

/// A part of a report: tables, then paragraphs, then text as it is, then pictures.
struct Section {
  std::string title;  ///< empty for the first
  std::vector<Table> tables;
  std::vector<std::string> text;
  std::string verbatim = {};
  std::vector<Drawing> drawings = {};
};

struct ReportPage {
  std::string title;
  std::vector<Section> sections;
};

/// As Markdown, without the parts that have pictures.
std::string to_text(const ReportPage& page);
/// With links to the files of drawings.
std::string to_markdown(const ReportPage& page);
/// One page by itself: it needs no other file and no network.
std::string to_html(const ReportPage& page);
/// The pictures of all parts.
std::vector<Drawing> drawings(const ReportPage& page);

}  // namespace scree
