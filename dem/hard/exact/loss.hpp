#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dem/archive.hpp"
#include "dem/hard/exact/integers.hpp"
#include "dem/hard/exact/tick_map.hpp"

/// Collisions that lose energy and come back bit for bit.
///
/// A restitution e below 1 makes one number of several: normal velocities n >= 0 with the same floor(e n). Which of
/// them it was is what must be kept, some log2(1/e) bits: in a remainder buffer, one a disk, last in, first out (D.
/// Maclaurin, D. Duvenaud & R. P. Adams, ICML 2015, for the descent of a gradient).
///
/// The gap h >= 0 that a pair has at its last tick before it would overlap shrinks as its velocity does: h to floor(e
/// h). A disk that bounces within a tick with e n comes to a gap e times as large as with n, so this is where it would
/// be. And by this the pair that is sent back, slower than it came, is due at the same tick: nothing need be kept of
/// when.
namespace scree::hard::exact {

/// A whole number n >= 0 times a ratio in (0, 1], rounded down. Error of the ratio: 2^-33
class Contraction {
 public:
  static constexpr double kLeast = 1.0 / 64.0;

  /// @pre kLeast <= ratio <= 1
  explicit Contraction(double ratio = 1.0);

  bool loses() const { return ratio_ < kOne; }
  /// @pre 0 <= n < 2^62
  std::int64_t operator()(std::int64_t n) const { return static_cast<std::int64_t>(product(n, ratio_) >> kFraction); }
  /// The least n that gives m or more.
  std::int64_t least(std::int64_t m) const {
    return static_cast<std::int64_t>(((Int128{m} << kFraction) + ratio_ - 1) / ratio_);
  }
  /// Bits that distinguish the numbers that give m.
  unsigned bits(std::int64_t m) const {
    return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(least(m + 1) - least(m) - 1)));
  }

 private:
  static constexpr int kFraction = 32;
  static constexpr std::int64_t kOne = std::int64_t{1} << kFraction;
  std::int64_t ratio_;  // [2^-32]
};

/// What was lost: bits, last in, first out.
class Remainders {
 public:
  /// @param value < 2^bits
  void push(std::uint64_t value, unsigned bits);
  /// @throws InvalidState if fewer are left: nothing is known of the time before the start
  std::uint64_t pop(unsigned bits);
  std::uint64_t bits() const { return bits_; }
  const std::vector<std::uint64_t>& words() const { return words_; }
  /// Whether it is one that has grown by push; for one that was read.
  bool is_sound() const;

  bool operator==(const Remainders&) const = default;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.bits_, self.words_);
  }

 private:
  std::uint64_t bits_ = 0;
  std::vector<std::uint64_t> words_;  // the lowest bits of the first one are the oldest; unused ones are 0
};

/// Collisions slower than that are elastic, so that no collapse takes infinitely many of them: half the normal velocity
/// [units a tick]. This is 2^-14 to 2^-13 of the thermal speed at the start.
constexpr std::int64_t kSlowest = std::int64_t{1} << 12;

/// Another disk near a pair, which what the pair does must not concern.
///
/// In one tick several pairs may lose, and be moved, one after the other: each sees some of the others as they were
/// before, some as they are after it, and on the way back the other way round. A pair that loses is therefore so far
/// from all others that this makes no difference: kFarther.
struct Bystander {
  Vector position;
  std::int64_t radius;
};
/// Distance beyond that of disks that are near, in units of Grid::fastest. A loss moves a disk by less than 1.6 of
/// these: along an axis that is at most 45 degrees from the normal, by half of a gap of less than 2 of them along the
/// normal.
constexpr std::int64_t kFarther = 2;

/// What a collision did with a loss: the disks after it, and which of the gaps and velocities that give them they had.
struct Bounce {
  Cluster disks;
  std::uint64_t gap;
  std::uint64_t speed;
  unsigned bits_of_gap;
  unsigned bits_of_speed;
};

/// With all velocities reversed.
Cluster reversed(Cluster disks);

/// Whether it is a cluster that can lose energy: a pair away from sides. This follows from positions alone.
bool can_lose(const Grid& grid, const Cluster& disks);

/// Half the normal velocity of a pair [units a tick]: by this the way back separates most elastic collisions from
/// others. Speed along the normal; for reversed velocities the same but for a unit.
std::int64_t normal_speed(const Grid& grid, const Cluster& pair);

/// A pair that would overlap. Nothing if it is slower than kSlowest, or if the way back would not lead here: then the
/// collision is elastic. @param others all that may be near one of the two after it
std::optional<Bounce> lose(const Grid& grid, const Cluster& pair, const Contraction& contraction,
                           const std::vector<Bystander>& others);

/// The way back: takes from `remainders` what `lose` gave, the speed first.
/// @param pair with their velocities after the bounce reversed; gets those before it, reversed
/// @param others all that may be near one of the two before it
/// @throws InvalidState if no collision leads to where the pair is: the remainders are not those of this gas
void regain(const Grid& grid, Cluster& pair, const Contraction& contraction, Remainders& remainders,
            const std::vector<Bystander>& others);

}  // namespace scree::hard::exact
