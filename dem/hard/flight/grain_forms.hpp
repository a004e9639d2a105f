#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <type_traits>
#include <vector>

#include "dem/archive.hpp"
#include "dem/hard/flight/event.hpp"
#include "geometry/contact_shape.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// What a grain that is no disk, or flies among such, has beyond its bounding circle.
struct GrainForm {
  ContactShape shape = ContactShape::disk(1.0);  ///< about the centroid
  double area = 0.0;                             ///< [m^2]
  double inertia = 0.0;                          ///< about the centroid [kg m^2]

  bool is_disk() const { return shape.edges() == 0; }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    std::vector<Vec2> corners = self.corners();
    double disk_radius = self.shape.rounding_radius();
    archive(corners, disk_radius, self.area, self.inertia);
    if constexpr (!std::is_const_v<Self>) self.take_shape(corners, disk_radius);
  }
  /// Counter-clockwise; none of a disk [m].
  std::vector<Vec2> corners() const;

 private:
  /// After loading. @throws InvalidState unless they are a convex outline, or none and the radius of a disk
  void take_shape(const std::vector<Vec2>& corners, double disk_radius);
};

/// An angle nearest to 0 and the whole turns that it is short of what it was [rad].
struct WrappedAngle {
  double angle;
  double turns;
};
inline WrappedAngle wrapped_angle(double angle) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const double turns = std::nearbyint(angle / kTurn);
  return {std::fma(-turns, kTurn, angle), turns};
}

/// The forms of all grains, by their places in the arrays of Disks; none where all are disks.
///
/// A rotation is calculated from an angle near 0, so that spinning grains lose no digits: whole turns are counted
/// apart.
class GrainForms {
 public:
  GrainForms() = default;
  /// @param greatest_radius of any grain, also of those that come later [m], > 0
  GrainForms(std::vector<GrainForm> forms, double greatest_radius);

  bool exist() const { return !sides_.empty(); }
  const GrainForm& operator[](Index i) const { return of_[i]; }
  double turns(Index i) const { return turns_[i]; }  ///< whole ones, beyond the angle of the spin
  void scale_inertia(Index i, double factor) { of_[i].inertia *= factor; }
  void add_turns(Index i, double turns) { turns_[i] += turns; }
  /// A stretch of a side of the domain across this axis, from which any grain above its middle hides the rest.
  const ContactShape& side(int axis) const { return sides_[static_cast<std::size_t>(axis)]; }

  void add(const GrainForm& form);
  void take_in(Index i, const GrainForms& others, Index there);
  /// Keeps those for which keeps(i) holds.
  template <class Keeps>
  void compact(const Keeps& keeps) {
    std::size_t kept = 0;
    for (Index i = 0; i < of_.size(); ++i) {
      if (!keeps(i)) continue;
      turns_[kept] = turns_[i];
      of_[kept++] = of_[i];
    }
    of_.resize(kept);
    turns_.resize(kept);
  }

  /// After loading. @throws InvalidState
  void require_sound(std::size_t grains) const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.of_, self.turns_);
  }

 private:
  std::vector<GrainForm> of_;
  std::vector<double> turns_;
  std::vector<ContactShape> sides_;  // across x, across y
};

}  // namespace scree::hard
