#include "dem/hard/flight/cell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "dem/archive.hpp"
#include "dem/hard/flight/event.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::hard {

double CellSums::take_reduced_pressure() {
  const Eigen::Array4d since = stress() - before;
  const double kinetic_since = (kinetic[0] + kinetic[1]) - kinetic_before;
  before = stress();
  kinetic_before = kinetic[0] + kinetic[1];
  return (since[0] + since[1]) / kinetic_since;
}

Cell::Cell(const Domain& domain)
    : exists_(domain.cell.has_value()),
      rate_(exists_ ? Components(domain.cell->xx.rate, domain.cell->yy.rate, domain.cell->xy.rate)
                    : Components(Components::Zero())),
      lo_(domain.lo),
      hi_(domain.hi),
      length_at_start_(hi_ - lo_),
      centre_(0.5 * (lo_ + hi_)),
      duration_(kStrainOfPiece / std::max(std::abs(rate_[0]), std::abs(rate_[1]))),
      length_(length_at_start_),
      node_(duration_) {
  plan_piece();
  sliding_ = sliding_until_node();
}

/// From the start, not from node to node: so no errors add up.
Vec2 Cell::length_at_node(std::uint64_t node) const {
  if (!stretches()) return length_at_start_;
  const double time = static_cast<double>(node) * duration_;
  return {length_at_start_.x() * deterministic::exp(rate_[0] * time),
          length_at_start_.y() * deterministic::exp(rate_[1] * time)};
}

void Cell::plan_piece() {
  if (stretches()) stretching_ = (length_at_node(nodes_ + 1) - length_at_node(nodes_)) / duration_;
}

/// @pre it is a node now. The tilt s obeys s' = rate_xx s + rate_xy length_y, whose solution from node to node has the
/// factor sinh(x) / x of a small x.
double Cell::sliding_until_node() const {
  if (!stretches()) return rate_[2] * length_.y();
  const Vec2 growth = length_at_node(nodes_ + 1).cwiseQuotient(length_);
  const double x = 0.5 * (rate_[1] - rate_[0]) * duration_;
  const double mean = std::sqrt(growth.x() * growth.y()) * (1.0 + x * x / 6.0 * (1.0 + x * x / 20.0));
  return tilt_ * ((growth.x() - 1.0) / duration_) + rate_[2] * length_.y() * mean;
}

Image Cell::periods_outside(const Vec2& position, double time) const {
  const Vec2 lo = lo_at(time);
  const Vec2 hi = hi_at(time);
  const auto periods = [&](int axis, double x) -> std::int32_t {
    if (!(x < lo[axis] || x >= hi[axis])) return 0;
    constexpr double kMost = 1 << 24;
    return static_cast<std::int32_t>(std::clamp(std::floor((x - lo[axis]) / (hi[axis] - lo[axis])), -kMost, kMost));
  };
  const std::int32_t up = periods(1, position.y());
  return {periods(0, position.x() - up * tilt_at(time)), up};
}

Image Cell::gone_around(const Image& before, const Image& periods) const {
  constexpr std::int64_t kMost = (std::int64_t{1} << 29) - 1;
  const auto sum = [&](std::int64_t a, std::int64_t b) {
    return static_cast<std::int32_t>(std::clamp(a + b, -kMost, kMost));
  };
  return {sum(before[0], periods[0] - std::int64_t{periods[1]} * flips_), sum(before[1], periods[1])};
}

Components Cell::gradient_at(double time) const {
  if (!stretches()) return {0.0, 0.0, rate_[2]};
  const Vec2 length = length_at(time);
  const double sheared = sliding_ * length.x() - stretching_.x() * tilt_at(time);  // constant between nodes
  return {stretching_.x() / length.x(), stretching_.y() / length.y(), sheared / (length.x() * length.y())};
}

double Cell::end_of_epoch() const {
  const double ahead = sliding_ - 0.5 * stretching_.x();  // of half a period
  const double behind = sliding_ + 0.5 * stretching_.x();
  double end = node_;
  if (ahead > 0.0) end = std::min(end, (0.5 * length_.x() - tilt_) / ahead);
  if (behind < 0.0) end = std::min(end, (-0.5 * length_.x() - tilt_) / behind);
  return end;
}

/// What rounding leaves below half a period is none: time goes on.
Components Cell::rebase(double now) {
  constexpr double kHalf = 0.5 * (1.0 - 1e-12);
  const Components before = gradient_at(now);
  const bool is_node = now >= node_;
  tilt_ = tilt_at(now);
  if (is_node) ++nodes_;
  if (stretches()) length_ = is_node ? length_at_node(nodes_) : length_at(now);
  node_ = is_node ? duration_ : node_ - now;
  if (std::abs(tilt_) >= kHalf * length_.x()) {
    const double turns = tilt_ > 0.0 ? 1.0 : -1.0;
    tilt_ -= turns * length_.x();
    sliding_ -= turns * stretching_.x();
    flips_ += static_cast<std::int32_t>(turns);
  }
  if (!is_node) return Components::Zero();
  plan_piece();
  sliding_ = sliding_until_node();
  return gradient_at(0.0) - before;
}

