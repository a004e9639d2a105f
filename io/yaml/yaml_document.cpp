#include "io/yaml/yaml_document.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <yaml.h>

#include <fmt/format.h>

#include "io/text/message_text.hpp"
#include "io/yaml/scene_error.hpp"

namespace scree {

namespace {

struct Place {
  std::size_t line = 0;    ///< from 0
  std::size_t column = 0;  ///< from 0
};

Place place_of(const yaml_mark_t& mark) {
  return {mark.line, mark.column};
}

[[noreturn]] void fail(const std::string& file, const Place& at, const std::string& problem) {
  throw SceneError(file, static_cast<int>(at.line + 1), static_cast<int>(at.column + 1), "", problem);
}

/// YAML has line ends and tabs, and of what is not printable nothing else; a mark of the byte order may be in front.
void refuse_unreadable_bytes(const std::string& text, const std::string& file) {
  Place at;
  for (std::size_t k = 0; k < text.size();) {
    const std::optional<Character> character = character_at(text, k);
    const auto code = character ? character->code : 0;
    const bool is_control = code < 0x20 ? code != '\t' && code != '\n' && code != '\r'
                                        : (code >= 0x7F && code < 0xA0 && code != 0x85) || (code == 0xFEFF && k > 0) ||
                                              code == 0xFFFE || code == 0xFFFF;
    if (!character || is_control) {
      const std::string what = character && code >= 0x80
                                   ? fmt::format("character U+{:04X}", static_cast<unsigned>(code))
                                   : fmt::format("byte 0x{:x}", static_cast<unsigned char>(text[k]));
      fail(file, at, what + " is not text, a scene must be UTF-8 without control characters");
    }
    k += character->bytes;
    ++at.column;
    if (code == '\n') at = {at.line + 1, 0};
  }
}

// --- what is wrong with a text that is no YAML

constexpr const char* kSecondDocument =
    "does not belong to the scene, which ended before, must be one mapping (is the indentation right?)";

struct SyntaxProblem {
  std::string_view library;  ///< how LibYAML begins to call it
  std::string_view context;  ///< where it was then, if that matters
  bool at_context;           ///< the place to name is where that began
  std::string_view ours;     ///< {0}: line in which the context began
};

constexpr std::string_view kQuote = "while scanning a quoted scalar";
constexpr std::array kSyntaxProblems = {
    SyntaxProblem{"found unexpected end of stream", kQuote, true, "a quote is opened here and never closed"},
    SyntaxProblem{"found unexpected document indicator", kQuote, true,
                  "a quote is opened here and not closed before a line that begins with --- or ..."},
    SyntaxProblem{"", "while parsing a quoted scalar", false,
                  "a backslash in double quotes must begin an escape like \\n or \\\\ (in single quotes it stands for "
                  "itself)"},
    SyntaxProblem{"", kQuote, false,
                  "a text in quotes is not indented more than what it belongs to, or a quote is not closed"},
    SyntaxProblem{"mapping values are not allowed", "", false,
                  "no ':' can be here (a text with ': ' in it must be in quotes; is the indentation right?)"},
    SyntaxProblem{"could not find expected ':'", "", true, "a key must be followed by ': ' and its value"},
    SyntaxProblem{"block sequence entries are not allowed", "", false,
                  "no list can begin here with '-' (is the indentation right?)"},
    SyntaxProblem{"mapping keys are not allowed", "", false, "no key can be here (is the indentation right?)"},
    SyntaxProblem{"found a tab character", "", false, "there is a tab, must be indented with spaces"},
    SyntaxProblem{"", "while scanning an alias", true, "an alias must be * and the name of an anchor"},
    SyntaxProblem{"", "while scanning an anchor", true, "an anchor must be & and a name"},
    SyntaxProblem{"", "while scanning a tag", true, "a scene has no tags: a text that begins with ! must be in quotes"},
    SyntaxProblem{"", "while parsing a tag", true, "a scene has no tags: a text that begins with ! must be in quotes"},
    SyntaxProblem{"found undefined tag", "", true, "a scene has no tags: a text that begins with ! must be in quotes"},
    SyntaxProblem{"", "while scanning a block scalar", true,
                  "a text after | or > must begin in the next line, with more indentation"},
    SyntaxProblem{"did not find expected ',' or ']'", "", false,
                  "there must be ',' or ']' here, the list that [ began in line {0} goes on"},
    SyntaxProblem{"did not find expected ',' or '}'", "", false,
                  "there must be ',' or '}}' here, the mapping that {{ began in line {0} goes on"},
    SyntaxProblem{"did not find expected '-' indicator", "", false,
                  "there must be '-' here, the list that began in line {0} goes on (is the indentation right?)"},
    SyntaxProblem{"did not find expected key", "", false,
                  "there must be a key here, the mapping that began in line {0} goes on (is the indentation right?)"},
    SyntaxProblem{"did not find expected node content", "", false, "a value is missing here"},
    SyntaxProblem{"", "while scanning a directive", true, "a scene has no directives: no line may begin with %"},
    SyntaxProblem{"", "while scanning a %", true, "a scene has no directives: no line may begin with %"},
    SyntaxProblem{"", "while parsing a %", true, "a scene has no directives: no line may begin with %"},
    SyntaxProblem{"incompatible %YAML", "", false, "a scene has no directives: no line may begin with %"},
};

/// What stands at a place, e.g. "'@'"; nothing at the end of a line.
std::string character_there(const std::string& text, const yaml_mark_t& mark) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < mark.index && at < text.size(); ++k) at += character_at(text, at)->bytes;
  if (at >= text.size()) return {};
  return escaped(text.substr(at, character_at(text, at)->bytes));
}

