#include "dem/soft/contacts.hpp"

#include <algorithm>
#include <utility>

namespace scree::soft {

void Contacts::note(const PairChanges& changes, const Proxies& proxies, const Bodies& bodies) {
  for (const Pair& pair : changes.begun) note(pair, +1, proxies, bodies);
  for (const Pair& pair : changes.ended) note(pair, -1, proxies, bodies);
}

void Contacts::note(const Pair& boxes, std::int32_t change, const Proxies& proxies, const Bodies& bodies) {
  const Proxy* a = &proxies.all()[boxes.a];
  const Proxy* b = &proxies.all()[boxes.b];
  if (a->body == b->body || (bodies.is_wall(a->body) && bodies.is_wall(b->body))) return;
  // a is the particle, or the particle of smaller index.
  const bool a_first = bodies.is_wall(b->body) || (!bodies.is_wall(a->body) && a->body < b->body);
  if (!a_first) std::swap(a, b);
  PairKey key{a->body, b->body, {b->image[0] - a->image[0], b->image[1] - a->image[1]}};
  for (int axis = 0; axis < 2; ++axis) {
    if (proxies.spans(b->body, axis)) key.image[static_cast<std::size_t>(axis)] = 0;  // the same from every image
  }
  events_.push_back({key, change});
}

std::span<const Parted> Contacts::follow(std::uint32_t bodies, std::uint32_t walls) {
  parted_.clear();
  if (!events_.empty()) {
    std::sort(events_.begin(), events_.end(), [](const Event& x, const Event& y) { return x.key < y.key; });
    merged_keys_.clear();
    merged_memory_.clear();
    std::size_t old = 0;
    const auto keep_until = [&](std::size_t end) {
      merged_keys_.insert(merged_keys_.end(), keys.begin() + static_cast<std::ptrdiff_t>(old),
                          keys.begin() + static_cast<std::ptrdiff_t>(end));
      merged_memory_.insert(merged_memory_.end(), memory.begin() + static_cast<std::ptrdiff_t>(old),
                            memory.begin() + static_cast<std::ptrdiff_t>(end));
      old = end;
    };
    for (std::size_t e = 0; e < events_.size();) {
      const PairKey key = events_[e].key;
      std::int32_t change = 0;
      for (; e < events_.size() && events_[e].key == key; ++e) change += events_[e].change;
      keep_until(static_cast<std::size_t>(
          std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(old), keys.end(), key) - keys.begin()));
      PairMemory remembered;
      if (old < keys.size() && keys[old] == key) remembered = memory[old++];
      remembered.boxes += change;
      if (remembered.boxes > 0) {
        merged_keys_.push_back(key);
        merged_memory_.push_back(remembered);
      } else if (remembered.touching) {
        parted_.push_back({key, remembered});
      }
    }
    keep_until(keys.size());
    std::swap(keys, merged_keys_);
    std::swap(memory, merged_memory_);
    events_.clear();
    index(bodies, walls);
  } else if (first_.size() != bodies + std::size_t{1}) {
    index(bodies, walls);
  }
  return parted_;
}

void Contacts::renumber(const std::vector<std::uint32_t>& new_index, std::uint32_t bodies, std::uint32_t walls) {
  for (PairKey& key : keys) {
    key.a = new_index[key.a];
    key.b = new_index[key.b];
  }
  index(bodies, walls);
}

void Contacts::index(std::uint32_t bodies, std::uint32_t walls) {
  contact.resize(keys.size());
  force.resize(keys.size());
  work.resize(keys.size());
  // Counting sort by particle; three passes, so that each list comes out in ascending order of the partner: walls, then
  // smaller particles (the pairs are sorted by a), then greater ones.
  first_.assign(bodies + std::size_t{2}, 0);
  for (const PairKey& key : keys) {
    ++first_[key.a + std::size_t{2}];
    if (key.b >= walls) ++first_[key.b + std::size_t{2}];
  }
  for (std::size_t i = 2; i < first_.size(); ++i) first_[i] += first_[i - 1];
  incidences_.resize(first_.back());
  const auto append = [&](std::uint32_t body, std::uint32_t pair, bool as_b) {
    incidences_[first_[body + std::size_t{1}]++] = {pair & 0x7fffffffU, as_b};
  };
  const auto count = static_cast<std::uint32_t>(keys.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    if (keys[p].b < walls) append(keys[p].a, p, false);
  }
  for (std::uint32_t p = 0; p < count; ++p) {
    if (keys[p].b >= walls) append(keys[p].b, p, true);
  }
  for (std::uint32_t p = 0; p < count; ++p) {
    if (keys[p].b >= walls) append(keys[p].a, p, false);
  }
  first_.pop_back();
}

}  // namespace scree::soft
