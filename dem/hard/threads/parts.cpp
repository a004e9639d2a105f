#include "dem/hard/threads/parts.hpp"

#include <utility>
#include <vector>

#include "dem/hard/epochs.hpp"
#include "dem/hard/event_loop.hpp"
#include "dem/hard/placing.hpp"

namespace scree::hard {

namespace {

/// Disk i may have got another flight: its box moves only if it must. @return whether it stays
bool renew_box(DiskWorld& part, Index i) {
  const DiskBoxes& boxes = part.neighbourhood.boxes();
  const Vec2 centre = part.disks.place_box(i, part.now, part.space);
  constexpr double kInside = 0.9;  // of the margin: so that it does not leave at once
  const double inside = kInside * boxes.margin();
  if ((centre - boxes.centre(i)).squaredNorm() <= inside * inside) return true;
  const double radius = part.disks.flight(i).radius * part.reach;
  part.neighbourhood.move(i, centre, radius);
  part.walls.find(i, boxes.box(centre, radius));
  part.part->note_box(i, centre);
  return false;
}

/// As the event loop does when it happens for the first time.
void repeat(DiskWorld& world, const Change& change, const Outcome* outcome) {
  world.now = change.event.time;
  const auto repeat_of = [&](Index i, const Disks::Motion& after) {
    world.disks.synchronize(i, world.now, world.space);
    if (world.rules.contact_duration() > 0.0) world.disks.exchange_last_collision(i, world.now);
    world.disks.set_velocities(i, {after.velocity, after.angular_velocity, 0.0, 0.0});
  };
  repeat_of(change.disk, change.after[0]);
  if (change.has_partner()) repeat_of(change.partner(), change.after[1]);
  world.disks.set_box_image_offset(change.disk, change.box_image_offset);
  world.counters.count(change.has_partner() ? Outcome::Kind::collision : Outcome::Kind::wall_hit);
  if (outcome != nullptr) {
    outcome->add_to(world.energy);
    world.record(change.disk, change.event, *outcome);
  }
  world.rebasing.update_deadline(world.disks.flight(change.disk).velocity.squaredNorm(), world.now);
  if (change.has_partner()) {
    world.rebasing.update_deadline(world.disks.flight(change.partner()).velocity.squaredNorm(), world.now);
  }
}

}  // namespace

std::string why_undivided(const DiskWorld& whole) {
  if (whole.disks.present() == 0) return "there are no disks";
  if (whole.space.open || whole.disks.has_places_of_departed())
    return "disks can leave through open sides (domain.sides)";
  if (whole.wells.exist()) return "disks have wells (well)";
  if (whole.compression.has_grown()) return "disks grow (growth)";
  if (whole.walls.next_change() < kNever) return "a wall moves, or is removed";
  return {};
}

DiskWorld part_of(const DiskWorld& whole, std::span<const Index> members, int axis, const Stretch& inner) {
  DiskWorld part(whole, members,
                 Part{.axis = axis,
                      .inner = inner,
                      .matters_forever = std::vector<std::uint8_t>(members.size(), 1),
                      .matters_until = std::vector<double>(members.size(), kNever),
                      .idle = {},
                      .moved = {},
                      .strayed = {}});
  part.rebasing.leave_to_others();
  place_boxes(part, members.size());
  return part;
}

bool repeat(DiskWorld& whole, std::span<const KeptChange> changes, double time) {
  const auto stop_rebased = [&] {
    stop_before(whole, time);
    return false;
  };
  for (const auto& [change, outcome] : changes) {
    if (next_global_event(whole) < change->event.time) {
      carry_out_global_event(whole);
      return stop_rebased();
    }
    repeat(whole, *change, outcome);
    if (whole.rebasing.count_change()) {
      rebase_clock(whole, change->disk);
      return stop_rebased();
    }
  }
  if (next_global_event(whole) <= whole.rebasing.clock().at(time)) {
    carry_out_global_event(whole);
    return stop_rebased();
  }
  whole.time = time;
  return true;
}

void take_over(DiskWorld& whole, const Counters& counters, const Rebasing::Haste& haste,
               std::span<const KeptChange> losses, double time) {
  whole.counters.collisions += counters.collisions;
  whole.counters.wall_hits += counters.wall_hits;
  whole.rebasing.count_changes(counters.collisions + counters.wall_hits, haste);
  for (const KeptChange& loss : losses) {
    if (loss.outcome != nullptr) loss.outcome->add_to(whole.energy);
  }
  whole.time = time;
}

void leave_out(DiskWorld& part, Index i) {
  part.now = part.now_on_clock();
  invalidate_event(part, i);
  part.disks.remove(i);
  part.neighbourhood.erase(i);
  part.exits.forget(i);
  set_event(part, i, Event::advancement(kNever, i));
}

void take_in(DiskWorld& part, Index i, const Disks& whole, Index there) {
  part.now = part.now_on_clock();
  const bool is_new = part.disks.has_left(i);
  part.disks.take_in(i, whole, there);
  if (is_new) {
    const double radius = part.disks.flight(i).radius * part.reach;
    const Vec2 centre = part.disks.place_box(i, part.now, part.space);
    part.neighbourhood.insert(i, centre, radius);
    part.walls.find(i, part.neighbourhood.boxes().box(centre, radius));
  }
  renew_box(part, i);
  invalidate_event(part, i);
  plan_exit(part, i, predictor(part));
}

void resume(DiskWorld& part, const DiskWorld& whole, std::span<const Index> members, std::span<const Index> undone) {
  part.time = whole.time;
  part.now = part.now_on_clock();
  part.exits.rewind(part.now);
  const std::vector<Index> moved = std::exchange(part.part->moved, {});
  for (const Index i : undone) take_in(part, i, whole.disks, members[i]);
  for (const Index i : std::exchange(part.part->idle, {})) take_in(part, i, whole.disks, members[i]);
  for (const Index i : moved) {
    if (renew_box(part, i)) continue;
    invalidate_event(part, i);
    plan_exit(part, i, predictor(part));
  }
}

}  // namespace scree::hard
