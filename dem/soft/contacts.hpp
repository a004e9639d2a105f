#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/periodic.hpp"
#include "geometry/overlap.hpp"

namespace scree::soft {

/// The name of a pair that may touch, which neither the order of bodies in memory nor wrapping changes: a is a
/// particle; b is a particle with a greater id or a wall, seen in the periodic image that lies `image` periods from a's
/// (counted in unwrapped positions).
struct PairKey {
  std::uint64_t a;  ///< ids
  std::uint64_t b;
  std::uint32_t part_a = 0;  ///< numbers of clumps' parts (Bodies::part); else 0
  std::uint32_t part_b = 0;
  Image image = {0, 0};

  auto operator<=>(const PairKey&) const = default;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.a, self.b, self.part_a, self.part_b, self.image);
  }
};

/// Where the two bodies of a pair are in the arrays.
struct BodyPair {
  std::uint32_t a;
  std::uint32_t b;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.a, self.b);
  }
};

/// What the broadphase reports about a pair.
struct PairChange {
  PairKey key;
  BodyPair bodies;
  std::int32_t boxes;  ///< +1: two of their boxes began to overlap, -1: ended
};

/// What friction and rolling resistance remember from step to step, as long as the bodies touch.
struct ContactHistory {
  double tangential_displacement = 0.0;    ///< elongation of the friction spring [m]
  double tangential_velocity = 0.0;        ///< of b against a, after the last step [m/s]
  double rolling_displacement = 0.0;       ///< elongation of the spring of rolling resistance [m]
  double relative_angular_velocity = 0.0;  ///< of b less that of a, after the last step [rad/s]
  double max_depth_ratio = 0.0;            ///< largest depth since the first touch, over the smaller grain's diameter
  bool sliding = false;                    ///< friction was at Coulomb's limit in the last step
  bool rolling = false;                    ///< rolling resistance was at its limit in the last step
  bool is_new = false;                     ///< the last step is the first one of the contact

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.tangential_displacement, self.tangential_velocity, self.rolling_displacement,
            self.relative_angular_velocity, self.max_depth_ratio, self.sliding, self.rolling, self.is_new);
  }
};

/// The common region of two bodies.
struct ContactGeometry {
  Overlap overlap;     ///< in world directions, points from the centre of a; does not touch: the contact ends
  Vec2 branch_vector;  ///< from the centre of a to that of b's image [m]
  double depth_ratio;  ///< depth over the smaller grain's diameter
  Eigen::Vector2f chord = Eigen::Vector2f::Zero();  ///< of two polygons, in the frame of a [m]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.overlap, self.branch_vector, self.depth_ratio, self.chord);
  }
};

/// Force and torques of a contact.
struct ContactForce {
  Vec2 point = Vec2::Zero();  ///< of attack, from the centre of a [m]
  /// On a, on b: force x, y [N], torque about the centre [N m]. The forces are opposite.
  std::array<Motion, 2> on = {Motion::Zero(), Motion::Zero()};
  double normal = 0.0;      ///< of the force on b, cohesion included [N]
  double tangential = 0.0;  ///< of the force on b, along the normal turned by +90 degrees [N]

  Vec2 on_b() const { return linear(on[1]); }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.point, self.on, self.normal, self.tangential);
  }
};

/// The parts of a contact's force that the energy balance and the guards tell apart.
struct ForceParts {
  double normal = 0.0;      ///< normal force without cohesion [N]
  double spring = 0.0;      ///< the spring's part of it; 0 where the law cuts the force to zero [N]
  double spring_arm = 0.0;  ///< from the point of attack to the spring's own, along the tangent [m]
  /// What dissipates, times the speed of separation, beside the dashpots: the spring's force where that is cut to zero;
  /// less the spring's force where its law has no potential [N].
  double non_conservative = 0.0;
  double stiffness = 0.0;         ///< of the normal force [N/m]
  double friction_dashpot = 0.0;  ///< part of the tangential force [N]
  double rolling_dashpot = 0.0;   ///< part of rolling resistance's couple on b [N m]
  double friction_heat = 0.0;     ///< of sliding at Coulomb's limit, in the last step [J]
  double rolling_heat = 0.0;      ///< of rolling resistance at its limit, in the last step [J]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.normal, self.spring, self.spring_arm, self.non_conservative, self.stiffness, self.friction_dashpot,
            self.rolling_dashpot, self.friction_heat, self.rolling_heat);
  }
};

/// What a contact is known by, and what it remembers.
struct ContactRecord {
  std::uint32_t candidate;  ///< its place among the candidates
  BodyPair bodies;
  Image image;
  PairHint hint;
  ContactHistory history;
};

/// A contact that is over. Its candidate is that of before if the pair ended with it.
using EndedContact = ContactRecord;

/// A contact that begins: its candidate, and what the narrowphase found.
struct NewContact {
  std::uint32_t candidate;
  ContactGeometry geometry;
};

/// Pairs whose boxes overlap, sorted by key. One entry each a pair.
struct Candidates {
  std::vector<PairKey> key;
  std::vector<BodyPair> bodies;
  std::vector<PairHint> hint;       ///< where the narrowphase found the pair last time; changes its cost only
  std::vector<std::int32_t> boxes;  ///< pairs of overlapping boxes (two where both bodies stick out of one side)
  /// How the narrowphase measures the pair, a function of hint and touch that it remembers; kUnsorted: not known.
  std::vector<std::uint8_t> kind;
  static constexpr std::uint8_t kUnsorted = 0xff;

  std::size_t size() const { return key.size(); }
  /// Appends entries [begin, end) of another list.
  void append(const Candidates& other, std::size_t begin, std::size_t end);

