#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dem/bodies.hpp"
#include "parallel/exact_sum.hpp"

namespace scree::soft {

/// Local damping for quasi-statics: along each coordinate a force acts on a grain against its velocity that is a share
/// alpha of the magnitude of the whole force on it, contacts and weight: F_d = -alpha |F| sign(v). Forces in
/// equilibrium are unchanged; uniform motion without force is not damped.
/// Source: P. A. Cundall, in: Rock Breakage and Mechanical Excavation (ed. P. Baumgaertner, 1987).
class LocalDamping {
 public:
  explicit LocalDamping(double share) : share_(share) {}

  bool acts() const { return share_ > 0.0; }
  /// For as many bodies as there are. Before apply is called on several threads.
  void resize(std::uint32_t bodies) { acceleration_.resize(bodies, Motion::Zero()); }
  /// @param acceleration without it  @param velocity as predicted, beside that of a homogeneous flow
  /// @return acceleration with it
  Motion apply(std::uint32_t body, const Motion& acceleration, const Motion& velocity) {
    acceleration_[body] = -share_ * acceleration.abs() * velocity.sign();
    return acceleration + acceleration_[body];
  }
  /// What it does to particles now, times their velocities beside that of a homogeneous flow: the power that it takes
  /// [W]. On several threads. @param bodies with corrected velocities  @param own one flag a body; all count if there
  ///        are none
  ExactSum power(const Bodies& bodies, const Periodic& periodic, std::span<const char> own = {});
  /// Closes a step. @param power of all particles together [W]
  /// @return what it dissipated, by the trapezoidal rule [J]
  double close(double power, double dt) { return 0.5 * dt * (std::exchange(last_power_, power) + power); }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.last_power_);
  }

 private:
  double share_;
  double last_power_ = 0.0;           // [W]
  std::vector<Motion> acceleration_;  // by body
  std::vector<ExactSum> parts_;
};

}  // namespace scree::soft
