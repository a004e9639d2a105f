#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
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
/// Calls take(some of them) until all had their turn, in the order of contacts. Each call finds them anew: all at once
/// would take more room than contacts do.
using TakeElements = std::function<void(std::span<const ContactElement>)>;
using ContactElements = std::function<void(const TakeElements& take)>;

/// Elements that are found, on their way to who takes them.
class ElementBatch {
 public:
  /// @param take takes them, some at once
  explicit ElementBatch(const TakeElements& take);
  /// Keeps them all. @param contacts of so many
  explicit ElementBatch(std::size_t contacts);
  /// Those of a contact.
  void add(const Bodies& bodies, const PairLaw& law, const ContactSprings& contact);
  /// The last ones are taken.
  void end();
  /// Those that nobody took.
  std::vector<ContactElement> kept() && { return std::move(elements_); }

 private:
  const TakeElements* take_ = nullptr;
  std::size_t most_ = ~std::size_t{0};  // before they are taken
  std::vector<ContactElement> elements_;
};

/// Adds the elements of all contacts to a batch, in the order of contacts.
using FindElements = std::function<void(ElementBatch&)>;
/// Those of few contacts are found now and kept, since a cache keeps them, too.
ContactElements contact_elements(const FindElements& find, std::size_t contacts);

/// Elements of all contacts, those of parts as of their clumps: along the normal, along the tangent, about the middle
/// of a chord, and of rolling resistance. Contacts that slide count as if they stuck. @pre all of these stay
ContactElements contact_elements(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws);

/// What an element counts, >= 0: its spring, or the share that spring and dashpot take of what an integrator bears.
struct Strength {
  struct Share {
    double dt;  ///< the step [s]
    StabilityLimit limit;
  };
  std::optional<Share> share = {};  ///< absent: the spring

  double operator()(const ContactElement& element) const {
    if (!share) return element.spring;
    return element.spring * share->dt * share->dt / share->limit.stiffness +
           element.dashpot * share->dt / share->limit.damping;
  }
};
inline Strength springs() {
  return {};
}
inline Strength shares(double dt, const StabilityLimit& limit) {
  return {.share = Strength::Share{dt, limit}};
}

/// An eigenvalue, and a body that takes part.
struct Eigenvalue {
  double value = 0.0;
  std::uint32_t body = 0;
};

/// Greatest eigenvalue of the matrix sum_e strength_e j_e j_e^T over the coordinates of all bodies, j_e = (of_a, of_b):
/// not less than the true one and at most twice as much: the greatest one among the bodies, each by itself,
/// with elements between two particles counted twice (docs/theory.md, section 7).
/// @param limit if the greatest is not beyond this, so is the value returned, which may be less exact then
/// Cost: O(elements)
Eigenvalue upper_bound(const ContactElements& elements, const Strength& strength, std::uint32_t bodies, double limit);

/// What no eigenvalue is to be beyond.
struct Bound {
  Strength strength;
  double limit;
};
/// Whether upper_bound(elements, strength, bodies, limit) of some bound is beyond its limit.
/// Cost: O(elements)
bool is_beyond(const ContactElements& elements, std::span<const Bound> bounds, std::uint32_t bodies);

/// The greatest eigenvalue from below, nearly exact, by power iteration. @param first takes part
/// Cost: O(elements), some fifty times, and memory for all of them
Eigenvalue greatest_eigenvalue(const ContactElements& elements, const Strength& strength, std::uint32_t bodies,
                               std::uint32_t first);

}  // namespace scree::soft
