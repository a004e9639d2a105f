#include "io/picture.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "io/svg_plot.hpp"
#include "tests/io/made_up_state.hpp"

namespace {

using namespace scree;

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

TEST_CASE("a picture of nothing is the domain") {
  const Scene scene = scene_with(false);
  const PictureScales scales(scene);
  CHECK(scales.region().hi == scene.domain.hi);
  const std::string text = svg(picture_of({}, scene, scales));
  CHECK(text.starts_with("<svg "));
  CHECK(text.ends_with("</svg>\n"));
  CHECK(text.find("Grains &amp; walls") != std::string::npos);
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
