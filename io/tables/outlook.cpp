#include "io/tables/outlook.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace scree {

namespace {

// Costs as multiples of that of a falling stone, from the examples heap and drum (tests/io/outlook.cpp): a stone in the
// bed costs as much as so many that fall, and so do a wall, and a step without anything.
constexpr double kCostInBed = 3.5;
constexpr double kCostOfWall = 3.0;
constexpr double kFixedCost = 5.0;
constexpr double kLately = 0.25;  // of the wall time so far
constexpr double kMostMoments = 1000.0;

}  // namespace

Outlook::Outlook(double end, Arrivals arrivals) : end_(end), arrivals_(std::move(arrivals)) {}

double Outlook::cost(double particles, double time) const {
  const double due = arrivals_.due(time);
  const double settled = due > 0.0 ? arrivals_.settled(time) / due : 1.0;
  return particles * (1.0 + (kCostInBed - 1.0) * settled) + kCostOfWall * arrivals_.walls + kFixedCost;
}

void Outlook::add(double elapsed, double time, double particles) {
  double load = 0.0;
  if (!lately_.empty()) {
    const Moment& last = lately_.back();
    if (elapsed - last.elapsed < kLately * elapsed / kMostMoments || time <= last.time) return;
    load = last.load + 0.5 * (cost(particles, time) + cost(last.particles, last.time)) * (time - last.time);
  }
  lately_.push_back({elapsed, time, particles, load});
  while (lately_.size() > 2 && lately_[1].elapsed <= (1.0 - kLately) * elapsed) lately_.pop_front();
}

double Outlook::expected_particles(double time) const {
  const Moment& first = lately_.front();
  const Moment& now = lately_.back();
  const double change = now.particles - first.particles;
  const double planned = arrivals_.due(now.time) - arrivals_.due(first.time);
  const double to_come = arrivals_.due(time) - arrivals_.due(now.time);
  const double further = planned > 0.0 ? to_come * std::min(change / planned, 1.0)
                                       : to_come + change * (time - now.time) / (now.time - first.time);
  return std::clamp(now.particles + further, 0.0, arrivals_.due(time));
}

double Outlook::remaining() const {
  if (lately_.size() < 2) return std::numeric_limits<double>::infinity();
  const Moment& first = lately_.front();
  const Moment& now = lately_.back();
  constexpr int kParts = 64;
  const double part = std::max(end_ - now.time, 0.0) / kParts;
  double ahead = 0.0;
  for (int k = 0; k < kParts; ++k) {
    const double time = now.time + (k + 0.5) * part;
    ahead += cost(expected_particles(time), time) * part;
  }
  return (now.elapsed - first.elapsed) / (now.load - first.load) * ahead;
}

}  // namespace scree
