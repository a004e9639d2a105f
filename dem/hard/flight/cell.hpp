#pragma once

#include <algorithm>
#include <cstdint>

#include "dem/hard/flight/prediction.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/domain.hpp"
#include "dem/state.hpp"

namespace scree::hard {

/// What the drive of a cell did, since the start. Each sum only grows by what flights and collisions add, in their
/// order.
struct CellSums {
  /// Integrals over time of the stress of the cell; components xx, yy, xy, yx, compression positive [N s/m].
  Eigen::Array4d kinetic = Eigen::Array4d::Zero();  ///< of velocities beside the flow
  Eigen::Array4d contact = Eigen::Array4d::Zero();  ///< of collisions
  double work = 0.0;                                ///< on the disks [J]
  Eigen::Array4d before = Eigen::Array4d::Zero();   ///< `stress` when the pressure was taken last
  double kinetic_before = 0.0;                      ///< the kinetic part of its trace

  Eigen::Array4d stress() const { return kinetic + contact; }
  /// p V / (N kT) since it was taken last; not a number if no time has passed.
  double take_reduced_pressure();

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.kinetic, self.contact, self.work, self.before, self.kinetic_before);
  }
};

/// Where the images of what stands still are for a while: in the middle of that time, and how far from there at most.
struct ImagesForAWhile {
  Aabb2 domain;                ///< then
  double least_x, greatest_x;  ///< of the domain at any time of the clock's epoch until then [m]
  Vec2 a, b;                   ///< periods then: along x, and from a row to the one above [m]
  Vec2 slack_a, slack_b;       ///< of a displacement by one of them, for each axis [m]
  double until;                ///< on the clock [s]
};

/// A periodic cell that deforms at constant rates: its shear, as A. W. Lees & S. F. Edwards (J. Phys. C 5, 1921, 1972)
/// have it, and its lengths. Its periods are a = (length x, 0) and b = (tilt, length y).
///
/// Both are linear in time, so that all flights are straight, and all images of them. Shear is linear by itself. A
/// length grows exponentially: it is the exponential at nodes, and linear between. At a node the flow changes by a
/// little, and the disks with it. Nodes are at times that follow from the rates alone; the clock is rebased there.
///
/// The tilt is set back by whole periods only when the clock is rebased, and by the end of an epoch it is half a period
/// at most. So images that are counted in periods of now keep their names in an epoch.
class Cell {
 public:
  /// A length changes by this part from node to node. In between it differs by up to an eighth of its square from the
  /// exponential, and the velocity gradient by half of it from its mean: 1.2e-7 and 5e-4.
  static constexpr double kStrainOfPiece = 1.0 / 1024.0;

  explicit Cell(const Domain& domain);

  /// Without it, nothing else here is asked for.
  bool exists() const { return exists_; }
  /// Whether its lengths change; else the domain stays where it is.
  bool stretches() const { return rate_[0] != 0.0 || rate_[1] != 0.0; }

  // All times are on the clock [s].

  Vec2 length_at(double time) const { return length_ + stretching_ * time; }
  double area_at(double time) const { return length_at(time).prod(); }
  /// How far the row of images above is ahead [m].
  double tilt_at(double time) const { return tilt_ + sliding_ * time; }
  Vec2 lo_at(double time) const { return lo_ - 0.5 * (length_at(time) - length_at_start_); }
  Vec2 hi_at(double time) const { return hi_ + 0.5 * (length_at(time) - length_at_start_); }
  /// From a body to its image; of the opposite image, the opposite to the last bit [m].
  Vec2 shift(const Image& image, double time) const {
    const Vec2 length = length_at(time);
    return {image[0] * length.x() + image[1] * tilt_at(time), image[1] * length.y()};
  }
  /// Velocity of an image relative to its body [m/s].
  Vec2 drift(const Image& image) const {
    return {image[0] * stretching_.x() + image[1] * sliding_, image[1] * stretching_.y()};
  }
  /// How many periods a position is outside the domain.
  Image periods_outside(const Vec2& position, double time) const;
  /// How often a disk went around, after so many periods of now more. It is counted in periods of a tilt that was never
  /// set back, as far as 2^29 of them.
  Image gone_around(const Image& before, const Image& periods) const;

  /// Velocity gradient of the homogeneous flow; that of lengths varies between nodes [1/s].
  Components gradient_at(double time) const;
  /// Velocity of the homogeneous flow [m/s].
  Vec2 flow(const Vec2& position, double time) const { return times(gradient_at(time), position - centre_); }
  /// Change of the flow there if its gradient changes [m/s].
  Vec2 flow_of(const Components& gradient, const Vec2& position) const { return times(gradient, position - centre_); }
  /// A velocity without the flow at that position [m/s].
  Vec2 beside_flow(const Vec2& position, const Vec2& velocity, double time) const {
    return velocity - flow(position, time);
  }

  /// Time at which the clock must be rebased at the latest: a node, or the tilt is half a period [s].
  double end_of_epoch() const;
  /// The clock shows 0 instead of `now`. At a node the lengths get other speeds.
  /// @return the change of the velocity gradient, by which all disks get other velocities
  Components rebase(double now);
  /// Images from now on, until any of them has moved by twice this way, or the epoch ends. @param way [m]
  ImagesForAWhile images(double now, double way) const;
  /// The shortest that the lengths are until the next node, less by twice what they change by [m]: what fits there fits
  /// whenever its box was placed.
  Vec2 least_length() const;

  /// Adds what a flight contributes from its beginning until then. @param mass [kg]
  void add_flight(const Flight& flight, double mass, double until, CellSums& sums) const;
  /// @param branch from the centre of one disk to that of the other [m] @param impulse on the other [N s]
  void add_collision(const Vec2& branch, const Vec2& impulse, double now, CellSums& sums) const;
  /// Its stress is the mean one since the start. @param duration since the start [s]
  CellState state(const CellSums& sums, double now, double duration) const;

  /// After loading. @throws InvalidState
  void require_sound(const CellSums& sums, double now) const;
  /// After loading: what was not saved.
  void resume() { plan_piece(); }
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.length_, self.tilt_, self.sliding_, self.flips_, self.nodes_, self.node_);
  }

 private:
  Vec2 length_at_node(std::uint64_t node) const;
  void plan_piece();
  double sliding_until_node() const;

  bool exists_;
  Components rate_;
  Vec2 lo_;  // at the start [m]
  Vec2 hi_;  // at the start [m]
  Vec2 length_at_start_;
  Vec2 centre_;
  double duration_;                 // from node to node [s]
  Vec2 stretching_ = Vec2::Zero();  // change of the lengths, until the next node [m/s]
  // When the clock shows 0.
  Vec2 length_;
  double tilt_ = 0.0;
  double sliding_ = 0.0;     // change of the tilt, until the next node [m/s]
  std::int32_t flips_ = 0;   // by how many periods the tilt was set back so far
  std::uint64_t nodes_ = 0;  // so far
  double node_;              // when the next one comes [s]
};

}  // namespace scree::hard
