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

/// Chooses the fastest broadphase for the present boxes by measurement.
///
/// In a trial every candidate runs beside the one that is in use, one after the other and each for kRoundUpdates
/// updates; the updates of both are timed, and the faster one is in use from then on. So there are never more than two
/// in memory. The first trial begins with the first update. It is repeated whenever the number of boxes has doubled or
/// halved since the last trial, and when the total number of updates is ten times that at the last trial, since the
/// motion changes, too.
///
/// Since all broadphases report the same changes, those of this one do not depend on the result of the trial or on the
/// clock.
///
/// Cost: that of the fastest; during a trial, the sum over two.
template <int Dim>
class Fastest {
 public:
  /// Updates of two candidates side by side. The first half, in which they adapt to the motion, is not counted.
  static constexpr int kRoundUpdates = 40;
  static constexpr int kTrialUpdates = 3 * kRoundUpdates;  ///< updates in a trial

  Fastest() : Fastest(64) {}
  /// @param worth_a_trial with fewer boxes than this, sort-and-update is used without a trial
  explicit Fastest(std::size_t worth_a_trial);

  void insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void erase(ProxyId id, PairChanges& changes);
  void update(std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const;

  const Aabb<Dim>& box(ProxyId id) const;
  std::size_t size() const { return size_; }

  /// Result of the last trial: nanoseconds per box and update, the fastest first; empty before the first trial has
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
    double seconds = 0.0;  // of the round's second half
  };

  template <class Call>
  void each(PairChanges& changes, Call call);
  bool trial_is_due() const;
  void begin_round(std::span<const Aabb<Dim>> boxes);
  void end_round();
  void note(const Candidate& candidate);

  std::vector<Candidate> candidates_;  // two during a trial; the first one's changes are reported
  std::vector<std::size_t> untried_;   // in this trial: places in Member
  std::vector<Result> results_;        // of this trial so far
  PairChanges others_changes_;
  std::vector<std::uint8_t> in_use_;  // by id
  std::size_t worth_a_trial_;
  std::size_t size_ = 0;
  std::size_t size_at_trial_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t updates_at_trial_ = 0;  // when it began
  std::uint64_t updates_at_round_ = 0;  // likewise
  std::vector<Result> trial_;
};

static_assert(Broadphase<Fastest<2>, 2> && Broadphase<Fastest<3>, 3>);

extern template class Fastest<2>;
extern template class Fastest<3>;

}  // namespace scree
