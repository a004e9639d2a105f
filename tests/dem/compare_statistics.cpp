#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/compare/ensemble.hpp"
#include "dem/compare/least_squares.hpp"
#include "dem/compare/pair_correlation.hpp"
#include "dem/compare/quantities.hpp"
#include "dem/compare/statistics.hpp"
#include "dem/random.hpp"

namespace scree::compare_statistics_test {

namespace {

using namespace scree::compare;

/// A normal random number.
double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

/// Runs whose value, or whose curve at each of its points, is normal about a mean.
std::vector<Series> normal_runs(std::size_t runs, std::size_t points, double middle, Random& random) {
  std::vector<Series> all(runs);
  for (Series& run : all) {
    for (std::size_t k = 0; k < points; ++k) run.values.push_back(middle + normal(random));
  }
  return all;
}

ComparedQuantity quantity_of(Compared compared, std::vector<Series> soft, std::vector<Series> hard) {
  ComparedQuantity quantity{.name = {}, .title = {}, .compared = compared};
  for (std::size_t k = 0; k < hard.front().values.size(); ++k) quantity.x.push_back(static_cast<double>(k));
  quantity.soft = std::move(soft);
  quantity.hard = std::move(hard);
  return quantity;
}

/// Disks of one size that fill a box, from a seed or at places that are given.
Scene box_of_disks(double jitter) {
  Scene scene;
  scene.domain = {{0.0, 0.0}, {1.0, 1.0}, {true, true}};
  scene.materials = {{.name = "ball", .density = 1.0, .stiffness = 1e4}};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {1.0, 1.0}}, .count = 16, .jitter = jitter},
                      .material = 0,
                      .shape = Disk{},
                      .size = {0.1, 0.1}}};
  scene.end = 1.0;
  scene.output_every = 0.1;
  return scene;
}

std::vector<Vec2> velocities(const Twins& twins) {
  std::vector<Vec2> found;
  for (const ParticleGroup& group : twins.hard.particles) {
    for (const Placed& disk : std::get<Place>(group.how)) found.push_back(disk.velocity);
  }
  return found;
}

}  // namespace

TEST_CASE("Student's t has the quantiles of the tables") {
  for (const auto& [freedom, t] : {std::pair(1, 63.657), std::pair(2, 9.925), std::pair(3, 5.841), std::pair(7, 3.499),
                                   std::pair(8, 3.355), std::pair(30, 2.750)}) {
    CHECK(std::abs(chance_limit(static_cast<std::size_t>(freedom)) - t) < 6e-4);
  }
  CHECK(std::abs(probability_beyond(2.365, 7) - 0.05) < 5e-5);
  CHECK(std::abs(probability_beyond(-2.228, 10) - 0.05) < 5e-5);
  CHECK(probability_beyond(0.0, 5) == 1.0);
  CHECK(std::isinf(chance_limit(0)));
}

TEST_CASE("the standard error of a mean is the scatter over the root of the number") {
  const std::vector<double> runs = {1.0, 3.0, 5.0, 7.0};
  CHECK(estimate(runs).value == 4.0);
  CHECK(std::abs(*estimate(runs).error - std::sqrt(20.0 / 3.0 / 4.0)) < 1e-15);
  CHECK_FALSE(estimate(std::vector{3.0}).error);
}

TEST_CASE("a slope has the error of its points") {
  // Known: Var = sigma^2 / sum (x - mean)^2.
  const std::vector<LinePoint> line = {{0.0, 1.0, 0.1}, {1.0, 3.0, 0.1}, {2.0, 5.0, 0.1}};
  const auto exact = fit_line(line);
  REQUIRE(exact);
  CHECK(std::abs(exact->value - 2.0) < 1e-14);
  CHECK(std::abs(exact->error - 0.1 / std::sqrt(2.0)) < 1e-14);
  // From distances: 0, 1, 0 about its line leaves 2/3 with one degree of freedom.
  const auto bent = fit_line(std::vector<LinePoint>{{0.0, 0.0}, {1.0, 1.0}, {2.0, 0.0}});
  REQUIRE(bent);
  CHECK(std::abs(bent->value) < 1e-14);
  CHECK(std::abs(bent->error - std::sqrt(2.0 / 3.0 / 2.0)) < 1e-14);
  // A point of large error hardly counts.
  const auto weighted = fit_line(std::vector<LinePoint>{{0.0, 0.0, 1e-3}, {1.0, 1.0, 1e-3}, {2.0, 7.0, 10.0}});
  CHECK(std::abs(weighted->value - 1.0) < 1e-3);
  CHECK_FALSE(fit_line(std::vector<LinePoint>{{0.0, 1.0}, {1.0, 3.0}}));
  CHECK_FALSE(fit_line(std::vector<LinePoint>{{1.0, 1.0}, {1.0, 3.0}, {1.0, 4.0}}));
}

