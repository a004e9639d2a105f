#include "dem/hard/events/helfand_moments.hpp"

#include <cmath>

#include "dem/archive.hpp"

namespace scree::hard {

namespace {

double energy(const HelfandMoments::Body& body) {
  return 0.5 * body.mass * body.velocity.squaredNorm();
}

}  // namespace

MomentState HelfandMoments::at(double time) const {
  return {moments_.momentum + (time - since_) * momentum_current_, moments_.heat + (time - since_) * heat_current_};
}

/// @return energy that the body has got [J]
double HelfandMoments::change(const Body& before, const Body& after) {
  momentum_current_ += after.mass * after.velocity * after.velocity.transpose();
  momentum_current_ -= before.mass * before.velocity * before.velocity.transpose();
  heat_current_ += energy(after) * after.velocity - energy(before) * before.velocity;
  return energy(after) - energy(before);
}

void HelfandMoments::flow_until(double time) {
  moments_ = at(time);
  since_ = time;
}

void HelfandMoments::change(const Body& before, const Body& after, double time) {
  flow_until(time);
  change(before, after);
}

void HelfandMoments::collide(const Body& a, const Body& b, const Vec2& branch, const Vec2& impulse, double time) {
  flow_until(time);
  const double to_a = change({a.mass, a.velocity + impulse / a.mass}, a);
  const double to_b = change({b.mass, b.velocity - impulse / b.mass}, b);
  moments_.momentum += branch * impulse.transpose();
  moments_.heat += 0.5 * (to_b - to_a) * branch;
}

void HelfandMoments::require_sound() const {
  require_state(std::isfinite(since_) && momentum_current_.allFinite() && heat_current_.allFinite() &&
                    moments_.momentum.allFinite() && moments_.heat.allFinite(),
                "Helfand's moments");
}

}  // namespace scree::hard
