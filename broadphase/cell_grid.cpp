#include "broadphase/cell_grid.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "geometry/wide.hpp"

namespace scree {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNobody = ~std::uint32_t{0};  // the end of a list
constexpr std::uint32_t kAbsent = ~std::uint32_t{0};  // instead of a list: not in use
constexpr std::uint32_t kWaiting = kAbsent - 1;       // instead of a list: in use, not linked yet

constexpr double kSlack = 1.0 / 32;            // largest slack, in units of the level's largest box
constexpr double kHeadroom = 1.1;              // factor on the largest box in cells, since boxes may rotate or grow
constexpr double kSmallestOfLevels = 0x1p-20;  // smallest boxes with their own level, in units of the largest in cells
constexpr std::size_t kFewCells = 64;          // number of cells that is always visited, even if there are fewer boxes
constexpr int kTrials = 8;                     // of cell sizes; each changes the size by at most a factor of two
constexpr std::uint64_t kPatience = 2000;      // comparisons per box after which cells are chosen again

void sort_once(std::vector<Pair>& pairs) {
  if (pairs.size() < 2) return;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Sorts the pairs in ascending order, each once, and removes those that have both begun and ended.
void make_net(PairChanges& changes) {
  sort_once(changes.begun);
  sort_once(changes.ended);
  auto begun = changes.begun.begin();
  auto ended = changes.ended.begin();
  auto begun_kept = begun;
  auto ended_kept = ended;
  while (begun != changes.begun.end() && ended != changes.ended.end()) {
    if (*begun == *ended) {
      ++begun;
      ++ended;
    } else if (*begun < *ended) {
      *begun_kept++ = *begun++;
    } else {
      *ended_kept++ = *ended++;
    }
  }
  changes.begun.erase(begun_kept, begun);
  changes.ended.erase(ended_kept, ended);
}

// The comparisons below are written such that a difference of equal infinities has no effect.

// Depth of the overlap of two boxes; if they do not overlap, minus their distance on the axis that separates them most.
// It changes by no more than the motion of their sides.
template <int Dim>
double depth(const Aabb<Dim>& a, const Aabb<Dim>& b) {
  double least = kInfinity;
  for (int k = 0; k < Dim; ++k) {
    const double up = a.hi[k] - b.lo[k];
    const double down = b.hi[k] - a.lo[k];
    least = up < least ? up : least;
    least = down < least ? down : least;
  }
  return least;
}

// The largest motion of a side.
template <int Dim>
double motion(const Aabb<Dim>& a, const Aabb<Dim>& b) {
  double most = 0;
  for (int k = 0; k < Dim; ++k) {
    const double lower = std::abs(a.lo[k] - b.lo[k]);
    const double upper = std::abs(a.hi[k] - b.hi[k]);
    most = lower > most ? lower : most;
    most = upper > most ? upper : most;
  }
  return most;
}

template <int Dim>
double extent(const Aabb<Dim>& box) {
  double most = 0;
  for (int k = 0; k < Dim; ++k) {
    const double along = box.hi[k] - box.lo[k];
    most = along <= most ? most : along;
  }
  return std::min(kInfinity, most);  // infinite for not-a-number too
}

// Aabb::overlaps without branches, since for neighbours they would be unpredictable.
template <int Dim>
int overlap(const Aabb<Dim>& a, const Aabb<Dim>& b) {
  if constexpr (Dim == 2) {  // both axes at once
    const auto load = [](const auto& corner) { return wide::Number<2>::load(corner.data()); };
    const wide::Mask<2> overlaps = at_most(load(a.lo), load(b.hi)) & at_most(load(b.lo), load(a.hi));
    return overlaps.bits() == wide::kAllLanes<2> ? 1 : 0;
  }
  int all = 1;
  for (int k = 0; k < Dim; ++k) {
    all &= static_cast<int>(a.lo[k] <= b.hi[k]) & static_cast<int>(b.lo[k] <= a.hi[k]);
  }
  return all;
}

// The cell of a point. Beyond about 10^15 cells from the origin it is the outermost cell, so the order is preserved.
template <int Dim>
std::array<std::int64_t, Dim> cell_of(const typename Aabb<Dim>::Vec& point, double side) {
  constexpr double kFar = 0x1p50;
  std::array<std::int64_t, Dim> cell;
  for (int k = 0; k < Dim; ++k) {
    double at = point[k] / side;
    at = at > -kFar ? at : -kFar;  // not-a-number too
    at = at < kFar ? at : kFar;
    const auto whole = static_cast<std::int64_t>(at);
    cell[static_cast<std::size_t>(k)] = whole - (at < static_cast<double>(whole) ? 1 : 0);
  }
  return cell;
}

// A block has 4 x 4 cells, or 4 x 2 x 2.
template <int Dim>
constexpr std::array<int, 3> kBlockBits = {2, Dim == 2 ? 2 : 1, 1};

template <int Dim>
std::array<std::int64_t, Dim> block_of(std::array<std::int64_t, Dim> cell) {
  for (std::size_t k = 0; k < Dim; ++k) cell[k] >>= kBlockBits<Dim>[k];
  return cell;
}

template <int Dim>
std::uint32_t place_in_block(const std::array<std::int64_t, Dim>& cell) {
  std::int64_t place = 0;
  for (std::size_t k = Dim; k-- > 0;) {
    place = (place << kBlockBits<Dim>[k]) | (cell[k] & ((1 << kBlockBits<Dim>[k]) - 1));
  }
  return static_cast<std::uint32_t>(place);
}

// All cells, or blocks, from the first to the last on each axis.
template <int Dim, class Visit>
void for_each_cell(const std::array<std::int64_t, Dim>& first, const std::array<std::int64_t, Dim>& last,
                   const Visit& visit) {
  std::array<std::int64_t, Dim> cell = first;
  for (std::size_t k = 0; k < Dim;) {
    for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0]) visit(cell);
    for (k = 1; k < Dim && ++cell[k] > last[k]; ++k) cell[k] = first[k];
  }
}

}  // namespace