TEST_CASE("modes that are equal differ beyond chance in one of a hundred comparisons, modes that differ in all") {
  constexpr int kTrials = 2000;
  for (const std::size_t soft_runs : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    for (const int points : {1, 30}) {
      const Compared compared = points == 1 ? Compared::mean : Compared::curve;
      CAPTURE(soft_runs);
      CAPTURE(points);
      int beyond = 0;
      int beyond_when_they_differ = 0;
      double mean_multiple = 0.0;
      for (int trial = 0; trial < kTrials; ++trial) {
        Random random(1, 77, static_cast<std::uint64_t>(trial));
        const auto n = static_cast<std::size_t>(points);
        auto soft = normal_runs(soft_runs, n, 20.0, random);
        auto hard = normal_runs(8, n, 20.0, random);
        const Contrast equal = soft_against_hard(quantity_of(compared, soft, hard));
        beyond += equal.beyond_chance() ? 1 : 0;
        mean_multiple += *equal.multiple() / kTrials;
        for (Series& run : soft) {
          for (double& value : run.values) value += 15.0;
        }
        const Contrast other = soft_against_hard(quantity_of(compared, soft, hard));
        beyond_when_they_differ += other.beyond_chance() ? 1 : 0;
      }
      // 20 are expected of 2000: four standard deviations are 18. The scatter of areas is not normal.
      CHECK(beyond < (points == 1 ? 38 : 60));
      CHECK(beyond > (points == 1 ? 3 : 0));
      CHECK(beyond_when_they_differ > 1990);
      CHECK(std::abs(mean_multiple) < 0.2);
    }
  }
}

TEST_CASE("four soft runs are compared with the hard runs of the same disks: what the seeds scatter cancels") {
  const auto runs = [](std::size_t number, double apart) {
    std::vector<Series> all;
    for (std::size_t k = 0; k < number; ++k) {
      const double of_seed = 100.0 + 10.0 * std::sin(static_cast<double>(7 * k));  // much greater than the difference
      all.push_back({{of_seed + apart + 0.1 * std::cos(static_cast<double>(3 * k))}});
    }
    return all;
  };
  const auto contrast_of = [&](std::size_t soft) {
    return soft_against_hard(quantity_of(Compared::mean, runs(soft, 2.0), runs(8, 0.0)));
  };
  CHECK_FALSE(contrast_of(3).beyond_chance());
  const Contrast paired = contrast_of(4);
  CHECK(paired.beyond_chance());
  CHECK(std::abs(paired.difference - 0.02) < 2e-3);
  CHECK(paired.limit == chance_limit(3));
}

TEST_CASE("numbers differ by their mean or their end with a sign, curves by the area between") {
  auto number = [](Compared compared) {
    return soft_against_hard(
        quantity_of(compared, {{{1.0, 2.0, 6.0}}}, {{{2.0, 2.0, 5.0}}, {{2.0, 2.0, 3.0}}, {{2.0, 2.0, 4.0}}}));
  };
  CHECK(std::abs(number(Compared::mean).difference - 1.0 / 8.0) < 1e-15);
  CHECK(number(Compared::last).difference == 0.5);
  // The scatter of the ends 5, 3, 4 is 1; the mean of three of them is 4.
  CHECK(std::abs(*number(Compared::last).error - std::sqrt(4.0 / 3.0) / 4.0) < 1e-15);
  CHECK(std::abs(*number(Compared::last).multiple() - 2.0 / std::sqrt(4.0 / 3.0)) < 1e-14);
  CHECK(std::abs(number(Compared::curve).difference - 3.0 / 8.0) < 1e-15);
  ComparedQuantity quantity = quantity_of(Compared::mean, {{{1.0}}}, {{{0.0}}, {{0.0}}});
  CHECK(std::isinf(soft_against_hard(quantity).difference));
  quantity.soft = {{{0.0}}};
  CHECK(soft_against_hard(quantity).difference == 0.0);
  CHECK_FALSE(soft_against_hard(quantity).beyond_chance());
}

TEST_CASE("runs that are not independent tell nothing of chance") {
  ComparedQuantity quantity = quantity_of(Compared::mean, {{{1.0}}}, {{{2.0}}, {{2.0 + 1e-9}}});
  CHECK(soft_against_hard(quantity).beyond_chance());
  quantity.independent = false;
  CHECK_FALSE(soft_against_hard(quantity).error);
  CHECK_FALSE(soft_against_hard(quantity).beyond_chance());
  CHECK(soft_against_hard(quantity).difference == doctest::Approx(-0.5));
  CHECK_FALSE(points(quantity).front().chance);
}

TEST_CASE("where no hard run has anything chance gives nothing") {
  const auto found = points(quantity_of(Compared::curve, {{{1.0, 0.0}}}, {{{2.0, 0.0}}, {{3.0, 0.0}}}));
  CHECK(*found[0].chance > 0.5);
  REQUIRE(found[1].chance);
  CHECK(*found[1].chance == 0.0);
}

