#include "dem/hard/boxes/event_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace scree::hard {

namespace {

/// All events are filed anew once a row.
constexpr std::size_t kBucketsPerDisk = 2;

bool before(Index a, Index b, const std::vector<QueuedEvent>& events) {
  const Event& of_a = events[a].event;
  const Event& of_b = events[b].event;
  if (of_a.time != of_b.time) return of_a.time < of_b.time;
  return of_a.rank < of_b.rank || (of_a.rank == of_b.rank && a < b);
}

}  // namespace

void DiskHeap::add(Index i, const std::vector<QueuedEvent>& events) {
  disk_at_.push_back(i);
  place_of_[i] = static_cast<std::uint32_t>(disk_at_.size()) - 1;
  restore(i, events);
}

void DiskHeap::remove(Index i, const std::vector<QueuedEvent>& events) {
  const Index last = disk_at_.back();
  const std::uint32_t place = place_of_[i];
  disk_at_.pop_back();
  if (last == i) return;
  put(place, last);
  restore(last, events);
}

void DiskHeap::restore(Index i, const std::vector<QueuedEvent>& events) {
  std::uint32_t place = place_of_[i];
  while (place > 0) {
    const std::uint32_t parent = (place - 1) / 2;
    if (!before(i, disk_at_[parent], events)) break;
    put(place, disk_at_[parent]);
    place = parent;
  }
  const auto size = static_cast<std::uint32_t>(disk_at_.size());
  for (std::uint32_t child; (child = 2 * place + 1) < size;) {
    if (child + 1 < size && before(disk_at_[child + 1], disk_at_[child], events)) ++child;
    if (!before(disk_at_[child], i, events)) break;
    put(place, disk_at_[child]);
    place = child;
  }
  put(place, i);
}

void ImplicitHeap::assign(const std::vector<Event>& events) {
  events_ = to_be_queued(events);
  heap_ = DiskHeap(events_.size());
  for (Index i = 0; i < events_.size(); ++i) heap_.add(i, events_);
}

void BucketQueue::assign(const std::vector<Event>& events) {
  events_ = to_be_queued(events);
  if (kBucketsPerDisk * events.size() > heads_.capacity()) {
    heads_.clear();
    reserve_in_huge_pages(heads_, kBucketsPerDisk * events.size());
  }
  is_in_memory_ = events_.size() > most_in_cache_;
  if (!events_.empty()) begin_row(first_guess());
}

void DueEvents::push_onto_heap(const Due& due) {
  heap_.push_back(due);
  std::ranges::push_heap(heap_, is_later);
}

void DueEvents::pop_heap() {
  std::ranges::pop_heap(heap_, is_later);
  heap_.pop_back();
}

Index BucketQueue::first() {
  for (;;) {
    if (due_.empty()) {
      refill();
    } else if (is_over(due_.first())) {
      due_.pop();
    } else if (++taken_ <= most_taken_) {
      return due_.first().disk;
    } else {  // the row is much too long for the rate of events, or there is none: begin a better one
      const double now = due_.first().event.time;
      const bool tells_rate = has_buckets() && now > row_begin_;
      begin_row(tells_rate ? static_cast<double>(taken_) / (now - row_begin_) : first_guess());
    }
  }
}

void BucketQueue::turn_into_advancement(Index i) {
  QueuedEvent& queued = events_[i];
  const bool is_elsewhere = queued.bucket == kIsDue || queued.event.is_with_lower(i);
  queued.event.turn_into_advancement();
  if (is_elsewhere) file(i);
}

void BucketQueue::link_all() {
  for (std::uint32_t k = 0; k < kMostWaiting; ++k, ++filed_) link_longest();
  known_until_ = static_cast<std::uint32_t>(heads_.size());
}

/// Nothing is due: on to the next bucket that is not, in this row or in a new one.
void BucketQueue::refill() {
  for (;;) {
    while (++bucket_ < known_until_) {
      Index i = std::exchange(heads_[bucket_], kNoDisk);
      if (i == kNoDisk) continue;
      end_of_bucket_ = bucket_ + 1.0;
      for (; i != kNoDisk; i = events_[i].next) push(i);
      return;
    }
    if (bucket_ >= heads_.size()) break;
    link_all();
    --bucket_;
  }
  const double end = row_begin_ + static_cast<double>(heads_.size()) / buckets_per_time_;
  begin_row(static_cast<double>(taken_) / (end - row_begin_));
}

/// Files all events, about one a bucket. The earliest is due.
void BucketQueue::begin_row(double events_per_time) {
  row_begin_ = kNever;
  for (const QueuedEvent& queued : events_) row_begin_ = std::min(row_begin_, queued.event.time);
  const bool useful = events_per_time > 0.0 && events_per_time < kNever && row_begin_ < kNever;
  buckets_per_time_ = useful ? events_per_time : 0.0;
  bucket_ = 0;
  end_of_bucket_ = 1.0;
  taken_ = 0;
  most_taken_ = (has_buckets() ? 4 * kBucketsPerDisk : 1) * events_.size();
  heads_.assign(kBucketsPerDisk * events_.size(), kNoDisk);
  end_of_row_ = static_cast<double>(heads_.size());
  known_until_ = static_cast<std::uint32_t>(heads_.size());
  due_.clear();
  for (Index i = 0; i < events_.size(); ++i) file(i);
}

/// Events a time, as many as come until half of those that are known have come.
double BucketQueue::first_guess() const {
  std::vector<double> times;
  for (const QueuedEvent& queued : events_) {
    if (queued.event.time < kNever) times.push_back(queued.event.time);
  }
  if (times.empty()) return 0.0;
  const double begin = std::ranges::min(times);
  const std::size_t half = times.size() / 2;
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(half));
  return static_cast<double>(half) / (times[half] - begin);
}

}  // namespace scree::hard
