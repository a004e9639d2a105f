#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/hard/boxes/partner_lists.hpp"
#include "dem/hard/flight/prefetch.hpp"
#include "dem/hard/lanes/kernels.hpp"
#include "geometry/aabb.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// Where the disks' boxes are and which of them overlap: what predictions read of a neighbourhood, of whatever kind. A
/// disk leaves its box when its centre is further than the margin from the centre of the box. Centres are inside the
/// domain along periodic axes.
///
/// What belongs to one disk is in one line of the cache, with its first ten partners; a longer list moves to a pool. A
/// steady state allocates nothing. 64 bytes a disk.
class DiskBoxes {
 public:
  DiskBoxes(double margin, double slack) : margin_(margin), slack_(slack) {}

  /// Room for so many disks, without partners.
  void assign(std::size_t capacity);
  std::size_t capacity() const { return lines_.size(); }
  /// How far a disk's centre may go from that of its box [m].
  double margin() const { return margin_; }
  /// Boxes are larger by that [m]: more than rounding can do to a position.
  double slack() const { return slack_; }
  const Vec2& centre(Index i) const { return lines_[i].centre; }  ///< of the box [m]
  const lanes::Kernels& kernels() const { return *kernels_; }     ///< that were in use when room was made
  std::span<const Partner> partners_of(Index i) const {
    const Line& line = lines_[i];
    return {line.log_room == 0 ? line.partners.data() : pool_.data() + line.pool_place(), line.size};
  }
  /// The square around a box of that centre.
  Aabb2 box(const Vec2& centre, double radius) const {
    return Aabb2{centre, centre}.expanded(margin_ + slack_ + radius);
  }

  void set_centre(Index i, const Vec2& centre) { lines_[i].centre = centre; }
  void add_partner(Index i, Partner partner);
  /// One of equal partners. @pre it is there
  void remove_partner(Index i, Partner partner);
  /// @param now has room for lanes::kInLine
  void set_partners(Index i, const Partner* now, std::uint32_t count);
  void clear_partners(Index i) { lines_[i].size = 0; }
  /// A number that a neighbourhood keeps for each disk.
  std::uint32_t place(Index i) const { return lines_[i].place; }
  void set_place(Index i, std::uint32_t place) { lines_[i].place = place; }

  /// Some time before `partners_of`, which then need not wait for memory.
  void prefetch(Index i) const { hard::prefetch(&lines_[i]); }

 private:
  static constexpr std::uint32_t kInLine = lanes::kInLine;
  static constexpr unsigned kSmallest =
      4;  // lists in the pool have room for 2^kSmallest partners, or twice as many, ...
  struct alignas(64) Line {
    Vec2 centre = Vec2::Zero();
    std::uint32_t place = 0;
    std::uint32_t size : 27 = 0;
    std::uint32_t log_room : 5 = 0;           // 0: the partners are here
    std::array<Partner, kInLine> partners{};  // or where in the pool they begin

    std::uint32_t pool_place() const { return partners[0].code(); }
    std::uint32_t room() const { return log_room == 0 ? kInLine : std::uint32_t{1} << log_room; }
  };
  Partner* partners(Line& line) { return line.log_room == 0 ? line.partners.data() : pool_.data() + line.pool_place(); }
  void grow(Line& line);

  const lanes::Kernels* kernels_ = &lanes::kernels();
  double margin_;
  double slack_;
  std::vector<Line> lines_;
  std::vector<Partner> pool_;
  std::array<std::vector<std::uint32_t>, 32> free_;  // by log_room: where unused room begins
};

}  // namespace scree::hard
