#include "dem/hard/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/boxes/box_margin.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/flight/drift.hpp"
#include "dem/hard/simulation_kinds.hpp"

namespace scree::hard {

namespace {

/// @throws InvalidScene if the setup makes no sense
Space space_of(const Setup& setup) {
  validate(setup);
  return {setup.domain, setup.open, setup.gravity};
}

}  // namespace

template <FindsNeighbours B, EventQueue Q, class K>
BasicSimulation<B, Q, K>::BasicSimulation(const Setup& setup)
    : space_(space_of(setup)),
      rules_(setup),
      walls_(setup.walls, setup.domain),
      disks_(setup, space_),
      wells_{setup.well, {}},
      compression_(setup.growth, setup.domain, disks_),
      recorder_(setup),
      neighbourhood_(setup.domain, first_margin(setup)),
      margin_(setup.margin) {
  const double margin = neighbourhood_.boxes().margin();
  if (margin > 0.0 && kBoxSlack * margin < 4.0 * tolerance(space_.domain, 0.0)) {
    throw InvalidScene("radius", "the disks are too small for coordinates as large as the domain's");
  }
  require_cell();
  plan_rebasing();
  place_boxes(disks_.size());
  if (!setup.is_for_load) check_start(view());
  if (wells_.exist()) {
    wells_.pairs.assign(disks_.size(), pairs_by_distance(wells_.well, disks_, neighbourhood_.boxes(), space_));
  }
  energy_.in = wells_.energy();
  for (Index i = 0; i < disks_.size(); ++i) energy_.in += disks_.energy(i, 0.0, space_);
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::advance(double time, std::uint64_t at_most) {
  if (!(time >= time_)) return;
  if constexpr (K::kHaveForms) {
    try {
      advance_until(time, at_most);
    } catch (const SearchGaveUp& search) {
      stop(search.what());
    }
  } else {
    advance_until(time, at_most);
  }
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::advance_until(double time, std::uint64_t at_most) {
  require_boxes();
  const Predictor predictor = this->predictor();
  const Handlers handlers = this->handlers();
  while (queue_.size() > 0) {
    const Index i = queue_.first();  // line 2
    const Event event = queue_[i];
    const double end = rebasing_.clock().at(time);
    const double next_global = next_global_event();
    if (exits_.due() <= std::min({event.time, walls_.next_change(), end, next_global})) {
      if (at_most == 0) return stop_before(time);
      at_most -= std::min<std::uint64_t>(at_most, leave_boxes(predictor));
      continue;
    }
    if (std::min(event.time, walls_.next_change()) > std::min(end, next_global)) {
      if (end < next_global) break;  // line 1
      carry_out_global_event();
      continue;
    }
    if (at_most-- == 0) return stop_before(time);
    if (walls_.next_change() <= event.time) {
      update_wall();
      continue;
    }
    if (part_ && !part_->matters(i, event)) {
      let_be(i, event);
      continue;
    }
    if (outgrows_the_cache()) load_ahead(event);
    now_ = event.time;
    process(i, event, predictor, handlers);                         // lines 3 to 12
    if (!disks_.has_left(i)) schedule(i, predictor.next_event(i));  // lines 14 to 23
    if (event.kind() == EventKind::collision) {
      const Index partner = event.partner(i);
      schedule(partner, predictor.next_event(partner));
    }
    if (event.kind() >= EventKind::wall && rebasing_.count_change()) rebase_clock(i);
  }
  time_ = time;
}

/// So many events were allowed, and there are more until then.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::stop_before(double time) {
  time_ = std::max(time_, std::min(present(), std::nextafter(time, -kNever)));
}

/// Begins to load from memory what this event and the next ones will need, one indirection after the other.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::load_ahead(const Event& event) const {
  const DiskBoxes& boxes = neighbourhood_.boxes();
  const auto load_partners = [&](Index i) {
    for (const Partner partner : boxes.partners_of(i)) disks_.prefetch(partner.disk());
  };
  queue_.prefetch_soon(12);
  queue_.soon(9, [&](Index i) { queue_.prefetch(i); });
  queue_.soon(6, [&](Index i) {
    queue_.prefetch(i);
    disks_.prefetch(i);
    disks_.prefetch_spin(i);
    exits_.prefetch(i);
    boxes.prefetch(i);
  });
  queue_.soon(2, load_partners);
  if (event.kind() != EventKind::collision) return;
  load_partners(event.lower());
  load_partners(event.higher());
}

/// Loads ahead what disks that leave their boxes one after the other will read.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::load_ahead(std::span<const Index> leaving) const {
  constexpr std::size_t kLines = 8;  // disks later
  constexpr std::size_t kAround = 4;
  if (leaving.size() > kLines) {
    const Index i = leaving[kLines];
    disks_.prefetch(i);
    neighbourhood_.boxes().prefetch(i);
    queue_.prefetch(i);
  }
  if (leaving.size() > kAround) neighbourhood_.prefetch_move(leaving[kAround]);
}

