#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::repose_test {

using soft::Simulation;

namespace {

constexpr double kSize = 0.01;  // m
constexpr int kColumns = 28;
constexpr double kHalfWidth = 0.5 * kColumns * kSize;

/// Grains are poured on the middle of a plate with teeth half a size high; what is too much runs off its ends.
Scene heap(const ShapeSpec& shape, std::uint64_t seed) {
  Scene scene = test::empty_scene();
  scene.seed = seed;
  scene.gravity = {0.0, -9.81};
  scene.domain = {{-0.2, -0.03}, {0.2, 0.3}};
  scene.materials[0].stiffness = 2e6;
  scene.materials[0].restitution = 0.2;
  scene.walls = {test::box_wall({-kHalfWidth, -0.02}, {kHalfWidth, 0.0})};
  for (double x = -kHalfWidth + kSize; x < kHalfWidth; x += 2.0 * kSize) {
    Wall tooth;
    tooth.polygon = {{x - 0.5 * kSize, 0.0}, {x + 0.5 * kSize, 0.0}, {x, 0.5 * kSize}};
    scene.walls.push_back(tooth);
  }
  scene.particles = {{.how = Pour{.count = 600,
                                  .rate = 300.0,
                                  .from = 0.0,
                                  .region = {{-1.5 * kSize, 11.0 * kSize}, {1.5 * kSize, 14.0 * kSize}},
                                  .velocity = {0.0, -0.3}},
                      .material = 0,
                      .shape = shape,
                      .size = {0.8 * kSize, 1.2 * kSize}}};
  scene.soft.step = 2e-5;  // s, 2.5 automatic ones
  return scene;
}

/// Mean slope of both flanks, each a line through the highest resting grains of columns a grain wide, between 20 and
/// 80 % of the height [rad].
double slope(const State& state) {
  std::vector<Vec2> highest(kColumns, Vec2::Zero());
  double top = 0.0;
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    const Vec2& p = state.particles.position[i];
    const bool on_its_way = state.particles.coordination[i] < 2 || state.particles.velocity[i].norm() > 0.2;
    if (on_its_way || std::abs(p.x()) >= kHalfWidth || p.y() < 0.0) continue;
    Vec2& column = highest[static_cast<std::size_t>((p.x() + kHalfWidth) / kSize)];
    if (p.y() > column.y()) column = p;
    top = std::max(top, p.y());
  }
  double tangents = 0.0;
  for (const double side : {-1.0, 1.0}) {
    std::vector<Vec2> flank;
    Vec2 mean = Vec2::Zero();
    for (const Vec2& p : highest) {
      if (p.x() * side < 0.0 || p.y() < 0.2 * top || p.y() > 0.8 * top) continue;
      flank.emplace_back(p.x() * side, p.y());
      mean += flank.back();
    }
    mean /= static_cast<double>(flank.size());
    double xx = 0.0;
    double xy = 0.0;
    for (const Vec2& p : flank) {
      xx += (p.x() - mean.x()) * (p.x() - mean.x());
      xy += (p.x() - mean.x()) * (p.y() - mean.y());
    }
    tangents -= xy / xx;
  }
  return std::atan(0.5 * tangents);
}

struct Sample {
  double mean = 0.0;
  double deviation = 0.0;  ///< standard, of one heap
};

/// Three heaps, each looked at over 0.8 s, in which some avalanches run down.
Sample slopes(const ShapeSpec& shape) {
  std::vector<double> found;
  for (const std::uint64_t seed : {1, 2, 3}) {
    Simulation simulation(heap(shape, seed), {.threads = 1});
    double sum = 0.0;
    constexpr int kLooks = 40;
    for (int k = 0; k < kLooks; ++k) {
      simulation.advance_to(1.2 + 0.02 * k);
      sum += slope(simulation.state());
    }
    CHECK(simulation.particles() > 80);
    CHECK(simulation.summary().particles_out > 0);
    found.push_back(sum / kLooks);
  }
  Sample sample;
  for (const double one : found) sample.mean += one / 3.0;
  for (const double one : found) sample.deviation += (one - sample.mean) * (one - sample.mean) / 2.0;
  sample.deviation = std::sqrt(sample.deviation);
  return sample;
}

}  // namespace

// Disks roll, corners do not. Measured with some 100 grains each: 0.27 +- 0.02 rad for disks, 0.49 +- 0.03 rad for
// polygons of 4 to 6 corners.
TEST_CASE("a heap of polygons is steeper than one of disks with the same friction") {
  const Sample disks = slopes(Disk{});
  const Sample polygons = slopes(RandomPolygon{{4, 6}, {1.0, 1.2}});
  CAPTURE(disks.mean);
  CAPTURE(disks.deviation);
  CAPTURE(polygons.mean);
  CAPTURE(polygons.deviation);
  CHECK(disks.mean > 0.1);
  CHECK(polygons.mean < 0.8);
  CHECK(polygons.mean - disks.mean > 2.0 * std::hypot(polygons.deviation, disks.deviation));
}

}  // namespace scree::repose_test
