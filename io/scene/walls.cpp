#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "geometry/polygon.hpp"
#include "geometry/polygon_makers.hpp"
#include "io/message_text.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"

namespace scree::keys {

namespace {

constexpr WholeNumbers kVertices = {.least = 3, .greatest = 10'000};  // more, and a polygon's corners are no corners

constexpr std::size_t kMostWalls = 100'000;

struct Ring {
  Vec2 centre = Vec2::Zero();
  double radius = 0.0;
  double thickness = 0.0;
  int segments = 0;
};

const Section<Ring>& ring_section() {
  static const Section<Ring> section =
      Section<Ring>("ring",
                    {
                        key("centre", &Ring::centre, vector("m")).required().says("of the ring").example("[0, 0]"),
                        key("radius", &Ring::radius, number(Numbers::positive("m")))
                            .required()
                            .says("of the circle that the inner sides touch")
                            .example("0.2"),
                        key("thickness", &Ring::thickness, number(Numbers::positive("m")))
                            .required()
                            .says("of the ring at the segments' ends")
                            .example("0.01"),
                        key("segments", &Ring::segments, whole_number<int>(kVertices))
                            .required()
                            .says("number of walls that it consists of")
                            .example("60"),
                    })
          .with_table_below("ring");
  return section;
}

const Section<Wall>& rotation_section() {
  static const Section<Wall> section =
      Section<Wall>("rotation", {
                                    key("rate", &Wall::angular_velocity, number(Numbers::any("rad/s")))
                                        .required()
                                        .says("angular velocity, counter-clockwise")
                                        .example("3.1"),
                                    key("about", &Wall::pivot, vector("m"))
                                        .says("centre of rotation at time 0, which moves with velocity")
                                        .otherwise("the centroid, of a ring its centre")
                                        .example("[0, 0]"),
                                });
  return section;
}

const Section<Oscillation>& oscillation_section() {
  static const Section<Oscillation> section =
      Section<Oscillation>(
          "oscillation",
          {
              key("amplitude", &Oscillation::amplitude, vector("m"))
                  .required()
                  .says("the displacement is amplitude times sin(2 pi frequency t + phase)")
                  .example("[0, 0.001]"),
              key("frequency", &Oscillation::frequency, number(Numbers::positive("1/s")))
                  .required()
                  .says("oscillations a second")
                  .example("50"),
              key("phase", &Oscillation::phase, number(Numbers::any("rad"))).says("at time 0").example("1.57"),
          })
          .with_defaults();
  return section;
}

/// Of any length.
Kind<Vec2> direction() {
  Kind<Vec2> kind = vector("m");
  kind.form = in_words(list_form(number_form(Numbers::any("")), 2, 2), "`[x, y]`, of any length");
  kind.read = [](Reading&, const YamlValue& value, const Form&, Vec2& member) { member = value.vec2(""); };
  return kind;
}

template <class Owner>
typename Section<Owner>::Rule has_direction(const char* name, Vec2 Owner::*member) {
  return [name, member](const Context<Owner>& at) {
    if (at.sound(name) && (at.value.*member).isZero()) at.keys[name].refuse("a direction [x, y], not [0, 0]");
  };
}

const Section<Servo>& servo_section() {
  static const Section<Servo> section =
      Section<Servo>(
          "servo",
          {
              key("towards", &Servo::towards, direction())
                  .required()
                  .says("direction in which it pushes")
                  .example("[0, -1]"),
              key("force", &Servo::force, maybe(number(Numbers::positive("N"))))
                  .says("that it pushes the grains with")
                  .otherwise("one of two")
                  .example("100"),
              key("stress", &Servo::stress, maybe(number(Numbers::positive("N/m"))))
                  .says("the same, over the loaded length")
                  .otherwise("one of two")
                  .example("1000"),
              key("length", &Servo::length, maybe(number(Numbers::positive("m"))))
                  .says("the loaded length")
                  .otherwise("the longest stretch of its front that other walls leave free, renewed in every step")
                  .example("0.1"),
              key("speed", &Servo::speed, number(Numbers::positive("m/s")))
                  .required()
                  .says("the greatest")
                  .example("0.05"),
              key("approach", &Servo::approach, maybe(number(Numbers::at_least(0.0, "m/s"))))
                  .says("its speed while it touches nothing")
                  .otherwise("`speed`")
                  .example("0.01"),
              key("gain", &Servo::gain, number({.least = 0.0, .greatest = 1.0, .without_least = true}))
                  .says("share of the missing force that one step makes up for where contacts have no dashpots")
                  .example("0.1"),
          })
          .exactly_one({"force", "stress"})
          .with_defaults()
          .after([](const Context<Servo>& at) {
            at.reading.mistakes.attempt([&] { has_direction("towards", &Servo::towards)(at); });
            if (at.sound("approach") && at.sound("speed") && at.value.approach.value_or(0.0) > at.value.speed) {
              at.keys["approach"].refuse("a number from 0 to speed [m/s]");
            }
            if (at.given("length") && at.given("force")) at.keys["length"].refuse("left out beside force");
          })
          .with_table_below("servo");
  return section;
}

const Section<FreeWall>& free_section() {
  static const Section<FreeWall> section =
      Section<FreeWall>(
          "free",
          {
              key("along", &FreeWall::along, direction())
                  .required()
                  .says("direction along which it is free")
                  .example("[0, 1]"),
              key("mass", &FreeWall::mass, number(Numbers::positive("kg"))).required().says("mass").example("50"),
              key("force", &FreeWall::force, number(Numbers::any("N")))
                  .says("on it along that direction, besides weight and grains")
                  .example("-100"),
          })
          .with_defaults()
          .after(has_direction("along", &FreeWall::along))
          .with_table_below("servo");
  return section;
}

const Section<TorqueDrive>& torque_section() {
  static const Section<TorqueDrive> section =
      Section<TorqueDrive>("torque",
                           {
                               key("torque", &TorqueDrive::torque, number(Numbers::any("N m")))
                                   .required()
                                   .says("on it, counter-clockwise")
                                   .example("2"),
                               key("inertia", &TorqueDrive::inertia, number(Numbers::positive("kg m^2")))
                                   .required()
                                   .says("moment of inertia about the centre of rotation")
                                   .example("0.5"),
                               key("drag", &TorqueDrive::drag, number(Numbers::at_least(0.0, "N m s")))
                                   .says("resisting torque over angular velocity")
                                   .example("0.1"),
                               key("about", &TorqueDrive::about, maybe(vector("m")))
                                   .says("centre of rotation")
                                   .otherwise("the centroid, of a ring its centre")
                                   .example("[0, 0]"),
                           })
          .with_defaults()
          .with_table_below("servo");
  return section;
}

const Section<Region>& box_section() {
  static const Section<Region> section("box", {axis<Region>("x", 0).required().says("from left to right"),
                                               axis<Region>("y", 1).required().says("from bottom to top")});
  return section;
}

// What a wall consists of, and where it turns about unless the scene says otherwise.

void read_corners(Reading&, const YamlValue& value, const Form&, WallEntry& wall) {
  wall.outlines = {read_polygon(value)};
  wall.pivot = Polygon(wall.outlines.front()).centroid();
}

void read_box(Reading& reading, const YamlValue& value, const Form&, WallEntry& wall) {
  Region box;
  box_section().read(reading, value, box);
  if (!reading.mistakes.sound(value.path())) return;
  wall.outlines = {{box.lo, {box.hi.x(), box.lo.y()}, box.hi, {box.lo.x(), box.hi.y()}}};
  check_polygon(wall.outlines.front(), value, "a box that is not too thin");
  wall.pivot = Polygon(wall.outlines.front()).centroid();
}

void read_segment(Reading&, const YamlValue& value, const Form&, WallEntry& wall) {
  const std::string allowed = "a segment: a list of two points [x, y] that are not the same [m]";
  const std::vector<YamlValue> ends = value.list(allowed);
  if (ends.size() != 2) value.refuse(allowed);
  std::vector<Vec2> points(2);
  Mistakes mistakes;
  for (const std::size_t k : {0, 1}) mistakes.attempt([&] { points[k] = ends[k].vec2("m"); });
  mistakes.throw_if_any();
  if (points[0] == points[1]) value.fail("has no length, must be " + allowed);
  wall.pivot = 0.5 * (points[0] + points[1]);
  wall.outlines = {std::move(points)};
}

void read_ring(Reading& reading, const YamlValue& value, const Form&, WallEntry& wall) {
  Ring form;
  ring_section().read(reading, value, form);
  if (!reading.mistakes.sound(value.path())) return;
  wall.outlines = ring(form.centre, form.radius, form.thickness, form.segments);
  wall.pivot = form.centre;
  for (const auto& polygon : wall.outlines) check_polygon(polygon, value, "a ring that is not too thin");
}

void write_outline(Writing& writing, const WallEntry& wall) {
  write_points(writing, wall.polygon);
}

/// What moves a wall, by prescribed motion or by forces.
void check_drive(const Context<WallEntry>& at) {
  std::string first;
  for (const char* key : {"servo", "free", "torque", "moves_with"}) {
    if (!at.given(key)) continue;
    if (!first.empty()) at.keys[key].refuse("left out beside " + first);
    first = key;
  }
  if (at.given("moves_with") && at.sound("moves_with")) {
    // A ring is called by its name, too.
    const std::vector<Wall>& walls = at.reading.scene.walls;
    const auto find = [&](const std::string& name) { return std::ranges::find(walls, name, &Wall::name); };
    auto leader = find(at.value.moves_with);
    if (leader == walls.end()) leader = find(at.value.moves_with + " 1");
    const bool is_driven = leader != walls.end() && !std::holds_alternative<std::monostate>(leader->drive);
    if (!is_driven) at.keys["moves_with"].refuse("the name of a wall before it that has servo, free or torque");
    at.value.moves_with = leader->name;
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
  Wall wall = at.value;
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

template <class Drive>
Key<WallEntry> driven(std::string name, const Section<Drive>& section) {
  return key_of<WallEntry>(std::move(name), &Wall::drive, alternative<WallDrive>(mapping(section)))
      .only_in(Mode::soft)
      .otherwise("none");
}

}  // namespace

const Section<WallEntry>& wall_section() {
  static const Section<WallEntry> section =
      Section<WallEntry>(
          "wall",
          {
              key_of<WallEntry>("name", &Wall::name, name_of("the wall's name"))
                  .required()
                  .says("name, different for every wall")
                  .example("plate"),
              key_of<WallEntry>("material", &Wall::material, material()).required().says("material").example("steel"),
              Key<WallEntry>("polygon", polygon_form(), read_corners, write_outline)
                  .written_if([](const WallEntry& wall) { return wall.polygon.size() > 2; })
                  .says("outline at time 0")
                  .example("[[0, 0], [1, 0], [0, 1]]"),
              Key<WallEntry>("box", in_words(mapping_form(box_section().info()), "`x` and `y`, `[lo, hi]` each [m]"),
                             read_box, nullptr)
                  .says("outline at time 0")
                  .example("{x: [0, 1], y: [-0.1, 0]}"),
              Key<WallEntry>("segment", in_words(list_form(vector("m").form, 2, 2), "two points `[x, y]` [m]"),
                             read_segment, write_outline)
                  .only_in(Mode::hard, "is given in mode soft, where walls have an area, must be polygon or box")
                  .written_if([](const WallEntry& wall) { return wall.polygon.size() == 2; })
                  .says("a line between two points, a wall on both sides")
                  .example("[[0, 1], [0.5, 0.8]]"),
              Key<WallEntry>("ring", mapping_form(ring_section().info()), read_ring, nullptr)
                  .says("a closed ring of walls")
                  .example("{centre: [0, 0], radius: 0.2, thickness: 0.01, segments: 60}"),
              key_of<WallEntry>("velocity", &Wall::velocity, vector("m/s"))
                  .says("constant velocity")
                  .example("[0.1, 0]"),
              nested<WallEntry>("rotation", mapping(rotation_section()))
                  .says("constant rotation")
                  .otherwise("none")
                  .example("{rate: 3.1, about: [0, 0]}"),
              key_of<WallEntry>("oscillation", &Wall::oscillation, mapping(oscillation_section()))
                  .written_if([](const WallEntry& wall) { return wall.oscillation != Oscillation{}; })
                  .says("sinusoidal motion on top of velocity and rotation")
                  .otherwise("none")
                  .example("{amplitude: [0, 0.001], frequency: 50}"),
              driven<Servo>("servo", servo_section())
                  .says("it moves so that it pushes with a force or a stress")
                  .details("([below](#servo))")
                  .example("{towards: [0, -1], stress: 1000, speed: 0.05}"),
              driven<FreeWall>("free", free_section())
                  .says("it has a mass and moves freely along one direction, a heavy lid")
                  .details("([below](#servo))")
                  .example("{along: [0, 1], mass: 50}"),
              driven<TorqueDrive>("torque", torque_section())
                  .says("a torque turns it")
                  .details("([below](#servo))")
                  .example("{torque: 2, inertia: 0.5}"),
              key_of<WallEntry>("moves_with", &Wall::moves_with, name_of("a wall's name"))
                  .only_in(Mode::soft)
                  .written_if([](const WallEntry& wall) { return !wall.moves_with.empty(); })
                  .says("a wall before it whose servo, free or torque moves this one, too")
                  .otherwise("none")
                  .example("lid"),
              key_of<WallEntry>("until", &Wall::until, number_or("never", Numbers::positive("s")))
                  .says("when it is removed")
                  .example("1.5"),
          })
          .exactly_one({"polygon", "box", "segment", "ring"})
          .with_defaults()
          .after(add_walls)
          .with_table_below("walls");
  return section;
}

}  // namespace scree::keys
