#include "dem/hard/reversible/collisions.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "dem/hard/reversible/shift.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::hard::reversible {
namespace {

/// Change of a vector on the energy shell. What approaches is opposite to what separates, so the region of
/// the velocities after a collision serves for both.
/// @param frame orthonormal columns; @param y vector in their span
template <class Region, int Rows, std::size_t K>
Point<Rows> change(const Region& region, const Eigen::Matrix<double, Rows, Region::kDim>& frame, const Point<Rows>& y,
                   const std::array<double, K>& numbers, Direction direction) {
  const double sign = direction == Direction::forward ? -1.0 : 1.0;
  // Column by column: products of matrices would round otherwise on processors with fused multiply-adds.
  Point<Region::kDim> old;
  for (int k = 0; k < Region::kDim; ++k) old[k] = frame.col(k).dot(y);
  const double length = old.norm();
  if (length == 0.0) return Point<Rows>::Zero();
  std::array<double, K> x = region.encode(sign / length * old);
  for (std::size_t k = 0; k < K; ++k) {
    x[k] = direction == Direction::forward ? shift(x[k], numbers[k]) : shift_back(x[k], numbers[k]);
  }
  const Point<Region::kDim> difference = -sign * length * region.decode(x) - old;
  Point<Rows> result = Point<Rows>::Zero();
  for (int k = 0; k < Region::kDim; ++k) result += difference[k] * frame.col(k);
  return result;
}

/// Changes the relative velocity of two particles and keeps their momentum.
template <class Velocities, class Change>
Velocities with_relative_change(const Velocities& v, const std::array<double, 2>& masses, const Change& relative) {
  const double mass = masses[0] + masses[1];
  return {v[0] + masses[1] / mass * relative, v[1] - masses[0] / mass * relative};
}

/// Appends a vector to the first `count` orthonormal columns, less its components along them. Twice is enough.
template <int R, int C>
void append(Eigen::Matrix<double, R, C>& columns, int count, Point<R> v) {
  for (int round = 0; round < 2; ++round) {
    for (int k = 0; k < count; ++k) v -= columns.col(k).dot(v) * columns.col(k);
    v.normalize();
  }
  columns.col(count) = v;
}

/// Appends the unit vector that is furthest from the first `count` columns.
template <int R, int C>
void append_any(Eigen::Matrix<double, R, C>& columns, int count) {
  Eigen::Index furthest = 0;
  columns.leftCols(count).rowwise().squaredNorm().minCoeff(&furthest);
  append<R, C>(columns, count, Point<R>::Unit(furthest));
}

/// The direction in which the contact of particles i and j opens fastest, in velocities times roots of masses.
template <int Dim>
Point<3 * Dim> opening(const std::array<double, 3>& root_masses, int i, int j, const Point<Dim>& from_j_to_i) {
  Point<3 * Dim> k = Point<3 * Dim>::Zero();
  k.template segment<Dim>(Dim * i) = from_j_to_i / root_masses[i];
  k.template segment<Dim>(Dim * j) = -from_j_to_i / root_masses[j];
  return k.normalized();
}

/// The arc of directions whose products with both unit vectors are positive.
template <int R>
Arc arc_of(const Point<R>& k1, const Point<R>& k2) {
  const double cosine = k1.dot(k2);
  return Arc(cosine, (k2 - cosine * k1).norm());
}

std::array<double, 3> roots(const std::array<double, 3>& masses) {
  return {std::sqrt(masses[0]), std::sqrt(masses[1]), std::sqrt(masses[2])};
}

/// Velocities relative to the centre of mass, each times the root of its mass.
template <int Dim, class Velocities>
Point<3 * Dim> relative(const std::array<double, 3>& root_masses, const Velocities& v) {
  Point<Dim> momentum = Point<Dim>::Zero();
  double mass = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    momentum += root_masses[i] * root_masses[i] * Point<Dim>(v[i]);
    mass += root_masses[i] * root_masses[i];
  }
  Point<3 * Dim> y;
  for (std::size_t i = 0; i < 3; ++i) {
    y.template segment<Dim>(Dim * static_cast<int>(i)) = root_masses[i] * (Point<Dim>(v[i]) - momentum / mass);
  }
  return y;
}

}  // namespace

// --- two particles
// ----------------------------------------------------------------------------------------------------

TwoOnLine::Velocities TwoOnLine::apply(const Velocities& v, const Numbers&, Direction) const {
  return with_relative_change(v, masses_, -2.0 * (v[0] - v[1]));
}

