#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/aabb.hpp"

namespace scree {

/// The number of a box in the broadphase, given by the caller. Numbers should be small and may be reused, since
/// broadphases keep arrays as long as the largest id.
using ProxyId = std::uint32_t;

/// Two boxes that overlap (closed: touching counts); a < b.
struct Pair {
  ProxyId a;
  ProxyId b;
  auto operator<=>(const Pair&) const = default;
};

inline Pair pair_of(ProxyId a, ProxyId b) {
  return a < b ? Pair{a, b} : Pair{b, a};
}

/// What one call changed: net (a pair that began and ended within the call appears in neither), unique, ascending.
struct PairChanges {
  std::vector<Pair> begun;
  std::vector<Pair> ended;

  void clear() {
    begun.clear();
    ended.clear();
  }
};

/// A broadphase stores boxes and reports exactly which pairs of them begin and end to overlap. Each call that changes
/// it overwrites `changes` with the changes made by that call.
template <class B, int Dim>
concept Broadphase = requires(B b, const B& c, ProxyId id, const Aabb<Dim>& box, std::span<const ProxyId> ids,
                              std::span<const Aabb<Dim>> boxes, PairChanges& changes, std::vector<ProxyId>& found) {
  b.insert(id, box, changes);     ///< @pre id is not in use
  b.insert(ids, boxes, changes);  ///< many at once; boxes[k] belongs to ids[k]. O(n log n) into an empty one
  b.erase(id, changes);           ///< every pair of id ends. @pre id is in use
  b.update(boxes, changes);       ///< all boxes at once: boxes[id] is the new box of every id in use
  b.move(id, box, changes);       ///< one box
  c.query(box, found);            ///< overwrites found with the ids whose boxes overlap box, ascending
  { c.box(id) } -> std::convertible_to<Aabb<Dim>>;
  { c.size() } -> std::convertible_to<std::size_t>;  ///< boxes in it
};

}  // namespace scree
