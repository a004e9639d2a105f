#include "dem/measure/velocity_distribution.hpp"

#include <cmath>

namespace scree {

VelocityDistribution::VelocityDistribution(const Measure::VelocityDistribution& spec)
    : to_(spec.to),
      x_(static_cast<std::size_t>(spec.bins)),
      y_(static_cast<std::size_t>(spec.bins)),
      speed_(static_cast<std::size_t>(spec.bins)) {}

void VelocityDistribution::add(const Vec2& velocity) {
  count(velocity.x(), x_);
  count(velocity.y(), y_);
  count(velocity.norm(), speed_);
  ++count_;
}

void VelocityDistribution::count(double value, std::vector<std::uint64_t>& counts) const {
  const double bin = std::floor((value + to_) / (2.0 * to_) * static_cast<double>(counts.size()));
  if (bin >= 0.0 && bin < static_cast<double>(counts.size())) ++counts[static_cast<std::size_t>(bin)];
}

std::vector<VelocityDistribution::Row> VelocityDistribution::rows() const {
  std::vector<Row> rows;
  const double width = 2.0 * to_ / static_cast<double>(x_.size());
  const double all = count_ > 0 ? static_cast<double>(count_) * width : 1.0;
  const auto density = [&](std::uint64_t count) { return static_cast<double>(count) / all; };
  for (std::size_t k = 0; k < x_.size(); ++k) {
    const double middle = (static_cast<double>(k) + 0.5) * width - to_;
    rows.push_back({middle, {density(x_[k]), density(y_[k])}, density(speed_[k])});
  }
  return rows;
}

}  // namespace scree
