#include "io/scene/kinds.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dem/scene/material.hpp"
#include "geometry/polygon.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

template <class Numbers>
void write_list(Writing& writing, const Numbers& numbers) {
  writing.out << YAML::Flow << YAML::BeginSeq;
  for (const auto& number : numbers) {
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(number)>>) {
      write_number(writing, number);
    } else {
      writing.out << static_cast<int>(number);  // a byte is no letter here
    }
  }
  writing.out << YAML::EndSeq;
}

Form range_form(const Form& number) {
  return either_form({number, list_form(number, 2, 2)});
}

/// A number or a word, for which the member is empty.
template <class Number, class ReadNumber, class WriteNumber>
Kind<std::optional<Number>> or_word(Form form, std::string_view word, const ReadNumber& read,
                                    const WriteNumber& write) {
  return {std::move(form),
          [word, read](Reading&, const YamlValue& value, const Form& now, std::optional<Number>& member) {
            if (value.is(word)) {
              member.reset();
            } else {
              member = read(value, now);
            }
          },
          [word, write](Writing& writing, const std::optional<Number>& member) {
            if (member) {
              write(writing, *member);
            } else {
              writing.out << std::string(word);
            }
          }};
}

}  // namespace

// As the emitter writes numbers. Of a text it finds out by regular expressions whether it needs quotes: 100 000
// instructions each.
void write_plain(Writing& writing, std::string_view text) {
  writing.out.WriteIntegralType(text);
}

void write_number(Writing& writing, double number) {
  write_plain(writing, number_text(number));
}

void write_text(Writing& writing, const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  constexpr std::string_view kLetters = kPlain.substr(0, 52);
  constexpr std::array<std::string_view, 10> kReserved = {"null", "true", "false", "yes", "no",
                                                          "on",   "off",  "y",     "n",   "~"};
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const bool is_plain = !text.empty() && kLetters.find(text[0]) != std::string_view::npos &&
                        text.find_first_not_of(kPlain) == std::string::npos &&
                        std::ranges::find(kReserved, lower) == kReserved.end();
  // The emitter escapes control characters, but DEL, which no scene may have, only with all that is not ASCII.
  if (text.find('\x7F') != std::string::npos) writing.out << YAML::EscapeNonAscii;
  if (!is_plain) writing.out << YAML::DoubleQuoted;
  writing.out << text;
}

Kind<double> number(const Numbers& allowed) {
  return {
      number_form(allowed),
      [](Reading&, const YamlValue& value, const Form& form, double& member) { member = value.number(form.numbers); },
      [](Writing& writing, const double& member) { write_number(writing, member); }};
}

Kind<std::optional<double>> number_or(std::string_view word, Numbers allowed) {
  allowed.alternative = word;
  return or_word<double>(
      number_form(allowed), word, [](const YamlValue& value, const Form& form) { return value.number(form.numbers); },
      write_number);
}

template <class Number>
Kind<Number> whole_number(const WholeNumbers& allowed) {
  return {whole_number_form(allowed),
          [](Reading&, const YamlValue& value, const Form& form, Number& member) {
            member = static_cast<Number>(value.whole_number(form.whole_numbers));
          },
          [](Writing& writing, const Number& member) { writing.out << member; }};
}
template Kind<int> whole_number(const WholeNumbers& allowed);
// What std::size_t and std::uint64_t are, which differ where addresses have 32 bits.
template Kind<unsigned long> whole_number(const WholeNumbers& allowed);
template Kind<unsigned long long> whole_number(const WholeNumbers& allowed);

Kind<std::optional<std::uint64_t>> whole_number_or(std::string_view word, WholeNumbers allowed) {
  allowed.alternative = word;
  return or_word<std::uint64_t>(
      whole_number_form(allowed), word,
      [](const YamlValue& value, const Form& form) { return value.whole_number(form.whole_numbers); },
      [](Writing& writing, std::uint64_t member) { writing.out << member; });
}

Kind<std::array<double, 2>> range(const Numbers& allowed) {
  return {range_form(number_form(allowed)),
          [allowed](Reading&, const YamlValue& value, const Form&, std::array<double, 2>& member) {
            const Range<double> range = value.range(allowed);
            member = {range.least, range.greatest};
          },
          [](Writing& writing, const std::array<double, 2>& member) { write_list(writing, member); }};
}

Kind<std::array<int, 2>> range(const WholeNumbers& allowed) {
  return {range_form(whole_number_form(allowed)),
          [allowed](Reading&, const YamlValue& value, const Form&, std::array<int, 2>& member) {
            const Range<std::uint64_t> range = value.range(allowed);
            member = {static_cast<int>(range.least), static_cast<int>(range.greatest)};
          },
          [](Writing& writing, const std::array<int, 2>& member) { write_list(writing, member); }};
}

Kind<Vec2> vector(std::string_view unit) {
  return {in_words(list_form(number_form(Numbers::any(unit)), 2, 2), fmt::format("`[x, y]` [{}]", unit)),
          [unit](Reading&, const YamlValue& value, const Form&, Vec2& member) { member = value.vec2(unit); },
          [](Writing& writing, const Vec2& member) {
            write_list(writing, std::array{member.x(), member.y()});
          }};
}

Kind<std::string> text() {
  return {Form{.type = Form::Type::text},
          [](Reading&, const YamlValue& value, const Form&, std::string& member) { member = value.text(); },
          [](Writing& writing, const std::string& member) { write_text(writing, member); }};
}

