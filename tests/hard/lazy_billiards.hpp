#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "dem/clock.hpp"
#include "dem/hard/disk/wells.hpp"
#include "dem/hard/events/wall_body.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/flight/collision_rule.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/growth.hpp"
#include "dem/hard/flight/prediction.hpp"
#include "dem/hard/flight/setup.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::test {

/// Event-driven billiards after Sedgewick & Wayne, Algorithms, 6.1: one priority queue of all collisions that anybody
/// could have; those of disks that have collided since are discarded when they come up. Slow, simple, and it knows no
/// boxes, partners or plans given up: what hard::Simulation is judged by. Same flights, predictions and collision rule.
/// Smooth disks that may grow or have wells, or that a cell shears and stretches.
class LazyBilliards {
 public:
  /// @param images looked at on each side along periodic axes
  /// @param end nothing later is asked for [s]
  explicit LazyBilliards(const hard::Setup& setup, int images = 3, double end = hard::kNever)
      : setup_(setup),
        images_(images),
        end_(end),
        growth_{{}, setup.growth.rate > 0.0 ? setup.growth.from : 1.0, setup.growth.rate} {
    for (const Wall& wall : setup.walls) walls_.emplace_back(wall, setup.domain);
    if (deforms()) begin_piece();
    for (hard::Index i = 0; i < setup.position.size(); ++i) {
      flights_.push_back({setup.position[i], setup.velocity[i], 0.0, setup.radius[i]});
      collisions_of_.push_back(0);
      last_collision_.push_back(-hard::kNever);
      periods_of_.push_back({0, 0});
      fly_to(i, 0.0);
    }
    energy_ = translational_energy();
    scale_at_goal_ = scale_at_goal();
    if (has_well()) find_well_pairs();
    plan_set_back();
    predict_all();
  }

  void advance_to(double time) {
    time_ = time;
    for (;;) {
      while (!queue_.empty() && is_stale(queue_.top())) queue_.pop();
      const double time_of_next = queue_.empty() ? hard::kNever : queue_.top().event.time;
      const double goal = grows() ? (scale_at_goal_ - growth_.scale) / growth_.rate : hard::kNever;
      const double due = std::min(set_back_at_, goal);
      if (time_of_next > std::min(clock_.at(time_), due)) {
        if (clock_.at(time_) < due) return;
        now_ = due;
        due == set_back_at_ ? set_back() : end_growth();
        continue;
      }
      const Candidate next = queue_.top();
      queue_.pop();
      now_ = next.event.time;
      happen(next);
      if (++changes_ == changes_until_rebase()) set_back();
    }
  }

  Vec2 position(hard::Index i) const {
    const hard::Flight now = flight_from(flights_[i], clock_.at(time_));
    return now.position - shift(periods_outside(now), now.time);
  }
  Vec2 velocity(hard::Index i) const {
    const hard::Flight now = flight_from(flights_[i], clock_.at(time_));
    return deforms() ? Vec2(now.velocity - drift(periods_outside(now))) : now.velocity;
  }
  std::uint64_t collisions() const { return collisions_; }
  std::uint64_t wall_hits() const { return wall_hits_; }
  std::uint64_t crossings() const { return crossings_; }
  std::size_t pairs_in_wells() const { return in_wells_.size(); }
  std::uint64_t ties() const { return ties_; }
  /// Events whose exact time lies before the flights involved begin: rounding has put disks into each other or into a
  /// wall that then approach.
  std::uint64_t in_the_past() const { return in_the_past_; }
  bool grows() const { return growth_.rate > 0.0; }
  double radius(hard::Index i) const { return flights_[i].radius * share(i).at(growth_.scale_at(clock_.at(time_))); }
  double reduced_pressure() const { return pressure_; }
  /// How often the clock was set back.
  int times_set_back() const { return times_set_back_; }

 private:
  static constexpr unsigned kSides = 4;
  using Periods = std::array<int, 2>;                               // along y, x: in the order of hard::NearImage
  using WellPair = std::tuple<hard::Index, hard::Index, int, int>;  // with the periods when nothing is wrapped
  struct Candidate {
    hard::Event event;
    Periods image;  // of the disk with the higher id, seen from the other one
    std::uint64_t collisions_of_lower;
    std::uint64_t collisions_of_higher;
    bool operator>(const Candidate& other) const { return std::tie(event, image) > std::tie(other.event, other.image); }
  };

