#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/scene/scene_setup.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/measure/measurements.hpp"
#include "dem/scene.hpp"
#include "tests/hard/gases.hpp"
#include "tests/hard/refusals.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::hard_measure_test {

// Gases of hard disks, diameter sigma = 1 m, mass m = 1 kg; kT = E / (N - 1) in periodic boxes, whose momentum is zero.

using hard::Simulation;

namespace {

constexpr double kPi = std::numbers::pi;

/// The gas's scene, as far as measurements need it.
Scene measuring(hard::Setup& setup, double from, double every) {
  Scene scene;
  scene.domain = setup.domain;
  scene.measure = Measure{.every = every,
                          .from = from,
                          .region = {setup.domain.lo, setup.domain.hi},
                          .radial_distribution = Measure::RadialDistribution{3.0, 30},
                          .velocity_distribution = Measure::VelocityDistribution{5.0, 50},
                          .height_profile = Measure::HeightProfile{4},
                          .mean_square_displacement = true,
                          .free_flights = true};
  setup.measure = scene.measure;
  return scene;
}

struct Means {
  int samples = 0;
  double temperature = 0.0;
  double mean_speed = 0.0;
  double collision_rate = 0.0;
  double contact_pressure = 0.0;
  double pressure = 0.0;
  double wall_pressure = 0.0;
};

Means run(Simulation& simulation, Measurements& measurements, int samples) {
  Means means;
  while (means.samples < samples) {
    simulation.advance_to(measurements.next());
    const auto sample = measurements.take(simulation.state(), simulation.transfers());
    if (!sample) continue;
    ++means.samples;
    means.temperature += sample->temperature / samples;
    means.mean_speed += sample->mean_speed / samples;
    means.collision_rate += sample->collision_rate / samples;
    means.contact_pressure += 0.5 * sample->contact_pressure.trace() / samples;
    means.pressure += 0.5 * sample->pressure.trace() / samples;
    means.wall_pressure += 0.5 * sample->wall_pressure.sum() / samples;
  }
  return means;
}

double mean(const std::vector<Measurements::FlightRow>& flights) {
  double sum = 0.0;
  for (const auto& bin : flights) sum += 0.5 * (bin.from + bin.to) * bin.density * (bin.to - bin.from);
  return sum;
}

}  // namespace

TEST_CASE("collisions that are listed are the whole motion") {
  hard::Setup setup = test::gas({.columns = 8, .rows = 8, .packing_fraction = 0.4, .periodic = false});
  setup.rules.disks = {0.95, 0.1, 0.4};
  setup.rules.walls = {0.9, 0.2, 0.0};
  const Vec2 centre = 0.5 * (setup.domain.lo + setup.domain.hi);
  test::add_walls(setup, {{.name = "post", .polygon = {centre, centre + Vec2(1.0, 0.0), centre + Vec2(0.0, 1.0)}}});
  measuring(setup, 0.0, 1.0);
  setup.measure->collisions = true;
  Simulation simulation(setup);
  const State start = simulation.state();
  simulation.advance_to(4.0);
  std::vector<Collision> all = simulation.take_collisions();
  simulation.advance_to(8.0);
  const std::vector<Collision> more = simulation.take_collisions();
  CHECK(simulation.take_collisions().empty());
  all.insert(all.end(), more.begin(), more.end());
  CHECK(all.size() == simulation.counters().collisions + simulation.counters().wall_hits);
  REQUIRE(all.size() > 300);
  const std::uint64_t first = start.particles.id[0];
  std::vector<Vec2> position = start.particles.position;
  std::vector<Vec2> velocity = start.particles.velocity;
  std::vector<double> since(position.size(), 0.0);
  double lost = 0.0;
  std::array<int, Collision::kNames.size()> count{};
  const auto fly = [&](std::size_t k, double time) {
    position[k] += (time - since[k]) * velocity[k];
    since[k] = time;
  };
  for (const Collision& c : all) {
    ++count.at(static_cast<std::size_t>(c.with));
    lost += c.lost;
    const std::size_t k = c.id1 - first;
    fly(k, c.time);
    CHECK((position[k] - c.position).norm() < 1e-9);
    velocity[k] -= c.impulse / start.particles.mass[k];
    if (c.with == Collision::With::wall) CHECK(c.id2 == 1);
    if (c.with != Collision::With::grain) continue;
    const std::size_t other = c.id2 - first;
    fly(other, c.time);
    CHECK((position[other] - position[k] - c.branch).norm() < 1e-9);
    CHECK(std::abs(c.branch.norm() - start.particles.radius[k] - start.particles.radius[other]) < 1e-9);
    velocity[other] += c.impulse / start.particles.mass[other];
  }
  for (const auto with : {Collision::With::left, Collision::With::right, Collision::With::bottom, Collision::With::top,
                          Collision::With::wall, Collision::With::grain}) {
    CHECK(count.at(static_cast<std::size_t>(with)) > 0);
  }
  const State end = simulation.state();
  for (std::size_t k = 0; k < position.size(); ++k) {
    fly(k, end.time);
    CHECK((position[k] - end.particles.position[k]).norm() < 1e-9);
    CHECK((velocity[k] - end.particles.velocity[k]).norm() < 1e-9);
  }
  const Summary summary = simulation.summary();
  CHECK(std::abs(lost / (summary.dissipated_damping + summary.dissipated_friction) - 1.0) < 1e-9);
}

