#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The name of a pair of bodies.
inline PairKey key_of(const Bodies& bodies, const BodyPair& pair, const Image& image) {
  return {.a = bodies.id[pair.a],
          .b = bodies.id[pair.b],
          .part_a = bodies.part_number(pair.a),
          .part_b = bodies.part_number(pair.b),
          .image = image};
}

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
  double relative_angular_velocity = 0.0;  ///< of b less that of a, after the last step [rad/s]
  double max_depth_ratio = 0.0;            ///< largest depth since the first touch, over the smaller grain's diameter
  bool sliding = false;                    ///< friction was at Coulomb's limit in the last step
  bool rolling = false;                    ///< rolling resistance was at its limit in the last step
  bool is_new = false;                     ///< the last step is the first one of the contact

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.tangential_displacement, self.tangential_velocity, self.relative_angular_velocity,
            self.max_depth_ratio, self.sliding, self.rolling, self.is_new);
  }
};

/// How two bodies overlap.
struct ContactGeometry {
  Overlap overlap;     ///< in world directions, points from the centre of a; does not touch: the contact ends
  Vec2 branch_vector;  ///< from the centre of a to that of b's image [m]
  double depth_ratio;  ///< depth over the smaller grain's diameter
};

/// Part of a contact's geometry: what only its force depends on, see Overlap.
struct ContactRegion {
  double area;
  double depth;
  Vec2 centroid;
  Vec2 chord_begin;
  Vec2 chord_end;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.area, self.depth, self.centroid, self.chord_begin, self.chord_end);
  }
};
inline ContactRegion region_of(const ContactGeometry& geometry) {
  const Overlap& overlap = geometry.overlap;
  return {overlap.area, overlap.depth, overlap.centroid, overlap.chord_begin, overlap.chord_end};
}

/// The rest of it, and what tells whether the chord jumps in the next step.
struct ContactAxes {
  Vec2 normal;         ///< see Overlap
  Vec2 branch_vector;  ///< see ContactGeometry [m]
  double depth_ratio;
  Eigen::Vector2f chord;  ///< of two polygons, in the frame of a; 0 with a disk [m]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.normal, self.branch_vector, self.depth_ratio, self.chord);
  }
};
inline ContactAxes axes_of(const ContactGeometry& geometry, const Vec2& chord) {
  return {geometry.overlap.normal, geometry.branch_vector, geometry.depth_ratio, chord.cast<float>()};
}

inline ContactGeometry geometry_of(const ContactRegion& region, const ContactAxes& axes) {
  return {.overlap = {.area = region.area,
                      .depth = region.depth,
                      .centroid = region.centroid,
                      .normal = axes.normal,
                      .chord_begin = region.chord_begin,
                      .chord_end = region.chord_end},
          .branch_vector = axes.branch_vector,
          .depth_ratio = axes.depth_ratio};
}

/// Regions of successive contacts, from `first` to the one before `last`.
struct RegionWindow {
  std::uint32_t first;
  std::uint32_t last;
  ContactRegion* of_first;

  ContactRegion& operator[](std::size_t contact) const { return of_first[contact - first]; }
};

/// Force and torques of a contact.
struct ContactForce {
  Vec2 on_b = Vec2::Zero();                   ///< on a: the opposite [N]
  std::array<double, 2> torque = {0.0, 0.0};  ///< on a, on b, about their centres [N m]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.on_b, self.torque);
  }
};

/// Where it attacks, and the parts of it that the energy balance, the guards and driven walls distinguish. No sum of
/// the forces on a particle reads these.
struct ForceParts {
  Vec2 point = Vec2::Zero();  ///< of attack, from the centre of a [m]
  double normal = 0.0;        ///< of the force on b, without cohesion, see with_cohesion() [N]
  double tangential = 0.0;    ///< of the force on b, along the normal turned by +90 degrees [N]
  double spring = 0.0;        ///< the spring's part of the normal force; 0 where the law cuts the force to zero [N]
  double spring_arm = 0.0;    ///< from the point of attack to the spring's own, along the tangent [m]
  /// What dissipates, times the speed of separation, beside the dashpots: the spring's force where that is cut to zero;
  /// less the spring's force where its law has no potential [N].
  double non_conservative = 0.0;
  double stiffness = 0.0;         ///< of the normal force [N/m]
  double friction_dashpot = 0.0;  ///< part of the tangential force [N]
  double friction_heat = 0.0;     ///< of sliding at Coulomb's limit, in the last step [J]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.point, self.normal, self.tangential, self.spring, self.spring_arm, self.non_conservative,
            self.stiffness, self.friction_dashpot, self.friction_heat);
  }
};

