#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/motion/gear.hpp"

/// Contacts as linear springs and dashpots, and how fast a packing oscillates on them at most.
namespace scree::soft {

/// A spring and a dashpot between a particle a and another body. Each stretches with one combination of their
/// coordinates: x, y, angle, times the roots of mass and moment of inertia.
struct ContactElement {
  std::uint32_t a;
  std::uint32_t b;
  double spring;         ///< [N/m]
  double dashpot;        ///< [N s/m]
  Eigen::Vector3d of_a;  ///< [1/sqrt(kg)]
  Eigen::Vector3d of_b;  ///< 0 for a wall
  double square_of_a;    ///< their squared lengths [1/kg]
  double square_of_b;
};

/// What the elements of a contact follow from, beside its law. Points are those from the centre of a [m].
struct ContactSprings {
  BodyPair bodies;
  Vec2 normal;
  Vec2 middle;  ///< of the chord; of disks of the overlap
  Vec2 point;   ///< of attack
  Vec2 branch_vector;
  double stiffness;             ///< [N/m]
  std::optional<double> chord;  ///< of two polygons, its length [m]
  double dashpot_share = 1.0;   ///< see Contacts
};
ContactSprings springs_of(const Bodies& bodies, const Contacts& contacts, std::size_t contact);
/// Appends the elements of a contact.
void add_elements(const Bodies& bodies, const PairLaw& law, const ContactSprings& contact,
                  std::vector<ContactElement>& elements);

/// Elements of all contacts, those of parts as of their clumps: along the normal, along the tangent, about the middle
/// of a chord, and of rolling resistance. Contacts that slide count as if they stuck.
std::vector<ContactElement> contact_elements(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws);

/// One for each: its spring.
std::vector<double> springs(std::span<const ContactElement> elements);
/// One for each: the share that its spring and its dashpot take of what an integrator bears.
/// @param dt the step [s]
std::vector<double> shares(std::span<const ContactElement> elements, double dt, const StabilityLimit& limit);

/// An eigenvalue, and a body that takes part.
struct Eigenvalue {
  double value = 0.0;
  std::uint32_t body = 0;
};

/// Greatest eigenvalue of the matrix sum_e strength_e j_e j_e^T over the coordinates of all bodies, j_e = (of_a, of_b):
/// not less than the true one and at most twice as much: the greatest one among the bodies, each by itself,
/// with elements between two particles counted twice (docs/theory.md, section 7).
/// @param strength one for each element, >= 0
/// @param limit if the greatest is not beyond this, so is the value returned, which may be less exact then
/// Cost: O(elements)
Eigenvalue upper_bound(std::span<const ContactElement> elements, std::span<const double> strength, std::uint32_t bodies,
                       double limit);

/// Whether upper_bound(elements, strength, bodies, limit) is beyond the limit. Reads one body if that is enough.
/// Cost: O(elements)
bool is_beyond(std::span<const ContactElement> elements, std::span<const double> strength, std::uint32_t bodies,
               double limit);

/// The greatest eigenvalue from below, nearly exact, by power iteration. @param first takes part
/// Cost: O(elements), some fifty times
Eigenvalue greatest_eigenvalue(std::span<const ContactElement> elements, std::span<const double> strength,
                               std::uint32_t bodies, std::uint32_t first);

}  // namespace scree::soft
