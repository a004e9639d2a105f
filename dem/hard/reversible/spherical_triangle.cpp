#include "dem/hard/reversible/spherical_triangle.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/deterministic_math.hpp"

namespace scree::hard::reversible {

using deterministic::atan2;
using deterministic::sincos;

SphericalTriangle::SphericalTriangle(const std::array<Vec3, 3>& normals) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 edge = normals[(k + 1) % 3].cross(normals[(k + 2) % 3]).normalized();
    vertices_[k] = edge.dot(normals[k]) > 0.0 ? edge : Vec3(-edge);
  }
  auto& [a, b, c] = vertices_;
  if (a.dot(b.cross(c)) < 0.0) std::swap(a, c);
  along_ = (c - c.dot(a) * a).normalized();
  height_ = a.dot(b.cross(along_));
  lean_ = b.dot(along_);
  one_plus_cos_ = 1.0 + a.dot(b);
  area_ = 2.0 * atan2(a.dot(b.cross(c)), 1.0 + a.dot(b) + b.dot(c) + c.dot(a));
}

SphericalTriangle::Vec3 SphericalTriangle::on_side(double cos_half, double sin_half) const {
  return (1.0 - 2.0 * sin_half * sin_half) * vertices_[0] + 2.0 * sin_half * cos_half * along_;
}

std::array<double, 2> SphericalTriangle::encode(const Vec3& p) const {
  const auto& [a, b, c] = vertices_;
  // The great circle through B and p meets the side AC where its arc from A has the tangent sine/cosine; the part of
  // the triangle between A and that point has the area x area_.
  const Vec3 normal = b.cross(p);
  const double sine = std::max(a.dot(normal), 0.0);
  const double cosine = -along_.dot(normal);
  const double length = std::sqrt(sine * sine + cosine * cosine);
  if (length == 0.0) return {0.0, 0.0};  // p is B
  const double half = atan2(height_ * sine, one_plus_cos_ * (length + cosine) + lean_ * sine);
  const Vec3 foot = cosine / length * a + sine / length * along_;
  const double part = std::clamp(2.0 * half / area_, 0.0, 1.0);
  return {part, std::min((p - b).squaredNorm() / (foot - b).squaredNorm(), 1.0)};
}

SphericalTriangle::Vec3 SphericalTriangle::decode(const std::array<double, 2>& x) const {
  const Vec3& b = vertices_[1];
  const auto half = sincos(0.5 * area_ * x[0]);
  const double opposite = one_plus_cos_ * half.sin;
  const double adjacent = height_ * half.cos - lean_ * half.sin;
  const double length = std::sqrt(opposite * opposite + adjacent * adjacent);
  const Vec3 foot = on_side(adjacent / length, opposite / length);
  const double sagitta = 0.5 * x[1] * (foot - b).squaredNorm();  // 1 - cosine of the arc from B
  const Vec3 towards = (foot - foot.dot(b) * b).normalized();
  return (1.0 - sagitta) * b + std::sqrt(sagitta * (2.0 - sagitta)) * towards;
}

}  // namespace scree::hard::reversible