template <int Dim>
CellGrid<Dim>::CellGrid(const CellRule& rule) : rule_(rule) {
  choose_cells();
}

template <int Dim>
bool CellGrid<Dim>::holds(ProxyId id) const {
  return id < nodes_.size() && nodes_[id].list < kWaiting;
}

// --- lists

// The first of a block's lists.
template <int Dim>
std::uint32_t CellGrid<Dim>::list_of_block(std::size_t level, const Cell& block) const {
  // Multiples of the powers of the generalized golden ratio distribute the blocks of a region evenly (M. Roberts, The
  // unreasonable effectiveness of quasirandom sequences, 2018). Regions far from each other are scattered.
  constexpr std::array<std::uint64_t, 3> kSteps =
      Dim == 2 ? std::array<std::uint64_t, 3>{0xc13fa9a902a6328f, 0x91e10da5c79e7b1d, 0}
               : std::array<std::uint64_t, 3>{0xd1b54a32d192ed03, 0xabc98388fb8fac03, 0x8cb92ba72f3d8dd7};
  constexpr int kRegionBits = 16;
  std::uint64_t hash = level * 0x9e3779b97f4a7c15;
  std::uint64_t region = 0;
  for (std::size_t k = 0; k < Dim; ++k) {
    hash += static_cast<std::uint64_t>(block[k]) * kSteps[k];
    region += static_cast<std::uint64_t>((block[k] + (1 << (kRegionBits - 1))) >> kRegionBits);
    region *= kSteps[0];
    region ^= region >> 32;
  }
  hash += region * kSteps[1];
  return static_cast<std::uint32_t>((hash >> hash_shift_) * Block::kLists);
}

template <int Dim>
std::size_t CellGrid<Dim>::level_of(const Aabb<Dim>& box) const {
  const double size = extent(box);
  std::size_t level = 0;
  while (level < levels_.size() && size > levels_[level].largest) ++level;
  return level;
}

// Level of a box that is about to be linked.
template <int Dim>
std::size_t CellGrid<Dim>::enter_level(const Aabb<Dim>& box) {
  const std::size_t level = level_of(box);
  if (level < levels_.size()) levels_[level].widest = std::max(levels_[level].widest, extent(box));
  return level;
}

template <int Dim>
std::uint32_t CellGrid<Dim>::list_of(std::size_t level, const Aabb<Dim>& box) const {
  if (level == levels_.size()) return list_of_large();
  const Cell cell = cell_of<Dim>(box.lo, levels_[level].cell);
  return list_of_block(level, block_of<Dim>(cell)) + place_in_block<Dim>(cell);
}

template <int Dim>
double CellGrid<Dim>::most_slack(std::size_t level) const {
  if (levels_.empty()) return kInfinity;
  return level < levels_.size() ? kSlack * levels_[level].largest : levels_.back().largest;
}

template <int Dim>
void CellGrid<Dim>::link(ProxyId id, std::uint32_t list) {
  nodes_[id].list = list;
  nodes_[id].next = head(list);
  head(list) = id;
}

