#include "dem/hard/boxes/disk_cells.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "dem/hard/boxes/box_margin.hpp"
#include "parallel/huge_pages.hpp"

namespace scree::hard {

namespace {

constexpr float kFar = 1e30F;            // where places without a disk are
constexpr double kPrecision = 1e-6;      // more than single precision does to a distance, in sides of a cell
constexpr std::size_t kFewCells = 1024;  // that are always allowed
constexpr std::size_t kCellsPerDisk = 8;

lanes::CellBlock empty_block() {
  lanes::CellBlock block{};
  std::ranges::fill(block.x, kFar);
  std::ranges::fill(block.id, lanes::kNobody);
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
  }
  precision_ = static_cast<float>(4.0 * kPrecision * side_.maxCoeff());
  reserve_in_huge_pages(blocks_, cells());
  blocks_.assign(cells(), empty_block());
  next_.assign(cells(), kNone);
}

/// Beyond sides that are not periodic the outermost cells go on.
std::int32_t DiskCells::cell_along(int axis, double x) const {
  const auto last = static_cast<double>(count_[static_cast<std::size_t>(axis)] - 1);
  return static_cast<std::int32_t>(std::min(std::max((x - domain_.lo[axis]) * per_side_[axis], 0.0), last));
}

float DiskCells::reach(double radius) const {
  return static_cast<float>(radius + boxes_.margin() + boxes_.slack());
}

void DiskCells::put(Index i, const Vec2& centre, float reach) {
  const Cell cell{cell_along(0, centre.x()), cell_along(1, centre.y())};
  std::uint32_t at = block_of(cell);
  const std::uint32_t* free = std::ranges::find(blocks_[at].id, lanes::kNobody);
  while (free == std::end(blocks_[at].id)) {
    if (next_[at] == kNone) {
      next_[at] = static_cast<std::uint32_t>(blocks_.size());
      blocks_.push_back(empty_block());
      next_.push_back(kNone);
    }
    at = next_[at];
    free = std::ranges::find(blocks_[at].id, lanes::kNobody);
  }
  Block& block = blocks_[at];
  const auto slot = static_cast<std::uint32_t>(free - std::begin(block.id));
  const Vec2 in_cell = centre - domain_.lo - Vec2(cell[0] * side_.x(), cell[1] * side_.y());
  block.x[slot] = static_cast<float>(in_cell.x());
  block.y[slot] = static_cast<float>(in_cell.y());
  block.reach[slot] = reach;
  block.id[slot] = i;
  boxes_.set_centre(i, centre);
  boxes_.set_place(i, at * lanes::kInBlock + slot);
}

void DiskCells::take_out(Index i) {
  const std::uint32_t place = boxes_.place(i);
  Block& block = blocks_[place / lanes::kInBlock];
  block.x[place % lanes::kInBlock] = kFar;
  block.id[place % lanes::kInBlock] = lanes::kNobody;
}

/// The cells around a centre. @return how many
std::uint32_t DiskCells::view_around(const Vec2& centre, CellViews& views) const {
  struct Neighbour {
    std::int32_t cell;
    std::uint32_t image;  // its share of the code
    float from;           // the centre as seen from there
  };
  constexpr std::uint32_t kAxisOfImage[] = {1, 4};
  Neighbour along[2][3];
  std::uint32_t count[2] = {0, 0};
  for (const int axis : {0, 1}) {
    const std::int32_t cells = count_[static_cast<std::size_t>(axis)];
    const std::int32_t own = cell_along(axis, centre[axis]);
    const double from_own = centre[axis] - domain_.lo[axis] - own * side_[axis];
    for (std::int32_t step = -1; step <= 1; ++step) {
      Neighbour next{own + step, kAxisOfImage[axis], static_cast<float>(from_own - step * side_[axis])};
      if (static_cast<std::uint32_t>(next.cell) >= static_cast<std::uint32_t>(cells)) {
        if (!periodic_.along(axis)) continue;
        next.image = next.cell < 0 ? 0 : 2 * kAxisOfImage[axis];
        next.cell += next.cell < 0 ? cells : -cells;
      }
      along[axis][count[axis]++] = next;
    }
  }
  lanes::CellView* view = views.data();
  for (std::uint32_t y = 0; y < count[1]; ++y) {
    const Neighbour& row = along[1][y];
    const std::int32_t begin = row.cell * count_[0];
    for (std::uint32_t x = 0; x < count[0]; ++x) {
      const Neighbour& column = along[0][x];
      *view++ = {static_cast<std::uint32_t>(begin + column.cell), (row.image | column.image) ^ NearImage().code,
                 column.from, row.from};
    }
  }
  return static_cast<std::uint32_t>(view - views.data());
}

/// view_around for a cell that is not at a side of the domain.
void DiskCells::view_around_inner(const Cell& own, const Vec2& centre, CellViews& views) const {
  float from[2][3];
  for (const int axis : {0, 1}) {
    const double from_own = centre[axis] - domain_.lo[axis] - own[static_cast<std::size_t>(axis)] * side_[axis];
    from[axis][0] = static_cast<float>(from_own + side_[axis]);
    from[axis][1] = static_cast<float>(from_own);
    from[axis][2] = static_cast<float>(from_own - side_[axis]);
  }
  std::uint32_t row = block_of({own[0] - 1, own[1] - 1});
  for (std::uint32_t y = 0; y < 3; ++y, row += static_cast<std::uint32_t>(count_[0])) {
    for (std::uint32_t x = 0; x < 3; ++x) views[3 * y + x] = {row + x, 0, from[0][x], from[1][y]};
  }
}

/// All disks whose circles overlap one around that centre, but for disk i.
void DiskCells::find_around(Index i, const Vec2& centre, float reach) {
  CellViews views;
  auto count = static_cast<std::uint32_t>(views.size());
  const Cell own{cell_along(0, centre.x()), cell_along(1, centre.y())};
  if (own[0] > 0 && own[0] < count_[0] - 1 && own[1] > 0 && own[1] < count_[1] - 1) [[likely]] {
    view_around_inner(own, centre, views);
  } else {
    count = view_around(centre, views);
  }
  const std::span here(views.data(), count);
  const lanes::Kernels& kernels = lanes::kernels();
  if (blocks_.size() == cells()) {
    if (found_.size() < views.size() * lanes::kInBlock) found_.resize(views.size() * lanes::kInBlock);
    found_count_ = kernels.find_around(blocks_.data(), here.data(), static_cast<std::uint32_t>(here.size()),
                                       reach + precision_, i, found_.data());
    return;
  }
  views_.clear();  // and the blocks behind the first ones
  for (lanes::CellView next : here) {
    for (; next.block != kNone; next.block = next_[next.block]) views_.push_back(next);
  }
  found_.resize(std::max(found_.size(), views_.size() * lanes::kInBlock));
  found_count_ = kernels.find_around(blocks_.data(), views_.data(), static_cast<std::uint32_t>(views_.size()),
                                     reach + precision_, i, found_.data());
}

void DiskCells::add(Index i, Partner partner) {
  boxes_.add_partner(i, partner);
  boxes_.add_partner(partner.disk(), Partner(i, partner.image().opposite()));
}

void DiskCells::assign(std::span<const Vec2> centres, std::span<const double> radii, std::size_t capacity) {
  capacity = std::max(capacity, centres.size());
  boxes_.assign(capacity);
  choose_cells(reach(radii.empty() ? 0.0 : std::ranges::max(radii)), capacity);
  for (Index i = 0; i < centres.size(); ++i) insert(i, centres[i], radii[i]);
}

/// Larger cells, for a disk that is larger than those so far.
void DiskCells::widen(float reach) {
  const std::vector<Block> before = std::move(blocks_);
  choose_cells(reach, boxes_.capacity());
  for (const Block& block : before) {
    for (std::uint32_t k = 0; k < lanes::kInBlock; ++k) {
      if (block.id[k] != lanes::kNobody) put(block.id[k], boxes_.centre(block.id[k]), block.reach[k]);
    }
  }
}

void DiskCells::insert(Index i, const Vec2& centre, double radius) {
  const float own = reach(radius);
  if (own > widest_) widen(own);
  find_around(i, centre, own);
  for (const std::uint32_t code : found()) add(i, Partner::from_code(code));
  put(i, centre, own);
}

void DiskCells::erase(Index i) {
  for (const Partner partner : boxes_.partners_of(i)) {
    boxes_.remove_partner(partner.disk(), Partner(i, partner.image().opposite()));
  }
  boxes_.set_partners(i, {});
  take_out(i);
}

std::span<const Partner> DiskCells::move(Index i, const Vec2& centre, double radius) {
  const float own = reach(radius);
  take_out(i);
  put(i, centre, own);
  find_around(i, centre, own);
  find_changes(i);
  boxes_.set_partners(i, found());
  for (const Partner partner : leavers_) {
    boxes_.remove_partner(partner.disk(), Partner(i, partner.image().opposite()));
  }
  for (const Partner partner : newcomers_) {
    boxes_.add_partner(partner.disk(), Partner(i, partner.image().opposite()));
  }
  return newcomers_;
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

/// From the partners that disk i has to those that were found.
void DiskCells::find_changes(Index i) {
  leavers_.clear();
  newcomers_.clear();
  const std::span<const Partner> before = boxes_.partners_of(i);
  if (before.size() <= lanes::kInLine && boxes_.are_in_line(i) && found_count_ <= 64) {
    std::uint64_t only_before = 0;
    std::uint64_t only_now = 0;
    lanes::kernels().compare(reinterpret_cast<const std::uint32_t*>(before.data()),
                             static_cast<std::uint32_t>(before.size()), found_.data(), found_count_, &only_before,
                             &only_now);
    for (; only_before != 0; only_before &= only_before - 1) {
      leavers_.push_back(before[static_cast<std::size_t>(std::countr_zero(only_before))]);
    }
    for (; only_now != 0; only_now &= only_now - 1) {
      newcomers_.push_back(Partner::from_code(found_[static_cast<std::size_t>(std::countr_zero(only_now))]));
    }
    return;
  }
  const auto is_in = [](const auto& list, const auto& value) { return std::ranges::find(list, value) != list.end(); };
  const std::span<const std::uint32_t> now = found();
  for (const Partner partner : before) {
    if (!is_in(now, partner.code())) leavers_.push_back(partner);
  }
  for (const std::uint32_t code : now) {
    if (const Partner partner = Partner::from_code(code); !is_in(before, partner)) newcomers_.push_back(partner);
  }
}

void DiskCells::query(const Aabb2& box, std::vector<Index>& found) const {
  found.clear();
  const Aabb2 reached = box.expanded(widest_ + side_.maxCoeff() * kPrecision);
  const auto from = [&](int axis) { return cell_along(axis, reached.lo[axis]); };
  const auto to = [&](int axis) { return cell_along(axis, reached.hi[axis]); };
  for (std::int32_t y = from(1); y <= to(1); ++y) {
    for (std::int32_t x = from(0); x <= to(0); ++x) {
      for (std::uint32_t at = block_of({x, y}); at != kNone; at = next_[at]) {
        std::ranges::copy_if(blocks_[at].id, std::back_inserter(found), [](Index i) { return i != lanes::kNobody; });
      }
    }
  }
}

}  // namespace scree::hard