TEST_CASE("Helfand's moments are the integrals of the currents, also of a run that goes on after a pause") {
  hard::Setup setup = test::gas({.columns = 6, .rows = 6, .packing_fraction = 0.4, .smallest = 0.5});
  setup.rules.disks.restitution = 0.9;
  measuring(setup, 0.0, 1.0);
  setup.measure->collisions = true;
  setup.measure->helfand_moments = true;
  Simulation simulation(setup);
  const State start = simulation.state();
  const std::vector<double>& mass = start.particles.mass;
  simulation.advance_to(3.0);
  std::vector<Collision> all = simulation.take_collisions();
  std::stringstream saved;
  simulation.save(saved);
  Simulation resumed(setup);
  resumed.load(saved);
  for (Simulation* each : {&simulation, &resumed}) each->advance_to(6.0);
  const State end = simulation.state();
  REQUIRE(end.moments);
  CHECK(resumed.state().moments->momentum == end.moments->momentum);
  CHECK(resumed.state().moments->heat == end.moments->heat);
  for (const Collision& more : simulation.take_collisions()) all.push_back(more);
  REQUIRE(all.size() > 150);

  std::vector<Vec2> velocity = start.particles.velocity;
  const auto energy = [&](std::size_t k) { return 0.5 * mass[k] * velocity[k].squaredNorm(); };
  MomentState expected;
  double since = 0.0;
  const auto fly = [&](double time) {
    for (std::size_t k = 0; k < velocity.size(); ++k) {
      expected.momentum += (time - since) * mass[k] * velocity[k] * velocity[k].transpose();
      expected.heat += (time - since) * energy(k) * velocity[k];
    }
    since = time;
  };
  for (const Collision& c : all) {
    fly(c.time);
    const std::size_t a = c.id1 - start.particles.id[0];
    const std::size_t b = c.id2 - start.particles.id[0];
    const double difference = energy(b) - energy(a);
    velocity[a] -= c.impulse / mass[a];
    velocity[b] += c.impulse / mass[b];
    expected.momentum += c.branch * c.impulse.transpose();
    expected.heat += 0.5 * (energy(b) - energy(a) - difference) * c.branch;
  }
  fly(end.time);
  CHECK((end.moments->momentum - expected.momentum).norm() < 1e-9 * expected.momentum.norm());
  CHECK((end.moments->heat - expected.heat).norm() < 1e-9 * expected.momentum.norm());
  const double asymmetry = end.moments->momentum(0, 1) - end.moments->momentum(1, 0);
  CHECK(std::abs(asymmetry) < 1e-9 * expected.momentum.norm());  // impulses are central
}

