#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"
#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "geometry/closest_features.hpp"
#include "geometry/overlap.hpp"

namespace scree::soft {

/// Two bodies that may touch: a is a particle, b a particle of greater index or a wall, seen in the periodic image that
/// lies `image` periods from a's (in unwrapped positions, so that wrapping changes no name).
struct PairKey {
  std::uint32_t a;
  std::uint32_t b;
  Image image;
  auto operator<=>(const PairKey&) const = default;
};

/// What is remembered from step to step: the hint as long as the boxes overlap, the rest as long as the bodies do.
struct PairMemory {
  PairHint hint;
  std::int32_t boxes = 0;        ///< pairs of boxes that support this pair (two where both stick out of the same side)
  bool touching = false;         ///< in the last step
  bool begun = false;            ///< likewise, and not in the step before
  bool sliding = false;          ///< in the last step
  bool rolling = false;          ///< rolling resistance was at its limit in the last step
  bool parted = false;           ///< the bodies touched in the step before the last, and not in the last
  double spring = 0.0;           ///< elongation of the friction spring along the tangent [m]
  double slip = 0.0;             ///< of b against a along the tangent, after the last step [m/s]
  double rolling_spring = 0.0;   ///< elongation of the spring of rolling resistance [m]
  double spin = 0.0;             ///< angular velocity of b less that of a, after the last step [rad/s]
  double max_depth_ratio = 0.0;  ///< largest depth since the first touch, over the smaller grain's diameter
  Eigen::Vector2f chord = Eigen::Vector2f::Zero();  ///< of polygons in the last step, in the frame of a [m]
};

/// A contact as found in the last step; only those that touch mean anything. Vectors in world coordinates.
struct PairContact {
  Overlap overlap;          ///< points from the centre of a [m]
  Vec2 to_b;                ///< from the centre of a to that of b's image [m]
  Vec2 point;               ///< of attack, from the centre of a [m]
  double depth_ratio;       ///< depth over the smaller grain's diameter
  double force_normal;      ///< of b, cohesion included [N]
  double force_tangential;  ///< on b, along the normal turned by +90 degrees [N]
};

/// Force and torques of a contact, as the bodies feel them.
struct PairForce {
  Vec2 on_b = Vec2::Zero();  ///< on a: the opposite [N]
  double torque_a = 0.0;     ///< about the centre of a [N m]
  double torque_b = 0.0;
};

/// What a contact's force is made of, for the energy ledger: as found in the last step.
struct PairWork {
  double normal = 0.0;            ///< normal force without cohesion [N]
  double spring = 0.0;            ///< its spring's part; 0 where the force is cut to nothing [N]
  double spring_arm = 0.0;        ///< from the point of attack to the spring's own, along the tangent [m]
  double law = 0.0;               ///< of a spring cut to nothing; less that of one without a potential [N]
  double stiffness = 0.0;         ///< of the normal force [N/m]
  double friction_dashpot = 0.0;  ///< of the tangential force [N]
  double rolling_dashpot = 0.0;   ///< of rolling resistance's couple on b [N m]
  double slid = 0.0;              ///< heat of friction at Coulomb's limit [J]
  double rolled = 0.0;            ///< heat of rolling resistance at its limit [J]
  double erased = 0.0;            ///< where bodies parted: what was left in the tangential springs [J]
};

/// A pair that went, with its memory.
struct Parted {
  PairKey key;
  PairMemory memory;
};

/// The candidate pairs, sorted by key, and for every particle the list of its pairs in the order (partner, image).
class Contacts {
 public:
  /// Takes note of what the broadphase reported; follow() carries it out.
  void note(const PairChanges& changes, const Proxies& proxies, const Bodies& bodies);
  /// Brings the candidates up to date with all that was noted since the last time, net: a pair that ended with one box
  /// and began with another keeps its memory. @param bodies number of bodies
  /// @return the pairs that went while touching, valid until the next call
  std::span<const Parted> follow(std::uint32_t bodies, std::uint32_t walls);
  /// After bodies were removed (their pairs have ended).
  void renumber(const std::vector<std::uint32_t>& new_index, std::uint32_t bodies, std::uint32_t walls);

  /// Finds the list of every particle's pairs anew, and makes room for what is found about pairs (after the keys were
  /// loaded).
  void index(std::uint32_t bodies, std::uint32_t walls);

  std::size_t size() const { return keys.size(); }

  /// Pairs of a particle in the fixed order (partner, image); walls have the lowest numbers.
  struct Incidence {
    std::uint32_t pair : 31;
    std::uint32_t as_b : 1;  ///< the particle is the pair's b
  };
  std::span<const Incidence> of(std::uint32_t body) const {
    return {incidences_.data() + first_[body], incidences_.data() + first_[body + 1]};
  }

  // One entry a candidate pair, all of the same length.
  std::vector<PairKey> keys;
  std::vector<PairMemory> memory;
  std::vector<PairContact> contact;
  std::vector<PairForce> force;
  std::vector<PairWork> work;

 private:
  struct Event {
    PairKey key;
    std::int32_t change;  // +1: a pair of boxes began, -1: ended
  };
  void note(const Pair& boxes, std::int32_t change, const Proxies& proxies, const Bodies& bodies);

  std::vector<Event> events_;
  std::vector<PairKey> merged_keys_;
  std::vector<PairMemory> merged_memory_;
  std::vector<Parted> parted_;
  std::vector<std::uint32_t> first_ = {0};
  std::vector<Incidence> incidences_;
};

}  // namespace scree::soft
