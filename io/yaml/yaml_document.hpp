#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/expression.hpp"

namespace scree {

/// A YAML file, or several that have been merged, as a tree of values with their places. Reading is linear in the
/// length of the text and of what aliases repeat; both, the depth and the number of values are bounded.
class YamlDocument {
 public:
  /// Lists and mappings in each other; values; values that stand for an alias, counted at each use.
  static constexpr std::size_t kMostNested = 64;
  static constexpr std::size_t kMostValues = 16'000'000;
  static constexpr std::size_t kMostRepeated = 100'000;

  enum class Type : std::uint8_t { empty, scalar, list, mapping };
  using Index = std::uint32_t;

  struct Value {
    Type type = Type::empty;
    bool is_quoted = false;  ///< or a block of lines: nothing but a text
    std::uint16_t file = 0;  ///< in which it stands
    int line = 0;            ///< from 0
    int column = 0;          ///< from 0
    Index first = 0;         ///< of a list's values, of a mapping's keys and values in turn; 0: none
    std::size_t begin = 0;   ///< of a scalar's text
    std::size_t length = 0;
  };

  /// @param file for messages
  /// @throws SceneError with the place if it is no YAML, more than one document, or beyond the bounds
  YamlDocument(const std::string& text, const std::string& file);

  /// Values that change by reading from another text. @return what stands at its top, of type empty if nothing does
  /// @param has_lines  whether places in it have lines and columns
  Index add(const std::string& text, const std::string& file, bool has_lines = true);
  /// A mapping with the entries of both, `base` first; of an entry that both have, that of `over`, or both merged if
  /// both are mappings. Entries of `base` called `dropped` are left out. Cost: O(entries) at each level.
  Index merged(Index base, Index over, std::string_view dropped = {});
  /// A copy of a list or mapping with another value in the place of its value number k.
  Index with_value(Index parent, std::size_t k, Index value);
  /// A copy of a mapping, or of nothing, with another entry.
  Index with_entry(Index parent, const std::string& key, Index value);
  /// The values of a list, or the keys and values of a mapping in turn.
  std::vector<Index> values_of(Index parent) const;
  const Value& value(Index index) const { return values_[index]; }
  Index root_index() const { return root_; }
  void set_root(Index root) { root_ = root; }

  /// What has a value that expressions may use.
  Parameters parameters = {};

  const std::string& file(std::size_t number = 0) const { return files_[number].name; }
  bool has_lines(std::size_t file) const { return files_[file].has_lines; }
  /// The value of the text; its type is empty if there is nothing in it.
  const Value& root() const { return values_[root_]; }
  std::string_view text(const Value& scalar) const {
    return std::string_view(text_).substr(scalar.begin, scalar.length);
  }

  /// Calls do_it for the values of a list, or for keys and values of a mapping in turn.
  template <class Do>
  void for_each(const Value& parent, const Do& do_it) const {
    for (Index i = parent.first; i != 0; i = links_[i].next) do_it(values_[links_[i].target]);
  }

 private:
  class Builder;

  struct File {
    std::string name;
    bool has_lines;
  };
  struct Link {
    Index next = 0;    ///< value of the same list or mapping; 0: none
    Index target = 0;  ///< itself, or what the alias stands for
  };

  Index copy_with(Index like, Type type, const std::vector<Index>& values);

  std::vector<File> files_;
  std::string text_;  ///< of all scalars
  std::vector<Value> values_;
  std::vector<Link> links_;
  Index root_ = 0;
};

}  // namespace scree
