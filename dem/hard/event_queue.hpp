#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/hard/event.hpp"
#include "dem/hard/prefetch.hpp"

namespace scree::hard {

/// Keeps one next event a disk and knows the least of them. The order is total (Event), so all queues agree. A
/// collision is the event of both its disks, or one of them is about to be given another.
template <class Q>
concept EventQueue = requires(Q q, const Q& c, std::vector<Event> events, Index i, const Event& event,
                              void load(Index)) {
  q.assign(std::move(events));             ///< of all disks, those of disk i at place i
  q.schedule(i, event);                    ///< instead of the event that i had
  q.turn_into_advancement(i);              ///< the event of i, which keeps its place in the order
  { c[i] } -> std::same_as<const Event&>;  ///< of disk i
  { c.events() } -> std::same_as<const std::vector<Event>&>;
  { q.first() } -> std::same_as<Index>;              ///< whose event is the least; the lower of two partners
  { c.size() } -> std::convertible_to<std::size_t>;  ///< disks
  c.prefetch(i);                                     ///< begins to load what is kept of disk i
  c.soon(2u, load);  ///< visits a disk or two whose event comes about two events later: a guess, perhaps none
};

/// Heap of disks by their events, with both pointer arrays: pht and pth of Lubachevsky 1991, section 4. The events are
/// not moved. Where two disks have the same event, the lower one comes first.
class DiskHeap {
 public:
  explicit DiskHeap(std::size_t disks = 0) : place_of_(disks) {}

  bool empty() const { return disk_at_.empty(); }
  Index first() const { return disk_at_[0]; }
  void clear() { disk_at_.clear(); }
  void add(Index i, const std::vector<Event>& events);
  void remove(Index i, const std::vector<Event>& events);
  /// After the event of i has changed.
  void restore(Index i, const std::vector<Event>& events);

 private:
  void put(std::uint32_t place, Index disk) {
    disk_at_[place] = disk;
    place_of_[disk] = place;
  }

  std::vector<Index> disk_at_;           // pht: by place in the heap
  std::vector<std::uint32_t> place_of_;  // pth: by disk
};

/// Lubachevsky's implicit heap. O(log N) a call, 24 bytes a disk.
class ImplicitHeap {
 public:
  void assign(std::vector<Event> events);
  void schedule(Index i, const Event& event) {
    events_[i] = event;
    heap_.restore(i, events_);
  }
  void turn_into_advancement(Index i) { events_[i].turn_into_advancement(); }
  const Event& operator[](Index i) const { return events_[i]; }
  const std::vector<Event>& events() const { return events_; }
  Index first() const { return heap_.first(); }
  std::size_t size() const { return events_.size(); }
  void prefetch(Index i) const { hard::prefetch(&events_[i]); }
  template <class Visit>
  void soon(std::uint32_t, const Visit&) const {}

 private:
  std::vector<Event> events_;  // by disk
  DiskHeap heap_;
};

/// Bounded increasing priority queue: a row of buckets of equal width in time, each a list without order; only the
/// current one is kept as a heap. What is later than the last bucket waits in no list until a new row begins. O(1) a
/// call on average as long as nothing is scheduled before what came first last; that is allowed, too, and costs what a
/// heap costs. 40 bytes a disk.
///
/// A collision is filed once, under the lower of its two disks. The width follows the rate of events by itself; it
/// changes the cost, never the order.
///
/// Source: G. Paul, A complexity O(1) priority queue for event driven molecular dynamics simulations, J. Comput. Phys.
/// 221 (2007), doi 10.1016/j.jcp.2006.06.042. He keeps the current bucket as a binary tree.
class BucketQueue {
 public:
  void assign(std::vector<Event> events);
  void schedule(Index i, const Event& event);
  void turn_into_advancement(Index i);
  const Event& operator[](Index i) const { return events_[i]; }
  const std::vector<Event>& events() const { return events_; }
  Index first();
  std::size_t size() const { return events_.size(); }
  void prefetch(Index i) const {
    hard::prefetch(&events_[i]);
    hard::prefetch(&links_[i]);
  }
  template <class Visit>
  void soon(std::uint32_t events, const Visit& visit) const;

 private:
  /// In a ring: of a bucket's disks, closed by the bucket itself; of a disk alone if it is in no bucket's.
  struct Link {
    Index next;
    Index previous;
  };

  std::uint32_t bucket_of(Index i, const Event& event) const;
  Index ring_of(std::uint32_t bucket) const { return static_cast<Index>(events_.size()) + bucket; }
  void add(Index i, const Event& event);
  void remove(Index i);
  void refill();
  void begin_row(double events_per_time);
  double first_guess() const;

  std::vector<Event> events_;      // by disk
  std::vector<Link> links_;        // by disk, then by bucket: as many as there are disks
  DiskHeap current_;               // what is due before the end of the current bucket
  std::uint32_t bucket_ = 0;       // the current one
  double end_ = 0.0;               // of the row, in buckets
  double row_begin_ = 0.0;         // [s]
  double buckets_per_time_ = 0.0;  // [1/s]
  std::uint64_t taken_ = 0;        // events in this row so far
};

/// The first disk in a later bucket, and its partner.
template <class Visit>
void BucketQueue::soon(std::uint32_t events, const Visit& visit) const {
  const std::size_t bucket = std::size_t{bucket_} + events;
  if (bucket >= events_.size()) return;
  const Index i = links_[events_.size() + bucket].next;
  if (i >= events_.size()) return;
  visit(i);
  if (events_[i].kind() == EventKind::collision) visit(events_[i].higher());
}

static_assert(EventQueue<ImplicitHeap> && EventQueue<BucketQueue>);

}  // namespace scree::hard
