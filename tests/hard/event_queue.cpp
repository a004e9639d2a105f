#include "dem/hard/boxes/event_queue.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::event_queue_test {

using namespace scree::hard;
using test::Dice;

namespace {

/// The definition: looks at all.
class AllEvents {
 public:
  void assign(const std::vector<Event>& events) { events_ = to_be_queued(events); }
  void schedule(Index i, const Event& event) { events_[i].event = event; }
  void turn_into_advancement(Index i) { events_[i].event.turn_into_advancement(); }
  const Event& operator[](Index i) const { return events_[i].event; }
  const std::vector<QueuedEvent>& events() const { return events_; }
  Index first() const {
    const auto is_earlier = [](const QueuedEvent& a, const QueuedEvent& b) { return a.event < b.event; };
    return static_cast<Index>(std::ranges::min_element(events_, is_earlier) - events_.begin());
  }
  void take_first() {}
  std::size_t size() const { return events_.size(); }
  void prefetch(Index) const {}
  std::uint32_t bucket() const { return 0; }
  void visit(std::uint32_t, std::uint32_t, void (*)(Index)) const {}

 private:
  std::vector<QueuedEvent> events_;
};
static_assert(EventQueue<AllEvents>);

/// As one of many disks, whose events wait for their buckets.
struct WaitingQueue : BucketQueue {
  WaitingQueue() : BucketQueue(0) {}
};

/// How the times of events lie.
struct Future {
  const char* name;
  double mean;     ///< time to the next event [s]
  double step;     ///< times are multiples of it; 0: any
  bool into_past;  ///< some are before what came first
  bool never;      ///< some are infinite
  double growth;   ///< of the mean, each event
};

constexpr Future kFutures[] = {
    {"independent", 1.0, 0.0, false, false, 1.0},        {"many ties", 3.0, 1.0, false, false, 1.0},
    {"all at once", 0.0, 0.0, false, false, 1.0},        {"into the past", 1.0, 0.0, true, false, 1.0},
    {"some never", 1.0, 0.0, false, true, 1.0},          {"slower and slower", 1e-3, 0.0, false, false, 1.002},
    {"faster and faster", 1e3, 0.0, false, false, 0.998}};

double time_after(double now, const Future& future, double mean, Dice& dice) {
  if (future.never && dice.below(4) == 0) return kNever;
  double wait = -mean * std::log(1.0 - dice.between(0, 1));
  if (future.step > 0.0) wait = future.step * std::floor(wait / future.step);
  if (future.into_past && dice.below(10) == 0) wait = -wait;
  return now + wait;
}

Event some_event(Index i, double time, Index disks, Dice& dice) {
  switch (dice.below(3)) {
    case 0:
      return Event::advancement(time, i);
    case 1:
      return Event::wall(time, i, dice.below(4));
    default: {
      const Index j = dice.below(disks);
      return i == j ? Event::advancement(time, i) : Event::collision(time, i, j, NearImage::of(1, -1));
    }
  }
}

/// A collision becomes the event of both disks; who had planned one with them before advances.
template <class Q>
void give(Q& queue, Index i, const Event& event) {
  const auto give_up = [&](Index k) {
    if (queue[k].kind() == EventKind::collision) queue.turn_into_advancement(queue[k].partner(k));
  };
  const bool collides = event.kind() == EventKind::collision;
  const Index j = collides ? event.partner(i) : i;
  give_up(i);
  queue.schedule(i, event);
  if (!collides) return;
  give_up(j);
  queue.schedule(j, event);
}

}  // namespace

