#include "dem/proxies.hpp"

#include <cstdlib>
#include <utility>

#include "dem/archive.hpp"
#include "parallel/parallel_for.hpp"

namespace scree {

void Proxies::list_all() {
  if (!are_bodies_) return;
  proxies_.resize(bodies_);
  for (std::uint32_t body = 0; body < bodies_; ++body) proxies_[body] = {.body = body};
  are_bodies_ = false;
}

ProxyId Proxies::add(Proxy proxy) {
  if (are_bodies_ && proxy.body == bodies_ && proxy.image == Image{0, 0}) return bodies_++;
  list_all();
  if (!free_.empty()) {
    const ProxyId id = free_.back();
    free_.pop_back();
    proxies_[id] = proxy;
    return id;
  }
  proxies_.push_back(proxy);
  return static_cast<ProxyId>(proxies_.size() - 1);
}

void Proxies::release(ProxyId id) {
  list_all();
  proxies_[id].body = kUnused;
  free_.push_back(id);
}

void Proxies::find_image_changes(const Bodies& bodies, const std::vector<Aabb2>& body_boxes, ImageChanges& changes) {
  constexpr int kMost = Periodic::kMostAlongX;
  changes.missing.clear();
  changes.obsolete.clear();
  needed_.resize(bodies.size());
  present_.assign(bodies.size(), 0);
  parallel_for_ranges(bodies.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t body = begin; body < end; ++body) {
      const Aabb2& box = body_boxes[body];
      const std::array<bool, 2> spans = body < spans_.size() ? spans_[body] : std::array{false, false};
      needed_[body] = periodic_.is_inside(box) ? Periodic::bit(0, 0) : periodic_.needed_images(box, spans);
    }
  });
  for (ProxyId id = 0; id < size(); ++id) {
    const Proxy proxy = (*this)[id];
    if (proxy.body == kUnused) continue;
    const Image& wrapped = bodies.image[proxy.body];
    const auto [x, y] = periodic_.counted({proxy.image[0] + wrapped[0], proxy.image[1] + wrapped[1]});
    const bool is_near = std::abs(x) <= kMost && std::abs(y) <= 1;
    const std::uint32_t bit = is_near ? Periodic::bit(x, y) : 0;
    if ((needed_[proxy.body] & bit) != 0) {
      present_[proxy.body] |= bit;
    } else {
      changes.obsolete.push_back(id);
    }
  }
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    const std::uint32_t missing = needed_[body] & ~present_[body];
    if (missing == 0 || !bodies.has_shape(body)) continue;
    const Image& wrapped = bodies.image[body];
    for (int x = -kMost; x <= kMost; ++x) {
      for (int y = -1; y <= 1; ++y) {
        if ((missing & Periodic::bit(x, y)) == 0) continue;
        const Image image = periodic_.named(x, y);
        changes.missing.push_back({.body = body, .image = {image[0] - wrapped[0], image[1] - wrapped[1]}});
      }
    }
  }
}

void Proxies::require_sound(const Bodies& bodies) const {
  if (are_bodies_) {
    require_state(proxies_.empty() && free_.empty() && bodies_ <= bodies.size(), "the number of boxes");
    for (std::uint32_t body = 0; body < bodies_; ++body) require_state(!bodies.is_clump(body), "a box of no body");
  }
  require_state(proxies_.size() < kUnused, "too many boxes");
  std::vector<char> is_free(proxies_.size(), 0);
  for (const ProxyId id : free_) {
    require_state(id < proxies_.size() && proxies_[id].body == kUnused && !is_free[id], "boxes that are free");
    is_free[id] = 1;
  }
  for (ProxyId id = 0; id < proxies_.size(); ++id) {
    const Proxy& proxy = proxies_[id];
    require_state(proxy.body == kUnused ? is_free[id] != 0 : proxy.body < bodies.size() && !bodies.is_clump(proxy.body),
                  "a box of no body");
    require_state(is_moderate(proxy.image), "the image of a box");
  }
  require_state(spans_.size() == bodies.walls, "walls that span the domain");
}

void Proxies::renumber(const std::vector<std::uint32_t>& new_index, const Bodies& bodies) {
  list_all();
  for (Proxy& proxy : proxies_) {
    if (proxy.body != kUnused) proxy.body = new_index[proxy.body];
  }
  std::vector<std::array<bool, 2>> spans_of_remaining(bodies.walls);
  for (std::size_t old = 0; old < spans_.size(); ++old) {
    if (new_index[old] != Bodies::kGone) spans_of_remaining[new_index[old]] = spans_[old];
  }
  spans_ = std::move(spans_of_remaining);
}

}  // namespace scree
