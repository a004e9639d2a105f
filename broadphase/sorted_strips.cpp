#include "broadphase/sorted_strips.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "broadphase/lanes/kernels.hpp"
#include "broadphase/lengthen.hpp"
#include "parallel/threads.hpp"

namespace scree {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
[[maybe_unused]] constexpr ProxyId kMaxId = kNone - 1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kMargin = 0.1;       // of a room on all sides, in units of the smallest extent of the box
constexpr double kLead = 0.5;         // of a room in the direction of motion, at most, in units of the smallest extent
constexpr double kLeadSteps = 512;    // the same in steps
constexpr double kHeadroom = 1.2;     // limit of a box over its motion in the step in which the limit is set
constexpr double kLeastLimit = 1e-5;  // of a box that moves, in units of its smallest extent
constexpr double kCaution = 0.999;    // covers the rounding errors of more than a few hundred steps
constexpr std::size_t kMany = 256;    // movers; memory for fewer is always kept
constexpr std::uint32_t kSoon = 8;    // a room that lasts only this many steps is replaced

template <int Dim>
bool is_proper(const Aabb<Dim>& box) {
  return (box.lo.array() <= box.hi.array()).all();  // false for not-a-number
}

// Distance of two boxes along the axis that separates them most; if they overlap, minus the depth of the overlap. Signs
// are exact. Only equal infinite coordinates give not-a-number, which std::max ignores.
template <int Dim>
double gap(const Aabb<Dim>& a, const Aabb<Dim>& b) {
  double gap = -kInfinity;
  for (int k = 0; k < Dim; ++k) gap = std::max(std::max(gap, a.lo[k] - b.hi[k]), b.lo[k] - a.hi[k]);
  return gap;
}

// Number of steps in which a distance cannot vanish if it decreases by at most `speed` per step; 1 if unknown.
std::uint32_t steps_until(double distance, double speed) {
  const double steps = kCaution * distance / speed;
  if (!(steps >= 1)) return 1;
  return steps < TimingWheel::kFarthest ? static_cast<std::uint32_t>(steps) : TimingWheel::kFarthest;
}

// The largest change of a coordinate, at least `least`. Unchanged infinite coordinates give not-a-number, which
// std::max ignores.
template <int Dim>
double travel(double least, const Aabb<Dim>& was, const Aabb<Dim>& now) {
  for (int k = 0; k < Dim; ++k) {
    least = std::max(std::max(least, std::abs(now.lo[k] - was.lo[k])), std::abs(now.hi[k] - was.hi[k]));
  }
  return least;
}

// 0 if it is infinite.
template <int Dim>
double smallest_extent(const Aabb<Dim>& box) {
  const double size = (box.hi - box.lo).minCoeff();
  return size < kInfinity ? size : 0;
}

// The limit of a box that moved so far in a step.
template <int Dim>
double limit_for(double moved, const Aabb<Dim>& box) {
  return std::max(kHeadroom * moved, kLeastLimit * smallest_extent(box));
}

// The room of a box.
template <int Dim>
Aabb<Dim> room_for(Aabb<Dim> box, const typename Aabb<Dim>::Vec& step) {
  const double size = smallest_extent(box);
  for (int k = 0; k < Dim; ++k) {
    const double lead = std::min(kLead * size, kLeadSteps * std::abs(step[k]));
    box.lo[k] -= kMargin * size + (step[k] < 0 ? lead : 0);
    box.hi[k] += kMargin * size + (step[k] > 0 ? lead : 0);
  }
  return box;
}

// Least distance of a box to the sides of its room; negative outside.
template <int Dim>
double space_left(const Aabb<Dim>& room, const Aabb<Dim>& box) {
  double left = kInfinity;
  for (int k = 0; k < Dim; ++k) left = std::min(std::min(left, box.lo[k] - room.lo[k]), room.hi[k] - box.hi[k]);
  return left;
}

void sort(PairChanges& changes) {
  std::sort(changes.begun.begin(), changes.begun.end());
  std::sort(changes.ended.begin(), changes.ended.end());
}

}  // namespace

