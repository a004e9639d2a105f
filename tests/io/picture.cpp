#include "io/pages/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/pages/svg_plot.hpp"
#include "tests/io/made_up_state.hpp"

namespace scree::picture_test {

namespace {

std::size_t count(const Picture& picture, Mark::Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(picture.marks, kind, &Mark::kind));
}

Scene scene_with(bool reflecting) {
  Scene scene;
  scene.title = "Grains & walls";
  scene.domain = {.lo = {-1.0, -1.0}, .hi = {3.0, 2.0}, .reflecting = reflecting};
  return scene;
}

}  // namespace

TEST_CASE("every grain, wall and strong contact of a state is in its picture, inside the frame") {
  const State state = made_up_heap(20);
  PictureScales scales(scene_with(false));
  scales.add(state);
  const Picture picture = picture_of(state, scene_with(false), scales, {.words = false});
  const ParticleState& p = state.particles;
  std::size_t disks = 0;
  for (std::size_t i = 0; i < p.size(); ++i) disks += p.outlines.first[i] == p.outlines.first[i + 1] ? 1U : 0U;
  CHECK(count(picture, Mark::Kind::disk) == disks);
  CHECK(count(picture, Mark::Kind::polygon) + count(picture, Mark::Kind::disk) >= p.size() + 1);
  CHECK(count(picture, Mark::Kind::line) > 0);
  CHECK(count(picture, Mark::Kind::text) == 0);
  for (const Mark& mark : picture.marks) {
    if (mark.kind != Mark::Kind::disk) continue;
    CHECK(mark.points[0].x() > 0.0);
    CHECK(mark.points[0].x() < picture.width);
    CHECK(mark.points[0].y() > 0.0);
    CHECK(mark.points[0].y() < picture.height);
  }
  const std::size_t lines = count(picture, Mark::Kind::line);
  const Picture without = picture_of(state, scene_with(false), scales, {.chains = false, .words = false});
  CHECK(count(without, Mark::Kind::line) < lines);
}

TEST_CASE("a long grain is in its picture as a whole") {
  State state;
  ParticleState& p = state.particles;
  p.id = {1};
  p.position = {{0.0, 0.0}};
  p.velocity = {{0.0, 0.0}};
  p.radius = {0.3};
  p.outlines = {.vertices = {{-1.0, -0.07}, {1.0, -0.07}, {1.0, 0.07}, {-1.0, 0.07}}, .first = {0, 4}};
  PictureScales scales(scene_with(false));
  scales.add(state);
  CHECK(scales.region().lo == Vec2(-1.0, -0.3));
  CHECK(scales.region().hi == Vec2(1.0, 0.3));
}

TEST_CASE("sides that throw back are in the picture, open ones are not") {
  const State state = made_up_heap(8);
  PictureScales open(scene_with(false));
  PictureScales closed(scene_with(true));
  open.add(state);
  closed.add(state);
  CHECK(open.region().hi.x() < 1.0);
  CHECK(closed.region().lo == Vec2(-1.0, -1.0));
  CHECK(closed.region().hi == Vec2(3.0, 2.0));
}

