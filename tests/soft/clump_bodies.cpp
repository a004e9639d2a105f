#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/insertion.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::clump_bodies_test {

using soft::Simulation;

namespace {

constexpr double kWhole = 0.03;  // s: by then all kinds of events were there
constexpr double kEnd = test::kThreadSanitizer ? 0.005 : test::kSanitized ? 0.01 : kWhole;  // s

ConvexPart box(double x0, double y0, double x1, double y1) {
  return {.polygon = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}};
}
Clump an_l() {
  return Clump{{box(0.0, 0.0, 3.0, 1.0), box(0.0, 1.0, 1.0, 2.0)}};
}
Clump a_dumbbell() {
  return Clump{{{.polygon = {}, .centre = {-1.0, 0.0}, .radius = 0.6},
                {.polygon = {}, .centre = {1.0, 0.0}, .radius = 0.7},
                box(-1.0, -0.2, 1.0, 0.2)}};
}
Clump three_disks() {
  return Clump{{{.polygon = {}, .centre = {-1.0, 0.0}, .radius = 0.6},
                {.polygon = {}, .centre = {0.0, 0.4}, .radius = 0.7},
                {.polygon = {}, .centre = {1.0, 0.0}, .radius = 0.6}}};
}

/// L and dumbbells fall into a box, more pour in, periodic along x; some leave below.
Scene scene() {
  Scene scene = test::pouring_scene(40);
  scene.domain = {{-0.1, 0.001}, {0.1, 1.0}};
  scene.domain.periodic[0] = true;
  scene.walls = {test::box_wall({-0.1, -0.02}, {0.02, 0.01})};
  scene.particles[0].shape = a_dumbbell();
  std::get<Pour>(scene.particles[0].how).region = {{-0.1, 0.2}, {0.1, 0.25}};
  scene.particles.push_back({.how = Fill{.region = {{-0.1, 0.0}, {0.1, 0.2}}, .count = 120, .jitter = 1.5},
                             .material = 0,
                             .shape = an_l(),
                             .size = {0.007, 0.009}});
  scene.particles.push_back({.how = Fill{.region = {{-0.1, 0.0}, {0.1, 0.2}}, .count = 60, .jitter = 1.5},
                             .material = 0,
                             .shape = RandomPolygon{{4, 7}, {1.0, 1.2}},
                             .size = {0.005, 0.006}});
  return scene;
}

StateHash run(const Scene& scene, const soft::Options& options, int pieces) {
  Simulation simulation(scene, options);
  for (int k = 1; k <= pieces; ++k) {
    simulation.advance_to(kEnd * k / pieces);
    if (pieces > 1) {
      (void)simulation.state();
      (void)simulation.summary();
    }
  }
  return test::state_hash(simulation);
}

const StateHash& reference() {
  static const StateHash hash = run(scene(), {.threads = 1}, 1);
  return hash;
}

}  // namespace

TEST_CASE("the reference run of clumps contains all kinds of events" * doctest::skip(test::kSanitized)) {
  Simulation simulation(scene(), {.threads = 1});
  CHECK(simulation.particles() == 180);
  simulation.advance_to(kWhole);
  const Summary summary = simulation.summary();
  const State state = simulation.state();
  CHECK(summary.particles == simulation.particles());
  CHECK(summary.particles == state.particles.size());
  CHECK(summary.particles_out > 0);
  CHECK(summary.particles == summary.particles_in - summary.particles_out);
  CHECK(summary.contacts > 20);
  CHECK(std::abs(summary.energy_residual) < 1e-3);
  std::set<std::uint64_t> ids(state.particles.id.begin(), state.particles.id.end());
  CHECK(ids.size() == state.particles.size());
  CHECK(std::ranges::any_of(state.particles.image, [](const auto& image) { return image[0] != 0; }));
  const auto sliding = std::ranges::count_if(state.contacts, [](const auto& contact) { return contact.sliding; });
  CHECK(sliding > 0);
  CHECK(summary.sliding_contacts == static_cast<std::uint64_t>(sliding));
  CHECK(std::ranges::any_of(state.contacts, [](const auto& contact) { return contact.image_shift != Vec2::Zero(); }));
  // Parts are where their clumps are, up to whole periods, also those beyond the side.
  const Bodies& bodies = simulation.bodies();
  bool is_any_beyond = false;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (!bodies.is_part(body)) continue;
    const std::uint32_t clump = bodies.particle(body);
    Vec2 way = linear(bodies.position[body]) - linear(bodies.position[clump]);
    way.x() += 0.2 * (bodies.image[body][0] - bodies.image[clump][0]);
    CHECK((way - bodies.arm_of(body)).norm() < 1e-15);
    is_any_beyond = is_any_beyond || bodies.image[body] != bodies.image[clump];
    CHECK(std::abs(bodies.position[body].x()) <= 0.1);
  }
  CHECK(is_any_beyond);
  simulation.check_all();
}

