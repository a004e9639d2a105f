#pragma once

#include <cstddef>
#include <vector>

#include "dem/hard/reversible/collisions.hpp"
#include "geometry/vec.hpp"

namespace scree::hard::reversible {

/// Any number of particles in 2 dimensions that touch one another and walls, in one collision: for more of them than
/// there are operators in closed form (collisions.hpp). Energy is conserved, and what of the momentum no wall takes:
/// all without walls, that along them if they are parallel, none in a corner.
///
/// The state turns in one plane of the space of relative velocities after the other, each time by a random part of the
/// arcs on which all contacts separate. Each turn is one to one and keeps areas on the energy shell: so velocities that
/// are uniform on the part of it that the contacts allow stay so. Other than those of the operators in closed form, the
/// velocities after one collision are not independent of those before it, and more numbers are drawn than there are
/// degrees of freedom. Cost: of the order of numbers() times the contacts.
class ManyInPlane {
 public:
  using Velocities = std::vector<Vec2>;
  using Numbers = std::vector<double>;
  struct Pair {
    std::size_t first;
    std::size_t second;
    Vec2 to_first;  ///< vector from the second to the first, of any length but 0
  };
  struct AtWall {
    std::size_t particle;
    Vec2 inward;  ///< the wall's normal, away from it, of length 1
  };

  /// @param masses [kg]; std::invalid_argument without contacts, or with one of a particle that is not there
  ManyInPlane(const std::vector<double>& masses, const std::vector<Pair>& pairs, const std::vector<AtWall>& at_walls);

  /// In [0, 1), that a collision draws: one for each pair of the m dimensions of relative velocities, m (m - 1) / 2.
  std::size_t numbers() const { return frame_.size() * (frame_.size() - 1) / 2; }
  std::size_t dimensions() const { return frame_.size(); }  ///< m

  /// @param before velocities that approach, or graze, at each contact [m/s]
  Velocities forward(const Velocities& before, const Numbers& numbers) const {
    return apply(before, numbers, Direction::forward);
  }
  Velocities reverse(const Velocities& after, const Numbers& numbers) const {
    return apply(after, numbers, Direction::reverse);
  }

 private:
  using Coordinates = std::vector<double>;

  Velocities apply(const Velocities& v, const Numbers& numbers, Direction direction) const;
  void turn(Coordinates& q, std::size_t i, std::size_t j, double number, Direction direction) const;

  std::vector<double> root_masses_;
  std::vector<Coordinates> frame_;     ///< orthonormal, of relative velocities, each times the root of its mass
  std::vector<Coordinates> openings_;  ///< in the frame: the directions in which the contacts open fastest
};

/// The next collision: draws numbers().
template <ReversibleStream Stream>
ManyInPlane::Velocities collide(const ManyInPlane& contact, const ManyInPlane::Velocities& before, Stream& stream) {
  ManyInPlane::Numbers numbers(contact.numbers());
  for (double& number : numbers) number = stream.next();
  return contact.forward(before, numbers);
}

/// Undoes the last collision: puts numbers() back.
template <ReversibleStream Stream>
ManyInPlane::Velocities uncollide(const ManyInPlane& contact, const ManyInPlane::Velocities& after, Stream& stream) {
  ManyInPlane::Numbers numbers(contact.numbers());
  for (std::size_t k = numbers.size(); k-- > 0;) numbers[k] = stream.previous();
  return contact.reverse(after, numbers);
}

}  // namespace scree::hard::reversible
