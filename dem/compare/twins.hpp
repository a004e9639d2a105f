#pragma once

#include <cstdint>

#include "dem/scene.hpp"

/// One scene of disks in both modes, side by side.
namespace scree::compare {

/// A scene for each mode, with the same disks at time 0: every one is placed, in the order of the scene it comes from.
/// Formulas and reasons: docs/compare.md.
struct Twins {
  Scene soft;
  Scene hard;

  // Ids of the first disk: walls come before.
  std::uint64_t first_soft_id() const { return soft.walls.size() + 1; }
  std::uint64_t first_hard_id() const { return hard.walls.size() + 1; }
};

/// The twins of a scene. Restitution and friction are the same in both; hard pairs that stick have the tangential
/// restitution of the scene, or, where it gives none (0), that of the soft mode's tangential spring. Reflecting sides
/// are elastic smooth walls in the soft twin. The hard mode's contact duration, t_c of the TC model, is the scene's,
/// or, where it gives none (0), the soft mode's contact time. Both measure at every frame what the scene does, and what
/// dem/compare/quantities.hpp compares.
///
/// @param scene of any mode, with the stiffnesses of the soft one
/// @throws InvalidScene that names the key, its value and what is allowed, for what one of the modes does not have
/// Cost: O(N log N)
Twins twins(const Scene& scene);

/// Tangential velocity after over before, reversed, of two disks (or a disk and a wall) that stick throughout a contact
/// by friction's spring and dashpot: Walton's beta_0. In [-1, 1].
///
/// With the normal spring's frequency omega and contact time t_c, a disk's surface moves as x'' + 2 b x' + w^2 x = 0, w
/// = sqrt(3 k_t / k_n) omega, b = sqrt(3) zeta_t w, where 3 = 1 + m r^2 / I; beta_0 = -x'(t_c) / x'(0).
double sticking_restitution(const Material& mixed);

/// How long two disks of the scene's mean mass touch, in the soft twin; the longest of all pairs of its materials [s].
double contact_time(const Twins& twins);

/// The twins with another stiffness: the greatest of the materials and pairs becomes `stiffness` [N/m], the others keep
/// their ratios to it.
Twins with_stiffness(const Twins& twins, double stiffness);

}  // namespace scree::compare
