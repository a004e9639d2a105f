#include "io/outlook.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace scree {

namespace {

constexpr double kFixedCost = 5.0;  // a step without particles costs as much as a step of so many
constexpr double kLately = 0.25;    // of the wall time so far
constexpr double kMostMoments = 1000.0;

}  // namespace

Outlook::Outlook(double end, std::function<double(double)> due) : end_(end), due_(std::move(due)) {}

void Outlook::add(double elapsed, double time, double particles) {
  double load = 0.0;
  if (!lately_.empty()) {
    const Moment& last = lately_.back();
    if (elapsed - last.elapsed < kLately * elapsed / kMostMoments || time <= last.time) return;
    load = last.load + (0.5 * (particles + last.particles) + kFixedCost) * (time - last.time);
  }
  lately_.push_back({elapsed, time, particles, load});
  while (lately_.size() > 2 && lately_[1].elapsed <= (1.0 - kLately) * elapsed) lately_.pop_front();
}

double Outlook::expected_particles(double time) const {
  const Moment& first = lately_.front();
  const Moment& now = lately_.back();
  const double change = now.particles - first.particles;
  const double planned = due_(now.time) - due_(first.time);
  const double to_come = due_(time) - due_(now.time);
  const double further = planned > 0.0 ? to_come * std::min(change / planned, 1.0)
                                       : to_come + change * (time - now.time) / (now.time - first.time);
  return std::clamp(now.particles + further, 0.0, due_(time));
}

double Outlook::remaining() const {
  if (lately_.size() < 2) return std::numeric_limits<double>::infinity();
  const Moment& first = lately_.front();
  const Moment& now = lately_.back();
  constexpr int kParts = 64;
  const double part = std::max(end_ - now.time, 0.0) / kParts;
  double ahead = 0.0;
  for (int k = 0; k < kParts; ++k) ahead += (expected_particles(now.time + (k + 0.5) * part) + kFixedCost) * part;
  return (now.elapsed - first.elapsed) / (now.load - first.load) * ahead;
}

}  // namespace scree
