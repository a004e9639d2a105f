#pragma once

#include <string>
#include <vector>

/// Reports for people, of runs and of comparisons: one look, as Markdown and as a page.
namespace scree {

/// Rows of cells; the first is the head.
using Table = std::vector<std::vector<std::string>>;

/// A part of a report: tables, then paragraphs, then text as it is.
struct Section {
  std::string title;  ///< empty for the first
  std::vector<Table> tables;
  std::vector<std::string> text;
  std::string verbatim = {};
};

/// A picture as SVG.
struct Drawing {
  std::string file;  ///< the name under which the Markdown report expects it
  std::string title;
  std::string svg;
};

struct ReportPage {
  std::string title;
  std::vector<Section> sections;
  std::string about_pictures;  ///< a sentence before them
  std::vector<Drawing> drawings;
  std::string files;  ///< the last sentence of the Markdown report
};

/// As Markdown, without pictures.
std::string to_text(const ReportPage& page);
/// With links to the files of drawings.
std::string to_markdown(const ReportPage& page);
/// One page by itself: it needs no other file and no network.
std::string to_html(const ReportPage& page);

}  // namespace scree
