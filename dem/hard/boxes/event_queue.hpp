#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/prefetch.hpp"
#include "parallel/huge_pages.hpp"

namespace scree::hard {

/// The next event of a disk, and where it waits. Half a line of the cache.
struct alignas(32) QueuedEvent {
  Event event;
  Index next = kNoDisk;      ///< in the list of its bucket; of one that waits the bucket
  Index previous = kNoDisk;  ///< likewise; of one that waits how many had waited before
  std::uint32_t bucket = 0;
};

/// Keeps one next event a disk and gives the least of them. The order is total (Event), so all queues agree. A
/// collision is the event of both its disks, or one of them is about to be given another.
template <class Q>
concept EventQueue = requires(Q q, const Q& c, const std::vector<Event>& events, Index i, const Event& event,
                              void load(Index)) {
  q.assign(events);                        ///< of all disks, those of disk i at place i
  q.schedule(i, event);                    ///< instead of the event that i had
  q.turn_into_advancement(i);              ///< the event of i, which keeps its place in the order
  { c[i] } -> std::same_as<const Event&>;  ///< of disk i
  { c.events() } -> std::same_as<const std::vector<QueuedEvent>&>;
  { q.first() } -> std::same_as<Index>;              ///< whose event is the least; the lower of two partners
  q.take_first();                                    ///< it is to be given another, and is not the least until then
  { c.size() } -> std::convertible_to<std::size_t>;  ///< disks
  c.prefetch(i);                                     ///< begins to load what is kept of disk i
  { c.bucket() } -> std::same_as<std::uint32_t>;  ///< that it is at: about one event each, ever later but in a new row
  c.visit(5u, 2u, load);                          ///< at most two disks whose events wait in bucket 5
};

inline std::vector<QueuedEvent> to_be_queued(const std::vector<Event>& events) {
  std::vector<QueuedEvent> queued;
  reserve_in_huge_pages(queued, events.size());
  for (const Event& event : events) queued.push_back({event});
  return queued;
}

/// Heap of disks by their events, with both pointer arrays: pht and pth of Lubachevsky 1991, section 4. The events are
/// not moved. Where two disks have the same event, the lower one comes first.
class DiskHeap {
 public:
  explicit DiskHeap(std::size_t disks = 0) : place_of_(disks) {}

  bool empty() const { return disk_at_.empty(); }
  Index first() const { return disk_at_[0]; }
  void clear() { disk_at_.clear(); }
  void add(Index i, const std::vector<QueuedEvent>& events);
  void remove(Index i, const std::vector<QueuedEvent>& events);
  /// After the event of i has changed.
  void restore(Index i, const std::vector<QueuedEvent>& events);

 private:
  void put(std::uint32_t place, Index disk) {
    disk_at_[place] = disk;
    place_of_[disk] = place;
  }

  std::vector<Index> disk_at_;           // pht: by place in the heap
  std::vector<std::uint32_t> place_of_;  // pth: by disk
};

/// Lubachevsky's implicit heap. O(log N) a call, 40 bytes a disk.
class ImplicitHeap {
 public:
  void assign(const std::vector<Event>& events);
  void schedule(Index i, const Event& event) {
    events_[i].event = event;
    heap_.restore(i, events_);
  }
  void turn_into_advancement(Index i) { events_[i].event.turn_into_advancement(); }
  const Event& operator[](Index i) const { return events_[i].event; }
  const std::vector<QueuedEvent>& events() const { return events_; }
  Index first() const { return heap_.first(); }
  void take_first() {}
  std::size_t size() const { return events_.size(); }
  void prefetch(Index i) const { hard::prefetch(&events_[i]); }
  std::uint32_t bucket() const { return 0; }
  template <class Visit>
  void visit(std::uint32_t, std::uint32_t, const Visit&) const {}

