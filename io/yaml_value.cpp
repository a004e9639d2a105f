#include "io/yaml_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include "io/number_text.hpp"
#include "io/scene_error.hpp"

namespace scree {

namespace {

std::string joined(const std::vector<std::string>& words, const std::string& last_separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last_separator : ", ";
    text += words[i];
  }
  return text;
}

std::string or_word(std::string_view alternative) {
  return alternative.empty() ? "" : std::string(alternative) + " or ";
}

std::string in_brackets(std::string_view unit) {
  return unit.empty() ? "" : " [" + std::string(unit) + ']';
}

std::optional<double> as_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const std::optional<double> number = parse_number<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// Also 1e6; a double is exact up to 2^53.
std::optional<std::uint64_t> as_whole_number(std::string_view text) {
  if (const auto number = parse_number<std::uint64_t>(text)) return number;
  const std::optional<double> number = as_number(text);
  if (!number || *number < 0.0 || *number > 9007199254740992.0 || *number != std::floor(*number)) return {};
  return static_cast<std::uint64_t>(*number);
}

/// yaml-cpp's mark of a scalar in quotes.
bool in_quotes(const YAML::Node& node) {
  return node.Tag() == "!";
}

/// At most some 60 bytes in one line, cut between characters.
std::string shortened(std::string text) {
  constexpr std::size_t kMost = 60;
  if (text.size() > kMost) {
    std::size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end) + "...";
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

/// Steps from one word to the other: a letter more, less, changed, or two neighbours swapped.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

/// Bytes that follow a first byte of a character in UTF-8; none for a byte that cannot be first.
std::optional<int> following_bytes(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first < 0xE0) return 1;
  if (first >= 0xE0 && first < 0xF0) return 2;
  if (first >= 0xF0 && first < 0xF5) return 3;
  return {};
}

/// Where the text stops being one: yaml-cpp takes some control characters for its end, and passes on broken UTF-8.
std::optional<std::size_t> first_unreadable_byte(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::optional<int> more = following_bytes(c);
    if (!more || c == 0x7F || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) return i;
    for (int k = 1; k <= *more; ++k) {
      const std::size_t at = i + static_cast<std::size_t>(k);
      if (at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U) return i;
    }
    i += 1 + static_cast<std::size_t>(*more);
  }
  return {};
}

void refuse_unreadable_bytes(const std::string& text, const std::string& file) {
  const std::optional<std::size_t> bad = first_unreadable_byte(text);
  if (!bad) return;
  const auto line_begin = text.rfind('\n', *bad);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*bad), '\n');
  const std::size_t column = line_begin == std::string::npos ? *bad + 1 : *bad - line_begin;
  std::ostringstream problem;
  problem << "byte 0x" << std::hex << static_cast<int>(static_cast<unsigned char>(text[*bad]))
          << " is not text, a scene must be UTF-8 without control characters";
  throw SceneError(file, static_cast<int>(line), static_cast<int>(column), "", problem.str());
}

bool tab_indents_line(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i <= number && std::getline(lines, line);) ++i;
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string::npos;
}

[[noreturn]] void refuse_syntax(const YAML::Exception& error, const std::string& text, const std::string& file) {
  const bool placed = !error.mark.is_null() && error.mark.line >= 0;
  const int line = placed ? error.mark.line : 0;
  const int column = placed ? error.mark.column : 0;
  const std::string advice = tab_indents_line(text, line) ? "; indent with spaces, not tabs" : "";
  throw SceneError(file, line + 1, column + 1, "", "not valid YAML: " + error.msg + advice);
}

class BeginOfDocument : public YAML::EventHandler {
 public:
  std::optional<YAML::Mark> mark;

  void OnDocumentStart(const YAML::Mark& at) override { mark = at; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// Where something follows the first document. yaml-cpp begins a new one where "---" stands, but also where the
/// indentation ends the first before its time; YAML::Load drops it, YAML::LoadAll may find new ones for ever.
std::optional<YAML::Mark> second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  BeginOfDocument first, second;
  parser.HandleNextDocument(first);
  parser.HandleNextDocument(second);
  return second.mark;
}

}  // namespace