  double period(int axis) const {
    const Domain& domain = setup_.domain;
    return domain.periodic[static_cast<std::size_t>(axis)] ? domain.hi[axis] - domain.lo[axis] : 0.0;
  }
  int periods_outside(double x, int axis, double time) const {
    if (period(axis) == 0.0) return 0;
    if (!deforms()) return static_cast<int>(std::floor((x - setup_.domain.lo[axis]) / period(axis)));
    const double wider = 0.5 * (length_at(axis, time) - period(axis));
    const double lo = setup_.domain.lo[axis] - wider;
    const double hi = setup_.domain.hi[axis] + wider;
    return x < lo || x >= hi ? static_cast<int>(std::floor((x - lo) / (hi - lo))) : 0;
  }
  Periods periods_outside(const hard::Flight& now) const {
    const int up = periods_outside(now.position.y(), 1, now.time);
    const double x = deforms() ? now.position.x() - up * tilt_at(now.time) : now.position.x();
    return {up, periods_outside(x, 0, now.time)};
  }
  Vec2 shift(const Periods& image) const { return {image[1] * period(0), image[0] * period(1)}; }
  Vec2 shift(const Periods& image, double time) const {
    if (!deforms()) return shift(image);
    return {image[1] * length_at(0, time) + image[0] * tilt_at(time), image[0] * length_at(1, time)};
  }

  // Of a cell that deforms. Its lengths are those of the exponential at nodes, and linear between.

  bool deforms() const { return setup_.domain.cell.has_value(); }
  bool stretches() const { return deforms() && greatest_rate() > 0.0; }
  double rate(int axis) const { return axis == 0 ? setup_.domain.cell->xx.rate : setup_.domain.cell->yy.rate; }
  double greatest_rate() const { return std::max(std::abs(rate(0)), std::abs(rate(1))); }
  double piece() const { return 1.0 / 1024.0 / greatest_rate(); }
  double length_at_node(int axis, int node) const {
    return period(axis) * deterministic::exp(rate(axis) * (node * piece()));
  }
  double length_at(int axis, double time) const { return length_[axis] + stretching_[axis] * time; }
  double tilt_at(double time) const { return tilt_ + sliding_ * time; }
  Vec2 drift(const Periods& image) const {
    return {image[1] * stretching_[0] + image[0] * sliding_, image[0] * stretching_[1]};
  }
  /// Of the flow's velocity: xx, yy, xy.
  std::array<double, 3> gradient_at(double time) const {
    const double x = length_at(0, time);
    const double y = length_at(1, time);
    return {stretching_[0] / x, stretching_[1] / y, (sliding_ * x - stretching_[0] * tilt_at(time)) / (x * y)};
  }
  void begin_piece() {
    length_ = {period(0), period(1)};
    sliding_ = setup_.domain.cell->xy.rate * period(1);
    if (!stretches()) return;
    double growth[2];
    for (const int axis : {0, 1}) {
      length_[axis] = length_at_node(axis, node_);
      growth[axis] = length_at_node(axis, node_ + 1) / length_[axis];
      stretching_[axis] = (length_at_node(axis, node_ + 1) - length_[axis]) / piece();
    }
    const double x = 0.5 * (rate(1) - rate(0)) * piece();
    const double mean = std::sqrt(growth[0] * growth[1]) * (1.0 + x * x / 6.0 * (1.0 + x * x / 20.0));
    sliding_ = tilt_ * ((growth[0] - 1.0) / piece()) + setup_.domain.cell->xy.rate * length_[1] * mean;
    to_node_ = piece();
  }

  bool is_wall(const Candidate& c) const { return c.event.kind() == hard::EventKind::wall; }
  bool is_gone(const Candidate& c) const {
    if (!is_wall(c) || c.event.side() < kSides) return false;
    const auto& until = setup_.walls[c.event.side() - kSides].until;
    return until && clock_.at(*until) <= c.event.time;
  }
  bool is_stale(const Candidate& c) const {
    if (is_gone(c)) return true;
    return collisions_of_[c.event.lower()] != c.collisions_of_lower ||
           (!is_wall(c) && collisions_of_[c.event.higher()] != c.collisions_of_higher);
  }

