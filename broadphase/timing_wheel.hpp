#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scree {

/// Numbers that are due at a later step. Inserting one costs O(1); steps at which none is due cost nothing.
///
/// Allocates only when more numbers are stored than ever before.
/// Source: G. Varghese & T. Lauck, Hashed and hierarchical timing wheels, SOSP 1987, scheme 4
class TimingWheel {
 public:
  static constexpr std::uint32_t kFarthest = 255;  ///< steps ahead
  static constexpr std::uint32_t kSlots = kFarthest + 1;
  static constexpr std::uint32_t kPerVisit = 14;

  TimingWheel() { heads_.fill(kNone); }

  /// @pre step is 1 to kFarthest steps after the last one taken
  void put(std::uint64_t step, std::uint32_t number) {
    std::uint32_t& head = heads_[step % kSlots];
    if (head == kNone || chunks_[head].count == kPerVisit) {
      const std::uint32_t fresh = take_chunk();
      chunks_[fresh].next = head;
      chunks_[fresh].count = 0;
      head = fresh;
    }
    Chunk& chunk = chunks_[head];
    chunk.numbers[chunk.count++] = number;
  }

  /// Calls visit(numbers) with up to kPerVisit numbers at a time, for all that are due at this step, in any order.
  /// Steps must be taken one after the other; visit may insert numbers.
  template <class Visit>
  void take(std::uint64_t step, Visit visit) {
    std::uint32_t head = heads_[step % kSlots];
    heads_[step % kSlots] = kNone;
    while (head != kNone) {
      const Chunk chunk = chunks_[head];
      chunks_[head].next = free_;
      free_ = head;
      visit(std::span(chunk.numbers.data(), chunk.count));
      head = chunk.next;
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Chunk {
    std::uint32_t next;
    std::uint32_t count;
    std::array<std::uint32_t, kPerVisit> numbers;
  };

  std::uint32_t take_chunk() {
    if (free_ == kNone) {
      if (chunks_.size() == chunks_.capacity()) chunks_.reserve(chunks_.size() + chunks_.size() / 16 + 16);
      chunks_.emplace_back();
      return static_cast<std::uint32_t>(chunks_.size() - 1);
    }
    const std::uint32_t chunk = free_;
    free_ = chunks_[chunk].next;
    return chunk;
  }

  std::array<std::uint32_t, kSlots> heads_;
  std::vector<Chunk> chunks_;
  std::uint32_t free_ = kNone;
};

}  // namespace scree
