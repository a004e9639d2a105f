#include "dem/soft/forces/plain_disks.hpp"

#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/lanes/kernels.hpp"
#include "dem/soft/run.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::plain_disks_test {

/// Runs whose contacts of disks are packed beside the same runs with all contacts one by one in their records.
using namespace scree::soft;
using test::Dice;

namespace {

constexpr int kLooks = test::kSanitized ? 3 : 8;

/// Disks that fall into a box, or on a floor between periodic sides; others are poured, and some leave through a gap.
Scene random_scene(std::uint64_t seed) {
  Dice dice(seed);
  Scene scene = test::empty_scene();
  scene.seed = seed;
  scene.materials[0].friction = dice.below(4) == 0 ? 0.0 : dice.between(0.1, 0.9);
  if (dice.below(2) == 0) scene.materials[0].dynamic_friction = 0.7 * scene.materials[0].friction;
  scene.materials[0].restitution = dice.between(0.05, 0.9);
  scene.gravity = {dice.between(-5.0, 5.0), -9.81};
  scene.domain = {{0.0, -0.05}, {0.2, 0.4}, {dice.below(2) == 0, false}};
  const double tilt = scene.domain.periodic[0] ? 0.0 : 0.02;
  scene.walls = {test::box_wall({-0.05, -0.02}, {0.25, 0.0})};
  scene.walls[0].name = "floor";
  if (!scene.domain.periodic[0]) {
    scene.walls[0].polygon = {{-0.05, -0.04}, {0.25, -0.04}, {0.25, tilt}, {-0.05, 0.0}};
    scene.walls.push_back(test::box_wall({-0.02, 0.0}, {0.0, 0.4}));
    scene.walls.push_back(test::box_wall({0.2, 0.0}, {0.22, 0.4}));
    scene.walls[1].name = "left";
    scene.walls[2].name = "right";
  }
  if (dice.below(2) == 0) scene.walls[0].until = 0.05;  // they fall out
  scene.particles = {
      {.how = Fill{.region = {{0.005, 0.03}, {0.195, 0.2}}, .count = 120 + dice.below(100), .jitter = 1.0},
       .material = 0,
       .shape = Disk{},
       .size = {0.005, 0.011}},
      {.how = Pour{.count = 40,
                   .rate = 800.0,
                   .from = 0.0,
                   .region = {{0.02, 0.25}, {0.18, 0.35}},
                   .velocity = {dice.between(-1.0, 1.0), -2.0}},
       .material = 0,
       .shape = Disk{},
       .size = {0.006, 0.012}}};
  scene.end = 0.1;
  if (dice.below(3) == 0) {
    scene.materials.push_back(scene.materials[0]);
    scene.materials[1].name = "other";
    scene.materials[1].density *= dice.between(0.5, 3.0);
    scene.materials[1].stiffness *= dice.between(0.5, 1.0);
    scene.materials[1].friction = dice.between(0.0, 0.5);
    scene.materials[1].restitution = dice.between(0.1, 0.9);
    scene.particles[1].material = 1;
  }
  // Walls that move, with a material of their own; one whose corner disks meet.
  if (dice.below(3) == 0) scene.walls[0].oscillation = {.amplitude = {0.0, 0.001}, .frequency = 40.0};
  if (!scene.domain.periodic[0] && dice.below(3) == 0) {
    scene.walls.back().angular_velocity = dice.between(-0.3, 0.3);
    scene.walls.back().pivot = {0.1, 0.0};
  }
  if (dice.below(3) == 0) {
    scene.materials.push_back(scene.materials[0]);
    scene.materials.back().name = "of walls";
    scene.materials.back().friction = dice.between(0.0, 0.9);
    scene.materials.back().restitution = dice.between(0.1, 0.9);
    for (Wall& wall : scene.walls) wall.material = static_cast<int>(scene.materials.size() - 1);
  }
  if (dice.below(3) == 0) {
    scene.walls.push_back(test::box_wall({0.1, 0.02}, {0.13, 0.025}));
    scene.walls.back().name = "shelf";
  }
  return scene;
}

/// The same run with all contacts in their records.
struct OneByOne : Simulation {
  explicit OneByOne(const Scene& scene) : Simulation(scene, {.threads = 1}) { run().rooms.plain.never_pack(); }
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}
bool same_bits(double x, double y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}

void require_same_contacts(const Contacts& x, const Contacts& y) {
  REQUIRE(x.candidate == y.candidate);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const ContactHistory& one = x.history[k];
    const ContactHistory& other = y.history[k];
    REQUIRE(same_bits(one.tangential_displacement, other.tangential_displacement));
    REQUIRE(same_bits(one.tangential_velocity, other.tangential_velocity));
    REQUIRE(same_bits(one.relative_angular_velocity, other.relative_angular_velocity));
    REQUIRE(same_bits(one.max_depth_ratio, other.max_depth_ratio));
    REQUIRE(one.sliding == other.sliding);
    REQUIRE(one.rolling == other.rolling);
    REQUIRE(one.is_new == other.is_new);
  }
  REQUIRE(same_bits(x.region, y.region));
  REQUIRE(same_bits(x.axes, y.axes));
  REQUIRE(same_bits(x.force, y.force));
  REQUIRE(same_bits(x.parts, y.parts));
}

