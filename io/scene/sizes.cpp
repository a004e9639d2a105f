#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dem/scene/particles.hpp"
#include "dem/size_distribution.hpp"
#include "geometry/deterministic_math.hpp"
#include "io/files/input_file.hpp"
#include "io/formats/csv_reader.hpp"
#include "io/scene/file_beside.hpp"
#include "io/scene/group_entry.hpp"
#include "io/scene/kinds.hpp"
#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

using Law = SizeDistribution::Law;
using Sieve = SizeDistribution::Sieve;

constexpr std::size_t kMostSieves = 10'000;
constexpr double kFarthest = 3.0;  // deviations, unless a scene gives another

/// A normal law must not be cut down to what it hardly ever gives.
void check_cut(const Context<SizeDistribution>& at) {
  SizeDistribution& size = at.value;
  const bool is_normal = size.law == Law::normal;
  if (!at.sound(is_normal ? "mean" : "median") || !at.sound("deviation")) return;
  const double factor = is_normal ? 0.0 : deterministic::exp(kFarthest * size.deviation);
  if (!at.given("least")) {
    size.least = is_normal ? size.centre - kFarthest * size.deviation : size.centre / factor;
    if (size.least <= 0.0) {
      at.keys["deviation"].fail(fmt::format("is {}, must be less than a third of the mean, {} m, or least be given",
                                            number_text(size.deviation), number_text(size.centre)));
    }
  }
  if (!at.given("greatest")) {
    size.greatest = is_normal ? size.centre + kFarthest * size.deviation : size.centre * factor;
  }
  if (!at.sound("least") || !at.sound("greatest")) return;
  const auto refuse = [&](const char* key, const char* side, double value) {
    at.keys[key].fail(fmt::format("is {}, must be a number {} {}, the {} [m]", number_text(value), side,
                                  number_text(size.centre), is_normal ? "mean" : "median"));
  };
  if (size.least > size.centre) refuse("least", "<=", size.least);
  if (size.greatest < size.centre) refuse("greatest", ">=", size.greatest);
}

Section<SizeDistribution> normal_section(const char* name, const char* centre, const char* says, Numbers deviations,
                                         const char* says_deviation, Law law) {
  return Section<SizeDistribution>(name,
                                   {
                                       key(centre, &SizeDistribution::centre, number(Numbers::positive("m")))
                                           .required()
                                           .says(says)
                                           .example("0.01"),
                                       key("deviation", &SizeDistribution::deviation, number(deviations))
                                           .required()
                                           .says(says_deviation)
                                           .example(law == Law::normal ? "0.002" : "0.3"),
                                       key("least", &SizeDistribution::least, number(Numbers::positive("m")))
                                           .says("smaller ones are drawn again")
                                           .otherwise("3 deviations below")
                                           .example("0.005"),
                                       key("greatest", &SizeDistribution::greatest, number(Numbers::positive("m")))
                                           .says("larger ones are drawn again")
                                           .otherwise("3 deviations above")
                                           .example("0.02"),
                                   })
      .before([law](const Context<SizeDistribution>& at) { at.value.law = law; })
      .after(check_cut);
}

/// Sizes that rise, and shares that do not fall, from 0 to 1.
void check_curve(SizeDistribution& size, const YamlValue& value) {
  const std::vector<Sieve>& table = size.table;
  const std::string allowed =
      fmt::format("2 to {} pairs of sizes > 0 that rise and shares that rise from 0 to 1", kMostSieves);
  if (table.size() < 2 || table.size() > kMostSieves) {
    value.fail(fmt::format("has {} pairs, must have {}", table.size(), allowed));
  }
  for (std::size_t k = 0; k < table.size(); ++k) {
    const bool rises = k == 0 || (table[k].size > table[k - 1].size && table[k].passing >= table[k - 1].passing);
    const bool begins_and_ends =
        (k > 0 || table[k].passing == 0.0) && (k + 1 < table.size() || table[k].passing == 1.0);
    if (rises && begins_and_ends && table[k].size > 0.0) continue;
    value.fail(fmt::format("has [{}, {}] as pair {}, must be {}", number_text(table[k].size),
                           number_text(table[k].passing), k + 1, allowed));
  }
  size.least = table.front().size;
  size.greatest = table.back().size;
}

