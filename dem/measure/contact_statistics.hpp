#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "dem/archive.hpp"
#include "dem/column.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/region.hpp"
#include "dem/state.hpp"
#include "geometry/vec.hpp"

/// Texture of a packing: which grains bear which force in which direction. Soft mode; compression is positive.
/// Definitions and sources: docs/theory.md, Texture.
namespace scree {

/// Directions and magnitudes of a symmetric tensor; that of 2x2 values is its symmetric part.
struct Principal {
  double mean = 0.0;       ///< (T1 + T2) / 2
  double deviator = 0.0;   ///< (T1 - T2) / 2 >= 0
  double direction = 0.0;  ///< of the greater one, against the x axis, in (-pi/2, pi/2] [rad]

  double ratio() const { return mean > 0.0 ? deviator / mean : 0.0; }  ///< q/p
};
Principal principal(const Eigen::Matrix2d& tensor);

/// Number of contacts of a particle, on average.
struct Coordination {
  double all = 0.0;                 ///< of all particles
  double without_rattlers = 0.0;    ///< of those that remain when rattlers have been taken away, again and again
  double constraints = 0.0;         ///< the same, of those that remain, an edge on an edge counted twice
  std::uint64_t rattlers = 0;       ///< particles that were taken away
  std::uint64_t edge_contacts = 0;  ///< edges on edges
};

struct ContactStatistics {
  std::uint64_t contacts = 0;                             ///< of two particles, with a force, in the region
  Eigen::Matrix2d fabric = Eigen::Matrix2d::Zero();       ///< mean of n (x) n; trace 1
  Eigen::Matrix2d stress = Eigen::Matrix2d::Zero();       ///< of the same contacts, 1/A sum of f (x) l [N/m]
  double anisotropy_contacts = 0.0;                       ///< a_c, along the greater principal stress, as the next two
  double anisotropy_normal = 0.0;                         ///< a_n
  double anisotropy_tangential = 0.0;                     ///< a_t
  double mean_force = 0.0;                                ///< normal [N]
  double weak_share = 0.0;                                ///< of the contacts, with less than the mean normal force
  Eigen::Matrix2d weak_stress = Eigen::Matrix2d::Zero();  ///< their part of `stress` [N/m]
  double sliding_share = 0.0;
  double unbalanced_force = 0.0;  ///< mean net force of a particle over mean force of a contact
  double shear_rate = 0.0;        ///< of the linear field of velocity that fits best [1/s]
  double inertial_number = 0.0;   ///< 0 without pressure
  double mean_spin = 0.0;         ///< mean angular velocity [rad/s]
  double void_ratio = 0.0;        ///< area without grains over that of grains; 0 without grains
  Coordination coordination;
  /// Stress of the domain: 1/area sum of f (x) b over the contacts of all particles, with walls the grain's part [N/m].
  Eigen::Matrix2d domain_stress = Eigen::Matrix2d::Zero();

