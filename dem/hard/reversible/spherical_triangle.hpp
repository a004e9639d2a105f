#pragma once

#include <array>

#include <Eigen/Dense>

namespace scree::hard::reversible {

/// A triangle on the unit sphere with a map to the unit square that preserves areas: J. Arvo, "Stratified sampling of
/// spherical triangles", SIGGRAPH '95, with half angles, which leaves no difference of nearly equal numbers.
class SphericalTriangle {
 public:
  using Vec3 = Eigen::Vector3d;

  /// The points whose products with all three vectors are positive.
  /// @param normals unit vectors, linearly independent
  explicit SphericalTriangle(const std::array<Vec3, 3>& normals);

  double area() const { return area_; }
  const std::array<Vec3, 3>& vertices() const { return vertices_; }  ///< vertex k is opposite to the side of normal k
  std::array<double, 2> encode(const Vec3& p) const;                 ///< |p| = 1
  Vec3 decode(const std::array<double, 2>& x) const;

 private:
  /// Point of the side AC whose arc from A has this half angle's cosine and sine.
  Vec3 on_side(double cos_half, double sin_half) const;

  std::array<Vec3, 3> vertices_;  ///< A, B, C
  Vec3 along_;                    ///< unit vector at A towards C
  double height_;                 ///< A . (B x along)
  double lean_;                   ///< B . along
  double one_plus_cos_;           ///< 1 + A . B
  double area_;
};

}  // namespace scree::hard::reversible