template <int Dim>
void CellGrid<Dim>::unlink(ProxyId id) {
  std::uint32_t* at = &head(nodes_[id].list);
  while (*at != id) at = &nodes_[*at].next;
  *at = nodes_[id].next;
}

// --- looking

// Visits every box that may be closer than `slack` to the region, and others; it may visit a box twice. With `slacks`,
// the slacks of the other boxes are added: these boxes may be that much further away, and that far from where they were
// linked.
template <int Dim>
template <class Visit>
std::uint64_t CellGrid<Dim>::meet(const Aabb<Dim>& region, double slack, bool slacks, const Visit& visit) const {
  // Several lists are followed at the same time, so that loads from memory wait neither for each other nor for the
  // unpredictable end of a list.
  std::array<std::uint32_t, 64> ids;
  std::size_t count = 0;
  std::uint64_t looks = 0;
  const auto follow = [&] {
    while (count > 0) {
      looks += count;
      for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&nodes_[ids[i]]);
      std::size_t left = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t id = ids[i];
        const std::uint32_t next = nodes_[id].next;
        ids[left] = next;
        left += next != kNobody ? 1 : 0;
        visit(id);
      }
      count = left;
    }
  };
  const auto take = [&](std::uint32_t list) {
    const std::uint32_t id = head(list);
    ids[count] = id;
    count += id != kNobody ? 1 : 0;
    ++looks;
    if (count == ids.size()) follow();
  };
  take(list_of_large());
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const double reach = slack + (slacks ? 2 * most_slack(l) : 0);
    const Cell first = cell_of<Dim>(region.lo.array() - (reach + levels_[l].widest), levels_[l].cell);
    const Cell last = cell_of<Dim>(region.hi.array() + reach, levels_[l].cell);
    double cells = 1;
    for (std::size_t k = 0; k < Dim; ++k)
      cells *= static_cast<double>(std::max<std::int64_t>(last[k] - first[k] + 1, 1));
    if (cells > static_cast<double>(nodes_.size() + kFewCells)) {
      for (ProxyId id = 0; id < nodes_.size(); ++id) {
        if (holds(id)) visit(id);
      }
      return looks + nodes_.size();
    }
    for_each_cell<Dim>(block_of<Dim>(first), block_of<Dim>(last), [&](const Cell& block) {
      const std::uint32_t list = list_of_block(l, block);
      Cell from;
      Cell to;
      for (std::size_t k = 0; k < Dim; ++k) {
        from[k] = std::max(first[k], block[k] << kBlockBits<Dim>[k]);
        to[k] = std::min(last[k], ((block[k] + 1) << kBlockBits<Dim>[k]) - 1);
      }
      for_each_cell<Dim>(from, to, [&](const Cell& cell) { take(list + place_in_block<Dim>(cell)); });
    });
  }
  follow();
  return looks;
}

// Compares a box that has moved with those in the region. before(other): whether it overlapped the other box before.
template <int Dim>
template <class Before>
void CellGrid<Dim>::look(ProxyId id, const Aabb<Dim>& region, double way, const Before& before, PairChanges& changes) {
  constexpr double kStrictly = 1 - 0x1p-40;  // more than the sum of all rounding errors of slacks
  const Aabb<Dim> box = nodes_[id].box;
  double slack = nodes_[id].slack;
  looks_ += meet(region, slack, true, [&](ProxyId other) {
    if (other == id) return;
    Node& node = nodes_[other];
    const double now = depth(box, node.box);
    if (std::abs(now) <= way && before(node.box) != (now >= 0)) {
      (now >= 0 ? changes.begun : changes.ended).push_back(pair_of(id, other));
    }
    const double room = std::abs(now) * kStrictly - std::numeric_limits<double>::min();
    if (slack + node.slack > room) {  // half of it for each, or what the other does not need
      node.slack = std::min(node.slack, std::max(room / 2, room - slack));
      slack = std::min(slack, room - node.slack);
    }
  });
  nodes_[id].slack = slack;
}

// Moves a box and compares it with those around both positions, in one pass if these are near each other. look(region,
// way): way is the motion of the sides.
template <int Dim>
template <class Look>
void CellGrid<Dim>::go(ProxyId id, const Aabb<Dim>& box, const Look& look) {
  Node& node = nodes_[id];
  const Aabb<Dim> from = node.box;
  node.box = box;
  const std::size_t level = enter_level(box);
  const std::uint32_t list = list_of(level, box);
  if (list != node.list) {
    unlink(id);
    link(id, list);
  }
  node.slack = most_slack(level);
  const double way = motion(from, box);
  if (way <= extent(box)) {
    Aabb<Dim> both = from;
    both.extend(box.lo);
    both.extend(box.hi);
    look(both, from, way);
  } else {
    look(from, from, way);
    look(box, from, way);
  }
}

