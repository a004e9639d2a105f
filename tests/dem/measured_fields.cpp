#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "dem/measure/measurements.hpp"
#include "dem/random.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::measured_fields_test {

namespace {

ParticleState turned_anyhow(int count, const Domain& domain, std::uint64_t seed) {
  ParticleState p;
  for (int i = 0; i < count; ++i) {
    Random random(seed, 5, static_cast<std::uint64_t>(i));
    const double x = random.uniform(domain.lo.x(), domain.hi.x());
    p.position.emplace_back(x, random.uniform(domain.lo.y(), domain.hi.y()));
    p.angle.push_back(random.uniform(-7.0, 7.0));
    p.id.push_back(static_cast<std::uint64_t>(i));
  }
  return p;
}

/// Everybody who is asked with everybody, in every image; angles by complex numbers, not by differences of angles.
std::vector<PairOrientation::Sums> by_definition(const ParticleState& p, const Measure::PairOrientation& spec,
                                                 const Region& region, std::array<bool, 2> wraps) {
  std::vector<PairOrientation::Sums> sums(static_cast<std::size_t>(spec.bins));
  const auto inside = [&](const Vec2& x, double margin_x, double margin_y) {
    return x.x() >= region.lo.x() + margin_x && x.x() <= region.hi.x() - margin_x &&
           x.y() >= region.lo.y() + margin_y && x.y() <= region.hi.y() - margin_y;
  };
  const auto turn = [&](double angle) { return std::polar(1.0, spec.symmetry * angle); };
  const Vec2 size = region.hi - region.lo;
  for (std::size_t a = 0; a < p.size(); ++a) {
    if (!inside(p.position[a], wraps[0] ? 0.0 : spec.to, wraps[1] ? 0.0 : spec.to)) continue;
    for (std::size_t b = 0; b < p.size(); ++b) {
      if (a == b || !inside(p.position[b], 0.0, 0.0)) continue;
      for (int x = wraps[0] ? -1 : 0; x <= (wraps[0] ? 1 : 0); ++x) {
        for (int y = wraps[1] ? -1 : 0; y <= (wraps[1] ? 1 : 0); ++y) {
          const Vec2 way = p.position[b] + Vec2(x * size.x(), y * size.y()) - p.position[a];
          const double distance = way.norm();
          if (distance >= spec.to) continue;
          auto& sum = sums[static_cast<std::size_t>(distance / spec.to * spec.bins)];
          ++sum.pairs;
          sum.grains += (turn(p.angle[b]) * std::conj(turn(p.angle[a]))).real();
          const std::complex<double> bond(way.x() / distance, way.y() / distance);
          sum.bond += (std::pow(bond, spec.symmetry) * std::conj(turn(p.angle[a]))).real();
          sum.direction += Vec2((bond * bond).real(), (bond * bond).imag());
        }
      }
    }
  }
  return sums;
}

Scene pouring_and_measuring() {
  Scene scene = test::pouring_scene(60);
  Measure measure{.every = 0.003, .from = 0.1, .region = {{-0.1, 0.0}, {0.1, 0.08}}};
  measure.texture = true;
  measure.forces = Measure::Forces{.to = 5.0, .bins = 10};
  measure.pair_orientation = Measure::PairOrientation{.to = 0.03, .bins = 6, .symmetry = 3};
  measure.fields = Measure::Fields{.width = 0.02, .spacing = 0.011, .every = 0.01, .kernel = KernelKind::lucy};
  scene.measure = measure;
  return scene;
}

/// All that is measured until a time; the simulation and the measurements are saved and loaded on the way, if asked.
struct Measured {
  std::vector<Sample> samples;
  std::vector<FieldImage> images;
  std::vector<PairOrientation::Row> pairs;
  ForceDistribution forces;
  FieldImage whole;
  StateHash hash = {};
};

Measured measure(const Scene& scene, double until, int threads, double reload_at) {
  soft::Simulation simulation(scene, {.threads = threads});
  Measurements measurements(scene);
  Measured found;
  while (simulation.time() < until) {
    simulation.advance_to(std::min(measurements.next(), until));
    if (simulation.time() >= reload_at) {
      reload_at = 2.0 * until;
      std::stringstream bytes;
      OutArchive out(bytes);
      Measurements::visit(out, measurements);
      measurements = Measurements(scene);
      InArchive in(bytes);
      Measurements::visit(in, measurements);
      measurements.require_sound(simulation.transfers());
    }
    if (!simulation.has_reached(measurements.next())) continue;
    const auto sample = measurements.take(simulation.state(), simulation.transfers());
    if (!sample) continue;
    found.samples.push_back(*sample);
    if (sample->image) found.images.push_back(*sample->image);
  }
  found.pairs = measurements.pair_orientation()->rows();
  found.forces = *measurements.forces();
  found.whole = measurements.fields()->whole();
  found.hash = test::state_hash(simulation);
  return found;
}

/// As in measure, but nothing is looked at.
StateHash hash_without(Scene scene, double until) {
  scene.measure.reset();
  soft::Simulation simulation(scene);
  simulation.advance_to(until);
  return test::state_hash(simulation);
}

void check_equal(const FieldImage& a, const FieldImage& b) {
  CHECK(a.time == b.time);
  CHECK(a.states == b.states);
  REQUIRE(a.mean.size() == b.mean.size());
  for (std::size_t k = 0; k < a.mean.size(); ++k) {
    CHECK(a.mean[k].density == b.mean[k].density);
    CHECK(a.mean[k].flow == b.mean[k].flow);
    CHECK(a.mean[k].contact == b.mean[k].contact);
    CHECK(a.mean[k].boundary_force == b.mean[k].boundary_force);
    CHECK(a.mean[k].area == b.mean[k].area);
  }
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- pairs of grains

TEST_CASE("how pairs are turned is what the definition says, across periodic sides too") {
  const Domain domain{{-1.0, 2.0}, {0.0, 3.5}};
  for (const std::array<bool, 2> periodic : {std::array{true, true}, {true, false}, {false, false}}) {
    for (const int symmetry : {1, 4}) {
      CAPTURE(symmetry);
      Domain of = domain;
      of.periodic = periodic;
      const Region region{of.lo, of.hi};
      const Measure::PairOrientation spec{.to = 0.31, .bins = 9, .symmetry = symmetry};
      const ParticleState p = turned_anyhow(200, of, 7);
      PairOrientation found(spec, region, of);
      RadialDistribution radial({.to = spec.to, .bins = spec.bins}, region, of);
      found.add(p);
      radial.add(p);
      const auto expected = by_definition(p, spec, region, periodic);
      const auto rows = found.rows();
      REQUIRE(rows.size() == 9);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        CAPTURE(k);
        CHECK(rows[k].pairs == expected[k].pairs);
        CHECK(rows[k].g == radial.rows()[k].g);
        CHECK(rows[k].distance == radial.rows()[k].distance);
        const double pairs = std::max(static_cast<double>(expected[k].pairs), 1.0);
        CHECK(std::abs(rows[k].grains - expected[k].grains / pairs) < 1e-12);
        CHECK(std::abs(rows[k].bond - expected[k].bond / pairs) < 1e-12);
        CHECK((rows[k].direction - expected[k].direction / pairs).norm() < 1e-12);
      }
      CHECK(rows[8].pairs > 200);
    }
  }
}

TEST_CASE("squares in a row are turned alike, and lie where their sides are") {
  const Domain domain{{0.0, 0.0}, {10.0, 1.0}, {true, false}};
  ParticleState p;
  for (int i = 0; i < 10; ++i) {
    p.position.emplace_back(0.5 + i, 0.5);
    p.angle.push_back(0.5 * std::numbers::pi * (i % 4));  // a square looks the same
    p.id.push_back(static_cast<std::uint64_t>(i));
  }
  PairOrientation found({.to = 2.5, .bins = 5, .symmetry = 4}, {{0.0, -9.0}, {10.0, 9.0}}, domain);
  found.add(p);
  const auto rows = found.rows();
  for (const std::size_t k : {std::size_t{2}, std::size_t{4}}) {  // at 1 and 2
    CHECK(rows[k].pairs == 20);
    CHECK(std::abs(rows[k].grains - 1.0) < 1e-14);
    CHECK(std::abs(rows[k].bond - 1.0) < 1e-14);
    CHECK((rows[k].direction - Vec2(1.0, 0.0)).norm() < 1e-14);
  }
  CHECK(rows[1].pairs == 0);
  CHECK(rows[1].grains == 0.0);
  for (double& angle : p.angle) angle += 0.25 * std::numbers::pi;  // corner to corner
  PairOrientation turned({.to = 2.5, .bins = 5, .symmetry = 4}, {{0.0, -9.0}, {10.0, 9.0}}, domain);
  turned.add(p);
  CHECK(std::abs(turned.rows()[2].grains - 1.0) < 1e-14);
  CHECK(std::abs(turned.rows()[2].bond + 1.0) < 1e-14);
}

// ------------------------------------------------------------------------------------------------ of a scene that runs

TEST_CASE("fields and texture of a scene change no bit of the run, and are those of its samples" *
          doctest::skip(test::kSanitized)) {
  const Scene scene = pouring_and_measuring();
  constexpr double kUntil = 0.2;
  const Measured found = measure(scene, kUntil, 2, kUntil);
  CHECK(found.hash == hash_without(scene, kUntil));
  REQUIRE(found.samples.size() > 25);
  REQUIRE(found.images.size() >= 9);

  // The same from states that are taken at the samples' times.
  soft::Simulation simulation(scene);
  const Measure& spec = *scene.measure;
  const FieldGrid grid = FieldGrid::covering(spec.region, *spec.fields->spacing);
  CoarseFields recent(grid, {spec.fields->kernel, spec.fields->width}, scene.domain);
  CoarseFields all = recent;
  ForceDistribution forces{0.5, std::vector<std::uint64_t>(10)};
  std::size_t images = 0;
  std::uint64_t contacts = 0;
  for (const Sample& sample : found.samples) {
    simulation.advance_to(sample.time);
    const State state = simulation.state();
    const ContactStatistics texture = contact_statistics(state, spec.region, scene.domain);
    REQUIRE(sample.texture);
    CHECK(sample.texture->stress == texture.stress);
    CHECK(sample.texture->domain_stress == texture.domain_stress);
    CHECK(sample.texture->coordination.constraints == texture.coordination.constraints);
    contacts += texture.contacts;
    forces += force_distribution(state, spec.region, scene.domain, 0.5, 10);
    recent.add(state);
    all.add(state);
    if (!sample.image) continue;
    CHECK(sample.image->time == sample.time);
    check_equal(*sample.image, {sample.time, recent.states(), grid, recent.mean()});
    recent.clear();
    ++images;
  }
  CHECK(images == found.images.size());
  CHECK(contacts > 50);
  CHECK(found.forces.count == forces.count);
  CHECK(found.whole.states == found.samples.size());
  const auto mean = all.mean();
  double density = 0.0;
  for (std::size_t k = 0; k < mean.size(); ++k) {  // sums of sums, in another order
    CHECK(std::abs(found.whole.mean[k].density - mean[k].density) <= 1e-13 * mean[k].density);
    density = std::max(density, mean[k].density);
  }
  CHECK(density > 0.0);
  // Images come at the first sample not before 0.11, 0.12, ... s.
  for (std::size_t k = 0; k < found.images.size(); ++k) {
    const double due = 0.1 + 0.01 * static_cast<double>(k + 1);
    CHECK(found.images[k].time > due - 1e-6);
    CHECK(found.images[k].time < due + 0.0031);
  }
}

TEST_CASE("fields and texture are the same to the last bit for any number of threads and across save and load") {
  const Scene scene = pouring_and_measuring();
  const Measured one = measure(scene, 0.16, 1, 1.0);
  const Measured three = measure(scene, 0.16, 3, 0.126);
  CHECK(one.hash == three.hash);
  REQUIRE(one.images.size() == three.images.size());
  for (std::size_t k = 0; k < one.images.size(); ++k) check_equal(one.images[k], three.images[k]);
  check_equal(one.whole, three.whole);
  CHECK(one.forces.count == three.forces.count);
  for (std::size_t k = 0; k < one.pairs.size(); ++k) {
    CHECK(one.pairs[k].pairs == three.pairs[k].pairs);
    CHECK(one.pairs[k].grains == three.pairs[k].grains);
    CHECK(one.pairs[k].direction == three.pairs[k].direction);
  }
}

TEST_CASE("profiles are averages over rows and columns") {
  const FieldGrid grid{{{0.0, 0.0}, {3.0, 2.0}}, 3, 2};
  std::vector<FieldSums> fields(6);
  for (std::size_t k = 0; k < 6; ++k) {
    fields[k].density = static_cast<double>(k);
    fields[k].momentum = {2.0 * static_cast<double>(k), 0.0};
  }
  const auto over_y = averages_along_x(fields, grid);
  REQUIRE(over_y.size() == 2);
  CHECK(over_y[0].density == doctest::Approx(1.0));
  CHECK(over_y[1].density == doctest::Approx(4.0));
  CHECK(over_y[1].velocity().x() == doctest::Approx(2.0));
  const auto over_x = averages_along_y(fields, grid);
  REQUIRE(over_x.size() == 3);
  CHECK(over_x[2].density == doctest::Approx(3.5));
}

TEST_CASE("the mean stress of the domain is the integral of the contact stress" * doctest::skip(test::kSanitized)) {
  Scene scene = test::pouring_scene(40);
  scene.materials[0].restitution = 0.2;
  soft::Simulation simulation(scene);
  simulation.advance_to(0.4);
  const State state = simulation.state();
  const ContactStatistics texture = contact_statistics(state, {{-0.1, 0.0}, {0.1, 0.05}}, scene.domain);
  const Vec2 size = scene.domain.hi - scene.domain.lo;
  constexpr double kWidth = 0.01;
  const Region around{scene.domain.lo.array() - 0.1, scene.domain.hi.array() + 0.1};
  CoarseFields fields(FieldGrid::covering(around, kWidth / 1.4), {KernelKind::gauss, kWidth}, scene.domain);
  fields.add(state);
  Eigen::Matrix2d integral = Eigen::Matrix2d::Zero();
  for (const FieldSums& sums : fields.sums()) integral += sums.contact * fields.grid().cell().prod();
  CHECK((integral / size.prod() - texture.domain_stress).norm() < 1e-12 * texture.domain_stress.norm());
  CHECK(texture.domain_stress(1, 1) > 0.0);
}

TEST_CASE("samples are wider apart than images, and images begin late") {
  Scene scene = pouring_and_measuring();
  scene.measure->from = 0.0205;
  scene.measure->fields->every = 0.001;  // each sample makes one
  const Measured found = measure(scene, 0.05, 1, 1.0);
  REQUIRE(!found.images.empty());
  CHECK(found.images.size() == found.samples.size());
  for (const FieldImage& image : found.images) CHECK(image.states == 1);
  CHECK(found.images.front().time >= 0.0235 - 1e-9);
}

}  // namespace scree::measured_fields_test
