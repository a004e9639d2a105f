#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "dem/errors.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/hard/cells.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::hard_cell_lengths_test {

using namespace scree::hard;
using test::deforming;
using test::Enskog;
using test::own_velocity;
using test::temperature;

namespace {

using Grid = test::GridSimulation;

CellDrive strain(double xx, double yy, double xy = 0.0) {
  return {.xx = {.rate = xx}, .yy = {.rate = yy}, .xy = {.rate = xy}};
}

/// When the lengths are those of the exponential, to rounding.
double node(int k, double greatest_rate) {
  return k * (Cell::kStrainOfPiece / greatest_rate);
}

Scene cell_scene(const CellDrive& drive, Place place) {
  Scene scene = test::empty_scene();
  scene.mode = Mode::hard;
  scene.domain = {{-0.5, -0.4}, {0.5, 0.4}, {true, true}};
  scene.domain.cell = drive;
  scene.materials[0].stiffness = 0.0;
  scene.materials[0].restitution = 0.6;
  scene.materials[0].friction = 0.0;
  scene.particles = {test::placed(scree::Disk{}, 0.1, std::move(place))};
  return scene;
}

/// All components at once, rough disks.
Setup rough_gas(double margin = 0.0) {
  Setup setup =
      deforming({.columns = 10, .rows = 10, .packing_fraction = 0.55, .smallest = 0.7}, strain(-0.05, 0.03, 0.8), 0.9);
  setup.rules.disks.friction = 0.3;
  setup.margin = margin;
  return setup;
}

/// p A / (N kT) of equal elastic disks. Source: D. Henderson, Mol. Phys. 30 (1975) 971.
double compressibility(double packing_fraction) {
  return (1.0 + packing_fraction * packing_fraction / 8.0) / std::pow(1.0 - packing_fraction, 2);
}

/// What slow compression makes of the temperature: d ln T = Z d ln phi.
double adiabatic_growth(double from, double to) {
  constexpr int kSteps = 1000;
  double sum = 0.0;
  for (int k = 0; k < kSteps; ++k) {
    const double phi = from * std::pow(to / from, (k + 0.5) / kSteps);
    sum += compressibility(phi) * std::log(to / from) / kSteps;
  }
  return std::exp(sum);
}

std::string problem_of(Grid& simulation, double end) {
  try {
    simulation.advance_to(end);
  } catch (const PhysicsError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("lengths and tilt are exponentials, exactly at nodes and nearly so between") {
  const CellDrive drive = strain(-0.3, 0.2, 2.0);
  SceneSimulation simulation(cell_scene(drive, {{.position = {0.2, 0.3}}}));
  const auto check = [&](double t, double tolerance) {
    simulation.advance_to(t);
    const CellState cell = simulation.state().cell.value();
    const Vec2 length(std::exp(-0.3 * t), 0.8 * std::exp(0.2 * t));
    CHECK(std::abs(cell.length.x() / length.x() - 1.0) < tolerance);
    CHECK(std::abs(cell.length.y() / length.y() - 1.0) < tolerance);
    const double tilt = 2.0 * 0.8 * (std::exp(0.2 * t) - std::exp(-0.3 * t)) / 0.5;
    CHECK(std::abs(std::remainder(cell.tilt - tilt, cell.length.x())) < 20.0 * tolerance);
    CHECK(std::abs(cell.tilt) <= 0.5 * cell.length.x() + 1e-12);
    CHECK(std::abs(cell.strain[0] + 0.3 * t) < 1e-14);
    CHECK(std::abs(cell.strain[2] - 2.0 * t) < 1e-14);
    CHECK(std::abs(cell.rate[0] / -0.3 - 1.0) < 5.1e-4);
    CHECK(std::abs(cell.rate[1] / 0.2 - 1.0) < 5.1e-4);
    CHECK(std::abs(cell.rate[2] / 2.0 - 1.0) < 1.1e-3);
  };
  for (int k = 1; k <= 200; ++k) {
    check(node(k, 0.3) - 0.5 * node(1, 0.3), 1.3e-7);  // an eighth of the square of the strain of a piece
    check(node(k, 0.3), 1e-13);
  }
}

TEST_CASE("a free disk's velocity beside the flow follows c' = -L c, exactly at nodes; the cell does its work") {
  const Vec2 start(0.7, -1.9);
  SceneSimulation simulation(cell_scene(strain(-0.3, 0.2, 2.0), {{.position = {0.2, 0.3}, .velocity = {0.7, -1.9}}}));
  const double mass = simulation.state().particles.mass[0];
  const auto check = [&](double t, double tolerance) {
    simulation.advance_to(t);
    const State state = simulation.state();
    const Vec2 own = own_velocity(state, 0, Vec2::Zero());
    const double sheared = 2.0 * start.y() * (std::exp(-0.5 * t) - 1.0) / -0.5;
    const Vec2 expected(std::exp(0.3 * t) * (start.x() - sheared), std::exp(-0.2 * t) * start.y());
    CHECK((own - expected).norm() < tolerance * expected.norm());
    const Summary now = simulation.summary();
    CHECK(std::abs(now.kinetic_energy / (0.5 * mass * own.squaredNorm()) - 1.0) < 1e-12);
    CHECK(std::abs(now.wall_work - 0.5 * mass * (own.squaredNorm() - start.squaredNorm())) <
          1e-11 * now.kinetic_energy);
    CHECK(now.wall_work == state.cell->work);
    CHECK(std::abs(now.energy_residual) < 1e-12);
  };
  for (int k = 1; k <= 200; ++k) {
    check(node(k, 0.3) - 0.5 * node(1, 0.3), 5e-7);
    check(node(k, 0.3), 1e-12);
  }
  CHECK(simulation.state().particles.image[0] != Image{0, 0});
}

TEST_CASE(
    "a free disk flies as far in the cell as the integral of c over the length, to a sixth of the strain squared") {
  const double rate = -0.4;
  SceneSimulation simulation(cell_scene(strain(0.0, rate), {{.position = {0.1, -0.1}, .velocity = {0.0, 0.5}}}));
  for (int k = 1; k <= 20; ++k) {
    const double t = node(20 * k, 0.4);
    simulation.advance_to(t);
    const State state = simulation.state();
    // s = y / length y, s' = c / length y = (c0 / length0) exp(-2 rate t)
    const double flown = 0.5 / 0.8 * (1.0 - std::exp(-2.0 * rate * t)) / (2.0 * rate);
    const double place = state.particles.position[0].y() / state.cell->length.y();
    const double error = std::remainder(place - (-0.1 / 0.8 + flown), 1.0);
    constexpr double kStrain = Cell::kStrainOfPiece;
    CHECK(std::abs(error + flown * kStrain * kStrain / 6.0) < 0.02 * flown * kStrain * kStrain / 6.0 + 1e-13);
    CHECK(state.particles.image[0][1] == static_cast<int>(std::floor(-0.1 / 0.8 + flown + 0.5)));
    CHECK(std::abs(state.particles.position[0].x() - 0.1) < 1e-15);
  }
}

TEST_CASE("two disks at rest beside the flow collide when the flow has brought them together, across a side, too") {
  const double rate = -0.5;
  for (const double place : {0.075, 0.425}) {  // the distance is 0.15, in the cell or across its sides
    CAPTURE(place);
    SceneSimulation simulation(
        cell_scene(strain(rate, 0.0), {{.position = {-place, 0.1}}, {.position = {place, 0.1}}}));
    const double mass = simulation.state().particles.mass[0];
    const double when = std::log(0.15 / 0.1) / 0.5;
    simulation.advance_to(when - 1e-6);
    CHECK(simulation.counters().collisions == 0);
    CHECK(simulation.summary().kinetic_energy < 1e-25);
    simulation.advance_to(when + 1e-6);
    CHECK(simulation.counters().collisions == 1);
    // They met at 0.05 m/s, and part at 0.6 times that; the flow would bring them together at 0.05 m/s.
    const double apart = 0.6 * 0.05 + 0.05;
    const double later = when + 0.2;
    simulation.advance_to(later);
    CHECK(simulation.counters().collisions == 1);
    const Summary now = simulation.summary();
    const double faster = std::exp(0.5 * (later - when));
    const double kinetic = 0.5 * (0.5 * mass) * std::pow(apart * faster, 2);
    const double lost = 0.5 * (0.5 * mass) * 0.05 * 0.05 * (1.0 - 0.6 * 0.6);
    CHECK(std::abs(now.kinetic_energy / kinetic - 1.0) <
          3e-3);  // the flow at the moment of the collision is within 5e-4
    CHECK(std::abs(now.dissipated_damping / lost - 1.0) < 2e-3);
    CHECK(std::abs(now.wall_work / (kinetic + lost) - 1.0) < 3e-3);
    CHECK(std::abs(now.energy_residual) < 1e-13);
  }
}

TEST_CASE("a gas in a cell whose lengths change has the same bits with any broadphase, queue, margin and output") {
  // With the smaller margin images are moved between nodes.
  test::check_same_bits(rough_gas, {0.003, 0.5}, test::kSanitized ? 1.5 : 4.0, test::kSanitized ? 200 : 600);
}

TEST_CASE("a wide cell that is squeezed moves its images between nodes, and misses no collision") {
  Setup setup = deforming({.columns = 60, .rows = 4, .packing_fraction = 0.5}, strain(-0.02, 0.01), 0.95);
  setup.margin = 0.01;  // 60 m times the strain of a piece is six times as much
  Grid narrow(setup);
  setup.margin = 0.0;
  BasicSimulation<AllPairs<2>, ImplicitHeap> wide(setup);
  narrow.advance_to(1.5);
  wide.advance_to(1.5);
  CHECK(test::state_hash(narrow) == test::state_hash(wide));
  CHECK(narrow.counters().collisions > 500);
  narrow.audit();
}

TEST_CASE("a gas in a cell whose lengths change is saved between nodes and goes on with the same bits") {
  test::check_goes_on(rough_gas(), 1.2345, 2.5);
}

TEST_CASE("the work of a drive is that of the stress it reports, and what the disks gain and dissipate") {
  for (const double restitution : {1.0, 0.8}) {
    CAPTURE(restitution);
    const CellDrive drive = strain(-0.04, 0.02, 0.5);
    Setup setup = deforming({.columns = 10, .rows = 12, .packing_fraction = 0.4, .smallest = 0.6}, drive, restitution);
    if (restitution < 1.0) setup.rules.disks.friction = 0.4;
    Grid simulation(setup);
    const Summary before = simulation.summary();
    State last = simulation.state();
    double work = 0.0;
    const int steps = test::kSanitized ? 500 : 2000;
    for (int k = 1; k <= steps; ++k) {
      simulation.advance_to(0.0025 * k);
      const State state = simulation.state();
      // - V sigma_ij L_ij, with the integral of the stress over this time
      const double area = 0.5 * (state.cell->length.prod() + last.cell->length.prod());
      const double rates[] = {-0.04, 0.02, 0.5};
      for (const int c : {0, 1, 2}) work -= area * rates[c] * (test::impulse_of(state, c) - test::impulse_of(last, c));
      last = state;
    }
    const Summary now = simulation.summary();
    CHECK(now.wall_work == last.cell->work);
    CHECK(std::abs(now.energy_residual) < 1e-12);
    CHECK(std::abs(work / now.wall_work - 1.0) < 1e-3);
    const double dissipated = now.dissipated_damping + now.dissipated_friction;
    CHECK(std::abs(now.wall_work - (now.kinetic_energy - before.kinetic_energy + dissipated)) <
          1e-11 * now.energy_throughput);
    if (restitution == 1.0) CHECK(dissipated == 0.0);
    Vec2 momentum = Vec2::Zero();
    for (std::size_t i = 0; i < last.particles.size(); ++i) {
      momentum += last.particles.mass[i] * own_velocity(last, i, Vec2::Zero());
    }
    CHECK(momentum.norm() < 1e-9);
  }
}

TEST_CASE("slow compression heats elastic disks as the pressure of hard disks says, from all sides and along an axis" *
          doctest::skip(test::kSanitized)) {
  struct Case {
    const char* name;
    CellDrive drive;
    double tolerance;
  };
  for (const Case& c :
       {Case{"from all sides", strain(-0.01, -0.01), 0.02}, Case{"along y", strain(0.0, -0.02), 0.03}}) {
    CAPTURE(std::string(c.name));
    constexpr double kFraction = 0.2;
    Grid simulation(deforming({.columns = 18, .rows = 18, .packing_fraction = kFraction}, c.drive, 1.0));
    simulation.advance_to(5.0);
    const double before = temperature(simulation);
    const double from = simulation.packing_fraction();
    simulation.advance_to(30.0);
    const double to = simulation.packing_fraction();
    CHECK(std::abs(from / (kFraction * std::exp(0.1)) - 1.0) < 1e-6);
    CHECK(std::abs(to / (kFraction * std::exp(0.6)) - 1.0) < 1e-6);
    const double growth = temperature(simulation) / before;
    MESSAGE(std::string(c.name) << ": temperature grows " << growth << " times; adiabatically "
                                << adiabatic_growth(from, to));
    CHECK(std::abs(growth / adiabatic_growth(from, to) - 1.0) < c.tolerance);
  }
}

TEST_CASE("disks that do not collide are heated along the axis that is squeezed, T times length squared is constant") {
  Setup setup =
      deforming({.columns = 10, .rows = 10, .packing_fraction = 1e-5, .smallest = 0.9}, strain(0.0, -0.2), 1.0);
  for (double& radius : setup.radius) radius *= 1e-3;
  Grid simulation(setup);
  const auto squares = [&] {
    const State state = simulation.state();
    Vec2 sum = Vec2::Zero();
    for (std::size_t i = 0; i < state.particles.size(); ++i) {
      sum += own_velocity(state, i, Vec2::Zero()).cwiseAbs2();
    }
    return sum;
  };
  const Vec2 before = squares();
  simulation.advance_to(node(1024, 0.2));  // a strain of 1
  REQUIRE(simulation.counters().collisions == 0);
  CHECK(std::abs(squares().x() / before.x() - 1.0) < 1e-10);
  CHECK(std::abs(squares().y() / before.y() / std::exp(2.0) - 1.0) < 1e-10);
}

TEST_CASE("a cell that becomes longer and lower shears elastic disks with Enskog's viscosity, too" *
          doctest::skip(test::kSanitized)) {
  constexpr double kRate = 0.15;  // as a shear of twice that
  constexpr double kFraction = 0.2;
  Grid simulation(deforming({.columns = 18, .rows = 28, .packing_fraction = kFraction}, strain(kRate, -kRate), 1.0));
  simulation.advance_to(1.0);
  const State begin = simulation.state();
  double expected = 0.0;
  const int looks = 20;
  for (int k = 1; k <= looks; ++k) {
    simulation.advance_to(1.0 + 0.25 * k);
    expected += 0.25 * Enskog(kFraction).viscosity * 4.0 * kRate * std::sqrt(temperature(simulation));
  }
  const State end = simulation.state();
  const auto difference = [](const State& state) { return test::impulse_of(state, 1) - test::impulse_of(state, 0); };
  const double measured = difference(end) - difference(begin);
  MESSAGE("viscosity over Enskog's: " << measured / expected);
  // The stress varies by itself: by sqrt(T / (2 viscosity area time)) / rate = 0.075 of what is measured.
  CHECK(std::abs(measured / expected - 1.0) < 0.2);
  CHECK(std::abs(simulation.packing_fraction() / kFraction - 1.0) < 1e-6);
}

TEST_CASE("inelastic disks in a cell that becomes longer and lower take up what kinetic theory says" *
          doctest::skip(test::kSanitized)) {
  constexpr double kRate = 0.5;
  constexpr double kFraction = 0.3;
  constexpr double kRestitution = 0.9;
  const Enskog theory(kFraction);
  // 4 eta rate^2 = loss, both per area
  const double steady = 4.0 * theory.viscosity * kRate * kRate / (theory.loss * (1.0 - kRestitution * kRestitution));
  Setup setup =
      deforming({.columns = 10, .rows = 40, .packing_fraction = kFraction}, strain(kRate, -kRate), kRestitution);
  const Cell cell(setup.domain);
  for (std::size_t i = 0; i < setup.position.size(); ++i) {
    const Vec2 flow = cell.flow(setup.position[i], 0.0);
    setup.velocity[i] = flow + std::sqrt(steady) * (setup.velocity[i] - flow);
  }
  Grid simulation(setup);
  simulation.advance_to(1.0);
  const Summary before = simulation.summary();
  double mean = 0.0;
  const int looks = 20;
  for (int k = 1; k <= looks; ++k) {
    simulation.advance_to(1.0 + 0.05 * k);
    mean += temperature(simulation) / looks;
  }
  const Summary after = simulation.summary();
  const double work = after.wall_work - before.wall_work;
  const double dissipated = after.dissipated_damping - before.dissipated_damping;
  MESSAGE("temperature over that of the theory: " << mean / steady << ", work over dissipated: " << work / dissipated);
  CHECK(std::abs(mean / steady - 1.0) < 0.15);
  CHECK(std::abs(work / dissipated - 1.0) < 0.1);
}

TEST_CASE("a cell that is squeezed until its disks jam ends the run, and says so") {
  Grid simulation(
      deforming({.columns = 4, .rows = 4, .packing_fraction = 0.6, .smallest = 0.7}, strain(-0.1, -0.1), 1.0));
  const std::string problem = problem_of(simulation, 20.0);
  CAPTURE(problem);
  CAPTURE(simulation.counters().collisions);
  CHECK(problem.find("the disks have jammed: the cell squeezes them at a packing fraction of 0.8") !=
        std::string::npos);
  simulation.audit();
  CHECK(simulation.packing_fraction() > 0.75);
  CHECK(simulation.packing_fraction() < 0.91);
}

TEST_CASE("a cell that becomes too small for its disks, or too large, ends the run, and says so") {
  Setup setup = deforming({.columns = 2, .rows = 2, .packing_fraction = 0.1}, strain(-0.5, 0.5), 0.5);
  for (Vec2& velocity : setup.velocity) velocity *= 1e-3;
  setup.radius.resize(1);
  for (auto* values : {&setup.position, &setup.velocity}) values->resize(1);
  setup.mass.resize(1);
  Grid narrow(setup);
  const double width = narrow.state().cell->length.x();
  const std::string problem = problem_of(narrow, 20.0);
  CHECK(problem.find("too small for disks 1 m wide") != std::string::npos);
  CHECK(narrow.time() == doctest::Approx(std::log(width / 2.0) / 0.5).epsilon(0.01));
  setup.domain.cell = strain(2.0, 2.0);
  Grid wide(setup);
  CHECK(problem_of(wide, 20.0).find("too large for disks 1 m wide") != std::string::npos);
}

}  // namespace scree::hard_cell_lengths_test
