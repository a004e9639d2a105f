#include "dem/hard/flight/compression.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dem/errors.hpp"

namespace scree::hard {

namespace {

double area(const Disks& disks, Index i, double size) {
  if (disks.forms().exist()) return size * size * disks.forms()[i].area;
  const double r = disks.flight(i).radius * size;
  return std::numbers::pi * r * r;
}

}  // namespace

Compression::Compression(const GrowthSpec& spec, std::span<const double> shares, const Domain& domain,
                         const Disks& disks)
    : spec_(spec), growth_{{}, spec.rate > 0.0 ? spec.from : 1.0, spec.rate} {
  if (!grows()) return;
  for (const double share : shares) shares_.push_back({spec.from * (1.0 - share), share});
  energy_ = disks.translational_energy();
  scale_at_goal_ = scale_at(spec.packing_fraction, domain, disks);
  if (!(scale_at_goal_ > growth_.scale)) throw InvalidScene("growth.packing_fraction", "is reached at the start");
}

double Compression::scale_at(double fraction, const Domain& domain, const Disks& disks) const {
  if (shares_.empty()) return growth_.scale * std::sqrt(fraction / packing_fraction(disks, *this, domain, 0.0));
  // a s^2 + 2 b s + c = 0
  double a = 0.0;
  double b = 0.0;
  double c = -fraction * (domain.hi - domain.lo).prod();
  for (Index i = 0; i < disks.size(); ++i) {
    const auto [fixed, growing] = share(disks, i);
    const double whole = area(disks, i, 1.0);
    a += whole * growing * growing;
    b += whole * growing * fixed;
    c += whole * fixed * fixed;
  }
  return -c / (b + std::sqrt(b * b - a * c));
}

std::uint64_t Compression::changes_until_rescaling(std::size_t disks) const {
  const double changes = 0.5 * spec_.rescaling * static_cast<double>(disks);
  return std::max<std::uint64_t>(100, static_cast<std::uint64_t>(changes));
}

double Compression::measure(double elapsed, double energy) {
  pressure_ = 1.0 + virial_ / (elapsed * (energy_ + energy));
  virial_ = 0.0;
  const bool jams = pressure_ >= spec_.pressure;
  growth_.rate = jams ? 0.0 : spec_.rate_at(pressure_);
  return jams ? 0.0 : energy_;
}

double Compression::reach_goal() {
  end(scale_at_goal_);
  return energy_;
}

double packing_fraction(const Disks& disks, const Compression& compression, const Domain& domain, double now) {
  double sum = 0.0;
  for (Index i = 0; i < disks.size(); ++i) {
    if (!disks.has_left(i)) sum += area(disks, i, compression.size(disks, i, now));
  }
  return sum / (domain.hi - domain.lo).prod();
}

}  // namespace scree::hard