TEST_CASE("clumps have the same bits for any number of threads and any output interval") {
  CHECK(run(scene(), {.threads = 4}, 1) == reference());
  CHECK(run(scene(), {.threads = 2}, 30) == reference());
}

TEST_CASE("clumps have the same bits for any lanes and any broadphase" * doctest::skip(test::kThreadSanitizer)) {
  const int usual = soft::lanes::kernels().width;
  for (const int width : {1, 2, 4, 8}) {
    CAPTURE(width);
    if (!soft::lanes::use_lanes(width)) continue;
    CHECK(run(scene(), {.threads = 1}, 1) == reference());
  }
  soft::lanes::use_lanes(usual);
  for (std::size_t k = 0; k < (test::kSanitized ? 1 : kBroadphaseNames.size()); ++k) {
    CAPTURE(kBroadphaseNames[k]);
    CHECK(run(scene(), {.threads = 1, .broadphase = static_cast<BroadphaseKind>(k)}, 1) == reference());
  }
}

TEST_CASE("clumps that are saved go on with the same bits") {
  for (const double stop : {0.0, kEnd / 6.0, kEnd / 2.0}) {
    CAPTURE(stop);
    std::stringstream file;
    {
      Simulation first(scene(), {.threads = 2});
      if (stop > 0.0) first.advance_to(stop);
      first.save(file);
    }
    Simulation second(scene(), {.threads = 1});
    second.load(file);
    std::ostringstream again;
    second.save(again);
    CHECK(again.view() == file.view());
    second.advance_to(kEnd);
    CHECK(test::state_hash(second) == reference());
  }
}

TEST_CASE("a run that begins with the clumps of an earlier one has them with their friction" *
          doctest::skip(test::kThreadSanitizer)) {
  Simulation first(scene(), {.threads = 1});
  first.advance_to(kEnd);
  Scene next = scene();
  for (ParticleGroup& group : next.particles) group.how = Place{};
  next.soft.initial_depth = 0.1;  // of parts, in the middle of impacts
  next.start = Start{.from = "earlier", .inherited = std::make_shared<const Inherited>(first.hand_over())};
  Simulation second(next, {.threads = 1});
  const State before = first.state();
  const State after = second.state();
  REQUIRE(after.particles.size() == before.particles.size());
  CHECK(after.particles.id == before.particles.id);
  CHECK(std::abs(after.particles.inertia[0] / before.particles.inertia[0] - 1.0) < 1e-10);
  CHECK(after.contacts.size() > before.contacts.size() * 9 / 10);
  CHECK(after.contacts.size() < before.contacts.size() * 11 / 10);
  const Inherited again = second.hand_over();
  std::size_t remembered = 0;
  for (const Inherited::Contact& contact : again.contacts) remembered += contact.tangential_displacement != 0.0 ? 1 : 0;
  CHECK(remembered > 5);
  second.advance_to(0.002);
  CHECK(std::abs(second.summary().energy_residual) < 1e-3);
}

TEST_CASE("disks that hang together are a scene of disks only, for the kernels") {
  Scene disks = scene();
  disks.particles = {{.how = Fill{.region = {{-0.1, 0.01}, {0.1, 0.2}}, .count = 150, .jitter = 4.0},
                      .material = 0,
                      .shape = three_disks(),
                      .size = {0.007, 0.009}}};
  const StateHash one = run(disks, {.threads = 1}, 1);
  CHECK(run(disks, {.threads = 3}, 2) == one);
  Simulation simulation(disks, {.threads = 1});
  simulation.advance_to(kEnd);
  CHECK(simulation.impact_depths().total() > 100);
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-3);
}

