#include "broadphase/sort_and_update.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

#include "broadphase/planar_pairs.hpp"
#include "parallel/threads.hpp"

namespace scree {

namespace {

constexpr std::uint32_t kEndBit = std::uint32_t{1} << 31;
[[maybe_unused]] constexpr ProxyId kMaxId = kEndBit - 2;  // the last one is the upper sentinel's
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Number of boxes above which threads save more than it costs to start them (about 2 microseconds).
constexpr std::size_t kParallelFrom = 2000;
// Number of new boxes up to which one scan of all boxes for each is cheaper than finding all pairs again.
constexpr std::size_t kFew = 32;

constexpr ProxyId id_of(std::uint32_t code) {
  return code & ~kEndBit;
}
constexpr bool is_end(std::uint32_t code) {
  return (code & kEndBit) != 0;
}

// The coordinate on axis k of an interval's end, read from the bytes of the box without a branch on the side.
template <int Dim>
double coordinate(const Aabb<Dim>* boxes, std::uint32_t code, int k) {
  static_assert(sizeof(Aabb<Dim>) == 2 * Dim * sizeof(double) && offsetof(Aabb<Dim>, hi) == Dim * sizeof(double));
  const std::size_t corner = std::rotl(code, 1);  // 2 id + side
  double value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(boxes) + (corner * Dim + static_cast<std::size_t>(k)) * 8,
              sizeof value);
  return value;
}

template <int Dim>
bool overlap_on(int k, const Aabb<Dim>& a, const Aabb<Dim>& b) {
  // '&', not '&&': which of the two fails is unpredictable, and a mispredicted branch costs more than a comparison.
  return static_cast<bool>(static_cast<int>(a.lo[k] <= b.hi[k]) & static_cast<int>(b.lo[k] <= a.hi[k]));
}

template <int Dim>
bool overlap_below(int k, const Aabb<Dim>& a, const Aabb<Dim>& b) {
  for (int axis = 0; axis < k; ++axis) {
    if (!overlap_on(axis, a, b)) return false;
  }
  return true;
}

template <int Dim>
bool is_proper(const Aabb<Dim>& box) {
  return (box.lo.array() <= box.hi.array()).all();  // false for not-a-number
}

template <int Dim, class Work>
void for_each_axis(bool in_parallel, const Work& work) {
  const auto some = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k != end; ++k) work(static_cast<int>(k));
  };
  in_parallel ? Threads::share(Dim, 1, some) : some(0, Dim);
}

}  // namespace

// Handles the exchange of a begin with an end: `mover` went below `passed`.
template <int Dim>
struct SortAndUpdate<Dim>::Passing {
  std::uint32_t mover;
  std::uint32_t passed;
};

template <int Dim>
SortAndUpdate<Dim>::SortAndUpdate() {
  for (Axis& axis : axes_) axis.ends = {{-kInfinity, 0}, {kInfinity, ~std::uint32_t{0}}};
}

template <int Dim>
std::uint64_t SortAndUpdate<Dim>::exchanges() const {
  std::uint64_t sum = 0;
  for (const Axis& axis : axes_) sum += axis.exchanges;
  return sum;
}

template <int Dim>
std::size_t SortAndUpdate<Dim>::position(const Axis& axis, const End& end) {
  const auto first = axis.ends.begin() + 1;
  const auto last = axis.ends.end() - 1;
  auto found = std::lower_bound(first, last, end, before);
  if (found == last || found->code != end.code) {  // only if a not-a-number has destroyed the order
    found = std::find_if(first, last, [&](const End& other) { return other.code == end.code; });
  }
  return static_cast<std::size_t>(found - axis.ends.begin());
}

// --- all boxes move

template <int Dim>
void SortAndUpdate<Dim>::update(std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  for_each_axis<Dim>(size_ >= kParallelFrom, [&](int k) { sort(k, boxes); });
  // Boxes of unused ids are copied, too: they have no effect, and copying all is fastest.
  std::copy_n(boxes.begin(), std::min(boxes.size(), boxes_.size()), boxes_.begin());
  collect(changes);
}

