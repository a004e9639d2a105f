#include "dem/hard/boxes/disk_cells.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "dem/hard/boxes/box_margin.hpp"
#include "parallel/huge_pages.hpp"

namespace scree::hard {

namespace {

constexpr double kPrecision = 1e-6;                  // more than rounding does to a cell's side, in sides
constexpr double kRoundings = 6.0;                   // units: more than rounding to them does to a distance
constexpr std::int32_t kUnitsBelow = lanes::kUnits;  // no place is further below a cell
constexpr std::size_t kFewCells = 1024;              // that are always allowed
constexpr std::size_t kCellsPerDisk = 8;
static_assert(lanes::kSizePlace == kMaxDisks);

std::int32_t rounded(double units) {
  return static_cast<std::int32_t>(units + (kUnitsBelow + 0.5)) - kUnitsBelow;
}

/// Shares of a point, as a CellBlock has it.
std::uint32_t along_x(std::int32_t units) {
  return static_cast<std::uint16_t>(units);
}
std::uint32_t along_y(std::int32_t units) {
  return static_cast<std::uint32_t>(units) << 16;
}

/// A radius, rounded up, see lanes::Reach.
std::int32_t in_fractions(double units) {
  constexpr double kPerUnit = 1 << lanes::kFraction;
  return static_cast<std::int32_t>(kPerUnit * units) + 1;
}

/// As kernels have partners.
std::uint32_t* codes(Partner* partners) {
  return reinterpret_cast<std::uint32_t*>(partners);
}
const std::uint32_t* codes(const Partner* partners) {
  return reinterpret_cast<const std::uint32_t*>(partners);
}

/// Disk i, as its partner has it.
Partner seen_from(Partner partner, Index i) {
  return Partner(i, partner.image().opposite());
}

lanes::CellBlock empty_block() {
  lanes::CellBlock block{};
  std::ranges::fill(block.centre, lanes::kNowhere);
  return block;
}

}  // namespace

DiskCells::DiskCells(const Domain& domain, double margin)
    : domain_(domain), periodic_(domain), boxes_(margin, kBoxSlack * margin) {}

/// The smallest that do, but no more of them than a few for each disk.
void DiskCells::choose_cells(double widest, std::size_t capacity) {
  widest_ = widest;
  const Vec2 size = domain_.hi - domain_.lo;
  const auto most = static_cast<double>(std::max(kFewCells, kCellsPerDisk * capacity));
  const double side = std::max(2.0 * widest_ / (1.0 - 4.0 * kPrecision), std::sqrt(size.prod() / most));
  for (const int axis : {0, 1}) {
    const double count = std::clamp(std::floor(size[axis] / side), 1.0, most);
    count_[static_cast<std::size_t>(axis)] = static_cast<std::int32_t>(count);
    side_[axis] = size[axis] / count;
    per_side_[axis] = 1.0 / side_[axis];
    last_[axis] = count - 1.0;
  }
  per_unit_ = std::min(lanes::kUnits / side_.maxCoeff(), lanes::kMostReach / widest_);
  reach_of_size_ = in_fractions(widest_ * per_unit_) / static_cast<std::int32_t>(lanes::kSizes) + 1;
  for (const int axis : {0, 1}) units_[axis] = rounded(side_[axis] * per_unit_);
  reserve_in_huge_pages(blocks_, cells());
  blocks_.assign(cells(), empty_block());
  next_.assign(cells(), kNone);
}

/// Beyond a side that is not periodic a disk may be far from the outermost cells. It is at most a cell's side away for
/// them: that brings it nearer to others, never further from them.
DiskCells::Place DiskCells::place_of(const Vec2& centre) const {
  Place place;
  for (const std::size_t axis : {0, 1}) {
    const auto k = static_cast<int>(axis);
    const double below = cells_below(k, centre[k]);
    place.cell[axis] = cell_along(k, below);
    const double in_cell = std::min(std::max(below - place.cell[axis], -1.0), 2.0);  // sides
    place.in_cell[axis] = rounded(in_cell * units_[k]);
  }
  return place;
}

void DiskCells::put(Index i, const Place& place, const Vec2& centre, std::uint32_t size) {
  std::uint32_t at = block_of(place.cell);
  const std::uint32_t* free = std::ranges::find(blocks_[at].disk, lanes::kNobody);
  while (free == std::end(blocks_[at].disk)) {
    if (next_[at] == kNone) {
      next_[at] = static_cast<std::uint32_t>(blocks_.size());
      blocks_.push_back(empty_block());
      next_.push_back(kNone);
    }
    at = next_[at];
    free = std::ranges::find(blocks_[at].disk, lanes::kNobody);
  }
  Block& block = blocks_[at];
  const auto slot = static_cast<std::uint32_t>(free - std::begin(block.disk));
  block.centre[slot] = along_x(place.in_cell[0]) | along_y(place.in_cell[1]);
  block.disk[slot] = i | size * lanes::kSizePlace;
  boxes_.set_centre(i, centre);
  boxes_.set_place(i, at * lanes::kInBlock + slot);
}

/// The cells around a point in a cell. Beyond a periodic side those of the other side follow, beyond another one none.
lanes::Around DiskCells::around(const Place& place, double reach) const {
  constexpr std::uint32_t kBefore[] = {0b0001, 0b0100};  // images one period below, or above, in codes of Partner
  constexpr std::uint32_t kBehind[] = {0b0011, 0b1100};
  lanes::Around around{};
  around.reach = {in_fractions(reach * per_unit_ + kRoundings), reach_of_size_};
  for (const std::size_t axis : {0, 1}) {
    lanes::Around::Line* const lines = axis == 0 ? around.column : around.row;
    const std::uint32_t blocks = axis == 0 ? 1 : static_cast<std::uint32_t>(count_[0]);
    const auto own = static_cast<std::uint32_t>(place.cell[axis]);
    const auto last = static_cast<std::uint32_t>(count_[axis]) - 1;
    const auto share = [&](std::int32_t units) { return axis == 0 ? along_x(units) : along_y(units); };
    const std::int32_t at = place.in_cell[axis];
    const auto side = static_cast<std::int32_t>(units_[static_cast<int>(axis)]);
    lines[0] = {(own - 1) * blocks, 0, share(at + side)};
    lines[1] = {own * blocks, 0, share(at)};
    lines[2] = {(own + 1) * blocks, 0, share(at - side)};
    const bool is_periodic = periodic_.along(static_cast<int>(axis));
    if (own == 0) lines[0] = {last * blocks, kBefore[axis], is_periodic ? lines[0].at : share(lanes::kFarBelow)};
    if (own == last) lines[2] = {0, kBehind[axis], is_periodic ? lines[2].at : share(lanes::kFarBelow)};
  }
  return around;
}

/// All disks whose circles overlap one around that centre, until the next call.
std::span<const Partner> DiskCells::find_around(const lanes::Around& around) {
  views_.clear();
  for (const lanes::Around::Line& row : around.row) {
    for (const lanes::Around::Line& column : around.column) {
      lanes::CellView view{row.first + column.first, row.image | column.image, column.at | row.at};
      for (; view.block != kNone; view.block = next_[view.block]) views_.push_back(view);
    }
  }
  found_.resize(std::max({found_.size(), views_.size() * lanes::kInBlock, std::size_t{lanes::kInLine}}));
  const std::uint32_t count = boxes_.kernels().find_around(
      blocks_.data(), views_.data(), static_cast<std::uint32_t>(views_.size()), around.reach, codes(found_.data()));
  return {found_.data(), count};
}

void DiskCells::assign(std::span<const Vec2> centres, std::span<const double> radii, std::size_t capacity) {
  capacity = std::max(capacity, centres.size());
  boxes_.assign(capacity);
  choose_cells(reach(radii.empty() ? 0.0 : std::ranges::max(radii)), capacity);
  for (Index i = 0; i < centres.size(); ++i) insert(i, centres[i], radii[i]);
}

/// Larger cells, for a disk that is larger than those so far.
void DiskCells::widen(double reach) {
  const std::vector<Block> before = std::move(blocks_);
  const double widest_before = widest_;
  choose_cells(reach, boxes_.capacity());
  for (const Block& block : before) {
    for (std::uint32_t k = 0; k < lanes::kInBlock; ++k) {
      if (block.disk[k] == lanes::kNobody) continue;
      const Index i = Block::index(block.disk[k]);
      const double its_reach = block.disk[k] / lanes::kSizePlace * widest_before / lanes::kSizes;
      put(i, place_of(boxes_.centre(i)), boxes_.centre(i), size_of(its_reach));
    }
  }
}

void DiskCells::insert(Index i, const Vec2& centre, double radius) {
  const double own = reach(radius);
  if (own > widest_) widen(own);
  const Place place = place_of(centre);
  for (const Partner partner : find_around(around(place, own))) {
    boxes_.add_partner(i, partner);
    boxes_.add_partner(partner.disk(), seen_from(partner, i));
  }
  put(i, place, centre, size_of(own));
}

void DiskCells::erase(Index i) {
  for (const Partner partner : boxes_.partners_of(i)) leave(i, partner);
  boxes_.clear_partners(i);
  take_out(i);
}

std::span<const Partner> DiskCells::move(Index i, const Vec2& centre, double radius) {
  const Place place = place_of(centre);
  const std::uint32_t size = take_out(i);
  assert(size_of(reach(radius)) <= size);
  const std::span<const Partner> newcomers = change_partners(i, around(place, reach(radius)));
  put(i, place, centre, size);
  return newcomers;
}

/// Disk i, which is in no cell, gets those around as its partners. @return its new ones, until the next call
std::span<const Partner> DiskCells::change_partners(Index i, const lanes::Around& around) {
  const std::span<const Partner> before = boxes_.partners_of(i);
  std::span<const Partner> now;
  std::size_t count_new = 0;
  if (before.size() <= lanes::kMostBefore && have_one_block()) [[likely]] {
    found_.resize(std::max<std::size_t>(found_.size(), lanes::kMostAround));
    newcomers_.resize(std::max<std::size_t>(newcomers_.size(), lanes::kMostAround));
    const lanes::Changes changes = boxes_.kernels().find_changes(blocks_.data(), around, codes(before.data()),
                                                                 static_cast<std::uint32_t>(before.size()),
                                                                 codes(found_.data()), codes(newcomers_.data()));
    for (std::uint32_t bits = changes.leavers; bits != 0; bits &= bits - 1) {
      leave(i, before[static_cast<std::size_t>(std::countr_zero(bits))]);
    }
    now = {found_.data(), changes.found};
    count_new = changes.newcomers;
  } else {
    const auto is_in = [](const auto& list, Partner partner) { return std::ranges::find(list, partner) != list.end(); };
    now = find_around(around);
    newcomers_.resize(std::max(newcomers_.size(), now.size()));
    for (const Partner partner : before) {
      if (!is_in(now, partner)) leave(i, partner);
    }
    for (const Partner partner : now) {
      if (!is_in(before, partner)) newcomers_[count_new++] = partner;
    }
  }
  boxes_.set_partners(i, now.data(), static_cast<std::uint32_t>(now.size()));
  const std::span newcomers(newcomers_.data(), count_new);
  for (const Partner partner : newcomers) boxes_.add_partner(partner.disk(), seen_from(partner, i));
  return newcomers;
}

/// The blocks around its own, and the lines of its partners, some of which it leaves.
void DiskCells::prefetch_move(Index i) const {
  const std::uint32_t own = boxes_.place(i) / lanes::kInBlock;
  for (const std::int64_t row : {-1, 0, 1}) {
    const std::int64_t first = own + row * count_[0] - 1;
    if (first < 0 || first + 3 > static_cast<std::int64_t>(blocks_.size())) continue;
    const auto* const lines = reinterpret_cast<const char*>(&blocks_[static_cast<std::size_t>(first)]);
    for (std::size_t byte = 0; byte < 3 * sizeof(Block); byte += 64) hard::prefetch(lines + byte);
  }
  for (const Partner partner : boxes_.partners_of(i)) boxes_.prefetch(partner.disk());
}

void DiskCells::query(const Aabb2& box, std::vector<Index>& found) const {
  found.clear();
  const Aabb2 reached = box.expanded(widest_ + side_.maxCoeff() * kPrecision);
  const auto from = [&](int axis) { return cell_along(axis, cells_below(axis, reached.lo[axis])); };
  const auto to = [&](int axis) { return cell_along(axis, cells_below(axis, reached.hi[axis])); };
  for (std::int32_t y = from(1); y <= to(1); ++y) {
    for (std::int32_t x = from(0); x <= to(0); ++x) {
      for (std::uint32_t at = block_of({x, y}); at != kNone; at = next_[at]) {
        for (const std::uint32_t disk : blocks_[at].disk) {
          if (disk != lanes::kNobody) found.push_back(Block::index(disk));
        }
      }
    }
  }
}

}  // namespace scree::hard
