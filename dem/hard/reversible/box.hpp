#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dem/hard/reversible/collisions.hpp"
#include "dem/hard/reversible/many_in_plane.hpp"

// The paper's collision sequences (its section 3.2): disks in a box that scatter at random, forward and backward.
namespace scree::hard::reversible {

/// Equal disks of mass 1 in a box [0, a] x [0, b]. Forward: the next contact is found, the disks fly to it, and those
/// that touch are scattered. Backward, the same on reversed velocities finds the last contact, and the operators'
/// reverse undoes it. Nothing is remembered but the stream of random numbers and the time. Disks that reach each other,
/// or walls, at one time are one collision. Cost of a contact: all pairs.
template <ReversibleStream Stream>
class Box {
 public:
  /// @param positions, velocities of disks that do not overlap [m, m/s]
  Box(Vec2 size, double diameter, std::vector<Vec2> positions, std::vector<Vec2> velocities, const Stream& stream)
      : size_(std::move(size)),
        diameter_(diameter),
        positions_(std::move(positions)),
        velocities_(std::move(velocities)),
        stream_(stream) {}

  /// To the next contact, and through it. Throws std::domain_error if no disk moves.
  void forward() {
    const Next next = next_contacts();
    fly(next.wait);
    time_ += next.wait;
    for (const Cluster& cluster : clusters_of(next.contacts)) scatter(cluster, Direction::forward);
  }

  /// Undoes the last contact, and flies back to the one before, or to the start. @pre forward() was called more often
  void reverse() {
    turn_round();
    std::vector<Cluster> clusters = clusters_of(next_contacts().contacts);
    turn_round();
    for (std::size_t k = clusters.size(); k-- > 0;) scatter(clusters[k], Direction::reverse);
    turn_round();
    const double back = std::min(next_contacts().wait, time_);
    fly(back);
    time_ -= back;
    turn_round();
  }

  double time() const { return time_; }
  const std::vector<Vec2>& positions() const { return positions_; }
  const std::vector<Vec2>& velocities() const { return velocities_; }
  const Stream& stream() const { return stream_; }

 private:
  struct Contact {
    std::size_t disk;
    std::size_t other;  ///< a disk of greater number; kWall
    Vec2 inward;        ///< the wall's normal
  };
  static constexpr std::size_t kWall = std::numeric_limits<std::size_t>::max();
  struct Next {
    double wait;  ///< [s]
    std::vector<Contact> contacts;
  };
  struct Cluster {
    std::vector<std::size_t> disks;
    std::vector<Contact> contacts;
  };

  void fly(double wait) {
    for (std::size_t i = 0; i < positions_.size(); ++i) positions_[i] += wait * velocities_[i];
  }
  void turn_round() {
    for (Vec2& v : velocities_) v = -v;
  }

  /// When they touch; infinite if they do not approach [s].
  double wait_of_pair(std::size_t i, std::size_t j) const {
    const Vec2 r = positions_[i] - positions_[j];
    const Vec2 v = velocities_[i] - velocities_[j];
    const double b = r.dot(v);
    if (b >= 0.0) return std::numeric_limits<double>::infinity();
    const double c = r.squaredNorm() - diameter_ * diameter_;
    if (c <= 0.0) return 0.0;
    const double root = b * b - v.squaredNorm() * c;
    return root < 0.0 ? std::numeric_limits<double>::infinity() : c / (std::sqrt(root) - b);
  }

  Next next_contacts() const {
    std::vector<std::pair<double, Contact>> all;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      for (int axis = 0; axis < 2; ++axis) {
        const double speed = velocities_[i][axis];
        if (speed == 0.0) continue;
        const double gap = speed < 0.0 ? positions_[i][axis] : size_[axis] - positions_[i][axis];
        all.push_back({std::max(gap - 0.5 * diameter_, 0.0) / std::abs(speed),
                       {i, kWall, -std::copysign(1.0, speed) * Vec2::Unit(axis)}});
      }
      for (std::size_t j = i + 1; j < positions_.size(); ++j) {
        const double wait = wait_of_pair(i, j);
        if (std::isfinite(wait)) all.push_back({wait, {i, j, Vec2::Zero()}});
      }
    }
    if (all.empty()) throw std::domain_error("no disk moves");
    const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
    Next next{std::min_element(all.begin(), all.end(), earlier)->first, {}};
    // Contacts nearer in time than this are one: far more than rounding, far less than two independent contacts have.
    constexpr double kTogether = 1e-9;  // diameters over the greatest speed
    double fastest = 0.0;
    for (const Vec2& v : velocities_) fastest = std::max(fastest, v.norm());
    const double last = next.wait + kTogether * diameter_ / fastest;
    for (const auto& [wait, contact] : all) {
      if (wait <= last) next.contacts.push_back(contact);
    }
    return next;
  }