/// Makes the event of i happen: Fig. 6.1, lines 3 to 12.
///
/// Both partners of a collision get their new flights at once; in the printed figure the second one's old state, which
/// line 14 of the first one reads, is that before the collision, and they collide again and again. Until the next event
/// of the second one is found it keeps the one that is over, before which nothing comes: no other disk can take it
/// away.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::process(Index i, const Event& event, const Predictor& predictor,
                                       const Handlers& handlers) {
  if (space_.cell.exists() && event.kind() == EventKind::collision) {
    end_flight(event.lower());
    end_flight(event.higher());
  }
  switch (event.kind()) {
    case EventKind::advancement:
      ++counters_.advancements;
      return;
    case EventKind::wall:
      if (event.side() >= kSides) return account(i, event, handlers.hit_wall(i, event, now_), predictor);
      if (space_.open) return leave_domain(i);
      return account(i, event, handlers.hit_side(i, event.side(), now_), predictor);
    case EventKind::collision:
      if constexpr (K::kHaveForms) {
        return account(i, event, handlers.collide_grains(event, now_), predictor);
      } else {
        return account(i, event,
                       event.crosses() ? handlers.cross_well_edge(event, now_) : handlers.collide_disks(event, now_),
                       predictor);
      }
  }
}

/// What an event did, for all that counts, measures or watches.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::account(Index i, const Event& event, const Outcome& outcome,
                                       const Predictor& predictor) {
  counters_.count(outcome.kind);
  if constexpr (K::kHaveForms) counters_.made_elastic += outcome.made_elastic ? 1 : 0;
  outcome.add_to(energy_);
  if (compression_.has_grown() && outcome.kind == Outcome::Kind::collision) {
    compression_.count(outcome.branch.dot(outcome.impulse));
  }
  if (space_.cell.exists()) space_.cell.add_collision(outcome.branch, outcome.impulse, now_, recorder_.cell_sums());
  recorder_.record(i, event, outcome, now_, walls_, space_, disks_);
  follow(i, predictor);
  if (event.kind() == EventKind::collision) follow(event.partner(i), predictor);
}

/// A disk has got another velocity: it may be too fast for the clock's deadline, or leave its box earlier than planned.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::follow(Index i, const Predictor& predictor) {
  rebasing_.update_deadline(K::speed_squared(disks_, i), now_);
  if (!predictor.stays_in_box(i, now_, exits_.planned(i))) exits_.plan(i, predictor.box_exit_time(i, now_));
}

/// Moves the boxes of the disks that leave them in the next bucket of the calendar, or that cannot wait for it.
/// @return how many
template <FindsNeighbours B, EventQueue Q, class K>
std::size_t BasicSimulation<B, Q, K>::leave_boxes(const Predictor& predictor) {
  now_ = exits_.due();
  const std::vector<Index>& disks = exits_.take();
  for (std::size_t k = 0; k < disks.size(); ++k) {
    if (is_in_memory()) load_ahead(std::span(disks).subspan(k));
    const Index i = disks[k];
    if (disks_.has_left(i) || (part_ && part_->lets_be(i, now_))) continue;
    predictor.stays_in_box(i, now_, exits_.end_of_bucket()) ? exits_.plan(i, predictor.box_exit_time(i, now_))
                                                            : leave_box(i, predictor);
  }
  const std::size_t count = disks.size();
  if (exits_.is_used_up()) plan_exits();
  return count;
}

