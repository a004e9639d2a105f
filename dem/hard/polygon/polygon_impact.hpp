#pragma once

#include "dem/hard/flight/collision_rule.hpp"
#include "geometry/first_contact.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// What a collision changes of a body of any shape. A wall has inverse mass and inverse inertia 0.
struct RigidImpactBody {
  Vec2 velocity;            ///< of the centre of mass [m/s]
  double angular_velocity;  ///< [rad/s]
  double inverse_mass;      ///< [1/kg]
  double inverse_inertia;   ///< about the centre of mass [1/(kg m^2)]
  double growth = 0.0;      ///< of all of its lengths, over them [1/s]
};

/// Velocity of b relative to a at a contact, along the normal and along the normal turned by +90 degrees [m/s].
struct ContactVelocity {
  double normal;  ///< negative: they approach
  double tangential;
};

/// How an impulse changes that velocity: by {nn, nt; nt, tt} times the impulse. Positive definite [1/kg].
struct ContactMobility {
  double nn;
  double nt;
  double tt;
};

/// The impulse of a collision at one point, and what it took.
struct PathImpulse {
  double normal;           ///< [N s]
  double tangential;       ///< [N s]
  double lost_normal;      ///< energy that restitution took [J]
  double lost_tangential;  ///< energy that friction took [J]
};

/// The impulse at one point after Routh: the normal impulse grows, friction follows it by Coulomb's law, and both
/// change the velocity, which is linear piece by piece: it slides until it sticks, and from then on it goes on sticking
/// or slides the way in which friction is too weak to hold it. Compression ends when they no longer approach; the end
/// of all is when the normal impulse has given back e^2 of the work of the compression (energetic restitution). So no
/// impact gains energy.
///
/// With e and mu defined otherwise impacts of polygons may gain energy, since the mobility has an off-diagonal part.
/// @param velocity approaching  @param restitution e in [0, 1]  @param friction mu >= 0, finite
/// Cost: O(1), at most three pieces.
/// Source: E. J. Routh, Dynamics of a system of rigid bodies (1905); W. J. Stronge, Proc. R. Soc. A 431 (1990) 169.
PathImpulse routh_path(const ContactVelocity& velocity, const ContactMobility& mobility, double restitution,
                       double friction);

/// What growth adds to the velocity of b's outline relative to that of a at a point of contact [m/s].
inline Vec2 velocity_by_growth(const RigidImpactBody& a, const RigidImpactBody& b, const ContactPoint& point) {
  return b.growth * point.from_b - a.growth * point.from_a;
}

/// The velocity at a point of contact, of outlines that grow.
ContactVelocity contact_velocity(const RigidImpactBody& a, const RigidImpactBody& b, const Vec2& normal,
                                 const ContactPoint& point);

/// The collision of two bodies of any convex shape. Afterwards they do not approach at any point of contact.
///
/// At one point: routh_path(). Without friction an impulse is corrected by what rounding makes it miss, so that elastic
/// collisions keep the energy without a drift. At two points, where edges meet: the two impulses after which both
/// points rebound with e as if there were no friction; if both push, a single impact at the point between them at which
/// their sum acts. So a square that falls flat leaves flat. Otherwise the corner that approaches faster (the first of
/// equals) has an impact of its own. Corners that still approach then have theirs, the faster first; after 32 of them
/// the rest of the approach is taken without a rebound. None of these steps gains energy.
/// Of outlines that grow the rebound is relative to them: they give energy.
/// @param rule its tangential restitution must be 0, and its friction, too, if a body grows
/// Cost: O(1) at one point.
Impact collide_polygons(const CollisionRule& rule, RigidImpactBody& a, RigidImpactBody& b,
                        const ContactPoints& contact);

}  // namespace scree::hard
