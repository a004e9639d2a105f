#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/hard/gases.hpp"

namespace scree::hard_simulation_test {

using namespace scree::hard;

namespace {

Setup disks_in_box(std::vector<Vec2> position, std::vector<Vec2> velocity, double radius = 0.5) {
  Setup setup;
  setup.domain = {{0.0, 0.0}, {10.0, 10.0}};
  setup.radius.assign(position.size(), radius);
  setup.mass.assign(position.size(), 1.0);
  setup.position = std::move(position);
  setup.velocity = std::move(velocity);
  return setup;
}

Vec2 momentum(const State& state) {
  Vec2 sum = Vec2::Zero();
  for (std::size_t i = 0; i < state.particles.size(); ++i) sum += state.particles.mass[i] * state.particles.velocity[i];
  return sum;
}

}  // namespace

TEST_CASE("two disks that meet head-on exchange their velocities, once") {
  Simulation simulation(disks_in_box({{2.0, 5.0}, {6.0, 5.0}}, {{1.0, 0.0}, {-0.5, 0.0}}));
  simulation.advance_to(2.0);  // gap 3 at closing speed 1.5
  CHECK(simulation.counters().collisions == 1);
  simulation.advance_to(4.0);
  CHECK(simulation.counters().collisions == 1);
  const ParticleState now = simulation.state().particles;
  CHECK(now.velocity == std::vector<Vec2>{{-0.5, 0.0}, {1.0, 0.0}});
  CHECK((now.position[0] - Vec2(3.0, 5.0)).norm() < 1e-14);
  CHECK((now.position[1] - Vec2(7.0, 5.0)).norm() < 1e-14);
  CHECK(simulation.time() == 4.0);
  simulation.audit();
}

TEST_CASE("disks that fly a thousand million diameters before they meet collide if they pass by within a diameter") {
  for (const double missed : {0.0, 0.1, 0.3, 0.5, 0.9, 0.99, 1.01, 1.1, 1.5}) {
    CAPTURE(missed);
    const Vec2 direction(0.6, 0.8);
    Setup setup = disks_in_box({Vec2::Zero(), 1e9 * direction + missed * perp(direction)}, {direction, -direction});
    setup.domain = {{-2e9, -2e9}, {2e9, 2e9}};
    Simulation simulation(setup);
    simulation.advance_to(6e8);
    CHECK(simulation.counters().collisions == (missed < 1.0 ? 1 : 0));
    simulation.audit();
  }
}

TEST_CASE("a simulation of no disk, one disk, and one at rest") {
  Simulation none(disks_in_box({}, {}));
  none.advance_to(3.0);
  CHECK(none.time() == 3.0);
  CHECK(none.state().particles.size() == 0);
  none.audit();

  Simulation resting(disks_in_box({{5.0, 5.0}}, {{0.0, 0.0}}));
  resting.advance_to(1e9);
  CHECK(resting.state().particles.position[0] == Vec2(5.0, 5.0));
  CHECK(resting.counters().box_exits == 0);

  Simulation bouncing(disks_in_box({{5.0, 5.0}}, {{1.0, 2.0}}));
  bouncing.advance_to(18.0);  // 9 m of way each way: back at the start along y, on the way back along x
  CHECK(bouncing.counters().wall_hits == 2 + 4);
  CHECK((bouncing.state().particles.position[0] - Vec2(5.0, 5.0)).norm() < 1e-13);
  CHECK(bouncing.state().particles.velocity[0] == Vec2(1.0, 2.0));
  bouncing.audit();
}

TEST_CASE("a disk goes around a periodic domain and is counted") {
  Setup setup = disks_in_box({{5.0, 5.0}}, {{1.0, -0.25}});
  setup.domain.periodic = {true, true};
  Simulation simulation(setup);
  simulation.advance_to(1006.0);
  const Vec2 position = simulation.state().particles.position[0];
  CHECK((position - Vec2(1.0, 3.5)).norm() < 1e-10);
  CHECK(simulation.images()[0] == std::array<std::int32_t, 2>{101, -25});
  CHECK(simulation.counters().collisions == 0);  // not with itself
}

TEST_CASE("two images of one pair collide at once") {
  // Beside each other with no room to spare: each touches the other on both sides.
  Setup setup = disks_in_box({{0.5, 5.0}, {1.5, 5.0}}, {{0.5, 0.0}, {-0.5, 0.0}});
  setup.domain.hi.x() = 2.0 + 1e-9;
  setup.domain.periodic = {true, true};
  Simulation simulation(setup);
  simulation.advance_to(1e-7);  // to and fro in a gap of 1 nm: 100 times
  CHECK(simulation.counters().collisions >= 99);
  CHECK(simulation.counters().collisions <= 101);
  CHECK(simulation.summary().kinetic_energy == doctest::Approx(0.25).epsilon(1e-14));
  simulation.audit();
}

TEST_CASE("a disk wedged between walls, disks in a row without room") {
  Setup wedged = disks_in_box({{0.5, 5.0}}, {{1.0, 0.3}});
  wedged.domain.hi.x() = 1.0;
  wedged.margin = 0.1;
  Simulation simulation(wedged);
  // It hits left and right infinitely often at one place: time stands still, and that is said.
  CHECK_THROWS_WITH_AS(simulation.advance_to(1.0), doctest::Contains("time stands still"), PhysicsError);

  Simulation row(disks_in_box({{0.5, 5.0}, {1.5, 5.0}, {2.5, 5.0}, {6.0, 5.0}},
                              {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {-1.0, 0.0}}));
  row.advance_to(6.0);  // Newton's cradle against the wall: the push comes back
  CHECK(row.counters().wall_hits == 1);
  CHECK(row.counters().collisions == 6);
  CHECK((row.state().particles.position[3] - Vec2(7.0, 5.0)).norm() < 1e-13);
  row.audit();
}

TEST_CASE("inelastic collapse ends the run with a message, not silently") {
  Setup setup = disks_in_box({{0.5, 5.0}, {1.75, 5.0}, {3.0, 5.0}}, {{0.0, 0.0}, {0.0, 0.0}, {-1.0, 0.0}});
  setup.domain.hi.x() = 3.6;
  setup.rules.disks.restitution = setup.rules.walls.restitution = 0.03;
  setup.rules.disks.restitution = 0.05;
  Simulation simulation(setup);
  bool stood_still = false;
  try {
    simulation.advance_to(1e6);
  } catch (const PhysicsError& error) {
    stood_still = std::string(error.what()).find("time stands still") != std::string::npos;
  }
  CHECK((stood_still || simulation.time() == 1e6));
}

TEST_CASE("a disk that hits walls within the contact duration keeps its energy, later not") {  // 9 m of way
  Setup setup = disks_in_box({{5.0, 5.0}}, {{1.0, 0.0}});
  setup.rules.walls.restitution = 0.5;
  for (const double contact_duration : {0.0, 17.9, 18.1}) {
    CAPTURE(contact_duration);
    setup.contact_duration = contact_duration;
    Simulation simulation(setup);
    simulation.advance_to(4.6);  // the first collision dissipates: there was none before
    CHECK(simulation.state().particles.velocity[0].x() == -0.5);
    simulation.advance_to(4.5 + 18.1);
    CHECK(simulation.state().particles.velocity[0].x() == (contact_duration > 18.0 ? 0.5 : 0.25));
  }
}

TEST_CASE("a collision dissipates only if neither partner collided within the contact time") {
  // The second disk comes back from the wall after 1 s; a gap of 4.5 m then closes at 2 m/s.
  Setup setup = disks_in_box({{3.0, 5.0}, {8.5, 5.0}}, {{1.0, 0.0}, {1.0, 0.0}});
  setup.rules.disks.restitution = 0.5;
  for (const double contact_duration : {2.2, 2.3}) {
    CAPTURE(contact_duration);
    setup.contact_duration = contact_duration;
    Simulation simulation(setup);
    simulation.advance_to(4.0);
    CHECK(simulation.counters().wall_hits == 1);
    CHECK(simulation.counters().collisions == 1);
    CHECK(simulation.state().particles.velocity[0].x() == (contact_duration > 2.25 ? -1.0 : -0.5));
  }
}

TEST_CASE("a gas that would collapse continues to cool with a contact duration") {
  Setup setup = test::gas({.columns = 20, .rows = 20, .packing_fraction = 0.5});
  setup.rules.disks.restitution = 0.3;
  Simulation collapsing(setup);
  CHECK_THROWS_WITH_AS(collapsing.advance_to(1e3), doctest::Contains("time stands still"), PhysicsError);
  CHECK(collapsing.time() < 1e3);
  setup.contact_duration = 1e-3;
  Simulation cooling(setup);
  double energy = cooling.summary().kinetic_energy;
  for (const double time : {1.0, 10.0, 100.0, 1000.0}) {
    cooling.advance_to(time);
    cooling.audit();
    CHECK(cooling.summary().kinetic_energy < 0.3 * energy);
    energy = cooling.summary().kinetic_energy;
  }
  CHECK(energy > 0.0);
}

TEST_CASE("a run without progress says that it is stuck; with less patience it goes on") {
  Setup wedged = disks_in_box({{0.5, 5.0}}, {{1.0, 0.3}});
  wedged.domain.hi.x() = 1.0 + 1e-11;  // to and fro in 2e-11 s
  wedged.margin = 0.1;
  wedged.contact_duration = 1.0;
  Simulation stuck(wedged);
  CHECK_THROWS_WITH_AS(stuck.advance_to(1e-5), doctest::Contains("the run is stuck"), PhysicsError);
  CHECK(stuck.time() < 1e-6);
  wedged.contact_duration = 1e-3;
  CHECK_NOTHROW(Simulation(wedged).advance_to(1e-6));
}

TEST_CASE("friction turns sliding into spin, and angles follow") {
  Setup setup = disks_in_box({{5.0, 2.0}}, {{1.0, -1.0}});
  setup.rules.walls = {1.0, 1e9, 0.0};  // sticks
  Simulation simulation(setup);
  simulation.advance_to(1.5);
  CHECK(simulation.state().particles.angle[0] == 0.0);
  simulation.advance_to(2.5);
  const ParticleState now = simulation.state().particles;
  // Rolling without sliding: v' = 2/3 v, omega = -v'/r.
  CHECK(std::abs(now.velocity[0].x() - 2.0 / 3.0) < 1e-15);
  CHECK(now.velocity[0].y() == 1.0);
  CHECK(std::abs(now.angular_velocity[0] + 4.0 / 3.0) < 1e-14);
  CHECK(std::abs(now.angle[0] + 4.0 / 3.0) < 1e-14);
}

TEST_CASE("momentum in a periodic box is constant, also with friction") {
  Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.8, .smallest = 0.5});
  setup.rules.disks = {0.99, 0.1, 0.3};
  Simulation simulation(setup);
  const Vec2 before = momentum(simulation.state());
  simulation.advance_to(40.0);
  CHECK(simulation.counters().collisions > 3000);
  CHECK((momentum(simulation.state()) - before).norm() < 1e-12);
  simulation.audit();
}