  template <class Do>
  auto in_field(Do act) const {
    return setup_.gravity.isZero() ? act(hard::NoField{}) : act(hard::Gravity{setup_.gravity});
  }
  hard::Flight flight_from(const hard::Flight& flight, double time) const {
    return in_field([&](const auto& field) {
      return hard::Flight{flight.position_at(time, field), flight.velocity_at(time, field), time, flight.radius};
    });
  }

  /// @return by how many periods the position had to be wrapped
  Periods fly_to(hard::Index i, double time) {
    hard::Flight& flight = flights_[i];
    flight = flight_from(flight, time);
    const Periods periods = periods_outside(flight);
    flight.position -= shift(periods, time);
    if (deforms()) flight.velocity -= drift(periods);
    for (const std::size_t k : {0, 1}) periods_of_[i][k] += periods[k];
    return periods;
  }

  bool has_well() const { return setup_.well.range > 1.0; }
  WellPair well_pair(hard::Index a, hard::Index b, const Periods& image) const {
    return {a, b, image[0] + periods_of_[a][0] - periods_of_[b][0], image[1] + periods_of_[a][1] - periods_of_[b][1]};
  }
  void find_well_pairs() {
    for_each_image([&](const Periods& image) {
      for (hard::Index b = 0; b < flights_.size(); ++b) {
        for (hard::Index a = 0; a < b; ++a) {
          const double edge = setup_.well.range * (flights_[a].radius + flights_[b].radius);
          if (distance(a, b, image).norm() < edge) in_wells_.insert(well_pair(a, b, image));
        }
      }
    });
  }

  template <class Do>
  void for_each_image(Do act) const {
    const int nx = period(0) > 0.0 ? images_ : 0;
    const int ny = period(1) > 0.0 ? images_ : 0;
    for (int y = -ny; y <= ny; ++y) {
      for (int x = -nx; x <= nx; ++x) act(Periods{y, x});
    }
  }

  double translational_energy() const {
    double energy = 0.0;
    for (hard::Index i = 0; i < flights_.size(); ++i) {
      energy += 0.5 * setup_.mass[i] * flights_[i].velocity.squaredNorm();
    }
    return energy;
  }
  double packing_fraction(double scale) const {
    double area = 0.0;
    for (hard::Index i = 0; i < flights_.size(); ++i) {
      const double r = flights_[i].radius * share(i).at(scale);
      area += std::numbers::pi * r * r;
    }
    return area / (setup_.domain.hi - setup_.domain.lo).prod();
  }
  double scale_at_goal() const {
    const double least = growth_.scale;
    const double fraction = setup_.growth.packing_fraction;
    if (setup_.growth_share.empty()) return least * std::sqrt(fraction / packing_fraction(least));
    double below = least;
    double above = 1e3 * least;
    while (0.5 * (below + above) > below && 0.5 * (below + above) < above) {
      const double middle = 0.5 * (below + above);
      (packing_fraction(middle) < fraction ? below : above) = middle;
    }
    return above;
  }
  hard::GrowthShare share(hard::Index i) const {
    if (setup_.growth_share.empty()) return {};
    const double share = setup_.growth_share[static_cast<std::size_t>(setup_.type[i])];
    return {setup_.growth.from * (1.0 - share), share};
  }
  hard::Growing growing(hard::Index i) const { return hard::growing(flights_[i], share(i)); }