TwoInPlane::TwoInPlane(const std::array<double, 2>& masses, const Vec2& r21)
    : masses_(masses), normal_(r21.normalized()) {}

TwoInPlane::Velocities TwoInPlane::apply(const Velocities& v, const Numbers& numbers, Direction direction) const {
  static const Arc half_circle(1.0, 0.0);
  Eigen::Matrix2d frame;
  frame << normal_, perp(normal_);
  return with_relative_change(v, masses_, change<Arc, 2>(half_circle, frame, v[0] - v[1], numbers, direction));
}

TwoInPlaneByRotation::Velocities TwoInPlaneByRotation::apply(const Velocities& v, const Numbers& numbers,
                                                             Direction direction) const {
  const double sign = direction == Direction::forward ? 1.0 : -1.0;
  const auto [sine, cosine] = deterministic::sincos(sign * 2.0 * std::numbers::pi * numbers[0]);
  const Vec2 old = v[0] - v[1];
  const Vec2 turned = cosine * old + sine * perp(old);
  const Vec2 relative = std::copysign(1.0, sign * r21_.dot(turned)) * turned;  // apart after it, together before it
  return with_relative_change(v, masses_, relative - old);
}

TwoInSpace::TwoInSpace(const std::array<double, 2>& masses, const Eigen::Vector3d& r21) : masses_(masses) {
  frame_.col(0) = r21.normalized();
  append_any<3, 3>(frame_, 1);
  append_any<3, 3>(frame_, 2);
}

TwoInSpace::Velocities TwoInSpace::apply(const Velocities& v, const Numbers& numbers, Direction direction) const {
  return with_relative_change(v, masses_, change<Hemisphere, 3>({}, frame_, v[0] - v[1], numbers, direction));
}

namespace {

/// In velocities times roots of masses: the directions in which the pair and the contacts with the wall open fastest.
std::vector<Point<4>> openings_at_wall(const std::array<double, 2>& root_masses, const Vec2& r21, const Vec2& inward,
                                       std::array<bool, 2> at_wall) {
  const Vec2 normal = r21.normalized();
  Point<4> pair;
  pair << normal / root_masses[0], -normal / root_masses[1];
  std::vector<Point<4>> found = {pair.normalized()};
  for (int i = 0; i < 2; ++i) {
    if (!at_wall[static_cast<std::size_t>(i)]) continue;
    found.emplace_back(Point<4>::Zero());
    found.back().segment<2>(2 * i) = inward;
  }
  if (found.size() < 2) throw std::invalid_argument("a collision at a wall needs a particle that touches it");
  return found;
}

/// The first columns span the openings; all are at right angles to a motion of both along the wall.
Eigen::Matrix<double, 4, 3> frame_at_wall(const std::array<double, 2>& root_masses, const Vec2& inward,
                                          const std::vector<Point<4>>& contacts) {
  Eigen::Matrix<double, 4, 4> all;
  Point<4> along;
  along << root_masses[0] * perp(inward), root_masses[1] * perp(inward);
  append<4, 4>(all, 0, along);
  int count = 1;
  for (const Point<4>& contact : contacts) append<4, 4>(all, count++, contact);
  while (count < 4) append_any<4, 4>(all, count++);
  return all.rightCols<3>();
}

std::variant<Lune, Corner> region_at_wall(const Eigen::Matrix<double, 4, 3>& frame,
                                          const std::vector<Point<4>>& contacts) {
  // Without what moves both along the wall: it is none of the openings' business where one of them has such a part.
  std::vector<Eigen::Vector3d> normals;
  for (const Point<4>& contact : contacts) normals.push_back((frame.transpose() * contact).normalized());
  if (normals.size() == 2) return Lune(arc_of<3>(normals[0], normals[1]));
  return Corner(SphericalTriangle({normals[0], normals[1], normals[2]}));
}

}  // namespace

TwoAtWall::TwoAtWall(const std::array<double, 2>& masses, const Vec2& r21, const Vec2& inward,
                     std::array<bool, 2> at_wall)
    : root_masses_({std::sqrt(masses[0]), std::sqrt(masses[1])}),
      frame_(frame_at_wall(root_masses_, inward, openings_at_wall(root_masses_, r21, inward, at_wall))),
      region_(region_at_wall(frame_, openings_at_wall(root_masses_, r21, inward, at_wall))) {}