TEST_CASE("against theory each run is compared with the theory for its own state") {
  std::vector<Series> runs;
  for (const double of_seed : {5.0, 10.0, 15.0, 20.0})
    runs.push_back({.values = {of_seed * 1.02}, .theory = {of_seed}});
  const ComparedQuantity quantity = quantity_of(Compared::mean, {{.values = {11.0}, .theory = {10.0}}}, runs);
  const Contrast hard = against_theory(quantity, quantity.hard);
  CHECK(std::abs(hard.difference - 0.02) < 1e-14);
  CHECK(hard.beyond_chance() == (*hard.multiple() > chance_limit(3)));
  CHECK(*hard.error < 0.01);  // though the seeds scatter by half
  const Contrast soft = against_theory(quantity, quantity.soft);
  CHECK(std::abs(soft.difference - 0.1) < 1e-14);
  CHECK(soft.limit == chance_limit(3));
}

TEST_CASE("each run has its own seed, or other velocities where seeds change nothing") {
  const Ensemble drawn = ensemble(box_of_disks(1.0), 2);
  CHECK(drawn.reseeded);
  CHECK(drawn.twins.size() == kHardRuns);
  CHECK(drawn.soft_runs == 2);
  CHECK(ensemble(box_of_disks(1.0), 10).twins.size() == 10);
  CHECK(velocities(drawn.twins[0]) != velocities(drawn.twins[1]));
  CHECK(velocities(drawn.twins[1]) != velocities(drawn.twins[2]));
  CHECK(velocities(drawn.twins[0]) == velocities(twins(box_of_disks(1.0))));

  Scene still = box_of_disks(0.0);  // on a lattice, with nothing at random but the angle
  still.gravity = {0.0, -2.0};
  const Ensemble stirred_runs = ensemble(still, 1);
  CHECK_FALSE(stirred_runs.reseeded);
  CHECK(stirred_runs.twins.size() == kHardRuns);
  const std::vector<Vec2> first = velocities(stirred_runs.twins[0]);
  CHECK(std::ranges::all_of(first, [](const Vec2& v) { return v.isZero(0.0); }));
  const double fallen = std::sqrt(2.0 * 2.0 * 0.1);  // speed after a fall by a diameter
  for (const Vec2& v : velocities(stirred_runs.twins[1])) {
    CHECK(v.cwiseAbs().maxCoeff() <= kStir * fallen);
    CHECK(v.cwiseAbs().maxCoeff() > 0.0);
  }
  CHECK(velocities(stirred_runs.twins[1]) != velocities(stirred_runs.twins[2]));
}

TEST_CASE("all runs are measured alike, whatever diameters their seeds draw") {
  Scene scene = box_of_disks(1.0);
  scene.gravity = {0.0, -1.0};
  scene.domain.hi.y() = 20.0;
  scene.particles[0].size = {0.05, 0.1};
  const Ensemble runs = ensemble(scene, 1);
  for (const Twins& twins : runs.twins) {
    CHECK(twins.hard.measure == runs.twins[0].hard.measure);
    CHECK(twins.soft.measure == runs.twins[0].hard.measure);
    CHECK(twins.radial == runs.twins[0].radial);
  }
}

TEST_CASE("runs that seeds do not change are independent once they have diverged") {
  Comparison comparison;
  comparison.mean_diameter = 0.1;
  comparison.reseeded = false;
  for (const double apart : {0.0, 0.005, 0.02, 0.004}) {
    comparison.moments.push_back({.time = static_cast<double>(comparison.moments.size()),
                                  .soft = {},
                                  .hard = {},
                                  .between = {},
                                  .chaos = {},
                                  .of_twins = {.position_rms = apart}});
  }
  CHECK(comparison.independent_from() == 2.0);
  comparison.moments.resize(2);
  CHECK_FALSE(comparison.independent_from());
  comparison.reseeded = true;
  CHECK(comparison.independent_from() == 0.0);
}

TEST_CASE("g of points at random is 1 where they are, in a bed that fills a part of the domain") {
  const Domain domain{{0.0, 0.0}, {1.0, 4.0}, {true, false}};
  const Region region{domain.lo, domain.hi};
  PairCorrelation pairs({.to = 0.3, .bins = 10}, region, domain, 0.05);
  std::vector<State> hard(8);
  for (std::size_t run = 0; run < hard.size(); ++run) {
    for (std::uint64_t k = 0; k < 500; ++k) {
      Random random(run, 5, k);
      const double x = random.uniform();
      const double y = random.uniform();  // the lowest quarter, twice as dense below the middle
      hard[run].particles.position.emplace_back(x, k % 3 == 0 ? 0.5 + 0.5 * y : 0.5 * y);
      hard[run].particles.id.push_back(k + 1);
    }
  }
  pairs.add(std::span(hard).first(1), hard);
  CHECK(pairs.distances().size() == 10);
  std::vector<double> mean(10);
  for (std::size_t run = 0; run < hard.size(); ++run) {
    const std::vector<double> g = pairs.hard(run);
    for (std::size_t k = 0; k < g.size(); ++k) mean[k] += g[k] / static_cast<double>(hard.size());
  }
  // The first bin expects 700 pairs in each run, so 1.3 % in all; the last ones have a twentieth of that error.
  for (std::size_t k = 0; k < mean.size(); ++k) CHECK(std::abs(mean[k] - 1.0) < (k == 0 ? 0.06 : 0.03));
  CHECK(pairs.soft(0) == pairs.hard(0));
}

}  // namespace scree::compare_statistics_test
