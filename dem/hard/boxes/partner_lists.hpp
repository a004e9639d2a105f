#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/hard/flight/event.hpp"

namespace scree::hard {

/// A disk with which another one may collide, and which image of it. As kernels read it (dem/hard/lanes): the disk,
/// then four bits of the image, which are zero for the disk itself.
class Partner {
 public:
  Partner() = default;
  Partner(Index disk, NearImage image) : code_(disk << 4 | (image.code ^ NearImage().code)) {}
  static Partner from_code(std::uint32_t code) {
    Partner partner;
    partner.code_ = code;
    return partner;
  }
  std::uint32_t code() const { return code_; }
  Index disk() const { return code_ >> 4; }
  NearImage image() const { return {static_cast<std::uint8_t>((code_ & 15) ^ NearImage().code)}; }
  bool operator==(const Partner&) const = default;

 private:
  std::uint32_t code_ = 0;
};

/// For each disk the disks with which it may collide: short lists in one array, without order. Lists grow by doubling
/// and never shrink; released places are used again, so that a steady state allocates nothing. 8 bytes a disk and 4 a
/// place.
class PartnerLists {
 public:
  void assign(std::size_t disks);
  std::span<const Partner> of(Index i) const { return {pool_.data() + lists_[i].first, lists_[i].size}; }
  void add(Index i, Partner partner);
  /// One of equal partners. @pre it is there
  void remove(Index i, Partner partner);
  void clear(Index i) { lists_[i].size = 0; }

 private:
  static constexpr unsigned kSmallest = 4;  // lists have room for 2^kSmallest partners, or twice as many, ...
  struct List {
    std::uint32_t first = 0;
    std::uint32_t size : 27 = 0;
    std::uint32_t log_room : 5 = 0;  // 0: none yet
  };
  void grow(List& list);

  std::vector<List> lists_;
  std::vector<Partner> pool_;
  std::array<std::vector<std::uint32_t>, 32> free_;  // by log_room: where unused room begins
};

}  // namespace scree::hard
