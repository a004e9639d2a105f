#pragma once

#include <array>

#include <Eigen/Dense>

#include "dem/hard/reversible/spherical_triangle.hpp"

// The directions in which particles may separate: parts of the unit sphere, cut out by one half-space for each contact.
// Each region maps its points to a box [0, 1]^k and back, one to one, such that equal areas have equal volumes: a point
// whose coordinates are uniform in the box is uniform in the region. Points are given in a frame in which the normal of
// the first half-space is (1, 0, ...) and that of the second (c, s, 0, ...), s >= 0. Points that rounding has put
// outside a region are taken as points of its edge.
namespace scree::hard::reversible {

template <int D>
using Point = Eigen::Matrix<double, D, 1>;

/// Part of the unit circle: a point's product with both normals is positive. With c = 1, half the circle.
class Arc {
 public:
  static constexpr int kDim = 2;
  /// @param c, s cosine and sine of the angle between the normals, which is in [0, pi)
  Arc(double c, double s);

  std::array<double, 1> encode(const Point<2>& p) const;  ///< p != 0 need not be of length 1
  Point<2> decode(const std::array<double, 1>& x) const;
  double angle() const { return angle_; }  ///< [rad]

 private:
  double c_;
  double s_;
  double angle_;
};

/// Half the unit sphere in space, by Lambert's azimuthal projection and the concentric map of the disc. Both are smooth
/// where the direction is the normal itself, at which an azimuth would be undefined.
class Hemisphere {
 public:
  static constexpr int kDim = 3;

  std::array<double, 2> encode(const Point<3>& p) const;  ///< |p| = 1
  Point<3> decode(const std::array<double, 2>& x) const;
};

/// Part of the unit sphere in space, two half-spaces: the third coordinate of a uniform point is uniform in [-1, 1],
/// and the direction of the first two is uniform in an arc.
class Lune {
 public:
  static constexpr int kDim = 3;
  explicit Lune(const Arc& arc) : arc_(arc) {}

  std::array<double, 2> encode(const Point<3>& p) const;  ///< |p| = 1
  Point<3> decode(const std::array<double, 2>& x) const;

 private:
  Arc arc_;
};

/// Part of the unit sphere in space, three half-spaces.
class Corner {
 public:
  static constexpr int kDim = 3;
  explicit Corner(const SphericalTriangle& triangle) : triangle_(triangle) {}

  std::array<double, 2> encode(const Point<3>& p) const { return triangle_.encode(p); }  ///< |p| = 1
  Point<3> decode(const std::array<double, 2>& x) const { return triangle_.decode(x); }

 private:
  SphericalTriangle triangle_;
};

/// Part of the unit sphere in four dimensions, two half-spaces. The last two coordinates of a point that is uniform on
/// this sphere are uniform in the unit disc, and the direction of the first two is uniform in an arc.
class Wedge {
 public:
  static constexpr int kDim = 4;
  explicit Wedge(const Arc& arc) : arc_(arc) {}

  std::array<double, 3> encode(const Point<4>& p) const;  ///< |p| = 1
  Point<4> decode(const std::array<double, 3>& x) const;

 private:
  Arc arc_;
};

/// Part of the unit sphere in four dimensions, three half-spaces whose normals have no fourth coordinate. The direction
/// of the first three coordinates is uniform in a spherical triangle; the density of the latitude eta, sin eta being
/// the fourth coordinate, is proportional to cos^2 eta.
class Spindle {
 public:
  static constexpr int kDim = 4;
  explicit Spindle(const SphericalTriangle& triangle) : triangle_(triangle) {}

  std::array<double, 3> encode(const Point<4>& p) const;  ///< |p| = 1
  Point<4> decode(const std::array<double, 3>& x) const;

 private:
  SphericalTriangle triangle_;
};

}  // namespace scree::hard::reversible