std::string Numbers::text() const {
  const bool bounded_below = least > -kLargestNumber;
  const bool bounded_above = greatest < kLargestNumber;
  std::string limits;
  if (bounded_below && bounded_above) {
    limits =
        std::string(" in ") + (without_least ? '(' : '[') + number_text(least) + ", " + number_text(greatest) + ']';
  } else if (bounded_below) {
    limits = (without_least ? " > " : " >= ") + number_text(least);
  } else if (bounded_above) {
    limits = " <= " + number_text(greatest);
  }
  return or_word(alternative) + "a number" + limits + in_brackets(unit) +
         (reason.empty() ? "" : " (" + std::string(reason) + ')');
}

std::string WholeNumbers::text() const {
  return or_word(alternative) + "a whole number from " + std::to_string(least) + " to " + std::to_string(greatest);
}

std::string one_of_text(const std::vector<std::string>& words) {
  return joined(words, " or ");
}

const std::string* most_like(std::string_view word, const std::vector<std::string>& words) {
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* best = nullptr;
  for (const std::string& candidate : words) {
    // A candidate that shares no letter is no help.
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least || distance >= std::max(word.size(), candidate.size())) continue;
    least = distance;
    best = &candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  const std::string* meant = most_like(word, words);
  return meant != nullptr ? fmt::format(" (did you mean '{}'?)", *meant) : "";
}

YamlValue::YamlValue(const std::string& file, std::optional<YAML::Node> node, const YAML::Mark& key_mark,
                     std::string path)
    : file_(file), node_(std::move(node)), key_mark_(key_mark), path_(std::move(path)) {}

YamlValue YamlValue::document(const std::string& text, const std::string& file) {
  refuse_unreadable_bytes(text, file);
  YAML::Node root;
  std::optional<YAML::Mark> rest;
  try {
    root.reset(YAML::Load(text));
    rest = second_document(text);
  } catch (const YAML::Exception& error) {
    refuse_syntax(error, text, file);
  }
  if (rest) {
    YamlValue(file, std::nullopt, *rest, "")
        .fail("does not belong to the scene, which ended before, must be one mapping (is the indentation right?)");
  }
  const YamlValue document(file, root, {}, "");
  if (root.IsNull()) document.refuse("a scene");
  return document;
}

YamlValue YamlValue::child(const YAML::Node& node, const YAML::Mark& key_mark, const std::string& step) const {
  return {file_, node, key_mark, path_.empty() && step[0] == '.' ? step.substr(1) : path_ + step};
}

YamlValue YamlValue::operator[](std::string_view key) const {
  const std::string step = '.' + std::string(key);
  if (is_mapping()) {
    for (const auto& entry : *node_) {
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return child(entry.second, entry.first.Mark(), step);
    }
  }
  YamlValue missing = child({}, mark(), step);
  missing.node_.reset();
  return missing;
}

YamlValue YamlValue::deepest(std::string_view path) const {
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.empty()) return *this;
  const YAML::Node* next = nullptr;
  YAML::Node found;
  std::size_t length = 0;
  const auto offer = [&](const YAML::Node& value, const std::string& name) {
    if (name.size() <= length || !path.starts_with(name)) return;
    found.reset(value);
    next = &found;
    length = name.size();
  };
  if (is_mapping()) {
    for (const auto& entry : *node_) offer(entry.second, entry.first.Scalar());
  } else if (is_list()) {
    std::size_t k = 0;
    for (const YAML::Node& entry : *node_) {
      offer(entry, '[' + std::to_string(k++) + ']');
      if (entry.IsMap() && entry["name"] && entry["name"].IsScalar()) offer(entry, entry["name"].Scalar());
    }
  }
  if (next == nullptr) return *this;
  const std::size_t end = is_list() && path[0] != '[' ? path.find('.', length) : length;
  return child(*next, next->Mark(), "").deepest(path.substr(std::min(end, path.size())));
}