/// A fresh calendar of when each disk leaves its box.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::plan_exits() {
  const double path = neighbourhood_.boxes().margin();
  double sum = 0.0;
  std::size_t present = 0;
  for (Index i = 0; i < disks_.size(); ++i) {
    if (disks_.has_left(i)) continue;
    sum += disks_.velocity_in_box(i, now_, space_).norm();
    ++present;
  }
  const double mean = present > 0 ? sum / static_cast<double>(present) : 0.0;
  exits_.begin(neighbourhood_.boxes().capacity(), now_, path,
               mean + std::sqrt(space_.gravity.acceleration.norm() * path));
  const Predictor predictor = this->predictor();
  for (Index i = 0; i < disks_.size(); ++i) {
    if (!disks_.has_left(i)) exits_.plan(i, predictor.box_exit_time(i, now_));
  }
}

/// The box moves before the next prediction, and ahead of the disk, which then stays in it for longer. Its event stays
/// unless it hits a new partner, or a wall, before; or if images are named otherwise since the box has crossed a
/// periodic side.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::leave_box(Index i, const Predictor& predictor) {
  constexpr double kAhead = 0.35;  // of the margin: a sixth fewer moves at packing fraction 0.3
  const DiskBoxes& boxes = neighbourhood_.boxes();
  const Flight& flight = disks_.flight(i);
  const Vec2 velocity = disks_.velocity_in_box(i, now_, space_);
  const double speed = velocity.norm();
  const Vec2 direction = speed > 0.0 ? Vec2(velocity / speed) : Vec2::Zero();
  const Image old_offset = disks_[i].box_image_offset;
  const Vec2 centre = disks_.place_box(i, now_, space_, kAhead * boxes.margin() * direction);
  const std::span<const Partner> newcomers = neighbourhood_.move(i, centre, flight.radius * reach_);
  walls_.find(i, boxes.box(centre, flight.radius));
  if (part_) part_->note_box(i, centre);
  const double exit = predictor.box_exit_time(i, now_);
  if (!(exit > now_)) stop(name_and_speed(i) + ", is too fast for the clock");
  exits_.plan(i, exit);
  count_box_exit([&] { return name_and_speed(i); });
  const bool names_hold = disks_[i].box_image_offset == old_offset;
  reschedule(i, names_hold ? predictor.next_event_with(i, newcomers) : predictor.next_event(i));
}

/// Instead of the event that i has, which may be the same.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::reschedule(Index i, const Event& next) {
  const Event given_up = queue_[i];
  if (next == given_up) return;
  if (given_up.kind() == EventKind::collision) queue_.turn_into_advancement(given_up.partner(i));
  schedule(i, next);
}

/// A disk is wholly beyond an open side. No other disk has it as a partner: its new event was this one.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::leave_domain(Index i) {
  disks_.synchronize(i, now_, space_);
  departures_.push_back(disks_.departure(i, present()));
  energy_.kinetic_out += disks_.kinetic_energy(i, now_, space_);
  energy_.out += disks_.energy(i, now_, space_);
  disks_.remove(i);
  if (particles() == 0) rebasing_.suspend();  // so would a resumed run, which has no disk
  neighbourhood_.erase(i);
  set_event(i, Event::advancement(kNever, i));
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::set_event(Index i, const Event& event) {
  queue_.schedule(i, event);
  disks_.set_event_time(i, event.time);
}

/// The new event of i: Fig. 6.1, lines 16 to 23.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::schedule(Index i, const Event& next) {
  set_event(i, next);
  if (next.kind() != EventKind::collision) return;
  const Index j = next.partner(i);
  const Event given_up = queue_[j];
  set_event(j, next);
  if (given_up.kind() == EventKind::collision) queue_.turn_into_advancement(given_up.partner(j));
}

