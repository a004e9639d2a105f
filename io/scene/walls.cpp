#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "dem/scene.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/tables.hpp"
#include "io/scene/wall_parts.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

constexpr std::size_t kMostWalls = 100'000;

/// What moves a wall, by prescribed motion or by forces.
void check_drive(const Context<WallEntry>& at) {
  const DriveKey* const own = only_drive(at);
  if (own != nullptr && at.given("moves_with")) at.keys["moves_with"].refuse("left out beside " + own->name);
  if (at.given("moves_with") && at.sound("moves_with")) {
    // A ring is called by its name, too.
    const std::vector<Wall>& walls = at.reading.scene.walls;
    const auto find = [&](const std::string& name) { return std::ranges::find(walls, name, &Wall::name); };
    auto leader = find(at.value.moves_with);
    if (leader == walls.end()) leader = find(at.value.moves_with + " 1");
    const bool is_driven = leader != walls.end() && !std::holds_alternative<std::monostate>(leader->drive);
    if (!is_driven) at.keys["moves_with"].refuse("the name of a wall before it that has " + names_of_drives());
    at.value.moves_with = leader->name;
  }
}

/// Several motions, or taps, and when it is there.
void check_motions(const Context<WallEntry>& at) {
  std::vector<std::string> others = {"velocity", "rotation", "oscillation", "moves_with"};
  for (const DriveKey& drive : drive_keys()) {
    if (drive.moves_alone) others.push_back(drive.name);
  }
  std::vector<std::string> beside_taps = {"velocity", "rotation", "oscillation", "moves_with", "motions"};
  for (const DriveKey& drive : drive_keys()) beside_taps.push_back(drive.name);
  for (const std::string& key : beside_taps) {
    if (at.given("taps") && at.given(key.c_str())) at.keys[key.c_str()].refuse("left out beside taps");
  }
  for (const std::string& key : others) {
    if (at.given("motions") && at.given(key.c_str())) at.keys[key.c_str()].refuse("left out beside motions");
  }
  if (at.sound("from") && at.sound("until") && at.value.from && at.value.until && *at.value.until <= *at.value.from) {
    at.keys["until"].refuse(fmt::format("never, or a number > from, {} [s]", number_text(*at.value.from)));
  }
}

/// A wall for each outline; those of a ring are called by its name and their number. Forces that move them move them
/// together.
void add_walls(const Context<WallEntry>& at) {
  const std::vector<std::vector<Vec2>>& outlines = at.value.outlines;
  if (at.reading.scene.walls.size() + outlines.size() > kMostWalls) {
    at.keys.self().fail(fmt::format("makes {} walls in this scene, must make at most {}",
                                    at.reading.scene.walls.size() + outlines.size(), kMostWalls));
  }
  check_drive(at);
  check_motions(at);
  Wall wall = at.value;
  set_pivot(wall.motions, wall.pivot);
  if (auto* torque = std::get_if<TorqueDrive>(&wall.drive); torque != nullptr && !torque->about) {
    torque->about = wall.pivot;
  }
  const bool is_driven = !std::holds_alternative<std::monostate>(wall.drive);
  for (std::size_t k = 0; k < outlines.size(); ++k) {
    wall.polygon = outlines[k];
    if (outlines.size() > 1) wall.name = fmt::format("{} {}", at.value.name, k + 1);
    if (at.sound("name") && !at.reading.wall_names.insert(wall.name).second) {
      at.keys["name"].fail(
          fmt::format("is '{}' again, must be another name than those of the walls before", shortened(wall.name)));
    }
    at.reading.scene.walls.push_back(wall);
    if (is_driven && k == 0) {
      wall.drive = std::monostate{};
      wall.moves_with = wall.name;
    }
  }
}

