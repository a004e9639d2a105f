#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "geometry/polygon.hpp"
#include "geometry/polygon_makers.hpp"
#include "io/message_text.hpp"
#include "io/number_text.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"
#include "io/scene/tables.hpp"

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

struct HalfPlane {
  Vec2 point = Vec2::Zero();
  Vec2 normal = Vec2::Zero();
};

struct Line {
  std::vector<Vec2> points = {};
  double thickness = 0.0;
};

Kind<Vec2> direction();

const Section<HalfPlane>& half_plane_section() {
  static const Section<HalfPlane> section =
      Section<HalfPlane>(
          "half_plane",
          {
              key("point", &HalfPlane::point, vector("m")).required().says("on its surface").example("[0, 0]"),
              key("normal", &HalfPlane::normal, direction())
                  .required()
                  .says("direction out of it, to the grains")
                  .example("[0, 1]"),
          })
          .after([](const Context<HalfPlane>& at) {
            if (at.sound("normal") && at.value.normal.isZero())
              at.keys["normal"].refuse("a direction [x, y], not [0, 0]");
          })
          .with_table_below("half_plane");
  return section;
}

/// Points in a list, or a file of them.
Kind<std::vector<Vec2>> points_of_line() {
  const std::string allowed = "a list of at least two points [x, y] [m], or the name of a file with them";
  return {either_form({list_form(vector("m").form, 2), name_of("").form}),
          [allowed](Reading& reading, const YamlValue& value, const Form&, std::vector<Vec2>& points) {
            if (!value.is_list()) {
              for (const auto& row : read_rows(reading, value, {"x", "y"}, 2, Rows::any)) {
                points.emplace_back(row[0], row[1]);
              }
            } else {
              Mistakes mistakes;
              for (const YamlValue& entry : value.list(allowed)) {
                mistakes.attempt([&] { points.push_back(entry.vec2("m")); });
              }
              mistakes.throw_if_any();
              if (points.size() < 2) value.refuse(allowed);
            }
            for (std::size_t k = 1; k < points.size(); ++k) {
              if (points[k] == points[k - 1]) value.fail("has the same point twice running, must have different ones");
            }
          },
          nullptr};
}

