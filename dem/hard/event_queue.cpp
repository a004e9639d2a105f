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
  links_.resize(2 * events_.size());
  end_ = static_cast<double>(events_.size());
  current_ = DiskHeap(events_.size());
  if (!events_.empty()) begin_row(first_guess());
}

Index BucketQueue::first() {
  if (current_.empty()) refill();
  // The row is much too long for the rate of events: begin a better one.
  if (++taken_ > 4 * events_.size()) {
    const double now = events_[current_.first()].time;
    begin_row(now > row_begin_ ? static_cast<double>(taken_) / (now - row_begin_) : first_guess());
  }
  return current_.first();
}

void BucketQueue::schedule(Index i, const Event& event) {
  remove(i);
  add(i, event);
}

void BucketQueue::turn_into_advancement(Index i) {
  remove(i);
  Event event = events_[i];
  event.turn_into_advancement();
  add(i, event);
}

/// As many as there are buckets for what is later than the row, or filed under the partner.
inline std::uint32_t BucketQueue::bucket_of(Index i, const Event& event) const {
  const double bucket = std::max(0.0, (event.time - row_begin_) * buckets_per_time_);
  return static_cast<std::uint32_t>(std::min(event.is_with_lower(i) ? end_ : bucket, end_));
}

/// Up to the current bucket into the heap, else into its ring, or one of its own.
void BucketQueue::add(Index i, const Event& event) {
  events_[i] = event;
  const std::uint32_t bucket = bucket_of(i, event);
  if (bucket <= bucket_) {
    current_.add(i, events_);
    return;
  }
  links_[i] = {i, i};
  const Index ring = bucket < events_.size() ? ring_of(bucket) : i;
  const Index next = links_[ring].next;
  links_[i] = {next, ring};
  links_[next].previous = i;
  links_[ring].next = i;
}

void BucketQueue::remove(Index i) {
  if (bucket_of(i, events_[i]) <= bucket_) {
    current_.remove(i, events_);
    return;
  }
  const Link link = links_[i];
  links_[link.previous].next = link.next;
  links_[link.next].previous = link.previous;
}

/// The heap is empty: on to the next bucket that is not, in this row or in a new one.
void BucketQueue::refill() {
  while (++bucket_ < events_.size()) {
    const Index ring = ring_of(bucket_);
    if (links_[ring].next == ring) continue;
    for (Index i = links_[ring].next; i != ring; i = links_[i].next) current_.add(i, events_);
    return;
  }
  const double end = row_begin_ + static_cast<double>(events_.size()) / buckets_per_time_;
  begin_row(static_cast<double>(taken_) / (end - row_begin_));
}

/// Files all events, about one a bucket. The earliest comes into the heap.
void BucketQueue::begin_row(double events_per_time) {
  row_begin_ = std::ranges::min(events_, {}, &Event::time).time;
  const bool useful = events_per_time > 0.0 && events_per_time < kNever && row_begin_ < kNever;
  buckets_per_time_ = useful ? events_per_time : 0.0;
  bucket_ = 0;
  taken_ = 0;
  for (Index ring = ring_of(0); ring < links_.size(); ++ring) links_[ring] = {ring, ring};
  current_.clear();
  for (Index i = 0; i < events_.size(); ++i) add(i, events_[i]);
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
