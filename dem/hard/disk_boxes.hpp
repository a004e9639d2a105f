#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dem/hard/partner_lists.hpp"
#include "dem/hard/prefetch.hpp"
#include "geometry/aabb.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// Where the disks' boxes are and which boxes overlap: what predictions read of a Neighbourhood, whatever its
/// broadphase. Centres are inside the domain along periodic axes.
struct DiskBoxes {
  std::vector<Vec2> centres;  ///< by disk [m]
  PartnerLists partners;      ///< by disk: those whose boxes overlap its own
  double margin;              ///< how far a centre may go from that of its box, along each axis [m]
  double slack;               ///< of the boxes beyond that [m]: more than rounding can do to a position

  std::size_t capacity() const { return centres.size(); }
  std::span<const Partner> partners_of(Index i) const { return partners.of(i); }
  Aabb2 box(const Vec2& centre, double radius) const { return Aabb2{centre, centre}.expanded(margin + slack + radius); }
  /// The one, some time later the other, before `partners_of`, which then need not wait for memory.
  void prefetch(Index i) const {
    partners.prefetch(i);
    hard::prefetch(&centres[i]);
  }
  void prefetch_partners(Index i) const { partners.prefetch_places(i); }
};

}  // namespace scree::hard
