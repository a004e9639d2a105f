#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::step_halving_test {

using soft::Simulation;

namespace {

constexpr double kKick = 0.2;         // m/s
constexpr int kSamples = 100;         // over 0.1 s
constexpr int kStepsPerSample = 200;  // automatic ones; an even number, so that all runs are looked at when due

/// The stones, the materials and the tray of examples/heap.yaml, but smaller.
Scene tray() {
  Scene scene = test::empty_scene();
  scene.seed = 4;  // one that leaves all stones on the tray
  scene.domain = {{-0.3, -0.1}, {0.3, 0.6}};
  scene.gravity = {0.0, -9.81};
  scene.materials[0] = {.name = "stone", .density = 2600.0, .stiffness = 6.5e6, .restitution = 0.2, .friction = 0.6};
  scene.walls = {test::box_wall({-0.2, -0.03}, {0.2, 0.0}), test::box_wall({-0.22, -0.03}, {-0.2, 0.05}),
                 test::box_wall({0.2, -0.03}, {0.22, 0.05})};
  return scene;
}

/// Stones that are poured in 0.12 s and lie still soon after.
Scene pouring() {
  Scene scene = tray();
  scene.particles = {{.how = Pour{.count = 120,
                                  .rate = 1000.0,
                                  .from = 0.0,
                                  .region = {{-0.12, 0.1}, {0.12, 0.25}},
                                  .velocity = {0.0, -1.0}},
                      .material = 0,
                      .shape = RandomPolygon{{5, 8}, {1.0, 1.2}},
                      .size = {0.011, 0.016}}};
  return scene;
}

/// A long step will do to make it.
State heap() {
  Scene scene = pouring();
  scene.soft.step = 2.0 * soft::time_step(scene).dt;
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.4);
  return simulation.state();
}

/// The same stones in the same places, all of them on their way down.
Scene kicked(const ParticleState& stones) {
  Scene scene = tray();
  scene.soft.initial_depth = 0.2;
  for (std::size_t i = 0; i < stones.size(); ++i) {
    const auto vertices = stones.outlines.vertices.begin();
    const std::vector<Vec2> outline(vertices + stones.outlines.first[i], vertices + stones.outlines.first[i + 1]);
    scene.particles.push_back(test::placed(ExplicitPolygon{outline}, 2.0 * stones.radius[i],
                                           {{.position = stones.position[i], .velocity = {0.0, -kKick}}}));
  }
  return scene;
}

struct MeasuredEnergies {
  double kinetic = 0.0;
  double released = 0.0;  ///< potential energy since the kick: all of it depends on where the origin is
  double elastic = 0.0;
};

struct Course {
  MeasuredEnergies mean;
  MeasuredEnergies end;
};

Course course(Scene scene, double share_of_step) {
  const double dt = soft::time_step(scene).dt;
  scene.soft.step = share_of_step * dt;
  Simulation simulation(scene, {.threads = 1});
  const double potential = simulation.summary().potential_energy;
  Course result;
  for (int k = 1; k <= kSamples; ++k) {
    simulation.advance_to(k * kStepsPerSample * dt);
    const Summary now = simulation.summary();
    result.end = {now.kinetic_energy, potential - now.potential_energy, now.elastic_energy};
    result.mean.kinetic += result.end.kinetic / kSamples;
    result.mean.released += result.end.released / kSamples;
    result.mean.elastic += result.end.elastic / kSamples;
  }
  return result;
}

}  // namespace

