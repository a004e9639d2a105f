#include "dem/hard/boxes/disk_boxes.hpp"

#include <algorithm>
#include <cassert>

#include "parallel/huge_pages.hpp"

namespace scree::hard {

void DiskBoxes::assign(std::size_t capacity) {
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
  std::uint32_t place = line.size;
  for (std::uint32_t k = 0; k < line.size; ++k)
    place = begin[k] == partner ? k : place;  // without a branch, which would be mispredicted
  assert(place != line.size);
  begin[place] = begin[--line.size];
}

void DiskBoxes::set_partners(Index i, std::span<const std::uint32_t> codes) {
  Line& line = lines_[i];
  while (line.room() < codes.size()) grow(line);
  std::ranges::transform(codes, partners(line), Partner::from_code);
  line.size = static_cast<std::uint32_t>(codes.size()) & 0x7ffffffU;
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
