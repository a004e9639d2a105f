#include "dem/soft/ranks/parcel.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "dem/soft/rooms.hpp"

namespace scree::soft {

namespace {

/// Arrays of derivatives as they are in a Gear, from the second on; fewer than four if it has fewer values.
template <class G>
auto derivatives_of(G& gear) {
  using Array = std::conditional_t<std::is_const_v<G>, const std::vector<Motion>, std::vector<Motion>>;
  std::array<Array*, 4> arrays{};
  std::size_t count = 0;
  const auto note = [&](Array& derivative) { arrays[count++] = &derivative; };
  std::remove_const_t<G>::visit(note, gear);
  return arrays;
}

/// How many derivatives beyond the velocity there are.
std::size_t derivatives_in(const Gear& gear) {
  return static_cast<std::size_t>(gear.values()) - 2;
}

/// One entry; what is summed over outlines is left to Bodies::sum_up.
void append(const Bodies& from, std::uint32_t body, Bodies& to) {
  to.id.push_back(from.id[body]);
  to.type.push_back(from.type[body]);
  to.material.push_back(from.material[body]);
  to.radius.push_back(from.radius[body]);
  to.mass.push_back(from.mass[body]);
  to.inverse_mass.push_back(from.inverse_mass[body]);
  to.inverse_inertia.push_back(from.inverse_inertia[body]);
  to.position.push_back(from.position[body]);
  to.velocity.push_back(from.velocity[body]);
  to.image.push_back(from.image[body]);
  to.bounding_radius.push_back(from.bounding_radius[body]);
  to.outline_first.push_back(static_cast<std::uint32_t>(to.vertices.size()));
  to.outline_size.push_back(from.outline_size[body]);
  const std::size_t kept = from.outline_size[body] == 0 ? 0 : from.outline_size[body] + Bodies::kRepeated;
  const auto first = from.vertices.begin() + static_cast<std::ptrdiff_t>(from.outline_first[body]);
  to.vertices.insert(to.vertices.end(), first, first + static_cast<std::ptrdiff_t>(kept));
  if (from.part.empty() && to.part.empty()) return;
  to.part.resize(to.id.size(), 0);
  to.arm.resize(to.id.size(), Vec2::Zero());
  to.silhouette.resize(to.id.size(), {0, 0});
  if (from.part.empty()) return;
  to.part.back() = from.part[body];
  to.arm.back() = from.arm[body];
  if (!from.is_clump(body)) return;
  const std::span<const Vec2> look = from.look(body);
  to.silhouette.back() = {static_cast<std::uint32_t>(to.silhouettes.size()), static_cast<std::uint32_t>(look.size())};
  to.silhouettes.insert(to.silhouettes.end(), look.begin(), look.end());
}

/// With all that has an entry a body.
void append(const Parcel& from, std::uint32_t body, std::size_t derivatives, Parcel& to) {
  append(from.bodies, body, to.bodies);
  for (std::size_t k = 0; k < derivatives; ++k) to.derivatives[k].push_back(from.derivatives[k][body]);
  to.rotation.push_back(from.rotation[body]);
  to.box.push_back(from.box[body]);
  to.net_force.push_back(from.net_force[body]);
}

Parcel pack_bodies(Rooms& rooms, std::span<const char> wanted) {
  rooms.contacts.list_by_body(rooms.bodies.size(), rooms.bodies.walls);
  Parcel parcel;
  const Bodies& bodies = rooms.bodies;
  const auto derivatives = derivatives_of(std::as_const(rooms.gear));
  const std::size_t count = derivatives_in(rooms.gear);
  std::vector<std::uint32_t> place(bodies.size(), Bodies::kGone);
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    if (!wanted[body]) continue;
    place[body] = parcel.bodies.size();
    append(bodies, body, parcel.bodies);
    for (std::size_t k = 0; k < count; ++k) parcel.derivatives[k].push_back((*derivatives[k])[body]);
    const Rotation& rotation = rooms.placement.rotation_of(body);
    parcel.rotation.push_back({rotation.cos, rotation.sin});
    parcel.box.push_back(rooms.placement.box[body]);
    parcel.net_force.push_back(bodies.is_wall(body) ? Motion(Motion::Zero())
                                                    : net_force(bodies, rooms.contacts, body, rooms.net_force));
  }
  const Proxies& proxies = rooms.pairs.proxies();
  for (ProxyId id = 0; id < proxies.size(); ++id) {
    const Proxy proxy = proxies[id];
    if (proxy.body == Proxies::kUnused || place[proxy.body] == Bodies::kGone) continue;
    parcel.proxies.push_back({.body = place[proxy.body], .image = proxy.image});
    parcel.proxy_box.push_back(rooms.pairs.box(id, rooms.placement));
  }
  return parcel;
}

/// Where the bodies with an id are: the first entry of each.
class Places {
 public:
  explicit Places(const Bodies& bodies) {
    place_.reserve(bodies.size());
    for (std::uint32_t body = 0; body < bodies.size(); ++body) {
      if (!bodies.is_part(body)) place_.emplace(bodies.id[body], body);
    }
  }
  std::uint32_t of(std::uint64_t id, std::uint32_t part) const { return place_.at(id) + part; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> place_;
};

/// An entry of one of several parcels.
struct Source {
  std::uint32_t parcel;
  std::uint32_t at;
};

void sort_by_body(std::vector<Proxy>& proxies, std::vector<Aabb2>& boxes) {
  std::vector<std::uint32_t> order(proxies.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t x, std::uint32_t y) { return proxies[x].body < proxies[y].body; });
  std::vector<Proxy> sorted_proxies;
  std::vector<Aabb2> sorted_boxes;
  for (const std::uint32_t k : order) {
    sorted_proxies.push_back(proxies[k]);
    sorted_boxes.push_back(boxes[k]);
  }
  proxies.swap(sorted_proxies);
  boxes.swap(sorted_boxes);
}

void put_pairs_together(std::span<const Parcel> parcels, const std::vector<std::vector<char>>* own,
                        const Bodies& bodies, Contacts& contacts) {
  std::vector<Source> order;
  std::vector<std::vector<std::uint32_t>> contact_of(parcels.size());
  constexpr std::uint32_t kNone = 0xffffffff;
  for (std::uint32_t p = 0; p < parcels.size(); ++p) {
    const Parcel& parcel = parcels[p];
    for (std::uint32_t k = 0; k < parcel.key.size(); ++k) order.push_back({p, k});
    contact_of[p].assign(parcel.key.size(), kNone);
    for (std::uint32_t k = 0; k < parcel.candidate.size(); ++k) contact_of[p][parcel.candidate[k]] = k;
  }
  const auto key_of = [&](const Source& source) -> const PairKey& { return parcels[source.parcel].key[source.at]; };
  std::sort(order.begin(), order.end(), [&](const Source& x, const Source& y) { return key_of(x) < key_of(y); });
  std::unordered_map<std::uint64_t, char> is_own;
  if (own != nullptr) {
    for (std::size_t p = 0; p < parcels.size(); ++p) {
      const Bodies& from = parcels[p].bodies;
      for (std::uint32_t body = 0; body < from.size(); ++body) is_own.emplace(from.id[body], (*own)[p][body]);
    }
  }
  const auto concerns = [&](const PairKey& key) {
    if (own == nullptr) return true;
    const auto b = is_own.find(key.b);  // walls are not in parcels
    return is_own.at(key.a) != 0 || (b != is_own.end() && b->second != 0);
  };
  const Places places(bodies);
  const bool had_images = !contacts.candidates.image.empty();
  const bool resists_rolling = !contacts.rolling.empty() || std::ranges::any_of(parcels, [](const Parcel& parcel) {
    return !parcel.rolling.empty();
  });
  contacts = {};
  for (const Source& source : order) {
    const Parcel& from = parcels[source.parcel];
    const PairKey& key = key_of(source);
    if (!concerns(key)) continue;
    const auto candidate = static_cast<std::uint32_t>(contacts.candidates.size());
    if (key.image != Image{0, 0} || !contacts.candidates.image.empty()) {
      contacts.candidates.image.resize(candidate, {0, 0});
      contacts.candidates.image.push_back(key.image);
    }
    contacts.candidates.bodies.push_back({places.of(key.a, key.part_a), places.of(key.b, key.part_b)});
    contacts.candidates.hint.push_back(from.hint[source.at]);
    contacts.candidates.boxes.push_back(from.boxes[source.at]);
    const std::uint32_t contact = contact_of[source.parcel][source.at];
    if (contact == kNone) continue;
    contacts.candidate.push_back(candidate);
    contacts.history.push_back(from.history[contact]);
    contacts.region.push_back(from.region[contact]);
    contacts.axes.push_back(from.axes[contact]);
    contacts.force.push_back(from.force[contact]);
    contacts.parts.push_back(from.parts[contact]);
    if (resists_rolling) contacts.rolling.push_back(from.rolling.empty() ? RollingResistance{} : from.rolling[contact]);
  }
  if (had_images) contacts.candidates.image.resize(contacts.candidates.size(), {0, 0});
  contacts.restore();
  contacts.list_by_body(bodies.size(), bodies.walls);
}

}  // namespace

