#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "dem/hard/simulation.hpp"
#include "dem/hard/simulation_kinds.hpp"

/// A simulation of the hard mode in parts: taken from a whole, and what happened in them repeated there.
namespace scree::hard {

template <FindsNeighbours B, EventQueue Q, class K>
BasicSimulation<B, Q, K>::BasicSimulation(const BasicSimulation& whole, std::span<const Index> members, int axis,
                                          const Stretch& inner)
    : space_(whole.space_),
      rules_(whole.rules_),
      walls_(whole.walls_),
      disks_(whole.disks_, members),
      wells_{whole.wells_.well, {}},
      compression_(whole.compression_),
      rebasing_(whole.rebasing_),
      watchdog_(whole.watchdog_),
      recorder_(Recorder::of_changes()),
      neighbourhood_(space_.domain, whole.neighbourhood_.boxes().margin()),
      margin_(whole.margin_),
      time_(whole.time_),
      now_(whole.now()),
      part_(Part{axis, inner, std::vector<double>(members.size(), kNever), {}, {}}) {
  rebasing_.leave_to_others();
  place_boxes(members.size());
}

template <FindsNeighbours B, EventQueue Q, class K>
std::string BasicSimulation<B, Q, K>::why_undivided() const {
  if (particles() == 0) return "there are no disks";
  if (space_.open || disks_.has_places_of_departed()) return "disks can leave through open sides (domain.sides)";
  if (wells_.exist()) return "disks have wells (well)";
  if (compression_.has_grown()) return "disks grow (growth)";
  if (walls_.next_change() < kNever) return "a wall moves, or is removed";
  return {};
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::give_up_boxes() {
  neighbourhood_ = NeighbourhoodBy<B>(space_.domain, neighbourhood_.boxes().margin());
  queue_ = Q();
  exits_ = ExitCalendar();
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::require_boxes() {
  if (has_boxes()) return;
  now_ = now();
  place_boxes(disks_.size());
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::audit() const {
  if (has_boxes()) return hard::audit(view());
  BasicSimulation copy = *this;
  copy.require_boxes();
  hard::audit(copy.view());
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::leave_out(Index i) {
  now_ = now();
  invalidate_event(i);
  disks_.remove(i);
  neighbourhood_.erase(i);
  set_event(i, Event::advancement(kNever, i));
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::take_in(Index i, const Disks& whole, Index there) {
  now_ = now();
  const bool is_new = disks_.has_left(i);
  disks_.take_in(i, whole, there);
  if (is_new) {
    const double radius = disks_.flight(i).radius * reach_;
    const Vec2 centre = disks_.place_box(i, now_, space_);
    neighbourhood_.insert(i, centre, radius);
    walls_.find(i, neighbourhood_.boxes().box(centre, radius));
  }
  renew_box(i);
  invalidate_event(i);
  if (!predictor().stays_in_box(i, now_, exits_.planned(i))) exits_.plan(i, predictor().box_exit_time(i, now_));
}

/// Disk i may have got another flight: its box moves only if it must. @return whether it stays
template <FindsNeighbours B, EventQueue Q, class K>
bool BasicSimulation<B, Q, K>::renew_box(Index i) {
  const DiskBoxes& boxes = neighbourhood_.boxes();
  const Vec2 centre = disks_.place_box(i, now_, space_);
  constexpr double kInside = 0.9;  // of the margin: so that it does not leave at once
  const double inside = kInside * boxes.margin();
  if ((centre - boxes.centre(i)).squaredNorm() <= inside * inside) return true;
  const double radius = disks_.flight(i).radius * reach_;
  neighbourhood_.move(i, centre, radius);
  walls_.find(i, boxes.box(centre, radius));
  part_->note_box(i, centre);
  return false;
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::resume(const BasicSimulation& whole, std::span<const Index> members) {
  time_ = whole.time_;
  now_ = now();
  for (Index i = 0; i < disks_.size(); ++i) {
    if (disks_.has_left(i)) continue;
    const bool flies_on = disks_.flies_like(i, whole.disks_, members[i]);
    if (!flies_on) disks_.take_in(i, whole.disks_, members[i]);
    const bool stays = renew_box(i);
    if (!flies_on || !stays) invalidate_event(i);
  }
  for (const Index i : part_->idle) {
    if (!disks_.has_left(i)) invalidate_event(i);
  }
  part_->idle.clear();
  plan_exits();
}

/// Neither the disk nor whom it collides with matters any more: they fly on.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::let_be(Index i, const Event& event) {
  const auto idle = [&](Index of) {
    part_->idle.push_back(of);
    set_event(of, Event::advancement(kNever, of));
  };
  if (event.kind() == EventKind::collision) idle(event.partner(i));
  idle(i);
}

template <FindsNeighbours B, EventQueue Q, class K>
bool BasicSimulation<B, Q, K>::repeat(std::span<const Change* const> changes, double time) {
  const auto stop_rebased = [&] {
    stop_before(time);
    return false;
  };
  for (const Change* change : changes) {
    if (next_global_event() < change->event.time) {
      carry_out_global_event();
      return stop_rebased();
    }
    repeat(*change);
    if (rebasing_.count_change()) {
      rebase_clock(change->disk);
      return stop_rebased();
    }
  }
  if (next_global_event() <= rebasing_.clock().at(time)) {
    carry_out_global_event();
    return stop_rebased();
  }
  time_ = time;
  return true;
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::take_over(const Counters& counters, double deadline,
                                         std::span<const Change* const> losses, double time) {
  counters_.collisions += counters.collisions;
  counters_.wall_hits += counters.wall_hits;
  rebasing_.count_changes(counters.collisions + counters.wall_hits, deadline);
  for (const Change* change : losses) change->outcome.add_to(energy_);
  time_ = time;
}

/// As process() and account() do when it happens for the first time.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::repeat(const Change& change) {
  now_ = change.event.time;
  const auto repeat_of = [&](Index i, const Change::Motion& after) {
    disks_.synchronize(i, now_, space_);
    if (rules_.contact_duration() > 0.0) disks_.exchange_last_collision(i, now_);
    disks_.set_velocities(i, {after.velocity, after.angular_velocity, 0.0, 0.0});
  };
  repeat_of(change.disk, change.after[0]);
  if (change.has_partner()) repeat_of(change.partner(), change.after[1]);
  disks_.set_box_image_offset(change.disk, change.box_image_offset);
  counters_.count(change.outcome.kind);
  change.outcome.add_to(energy_);
  recorder_.record(change.disk, change.event, change.outcome, now_, walls_, space_, disks_);
  rebasing_.update_deadline(disks_.flight(change.disk).velocity.squaredNorm(), now_);
  if (change.has_partner()) {
    rebasing_.update_deadline(disks_.flight(change.partner()).velocity.squaredNorm(), now_);
  }
}

SCREE_INSTANTIATE_HARD_SIMULATIONS

}  // namespace scree::hard
