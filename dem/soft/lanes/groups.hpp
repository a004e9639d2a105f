#pragma once

#include "dem/soft/lanes/overlaps.hpp"

/// Bodies or contacts W at once, and numbers of their records, for any width. Included by the files of one
/// width only.
namespace scree::soft::lanes {

/// A body or contact for each lane: successive ones.
template <int W>
struct Successive {
  std::uint32_t first;
  static constexpr int used = W;

  SCREE_WIDE std::uint32_t operator[](int lane) const { return first + static_cast<std::uint32_t>(lane); }
  template <class T, int Size>
  struct Records {
    T* first;
    SCREE_WIDE T* operator[](int lane) const { return first + Size * lane; }
  };
  /// Their records in an array of records of this size.
  template <int Size, class T>
  SCREE_WIDE Records<T, Size> records(T* array) const {
    return {array + Size * std::size_t{first}};
  }
};

/// A body or contact for each lane: those of a list, the last one several times if there are not enough.
template <int W>
struct Picked {
  std::uint32_t at[W];
  int used;

  SCREE_WIDE std::uint32_t operator[](int lane) const { return at[lane]; }
  template <class T>
  struct Records {
    T* begin[W];
    SCREE_WIDE T* operator[](int lane) const { return begin[lane]; }
  };
  template <int Size, class T>
  SCREE_WIDE Records<T> records(T* array) const {
    Records<T> all;
    for (int lane = 0; lane < W; ++lane) all.begin[lane] = array + Size * std::size_t{at[lane]};
    return all;
  }
};

/// Calls act(group) for all bodies or contacts of a range, W at once.
template <int W, class Act>
SCREE_WIDE void for_each_group(const Range& range, const Act& act) {
  std::uint32_t begin = range.begin;
  if (range.list == nullptr) {
    for (; begin + W <= range.end; begin += W) act(Successive<W>{begin});
  }
  for (; begin < range.end; begin += W) {
    Picked<W> group;
    group.used = range.end - begin < W ? static_cast<int>(range.end - begin) : W;
    for (int lane = 0; lane < W; ++lane) {
      const std::uint32_t place = lane < group.used ? begin + static_cast<std::uint32_t>(lane) : range.end - 1;
      group.at[lane] = range.list == nullptr ? place : range.list[place];
    }
    act(group);
  }
}

/// 0 in lanes that stand for none of their own.
template <int W>
SCREE_WIDE Number<W> used_lanes(const Successive<W>& /*group*/, const Number<W>& x) {
  return x;
}
template <int W>
SCREE_WIDE Number<W> used_lanes(const Picked<W>& group, const Number<W>& x) {
  double place[W];
  for (int lane = 0; lane < W; ++lane) place[lane] = lane;
  return select(less(Number<W>::load(place), Number<W>(static_cast<double>(group.used))), x, Number<W>(0.0));
}

/// A number for each lane, at an offset of W records.
template <int W, class Records>
SCREE_WIDE Vector<W> two_at(const Records& record, int offset) {
  const double* from[W];
  for (int lane = 0; lane < W; ++lane) from[lane] = record[lane] + offset;
  return load_two<W>(from);
}
template <int W, class Records>
SCREE_WIDE Number<W> one_at(const Records& record, int offset) {
  const double* from[W];
  for (int lane = 0; lane < W; ++lane) from[lane] = record[lane] + offset;
  return load_one<W>(from);
}
template <int W, class Records>
SCREE_WIDE void put_at(const Records& record, int offset, const Vector<W>& v) {
  double* to[W];
  for (int lane = 0; lane < W; ++lane) to[lane] = record[lane] + offset;
  store_two<W>(v, to);
}
template <int W, class Records>
SCREE_WIDE void put_at(const Records& record, int offset, const Number<W>& x) {
  double* to[W];
  for (int lane = 0; lane < W; ++lane) to[lane] = record[lane] + offset;
  store_one<W>(x, to);
}

}  // namespace scree::soft::lanes
