#include "dem/hard/exact/losses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scree::hard::exact {

namespace {

/// What a collision with a loss did. @param sign -1 on the way back
void tell(const Cluster& before, const Cluster& after, int sign, Encounter& done) {
  const auto squares = [](const Cluster& disks) { return squared(disks[0].velocity) + squared(disks[1].velocity); };
  done.kind = Encounter::Kind::collision;
  done.has_lost = true;
  done.lost = sign * (squares(before) - squares(after));
  done.change = after[0].velocity - before[0].velocity;
}

}  // namespace

Losses::Losses(std::vector<std::int32_t> material, std::span<const double> restitution, std::size_t disks)
    : material_(std::move(material)),
      materials_(static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(restitution.size()))))) {
  material_.resize(disks);
  for (const double e : restitution) contractions_.emplace_back(e);
  exist_ = std::ranges::any_of(contractions_, &Contraction::loses);
  if (exist_) remainders_.resize(disks);
}

std::uint64_t Losses::bits() const {
  constexpr std::uint64_t kOfException = 8 * (sizeof(std::int64_t) + sizeof(Index));
  std::uint64_t bits = kOfException * exceptions_.size();
  for (const Remainders& each : remainders_) bits += each.bits();
  return bits;
}

const Contraction& Losses::contraction(Index a, Index b) const {
  return contractions_[static_cast<std::size_t>(material_[a]) * materials_ + static_cast<std::size_t>(material_[b])];
}

/// Whether the pair lost energy when it collided here, by how fast it went away; where that does not decide, by a bit.
bool Losses::has_lost(const Collision& here, std::int64_t speed) {
  if (const auto found = exceptions_.find(here.name); found != exceptions_.end()) {
    exceptions_.erase(found);
    return speed < kSlowest;
  }
  if (speed >= kSlowest) return true;
  if (speed < here.contraction(kSlowest)) return false;
  return remainders_[here.name.lower].pop(1) != 0;
}

void Losses::note_kind(const Collision& here, std::int64_t speed, bool lost) {
  if (speed >= kSlowest || speed < here.contraction(kSlowest)) {
    if (lost != (speed >= kSlowest)) exceptions_.insert(here.name);
    return;
  }
  remainders_[here.name.lower].push(lost ? 1 : 0, 1);
}

Encounter Losses::pass(Way way, const Grid& grid, Cluster& disks, const Place& place,
                       const std::vector<Bystander>& others) {
  const Cluster before = disks;
  Encounter done = pass_tick(grid, disks);
  if (done.kind == Encounter::Kind::none || !can_lose(grid, before)) return done;
  const Contraction& contraction = this->contraction(place.members[0], place.members[1]);
  if (!contraction.loses()) return done;
  const Collision here{grid, before, contraction, others, {place.tick, place.members[0]}};
  way == Way::forward ? pass_forward(here, disks, done) : pass_backward(here, disks, done);
  return done;
}

void Losses::pass_forward(const Collision& here, Cluster& disks, Encounter& done) {
  Remainders& remainders = remainders_[here.name.lower];
  if (const auto bounce = lose(here.grid, here.before, here.contraction, here.others)) {
    disks = bounce->disks;
    remainders.push(bounce->gap, bounce->bits_of_gap);
    remainders.push(bounce->speed, bounce->bits_of_speed);
    tell(here.before, disks, 1, done);
  }
  note_kind(here, normal_speed(here.grid, reversed(disks)), done.has_lost);
}

void Losses::pass_backward(const Collision& here, Cluster& disks, Encounter& done) {
  if (!has_lost(here, normal_speed(here.grid, here.before))) return;
  disks = here.before;
  regain(here.grid, disks, here.contraction, remainders_[here.name.lower], here.others);
  tell(here.before, disks, -1, done);
}

void Losses::require_sound(std::size_t disks) const {
  require_state(std::ranges::all_of(remainders_, &Remainders::is_sound), "what restitution left");
  require_state(exist_ || exceptions_.empty(), "collisions that lost energy, of disks that lose none");
  require_state(std::ranges::all_of(exceptions_, [&](const Exception& each) { return each.lower < disks; }),
                "a collision of a disk that is not there");
}

}  // namespace scree::hard::exact
