#include "io/scene/scene_tables.hpp"

#include <set>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "dem/scene.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_schema.hpp"
#include "io/scene/sections.hpp"
#include "scene_texts.hpp"

namespace scree::scene_tables_test {

namespace {

using keys::Form;
using keys::KeyInfo;
using keys::SectionInfo;

/// Every section that one can get to from here.
void collect(const SectionInfo& section, std::set<const SectionInfo*>& sections);
void collect(const Form& form, std::set<const SectionInfo*>& sections) {
  for (const Form& part : form.parts) collect(part, sections);
  if (form.section != nullptr) collect(*form.section, sections);
}
void collect(const SectionInfo& section, std::set<const SectionInfo*>& sections) {
  if (!sections.insert(&section).second) return;
  for (const KeyInfo& key : section.keys) collect(key.form, sections);
}

/// A page with the tables of all sections but some.
std::string page(const std::set<std::string>& without = {}) {
  std::set<const SectionInfo*> sections;
  collect(keys::scene_section().info(), sections);
  std::string text = "before\n";
  for (const SectionInfo* section : sections) {
    if (section->heading.empty() || without.count(section->name) > 0) continue;
    text += "<!-- keys: " + section->name + " -->\nan old table\n<!-- end of keys -->\nbetween\n";
  }
  return text + "after\n";
}

}  // namespace

TEST_CASE("every key says what it means, what holds without it, and has another name than its neighbours") {
  std::set<const SectionInfo*> sections;
  collect(keys::scene_section().info(), sections);
  std::size_t number = 0;
  for (const SectionInfo* section : sections) {
    std::set<std::string> names;
    for (const KeyInfo& key : section->keys) {
      CAPTURE(section->name);
      CAPTURE(key.name);
      CHECK(names.insert(key.name).second);
      CHECK_FALSE(key.says.empty());
      CHECK_FALSE(markdown(key.form).empty());
      CHECK_NOTHROW(YAML::Load(key.example));
      const bool is_one_of = std::ranges::find(section->exactly_one, key.name) != section->exactly_one.end();
      CHECK((is_one_of || !key.otherwise.empty() || !key.default_value.empty() || section->name == "pair"));
      ++number;
    }
    for (const std::string& name : section->exactly_one) CHECK(names.count(name) == 1);
    for (const std::string& name : section->never_together) CHECK(names.count(name) == 1);
  }
  CHECK(number > 100);
}

TEST_CASE("tables of keys take the places that a page has for them, and nothing else of it changes") {
  const std::string text = with_key_tables(page());
  CHECK(text.starts_with("before\n<!-- keys: "));
  CHECK(text.ends_with("<!-- end of keys -->\nbetween\nafter\n"));
  CHECK(text.find("an old table") == std::string::npos);
  CHECK(text.find("| `friction` | Coulomb's coefficient | number ≥ 0 | `0` | `friction: 0.5` |\n") !=
        std::string::npos);
  CHECK(text.find("| `rotation.rate` | ") != std::string::npos);
  CHECK(text.find("| `density` | mass per area | number > 0 [kg/m²] | required | `density: 2600` |\n") !=
        std::string::npos);
  CHECK(with_key_tables(text) == text);
}

TEST_CASE("the index has every key once, by the alphabet, with a link to each of its tables") {
  const std::string text = with_key_tables(page() + "<!-- index of keys -->\nold\n<!-- end of index -->\nrest\n");
  const std::size_t at = text.find("<!-- index of keys -->");
  const std::string index = text.substr(at);
  CHECK(index.ends_with("\n\n<!-- end of index -->\nrest\n"));
  CHECK(index.find("old") == std::string::npos);
  CHECK(with_key_tables(text) == text);
  std::set<const SectionInfo*> sections;
  collect(keys::scene_section().info(), sections);
  for (const SectionInfo* section : sections) {
    if (section->heading.empty()) continue;  // it stands in the tables around it, or in their words
    for (const KeyInfo& key : section->keys) {
      CAPTURE(key.name);
      const std::size_t found = index.find('`' + key.name + "` [");
      REQUIRE(found != std::string::npos);
      const std::string links = index.substr(found, index.find_first_of(";\n", found) - found);
      CHECK(links.find("(#" + section->heading + ')') != std::string::npos);
    }
  }
  CHECK(index.find("`rate` [") < index.find("`region` ["));
  CHECK(index.find("`rotation.rate`](#") != std::string::npos);
  CHECK_THROWS_WITH_AS(with_key_tables(page() + "<!-- index of keys -->\n"), "an index of keys without an end",
                       std::invalid_argument);
}

TEST_CASE("a page that lacks a table, or has one too many, is refused") {
  CHECK_THROWS_WITH_AS(with_key_tables(page({"wall"})), "keys of a section are missing: wall", std::invalid_argument);
  CHECK_THROWS_WITH_AS(with_key_tables(page() + "<!-- keys: wal -->\n<!-- end of keys -->\n"),
                       "keys of what is no section, or here twice: wal", std::invalid_argument);
  CHECK_THROWS_WITH_AS(with_key_tables(page() + page()), doctest::Contains("no section, or here twice: "),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(with_key_tables(page({"wall"}) + "<!-- keys: wall -->\n"),
                       "keys without an end: <!-- keys: wall -->", std::invalid_argument);
}

TEST_CASE("the schema has the keys that the reader names, with their limits and defaults") {
  const nlohmann::json schema = nlohmann::json::parse(scene_schema());
  std::string names;
  try {
    parse_scene("scree: 1\nnonsense: 1\n", "s.yaml");
  } catch (const SceneError& error) {
    for (const auto& mistake : error.mistakes) names += mistake.problem;
  }
  for (const auto& [name, key] : schema["properties"].items()) CHECK(names.find(name) != std::string::npos);
  CHECK(schema["properties"].size() == keys::scene_section().info().keys.size());
  CHECK(schema["required"] == nlohmann::json({"scree", "domain", "output"}));
  CHECK(schema["allOf"] == nlohmann::json::parse(R"([{"anyOf": [
      {"required": ["stages"]},
      {"required": ["time"], "properties": {"time": {"required": ["end"]}}}]}])"));
  CHECK_FALSE(schema["properties"]["time"]["properties"]["end"].contains("default"));
  const nlohmann::json& material = schema["properties"]["materials"]["additionalProperties"];
  CHECK(material["properties"]["density"]["exclusiveMinimum"] == 0.0);
  CHECK(material["properties"]["restitution_law"]["enum"] == nlohmann::json({"constant", "bizon", "viscoelastic"}));
  CHECK(material["properties"]["restitution_law"]["default"] == "constant");
  CHECK(material["additionalProperties"] == false);
  CHECK(material["oneOf"].size() == 2);
}

}  // namespace scree::scene_tables_test