[[noreturn]] void fail_with_syntax(const yaml_parser_t& parser, const std::string& text, const std::string& file) {
  if (parser.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
  const std::string_view problem = parser.problem != nullptr ? parser.problem : "";
  const std::string_view context = parser.context != nullptr ? parser.context : "";
  if (problem.starts_with("found character that cannot start any token")) {
    const std::string there = character_there(text, parser.problem_mark);
    fail(file, place_of(parser.problem_mark),
         there == "\\t" ? "not valid YAML: there is a tab, must be indented with spaces"
                        : fmt::format("not valid YAML: no value can begin with {} (put it in quotes)", there));
  }
  if (problem.starts_with("did not find expected <document start>")) {
    fail(file, place_of(parser.problem_mark), kSecondDocument);
  }
  for (const SyntaxProblem& known : kSyntaxProblems) {
    if (!problem.starts_with(known.library) || !context.starts_with(known.context)) continue;
    fail(file, place_of(known.at_context ? parser.context_mark : parser.problem_mark),
         "not valid YAML: " + fmt::format(fmt::runtime(known.ours), parser.context_mark.line + 1));
  }
  fail(file, place_of(parser.problem_mark), "not valid YAML");
}

/// What LibYAML finds, one after another.
class Events {
 public:
  Events(const std::string& text, const std::string& file) : text_(text), file_(file) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Events() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  /// Valid until the next one.
  const yaml_event_t& next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 0) fail_with_syntax(parser_, text_, file_);
    return event_;
  }

 private:
  const std::string& text_;
  const std::string& file_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

bool means_nothing(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

}  // namespace

class YamlDocument::Builder {
 public:
  /// @param is_first  whether the place of the document's first value is kept for the root
  Builder(YamlDocument& document, bool is_first)
      : document_(document), name_(document.files_.back().name), is_root_there_(!is_first) {}

  Index root() const { return root_; }

  /// @return whether there is more to come
  bool add(const yaml_event_t& event) {
    const Place at = place_of(event.start_mark);
    switch (event.type) {
      case YAML_STREAM_END_EVENT:
        return false;
      case YAML_DOCUMENT_START_EVENT:
        if (++documents_ > 1) fail(name_, at, kSecondDocument);
        return true;
      case YAML_ALIAS_EVENT:
        add_alias(view(event.data.alias.anchor), at);
        return true;
      case YAML_SCALAR_EVENT:
        add_scalar(event.data.scalar, at);
        return true;
      case YAML_SEQUENCE_START_EVENT:
        refuse_tag(event.data.sequence_start.tag, at);
        open(Type::list, event.data.sequence_start.anchor, at);
        return true;
      case YAML_MAPPING_START_EVENT:
        refuse_tag(event.data.mapping_start.tag, at);
        open(Type::mapping, event.data.mapping_start.anchor, at);
        return true;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        close();
        return true;
      default:
        return true;
    }
  }

