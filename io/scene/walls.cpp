#include <string>
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

/// A wall for each outline; those of a ring are called by its name and their number.
void add_walls(const Context<WallEntry>& at) {
  const std::vector<std::vector<Vec2>>& outlines = at.value.outlines;
  if (at.reading.scene.walls.size() + outlines.size() > kMostWalls) {
    at.keys.self().fail(fmt::format("makes {} walls in this scene, must make at most {}",
                                    at.reading.scene.walls.size() + outlines.size(), kMostWalls));
  }
  Wall wall = at.value;
  for (std::size_t k = 0; k < outlines.size(); ++k) {
    wall.polygon = outlines[k];
    if (outlines.size() > 1) wall.name = fmt::format("{} {}", at.value.name, k + 1);
    if (at.sound("name") && !at.reading.wall_names.insert(wall.name).second) {
      at.keys["name"].fail(
          fmt::format("is '{}' again, must be another name than those of the walls before", shortened(wall.name)));
    }
    at.reading.scene.walls.push_back(wall);
  }
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
