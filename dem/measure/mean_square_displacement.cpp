#include "dem/measure/mean_square_displacement.hpp"

#include <algorithm>
#include <numeric>

#include "dem/archive.hpp"

namespace scree {

Vec2 MeanSquareDisplacement::unwrapped(const ParticleState& particles, std::size_t i) const {
  const auto& image = particles.image[i];
  return particles.position[i] + Vec2(image[0] * period_.x(), image[1] * period_.y());
}

void MeanSquareDisplacement::begin(const ParticleState& particles) {
  std::vector<std::size_t> order(particles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return particles.id[i]; });
  id_.clear();
  start_.clear();
  for (const std::size_t i : order) {
    id_.push_back(particles.id[i]);
    start_.push_back(unwrapped(particles, i));
  }
}

void MeanSquareDisplacement::require_sound() const {
  require_state(start_.size() == id_.size(), "places where displacements began");
}

MeanSquareDisplacement::Mean MeanSquareDisplacement::now(const ParticleState& particles) const {
  Mean mean{0, Vec2::Zero(), Vec2::Zero()};
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const auto found = std::ranges::lower_bound(id_, particles.id[i]);
    if (found == id_.end() || *found != particles.id[i]) continue;
    const Vec2 moved = unwrapped(particles, i) - start_[static_cast<std::size_t>(found - id_.begin())];
    ++mean.particles;
    mean.squares += moved.cwiseProduct(moved);
    mean.displacement += moved;
  }
  if (mean.particles > 0) {
    mean.squares /= static_cast<double>(mean.particles);
    mean.displacement /= static_cast<double>(mean.particles);
  }
  return mean;
}

}  // namespace scree