// --- boxes move

template <int Dim>
void CellGrid<Dim>::update(std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  constexpr double kRounded = 1 - 0x1p-52;
  changes.clear();
  choose_cells_if_due();
  if (!slacks_hold_) {
    for (Node& node : nodes_) node.slack = 0;
    slacks_hold_ = true;
  }
  const std::size_t n = std::min(boxes.size(), nodes_.size());
  for (ProxyId id = 0; id < n; ++id) {
    Node& node = nodes_[id];
    const double way = motion(node.box, boxes[id]);
    if (way == 0 || node.list == kAbsent) continue;
    const double left = node.slack * kRounded - way;
    if (left >= 0) {
      node.box = boxes[id];
      node.slack = left;
      in_place_ = false;
    } else {
      go(id, boxes[id], [&](const Aabb<Dim>& region, const Aabb<Dim>& from, double reach) {
        look(
            id, region, reach, [&](const Aabb<Dim>& other) { return depth(from, other) >= 0; }, changes);
      });
    }
  }
  make_net(changes);
}

template <int Dim>
void CellGrid<Dim>::move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  assert(holds(id));
  changes.clear();
  choose_cells_if_due();
  slacks_hold_ = false;
  go(id, box, [&](const Aabb<Dim>& region, const Aabb<Dim>& from, double) {
    // Which boxes have changed is unpredictable, so they are recorded without a branch.
    std::array<ProxyId, 64> changed;
    std::size_t count = 0;
    const auto report = [&] {
      for (std::size_t k = 0; k < count; ++k) {
        if (changed[k] == id) continue;
        const bool begun = overlap(box, nodes_[changed[k]].box) != 0;
        (begun ? changes.begun : changes.ended).push_back(pair_of(id, changed[k]));
      }
      count = 0;
    };
    looks_ += meet(region, 0, !in_place_, [&](ProxyId other) {
      const Aabb<Dim>& theirs = nodes_[other].box;
      if (count == changed.size()) report();
      changed[count] = other;
      count += static_cast<std::size_t>(overlap(box, theirs) ^ overlap(from, theirs));
    });
    report();
  });
  sort_once(changes.begun);
  sort_once(changes.ended);
}

// --- boxes come and go

template <int Dim>
void CellGrid<Dim>::insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  insert(std::span(&id, 1), std::span(&box, 1), changes);
}

template <int Dim>
void CellGrid<Dim>::insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  assert(ids.size() == boxes.size());
  changes.clear();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] >= nodes_.size()) nodes_.resize(ids[k] + std::size_t{1}, Node{{}, 0, kNobody, kAbsent});
    assert(nodes_[ids[k]].list == kAbsent);
    nodes_[ids[k]].box = boxes[k];
    nodes_[ids[k]].list = kWaiting;
  }
  size_ += ids.size();
  choose_cells_if_due();
  for (const ProxyId id : ids) {
    const Aabb<Dim>& box = nodes_[id].box;
    const std::size_t level = enter_level(box);
    link(id, list_of(level, box));
    nodes_[id].slack = most_slack(level);
    look(
        id, box, kInfinity, [](const Aabb<Dim>&) { return false; }, changes);
  }
  make_net(changes);
}

template <int Dim>
void CellGrid<Dim>::erase(ProxyId id, PairChanges& changes) {
  assert(holds(id));
  changes.clear();
  unlink(id);
  nodes_[id].list = kAbsent;
  --size_;
  const Aabb<Dim>& box = nodes_[id].box;
  looks_ += meet(box, 0, !in_place_, [&](ProxyId other) {
    if (nodes_[other].box.overlaps(box)) changes.ended.push_back(pair_of(id, other));
  });
  make_net(changes);
}

