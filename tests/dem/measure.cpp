#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "dem/archive.hpp"
#include "dem/measure/area_inside.hpp"
#include "dem/measure/measurements.hpp"
#include "dem/path_length.hpp"
#include "dem/random.hpp"
#include "dem/scene.hpp"
#include "tests/io/made_up_state.hpp"

namespace scree::measure_test {

namespace {

constexpr double kPi = std::numbers::pi;

/// Disks of mass 2 kg, anywhere in the domain.
ParticleState scattered(int count, const Domain& domain, double radius, std::uint64_t seed) {
  ParticleState p;
  for (int i = 0; i < count; ++i) {
    Random random(seed, 5, static_cast<std::uint64_t>(i));
    p.id.push_back(static_cast<std::uint64_t>(10 + i));
    p.radius.push_back(radius);
    p.mass.push_back(2.0);
    p.inertia.push_back(radius * radius);
    const double x = random.uniform(domain.lo.x(), domain.hi.x());
    p.position.emplace_back(x, random.uniform(domain.lo.y(), domain.hi.y()));
    p.image.push_back({0, 0});
    const double vx = random.uniform(-1.0, 1.0);
    p.velocity.emplace_back(vx, random.uniform(-1.0, 1.0));
    p.angular_velocity.push_back(random.uniform(-1.0, 1.0));
    p.outlines.first.push_back(0);
  }
  return p;
}

Scene measuring(const Domain& domain, Measure measure) {
  Scene scene;
  scene.domain = domain;
  scene.end = scene.output_every = 1.0;
  if (measure.every == 0.0) measure.every = 0.1;
  if (measure.region == Region{}) measure.region = {domain.lo, domain.hi};
  scene.measure = measure;
  return scene;
}

void copy(const Measurements& from, Measurements& to) {
  std::stringstream bytes;
  OutArchive out(bytes);
  Measurements::visit(out, from);
  InArchive in(bytes);
  Measurements::visit(in, to);
}

/// All that the averages say.
std::vector<double> averages_of(const Measurements& measurements) {
  std::vector<double> values;
  for (const auto& row : measurements.radial_distribution()->rows()) values.push_back(row.g);
  for (const auto& row : measurements.velocity_distribution()->rows()) values.push_back(row.density.sum());
  for (const auto& row : measurements.height_profile()) {
    values.insert(values.end(), {row.packing_fraction, row.particles, row.velocity.sum(), row.temperature,
                                 row.collision_rate, row.pressure.sum()});
  }
  for (const auto& row : measurements.free_paths()) values.push_back(row.density);
  for (const auto& row : measurements.free_times()) values.push_back(static_cast<double>(row.count));
  return values;
}

/// Pairs by the definition: everybody who is asked with everybody, in every image.
std::vector<std::uint64_t> pairs_by_definition(const ParticleState& p, double to, int bins, const Region& region,
                                               std::array<bool, 2> wraps) {
  std::vector<std::uint64_t> pairs(static_cast<std::size_t>(bins));
  const auto inside = [&](const Vec2& x) {
    return (x.array() >= region.lo.array()).all() && (x.array() <= region.hi.array()).all();
  };
  const Vec2 size = region.hi - region.lo;
  for (const Vec2& a : p.position) {
    bool asked = inside(a);
    for (const int axis : {0, 1}) {
      if (!wraps[static_cast<std::size_t>(axis)]) {
        asked = asked && a[axis] >= region.lo[axis] + to && a[axis] <= region.hi[axis] - to;
      }
    }
    if (!asked) continue;
    for (const Vec2& b : p.position) {
      if (&a == &b || !inside(b)) continue;
      for (int x = wraps[0] ? -1 : 0; x <= (wraps[0] ? 1 : 0); ++x) {
        for (int y = wraps[1] ? -1 : 0; y <= (wraps[1] ? 1 : 0); ++y) {
          const double distance = (b + Vec2(x * size.x(), y * size.y()) - a).norm();
          if (distance < to) ++pairs[static_cast<std::size_t>(distance / to * bins)];
        }
      }
    }
  }
  return pairs;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- areas in boxes

TEST_CASE("a disk's area in a box is the sum over its parts, and that of the strips it consists of") {
  Random random(1, 1, 1);
  int cut = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vec2 centre(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
    const double radius = std::pow(10.0, random.uniform(-3.0, 1.0));
    Aabb2 box{{random.uniform(-2.0, 0.0), random.uniform(-2.0, 0.0)}, {0.0, 0.0}};
    box.hi = box.lo + Vec2(random.uniform(0.1, 3.0), random.uniform(0.1, 3.0));
    const double area = disk_area_inside(centre, radius, box);
    double strips = 0.0;
    constexpr int kStrips = 20000;
    const double left = std::max(box.lo.x(), centre.x() - radius);
    const double width = (std::min(box.hi.x(), centre.x() + radius) - left) / kStrips;
    for (int k = 0; k < kStrips && width > 0.0; ++k) {
      const double x = left + (k + 0.5) * width - centre.x();
      const double half = std::sqrt(std::max(0.0, radius * radius - x * x));
      strips +=
          width * std::max(0.0, std::min(box.hi.y(), centre.y() + half) - std::max(box.lo.y(), centre.y() - half));
    }
    const double whole = kPi * radius * radius;
    CHECK(std::abs(area - strips) < 1e-5 * whole);
    cut += area > 0.01 * whole && area < 0.99 * whole ? 1 : 0;
    const double middle = box.lo.y() + 0.37 * (box.hi.y() - box.lo.y());
    const double below = disk_area_inside(centre, radius, {box.lo, {box.hi.x(), middle}});
    const double above = disk_area_inside(centre, radius, {{box.lo.x(), middle}, box.hi});
    CHECK(std::abs(below + above - area) < 1e-13 * whole);
  }
  CHECK(cut > 50);
}

TEST_CASE("a disk inside a box, around it, beside it and touching it") {
  const double r = 0.25;
  CHECK(disk_area_inside({0, 0}, r, {{-1, -1}, {1, 1}}) == doctest::Approx(kPi * r * r).epsilon(1e-14));
  CHECK(disk_area_inside({0, 0}, 10.0, {{-1, -1}, {1, 2}}) == doctest::Approx(6.0).epsilon(1e-14));
  CHECK(disk_area_inside({0, 0}, r, {{0, 0}, {1, 1}}) == doctest::Approx(0.25 * kPi * r * r).epsilon(1e-14));
  CHECK(disk_area_inside({3, 0}, r, {{-1, -1}, {1, 1}}) < 1e-15);
  CHECK(disk_area_inside({1.25, 0}, r, {{-1, -1}, {1, 1}}) < 1e-15);
  CHECK(disk_area_inside({0.75, 0}, r, {{-1, -1}, {1, 1}}) == doctest::Approx(kPi * r * r).epsilon(1e-14));
}

TEST_CASE("a polygon's area in a box is that of the polygon cut at its sides") {
  const State heap = made_up_heap(12);
  const Outlines& outlines = heap.particles.outlines;
  Random random(2, 1, 1);
  int cut = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(heap.particles.size()) - 1));
    const std::vector<Vec2> polygon(outlines.vertices.begin() + outlines.first[i],
                                    outlines.vertices.begin() + outlines.first[i + 1]);
    if (polygon.empty()) continue;
    const Vec2 centre = heap.particles.position[i];
    Aabb2 box{centre + Vec2(random.uniform(-0.02, 0.005), random.uniform(-0.02, 0.005)), {}};
    box.hi = box.lo + Vec2(random.uniform(0.0, 0.02), random.uniform(0.0, 0.02));
    if (trial % 10 == 0) box.lo.y() = polygon[0].y();  // through a corner
    auto expected = made_up::clip(polygon, {1, 0}, box.hi.x());
    expected = made_up::clip(expected, {-1, 0}, -box.lo.x());
    expected = made_up::clip(expected, {0, 1}, box.hi.y());
    expected = made_up::clip(expected, {0, -1}, -box.lo.y());
    const double whole = made_up::area(polygon);
    const double area = box.lo.y() < box.hi.y() ? made_up::area(expected) : 0.0;
    if (box.lo.y() < box.hi.y()) CHECK(std::abs(polygon_area_inside(polygon, box) - area) < 1e-13 * whole + 1e-18);
    cut += area > 0.01 * whole && area < 0.99 * whole ? 1 : 0;
  }
  CHECK(cut > 1000);
}

