#include "dem/hard/cell.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dem/archive.hpp"
#include "dem/hard/event.hpp"

namespace scree::hard {

Cell::Cell(const Domain& domain)
    : exists_(domain.cell.has_value()),
      periodic_(domain),
      period_(domain.hi - domain.lo),
      centre_(0.5 * (domain.lo + domain.hi)),
      rate_(exists_ ? domain.cell->xy.rate : 0.0),
      speed_(rate_ * period_.y()) {}

Image Cell::periods_outside(const Vec2& position, double time) const {
  const std::int32_t up = periodic_.periods_outside(position)[1];
  const double x = position.x() - up * tilt_at(time);
  return {periodic_.periods_outside({x, position.y()})[0], up};
}

Image Cell::gone_around(const Image& before, const Image& periods) const {
  constexpr std::int64_t kMost = (std::int64_t{1} << 29) - 1;
  const auto sum = [&](std::int64_t a, std::int64_t b) {
    return static_cast<std::int32_t>(std::clamp(a + b, -kMost, kMost));
  };
  return {sum(before[0], periods[0] - std::int64_t{periods[1]} * flips_), sum(before[1], periods[1])};
}

double Cell::end_of_epoch() const {
  return speed_ == 0.0 ? kNever : (std::copysign(0.5 * period_.x(), speed_) - tilt_) / speed_;
}

/// What rounding leaves below half a period is none: time goes on.
void Cell::rebase(double now) {
  constexpr double kHalf = 0.5 * (1.0 - 1e-12);
  tilt_ = tilt_at(now);
  strain_ += rate_ * now;
  if (std::abs(tilt_) < kHalf * period_.x()) return;
  const double turns = tilt_ > 0.0 ? 1.0 : -1.0;
  tilt_ -= turns * period_.x();
  flips_ += static_cast<std::int32_t>(turns);
}

/// The velocity beside the flow changes evenly, as the disk comes into rows that flow faster.
void Cell::add_flight(const Flight& flight, double mass, double until, MomentumFlux& flux) const {
  const double duration = until - flight.time;
  const Vec2 middle = flight.position_at(flight.time + 0.5 * duration);
  const Vec2 own = beside_flow(middle, flight.velocity);
  const double change = rate_ * flight.velocity.y() * duration;
  const double xy = own.x() * own.y();
  flux.kinetic +=
      (mass * duration) * Eigen::Array4d(own.x() * own.x() + change * change / 12.0, own.y() * own.y(), xy, xy);
}

CellState Cell::state(const MomentumFlux& flux, double now, double duration) const {
  CellState state{.length = period_,
                  .tilt = tilt_at(now),
                  .strain = {0.0, 0.0, strain_ + rate_ * now},
                  .rate = {0.0, 0.0, rate_},
                  .stress = {},
                  .work = work(flux)};
  if (duration > 0.0) {
    const Eigen::Array4d stress = flux.sum() / (duration * period_.prod());
    for (int k = 0; k < 4; ++k) state.stress[k] = stress[k];
  }
  return state;
}

void Cell::require_sound(const MomentumFlux& flux, double now) const {
  constexpr std::int32_t kMostFlips = 1 << 20;
  constexpr double kHalf = 0.5 * (1.0 + 1e-9);
  require_state(std::abs(tilt_) <= kHalf * period_.x() && std::abs(tilt_at(now)) <= kHalf * period_.x() &&
                    std::isfinite(strain_) && std::abs(flips_) < kMostFlips && flux.sum().isFinite().all(),
                "the periodic cell");
}

}  // namespace scree::hard