SceneError YamlValue::error_at(const std::string& path, const std::string& problem) const {
  const YAML::Mark place = deepest(path).mark();
  return {file_, place.line + 1, place.column + 1, path, problem};
}

/// yaml-cpp puts what is empty to where the next thing begins.
YAML::Mark YamlValue::mark() const {
  return !given() || node_->IsNull() || node_->Mark().is_null() ? key_mark_ : node_->Mark();
}

std::string YamlValue::found() const {
  if (!given()) return "is missing";
  if (node_->IsNull()) return "is empty";
  if (node_->IsSequence()) return "is a list";
  if (node_->IsMap()) return "is a mapping";
  const std::string value = shortened(node_->Scalar());
  if (in_quotes(*node_)) return "is \"" + value + '"';
  return as_number(node_->Scalar()) ? "is " + value : "is '" + value + '\'';
}

void YamlValue::refuse(const std::string& allowed) const {
  fail(found() + ", must be " + allowed);
}

void YamlValue::fail(const std::string& problem) const {
  throw SceneError(file_, mark().line + 1, mark().column + 1, path_, problem);
}

void YamlValue::fail_at_key(const std::string& problem) const {
  throw SceneError(file_, key_mark_.line + 1, key_mark_.column + 1, path_, problem);
}

double YamlValue::number(const Numbers& allowed) const {
  if (!given() || !node_->IsScalar() || in_quotes(*node_)) refuse(allowed.text());
  const std::optional<double> number = as_number(node_->Scalar());
  if (!number || !allowed.contain(*number)) refuse(allowed.text());
  return *number;
}

std::uint64_t YamlValue::whole_number(const WholeNumbers& allowed) const {
  if (!given() || !node_->IsScalar() || in_quotes(*node_)) refuse(allowed.text());
  const std::optional<std::uint64_t> number = as_whole_number(node_->Scalar());
  if (!number || *number < allowed.least || *number > allowed.greatest) refuse(allowed.text());
  return *number;
}

/// Both values of a list of two, with the mistakes in both.
template <typename Read>
auto YamlValue::read_two(const std::string& allowed, const Read& read) const {
  const std::vector<YamlValue> values = list(allowed);
  if (values.size() != 2) fail(fmt::format("is a list of {}, must be {}", values.size(), allowed));
  std::array<decltype(read(values[0])), 2> two{};
  Mistakes mistakes;
  for (const std::size_t k : {0, 1}) mistakes.attempt([&] { two[k] = read(values[k]); });
  mistakes.throw_if_any();
  return two;
}

template <typename Number, typename Read>
Range<Number> YamlValue::range_of(const std::string& allowed, const Read& read) const {
  if (!is_list()) {
    const Number value = read(*this);
    return {value, value};
  }
  const auto [least, greatest] = read_two(allowed + ", or [least, greatest] of two", read);
  if (least > greatest) {
    const YAML::Node& node = *node_;
    fail(fmt::format("is [{}, {}], must be [least, greatest] in this order", node[0].Scalar(), node[1].Scalar()));
  }
  return {least, greatest};
}

Range<double> YamlValue::range(const Numbers& allowed) const {
  return range_of<double>(allowed.text(), [&](const YamlValue& value) { return value.number(allowed); });
}

Range<std::uint64_t> YamlValue::range(const WholeNumbers& allowed) const {
  return range_of<std::uint64_t>(allowed.text(), [&](const YamlValue& value) { return value.whole_number(allowed); });
}

Range<double> YamlValue::interval(std::string_view unit) const {
  const std::string allowed = "[lo, hi] with lo < hi" + in_brackets(unit);
  const auto [lo, hi] = read_two(allowed, [&](const YamlValue& end) { return end.number(Numbers::any(unit)); });
  if (lo >= hi) fail(fmt::format("is [{}, {}], must be {}", number_text(lo), number_text(hi), allowed));
  return {lo, hi};
}