/// What rolling resistance remembers, and the parts of its couple; where no pair of materials resists rolling there
/// are none.
struct RollingResistance {
  double displacement = 0.0;  ///< elongation of its spring [m]
  double dashpot = 0.0;       ///< part of its couple on b [N m]
  double heat = 0.0;          ///< of rolling at its limit, in the last step [J]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.displacement, self.dashpot, self.heat);
  }
};

/// What a contact is known by, and what it remembers.
struct ContactRecord {
  std::uint32_t contact;    ///< its place among the contacts
  std::uint32_t candidate;  ///< its place among the candidates
  BodyPair bodies;
  Image image;
  PairHint hint;
  ContactHistory history;
  double rolling_displacement = 0.0;  ///< see RollingResistance
};

/// A contact that is over. Its places are those of before it ended, that of its candidate only if the pair ended, too.
using EndedContact = ContactRecord;

/// A contact that begins: its candidate, and what the narrowphase found.
struct NewContact {
  std::uint32_t candidate;
  ContactGeometry geometry;
  Vec2 chord = Vec2::Zero();  ///< of two polygons, in the frame of a [m]
};

/// A PairHint in half the memory. Features from 65535 on, which no outline that a scene may have has, become that:
/// no feature.
using ShortHint = std::array<std::uint16_t, 4>;
inline ShortHint shortened(const PairHint& hint) {
  const auto half = [](std::uint32_t feature) {
    return static_cast<std::uint16_t>(std::min<std::uint32_t>(feature, 0xffff));
  };
  return {half(hint.features.a), half(hint.features.b), half(hint.leaving.a), half(hint.leaving.b)};
}
inline PairHint whole(const ShortHint& hint) {
  return {{hint[0], hint[1]}, {hint[2], hint[3]}};
}

/// Pairs whose boxes overlap, sorted by key, which follows from bodies and image. One entry each a pair.
struct Candidates {
  std::vector<BodyPair> bodies;
  std::vector<Image> image;         ///< see PairKey; empty as long as all are 0
  std::vector<ShortHint> hint;      ///< where the narrowphase found the pair last time; changes its cost only
  std::vector<std::uint8_t> boxes;  ///< pairs of overlapping boxes (two where both bodies stick out of one side)
  /// How the narrowphase measures the pair, a function of hint and touch that it remembers; kUnsorted: not known.
  std::vector<std::uint8_t> kind;
  static constexpr std::uint8_t kUnsorted = 0xff;

  std::size_t size() const { return bodies.size(); }
  Image image_of(std::size_t candidate) const { return image.empty() ? Image{0, 0} : image[candidate]; }
  /// @param of_memory the bodies as they are in the arrays
  PairKey key(const Bodies& of_memory, std::size_t candidate) const {
    return key_of(of_memory, bodies[candidate], image_of(candidate));
  }
  /// Appends entries [begin, end) of another list.
  void append(const Candidates& other, std::size_t begin, std::size_t end);

  /// Takes entries out. @param places ascending
  void remove(std::span<const std::uint32_t> places);
  /// A pair that is new, and its place: that of the first entry that comes after it.
  struct New {
    std::uint32_t place;
    std::uint8_t boxes;
    BodyPair bodies;
    Image image;
  };
  /// Puts entries in. @param pairs in the order of their keys
  void insert(std::span<const New> pairs);

 private:
  template <class Do>
  void for_each_property(bool with_images, const Do& act);
};

/// Successive candidates in the order of the kernels that measure them, each with its contact: what the narrowphase
/// remembers as long as no place of a candidate or contact changes, and no kind of these.
struct SortedPairs {
  static constexpr std::uint32_t kPairs = 256;  ///< candidates that are sorted together
  bool are_known = false;
  std::vector<std::uint32_t> candidate;
  std::vector<std::uint32_t> contact;
  std::array<std::uint16_t, 16> first{};  ///< those of each kind begin there, the last ones end at the last number
};

/// Candidate pairs, and apart from them those that touch. The history of a contact lives from the first to the last
/// step in which the bodies overlap; the hint lives as long as their boxes do.
class Contacts {
 public:
  using See = std::function<void(std::span<const std::uint32_t> contacts)>;
  /// Brings the candidates up to date, net: a pair that ends with one box and begins with another keeps its contact.
  /// @param changes in any order; empty afterwards  @param of_memory the bodies as they are in the arrays
  /// @return contacts whose pairs ended, ascending, valid until the next call; bodies and places are those of before
  /// @param see is called with the contacts that end, ascending, while they are there; with none not at all
  /// Cost: O(changes log changes), and O(candidates) from the first pair on that comes or goes.
  std::span<EndedContact> apply(std::vector<PairChange>& changes, const Bodies& of_memory, const See& see = {});

