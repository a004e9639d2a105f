#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dem/hard/flight/event.hpp"

namespace scree::hard {

/// A grain touches another one at a point, or a side of the domain if `other` is the grain itself. Edges that touch do
/// so at two points.
struct PackingContact {
  Index disk;
  Index other;
};

/// Up to which gap disks of a jammed packing are in contact, as a part of the distance of centres at which they touch:
/// 2 p^(-2/3), at most 1e-3. Weak contacts with larger gaps are missed, and disks that are nearer but bear no load are
/// counted; with this power of the pressure both errors stay alike (docs/theory.md, section 11).
double greatest_gap(double reduced_pressure);

/// The rigid part of a packing, and the rattlers in it.
struct Backbone {
  std::vector<int> contacts;  ///< of each disk with the backbone and sides; rattlers have none
  std::size_t rattlers = 0;
  std::size_t total = 0;      ///< contacts, each once
  double coordination = 0.0;  ///< mean number of contacts of disks that are no rattlers
};

/// A rattler has fewer than three contacts, edges twice, not counting those with rattlers.
///
/// @param contacts each contact once from either disk
/// Cost: O(disks + contacts) a round; rounds until no disk is taken away any more.
Backbone find_backbone(std::size_t disks, std::span<const PackingContact> contacts);

/// The fewest contacts that can jam grains: one more than their degrees of freedom, two of a disk and three of a
/// polygon. Along some axes they are free to move together, which moves no contact: of n disks 2 n - 1 if both axes are
/// periodic, 2 n + 1 in a box. None for no grain.
/// @param freedoms of all grains  @param free_axes along which nothing stands in the way of all grains together
std::size_t least_contacts(std::size_t freedoms, const std::array<bool, 2>& free_axes);

/// What became of disks that grow.
struct Packing {
  bool grows = false;   ///< still
  bool jammed = false;  ///< growth ended by the pressure; the rest is counted only then
  double packing_fraction = 0.0;
  double reduced_pressure = 0.0;   ///< p A / (N kT) between the last two rescalings; 0: not measured
  std::size_t disks = 0;           ///< in all
  std::size_t bearing = 0;         ///< that bear load: no rattlers
  std::size_t contacts = 0;        ///< among these, and with sides
  std::size_t least_contacts = 0;  ///< that can jam these
};

}  // namespace scree::hard