TEST_CASE("a clump leaves when all of its parts are beyond an open side" * doctest::skip(test::kThreadSanitizer)) {
  Scene open = test::empty_scene();
  open.domain = {{0.0, 0.0}, {1.0, 1.0}};
  open.soft.step = 1e-4;
  const double size = 0.1 * std::sqrt(4.0 * 4.0 / std::numbers::pi);  // bars 10 cm wide
  open.particles = {test::placed(an_l(), size, {{.position = {0.5, 0.5}, .velocity = {1.0, 0.0}}})};
  Simulation simulation(open, {.threads = 1});
  simulation.advance_to(0.6245);  // its left end, 12.5 cm behind the centroid, is about to cross
  CHECK(simulation.particles() == 1);
  simulation.advance_to(0.6265);
  CHECK(simulation.particles() == 0);
  CHECK(simulation.bodies().size() == 0);
  const std::vector<Departure> gone = simulation.take_departures();
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].mass == doctest::Approx(2600.0 * 0.04));
  CHECK(gone[0].position.x() == doctest::Approx(1.125).epsilon(1e-3));
}

TEST_CASE("stress comes from branch vectors between grains, not between their parts" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene meeting = test::empty_scene();
  meeting.materials[0].stiffness = 1e7;
  meeting.domain.periodic[0] = true;
  meeting.walls = {test::floor_wall()};
  meeting.gravity = {0.0, -9.81};
  meeting.measure = Measure{.every = 1.0, .region = {{-10.0, -10.0}, {10.0, 10.0}}};
  meeting.particles = {test::placed(an_l(), 0.05,
                                    {{.position = {-0.06, 0.1}, .velocity = {2.0, 0.0}, .angular_velocity = 4.0},
                                     {.position = {0.06, 0.11}, .velocity = {-2.0, 0.0}},
                                     {.position = {9.97, 0.1}, .velocity = {2.0, 0.0}},
                                     {.position = {-9.95, 0.12}, .velocity = {-2.0, 0.0}}})};
  Simulation simulation(meeting, {.threads = 1});
  Eigen::Matrix2d expected = Eigen::Matrix2d::Zero();
  Eigen::Matrix2d magnitude = Eigen::Matrix2d::Zero();
  bool is_across = false;
  while (simulation.time() < 0.25) {
    const double before = simulation.time();
    simulation.advance_to(1.0, 1);
    for (const ContactState& contact : simulation.state().contacts) {
      const Eigen::Matrix2d part =
          (simulation.time() - before) * (contact.centre2 - contact.centre1) * contact.force.transpose();
      expected += part;
      magnitude += part.cwiseAbs();
      is_across = is_across || contact.image_shift != Vec2::Zero();
    }
  }
  CHECK(is_across);
  CHECK(magnitude.maxCoeff() > 1e-3);
  const Eigen::Matrix2d found = simulation.transfers().layers().at(0).virial;
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-4 * magnitude.maxCoeff());
}

TEST_CASE("a clump that is fixed stays, with all its parts, and others bounce off" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene still = test::empty_scene();
  still.particles = {test::placed(an_l(), 0.02, {{.position = {0, 0}, .angle = 0.3}}),
                     test::placed(Disk{}, 0.01, {{.position = {0.0, 0.04}, .velocity = {0.0, -1.0}}})};
  still.particles[0].fixed = {true, true, true};
  Simulation simulation(still, {.threads = 1});
  const Motion before = simulation.bodies().position[1];
  simulation.advance_to(0.1);
  CHECK((simulation.bodies().position[1] == before).all());
  CHECK((simulation.bodies().velocity[1] == 0.0).all());
  CHECK(simulation.state().particles.velocity[1].norm() > 0.1);
  CHECK(simulation.state().particles.velocity[1].y() > -0.9);
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-3);
}

TEST_CASE("clumps under a heavy lid come to rest with local damping, and carry it" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene press = test::empty_scene();
  press.gravity = {0.0, -10.0};
  press.materials[0].stiffness = 1e7;
  press.soft.local_damping = 0.3;
  press.soft.until_unbalanced = 1e-4;
  press.end = 5.0;
  press.walls = {test::floor_wall(), test::box_wall({-0.1, 0.0358}, {0.1, 0.045})};
  press.walls[1].name = "lid";
  press.walls[1].drive = FreeWall{.along = {0.0, 1.0}, .mass = 3.0};
  const Clump plus{{box(-1.5, -0.5, 1.5, 0.5), box(-0.5, -1.5, 0.5, -0.5), box(-0.5, 0.5, 0.5, 1.5)}};
  press.particles = {test::placed(plus, 0.03, {{.position = {-0.05, 0.01784}}, {.position = {0.05, 0.01784}}})};
  Simulation simulation(press, {.threads = 1});
  simulation.advance_to(5.0);
  CHECK(simulation.is_over());
  const State state = simulation.state();
  const double weight = 10.0 * (state.particles.mass[0] + state.particles.mass[1] + 3.0);
  CHECK(-state.walls.force[0].y() == doctest::Approx(weight).epsilon(1e-2));
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-3);
}