 private:
  std::vector<QueuedEvent> events_;  // by disk
  DiskHeap heap_;
};

/// Events that are due, the least of them first. They are mostly a few: a short row in order; a heap has those that
/// find no room in it.
class DueEvents {
 public:
  struct Due {
    Event event;
    Index disk;
  };

  bool empty() const { return count_ == 0 && heap_.empty(); }
  const Due& first() const {
    if (heap_.empty()) [[likely]]
      return row_[count_ - 1];
    return is_heap_first() ? heap_.front() : row_[count_ - 1];
  }
  void push(const Event& event, Index disk) {
    if (count_ == kInRow) [[unlikely]]
      return push_onto_heap({event, disk});
    const Due due = {event, disk};
    std::uint32_t place = count_++;
    for (; place > 0 && is_later(due, row_[place - 1]); --place) row_[place] = row_[place - 1];
    row_[place] = due;
  }
  void pop() {
    if (!heap_.empty() && is_heap_first()) [[unlikely]]
      return pop_heap();
    --count_;
  }
  /// Gives the heap's memory back: where all was due at once, as at the start, that was much.
  void clear() {
    count_ = 0;
    heap_ = std::vector<Due>();
  }

 private:
  static constexpr std::uint32_t kInRow = 16;
  static bool is_later(const Due& a, const Due& b) {
    return b.event < a.event || (b.event == a.event && b.disk < a.disk);
  }
  bool is_heap_first() const { return count_ == 0 || is_later(row_[count_ - 1], heap_.front()); }
  void push_onto_heap(const Due& due);
  void pop_heap();

  std::array<Due, kInRow> row_{};  // the last one is the least
  std::uint32_t count_ = 0;        // in the row
  std::vector<Due> heap_;
};

/// Bounded increasing priority queue: a row of buckets of equal width in time, each a list without order; only the
/// events of the current one are in order. What is later than the last bucket waits in no list until a new row begins.
/// O(1) a call on average as long as nothing is scheduled before what came first last; that is allowed, too, and costs
/// what a heap costs. What is due is not taken out when its disk gets another event: it is left out when it comes
/// first. 40 bytes a disk.
///
/// Where there are many disks a bucket has to come from memory. So an event is linked into its list only when some more
/// have been filed: until then it waits, and its bucket is loaded.
///
/// A collision is filed once, under the lower of its two disks. The width follows the rate of events by itself; it
/// changes the cost, never the order.
///
/// Source: G. Paul, A complexity O(1) priority queue for event driven molecular dynamics simulations, J. Comput. Phys.
/// 221 (2007), doi 10.1016/j.jcp.2006.06.042. He keeps the current bucket as a binary tree.
class BucketQueue {
 public:
  /// @param most_in_cache disks: of more, events wait for their buckets
  explicit BucketQueue(std::size_t most_in_cache = kMostInCache) : most_in_cache_(most_in_cache) {}

  void assign(const std::vector<Event>& events);
  void schedule(Index i, const Event& event) {
    unlink(i);
    events_[i].event = event;
    file(i);
  }
  void turn_into_advancement(Index i);
  const Event& operator[](Index i) const { return events_[i].event; }
  const std::vector<QueuedEvent>& events() const { return events_; }
  Index first();
  void take_first() { due_.pop(); }
  std::size_t size() const { return events_.size(); }
  void prefetch(Index i) const { hard::prefetch(&events_[i]); }
  std::uint32_t bucket() const { return bucket_; }
  template <class Visit>
  void visit(std::uint32_t bucket, std::uint32_t at_most, const Visit& visit) const;

 private:
  static constexpr std::uint32_t kMostWaiting = 8;
  static constexpr std::uint32_t kIsDue = 0xffffffff;
  static constexpr std::uint32_t kNowhere = 0xfffffffe;  // later than the row, or filed under the partner
  static constexpr std::uint32_t kWaits = 0xfffffffd;    // to be linked

