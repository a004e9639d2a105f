#include "dem/hard/threads/tile.hpp"

#include <algorithm>
#include <cstring>

#include "dem/errors.hpp"
#include "dem/hard/event_loop.hpp"
#include "dem/hard/threads/parts.hpp"

namespace scree::hard {

namespace {

constexpr double kRoom = 2.5;  // halos: from there disks may come nearer later

bool has_same_bits(const auto& a, const auto& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

bool is_same(const Disks::Motion& a, const Disks::Motion& b) {
  return has_same_bits(a.position, b.position) && has_same_bits(a.velocity, b.velocity) &&
         has_same_bits(a.angular_velocity, b.angular_velocity) && a.wraps == b.wraps;
}

std::vector<Index> disks_near(const DiskWorld& whole, const Strips& strips, std::size_t number, double distance) {
  std::vector<Index> near;
  const Disks& disks = whole.disks;
  for (Index i = 0; i < disks.size(); ++i) {
    const double x = strips.coordinate(disks, i, whole.now_on_clock());
    if (strips.distance(number, x) <= distance) near.push_back(i);
  }
  return near;
}

/// A strip without its borders on others.
Stretch inner_part(const Strips& strips, std::size_t number, double border) {
  const Stretch strip = strips[number];
  return {strip.lo + (strips.has_another_below(number) ? border : 0.0),
          strip.hi - (strips.has_another_above(number) ? border : 0.0)};
}

}  // namespace

Tile::Tile(const DiskWorld& whole, const Strips& strips, std::size_t number, const TileWidths& widths,
           const Owners& owners)
    : strips_(&strips),
      number_(number),
      widths_(widths),
      members_(disks_near(whole, strips, number, kRoom * widths.halo)),
      world_(part_of(whole, members_, strips.axis(),
                     inner_part(strips, number, widths.border + whole.neighbourhood.boxes().margin()))),
      roles_(members_.size(), Role::absent),
      is_watched_(members_.size(), 0),
      shifts_(members_.size()),
      ways_(members_.size()),
      last_(members_.size(), kNone) {
  for (Index i = 0; i < members_.size(); ++i) {
    const double x = strips.coordinate(whole.disks, members_[i], whole.now_on_clock());
    if (owners[members_[i]] == number_) {
      roles_[i] = Role::own;
      if (!is_inner(i)) watch(i, {});
    } else if (strips.distance(number, x) <= widths.halo) {
      roles_[i] = Role::copy;
      watch(i, {});
    } else {
      leave_out(world_, i);
    }
  }
}

std::optional<Index> Tile::place_of(Index in_whole) const {
  const auto at = std::ranges::lower_bound(members_, in_whole);
  if (at == members_.end() || *at != in_whole) return {};
  return static_cast<Index>(at - members_.begin());
}

bool Tile::has(Index in_whole) const {
  const auto i = place_of(in_whole);
  return i && roles_[*i] != Role::absent;
}

bool Tile::is_inner(Index i) const {
  return world_.part->is_inner(world_.neighbourhood.boxes().centre(i));
}

void Tile::watch(Index i, const Stretch& way) {
  if (is_watched_[i] != 0) return;
  is_watched_[i] = 1;
  watched_.push_back(i);
  ways_[i] = way;
}

void Tile::hand_over(const DiskWorld& whole, std::span<const Tile> all, Owners& owners) {
  const double now = whole.now_on_clock();
  for (const Index i : watched_) {
    const Index in_whole = members_[i];
    const double x = strips_->coordinate(whole.disks, in_whole, now);
    shifts_[i] = strips_->shift_to(number_, x);
    ways_[i] = {x + shifts_[i], x + shifts_[i]};
    if (roles_[i] != Role::own || strips_->distance(number_, ways_[i].lo) < 0.0) continue;
    const std::size_t there = strips_->at(x);
    if (all[there].has(in_whole)) owners[in_whole] = static_cast<std::uint32_t>(there);
  }
}

bool Tile::run(const DiskWorld& whole, const Owners& owners, double until) {
  constexpr std::uint64_t kMostEvents = 16;  // a disk; they have two or three
  constexpr std::uint64_t kLeastBound = 1000;
  world_.recorder.changes().clear();
  world_.recorder.outcomes().clear();
  try {
    begin(whole, owners, until);
    world_.watchdog.aim_at(until);
    advance(world_, until, kLeastBound + kMostEvents * members_.size());
  } catch (const PhysicsError&) {
    return false;  // a copy may have gone astray; if it is true, the serial run ends with it
  }
  stopped_at_ = world_.time >= until ? kNever : world_.now;
  watch_strayed();
  read_log();
  count(whole);
  return true;
}

/// Disks of others come and go.
void Tile::find_copies(const DiskWorld& whole) {
  constexpr double kLeaving = 1.25;  // halos: so none comes and goes all the time
  if (until_scan_-- > 0) return;
  until_scan_ = kScans - 1;
  const double now = whole.now_on_clock();
  for (Index i = 0; i < members_.size(); ++i) {
    if (roles_[i] == Role::own) continue;
    const double x = strips_->coordinate(whole.disks, members_[i], now);
    const double distance = strips_->distance(number_, x);
    if (roles_[i] == Role::copy && distance > kLeaving * widths_.halo) {
      leave_out(world_, i);
      roles_[i] = Role::absent;
    } else if (roles_[i] == Role::absent && distance <= widths_.halo) {
      take_in(world_, i, whole.disks, members_[i]);
      roles_[i] = Role::copy;
      shifts_[i] = strips_->shift_to(number_, x);
      watch(i, {x + shifts_[i], x + shifts_[i]});
    }
  }
}

/// All that is simulated here is as it is in the whole.
void Tile::begin(const DiskWorld& whole, const Owners& owners, double until) {
  constexpr double kAlways = 2.5;  // contact distances beyond the strip: so far own disks may go
  const Disks& disks = whole.disks;
  Part& part = *world_.part;
  for (const Index i : part.idle) part.let_matter(i, -kNever);
  part.idle.clear();
  find_copies(whole);
  const double from = whole.now_on_clock();
  const double end = whole.rebasing.clock().at(until);
  const double always = kAlways * widths_.contact;
  const double per_length = (end - from) / std::max(widths_.halo - always, always);
  std::size_t kept = 0;
  for (const Index i : watched_) {
    is_watched_[i] = 0;
    if (roles_[i] == Role::absent) continue;
    const Index in_whole = members_[i];
    const bool was_own = roles_[i] == Role::own;
    const bool was_idle = part.matters_until[i] == -kNever;
    roles_[i] = owners[in_whole] == number_ ? Role::own : Role::copy;
    const double depth = roles_[i] == Role::own ? 0.0 : strips_->distance(number_, ways_[i].lo);
    is_watched_[i] = 1;
    watched_[kept++] = i;
    if (depth > widths_.halo) {
      part.let_matter(i, -kNever);
      if (was_idle) part.idle.push_back(i);
      continue;
    }
    if (was_idle || (!was_own && !world_.disks.flies_like(i, disks, in_whole))) take_in(world_, i, disks, in_whole);
    part.let_matter(i, depth > always ? end - (depth - always) * per_length : kNever);
    if (roles_[i] == Role::own && is_inner(i)) {
      is_watched_[i] = 0;
      --kept;
    }
  }
  watched_.resize(kept);
  part.moved.clear();
  part.strayed.clear();
  world_.rebasing.look_from(whole.rebasing);
}

/// Own disks that were far from the borders, and may now be near: they come from the inner part.
void Tile::watch_strayed() {
  const Stretch inner = inner_part(*strips_, number_, widths_.border);
  for (const Index i : world_.part->strayed) {
    if (is_watched_[i] != 0) continue;
    const double x = strips_->coordinate(world_.disks, i, world_.now_on_clock());
    shifts_[i] = strips_->shift_to(number_, x);
    const double from = x + shifts_[i] < inner.centre() ? inner.lo : inner.hi;
    watch(i, {from, from});
  }
}

/// Who was where, and which changes belong to which disk.
void Tile::read_log() {
  for (const Index i : watched_) last_[i] = kNone;
  const std::vector<Change>& changes = log();
  previous_.resize(changes.size());
  for (std::uint32_t k = 0; k < changes.size(); ++k) {
    const Change& change = changes[k];
    if (is_watched_[change.disk] != 0) note(change.disk, k, 0);
    if (change.has_partner() && is_watched_[change.partner()] != 0) note(change.partner(), k, 1);
  }
  own_way_ = inner_part(*strips_, number_, widths_.border);
  for (const Index i : watched_) {
    ways_[i].include(strips_->coordinate(world_.disks, i, world_.now_on_clock()) + shifts_[i]);
    if (roles_[i] == Role::own) own_way_.include(ways_[i]);
  }
}

/// @param side 0: whose event it was, 1: the partner
void Tile::note(Index i, std::uint32_t change, std::uint32_t side) {
  const Disks::Motion& after = log()[change].after[side];
  ways_[i].include(strips_->coordinate(after.position, after.wraps) + shifts_[i]);
  previous_[change][side] = std::exchange(last_[i], 2 * change + side);
}

bool Tile::owns(const Change& change) const {
  return roles_[change.has_partner() ? change.event.lower() : change.disk] == Role::own;
}

/// For the whole: what happened to own disks.
void Tile::count(const DiskWorld& whole) {
  counters_ = {};
  has_losses_ = false;
  haste_ = {};
  for (const Change& change : log()) {
    if (!owns(change)) continue;
    ++(change.has_partner() ? counters_.collisions : counters_.wall_hits);
  }
  for (const KeptOutcome& kept : world_.recorder.outcomes()) has_losses_ = has_losses_ || owns(log()[kept.change]);
  if (!world_.rebasing.has_seen_faster_than(whole.rebasing)) return;
  const auto look_at_speed = [&](Index i, const Change& change, std::size_t side) {
    if (roles_[i] != Role::own) return;
    const double speed_squared = change.after[side].velocity.squaredNorm();
    haste_.include(whole.rebasing.haste_of(speed_squared, change.event.time));
  };
  for (const Change& change : log()) {
    look_at_speed(change.disk, change, 0);
    if (change.has_partner()) look_at_speed(change.partner(), change, 1);
  }
}

void Tile::cut(const DiskWorld& whole, double moment) {
  std::vector<Change>& changes = world_.recorder.changes();
  const auto is_before = [&](const Change& change) { return change.event.time < moment; };
  const auto first = std::ranges::partition_point(changes, is_before);
  undone_.clear();
  for (auto change = first; change != changes.end(); ++change) {
    undone_.push_back(change->disk);
    if (change->has_partner()) undone_.push_back(change->partner());
  }
  std::ranges::sort(undone_);
  undone_.erase(std::unique(undone_.begin(), undone_.end()), undone_.end());
  const auto kept = static_cast<std::size_t>(first - changes.begin());
  std::erase_if(world_.recorder.outcomes(), [&](const KeptOutcome& outcome) { return outcome.change >= kept; });
  changes.erase(first, changes.end());
  count(whole);
}

void Tile::resume(const DiskWorld& whole) {
  world_.part->strayed.clear();
  hard::resume(world_, whole, members_, undone_);
  for (const Index i : world_.part->strayed) watch(i, {});
}

/// Until when disk i did what it did in another tile [s].
double Tile::same_until(Index i, const Tile& other, Index there) const {
  const auto is_same_at = [&](std::uint32_t a, std::uint32_t b) {
    const Change& here = log()[a / 2];
    const Change& elsewhere = other.log()[b / 2];
    return has_same_bits(here.event.time, elsewhere.event.time) && is_same(here.after[a % 2], elsewhere.after[b % 2]);
  };
  std::uint32_t a = last_[i];
  std::uint32_t b = other.last_[there];
  while (a != kNone && b != kNone && is_same_at(a, b)) {
    a = previous_[a / 2][a % 2];
    b = other.previous_[b / 2][b % 2];
  }
  if (a == kNone && b == kNone) return kNever;  // numbers of changes in two logs mean nothing to each other
  // Rarely. From the last one back: the earliest one that differs.
  std::vector<std::uint32_t> here;
  std::vector<std::uint32_t> elsewhere;
  for (a = last_[i]; a != kNone; a = previous_[a / 2][a % 2]) here.push_back(a);
  for (b = other.last_[there]; b != kNone; b = other.previous_[b / 2][b % 2]) elsewhere.push_back(b);
  while (!here.empty() && !elsewhere.empty() && is_same_at(here.back(), elsewhere.back())) {
    here.pop_back();
    elsewhere.pop_back();
  }
  double until = kNever;
  if (!here.empty()) until = log()[here.back() / 2].event.time;
  if (!elsewhere.empty()) until = std::min(until, other.log()[elsewhere.back() / 2].event.time);
  return until;
}

double Tile::agrees_until(std::span<const Tile> all, const Owners& owners) const {
  double until = stopped_at_;
  for (const Index i : watched_) {
    if (roles_[i] != Role::copy || !strips_->meet(ways_[i], own_way_, widths_.contact)) continue;
    const Tile& owner = all[owners[members_[i]]];
    const auto there = owner.place_of(members_[i]);
    if (!there || owner.is_watched_[*there] == 0) return -kNever;
    until = std::min(until, same_until(i, owner, *there));
  }
  for (const Tile& other : all) {
    if (&other == this || !strips_->meet(other.own_way_, own_way_, widths_.contact)) continue;
    if (strips_->meet(inner_part(*strips_, other.number_, widths_.border), own_way_, widths_.contact)) {
      return -kNever;
    }
    for (const Index there : other.watched_) {
      if (other.roles_[there] != Role::own) continue;
      if (!strips_->meet(other.ways_[there], own_way_, widths_.contact)) continue;
      const auto i = place_of(other.members_[there]);
      if (!i || roles_[*i] == Role::absent) return -kNever;
      if (strips_->meet(ways_[*i], own_way_, widths_.contact)) continue;  // it was compared
      until = std::min(until, same_until(*i, other, there));
    }
  }
  return until;
}

void Tile::write_back(DiskWorld& whole) const {
  const auto write = [&](Index i, double time, const Disks::Motion& motion) {
    if (roles_[i] == Role::own) whole.disks.set_motion(members_[i], time, motion);
  };
  constexpr std::size_t kAhead = 8;  // changes, whose disks begin to be loaded
  const std::vector<Change>& changes = log();
  for (std::size_t k = 0; k < changes.size(); ++k) {
    if (k + kAhead < changes.size()) {
      const Change& later = changes[k + kAhead];
      whole.disks.prefetch(members_[later.disk]);
      if (later.has_partner()) whole.disks.prefetch(members_[later.partner()]);
    }
    const Change& change = changes[k];
    write(change.disk, change.event.time, change.after[0]);
    if (change.has_partner()) write(change.partner(), change.event.time, change.after[1]);
  }
}

void Tile::name_changes() {
  own_changes_.clear();
  std::vector<Change>& changes = world_.recorder.changes();
  auto outcome = world_.recorder.outcomes().cbegin();
  const auto end = world_.recorder.outcomes().cend();
  for (std::uint32_t k = 0; k < changes.size(); ++k) {
    Change& change = changes[k];
    const Index i = change.disk;
    const Event& event = change.event;
    const bool has_outcome = outcome != end && outcome->change == k;
    if (owns(change)) own_changes_.push_back({&change, has_outcome ? &outcome->outcome : nullptr});
    if (has_outcome) ++outcome;
    change.event = change.has_partner() ? Event::collision(event.time, members_[event.lower()],
                                                           members_[event.higher()], event.image(event.lower()))
                                        : Event::wall(event.time, members_[i], event.side(), event.image(i));
    change.disk = members_[i];
  }
}

std::size_t Tile::changes_at_once_before(std::size_t k, Index i) const {
  std::size_t count = 0;
  const Change* const change = own_changes_[k].change;
  for (const Change* before = change; before != log().data() && (--before)->event.time == change->event.time;) {
    if (before->disk == i || (before->has_partner() && before->partner() == i)) ++count;
  }
  return count;
}

}  // namespace scree::hard