TwoAtWall::Velocities TwoAtWall::apply(const Velocities& v, const Numbers& numbers, Direction direction) const {
  Point<4> y;
  y << root_masses_[0] * v[0], root_masses_[1] * v[1];
  const Point<4> difference = std::visit(
      [&](const auto& region) {
        return change<std::decay_t<decltype(region)>, 4>(region, frame_, y, numbers, direction);
      },
      region_);
  return {v[0] + difference.head<2>() / root_masses_[0], v[1] + difference.tail<2>() / root_masses_[1]};
}

// --- three particles
// --------------------------------------------------------------------------------------------------

namespace {

/// The left particle is particle 1: from 2 to 1 is -x.
Point<3> opening_on_line(const std::array<double, 3>& root_masses, int left) {
  return opening<1>(root_masses, left, left + 1, Point<1>(-1.0));
}

std::vector<Point<6>> openings(const std::array<double, 3>& root_masses, const std::array<Vec2, 3>& centres,
                               const Contacts& contacts) {
  std::vector<Point<6>> found;
  const auto add = [&](bool touch, int i, int j) {
    if (touch) found.push_back(opening<2>(root_masses, i, j, (centres[i] - centres[j]).normalized()));
  };
  add(contacts.p1_p2, 0, 1);
  add(contacts.p2_p3, 1, 2);
  add(contacts.p3_p1, 2, 0);
  if (found.size() < 2) throw std::invalid_argument("a collision of three particles needs two contacts");
  return found;
}

/// The first columns span the openings of the contacts; all are at right angles to a motion of the whole.
Eigen::Matrix<double, 6, 4> frame_in_plane(const std::array<double, 3>& root_masses,
                                           const std::vector<Point<6>>& contacts) {
  Eigen::Matrix<double, 6, 6> all;
  for (int axis = 0; axis < 2; ++axis) {
    Point<6> whole = Point<6>::Zero();
    for (int i = 0; i < 3; ++i) whole[2 * i + axis] = root_masses[i];
    append<6, 6>(all, axis, whole);
  }
  int count = 2;
  for (const Point<6>& contact : contacts) append<6, 6>(all, count++, contact);
  while (count < 6) append_any<6, 6>(all, count++);
  return all.rightCols<4>();
}

std::variant<Wedge, Spindle> region_in_plane(const Eigen::Matrix<double, 6, 4>& frame,
                                             const std::vector<Point<6>>& contacts) {
  if (contacts.size() == 2) return Wedge(arc_of<6>(contacts[0], contacts[1]));
  std::array<Eigen::Vector3d, 3> normals;
  for (std::size_t k = 0; k < 3; ++k) normals[k] = (frame.leftCols<3>().transpose() * contacts[k]).normalized();
  return Spindle(SphericalTriangle(normals));
}

}  // namespace

ThreeOnLine::ThreeOnLine(const std::array<double, 3>& masses)
    : root_masses_(roots(masses)), arc_(arc_of<3>(opening_on_line(root_masses_, 0), opening_on_line(root_masses_, 1))) {
  append<3, 2>(frame_, 0, opening_on_line(root_masses_, 0));
  append<3, 2>(frame_, 1, opening_on_line(root_masses_, 1));
}

ThreeOnLine::Velocities ThreeOnLine::apply(const Velocities& v, const Numbers& numbers, Direction direction) const {
  const std::array<Point<1>, 3> rows = {Point<1>(v[0]), Point<1>(v[1]), Point<1>(v[2])};
  const Point<3> difference = change<Arc, 3>(arc_, frame_, relative<1>(root_masses_, rows), numbers, direction);
  Velocities result = v;
  for (int i = 0; i < 3; ++i) result[i] += difference[i] / root_masses_[i];
  return result;
}

ThreeInPlane::ThreeInPlane(const std::array<double, 3>& masses, const std::array<Vec2, 3>& centres,
                           const Contacts& contacts)
    : root_masses_(roots(masses)),
      frame_(frame_in_plane(root_masses_, openings(root_masses_, centres, contacts))),
      region_(region_in_plane(frame_, openings(root_masses_, centres, contacts))) {}

ThreeInPlane::Velocities ThreeInPlane::apply(const Velocities& v, const Numbers& numbers, Direction direction) const {
  const Point<6> y = relative<2>(root_masses_, v);
  const Point<6> difference = std::visit(
      [&](const auto& region) {
        return change<std::decay_t<decltype(region)>, 6>(region, frame_, y, numbers, direction);
      },
      region_);
  Velocities result = v;
  for (int i = 0; i < 3; ++i) result[i] += difference.segment<2>(2 * i) / root_masses_[i];
  return result;
}

}  // namespace scree::hard::reversible
