#include <cmath>
#include <filesystem>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "geometry/deterministic_math.hpp"
#include "io/outline_reader.hpp"
#include "io/scene/file_beside.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"

namespace scree::keys {

namespace {

constexpr WholeNumbers kVertices = {.least = 3, .greatest = 10'000};  // more, and a polygon's corners are no corners
constexpr double kGreatestAspect = 100.0;

const Section<Disk>& disk_section() {
  static const Section<Disk> section("disk", {});
  return section;
}

const Section<RegularPolygon>& regular_polygon_section() {
  static const Section<RegularPolygon> section("regular_polygon",
                                               {key("vertices", &RegularPolygon::vertices, whole_number<int>(kVertices))
                                                    .required()
                                                    .says("number of corners")
                                                    .example("6")});
  return section;
}

const Section<RandomPolygon>& random_polygon_section() {
  const Numbers aspects = {.least = 1.0, .greatest = kGreatestAspect, .reason = "long axis over short axis"};
  static const Section<RandomPolygon> section =
      Section<RandomPolygon>("random_polygon",
                             {
                                 key("vertices", &RandomPolygon::vertices, range(kVertices))
                                     .required()
                                     .says("number of corners")
                                     .example("[5, 8]"),
                                 key("aspect", &RandomPolygon::aspect, range(aspects))
                                     .says("long over short axis of the ellipse around it")
                                     .otherwise("1")
                                     .example("[1.0, 1.4]"),
                             })
          .with_defaults();
  return section;
}

Kind<ExplicitPolygon> explicit_polygon() {
  return {polygon_form(),
          [](Reading&, const YamlValue& value, const Form&, ExplicitPolygon& polygon) {
            polygon.vertices = read_polygon(value);
          },
          [](Writing& writing, const ExplicitPolygon& polygon) { write_points(writing, polygon.vertices); }};
}

/// |x/a|^n + |y/b|^n = 1 with b = 1; an ellipse, where n is 2.
struct Superellipse {
  double aspect = 1.0;
  double exponent = 2.0;
  int vertices = 24;
};

Key<Superellipse> vertices_key() {
  return key("vertices", &Superellipse::vertices, whole_number<int>({.least = 4, .greatest = 1000}))
      .says("number of corners")
      .otherwise("24")
      .example("24");
}
Key<Superellipse> aspect_key() {
  return key("aspect", &Superellipse::aspect,
             number({.least = 1.0, .greatest = kGreatestAspect, .reason = "long axis over short axis"}))
      .required()
      .says("long over short axis")
      .example("1.5");
}

const Section<Superellipse>& ellipse_section() {
  static const Section<Superellipse> section("ellipse", {aspect_key(), vertices_key()});
  return section;
}

const Section<Superellipse>& superellipse_section() {
  static const Section<Superellipse> section(
      "superellipse", {aspect_key(),
                       key("exponent", &Superellipse::exponent, number({.least = 1.1, .greatest = 10.0}))
                           .required()
                           .says("n of |x/a|^n + |y/b|^n = 1: 2 an ellipse, more a rounded rectangle")
                           .example("4"),
                       vertices_key()});
  return section;
}

/// As many corners in each quarter, where |x/a|^n = cos^2 t and |y/b|^n = sin^2 t at equal steps of t: close where the
/// curve turns.
std::vector<Vec2> corners_of(const Superellipse& shape) {
  std::vector<Vec2> corners;
  const auto power = [&](double x) {
    const double size = std::abs(x);
    const double root = size > 0.0 ? deterministic::exp(2.0 / shape.exponent * deterministic::log(size)) : 0.0;
    return x < 0.0 ? -root : root;
  };
  for (int k = 0; k < shape.vertices; ++k) {
    const auto [sin, cos] = deterministic::sincos(2.0 * std::numbers::pi * (k + 0.5) / shape.vertices);
    corners.emplace_back(shape.aspect * power(cos), power(sin));
  }
  return corners;
}

/// Another way to give a polygon.
Key<ShapeSpec> superellipse_key(const char* name, const Section<Superellipse>& section) {
  return Key<ShapeSpec>(
             name, mapping_form(section.info()),
             [&section](Reading& reading, const YamlValue& value, const Form&, ShapeSpec& shape) {
               Superellipse read;
               section.read(reading, value, read);
               if (!reading.mistakes.sound(value.path())) return;
               const std::vector<Vec2> corners = corners_of(read);
               check_polygon(corners, value, "a shape with fewer vertices, or a smaller exponent");
               shape = ExplicitPolygon{corners};
             },
             nullptr)
      .refused_in(Mode::hard, "disk in hard mode");
}

Key<ShapeSpec> outline_key() {
  return Key<ShapeSpec>(
             "outline", name_of("").form,
             [](Reading& reading, const YamlValue& value, const Form&, ShapeSpec& shape) {
               const std::string name = value.name("the name of a file with an outline");
               const auto corners = read_beside(reading, value, name, [&](const std::filesystem::path& file) {
                 const std::vector<Vec2> read = read_outline(file);
                 if (read.size() < 3) {
                   value.fail(fmt::format("has an outline of {} corners, must have at least 3", read.size()));
                 }
                 check_polygon(read, value, "the name of a file with a convex outline");
                 return read;
               });
               shape = ExplicitPolygon{corners.value_or(std::vector<Vec2>{{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}})};
             },
             nullptr)
      .refused_in(Mode::hard, "disk in hard mode");
}

}  // namespace

const Section<ShapeSpec>& shape_section() {
  static const Section<ShapeSpec> section =
      Section<ShapeSpec>("shape",
                         {
                             key("disk", alternative<ShapeSpec>(mapping(disk_section())))
                                 .says("a disk")
                                 .details("(`shape: disk` is enough)")
                                 .example("{}"),
                             key("regular_polygon", alternative<ShapeSpec>(mapping(regular_polygon_section())))
                                 .refused_in(Mode::hard, "disk in hard mode")
                                 .says("a regular polygon")
                                 .example("{vertices: 6}"),
                             key("random_polygon", alternative<ShapeSpec>(mapping(random_polygon_section())))
                                 .refused_in(Mode::hard, "disk in hard mode")
                                 .says("another convex polygon for each grain")
                                 .example("{vertices: [5, 8], aspect: [1.0, 1.4]}"),
                             key("polygon", alternative<ShapeSpec>(explicit_polygon()))
                                 .refused_in(Mode::hard, "disk in hard mode")
                                 .says("a given polygon; the group's size scales it")
                                 .example("[[0, 0], [0.02, 0], [0, 0.01]]"),
                             superellipse_key("ellipse", ellipse_section())
                                 .says("a polygon with its corners on an ellipse")
                                 .example("{aspect: 1.5, vertices: 24}"),
                             superellipse_key("superellipse", superellipse_section())
                                 .says("a polygon with its corners on a superellipse")
                                 .example("{aspect: 1.2, exponent: 4, vertices: 24}"),
                             outline_key()
                                 .says("a convex polygon from a file, .csv or .svg; the group's size scales it")
                                 .details("([below](#outlines-from-files))")
                                 .example("pebble.svg"),
                         })
          .exactly_one({"disk", "regular_polygon", "random_polygon", "polygon", "ellipse", "superellipse", "outline"})
          .with_table_below("shape");
  return section;
}

Kind<ShapeSpec> shape() {
  return {either_form({word_form({"disk"}), mapping_form(shape_section().info())}),
          [](Reading& reading, const YamlValue& value, const Form&, ShapeSpec& shape) {
            if (value.is("disk")) {
              shape = Disk{};
              return;
            }
            if (!value.is_mapping()) {
              value.refuse(
                  "disk, or a mapping with one of regular_polygon, random_polygon, polygon, ellipse, superellipse or "
                  "outline");
            }
            shape_section().read(reading, value, shape);
          },
          [](Writing& writing, const ShapeSpec& shape) {
            if (std::holds_alternative<Disk>(shape)) {
              writing.out << "disk";
              return;
            }
            writing.out << YAML::Flow;
            shape_section().write(writing, shape);
          }};
}

}  // namespace scree::keys
