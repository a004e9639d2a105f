#pragma once

#include <cstdint>

#include "dem/hard/prediction.hpp"
#include "dem/periodic.hpp"
#include "dem/scene.hpp"
#include "dem/state.hpp"

namespace scree::hard {

/// What carries momentum, since the start: the stress of the cell times its area, integrated over time; components xx,
/// yy, xy, yx, compression positive [N m s]. Each only grows by what flights and collisions add, in their order.
struct MomentumFlux {
  Eigen::Array4d kinetic = Eigen::Array4d::Zero();  ///< of velocities beside the flow
  Eigen::Array4d contact = Eigen::Array4d::Zero();  ///< of collisions

  /// @param branch from the centre of one disk to that of the other [m] @param impulse on the other [N s]
  void add_collision(const Vec2& branch, const Vec2& impulse) {
    contact += Eigen::Array4d(impulse.x() * branch.x(), impulse.y() * branch.y(), impulse.x() * branch.y(),
                              impulse.y() * branch.x());
  }
  Eigen::Array4d sum() const { return kinetic + contact; }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.kinetic, self.contact);
  }
};

/// A periodic cell in shear, as A. W. Lees & S. F. Edwards (J. Phys. C 5, 1921, 1972) have it: each row of images
/// slides along x, faster than the row below it by the rate times the period along y. All flights are straight, and
/// each row's images of them.
///
/// How far the row above is ahead, the tilt, grows evenly while the clock goes on. It is set back by whole periods only
/// when the clock is rebased, and by the end of an epoch it is half a period at most. So images that are counted in
/// periods of now keep their names in an epoch.
class Cell {
 public:
  explicit Cell(const Domain& domain);

  /// Without it, nothing else here is asked for.
  bool exists() const { return exists_; }
  /// Change of the flow's velocity along x with y [1/s].
  double rate() const { return rate_; }
  /// By which each row of images is faster than the one below [m/s].
  double speed() const { return speed_; }
  /// @param time on the clock [s] @return by how much the row above is ahead [m]
  double tilt_at(double time) const { return tilt_ + speed_ * time; }
  /// From a body to its image; of the opposite image, the opposite to the last bit [m].
  Vec2 shift(const Image& image, double time) const {
    return {image[0] * period_.x() + image[1] * tilt_at(time), image[1] * period_.y()};
  }
  /// By which an image is faster than its body [m/s].
  Vec2 drift(const Image& image) const { return {image[1] * speed_, 0.0}; }
  /// By how many periods a position is outside the domain.
  Image periods_outside(const Vec2& position, double time) const;
  /// A velocity without the flow at that position [m/s].
  Vec2 beside_flow(const Vec2& position, const Vec2& velocity) const {
    return {velocity.x() - rate_ * (position.y() - centre_.y()), velocity.y()};
  }
  /// How often a disk went around, after so many periods of now more. It is counted in periods of a tilt that was never
  /// set back, as far as 2^29 of them.
  Image gone_around(const Image& before, const Image& periods) const;

  /// By then the clock must be rebased: the tilt is half a period [s].
  double end_of_epoch() const;
  /// The clock shows 0 instead of `now`.
  void rebase(double now);

  /// Of a flight from its beginning until then. @param mass [kg]
  void add_flight(const Flight& flight, double mass, double until, MomentumFlux& flux) const;
  /// Of the drive on the disks [J].
  double work(const MomentumFlux& flux) const { return 0.0 - rate_ * flux.sum()[2]; }
  /// Its stress is the mean one since the start. @param now on the clock [s] @param duration since the start [s]
  CellState state(const MomentumFlux& flux, double now, double duration) const;

  /// After loading. @param now on the clock [s] @throws InvalidState
  void require_sound(const MomentumFlux& flux, double now) const;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.tilt_, self.strain_, self.flips_);
  }

 private:
  bool exists_;
  Periodic periodic_;
  Vec2 period_;  // [m]
  Vec2 centre_;  // [m]
  double rate_;
  double speed_;
  // When the clock shows 0.
  double tilt_ = 0.0;
  double strain_ = 0.0;     // since the start
  std::int32_t flips_ = 0;  // by how many periods the tilt was set back so far
};

}  // namespace scree::hard