struct Look {
  StateHash state;
  Summary summary;
  Contacts contacts;
  Transfers transfers;
};
Look look(Simulation& simulation, double t) {
  simulation.advance_to(t);
  return {test::state_hash(simulation), simulation.summary(), simulation.run().rooms.contacts, simulation.transfers()};
}

void require_same(const Transfers& x, const Transfers& y) {
  REQUIRE(x.layers().size() == y.layers().size());
  for (std::size_t k = 0; k < x.layers().size(); ++k) {
    REQUIRE(x.layers()[k].collisions == y.layers()[k].collisions);
    REQUIRE(x.layers()[k].wall_collisions == y.layers()[k].wall_collisions);
    REQUIRE(x.layers()[k].virial == y.layers()[k].virial);
    REQUIRE(x.layers()[k].wall_virial == y.layers()[k].wall_virial);
  }
  REQUIRE(x.walls().size() == y.walls().size());
  for (std::size_t k = 0; k < x.walls().size(); ++k) {
    REQUIRE(x.walls()[k].impulse == y.walls()[k].impulse);
    REQUIRE(x.walls()[k].angular_impulse == y.walls()[k].angular_impulse);
  }
}

}  // namespace

TEST_CASE("contacts of disks in blocks have the bits of those one by one") {
  std::uint64_t contacts = 0;
  std::uint64_t departed = 0;
  std::uint64_t wrapped = 0;
  std::uint64_t begun = 0;
  std::uint64_t of_two_materials = 0;
  std::uint64_t with_walls = 0;  // looks at which contacts with walls are packed
  std::uint64_t with_moving_walls = 0;
  for (std::uint64_t seed = 1; seed <= (test::kSanitized ? 4 : 28); ++seed) {
    CAPTURE(seed);
    Scene scene = random_scene(seed);
    if (seed % 3 != 0) scene.measure = Measure{.region = {{0.01, 0.0}, {0.15, 0.2}}};
    if (seed % 3 == 2) scene.measure->height_profile = Measure::HeightProfile{.bins = 7};
    std::vector<Look> expected;
    {
      OneByOne other(scene);
      for (int k = 1; k <= kLooks; ++k) expected.push_back(look(other, scene.end * k / kLooks));
      REQUIRE(!other.run().rooms.plain.are_packed());
    }
    Simulation packed(scene, {.threads = 1 + static_cast<int>(seed % 4)});
    for (int k = 1; k <= kLooks; ++k) {
      const Look& one = expected[static_cast<std::size_t>(k - 1)];
      const Look two = look(packed, scene.end * k / kLooks);
      REQUIRE(packed.run().rooms.plain.are_packed());
      REQUIRE(one.state == two.state);
      REQUIRE(one.summary == two.summary);
      require_same_contacts(two.contacts, one.contacts);
      require_same(two.transfers, one.transfers);
      if (!two.transfers.layers().empty()) begun += two.transfers.layers().front().collisions;
      contacts += two.contacts.size();
      if (scene.particles[1].material != 0) of_two_materials += two.contacts.size();
      const bool are_packed = packed.run().rooms.plain.walls_are_packed();
      with_walls += are_packed ? 1 : 0;
      with_moving_walls += are_packed && scene.walls[0].oscillation.frequency > 0.0 ? 1 : 0;
    }
    departed += packed.summary().particles_out;
    for (const auto& image : packed.bodies().image) wrapped += image[0] != 0 ? 1 : 0;
  }
  CHECK(contacts > (test::kSanitized ? 100 : 2000));
  CHECK(begun > 100);
  CHECK(of_two_materials > 20);
  CHECK(departed > (test::kSanitized ? 1 : 5));
  CHECK(wrapped > 5);
  CHECK(with_walls > (test::kSanitized ? 2 : 40));
  if (!test::kSanitized) CHECK(with_moving_walls > 5);
}

TEST_CASE("looking at contacts in blocks after each step changes nothing, nor does saving and loading them") {
  const Scene scene = random_scene(3);
  Simulation at_once(scene, {.threads = 1});
  Simulation step_by_step(scene, {.threads = 1});
  OneByOne other(scene);
  at_once.advance_to(0.02);
  for (; !step_by_step.has_reached(0.02);) {
    step_by_step.advance_to(0.02, 1);
    other.advance_to(0.02, 1);
    require_same_contacts(step_by_step.run().rooms.contacts, other.run().rooms.contacts);
  }
  std::ostringstream one;
  std::ostringstream two;
  at_once.save(one);
  step_by_step.save(two);
  CHECK(one.view() == two.view());
  Simulation loaded(scene, {.threads = 1});
  std::istringstream in(one.str());
  loaded.load(in);
  loaded.advance_to(0.03);
  other.advance_to(0.03);
  CHECK(test::state_hash(loaded) == test::state_hash(other));
}

