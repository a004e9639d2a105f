#pragma once

#include <cstdint>

#include "dem/hard/lanes/kernels.hpp"
#include "geometry/wide.hpp"

namespace scree::hard::lanes {

/// The circles of a block that overlap none around a point, as bits. @param x, y what that has of either
template <int W>
SCREE_WIDE unsigned apart(const CellBlock& block, std::uint32_t x, std::uint32_t y, const Reach& reach) {
  if constexpr (W == 1) {
    const auto distance = [](std::uint32_t to, std::uint32_t from) {
      const std::int32_t d = static_cast<std::int16_t>(to) - static_cast<std::int16_t>(from);
      return d < kFarAbove ? d : kFarAbove;
    };
    unsigned bits = 0;
    for (unsigned k = 0; k < kInBlock; ++k) {
      const std::int32_t dx = distance(block.centre[k], x);
      const std::int32_t dy = distance(block.centre[k] >> 16, y >> 16);
      const auto size = static_cast<std::int32_t>(block.disk[k] / kSizePlace);
      const std::int32_t sum = (reach.own + size * reach.per_size) >> kFraction;
      bits |= (dx * dx + dy * dy > sum * sum ? 1U : 0U) << k;
    }
    return bits;
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    const auto in_all = [](std::int32_t number) __attribute__((always_inline)) {
      return _mm_set1_epi32(number);
    };
    const auto four = [&](unsigned from) __attribute__((always_inline)) {
      const auto load = [](const std::uint32_t* numbers) __attribute__((always_inline)) {
        return _mm_load_si128(reinterpret_cast<const __m128i*>(numbers));
      };
      const __m128i point = in_all(static_cast<std::int32_t>(x | y));
      const __m128i distance = _mm_subs_epi16(load(block.centre + from), point);
      const __m128i size = _mm_srli_epi32(load(block.disk + from), __builtin_ctz(kSizePlace));
      const __m128i others = _mm_madd_epi16(size, in_all(reach.per_size));
      const __m128i sum = _mm_srli_epi32(_mm_add_epi32(in_all(reach.own), others), kFraction);
      const __m128i apart = _mm_cmpgt_epi32(_mm_madd_epi16(distance, distance), _mm_madd_epi16(sum, sum));
      return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(apart)));
    };
    return four(0) | four(4) << 4;
#endif
#ifdef __AVX2__
  } else {
    const auto in_all = [](std::uint32_t number) __attribute__((always_inline)) {
      return _mm256_set1_epi32(static_cast<std::int32_t>(number));
    };
    const auto load = [](const std::uint32_t* numbers) __attribute__((always_inline)) {
      return _mm256_load_si256(reinterpret_cast<const __m256i*>(numbers));
    };
    const __m256i distance = _mm256_subs_epi16(load(block.centre), _mm256_or_si256(in_all(x), in_all(y)));
    const __m256i size = _mm256_srli_epi32(load(block.disk), __builtin_ctz(kSizePlace));
    const __m256i others = _mm256_madd_epi16(size, _mm256_set1_epi32(reach.per_size));
    const __m256i sum = _mm256_srli_epi32(_mm256_add_epi32(_mm256_set1_epi32(reach.own), others), kFraction);
    const __m256i apart = _mm256_cmpgt_epi32(_mm256_madd_epi16(distance, distance), _mm256_madd_epi16(sum, sum));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(apart)));
#endif
  }
}

template <int W>
std::uint32_t find_around(const CellBlock* blocks, const CellView* views, std::uint32_t count, const Reach& reach,
                          std::uint32_t* found) {
  constexpr unsigned kAll = (1U << kInBlock) - 1;
  std::uint32_t size = 0;
  for (const CellView* view = views; view != views + count; ++view) {
    const CellBlock& block = blocks[view->block];
    for (unsigned bits = kAll & ~apart<W>(block, view->at, view->at, reach); bits != 0; bits &= bits - 1) {
      found[size++] = block.disk[__builtin_ctz(bits)] << 4 | view->image;
    }
  }
  return size;
}

/// A list of up to 8 * Eights numbers, in registers where they are wide enough.
template <int W, int Eights>
struct List {
  const std::uint32_t* numbers;
  std::uint32_t count;
#ifdef __AVX2__
  __m256i eight[Eights];
#endif

