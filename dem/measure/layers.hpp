#pragma once

#include <vector>

#include <Eigen/Core>

#include "dem/scene/domain.hpp"
#include "dem/scene/measure.hpp"
#include "dem/state.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// Sums over the particles in one horizontal layer of the region, for one sample or several.
struct Layer {
  double particles = 0.0;                          ///< number of particles whose centre is in the layer
  double area = 0.0;                               ///< of the parts of all grains inside the layer [m^2]
  double mass = 0.0;                               ///< [kg]
  Vec2 momentum = Vec2::Zero();                    ///< [kg m/s]
  Eigen::Matrix2d flow = Eigen::Matrix2d::Zero();  ///< m v v [J]

  Layer& operator+=(const Layer& other);
  /// [m/s]; 0 without particles
  Vec2 velocity() const;
  /// m v v relative to the mean velocity [J]
  Eigen::Matrix2d fluctuation() const;
  /// Twice the energy of the fluctuation over its degrees of freedom [J]; 0 with fewer than two particles.
  double temperature() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.particles, self.area, self.mass, self.momentum, self.flow);
  }
};

/// The present layers of the region, from the lowest up. Cost: O(N + layers), more if grains extend over many layers.
std::vector<Layer> layers(const ParticleState& particles, const Measure& measure, const Domain& domain);

/// Twice the energy of motion relative to the mean velocity, over its 2 (n - 1) degrees of freedom [J].
double temperature(const Eigen::Matrix2d& fluctuation, double particles);

}  // namespace scree
