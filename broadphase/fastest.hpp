#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/kind.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/pair.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"

namespace scree {

/// The member of the family that is fastest for the boxes at hand, as measured on them.
///
/// For the first kTrialUpdates updates all candidates work side by side and each one's updates are timed; the fastest
/// stays. There is a trial again whenever the number of boxes has doubled or halved since the last one, and when the
/// updates since then are ten times as many as before it, since motion changes, too.
///
/// As all members report the same changes, those of this one do not depend on the outcome, nor on the clock.
///
/// Cost: that of the fastest; during a trial, the sum over all.
template <int Dim>
class Fastest {
 public:
  /// Updates in a trial. The first half, in which members get used to the motion, is not counted.
  static constexpr int kTrialUpdates = 40;

  Fastest() : Fastest(64) {}
  /// @param worth_a_trial  fewer boxes than this are left to sort-and-update, as good as any
  explicit Fastest(std::size_t worth_a_trial);

  void insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void erase(ProxyId id, PairChanges& changes);
  void update(std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const;

  const Aabb<Dim>& box(ProxyId id) const;
  std::size_t size() const { return size_; }

  /// What the last trial found: nanoseconds a box and update, the fastest first; empty before the first trial has
  /// ended.
  struct Result {
    BroadphaseKind member;
    double nanoseconds;
  };
  const std::vector<Result>& trial() const { return trial_; }

 private:
  using Member = std::variant<SortAndUpdate<Dim>, SortedStrips<Dim>, LinkedCells<Dim>, HierarchicalGrid<Dim>>;
  struct Candidate {
    Member member;
    double seconds = 0.0;  // of the trial's second half
  };

  template <class Call>
  void each(PairChanges& changes, Call call);
  bool trial_is_due() const;
  void begin_trial(std::span<const Aabb<Dim>> boxes);
  void end_trial();

  std::vector<Candidate> candidates_;  // more than one during a trial; the first one's changes are reported
  PairChanges others_changes_;
  std::vector<std::uint8_t> in_use_;  // by id
  std::size_t worth_a_trial_;
  std::size_t size_ = 0;
  std::size_t size_at_trial_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t updates_at_trial_ = 0;  // when it began
  std::vector<Result> trial_;
};

static_assert(Broadphase<Fastest<2>, 2> && Broadphase<Fastest<3>, 3>);

extern template class Fastest<2>;
extern template class Fastest<3>;

}  // namespace scree