TEST_CASE("contacts of many disks in blocks have the same bits for any number of threads and lanes") {
  Scene scene = random_scene(5);
  scene.domain.hi = {0.6, 0.5};
  scene.particles.resize(1);
  scene.walls = {test::box_wall({-0.05, -0.02}, {0.65, 0.0})};
  scene.particles[0].how =
      Fill{.region = {{0.0, 0.0}, {0.6, 0.3}}, .count = test::kSanitized ? 1200 : 2600, .jitter = 0.3};
  scene.particles[0].size = {0.007, 0.0075};
  scene.gravity = {0.0, -30.0};
  const double end = test::kSanitized ? 0.003 : 0.06;
  const Look expected = [&] {  // which has no more threads than one, and is gone before others have
    OneByOne other(scene);
    return look(other, end);
  }();
  for (const int threads : {1, 3}) {
    if (test::kSanitized && threads != 3) continue;
    CAPTURE(threads);
    Simulation packed(scene, {.threads = threads});
    const Look found = look(packed, end);
    CHECK(packed.run().rooms.plain.are_packed());
    CHECK(found.state == expected.state);
    CHECK(found.summary == expected.summary);
    require_same_contacts(found.contacts, expected.contacts);
  }
  const int before = lanes::kernels().width;
  for (const int width : {1, 2}) {
    CAPTURE(width);
    if (!lanes::use_lanes(width)) continue;
    Simulation packed(scene, {.threads = 1});
    const Look found = look(packed, end);
    CHECK(found.state == expected.state);
    require_same_contacts(found.contacts, expected.contacts);
  }
  REQUIRE(lanes::use_lanes(before));
  if (!test::kSanitized) CHECK(expected.contacts.size() > 1500);
}

TEST_CASE("a sweep over several windows of contacts that stay has the bits of stages one after the other") {
  constexpr double kSize = 0.01;
  constexpr int kColumns = 36;
  constexpr int kRows = test::kSanitized ? 12 : 30;
  constexpr double kPitch = 0.996 * kSize;  // they press each other, between walls
  const double height = 0.5 * std::sqrt(3.0) * kPitch;
  Scene scene = test::empty_scene();
  scene.gravity = {0.3, -9.81};
  scene.materials[0].friction = 0.3;
  scene.soft.initial_depth = 0.1;
  const double right = (kColumns + 0.49) * kPitch;
  const double top = (kRows - 1) * height + kSize;
  scene.walls = {test::box_wall({-0.1, -0.02}, {right + 0.1, 0.0}), test::box_wall({-0.02, 0.0}, {0.0, top}),
                 test::box_wall({right, 0.0}, {right + 0.02, top}),
                 test::box_wall({-0.1, top}, {right + 0.1, top + 0.02})};
  for (std::size_t k = 0; k < scene.walls.size(); ++k)
    scene.walls[k].name = std::string("wall ").append(1, char('a' + k));
  Place places;
  Dice dice(7);
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      places.push_back({.position = {0.499 * kSize + kPitch * (column + 0.5 * (row % 2)), 0.499 * kSize + height * row},
                        .velocity = {dice.between(-0.01, 0.01), dice.between(-0.01, 0.01)}});
    }
  }
  scene.particles = {{.how = places, .material = 0, .shape = Disk{}, .size = {kSize, kSize}}};
  OneByOne other(scene);
  Simulation swept(scene, {.threads = 1});
  int sweeps = 0;
  for (int step = 0; step < (test::kSanitized ? 30 : 150); ++step) {
    other.advance_to(1.0, 1);
    swept.advance_to(1.0, 1);
    sweeps += swept.run().rooms.plain.are_packed() ? 1 : 0;
    REQUIRE(test::state_hash(swept) == test::state_hash(other));
    REQUIRE(swept.summary() == other.summary());
  }
  CHECK(swept.run().rooms.contacts.size() > (test::kSanitized ? 800 : 2500));  // 256 a window
  CHECK(sweeps > (test::kSanitized ? 5 : 30));
}

TEST_CASE("scenes with something more keep all contacts in their records") {
  const auto is_packed = [](Scene scene) {
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(1.0, 3);
    return simulation.run().rooms.plain.are_packed();
  };
  Scene plain = random_scene(3);
  plain.materials.resize(1);
  plain.particles[1].material = 0;
  for (Wall& wall : plain.walls) wall.material = 0;
  CHECK(is_packed(plain));
  Scene scene = plain;
  scene.materials[0].rolling_friction = 0.1;
  CHECK(!is_packed(scene));
  scene = plain;
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "other";
  scene.particles[1].material = 1;
  CHECK(is_packed(scene));
  scene = plain;
  scene.materials[0].cohesion = 1.0;
  CHECK(!is_packed(scene));
  scene = plain;
  scene.disk_law = "hertz";
  CHECK(!is_packed(scene));
  scene = plain;
  std::get<Fill>(scene.particles[0].how).count = 100;
  scene.particles[0].shape = RegularPolygon{6};
  CHECK(!is_packed(scene));
}

}  // namespace scree::plain_disks_test
