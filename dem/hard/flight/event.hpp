#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace scree::hard {

/// A disk, by its place in the arrays.
using Index = std::uint32_t;
constexpr Index kMaxDisks = Index{1} << 28;
constexpr Index kMaxWalls = Index{1} << 20;
constexpr Index kNoDisk = 0xffffffff;
constexpr Index kSides = 4;  ///< of the domain; as sides of events, walls are numbered after them

/// A near periodic image, at most one period away along x and along y, in four bits.
struct NearImage {
  std::uint8_t code = 0b0101;  ///< along x in the two lowest bits, along y in the next two; each counted from -1

  static constexpr NearImage of(int x, int y) { return {static_cast<std::uint8_t>((x + 1) | (y + 1) << 2)}; }
  constexpr int x() const { return (code & 3) - 1; }
  constexpr int y() const { return (code >> 2) - 1; }
  constexpr bool is_none() const { return code == 0b0101; }
  constexpr NearImage opposite() const { return {static_cast<std::uint8_t>(0b1010 - code)}; }
  bool operator==(const NearImage&) const = default;
};

/// What happens next to a disk. At equal times the kinds have this order: those that change no velocity come first.
enum class EventKind : std::uint8_t {
  advancement,  ///< nothing happens but that the next event is predicted again
  wall,         ///< it hits a side of the domain or a wall
  collision     ///< with another disk
};

/// The new event of a disk (Lubachevsky 1991, Eq. (11), without the state: the update is delayed, section 6). Events
/// have a total order by (time, kind, ids): both partners of a collision hold the same event, any two others differ.
struct Event {
  double time;  ///< on the simulation's clock [s]
  std::uint64_t
      rank;  ///< orders equal times: kind, lower id, higher id or side, edge, image, live; from the highest bit

  bool operator==(const Event&) const = default;
  friend bool operator<(const Event& a, const Event& b) {
    return a.time < b.time || (a.time == b.time && a.rank < b.rank);
  }

  static Event advancement(double time, Index i) { return {time, rank_of(EventKind::advancement, i, 0)}; }
  /// @param side of the domain: below and above along x, then along y; then come the walls
  static Event wall(double time, Index i, unsigned side, NearImage image = {}) {
    return {time, rank_of(EventKind::wall, i, side, image)};
  }
  /// @param image of j with which i collides
  static Event collision(double time, Index i, Index j, NearImage image) {
    return i < j ? Event{time, rank_of(EventKind::collision, i, j, image)}
                 : Event{time, rank_of(EventKind::collision, j, i, image.opposite())};
  }

  /// Two disks reach the edge of their well.
  static Event crossing(double time, Index i, Index j, NearImage image) {
    Event event = collision(time, i, j, image);
    event.rank |= kCrossing;
    return event;
  }

  EventKind kind() const {
    const auto kind = static_cast<EventKind>(rank >> 62);
    return kind == EventKind::collision && (rank & 1) == 0 ? EventKind::advancement : kind;
  }
  /// Whether that is a collision: its two bits and the live one, next to each other.
  bool collides() const {
    constexpr auto kLiveCollision = std::uint64_t{1} << 2 | static_cast<std::uint64_t>(EventKind::collision);
    return (std::rotl(rank, 2) & 7) == kLiveCollision;
  }
  /// Whether a collision is at the edge of a well.
  bool crosses() const { return (rank & kCrossing) != 0; }
  /// A collision that i has with a lower disk.
  bool is_with_lower(Index i) const { return (static_cast<int>(collides()) & static_cast<int>(higher() == i)) != 0; }
  Index partner(Index i) const { return lower() ^ higher() ^ i; }
  /// Image of the partner, seen from i, or of the wall.
  NearImage image(Index i) const {
    const NearImage of_higher{static_cast<std::uint8_t>(rank >> 1 & 15)};
    return i == lower() ? of_higher : of_higher.opposite();
  }
  unsigned side() const { return higher(); }
  Index lower() const { return rank >> 34 & (kMaxDisks - 1); }
  Index higher() const { return rank >> 6 & (kMaxDisks - 1); }

  /// A collision becomes an advancement when its partner has got an earlier event. It keeps its place in the order: no
  /// other event lies between.
  void turn_into_advancement() { rank &= ~std::uint64_t{1}; }

 private:
  static constexpr std::uint64_t kCrossing = 1 << 5;

  static std::uint64_t rank_of(EventKind kind, Index lower, Index higher, NearImage image = {}) {
    return static_cast<std::uint64_t>(kind) << 62 | std::uint64_t{lower} << 34 | std::uint64_t{higher} << 6 |
           std::uint64_t{image.code} << 1 | 1;
  }
};

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace scree::hard