  /// Contacts that share disks, together; in the order of their first disks.
  std::vector<Cluster> clusters_of(const std::vector<Contact>& contacts) const {
    std::vector<std::size_t> lowest(positions_.size());
    std::iota(lowest.begin(), lowest.end(), std::size_t{0});
    for (std::size_t round = 0; round < contacts.size(); ++round) {
      for (const Contact& c : contacts) {
        if (c.other != kWall) lowest[c.disk] = lowest[c.other] = std::min(lowest[c.disk], lowest[c.other]);
      }
    }
    std::vector<Cluster> clusters;
    for (std::size_t first = 0; first < lowest.size(); ++first) {
      Cluster cluster;
      for (const Contact& c : contacts) {
        if (lowest[c.disk] == first) cluster.contacts.push_back(c);
      }
      if (cluster.contacts.empty()) continue;
      for (std::size_t i = first; i < lowest.size(); ++i) {
        if (lowest[i] == first) cluster.disks.push_back(i);
      }
      clusters.push_back(std::move(cluster));
    }
    return clusters;
  }

  template <class Operator>
  void apply(const Operator& contact, const std::vector<std::size_t>& disks, Direction direction) {
    typename Operator::Velocities v;
    for (std::size_t k = 0; k < disks.size(); ++k) v[k] = velocities_[disks[k]];
    v = direction == Direction::forward ? collide(contact, v, stream_) : uncollide(contact, v, stream_);
    for (std::size_t k = 0; k < disks.size(); ++k) velocities_[disks[k]] = v[k];
  }

  void scatter(const Cluster& cluster, Direction direction) {
    const std::vector<std::size_t>& disks = cluster.disks;
    const std::vector<Contact>& contacts = cluster.contacts;
    const auto touches = [&](std::size_t a, std::size_t b) {
      return std::any_of(contacts.begin(), contacts.end(),
                         [&](const Contact& c) { return c.disk == a && c.other == b; });
    };
    const auto wall = std::find_if(contacts.begin(), contacts.end(), [](const Contact& c) { return c.other == kWall; });
    const auto walls =
        std::count_if(contacts.begin(), contacts.end(), [](const Contact& c) { return c.other == kWall; });
    const bool one_wall = std::all_of(contacts.begin(), contacts.end(),
                                      [&](const Contact& c) { return c.other != kWall || c.inward == wall->inward; });
    if (disks.size() == 1) {
      for (const Contact& c : contacts) velocities_[c.disk] -= 2.0 * velocities_[c.disk].dot(c.inward) * c.inward;
    } else if (disks.size() == 2 && walls == 0) {
      apply(TwoInPlane({1.0, 1.0}, positions_[disks[0]] - positions_[disks[1]]), disks, direction);
    } else if (disks.size() == 2 && one_wall) {
      apply(TwoAtWall({1.0, 1.0}, positions_[disks[0]] - positions_[disks[1]], wall->inward,
                      {touches(disks[0], kWall), touches(disks[1], kWall)}),
            disks, direction);
    } else if (disks.size() == 3 && walls == 0) {
      apply(ThreeInPlane({1.0, 1.0, 1.0}, {positions_[disks[0]], positions_[disks[1]], positions_[disks[2]]},
                         {touches(disks[0], disks[1]), touches(disks[1], disks[2]), touches(disks[0], disks[2])}),
            disks, direction);
    } else {
      scatter_many(cluster, direction);
    }
  }

  /// Scatters clusters for which there is no operator in closed form.
  void scatter_many(const Cluster& cluster, Direction direction) {
    const std::vector<std::size_t>& disks = cluster.disks;
    const auto place_of = [&](std::size_t disk) {
      return static_cast<std::size_t>(std::lower_bound(disks.begin(), disks.end(), disk) - disks.begin());
    };
    std::vector<ManyInPlane::Pair> pairs;
    std::vector<ManyInPlane::AtWall> at_walls;
    for (const Contact& c : cluster.contacts) {
      if (c.other == kWall) {
        at_walls.push_back({place_of(c.disk), c.inward});
      } else {
        pairs.push_back({place_of(c.disk), place_of(c.other), positions_[c.disk] - positions_[c.other]});
      }
    }
    const ManyInPlane contact(std::vector<double>(disks.size(), 1.0), pairs, at_walls);
    ManyInPlane::Velocities v;
    for (const std::size_t disk : disks) v.push_back(velocities_[disk]);
    v = direction == Direction::forward ? collide(contact, v, stream_) : uncollide(contact, v, stream_);
    for (std::size_t k = 0; k < disks.size(); ++k) velocities_[disks[k]] = v[k];
  }

  Vec2 size_;
  double diameter_;
  std::vector<Vec2> positions_;
  std::vector<Vec2> velocities_;
  Stream stream_;
  double time_ = 0.0;
};

}  // namespace scree::hard::reversible
