#include "dem/hard/event_queue.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace scree::hard {

namespace {

bool before(Index a, Index b, const std::vector<Event>& events) {
  const Event& of_a = events[a];
  const Event& of_b = events[b];
  if (of_a.time != of_b.time) return of_a.time < of_b.time;
  return of_a.rank < of_b.rank || (of_a.rank == of_b.rank && a < b);
}

}  // namespace

void DiskHeap::add(Index i, const std::vector<Event>& events) {
  disk_at_.push_back(i);
  place_of_[i] = static_cast<std::uint32_t>(disk_at_.size()) - 1;
  restore(i, events);
}

void DiskHeap::remove(Index i, const std::vector<Event>& events) {
  const Index last = disk_at_.back();
  const std::uint32_t place = place_of_[i];
  disk_at_.pop_back();
  if (last == i) return;
  put(place, last);
  restore(last, events);
}

void DiskHeap::restore(Index i, const std::vector<Event>& events) {
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

void ImplicitHeap::assign(std::vector<Event> events) {
  events_ = std::move(events);
  heap_ = DiskHeap(events_.size());
  for (Index i = 0; i < events_.size(); ++i) heap_.add(i, events_);
}

void BucketQueue::assign(std::vector<Event> events) {
  events_ = std::move(events);
  links_.resize(events_.size());
  heads_.resize(events_.size());
  current_ = DiskHeap(events_.size());
  if (!events_.empty()) begin_row(first_guess());
}

Index BucketQueue::first() {
  if (current_.empty()) refill();
  // The row is much too long for the rate of events: begin a better one.
  if (++taken_ > 4 * heads_.size()) {
    const double now = events_[current_.first()].time;
    begin_row(now > row_begin_ ? static_cast<double>(taken_) / (now - row_begin_) : first_guess());
  }
  return current_.first();
}

void BucketQueue::schedule(Index i, const Event& event) {
  const std::uint32_t from = bucket_of(events_[i].time);
  const std::uint32_t to = bucket_of(event.time);
  if (from <= bucket_ && to <= bucket_) {
    events_[i] = event;
    current_.restore(i, events_);
    return;
  }
  remove(i, from);
  events_[i] = event;
  add(i, to);
}

/// heads_.size() for what is later than the row.
std::uint32_t BucketQueue::bucket_of(double time) const {
  const double bucket = (time - row_begin_) * buckets_per_time_;
  if (!(bucket < static_cast<double>(heads_.size())) && buckets_per_time_ > 0.0) {
    return static_cast<std::uint32_t>(heads_.size());
  }
  return bucket > 0.0 ? static_cast<std::uint32_t>(bucket) : 0;
}

/// Up to the current bucket into the heap, else into its list.
void BucketQueue::add(Index i, std::uint32_t bucket) {
  if (bucket <= bucket_) {
    current_.add(i, events_);
  } else if (bucket < heads_.size()) {
    Index& head = heads_[bucket];
    links_[i] = {head, kNone};
    if (head != kNone) links_[head].previous = i;
    head = i;
  }
}

void BucketQueue::remove(Index i, std::uint32_t bucket) {
  const Link& link = links_[i];
  if (bucket <= bucket_) {
    current_.remove(i, events_);
  } else if (bucket < heads_.size()) {
    (link.previous == kNone ? heads_[bucket] : links_[link.previous].next) = link.next;
    if (link.next != kNone) links_[link.next].previous = link.previous;
  }
}

/// The heap is empty: on to the next bucket that is not, in this row or in a new one.
void BucketQueue::refill() {
  while (++bucket_ < heads_.size()) {
    if (heads_[bucket_] == kNone) continue;
    for (Index i = heads_[bucket_]; i != kNone; i = links_[i].next) current_.add(i, events_);
    return;
  }
  const double end = row_begin_ + static_cast<double>(heads_.size()) / buckets_per_time_;
  begin_row(static_cast<double>(taken_) / (end - row_begin_));
}

/// Files all events, about one a bucket. The earliest comes into the heap.
void BucketQueue::begin_row(double events_per_time) {
  row_begin_ = std::ranges::min(events_, {}, &Event::time).time;
  const bool useful = events_per_time > 0.0 && events_per_time < kNever && row_begin_ < kNever;
  buckets_per_time_ = useful ? events_per_time : 0.0;
  bucket_ = 0;
  taken_ = 0;
  std::ranges::fill(heads_, kNone);
  current_.clear();
  for (Index i = 0; i < events_.size(); ++i) add(i, bucket_of(events_[i].time));
}

/// Events a time, if their times lie as those of independent disks do.
double BucketQueue::first_guess() const {
  const double begin = std::ranges::min(events_, {}, &Event::time).time;
  double sum = 0.0;
  for (const Event& event : events_) {
    if (event.time < kNever) sum += event.time - begin;
  }
  return static_cast<double>(events_.size()) / sum;
}

}  // namespace scree::hard