Parcel pack(Rooms& rooms, std::span<const char> wanted, std::span<const char> told) {
  const Bodies& bodies = rooms.bodies;
  std::vector<char> both(wanted.begin(), wanted.end());
  for (std::uint32_t body = 0; body < bodies.size(); ++body) both[body] = wanted[body] != 0 && told[body] != 0 ? 1 : 0;
  Parcel parcel = pack_bodies(rooms, both);
  const Contacts& contacts = rooms.contacts;
  std::size_t contact = 0;
  for (std::uint32_t k = 0; k < contacts.candidates.size(); ++k) {
    const BodyPair& pair = contacts.candidates.bodies[k];
    while (contact < contacts.size() && contacts.candidate[contact] < k) ++contact;
    if (!told[pair.a] || !wanted[pair.a] || !(bodies.is_wall(pair.b) || wanted[pair.b])) continue;
    const auto candidate = static_cast<std::uint32_t>(parcel.key.size());
    parcel.key.push_back(contacts.candidates.key(bodies, k));
    parcel.hint.push_back(contacts.candidates.hint[k]);
    parcel.boxes.push_back(contacts.candidates.boxes[k]);
    if (contact == contacts.size() || contacts.candidate[contact] != k) continue;
    parcel.candidate.push_back(candidate);
    parcel.history.push_back(contacts.history[contact]);
    parcel.region.push_back(contacts.region[contact]);
    parcel.axes.push_back(contacts.axes[contact]);
    parcel.force.push_back(contacts.force[contact]);
    parcel.parts.push_back(contacts.parts[contact]);
    if (!contacts.rolling.empty()) parcel.rolling.push_back(contacts.rolling[contact]);
  }
  return parcel;
}