  void happen(const Candidate& c) {
    const hard::Index a = c.event.lower();
    ties_ += last_ == now_ ? 1 : 0;
    last_ = now_;
    in_the_past_ += gap(c) < 0.0 ? 1 : 0;
    const Periods of_a = fly_to(a, now_);
    ++collisions_of_[a];
    if (is_wall(c)) {
      ++wall_hits_;
      if (c.event.side() < kSides) {
        Vec2 outward = Vec2::Zero();
        outward[c.event.side() / 2] = c.event.side() % 2 == 0 ? -1.0 : 1.0;
        bounce(a, {Vec2::Zero(), 0.0, 0.0, 0.0}, outward, outward.dot(setup_.gravity));
      } else {
        const hard::WallBody& wall = walls_[c.event.side() - kSides];
        const Periods wall_image{c.image[0] - of_a[0], c.image[1] - of_a[1]};
        const hard::WallGap gap = wall.gap_to(flights_[a], setup_.gravity, shift(wall_image), now_);
        bounce(a, {gap.velocity + wall.belt(), wall.angular_velocity(), -flights_[a].radius, 0.0}, -gap.normal,
               gap.closing_acceleration);
      }
      predict(a);
      return;
    }
    const hard::Index b = c.event.higher();
    const Periods of_b = fly_to(b, now_);
    ++collisions_of_[b];
    const Periods image{c.image[0] + of_b[0] - of_a[0], c.image[1] + of_b[1] - of_a[1]};
    hard::ImpactBody disk_a{flights_[a].velocity, 0.0, flights_[a].radius, 1.0 / setup_.mass[a]};
    hard::ImpactBody disk_b{flights_[b].velocity, 0.0, flights_[b].radius, 1.0 / setup_.mass[b]};
    if (c.event.crosses()) {
      const WellPair pair = well_pair(a, b, image);
      const bool inside = in_wells_.contains(pair);
      ++crossings_;
      if (hard::cross_edge(setup_.well, inside, disk_a, disk_b, distance(a, b, image))) {
        inside ? in_wells_.erase(pair) : in_wells_.insert(pair).second;
      }
    } else {
      ++collisions_;
      const Vec2 branch = distance(a, b, image);
      const double growth = grows() ? contact_growth(growing(a), growing(b), now_, growth_) : 0.0;
      const hard::CollisionRule then = rule(setup_.rules.disks, a, b);
      const hard::Impact impact = deforms() ? hard::collide_with_image(then, disk_a, disk_b, branch, drift(image))
                                            : hard::collide(then, disk_a, disk_b, branch, growth);
      virial_ += branch.dot(impact.impulse);
    }
    set_velocity(a, disk_a.velocity);
    set_velocity(b, disk_b.velocity);
    predict(a);
    predict(b);
  }

  /// When both flights have begun.
  double gap(const Candidate& c) const {
    const hard::Flight& flight = flights_[c.event.lower()];
    if (!is_wall(c)) {
      const hard::Flight& other = flights_[c.event.higher()];
      return distance(c.event.lower(), c.event.higher(), c.image).norm() - flight.radius - other.radius;
    }
    if (c.event.side() >= kSides) {
      const hard::WallBody& wall = walls_[c.event.side() - kSides];
      return wall.gap_to(flight, setup_.gravity, shift(c.image), flight.time).gap;
    }
    const int axis = static_cast<int>(c.event.side()) / 2;
    const double x = flight.position[axis];
    return std::min(x - setup_.domain.lo[axis], setup_.domain.hi[axis] - x) - flight.radius;
  }

  void bounce(hard::Index a, hard::ImpactBody wall, const Vec2& towards, double closing_acceleration) {
    hard::ImpactBody disk{flights_[a].velocity, 0.0, flights_[a].radius, 1.0};
    const hard::CollisionRule rule_now = rule(setup_.rules.walls, a, a);
    const auto leaving = [&] { return towards.dot(wall.velocity - disk.velocity); };
    const double rims = rim_speed(growing(a), growth_);
    if (leaving() < rims) hard::collide(rule_now, disk, wall, towards, rims);
    const double least = 0.5 * closing_acceleration * setup_.contact_duration;
    if (leaving() < least) disk.velocity -= (least - leaving()) * towards;
    set_velocity(a, disk.velocity);
  }

  void set_velocity(hard::Index i, const Vec2& velocity) {
    flights_[i].velocity = velocity;
    set_back_at_ = std::min(set_back_at_, now_ + max_path() / velocity.norm());
  }

  /// The TC model.
  hard::CollisionRule rule(hard::CollisionRule rule, hard::Index a, hard::Index b) {
    if (setup_.contact_duration == 0.0) return rule;
    if (now_ - std::max(last_collision_[a], last_collision_[b]) <= setup_.contact_duration) rule.restitution = 1.0;
    last_collision_[a] = last_collision_[b] = now_;
    return rule;
  }

  hard::Approach approach_in_cell(hard::Index a, hard::Index b, const Periods& image) const {
    const hard::Approach pair = approach(flights_[a], flights_[b], Vec2(Vec2::Zero()));
    return {pair.begin, pair.distance + shift(image, pair.begin), pair.velocity + drift(image)};
  }

  Vec2 distance(hard::Index a, hard::Index b, const Periods& image) const {
    if (deforms()) return approach_in_cell(a, b, image).distance;
    return in_field(
        [&](const auto& field) { return approach(flights_[a], flights_[b], shift(image), field).distance; });
  }

