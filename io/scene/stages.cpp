#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dem/scene/wall.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"
#include "io/scene/tables.hpp"
#include "io/text/message_text.hpp"

namespace scree::keys {

namespace {

constexpr std::size_t kMostStages = 100;

struct Rest {
  double unbalanced = 0.0;
};

const Section<Rest>& rest_section() {
  static const Section<Rest> section =
      Section<Rest>(
          "until", {key("unbalanced", &Rest::unbalanced, number({.least = 0.0, .greatest = 1.0, .without_least = true}))
                        .required()
                        .says("the unbalanced force ratio below which grains count as at rest: the sum of the "
                              "net forces on them over the sum of all forces on them")
                        .details("([theory](theory.md#at-rest))")
                        .example("1e-5")})
          .with_table_below("until");
  return section;
}

const Section<Stage>& stage_time_section() {
  static const Section<Stage> section =
      Section<Stage>("time", {
                                 key("end", &Stage::end, number(Numbers::positive("s")))
                                     .required()
                                     .says("the longest that the stage takes")
                                     .example("1"),
                                 key("until", &Stage::unbalanced, until_rest())
                                     .says("the stage ends before, as soon as the grains are at rest")
                                     .otherwise("none")
                                     .example("{unbalanced: 1e-5}"),
                             });
  return section;
}

/// Names of walls that are there.
Kind<std::vector<int>> walls_by_name() {
  return {list_form(name_of("").form),
          [](Reading& reading, const YamlValue& value, const Form&, std::vector<int>& numbers) {
            for (const YamlValue& entry : value.list("a list of names of walls")) {
              reading.mistakes.attempt([&] {
                const std::vector<int> found = walls_called(reading.scene, entry.name("the name of a wall"));
                if (found.empty() && reading.mistakes.readable("walls"))
                  entry.refuse("the name of a wall that there is");
                numbers.insert(numbers.end(), found.begin(), found.end());
              });
            }
          },
          [](Writing& writing, const std::vector<int>& numbers) {
            writing.out << YAML::Flow << YAML::BeginSeq;
            for (const int number : numbers) {
              write_text(writing, writing.walls()[static_cast<std::size_t>(number)].name);
            }
            writing.out << YAML::EndSeq;
          },
          [](const std::vector<int>& numbers) { return !numbers.empty(); }};
}

/// What a stage moves or takes away is still there.
/// @param removed  walls, by number, that stages before have taken away; gets those of this one
void check_walls_are_there(const Reading& reading, const Stage& stage, std::set<int>& removed, const YamlValue& value) {
  const auto fail = [&](const char* key, int wall, const char* what) {
    const std::string& name = reading.walls()[static_cast<std::size_t>(wall)].name;
    value[key].fail(
        fmt::format("{} the wall '{}', which is taken away, must name walls that stay", what, shortened(name)));
  };
  for (const int wall : stage.remove) {
    if (!removed.insert(wall).second) fail("remove", wall, "names");
  }
  for (const WallChange& change : stage.motions) {
    for (const int wall : change.walls) {
      if (removed.contains(wall)) fail("motions", wall, "moves");
    }
  }
}

/// A stage as it is written down: its walls are the scene's.
struct StageEntry : Stage {
  int number = 0;
};

/// Its walls are put into the scene when the stage is known.
Key<StageEntry> walls_of_stage() {
  Form form = list_form(mapping(wall_section()).form);
  form.may_be_empty = true;
  return {"walls", std::move(form),
          [](Reading& reading, const YamlValue& value, const Form&, StageEntry& stage) {
            const std::size_t before = reading.walls().size();
            read_walls(reading, value);
            for (std::size_t k = before; k < reading.walls().size(); ++k) reading.walls()[k].stage = stage.number;
          },
          [](Writing& writing, const StageEntry& stage) { write_walls(writing, stage.number); }, nullptr};
}

const Section<StageEntry>& stage_section() {
  static const Section<StageEntry> section =
      Section<StageEntry>(
          "stage",
          {
              key_of<StageEntry>("name", &Stage::name, name_of("the stage's name"))
                  .required()
                  .says("name, different for every stage")
                  .example("settle"),
              nested<StageEntry, Stage>("time", mapping(stage_time_section()))
                  .required()
                  .says("how long it takes, in time since it began")
                  .example("{end: 1, until: {unbalanced: 1e-5}}"),
              key_of<StageEntry>("gravity", &Stage::gravity, gravity())
                  .says("from its beginning on; times of a table count from there")
                  .otherwise("it stays")
                  .example("[1, -9.8]"),
              key_of<StageEntry>("cell", &Stage::cell, maybe(mapping(cell_section())))
                  .says("what drives the cell from now on, whole, as [cell](#cell) of a domain that has one")
                  .otherwise("it goes on as it did")
                  .example("{xy: {rate: 0.5}}"),
              key_of<StageEntry>("materials", &Stage::materials, material_changes())
                  .says("what changes of materials")
                  .otherwise("they stay")
                  .example("{stone: {friction: 0.5}}"),
              key_of<StageEntry>("remove", &Stage::remove, walls_by_name())
                  .says("walls that are taken away")
                  .otherwise("none")
                  .example("[gate]"),
              walls_of_stage()
                  .written_if([](const StageEntry& stage) { return stage.number > 0; })
                  .says("walls that are put in, as [walls](#walls); their times count from its beginning")
                  .otherwise("none"),
              key_of<StageEntry>("motions", &Stage::motions, wall_changes())
                  .says("by their names, what moves walls from now on, from where they are; {}: they stop")
                  .otherwise("all go on as they did")
                  .example("{upper: {velocity: [0.1, 0]}}"),
          })
          .with_table_below("stages");
  return section;
}

}  // namespace

Kind<std::optional<double>> until_rest() {
  return {mapping_form(rest_section().info()),
          [](Reading& reading, const YamlValue& value, const Form&, std::optional<double>& member) {
            Rest rest;
            rest_section().read(reading, value, rest);
            member = rest.unbalanced;
          },
          [](Writing& writing, const std::optional<double>& member) {
            mapping(rest_section()).write(writing, Rest{*member});
          },
          [](const std::optional<double>& member) { return member.has_value(); }};
}

Kind<std::vector<Stage>> stages() {
  static const Kind<StageEntry> one = mapping(stage_section());
  return {list_form(one.form, 1, kMostStages),
          [](Reading& reading, const YamlValue& value, const Form&, std::vector<Stage>& all) {
            const std::vector<YamlValue> entries = value.list("a list of stages");
            if (entries.empty() || entries.size() > kMostStages) {
              value.fail_at_key(fmt::format("has {} stages, must have from 1 to {}", entries.size(), kMostStages));
            }
            double end = 0.0;
            std::set<int> removed;
            for (const YamlValue& entry : entries) {
              StageEntry stage;
              stage.number = static_cast<int>(all.size());
              reading.mistakes.attempt([&] {
                one.read(reading, entry, one.form, stage);
                if (std::ranges::find(all, stage.name, &Stage::name) != all.end() && !stage.name.empty()) {
                  entry["name"].fail(fmt::format("is '{}' again, must be another name than those of the stages before",
                                                 shortened(stage.name)));
                }
                check_walls_are_there(reading, stage, removed, entry);
              });
              end += stage.end;
              all.push_back(std::move(stage));
            }
            reading.end() = end;
          },
          [](Writing& writing, const std::vector<Stage>& all) {
            writing.out << YAML::Block << YAML::BeginSeq;
            for (std::size_t k = 0; k < all.size(); ++k) {
              StageEntry stage;
              static_cast<Stage&>(stage) = all[k];
              stage.number = static_cast<int>(k);
              writing.out << YAML::Block;
              stage_section().write(writing, stage);
            }
            writing.out << YAML::EndSeq;
          },
          [](const std::vector<Stage>& all) { return !all.empty(); }};
}

}  // namespace scree::keys
