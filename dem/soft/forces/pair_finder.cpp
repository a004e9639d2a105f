#include "dem/soft/forces/pair_finder.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/trim.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

/// @param chosen becomes a new one of the kind; its alternatives are in the order of the kinds
template <class... Members>
void choose(BroadphaseKind kind, std::variant<Members...>& chosen) {
  static_assert(sizeof...(Members) == kBroadphaseNames.size());
  int member = 0;
  ((member++ == static_cast<int>(kind) ? static_cast<void>(chosen.template emplace<Members>()) : void()), ...);
}

}  // namespace

PairFinder::PairFinder(const Domain& domain, BroadphaseKind kind) : proxies_(domain) {
  choose(kind, broadphase_);
}

void PairFinder::insert(std::uint32_t first, const Bodies& bodies, const Placement& placement) {
  std::vector<Proxy> missing;
  for (std::uint32_t body = first; body < bodies.size(); ++body) {
    if (bodies.has_shape(body)) missing.push_back({.body = body});
  }
  insert(missing, bodies, placement);
}

void PairFinder::insert_one(std::uint32_t body, const Bodies& bodies, const Placement& placement) {
  const Proxy proxy{.body = body};
  insert(std::span(&proxy, 1), bodies, placement);
}

void PairFinder::insert_images(const Bodies& bodies, const Placement& placement) {
  if (!periodic().any()) return;
  proxies_.find_image_changes(bodies, placement.box, image_changes_);
  if (!image_changes_.missing.empty()) insert(image_changes_.missing, bodies, placement);
}

void PairFinder::insert(std::span<const Proxy> proxies, const Bodies& bodies, const Placement& placement) {
  std::vector<ProxyId> ids;
  std::vector<Aabb2> boxes;
  for (const Proxy& proxy : proxies) {
    ids.push_back(proxies_.add(proxy));
    boxes.push_back(placement.box[proxy.body].shifted(proxies_.shift(proxy, bodies)));
    if (ids.back() != proxy.body) ids_are_bodies_ = false;  // before it comes a wall that is not there yet
  }
  if (has_own_boxes()) {
    auto id = static_cast<ProxyId>(boxes_.size());
    boxes_.resize(proxies_.size());
    for (; id < boxes_.size(); ++id) {  // all of them, where boxes were those of the placement until now
      const Proxy proxy = proxies_[id];
      if (proxy.body != Proxies::kUnused) boxes_[id] = placement.box[proxy.body].shifted(proxies_.shift(proxy, bodies));
    }
    for (std::size_t k = 0; k < ids.size(); ++k) boxes_[ids[k]] = boxes[k];
  }
  std::visit([&](auto& broadphase) { broadphase.insert(ids, boxes, box_changes_); }, broadphase_);
  note_changes(bodies);
}

void PairFinder::erase(ProxyId id, const Bodies& bodies) {
  ids_are_bodies_ = false;
  std::visit([&](auto& broadphase) { broadphase.erase(id, box_changes_); }, broadphase_);
  note_changes(bodies);
  proxies_.release(id);
}

void PairFinder::erase(const std::vector<char>& leaving, const Bodies& bodies) {
  for (ProxyId id = 0; id < proxies_.size(); ++id) {
    const std::uint32_t body = proxies_[id].body;
    if (body != Proxies::kUnused && leaving[body]) erase(id, bodies);
  }
}

void PairFinder::renumber(const std::vector<std::uint32_t>& new_index, const Bodies& bodies) {
  proxies_.renumber(new_index, bodies);
}

