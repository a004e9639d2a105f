#include "io/scene/scene_schema.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "io/scene/sections.hpp"
#include "io/text/number_text.hpp"

namespace scree {

namespace {

using Json = nlohmann::ordered_json;
using keys::Form;
using keys::KeyInfo;
using keys::SectionInfo;

Json schema_of(const SectionInfo& section);

/// A default or an example, as YAML, in JSON.
Json value_of(const YAML::Node& node) {
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& entry : node) object[entry.first.Scalar()] = value_of(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    Json array = Json::array();
    for (const YAML::Node& entry : node) array.push_back(value_of(entry));
    return array;
  }
  if (node.Tag() == "!") return node.Scalar();  // in quotes
  if (node.Scalar() == "true" || node.Scalar() == "false") return node.Scalar() == "true";
  if (const auto number = parse_number<std::uint64_t>(node.Scalar())) return *number;
  if (const auto number = parse_number<double>(node.Scalar())) return *number;
  return node.Scalar();
}

Json either(const std::string_view word, Json schema) {
  if (word.empty()) return schema;
  return {{"anyOf", Json::array({Json{{"const", word}}, std::move(schema)})}};
}

/// A number may be an expression. Beside a word that is allowed, too, it must have more than a name in it, so that a
/// misspelt word is none.
void allow_expression(Json& schema, bool beside_word) {
  constexpr const char* kExpression = "^[-+*/^()., 0-9A-Za-z_]*[A-Za-z_*/^()][-+*/^()., 0-9A-Za-z_]*$";
  constexpr const char* kNoMereName = "^[-+*/^()., 0-9A-Za-z_]*[-+*/^()][-+*/^()., 0-9A-Za-z_]*$";
  schema["type"] = {schema["type"], "string"};
  schema["pattern"] = beside_word ? kNoMereName : kExpression;
}

Json schema_of(const Numbers& numbers) {
  if (numbers.least == numbers.greatest) return {{"const", value_of(YAML::Node(number_text(numbers.least)))}};
  Json schema = {{"type", "number"}};
  allow_expression(schema, !numbers.alternative.empty());
  if (numbers.least > -kLargestNumber) schema[numbers.without_least ? "exclusiveMinimum" : "minimum"] = numbers.least;
  if (numbers.greatest < kLargestNumber) schema["maximum"] = numbers.greatest;
  return either(numbers.alternative, std::move(schema));
}

Json schema_of(const WholeNumbers& numbers) {
  Json schema = {{"type", "integer"}, {"minimum", numbers.least}, {"maximum", numbers.greatest}};
  allow_expression(schema, !numbers.alternative.empty());
  return either(numbers.alternative, std::move(schema));
}

Json schema_of(const Form& form) {
  switch (form.type) {
    case Form::Type::number:
      return schema_of(form.numbers);
    case Form::Type::whole_number:
      return schema_of(form.whole_numbers);
    case Form::Type::text: {  // whatever YAML takes it for: 7 may be a wall's name
      Json schema = {{"type", {"string", "number", "boolean"}}};
      if (form.least > 0) schema["minLength"] = form.least;
      return schema;
    }
    case Form::Type::word: {
      Json words = Json::array();
      for (const std::string& word : form.words) words.push_back(value_of(YAML::Node(word)));
      return {{"enum", std::move(words)}};
    }
    case Form::Type::list: {
      Json schema = {{"type", "array"}, {"items", schema_of(form.parts.front())}};
      if (form.least > 0) schema["minItems"] = form.least;
      if (form.most != Form::kAnyNumber) schema["maxItems"] = form.most;
      return schema;
    }
    case Form::Type::mapping:
      return schema_of(*form.section);
    case Form::Type::named:
      return {{"type", "object"}, {"additionalProperties", schema_of(form.parts.front())}};
    case Form::Type::either: {
      Json parts = Json::array();
      for (const Form& part : form.parts) parts.push_back(schema_of(part));
      return {{"anyOf", std::move(parts)}};
    }
  }
  return {};
}

Json schema_of(const KeyInfo& key) {
  Json schema = {{"description", description_of(key)}};
  schema.update(schema_of(key.form));
  if (key.form.may_be_empty) schema["type"] = {schema["type"], "null"};
  if (!key.default_value.empty()) schema["default"] = value_of(YAML::Load(key.default_value));
  if (!key.example.empty()) schema["examples"] = Json::array({value_of(YAML::Load(key.example))});
  return schema;
}

Json required(const std::vector<std::string>& keys) {
  return {{"required", keys}};
}

Json schema_of(const SectionInfo& section) {
  Json properties = Json::object();
  std::vector<std::string> always;
  for (const KeyInfo& key : section.keys) {
    properties[key.name] = schema_of(key);
    if (key.required) always.push_back(key.name);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!always.empty()) schema["required"] = always;
  if (!section.exactly_one.empty()) {
    Json one = Json::array();
    for (const std::string& key : section.exactly_one) one.push_back(required({key}));
    schema["oneOf"] = std::move(one);
  }
  if (!section.never_together.empty()) schema["not"] = required(section.never_together);
  return schema;
}

/// What a scene needs that lacks a key at its top.
Json required_without(const std::string& top_key, const SectionInfo& section) {
  std::vector<std::string> names;
  Json within = Json::object();
  for (const KeyInfo& key : section.keys) {
    if (key.required_unless != top_key) continue;
    names.push_back(key.name);
    if (key.form.section != nullptr) within[key.name] = required_without(top_key, *key.form.section);
  }
  Json schema = required(names);
  if (!within.empty()) schema["properties"] = std::move(within);
  return schema;
}

}  // namespace

std::string scene_schema() {
  const SectionInfo& scene = keys::scene_section().info();
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "A scene of scree"}};
  schema.update(schema_of(scene));
  std::set<std::string> top_keys;
  for (const KeyInfo& key : scene.keys) {
    if (!key.required_unless.empty()) top_keys.insert(key.required_unless);
  }
  Json choices = Json::array();
  for (const std::string& key : top_keys) {
    choices.push_back({{"anyOf", Json::array({required({key}), required_without(key, scene)})}});
  }
  if (!choices.empty()) schema["allOf"] = std::move(choices);
  return schema.dump(1) + '\n';
}

}  // namespace scree
