#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geometry/vec.hpp"
#include "io/text/words.hpp"
#include "io/yaml/scene_error.hpp"
#include "io/yaml/yaml_document.hpp"

/// Reading YAML so that each mistake is reported with its place. Whatever reads a value says at once what is
/// allowed there; the message is "file:line:column: key.path: is <what was found>, must be <what is allowed>".
namespace scree {

/// Larger numbers are refused, so that products of a few of them stay finite.
constexpr double kLargestNumber = 1e100;

/// Longer ones are refused.
constexpr std::size_t kLongestName = 1000;
constexpr std::size_t kLongestText = 10'000;

/// Which numbers are allowed somewhere.
struct Numbers {
  double least = -kLargestNumber;
  double greatest = kLargestNumber;
  bool without_least = false;         ///< the least is excluded
  std::string_view unit = {};         ///< e.g. "m"
  std::string_view reason = {};       ///< why the limits are as they are; may be empty
  std::string_view alternative = {};  ///< a word that is allowed too; may be empty

  static constexpr Numbers any(std::string_view unit) { return {.unit = unit}; }
  static constexpr Numbers positive(std::string_view unit) { return above(0.0, unit); }
  static constexpr Numbers above(double least, std::string_view unit) {
    return {.least = least, .without_least = true, .unit = unit};
  }
  static constexpr Numbers at_least(double least, std::string_view unit) { return {.least = least, .unit = unit}; }

  bool contain(double x) const { return (without_least ? x > least : x >= least) && x <= greatest; }
  std::string text() const;
};

/// Which whole numbers are allowed somewhere.
struct WholeNumbers {
  std::uint64_t least = 0;
  std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  std::string_view alternative = {};  ///< a word that is allowed too; may be empty

  std::string text() const;
};

/// Both ends belong to it; least <= greatest.
template <typename Number>
struct Range {
  Number least;
  Number greatest;
};

class YamlMapping;

/// A value of a YAML file, or the lack of one, with its place and its path of keys.
///
/// The reading functions throw SceneError, with every mistake in the value, if what stands here is not what they read.
/// A value that is missing is a mistake, too.
class YamlValue {
 public:
  using Words = std::vector<std::string>;

  /// The one document in a text. @param file  for messages
  static YamlValue document(const std::string& text, const std::string& file);
  /// What stands at the top of a document.
  explicit YamlValue(const std::shared_ptr<const YamlDocument>& document);
  /// A part of it, as if it stood at the top.
  YamlValue(const std::shared_ptr<const YamlDocument>& document, YamlDocument::Index value);

  bool given() const { return value_ != nullptr; }
  bool is_empty() const { return has(YamlDocument::Type::empty); }
  bool is_list() const { return has(YamlDocument::Type::list); }
  bool is_mapping() const { return has(YamlDocument::Type::mapping); }
  /// Whether this is the given word or number, letter by letter.
  bool is(std::string_view word) const { return has(YamlDocument::Type::scalar) && scalar() == word; }

  /// Or an expression of numbers and parameters (io/text/expression.hpp), as in all that reads numbers.
  double number(const Numbers& allowed) const;
  std::uint64_t whole_number(const WholeNumbers& allowed) const;
  /// [least, greatest] or one number.
  Range<double> range(const Numbers& allowed) const;
  Range<std::uint64_t> range(const WholeNumbers& allowed) const;
  /// [lo, hi] with lo < hi.
  Range<double> interval(std::string_view unit) const;
  Vec2 vec2(std::string_view unit) const;

  /// A text of at most kLongestText characters.
  std::string text() const;
  /// A text of one line that is not empty, of at most kLongestName characters.
  /// @param allowed  e.g. "the wall's name"
  std::string name(std::string_view allowed) const;
  /// One of a few words.
  std::string choice(const Words& words) const;

  /// @param allowed  e.g. "a list of walls"
  std::vector<YamlValue> list(std::string_view allowed) const;
  /// A mapping whose keys the user chooses, in the order of the file. Keys that are none, or given again, are mistakes
  /// and left out.
  std::vector<std::pair<std::string, YamlValue>> entries(std::string_view allowed, Mistakes& mistakes) const;
  /// What stands at a key, if this is a mapping.
  YamlValue operator[](std::string_view key) const;
  /// A mapping that may have these keys. Others are mistakes and left out; the key that was meant is excused.
  YamlMapping mapping(const Words& keys, Mistakes& mistakes) const;

  /// A file that is named here, as seen from the directory of the file in which this stands.
  std::filesystem::path beside(const std::string& name) const;

  /// The value at a path such as "walls[2].box", or what is there of the way to it. An entry of a list may also be
  /// called by its `name`, or by a text that begins with it.
  YamlValue deepest(std::string_view path) const;

  /// Where it stands: the keys on the way to it, as in "particles[0].pour.region.x".
  const std::string& path() const { return path_; }
  /// What was found: "is missing", "is empty", "is a list", "is -3", "is 'abc'".
  std::string found() const;
  /// Throws: what was found, and what is allowed.
  [[noreturn]] void refuse(const std::string& allowed) const;
  /// The mistake that fail() throws.
  SceneError error(const std::string& problem) const { return error_in(place(), problem); }
  /// Throws with the place of this value.
  [[noreturn]] void fail(const std::string& problem) const;
  /// An error about a path that begins here.
  SceneError error_at(const std::string& path, const std::string& problem) const;
  /// Throws with the place of the key that this is the value of.
  [[noreturn]] void fail_at_key(const std::string& problem) const;

 private:
  friend class YamlMapping;

  struct Place {
    int line = 0;    ///< from 0
    int column = 0;  ///< from 0
    std::uint16_t file = 0;
  };

  YamlValue(std::shared_ptr<const YamlDocument> document, const YamlDocument::Value* value, const Place& key_place,
            std::string path);

  bool has(YamlDocument::Type type) const { return value_ != nullptr && value_->type == type; }
  /// What a text that is no number is as an expression. Throws if it uses a parameter that is a mistake.
  Evaluated evaluated() const;
  /// The text of a scalar.
  std::string_view scalar() const { return document_->text(*value_); }
  YamlValue child(const YamlDocument::Value* value, const Place& key_place, std::string_view step) const;
  YamlValue missing(std::string_view key) const;
  Place place() const;
  SceneError error_in(const Place& place, const std::string& problem) const;
  template <typename Read>
  auto read_two(const std::string& allowed, const Read& read) const;
  template <typename Number, typename Read>
  Range<Number> range_of(const std::string& allowed, const Read& read) const;

  std::shared_ptr<const YamlDocument> document_;
  const YamlDocument::Value* value_;  ///< null: it is missing
  Place key_place_;                   ///< where its key stands; the mapping or list, if it has none
  std::string path_;
};

/// A mapping with known keys.
class YamlMapping {
 public:
  /// The value of a key, which may be missing.
  YamlValue operator[](std::string_view key) const;
  /// The only one that is given of several keys; throws SceneError if none is or more than one.
  std::pair<std::string, YamlValue> only_one_of(const YamlValue::Words& keys) const;
  const YamlValue& self() const { return self_; }
  /// Names of the keys that are given, in the order of the file.
  std::vector<std::string> names() const;

 private:
  friend class YamlValue;

  YamlMapping(YamlValue self, std::vector<std::pair<std::string, YamlValue>> entries)
      : self_(std::move(self)), entries_(std::move(entries)) {}

  YamlValue self_;
  std::vector<std::pair<std::string, YamlValue>> entries_;
};

}  // namespace scree