  /// (a_c + a_n + a_t) / 2, to compare with q/p of `stress`.
  double strength_of_texture() const { return 0.5 * (anisotropy_contacts + anisotropy_normal + anisotropy_tangential); }
};

/// What ContactStatistics have, in the order of texture.csv.
inline constexpr auto kTextureColumns = std::to_array<Column<ContactStatistics>>({
    {"contacts", "", [](const ContactStatistics& t) { return t.contacts; }},
    {"stress_xx", "N/m", [](const ContactStatistics& t) { return t.stress(0, 0); }},
    {"stress_yy", "N/m", [](const ContactStatistics& t) { return t.stress(1, 1); }},
    {"stress_xy", "N/m", [](const ContactStatistics& t) { return t.stress(0, 1); }},
    {"stress_yx", "N/m", [](const ContactStatistics& t) { return t.stress(1, 0); }},
    {"p", "N/m", [](const ContactStatistics& t) { return principal(t.stress).mean; }},
    {"q", "N/m", [](const ContactStatistics& t) { return principal(t.stress).deviator; }},
    {"q_over_p", "", [](const ContactStatistics& t) { return principal(t.stress).ratio(); }},
    {"direction", "rad", [](const ContactStatistics& t) { return principal(t.stress).direction; }},
    {"fabric_xx", "", [](const ContactStatistics& t) { return t.fabric(0, 0); }},
    {"fabric_yy", "", [](const ContactStatistics& t) { return t.fabric(1, 1); }},
    {"fabric_xy", "", [](const ContactStatistics& t) { return t.fabric(0, 1); }},
    {"anisotropy_contacts", "", [](const ContactStatistics& t) { return t.anisotropy_contacts; }},
    {"anisotropy_normal", "", [](const ContactStatistics& t) { return t.anisotropy_normal; }},
    {"anisotropy_tangential", "", [](const ContactStatistics& t) { return t.anisotropy_tangential; }},
    {"strength_of_texture", "", [](const ContactStatistics& t) { return t.strength_of_texture(); }},
    {"mean_force", "N", [](const ContactStatistics& t) { return t.mean_force; }},
    {"weak_share", "", [](const ContactStatistics& t) { return t.weak_share; }},
    {"weak_p", "N/m", [](const ContactStatistics& t) { return principal(t.weak_stress).mean; }},
    {"weak_q", "N/m", [](const ContactStatistics& t) { return principal(t.weak_stress).deviator; }},
    {"weak_direction", "rad", [](const ContactStatistics& t) { return principal(t.weak_stress).direction; }},
    {"sliding_share", "", [](const ContactStatistics& t) { return t.sliding_share; }},
    {"coordination", "", [](const ContactStatistics& t) { return t.coordination.all; }},
    {"coordination_without_rattlers", "", [](const ContactStatistics& t) { return t.coordination.without_rattlers; }},
    {"constraints", "", [](const ContactStatistics& t) { return t.coordination.constraints; }},
    {"rattlers", "", [](const ContactStatistics& t) { return t.coordination.rattlers; }},
    {"edge_contacts", "", [](const ContactStatistics& t) { return t.coordination.edge_contacts; }},
    {"unbalanced_force", "", [](const ContactStatistics& t) { return t.unbalanced_force; }},
    {"shear_rate", "1/s", [](const ContactStatistics& t) { return t.shear_rate; }},
    {"inertial_number", "", [](const ContactStatistics& t) { return t.inertial_number; }},
    {"mean_spin", "rad/s", [](const ContactStatistics& t) { return t.mean_spin; }},
    {"void_ratio", "", [](const ContactStatistics& t) { return t.void_ratio; }},
    {"domain_stress_xx", "N/m", [](const ContactStatistics& t) { return t.domain_stress(0, 0); }},
    {"domain_stress_yy", "N/m", [](const ContactStatistics& t) { return t.domain_stress(1, 1); }},
    {"domain_stress_xy", "N/m", [](const ContactStatistics& t) { return t.domain_stress(0, 1); }},
    {"domain_stress_yx", "N/m", [](const ContactStatistics& t) { return t.domain_stress(1, 0); }},
});

/// A contact is in the region if its point is, a particle if its centre is. Cost: O(N + C log C)
ContactStatistics contact_statistics(const State& state, const Region& region, const Domain& domain);

/// A particle with fewer than two contacts bears nothing. Walls count as partners. Cost: O(N + C)
Coordination coordination(const State& state);

/// Stress of each particle: 1/area sum of f (x) b over its contacts, b from the contact to the centre, f on the
/// particle [N/m]. Cost: O(N + C)
std::vector<Eigen::Matrix2d> grain_stress(const State& state);

/// Whether both bodies of a contact touch with edges, parallel to within kFlushAngle.
inline constexpr double kFlushAngle = 0.02;  // rad
bool is_edge_contact(const State& state, const ContactState& contact);

/// Distribution of normal forces in the region over their mean; summed over samples, each over its own mean.
struct ForceDistribution {
  double bin = 0.1;                     ///< width of a bin
  std::vector<std::uint64_t> count;     ///< contacts by force over mean, from 0; the last has all beyond
  std::vector<double> density() const;  ///< share of the contacts over the width of the bin
  ForceDistribution& operator+=(const ForceDistribution& other);  ///< @pre of the same bins

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(fixed(self.count));
  }
};
ForceDistribution force_distribution(const State& state, const Region& region, const Domain& domain, double bin,
                                     std::size_t bins);

/// From body 1 to 2; nothing for a contact without a force. From force, force_normal and force_tangential.
std::optional<Vec2> normal_of(const ContactState& contact);

}  // namespace scree