  /// Takes entries out. @param places ascending
  void remove(std::span<const std::uint32_t> places);
  /// A pair that is new, and its place: that of the first entry that comes after it.
  struct New {
    std::uint32_t place;
    std::int32_t boxes;
    BodyPair bodies;
    PairKey key;
  };
  /// Puts entries in. @param pairs in the order of their keys
  void insert(std::span<const New> pairs);

 private:
  template <class Do>
  void for_each_property(const Do& act);
};

/// Candidate pairs, and apart from them those that touch. The history of a contact lives from the first to the last
/// step in which the bodies overlap; the hint lives as long as their boxes do.
class Contacts {
 public:
  /// Brings the candidates up to date, net: a pair that ends with one box and begins with another keeps its contact.
  /// @param changes in any order; empty afterwards
  /// @return contacts whose pairs ended, valid until the next call; bodies and places are those of before
  /// Cost: O(changes log changes), and O(candidates) from the first pair on that comes or goes.
  std::span<const EndedContact> apply(std::vector<PairChange>& changes);

  /// Ends contacts whose geometry does not touch any more, and begins others; these are new until the next call.
  /// @param found ascending by candidate, in one list or several behind one another
  /// @return contacts that ended, ascending by candidate, valid until the next call
  /// Cost: O(contacts) to look, no more if nothing begins or ends.
  std::span<const EndedContact> update(std::span<const std::vector<NewContact>> found);

  /// Whether contacts began in the last update.
  bool some_are_new() const { return some_are_new_; }

  /// After bodies moved in the arrays (pairs of those that were removed have ended). @param new_index see
  /// Bodies::remove
  void renumber(const std::vector<std::uint32_t>& new_index);

  /// Lists the contacts of every particle anew, if they changed since the last time.
  void list_by_body(std::uint32_t bodies, std::uint32_t walls);
  /// A contact of a particle.
  class Incidence {
   public:
    Incidence() = default;
    Incidence(std::uint32_t contact, bool as_b) : place_(contact * kNumbers + (as_b ? kOnB : kOnA)) {}

    std::uint32_t contact() const { return place_ / kNumbers; }
    bool as_b() const { return place_ % kNumbers == kOnB; }  ///< the particle is b
    /// x, y, torque of the force on the particle. @param forces of all contacts
    const double* force(const double* forces) const { return forces + place_; }

   private:
    static constexpr std::uint32_t kNumbers = sizeof(ContactForce) / sizeof(double);
    static constexpr std::uint32_t kOnA = offsetof(ContactForce, on) / sizeof(double);
    static constexpr std::uint32_t kOnB = kOnA + 3;

    std::uint32_t place_ = 0;
  };
  /// Contacts of a particle in the order of the partner's id (walls have the lowest), part and image. @pre listed
  std::span<const Incidence> of(std::uint32_t body) const {
    return {incidences_.data() + first_[body], incidences_.data() + first_[body + 1]};
  }

  Candidates candidates;

  // One entry a contact, in the order of the candidates.
  std::vector<std::uint32_t> candidate;  ///< ascending
  std::vector<ContactHistory> history;
  std::vector<ContactGeometry> geometry;
  std::vector<ContactForce> force;
  std::vector<ForceParts> parts;

  std::size_t size() const { return candidate.size(); }
  const BodyPair& bodies(std::size_t contact) const { return candidates.bodies[candidate[contact]]; }
  const PairKey& key(std::size_t contact) const { return candidates.key[candidate[contact]]; }
  ContactRecord record(std::size_t contact) const;
  /// The first contact whose candidate is not before this one. Cost: O(log)
  std::size_t first_from(std::size_t first_candidate) const;

  /// Gives back memory that the start took, see dem/trim.hpp.
  void trim();

  /// After loading. @throws InvalidState
  void require_sound(const Bodies& bodies) const;
  /// After loading.
  void restore() {
    listed_ = false;
    candidates.kind.assign(candidates.size(), Candidates::kUnsorted);
  }
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.candidates.key, self.candidates.bodies, self.candidates.hint, self.candidates.boxes, self.candidate,
            self.history, self.geometry, self.force, self.parts);
  }

 private:
  void renumber_candidates();
  void end_apart();
  void erase_ended();
  template <class Do>
  void for_each_property(const Do& act);

  bool listed_ = false;
  bool some_are_new_ = false;
  std::vector<std::uint32_t> first_ = {0};
  std::vector<Incidence> incidences_;
  // Kept for their memory.
  std::vector<Candidates::New> begun_;
  std::vector<std::uint32_t> gone_;
  std::vector<EndedContact> ended_;
};

/// Sum of the contact forces on a body, in their fixed order: x, y [N], torque [N m].
inline Motion net_force(const Contacts& contacts, std::uint32_t body) {
  Motion sum = Motion::Zero();
  const double* const forces = contacts.force.empty() ? nullptr : contacts.force.front().point.data();
  for (const Contacts::Incidence incidence : contacts.of(body)) {
    sum += Eigen::Map<const Motion>(incidence.force(forces));
  }
  return sum;
}

/// The same on a particle: on a clump, those on its parts in their order, with their torques about its centroid.
inline Motion net_force(const Bodies& bodies, const Contacts& contacts, std::uint32_t body) {
  if (!bodies.is_clump(body)) return net_force(contacts, body);
  Motion sum = Motion::Zero();
  const Rotation rotation = Rotation::by(bodies.position[body].z());
  for (std::uint32_t part = body + 1; part < bodies.size() && bodies.part[part] > 0; ++part) {
    if (contacts.of(part).empty()) continue;
    const Motion force = net_force(contacts, part);
    sum += force + Motion(0.0, 0.0, cross(rotation * bodies.arm[part], linear(force)));
  }
  return sum;
}

}  // namespace scree::soft
