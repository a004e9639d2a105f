#include "dem/soft/forces/plain_walls.hpp"

#include <algorithm>

#include "dem/soft/forces/overlap_limits.hpp"
#include "dem/soft/lanes/views.hpp"

namespace scree::soft {

lanes::WallBlocks PlainWalls::blocks(double* sums) {
  return {blocks_.data(), laws_.data(), shifts_.empty() ? nullptr : shifts_.data(), fresh_.data(), sums};
}

void PlainWalls::pack(const PlainView& view, const Contacts& contacts, std::span<const std::uint32_t> some) {
  forget();
  const Bodies& bodies = view.bodies;
  const auto edge_of = [&](std::uint32_t contact) -> std::uint32_t {
    return contacts.candidates.hint[contacts.candidate[contact]][1];
  };
  for (const std::uint32_t contact : some) {
    const BodyPair& pair = contacts.bodies(contact);
    const std::uint32_t feature = edge_of(contact);
    if (feature % 2 == 0 || feature >= 2 * bodies.outline_size[pair.b] || !is_plain(view.laws.of_disks(bodies, pair)))
      return;
  }
  const std::size_t count = (some.size() + kInBlock - 1) / kInBlock;
  blocks_.resize(count);
  laws_.resize(count);
  fresh_.assign(count, 0);
  greatest_square_ = 0.0;
  for (std::uint32_t place = 0; place < kInBlock * count; ++place) {
    lanes::WallBlock& wall = blocks_[place / kInBlock];
    lanes::BlockLaw& law = laws_[place / kInBlock];
    const std::uint32_t at = place % kInBlock;
    if (place >= some.size()) {  // the last one again, without force
      const std::uint32_t before = at - 1;
      put_nothing(body_with_sum(wall.contact.sum_a[before]), body_with_sum(wall.contact.sum_b[before]), at,
                  wall.contact);
      wall.edge[at] = wall.edge[before];
      PairLaw none{};
      none.tangential_stiffness = 1.0;
      put_law(none, at, law);
      continue;
    }
    const std::uint32_t contact = some[place];
    const BodyPair& pair = contacts.bodies(contact);
    const PairLaw& of_pair = view.laws.of_disks(bodies, pair);
    const double reduced_mass = put_contact(bodies, pair, contacts.history[contact], of_pair, at, wall.contact);
    put_law(of_pair, at, law);
    wall.edge[at] = edge_of(contact) / 2;
    greatest_square_ = std::max(greatest_square_, of_pair.stiffness / reduced_mass);
    set_fresh(place, contacts.history[contact].is_new, fresh_);
  }
  contact_.assign(some.begin(), some.end());
  find_shifts(view, contacts);
  if (!measure(view)) forget();
}

void PlainWalls::find_shifts(const PlainView& view, const Contacts& contacts) {
  shifts_.clear();
  if (!view.proxies.periodic().any()) return;
  shifts_.assign(2 * kInBlock * blocks_.size(), 0.0);
  for (std::size_t place = 0; place < kInBlock * blocks_.size(); ++place) {
    const std::uint32_t contact = contact_[std::min(place, contact_.size() - 1)];
    put_shift(shift_of(view, contacts.bodies(contact), contacts.image(contact)), place, shifts_);
  }
}

void PlainWalls::age() {
  std::ranges::fill(fresh_, std::uint8_t{0});
}

bool PlainWalls::measure(const PlainView& view) {
  return lanes::kernels().plain->measure_at_walls(bodies_for_lanes(view.bodies, view.rotation), blocks(nullptr),
                                                  static_cast<std::uint32_t>(blocks_.size()), kMaxDepthRatio);
}

void PlainWalls::compute(const PlainView& view, double per_joule, double* sums, WholeSum& heat) {
  lanes::kernels().plain->forces_at_walls(bodies_for_lanes(view.bodies), blocks(sums),
                                          static_cast<std::uint32_t>(blocks_.size()), view.dt, per_joule, heat);
}

void PlainWalls::add_power(const PlainView& view, double per_watt, lanes::PowerSums& sums) {
  lanes::kernels().plain->power_at_walls(bodies_for_lanes(view.bodies), blocks(nullptr),
                                         static_cast<std::uint32_t>(blocks_.size()), per_watt, sums);
}

ContactSprings PlainWalls::springs(std::uint32_t place) const {
  const lanes::WallBlock& wall = blocks_[place / kInBlock];
  const std::uint32_t at = place % kInBlock;
  return springs_of(wall.contact, at, {wall.point_x[at], wall.point_y[at]}, laws_[place / kInBlock].stiffness[at]);
}

void PlainWalls::write_histories(Contacts& contacts) const {
  for (std::uint32_t place = 0; place < contact_.size(); ++place) {
    write_history(blocks_[place / kInBlock].contact, place % kInBlock, is_fresh(fresh_, place),
                  contacts.history[contact_[place]]);
  }
}

void PlainWalls::write_geometry(const PlainView& view, Contacts& contacts) const {
  std::vector<std::uint32_t> candidate;
  std::vector<double> branch_vectors;
  for (std::uint32_t place = 0; place < contact_.size(); ++place) {
    const lanes::DiskBlock& block = blocks_[place / kInBlock].contact;
    candidate.push_back(contacts.candidate[contact_[place]]);
    branch_vectors.insert(branch_vectors.end(), {block.branch_x[place % kInBlock], block.branch_y[place % kInBlock]});
  }
  std::vector<std::uint32_t> uncertain_at(contact_.size());
  lanes::Found uncertain{uncertain_at.data(), 0};  // none is: they were measured so
  lanes::kernels().disks_at_edges(
      bodies_for_lanes(view.bodies, view.rotation), candidates_for_lanes(contacts),
      {candidate.data(), contact_.data(), static_cast<std::uint32_t>(contact_.size()), branch_vectors.data(), 0, true},
      geometry_for_lanes(contacts, contacts.all_regions()), uncertain);
}

void PlainWalls::write_forces(Contacts& contacts) const {
  for (std::uint32_t place = 0; place < contact_.size(); ++place) {
    const lanes::WallBlock& wall = blocks_[place / kInBlock];
    const std::uint32_t at = place % kInBlock;
    const lanes::BlockLaw& law = laws_[place / kInBlock];
    const std::uint32_t contact = contact_[place];
    write_force(wall.contact, at, {wall.point_x[at], wall.point_y[at]}, law.stiffness[at], law.tangential_stiffness[at],
                contacts.force[contact], contacts.parts[contact]);
    contacts.axes[contact].branch_vector = {wall.contact.branch_x[at], wall.contact.branch_y[at]};
  }
}

}  // namespace scree::soft