Key<SizeDistribution> passing_key() {
  return Key<SizeDistribution>(
      "passing",
      in_words(list_form(list_form(number_form(Numbers::any("")), 2, 2)), "list of pairs `[size, share]` [m]"),
      [](Reading&, const YamlValue& value, const Form&, SizeDistribution& size) {
        Mistakes mistakes;
        for (const YamlValue& pair : value.list("a list of pairs [size, share that is smaller]")) {
          mistakes.attempt([&] {
            const Vec2 both = pair.vec2("");
            size.table.push_back({both.x(), both.y()});
          });
        }
        mistakes.throw_if_any();
        check_curve(size, value);
      },
      nullptr);
}

Key<SizeDistribution> file_of_passing_key() {
  return Key<SizeDistribution>(
      "file", name_of("").form,
      [](Reading& reading, const YamlValue& value, const Form&, SizeDistribution& size) {
        const std::string name = value.name("the name of a file with a sieve curve");
        const auto curve = read_beside(reading, value, name, [](const std::filesystem::path& path) {
          const std::string text = read_input_file(path, "a sieve curve");
          const CsvInput table = read_csv(text, path.string(), kMostSieves);
          decltype(size.table) passing;
          Mistakes mistakes;
          for (const CsvInput::Row& row : table.rows) {
            mistakes.attempt([&] {
              if (row.cells.size() != 2) {
                throw SceneError(path.string(), row.line, 1, "", "must have 2 values in a line, a size and a share");
              }
              const double diameter = number_in(row.cells[0], row.line, path.string(), "size", 0.0);
              passing.push_back({diameter, number_in(row.cells[1], row.line, path.string(), "share")});
            });
          }
          mistakes.throw_if_any();
          return passing;
        });
        if (!curve) {
          size.least = size.greatest = 1.0;
          return;
        }
        size.table = *curve;
        check_curve(size, value);
      },
      nullptr);
}

const Section<SizeDistribution>& table_section() {
  static const Section<SizeDistribution> section =
      Section<SizeDistribution>(
          "table",
          {
              Key<SizeDistribution>(
                  "by", word_form({"mass", "number"}),
                  [](Reading&, const YamlValue& value, const Form&, SizeDistribution& size) {
                    size.by_mass = value.choice({"mass", "number"}) == "mass";
                  },
                  nullptr)
                  .required()
                  .says("what the shares are shares of")
                  .example("mass"),
              passing_key()
                  .says("sizes and the share that is smaller, from 0 to 1")
                  .example("[[0.005, 0], [0.01, 0.4], [0.02, 1]]"),
              file_of_passing_key().says("the same from a file, a size and a share a line").example("sieve.csv"),
          })
          .exactly_one({"passing", "file"})
          .before([](const Context<SizeDistribution>& at) { at.value.law = Law::table; });
  return section;
}