 private:
  struct Open {
    Index index;
    Index last = 0;          // of its values
    std::size_t values = 1;  // in it and itself, with what aliases repeat
    std::string anchor = {};
  };
  struct Anchored {
    Index index;
    std::size_t values;  // 0: it is not complete yet
  };

  void refuse_tag(const yaml_char_t* tag, const Place& at) const {
    if (tag == nullptr) return;
    fail(name_, at, "not valid YAML: a scene has no tags: a text that begins with ! must be in quotes");
  }

  Index append(Type type, const Place& at) {
    if (document_.values_.size() > kMostValues) {
      fail(name_, at, fmt::format("has more than {} values, which no scene may", kMostValues));
    }
    // What comes first is the root, whose place has been kept.
    const Index index = is_root_there_ ? static_cast<Index>(document_.values_.size()) : 0;
    if (is_root_there_) {
      document_.values_.emplace_back();
      document_.links_.emplace_back();
    }
    is_root_there_ = true;
    if (!has_root_) root_ = index;
    has_root_ = true;
    Value& value = document_.values_[index];
    value.type = type;
    value.file = static_cast<std::uint16_t>(document_.files_.size() - 1);
    value.line = static_cast<int>(at.line);
    value.column = static_cast<int>(at.column);
    document_.links_[index].target = index;
    return index;
  }

  /// Hangs it into the list or mapping that is open.
  void hang_in(Index index, std::size_t values) {
    if (open_.empty()) return;
    Open& parent = open_.back();
    (parent.last == 0 ? document_.values_[parent.index].first : document_.links_[parent.last].next) = index;
    parent.last = index;
    parent.values += values;
  }

  void add_scalar(const auto& scalar, const Place& at) {
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    refuse_tag(scalar.tag, at);
    const Index index = append(is_plain && means_nothing(text) ? Type::empty : Type::scalar, at);
    Value& value = document_.values_[index];
    value.is_quoted = !is_plain;
    value.begin = document_.text_.size();
    value.length = text.size();
    document_.text_ += text;
    if (scalar.anchor != nullptr) anchored_[std::string(view(scalar.anchor))] = {index, 1};
    hang_in(index, 1);
  }

  void open(Type type, const yaml_char_t* anchor, const Place& at) {
    if (open_.size() == kMostNested) {
      fail(name_, at,
           fmt::format("is nested too deep, must be at most {} lists and mappings in each other", kMostNested));
    }
    const Index index = append(type, at);
    open_.push_back({index, 0, 1, std::string(view(anchor))});
    if (anchor != nullptr) anchored_[open_.back().anchor] = {index, 0};
  }

  void close() {
    const Open done = std::move(open_.back());
    open_.pop_back();
    if (!done.anchor.empty()) {
      Anchored& anchored = anchored_[done.anchor];
      if (anchored.index == done.index) anchored.values = done.values;
    }
    hang_in(done.index, done.values);
  }

  void add_alias(std::string_view name, const Place& at) {
    const auto found = anchored_.find(name);
    const std::string shown = shortened(name);
    if (found == anchored_.end()) {
      fail(name_, at, fmt::format("*{0} stands for nothing, &{0} must be before it", shown));
    }
    const Anchored& anchored = found->second;
    if (anchored.values == 0) fail(name_, at, fmt::format("*{0} is inside of &{0}, which it stands for", shown));
    repeated_ += anchored.values;
    if (repeated_ > kMostRepeated) {
      fail(name_, at,
           fmt::format("aliases up to *{} repeat more than {} values, which no scene may", shown, kMostRepeated));
    }
    const Index index = append(Type::empty, at);
    document_.links_[index].target = anchored.index;
    hang_in(index, anchored.values);
  }

  YamlDocument& document_;
  std::string name_;
  std::vector<Open> open_;
  std::map<std::string, Anchored, std::less<>> anchored_;
  std::size_t repeated_ = 0;
  int documents_ = 0;
  bool is_root_there_;
  bool has_root_ = false;
  Index root_ = 0;
};

YamlDocument::YamlDocument(const std::string& text, const std::string& file)
    : files_{{file, true}}, values_(1), links_(1) {
  refuse_unreadable_bytes(text, file);
  Builder builder(*this, true);
  Events events(text, file);
  while (builder.add(events.next())) {
  }
}

