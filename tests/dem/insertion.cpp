#include "dem/insertion.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/scene/scene_setup.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::insertion_test {

namespace {

const IsFree kFree = [](const ShapeView&, const Pose&) { return true; };

Scene with_group(ParticleGroup group) {
  Scene scene = test::empty_scene();
  scene.particles = {std::move(group)};
  return scene;
}

}  // namespace

TEST_CASE("a grain has the size asked for, whatever its shape") {
  for (const ShapeSpec& shape : {ShapeSpec{Disk{}}, ShapeSpec{RegularPolygon{5}},
                                 ShapeSpec{RandomPolygon{{5, 8}, {1.0, 2.0}}}, test::square()}) {
    const Scene scene = with_group({.how = Pour{}, .material = 0, .shape = shape, .size = {0.01, 0.02}});
    for (std::uint64_t k = 0; k < 50; ++k) {
      const GrainShape grain = make_grain(scene, 0, k);
      const double diameter = std::sqrt(4.0 * grain.area / std::numbers::pi);
      CHECK(diameter >= 0.01 * (1.0 - 1e-12));
      CHECK(diameter <= 0.02 * (1.0 + 1e-12));
      CHECK(grain.second_moment >= grain.area * grain.area / (2.0 * std::numbers::pi) * (1.0 - 1e-12));  // disk: least
      CHECK(make_grain(scene, 0, k).area == grain.area);
    }
  }
}

TEST_CASE("the number of grains that a pour owes follows its rate") {
  const Pour pour = {.count = 5, .rate = 10.0, .from = 1.0, .region = {}};
  CHECK(due(pour, 0.99) == 0);
  CHECK(due(pour, 1.0) == 1);
  CHECK(due(pour, 1.1001) == 2);
  CHECK(due(pour, 1.4001) == 5);
  CHECK(due(pour, 1e9) == 5);
}

TEST_CASE("poured grains lie completely in their region; a grain without a free position remains owed") {
  const Scene scene = test::pouring_scene(200);
  const Pour& pour = std::get<Pour>(scene.particles[0].how);
  PourProgress progress;
  for (int k = 0; k < 200; ++k) {
    const auto birth = try_pour(scene, 0, 200, progress, kFree);
    REQUIRE(birth);
    REQUIRE(birth->grain.outline.size() >= 3);
    for (const Vec2& vertex : birth->grain.outline) {
      const Vec2 p = Pose{birth->position, Rotation::by(birth->angle)} * vertex;
      CHECK((p - pour.region.lo).minCoeff() >= -1e-15);  // m
      CHECK((pour.region.hi - p).minCoeff() >= -1e-15);  // m
    }
  }
  CHECK(progress.born == 200);
  CHECK_FALSE(try_pour(scene, 0, 200, progress, kFree));  // none is due any more

  PourProgress blocked;
  const IsFree nowhere = [](const ShapeView&, const Pose&) { return false; };
  CHECK_FALSE(try_pour(scene, 0, 200, blocked, nowhere));
  CHECK(blocked.born == 0);
  const auto first = try_pour(scene, 0, 200, blocked, kFree);
  REQUIRE(first);  // the same stone, later and elsewhere
  CHECK(first->grain.area == make_grain(scene, 0, 0).area);
}

TEST_CASE("a few grains fill a region that has room for more than can be counted") {
  for (const double side : {1e7, 1e12, 1e30, 1e80}) {
    CAPTURE(side);
    const Fill fill = {.region = {{0.0, 0.0}, {side, side}}, .count = 5, .jitter = 0.0};
    const Scene scene = with_group({.how = fill, .material = 0, .shape = Disk{}, .size = {1e-3, 1e-3}});
    CHECK(grains_in(scene.particles[0]) == 5);
    CHECK(initial_grains(scene, 0, kFree).size() == 5);
  }
}

TEST_CASE("a fill stays in its region, its grains do not overlap, and it reports if they do not fit") {
  Fill fill = {.region = {{0.0, 0.0}, {0.2, 0.1}}, .count = 30, .jitter = 0.5};
  Scene scene =
      with_group({.how = fill, .material = 0, .shape = RandomPolygon{{5, 8}, {1.0, 1.5}}, .size = {0.01, 0.012}});
  const auto births = initial_grains(scene, 0, kFree);
  REQUIRE(births.size() == 30);
  for (std::size_t i = 0; i < births.size(); ++i) {
    const double r = births[i].grain.bounding_radius;
    CHECK((births[i].position.array() - r).minCoeff() >= 0.0);
    CHECK((fill.region.hi - births[i].position).minCoeff() >= r);
    CHECK(births[i].velocity.cwiseAbs().maxCoeff() <= 0.5);
    for (std::size_t j = 0; j < i; ++j) {
      CHECK((births[i].position - births[j].position).norm() > r + births[j].grain.bounding_radius);
    }
  }
  CHECK((births[0].velocity - Vec2(0.446884, -0.0141658)).norm() < 1e-6);  // m/s, whatever the compiler

  std::get<Fill>(scene.particles[0].how).count = 1000;
  CHECK_THROWS_AS(initial_grains(scene, 0, kFree), InvalidScene);
  std::get<Fill>(scene.particles[0].how).count.reset();
  CHECK(initial_grains(scene, 0, kFree).size() > 30);
}

