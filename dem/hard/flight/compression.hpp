#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/archive.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/growth.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/hard_options.hpp"

namespace scree::hard {

/// Grains that grow until the packing is dense enough or jammed (Lubachevsky & Stillinger 1990): their common scale,
/// the pressure that their collisions measure, and the energy to which velocities are rescaled.
class Compression {
 public:
  /// @param shares of the rate that groups grow with, by type; empty: all of it
  /// @throws InvalidScene if the packing fraction at which growth ends is reached at the start
  Compression(const GrowthSpec& spec, std::span<const double> shares, const Domain& domain, const Disks& disks);

  const Growth& growth() const { return growth_; }
  bool grows() const { return growth_.rate > 0.0; }
  GrowthShare share(const Disks& disks, Index i) const {
    return shares_.empty() ? GrowthShare{} : shares_[static_cast<std::size_t>(disks.label(i).type)];
  }
  /// What lengths of its flight and form are multiplied by.
  double size(const Disks& disks, Index i, double now) const { return share(disks, i).at(growth_.scale_at(now)); }
  Growing growing(const Disks& disks, Index i) const { return hard::growing(disks.flight(i), share(disks, i)); }
  /// [m]
  double radius(const Disks& disks, Index i, double now) const { return disks.flight(i).radius * size(disks, i, now); }
  /// Or grows now: radii are not those of the flights.
  bool has_grown() const { return spec_.rate > 0.0; }
  /// Growth has ended by the pressure.
  bool has_jammed() const { return pressure_ >= spec_.pressure && !grows(); }
  /// p A / (N kT) between the last two rescalings; 0: not measured yet.
  double reduced_pressure() const { return pressure_; }
  /// Sum of the collisions' virials since the clock was rebased last [J s].
  double virial() const { return virial_; }
  /// Between two rescalings: changes of velocity.
  std::uint64_t changes_until_rescaling(std::size_t disks) const;
  /// When on the clock the disks are as large as they should be, or as their boxes; kNever if they do not grow [s].
  /// @param reach times the radius: what boxes cover
  double due(double reach) const {
    return grows() ? (std::min(reach, scale_at_goal_) - growth_.scale) / growth_.rate : kNever;
  }
  /// Whether the disks are then as large as their boxes, and no larger than they should be.
  bool outgrows_boxes_first(double reach) const { return scale_at_goal_ > reach; }

  /// @param virial impulse times distance of a collision [J s]
  void count(double virial) { virial_ += virial; }
  /// The clock shows 0 instead of `now`.
  void rebase(double now) { growth_.scale = growth_.scale_at(now); }
  /// The pressure since the clock was rebased last, so long ago [s]. Growth ends if the disks have jammed, and may slow
  /// down if not.
  ///
  /// Source: virial theorem, p A = N kT + sum of (impulse . distance) / (2 t), with the mean of kT before and after.
  /// @param energy translational, now [J]
  /// @return the energy to which velocities are to be rescaled [J]
  double measure(double elapsed, double energy);
  /// The disks are as large as they should be. @return as `measure`
  double reach_goal();

  /// After loading. @throws InvalidState
  void require_sound(const Disks& disks) const {
    for (Index i = 0; i < disks.size() && !shares_.empty(); ++i) {
      const auto group = static_cast<std::size_t>(disks.label(i).type);
      require_state(disks.label(i).type >= 0 && group < shares_.size(), "the group of a grain");
    }
    const double most = has_grown() ? scale_at_goal_ * (1.0 + kDozensOfRoundings) : 1.0;
    require_state(growth_.scale > 0.0 && growth_.scale <= most &&
                      (growth_.rate == 0.0 || growth_.rate == spec_.rate_at(pressure_)),
                  "the growth of the disks");
    require_state(energy_ >= 0.0 && std::isfinite(energy_) && std::isfinite(virial_) && std::isfinite(pressure_),
                  "the pressure of growing disks");
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.growth_, self.energy_, self.virial_, self.pressure_);
  }

 private:
  double scale_at(double packing_fraction, const Domain& domain, const Disks& disks) const;
  void end(double scale) { growth_ = {{}, scale, 0.0}; }

  GrowthSpec spec_;
  std::vector<GrowthShare> shares_;  // by type; empty: all grow alike
  Growth growth_;
  double scale_at_goal_ = kNever;  // at which the packing fraction is reached
  double energy_ = 0.0;            // to which velocities are rescaled, translational [J]
  double virial_ = 0.0;            // impulses times distances since the clock was rebased [J s]
  double pressure_ = 0.0;          // reduced
};

/// Area of the disks over that of the domain.
double packing_fraction(const Disks& disks, const Compression& compression, const Domain& domain, double now);

}  // namespace scree::hard