  /// Up to the current bucket with what is due, else into a list, or nowhere.
  void file(Index i) {
    QueuedEvent& queued = events_[i];
    queued.bucket = kNowhere;
    if (queued.event.is_with_lower(i)) return;
    const double bucket = (queued.event.time - row_begin_) * buckets_per_time_;
    if (!(bucket >= end_of_bucket_)) return push(i);  // nor is it a number where nothing ever comes
    if (bucket < end_of_row_) put(i, static_cast<std::uint32_t>(bucket));
  }
  /// @param bucket later than the current one
  void put(Index i, std::uint32_t bucket) { is_in_memory_ ? wait(i, bucket) : link(i, bucket); }
  /// Instead of the one that has waited for longest, which then is linked.
  void wait(Index i, std::uint32_t bucket) {
    hard::prefetch(&heads_[bucket]);
    QueuedEvent& queued = events_[i];
    queued.bucket = kWaits;
    queued.next = bucket;
    queued.previous = filed_;
    known_until_ = std::min(known_until_, bucket);
    link_longest();
    waiting_[filed_++ % kMostWaiting] = i;
  }
  /// The disk that waits for longest, unless it has got another event since.
  void link_longest() {
    const Index i = waiting_[filed_ % kMostWaiting];
    const QueuedEvent& queued = events_[i];
    if (queued.bucket == kWaits && queued.previous + kMostWaiting == filed_) link(i, queued.next);
  }
  void link_all();
  void link(Index i, std::uint32_t bucket) {
    QueuedEvent& queued = events_[i];
    queued.bucket = bucket;
    queued.previous = kNoDisk;
    queued.next = heads_[bucket];
    heads_[bucket] = i;
    if (queued.next != kNoDisk) events_[queued.next].previous = i;
  }
  /// Takes a disk out of its list, if it is in one.
  void unlink(Index i) {
    const QueuedEvent& queued = events_[i];
    if (queued.bucket >= kWaits) return;
    (queued.previous == kNoDisk ? heads_[queued.bucket] : events_[queued.previous].next) = queued.next;
    if (queued.next != kNoDisk) events_[queued.next].previous = queued.previous;
  }
  void push(Index i) {
    events_[i].bucket = kIsDue;
    due_.push(events_[i].event, i);
  }
  bool is_over(const DueEvents::Due& due) const { return events_[due.disk].event != due.event; }
  /// False where the rate of events is not known, as long as all of them are at one time: then all are due.
  bool has_buckets() const { return buckets_per_time_ > 0.0; }
  void refill();
  void begin_row(double events_per_time);
  double first_guess() const;

  std::vector<QueuedEvent> events_;  // by disk
  std::vector<Index> heads_;         // of the buckets' lists: twice as many as there are disks
  DueEvents due_;                    // before the end of the current bucket, and what was
  std::uint32_t bucket_ = 0;         // the current one
  double end_of_bucket_ = 1.0;       // in buckets
  double end_of_row_ = 0.0;          // likewise
  double row_begin_ = 0.0;           // [s]
  double buckets_per_time_ = 0.0;    // [1/s]
  std::uint64_t taken_ = 0;          // events in this row so far
  std::uint64_t most_taken_ = 0;     // then it is much too long
  std::size_t most_in_cache_;
  bool is_in_memory_ = false;                  // mostly, not in the cache
  std::array<Index, kMostWaiting> waiting_{};  // the last ones that were to wait
  std::uint32_t filed_ = 0;                    // that were to wait so far
  std::uint32_t known_until_ = 0;              // no event waits for a bucket before
};

/// Reads what is kept of each but the last one.
template <class Visit>
void BucketQueue::visit(std::uint32_t bucket, std::uint32_t at_most, const Visit& visit) const {
  Index i = bucket < heads_.size() ? heads_[bucket] : kNoDisk;
  for (; i != kNoDisk; i = events_[i].next) {
    visit(i);
    if (--at_most == 0) return;
  }
}

static_assert(EventQueue<ImplicitHeap> && EventQueue<BucketQueue>);

}  // namespace scree::hard