// --- all boxes move

template <int Dim>
void SortedStrips<Dim>::update(std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  changes.clear();
  movers_.clear();
  ++step_;
  wake(boxes);
  follow(boxes);
  for (Mover& mover : movers_) make_room(mover);
  for (const Mover& mover : movers_) {
    if (mover.faster || mover.left) look_around(mover.id, changes);
    if (mover.left) meet(mover.id, changes);
  }
  look_at_those_due(changes);
  sort(changes);
  if (movers_.size() > std::max(kMany, boxes_.size() / 4)) {  // seldom, as after insertions
    movers_ = std::vector<Mover>();
    faster_ = std::vector<ProxyId>();
  }
}

// Checks the boxes that may leave their rooms now; their limits may be lowered at the same time.
template <int Dim>
void SortedStrips<Dim>::wake(std::span<const Aabb<Dim>> boxes) {
  const Due now = due_at(step_);
  box_wheel_.take(step_, [&](std::span<const ProxyId> ids) {
    for (const ProxyId id : ids) {
      if (due_[id] != now) continue;
      due_[id] = kUnplanned;
      if (!in_use_[id]) continue;
      const double moved = travel(0, boxes_[id], boxes[id]);
      limit_[id] = moved == 0 ? 0 : std::min(limit_[id], std::max(limit_for(moved, boxes[id]), limit_[id] / 2));
      movers_.push_back({id, boxes[id].lo - boxes_[id].lo});
    }
  });
}

// For most boxes an update is only this: a comparison with the limit.
template <int Dim>
void SortedStrips<Dim>::follow(std::span<const Aabb<Dim>> boxes) {
  constexpr std::uint32_t kAtOnce = 256;
  constexpr std::size_t kOfThread = 2048;  // boxes; they take some microseconds
  const auto n = static_cast<std::uint32_t>(std::min(boxes.size(), boxes_.size()));
  for (std::uint32_t i = 0; i < n; ++i) assert(!in_use_[i] || is_proper(boxes[i]));
  if constexpr (Dim == 2) {
    static_assert(sizeof(Aabb<2>) == 4 * sizeof(double));
    const auto follow_slow = box_lanes::kernels().follow_slow;
    faster_.clear();
    std::mutex mutex;
    const auto follow_range = [&](std::size_t first, std::size_t last) {
      ProxyId faster[kAtOnce];
      for (; first < last; first += kAtOnce) {
        const std::uint32_t count = follow_slow(
            boxes_.front().lo.data(), boxes.front().lo.data(), limit_.data(), static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(std::min<std::size_t>(first + kAtOnce, last)), faster);
        if (count == 0) continue;
        const std::lock_guard lock(mutex);
        faster_.insert(faster_.end(), faster, faster + count);
      }
    };
    if (n > 0) Threads::share(n, kOfThread, std::cref(follow_range));
    std::sort(faster_.begin(), faster_.end());
    for (const ProxyId id : faster_) exceed_limit(id, boxes[id]);
  } else {
    for (std::uint32_t id = 0; id < n; ++id) {
      if (travel(limit_[id], boxes_[id], boxes[id]) > limit_[id]) [[unlikely]]
        exceed_limit(id, boxes[id]);
      boxes_[id] = boxes[id];
    }
  }
}

template <int Dim>
void SortedStrips<Dim>::exceed_limit(ProxyId id, const Aabb<Dim>& box) {
  limit_[id] = limit_for(travel(limit_[id], boxes_[id], box), box);
  movers_.push_back({id, box.lo - boxes_[id].lo, true});
  boxes_[id] = box;
}

template <int Dim>
void SortedStrips<Dim>::make_room(Mover& mover) {
  const ProxyId id = mover.id;
  const double left = space_left(strips_.box(id), boxes_[id]);
  if (left < 0 || (limit_[id] > 0 && steps_until(left, limit_[id]) < kSoon)) {
    strips_.move(id, room_for(boxes_[id], mover.step));
    mover.left = true;
  }
  plan_wake(id);
}