  void predict(hard::Index i) {
    for (hard::Index j = 0; j < flights_.size(); ++j) {
      if (j != i) predict(std::min(i, j), std::max(i, j));
    }
    for (int axis = 0; axis < 2; ++axis) {
      if (period(axis) > 0.0) continue;
      const hard::Flight& flight = flights_[i];
      const double lo = setup_.domain.lo[axis] + flight.radius;
      const double hi = setup_.domain.hi[axis] - flight.radius;
      const auto exit = setup_.growth.rate > 0.0
                            ? side_exit(growing(i), axis, setup_.domain.lo[axis], setup_.domain.hi[axis], growth_)
                            : in_field([&](const auto& field) { return axis_exit(flight, axis, lo, hi, field); });
      const auto side = static_cast<unsigned>(2 * axis + (exit.above ? 1 : 0));
      add(hard::Event::wall(exit.time, i, side), {}, i, i);
    }
    for (hard::Index k = 0; k < walls_.size(); ++k) predict_wall(i, k);
  }

  void predict_wall(hard::Index i, hard::Index k) {
    for_each_image([&](const Periods& image) {
      const double time = walls_[k].collision_time(grown(growing(i), growth_), setup_.gravity, shift(image),
                                                   clock_.at(end_), rim_speed(growing(i), growth_));
      add(hard::Event::wall(time, i, kSides + k), image, i, i);
    });
  }

  void predict(hard::Index a, hard::Index b) {
    for_each_image([&](const Periods& image) { add(pair_quadratic(a, b, image), image, a, b); });
  }

  hard::Event pair_quadratic(hard::Index a, hard::Index b, const Periods& image) const {
    const hard::Flight& of_a = flights_[a];
    const hard::Flight& of_b = flights_[b];
    if (deforms()) {
      const double time = hard::collision_time(approach_in_cell(a, b, image), of_a.radius + of_b.radius);
      return hard::Event::collision(time, a, b, {});
    }
    if (has_well()) {
      const bool inside = in_wells_.contains(well_pair(a, b, image));
      const hard::Approach pair =
          in_field([&](const auto& field) { return approach(of_a, of_b, shift(image), field); });
      const auto next = hard::next_well_event(pair, of_a.radius + of_b.radius, setup_.well.range, inside);
      return next.at_edge ? hard::Event::crossing(next.time, a, b, {}) : hard::Event::collision(next.time, a, b, {});
    }
    const auto close = [&] { return hard::close_discriminant(growing(a), growing(b), shift(image), growth_); };
    const double time =
        setup_.growth.rate > 0.0
            ? hard::growing_pair_quadratic(growing(a), growing(b), shift(image), growth_).time(close)
            : in_field([&](const auto& field) { return collision_time(of_a, of_b, shift(image), field); });
    return hard::Event::collision(time, a, b, {});
  }

  void add(const hard::Event& event, const Periods& image, hard::Index a, hard::Index b) {
    if (event.time < hard::kNever) queue_.push({event, image, collisions_of_[a], collisions_of_[b]});
  }

  void predict_all() {
    queue_ = {};
    for (hard::Index i = 0; i < flights_.size(); ++i) predict(i);
  }

  std::uint64_t changes_until_rebase() const {
    if (!grows()) return hard::changes_until_rebase(flights_.size());
    const double changes = 0.5 * setup_.growth.rescaling * static_cast<double>(flights_.size());
    return std::max<std::uint64_t>(100, static_cast<std::uint64_t>(changes));
  }

  /// While disks grow, velocities are rescaled then, too; a pressure beyond the bound ends it.
  void set_back() {
    const double elapsed = now_;
    set_clock_back();
    if (grows()) {
      pressure_ = 1.0 + virial_ / (elapsed * (energy_ + translational_energy()));
      const bool has_jammed = pressure_ >= setup_.growth.pressure;
      growth_.rate = has_jammed ? 0.0 : setup_.growth.rate_at(pressure_);
      rescale(has_jammed ? 0.0 : energy_);
    }
    virial_ = 0.0;
    plan_set_back();
    predict_all();
  }

  void end_growth() {
    set_clock_back();
    growth_ = {{}, scale_at_goal_, 0.0};
    rescale(energy_);
    plan_set_back();
    predict_all();
  }

