#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

/// A YAML file as a tree of values with their places. Reading is linear in the length of the text and of what aliases
/// repeat; both, the depth and the number of values are bounded.
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
    int line = 0;            ///< from 0
    int column = 0;          ///< from 0
    Index first = 0;         ///< of a list's values, of a mapping's keys and values in turn; 0: none
    std::size_t begin = 0;   ///< of a scalar's text
    std::size_t length = 0;
  };

  /// @param file for messages
  /// @throws SceneError with the place if it is no YAML, more than one document, or beyond the bounds
  YamlDocument(const std::string& text, const std::string& file);

  const std::string& file() const { return file_; }
  /// Of type empty if there is nothing in the text.
  const Value& root() const { return values_.front(); }
  std::string_view text(const Value& scalar) const {
    return std::string_view(text_).substr(scalar.begin, scalar.length);
  }

  /// Those of a list; of a mapping its keys and values in turn.
  template <class Do>
  void for_each(const Value& parent, const Do& do_it) const {
    for (Index i = parent.first; i != 0; i = links_[i].next) do_it(values_[links_[i].target]);
  }

 private:
  class Builder;

  struct Link {
    Index next = 0;    ///< value of the same list or mapping; 0: none
    Index target = 0;  ///< itself, or what the alias stands for
  };

  std::string file_;
  std::string text_;  ///< of all scalars
  std::vector<Value> values_;
  std::vector<Link> links_;
};

}  // namespace scree