/// An advancement now instead: the loop does the rest.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::invalidate_event(Index i) {
  const Event given_up = queue_[i];
  if (given_up.kind() == EventKind::collision) queue_.turn_into_advancement(given_up.partner(i));
  set_event(i, Event::advancement(now_, i));
}

/// Discards the events of all disks, as in Fig. 6.1 at the beginning. A run that was stopped on the way is at the time
/// of its last event, rounded: so that what comes next comes in its order, advancements come before.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::invalidate_events() {
  double begin = now_;
  if (disks_.size() > 0) begin = std::min(begin, disks_.flight(disks_.last_to_begin()).time);
  std::vector<Event> events;
  const std::size_t capacity = neighbourhood_.boxes().capacity();
  events.reserve(capacity);
  for (Index i = 0; i < capacity; ++i) {
    const bool is_present = i < disks_.size() && !disks_.has_left(i);
    events.push_back(Event::advancement(is_present ? begin : kNever, i));
    if (i < disks_.size()) disks_.set_event_time(i, events.back().time);
  }
  queue_.assign(events);
  plan_exits();
}

/// A wall leaves its box or is removed: the events of disks that it can hit now, or was to, are invalid.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::update_wall() {
  now_ = std::max(now_, walls_.next_change());
  const Index k = walls_.change();
  count_box_exit([&] { return "the wall '" + walls_.name(k) + "'"; });
  const DiskBoxes& boxes = neighbourhood_.boxes();
  for (Index i = 0; i < disks_.size(); ++i) {
    if (disks_.has_left(i)) continue;
    if (!walls_.stands(k)) {
      if (queue_[i].kind() == EventKind::wall && queue_[i].side() == kSides + k) invalidate_event(i);
      continue;
    }
    const Aabb2 box = boxes.box(boxes.centre(i), disks_.flight(i).radius);
    const auto is_k = [&](Partner wall) { return wall.disk() == k; };
    if (!walls_.reaches(k, box) && std::ranges::none_of(walls_.of(i), is_k)) continue;
    walls_.find(i, box);
    invalidate_event(i);
  }
}

/// The clock is to be rebased, or the disks are as large as they should be, or as their boxes.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::carry_out_global_event() {
  now_ = next_global_event();
  if (now_ == rebasing_.deadline()) return rebase_clock(disks_.last_to_begin());
  if constexpr (kCanDeform) {
    if (now_ == neighbourhood_.images_until()) return move_images();
  }
  if (compression_.outgrows_boxes_first(reach_)) return place_boxes(neighbourhood_.boxes().capacity());
  rebase_flights();
  rescale_velocities(compression_.reach_goal());
}

/// While disks grow, their pressure is measured and velocities are rescaled whenever the clock is rebased.
/// @param last disk to change its velocity
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::rebase_clock(Index last) {
  const double elapsed = now_;
  const std::uint64_t changes = rebasing_.changes();
  if (const auto problem = watchdog_.check_epoch({.changes = changes,
                                                  .duration = elapsed,
                                                  .present = present(),
                                                  .disks = disks_.size(),
                                                  .contact_duration = rules_.contact_duration(),
                                                  .grows = grows(),
                                                  .last = name_and_speed(last)})) {
    stop(*problem);
  }
  rebase_flights();
  if (space_.cell.stretches()) require_no_jam(changes);
  if (grows()) rescale_velocities(compression_.measure(elapsed, disks_.translational_energy()));
}

/// The clock shows 0 again and all flights begin now, so that times are always small numbers: precision does not decay.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::rebase_flights() {
  const bool some_left = disks_.has_places_of_departed();
  disks_.compact();
  energy_.scale = energy_.scale_with(disks_.kinetic_energy(now_, space_));
  for (Index i = 0; i < disks_.size() && space_.cell.exists(); ++i) end_flight(i);
  if (space_.cell.exists()) remove_drift(space_, disks_, now_, recorder_.cell_sums());
  disks_.rebase(now_, space_);
  const Components change = space_.rebase(now_);
  if (!change.isZero(0.0)) disks_.follow_flow(change, space_.cell);
  compression_.rebase(now_);
  rebasing_.rebase_clock(now_);
  walls_.rebase(rebasing_.clock(), now_);
  now_ = 0.0;
  plan_rebasing();
  if (!has_boxes()) return;
  some_left || space_.cell.exists() ? place_boxes(neighbourhood_.boxes().capacity()) : invalidate_events();
}