// -------------------------------------------------------------------------------------------- radial distribution

TEST_CASE("the radial distribution counts every pair, across periodic sides too") {
  for (const std::array<bool, 2> periodic : {std::array{true, true}, {true, false}, {false, false}}) {
    for (const double to : {0.07, 0.3, 0.5}) {
      CAPTURE(to);
      const Domain domain{{-1.0, 2.0}, {0.0, 3.5}, periodic};
      const Region region{domain.lo, domain.hi};
      const ParticleState p = scattered(300, domain, 0.01, 3);
      RadialDistribution distribution({.to = to, .bins = 17}, region, domain);
      distribution.add(p);
      const auto expected = pairs_by_definition(p, to, 17, region, periodic);
      const auto rows = distribution.rows();
      REQUIRE(rows.size() == 17);
      std::uint64_t all = 0;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        CHECK(rows[k].pairs == expected[k]);
        CHECK(std::abs(rows[k].distance - (static_cast<double>(k) + 0.5) * to / 17.0) < 1e-15);
        all += expected[k];
      }
      CHECK((all > 300 || !periodic[0]));
    }
  }
}

TEST_CASE("in a part of a domain, periodic or not, the radial distribution counts only pairs inside the region") {
  const Domain domain{{0.0, 0.0}, {4.0, 4.0}, {true, true}};
  const Region region{{0.0, 1.0}, {4.0, 2.5}};
  const ParticleState p = scattered(2000, domain, 0.01, 4);
  RadialDistribution distribution({.to = 0.5, .bins = 10}, region, domain);
  distribution.add(p);
  const auto expected = pairs_by_definition(p, 0.5, 10, region, {true, false});
  const auto rows = distribution.rows();
  for (std::size_t k = 0; k < rows.size(); ++k) CHECK(rows[k].pairs == expected[k]);
  CHECK(rows[9].pairs > 1000);
}