template <int Dim>
void SortAndUpdate<Dim>::sort(int k, std::span<const Aabb<Dim>> now) {
  // New values are loaded in blocks before the sort. Their addresses are irregular, and this way the loads do not wait
  // for the mispredicted branches of the sort. Boxes are compared later for the same reason.
  constexpr std::size_t kBlock = 64;
  std::array<Passing, 256> passings;
  std::size_t count = 0;
  std::uint64_t exchanges = 0;

  Axis& axis = axes_[static_cast<std::size_t>(k)];
  End* const ends = axis.ends.data();
  const std::size_t last = axis.ends.size() - 1;
  for (std::size_t block = 1; block < last; block += kBlock) {
    const std::size_t block_end = std::min(block + kBlock, last);
    for (std::size_t i = block; i < block_end; ++i) {
      assert(id_of(ends[i].code) < now.size() && is_proper(now[id_of(ends[i].code)]));
      ends[i].value = coordinate(now.data(), ends[i].code, k);
    }
    for (std::size_t i = block; i < block_end; ++i) {
      if (ends[i - 1].value < ends[i].value) continue;  // nearly always
      const End end = ends[i];
      std::size_t j = i;
      for (; before(end, ends[j - 1]); --j) {  // the lower sentinel stops it
        ends[j] = ends[j - 1];
        passings[count] = {end.code, ends[j].code};
        count += (end.code ^ ends[j].code) >> 31;  // two begins or two ends change no pair
        if (count == passings.size()) {
          look(k, {passings.data(), count}, now);
          count = 0;
        }
      }
      ends[j] = end;
      exchanges += i - j;
    }
  }
  look(k, {passings.data(), count}, now);
  axis.exchanges += exchanges;
}

template <int Dim>
void SortAndUpdate<Dim>::look(int k, std::span<const Passing> passings, std::span<const Aabb<Dim>> now) {
  PairChanges& changes = axes_[static_cast<std::size_t>(k)].changes;
  // A begin that went below an end: do the boxes overlap now? An end that went below a begin: did they overlap before?
  const Aabb<Dim>* const when[2] = {now.data(), boxes_.data()};
  for (const Passing& passing : passings) {
    const ProxyId a = id_of(passing.mover);
    const ProxyId b = id_of(passing.passed);
    const std::size_t side = is_end(passing.mover) ? 1 : 0;
    const Aabb<Dim>* const together = when[side];
    bool overlap = true;
    for (int other = 1; other < Dim; ++other) overlap &= overlap_on((k + other) % Dim, together[a], together[b]);
    if (!overlap) continue;
    if (a == b || !overlap_on(k, together[a], together[b])) continue;
    const Aabb<Dim>* const apart = when[1 - side];
    if (!overlap_below(k, apart[a], apart[b])) continue;  // a lower axis reports it
    (side == 0 ? changes.begun : changes.ended).push_back(pair_of(a, b));
  }
}

// --- one box moves

template <int Dim>
void SortAndUpdate<Dim>::move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  assert(id < boxes_.size() && in_use_[id] && is_proper(box));
  for (int k = 0; k < Dim; ++k) {
    // The leading end moves first, so that a box never passes itself.
    const bool down = box.lo[k] < boxes_[id].lo[k];
    move_end(k, down ? id : id | kEndBit, box);
    move_end(k, down ? id | kEndBit : id, box);
  }
  boxes_[id] = box;
  collect(changes);
}

