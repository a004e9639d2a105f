#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "dem/hard/clock.hpp"
#include "dem/hard/collision_rule.hpp"
#include "dem/hard/event.hpp"
#include "dem/hard/obstacle.hpp"
#include "dem/hard/prediction.hpp"
#include "dem/hard/setup.hpp"

namespace scree::test {

/// Event-driven billiards after Sedgewick & Wayne, Algorithms, 6.1: one priority queue of all collisions that anybody
/// could have; those of disks that have collided since are discarded when they come up. Slow, simple, and it knows no
/// boxes, partners or plans given up: what hard::Simulation is judged by. Same flights, predictions and collision rule.
class LazyBilliards {
 public:
  /// @param images looked at on each side along periodic axes
  /// @param end nothing later is asked for [s]
  explicit LazyBilliards(const hard::Setup& setup, int images = 3, double end = hard::kNever)
      : setup_(setup), images_(images), end_(end) {
    for (const Wall& wall : setup.obstacles) obstacles_.emplace_back(wall, setup.domain);
    for (hard::Index i = 0; i < setup.position.size(); ++i) {
      flights_.push_back({setup.position[i], setup.velocity[i], 0.0, setup.radius[i]});
      collisions_of_.push_back(0);
      last_collision_.push_back(-hard::kNever);
      fly_to(i, 0.0);
    }
    predict_all();
  }

  void advance_to(double time) {
    time_ = time;
    while (!queue_.empty() && queue_.top().event.time <= clock_.at(time_)) {
      const Candidate next = queue_.top();
      queue_.pop();
      if (is_stale(next)) continue;
      happen(next);
      ++changes_;
      if (changes_ == hard::changes_until_set_back(flights_.size())) set_back(next.event.time);
    }
  }

  Vec2 position(hard::Index i) const {
    const Vec2 position = flight_from(flights_[i], clock_.at(time_)).position;
    return position - shift({periods_outside(position.y(), 1), periods_outside(position.x(), 0)});
  }
  Vec2 velocity(hard::Index i) const { return flight_from(flights_[i], clock_.at(time_)).velocity; }
  std::uint64_t collisions() const { return collisions_; }
  std::uint64_t wall_hits() const { return wall_hits_; }
  std::uint64_t ties() const { return ties_; }

 private:
  static constexpr unsigned kSides = 4;
  using Periods = std::array<int, 2>;  // along y, x: in the order of hard::Image
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
  int periods_outside(double x, int axis) const {
    return period(axis) > 0.0 ? static_cast<int>(std::floor((x - setup_.domain.lo[axis]) / period(axis))) : 0;
  }
  Vec2 shift(const Periods& image) const { return {image[1] * period(0), image[0] * period(1)}; }

  bool is_wall(const Candidate& c) const { return c.event.kind() == hard::EventKind::wall; }
  bool is_gone(const Candidate& c) const {
    if (!is_wall(c) || c.event.side() < kSides) return false;
    const auto& until = setup_.obstacles[c.event.side() - kSides].until;
    return until && clock_.at(*until) <= c.event.time;
  }
  bool is_stale(const Candidate& c) const {
    if (is_gone(c)) return true;
    return collisions_of_[c.event.lower()] != c.collisions_of_lower ||
           (!is_wall(c) && collisions_of_[c.event.higher()] != c.collisions_of_higher);
  }

  template <class Do>
  auto in_field(Do act) const {
    return setup_.gravity.isZero() ? act(hard::Weightless{}) : act(hard::Gravity{setup_.gravity});
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
    const Periods periods{periods_outside(flight.position.y(), 1), periods_outside(flight.position.x(), 0)};
    flight.position -= shift(periods);
    return periods;
  }

  void happen(const Candidate& c) {
    const hard::Index a = c.event.lower();
    const double now = c.event.time;
    ties_ += last_ == now ? 1 : 0;
    last_ = now;
    const Periods of_a = fly_to(a, now);
    ++collisions_of_[a];
    if (is_wall(c)) {
      ++wall_hits_;
      if (c.event.side() < kSides) {
        Vec2 outward = Vec2::Zero();
        outward[c.event.side() / 2] = c.event.side() % 2 == 0 ? -1.0 : 1.0;
        bounce(a, {Vec2::Zero(), 0.0, 0.0, 0.0}, outward, outward.dot(setup_.gravity), now);
      } else {
        const hard::Obstacle& wall = obstacles_[c.event.side() - kSides];
        const Periods wall_image{c.image[0] - of_a[0], c.image[1] - of_a[1]};
        const hard::WallTouch touch = wall.touch(flights_[a], setup_.gravity, shift(wall_image), now);
        bounce(a, {touch.velocity + wall.belt(), wall.angular_velocity(), -flights_[a].radius, 0.0}, -touch.normal,
               touch.pressing, now);
      }
      predict(a);
      return;
    }
    const hard::Index b = c.event.higher();
    const Periods of_b = fly_to(b, now);
    ++collisions_of_[b];
    ++collisions_;
    const Periods image{c.image[0] + of_b[0] - of_a[0], c.image[1] + of_b[1] - of_a[1]};
    hard::Spinner disk_a{flights_[a].velocity, 0.0, flights_[a].radius, 1.0 / setup_.mass[a]};
    hard::Spinner disk_b{flights_[b].velocity, 0.0, flights_[b].radius, 1.0 / setup_.mass[b]};
    hard::collide(rule(setup_.disks, a, b, now), disk_a, disk_b, distance(a, b, image));
    flights_[a].velocity = disk_a.velocity;
    flights_[b].velocity = disk_b.velocity;
    predict(a);
    predict(b);
  }