TEST_CASE("a cell that deforms is its parallelogram, with each grain and half of a contact in it") {
  Scene scene = scene_with(false);
  scene.domain.periodic = {true, true};
  scene.domain.cell = CellDrive{.xy = {.rate = 1.0}};
  const Vec2 centre(1.0, 0.5);
  State state;
  state.cell = CellState{.length = {4.0, 3.0}, .tilt = 1.5, .strain = {}, .rate = {}, .stress = {}, .work = 0.0};
  ParticleState& p = state.particles;
  p.id = {1, 2, 3};
  p.position = {{-0.5, 1.9}, {0.2, 1.9}, {2.9, -0.9}};  // the first and the last are beyond the slanted sides
  p.radius = {0.36, 0.36, 0.2};
  p.velocity.assign(3, Vec2(0.0, 0.0));
  p.angle.assign(3, 0.0);
  p.outlines.first.assign(4, 0);
  state.contacts = {{.id1 = 1,
                     .id2 = 2,
                     .centre1 = p.position[0],
                     .point = {-0.15, 1.9},
                     .centre2 = p.position[1],
                     .image_shift = {0.0, 0.0},
                     .force = {1.0, 0.0},
                     .force_normal = 1.0,
                     .force_tangential = 0.0,
                     .overlap = 0.0,
                     .depth = 0.02,
                     .sliding = false}};
  const std::optional<State> moved = in_parallelogram(state, centre);
  REQUIRE(moved);
  CHECK(!in_parallelogram(State(), centre));
  CHECK((moved->particles.position[0] - Vec2(3.5, 1.9)).norm() < 1e-12);
  CHECK(moved->particles.position[1] == p.position[1]);
  CHECK((moved->particles.position[2] - Vec2(-1.1, -0.9)).norm() < 1e-12);
  REQUIRE(moved->contacts.size() == 2);
  for (const ContactState& half : moved->contacts) {
    const Vec2 at = moved->particles.position[half.id1 - 1];
    CHECK((half.centre1 - at).norm() < 1e-12);
    CHECK(std::abs((half.point - at).norm() - 0.35) < 1e-12);
    CHECK(half.centre2 == half.point);
    CHECK(half.force == (half.id1 == 1 ? Vec2(1.0, 0.0) : Vec2(-1.0, 0.0)));
  }
  PictureScales scales(scene);
  scales.add(state);
  // Another frame may be tilted the other way, and by half of a period.
  CHECK((scales.region().lo - Vec2(-2.0, -1.1)).norm() < 1e-12);
  CHECK((scales.region().hi - Vec2(4.0, 2.26)).norm() < 1e-12);
  const Picture picture = picture_of(state, scene, scales, {.words = false});
  std::size_t dashed = 0;
  for (const Mark& mark : picture.marks) {
    if (!mark.dashed) continue;
    ++dashed;
    const Vec2 way = mark.points[1] - mark.points[0];
    const double slope = std::abs(way.y()) < 1e-9 ? 0.0 : way.x() / -way.y();
    CHECK(std::abs(slope - (std::abs(way.y()) < 1e-9 ? 0.0 : 0.5)) < 1e-9);
  }
  CHECK(dashed == 4);
}

TEST_CASE("a note stands behind the time") {
  const PictureScales scales(scene_with(false));
  const auto says = [&](const std::string& note, const std::string& text) {
    const Picture picture = picture_of({}, scene_with(false), scales, {.note = note});
    return std::ranges::count(picture.marks, text, &Mark::text) == 1;
  };
  CHECK(says("", "t = 0 s"));
  CHECK(says(", 0.1 x real time", "t = 0 s, 0.1 x real time"));
}

TEST_CASE("grains have the colours that their scales are made for") {
  Scene scene = scene_with(false);
  scene.title = "";
  State state = made_up_heap(8);
  ParticleState& p = state.particles;
  const auto colours = [&](const std::string& choice) {
    PictureScales scales(scene, choice);
    scales.add(state);
    std::vector<Colour> all;  // of grains: the marks with an edge
    for (const Mark& mark : picture_of(state, scene, scales, {.chains = false, .words = false}).marks) {
      if (mark.edge) all.push_back(mark.colour);
    }
    return all;
  };
  const std::vector<Colour> plain = colours("none");
  REQUIRE(plain.size() == p.size());
  CHECK(std::ranges::count(plain, plain.front()) == static_cast<std::ptrdiff_t>(p.size()));
  CHECK(colours("") == colours("speed"));
  CHECK(colours("scene") == colours("speed"));  // it gives none
  p.material.assign(p.size(), 0);
  p.material[2] = 1;
  const std::vector<Colour> kinds = colours("material");
  CHECK(kinds[1] == kinds[0]);
  CHECK(kinds[2] != kinds[0]);
  p.angular_velocity.assign(p.size(), 0.0);
  p.angular_velocity[0] = -1.0;
  p.angular_velocity[1] = 1.0;
  const std::vector<Colour> turning = colours("angular_velocity");
  CHECK(turning[0] != turning[1]);  // it has a sign
  CHECK(turning[2] == Colour{0xe9, 0xe4, 0xda});
  p.colour.assign(p.size(), Colour{1, 2, 3});
  CHECK(colours("") == p.colour);
  CHECK(colours("none") == plain);
}