  SCREE_WIDE List(const std::uint32_t* its_numbers, std::uint32_t its_count) : numbers(its_numbers), count(its_count) {
#ifdef __AVX2__
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (int k = 0; k < Eights; ++k) {
      const __m256i left = _mm256_set1_epi32(static_cast<int>(count) - 8 * k);
      eight[k] = _mm256_maskload_epi32(reinterpret_cast<const int*>(numbers + 8 * k), _mm256_cmpgt_epi32(left, places));
    }
#endif
  }
  /// Where a number is, as bits; it may be anywhere beyond the list, too.
  SCREE_WIDE unsigned places_of(std::uint32_t number) const {
    unsigned bits = 0;
#ifdef __AVX2__
    if constexpr (W == 4) {
      const __m256i wanted = _mm256_set1_epi32(static_cast<int>(number));
      for (int k = 0; k < Eights; ++k) {
        const __m256i same = _mm256_cmpeq_epi32(eight[k], wanted);
        bits |= static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(same))) << 8 * k;
      }
      return bits;
    }
#endif
    for (std::uint32_t k = 0; k < count; ++k) bits |= (numbers[k] == number ? 1U : 0U) << k;
    return bits;
  }
};

template <int W, int Eights>
SCREE_WIDE Changes find_changes(const CellBlock* blocks, const Around& around, const List<W, Eights>& before,
                                std::uint32_t* found, std::uint32_t* newcomers) {
  struct Cell {
    const std::uint32_t* disks;
    std::uint32_t image;
  };
  Cell cells[9];
  std::uint64_t others[2] = {0, ~std::uint64_t{255}};  // circles that do not overlap, eight bits a cell
  for (int row = 0; row < 3; ++row) {
    const Around::Line& y = around.row[row];
    for (int column = 0; column < 3; ++column) {
      const Around::Line& x = around.column[column];
      const CellBlock& block = blocks[y.first + x.first];
      const int k = 3 * row + column;
      cells[k] = {block.disk, y.image | x.image};
      others[k / 8] |= std::uint64_t{apart<W>(block, x.at, y.at, around.reach)} << 8 * (k % 8);
    }
  }
  const auto all = static_cast<unsigned>((std::uint64_t{1} << before.count) - 1);
  unsigned in_both = 0;
  std::uint32_t count = 0;
  std::uint32_t count_new = 0;
  for (int half = 0; half < 2; ++half) {
    for (std::uint64_t bits = ~others[half]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<unsigned>(__builtin_ctzll(bits));
      const Cell& cell = cells[8 * static_cast<unsigned>(half) + bit / 8];
      const std::uint32_t code = cell.disks[bit % 8] << 4 | cell.image;
      const unsigned places = before.places_of(code) & all;
      in_both |= places;
      found[count++] = code;
      newcomers[count_new] = code;
      count_new += places == 0 ? 1 : 0;
    }
  }
  return {count, count_new, all & ~in_both};
}

template <int W>
Changes find_changes(const CellBlock* blocks, const Around& around, const std::uint32_t* before,
                     std::uint32_t count_before, std::uint32_t* found, std::uint32_t* newcomers) {
  if (count_before <= 8) return find_changes(blocks, around, List<W, 1>(before, count_before), found, newcomers);
  if (count_before <= 16) return find_changes(blocks, around, List<W, 2>(before, count_before), found, newcomers);
  return find_changes(blocks, around, List<W, 4>(before, count_before), found, newcomers);
}

template <int W>
std::uint32_t place_of(std::uint32_t code, const std::uint32_t* list, std::uint32_t room) {
#ifdef __AVX2__
  if constexpr (W == 4) {
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(code));
    const auto eight = [&](std::uint32_t from) __attribute__((always_inline)) {
      const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + from));
      return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(here, wanted))));
    };
    for (std::uint32_t from = 0; from < room; from = from + 8 == room || from + 16 <= room ? from + 8 : room - 8) {
      if (const unsigned places = eight(from); places != 0) {
        return from + static_cast<std::uint32_t>(__builtin_ctz(places));
      }
    }
    return room;
  }
#endif
  std::uint32_t place = room;
  for (std::uint32_t k = room; k-- > 0;) place = list[k] == code ? k : place;
  return place;
}

}  // namespace scree::hard::lanes
