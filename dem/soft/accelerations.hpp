#pragma once

#include <cstdint>

#include "dem/bodies.hpp"
#include "dem/soft/rooms.hpp"

namespace scree {
struct Scene;
}  // namespace scree

/// From forces to accelerations and corrected motions: gravity, what the scene fixes, local damping, the flow of a
/// cell.
namespace scree::soft {

/// An acceleration or velocity without what the scene fixes of a body.
Motion with_fixed(const Scene& scene, const Bodies& bodies, std::uint32_t body, Motion motion);
/// Before the first step. @param force of contacts
Motion acceleration_at_start(const Rooms& rooms, std::uint32_t body, const Motion& force);
/// What becomes of the acceleration by contacts and gravity. @pre the motion of the body is as predicted
Motion alter(std::uint32_t body, const Motion& acceleration, Rooms& rooms);
/// Velocity of a body beside the homogeneous flow of a cell.
Motion own_velocity(const Rooms& rooms, std::uint32_t body);

/// Sums the forces on every particle, in a fixed order, and corrects its motion. On several threads.
/// @return whether a guard must check
bool gather_and_correct(Rooms& rooms);

/// Corrects the motions of successive particles whose forces are all known, while those of others may not be. For any
/// thread.
class Correction {
 public:
  /// @param sums of forces by body, which become 0; null: each body gathers those of its contacts, which are listed
  Correction(double* sums, Rooms& rooms);
  /// @return whether a guard must check
  bool operator()(std::uint32_t begin, std::uint32_t end) const;

 private:
  double* sums_;
  Rooms& rooms_;
  bool is_altered_;
};

/// Grains move with the homogeneous flow of a cell. @param change of the flow's velocity gradient
void carry_along(const Components& change, Rooms& rooms);
/// The accelerations of those that are about to be wrapped over a side of a cell that deforms.
void jump_at_sides(Rooms& rooms);

}  // namespace scree::soft
