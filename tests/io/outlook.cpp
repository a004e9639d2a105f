#include "io/tables/outlook.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "dem/insertion.hpp"

namespace scree::outlook_test {

namespace {

constexpr double kEnd = 2.0;     // s
constexpr double kPoured = 1.0;  // s, for how long
constexpr double kCount = 1000.0;

double planned(double time) {
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
  const auto due = [&](double time) { return at_the_start + planned(time); };
  Outlook outlook(kEnd, {due, due});
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
  CHECK(worst_factor(planned, same, 0.01) < 1.05);
  // The share of the simulated time would say, after a tenth of the wall time, 1.4 times the elapsed one, not nine.
  CHECK(worst_factor([](double t) { return planned(t) + 200.0; }, same, 0.01, 200.0) < 1.05);
}

TEST_CASE("while grains are poured that cost more in the bed than in flight, it is right within 1.5") {
  const auto in_flight = [](double t) { return planned(t) - planned(t - 0.1); };
  const auto cost = [&](double t) {
    return planned(t) > 0.0 ? (4.0 * (planned(t) - in_flight(t)) + in_flight(t)) / planned(t) : 1.0;
  };
  CHECK(worst_factor(planned, cost, 0.05) < 1.5);
}

namespace {

struct Sample {
  double time;     // simulated [s]
  double elapsed;  // processor time [s]
};

/// Of examples/heap.yaml on one thread.
constexpr Sample kHeap[] = {{0.00, 0.02},  {0.04, 0.05},  {0.08, 0.11},  {0.12, 0.21},  {0.16, 0.34},  {0.20, 0.54},
                            {0.24, 0.88},  {0.28, 1.37},  {0.32, 2.06},  {0.36, 3.00},  {0.40, 4.13},  {0.44, 5.43},
                            {0.48, 7.06},  {0.52, 9.02},  {0.56, 11.16}, {0.60, 13.22}, {0.64, 15.66}, {0.68, 18.71},
                            {0.72, 21.40}, {0.76, 24.18}, {0.80, 27.34}, {0.84, 29.96}, {0.88, 32.64}, {0.92, 35.60},
                            {0.96, 38.73}, {1.00, 41.18}, {1.04, 43.64}, {1.08, 46.03}, {1.12, 48.48}, {1.16, 50.82},
                            {1.20, 53.28}, {1.24, 55.63}, {1.28, 58.22}, {1.32, 60.59}, {1.36, 63.33}, {1.40, 66.03}};

/// Of examples/drum.yaml on one thread.
constexpr Sample kDrum[] = {{0.00, 0.05},  {0.10, 0.38},  {0.20, 0.95},  {0.30, 1.87},  {0.40, 2.98},  {0.50, 4.57},
                            {0.60, 6.61},  {0.70, 9.04},  {0.80, 11.56}, {0.90, 14.04}, {1.00, 16.40}, {1.50, 28.38},
                            {2.00, 40.55}, {2.50, 55.28}, {3.00, 67.77}, {3.50, 80.05}, {4.00, 92.35}};

double elapsed_at(std::span<const Sample> run, double time) {
  const auto next = std::ranges::lower_bound(run.subspan(1), time, {}, &Sample::time);
  const Sample& b = next == run.end() ? run.back() : *next;
  const Sample& a = *(&b - 1);
  return a.elapsed + (b.elapsed - a.elapsed) * (time - a.time) / (b.time - a.time);
}

/// The largest factor by which the outlook of a run that was recorded is wrong, between parts of its run time.
double worst_factor(std::span<const Sample> run, const Arrivals& arrivals, double from, double to) {
  const double end = run.back().time;
  const double total = run.back().elapsed;
  Outlook outlook(end, arrivals);
  double worst = 1.0;
  constexpr int kLooks = 5000;
  for (int k = 0; k < kLooks; ++k) {
    const double time = end * k / kLooks;
    const double elapsed = elapsed_at(run, time);
    outlook.add(elapsed, time, arrivals.due(time));
    if (elapsed < from * total || elapsed > to * total) continue;
    const double factor = outlook.remaining() / (total - elapsed);
    worst = std::max({worst, factor, 1.0 / factor});
  }
  return worst;
}

/// Grains of several pours that begin at once, by a time.
double poured(std::span<const Pour> pours, double time) {
  double sum = 0.0;
  for (const Pour& pour : pours) sum += static_cast<double>(due(pour, time));
  return sum;
}

}  // namespace

TEST_CASE("while stones pour into a heap or a drum, the remaining time is right within 1.5") {
  const auto plan = [](std::span<const Pour> pours, double falling, double walls) {
    return Arrivals{[=](double t) { return poured(pours, t); }, [=](double t) { return poured(pours, t - falling); },
                    walls};
  };
  const std::array heap{Pour{.count = 600, .rate = 900.0, .region = {}},
                        Pour{.count = 250, .rate = 375.0, .region = {}},
                        Pour{.count = 150, .rate = 225.0, .region = {}}};
  const std::array drum{Pour{.count = 400, .rate = 600.0, .region = {}}};
  // From the middle of the region, as fast as they are poured [s].
  CHECK(worst_factor(kHeap, plan(heap, 0.193, 3.0), 0.01, 0.95) < 1.5);
  CHECK(worst_factor(kDrum, plan(drum, 0.156, 60.0), 0.03, 0.95) < 1.5);
  // As if they fell in no time, it would be wrong by more than a factor of two in the first tenth.
  CHECK(worst_factor(kHeap, plan(heap, 0.0, 3.0), 0.01, 0.1) > 2.0);
}

TEST_CASE("where only a part of the grains that are due finds room, or some leave, it is right within 1.5") {
  CHECK(worst_factor([](double t) { return 0.4 * planned(t); }, same, 0.02) < 1.1);
  CHECK(worst_factor([](double t) { return planned(t) - 300.0 * t; }, same, 0.02) < 1.5);
}

TEST_CASE("without pours it is as long as lately") {
  CHECK(worst_factor([](double) { return 500.0; }, same, 0.01, 500.0) < 1.02);
}

}  // namespace scree::outlook_test
