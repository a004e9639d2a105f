#include "io/yaml_document.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <yaml.h>

#include <fmt/format.h>

#include "io/message_text.hpp"
#include "io/scene_error.hpp"

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
  bool at_context;           ///< the place to tell is where that began
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
  explicit Builder(YamlDocument& document) : document_(document) {}

  /// @return whether there is more to come
  bool add(const yaml_event_t& event) {
    const Place at = place_of(event.start_mark);
    switch (event.type) {
      case YAML_STREAM_END_EVENT:
        return false;
      case YAML_DOCUMENT_START_EVENT:
        if (++documents_ > 1) fail(document_.file_, at, kSecondDocument);
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
    fail(document_.file_, at, "not valid YAML: a scene has no tags: a text that begins with ! must be in quotes");
  }

  Index append(Type type, const Place& at) {
    if (document_.values_.size() > kMostValues) {
      fail(document_.file_, at, fmt::format("has more than {} values, which no scene may", kMostValues));
    }
    // What comes first is the root, whose place has been kept.
    const Index index = is_root_there_ ? static_cast<Index>(document_.values_.size()) : 0;
    if (is_root_there_) {
      document_.values_.emplace_back();
      document_.links_.emplace_back();
    }
    is_root_there_ = true;
    Value& value = document_.values_[index];
    value.type = type;
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
      fail(document_.file_, at,
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
      fail(document_.file_, at, fmt::format("*{0} stands for nothing, &{0} must be before it", shown));
    }
    const Anchored& anchored = found->second;
    if (anchored.values == 0)
      fail(document_.file_, at, fmt::format("*{0} is inside of &{0}, which it stands for", shown));
    repeated_ += anchored.values;
    if (repeated_ > kMostRepeated) {
      fail(document_.file_, at,
           fmt::format("aliases up to *{} repeat more than {} values, which no scene may", shown, kMostRepeated));
    }
    const Index index = append(Type::empty, at);
    document_.links_[index].target = anchored.index;
    hang_in(index, anchored.values);
  }

  YamlDocument& document_;
  std::vector<Open> open_;
  std::map<std::string, Anchored, std::less<>> anchored_;
  std::size_t repeated_ = 0;
  int documents_ = 0;
  bool is_root_there_ = false;
};

YamlDocument::YamlDocument(const std::string& text, const std::string& file) : file_(file), values_(1), links_(1) {
  refuse_unreadable_bytes(text, file);
  Builder builder(*this);
  Events events(text, file);
  while (builder.add(events.next())) {
  }
}

}  // namespace scree