/// @param energy translational, that all disks get together [J]
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::rescale_velocities(double energy) {
  const double before = disks_.translational_energy();
  energy_.rescaling += before - energy;
  disks_.scale_velocities(std::sqrt(energy / before));
  plan_rebasing();
  plan_exits();
}

/// When the clock, which shows 0, is to be rebased.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::plan_rebasing() {
  const std::size_t disks = disks_.size();
  rebasing_.plan(disks_.all(), grows() ? compression_.changes_until_rescaling(disks) : changes_until_rebase(disks),
                 max_path(), space_.gravity.acceleration);
  if constexpr (K::kHaveForms) {
    for (Index i = 0; i < disks_.size(); ++i) rebasing_.update_deadline(K::speed_squared(disks_, i), 0.0);
  }
  if (space_.cell.exists()) rebasing_.end_by(space_.cell.end_of_epoch());
}

template <FindsNeighbours B, EventQueue Q, class K>
double BasicSimulation<B, Q, K>::max_path() const {
  return K::kPath * hard::max_path(space_.domain, 2.0 * disks_.smallest_radius() * compression_.growth().scale);
}

/// Room for twice as many disks as are present. Boxes and events are made anew, which changes no future.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::grow_capacity() {
  constexpr std::size_t kAtLeast = 64;
  disks_.compact();
  place_boxes(std::max(kAtLeast, 2 * disks_.size()));
}

/// Boxes for all disks where they are now; only then the first predictions. @pre no disk has left
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::place_boxes(std::size_t capacity) {
  reach_ = compression_.growth().scale_at(now_) * wells_.well.range;
  std::vector<Vec2> centres;
  std::vector<double> radii;
  for (Index i = 0; i < disks_.size(); ++i) {
    centres.push_back(disks_.place_box(i, now_, space_));
    radii.push_back(disks_.flight(i).radius * compression_.growth().scale_at(now_) * wells_.well.range);
  }
  if (grows() && !radii.empty()) {
    const double margin = fitting_margin(space_.domain, radii, 0.0, margin_);
    if (!(kBoxSlack * margin > tolerance(space_.domain, 0.0))) stop("a disk has grown as wide as the periodic domain");
    neighbourhood_ = NeighbourhoodBy<B>(space_.domain, margin);
    const double room = 1.0 + kGrowthInBoxes * margin / std::ranges::max(radii);
    for (double& radius : radii) radius *= room;
    reach_ *= room;
  }
  if (space_.cell.stretches() && !radii.empty()) fit_boxes_to_cell(radii);
  place_images();
  neighbourhood_.assign(centres, radii, capacity);
  const DiskBoxes& boxes = neighbourhood_.boxes();
  walls_.start(rebasing_.clock(), now_, 4.0 * boxes.margin(), capacity);
  for (Index i = 0; i < disks_.size(); ++i) walls_.find(i, boxes.box(centres[i], radii[i]));
  invalidate_events();
}

template <FindsNeighbours B, EventQueue Q, class K>
template <class Name>
void BasicSimulation<B, Q, K>::count_box_exit(const Name& whose) {
  if (!Watchdog::is_check_due(++counters_.box_exits)) return;
  if (const auto problem = watchdog_.check_box_exits(present(), disks_.size(), whose())) stop(*problem);
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::stop(const std::string& why) {
  time_ = present();
  throw PhysicsError(fmt::format("at {:.9g} s: {}", time_, why));
}

template <FindsNeighbours B, EventQueue Q, class K>
std::string BasicSimulation<B, Q, K>::name_and_speed(Index i) const {
  const double speed = space_.velocity_at(disks_.flight(i), now_).norm();
  return fmt::format("{}, at {:.3g} m/s", disks_.name(i), speed);
}

SCREE_INSTANTIATE_HARD_SIMULATIONS

}  // namespace scree::hard