TEST_CASE("what carries momentum or heat otherwise is refused beside Helfand's moments") {
  Scene scene = test::empty_scene();
  scene.mode = Mode::hard;
  scene.domain = {{0.0, 0.0}, {1.0, 1.0}, {true, true}};
  scene.materials[0] = {.name = "smooth", .density = 1.0, .restitution = 0.8};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {1.0, 1.0}}, .count = 100, .jitter = 1.0},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.02, 0.03}}};
  scene.measure = Measure{.every = 0.1, .region = {scene.domain.lo, scene.domain.hi}, .helfand_moments = true};
  CHECK_NOTHROW((void)hard::setup_from(scene));
  const auto refused = [&](const char* key, const std::function<void(Scene&)>& spoil) {
    test::check_refused(scene, key, spoil);
  };
  refused("arithmetic", [](Scene& s) { s.hard.arithmetic = Arithmetic::exact; });
  refused("growth", [](Scene& s) { s.hard.growth.rate = 1.0; });
  refused("time.reverse", [](Scene& s) { s.hard.reverse = 0.5; });
  refused("domain.periodic", [](Scene& s) { s.domain.periodic = {true, false}; });
  refused("gravity", [](Scene& s) { s.gravity = {0.0, -1.0}; });
  refused("walls.wall", [](Scene& s) { s.walls = {test::box_wall({0.5, 0.5}, {0.6, 0.6})}; });
  refused("well", [](Scene& s) { s.hard.well = {.range = 1.5, .energy = -1.0}; });
  refused("thermostat", [](Scene& s) { s.thermostat = Thermostat{.every = 0.1, .strength = 1.0}; });
  refused("materials.smooth", [](Scene& s) { s.materials[0].friction = 0.1; });
  refused("particles[0].shape", [](Scene& s) {
    s.materials[0].restitution = 1.0;
    s.particles[0].shape = RegularPolygon{};
  });
}

TEST_CASE("a gas that is measured moves as one that is not, and measures the same when saved and loaded") {
  hard::Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.5});
  Simulation plain(setup);
  const Scene scene = measuring(setup, 0.5, 0.5);
  Simulation measured(setup);
  Measurements measurements(scene);
  run(measured, measurements, 10);
  Simulation again(setup);
  again.advance_to(2.3);
  std::stringstream bytes;
  again.save(bytes);
  Simulation resumed(setup);
  resumed.load(bytes);
  plain.advance_to(measured.time());
  resumed.advance_to(measured.time());
  CHECK(test::state_hash(plain) == test::state_hash(measured));
  CHECK(test::state_hash(resumed) == test::state_hash(measured));
  const LayerTransfer& one = measured.transfers().layers().at(2);
  const LayerTransfer& other = resumed.transfers().layers().at(2);
  CHECK(one.collisions == other.collisions);
  CHECK(one.virial == other.virial);
  CHECK(measured.transfers().free_path().counts() == resumed.transfers().free_path().counts());
  std::uint64_t collisions = 0;
  for (const LayerTransfer& layer : measured.transfers().layers()) collisions += layer.collisions;
  CHECK(collisions == measured.counters().collisions);
  CHECK(collisions > 1000);
  CHECK(plain.transfers().layers().empty());
}

TEST_CASE("pressure, collision rate and free path of an elastic gas are those of its equation of state") {
  struct Case {
    double packing_fraction;
    double z;  // virial series with b1 ... b10 (Clisby & McCoy 2006), Pade
  };
  for (const Case& c : {Case{0.2, 1.570366}, Case{0.5, 4.1063}}) {
    CAPTURE(c.packing_fraction);
    hard::Setup setup = test::gas({.columns = 30, .rows = 30, .packing_fraction = c.packing_fraction});
    const double n = static_cast<double>(setup.position.size());
    const double area = (setup.domain.hi - setup.domain.lo).prod();
    const double rate = 4.0 * (c.z - 1.0) / std::sqrt(kPi);  // at kT = 1
    const Scene scene = measuring(setup, 10.0 / rate, 2.0 / rate);
    Simulation simulation(setup);
    Measurements measurements(scene);
    const Means means = run(simulation, measurements, 100);
    const double collisions = 100.0 * n;  // in 200 mean free times
    const double tolerance = 4.0 * 0.55 / std::sqrt(collisions);
    const double thermal = std::sqrt(means.temperature);
    CHECK(std::abs(means.collision_rate / (rate * thermal) - 1.0) < tolerance);
    // Momentum in a collision: sqrt(pi) sqrt(kT m) on average, exponentially distributed squares: spread 52 %.
    const double z = 1.0 + means.contact_pressure * area / (n * means.temperature);
    CHECK(std::abs((z - 1.0) / (c.z - 1.0) - 1.0) < 2.0 * tolerance);
    CHECK(means.pressure - means.contact_pressure == doctest::Approx((n - 1.0) * means.temperature / area));
    CHECK(means.wall_pressure == 0.0);

    CHECK(std::abs(means.mean_speed / (std::sqrt(0.5 * kPi) * thermal) - 1.0) < 0.01);
    const double chi = (c.z - 1.0) / (2.0 * c.packing_fraction);
    const double path = 1.0 / (2.0 * std::sqrt(2.0) * (n / area) * chi);  // Enskog
    CHECK(std::abs(mean(measurements.free_paths()) / path - 1.0) < 0.015);
    CHECK(std::abs(mean(measurements.free_times()) * rate * thermal - 1.0) < 0.015);

    // g at contact is chi; the bin beside contact is a little below.
    const auto g = measurements.radial_distribution()->rows();
    CHECK(g[9].pairs == 0);
    CHECK(g[10].g < chi);
    CHECK(g[10].g > 0.8 * chi);
    if (c.packing_fraction < 0.3) CHECK(std::abs(g[29].g - 1.0) < 0.02);  // denser ones have shells farther out
    double layers = 0.0;
    for (const auto& layer : measurements.height_profile()) layers += 0.25 * 0.5 * layer.pressure.trace();
    CHECK(std::abs(layers / means.pressure - 1.0) < 0.01);
  }
}

