#include "dem/hard/event_loop.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "dem/hard/epochs.hpp"
#include "dem/hard/placing.hpp"
#include "dem/hard/plain_disks.hpp"
#include "dem/hard/world_kinds.hpp"

namespace scree::hard {

namespace {

template <FindsNeighbours B, EventQueue Q, class K, class Name>
void count_box_exit(World<B, Q, K>& world, const Name& whose) {
  if (!Watchdog::is_check_due(++world.counters.box_exits)) return;
  const auto problem = world.watchdog.check_box_exits(world.present(), world.disks.size(), whose());
  if (problem) world.stop(*problem);
}

/// Begins to load from memory what the next events will need, one indirection after the other: looks at each bucket of
/// the queue some buckets before it is current. Nine in ten events are among the first two of their buckets.
template <FindsNeighbours B, EventQueue Q, class K>
class LoadsAhead {
 public:
  explicit LoadsAhead(const World<B, Q, K>& world) : world_(world), seen_(world.queue.bucket()) {}

  /// Before each event.
  void operator()() {
    const std::uint32_t bucket = world_.queue.bucket();
    if (bucket < seen_) seen_ = bucket;  // a new row
    while (seen_ < bucket) look_from(++seen_);
  }

 private:
  // How many buckets before.
  static constexpr std::uint32_t kFirst = 20;     // the bucket's first event
  static constexpr std::uint32_t kSecond = 16;    // the second one
  static constexpr std::uint32_t kPartners = 12;  // those of their partners
  static constexpr std::uint32_t kDisks = 8;      // all that is kept of these disks
  static constexpr std::uint32_t kAround = 4;     // flights and events of those around them

  /// The disks of a bucket's first two events.
  template <class Visit>
  void visit_both(std::uint32_t bucket, const Visit& visit) const {
    world_.queue.visit(bucket, 2, [&](Index i) {
      visit(i);
      const Event& event = world_.queue[i];
      if (event.kind() == EventKind::collision) visit(event.higher());
    });
  }
  void look_from(std::uint32_t bucket) const {
    const auto& queue = world_.queue;
    const DiskBoxes& boxes = world_.neighbourhood.boxes();
    queue.visit(bucket + kFirst, 1, [&](Index i) { queue.prefetch(i); });
    queue.visit(bucket + kSecond, 2, [&](Index i) { queue.prefetch(i); });
    visit_both(bucket + kPartners, [&](Index i) { queue.prefetch(i); });
    visit_both(bucket + kDisks, [&](Index i) {
      world_.disks.prefetch(i);
      world_.disks.prefetch_spin(i);
      world_.exits.prefetch(i);
      boxes.prefetch(i);
    });
    visit_both(bucket + kAround, [&](Index i) {
      for (const Partner partner : boxes.partners_of(i)) {
        world_.disks.prefetch(partner.disk());
        queue.prefetch(partner.disk());
      }
    });
  }

