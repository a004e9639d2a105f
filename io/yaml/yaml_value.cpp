#include "io/yaml/yaml_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/yaml/scene_error.hpp"

namespace scree {

namespace {

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

/// A text with digits that is too large, or too small, for a double.
bool is_beyond_doubles(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

/// What people mean by a text that is no number; empty if it is not known.
std::string advice_on_number(std::string_view text) {
  std::string with_point(text);
  std::ranges::replace(with_point, ',', '.');
  if (with_point != text && as_number(with_point)) return fmt::format("; with a point: {}", shortened(with_point));
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return "";
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (!unit.starts_with(' ') && unit.find_first_of("0123456789.,") != std::string_view::npos) return "";
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  return fmt::format("; without '{}'", shortened(unit, 20));
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

YamlValue::YamlValue(std::shared_ptr<const YamlDocument> document, const YamlDocument::Value* value,
                     const Place& key_place, std::string path)
    : document_(std::move(document)), value_(value), key_place_(key_place), path_(std::move(path)) {}

YamlValue::YamlValue(const std::shared_ptr<const YamlDocument>& document)
    : YamlValue(document, &document->root(), {}, "") {}

YamlValue::YamlValue(const std::shared_ptr<const YamlDocument>& document, YamlDocument::Index value)
    : YamlValue(document, &document->value(value), {0, 0, document->value(value).file}, "") {}

std::filesystem::path YamlValue::beside(const std::string& name) const {
  const std::size_t file = place().file;
  return std::filesystem::path(document_->file(document_->has_lines(file) ? file : 0)).parent_path() / name;
}

YamlValue YamlValue::document(const std::string& text, const std::string& file) {
  YamlValue document(std::make_shared<const YamlDocument>(text, file));
  if (document.is_empty()) document.refuse("a scene");
  return document;
}

YamlValue YamlValue::child(const YamlDocument::Value* value, const Place& key_place, std::string_view step) const {
  if (path_.empty() && step.starts_with('.')) step.remove_prefix(1);
  std::string path;
  path.reserve(path_.size() + step.size());
  path += path_;
  path += step;
  return {document_, value, key_place, std::move(path)};
}

YamlValue YamlValue::missing(std::string_view key) const {
  return child(nullptr, place(), '.' + std::string(key));
}

YamlValue YamlValue::operator[](std::string_view key) const {
  YamlValue found = missing(key);
  if (!is_mapping()) return found;
  const YamlDocument::Value* its_key = nullptr;
  document_->for_each(*value_, [&](const YamlDocument::Value& each) {
    if (its_key == nullptr) {
      its_key = &each;
      return;
    }
    if (!found.given() && its_key->type == YamlDocument::Type::scalar && document_->text(*its_key) == key) {
      found.value_ = &each;
      found.key_place_ = {its_key->line, its_key->column, its_key->file};
    }
    its_key = nullptr;
  });
  return found;
}

YamlValue YamlValue::deepest(std::string_view path) const {
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.empty()) return *this;
  const YamlDocument::Value* next = nullptr;
  std::size_t length = 0;
  const auto offer = [&](const YamlDocument::Value* value, std::string_view name) {
    if (name.size() <= length || !path.starts_with(name)) return;
    next = value;
    length = name.size();
  };
  if (is_mapping()) {
    const YamlDocument::Value* key = nullptr;
    document_->for_each(*value_, [&](const YamlDocument::Value& each) {
      if (key != nullptr) offer(&each, document_->text(*key));
      key = key == nullptr ? &each : nullptr;
    });
  } else if (is_list()) {
    std::size_t k = 0;
    for (const YamlValue& entry : list("")) {
      offer(entry.value_, '[' + std::to_string(k++) + ']');
      const YamlValue name = entry["name"];
      if (name.has(YamlDocument::Type::scalar)) offer(entry.value_, name.scalar());
    }
  }
  if (next == nullptr) return *this;
  const std::size_t end = is_list() && path[0] != '[' ? path.find('.', length) : length;
  return child(next, {next->line, next->column, next->file}, "").deepest(path.substr(std::min(end, path.size())));
}

SceneError YamlValue::error_at(const std::string& path, const std::string& problem) const {
  const YamlValue there = deepest(path);
  SceneMistake mistake = there.error_in(there.place(), problem).mistakes.front();
  mistake.key = path;
  return SceneError({std::move(mistake)});
}

/// What is empty stands nowhere.
YamlValue::Place YamlValue::place() const {
  return !given() || is_empty() ? key_place_ : Place{value_->line, value_->column, value_->file};
}

std::string YamlValue::found() const {
  if (!given()) return "is missing";
  if (is_empty()) return "is empty";
  if (is_list()) return "is a list";
  if (is_mapping()) return "is a mapping";
  if (path_.empty()) return "is a text";  // of some other file, which stays private
  const std::string text = shortened(scalar());
  if (value_->is_quoted) return "is \"" + text + '"';
  return as_number(scalar()) || is_beyond_doubles(scalar()) ? "is " + text : "is '" + text + '\'';
}

void YamlValue::refuse(const std::string& allowed) const {
  fail(found() + ", must be " + allowed);
}

SceneError YamlValue::error_in(const Place& place, const std::string& problem) const {
  if (!document_->has_lines(place.file)) return {document_->file(place.file), 0, 0, path_, problem};
  return {document_->file(place.file), place.line + 1, place.column + 1, path_, problem};
}

void YamlValue::fail(const std::string& problem) const {
  throw error(problem);
}

void YamlValue::fail_at_key(const std::string& problem) const {
  throw error_in(key_place_, problem);
}

double YamlValue::number(const Numbers& allowed) const {
  if (!has(YamlDocument::Type::scalar)) refuse(allowed.text());
  const std::optional<double> number = as_number(scalar());
  if (value_->is_quoted) refuse(allowed.text() + (number ? ", without quotes" : ""));
  if (number && allowed.contain(*number)) return *number;
  const Evaluated expression = number ? Evaluated{} : evaluated();
  if (expression.value) {
    if (std::abs(*expression.value) <= kLargestNumber && allowed.contain(*expression.value)) return *expression.value;
    fail(fmt::format("{}, which is {}, must be {}", found(), number_text(*expression.value), allowed.text()));
  }
  if (!expression.problem.empty()) refuse(allowed.text() + "; " + expression.problem);
  if (is_beyond_doubles(scalar()) || (number && std::abs(*number) > kLargestNumber)) {
    refuse(allowed.text() + "; numbers have magnitudes from 1e-307 to 1e100");
  }
  refuse(allowed.text() + (number ? "" : advice_on_number(scalar())));
}

std::uint64_t YamlValue::whole_number(const WholeNumbers& allowed) const {
  if (!has(YamlDocument::Type::scalar)) refuse(allowed.text());
  const std::optional<std::uint64_t> number = as_whole_number(scalar());
  if (value_->is_quoted) refuse(allowed.text() + (number ? ", without quotes" : ""));
  if (number && *number >= allowed.least && *number <= allowed.greatest) return *number;
  const Evaluated expression = as_number(scalar()) ? Evaluated{} : evaluated();
  if (expression.value) {
    const std::optional<std::uint64_t> whole = as_whole_number(number_text(*expression.value));
    if (whole && *whole >= allowed.least && *whole <= allowed.greatest) return *whole;
    fail(fmt::format("{}, which is {}, must be {}", found(), number_text(*expression.value), allowed.text()));
  }
  refuse(allowed.text() + (expression.problem.empty() ? "" : "; " + expression.problem));
}

Evaluated YamlValue::evaluated() const {
  Evaluated expression = evaluate(scalar(), document_->parameters);
  if (expression.is_broken) {
    SceneMistake mistake = error("").mistakes.front();
    mistake.is_consequence = true;
    throw SceneError({std::move(mistake)});
  }
  return expression;
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
    fail(fmt::format("is [{}, {}], must be [least, greatest] in this order", least, greatest));
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
  if (!has(YamlDocument::Type::scalar)) refuse("a text");
  if (scalar().size() > kLongestText) {
    fail(fmt::format("has {} characters, must have at most {}", scalar().size(), kLongestText));
  }
  return std::string(scalar());
}

std::string YamlValue::name(std::string_view allowed) const {
  if (!has(YamlDocument::Type::scalar) || scalar().empty()) refuse(std::string(allowed));
  if (scalar().size() > kLongestName) {
    fail(fmt::format("is '{}' of {} characters, must be {} of at most {}", shortened(scalar()), scalar().size(),
                     allowed, kLongestName));
  }
  if (!is_printable(scalar())) refuse(fmt::format("{} without control characters", allowed));
  return std::string(scalar());
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
  document_->for_each(*value_, [&](const YamlDocument::Value& value) {
    values.push_back(child(&value, place(), '[' + std::to_string(values.size()) + ']'));
  });
  return values;
}

std::vector<std::pair<std::string, YamlValue>> YamlValue::entries(std::string_view allowed, Mistakes& mistakes) const {
  if (!is_mapping()) refuse(std::string(allowed));
  std::vector<std::pair<std::string, YamlValue>> entries;
  std::map<std::string, int, std::less<>> lines;
  const YamlDocument::Value* its_key = nullptr;
  document_->for_each(*value_, [&](const YamlDocument::Value& each) {
    if (its_key == nullptr) {
      its_key = &each;
      return;
    }
    mistakes.attempt([&] {
      const YamlValue key = child(its_key, place(), "");
      std::string name = key.name("a key");
      YamlValue value = child(&each, key.place(), '.' + name);
      const auto [first, is_new] = lines.emplace(name, key.place().line + 1);
      if (!is_new) {
        value.fail_at_key(fmt::format("is given twice, must be given once (also in line {})", first->second));
      }
      entries.emplace_back(std::move(name), std::move(value));
    });
    its_key = nullptr;
  });
  return entries;
}

YamlMapping YamlValue::mapping(const Words& keys, Mistakes& mistakes) const {
  if (!is_mapping()) refuse(keys.empty() ? "{}, without keys" : "a mapping with " + listed(keys));
  YamlMapping mapping{*this, {}};
  std::vector<std::pair<std::string, YamlValue>> unknown;
  for (auto& entry : entries("", mistakes)) {
    const bool known = std::ranges::find(keys, entry.first) != keys.end();
    (known ? mapping.entries_ : unknown).push_back(std::move(entry));
  }
  for (const auto& [key, value] : unknown) {
    mistakes.attempt([&, &name = key, &at = value] {
      if (name == "<<") at.fail_at_key("is a merge key, which a scene cannot have, must be left out");
      const std::string before_colon = name.substr(0, name.find(':'));
      if (before_colon != name && std::ranges::find(keys, before_colon) != keys.end()) {
        mistakes.excuse(mapping[before_colon].path_);
        at.fail_at_key(fmt::format("has no blank behind the ':', must be '{}: {}'", before_colon,
                                   shortened(name.substr(before_colon.size() + 1))));
      }
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
  return self_.missing(key);
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
