#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dem/scene.hpp"

/// One scene of disks in both modes, side by side.
namespace scree::compare {

/// A scene for each mode, with the same disks at time 0: each disk is placed, in the order of the original scene.
/// Formulas and reasons: docs/compare.md.
struct Twins {
  Scene soft;
  Scene hard;
  Measure::RadialDistribution radial;  ///< what is compared of it, beside the scenes' measure

  // Ids of the first disk: those of walls come before.
  std::uint64_t first_soft_id() const { return soft.walls.size() + 1; }
  std::uint64_t first_hard_id() const { return hard.walls.size() + 1; }
};

/// The twins of a scene. Restitution and friction are the same in both. Sticking pairs of the hard twin have the
/// tangential restitution of the scene or, if it gives none (0), that of the soft mode's tangential spring. Reflecting
/// sides are elastic smooth walls in the soft twin. The contact duration of the hard twin, t_c of the TC model, is that
/// of the scene or, if it gives none (0), the contact time of the soft mode. At every frame both measure what the scene
/// measures and what dem/compare/quantities.hpp compares.
///
/// @param scene of any mode, with the stiffnesses of the soft one
/// @throws InvalidScene with the key, its value and what is allowed, for features that one of the modes does not have
/// Cost: O(N log N)
Twins twins(const Scene& scene);

/// What the hard twin uses, and what of it is not the scene's own.
struct HardMode {
  struct Pair {
    std::string first;  ///< names of materials; the second may be that of walls only
    std::string second;
    double restitution = 1.0;
    double friction = 0.0;
    double tangential_restitution = 0.0;  ///< Walton's beta_0
    bool is_given = false;                ///< tangential_restitution is the scene's
  };
  std::vector<Pair> pairs;        ///< of a material of disks and another one
  double contact_duration = 0.0;  ///< t_c of the TC model [s]
  bool duration_is_given = false;
};
HardMode hard_mode(const Twins& twins);

/// Walton's beta_0, in [-1, 1]: minus the ratio of the tangential velocities after and before a contact of two disks
/// (or a disk and a wall) that stick throughout, with the spring and dashpot of friction.
///
/// With the normal spring's frequency omega and contact time t_c, a disk's surface moves as x'' + 2 b x' + w^2 x = 0, w
/// = sqrt(3 k_t / k_n) omega, b = sqrt(3) zeta_t w, where 3 = 1 + m r^2 / I; beta_0 = -x'(t_c) / x'(0).
double sticking_restitution(const Material& mixed);

/// Contact time of two disks of mean mass in the soft twin; the longest of all pairs of its materials [s].
double contact_time(const Twins& twins);

/// The twins with another stiffness: the greatest of the materials and pairs becomes `stiffness` [N/m], the others keep
/// their ratios to it.
Twins with_stiffness(const Twins& twins, double stiffness);

}  // namespace scree::compare