std::vector<Key<WallEntry>> prescribed_motion_keys() {
  return {
      key_of<WallEntry>("velocity", &Wall::velocity, vector("m/s"))
          .written_if([](const WallEntry& wall) { return wall.motions.empty() && wall.taps.empty(); })
          .says("constant velocity")
          .example("[0.1, 0]"),
      nested<WallEntry>("rotation", mapping(rotation_section()))
          .written_if([](const WallEntry& wall) { return wall.motions.empty() && wall.taps.empty(); })
          .says("constant rotation")
          .otherwise("none")
          .example("{rate: 3.1, about: [0, 0]}"),
      key_of<WallEntry>("oscillation", &Wall::oscillation, mapping(oscillation_section()))
          .written_if([](const WallEntry& wall) { return wall.oscillation != Oscillation{}; })
          .says("sinusoidal motion on top of velocity and rotation")
          .otherwise("none")
          .example("{amplitude: [0, 0.001], frequency: 50}"),
      key_of<WallEntry>("taps", &Wall::taps, taps())
          .says("taps instead of these, or a file with columns time, x, y, frequency")
          .details("([below](#taps))")
          .otherwise("none")
          .example("[{from: 1, every: 0.5, amplitude: [0, 0.002], frequency: 25}]"),
  };
}

std::vector<Key<WallEntry>> driven_motion_keys() {
  std::vector<Key<WallEntry>> keys;
  for (const DriveKey& drive : drive_keys()) {
    keys.push_back(key_of<WallEntry>(drive.name, &Wall::drive, drive.kind)
                       .only_in(Mode::soft)
                       .otherwise("none")
                       .says(drive.says)
                       .details("([below](#servo))")
                       .example(drive.example));
  }
  return keys;
}

/// What moves it along with others, or by turns, and when it is there.
std::vector<Key<WallEntry>> other_motion_keys() {
  return {
      key_of<WallEntry>("moves_with", &Wall::moves_with, name_of("a wall's name"))
          .only_in(Mode::soft)
          .written_if([](const WallEntry& wall) { return !wall.moves_with.empty(); })
          .says("a wall before it whose " + names_of_drives() + " moves this one, too")
          .otherwise("none")
          .example("lid"),
      key_of<WallEntry>("motions", &Wall::motions, motions())
          .only_in(Mode::soft)
          .says("several motions, one after the other")
          .details("([below](#motions))")
          .otherwise("none")
          .example("[{from: 0, until: 1, velocity: [0.1, 0]}, {from: 2, rotation: 3.1}]"),
      key_of<WallEntry>("from", &Wall::from, maybe(number(Numbers::positive("s"))))
          .only_in(Mode::soft)
          .says("when it is put in; no grain may be there then")
          .otherwise("the beginning")
          .example("0.5"),
      key_of<WallEntry>("until", &Wall::until, number_or("never", Numbers::positive("s")))
          .says("when it is removed")
          .example("1.5"),
  };
}

std::vector<Key<WallEntry>> wall_keys() {
  std::vector<Key<WallEntry>> keys = {
      key_of<WallEntry>("name", &Wall::name, name_of("the wall's name"))
          .required()
          .says("name, different for every wall")
          .example("plate"),
      key_of<WallEntry>("material", &Wall::material, material()).required().says("material").example("steel"),
  };
  for (auto&& more : {outline_keys(), prescribed_motion_keys(), driven_motion_keys(), other_motion_keys()}) {
    std::ranges::copy(more, std::back_inserter(keys));
  }
  return keys;
}

}  // namespace

const Section<WallEntry>& wall_section() {
  static const Section<WallEntry> section =
      Section<WallEntry>("wall", wall_keys())
          .exactly_one({"polygon", "box", "segment", "ring", "half_plane", "line"})
          .with_defaults()
          .after(add_walls)
          .with_table_below("walls");
  return section;
}

void read_walls(Reading& reading, const YamlValue& value) {
  static const Kind<WallEntry> wall = mapping(wall_section());
  if (value.is_empty()) return;
  for (const YamlValue& entry : value.list("a list of walls")) {
    WallEntry one;  // which its section adds to the scene
    reading.mistakes.attempt([&] { wall.read(reading, entry, wall.form, one); });
  }
}

void write_walls(Writing& writing, int stage) {
  static const Kind<WallEntry> wall = mapping(wall_section());
  const auto is_of_stage = [stage](const Wall& one) { return one.stage == stage; };
  const std::vector<Wall>& walls = writing.scene.walls;
  writing.out << (std::ranges::none_of(walls, is_of_stage) ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
  for (const Wall& one : walls) {
    if (is_of_stage(one)) wall.write(writing, {one});
  }
  writing.out << YAML::EndSeq;
}

}  // namespace scree::keys
