#include "dem/hard/boxes/exit_calendar.hpp"

#include <algorithm>
#include <span>

#include "parallel/huge_pages.hpp"

namespace scree::hard {

void ExitCalendar::Bucket::grow() {
  constexpr std::size_t kFewest = 4;
  places.resize(std::max(kFewest, 2 * places.size()));
}

/// A long list gives its memory back: else in time each of the buckets has as much as the fullest one.
void ExitCalendar::Bucket::clear() {
  constexpr std::size_t kShort = 64;
  count = 0;
  if (places.size() > kShort) std::vector<Index>().swap(places);
}

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

void ExitCalendar::rewind(double now) {
  const double bucket = (now - begin_) / width_;
  if (bucket >= 0.0 && bucket < bucket_) bucket_ = static_cast<std::uint32_t>(bucket);
  find_due();
}

void ExitCalendar::plan_alone(Index i, double exit) {
  planned_[i] = kAlone;
  alone_.push_back({exit, i});
  std::ranges::push_heap(alone_, is_later);
  due_ = std::min(due_, exit);
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
    Bucket& disks = buckets_[bucket_];
    for (const Index i : std::span(disks.places).first(disks.count)) {
      if (planned_[i] != bucket_) continue;  // it was taken earlier, or is here twice
      planned_[i] = kBuckets;
      due_disks_.push_back(i);
    }
    disks.clear();
  }
  find_due();
  return due_disks_;
}

void ExitCalendar::find_due() {
  due_ = end_of_bucket();
  if (!alone_.empty()) due_ = std::min(due_, alone_.front().exit);
}

}  // namespace scree::hard
