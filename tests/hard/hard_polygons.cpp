#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/errors.hpp"
#include "dem/hard/polygon/polygon_impact.hpp"
#include "dem/hard/simulation.hpp"
#include "geometry/first_contact.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/hard/hash_after.hpp"
#include "tests/hard/polygon_gases.hpp"
#include "tests/sanitized.hpp"
#include "tests/state_hash.hpp"

namespace scree::hard_polygons_test {

using namespace scree::hard;

namespace {

const Polygon& square() {
  static const Polygon square = rectangle(1.0, 1.0);
  return square;
}

/// Walls of every kind, some friction, some loss, gravity, disks among squares, reflecting sides along y.
Setup rough_gas(double margin = 0.0) {
  Setup setup = test::polygon_gas(square(), {.columns = 9, .rows = 9, .packing_fraction = 0.3, .disks = 0.2});
  setup.domain.periodic = {true, false};
  setup.gravity = {0.1, -0.2};
  setup.rules.disks = {.restitution = 0.95, .friction = 0.2};
  setup.rules.walls = {.restitution = 1.0, .friction = 0.3};
  setup.contact_duration = 1e-3;
  setup.margin = margin;
  std::vector<Wall> walls(4);
  const Vec2 middle = 0.5 * setup.domain.hi;
  walls[0] = {.name = "segment", .polygon = {middle + Vec2(-4.0, -4.0), middle + Vec2(-2.0, -3.5)}, .until = 10.0};
  walls[1] = {.name = "paddle",
              .polygon = {middle + Vec2(-0.2, -1.2), middle + Vec2(0.2, -1.2), middle + Vec2(0.0, 1.2)},
              .angular_velocity = 0.7,
              .pivot = middle};
  walls[2] = {.name = "shaken",
              .polygon = {middle + Vec2(3.0, -1.0), middle + Vec2(4.0, -1.0), middle + Vec2(3.5, 1.0)},
              .oscillation = {.amplitude = {0.1, 0.2}, .frequency = 0.5, .phase = 1.0}};
  walls[3] = {.name = "tapped",
              .polygon = {middle + Vec2(-4.0, 2.0), middle + Vec2(-3.0, 2.0), middle + Vec2(-3.5, 2.6)},
              .taps = {{.from = 0.5, .every = 0.8, .until = 9.0, .amplitude = {0.1, 0.2}, .frequency = 1.5},
                       {.from = 10.0, .amplitude = {0.05, 0.1}, .frequency = 0.3}}};
  return test::with_walls(setup, walls);
}

Setup smooth_gas(double margin = 0.0) {
  Setup setup = test::polygon_gas(square(), {.columns = 7, .rows = 7, .packing_fraction = 0.6});
  setup.margin = margin;
  return setup;
}

/// Few that fly far: the clock is rebased because of that, not after so many changes.
Setup far_flying_gas(double margin = 0.0) {
  Setup setup = test::polygon_gas(square(), {.columns = 3, .rows = 2, .packing_fraction = 0.05});
  for (Vec2& velocity : setup.velocity) velocity *= 20.0;
  setup.margin = margin;
  return setup;
}

using Maker = Setup (*)(double);
struct Gas {
  Maker make;
  double end;  // s
  std::uint64_t enough;
};
const Gas kGases[] = {{rough_gas, test::kSanitized ? 6.0 : 20.0, test::kSanitized ? 300U : 500U},
                      {smooth_gas, test::kSanitized ? 3.0 : 12.0, test::kSanitized ? 1000U : 1500U},
                      {far_flying_gas, test::kSanitized ? 5.0 : 20.0, test::kSanitized ? 60U : 100U}};

/// Squares by brute force: all pairs in all their near images, after every event. The clock is not rebased.
class AllPairsOracle {
 public:
  AllPairsOracle(const Setup& setup, int images) : setup_(setup), images_(images) {
    for (std::size_t i = 0; i < setup.position.size(); ++i) {
      flights_.push_back({.position = setup.position[i],
                          .velocity = setup.velocity[i],
                          .angle = wrapped_angle(setup.angle[i]).angle,
                          .angular_velocity = setup.angular_velocity[i]});
    }
    next_.resize(flights_.size() * flights_.size());
    for (std::size_t i = 0; i < flights_.size(); ++i) {
      for (std::size_t j = i + 1; j < flights_.size(); ++j) predict(i, j);
    }
  }

  void advance_to(double time) {
    for (;;) {
      const Next next = *std::ranges::min_element(next_, {}, &Next::time);
      if (next.time > time) return;
      collide(next);
    }
  }
  std::uint64_t collisions() const { return collisions_; }
  const RigidFlight& flight(std::size_t i) const { return flights_[i]; }

 private:
  struct Next {
    double time = kNever;
    std::size_t i = 0;
    std::size_t j = 0;
    Vec2 shift = Vec2::Zero();
  };

