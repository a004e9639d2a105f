#include "dem/compare/pair_correlation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "dem/measure/point_grid.hpp"

namespace scree::compare {

namespace {

constexpr double kCell = 2.0;             // side of a cell, in mean diameters
constexpr int kMostCells = 300;           // along an axis
constexpr std::size_t kMostAsked = 2000;  // disks around which the density is taken, in one sample
constexpr std::size_t kDirections = 64;   // along which it can be taken
constexpr std::size_t kLooks = 16;        // of these, for one distance

const std::array<Vec2, kDirections>& directions() {
  static const auto all = [] {
    std::array<Vec2, kDirections> found;
    for (std::size_t k = 0; k < kDirections; ++k) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(kDirections);
      found[k] = {std::cos(angle), std::sin(angle)};
    }
    return found;
  }();
  return all;
}

bool is_inside(const Region& region, const Vec2& position) {
  return (position.array() >= region.lo.array()).all() && (position.array() < region.hi.array()).all();
}

}  // namespace

PairCorrelation::PairCorrelation(const Measure::RadialDistribution& spec, const Region& region, const Domain& domain,
                                 double diameter)
    : spec_(spec), region_(region), domain_(domain) {
  for (const int axis : {0, 1}) {
    const double cells = (domain.hi[axis] - domain.lo[axis]) / (kCell * diameter);
    cells_.push_back(static_cast<int>(std::clamp(cells, 1.0, double{kMostCells})));
  }
}

std::size_t PairCorrelation::cell_of(const Vec2& position) const {
  const auto along = [&](int axis) {
    const int cells = cells_[static_cast<std::size_t>(axis)];
    const double share = (position[axis] - domain_.lo[axis]) / (domain_.hi[axis] - domain_.lo[axis]);
    return static_cast<std::size_t>(std::clamp(static_cast<int>(share * cells), 0, cells - 1));
  };
  return along(1) * static_cast<std::size_t>(cells_[0]) + along(0);
}

PairCorrelation::Density PairCorrelation::count(const ParticleState& particles) const {
  Density numbers(static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]));
  for (const Vec2& position : particles.position) numbers[cell_of(position)] += 1.0;
  return numbers;
}

double PairCorrelation::density_at(const Vec2& position, const Density& density) const {
  Vec2 wrapped = position;
  for (const int axis : {0, 1}) {
    const double period = domain_.hi[axis] - domain_.lo[axis];
    if (domain_.periodic[static_cast<std::size_t>(axis)]) {
      wrapped[axis] -= std::floor((wrapped[axis] - domain_.lo[axis]) / period) * period;
    } else if (wrapped[axis] < domain_.lo[axis] || wrapped[axis] >= domain_.hi[axis]) {
      return 0.0;
    }
  }
  return density[cell_of(wrapped)];
}

void PairCorrelation::add(const ParticleState& particles, const Density& density, Pairs& pairs) const {
  const auto bins = static_cast<std::size_t>(spec_.bins);
  pairs.found.resize(bins);
  pairs.expected.resize(bins);
  std::vector<Vec2> asked;
  for (const Vec2& position : particles.position) {
    if (is_inside(region_, position)) asked.push_back(position);
  }
  if (asked.empty() || particles.size() < 2) return;
  const double width = spec_.to / static_cast<double>(bins);
  const PointGrid grid(particles.position, spec_.to, {domain_.lo, domain_.hi}, domain_.periodic);
  for (const Vec2& a : grid.points()) {
    if (!is_inside(region_, a)) continue;
    grid.around(a, [&](const Vec2& b) {
      if (&a == &b) return;
      const double distance = shorter_way(b - a, domain_).norm();
      if (distance < spec_.to) pairs.found[std::min(static_cast<std::size_t>(distance / width), bins - 1)] += 1.0;
    });
  }
  const std::size_t stride = (asked.size() + kMostAsked - 1) / kMostAsked;
  const std::size_t looked = (asked.size() + stride - 1) / stride;
  const double n = static_cast<double>(particles.size());
  // Each disk of the sample stands for as many; a disk is no neighbour of itself.
  const double each = static_cast<double>(asked.size()) / static_cast<double>(looked * kLooks) * (n - 1.0) / n;
  for (std::size_t i = 0; i < asked.size(); i += stride) {
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double r = (static_cast<double>(bin) + 0.5) * width;
      double sum = 0.0;
      for (std::size_t look = 0; look < kLooks; ++look) {
        const std::size_t k = (look * (kDirections / kLooks) + i + bin) % kDirections;
        sum += density_at(asked[i] + r * directions()[k], density);
      }
      pairs.expected[bin] += each * sum * 2.0 * std::numbers::pi * r * width;
    }
  }
}

void PairCorrelation::add(std::span<const State> soft, std::span<const State> hard) {
  soft_.resize(soft.size());
  hard_.resize(hard.size());
  std::vector<Density> numbers;
  Density all(static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]));
  for (const State& state : hard) {
    numbers.push_back(count(state.particles));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += numbers.back()[k];
  }
  const double per =
      static_cast<double>(all.size()) / ((domain_.hi - domain_.lo).prod() * static_cast<double>(hard.size() - 1));
  for (std::size_t run = 0; run < hard.size(); ++run) {
    Density others(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) others[k] = per * (all[k] - numbers[run][k]);
    add(hard[run].particles, others, hard_[run]);
    if (run < soft.size()) add(soft[run].particles, others, soft_[run]);
  }
}

std::vector<double> PairCorrelation::distances() const {
  std::vector<double> middles;
  for (int bin = 0; bin < spec_.bins; ++bin) middles.push_back((bin + 0.5) * spec_.to / spec_.bins);
  return middles;
}

std::vector<double> PairCorrelation::g(const Pairs& pairs) const {
  std::vector<double> values(static_cast<std::size_t>(spec_.bins));
  for (std::size_t bin = 0; bin < pairs.found.size(); ++bin) {
    if (pairs.expected[bin] > 0.0) values[bin] = pairs.found[bin] / pairs.expected[bin];
  }
  return values;
}

}  // namespace scree::compare