template <int Dim>
void CellGrid<Dim>::query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const {
  found.clear();
  meet(box, 0, !in_place_, [&](ProxyId id) {
    if (nodes_[id].box.overlaps(box)) found.push_back(id);
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

// --- choosing cells

template <int Dim>
void CellGrid<Dim>::choose_cells_if_due() {
  if (size_ > 2 * size_at_choice_ || looks_ - looks_at_choice_ > kPatience * (size_ + 1)) choose_cells();
}

template <int Dim>
void CellGrid<Dim>::choose_cells() {
  const std::size_t blocks = std::bit_ceil(std::max<std::size_t>(2 * size_ / Block::kLists, 2));
  blocks_.resize(blocks + 1);
  hash_shift_ = 64 - std::countr_zero(blocks);
  choose_levels();
  choose_cell_sizes();

  for (Block& block : blocks_) block.heads.fill(kNobody);
  for (ProxyId id = 0; id < nodes_.size(); ++id) {
    if (!holds(id)) continue;
    const std::size_t level = enter_level(nodes_[id].box);
    link(id, list_of(level, nodes_[id].box));
    nodes_[id].slack = std::min(nodes_[id].slack, most_slack(level));
  }
  in_place_ = true;
  size_at_choice_ = size_;
  looks_at_choice_ = looks_;
}

// Number of cells or boxes to compare with one box, if boxes up to `ratio` times the median are in cells: with levels,
// 3 by 3 cells on each level; with one grid, the small boxes in 3 by 3 cells of the size of the largest.
template <int Dim>
double looks_in_cells(double ratio, const CellRule& rule) {
  const double block = std::pow(3, Dim);
  return block * (rule.growth < kInfinity ? 1 + std::log(ratio) / std::log(rule.growth) : std::pow(ratio, Dim));
}

template <int Dim>
void CellGrid<Dim>::choose_levels() {
  levels_.clear();
  extents_.clear();
  for (const Node& node : nodes_) {
    if (node.list != kAbsent) extents_.push_back(extent(node.box));
  }
  std::sort(extents_.begin(), extents_.end(), std::greater<>());
  const auto finite = std::upper_bound(extents_.begin(), extents_.end(), kInfinity, std::greater<>());
  const auto points = std::lower_bound(finite, extents_.end(), 0.0, std::greater<>());
  if (finite == extents_.end()) return;

  // Boxes before `it` are too large for cells.
  auto it = finite;
  double least_looks = kInfinity;
  const auto median = finite + (points - finite) / 2;
  for (auto large_end = finite; large_end < points && large_end <= median; ++large_end) {
    const double looks =
        static_cast<double>(large_end - extents_.begin()) + looks_in_cells<Dim>(*large_end / *median, rule_);
    if (looks < least_looks) it = large_end;
    least_looks = std::min(looks, least_looks);
  }

  const double smallest = *it > 0 ? std::max(extents_.back(), *it * kSmallestOfLevels) : kInfinity;
  for (double largest = *it > 0 ? kHeadroom * *it : spacing(); it != extents_.end(); largest /= rule_.growth) {
    const double next = largest / rule_.growth;
    const auto end =
        next > smallest ? std::upper_bound(it, extents_.end(), next, std::greater_equal<>()) : extents_.end();
    if (end != it) levels_.push_back({largest, 0, largest, static_cast<std::size_t>(end - it)});
    it = end;
  }
  std::reverse(levels_.begin(), levels_.end());
}

// Mean distance of the boxes if they were distributed evenly; 1 if they are all at one point.
template <int Dim>
double CellGrid<Dim>::spacing() const {
  Aabb<Dim> hull{Aabb<Dim>::Vec::Constant(kInfinity), Aabb<Dim>::Vec::Constant(-kInfinity)};
  for (const Node& node : nodes_) {
    if (node.list != kAbsent && extent(node.box) < kInfinity) hull.extend(node.box.lo);
  }
  const double side = extent(hull);
  return side > 0 && side < kInfinity ? side / std::pow(static_cast<double>(size_), 1.0 / Dim) : 1.0;
}

// All levels change from trial to trial at the same time.
template <int Dim>
void CellGrid<Dim>::choose_cell_sizes() {
  bool good_enough = false;
  for (int trial = 0; trial < kTrials && !good_enough; ++trial) {
    company_.assign(levels_.size(), 0);
    for (Block& block : blocks_) block.heads.fill(0);
    for (const Node& node : nodes_) {
      if (node.list == kAbsent) continue;
      const std::size_t level = level_of(node.box);
      if (level < levels_.size()) company_[level] += 2.0 * head(list_of(level, node.box))++;
    }
    good_enough = true;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      Level& level = levels_[l];
      const double tried = level.cell;
      const double wanted = rule_.company * static_cast<double>(level.boxes) / company_[l];
      level.cell *= std::clamp(std::pow(wanted, 1.0 / Dim), 0.5, 2.0);
      level.cell = std::clamp(level.cell, rule_.smallest_cell * level.largest, rule_.largest_cell * level.largest);
      good_enough = good_enough && std::abs(level.cell - tried) < 0.1 * tried;
    }
  }
}

template class CellGrid<2>;
template class CellGrid<3>;

}  // namespace scree
