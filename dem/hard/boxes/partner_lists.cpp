#include "dem/hard/boxes/partner_lists.hpp"

#include <algorithm>
#include <cassert>

namespace scree::hard {

void PartnerLists::assign(std::size_t disks) {
  lists_.assign(disks, {});
  pool_.clear();
  pool_.reserve(disks << kSmallest);
  for (auto& places : free_) places.clear();
}

void PartnerLists::add(Index i, Partner partner) {
  List& list = lists_[i];
  if (list.log_room == 0 || list.size >> list.log_room != 0) grow(list);
  pool_[list.first + list.size++] = partner;
}

void PartnerLists::remove(Index i, Partner partner) {
  List& list = lists_[i];
  Partner* begin = pool_.data() + list.first;
  std::uint32_t place = list.size;
  for (std::uint32_t k = 0; k < list.size; ++k)
    place = begin[k] == partner ? k : place;  // without a branch, which would be mispredicted
  assert(place != list.size);
  begin[place] = begin[--list.size];
}

void PartnerLists::grow(List& list) {
  const unsigned log_room = list.log_room == 0 ? kSmallest : list.log_room + 1;
  auto first = static_cast<std::uint32_t>(pool_.size());
  if (free_[log_room].empty()) {
    const std::size_t size = pool_.size() + (std::size_t{1} << log_room);
    if (size > pool_.capacity()) pool_.reserve(size + size / 8);  // not twice as much: it is nearly all that there is
    pool_.resize(size);
  } else {
    first = free_[log_room].back();
    free_[log_room].pop_back();
  }
  std::copy_n(pool_.begin() + list.first, list.size, pool_.begin() + first);
  if (list.log_room != 0) free_[list.log_room].push_back(list.first);
  list.first = first;
  list.log_room = log_room & 31u;
}

}  // namespace scree::hard
