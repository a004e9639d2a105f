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

Cluster reversed(Cluster disks) {
  for (Disk& disk : disks) disk.velocity = -disk.velocity;
  return disks;
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

/// Whether the pair lost energy when it collided here, by how fast it went away; where that does not tell, by a bit.
bool Losses::has_lost(std::int64_t speed, const Contraction& contraction, const Exception& here) {
  if (const auto found = exceptions_.find(here); found != exceptions_.end()) {
    exceptions_.erase(found);
    return speed < kSlowest;
  }
  if (speed >= kSlowest) return true;
  if (speed < contraction(kSlowest)) return false;
  return remainders_[here.lower].pop(1) != 0;
}

void Losses::note_kind(std::int64_t speed, const Contraction& contraction, const Exception& here, bool lost) {
  if (speed >= kSlowest || speed < contraction(kSlowest)) {
    if (lost != (speed >= kSlowest)) exceptions_.insert(here);
    return;
  }
  remainders_[here.lower].push(lost ? 1 : 0, 1);
}

Encounter Losses::pass_forward(const Grid& grid, Cluster& disks, const Place& place,
                               const std::vector<Bystander>& others) {
  const Cluster before = disks;
  Encounter done = pass_tick(grid, disks);
  if (done.kind == Encounter::Kind::none || !can_lose(grid, before)) return done;
  const Contraction& contraction = this->contraction(place.members[0], place.members[1]);
  if (!contraction.loses()) return done;
  const Exception here{place.tick, place.members[0]};
  if (const auto bounce = lose(grid, before, contraction, others)) {
    disks = bounce->disks;
    remainders_[here.lower].push(bounce->gap, bounce->bits_of_gap);
    remainders_[here.lower].push(bounce->speed, bounce->bits_of_speed);
    tell(before, disks, 1, done);
  }
  note_kind(normal_speed(grid, reversed(disks)), contraction, here, done.has_lost);
  return done;
}

Encounter Losses::pass_backward(const Grid& grid, Cluster& disks, const Place& place) {
  const Cluster before = disks;
  Encounter done = pass_tick(grid, disks);
  if (done.kind == Encounter::Kind::none || !can_lose(grid, before)) return done;
  const Contraction& contraction = this->contraction(place.members[0], place.members[1]);
  if (!contraction.loses()) return done;
  const Exception here{place.tick, place.members[0]};
  if (!has_lost(normal_speed(grid, before), contraction, here)) return done;
  disks = before;
  regain(grid, disks, contraction, remainders_[here.lower]);
  tell(before, disks, -1, done);
  return done;
}

void Losses::require_sound(std::size_t disks) const {
  require_state(std::ranges::all_of(remainders_, &Remainders::is_sound), "what restitution left");
  require_state(std::ranges::all_of(exceptions_, [&](const Exception& each) { return each.lower < disks; }),
                "a collision of a disk that is not there");
}

}  // namespace scree::hard::exact