TEST_CASE("a clump's velocity is set with all its parts" * doctest::skip(test::kThreadSanitizer)) {
  Scene free = test::empty_scene();
  free.soft.step = 1e-4;
  free.particles = {test::placed(an_l(), 0.02, {{.position = {0, 0}}, {.position = {1, 0}}})};
  Simulation simulation(free, {.threads = 1});
  const std::vector<Motion> velocity = {{1.0, 2.0, 3.0}};
  CHECK_FALSE(simulation.set_velocities(std::vector<std::uint64_t>{2}, velocity));
  CHECK(simulation.set_velocities(std::vector<std::uint64_t>{3}, velocity) == 3);  // parts have no ids of their own
  const Bodies& bodies = simulation.bodies();
  REQUIRE(bodies.size() == 6);
  for (const std::uint32_t part : {4, 5}) {
    const Vec2 expected = Vec2(1.0, 2.0) + 3.0 * perp(bodies.arm_of(part));
    CHECK((linear(bodies.velocity[part]) - expected).norm() < 1e-15);
  }
  simulation.advance_to(0.1);
  CHECK(simulation.state().particles.position[1].x() == doctest::Approx(1.1));
}

TEST_CASE("a gap between clumps is free, and parts that overlap others at the start are refused" *
          doctest::skip(test::kThreadSanitizer)) {
  // A box inside an U, whose circle is inside that of the U.
  const Clump u{{box(0, 0, 3, 1), box(0, 1, 1, 3), box(2, 1, 3, 3)}};
  const Union& of_u = u.whole();
  Scene nested = test::empty_scene();
  const double scale = 0.01;
  const double size_of_u = scale * std::sqrt(4.0 * of_u.area / std::numbers::pi);
  const auto with_box_at = [&](const Vec2& at) {
    nested.particles = {test::placed(u, size_of_u, {{.position = scale * of_u.centroid}}),
                        test::placed(test::square(), test::size_of_square(0.8 * scale), {{.position = scale * at}})};
    return Simulation(nested, {.threads = 1}).summary().contacts;
  };
  CHECK(with_box_at({1.5, 2.0}) == 0);
  try {
    with_box_at({1.7, 2.0});
    FAIL("no error");
  } catch (const InvalidScene& error) {
    CHECK(std::string(error.what()).find("particle 2 overlaps particle 1 (particles[0].place[0])") !=
          std::string::npos);
  }
  // A pour finds the gap.
  nested.particles.back().how = Pour{.count = 1,
                                     .rate = 1000.0,
                                     .from = 0.0,
                                     .region = {scale * Vec2(1.05, 1.1), scale * Vec2(1.95, 2.9)},
                                     .velocity = Vec2::Zero()};
  nested.particles.back().size = {0.004, 0.004};
  Simulation pouring(nested, {.threads = 1});
  pouring.advance_to(0.01);
  CHECK(pouring.particles() == 2);
  CHECK(pouring.summary().contacts == 0);
}

TEST_CASE("a forged state of clumps is refused" * doctest::skip(test::kThreadSanitizer)) {
  Scene free = test::empty_scene();
  free.particles = {test::placed(an_l(), 0.02, {{.position = {0, 0}}})};
  const Simulation simulation(free, {.threads = 1});
  const auto refused = [&](const auto& forge) {
    Bodies bodies = simulation.bodies();
    CHECK_NOTHROW(bodies.require_sound(free));
    forge(bodies);
    CHECK_THROWS_AS(bodies.require_sound(free), InvalidState);
  };
  refused([](Bodies& b) { b.part[1] = 2; });
  refused([](Bodies& b) { b.part[0] = 1; });
  refused([](Bodies& b) { b.part.pop_back(); });
  refused([](Bodies& b) { b.arm[1].x() = std::nan(""); });
  refused([](Bodies& b) { b.id[2] = 7; });
  refused([](Bodies& b) { b.mass[2] = 7.0; });
  refused([](Bodies& b) { b.silhouette[0][1] = 1000; });
  refused([](Bodies& b) { b.silhouettes[0].x() = std::nan(""); });
}

}  // namespace scree::clump_bodies_test