  /// Contacts that are new are so no more. The next update does this, too.
  void age();
  /// Ends some contacts, and begins others; these are new until the next call.
  /// @param found ascending by candidate, in one list or several behind one another
  /// @param apart places of contacts whose bodies do not touch any more, ascending
  /// @return contacts that ended, ascending by candidate, valid until the next call
  /// Cost: O(contacts) if some begin or are apart, or began before others ended; else O(1)
  std::span<const EndedContact> update(std::span<const std::vector<NewContact>> found,
                                       std::span<const std::uint32_t> apart);

  /// Ends more of them in the same step. @param places of contacts, ascending
  void end(std::span<const std::uint32_t> places);
  /// Contacts that ended in the last update, and since then. Valid until the next one.
  std::span<const EndedContact> ended() const { return ended_; }

  /// Places of contacts that began in the last update, ascending, as it left them.
  std::span<const std::uint32_t> begun() const { return begun_; }
  /// How often places of candidates or contacts changed.
  std::uint64_t changes() const { return changes_; }

  /// Contents (histories, geometry and forces) of contacts between particles are elsewhere from now on, until
  /// take_back(): here they have no meaning, and do not follow when places change. @param walls how many bodies are
  /// some
  void leave_particles(std::uint32_t walls) { first_elsewhere_ = walls; }
  /// They are here again.
  void take_back() {
    if (first_elsewhere_ == kNowhere) return;
    first_elsewhere_ = kNowhere;
    called_new_ = CalledNew::any;
  }

  /// After bodies moved in the arrays (pairs of those that were removed have ended). @param new_index see
  /// Bodies::remove
  void renumber(const std::vector<std::uint32_t>& new_index);

  /// Contacts with walls, ascending; looked for anew if contacts changed since the last time.
  std::span<const std::uint32_t> at_walls(std::uint32_t walls);
  /// Lists the contacts of every particle anew, if they changed since the last time.
  void list_by_body(std::uint32_t bodies, std::uint32_t walls);
  /// A contact of a particle.
  class Incidence {
   public:
    Incidence() = default;
    Incidence(std::uint32_t contact, bool as_b) : place_(kNumbers * contact + (as_b ? 1 : 0)) {}

    std::uint32_t contact() const { return place_ / kNumbers; }
    bool as_b() const { return place_ % kNumbers == 1; }  ///< the particle is b
    /// Adds the force on the particle to sums. @param forces of all contacts  @param linear [N]  @param angular [N m]
    void add_to(const double* forces, Vec2& linear, double& angular) const {
      static constexpr double kSign[] = {-1.0, 1.0};
      const std::uint32_t side = place_ % 2;
      const double* const of_contact = forces + (place_ - side);
      linear += kSign[side] * Eigen::Map<const Vec2, Eigen::Aligned16>(of_contact + kOnB);
      angular += of_contact[kTorque + side];
    }

   private:
    static constexpr std::uint32_t kNumbers = sizeof(ContactForce) / sizeof(double);
    static constexpr std::uint32_t kOnB = offsetof(ContactForce, on_b) / sizeof(double);
    static constexpr std::uint32_t kTorque = offsetof(ContactForce, torque) / sizeof(double);

    std::uint32_t place_ = 0;  // of its force among those of all contacts, in numbers; + 1: on b
  };
  /// Whether they are listed for so many bodies, as contacts are now.
  bool are_listed(std::uint32_t bodies) const {
    return by_body_.are_listed && by_body_.first.size() == bodies + std::size_t{1};
  }
  /// Contacts of a particle in the order of the partner's id (walls have the lowest), part and image. @pre listed
  std::span<const Incidence> of(std::uint32_t body) const {
    return {by_body_.incidences.data() + by_body_.first[body], by_body_.incidences.data() + by_body_.first[body + 1]};
  }

  Candidates candidates;
  std::vector<SortedPairs> sorted;  ///< of the narrowphase

  // One entry a contact, in the order of the candidates.
  std::vector<std::uint32_t> candidate;  ///< ascending
  std::vector<ContactHistory> history;
  std::vector<ContactAxes> axes;
  std::vector<ContactForce> force;
  std::vector<ForceParts> parts;
  std::vector<RollingResistance> rolling;  ///< empty as long as there is none
  std::vector<ContactRegion> region;       ///< see have_regions()
  /// What is left of each dashpot where a grain touches a partner with several parts, see share_dashpots(); a function
  /// of the geometry, renewed before forces are computed. Empty if there are no clumps.
  std::vector<double> dashpot_share;
  double share_of_dashpot(std::size_t contact) const { return dashpot_share.empty() ? 1.0 : dashpot_share[contact]; }
  /// Velocity of the image of b relative to b in the present step; empty unless the periodic cell deforms [m/s].
  std::vector<Vec2> image_velocity;
  /// Renews these.
  void follow(const Periodic& periodic, const Bodies& bodies);