TEST_CASE("no overlap, whatever sizes, coordinates and margins") {
  for (const double smallest : {1.0, 0.1, 1e-3}) {
    for (const Vec2& centre : {Vec2(0.0, 0.0), Vec2(1e9, -1e9)}) {
      for (const bool periodic : {true, false}) {
        if (smallest < 0.1 && centre.x() > 0.0) continue;
        CAPTURE(smallest);
        CAPTURE(periodic);
        Simulation simulation(test::gas({.columns = 10,
                                         .rows = 10,
                                         .packing_fraction = 0.5,
                                         .smallest = smallest,
                                         .periodic = periodic,
                                         .centre = centre}));
        for (int k = 1; k <= 20; ++k) {
          simulation.advance_to(0.7 * k);
          simulation.audit();
        }
        CHECK(simulation.counters().collisions > 1000);
      }
    }
  }
}

TEST_CASE("a giant among dwarfs a million times smaller") {
  Setup setup = test::gas({.columns = 14, .rows = 14, .packing_fraction = 1e-3, .smallest = 0.5, .periodic = true});
  for (std::size_t i = 0; i < setup.radius.size(); ++i) {
    setup.radius[i] = i == 0 ? 5.0 : 5e-6;
    setup.mass[i] = i == 0 ? 100.0 : 1e-4;
  }
  // It stands on a place of the lattice; its neighbours are some 33 m away.
  Simulation simulation(setup);
  simulation.advance_to(20000.0);
  CHECK(simulation.counters().collisions > 100);
  simulation.audit();
}

