#pragma once

#include <vector>

namespace scree::hard::reversible {

/// Arc length of the ellipse (d_x cos psi, d_y sin psi), psi being the parameter (not the polar angle) [rad], and its
/// inverse: uniform points of the circumference from one random number each, as the paper's section 4.4.3 asks for.
///
/// The speed along the ellipse is (d_x + d_y)/2 |1 - rho exp(2 i psi)|, rho = (d_x - d_y)/(d_x + d_y). The square of
/// the binomial series of the root, which gives the circumference, gives the arc length, too, as a sine series whose
/// terms fall as rho^n.
class Ellipse {
 public:
  /// @param d_x, d_y semi-axes > 0, none of them more than 19 times the other; std::invalid_argument otherwise
  Ellipse(double d_x, double d_y);

  double circumference() const;           ///< L(2 pi)
  double arc_length(double psi) const;    ///< L(psi), from (d_x, 0) counter-clockwise
  double parameter_at(double arc) const;  ///< the inverse of L

 private:
  double sines_over_first(double cosine) const;

  double mean_radius_;
  double rho_;
  double mean_speed_;
  std::vector<double> sines_;  ///< coefficients of sin 2 psi, sin 4 psi, ...
};

/// The offset psi in [0, 2 pi) of the paper's collisions of 3 particles in 1 dimension, from g uniform in [0, 1): the
/// semi-axes of the ellipse of its equation (18) have the ratio sqrt(3), whatever momentum and energy are.
double ellipse_offset(double g);

}  // namespace scree::hard::reversible