TEST_CASE("independent points have g = 1, in a bounded or periodic region") {
  for (const bool periodic : {true, false}) {
    const Domain domain{{0.0, 0.0}, {2.0, 1.0}, {periodic, periodic}};
    RadialDistribution distribution({.to = 0.25, .bins = 5}, {domain.lo, domain.hi}, domain);
    for (std::uint64_t sample = 0; sample < 60; ++sample) distribution.add(scattered(400, domain, 0.01, 100 + sample));
    REQUIRE(distribution.rows().size() == 5);
    for (const auto& row : distribution.rows()) {
      CAPTURE(row.distance);
      CHECK(row.pairs > 1000);
      const double error = std::sqrt(2.0 / static_cast<double>(row.pairs));  // each pair is counted from both ends
      CHECK(std::abs(row.g - 1.0) < 5.0 * error);
    }
  }
}

TEST_CASE("a radial distribution of no particle, of one, of two at one position, and with one bin") {
  const Domain domain{{0.0, 0.0}, {1.0, 1.0}, {true, true}};
  RadialDistribution distribution({.to = 0.5, .bins = 1}, {domain.lo, domain.hi}, domain);
  distribution.add({});
  distribution.add(scattered(1, domain, 0.1, 1));
  CHECK(distribution.rows().at(0).g == 0.0);
  CHECK(distribution.rows().at(0).pairs == 0);
  ParticleState two = scattered(2, domain, 0.1, 1);
  two.position = {{0.0, 0.0}, {0.0, 0.0}};
  distribution.add(two);
  CHECK(distribution.rows().at(0).pairs == 2);
  CHECK(distribution.rows().at(0).g == doctest::Approx(1.0 / (kPi * 0.25)).epsilon(1e-12));
}

// ---------------------------------------------------------------------------------------------- velocities, histograms

