#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/scene/integrator.hpp"
#include "dem/soft/lanes/kernels.hpp"

namespace scree::soft {

/// How many values a scene's integrator has.
constexpr int gear_values(Integrator integrator) {
  return 3 + static_cast<int>(integrator);
}

/// Where an integrator becomes unstable: an oscillator x'' = -w^2 x - 2 b x' grows with alternating sign if
/// (w dt)^2 / stiffness + 2 b dt / damping > 1. With matrices, x'' = -K x - C x', it does if K dt^2 / stiffness +
/// C dt / damping has an eigenvalue beyond 1. Exact for all forms; without damping the forms of 5 and 6 values grow
/// slightly before (docs/theory.md, section 1).
struct StabilityLimit {
  double stiffness;
  double damping;
};
/// @param gear_values 3, 4, 5 or 6
StabilityLimit stability_limit(int gear_values);

/// Gear's predictor-corrector for second-order equations of motion, in its 3-, 4-, 5- and 6-value forms: position,
/// velocity, acceleration and none to three higher derivatives of every body, predicted by Taylor's series and
/// corrected by the difference between the acceleration found and the one predicted.
///
/// The 3-value form is velocity Verlet: the position is not corrected, the velocity advances by the mean of the old and
/// the new acceleration, and forces that depend on velocities get v + a dt, which keeps the second order.
///
/// Position and velocity live in Bodies, the others here, all as true derivatives (not scaled by the step). The forces
/// may depend on velocities; the corrector's coefficient of the position in the 5-value form is 19/120, since the
/// variant 19/90 gains no order with damping and loses one without (docs/theory.md).
/// Source: C. W. Gear (1971); M. P. Allen & D. J. Tildesley, Computer Simulation of Liquids, appendix E.
class Gear {
 public:
  /// @param values 3, 4, 5 or 6  @param dt the step [s]
  Gear(int values, double dt);

  /// Goes on with another step. @param dt [s]
  void set_step(double dt);

  int values() const { return values_; }
  double dt() const { return dt_; }

  /// A new body, whose acceleration is known, and perhaps higher derivatives (third, fourth, ...; else 0).
  void add(const Motion& acceleration, std::span<const Motion> higher = {});
  void remove(const std::vector<std::uint32_t>& new_index);
  /// Gives back memory, see dem/trim.hpp.
  void trim();

  /// Before the first step, once forces are known.
  void set_acceleration(std::uint32_t body, const Motion& acceleration) { derivative_[0][body] = acceleration; }
  const Motion& acceleration(std::uint32_t body) const { return derivative_[0][body]; }

  /// Moves all particles over a step as if their highest derivative stayed. On several threads. Parts of clumps have
  /// no derivatives; they follow their clumps afterwards.
  /// @param before the velocities of all bodies that there were, or null
  void predict(Bodies& bodies, std::vector<Motion>* before = nullptr);
  /// Corrects the prediction for successive bodies from `first` on. @param acceleration of these, at the predicted
  /// positions and velocities
  void correct(Bodies& bodies, std::uint32_t first, std::span<const Motion> acceleration);

  /// After loading. @throws InvalidState
  void require_sound(const Bodies& bodies) const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    for (auto& derivative : self.derivative_) archive(derivative);
  }

 private:
  lanes::Derivatives derivatives(Bodies& bodies);

  int values_;
  double dt_;
  std::array<double, 6> correction_;               // of derivative k by a unit of acceleration
  std::array<std::vector<Motion>, 4> derivative_;  // second to fifth
};

}  // namespace scree::soft