TEST_CASE("a setup that makes no sense is refused, by name") {
  const Setup good = disks_in_box({{2.0, 5.0}, {6.0, 5.0}}, {{1.0, 0.0}, {-0.5, 0.0}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](const char* text, auto change) {
    Setup bad = good;
    change(bad);
    CHECK_THROWS_WITH_AS(Simulation{bad}, doctest::Contains(text), InvalidScene);
  };
  refused("position[1]", [&](Setup& s) { s.position[1].x() = nan; });
  refused("position[1]: the disk overlaps disk 0", [&](Setup& s) { s.position[1].x() = 2.999999; });
  refused("position[1]: the disk sticks out", [&](Setup& s) { s.position[1].y() = 9.6; });
  refused("velocity[0]", [&](Setup& s) { s.velocity[0].y() = std::numeric_limits<double>::infinity(); });
  refused("radius[1]", [&](Setup& s) { s.radius[1] = 0.0; });
  refused("mass[1]", [&](Setup& s) { s.mass[1] = -1.0; });
  refused("mass", [&](Setup& s) { s.mass.pop_back(); });
  refused("domain", [&](Setup& s) { s.domain.hi = s.domain.lo; });
  refused("rules.disks.restitution", [&](Setup& s) { s.rules.disks.restitution = 1.1; });
  refused("rules.walls.friction", [&](Setup& s) { s.rules.walls.friction = nan; });
  refused("rules.disks.reference_speed", [&](Setup& s) { s.rules.disks.reference_speed = 0.0; });
  refused("contact_duration", [&](Setup& s) { s.contact_duration = nan; });
  refused("as wide as the periodic domain", [&](Setup& s) {
    s.domain.periodic = {true, false};
    s.domain.hi.x() = s.domain.lo.x() + 1.0;
  });
  refused("too small for coordinates", [&](Setup& s) {
    s.domain.lo.x() -= 1e13;
    s.margin = 0.1;
  });
  Setup touching = good;
  touching.position[1].x() = 3.0;
  CHECK_NOTHROW(Simulation{touching});
}

}  // namespace scree::hard_simulation_test