TEST_CASE("velocity distributions are densities, with any number of bins") {
  for (const int bins : {1, 2, 7, 100}) {
    CAPTURE(bins);
    VelocityDistribution distribution({.to = 2.0, .bins = bins});
    for (int i = 0; i < 3; ++i) distribution.add({0.5, -0.5});
    distribution.add({3.0, 0.0});  // beyond along x
    Vec2 integral = Vec2::Zero();
    double of_speed = 0.0;
    for (const auto& row : distribution.rows()) {
      integral += row.density * (4.0 / bins);
      of_speed += row.speed_density * (4.0 / bins);
    }
    CHECK(integral.x() == doctest::Approx(0.75));
    CHECK(integral.y() == doctest::Approx(1.0));
    CHECK(of_speed == doctest::Approx(0.75));
  }
  const VelocityDistribution none({.to = 1.0, .bins = 3});
  REQUIRE(none.rows().size() == 3);
  for (const auto& row : none.rows()) CHECK(row.density == Vec2::Zero());
}

TEST_CASE("logarithmic bins contain the numbers between their limits, at any magnitude") {
  for (const double x : {1e-20, 0.75, 1.0, 1.0624, 1.0625, 3.0, 1e20, std::nextafter(2.0, 1.0)}) {
    CAPTURE(x);
    LogHistogram histogram;
    CHECK(histogram.counts().empty());
    histogram.add(x);
    const auto found = std::ranges::find(histogram.counts(), 1u);
    REQUIRE(found != histogram.counts().end());
    const auto bin = static_cast<std::size_t>(found - histogram.counts().begin());
    CHECK(LogHistogram::edge(bin) <= x);
    CHECK(x < LogHistogram::edge(bin + 1));
    CHECK(LogHistogram::edge(bin + 1) / LogHistogram::edge(bin) <= 1.0625);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  LogHistogram extremes;
  for (const double x : {0.0, -1.0, 5e-324, std::nan(""), 1e300, kInfinity}) extremes.add(x);
  CHECK(extremes.counts().front() == 4);
  CHECK(extremes.counts().back() == 2);
}

TEST_CASE("the length of a parabola is that of its chords") {
  for (const Vec2& velocity : {Vec2(1.0, 2.0), Vec2(0.0, 3.0), Vec2(-1.0, 0.0), Vec2(0.0, 0.0), Vec2(1e-9, 4.0)}) {
    for (const Vec2& gravity : {Vec2(0.0, -9.81), Vec2(3.0, -1.0), Vec2(0.0, -1e-9), Vec2(0.0, 0.0)}) {
      CAPTURE(velocity.y());
      CAPTURE(gravity.y());
      constexpr int kChords = 20000;
      const double step = 0.8 / kChords;
      double chords = 0.0;
      for (int k = 0; k < kChords; ++k) chords += ((velocity + (k + 0.5) * step * gravity) * step).norm();
      CHECK(std::abs(path_length(velocity, gravity, 0.8) - chords) < 1e-7 * chords + 1e-15);  // m
    }
  }
}

// ------------------------------------------------------------------------------------------------------ displacement

TEST_CASE("the mean square displacement of free flight grows with the square of time, through any number of turns") {
  const Domain domain{{-1.0, -1.0}, {1.0, 0.0}, {true, true}};
  const ParticleState start = scattered(50, domain, 0.01, 6);
  MeanSquareDisplacement displacement(domain);
  displacement.begin(start);
  CHECK(displacement.now(start).squares == Vec2::Zero());
  double mean_square = 0.0;
  for (const Vec2& v : start.velocity) mean_square += v.squaredNorm() / 50.0;
  for (const double t : {0.1, 7.0, 1000.0}) {
    ParticleState now = start;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Vec2 free = start.position[i] + t * start.velocity[i];
      for (const std::size_t axis : {0, 1}) {
        const auto k = static_cast<int>(axis);
        const double period = domain.hi[k] - domain.lo[k];
        const double periods = std::floor((free[k] - domain.lo[k]) / period);
        now.position[i][k] = free[k] - periods * period;
        now.image[i][axis] = static_cast<std::int32_t>(periods);
      }
    }
    const auto mean = displacement.now(now);
    CHECK(mean.particles == 50);
    CHECK(std::abs(mean.squares.sum() / (mean_square * t * t) - 1.0) < 1e-10);
  }
}