// --- one box moves

template <int Dim>
void SortedStrips<Dim>::move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  assert(id < boxes_.size() && in_use_[id] && is_proper(box));
  changes.clear();
  boxes_[id] = box;
  const bool left = space_left(strips_.box(id), box) < 0;
  if (left) strips_.move(id, room_for<Dim>(box, Vec::Zero()));
  plan_wake(id);
  look_around(id, changes);
  if (left) meet(id, changes);
  sort(changes);
}

// --- boxes come and go

template <int Dim>
void SortedStrips<Dim>::insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  insert(std::span(&id, 1), std::span(&box, 1), changes);
}

template <int Dim>
void SortedStrips<Dim>::insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  assert(ids.size() == boxes.size());
  changes.clear();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    take_in(ids[i], boxes[i]);
    look_around(ids[i], changes);
    meet(ids[i], changes);
  }
  sort(changes);
}

template <int Dim>
void SortedStrips<Dim>::take_in(ProxyId id, const Aabb<Dim>& box) {
  assert(id <= kMaxId && is_proper(box));
  if (id >= boxes_.size()) {
    const std::size_t size = id + std::size_t{1};
    lengthen(boxes_, size);
    lengthen(limit_, size, kInfinity);
    lengthen(due_, size, Due{kUnplanned});
    lengthen(first_, size, kNone);
    lengthen(met_, size, stamp_);
    lengthen(in_use_, size);
  }
  assert(!in_use_[id]);
  in_use_[id] = 1;
  ++size_;
  boxes_[id] = box;
  limit_[id] = 0;
  strips_.insert(id, room_for<Dim>(box, Vec::Zero()));
}

template <int Dim>
void SortedStrips<Dim>::erase(ProxyId id, PairChanges& changes) {
  assert(id < boxes_.size() && in_use_[id]);
  changes.clear();
  while (first_[id] != kNone) part(first_[id] / 2, changes);
  strips_.erase(id);
  in_use_[id] = 0;
  --size_;
  limit_[id] = kInfinity;  // so that the box of an unused id never exceeds its limit
  sort(changes);
}