const Section<Line>& line_section() {
  static const Section<Line> section =
      Section<Line>(
          "line",
          {
              key("points", &Line::points, points_of_line())
                  .required()
                  .says("of the surface, on the left of which the grains are; if the last one is the first one, "
                        "it is closed")
                  .example("[[0, 1], [0, 0], [1, 0]]"),
              key("thickness", &Line::thickness, number(Numbers::positive("m")))
                  .required()
                  .says("to the right")
                  .example("0.02"),
          })
          .with_table_below("line");
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

/// A rectangle that covers what of it is in the domain.
void read_half_plane(Reading& reading, const YamlValue& value, const Form&, WallEntry& wall) {
  HalfPlane form;
  half_plane_section().read(reading, value, form);
  if (!reading.mistakes.sound(value.path()) || !reading.mistakes.sound("domain")) return;
  const Domain& domain = reading.scene.domain;
  const Vec2 normal = form.normal.normalized();
  const Vec2 along(normal.y(), -normal.x());  // with the material on its right
  const double depth = (domain.hi - domain.lo).norm();
  double from = std::numeric_limits<double>::infinity();
  double to = -from;
  for (const Vec2& corner :
       {domain.lo, domain.hi, Vec2(domain.lo.x(), domain.hi.y()), Vec2(domain.hi.x(), domain.lo.y())}) {
    from = std::min(from, along.dot(corner - form.point));
    to = std::max(to, along.dot(corner - form.point));
  }
  const bool spans = (domain.periodic[0] && along.y() == 0.0) || (domain.periodic[1] && along.x() == 0.0);
  if (!spans) {  // beyond the corners, as grains that leave are wholly outside
    constexpr double kMargin = 0.1;
    from -= kMargin * depth;
    to += kMargin * depth;
  }
  const Vec2 a = form.point + from * along;
  const Vec2 b = form.point + to * along;
  wall.outlines = {{a - depth * normal, a, b, b - depth * normal}};
  if (cross(Vec2(b - a), Vec2(-normal)) < 0.0) std::ranges::reverse(wall.outlines.front());
  wall.pivot = form.point;
}

/// A convex body for each stretch between two points; neighbours share the line that halves their angle.
void read_line(Reading& reading, const YamlValue& value, const Form&, WallEntry& wall) {
  Line form;
  line_section().read(reading, value, form);
  if (!reading.mistakes.sound(value.path()) || form.points.size() < 2) return;
  std::vector<Vec2>& points = form.points;
  const bool is_closed = points.size() > 3 && points.front() == points.back();
  const auto right_of = [&](std::size_t k) -> Vec2 { return -perp(Vec2(points[k + 1] - points[k]).normalized()); };
  const std::size_t stretches = points.size() - 1;
  std::vector<Vec2> behind;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const bool is_end = k == 0 || k == stretches;
    const Vec2 before = right_of(is_end && !is_closed ? std::min(k, stretches - 1) : (k + stretches - 1) % stretches);
    const Vec2 after = right_of(is_end && !is_closed ? std::min(k, stretches - 1) : k % stretches);
    constexpr double kSharpest = 0.1;  // 1 + cosine: a turn by 154 degrees
    const double sum = 1.0 + before.dot(after);
    if (sum < kSharpest) value.fail(fmt::format("turns by more than 154 degrees at point {}, must turn less", k + 1));
    behind.emplace_back(points[k] + form.thickness / sum * (before + after));
  }
  for (std::size_t k = 0; k < stretches; ++k) {
    wall.outlines.push_back({points[k], behind[k], behind[k + 1], points[k + 1]});
    check_polygon(wall.outlines.back(), value,
                  fmt::format("a line that is thinner where it turns (between its points {} and {})", k + 1, k + 2));
  }
  wall.pivot = 0.5 * (points.front() + points[is_closed ? points.size() / 2 : stretches]);
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

/// Several motions, and when it is there.
void check_motions(const Context<WallEntry>& at) {
  for (const char* key : {"velocity", "rotation", "oscillation", "servo", "free", "torque", "moves_with"}) {
    if (at.given("motions") && at.given(key)) at.keys[key].refuse("left out beside motions");
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

template <class Drive>
Key<WallEntry> driven(std::string name, const Section<Drive>& section) {
  return key_of<WallEntry>(std::move(name), &Wall::drive, alternative<WallDrive>(mapping(section)))
      .only_in(Mode::soft)
      .otherwise("none");
}

/// What moves a wall from the beginning of a stage on, as it is written down.
struct ChangeEntry : Wall {};

/// Base motion and motions are one list then.
void finish(const Context<ChangeEntry>& at) {
  std::string first;
  for (const char* key : {"velocity", "motions", "servo", "free", "torque"}) {
    const bool given =
        at.given(key) || (std::string(key) == "velocity" && (at.given("rotation") || at.given("oscillation")));
    if (!given) continue;
    if (!first.empty()) at.keys[key].refuse("left out beside " + first);
    first = key;
  }
  ChangeEntry& change = at.value;
  if (first != "velocity") return;
  PhaseOfMotion motion;
  motion.velocity = change.velocity;
  motion.angular_velocity = change.angular_velocity;
  if (at.given("rotation") && at.keys["rotation"]["about"].given()) motion.about = change.pivot;
  motion.oscillation = change.oscillation;
  change.motions = {motion};
}

template <class Drive>
Key<ChangeEntry> new_drive(std::string name, const Section<Drive>& section) {
  return key_of<ChangeEntry>(std::move(name), &Wall::drive, alternative<WallDrive>(mapping(section))).otherwise("none");
}

}  // namespace

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

const Section<ChangeEntry>& change_section() {
  static const Section<ChangeEntry> section =
      Section<ChangeEntry>(
          "change",
          {
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
              new_drive<Servo>("servo", servo_section())
                  .says("as of [walls](#walls)")
                  .example("{towards: [0, -1], stress: 1000, speed: 0.05}"),
              new_drive<FreeWall>("free", free_section())
                  .says("as of [walls](#walls)")
                  .example("{along: [0, 1], mass: 50}"),
              new_drive<TorqueDrive>("torque", torque_section())
                  .says("as of [walls](#walls)")
                  .example("{torque: 2, inertia: 0.5}"),
          })
          .after(finish)
          .with_table_below("stages");
  return section;
}

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
              Key<WallEntry>("half_plane", mapping_form(half_plane_section().info()), read_half_plane, nullptr)
                  .says("all that is behind a line, as far as the domain goes")
                  .example("{point: [0, 0], normal: [0, 1]}"),
              Key<WallEntry>("line", mapping_form(line_section().info()), read_line, nullptr)
                  .says("an open or closed line with a thickness: a wall for each of its stretches")
                  .example("{points: [[0, 1], [0, 0], [1, 0]], thickness: 0.02}"),
              key_of<WallEntry>("velocity", &Wall::velocity, vector("m/s"))
                  .written_if([](const WallEntry& wall) { return wall.motions.empty(); })
                  .says("constant velocity")
                  .example("[0.1, 0]"),
              nested<WallEntry>("rotation", mapping(rotation_section()))
                  .written_if([](const WallEntry& wall) { return wall.motions.empty(); })
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
          })
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