TEST_CASE("a picture of nothing is the domain") {
  const Scene scene = scene_with(false);
  const PictureScales scales(scene);
  CHECK(scales.region().hi == scene.domain.hi);
  const std::string text = svg(picture_of({}, scene, scales));
  CHECK(text.starts_with("<svg "));
  CHECK(text.ends_with("</svg>\n"));
  CHECK(text.find("Grains &amp; walls") != std::string::npos);
}

TEST_CASE("words beside the marks of a scale do not run into one another, whatever the greatest speed") {
  for (const double speed : {0.0019, 0.0017, 0.00045, 0.08, 0.11, 0.23, 0.7, 1.3, 7.7, 1.4e-5, 123456.0}) {
    CAPTURE(speed);
    State state;
    ParticleState& p = state.particles;
    p.id = {1};
    p.type = p.material = p.coordination = {0};
    p.radius = {0.1};
    p.mass = p.inertia = {1.0};
    p.position = p.force = {{0.0, 0.0}};
    p.velocity = {{speed, 0.0}};
    p.image = {{0, 0}};
    p.angle = p.angular_velocity = p.torque = {0.0};
    p.outlines.first = {0, 0};
    PictureScales scales(scene_with(false));
    scales.add(state);
    const Picture picture = picture_of(state, scene_with(false), scales);
    std::vector<const Mark*> words;  // from left to right
    for (const Mark& mark : picture.marks) {
      if (mark.kind == Mark::Kind::text && mark.anchor == Anchor::middle) words.push_back(&mark);
    }
    REQUIRE(words.size() >= 2);
    CHECK(words.front()->text == "0");
    constexpr double kDigit = 0.56;  // width over size, of Helvetica and its kin
    for (std::size_t k = 1; k < words.size(); ++k) {
      const double letters = 0.5 * static_cast<double>(words[k - 1]->text.size() + words[k]->text.size());
      CHECK(words[k]->points[0].x() - words[k - 1]->points[0].x() > kDigit * words[k]->size * letters);
    }
  }
}

TEST_CASE("ticks of a plot tell neighbours apart, also far from 0") {
  const auto labels_of = [](double lo, double hi) {
    const std::string drawn =
        svg(Plot{.title = "t", .x_label = "x", .y_label = "y", .curves = {{"c", {{0.0, lo}, {1.0, hi}}}}});
    std::vector<std::string> labels;
    const std::string mark = "text-anchor=\"end\">";
    for (std::size_t at = drawn.find(mark); at != std::string::npos; at = drawn.find(mark, at + 1)) {
      labels.push_back(drawn.substr(at + mark.size(), drawn.find('<', at) - at - mark.size()));
    }
    return labels;
  };
  CHECK(labels_of(0.0, 1.0) == std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1"});
  for (const auto& [lo, hi] : {std::pair{1234.5671, 1234.5679}, {-100000.2, -100000.1}, {1e5, 1e5 + 3.0}}) {
    std::vector<std::string> labels = labels_of(lo, hi);
    CAPTURE(labels.front());
    REQUIRE(labels.size() >= 3);
    std::ranges::sort(labels);
    CHECK(std::ranges::adjacent_find(labels) == labels.end());
  }
}

TEST_CASE("scales end at round numbers not far beyond the greatest value") {
  for (const double greatest : {1e-9, 0.3, 0.31, 1.0, 1.01, 7.7, 9.99, 12345.0}) {
    CAPTURE(greatest);
    const RoundScale scale = round_scale(greatest);
    CHECK(scale.end >= greatest * (1.0 - 1e-9));
    CHECK(scale.end <= 1.6 * greatest);
    CHECK(scale.marks.size() >= 3);
    CHECK(scale.marks.front() == 0.0);
    CHECK(std::abs(scale.marks.back() - scale.end) < 1e-9 * scale.end);
  }
  CHECK(round_scale(0.0).end == 1.0);
}

}  // namespace scree::picture_test