void PairFinder::update(const Bodies& bodies, const Placement& placement) {
  const bool has_images = periodic().any();
  if (!has_own_boxes()) {
    std::visit([&](auto& broadphase) { broadphase.update(placement.box, box_changes_); }, broadphase_);
    return note_changes(bodies);
  }
  boxes_.resize(proxies_.size());
  parallel_for_ranges(proxies_.size(), [&](std::size_t begin, std::size_t end) {
    const Aabb2* const of_bodies = placement.box.data();
    Aabb2* const boxes = boxes_.data();
    for (std::size_t id = begin; id < end; ++id) {
      const Proxy proxy = proxies_[static_cast<ProxyId>(id)];
      if (proxy.body == Proxies::kUnused) continue;
      const Aabb2& box = of_bodies[proxy.body];
      boxes[id] = has_images ? box.shifted(proxies_.shift(proxy, bodies)) : box;
    }
  });
  std::visit([&](auto& broadphase) { broadphase.update(boxes_, box_changes_); }, broadphase_);
  note_changes(bodies);
  if (!periodic().any()) return;
  insert_images(bodies, placement);
  if (noted_ != nullptr) {
    for (const Proxy& proxy : image_changes_.missing) noted_->push_back({proxy, true, {}});
    for (const ProxyId id : image_changes_.obsolete) noted_->push_back({proxies_[id], false, boxes_[id]});
  }
  for (const ProxyId id : image_changes_.obsolete) erase(id, bodies);
}

void PairFinder::note_changes(const Bodies& bodies) {
  for (const Pair& pair : box_changes_.begun) note(pair, +1, bodies);
  for (const Pair& pair : box_changes_.ended) note(pair, -1, bodies);
}

void PairFinder::note(const Pair& boxes, std::int32_t change, const Bodies& bodies) {
  Proxy a = proxies_[boxes.a];
  Proxy b = proxies_[boxes.b];
  if (bodies.particle(a.body) == bodies.particle(b.body) || (bodies.is_wall(a.body) && bodies.is_wall(b.body))) return;
  const bool a_first = bodies.is_wall(b.body) || (!bodies.is_wall(a.body) && bodies.id[a.body] < bodies.id[b.body]);
  if (!a_first) std::swap(a, b);
  Image image{b.image[0] - a.image[0], b.image[1] - a.image[1]};
  for (int axis = 0; axis < 2; ++axis) {
    if (proxies_.spans(b.body, axis)) image[static_cast<std::size_t>(axis)] = 0;  // the same from every image
  }
  const BodyPair pair{a.body, b.body};
  pair_changes_.push_back({key_of(bodies, pair, image), pair, change});
}

std::string PairFinder::broadphase_reason() const {
  const auto kind = static_cast<BroadphaseKind>(broadphase_.index());
  const auto* fastest = std::get_if<Fastest<2>>(&broadphase_);
  if (fastest == nullptr || fastest->trial().empty()) return name(kind);
  std::vector<std::string> times;
  for (const auto& [member, nanoseconds] : fastest->trial()) {
    times.push_back(fmt::format("{} {:.1f}", name(member), nanoseconds));
  }
  return fmt::format("{}, by trial: {} ns a box and step", name(fastest->trial().front().member),
                     fmt::join(times, ", "));
}

void PairFinder::require_sound(const Bodies& bodies) const {
  proxies_.require_sound(bodies);
  if (boxes_.empty() && !periodic().any()) {
    const auto absent = static_cast<std::size_t>(std::ranges::count(bodies.absent, 1));
    require_state(proxies_.size() == bodies.size() - absent, "the number of boxes");
    for (ProxyId id = 0; id < proxies_.size(); ++id) require_state(proxies_[id].body == id, "a box of no body");
    return;
  }
  require_state(boxes_.size() == proxies_.size(), "the number of boxes");
  for (ProxyId id = 0; id < boxes_.size(); ++id) {
    require_state(proxies_[id].body == Proxies::kUnused || is_sound(boxes_[id]), "a box");
  }
}

void PairFinder::restore(const Placement& placement) {
  ids_are_bodies_ = boxes_.empty();
  const std::vector<Aabb2>& known = boxes_.empty() ? placement.box : boxes_;
  std::visit([](auto& broadphase) { broadphase = {}; }, broadphase_);
  std::vector<ProxyId> ids;
  std::vector<Aabb2> boxes;
  for (ProxyId id = 0; id < proxies_.size(); ++id) {
    if (proxies_[id].body == Proxies::kUnused) continue;
    ids.push_back(id);
    boxes.push_back(known[id]);
  }
  std::visit([&](auto& broadphase) { broadphase.insert(ids, boxes, box_changes_); }, broadphase_);
  pair_changes_.clear();  // the pairs are known already
  trim();
}

