#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

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
  /// @throws InvalidScene if the packing fraction at which growth ends is reached at the start
  Compression(const GrowthSpec& spec, const Domain& domain, const Disks& disks);

  const Growth& growth() const { return growth_; }
  bool grows() const { return growth_.rate > 0.0; }
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
  /// The pressure since the clock was rebased last, so long ago [s]. Growth ends if the disks have jammed.
  ///
  /// Source: virial theorem, p A = N kT + sum of (impulse . distance) / (2 t), with the mean of kT before and after.
  /// @param energy translational, now [J]
  /// @return the energy to which velocities are to be rescaled [J]
  double measure(double elapsed, double energy);
  /// The disks are as large as they should be. @return as `measure`
  double reach_goal();

  /// After loading. @throws InvalidState
  void require_sound() const {
    const double most = has_grown() ? scale_at_goal_ * (1.0 + kDozensOfRoundings) : 1.0;
    require_state(growth_.scale > 0.0 && growth_.scale <= most && (growth_.rate == 0.0 || growth_.rate == spec_.rate),
                  "the growth of the disks");
    require_state(energy_ >= 0.0 && std::isfinite(energy_) && std::isfinite(virial_) && std::isfinite(pressure_),
                  "the pressure of growing disks");
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.growth_, self.energy_, self.virial_, self.pressure_);
  }

 private:
  void end(double scale) { growth_ = {{}, scale, 0.0}; }

  GrowthSpec spec_;
  Growth growth_;
  double scale_at_goal_ = kNever;  // at which the packing fraction is reached
  double energy_ = 0.0;            // to which velocities are rescaled, translational [J]
  double virial_ = 0.0;            // impulses times distances since the clock was rebased [J s]
  double pressure_ = 0.0;          // reduced
};

/// Radius of the disk at a time on the clock [m].
inline double radius(const Flight& flight, const Growth& growth, double now) {
  return flight.radius * growth.scale_at(now);
}

/// Area of the disks over that of the domain.
double packing_fraction(const Disks& disks, const Growth& growth, const Domain& domain, double now);

}  // namespace scree::hard