template <int Dim>
void SortAndUpdate<Dim>::move_end(int k, std::uint32_t code, const Aabb<Dim>& now) {
  Axis& axis = axes_[static_cast<std::size_t>(k)];
  End* const ends = axis.ends.data();
  const ProxyId id = id_of(code);
  const std::size_t start = position(axis, {coordinate(boxes_.data(), code, k), code});
  const End end{is_end(code) ? now.hi[k] : now.lo[k], code};
  std::size_t j = start;
  for (; before(end, ends[j - 1]); --j) {
    ends[j] = ends[j - 1];
    if (is_end(code) != is_end(ends[j].code)) pass(k, !is_end(code), id, id_of(ends[j].code), now);
  }
  for (; before(ends[j + 1], end); ++j) {
    ends[j] = ends[j + 1];
    if (is_end(code) != is_end(ends[j].code)) pass(k, is_end(code), id, id_of(ends[j].code), now);
  }
  ends[j] = end;
  axis.exchanges += j < start ? start - j : j - start;
}

template <int Dim>
void SortAndUpdate<Dim>::pass(int k, bool together, ProxyId mover, ProxyId passed, const Aabb<Dim>& now) {
  if (mover == passed) return;
  PairChanges& changes = axes_[static_cast<std::size_t>(k)].changes;
  const Aabb<Dim>& was = boxes_[mover];
  const Aabb<Dim>& other = boxes_[passed];
  if (together) {
    if (now.overlaps(other) && overlap_below(k, was, other)) changes.begun.push_back(pair_of(mover, passed));
  } else {
    if (was.overlaps(other) && overlap_below(k, now, other)) changes.ended.push_back(pair_of(mover, passed));
  }
}

// --- boxes come and go

template <int Dim>
void SortAndUpdate<Dim>::insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  assert(is_proper(box));
  changes.clear();
  make_room(id);
  boxes_[id] = box;
  find_partners(id, changes.begun);
  in_use_[id] = 1;
  ++size_;
  for (int k = 0; k < Dim; ++k) {
    std::vector<End>& ends = axes_[static_cast<std::size_t>(k)].ends;
    for (const End end : {End{box.lo[k], id}, End{box.hi[k], id | kEndBit}}) {
      ends.insert(std::lower_bound(ends.begin() + 1, ends.end() - 1, end, before), end);
    }
  }
}

template <int Dim>
void SortAndUpdate<Dim>::insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  assert(ids.size() == boxes.size());
  if (ids.size() == 1) return insert(ids[0], boxes[0], changes);
  changes.clear();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    assert(is_proper(boxes[i]));
    make_room(ids[i]);
    boxes_[ids[i]] = boxes[i];
  }
  size_ += ids.size();

  for_each_axis<Dim>(size_ >= kParallelFrom, [&](int k) {
    std::vector<End>& ends = axes_[static_cast<std::size_t>(k)].ends;
    const End sentinel = ends.back();
    ends.pop_back();
    const auto old_end = static_cast<std::ptrdiff_t>(ends.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ends.push_back({boxes[i].lo[k], ids[i]});
      ends.push_back({boxes[i].hi[k], ids[i] | kEndBit});
    }
    const auto inlined_before = [](const End& a, const End& b) { return before(a, b); };
    std::sort(ends.begin() + old_end, ends.end(), inlined_before);
    std::inplace_merge(ends.begin() + 1, ends.begin() + old_end, ends.end(), inlined_before);
    ends.push_back(sentinel);
  });

  if (ids.size() > kFew) find_starting_pairs(changes.begun);
  for (const ProxyId id : ids) {
    if (ids.size() <= kFew) find_partners(id, changes.begun);
    in_use_[id] = 1;
  }
  std::sort(changes.begun.begin(), changes.begun.end());
}