  void predict(std::size_t i, std::size_t j) {
    Next& next = next_[i * flights_.size() + j];
    next = {kNever, i, j, Vec2::Zero()};
    for (int x = -images_; x <= images_; ++x) {
      for (int y = -images_; y <= images_; ++y) {
        const Vec2 shift(x * setup_.domain.hi.x(), y * setup_.domain.hi.y());
        const FirstContact found = first_contact(setup_.form[i].shape, flights_[i], setup_.form[j].shape, flights_[j],
                                                 shift, std::min(next.time, 100.0));
        if (found.time < next.time) next = {found.time, i, j, shift};
      }
    }
  }

  void synchronize(std::size_t i, double time) {
    RigidFlight& flight = flights_[i];
    flight.position = flight.position_at(time);
    for (int axis = 0; axis < 2; ++axis) {
      const double period = setup_.domain.hi[axis];
      flight.position[axis] -= period * std::floor(flight.position[axis] / period);
    }
    flight.angle = wrapped_angle(flight.angle_at(time)).angle;
    flight.time = time;
  }

  void collide(const Next& next) {
    const double time = next.time;
    const std::size_t i = next.i;
    const std::size_t j = next.j;
    const Vec2 shift = next.shift;
    const ContactShape& of_i = setup_.form[i].shape;
    const ContactShape& of_j = setup_.form[j].shape;
    const FirstContact found = first_contact(of_i, flights_[i], of_j, flights_[j], shift, time);
    const ContactPoints points = contact_points(of_i, flights_[i], of_j, flights_[j], shift, found);
    REQUIRE(points.count > 0);
    ++collisions_;
    synchronize(i, time);
    synchronize(j, time);
    const auto body = [&](std::size_t k) -> RigidImpactBody {
      return {flights_[k].velocity, flights_[k].angular_velocity, 1.0 / setup_.mass[k], 1.0 / setup_.form[k].inertia};
    };
    RigidImpactBody a = body(i);
    RigidImpactBody b = body(j);
    collide_polygons(setup_.rules.disks, a, b, points);
    flights_[i].velocity = a.velocity;
    flights_[i].angular_velocity = a.angular_velocity;
    flights_[j].velocity = b.velocity;
    flights_[j].angular_velocity = b.angular_velocity;
    for (std::size_t k = 0; k < flights_.size(); ++k) {
      if (k != i) predict(std::min(i, k), std::max(i, k));
      if (k != j && k != i) predict(std::min(j, k), std::max(j, k));
    }
  }

