#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/plain_blocks.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "parallel/whole_sum.hpp"

namespace scree::soft {

/// Contacts of disks with walls, four side by side in a block, where an edge of the wall is nearest to each. Either all
/// or none are packed. Their forces are added to the sums in the order of contacts. On one thread: they are few.
class PlainWalls {
 public:
  bool are_packed() const { return !contact_.empty(); }
  void forget() { contact_.clear(); }
  /// Packs these contacts, ascending, and measures them; none if that cannot be done with all.
  void pack(const PlainView& view, const Contacts& contacts, std::span<const std::uint32_t> some);
  /// Some bodies were wrapped.
  void find_shifts(const PlainView& view, const Contacts& contacts);
  /// None is new any more.
  void age();

  /// Geometry. @return false if some are not certain, or too deep: then they must be measured in their records
  bool measure(const PlainView& view);
  /// Forces and histories. @param sums of forces by body
  void compute(const PlainView& view, double per_joule, double* sums, WholeSum& heat);
  void add_power(const PlainView& view, double per_watt, lanes::PowerSums& sums);
  /// Whether the step is too long for some of them.
  bool are_stiff(double dt, double max_square) const { return greatest_square_ * dt * dt > kNearly * max_square; }

  /// Of the contact at a place, in the order of pack().
  ContactSprings springs(std::uint32_t place) const;

  void write_histories(Contacts& contacts) const;
  void write_geometry(const PlainView& view, Contacts& contacts) const;
  void write_forces(Contacts& contacts) const;
  /// After contacts ended, none of these. @param ended ascending
  void follow(std::span<const std::uint32_t> ended) { soft::follow(ended, contact_); }
  /// After others began. @param begun ascending
  void follow_begun(std::span<const std::uint32_t> begun) { soft::follow_begun(begun, contact_); }

 private:
  lanes::WallBlocks blocks(double* sums);

  std::vector<lanes::WallBlock> blocks_;
  std::vector<lanes::BlockLaw> laws_;
  std::vector<double> shifts_;  // by block; empty: all are 0
  FreshBits fresh_;
  std::vector<std::uint32_t> contact_;  // by place; empty: none is packed
  double greatest_square_ = 0.0;        // stiffness over reduced mass [1/s^2]
};

}  // namespace scree::soft
