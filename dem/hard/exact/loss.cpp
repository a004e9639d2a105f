#include "dem/hard/exact/loss.hpp"

#include <algorithm>
#include <cmath>

#include "dem/hard/exact/contact.hpp"
#include "dem/hard/exact/reflection.hpp"

namespace scree::hard::exact {

namespace {

constexpr unsigned kWord = 64;
constexpr const char* kNoCollision = "what is kept of a collision leads to none";

std::uint64_t lowest(unsigned bits) {
  return bits >= kWord ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// The gap of a pair along one axis, the other component of the distance being what it is: so the gap can change and be
/// found again.
struct Gap {
  std::size_t axis;
  std::int64_t contact;  // where the disks would touch, along the axis
  std::int64_t sign;     // of the distance along the axis

  std::int64_t of(const Vector& r) const { return sign * r[axis] - contact; }
};

/// Along the axis that is nearer to the normal. Nothing within some units of the diagonal, where a changed gap could be
/// found along the other axis. @pre the pair does not overlap
std::optional<Gap> gap_of(const Vector& r, std::int64_t contact) {
  const Int128 square = product(contact, contact);
  const auto is_flat = [&](std::size_t axis) { return 2 * product(r[axis], r[axis]) <= square; };
  if (is_flat(0) && is_flat(1)) return {};
  if (!is_flat(0) && !is_flat(1)) return {};
  const std::size_t other = is_flat(1) ? 1 : 0;
  const std::size_t axis = 1 - other;
  const auto rest = static_cast<UInt128>(square - product(r[other], r[other]));
  std::uint64_t root = whole_root(rest);
  if (static_cast<UInt128>(root) * root < rest) ++root;
  return Gap{axis, static_cast<std::int64_t>(root), r[axis] < 0 ? -1 : 1};
}

/// Moves both disks by about half of it; -way moves them back.
void add_to_distance(const Grid& grid, Cluster& pair, std::size_t axis, std::int64_t way) {
  const std::int64_t half = way / 2;
  pair[0].position[axis] += half;
  pair[1].position[axis] -= way - half;
  for (Disk& disk : pair) disk.position = grid.wrapped(disk.position).position;
}

/// Gives the pair another relative velocity of the same parity; the sum of both stays.
void set_velocity(Cluster& pair, const Vector& v) {
  const Vector twice = v - (pair[0].velocity - pair[1].velocity);
  const Vector change{twice[0] / 2, twice[1] / 2};
  pair[0].velocity = pair[0].velocity + change;
  pair[1].velocity = pair[1].velocity - change;
}

std::int64_t contact_of(const Cluster& pair) {
  return pair[0].radius + pair[1].radius;
}
Vector distance_of(const Grid& grid, const Cluster& pair) {
  return grid.distance(pair[0].position, pair[1].position);
}
Vector velocity_of(const Cluster& pair) {
  return pair[0].velocity - pair[1].velocity;
}

/// Whether no other disk comes so near to the pair, even if each may come so much nearer [units].
bool are_alone(const Grid& grid, const Cluster& pair, const std::vector<Bystander>& others, std::int64_t nearer) {
  for (const Disk& disk : pair) {
    for (const Bystander& other : others) {
      const std::int64_t contact = disk.radius + other.radius + nearer;
      if (are_near(grid, grid.distance(disk.position, other.position), contact)) return false;
    }
  }
  return true;
}

/// Whether a pair comes from where it does not overlap, and would overlap now.
bool collides(const Grid& grid, const Cluster& pair) {
  const Vector r = distance_of(grid, pair);
  const Vector v = velocity_of(pair);
  const std::int64_t contact = contact_of(pair);
  const bool is_slow = std::ranges::none_of(pair, [&](const Disk& disk) { return is_too_fast(grid, disk.velocity); });
  return is_slow && !overlap(r, contact) && !overlap(r - v, contact) && overlap(r + v, contact);
}

}  // namespace

Contraction::Contraction(double ratio) : ratio_(std::llround(std::ldexp(ratio, kFraction))) {}

void Remainders::push(std::uint64_t value, unsigned bits) {
  if (bits == 0) return;
  const auto used = static_cast<unsigned>(bits_ % kWord);
  if (used == 0) words_.push_back(0);
  words_.back() |= value << used;
  if (used + bits > kWord) words_.push_back(value >> (kWord - used));
  bits_ += bits;
}

std::uint64_t Remainders::pop(unsigned bits) {
  if (bits == 0) return 0;
  require_state(bits <= bits_, "less is kept of collisions than they took");
  bits_ -= bits;
  const std::size_t word = bits_ / kWord;
  const auto used = static_cast<unsigned>(bits_ % kWord);
  std::uint64_t value = words_[word] >> used;
  if (used + bits > kWord) value |= words_[word + 1] << (kWord - used);
  words_.resize((bits_ + kWord - 1) / kWord);
  if (used > 0) words_.back() &= lowest(used);
  return value & lowest(bits);
}

bool Remainders::is_sound() const {
  const auto used = static_cast<unsigned>(bits_ % kWord);
  return words_.size() == bits_ / kWord + (used > 0 ? 1 : 0) && (used == 0 || (words_.back() & ~lowest(used)) == 0);
}

Cluster reversed(Cluster disks) {
  for (Disk& disk : disks) disk.velocity = -disk.velocity;
  return disks;
}

bool can_lose(const Grid& grid, const Cluster& disks) {
  return disks.size() == 2 && !is_near_side(grid, disks[0]) && !is_near_side(grid, disks[1]);
}

std::int64_t normal_speed(const Grid& grid, const Cluster& pair) {
  return std::abs(NormalFrame(distance_of(grid, pair)).into(half(velocity_of(pair)))[0]);
}

std::optional<Bounce> lose(const Grid& grid, const Cluster& pair, const Contraction& contraction,
                           const std::vector<Bystander>& others) {
  const std::int64_t contact = contact_of(pair);
  const Vector before = distance_of(grid, pair);
  const auto gap = gap_of(before, contact);
  if (!gap) return {};
  Bounce bounce{pair, 0, 0, 0, 0};
  const std::int64_t gap_before = gap->of(before);
  const std::int64_t gap_after = contraction(gap_before);
  bounce.gap = static_cast<std::uint64_t>(gap_before - contraction.least(gap_after));
  bounce.bits_of_gap = contraction.bits(gap_after);
  add_to_distance(grid, bounce.disks, gap->axis, gap->sign * (gap_after - gap_before));

  const Vector r = distance_of(grid, bounce.disks);
  const Vector v = velocity_of(pair);
  const NormalFrame frame(r);
  Vector n = frame.into(half(v));
  const std::int64_t speed = std::abs(n[0]);
  if (speed < kSlowest) return {};
  const std::int64_t slower = contraction(speed);
  bounce.speed = static_cast<std::uint64_t>(speed - contraction.least(slower));
  bounce.bits_of_speed = contraction.bits(slower);
  n = {n[0] < 0 ? -slower : slower, -n[1]};
  set_velocity(bounce.disks, -doubled(frame.out_of(n), v));

  const auto found_again = gap_of(r, contact);
  const Vector after = velocity_of(bounce.disks);
  const bool leads_back = found_again && found_again->axis == gap->axis && overlap(r - after, contact);
  if (!leads_back || overlap(r + after, contact) || !can_lose(grid, bounce.disks)) return {};
  for (const Disk& disk : bounce.disks) {
    if (is_too_fast(grid, disk.velocity)) return {};
  }
  if (!are_alone(grid, bounce.disks, others, kFarther * grid.fastest)) return {};
  return bounce;
}

void regain(const Grid& grid, Cluster& pair, const Contraction& contraction, Remainders& remainders,
            const std::vector<Bystander>& others) {
  const Cluster there = pair;
  const auto before = [&](std::int64_t m) {
    return contraction.least(m) + static_cast<std::int64_t>(remainders.pop(contraction.bits(m)));
  };
  const Vector r = distance_of(grid, pair);
  const Vector w = velocity_of(pair);  // reversed
  const NormalFrame frame(r);
  const Vector m = frame.into(half(w));
  const std::int64_t speed = before(std::abs(m[0]));
  set_velocity(pair, -doubled(frame.out_of({m[0] < 0 ? -speed : speed, -m[1]}), w));
  const auto gap = gap_of(r, contact_of(pair));
  require_state(gap.has_value(), kNoCollision);
  const std::int64_t gap_after = gap->of(r);
  add_to_distance(grid, pair, gap->axis, gap->sign * (before(gap_after) - gap_after));

  const Cluster then = reversed(pair);
  require_state(can_lose(grid, then) && collides(grid, then) && are_alone(grid, then, others, 0), kNoCollision);
  const auto again = lose(grid, then, contraction, {});
  require_state(again.has_value(), kNoCollision);
  for (const std::size_t k : {0u, 1u}) {
    const Disk& disk = again->disks[k];
    require_state(disk.position == there[k].position && disk.velocity == -there[k].velocity, kNoCollision);
  }
}

}  // namespace scree::hard::exact
