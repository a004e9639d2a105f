#pragma once

#include <array>
#include <cstddef>
#include <variant>

#include <Eigen/Dense>

#include "dem/hard/reversible/random_streams.hpp"
#include "dem/hard/reversible/regions.hpp"
#include "geometry/vec.hpp"

// Elastic collisions with random scattering that run backwards without memory: K. S. Perumalla & V. A. Protopopescu,
// "Reversible simulations of elastic collisions", ACM TOMACS 23 (2013). See docs/reversible.md.
//
// forward() takes velocities before a collision [m/s] and d_n numbers in [0, 1) to velocities after it; reverse() takes
// these and the same numbers back. Momentum and energy are conserved to rounding. If the numbers are uniform, the
// velocities after the collision are uniform on the part of the energy shell on which all touching particles separate,
// whatever they were before (the microcanonical measure; masses may differ). Particles must approach, or graze, at each
// contact; where they have no relative velocity, forward() and reverse() change nothing.
namespace scree::hard::reversible {

enum class Direction { forward, reverse };

/// What all have. @tparam Contact the class that derives from this one, with apply() for both directions
template <class Contact, class Velocity, std::size_t kParticles, std::size_t kDrawn>
class Collision {
 public:
  static constexpr std::size_t kNumbers = kDrawn;  ///< d_n
  using Velocities = std::array<Velocity, kParticles>;
  using Numbers = std::array<double, kNumbers>;

  Velocities forward(const Velocities& before, const Numbers& numbers) const {
    return static_cast<const Contact&>(*this).apply(before, numbers, Direction::forward);
  }
  Velocities reverse(const Velocities& after, const Numbers& numbers) const {
    return static_cast<const Contact&>(*this).apply(after, numbers, Direction::reverse);
  }
};

/// 2 particles in 1 dimension: the relative velocity changes its sign.
class TwoOnLine : public Collision<TwoOnLine, double, 2, 0> {
 public:
  explicit TwoOnLine(const std::array<double, 2>& masses) : masses_(masses) {}  ///< [kg]

 private:
  friend Collision;
  Velocities apply(const Velocities& v, const Numbers& numbers, Direction direction) const;

  std::array<double, 2> masses_;
};

/// 2 particles in 2 dimensions: the paper's procedures 1 and 2.
class TwoInPlane : public Collision<TwoInPlane, Vec2, 2, 1> {
 public:
  /// @param masses [kg]; @param r21 vector from particle 2 to particle 1, of any length but 0
  TwoInPlane(const std::array<double, 2>& masses, const Vec2& r21);

 private:
  friend Collision;
  Velocities apply(const Velocities& v, const Numbers& numbers, Direction direction) const;

  std::array<double, 2> masses_;
  Vec2 normal_;
};

/// TwoInPlane without angles: the relative velocity is turned by 2 pi G, and reversed where it would not separate the
/// particles. Three times as fast as TwoInPlane. A pair that grazes to rounding may come back reversed.
class TwoInPlaneByRotation : public Collision<TwoInPlaneByRotation, Vec2, 2, 1> {
 public:
  /// @param masses [kg]; @param r21 vector from particle 2 to particle 1, of any length but 0
  TwoInPlaneByRotation(const std::array<double, 2>& masses, const Vec2& r21) : masses_(masses), r21_(r21) {}

 private:
  friend Collision;
  Velocities apply(const Velocities& v, const Numbers& numbers, Direction direction) const;

  std::array<double, 2> masses_;
  Vec2 r21_;
};

/// 2 particles in 3 dimensions.
class TwoInSpace : public Collision<TwoInSpace, Eigen::Vector3d, 2, 2> {
 public:
  /// @param masses [kg]; @param r21 vector from particle 2 to particle 1, of any length but 0
  TwoInSpace(const std::array<double, 2>& masses, const Eigen::Vector3d& r21);

 private:
  friend Collision;
  Velocities apply(const Velocities& v, const Numbers& numbers, Direction direction) const;

  std::array<double, 2> masses_;
  Eigen::Matrix3d frame_;  ///< columns: the normal and two tangents
};

/// 2 particles in 2 dimensions that touch each other while one or both touch a wall: what the paper's section 2.2 has
/// as a sequence. The wall takes momentum, so that only that along it is conserved; energy is.
class TwoAtWall : public Collision<TwoAtWall, Vec2, 2, 2> {
 public:
  /// @param masses [kg]; @param r21 vector from particle 2 to particle 1, of any length but 0
  /// @param inward the wall's normal, away from it, of length 1; @param at_wall whether particle 1, particle 2 touches
  /// it;
  ///        std::invalid_argument if neither does
  TwoAtWall(const std::array<double, 2>& masses, const Vec2& r21, const Vec2& inward, std::array<bool, 2> at_wall);

 private:
  friend Collision;
  Velocities apply(const Velocities& v, const Numbers& numbers, Direction direction) const;

  std::array<double, 2> root_masses_;
  Eigen::Matrix<double, 4, 3>
      frame_;  ///< of the velocities, each times the root of its mass, but for those along the wall
  std::variant<Lune, Corner> region_;  ///< two contacts, three contacts
};

/// 3 particles in 1 dimension: left, centre and right, both pairs in contact; the paper's procedures 3 and 4.
class ThreeOnLine : public Collision<ThreeOnLine, double, 3, 1> {
 public:
  explicit ThreeOnLine(const std::array<double, 3>& masses);  ///< [kg]

 private:
  friend Collision;
  Velocities apply(const Velocities& v, const Numbers& numbers, Direction direction) const;

  std::array<double, 3> root_masses_;
  Eigen::Matrix<double, 3, 2> frame_;  ///< of the relative velocities, each times the root of its mass
  Arc arc_;
};

/// Which pairs of three particles are in contact: at least two of them.
struct Contacts {
  bool p1_p2 = true;
  bool p2_p3 = true;
  bool p3_p1 = true;
};

/// 3 particles in 2 dimensions: all three in contact (the paper's configurations C1 and C2), or two of the three pairs
/// (C3 and C4). The radii may differ.
class ThreeInPlane : public Collision<ThreeInPlane, Vec2, 3, 3> {
 public:
  /// @param masses [kg]; @param centres [m]; std::invalid_argument if fewer than two pairs are in contact
  ThreeInPlane(const std::array<double, 3>& masses, const std::array<Vec2, 3>& centres, const Contacts& contacts);

 private:
  friend Collision;
  Velocities apply(const Velocities& v, const Numbers& numbers, Direction direction) const;

  std::array<double, 3> root_masses_;
  Eigen::Matrix<double, 6, 4> frame_;    ///< of the relative velocities, each times the root of its mass
  std::variant<Wedge, Spindle> region_;  ///< two contacts, three contacts
};

/// The next collision: draws exactly d_n numbers.
template <class Contact, ReversibleStream Stream>
typename Contact::Velocities collide(const Contact& contact, const typename Contact::Velocities& before,
                                     Stream& stream) {
  return contact.forward(before, draw<Contact::kNumbers>(stream));
}

/// Undoes the last collision: puts exactly d_n numbers back.
template <class Contact, ReversibleStream Stream>
typename Contact::Velocities uncollide(const Contact& contact, const typename Contact::Velocities& after,
                                       Stream& stream) {
  return contact.reverse(after, put_back<Contact::kNumbers>(stream));
}

}  // namespace scree::hard::reversible
