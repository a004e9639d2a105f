#pragma once

#include "dem/mode.hpp"
#include "dem/scene/material.hpp"

namespace scree {

struct Scene;

/// The properties of a contact between two materials, for both modes. Name and density of the mixture are undefined.
///
/// Soft: springs in series (harmonic mean of the stiffnesses), the restitution or damping of the one that damps more,
/// the smaller of every other property (docs/theory.md, section 6). Hard: the smaller restitution, with its law and
/// speed, the smaller friction and the smaller tangential restitution. If the restitutions are equal, the law that
/// comes first in RestitutionLaw; if the laws are equal, too, the lower speed.
/// @pre soft: restitutions are > 0 if no damping is given
Material mix(Mode mode, const Material& a, const Material& b);

/// The mixture of two materials of a scene, given by numbers: the values of `contact.pairs` if the scene has them,
/// otherwise the mixture.
Material mix(Mode mode, const Scene& scene, int a, int b);

}  // namespace scree