template <int Dim>
void SortedStrips<Dim>::query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const {
  found.clear();
  strips_.visit(box, [&](ProxyId id) {
    if (boxes_[id].overlaps(box)) found.push_back(id);
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

// --- couples

template <int Dim>
void SortedStrips<Dim>::next_stamp() {
  if (++stamp_ != 0) return;
  std::fill(met_.begin(), met_.end(), 0);  // after 2^32 of them
  stamp_ = 1;
}

// Tests all couples of a box and removes those whose rooms no longer overlap. Marks the others for meet().
template <int Dim>
void SortedStrips<Dim>::look_around(ProxyId id, PairChanges& changes) {
  next_stamp();
  for (Link link = first_[id]; link != kNone;) {
    const std::uint32_t number = link / 2;
    const Couple& couple = couples_[number];
    const ProxyId other = couple.ids[1 - link % 2];
    link = couple.next[link % 2];
    if (strips_.box(id).overlaps(strips_.box(other))) {
      met_[other] = stamp_;
      look(number, changes);
    } else {
      part(number, changes);
    }
  }
}

// Couples the box with those whose rooms overlap its own and that are not coupled with it yet. Call look_around()
// before.
template <int Dim>
void SortedStrips<Dim>::meet(ProxyId id, PairChanges& changes) {
  met_[id] = stamp_;
  strips_.visit(strips_.box(id), [&](ProxyId other) {
    if (met_[other] == stamp_) return;
    met_[other] = stamp_;
    look(couple(id, other), changes);
  });
}

template <int Dim>
void SortedStrips<Dim>::look(std::uint32_t number, PairChanges& changes) {
  conclude(number, sight(number), changes);
}

// The addresses of the boxes are irregular, so they are loaded for a few couples at a time, before branches that may be
// mispredicted.
template <int Dim>
void SortedStrips<Dim>::look_at_those_due(PairChanges& changes) {
  const Due now = due_at(step_);
  std::array<Sight, TimingWheel::kPerVisit> sights;
  couple_wheel_.take(step_, [&](std::span<const std::uint32_t> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) sights[i] = sight(numbers[i]);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Couple& couple = couples_[numbers[i]];
      if (couple.due != now) continue;
      couple.due = kUnplanned;
      conclude(numbers[i], sights[i], changes);
    }
  });
}

template <int Dim>
auto SortedStrips<Dim>::sight(std::uint32_t number) const -> Sight {
  const auto [a, b] = couples_[number].ids;
  return {gap(boxes_[a], boxes_[b]), limit_[a] + limit_[b]};
}

template <int Dim>
void SortedStrips<Dim>::conclude(std::uint32_t number, const Sight& sight, PairChanges& changes) {
  ++looks_;
  Couple& couple = couples_[number];
  const bool together = sight.gap <= 0;
  if (together != couple.together) {
    (together ? changes.begun : changes.ended).push_back({couple.ids[0], couple.ids[1]});
    couple.together = together;
  }
  couple.due = plan(couple_wheel_, number, couple.due, std::abs(sight.gap), sight.speed);
}

template <int Dim>
void SortedStrips<Dim>::plan_wake(ProxyId id) {
  due_[id] = plan(box_wheel_, id, due_[id], space_left(strips_.box(id), boxes_[id]), limit_[id]);
}

// `due` is when it is due by what is in the wheel: that is less than all slots ahead. An earlier call has no effect.
// The result is when it is due from now on; what is in the wheel for other steps is void.
template <int Dim>
auto SortedStrips<Dim>::plan(TimingWheel& wheel, std::uint32_t number, Due due, double distance, double speed) -> Due {
  if (speed == 0) return due;
  const std::uint32_t steps = steps_until(distance, speed);
  const std::uint32_t ahead = (std::uint32_t{due} - due_at(step_)) % TimingWheel::kSlots;
  if (due != kUnplanned && ahead > 0 && ahead <= steps) return due;
  wheel.put(step_ + steps, number);
  return due_at(step_ + steps);
}

template <int Dim>
std::uint32_t SortedStrips<Dim>::couple(ProxyId a, ProxyId b) {
  std::uint32_t number = free_couple_;
  if (number == kNone) {
    number = static_cast<std::uint32_t>(couples_.size());
    if (couples_.size() == couples_.capacity()) couples_.reserve(couples_.size() + couples_.size() / 16 + 16);
    couples_.emplace_back();
  } else {
    free_couple_ = couples_[number].next[0];
  }
  Couple& couple = couples_[number];
  couple.ids = {std::min(a, b), std::max(a, b)};
  couple.due = kUnplanned;
  couple.together = false;
  for (const Link side : {0u, 1u}) {
    Link& first = first_[couple.ids[side]];
    couple.previous[side] = kNone;
    couple.next[side] = first;
    if (first != kNone) couples_[first / 2].previous[first % 2] = 2 * number + side;
    first = 2 * number + side;
  }
  return number;
}

template <int Dim>
void SortedStrips<Dim>::part(std::uint32_t number, PairChanges& changes) {
  Couple& couple = couples_[number];
  if (couple.together) changes.ended.push_back({couple.ids[0], couple.ids[1]});
  for (const Link side : {0u, 1u}) {
    const Link next = couple.next[side];
    const Link previous = couple.previous[side];
    (previous == kNone ? first_[couple.ids[side]] : couples_[previous / 2].next[previous % 2]) = next;
    if (next != kNone) couples_[next / 2].previous[next % 2] = previous;
  }
  couple.due = kUnplanned;  // its number in the wheel is void
  couple.next[0] = free_couple_;
  free_couple_ = number;
}

template class SortedStrips<2>;
template class SortedStrips<3>;

}  // namespace scree
