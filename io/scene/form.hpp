#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dem/mode.hpp"
#include "io/yaml/yaml_value.hpp"

/// The keys of a scene as data. docs/scene.md and the JSON Schema are made from it; reading and writing are in
/// io/scene/section.hpp.
namespace scree::keys {

struct SectionInfo;

/// What may stand at a key.
struct Form {
  enum class Type : std::uint8_t {
    number,        ///< one of `numbers`
    whole_number,  ///< one of `whole_numbers`
    text,
    word,     ///< one of `words`
    list,     ///< from `least` to `most` of the one in `parts`
    mapping,  ///< with the keys of `section`; none: {}
    named,    ///< a mapping from names that the user chooses to the one in `parts`
    either    ///< any of `parts`
  };
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  Type type = Type::text;
  Numbers numbers = {};
  WholeNumbers whole_numbers = {};
  std::vector<std::string> words = {};
  std::vector<Form> parts = {};
  std::size_t least = 0;
  std::size_t most = kAnyNumber;
  const SectionInfo* section = nullptr;
  bool may_be_empty = false;  ///< nothing may stand behind the key, too
  std::string markdown = {};  ///< for people; empty: put together from the above
};

/// A key: its name, form and description.
struct KeyInfo {
  std::string name;
  Form form;
  std::string says;                  ///< one sentence, or the beginning of one, without Markdown
  std::string details = {};          ///< more of the description, for docs/scene.md, in Markdown
  std::string example = {};          ///< a value, as YAML
  bool required = false;             ///< whatever else is given, in either mode
  std::string required_unless = {};  ///< a key at the scene's top beside which it is not required; empty: none
  std::string otherwise = {};        ///< what holds without it, in words; empty: `default_value`
  std::string default_value = {};    ///< as YAML; empty: it has none
  Modes modes = Modes::all();        ///< in which it means something
};

/// A mapping with known keys.
struct SectionInfo {
  std::string name;
  std::vector<KeyInfo> keys;
  YamlValue::Words exactly_one = {};     ///< of these keys one must be given
  YamlValue::Words never_together = {};  ///< these keys must not all be given
  std::string heading = {};              ///< in docs/scene.md, over the section's table; empty: its keys stand in the
                                         ///< tables of the sections that hold it
};

Form number_form(const Numbers& numbers);
Form whole_number_form(const WholeNumbers& numbers);
Form word_form(YamlValue::Words words);
Form list_form(Form item, std::size_t least = 0, std::size_t most = Form::kAnyNumber);
Form mapping_form(const SectionInfo& section);
Form either_form(std::vector<Form> forms);
/// The same, in these words for people.
Form in_words(Form form, std::string markdown);

/// What a key means, without Markdown.
std::string description_of(const KeyInfo& key);

/// In Markdown, for the tables of docs/scene.md.
std::string markdown(const Form& form);

}  // namespace scree::keys
