// What measuring costs in soft mode, for a program that counts instructions (instructions.py measure): a bed of
// hexagons that settles from a lattice.
//
//   bench_measure steps STEPS            so many steps
//   bench_measure sums STEPS             the same, with the sums over contacts that averages of pressure need
//   bench_measure scalars STEPS          the same, with measure.csv, texture and forces sampled every 100 steps
//   bench_measure fields SAMPLES [SPACING_OVER_WIDTH]    the state's fields, so many times, with a kernel (lucy) as
//   wide
//                                        as two grains; prints how many contacts there are, and how many cells one
//                                        meets

#include <cstdio>
#include <cstdlib>
#include <string>

#include "dem/measure/measurements.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"

using namespace scree;

namespace {

constexpr double kSize = 0.01;  // [m]
constexpr std::uint64_t kBetweenSamples = 100;
constexpr std::uint64_t kSettling = 6000;  // steps
const Vec2 kBox(40 * kSize, 9 * kSize);
// Not chosen by trials, whose outcome is a matter of time.
const soft::Options kOptions{.threads = 1, .broadphase = BroadphaseKind::linked_cells};

Wall box_wall(const char* name, Vec2 lo, Vec2 hi) {
  Wall wall;
  wall.name = name;
  wall.polygon = {lo, {hi.x(), lo.y()}, hi, {lo.x(), hi.y()}};
  return wall;
}

Scene bed() {
  Scene scene;
  scene.domain = {{-0.02, -0.02}, {kBox.x() + 0.02, kBox.y() + 0.02}};
  scene.gravity = {0.0, -9.81};
  scene.materials = {{.name = "stone", .density = 2600.0, .stiffness = 4e6, .restitution = 0.2, .friction = 0.4}};
  scene.walls = {box_wall("floor", {-0.02, -0.02}, {kBox.x() + 0.02, 0.0}),
                 box_wall("left", {-0.02, 0.0}, {0.0, kBox.y()}),
                 box_wall("right", {kBox.x(), 0.0}, {kBox.x() + 0.02, kBox.y()})};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, kBox}, .count = {}, .jitter = 0.2, .spacing = 1.12 * kSize},
                      .material = 0,
                      .shape = RegularPolygon{6},
                      .size = {0.9 * kSize, kSize}}};
  scene.end = scene.output_every = 1e9;
  return scene;
}

/// @return the number of samples
int steps(std::uint64_t count, bool sums, bool samples_too) {
  Scene scene = bed();
  if (sums) {
    Measure measure;
    measure.every = 1.0;  // the samples are taken by steps here
    measure.region = {{0.0, 0.0}, kBox};
    measure.texture = true;
    measure.forces = Measure::Forces{};
    scene.measure = measure;
  }
  soft::Simulation simulation(scene, kOptions);
  simulation.advance_to(1e9, kSettling);
  if (!samples_too) {
    simulation.advance_to(1e9, count);
    return 0;
  }
  Measurements measurements(scene);
  int samples = 0;
  for (std::uint64_t k = 0; k < count; k += kBetweenSamples) {
    simulation.advance_to(1e9, kBetweenSamples);
    samples += measurements.take(simulation.state(), simulation.transfers()) ? 1 : 0;
  }
  return samples;
}

void fields(int samples, double spacing) {
  const Scene scene = bed();
  soft::Simulation simulation(scene, kOptions);
  simulation.advance_to(1e9, kSettling);
  const State state = simulation.state();
  constexpr double kWidth = 2.0 * kSize;
  CoarseFields fields(FieldGrid::covering({{0.0, 0.0}, kBox}, spacing * kWidth), {KernelKind::lucy, kWidth},
                      scene.domain);
  for (int k = 0; k < samples; ++k) fields.add(state);
  const double cells = 4.0 * kWidth * kWidth / fields.grid().cell().prod();  // in the box about a kernel
  std::printf("particles contacts cells\n%zu %zu %.1f\n", state.particles.size(), state.contacts.size(), cells);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "fields") {
    fields(count, argc > 3 ? std::atof(argv[3]) : 0.5);
  } else if (what == "steps" || what == "sums" || what == "scalars") {
    std::printf("samples\n%d\n", steps(static_cast<std::uint64_t>(count), what != "steps", what == "scalars"));
  } else {
    std::fprintf(stderr, "usage: bench_measure steps|sums|scalars|fields COUNT\n");
    return 2;
  }
  return 0;
}
