#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dem/mode.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/region.hpp"
#include "geometry/polygon.hpp"
#include "geometry/polygon_makers.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/tables.hpp"
#include "io/scene/wall_parts.hpp"

namespace scree::keys {

namespace {

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
          .after(has_direction("normal", &HalfPlane::normal))
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

const Section<Region>& box_section() {
  static const Section<Region> section("box", {axis<Region>("x", 0).required().says("from left to right"),
                                               axis<Region>("y", 1).required().says("from bottom to top")});
  return section;
}

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
  const Domain& domain = reading.domain();
  const Vec2 normal = form.normal.normalized();
  const Vec2 along(normal.y(), -normal.x());  // with the material on its right
  const double depth = (domain.hi - domain.lo).norm();
  double from = std::numeric_limits<double>::infinity();
  double to = -from;
  const std::array corners = {domain.lo, domain.hi, Vec2(domain.lo.x(), domain.hi.y()),
                              Vec2(domain.hi.x(), domain.lo.y())};
  for (const Vec2& corner : corners) {
    from = std::min(from, along.dot(corner - form.point));
    to = std::max(to, along.dot(corner - form.point));
  }
  double in_front = -std::numeric_limits<double>::infinity();
  for (const Vec2& corner : corners) in_front = std::max(in_front, normal.dot(corner - form.point));
  if (in_front <= 0.0) {
    value["point"].fail(fmt::format("is ({:g}, {:g}), with all of the domain behind it, must leave room in front [m]",
                                    form.point.x(), form.point.y()));
  }
  // Beyond the corners, as grains that leave are wholly outside, and those in a periodic domain reach over its sides.
  constexpr double kMargin = 0.1;
  from -= kMargin * depth;
  to += kMargin * depth;
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

}  // namespace

std::vector<Key<WallEntry>> outline_keys() {
  return {
      Key<WallEntry>("polygon", polygon_form(), read_corners, write_outline)
          .written_if([](const WallEntry& wall) { return wall.polygon.size() > 2; })
          .says("outline at time 0")
          .example("[[0, 0], [1, 0], [0, 1]]"),
      Key<WallEntry>("box", in_words(mapping_form(box_section().info()), "`x` and `y`, `[lo, hi]` each [m]"), read_box,
                     nullptr)
          .says("outline at time 0")
          .example("{x: [0, 1], y: [-0.1, 0]}"),
      Key<WallEntry>("segment", in_words(list_form(vector("m").form, 2, 2), "two points `[x, y]` [m]"), read_segment,
                     write_outline)
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
  };
}

}  // namespace scree::keys