TEST_CASE("velocities that are drawn lose their mean along periodic axes and keep their energy; that of one stays") {
  const std::vector<std::pair<double, Vec2>> drawn = {{1.0, {0.5, -0.2}}, {3.0, {0.1, 0.4}}, {2.0, {-0.3, 0.3}}};
  const Vec2 alone(0.5, -0.2);
  for (const std::array<bool, 2> periodic : {std::array{true, true}, {true, false}, {false, true}}) {
    Scene scene = test::empty_scene();
    scene.domain.periodic = periodic;
    DrawnVelocities draws(scene);
    Vec2 before = Vec2::Zero();
    Vec2 energy = Vec2::Zero();
    for (const auto& [mass, velocity] : drawn) {
      draws.add(mass, velocity);
      before += mass * velocity;
      energy += mass * velocity.cwiseAbs2();
      if (energy.sum() < 0.3) CHECK(draws.without_mean(alone) == alone);
    }
    Vec2 momentum = Vec2::Zero();
    Vec2 left = Vec2::Zero();
    for (const auto& [mass, velocity] : drawn) {
      const Vec2 now = draws.without_mean(velocity);
      momentum += mass * now;
      left += mass * now.cwiseAbs2();
    }
    for (const int axis : {0, 1}) {
      const bool is_removed = periodic[static_cast<std::size_t>(axis)];
      CHECK(std::abs(momentum[axis] - (is_removed ? 0.0 : before[axis])) < 1e-15);
    }
    CHECK((left - energy).norm() < 1e-15);

    DrawnVelocities same(scene);  // there is nothing about the mean that could have the energy
    same.add(1.0, alone);
    same.add(2.0, alone);
    CHECK(same.without_mean(alone) == alone);
  }
}

TEST_CASE("the grains of all fills have no net momentum at the start, in both modes, or keep the one that is drawn") {
  Scene scene = with_group({.how = Fill{.region = {{0.0, 0.0}, {0.2, 0.1}}, .count = 30, .jitter = 0.5},
                            .material = 0,
                            .shape = Disk{},
                            .size = {0.01, 0.012}});
  scene.particles.push_back(scene.particles[0]);
  std::get<Fill>(scene.particles[1].how).region = {{0.0, 0.1}, {0.2, 0.2}};
  scene.particles.push_back({.how = Place{{.position = {0.1, 0.5}, .velocity = {3.0, 0.0}}},
                             .material = 0,
                             .shape = Disk{},
                             .size = {0.01, 0.01}});
  scene.domain.periodic = {true, true};
  for (const Mode mode : {Mode::soft, Mode::hard}) {
    scene.mode = mode;
    for (const bool keeps : {false, true}) {
      CAPTURE(keeps);
      scene.keeps_drawn_momentum = keeps;
      std::vector<double> mass;
      std::vector<Vec2> velocity;
      if (mode == Mode::soft) {
        const ParticleState all = soft::Simulation(scene, {.threads = 1}).state().particles;
        mass = all.mass;
        velocity = all.velocity;
      } else {
        const hard::Setup setup = hard::setup_from(scene, MadeFor::start);
        mass = setup.mass;
        velocity = setup.velocity;
      }
      REQUIRE(mass.size() == 61);
      CHECK(velocity.back() == Vec2(3.0, 0.0));  // as it is written down
      Vec2 momentum = Vec2::Zero();
      double scale = 0.0;
      for (std::size_t i = 0; i + 1 < mass.size(); ++i) {
        momentum += mass[i] * velocity[i];
        scale += mass[i] * velocity[i].norm();
      }
      if (keeps) CHECK(momentum.norm() > 1e-3 * scale);
      if (!keeps) CHECK(momentum.norm() < 1e-15 * scale);
    }
  }
}

TEST_CASE("a fill's grains are as far apart as asked for, and no nearer than they are wide") {
  Fill fill = {.region = {{0.4, 0.0}, {0.7, 0.7}}, .count = {}, .spacing = 0.1};  // 0.7 - 0.4 < 3 * 0.1
  Scene scene = with_group({.how = fill, .material = 0, .shape = Disk{}, .size = {0.01, 0.02}});
  const auto births = initial_grains(scene, 0, kFree);
  REQUIRE(births.size() == 21);
  CHECK(grains_in(scene.particles[0]) == 21);
  for (std::size_t i = 0; i < births.size(); ++i) {
    const Vec2 site(0.45 + 0.1 * static_cast<double>(i % 3), 0.05 + 0.1 * static_cast<double>(i / 3));
    CHECK((births[i].position - site).norm() < 1e-15);  // m
  }
  std::get<Fill>(scene.particles[0].how).spacing = 0.005;
  const std::size_t narrow = initial_grains(scene, 0, kFree).size();
  std::get<Fill>(scene.particles[0].how).spacing = 0.0;
  CHECK(narrow == initial_grains(scene, 0, kFree).size());
}

TEST_CASE("a fill with room for far too many of its smallest grains is refused, not drawn for ever") {
  Fill fill = {.region = {{0.0, 0.0}, {1.0, 1.0}}, .count = {}, .jitter = 0.0};
  Scene scene = with_group({.how = fill, .material = 0, .shape = Disk{}, .size = {1e-6, 0.1}});
  CHECK_THROWS_WITH_AS(initial_grains(scene, 0, kFree), doctest::Contains("particles[0].fill: has room for"),
                       InvalidScene);
  std::get<Fill>(scene.particles[0].how).spacing = 0.101;
  CHECK(initial_grains(scene, 0, kFree).size() == 81);
}

}  // namespace scree::insertion_test
