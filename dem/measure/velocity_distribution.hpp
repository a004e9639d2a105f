#pragma once

#include <cstdint>
#include <vector>

#include "dem/archive.hpp"
#include "dem/scene/measure.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// Distribution of velocities, averaged over samples. Velocities are relative to the mean velocity, in units of the
/// thermal velocity sqrt(T / m) of the particle: in equilibrium each component is normal with variance 1 for any
/// masses, and the speed c has the density c exp(-c^2 / 2) (Maxwell & Boltzmann in two dimensions).
class VelocityDistribution {
 public:
  explicit VelocityDistribution(const Measure::VelocityDistribution& spec);

  /// @param velocity in thermal velocities
  void add(const Vec2& velocity);

  struct Row {
    double velocity;       ///< centre of the bin, from -to to to
    Vec2 density;          ///< of each component
    double speed_density;  ///< 0 for negative velocities
  };
  /// The integral of each density over all velocities, including those beyond `to`, is 1.
  std::vector<Row> rows() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(fixed(self.x_), fixed(self.y_), fixed(self.speed_), self.count_);
  }

 private:
  void count(double value, std::vector<std::uint64_t>& counts) const;

  double to_;
  std::vector<std::uint64_t> x_;
  std::vector<std::uint64_t> y_;
  std::vector<std::uint64_t> speed_;
  std::uint64_t count_ = 0;
};

}  // namespace scree