  /// Whether there is a region of each contact. Else the narrowphase measures it anew where it is read.
  bool have_regions() const { return regions_are_kept_; }
  /// There is one from now on. Where there was none, they have no meaning yet.
  void keep_regions() {
    regions_are_kept_ = true;
    region.resize(size());
  }
  /// There is none from now on, and they take no memory.
  void drop_regions() {
    regions_are_kept_ = false;
    if (!region.empty()) region = std::vector<ContactRegion>();
  }
  RegionWindow all_regions() { return {0, static_cast<std::uint32_t>(size()), region.data()}; }
  /// @pre have_regions()
  ContactGeometry geometry(std::size_t contact) const { return geometry_of(region[contact], axes[contact]); }

  std::size_t size() const { return candidate.size(); }
  const BodyPair& bodies(std::size_t contact) const { return candidates.bodies[candidate[contact]]; }
  PairKey key(const Bodies& of_memory, std::size_t contact) const {
    return candidates.key(of_memory, candidate[contact]);
  }
  Image image(std::size_t contact) const { return candidates.image_of(candidate[contact]); }
  ContactRecord record(std::size_t contact) const;
  double rolling_displacement(std::size_t contact) const {
    return rolling.empty() ? 0.0 : rolling[contact].displacement;
  }
  /// From now on there is rolling resistance.
  void resist_rolling() { rolling.resize(size()); }
  /// Gives a contact the history of another one.
  void remember(std::size_t contact, const ContactHistory& of_history, double of_rolling_displacement);
  /// The first contact whose candidate is not before this one. Cost: O(log)
  std::size_t first_from(std::size_t first_candidate) const;

  /// Gives back memory that the start took, see dem/trim.hpp.
  void trim();

  /// After loading. @throws InvalidState
  void require_sound(const Bodies& bodies) const;
  /// After loading.
  void restore();
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.candidates.bodies, self.candidates.image, self.candidates.hint, self.candidates.boxes, self.candidate,
            self.history, self.region, self.axes, self.force, self.parts, self.rolling);
  }

 private:
  /// Candidates or contacts have others.
  void forget_places() {
    ++changes_;
    if (called_new_ == CalledNew::begun) called_new_ = CalledNew::any;
    by_body_.are_listed = false;
    walls_are_known_ = false;
    for (SortedPairs& pairs : sorted) pairs.are_known = false;
  }
  void see_ending(const See& see) const;
  void renumber_candidates();
  void erase_ended();
  bool are_here(std::size_t contact) const {
    return first_elsewhere_ == kNowhere || bodies(contact).b < first_elsewhere_;
  }
  template <class Do>
  void for_each_content(const Do& act);
  void move(std::size_t from, std::size_t to);

  bool regions_are_kept_ = true;
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  std::uint32_t first_elsewhere_ = kNowhere;  // contents of contacts with partners from this body on
  std::uint64_t changes_ = 0;
  bool walls_are_known_ = false;
  // By their histories. Begun: those of begun_, which are where they began.
  enum class CalledNew : std::uint8_t { none, begun, any } called_new_ = CalledNew::none;
  struct ByBody {
    bool are_listed = false;
    std::vector<std::uint32_t> first = {0};
    std::vector<Incidence> incidences;
  } by_body_;
  std::vector<std::uint32_t> at_walls_;
  // Kept for their memory.
  std::vector<Candidates::New> begun_pairs_;
  std::vector<std::uint32_t> begun_;
  std::vector<std::uint32_t> gone_;
  std::vector<EndedContact> ended_;
};

/// Sum of the contact forces on a body, in their fixed order: x, y [N], torque [N m].
inline Motion net_force(const Contacts& contacts, std::uint32_t body) {
  Vec2 force = Vec2::Zero();
  double torque = 0.0;
  const double* const forces = contacts.force.empty() ? nullptr : contacts.force.front().on_b.data();
  for (const Contacts::Incidence incidence : contacts.of(body)) incidence.add_to(forces, force, torque);
  return {force.x(), force.y(), torque};
}

/// Net force on a particle: on a clump, those on its parts in their order, with their torques about its centroid.
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

/// The same. @param known of all bodies, or empty
inline Motion net_force(const Bodies& bodies, const Contacts& contacts, std::uint32_t body,
                        std::span<const Motion> known) {
  return known.empty() ? net_force(bodies, contacts, body) : known[body];
}

}  // namespace scree::soft
