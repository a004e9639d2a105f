// Draws the figures of docs/theory.md from what the narrowphase finds, and those of other pages.
//
// usage: draw_figures DIRECTORY           writes them
//        draw_figures --check DIRECTORY   tells by the exit status whether those there are the same, to the byte

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

#include "docs/figures/pages.hpp"
#include "docs/figures/picture.hpp"
#include "docs/figures/reversible.hpp"
#include "geometry/closest_features.hpp"
#include "geometry/outlines.hpp"
#include "geometry/overlap.hpp"
#include "geometry/polygon_makers.hpp"

namespace scree::figures {
namespace {

/// The point of a feature that is nearest to x.
Vec2 nearest(const Points& ring, Feature feature, const Vec2& x) {
  const Vec2& start = around(ring, feature / 2);
  if (feature % 2 == 0) return start;
  const Vec2 along = around(ring, feature / 2 + 1) - start;
  return start + std::clamp((x - start).dot(along) / along.squaredNorm(), 0.0, 1.0) * along;
}

std::string walk_of_closest_features() {
  const Polygon a(Points{{-1.2, -1.1}, {0.5, -1.4}, {1.5, -0.7}, {1.7, 0.3}, {1.0, 1.2}, {-0.4, 1.5}, {-1.6, 0.6}});
  const Polygon b(Points{{-0.9, -0.5}, {0.1, -0.95}, {0.95, -0.4}, {0.8, 0.6}, {-0.2, 0.95}});
  const Pose before{Rotation::by(5.6) * Vec2(2.9, 0.0), Rotation::by(0.3)};
  const Pose now{Rotation::by(6.1) * Vec2(3.3, 0.0), Rotation::by(-1.7)};
  constexpr std::array<FeaturePair, 5> kWalk{{{4, 8}, {5, 8}, {6, 9}, {6, 1}, {5, 2}}};
  const Points of_a = placed(a);
  const Points of_b = placed(b, now);

  Picture picture(720, 450);
  picture.look_at({1.4, -0.6}, 330.0, 225.0, 86.0);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const Vec2& v = of_a[i];
    const Vec2 first = v - 9.0 * perp(v - around(of_a, i + of_a.size() - 1)).normalized();
    const Vec2 last = v - 9.0 * perp(around(of_a, i + 1) - v).normalized();
    picture.shape({v, first, last}, "wedge");
    picture.line({first, v, last}, "thin dashed");
  }
  picture.shape(of_a, "a");
  picture.shape(placed(b, before), "b dashed");
  picture.shape(of_b, "b");
  bool as_drawn = closest_features(a.vertices(), b.vertices(), before, {}).features == kWalk[0];
  for (std::size_t k = 0; k < kWalk.size(); ++k) {
    const ClosestFeatures found = closest_features(a.vertices(), b.vertices(), now, kWalk[k]);
    as_drawn = as_drawn && found.steps == static_cast<int>(kWalk.size() - 1 - k);
    const Vec2 on_b = nearest(of_b, kWalk[k].b, nearest(of_a, kWalk[k].a, Vec2::Zero()));  // one is a vertex
    const Vec2 on_a = nearest(of_a, kWalk[k].a, on_b);
    picture.line({on_a, on_b}, found.steps == 0 ? "bold" : "");
    picture.number(0.5 * (on_a + on_b), static_cast<int>(k) + 1);
  }
  if (!as_drawn) throw std::logic_error("the walk from the hint goes another way");
  picture.text({-0.1, 0.0}, 0.0, 0.0, "a", "a i");
  picture.text(now.position, 0.0, 50.0, "b", "b i");
  picture.text(before.position, 55.0, 65.0, "b when the hint was right", "b");
  picture.text({4.0, 1.2}, 0.0, 0.0, "region of a vertex", "a");
  picture.text({-0.4, -2.6}, -85.0, 0.0, "region of an edge", "a");
  return picture.svg();
}

/// Draws the common region with its arcs in the colours of their polygons.
/// @return the chords of the arcs of a: begin and end of each
Points draw_overlap(Picture& picture, const Polygon& a, const Polygon& b, const Pose& b_in_a) {
  picture.shape(placed(a), "a");
  picture.shape(placed(b, b_in_a), "b");
  const Points region = overlap_polygon(a.vertices(), b.vertices(), b_in_a);
  picture.shape(region, "region");
  const Points outline = placed(a);
  const auto on_a = [&](std::size_t edge) {
    const Vec2 middle = 0.5 * (around(region, edge) + around(region, edge + 1));
    double distance = 1.0;
    for (Feature i = 1; i < 2 * outline.size(); i += 2) {
      distance = std::min(distance, (nearest(outline, i, middle) - middle).norm());
    }
    return distance < 1e-9;
  };
  Points chords;
  for (std::size_t i = 0; i < region.size(); ++i) {
    picture.line({region[i], around(region, i + 1)}, on_a(i) ? "a arc" : "b arc");
    if (on_a(i) != on_a(i + region.size() - 1)) chords.push_back(region[i]);
  }
  return chords;
}

std::string common_region() {
  const Polygon a(Points{{-1.7, -1.0}, {-0.3, -1.5}, {1.2, -1.0}, {1.75, 0.1}, {1.3, 1.0}, {-0.2, 1.6}, {-1.6, 0.7}});
  const Polygon b(Points{{-1.5, 0.3}, {-1.1, -1.1}, {0.6, -1.4}, {1.6, -0.2}, {0.9, 1.3}, {-0.4, 1.3}});
  const Pose b_in_a{{1.95, 0.65}, Rotation::by(0.5)};
  const Overlap found = overlap(a.vertices(), b.vertices(), b_in_a);
  Picture picture(640, 430);
  picture.look_at({1.05, 0.2}, 320.0, 215.0, 140.0);
  draw_overlap(picture, a, b, b_in_a);

  const Vec2 tangent = perp(found.normal);
  double lowest = 1e9;
  double beside = 1e9;
  for (const Vec2& v : overlap_polygon(a.vertices(), b.vertices(), b_in_a)) {
    lowest = std::min(lowest, found.normal.dot(v));
    beside = std::min(beside, tangent.dot(v) - 0.22);
  }
  const Vec2 low = lowest * found.normal + beside * tangent;
  const Vec2 high = low + found.depth * found.normal;
  for (const Vec2& end : {low, high}) {
    picture.line({end - 0.12 * tangent, end + 1.6 * tangent}, "thin dashed");
    picture.arrow(0.5 * (low + high), end, "");
  }
  picture.text(0.5 * (low + high), -14.0, 22.0, "δ", "i");
  const Vec2 middle = 0.5 * (found.chord_begin + found.chord_end);
  picture.vector(found.chord_begin, found.chord_end, -40.0, -60.0, "d");
  picture.vector(middle, middle + 0.75 * found.normal, 58.0, -10.0, "n");
  picture.dot(found.centroid);
  picture.text(found.centroid, 2.0, 24.0, "centroid");
  picture.point(found.chord_begin, 0.0, 22.0, "P");
  picture.point(found.chord_end, -4.0, -10.0, "Q");
  picture.text({-0.6, 0.0}, 0.0, 0.0, "a", "a i");
  picture.text({2.5, 1.2}, 0.0, 0.0, "b", "b i");
  return picture.svg();
}

std::string crossed_swords() {
  const Polygon a(Points{{-2.2, -0.9}, {-0.4, -0.78}, {2.1, -0.16}, {2.1, 0.16}, {-0.4, 0.78}, {-2.2, 0.9}});
  const Polygon b(Points{{-1.7, -0.85}, {1.7, -0.4}, {1.7, 0.4}, {-1.7, 0.85}});
  const Pose b_in_a{{-0.1, 0.0}, Rotation::by(1.2)};
  const Overlap found = overlap(a.vertices(), b.vertices(), b_in_a);
  Picture picture(720, 510);
  picture.look_at({0.0, 0.0}, 245.0, 200.0, 98.0);
  const Points chords = draw_overlap(picture, a, b, b_in_a);

  // The forces of the arcs, each through the middle of its chord, and their sum have one point in common.
  const auto line_of_action = [&](const Vec2& begin, const Vec2& end, double reach) {
    const Vec2 middle = 0.5 * (begin + end);
    picture.line({middle, middle - reach * perp(end - begin).normalized()}, "thin dashed");
  };
  line_of_action(chords[0], chords[1], 2.5);
  line_of_action(chords[2], chords[3], -4.0);
  line_of_action(found.chord_begin, found.chord_end, 2.5);
  picture.vector(chords[0], chords[1], 12.0, -8.0, "d₁");
  picture.vector(chords[2], chords[3], 12.0, 22.0, "d₂");
  picture.vector(found.chord_begin, found.chord_end, -128.0, 32.0, "d = d₁ + d₂", "sum");
  picture.text({1.4, 0.0}, 0.0, 0.0, "a", "a i");
  picture.text({0.5, 1.45}, 0.0, 0.0, "b", "b i");

  const Vec2 d_1 = chords[1] - chords[0];
  const Vec2 d = found.chord_end - found.chord_begin;
  picture.look_at({0.0, 0.0}, 470.0, 430.0, 98.0);
  picture.vector({0.0, 0.0}, d_1, 4.0, 20.0, "d₁");
  picture.vector(d_1, d, 4.0, -10.0, "d₂");
  picture.vector({0.0, 0.0}, d, -24.0, -8.0, "d", "sum");
  return picture.svg();
}

std::string vertex_inside() {
  using namespace outlines;
  const Polygon q = regular_polygon(11, 1.75);
  const Points corners = placed(q);
  const Outline outline = q.vertices();
  const Fixed ring(outline);
  const int hint = 5;  // the edge across which the edge to the vertex came in
  const Vec2 start(-2.3, 0.1);
  const Vec2 vertex(0.75, 0.6);
  Picture picture(760, 360);

  picture.look_at({0.0, 0.0}, 195.0, 200.0, 82.0);
  picture.text({-1.8, 2.1}, 0.0, 0.0, "where the edge's line goes out");
  picture.shape(corners, "b");
  ExitWalk<Fixed, Fixed> way_out(ring, hint, start, vertex, true);
  for (int n = 1;; ++n) {
    const bool there = way_out.step();
    picture.number(1.1 * around(corners, way_out.edge()), n);
    if (there) break;
  }
  picture.line({around(corners, way_out.edge()), around(corners, way_out.edge() + 1)}, "b arc");
  picture.line({vertex, vertex + 0.6 * (vertex - start)}, "a dashed");
  picture.arrow(start, vertex, "a bold");

  picture.look_at({0.0, 0.0}, 560.0, 200.0, 82.0);
  picture.text({-1.8, 2.1}, 0.0, 0.0, "the fan of triangles");
  picture.shape(corners, "b");
  const Vec2& apex = around(corners, hint + 1 + corners.size() / 2);
  FanWalk<Fixed> fan(ring, hint, vertex);
  for (int n = 1;; ++n) {
    const Vec2& begin = around(corners, fan.edge());
    const Vec2& end = around(corners, fan.edge() + 1);
    const bool there = fan.step();
    picture.shape({apex, begin, end}, there ? "triangle bold" : "triangle");
    picture.number(0.55 * (begin + end), n);
    if (there) break;
  }
  picture.dot(vertex);
  picture.text(apex, 5.0, 5.0, "apex");
  return picture.svg();
}

/// The triangle of an arc's end edges and the chord.
void draw_certificate(Picture& picture, const Points& ring, Feature in, Feature out, const Vec2& from, const Vec2& to) {
  const Vec2 first = around(ring, in / 2 + 1) - around(ring, in / 2);
  const Vec2 last = around(ring, out / 2 + 1) - around(ring, out / 2);
  const Vec2 top = from + cross(to - from, last) / cross(first, last) * first;
  picture.shape({from, top, to}, "triangle");
  picture.dot(top);
}

std::string long_arcs() {
  const Polygon a = regular_polygon(48, 1.0);
  const Polygon b = regular_polygon(40, 0.85);
  const Pose b_in_a{{1.3, 0.25}, Rotation::by(0.1)};
  PairHint hint;
  const Overlap found = overlap(a.vertices(), b.vertices(), b_in_a, hint);
  const Points of_a = placed(a);
  const Points of_b = placed(b, b_in_a);

  Picture picture(720, 330);
  picture.look_at({0.6, 0.1}, 218.0, 180.0, 125.0);
  picture.text({-1.0, 1.25}, 0.0, 0.0, "the triangles of the end edges");
  draw_overlap(picture, a, b, b_in_a);
  draw_certificate(picture, of_a, hint.features.a, hint.leaving.a, found.chord_begin, found.chord_end);
  draw_certificate(picture, of_b, hint.leaving.b, hint.features.b, found.chord_end, found.chord_begin);

  picture.text({-0.8, 0.1}, 0.0, 0.0, "a", "a i");
  picture.text({1.8, 0.25}, 0.0, 0.0, "b", "b i");
  const Vec2& u = around(of_a, hint.features.a / 2 + 1);
  const Vec2& v = around(of_a, hint.leaving.a / 2);
  Points arc{u};
  for (std::size_t i = hint.features.a / 2 + 2; arc.back() != v; ++i) arc.push_back(around(of_a, i));
  picture.look_at({0.0, 0.0}, 565.0, 192.5, 125.0);
  picture.text({-1.0, 1.25}, 0.0, 0.0, "a long arc of a by two running sums");
  picture.shape(of_a, "a");
  picture.shape(arc, "region");
  picture.line(arc, "a arc");
  picture.line({u, {0.0, 0.0}, v, u}, "");
  picture.dot({0.0, 0.0});
  picture.point(u, 8.0, 12.0, "u");
  picture.point(v, 8.0, 2.0, "v");
  return picture.svg();
}

}  // namespace
}  // namespace scree::figures

int main(int count, char** arguments) {
  using namespace scree::figures;
  const bool check = count == 3 && std::string(arguments[1]) == "--check";
  if (count != 2 && !check) {
    std::fputs("usage: draw_figures [--check] DIRECTORY\n", stderr);
    return 2;
  }
  std::map<std::string, std::string> figures{{"walk_of_closest_features", walk_of_closest_features()},
                                             {"common_region", common_region()},
                                             {"crossed_swords", crossed_swords()},
                                             {"vertex_inside", vertex_inside()},
                                             {"long_arcs", long_arcs()}};
  figures.merge(reversible_figures());
  figures.merge(figures_of_pages());
  bool same = true;
  for (const auto& [name, svg] : figures) {
    const std::string path = std::string(arguments[count - 1]) + "/" + name + ".svg";
    if (!check) std::ofstream(path, std::ios::binary) << svg;
    std::ifstream file(path, std::ios::binary);
    if (std::string(std::istreambuf_iterator<char>(file), {}) == svg) continue;
    std::fprintf(stderr, "%s is not what is drawn now: build the target figures\n", path.c_str());
    same = false;
  }
  return same ? 0 : 1;
}
