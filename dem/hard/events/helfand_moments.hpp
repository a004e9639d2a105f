#pragma once

#include <Eigen/Core>

#include "dem/state.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// Helfand's moments of smooth disks between periodic sides: the currents of momentum and heat of all, integrated over
/// time. Source: E. Helfand, Phys. Rev. 119 (1960) 1. Between collisions the currents are constant; a collision carries
/// momentum and energy at once from a centre to another. Cost: O(1) a collision.
class HelfandMoments {
 public:
  struct Body {
    double mass;    ///< [kg]
    Vec2 velocity;  ///< [m/s]
  };

  /// A body has another velocity from now on, or its first one. @param before with no mass: it was not there
  void change(const Body& before, const Body& after, double time);
  /// @param a after the collision, as is b  @param branch from a to b [m]  @param impulse on b [N s]  @param time [s]
  void collide(const Body& a, const Body& b, const Vec2& branch, const Vec2& impulse, double time);
  /// @param time not before the last collision [s]
  MomentState at(double time) const;

  /// After loading. @throws InvalidState
  void require_sound() const;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.since_, self.momentum_current_, self.heat_current_, self.moments_.momentum, self.moments_.heat);
  }

 private:
  void flow_until(double time);
  double change(const Body& before, const Body& after);

  double since_ = 0.0;                                          // the currents are what they are [s]
  Eigen::Matrix2d momentum_current_ = Eigen::Matrix2d::Zero();  // of flights [J]
  Vec2 heat_current_ = Vec2::Zero();                            // of flights [J m/s]
  MomentState moments_;
};

}  // namespace scree::hard