  const World<B, Q, K>& world_;
  std::uint32_t seen_;
};

/// Loads ahead what disks that leave their boxes one after the other will read.
template <FindsNeighbours B, EventQueue Q, class K>
void load_ahead(const World<B, Q, K>& world, std::span<const Index> leaving) {
  constexpr std::size_t kLines = 8;  // disks later
  constexpr std::size_t kAround = 4;
  if (leaving.size() > kLines) {
    const Index i = leaving[kLines];
    world.disks.prefetch(i);
    world.neighbourhood.boxes().prefetch(i);
    world.queue.prefetch(i);
  }
  if (leaving.size() > kAround) world.neighbourhood.prefetch_move(leaving[kAround]);
}

// L is K, the kind of grains in the world, or PlainDisks.

/// A disk has got another velocity: it may be too fast for the clock's deadline, or leave its box earlier than planned.
template <class L, FindsNeighbours B, EventQueue Q, class K>
void velocity_changed(World<B, Q, K>& world, Index i, const typename L::Predictor& predictor) {
  world.rebasing.update_deadline(K::speed_squared(world.disks, i), world.now);
  plan_exit(world, i, predictor);
}

/// What an event did, for all that counts, measures or watches.
template <class L, FindsNeighbours B, EventQueue Q, class K>
void account(World<B, Q, K>& world, Index i, const Event& event, const Outcome& outcome,
             const typename L::Predictor& predictor) {
  world.counters.count(outcome.kind);
  if constexpr (K::kHaveForms) world.counters.made_elastic += outcome.made_elastic ? 1 : 0;
  outcome.add_to(world.energy);
  if (world.compression.has_grown() && outcome.kind == Outcome::Kind::collision) {
    world.compression.count(outcome.branch.dot(outcome.impulse));
  }
  if (world.space.cell.exists()) {
    world.space.cell.add_collision(outcome.branch, outcome.impulse, world.now, world.recorder.cell_sums());
  }
  world.record(i, event, outcome);
  velocity_changed<L>(world, i, predictor);
  if (event.collides()) velocity_changed<L>(world, event.partner(i), predictor);
}

/// A collision of plain disks and its account.
template <FindsNeighbours B, EventQueue Q, class K>
void collide_plain(World<B, Q, K>& world, Index i, const Event& event, const PlainPredictor& predictor,
                   const PlainHandlers& handlers) {
  ++world.counters.collisions;
  if (world.recorder.records()) [[unlikely]] {
    Outcome outcome;
    world.energy.damping += handlers.collide(event, world.now, &outcome);
    world.record(i, event, outcome);
  } else {
    world.energy.damping += handlers.collide(event, world.now, nullptr);
  }
  velocity_changed<PlainDisks>(world, i, predictor);
  velocity_changed<PlainDisks>(world, event.partner(i), predictor);
}

/// A disk is wholly beyond an open side. No other disk has it as a partner: its new event was this one.
template <FindsNeighbours B, EventQueue Q, class K>
void leave_domain(World<B, Q, K>& world, Index i) {
  world.disks.synchronize(i, world.now, world.space);
  world.departures.push_back(world.disks.departure(i, world.present()));
  world.energy.kinetic_out += world.disks.kinetic_energy(i, world.now, world.space);
  world.energy.out += world.disks.energy(i, world.now, world.space);
  world.disks.remove(i);
  if (world.disks.present() == 0) world.rebasing.suspend();  // so would a resumed run, which has no disk
  world.neighbourhood.erase(i);
  world.exits.forget(i);
  set_event(world, i, Event::advancement(kNever, i));
}

/// Makes the event of i happen: Fig. 6.1, lines 3 to 12.
///
/// Both partners of a collision get their new flights at once; in the printed figure the second one's old state, which
/// line 14 of the first one reads, is that before the collision, and they collide again and again. Until the next event
/// of the second one is found it keeps the one that is over, before which nothing comes: no other disk can take it
/// away.
template <class L, FindsNeighbours B, EventQueue Q, class K>
void process(World<B, Q, K>& world, Index i, const Event& event, const typename L::Predictor& predictor,
             const typename L::Handlers& handlers) {
  if constexpr (L::kArePlain) {
    if (event.collides()) return collide_plain(world, i, event, predictor, handlers);
  }
  if (world.space.cell.exists() && event.collides()) {
    world.end_flight(event.lower());
    world.end_flight(event.higher());
  }
  switch (event.kind()) {
    case EventKind::advancement:
      ++world.counters.advancements;
      return;
    case EventKind::wall:
      if (event.side() >= kSides) return account<L>(world, i, event, handlers.hit_wall(i, event, world.now), predictor);
      if (world.space.open) return leave_domain(world, i);
      return account<L>(world, i, event, handlers.hit_side(i, event.side(), world.now), predictor);
    case EventKind::collision:
      if constexpr (K::kHaveForms) {
        return account<L>(world, i, event, handlers.collide_grains(event, world.now), predictor);
      } else {
        return account<L>(
            world, i, event,
            event.crosses() ? handlers.cross_well_edge(event, world.now) : handlers.collide_disks(event, world.now),
            predictor);
      }
  }
}

/// The box moves before the next prediction, and ahead of the disk, which then stays in it for longer. Its event stays
/// unless it hits a new partner, or a wall, before; or if images are named otherwise since the box has crossed a
/// periodic side.
template <class L, FindsNeighbours B, EventQueue Q, class K>
void leave_box(World<B, Q, K>& world, Index i, const typename L::Predictor& predictor) {
  constexpr double kAhead = 0.35;  // of the margin: a sixth fewer moves at packing fraction 0.3
  const DiskBoxes& boxes = world.neighbourhood.boxes();
  const Flight& flight = world.disks.flight(i);
  const Vec2 velocity = world.disks.velocity_in_box(i, world.now, world.space);
  const double speed = velocity.norm();
  const Vec2 direction = speed > 0.0 ? Vec2(velocity / speed) : Vec2::Zero();
  const Image old_offset = world.disks[i].box_image_offset;
  const Vec2 centre = world.disks.place_box(i, world.now, world.space, kAhead * boxes.margin() * direction);
  const double radius = flight.radius * world.reach;
  const std::span<const Partner> newcomers = world.neighbourhood.move(i, centre, radius);
  if constexpr (!L::kArePlain) world.walls.find(i, boxes.box(centre, radius));
  if (world.part) world.part->note_box(i, centre);
  const double exit = predictor.box_exit_time(i, world.now);
  if (!(exit > world.now)) world.stop(world.name_and_speed(i) + ", is too fast for the clock");
  world.exits.plan(i, exit);
  count_box_exit(world, [&] { return world.name_and_speed(i); });
  const bool names_hold = are_same(world.disks[i].box_image_offset, old_offset);
  reschedule(world, i, names_hold ? predictor.next_event_with(i, newcomers) : predictor.next_event(i));
}

/// Moves the boxes of the disks that leave them in the next bucket of the calendar, or that cannot wait for it.
/// @return how many
template <class L, FindsNeighbours B, EventQueue Q, class K>
std::size_t leave_boxes(World<B, Q, K>& world, const typename L::Predictor& predictor) {
  world.now = world.exits.due();
  const std::span<const Index> disks = world.exits.take();
  const bool loads_ahead = world.is_in_memory();
  for (std::size_t k = 0; k < disks.size(); ++k) {
    if (loads_ahead) load_ahead(world, disks.subspan(k));
    const Index i = disks[k];
    if (world.part && world.part->lets_be(i, world.now)) continue;
    predictor.stays_in_box(i, world.now, world.exits.end_of_bucket())
        ? world.exits.plan(i, predictor.box_exit_time(i, world.now))
        : leave_box<L>(world, i, predictor);
  }
  const std::size_t count = disks.size();
  if (world.exits.is_used_up()) plan_exits(world);
  return count;
}

/// A wall leaves its box or is removed: the events of disks that it can hit now, or was to, are invalid.
template <FindsNeighbours B, EventQueue Q, class K>
void update_wall(World<B, Q, K>& world) {
  world.now = std::max(world.now, world.walls.next_change());
  const Index k = world.walls.change();
  count_box_exit(world, [&] { return "the wall '" + world.walls.name(k) + "'"; });
  const DiskBoxes& boxes = world.neighbourhood.boxes();
  for (Index i = 0; i < world.disks.size(); ++i) {
    if (world.disks.has_left(i)) continue;
    if (!world.walls.stands(k)) {
      if (world.queue[i].kind() == EventKind::wall && world.queue[i].side() == kSides + k) invalidate_event(world, i);
      continue;
    }
    const Aabb2 box = boxes.box(boxes.centre(i), world.disks.flight(i).radius * world.reach);
    const auto is_k = [&](Partner wall) { return wall.disk() == k; };
    if (!world.walls.reaches(k, box) && std::ranges::none_of(world.walls.of(i), is_k)) continue;
    world.walls.find(i, box);
    invalidate_event(world, i);
  }
}

/// Neither the disk nor whom it collides with matters any more: they fly on.
template <FindsNeighbours B, EventQueue Q, class K>
void let_be(World<B, Q, K>& world, Index i, const Event& event) {
  const auto idle = [&](Index of) {
    world.part->idle.push_back(of);
    set_event(world, of, Event::advancement(kNever, of));
  };
  if (event.collides()) idle(event.partner(i));
  idle(i);
}

template <class L, FindsNeighbours B, EventQueue Q, class K>
void advance_until(World<B, Q, K>& world, double time, std::uint64_t at_most) {
  require_boxes(world);
  const typename L::Predictor predictor(hard::predictor(world));
  const typename L::Handlers handlers(hard::handlers(world));
  const bool loads_ahead = world.is_in_memory();
  LoadsAhead load_ahead(world);
  const auto next_wall_change = [&] { return L::kArePlain ? kNever : world.walls.next_change(); };
  const auto next_global = [&] { return L::kArePlain ? world.rebasing.deadline() : next_global_event(world); };
  while (world.queue.size() > 0) {
    const Index i = world.queue.first();  // line 2
    const Event event = world.queue[i];
    const double end = world.rebasing.clock().at(time);
    const double global = next_global();
    if (world.exits.due() <= std::min({event.time, next_wall_change(), end, global})) {
      if (at_most == 0) return stop_before(world, time);
      at_most -= std::min<std::uint64_t>(at_most, leave_boxes<L>(world, predictor));
      continue;
    }
    if (std::min(event.time, next_wall_change()) > std::min(end, global)) {
      if (end < global) break;  // line 1
      carry_out_global_event(world);
      continue;
    }
    if (at_most-- == 0) return stop_before(world, time);
    if (next_wall_change() <= event.time) {
      update_wall(world);
      continue;
    }
    if (world.part && !world.part->matters(i, event)) {
      let_be(world, i, event);
      continue;
    }
    if (loads_ahead) load_ahead();
    world.now = event.time;
    world.queue.take_first();
    process<L>(world, i, event, predictor, handlers);                                           // lines 3 to 12
    if (L::kArePlain || !world.disks.has_left(i)) schedule(world, i, predictor.next_event(i));  // lines 14 to 23
    if (event.collides()) {
      const Index partner = event.partner(i);
      schedule(world, partner, predictor.next_event(partner));
    }
    if (event.kind() >= EventKind::wall && world.rebasing.count_change()) rebase_clock(world, i);
  }
  world.time = time;
}

}  // namespace

template <FindsNeighbours B, EventQueue Q, class K>
void advance(World<B, Q, K>& world, double time, std::uint64_t at_most) {
  if (!(time >= world.time)) return;
  if constexpr (K::kHaveForms) {
    try {
      advance_until<K>(world, time, at_most);
    } catch (const SearchGaveUp& search) {
      world.stop(search.what());
    }
  } else {
    if constexpr (std::same_as<World<B, Q, K>, DiskWorld>) {
      if (are_plain(world)) return advance_until<PlainDisks>(world, time, at_most);
    }
    advance_until<K>(world, time, at_most);
  }
}

#define SCREE_INSTANTIATE(B, Q, K) template void advance(World<B, Q, K>&, double, std::uint64_t);
SCREE_FOR_HARD_WORLDS(SCREE_INSTANTIATE)
#undef SCREE_INSTANTIATE

}  // namespace scree::hard
