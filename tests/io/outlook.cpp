#include "io/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <doctest/doctest.h>

using namespace scree;

namespace {

constexpr double kEnd = 2.0;     // s
constexpr double kPoured = 1.0;  // s, for how long
constexpr double kCount = 1000.0;

double due(double time) {
  return kCount * std::clamp(time / kPoured, 0.0, 1.0);
}

/// A run with as many particles as a function of time tells, of which each costs as much as another one tells.
/// @param from a part of the wall time
/// @param at_the_start particles
/// @return the largest factor by which the outlook is wrong from there up to 19/20
double worst_factor(const std::function<double(double)>& particles, const std::function<double(double)>& cost,
                    double from, double at_the_start = 0.0) {
  constexpr int kSteps = 20000;
  constexpr double kStep = kEnd / kSteps;
  const auto work = [&](int k) { return (particles(k * kStep) + 3.0) * cost(k * kStep) * kStep; };
  double total = 0.0;
  for (int k = 0; k < kSteps; ++k) total += work(k);
  Outlook outlook(kEnd, [&](double time) { return at_the_start + due(time); });
  CHECK(std::isinf(outlook.remaining()));
  double worst = 1.0;
  double elapsed = 0.0;
  for (int k = 0; k < kSteps; ++k) {
    outlook.add(elapsed, k * kStep, particles(k * kStep));
    if (elapsed > from * total && elapsed < 0.95 * total) {
      const double factor = outlook.remaining() / (total - elapsed);
      worst = std::max({worst, factor, 1.0 / factor});
    }
    elapsed += work(k);
  }
  return worst;
}

double same(double) {
  return 1.0;
}

}  // namespace

TEST_CASE("while grains are poured, the remaining time is right") {
  CHECK(worst_factor(due, same, 0.01) < 1.05);
  // The share of the simulated time would say, after a tenth of the wall time, 1.4 times the elapsed one, not nine.
  CHECK(worst_factor([](double t) { return due(t) + 200.0; }, same, 0.01, 200.0) < 1.05);
}

TEST_CASE("while grains are poured that cost more in the bed than in flight, it is right within 1.5") {
  const auto in_flight = [](double t) { return due(t) - due(t - 0.1); };
  const auto cost = [&](double t) {
    return due(t) > 0.0 ? (4.0 * (due(t) - in_flight(t)) + in_flight(t)) / due(t) : 1.0;
  };
  CHECK(worst_factor(due, cost, 0.05) < 1.5);
}

TEST_CASE("where only a part of the grains that are due finds room, or some leave, it is right within 1.5") {
  CHECK(worst_factor([](double t) { return 0.4 * due(t); }, same, 0.02) < 1.1);
  CHECK(worst_factor([](double t) { return due(t) - 300.0 * t; }, same, 0.02) < 1.5);
}

TEST_CASE("without pours it is as long as lately") {
  CHECK(worst_factor([](double) { return 500.0; }, same, 0.01, 500.0) < 1.02);
}