const Section<SizeDistribution>& size_section() {
  static const Section<SizeDistribution> normal =
      normal_section("normal", "mean", "of the sizes, before they are cut off", Numbers::positive("m"),
                     "standard deviation of the sizes", Law::normal);
  static const Section<SizeDistribution> log_normal =
      normal_section("log_normal", "median", "of the sizes, before they are cut off",
                     {.least = 0.0, .greatest = 2.0, .without_least = true},
                     "standard deviation of the sizes' natural logarithms", Law::log_normal);
  const auto whole = [](const char* name, const Section<SizeDistribution>& section) {
    return Key<SizeDistribution>(
        name, mapping_form(section.info()),
        [&section](Reading& reading, const YamlValue& value, const Form&, SizeDistribution& size) {
          section.read(reading, value, size);
        },
        nullptr);
  };
  static const Section<SizeDistribution> section =
      Section<SizeDistribution>(
          "size",
          {
              Key<SizeDistribution>(
                  "uniform", range(Numbers::positive("m")).form,
                  [](Reading&, const YamlValue& value, const Form&, SizeDistribution& size) {
                    const Range<double> range = value.range(Numbers::positive("m"));
                    size.least = range.least;
                    size.greatest = range.greatest;
                  },
                  [](Writing& writing, const SizeDistribution& size) {
                    writing.out << YAML::Flow << YAML::BeginSeq;
                    write_number(writing, size.least);
                    write_number(writing, size.greatest);
                    writing.out << YAML::EndSeq;
                  })
                  .says("drawn uniformly from a range")
                  .example("[0.008, 0.014]"),
              whole("normal", normal).says("normal, cut off").example("{mean: 0.01, deviation: 0.002}"),
              whole("log_normal", log_normal).says("log-normal, cut off").example("{median: 0.01, deviation: 0.3}"),
              whole("table", table_section())
                  .says("a sieve curve")
                  .example("{by: mass, passing: [[0.005, 0], [0.01, 0.4], [0.02, 1]]}"),
          })
          .exactly_one({"uniform", "normal", "log_normal", "table"})
          .with_table_below("size");
  return section;
}

/// Writes the sizes of a pour or fill, which are drawn later.
void write_law(Writing& writing, const SizeDistribution& size) {
  YAML::Emitter& out = writing.out;
  const auto entry = [&](const char* name, double value) {
    out << YAML::Key << name << YAML::Value;
    write_number(writing, value);
  };
  out << YAML::BeginMap << YAML::Key;
  if (size.law == Law::table) {
    out << "table" << YAML::Value << YAML::BeginMap << YAML::Key << "by" << YAML::Value
        << (size.by_mass ? "mass" : "number") << YAML::Key << "passing" << YAML::Value << YAML::BeginSeq;
    for (const Sieve& sieve : size.table) {
      out << YAML::BeginSeq;
      write_number(writing, sieve.size);
      write_number(writing, sieve.passing);
      out << YAML::EndSeq;
    }
    out << YAML::EndSeq << YAML::EndMap;
  } else {
    const bool is_normal = size.law == Law::normal;
    out << (is_normal ? "normal" : "log_normal") << YAML::Value << YAML::BeginMap;
    entry(is_normal ? "mean" : "median", size.centre);
    entry("deviation", size.deviation);
    entry("least", size.least);
    entry("greatest", size.greatest);
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
}

}  // namespace

Key<GroupEntry> size_key() {
  const Numbers allowed = Numbers::positive("m");
  return Key<GroupEntry>(
      "size",
      in_words(either_form({number_form(allowed), mapping_form(size_section().info())}),
               "number > 0 [m], or [mapping](#size)"),
      [allowed](Reading& reading, const YamlValue& value, const Form&, GroupEntry& group) {
        group.sizes = {};
        if (value.is_mapping()) {
          size_section().read(reading, value, group.sizes);
        } else {
          if (value.is_list()) value.refuse("a number > 0 or {uniform: [least, greatest]} [m]");
          group.sizes.least = group.sizes.greatest = value.number(allowed);
        }
        group.size = {group.sizes.least, group.sizes.greatest};
        const bool is_drawn_later = std::holds_alternative<Pour>(group.how) || std::holds_alternative<Fill>(group.how);
        if (is_drawn_later && group.sizes.law != Law::uniform && reading.mistakes.sound(value.path())) {
          group.ParticleGroup::sizes = group.sizes;
        }
      },
      [](Writing& writing, const GroupEntry& group) {
        writing.out << YAML::Flow;
        if (const auto& drawn = group.ParticleGroup::sizes) {
          write_law(writing, *drawn);
        } else {
          size_section().write(writing, {.least = group.size.least, .greatest = group.size.greatest});
        }
      });
}

}  // namespace scree::keys