Kind<std::string> name_of(std::string allowed) {
  Kind<std::string> kind = text();
  kind.form.least = 1;
  kind.read = [allowed = std::move(allowed)](Reading&, const YamlValue& value, const Form&, std::string& member) {
    member = value.name(allowed);
  };
  return kind;
}

Kind<std::string> word(YamlValue::Words words) {
  Kind<std::string> kind = text();
  kind.form = word_form(words);
  kind.read = [words = std::move(words)](Reading&, const YamlValue& value, const Form&, std::string& member) {
    member = value.choice(words);
  };
  return kind;
}

Kind<bool> wanted() {
  static const SectionInfo nothing;
  return {in_words(mapping_form(nothing), "`{}`"),
          [](Reading& reading, const YamlValue& value, const Form&, bool& member) {
            (void)value.mapping({}, reading.mistakes);
            member = true;
          },
          [](Writing& writing, const bool&) { writing.out << YAML::Flow << YAML::BeginMap << YAML::EndMap; },
          [](const bool& member) { return member; }};
}

Kind<bool> yes_or_no() {
  return {word_form({"true", "false"}),
          [](Reading&, const YamlValue& value, const Form&, bool& member) {
            member = value.choice({"true", "false"}) == "true";
          },
          [](Writing& writing, const bool& member) { writing.out << member; }};
}

Kind<bool> either_of(const char* no, const char* yes) {
  return {word_form({no, yes}),
          [no, yes](Reading&, const YamlValue& value, const Form&, bool& member) {
            member = value.choice({no, yes}) == yes;
          },
          [no, yes](Writing& writing, const bool& member) { writing.out << (member ? yes : no); }};
}

Kind<int> material() {
  Form form{.type = Form::Type::text, .least = 1, .markdown = "name of a material"};
  return {std::move(form),
          [](Reading& reading, const YamlValue& value, const Form&, int& member) {
            member = read_material(reading, value);
          },
          [](Writing& writing, const int& member) {
            write_text(writing, writing.materials().at(static_cast<std::size_t>(member)).name);
          }};
}

int read_material(const Reading& reading, const YamlValue& value) {
  const std::string name = value.name("the name of a material");
  if (!reading.mistakes.readable("materials")) return 0;  // their names are not known
  const std::vector<Material>& materials = reading.materials();
  const auto found = std::ranges::find(materials, name, &Material::name);
  if (found == materials.end()) {
    std::vector<std::string> names;
    for (const Material& material : materials) names.push_back(shortened(material.name));
    value.fail(fmt::format("is '{}', which is not a material{}, must be {}", shortened(name), did_you_mean(name, names),
                           names.empty() ? "listed in materials, which has none" : one_of_text(names)));
  }
  return static_cast<int>(found - materials.begin());
}

Kind<Colour> colour() {
  static constexpr WholeNumbers kByte{.least = 0, .greatest = 255};
  return {in_words(list_form(whole_number_form(kByte), 3, 3), "`[red, green, blue]`, whole numbers from 0 to 255"),
          [](Reading&, const YamlValue& value, const Form&, Colour& member) {
            const std::string allowed = "[red, green, blue], whole numbers from 0 to 255";
            const std::vector<YamlValue> parts = value.list(allowed);
            if (parts.size() != member.size()) value.refuse(allowed);
            Mistakes mistakes;
            for (std::size_t k = 0; k < parts.size(); ++k) {
              mistakes.attempt([&] { member[k] = static_cast<std::uint8_t>(parts[k].whole_number(kByte)); });
            }
            mistakes.throw_if_any();
          },
          [](Writing& writing, const Colour& member) { write_list(writing, member); }};
}

constexpr std::size_t kMostCorners = 10'000;

Form polygon_form() {
  return in_words(list_form(vector("m").form, 3),
                  "at least 3 corners `[x, y]` of a convex polygon, in order, either sense [m]");
}

void check_polygon(const std::vector<Vec2>& points, const YamlValue& value, const std::string& allowed) {
  try {
    const Polygon check(points);
  } catch (const GeometryError& error) {
    value.fail(fmt::format("is not a polygon ({}), must be {}", error.what(), allowed));
  }
}

std::vector<Vec2> read_polygon(const YamlValue& value) {
  const std::string allowed = "a convex polygon: a list of at least 3 corners [x, y] in order [m]";
  std::vector<Vec2> points = read_points(value, allowed);
  check_polygon(points, value, allowed);
  return points;
}

std::vector<Vec2> read_points(const YamlValue& value, const std::string& allowed) {
  const std::vector<YamlValue> corners = value.list(allowed);
  if (corners.size() > kMostCorners) {
    value.fail(fmt::format("has {} corners, must be {}, at most {}", corners.size(), allowed, kMostCorners));
  }
  std::vector<Vec2> points;
  Mistakes mistakes;
  for (const YamlValue& point : corners) {
    mistakes.attempt([&] { points.push_back(point.vec2("m")); });
  }
  mistakes.throw_if_any();
  return points;
}

void write_points(Writing& writing, const std::vector<Vec2>& points) {
  writing.out << YAML::Flow << YAML::BeginSeq;
  for (const Vec2& point : points) write_list(writing, std::array{point.x(), point.y()});
  writing.out << YAML::EndSeq;
}

Kind<std::vector<Vec2>> polygon() {
  return {
      polygon_form(),
      [](Reading&, const YamlValue& value, const Form&, std::vector<Vec2>& points) { points = read_polygon(value); },
      [](Writing& writing, const std::vector<Vec2>& points) { write_points(writing, points); }};
}

}  // namespace scree::keys
