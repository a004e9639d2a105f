#include "dem/hard/tile.hpp"

#include <algorithm>
#include <cstring>

#include "dem/errors.hpp"

namespace scree::hard {

namespace {

bool has_same_bits(const auto& a, const auto& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

bool is_same(const Change::Motion& a, const Change::Motion& b) {
  return has_same_bits(a.place, b.place) && has_same_bits(a.velocity, b.velocity) &&
         has_same_bits(a.angular_velocity, b.angular_velocity);
}

/// Beyond the halo, too, there is room for disks that come nearer later.
std::vector<Index> disks_near(const Simulation& whole, const Strips& strips, std::size_t number, double distance) {
  std::vector<Index> near;
  const Disks& disks = whole.disks();
  for (Index i = 0; i < disks.size(); ++i) {
    const double x = strips.coordinate(disks, i, whole.space(), whole.now());
    if (strips.distance(number, x) <= distance) near.push_back(i);
  }
  return near;
}

}  // namespace

Tile::Tile(const Simulation& whole, const Strips& strips, std::size_t number, double halo, const Owners& owners)
    : strips_(&strips),
      number_(number),
      halo_(halo),
      members_(disks_near(whole, strips, number, 2.0 * halo)),
      part_(whole.part(members_)),
      roles_(members_.size(), Role::copy),
      shifts_(members_.size()),
      ways_(members_.size()),
      last_(members_.size(), kNone) {
  for (Index i = 0; i < members_.size(); ++i) {
    if (owners[members_[i]] == number_) roles_[i] = Role::own;
  }
}

std::optional<Index> Tile::place_of(Index in_whole) const {
  const auto at = std::ranges::lower_bound(members_, in_whole);
  if (at == members_.end() || *at != in_whole) return {};
  return static_cast<Index>(at - members_.begin());
}

void Tile::hand_over(const Simulation& whole, std::span<const Tile> all, Owners& owners) {
  const double now = whole.now();
  for (Index i = 0; i < members_.size(); ++i) {
    const Index in_whole = members_[i];
    const double x = strips_->coordinate(whole.disks(), in_whole, whole.space(), now);
    shifts_[i] = strips_->shift_to(number_, x);
    ways_[i] = {x + shifts_[i], x + shifts_[i]};
    if (roles_[i] != Role::own || strips_->distance(number_, ways_[i].lo) < 0.0) continue;
    const std::size_t there = strips_->at(x);
    if (all[there].place_of(in_whole)) owners[in_whole] = static_cast<std::uint32_t>(there);
  }
}

bool Tile::run(const Simulation& whole, const Owners& owners, double until) {
  part_.changes().clear();
  try {
    begin(whole, owners);
    part_.advance_to(until);
  } catch (const PhysicsError&) {
    return false;  // a copy may have gone astray; if it is true, the serial run says so
  }
  read_log();
  return true;
}

/// All that is simulated here is as it is in the whole.
void Tile::begin(const Simulation& whole, const Owners& owners) {
  const Disks& disks = whole.disks();
  for (Index i = 0; i < members_.size(); ++i) {
    const Index in_whole = members_[i];
    const Role before = roles_[i];
    const bool is_near = strips_->distance(number_, ways_[i].lo) <= halo_;
    roles_[i] = owners[in_whole] == number_ ? Role::own : is_near ? Role::copy : Role::absent;
    if (roles_[i] == Role::absent) {
      if (before != Role::absent) part_.leave_out(i);
      continue;
    }
    const bool is_same = before == Role::own || (before == Role::copy && part_.disks().flies_like(i, disks, in_whole));
    if (!is_same) part_.take_in(i, disks, in_whole);
  }
}

/// Who was where, and which changes belong to which disk.
void Tile::read_log() {
  std::ranges::fill(last_, kNone);
  std::vector<Change>& changes = part_.changes();
  previous_.resize(changes.size());
  own_changes_.clear();
  for (std::uint32_t k = 0; k < changes.size(); ++k) {
    Change& change = changes[k];
    const Index i = change.disk;
    const Event& event = change.event;
    note(i, k, 0);
    if (!change.has_partner()) {
      if (roles_[i] == Role::own) own_changes_.push_back(k);
      change.event = Event::wall(event.time, members_[i], event.side(), event.image(i));
    } else {
      note(change.partner(), k, 1);
      if (roles_[event.lower()] == Role::own) own_changes_.push_back(k);
      change.event =
          Event::collision(event.time, members_[event.lower()], members_[event.higher()], event.image(event.lower()));
    }
    change.disk = members_[i];
  }
  own_way_ = {};
  outer_.clear();
  const Stretch strip = (*strips_)[number_];
  for (Index i = 0; i < members_.size(); ++i) {
    if (roles_[i] == Role::absent) continue;
    const Stretch& way = ways_[i];
    ways_[i].include(strips_->coordinate(part_.disks(), i, part_.space(), part_.now()) + shifts_[i]);
    if (roles_[i] != Role::own) continue;
    own_way_.include(way);
    if (way.lo < strip.lo + halo_ || way.hi > strip.hi - halo_) outer_.push_back(i);
  }
}

/// @param side 0: whose event it was, 1: the partner
void Tile::note(Index i, std::uint32_t change, std::uint32_t side) {
  ways_[i].include(strips_->coordinate(log()[change].after[side].place) + shifts_[i]);
  previous_[change][side] = std::exchange(last_[i], 2 * change + side);
}

bool Tile::does_the_same(Index i, const Tile& other, Index there) const {
  std::uint32_t a = last_[i];
  std::uint32_t b = other.last_[there];
  while (a != kNone && b != kNone) {
    const Change& here = log()[a / 2];
    const Change& in_other = other.log()[b / 2];
    if (!has_same_bits(here.event.time, in_other.event.time) || !is_same(here.after[a % 2], in_other.after[b % 2])) {
      return false;
    }
    a = previous_[a / 2][a % 2];
    b = other.previous_[b / 2][b % 2];
  }
  return a == b;
}

bool Tile::agrees(std::span<const Tile> all, const Owners& owners, double contact) const {
  for (Index i = 0; i < members_.size(); ++i) {
    if (roles_[i] != Role::copy || !strips_->meet(ways_[i], own_way_, contact)) continue;
    const Tile& owner = all[owners[members_[i]]];
    const auto there = owner.place_of(members_[i]);
    if (!there || !does_the_same(i, owner, *there)) return false;
  }
  for (const Tile& other : all) {
    if (&other == this) continue;
    const Stretch strip = (*strips_)[other.number_];
    if (strips_->meet({strip.lo + other.halo_, strip.hi - other.halo_}, own_way_, contact)) return false;
    for (const Index there : other.outer_) {
      if (!strips_->meet(other.ways_[there], own_way_, contact)) continue;
      const auto i = place_of(other.members_[there]);
      if (!i || roles_[*i] == Role::absent || !does_the_same(*i, other, there)) return false;
    }
  }
  return true;
}

}  // namespace scree::hard