TEST_CASE("the pressure inside is that on hard sides, where disks attract or repel each other, too") {
  for (const double energy : {0.0, -0.7, 0.5}) {
    CAPTURE(energy);
    hard::Setup setup = test::gas({.columns = 14, .rows = 14, .packing_fraction = 0.4, .periodic = false});
    setup.well = {energy == 0.0 ? 1.0 : 1.4, energy};
    const Scene scene = measuring(setup, 5.0, 5.0);
    Simulation simulation(setup);
    Measurements measurements(scene);
    const Means means = run(simulation, measurements, 60);
    CHECK(std::abs(means.pressure / means.wall_pressure - 1.0) < 0.01);
    CHECK(simulation.counters().wall_hits > 1000);
    const std::vector<WallTransfer>& sides = simulation.transfers().walls();
    REQUIRE(sides.size() == 4);
    const Vec2 size = setup.domain.hi - setup.domain.lo;
    for (const std::size_t k : {0, 1, 2, 3}) {
      const int axis = k < 2 ? 0 : 1;
      const double outward = (k % 2 == 0 ? -1.0 : 1.0) * sides[k].impulse[axis];
      CHECK(std::abs(outward / (simulation.time() * size[1 - axis] * means.wall_pressure) - 1.0) < 0.05);
      CHECK(sides[k].impulse[1 - axis] == 0.0);
    }
  }
}

TEST_CASE("walls receive the momentum that disks lose, and its torque about their centroid") {
  hard::Setup setup;
  setup.domain = {{0.0, 0.0}, {10.0, 10.0}, {true, true}};
  setup.position = {{5.0, 5.0}};
  setup.velocity = {{3.0, 0.0}};
  setup.radius = {0.5};
  setup.mass = {2.0};
  Wall wall;
  wall.polygon = {{8.0, 3.0}, {9.0, 3.0}, {9.0, 6.0}, {8.0, 6.0}};  // centroid (8.5, 4.5)
  setup.walls = {wall};
  const Scene scene = measuring(setup, 0.0, 5.5);
  Simulation simulation(setup);
  Measurements measurements(scene);
  run(simulation, measurements, 1);  // 2.5 m to its left side, 8 m back to its right one, across the domain's sides
  const WallTransfer& felt = simulation.transfers().walls().at(0);
  CHECK(simulation.transfers().layers().at(2).wall_collisions == 2);
  CHECK(felt.impulse.norm() < 1e-12);  // 12 N s to the right, and to the left
  CHECK(std::abs(felt.angular_impulse) < 1e-12);
  Simulation once(setup);
  once.advance_to(1.0);
  CHECK((once.transfers().walls().at(0).impulse - Vec2(12.0, 0.0)).norm() < 1e-12);
  CHECK(once.transfers().walls().at(0).angular_impulse == doctest::Approx(-6.0));  // arm (-0.5, 0.5)
}

