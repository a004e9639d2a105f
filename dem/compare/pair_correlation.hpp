#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dem/scene/domain.hpp"
#include "dem/scene/measure.hpp"
#include "dem/scene/region.hpp"
#include "dem/state.hpp"

namespace scree::compare {

/// Radial distribution g(r) of several runs of one scene, normalised over where its disks are: the number of disks at
/// a distance r from a disk, over the number that there would be if each place had the same mean density, but disks
/// took no notice of each other. So it is 1 far away also in a bed, in a stream and beside a wall.
///
/// That density is the mean over the hard runs, without the one that has the same disks, at the same time, in square
/// cells of about two mean diameters.
class PairCorrelation {
 public:
  /// @param spec, region of reference disks, as in Measure; their neighbours may be anywhere
  /// @param diameter mean [m]
  PairCorrelation(const Measure::RadialDistribution& spec, const Region& region, const Domain& domain, double diameter);

  /// All runs at one moment. Soft run k has the same disks as hard run k. @pre at least two hard runs
  /// Cost: O(N) for each run, times the number of disks within spec.to and the number of bins
  void add(std::span<const State> soft, std::span<const State> hard);

  std::vector<double> distances() const;  ///< middles of the bins [m]
  std::vector<double> soft(std::size_t run) const { return g(soft_[run]); }
  std::vector<double> hard(std::size_t run) const { return g(hard_[run]); }

 private:
  struct Pairs {
    std::vector<double> found;
    std::vector<double> expected;
  };
  using Density = std::vector<double>;  // by cell: number of disks, or that number per area [1/m^2]

  Density count(const ParticleState& particles) const;
  void add(const ParticleState& particles, const Density& density, Pairs& pairs) const;
  std::size_t cell_of(const Vec2& position) const;
  double density_at(const Vec2& position, const Density& density) const;
  std::vector<double> g(const Pairs& pairs) const;

  Measure::RadialDistribution spec_;
  Region region_;
  Domain domain_;
  std::vector<int> cells_;  // along x, y
  std::vector<Pairs> soft_;
  std::vector<Pairs> hard_;
};

}  // namespace scree::compare