TEST_CASE("an event returns the data from which it was made, for both partners") {
  for (const int x : {-1, 0, 1}) {
    for (const int y : {-1, 0, 1}) {
      const NearImage image = NearImage::of(x, y);
      CHECK(image.x() == x);
      CHECK(image.y() == y);
      CHECK(image.opposite() == NearImage::of(-x, -y));
      CHECK(image.is_none() == (x == 0 && y == 0));
      const Event event = Event::collision(1.5, 7, kMaxDisks - 1, image);
      CHECK(event == Event::collision(1.5, kMaxDisks - 1, 7, image.opposite()));
      CHECK(event.kind() == EventKind::collision);
      CHECK(event.lower() == 7);
      CHECK(event.higher() == kMaxDisks - 1);
      CHECK(event.partner(7) == kMaxDisks - 1);
      CHECK(event.partner(kMaxDisks - 1) == 7);
      CHECK(event.image(7) == image);
      CHECK(event.image(kMaxDisks - 1) == image.opposite());
    }
  }
  CHECK(Event::wall(2.0, 5, 3).side() == 3);
  CHECK(Event::wall(2.0, 5, 3).kind() == EventKind::wall);
  CHECK(Event::advancement(2.0, 5).kind() == EventKind::advancement);
}

TEST_CASE("events are ordered by time, kind and ids; one that became an advancement keeps its order") {
  const std::vector<Event> ascending{Event::collision(1.0, 8, 9, {}), Event::advancement(2.0, 9),
                                     Event::wall(2.0, 0, 3),          Event::wall(2.0, 1, 0),
                                     Event::wall(2.0, 1, 1),          Event::collision(2.0, 0, 5, {}),
                                     Event::collision(2.0, 1, 2, {}), Event::collision(2.0, 2, 1, NearImage::of(-1, 0)),
                                     Event::collision(2.0, 1, 3, {}), Event::advancement(kNever, 0)};
  for (std::size_t a = 0; a < ascending.size(); ++a) {
    for (std::size_t b = 0; b < ascending.size(); ++b) {
      CHECK((ascending[a] < ascending[b]) == (a < b));
      Event former = ascending[a];
      former.turn_into_advancement();
      CHECK((former < ascending[b]) == (a <= b && ascending[a].rank != former.rank ? a <= b : a < b));
    }
  }
  Event collision = Event::collision(1.0, 8, 9, {});
  collision.turn_into_advancement();
  CHECK(collision.kind() == EventKind::advancement);
}

TEST_CASE_TEMPLATE("a queue always knows what looking at all events finds", Q, ImplicitHeap, BucketQueue,
                   WaitingQueue) {
  for (const Future& future : kFutures) {
    for (const Index disks : {1u, 2u, 3u, 17u, 200u}) {
      CAPTURE(std::string(future.name));
      CAPTURE(disks);
      Dice dice(disks);
      double mean = future.mean;
      std::vector<Event> events;
      for (Index i = 0; i < disks; ++i) events.push_back(Event::advancement(0.0, i));
      Q queue;
      AllEvents all;
      bool agree = true;
      int ties = 0;
      for (int k = 0; k < 6000 && agree; ++k) {
        if (k % 2000 == 0) {  // a clock that is set back
          queue.assign(events);
          all.assign(events);
        }
        const Index first = all.first();
        agree = queue.first() == first && queue[first] == all[first];
        const double now = std::min(all[first].time, 1e300);
        mean *= future.growth;
        // The first disk gets another event and so do some others, as partners do.
        for (Index i = first, others = dice.below(3) + 1; others > 0; --others, i = dice.below(disks)) {
          const Event event = some_event(i, time_after(now, future, mean, dice), disks, dice);
          give(queue, i, event);
          give(all, i, event);
        }
        const Event& next = all[all.first()];
        for (Index j = 0; j < disks; ++j) ties += all[j].time == next.time ? 1 : 0;
      }
      CHECK(agree);
      if (future.step > 0.0 && disks > 2) CHECK(ties > 7000);  // a tie more than every sixth time
    }
  }
}

TEST_CASE_TEMPLATE("no disks are a number of disks too", Q, ImplicitHeap, BucketQueue) {
  Q queue;
  queue.assign({});
  CHECK(queue.size() == 0);
}

}  // namespace scree::event_queue_test