TEST_CASE("particles that left or entered later do not count in the displacement") {
  const Domain domain{{0.0, 0.0}, {1.0, 1.0}, {false, false}};
  const ParticleState three = scattered(3, domain, 0.01, 6);
  MeanSquareDisplacement displacement(domain);
  displacement.begin(three);
  ParticleState now = scattered(3, domain, 0.01, 6);
  now.id = {9, 12, 11};  // 10 has left, 9 is new, and the others have changed places
  now.position[1] = three.position[2] + Vec2(0.5, 0.0);
  now.position[2] = three.position[1] + Vec2(0.0, 0.25);
  const auto mean = displacement.now(now);
  CHECK(mean.particles == 2);
  CHECK(mean.squares.x() == doctest::Approx(0.125));
  CHECK(mean.squares.y() == doctest::Approx(0.03125));
  CHECK(displacement.now({}).particles == 0);
}

// --------------------------------------------------------------------------------------------------- what contacts do

TEST_CASE("a contact belongs to the layer of the middle of its branch vector, inside the domain") {
  const Domain domain{{0.0, 0.0}, {4.0, 2.0}, {true, false}};
  Measure measure;
  measure.region = {{0.0, 0.0}, {1.0, 2.0}};
  measure.height_profile = {.bins = 4};
  Transfers transfers(measure, domain, 2);
  transfers.add({.centre = {0.9, 0.4}, .branch = {0.1, 0.0}, .impulse = {3.0, 1.0}, .begun = true});
  transfers.add({.centre = {3.95, 0.6}, .branch = {0.2, 0.0}, .impulse = {1.0, 0.0}, .begun = false});  // across
  transfers.add({.centre = {2.0, 0.4}, .branch = {0.1, 0.0}, .impulse = {1.0, 0.0}, .begun = true});    // elsewhere
  const Transfers::Contact on_floor{
      .centre = {0.5, 0.1}, .branch = {0.0, -0.11}, .impulse = {0.5, -2.0}, .begun = true};
  transfers.add_on_wall(on_floor, 1, 0.25);
  const auto& layers = transfers.layers();
  REQUIRE(layers.size() == 4);
  CHECK(layers[0].collisions == 1);
  CHECK(layers[1].collisions == 0);
  CHECK(layers[0].wall_collisions == 1);
  CHECK(layers[0].virial(0, 0) == doctest::Approx(0.3));
  CHECK(layers[0].virial(0, 1) == doctest::Approx(0.1));
  CHECK(layers[0].virial(1, 1) == doctest::Approx(0.22));
  CHECK(layers[1].virial(0, 0) == doctest::Approx(0.2));
  CHECK(layers[0].wall_virial == Vec2(0.0, -1.01 * -2.0));  // the region's centre is (0.5, 1)
  CHECK(transfers.walls()[0].impulse == Vec2::Zero());
  CHECK(transfers.walls()[1].impulse == Vec2(0.5, -2.0));
  CHECK(transfers.walls()[1].angular_impulse == 0.25);
}

// ------------------------------------------------------------------------------------------------------------ samples

