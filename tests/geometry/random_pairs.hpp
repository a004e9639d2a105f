#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

#include "geometry/polygon_makers.hpp"
#include "geometry/pose.hpp"

namespace scree::test {

/// Independent numbers in [0, 1), the same everywhere (SplitMix64).
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double between(double low, double high) { return low + (high - low) * operator()(); }
  /// From low to high, both included.
  int between(int low, int high) { return low + static_cast<int>((high - low + 1) * operator()()); }

 private:
  std::uint64_t state_;
};

inline Rotation random_rotation(Uniform& uniform) {
  return Rotation::by(uniform.between(-std::numbers::pi, std::numbers::pi));
}

/// A stock of random polygons, since making one costs far more than testing a pair.
class Shapes {
 public:
  Shapes(Uniform& uniform, int fewest_vertices, int most_vertices, double largest_aspect, double largest_scale) {
    for (int i = 0; i < 400; ++i) {
      const double scale = std::pow(largest_scale, uniform());
      shapes_.push_back(random_convex_polygon(uniform.between(fewest_vertices, most_vertices),
                                              std::pow(largest_aspect, uniform()), std::ref(uniform))
                            .scaled(scale));
    }
  }
  const Polygon& pick(Uniform& uniform) const {
    return shapes_[static_cast<std::size_t>(static_cast<double>(shapes_.size()) * uniform())];
  }

 private:
  std::vector<Polygon> shapes_;
};

struct RandomPair {
  const Polygon& a;
  const Polygon& b;
  Pose b_in_a;
};

/// A pair at a random distance: about two in three touch.
inline RandomPair random_pair(const Shapes& shapes, Uniform& uniform) {
  const Polygon& a = shapes.pick(uniform);
  const Polygon& b = shapes.pick(uniform);
  const double reach = a.bounding_radius() + b.bounding_radius();
  const Vec2 offset = random_rotation(uniform) * Vec2(reach * uniform.between(0.0, 1.1), 0.0);
  return {a, b, {offset, random_rotation(uniform)}};
}

}  // namespace scree::test
