#include "io/scene/scene_tables.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/scene/sections.hpp"

namespace scree {

namespace {

using keys::Form;
using keys::KeyInfo;
using keys::SectionInfo;

constexpr std::string_view kBegin = "<!-- keys: ";
constexpr std::string_view kBeginEnd = " -->\n";
constexpr std::string_view kEnd = "<!-- end of keys -->";
constexpr std::string_view kIndex = "<!-- index of keys -->\n";
constexpr std::string_view kIndexEnd = "<!-- end of index -->";

std::string replaced(std::string text, std::string_view old, std::string_view by) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size())) {
    text.replace(at, old.size(), by);
  }
  return text;
}

std::string default_of(const SectionInfo& section, const KeyInfo& key) {
  static constexpr std::array<std::string_view, 9> kNumbers = {"none", "one", "two",   "three", "four",
                                                               "five", "six", "seven", "eight"};
  if (!key.otherwise.empty()) return key.otherwise;
  if (std::ranges::find(section.exactly_one, key.name) != section.exactly_one.end()) {
    return fmt::format("one of {}", kNumbers.at(section.exactly_one.size()));
  }
  return key.default_value.empty() ? "" : fmt::format("`{}`", key.default_value);
}

/// A key of a mapping without a table of its own stands in the table around it, with the way to it.
void add_rows(const SectionInfo& section, const std::string& way, std::string& table) {
  for (const KeyInfo& key : section.keys) {
    const std::string details = key.details.empty() ? "" : ' ' + key.details;
    const std::string example = key.example.empty() ? "" : fmt::format("`{}: {}`", key.name, key.example);
    table += replaced(fmt::format("| `{}{}` | {}{}{} | {} | {} | {} |\n", way, key.name, key.modes.prefix(), key.says,
                                  details, markdown(key.form), default_of(section, key), example),
                      "^2]", "²]");
    const SectionInfo* inner = key.form.type == Form::Type::mapping ? key.form.section : nullptr;
    if (inner != nullptr && inner->heading.empty() && key.form.markdown.empty()) {
      add_rows(*inner, way + key.name + '.', table);
    }
  }
}

std::string table_of(const SectionInfo& section) {
  std::string table = "\n| key | meaning | value | default | example |\n|---|---|---|---|---|\n";
  add_rows(section, "", table);
  return table + '\n';
}

using Sections = std::map<std::string, const SectionInfo*>;

void collect(const Form& form, Sections& sections);

/// All sections with a table that one can get to.
void collect(const SectionInfo& section, Sections& sections) {
  if (!section.heading.empty() && !sections.emplace(section.name, &section).second) return;
  for (const KeyInfo& key : section.keys) collect(key.form, sections);
}

void collect(const Form& form, Sections& sections) {
  for (const Form& part : form.parts) collect(part, sections);
  if (form.section != nullptr) collect(*form.section, sections);
}

/// The last name of each key, and where its table is: the section's heading, behind it the way to the key if it has
/// one.
using Places = std::map<std::string, std::set<std::pair<std::string, std::string>>>;

void add_places(const SectionInfo& section, const std::string& heading, const std::string& way, Places& places) {
  for (const KeyInfo& key : section.keys) {
    places[key.name].emplace(heading, way.empty() ? "" : way + key.name);
    const SectionInfo* inner = key.form.type == Form::Type::mapping ? key.form.section : nullptr;
    if (inner != nullptr && inner->heading.empty() && key.form.markdown.empty()) {
      add_places(*inner, heading, way + key.name + '.', places);
    }
  }
}

/// All keys by the alphabet, a paragraph for each letter.
std::string index_of(const Sections& sections) {
  Places places;
  for (const auto& [name, section] : sections) add_places(*section, section->heading, "", places);
  std::string text;
  char letter = 0;
  for (const auto& [name, found] : places) {
    text += name.front() == letter ? "; " : letter == 0 ? "\n" : "\n\n";
    letter = name.front();
    text += fmt::format("`{}`", name);
    std::string_view before = " ";
    for (const auto& [heading, way] : found) {
      std::string where = heading;
      std::ranges::replace(where, '-', ' ');
      text += fmt::format("{}[{}](#{})", before, way.empty() ? where : fmt::format("{}, `{}`", where, way), heading);
      before = ", ";
    }
  }
  return text + "\n\n";
}

/// The page with a new index, if it has a place for one.
std::string with_index(std::string markdown, const Sections& sections) {
  const std::size_t begin = markdown.find(kIndex);
  if (begin == std::string::npos) return markdown;
  const std::size_t from = begin + kIndex.size();
  const std::size_t end = markdown.find(kIndexEnd, from);
  if (end == std::string::npos) throw std::invalid_argument("an index of keys without an end");
  return markdown.replace(from, end - from, index_of(sections));
}

}  // namespace

std::string with_key_tables(const std::string& markdown) {
  Sections sections;
  collect(keys::scene_section().info(), sections);
  const Sections all = sections;
  std::string text;
  std::size_t done = 0;
  for (std::size_t at = markdown.find(kBegin); at != std::string::npos; at = markdown.find(kBegin, done)) {
    const std::size_t name_at = at + kBegin.size();
    const std::size_t name_end = markdown.find(kBeginEnd, name_at);
    const std::size_t end = markdown.find(kEnd, name_at);
    if (name_end == std::string::npos || end == std::string::npos) {
      throw std::invalid_argument("keys without an end: " + markdown.substr(at, markdown.find('\n', at) - at));
    }
    const std::string name = markdown.substr(name_at, name_end - name_at);
    const auto found = sections.find(name);
    if (found == sections.end()) throw std::invalid_argument("keys of what is no section, or here twice: " + name);
    text += markdown.substr(done, name_end + kBeginEnd.size() - done) + table_of(*found->second);
    sections.erase(found);
    done = end;
  }
  if (!sections.empty()) throw std::invalid_argument("keys of a section are missing: " + sections.begin()->first);
  return with_index(text + markdown.substr(done), all);
}

}  // namespace scree