ImagesForAWhile Cell::images(double now, double way) const {
  constexpr double kRounding = 1e-3;
  const Vec2 speed_a(std::abs(stretching_.x()), 0.0);
  const Vec2 speed_b(std::abs(sliding_), std::abs(stretching_.y()));
  double half = (1.0 - kRounding) * way / (speed_a + speed_b).maxCoeff();
  if (const double rest = end_of_epoch() - now; rest > 0.0) half = std::min(half, 0.5 * rest);
  const bool stands = !(half < kNever);
  if (stands) half = 0.0;
  const double middle = now + half;
  const double until = now + 2.0 * half;
  return {.domain = {lo_at(middle), hi_at(middle)},
          .least_x = std::min(lo_at(0.0).x(), lo_at(until).x()),
          .greatest_x = std::max(hi_at(0.0).x(), hi_at(until).x()),
          .a = shift({1, 0}, middle),
          .b = shift({0, 1}, middle),
          .slack_a = (1.0 + kRounding) * half * speed_a,
          .slack_b = (1.0 + kRounding) * half * speed_b,
          .until = stands ? kNever : until};
}

Vec2 Cell::least_length() const {
  if (!stretches()) return length_;
  const Vec2 then = length_at(node_);
  return then.cwiseMin(length_) - 2.0 * (then - length_).cwiseAbs();
}

/// Gauss & Legendre, three points: exact for the square of a velocity that shear changes evenly; what lengths make of
/// it differs by a sixth power of a small strain, less than rounding.
void Cell::add_flight(const Flight& flight, double mass, double until, CellSums& sums) const {
  struct Point {
    double place, weight;
  };
  static constexpr std::array<Point, 3> kPoints{
      {{0.11270166537925831, 5.0 / 18.0}, {0.5, 8.0 / 18.0}, {0.88729833462074169, 5.0 / 18.0}}};
  const double duration = until - flight.time;
  for (const Point& point : kPoints) {
    const double time = flight.time + point.place * duration;
    const Components gradient = gradient_at(time);
    const Vec2 own = flight.velocity - flow_of(gradient, flight.position_at(time));
    const double weight = point.weight * duration * mass;
    const double xy = own.x() * own.y();
    sums.kinetic += weight / area_at(time) * Eigen::Array4d(own.x() * own.x(), own.y() * own.y(), xy, xy);
    sums.work -= weight * own.dot(times(gradient, own));
  }
}

void Cell::add_collision(const Vec2& branch, const Vec2& impulse, double now, CellSums& sums) const {
  sums.contact += Eigen::Array4d(impulse.x() * branch.x(), impulse.y() * branch.y(), impulse.x() * branch.y(),
                                 impulse.y() * branch.x()) /
                  area_at(now);
  sums.work -= impulse.dot(times(gradient_at(now), branch));
}

CellState Cell::state(const CellSums& sums, double now, double duration) const {
  CellState state{
      .length = length_at(now), .tilt = tilt_at(now), .strain = {}, .rate = {}, .stress = {}, .work = sums.work};
  const Components gradient = gradient_at(now);
  for (int k = 0; k < 3; ++k) {
    state.strain[k] = 0.0 + rate_[k] * duration;  // no -0
    state.rate[k] = gradient[k];
  }
  if (duration > 0.0) {
    for (int k = 0; k < 4; ++k) state.stress[k] = sums.stress()[k] / duration;
  }
  return state;
}

void Cell::require_sound(const CellSums& sums, double now) const {
  constexpr std::int32_t kMostFlips = 1 << 20;
  constexpr double kMostStrain = 40.0;
  constexpr double kRounding = 1e-9;
  const char* const what = "the periodic cell";
  require_state(static_cast<double>(nodes_) * kStrainOfPiece < kMostStrain, what);
  const Vec2 ends[] = {length_at_node(nodes_), length_at_node(nodes_ + 1)};
  const Vec2 least = (1.0 - kRounding) * ends[0].cwiseMin(ends[1]);
  const Vec2 greatest = (1.0 + kRounding) * ends[0].cwiseMax(ends[1]);
  require_state((length_.array() >= least.array() && length_.array() <= greatest.array()).all(), what);
  const Vec2 length = length_at(now);
  require_state((length.array() >= least.array() && length.array() <= greatest.array()).all(), what);
  require_state(stretches() ? node_ >= 0.0 && node_ <= duration_ : node_ == kNever, what);
  const double half = 0.5 * (1.0 + kRounding);
  const double fastest = std::abs(rate_[2]) * greatest.y() + std::abs(rate_[0]) * greatest.x();
  require_state(stretches() ? std::abs(sliding_) <= 1.1 * fastest : sliding_ == rate_[2] * length_.y(), what);
  require_state(std::abs(tilt_) <= half * length_.x() && std::abs(tilt_at(now)) <= half * length.x() &&
                    std::abs(flips_) < kMostFlips && sums.stress().isFinite().all() && std::isfinite(sums.work),
                what);
}

}  // namespace scree::hard
