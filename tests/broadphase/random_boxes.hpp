#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "broadphase/pair.hpp"
#include "geometry/aabb.hpp"

namespace scree::test {

/// Where random boxes lie and how large they are: all lengths in metres.
struct BoxRecipe {
  double side = 20.0;       ///< of the square or cube they lie in
  double smallest = 1.0;    ///< extent
  double largest = 1.0;     ///< extent; sizes between are spread evenly in their logarithm
  bool on_lattice = false;  ///< whole coordinates, so that many are equal; extents from 0
};

/// The same numbers with every standard library, unlike std::uniform_real_distribution.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double between(double lo, double hi) { return lo + (hi - lo) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((engine_() >> 32) * n >> 32); }

 private:
  std::mt19937_64 engine_;
};

template <int Dim>
Aabb<Dim> random_box(const BoxRecipe& recipe, Dice& dice) {
  Aabb<Dim> box;
  const double extent = recipe.smallest * std::pow(recipe.largest / recipe.smallest, dice.between(0, 1));
  for (int k = 0; k < Dim; ++k) {
    box.lo[k] = dice.between(0, recipe.side);
    box.hi[k] = box.lo[k] + extent * dice.between(0.5, 1);
    if (recipe.on_lattice) {
      box.lo[k] = std::floor(box.lo[k]) - std::floor(recipe.side / 2);
      box.hi[k] = box.lo[k] + dice.below(static_cast<std::uint32_t>(recipe.largest) + 1);
      // Both zeros are the same place.
      if (box.lo[k] == 0.0 && dice.below(2) == 0) box.lo[k] = -0.0;
      if (box.hi[k] == 0.0 && dice.below(2) == 0) box.hi[k] = -0.0;
    }
  }
  return box;
}

template <int Dim>
std::vector<Aabb<Dim>> random_boxes(std::size_t n, const BoxRecipe& recipe, Dice& dice) {
  std::vector<Aabb<Dim>> boxes;
  for (std::size_t i = 0; i < n; ++i) boxes.push_back(random_box<Dim>(recipe, dice));
  return boxes;
}

inline std::vector<ProxyId> first_ids(std::size_t n) {
  std::vector<ProxyId> ids;
  for (ProxyId id = 0; id < n; ++id) ids.push_back(id);
  return ids;
}

/// Inserts all boxes at once, with the ids from 0 on.
template <class B, int Dim>
PairChanges start(B& broadphase, const std::vector<Aabb<Dim>>& boxes) {
  PairChanges changes;
  broadphase.insert(first_ids(boxes.size()), boxes, changes);
  return changes;
}

/// The box a step later: shifted by up to `step` on each axis, and a little larger or smaller.
template <int Dim>
Aabb<Dim> moved(Aabb<Dim> box, double step, const BoxRecipe& recipe, Dice& dice) {
  for (int k = 0; k < Dim; ++k) {
    if (recipe.on_lattice) {
      const double shift = static_cast<double>(dice.below(3)) - 1.0;
      box.lo[k] += shift;
      box.hi[k] += shift;
      if (dice.below(8) == 0) box.hi[k] = box.lo[k] + dice.below(static_cast<std::uint32_t>(recipe.largest) + 1);
    } else {
      const double shift = dice.between(-step, step);
      const double extent = (box.hi[k] - box.lo[k]) * dice.between(0.99, 1.01);
      box.lo[k] += shift;
      box.hi[k] = box.lo[k] + extent;
    }
  }
  return box;
}

}  // namespace scree::test