template <int Dim>
void SortAndUpdate<Dim>::erase(ProxyId id, PairChanges& changes) {
  assert(id < boxes_.size() && in_use_[id]);
  changes.clear();
  in_use_[id] = 0;
  --size_;
  find_partners(id, changes.ended);
  for (int k = 0; k < Dim; ++k) {
    Axis& axis = axes_[static_cast<std::size_t>(k)];
    for (const std::uint32_t code : {id, id | kEndBit}) {
      const std::size_t at = position(axis, {coordinate(boxes_.data(), code, k), code});
      axis.ends.erase(axis.ends.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

template <int Dim>
void SortAndUpdate<Dim>::make_room(ProxyId id) {
  assert(id <= kMaxId);
  if (id >= boxes_.size()) {
    boxes_.resize(id + std::size_t{1});
    in_use_.resize(id + std::size_t{1}, 0);
  }
  assert(!in_use_[id]);
}

// Pairs of id with boxes in use, ascending.
template <int Dim>
void SortAndUpdate<Dim>::find_partners(ProxyId id, std::vector<Pair>& pairs) const {
  const Aabb<Dim> box = boxes_[id];
  for (ProxyId other = 0; other < boxes_.size(); ++other) {
    if (boxes_[other].overlaps(box) && in_use_[other]) pairs.push_back(pair_of(id, other));
  }
}

// Pairs of which at least one box is in the lists but not yet in use.
template <int Dim>
void SortAndUpdate<Dim>::find_starting_pairs(std::vector<Pair>& begun) {
  // All boxes in a tower overlap in x. Therefore the plane is that of the two axes with the fewest overlaps.
  std::array<std::pair<std::uint64_t, std::size_t>, Dim> overlaps{};
  for (std::size_t k = 0; k < Dim; ++k) {
    const std::vector<End>& ends = axes_[k].ends;
    std::uint64_t open = 0;
    overlaps[k] = {0, k};
    for (std::size_t i = 1; i + 1 < ends.size(); ++i) {
      if (is_end(ends[i].code)) {
        --open;
      } else {
        overlaps[k].first += open++;
      }
    }
  }
  std::sort(overlaps.begin(), overlaps.end());
  const std::vector<End>& x = axes_[overlaps[0].second].ends;
  const std::vector<End>& y = axes_[overlaps[1].second].ends;

  std::vector<RankedBox> ranked(size_);
  std::vector<ProxyId> ids(size_);
  std::vector<std::uint32_t> rank(boxes_.size());
  std::uint32_t begun_x = 0;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    const ProxyId id = id_of(x[i].code);
    if (is_end(x[i].code)) {
      ranked[rank[id]].x_end = begun_x;
    } else {
      ids[begun_x] = id;
      rank[id] = begun_x++;
    }
  }
  std::uint32_t begun_y = 0;
  for (std::size_t i = 1; i + 1 < y.size(); ++i) {
    RankedBox& box = ranked[rank[id_of(y[i].code)]];
    if (is_end(y[i].code)) {
      box.y_end = begun_y;
    } else {
      box.y_begin = begun_y++;
    }
  }

  const auto visit = [&](std::uint32_t i, std::uint32_t j) {
    const ProxyId a = ids[i];
    const ProxyId b = ids[j];
    if (in_use_[a] && in_use_[b]) return;
    if (boxes_[a].overlaps(boxes_[b])) begun.push_back(pair_of(a, b));
  };
  start_steps_ += PlanarPairs(std::span<const RankedBox>(ranked), visit).run();
}

template <int Dim>
void SortAndUpdate<Dim>::query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const {
  found.clear();
  for (ProxyId id = 0; id < boxes_.size(); ++id) {
    if (boxes_[id].overlaps(box) && in_use_[id]) found.push_back(id);
  }
}

template <int Dim>
void SortAndUpdate<Dim>::collect(PairChanges& changes) {
  changes.clear();
  for (Axis& axis : axes_) {
    changes.begun.insert(changes.begun.end(), axis.changes.begun.begin(), axis.changes.begun.end());
    changes.ended.insert(changes.ended.end(), axis.changes.ended.begin(), axis.changes.ended.end());
    axis.changes.clear();
  }
  std::sort(changes.begun.begin(), changes.begun.end());
  std::sort(changes.ended.begin(), changes.ended.end());
}

template class SortAndUpdate<2>;
template class SortAndUpdate<3>;

}  // namespace scree