Parcel pack_walls(Rooms& rooms) {
  std::vector<char> wanted(rooms.bodies.size(), 0);
  std::fill_n(wanted.begin(), rooms.bodies.walls, 1);
  Parcel parcel = pack_bodies(rooms, wanted);
  parcel.bodies.walls = rooms.bodies.walls;
  parcel.bodies.absent = rooms.bodies.absent;
  return parcel;
}

void put_together(const Parcel& walls, std::span<const Parcel> parcels, const std::vector<std::vector<char>>* own,
                  Proxied proxied, Rooms& rooms) {
  const bool had_clumps = !rooms.bodies.part.empty();
  const std::size_t derivatives = derivatives_in(rooms.gear);
  Parcel all;
  all.bodies.walls = walls.bodies.walls;
  all.bodies.absent = walls.bodies.absent;
  for (std::uint32_t wall = 0; wall < walls.bodies.size(); ++wall) append(walls, wall, derivatives, all);
  std::vector<Source> order;
  for (std::uint32_t p = 0; p < parcels.size(); ++p) {
    const Bodies& bodies = parcels[p].bodies;
    for (std::uint32_t body = 0; body < bodies.size(); ++body) {
      if (!bodies.is_part(body)) order.push_back({p, body});
    }
  }
  std::sort(order.begin(), order.end(), [&](const Source& x, const Source& y) {
    return parcels[x.parcel].bodies.id[x.at] < parcels[y.parcel].bodies.id[y.at];
  });
  std::vector<std::vector<std::uint32_t>> place(parcels.size());  // by parcel and body
  for (std::size_t p = 0; p < parcels.size(); ++p) place[p].resize(parcels[p].bodies.size());
  for (const Source& source : order) {
    const Parcel& from = parcels[source.parcel];
    const std::uint32_t parts = from.bodies.parts_of(source.at);
    for (std::uint32_t body = source.at; body <= source.at + parts; ++body) {
      place[source.parcel][body] = all.bodies.size();
      append(from, body, derivatives, all);
    }
  }
  Bodies& bodies = all.bodies;
  if (had_clumps && bodies.part.empty()) {
    bodies.part.resize(bodies.size(), 0);
    bodies.arm.resize(bodies.size(), Vec2::Zero());
    bodies.silhouette.resize(bodies.size(), {0, 0});
  }
  bodies.sum_up();
  std::vector<Proxy> proxies = walls.proxies;
  std::vector<Aabb2> boxes = walls.proxy_box;
  for (std::size_t p = 0; p < parcels.size(); ++p) {
    for (std::size_t k = 0; k < parcels[p].proxies.size(); ++k) {
      const Proxy& proxy = parcels[p].proxies[k];
      proxies.push_back({.body = place[p][proxy.body], .image = proxy.image});
      boxes.push_back(parcels[p].proxy_box[k]);
    }
  }

  sort_by_body(proxies, boxes);

  rooms.bodies = std::move(bodies);
  const auto arrays = derivatives_of(rooms.gear);
  for (std::size_t k = 0; k < derivatives; ++k) *arrays[k] = std::move(all.derivatives[k]);
  const bool keeps_forces = proxied == Proxied::as_were ? !rooms.net_force.empty() : rooms.bodies.parts > 0;
  rooms.net_force = keeps_forces ? std::move(all.net_force) : std::vector<Motion>();
  rooms.placement.box = std::move(all.box);
  rooms.placement.restore(rooms.bodies);
  for (std::uint32_t body = 0; body < rooms.placement.rotation.size(); ++body) {
    rooms.placement.rotation[body] = {all.rotation[body][0], all.rotation[body][1]};
  }
  put_pairs_together(parcels, own, rooms.bodies, rooms.contacts);
  if (proxied == Proxied::anew) {
    rooms.pairs.begin_anew(std::move(proxies), std::move(boxes), rooms.placement);
  } else {
    rooms.pairs.set_boxes(proxies, boxes);
  }
}

}  // namespace scree::soft
