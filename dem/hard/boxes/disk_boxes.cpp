#include "dem/hard/boxes/disk_boxes.hpp"

#include <algorithm>
#include <cassert>

#include "parallel/huge_pages.hpp"

namespace scree::hard {

void DiskBoxes::assign(std::size_t capacity) {
  kernels_ = &lanes::kernels();
  reserve_in_huge_pages(lines_, capacity);
  lines_.assign(capacity, {});
  pool_.clear();
  for (auto& places : free_) places.clear();
}

void DiskBoxes::add_partner(Index i, Partner partner) {
  Line& line = lines_[i];
  if (line.size == line.room()) grow(line);
  partners(line)[line.size++] = partner;
}

void DiskBoxes::remove_partner(Index i, Partner partner) {
  Line& line = lines_[i];
  Partner* const begin = partners(line);
  assert(std::find(begin, begin + line.size, partner) != begin + line.size);
  const std::uint32_t place =
      kernels_->place_of(partner.code(), reinterpret_cast<const std::uint32_t*>(begin), line.room());
  assert(place < line.size);
  begin[place] = begin[--line.size];
}

void DiskBoxes::set_partners(Index i, const Partner* now, std::uint32_t count) {
  Line& line = lines_[i];
  if (line.log_room != 0 && count <= kInLine) {
    free_[line.log_room].push_back(line.pool_place());
    line.log_room = 0;
  }
  while (line.room() < count) grow(line);
  if (line.log_room == 0) {
    std::copy_n(now, kInLine, line.partners.data());
  } else {
    std::copy_n(now, count, pool_.data() + line.pool_place());
  }
  line.size = count & 0x7ffffffU;
}

void DiskBoxes::grow(Line& line) {
  const unsigned log_room = line.log_room == 0 ? kSmallest : line.log_room + 1;
  auto first = static_cast<std::uint32_t>(pool_.size());
  if (free_[log_room].empty()) {
    const std::size_t size = pool_.size() + (std::size_t{1} << log_room);
    if (size > pool_.capacity())
      pool_.reserve(size + size / 8);  // not twice as much: it may be nearly all that there is
    pool_.resize(size);
  } else {
    first = free_[log_room].back();
    free_[log_room].pop_back();
  }
  std::copy_n(partners(line), line.size, pool_.begin() + first);
  if (line.log_room != 0) free_[line.log_room].push_back(line.pool_place());
  line.partners[0] = Partner::from_code(first);
  line.log_room = log_room & 31u;
}

}  // namespace scree::hard