// Two runs of a heap that is being poured part for good as soon as a rounding differs; from one and the same heap they
// do not within 0.1 s (docs/theory.md, section 7). At the end little moves, hence the time mean as the measure there.
TEST_CASE("energies of a heap that is kicked hardly change when the automatic step is halved") {
  const State settled = heap();
  REQUIRE(settled.particles.size() == 120);
  REQUIRE(settled.contacts.size() > 120);
  const Scene scene = kicked(settled.particles);

  const Course automatic = course(scene, 1.0);
  const Course half = course(scene, 0.5);
  const MeasuredEnergies& unit = automatic.mean;
  if (std::getenv("SCREE_TABLE") != nullptr) {
    for (const double share : {0.5, 2.0}) {
      const MeasuredEnergies mean = course(scene, share).mean;
      std::printf("| %g steps | %.3f %% | %.3f %% | %.3f %% |\n", share, 100.0 * (mean.kinetic / unit.kinetic - 1.0),
                  100.0 * (mean.released / unit.released - 1.0), 100.0 * (mean.elastic / unit.elastic - 1.0));
    }
  }
  CHECK(unit.elastic > automatic.end.elastic);  // the kick was felt
  // Of the mean kinetic energy: 2.5e-4.
  CHECK(std::abs(half.mean.kinetic - automatic.mean.kinetic) < 0.0004 * unit.kinetic);
  CHECK(std::abs(half.end.kinetic - automatic.end.kinetic) < 0.001 * unit.kinetic);
  CHECK(std::abs(half.mean.elastic - automatic.mean.elastic) < 0.005 * unit.elastic);
  CHECK(std::abs(half.end.elastic - automatic.end.elastic) < 0.005 * unit.elastic);
  CHECK(std::abs(half.mean.released - automatic.mean.released) < 0.002 * unit.released);
  CHECK(std::abs(half.end.released - automatic.end.released) < 0.002 * unit.released);

  // 6e-4; steps of more than three times the automatic one are refused.
  const Course twofold = course(scene, 2.0);
  CHECK(std::abs(twofold.mean.kinetic - automatic.mean.kinetic) > 0.0005 * unit.kinetic);
}

// Not a test: which stone leans on which is chaos, and only means over many heaps could tell. They are in
// docs/theory.md, section 7; with SCREE_TABLE set, they are measured again.
TEST_CASE("energies of heaps that are poured, against the step" *
          doctest::skip(std::getenv("SCREE_TABLE") == nullptr)) {
  constexpr int kHeaps = 8;
  struct Change {
    const char* what;
    double share_of_step;
    double fall;  ///< times the speed with which stones are poured
    std::array<double, 3> sum = {};
    std::array<double, 3> squares = {};
  };
  std::array<Change, 3> changes = {
      {{"half the step", 0.5, 1.0}, {"twice the step", 2.0, 1.0}, {"stones thrown faster by 1e-7", 1.0, 1.0 + 1e-7}}};
  const auto energies = [](std::uint64_t seed, double share_of_step, double fall) {
    Scene scene = pouring();
    scene.seed = seed;
    scene.soft.step = share_of_step * soft::time_step(scene).dt;
    std::get<Pour>(scene.particles[0].how).velocity *= fall;
    Simulation simulation(scene, {.threads = 1});
    std::array<double, 3> sum = {};
    for (int k = 1; k <= 200; ++k) {
      simulation.advance_to(0.002 * k);
      const Summary now = simulation.summary();
      sum[0] += now.kinetic_energy;
      sum[1] += now.potential_energy;
      sum[2] += now.elastic_energy;
    }
    return sum;
  };
  for (std::uint64_t seed = 1; seed <= kHeaps; ++seed) {
    const std::array<double, 3> automatic = energies(seed, 1.0, 1.0);
    for (Change& change : changes) {
      const std::array<double, 3> changed = energies(seed, change.share_of_step, change.fall);
      for (std::size_t i = 0; i < 3; ++i) {
        const double relative = changed[i] / automatic[i] - 1.0;
        change.sum[i] += relative;
        change.squares[i] += relative * relative;
      }
    }
  }
  for (const Change& change : changes) {
    std::printf("| %s |", change.what);
    for (std::size_t i = 0; i < 3; ++i) {
      const double mean = change.sum[i] / kHeaps;
      const double scatter = std::sqrt((change.squares[i] / kHeaps - mean * mean) * kHeaps / (kHeaps - 1));
      std::printf(" %.2f +- %.2f %% |", 100.0 * mean, 100.0 * scatter / std::sqrt(kHeaps));
    }
    std::printf("\n");
  }
}

}  // namespace scree::step_halving_test
