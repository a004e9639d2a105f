#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "dem/mode.hpp"
#include "dem/scene/grain_shape.hpp"
#include "geometry/deterministic_math.hpp"
#include "geometry/pose.hpp"
#include "geometry/union.hpp"
#include "io/formats/outline_reader.hpp"
#include "io/scene/file_beside.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"

namespace scree::keys {

namespace {

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

/// Zeros without a sign: parts that are written are read again to the last bit, and reading them adds a position.
Vec2 without_minus(const Vec2& point) {
  return point + Vec2::Zero();
}

/// A polygon; or, if it is not convex, a clump of the parts into which it is split.
ShapeSpec shape_of(const std::vector<Vec2>& corners, const YamlValue& value, const std::string& allowed) {
  const auto is_convex = [](const std::vector<Vec2>& points) {
    try {
      const Polygon polygon(points);
      return true;
    } catch (const GeometryError&) {
      return false;
    }
  };
  if (is_convex(corners)) return ExplicitPolygon{corners};
  constexpr std::size_t kMostSplit = 500;  // a second
  if (corners.size() > kMostSplit) {
    value.fail(fmt::format("has {} corners and is not convex, must be {}, of at most {} corners if it is not convex",
                           corners.size(), allowed, kMostSplit));
  }
  try {
    const std::vector<std::vector<Vec2>> polygons = split_into_convex(corners);
    if (polygons.size() == 1) return ExplicitPolygon{polygons.front()};
    if (polygons.size() > Clump::kMostParts) {
      value.fail(fmt::format("is split into {} convex parts, must be {}, of at most {} convex parts", polygons.size(),
                             allowed, Clump::kMostParts));
    }
    std::vector<ConvexPart> parts;
    for (const std::vector<Vec2>& polygon : polygons) {
      std::vector<Vec2>& part = parts.emplace_back().polygon;
      std::ranges::transform(polygon, std::back_inserter(part), without_minus);
    }
    return Clump(std::move(parts));
  } catch (const GeometryError& error) {
    value.fail(fmt::format("is not a polygon ({}), must be {}", error.what(), allowed));
  }
}

/// The event-driven mode has no clumps.
void require_convex_in_hard_mode(const Reading& reading, const YamlValue& value, const ShapeSpec& shape) {
  if (reading.mode != Mode::hard || !std::holds_alternative<Clump>(shape)) return;
  value.fail("is not convex, must be a convex outline in hard mode");
}

Key<ShapeSpec> polygon_key() {
  return {"polygon", in_words(polygon_form(), "at least 3 corners `[x, y]`, in order, either sense [m]"),
          [](Reading& reading, const YamlValue& value, const Form&, ShapeSpec& shape) {
            shape = ExplicitPolygon{{{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}};
            const std::string allowed = "a polygon: a list of at least 3 corners [x, y] in order [m]";
            shape = shape_of(read_points(value, allowed), value, allowed);
            require_convex_in_hard_mode(reading, value, shape);
          },
          [](Writing& writing, const ShapeSpec& shape) {
            write_points(writing, std::get<ExplicitPolygon>(shape).vertices);
          },
          [](const ShapeSpec& shape) { return std::holds_alternative<ExplicitPolygon>(shape); }};
}

/// A part of a clump as it is written down.
struct PartEntry {
  std::vector<Vec2> polygon = {};
  Vec2 box = Vec2::Zero();
  double disk = 0.0;
  Vec2 position = Vec2::Zero();
  double angle = 0.0;

  ConvexPart part() const {
    if (disk > 0.0) return {.polygon = {}, .centre = position, .radius = disk};
    std::vector<Vec2> corners = polygon;
    if (corners.empty()) {
      const Vec2 half = 0.5 * box;
      corners = {{-half.x(), -half.y()}, {half.x(), -half.y()}, half, {-half.x(), half.y()}};
    }
    const Rotation rotation = Rotation::by(angle);
    for (Vec2& corner : corners) corner = without_minus(rotation * corner + position);
    return {.polygon = std::move(corners)};
  }
};

const Section<PartEntry>& part_section() {
  static const Section<PartEntry> section =
      Section<PartEntry>("part",
                         {
                             key("polygon", &PartEntry::polygon, polygon())
                                 .says("a convex polygon")
                                 .example("[[0, 0], [3, 0], [3, 1], [0, 1]]")
                                 .written_if([](const PartEntry& part) { return part.disk == 0.0; }),
                             key("box", &PartEntry::box, vector("m"))
                                 .says("a rectangle, its width and height, around the position")
                                 .example("[3, 1]")
                                 .written_if([](const PartEntry&) { return false; }),
                             key("disk", &PartEntry::disk, number(Numbers::positive("m")))
                                 .says("a disk, its radius, around the position")
                                 .example("0.5")
                                 .written_if([](const PartEntry& part) { return part.disk > 0.0; }),
                             key("position", &PartEntry::position, vector("m"))
                                 .says("where the part's origin is")
                                 .otherwise("[0, 0]")
                                 .example("[1, 0]")
                                 .written_if([](const PartEntry& part) { return part.disk > 0.0; }),
                             key("angle", &PartEntry::angle, number(Numbers::any("rad")))
                                 .says("counter-clockwise, about the part's origin")
                                 .otherwise("0")
                                 .example("1.5708")
                                 .written_if([](const PartEntry&) { return false; }),
                         })
          .exactly_one({"polygon", "box", "disk"})
          .after([](const Context<PartEntry>& at) {
            if (!at.given("box") || !at.sound("box") || (at.value.box.array() > 0.0).all()) return;
            at.keys["box"].refuse("a width and a height > 0 m");
          })
          .with_table_below("part");
  return section;
}

Key<ShapeSpec> parts_key() {
  const Kind<std::vector<PartEntry>> entries = list_of(mapping(part_section()), "a list of parts");
  return {"parts", entries.form,
          [entries](Reading& reading, const YamlValue& value, const Form&, ShapeSpec& shape) {
            std::vector<PartEntry> list;
            entries.read(reading, value, entries.form, list);
            if (!reading.mistakes.sound(value.path())) return;
            if (list.size() < 2) {
              value.fail(fmt::format("has {}, must have 2 or more; a shape of one part is given by polygon or disk",
                                     list.empty() ? "no parts" : "one part"));
            }
            if (list.size() > Clump::kMostParts) {
              value.fail(fmt::format("has {} parts, must have at most {}", list.size(), Clump::kMostParts));
            }
            std::vector<ConvexPart> parts;
            for (const PartEntry& entry : list) parts.push_back(entry.part());
            try {
              shape = Clump(std::move(parts));
            } catch (const GeometryError& error) {
              value.fail(fmt::format("cannot be one grain: {}", error.what()));
            }
          },
          [entries](Writing& writing, const ShapeSpec& shape) {
            std::vector<PartEntry> list;
            for (const ConvexPart& part : std::get<Clump>(shape).parts()) {
              list.push_back({.polygon = part.polygon,
                              .box = Vec2::Zero(),
                              .disk = part.is_disk() ? part.radius : 0.0,
                              .position = part.is_disk() ? part.centre : Vec2(Vec2::Zero())});
            }
            entries.write(writing, list);
          },
          [](const ShapeSpec& shape) { return std::holds_alternative<Clump>(shape); }};
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
      nullptr);
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
          return shape_of(read, value, "the name of a file with an outline");
        });
        shape = corners.value_or(ExplicitPolygon{{{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}}});
        require_convex_in_hard_mode(reading, value, shape);
      },
      nullptr);
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
                                 .says("a regular polygon")
                                 .example("{vertices: 6}"),
                             key("random_polygon", alternative<ShapeSpec>(mapping(random_polygon_section())))
                                 .says("another convex polygon for each grain")
                                 .example("{vertices: [5, 8], aspect: [1.0, 1.4]}"),
                             polygon_key()
                                 .says("a given polygon; the group's size scales it")
                                 .details("(one that is not convex is [split](#part) into parts)")
                                 .example("[[0, 0], [0.02, 0], [0, 0.01]]"),
                             parts_key()
                                 .refused_in(Mode::hard, "one convex shape in hard mode")
                                 .says("a grain of several parts that move together; the group's size scales it")
                                 .example("[{box: [3, 1]}, {box: [1, 3]}]"),
                             superellipse_key("ellipse", ellipse_section())
                                 .says("a polygon with its corners on an ellipse")
                                 .example("{aspect: 1.5, vertices: 24}"),
                             superellipse_key("superellipse", superellipse_section())
                                 .says("a polygon with its corners on a superellipse")
                                 .example("{aspect: 1.2, exponent: 4, vertices: 24}"),
                             outline_key()
                                 .says("a polygon from a file, .csv or .svg; the group's size scales it")
                                 .details("([below](#outlines-from-files))")
                                 .example("pebble.svg"),
                         })
          .exactly_one(
              {"disk", "regular_polygon", "random_polygon", "polygon", "parts", "ellipse", "superellipse", "outline"})
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
                  "disk, or a mapping with one of regular_polygon, random_polygon, polygon, parts, ellipse, "
                  "superellipse or outline");
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
