#include <vector>

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
                         })
          .exactly_one({"disk", "regular_polygon", "random_polygon", "polygon"})
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
              value.refuse("disk, {regular_polygon: ...}, {random_polygon: ...} or {polygon: ...}");
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