TEST_CASE("a sample of known particles") {
  const Domain domain{{0.0, 0.0}, {2.0, 2.0}, {false, true}};
  ParticleState p;
  p.id = {1, 2, 3};
  p.radius = {0.1, 0.1, 0.2};
  p.mass = {1.0, 3.0, 100.0};
  p.inertia = {0.5, 2.0, 1.0};
  p.position = {{0.5, 0.5}, {1.0, 1.95}, {1.8, 1.0}};  // the second sticks out above, the third is not in the region
  p.image.resize(3);
  p.velocity = {{4.0, 0.0}, {0.0, 0.0}, {9.0, 9.0}};
  p.angular_velocity = {2.0, -1.0, 100.0};
  p.outlines.first.resize(4);
  Measure measure;
  measure.every = 0.5;
  measure.from = 1.0;
  measure.region = {{0.0, 0.0}, {1.5, 2.0}};
  measure.height_profile = {.bins = 2};
  Measurements measurements(measuring(domain, measure));
  Transfers transfers(measure, domain, 1);
  CHECK(measurements.next() == 1.0);
  CHECK_FALSE(measurements.take({.time = 1.0, .step = 0, .particles = p, .walls = {}, .contacts = {}, .drives = {}},
                                transfers));
  CHECK(measurements.next() == 1.5);
  for (int k = 0; k < 3; ++k) {
    transfers.add({.centre = {0.5, 0.5}, .branch = {0.2, 0.0}, .impulse = {10.0, 0.0}, .begun = true});
  }
  transfers.add_on_wall({.centre = {0.1, 0.5}, .branch = {-0.1, 0.0}, .impulse = {-6.0, 1.0}, .begun = true}, 0, 0.5);
  const auto sample =
      measurements.take({.time = 1.5, .step = 0, .particles = p, .walls = {}, .contacts = {}, .drives = {}}, transfers);
  REQUIRE(sample);
  CHECK(measurements.next() == 2.0);
  CHECK(sample->time == 1.5);
  CHECK(sample->particles == 2);
  CHECK(sample->velocity == Vec2(1.0, 0.0));
  CHECK(sample->mean_speed == doctest::Approx(2.0));              // 3 and 1
  CHECK(sample->temperature == doctest::Approx(6.0));             // (1 * 9 + 3 * 1) / 2
  CHECK(sample->rotational_temperature == doctest::Approx(2.0));  // (0.5 * 4 + 2) / 2
  CHECK(sample->spin == doctest::Approx(0.5));
  // The third reaches into the region with a little cap less than half of it.
  const double cap = disk_area_inside({1.8, 1.0}, 0.2, {{0.0, 0.0}, {1.5, 2.0}});
  CHECK(cap == 0.0);
  CHECK(sample->packing_fraction == doctest::Approx(2.0 * kPi * 0.01 / 3.0).epsilon(1e-13));
  CHECK(sample->collision_rate == doctest::Approx(2.0 * 3.0 / (2.0 * 0.5)));
  CHECK(sample->wall_collision_rate == doctest::Approx(1.0));
  CHECK(sample->contact_pressure(0, 0) == doctest::Approx((3.0 * 2.0 + 0.6) / (3.0 * 0.5)));
  CHECK(sample->pressure(0, 0) == doctest::Approx((3.0 * 2.0 + 0.6) / (3.0 * 0.5) + 12.0 / 3.0));
  CHECK(std::abs(sample->pressure(1, 1)) < 1e-14);  // Pa m
  CHECK(sample->wall_pressure.x() == doctest::Approx(-6.0 * -0.75 / (3.0 * 0.5)));
  REQUIRE(sample->walls.size() == 1);
  CHECK(sample->walls[0].force == Vec2(-12.0, 2.0));
  CHECK(sample->walls[0].torque == 1.0);

  const auto profile = measurements.height_profile();
  REQUIRE(profile.size() == 2);
  CHECK(profile[0].y == 0.5);
  CHECK(profile[0].particles == 1.0);
  CHECK(profile[0].velocity == Vec2(4.0, 0.0));
  CHECK(profile[0].collision_rate == doctest::Approx(12.0));
  CHECK(profile[0].pressure(0, 0) == doctest::Approx(6.6 / (1.5 * 0.5)));
  const double above = disk_area_inside({1.0, -0.05}, 0.1, {{0.0, 0.0}, {1.5, 1.0}});
  CHECK(profile[0].packing_fraction == doctest::Approx((kPi * 0.01 + above) / 1.5).epsilon(1e-13));
  CHECK(profile[1].packing_fraction == doctest::Approx((kPi * 0.01 - above) / 1.5).epsilon(1e-13));
  CHECK(above > 1e-3);
}

TEST_CASE("areas in layers add up to the grains', polygons and disks, however many layers") {
  State heap = made_up_heap(20);
  heap.particles.inertia.assign(heap.particles.size(), 1.0);
  const Domain domain{{-1.0, -1.0}, {1.0, 1.0}, {false, false}};
  double expected = 0.0;
  for (const double radius : heap.particles.radius) expected += kPi * radius * radius;
  for (const int bins : {1, 3, 50, 1000}) {
    CAPTURE(bins);
    Measure measure;
    measure.height_profile = {.bins = bins};
    measure.region = {domain.lo, domain.hi};
    double area = 0.0;
    double particles = 0.0;
    for (const Layer& layer : layers(heap.particles, measure, domain)) {
      area += layer.area;
      particles += layer.particles;
      CHECK(layer.area <= 2.0 * (2.0 / bins));
    }
    CHECK(std::abs(area / expected - 1.0) < 1e-6);  // the heap's radii and outlines agree to some seven digits or more
    CHECK(particles == static_cast<double>(heap.particles.size()));
  }
}