YamlDocument::Index YamlDocument::add(const std::string& text, const std::string& file, bool has_lines) {
  constexpr std::size_t kMostFiles = 65'000;
  if (files_.size() >= kMostFiles) fail(file, {}, "is one file too many");
  files_.push_back({file, has_lines});
  refuse_unreadable_bytes(text, file);
  Builder builder(*this, false);
  Events events(text, file);
  while (builder.add(events.next())) {
  }
  if (builder.root() != 0) return builder.root();
  values_.push_back({.file = static_cast<std::uint16_t>(files_.size() - 1)});
  links_.push_back({.target = static_cast<Index>(values_.size() - 1)});
  return links_.back().target;
}

std::vector<YamlDocument::Index> YamlDocument::values_of(Index parent) const {
  std::vector<Index> values;
  for (Index i = values_[parent].first; i != 0; i = links_[i].next) values.push_back(links_[i].target);
  return values;
}

YamlDocument::Index YamlDocument::copy_with(Index like, Type type, const std::vector<Index>& values) {
  if (values_.size() + values.size() > kMostValues) {
    fail(file(), {}, fmt::format("has more than {} values, which no scene may", kMostValues));
  }
  const auto copy = static_cast<Index>(values_.size());
  Value value = values_[like];
  value.type = type;
  value.first = values.empty() ? 0 : copy + 1;
  values_.push_back(value);
  links_.push_back({.target = copy});
  for (std::size_t k = 0; k < values.size(); ++k) {  // each stands for a value as an alias does
    values_.emplace_back();
    links_.push_back({.next = k + 1 < values.size() ? static_cast<Index>(copy + k + 2) : 0, .target = values[k]});
  }
  return copy;
}

YamlDocument::Index YamlDocument::with_value(Index parent, std::size_t k, Index value) {
  std::vector<Index> values = values_of(parent);
  values[k] = value;
  return copy_with(parent, values_[parent].type, values);
}

YamlDocument::Index YamlDocument::with_entry(Index parent, const std::string& key, Index value) {
  std::vector<Index> values = values_of(parent);
  Value name = values_[value];
  name.type = Type::scalar;
  name.is_quoted = false;
  name.first = 0;
  name.begin = text_.size();
  name.length = key.size();
  text_ += key;
  values.push_back(static_cast<Index>(values_.size()));
  values_.push_back(name);
  links_.push_back({.target = values.back()});
  values.push_back(value);
  return copy_with(values_[parent].type == Type::mapping ? parent : value, Type::mapping, values);
}

YamlDocument::Index YamlDocument::merged(Index base, Index over, std::string_view dropped) {
  const std::vector<Index> below = values_of(base);
  const std::vector<Index> above = values_of(over);
  std::map<std::string, std::size_t, std::less<>> places;  // of the keys above, the first of each
  const auto is_name = [&](Index key) { return values_[key].type == Type::scalar; };
  for (std::size_t k = 0; k < above.size(); k += 2) {
    if (is_name(above[k])) places.emplace(text(values_[above[k]]), k);
  }
  std::vector<Index> values;
  std::vector<char> taken(above.size(), 0);
  for (std::size_t k = 0; k < below.size(); k += 2) {
    const std::string name(is_name(below[k]) ? text(values_[below[k]]) : std::string_view());
    if (!dropped.empty() && name == dropped) continue;
    const auto found = is_name(below[k]) ? places.find(name) : places.end();
    const bool is_free = found != places.end() && taken[found->second] == 0;
    if (!is_free) {  // a key that is there twice stays so, and is a mistake
      values.insert(values.end(), {below[k], below[k + 1]});
      continue;
    }
    taken[found->second] = 1;
    const Index winner = above[found->second + 1];
    const bool both = values_[winner].type == Type::mapping && values_[below[k + 1]].type == Type::mapping;
    const Index value = both ? merged(below[k + 1], winner) : winner;
    values.insert(values.end(), {above[found->second], value});
  }
  for (std::size_t k = 0; k < above.size(); k += 2) {
    if (taken[k] == 0) values.insert(values.end(), {above[k], above[k + 1]});
  }
  return copy_with(over, Type::mapping, values);
}

}  // namespace scree