void PairFinder::begin_anew(const std::vector<Proxy>& proxies, std::vector<Aabb2> boxes, const Placement& placement) {
  bool are_bodies = !periodic().any() && proxies.size() == placement.box.size();
  for (ProxyId id = 0; are_bodies && id < proxies.size(); ++id) are_bodies = proxies[id].body == id;
  proxies_.begin_anew(proxies);
  boxes_ = are_bodies ? std::vector<Aabb2>() : std::move(boxes);
  restore(placement);
}

namespace {

/// The numbers of proxies by body and image.
class ProxyNumbers {
 public:
  explicit ProxyNumbers(const Proxies& proxies) {
    numbers_.reserve(proxies.size());
    for (ProxyId id = 0; id < proxies.size(); ++id) {
      if (proxies[id].body != Proxies::kUnused) add(proxies[id], id);
    }
  }
  void add(const Proxy& proxy, ProxyId id) { numbers_[name(proxy)] = id; }
  void remove(const Proxy& proxy) { numbers_.erase(name(proxy)); }
  ProxyId of(const Proxy& proxy) const {
    const auto found = numbers_.find(name(proxy));
    if (found == numbers_.end()) {
      throw std::logic_error("a body came from another rank with an image that it does not have");
    }
    return found->second;
  }
  using Name = std::pair<std::uint32_t, Image>;
  static Name name(const Proxy& proxy) { return {proxy.body, proxy.image}; }

 private:
  struct Hash {
    std::size_t operator()(const Name& name) const {
      const auto mixed = [](std::uint64_t h, std::uint32_t more) { return (h ^ more) * 0x9e3779b97f4a7c15U; };
      std::uint64_t hash = mixed(0, name.first);
      for (const std::int32_t along : name.second) hash = mixed(hash ^ (hash >> 32), static_cast<std::uint32_t>(along));
      return hash ^ (hash >> 29);
    }
  };
  std::unordered_map<Name, ProxyId, Hash> numbers_;
};

}  // namespace

void PairFinder::set_boxes(std::span<const Proxy> proxies, std::span<const Aabb2> boxes) {
  if (!has_own_boxes()) return;  // those of the placement
  boxes_.resize(proxies_.size());
  const ProxyNumbers numbers(proxies_);
  for (std::size_t k = 0; k < proxies.size(); ++k) boxes_[numbers.of(proxies[k])] = boxes[k];
}

void PairFinder::sort_as_update(std::vector<Proxy>& begun) const {
  // In the order of Proxies::find_image_changes: by periods of now. That a body was wrapped shifts those of all its
  // images alike.
  std::ranges::sort(begun, {}, [&](const Proxy& proxy) {
    return std::pair(proxy.body, periodic().deforms() ? periodic().counted(proxy.image) : proxy.image);
  });
}

void PairFinder::repeat(std::span<const ProxyChanges> changes) {
  if (changes.empty()) return;
  ProxyNumbers numbers(proxies_);
  for (const ProxyChanges& now : changes) {
    for (const Proxy& proxy : now.begun) {
      const ProxyId id = proxies_.add(proxy);
      if (id != proxy.body) ids_are_bodies_ = false;
      numbers.add(proxy, id);
    }
    const bool had_own_boxes = has_own_boxes();
    if (had_own_boxes) boxes_.resize(proxies_.size());
    std::vector<std::pair<ProxyId, Aabb2>> ended;
    for (const auto& [proxy, box] : now.ended) {
      ended.emplace_back(numbers.of(proxy), box);
      numbers.remove(proxy);
    }
    std::ranges::sort(ended, {}, &std::pair<ProxyId, Aabb2>::first);
    for (const auto& [id, box] : ended) {
      if (had_own_boxes) boxes_[id] = box;
      ids_are_bodies_ = false;
      proxies_.release(id);
    }
  }
}

void PairFinder::trim() {
  box_changes_.clear();  // they have been read
  scree::trim(box_changes_.begun);
  scree::trim(box_changes_.ended);
  scree::trim(pair_changes_);
  scree::trim(boxes_);
}

}  // namespace scree::soft