  void set_clock_back() {
    for (hard::Index i = 0; i < flights_.size(); ++i) {
      const Vec2 way = in_field([&](const auto& field) { return flights_[i].displacement_until(now_, field); });
      const Vec2 end = hard::end_of_path(setup_.domain, flights_[i].position, way);
      fly_to(i, now_);
      if (!deforms()) flights_[i].position = end;
      flights_[i].time = 0.0;
      last_collision_[i] -= now_;
    }
    if (deforms()) set_cell_back();
    growth_.scale = growth_.scale_at(now_);
    clock_.set_back(now_);
    now_ = 0.0;
    changes_ = 0;
    last_ = -1.0;
    ++times_set_back_;
    for (hard::WallBody& wall : walls_) wall.set_clock(clock_);
  }

  void set_cell_back() {
    const bool is_node = stretches() && to_node_ <= now_;
    const std::array<double, 3> before = gradient_at(now_);
    to_node_ -= now_;
    node_ += is_node ? 1 : 0;
    tilt_ = tilt_at(now_);
    for (const int axis : {0, 1}) {
      if (stretches()) length_[axis] = is_node ? length_at_node(axis, node_) : length_at(axis, now_);
    }
    const double turns = std::abs(tilt_) > 0.499999999 * length_[0] ? std::copysign(1.0, tilt_) : 0.0;
    tilt_ -= turns * length_[0];
    sliding_ -= turns * stretching_[0];
    if (!is_node) return;
    begin_piece();
    const std::array<double, 3> after = gradient_at(0.0);
    for (hard::Flight& flight : flights_) {  // velocities beside the flow stay
      const Vec2 from = flight.position - 0.5 * (setup_.domain.lo + setup_.domain.hi);
      flight.velocity += Vec2((after[0] - before[0]) * from.x() + (after[2] - before[2]) * from.y(),
                              (after[1] - before[1]) * from.y());
    }
  }

  void rescale(double energy) {
    const double factor = std::sqrt(energy / translational_energy());
    for (hard::Flight& flight : flights_) flight.velocity *= factor;
  }

  double max_path() const {
    double smallest = hard::kNever;
    for (const hard::Flight& flight : flights_) smallest = std::min(smallest, flight.radius);
    Domain domain = setup_.domain;
    for (const int axis : {0, 1}) {
      if (!deforms()) continue;
      domain.lo[axis] -= 0.5 * (length_[axis] - period(axis));
      domain.hi[axis] += 0.5 * (length_[axis] - period(axis));
    }
    return hard::max_path(domain, 2.0 * smallest * growth_.scale);
  }
  void plan_set_back() {
    set_back_at_ = hard::max_fall_time(max_path(), setup_.gravity);
    for (hard::Index i = 0; i < flights_.size(); ++i) set_velocity(i, flights_[i].velocity);
    if (!deforms()) return;
    if (stretches()) set_back_at_ = std::min(set_back_at_, to_node_);
    for (const double side : {0.5, -0.5}) {
      const double gains = sliding_ - side * stretching_[0];
      if (side * gains > 0.0) set_back_at_ = std::min(set_back_at_, (side * length_[0] - tilt_) / gains);
    }
  }

  hard::Setup setup_;
  int images_;
  double end_;
  std::vector<hard::WallBody> walls_;
  std::vector<hard::Flight> flights_;
  std::vector<std::uint64_t> collisions_of_;
  std::vector<double> last_collision_;  // of a disk, for the TC model
  std::vector<Periods> periods_of_;     // by which a disk was wrapped
  std::set<WellPair> in_wells_;
  // When the clock shows 0.
  std::array<double, 2> length_{};      // [m]
  std::array<double, 2> stretching_{};  // [m/s]
  double tilt_ = 0.0;                   // [m]
  double sliding_ = 0.0;                // [m/s]
  int node_ = 0;                        // so far
  double to_node_ = hard::kNever;       // [s]
  hard::Growth growth_;
  double scale_at_goal_;
  double energy_;
  double virial_ = 0.0;
  double pressure_ = 0.0;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
  Clock clock_;
  double time_ = 0.0;
  double now_ = 0.0;  // on the clock
  double set_back_at_ = hard::kNever;
  int times_set_back_ = 0;
  double last_ = -1.0;
  std::uint64_t changes_ = 0;
  std::uint64_t collisions_ = 0;
  std::uint64_t wall_hits_ = 0;
  std::uint64_t crossings_ = 0;
  std::uint64_t ties_ = 0;
  std::uint64_t in_the_past_ = 0;
};

}  // namespace scree::test