TEST_CASE("collisions turn equal speeds into Maxwell's and Boltzmann's") {
  hard::Setup setup = test::gas({.columns = 60, .rows = 50, .packing_fraction = 0.3});
  Vec2 drift = Vec2::Zero();
  for (Vec2& velocity : setup.velocity) drift += (velocity /= velocity.norm());
  for (Vec2& velocity : setup.velocity) velocity -= drift / static_cast<double>(setup.velocity.size());
  /// Largest distance of the distributions of the speeds and 1 - exp(-c^2 / 2), times sqrt(N).
  const auto distance = [](const Simulation& simulation) {
    const ParticleState now = simulation.state().particles;
    std::vector<double> speeds;
    double temperature = 0.0;
    for (const Vec2& velocity : now.velocity) {
      speeds.push_back(velocity.norm());
      temperature += 0.5 * velocity.squaredNorm() / static_cast<double>(now.size());
    }
    std::ranges::sort(speeds);
    double farthest = 0.0;
    const auto n = static_cast<double>(speeds.size());
    for (std::size_t k = 0; k < speeds.size(); ++k) {
      const double expected = 1.0 - std::exp(-0.5 * speeds[k] * speeds[k] / temperature);
      farthest = std::max({farthest, std::abs(expected - static_cast<double>(k) / n),
                           std::abs(expected - static_cast<double>(k + 1) / n)});
    }
    return farthest * std::sqrt(n);
  };
  const Scene scene = measuring(setup, 10.0, 1.0);
  Simulation simulation(setup);
  CHECK(distance(simulation) > 10.0);
  Measurements measurements(scene);
  run(simulation, measurements, 30);
  CHECK(distance(simulation) < 1.63);  // Kolmogorov & Smirnov: exceeded once in 100 times
  REQUIRE_FALSE(measurements.velocity_distribution()->rows().empty());
  for (const auto& row : measurements.velocity_distribution()->rows()) {
    const double normal = std::exp(-0.5 * row.velocity * row.velocity) / std::sqrt(2.0 * kPi);
    CHECK(std::abs(row.density.x() - normal) < 0.02);
    if (row.velocity > 0.0) {
      CHECK(std::abs(row.speed_density - row.velocity * std::exp(-0.5 * row.velocity * row.velocity)) < 0.02);
    } else {
      CHECK(row.speed_density == 0.0);
    }
  }
}

TEST_CASE("before the first collision the mean square displacement is v^2 t^2") {
  hard::Setup setup = test::gas({.columns = 4, .rows = 4, .packing_fraction = 0.0001});
  const Scene scene = measuring(setup, 0.0, 1.0);
  Simulation simulation(setup);
  Measurements measurements(scene);
  measurements.take(simulation.state(), simulation.transfers());
  double square = 0.0;
  for (const Vec2& velocity : setup.velocity) square += velocity.squaredNorm() / 16.0;
  simulation.advance_to(measurements.next());
  const auto sample = measurements.take(simulation.state(), simulation.transfers());
  REQUIRE(sample);
  REQUIRE(simulation.counters().collisions == 0);
  CHECK(std::abs(sample->displacement->squares.sum() / square - 1.0) < 1e-12);
  CHECK(measurements.free_paths().empty());
}

TEST_CASE("no disk and one disk can be measured") {
  for (const int disks : {0, 1}) {
    hard::Setup setup;
    setup.domain = {{0.0, 0.0}, {10.0, 10.0}, {false, false}};
    for (int i = 0; i < disks; ++i) {
      setup.position = {{5.0, 5.0}};
      setup.velocity = {{3.0, 0.0}};
      setup.radius = {0.5};
      setup.mass = {2.0};
    }
    const Scene scene = measuring(setup, 0.0, 3.0);
    Simulation simulation(setup);
    Measurements measurements(scene);
    const Means means = run(simulation, measurements, 4);  // 9 m between the sides: 4 hits in 12 s
    CHECK(means.temperature == 0.0);
    CHECK(std::abs(means.wall_pressure - disks * 0.5 * 4.0 * 2.0 * 3.0 * 2.0 * 5.0 / (100.0 * 12.0)) < 1e-12);  // Pa m
  }
}

}  // namespace scree::hard_measure_test
