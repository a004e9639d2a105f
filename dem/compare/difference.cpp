#include "dem/compare/difference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scree::compare {

Difference difference(const ParticleState& a, std::uint64_t first_a, const ParticleState& b, std::uint64_t first_b,
                      const Domain& domain) {
  Difference found;
  double both = 0.0;
  double position2 = 0.0;
  double velocity2 = 0.0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {  // ids are ascending in both
    const std::uint64_t disk_a = a.id[i] - first_a;
    const std::uint64_t disk_b = b.id[j] - first_b;
    if (disk_a == disk_b) {
      const double position = shorter_way(b.position[j] - a.position[i], domain).norm();
      const double velocity = (b.velocity[j] - a.velocity[i]).norm();
      found.position_largest = std::max(found.position_largest, position);
      found.velocity_largest = std::max(found.velocity_largest, velocity);
      found.velocity_mean += velocity;
      position2 += position * position;
      velocity2 += velocity * velocity;
      both += 1.0;
    }
    i += disk_a <= disk_b ? 1 : 0;
    j += disk_b <= disk_a ? 1 : 0;
  }
  if (both == 0.0) return found;
  found.position_rms = std::sqrt(position2 / both);
  found.velocity_rms = std::sqrt(velocity2 / both);
  found.velocity_mean /= both;
  return found;
}

}  // namespace scree::compare
