#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dem/scene/colour.hpp"
#include "io/scene/section.hpp"

/// The kinds of values that keys of a scene have, and the entries of tables made from them.
namespace scree::keys {

/// Vertices of a polygon. With more, its corners are no corners.
inline constexpr WholeNumbers kVertices = {.least = 3, .greatest = 10'000};

Kind<double> number(const Numbers& allowed);
/// Or a word, for which the member is empty.
Kind<std::optional<double>> number_or(std::string_view word, Numbers allowed);
/// Number is int or std::uint64_t.
template <class Number>
Kind<Number> whole_number(const WholeNumbers& allowed);
Kind<std::optional<std::uint64_t>> whole_number_or(std::string_view word, WholeNumbers allowed);
/// [least, greatest], or one number for both.
Kind<std::array<double, 2>> range(const Numbers& allowed);
Kind<std::array<int, 2>> range(const WholeNumbers& allowed);
Kind<Vec2> vector(std::string_view unit);

Kind<std::string> text();
/// A text that is not empty. @param allowed  e.g. "the wall's name"
Kind<std::string> name_of(std::string allowed);
/// One of a few words.
Kind<std::string> word(YamlValue::Words words);
/// A member of an enumeration. @param names  of all members, in order
template <class Member, std::size_t N>
Kind<Member> member_of(const std::array<const char*, N>& names) {
  const YamlValue::Words words(names.begin(), names.end());
  return {word_form(words),
          [words](Reading&, const YamlValue& value, const Form&, Member& member) {
            member = static_cast<Member>(std::ranges::find(words, value.choice(words)) - words.begin());
          },
          [words](Writing& writing, const Member& member) {
            write_text(writing, words[static_cast<std::size_t>(member)]);
          }};
}
/// {}, which says that something is wanted.
Kind<bool> wanted();

/// true or false.
Kind<bool> yes_or_no();
/// One of two words; the second one is true.
Kind<bool> either_of(const char* no, const char* yes);

/// The name of a material, for its number.
Kind<int> material();
int read_material(const Reading& reading, const YamlValue& value);
Kind<Colour> colour();
/// Corners of a strictly convex polygon.
Kind<std::vector<Vec2>> polygon();
Form polygon_form();
std::vector<Vec2> read_polygon(const YamlValue& value);
/// At least 3 points, of whatever outline. @param allowed  instead of what is no list of points
std::vector<Vec2> read_points(const YamlValue& value, const std::string& allowed);
/// Refuses what is no strictly convex polygon. @param allowed  instead
void check_polygon(const std::vector<Vec2>& points, const YamlValue& value, const std::string& allowed);
void write_points(Writing& writing, const std::vector<Vec2>& points);

/// A mapping with the keys of a section; in one line unless it has a list in it that deserves lines of its own.
template <class Owner>
Kind<Owner> mapping(const Section<Owner>& section) {
  return {mapping_form(section.info()),
          [&section](Reading& reading, const YamlValue& value, const Form&, Owner& owner) {
            section.read(reading, value, owner);
          },
          [&section](Writing& writing, const Owner& owner) {
            writing.out << YAML::Flow;
            section.write(writing, owner);
          }};
}

/// Written over several lines.
template <class Value>
Kind<Value> in_lines(const Section<Value>& section) {
  Kind<Value> kind = mapping(section);
  kind.write = [&section](Writing& writing, const Value& value) {
    writing.out << YAML::Block;
    section.write(writing, value);
  };
  return kind;
}

/// @param allowed  e.g. "a list of walls"
template <class Item>
Kind<std::vector<Item>> list_of(const Kind<Item>& item, std::string allowed) {
  return {list_form(item.form),
          [item, allowed = std::move(allowed)](Reading& reading, const YamlValue& value, const Form&,
                                               std::vector<Item>& items) {
            for (const YamlValue& entry : value.list(allowed)) {
              Item one{};
              reading.mistakes.attempt([&] { item.read(reading, entry, item.form, one); });
              items.push_back(std::move(one));  // one with mistakes, too: indices are those of the file
            }
          },
          [item](Writing& writing, const std::vector<Item>& items) {
            writing.out << (items.empty() ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
            for (const Item& one : items) item.write(writing, one);
            writing.out << YAML::EndSeq;
          }};
}

/// The same, and nothing behind the key is a list without entries.
template <class Items>
Kind<Items> may_be_empty(Kind<Items> kind) {
  kind.form.may_be_empty = true;
  kind.read = [read = kind.read](Reading& reading, const YamlValue& value, const Form& form, Items& items) {
    if (!value.is_empty()) read(reading, value, form, items);
  };
  return kind;
}

/// What is read into. A vector is 0, since Eigen's has no value by itself.
template <class Value>
Value blank() {
  if constexpr (std::is_same_v<Value, Vec2>) {
    return Vec2::Zero();
  } else {
    return {};
  }
}

/// What need not be there.
template <class Value>
Kind<std::optional<Value>> maybe(const Kind<Value>& kind) {
  return {kind.form,
          [kind](Reading& reading, const YamlValue& value, const Form& form, std::optional<Value>& member) {
            kind.read(reading, value, form, member.emplace(blank<Value>()));
          },
          [kind](Writing& writing, const std::optional<Value>& member) { kind.write(writing, *member); },
          [](const std::optional<Value>& member) { return member.has_value(); }};
}

/// One of the alternatives of a variant.
template <class Variant, class Alternative>
Kind<Variant> alternative(const Kind<Alternative>& kind) {
  return {kind.form,
          [kind](Reading& reading, const YamlValue& value, const Form& form, Variant& variant) {
            kind.read(reading, value, form, variant.template emplace<Alternative>());
          },
          [kind](Writing& writing, const Variant& variant) { kind.write(writing, std::get<Alternative>(variant)); },
          [](const Variant& variant) { return std::holds_alternative<Alternative>(variant); }};
}

// --- entries of tables

/// The key of a member. Owner is named where the member belongs to a base of it.
template <class Owner, class Base, class Value>
Key<Owner> key_of(std::string name, Value Base::*member, const Kind<Value>& kind) {
  std::function<bool(const Owner&)> is_written;
  if (kind.is_written) is_written = [member, kind](const Owner& owner) { return kind.is_written(owner.*member); };
  return {std::move(name), kind.form,
          [member, read = kind.read](Reading& reading, const YamlValue& value, const Form& form, Owner& owner) {
            read(reading, value, form, owner.*member);
          },
          [member, write = kind.write](Writing& writing, const Owner& owner) { write(writing, owner.*member); },
          std::move(is_written)};
}

template <class Owner, class Value>
Key<Owner> key(std::string name, Value Owner::*member, const Kind<Value>& kind) {
  return key_of<Owner>(std::move(name), member, kind);
}

/// A member of a part of the owner.
template <class Owner, class Part, class Value>
Key<Owner> key(std::string name, Part Owner::*part, Value Part::*member, const Kind<Value>& kind) {
  return key_of<Part>(std::move(name), member, kind).of(part);
}

/// A key that stands for the whole owner: one of several ways to give it.
template <class Owner>
Key<Owner> key(std::string name, const Kind<Owner>& kind) {
  return {std::move(name), kind.form, kind.read, kind.write, kind.is_written};
}

/// A mapping whose keys set members of the owner itself.
template <class Owner, class Base = Owner>
Key<Owner> nested(std::string name, const Kind<Base>& kind) {
  return {std::move(name), kind.form,
          [read = kind.read](Reading& reading, const YamlValue& value, const Form& form, Owner& owner) {
            read(reading, value, form, owner);
          },
          [write = kind.write](Writing& writing, const Owner& owner) { write(writing, owner); }};
}

/// x or y of a Box, which has corners lo and hi: an interval.
template <class Box>
Key<Box> axis(std::string name, int k) {
  Form form = list_form(number_form(Numbers::any("m")), 2, 2);
  form.markdown = "`[lo, hi]` [m]";
  return {std::move(name), std::move(form),
          [k](Reading&, const YamlValue& value, const Form&, Box& box) {
            const Range<double> interval = value.interval("m");
            box.lo[k] = interval.least;
            box.hi[k] = interval.greatest;
          },
          [k](Writing& writing, const Box& box) {
            writing.out << YAML::Flow << YAML::BeginSeq;
            write_number(writing, box.lo[k]);
            write_number(writing, box.hi[k]);
            writing.out << YAML::EndSeq;
          }};
}

}  // namespace scree::keys