  Setup setup_;
  int images_;
  std::vector<RigidFlight> flights_;
  std::vector<Next> next_;
  std::uint64_t collisions_ = 0;
};

}  // namespace

TEST_CASE("squares collide as a program says that predicts all pairs after every event, to the last bit") {
  for (const double packing_fraction : {0.1, 0.5, 0.7}) {
    CAPTURE(packing_fraction);
    Setup setup = test::polygon_gas(square(), {.columns = 4, .rows = 4, .packing_fraction = packing_fraction});
    setup.rules.disks = {.restitution = 1.0, .friction = 0.1};
    PolygonSimulation simulation(setup);
    AllPairsOracle oracle(setup, packing_fraction < 0.2 ? 4 : 3);
    double time = 0.0;
    while (oracle.collisions() < (test::kSanitized ? 100 : 700) && time < 8.0) {
      time += 0.1;
      oracle.advance_to(time);
      simulation.advance_to(time);
    }
    CHECK(simulation.counters().collisions == oracle.collisions());
    CHECK(oracle.collisions() > (test::kSanitized ? 15 : 30));
    REQUIRE(simulation.world().rebasing.clock().epoch() == 0.0);
    for (Index i = 0; i < simulation.world().disks.size(); ++i) {
      CHECK(simulation.world().disks.flight(i).position == oracle.flight(i).position);
      CHECK(simulation.world().disks.flight(i).velocity == oracle.flight(i).velocity);
      CHECK(simulation.world().disks.spin(i).angle == oracle.flight(i).angle);
      CHECK(simulation.world().disks.spin(i).angular_velocity == oracle.flight(i).angular_velocity);
    }
  }
}

TEST_CASE("polygons: the same bits with any broadphase, margin of the boxes and output interval") {
  for (const Gas& gas : kGases) {
    const Maker make = gas.make;
    const double end = gas.end;
    const std::uint64_t enough = gas.enough;
    const Setup setup = make(0.0);
    const StateHash reference = test::hash_after<PolygonSimulation>(setup, end, enough);
    CHECK(test::hash_after<BasicSimulation<HierarchicalGrid<2>, BucketQueue, OfPolygons>>(setup, end, enough) ==
          reference);
    CHECK(test::hash_after<BasicSimulation<SortedStrips<2>, BucketQueue, OfPolygons>>(setup, end, enough) == reference);
    CHECK(test::hash_after<BasicSimulation<SortAndUpdate<2>, BucketQueue, OfPolygons>>(setup, end, enough) ==
          reference);
    CHECK(test::hash_after<BasicSimulation<DistanceSort<2>, BucketQueue, OfPolygons>>(setup, end, enough) == reference);
    CHECK(test::hash_after<BasicSimulation<AllPairs<2>, ImplicitHeap, OfPolygons>>(setup, end, enough) == reference);
    CHECK(test::hash_after<PolygonSimulation>(make(0.15), end, enough) == reference);
    CHECK(test::hash_after<PolygonSimulation>(setup, end, enough, 7) == reference);
  }
}

TEST_CASE("polygons: a run that is saved and loaded on the way ends in the same bits") {
  for (const Gas& gas : kGases) {
    const double end = gas.end;
    const Setup setup = gas.make(0.0);
    PolygonSimulation first(setup);
    first.advance_to(0.4 * end);
    std::stringstream file;
    first.save(file);
    const std::string bytes = file.str();
    Setup for_load = setup;
    for_load.is_for_load = true;
    PolygonSimulation second(for_load);
    second.load(file);
    std::stringstream again;
    second.save(again);
    CHECK(again.str() == bytes);
    first.advance_to(end);
    second.advance_to(end);
    CHECK(test::state_hash(first) == test::state_hash(second));
    CHECK(first.summary() == second.summary());
  }
}

TEST_CASE("polygons: smooth elastic ones keep their energy and never overlap by more than rounding") {
  for (const double packing_fraction : {0.3, 0.7}) {
    CAPTURE(packing_fraction);
    Setup setup = test::polygon_gas(square(), {.columns = 6, .rows = 6, .packing_fraction = packing_fraction});
    PolygonSimulation simulation(setup);
    const double energy = simulation.summary().kinetic_energy;
    double deepest = -kNever;
    const std::uint64_t collisions = test::kSanitized ? 1000 : 10000;
    while (simulation.counters().collisions < collisions) {
      simulation.advance_to(1e3, 1);  // one event
      deepest = std::max(deepest, test::deepest_overlap(simulation));
    }
    const double drift = simulation.summary().kinetic_energy / energy - 1.0;
    MESSAGE("packing fraction " << packing_fraction << ": energy " << drift << ", deepest overlap " << deepest << " m, "
                                << simulation.time() << " s");
    CHECK(std::abs(drift) < 1e-12);
    CHECK(deepest < 1e-13 * std::numbers::sqrt2);  // of a diameter [m]
    CHECK(deepest > -0.01);                        // those that collide touch: it was looked at when they did
    simulation.audit();
  }
}

TEST_CASE("polygons that turn too often while they are near each other end the run, which says which") {
  Setup setup;
  setup.domain = {{-1e9, -1e9}, {1e9, 1e9}};  // so large that the clock need not be rebased before
  setup.margin = 1e3;
  test::add_grain(setup, test::form_of(square()), {0.0, 0.0}, 0.0, Vec2::Zero(), 1e6);
  test::add_grain(setup, test::form_of(square()), {1.41, 0.0}, 0.25 * std::numbers::pi, Vec2::Zero(), 1e6);
  PolygonSimulation simulation(setup);
  try {
    simulation.advance_to(10.0);
    FAIL("went on");
  } catch (const PhysicsError& error) {
    const std::string what = error.what();
    CHECK(what.find("grain 1") != std::string::npos);
    CHECK(what.find("turns too often") != std::string::npos);
  }
  CHECK(simulation.time() < 10.0);
}

TEST_CASE("polygons that overlap at the start are named") {
  Setup setup = test::polygon_gas(square(), {.columns = 4, .rows = 4, .packing_fraction = 0.5});
  setup.position[5] = setup.position[6] - Vec2(0.99, 0.3);
  try {
    PolygonSimulation simulation(setup);
    FAIL("accepted");
  } catch (const DiskInTheWay& error) {
    CHECK(error.disk == 6);
    CHECK(error.other == 5);
    CHECK(error.what_is_wrong == "the grain overlaps");
  }
  setup.position[5] = setup.position[6] - Vec2(1.01, 0.3);  // their bounding circles overlap all the same
  CHECK_NOTHROW(PolygonSimulation{setup});
}

TEST_CASE("grains that turn often within the contact duration get hardly any energy by their turning") {
  Setup setup = test::polygon_gas(rectangle(1.0, 1.0), {.columns = 4, .rows = 4, .packing_fraction = 0.5});
  setup.contact_duration = 1e-3;
  setup.rules.disks.restitution = 0.5;
  for (double& spin : setup.angular_velocity) spin *= 30.0 / setup.contact_duration;
  PolygonSimulation simulation(setup);
  const auto& world = simulation.world();
  const double at_the_start = world.disks.kinetic_energy(0.0, world.space);
  while (simulation.counters().collisions < 1000) {
    simulation.advance_to(simulation.time() + 1.0, 1);
    CHECK(world.disks.kinetic_energy(world.now, world.space) <= at_the_start);
  }
  CHECK(world.energy.lifting < 0.01 * at_the_start);
}

}  // namespace scree::hard_polygons_test
