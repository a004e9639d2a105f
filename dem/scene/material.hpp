#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace scree {

/// How the normal restitution of hard disks depends on the speed of approach v; e is a material's restitution, v0 its
/// restitution_speed.
enum class RestitutionLaw : std::uint8_t {
  constant,  ///< e
  /// 1 - (1 - e) (v / v0)^(3/4) up to v0, e beyond. Source: C. Bizon, M. D. Shattuck, J. B. Swift, W. D. McCormick & H.
  /// L. Swinney, Phys. Rev. Lett. 80 (1998) 57.
  bizon,
  /// Viscoelastic spheres: e at v0, more below, less beyond. Source: P. Mueller & T. Poeschel, Phys. Rev. E 84
  /// (2011) 021302: Pade approximant (1, 4) of the series by T. Schwager & T. Poeschel, Phys. Rev. E 78 (2008) 051304.
  viscoelastic
};

/// As users write them, in the order of RestitutionLaw.
inline constexpr std::array<const char*, 3> kRestitutionLawNames = {"constant", "bizon", "viscoelastic"};
inline const char* name(RestitutionLaw law) {
  return kRestitutionLawNames[static_cast<std::size_t>(law)];
}

/// Tangential over normal stiffness, unless a material gives another.
inline constexpr double kTangentialRatio = 2.0 / 7.0;

struct Material {
  std::string name;
  double density = 0.0;      ///< mass per area [kg/m^2], > 0
  double stiffness = 0.0;    ///< Y of the contact law [N/m], > 0; hard mode does without: 0
  double restitution = 1.0;  ///< normal, of a central impact, (0, 1]; hard mode: [0, 1]
  double friction = 0.0;     ///< Coulomb's coefficient: static, and dynamic unless that is given; >= 0

  std::optional<double> damping = {};              ///< damping ratio instead of a restitution, >= 0
  std::optional<double> dynamic_friction = {};     ///< of sliding contacts, from 0 to `friction`
  double tangential_stiffness = kTangentialRatio;  ///< as a share of `stiffness`, > 0
  std::optional<double> tangential_damping = {};   ///< damping ratio of friction's dashpot; absent: the normal one's
  double rolling_friction = 0.0;  ///< greatest rolling torque over normal force and rolling radius, >= 0
  double cohesion = 0.0;          ///< attraction over the length of the chord [N/m], >= 0

  /// Hard mode: tangential velocity after over before, reversed, of a contact that sticks; [-1, 1].
  double tangential_restitution = 0.0;
  RestitutionLaw restitution_law = RestitutionLaw::constant;  ///< hard mode
  double restitution_speed = 1.0;  ///< hard mode, of laws that depend on speed: at which `restitution` holds [m/s], > 0

  bool operator==(const Material&) const = default;
};

/// What holds between two materials instead of the mixing rules. All of `mixed` counts but its name and density.
struct MaterialPair {
  int first = 0;  ///< index into Scene::materials
  int second = 0;
  Material mixed;

  bool operator==(const MaterialPair&) const = default;
};

}  // namespace scree