TEST_CASE("no grain and one grain can be measured, also at rest") {
  const Domain domain{{0.0, 0.0}, {1.0, 1.0}, {true, true}};
  Measure measure;
  measure.radial_distribution = {.to = 0.5, .bins = 1};
  measure.velocity_distribution = {.to = 5.0, .bins = 1};
  measure.height_profile = {.bins = 1};
  measure.mean_square_displacement = true;
  for (const int count : {0, 1}) {
    const Scene scene = measuring(domain, measure);
    Measurements measurements(scene);
    const Transfers transfers(*scene.measure, domain, 0);
    State state;
    state.particles = scattered(count, domain, 0.1, 1);
    CHECK_FALSE(measurements.take(state, transfers));
    state.time = measurements.next();
    const auto sample = measurements.take(state, transfers);
    REQUIRE(sample);
    CHECK(sample->particles == static_cast<std::uint64_t>(count));
    for (const double value :
         {sample->packing_fraction, sample->mean_speed, sample->temperature, sample->rotational_temperature,
          sample->spin, sample->collision_rate, sample->wall_collision_rate, sample->pressure.sum(),
          sample->wall_pressure.sum(), sample->velocity.sum()}) {
      CHECK(std::isfinite(value));
    }
    CHECK(sample->temperature == 0.0);
    CHECK(sample->packing_fraction == doctest::Approx(count * kPi * 0.01));
    CHECK(measurements.height_profile().at(0).packing_fraction == doctest::Approx(count * kPi * 0.01));
    CHECK(measurements.velocity_distribution()->rows().at(0).density.x() == doctest::Approx(count * 0.1));
    CHECK(measurements.free_paths().empty());
  }
}

TEST_CASE("no sample is taken twice where a step is longer than the time between samples") {
  const Domain domain{{0.0, 0.0}, {1.0, 1.0}, {false, false}};
  Measure measure;
  measure.every = 0.1;
  const Scene scene = measuring(domain, measure);
  Measurements measurements(scene);
  const Transfers transfers(*scene.measure, domain, 0);
  State state;
  measurements.take(state, transfers);
  state.time = 0.35;
  CHECK(measurements.take(state, transfers));
  CHECK(measurements.next() == doctest::Approx(0.4));
  state.time = std::nextafter(measurements.next(), 0.0);  // the same moment but for rounding
  CHECK(measurements.take(state, transfers));
  CHECK(measurements.next() == doctest::Approx(0.5));
}

TEST_CASE("saved and loaded measurements continue without a difference") {
  const Domain domain{{0.0, 0.0}, {1.0, 1.0}, {true, false}};
  Measure measure;
  measure.radial_distribution = {.to = 0.3, .bins = 10};
  measure.velocity_distribution = {.to = 4.0, .bins = 10};
  measure.height_profile = {.bins = 3};
  measure.mean_square_displacement = true;
  const Scene scene = measuring(domain, measure);
  for (const int stop : {0, 1, 3, 5}) {
    Measurements whole(scene);
    Measurements halves(scene);
    Transfers transfers(*scene.measure, domain, 1);
    int samples = 0;
    for (int k = 0; k < 5; ++k) {
      if (k == stop) {
        Measurements again(scene);
        copy(halves, again);
        halves = again;
      }
      State state;
      state.time = 0.1 * k;
      state.particles = scattered(30, domain, 0.02, static_cast<std::uint64_t>(40 + k));
      transfers.add({.centre = {0.5, 0.2 * k}, .branch = {0.1, 0.1}, .impulse = {0.3, 0.1 * k}, .begun = true});
      transfers.add_flight(0.1 * k, 3.0);
      const auto sample = whole.take(state, transfers);
      const auto same = halves.take(state, transfers);
      REQUIRE(sample.has_value() == same.has_value());
      CHECK(averages_of(whole) == averages_of(halves));
      if (!sample) continue;
      ++samples;
      CHECK(sample->pressure == same->pressure);
      CHECK(sample->walls[0].force == same->walls[0].force);
      CHECK(sample->displacement->squares == same->displacement->squares);
    }
    CHECK(whole.radial_distribution()->rows().at(9).pairs > 0);
    CHECK(samples > 0);
  }
}

}  // namespace scree::measure_test
