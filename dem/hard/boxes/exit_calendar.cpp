#include "dem/hard/boxes/exit_calendar.hpp"

#include <algorithm>

#include "parallel/huge_pages.hpp"

namespace scree::hard {

namespace {

/// A long list gives its memory back: else in time each of the buckets has as much as the fullest one.
void release(std::vector<Index>& bucket) {
  constexpr std::size_t kShort = 64;
  if (bucket.capacity() > kShort) {
    std::vector<Index>().swap(bucket);
  } else {
    bucket.clear();
  }
}

}  // namespace

void ExitCalendar::begin(std::size_t disks, double now, double path, double mean_speed) {
  begin_ = now;
  width_ = mean_speed > 0.0 ? path / (kBucketsOfPath * mean_speed) : kNever;
  bucket_ = 0;
  if (disks > planned_.capacity()) {
    planned_.clear();
    reserve_in_huge_pages(planned_, disks);
  }
  planned_.assign(disks, kBuckets);
  for (auto& bucket : buckets_) bucket.clear();
  alone_.clear();
  taken_alone_ = 0;
  find_due();
}

void ExitCalendar::plan(Index i, double exit) {
  const double bucket = (exit - begin_) / width_;
  if (!(bucket < kBuckets)) {
    planned_[i] = kBuckets;
  } else if (bucket < bucket_ + 1.0) {
    planned_[i] = kAlone;
    alone_.push_back({exit, i});
    std::ranges::push_heap(alone_, is_later);
    due_ = std::min(due_, exit);
  } else {
    planned_[i] = static_cast<std::uint32_t>(bucket);
    buckets_[planned_[i]].push_back(i);
  }
}

const std::vector<Index>& ExitCalendar::take() {
  due_disks_.clear();
  if (!alone_.empty() && alone_.front().exit <= due_) {
    std::ranges::pop_heap(alone_, is_later);
    const Index i = alone_.back().disk;
    alone_.pop_back();
    ++taken_alone_;
    if (planned_[i] == kAlone) due_disks_.push_back(i);
    planned_[i] = planned_[i] == kAlone ? kBuckets : planned_[i];
  } else if (++bucket_ < kBuckets) {
    for (const Index i : buckets_[bucket_]) {
      if (planned_[i] != bucket_) continue;  // it was taken earlier, or is here twice
      planned_[i] = kBuckets;
      due_disks_.push_back(i);
    }
    release(buckets_[bucket_]);
  }
  find_due();
  return due_disks_;
}

void ExitCalendar::find_due() {
  due_ = end_of_bucket();
  if (!alone_.empty()) due_ = std::min(due_, alone_.front().exit);
}

}  // namespace scree::hard