  void bounce(hard::Index a, hard::Spinner wall, const Vec2& towards, double pressing, double now) {
    hard::Spinner disk{flights_[a].velocity, 0.0, flights_[a].radius, 1.0};
    const hard::CollisionRule rule_now = rule(setup_.walls, a, a, now);
    const auto leaving = [&] { return towards.dot(wall.velocity - disk.velocity); };
    if (leaving() < 0.0) hard::collide(rule_now, disk, wall, towards);
    const double least = 0.5 * pressing * setup_.contact_time;
    if (leaving() < least) disk.velocity -= (least - leaving()) * towards;
    flights_[a].velocity = disk.velocity;
  }

  /// The TC model.
  hard::CollisionRule rule(hard::CollisionRule rule, hard::Index a, hard::Index b, double now) {
    if (now - std::max(last_collision_[a], last_collision_[b]) <= setup_.contact_time) rule.restitution = 1.0;
    last_collision_[a] = last_collision_[b] = now;
    return rule;
  }

  Vec2 distance(hard::Index a, hard::Index b, const Periods& image) const {
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
      const auto exit = in_field([&](const auto& field) { return axis_exit(flight, axis, lo, hi, field); });
      const auto side = static_cast<unsigned>(2 * axis + (exit.above ? 1 : 0));
      add(hard::Event::wall(exit.time, i, side), {}, i, i);
    }
    for (hard::Index k = 0; k < obstacles_.size(); ++k) predict_wall(i, k);
  }

  void predict_wall(hard::Index i, hard::Index k) {
    const int nx = period(0) > 0.0 ? images_ : 0;
    const int ny = period(1) > 0.0 ? images_ : 0;
    for (int y = -ny; y <= ny; ++y) {
      for (int x = -nx; x <= nx; ++x) {
        const double time = obstacles_[k].contact_time(flights_[i], setup_.gravity, shift({y, x}), clock_.at(end_));
        add(hard::Event::wall(time, i, kSides + k), {y, x}, i, i);
      }
    }
  }

  void predict(hard::Index a, hard::Index b) {
    const int nx = period(0) > 0.0 ? images_ : 0;
    const int ny = period(1) > 0.0 ? images_ : 0;
    for (int y = -ny; y <= ny; ++y) {
      for (int x = -nx; x <= nx; ++x) {
        const double time = in_field([&](const auto& field) {
          return collision_time(flights_[a], flights_[b], shift({y, x}), field);
        });
        add(hard::Event::collision(time, a, b, {}), {y, x}, a, b);
      }
    }
  }

  void add(const hard::Event& event, const Periods& image, hard::Index a, hard::Index b) {
    if (event.time < hard::kNever) queue_.push({event, image, collisions_of_[a], collisions_of_[b]});
  }

  void predict_all() {
    queue_ = {};
    for (hard::Index i = 0; i < flights_.size(); ++i) predict(i);
  }

  void set_back(double now) {
    for (hard::Index i = 0; i < flights_.size(); ++i) {
      fly_to(i, now);
      flights_[i].time = 0.0;
      last_collision_[i] -= now;
    }
    clock_.set_back(now);
    changes_ = 0;
    last_ = -1.0;
    for (hard::Obstacle& wall : obstacles_) wall.set_clock(clock_);
    predict_all();
  }

  hard::Setup setup_;
  int images_;
  double end_;
  std::vector<hard::Obstacle> obstacles_;
  std::vector<hard::Flight> flights_;
  std::vector<std::uint64_t> collisions_of_;
  std::vector<double> last_collision_;  // of a disk, for the TC model
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
  hard::Clock clock_;
  double time_ = 0.0;
  double last_ = -1.0;
  std::uint64_t changes_ = 0;
  std::uint64_t collisions_ = 0;
  std::uint64_t wall_hits_ = 0;
  std::uint64_t ties_ = 0;
};

}  // namespace scree::test
