#include "dem/proxies.hpp"

#include <cstdlib>
#include <utility>

#include "dem/archive.hpp"

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

std::array<std::array<bool, 3>, 2> Proxies::needed_images(std::uint32_t body, const Aabb2& box) const {
  std::array<std::array<bool, 3>, 2> along = {{{false, true, false}, {false, true, false}}};
  for (int axis = 0; axis < 2; ++axis) {
    if (spans(body, axis)) continue;
    for (const int step : {-1, 1}) {
      along[static_cast<std::size_t>(axis)][static_cast<std::size_t>(step + 1)] =
          periodic_.needs_image(box, axis, step);
    }
  }
  return along;
}

void Proxies::find_image_changes(const Bodies& bodies, const std::vector<Aabb2>& body_boxes, ImageChanges& changes) {
  changes.missing.clear();
  changes.obsolete.clear();
  if (periodic_.deforms()) return find_changes_in_cell(bodies, body_boxes, changes);
  present_.assign(bodies.size(), {});
  for (ProxyId id = 0; id < size(); ++id) {
    const Proxy proxy = (*this)[id];
    if (proxy.body == kUnused) continue;
    const Image& wrapped = bodies.image[proxy.body];
    const int sx = proxy.image[0] + wrapped[0];
    const int sy = proxy.image[1] + wrapped[1];
    const auto along = needed_images(proxy.body, body_boxes[proxy.body]);
    if (std::abs(sx) <= 1 && std::abs(sy) <= 1 && along[0][sx + 1] && along[1][sy + 1]) {
      present_[proxy.body][sx + 1][sy + 1] = true;
    } else {
      changes.obsolete.push_back(id);
    }
  }
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    if (!bodies.has_shape(body)) continue;
    const auto along = needed_images(body, body_boxes[body]);
    const Image& wrapped = bodies.image[body];
    for (int sx = -1; sx <= 1; ++sx) {
      for (int sy = -1; sy <= 1; ++sy) {
        if (along[0][sx + 1] && along[1][sy + 1] && !present_[body][sx + 1][sy + 1]) {
          changes.missing.push_back({.body = body, .image = {sx - wrapped[0], sy - wrapped[1]}});
        }
      }
    }
  }
}

void Proxies::find_changes_in_cell(const Bodies& bodies, const std::vector<Aabb2>& body_boxes, ImageChanges& changes) {
  constexpr int kMost = Periodic::kMostAlongX;
  present_in_cell_.assign(bodies.size(), 0);
  for (ProxyId id = 0; id < size(); ++id) {
    const Proxy proxy = (*this)[id];
    if (proxy.body == kUnused) continue;
    const Image& wrapped = bodies.image[proxy.body];
    const auto [x, y] = periodic_.counted({proxy.image[0] + wrapped[0], proxy.image[1] + wrapped[1]});
    const bool is_near = std::abs(x) <= kMost && std::abs(y) <= 1;
    const std::uint32_t bit = is_near ? Periodic::bit(x, y) : 0;
    if ((periodic_.needed_images(body_boxes[proxy.body]) & bit) != 0) {
      present_in_cell_[proxy.body] |= bit;
    } else {
      changes.obsolete.push_back(id);
    }
  }
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    if (!bodies.has_shape(body)) continue;
    const std::uint32_t missing = periodic_.needed_images(body_boxes[body]) & ~present_in_cell_[body];
    if (missing == 0) continue;
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
