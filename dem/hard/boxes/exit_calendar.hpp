#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/prefetch.hpp"

namespace scree::hard {

/// When disks leave their boxes. That is no event of the queue: a box may move early, which changes no flight and hence
/// no trajectory. So time is divided into buckets, and all disks that leave within one are taken at once before it
/// begins, in any order. A disk that takes another course keeps its place unless it leaves earlier; when it is taken,
/// its exit is found anew. What would be in the bucket that has begun is taken one by one, in order.
///
/// A calendar covers a span of some buckets. When it is used up, because the span is over or most disks are much faster
/// than when its buckets were chosen, the next one begins. 4 bytes a disk and 4 for each plan.
///
/// Times are on the simulation's clock [s].
class ExitCalendar {
 public:
  /// A fresh one without plans. @param path that boxes leave free [m] @param mean_speed of disks [m/s]
  void begin(std::size_t disks, double now, double path, double mean_speed);
  /// Disk i leaves its box then. It is taken before, or with what is planned of it already.
  void plan(Index i, double exit) {
    const double bucket = (exit - begin_) / width_;
    if (!(bucket < kBuckets)) {
      planned_[i] = kBuckets;
    } else if (bucket < bucket_ + 1.0) [[unlikely]] {
      plan_alone(i, exit);
    } else {
      planned_[i] = static_cast<std::uint32_t>(bucket);
      Bucket& disks = buckets_[planned_[i]];
      if (disks.count == disks.places.size()) [[unlikely]]
        disks.grow();
      disks.places[disks.count++] = i;
    }
  }
  /// Disk i leaves no box.
  void forget(Index i) { planned_[i] = kBuckets; }
  /// Goes back to an earlier time. What has been taken since then is planned anew by the caller.
  void rewind(double now);
  /// Nothing that comes later than this may happen before `take`, or before a fresh calendar if this one is used up.
  double due() const { return due_; }
  bool is_used_up() const { return bucket_ == kBuckets || taken_alone_ > planned_.size(); }
  /// The disks that are due, without their plans. Valid until the next call.
  const std::vector<Index>& take();
  /// Disks that leave before that are to leave now.
  double end_of_bucket() const { return time_of(bucket_ + 1); }
  /// If disk i does not leave its box before that, on another course, its plan holds.
  double planned(Index i) const { return planned_[i] == kAlone ? kNever : time_of(planned_[i]); }

  /// Begins to load what is kept of disk i.
  void prefetch(Index i) const { hard::prefetch(&planned_[i]); }

 private:
  static constexpr std::uint32_t kBuckets = 512;
  static constexpr std::uint32_t kAlone = kBuckets + 1;  // it is in the heap, not in a bucket
  static constexpr double kBucketsOfPath = 64.0;         // that a disk of mean speed takes for the path

  struct Alone {
    double exit;
    Index disk;
  };
  static bool is_later(const Alone& a, const Alone& b) { return a.exit > b.exit; }
  /// Disks in the order of their plans; there are more places than disks.
  struct Bucket {
    std::vector<Index> places;
    std::size_t count = 0;

    void grow();
    void clear();
  };
  void plan_alone(Index i, double exit);
  double time_of(std::uint32_t bucket) const { return begin_ + bucket * width_; }
  void find_due();

  double begin_ = 0.0;
  double width_ = kNever;
  double due_ = kNever;
  std::uint32_t bucket_ = 0;            // that has begun
  std::vector<std::uint32_t> planned_;  // bucket, by disk; kBuckets: later than the span
  std::vector<Bucket> buckets_ = std::vector<Bucket>(kBuckets);
  std::vector<Alone> alone_;  // heap: those of the bucket that has begun
  std::vector<Index> due_disks_;
  std::uint64_t taken_alone_ = 0;
};

}  // namespace scree::hard