Vec2 YamlValue::vec2(std::string_view unit) const {
  const auto [x, y] = read_two("[x, y], two numbers" + in_brackets(unit),
                               [&](const YamlValue& component) { return component.number(Numbers::any(unit)); });
  return {x, y};
}

std::string YamlValue::text() const {
  if (!given() || !node_->IsScalar()) refuse("a text");
  return node_->Scalar();
}

std::string YamlValue::name(std::string_view allowed) const {
  if (!given() || !node_->IsScalar() || node_->Scalar().empty()) refuse(std::string(allowed));
  return node_->Scalar();
}

std::string YamlValue::choice(const Words& words) const {
  const std::string allowed = one_of_text(words);
  const std::string word = name(allowed);
  if (std::ranges::find(words, word) == words.end()) refuse(allowed + did_you_mean(word, words));
  return word;
}

std::vector<YamlValue> YamlValue::list(std::string_view allowed) const {
  if (!is_list()) refuse(std::string(allowed));
  std::vector<YamlValue> values;
  for (const YAML::Node& node : *node_) {
    values.push_back(child(node, mark(), '[' + std::to_string(values.size()) + ']'));
  }
  return values;
}

std::vector<std::pair<std::string, YamlValue>> YamlValue::entries(std::string_view allowed, Mistakes& mistakes) const {
  if (!is_mapping()) refuse(std::string(allowed));
  std::vector<std::pair<std::string, YamlValue>> entries;
  std::map<std::string, int> lines;
  for (const auto& entry : *node_) {
    mistakes.attempt([&] {
      const YamlValue key = child(entry.first, mark(), "");
      const std::string name = key.name("a key");
      const YamlValue value = child(entry.second, key.mark(), '.' + name);
      const auto [first, is_new] = lines.emplace(name, key.mark().line + 1);
      if (!is_new) {
        value.fail_at_key(fmt::format("is given twice, must be given once (also in line {})", first->second));
      }
      entries.emplace_back(name, value);
    });
  }
  return entries;
}

YamlMapping YamlValue::mapping(const Words& keys, Mistakes& mistakes) const {
  const std::string allowed = keys.empty() ? "{}, without keys" : "a mapping with " + joined(keys, ", ");
  YamlMapping mapping{*this, {}};
  std::vector<std::pair<std::string, YamlValue>> unknown;
  for (auto& entry : entries(allowed, mistakes)) {
    const bool known = std::ranges::find(keys, entry.first) != keys.end();
    (known ? mapping.entries_ : unknown).push_back(std::move(entry));
  }
  for (const auto& [key, value] : unknown) {
    mistakes.attempt([&, &name = key, &at = value] {
      at.fail_at_key(fmt::format("is not a key here{}, must be {}", did_you_mean(name, keys),
                                 keys.empty() ? "left out" : one_of_text(keys)));
    });
    const std::string* meant = most_like(key, keys);
    if (meant != nullptr && !mapping[*meant].given()) mistakes.excuse(mapping[*meant].path_);
  }
  return mapping;
}

YamlValue YamlMapping::operator[](std::string_view key) const {
  for (const auto& [name, value] : entries_) {
    if (name == key) return value;
  }
  YamlValue missing = self_.child({}, self_.mark(), '.' + std::string(key));
  missing.node_.reset();
  return missing;
}

std::vector<std::string> YamlMapping::names() const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) names.push_back(entry.first);
  return names;
}

std::pair<std::string, YamlValue> YamlMapping::only_one_of(const YamlValue::Words& keys) const {
  const std::string allowed = one_of_text(keys);
  std::optional<std::pair<std::string, YamlValue>> found;
  for (const auto& [name, value] : entries_) {
    if (std::ranges::find(keys, name) == keys.end()) continue;
    if (found) value.fail_at_key("is given beside " + found->first + ", must be only one of " + allowed);
    found.emplace(name, value);
  }
  if (!found) self_.fail("is incomplete, must have one of " + allowed);
  return *found;
}

}  // namespace scree
