#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dem/scene.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/tables.hpp"
#include "io/scene/wall_parts.hpp"

namespace scree::keys {

namespace {

/// What moves a wall from the beginning of a stage on, as it is written down.
struct ChangeEntry : Wall {};

/// Base motion and motions are one list then. What a servo or a free wall has beside is checked with all walls.
void finish(const Context<ChangeEntry>& at) {
  std::string motion_key;
  for (const char* key : {"velocity", "rotation", "oscillation", "motions"}) {
    if (!at.given(key)) continue;
    if (std::string(key) == "motions" && !motion_key.empty()) at.keys[key].refuse("left out beside " + motion_key);
    if (motion_key.empty()) motion_key = key;
  }
  const DriveKey* const drive = only_drive(at);
  if (drive != nullptr && drive->moves_alone && !motion_key.empty()) {
    at.keys[drive->name.c_str()].refuse("left out beside " + motion_key);
  }
  ChangeEntry& change = at.value;
  if (motion_key.empty() || motion_key == "motions") return;
  PhaseOfMotion motion;
  motion.velocity = change.velocity;
  motion.angular_velocity = change.angular_velocity;
  if (at.given("rotation") && at.keys["rotation"]["about"].given()) motion.about = change.pivot;
  motion.oscillation = change.oscillation;
  change.motions = {motion};
}

std::vector<Key<ChangeEntry>> change_keys() {
  std::vector<Key<ChangeEntry>> keys = {
      key_of<ChangeEntry>("velocity", &Wall::velocity, vector("m/s"))
          .written_if([](const ChangeEntry&) { return false; })
          .says("constant velocity")
          .otherwise("`[0, 0]`")
          .example("[0.1, 0]"),
      nested<ChangeEntry, Wall>("rotation", mapping(rotation_section()))
          .written_if([](const ChangeEntry&) { return false; })
          .says("constant rotation; about: a point of the wall, where its outline is given")
          .otherwise("none")
          .example("{rate: 3.1}"),
      key_of<ChangeEntry>("oscillation", &Wall::oscillation, mapping(oscillation_section()))
          .written_if([](const ChangeEntry&) { return false; })
          .says("sinusoidal motion; its displacement counts from the beginning of the stage")
          .otherwise("none")
          .example("{amplitude: [0, 0.001], frequency: 50}"),
      key_of<ChangeEntry>("motions", &Wall::motions, motions())
          .says("several motions, one after the other; times count from the beginning of the stage")
          .otherwise("none")
          .example("[{from: 0, until: 1, velocity: [0.1, 0]}]"),
  };
  for (const DriveKey& drive : drive_keys()) {
    keys.push_back(key_of<ChangeEntry>(drive.name, &Wall::drive, drive.kind)
                       .otherwise("none")
                       .says("as of [walls](#walls)")
                       .example(drive.example));
  }
  return keys;
}

const Section<ChangeEntry>& change_section() {
  static const Section<ChangeEntry> section =
      Section<ChangeEntry>("change", change_keys()).after(finish).with_table_below("stages");
  return section;
}

}  // namespace

std::vector<int> walls_called(const Scene& scene, const std::string& name) {
  std::vector<int> found;
  for (std::size_t k = 0; k < scene.walls.size(); ++k) {
    const std::string& own = scene.walls[k].name;
    if (own == name) return {static_cast<int>(k)};
    if (own == fmt::format("{} {}", name, found.size() + 1)) found.push_back(static_cast<int>(k));
  }
  return found;
}

Kind<std::vector<WallChange>> wall_changes() {
  static const Kind<ChangeEntry> one = mapping(change_section());
  return {
      {.type = Form::Type::named, .parts = {one.form}, .may_be_empty = true},
      [](Reading& reading, const YamlValue& value, const Form&, std::vector<WallChange>& changes) {
        if (value.is_empty()) return;
        for (const auto& [name, entry] : value.entries("a mapping from names of walls to motions", reading.mistakes)) {
          reading.mistakes.attempt([&, &name = name, &entry = entry] {
            ChangeEntry change;
            if (!entry.is_empty()) one.read(reading, entry, one.form, change);
            WallChange& added = changes.emplace_back();
            added.walls = walls_called(reading.scene, name);
            if (added.walls.empty() && reading.mistakes.readable("walls")) {
              entry.fail_at_key("is the name of no wall that there is, must be one");
            }
            added.motions = std::move(change.motions);
            added.drive = change.drive;
          });
        }
      },
      [](Writing& writing, const std::vector<WallChange>& changes) {
        writing.out << YAML::Block << YAML::BeginMap;
        for (const WallChange& change : changes) {
          std::string name = writing.scene.walls[static_cast<std::size_t>(change.walls.front())].name;
          if (change.walls.size() > 1) name = name.substr(0, name.rfind(' '));
          writing.out << YAML::Key;
          write_text(writing, name);
          writing.out << YAML::Value;
          ChangeEntry entry;
          entry.motions = change.motions;
          entry.drive = change.drive;
          one.write(writing, entry);
        }
        writing.out << YAML::EndMap;
      },
      [](const std::vector<WallChange>& changes) { return !changes.empty(); }};
}

}  // namespace scree::keys
