#include "dem/soft/ranks/ghosts.hpp"

#include <algorithm>
#include <span>

#include "dem/scene.hpp"
#include "dem/soft/accelerations.hpp"
#include "dem/soft/ranks/rank_messages.hpp"

namespace scree::soft {

namespace {

/// Arrays of positions, velocities and derivatives.
std::vector<std::vector<Motion>*> motions_of(Rooms& r) {
  std::vector<std::vector<Motion>*> motions = {&r.bodies.position, &r.bodies.velocity};
  const auto note = [&](std::vector<Motion>& derivative) {
    if (!derivative.empty()) motions.push_back(&derivative);
  };
  Gear::visit(note, r.gear);
  return motions;
}

}  // namespace

void GhostExchange::record(const Rooms& r) {
  list_transfers(r.bodies, r.contacts, r.clock.dt(), of_all_contacts_);
  for (std::size_t k = 0; k < r.contacts.size(); ++k) {
    if (ghosts_.own[r.contacts.bodies(k).a] == 0) continue;
    transfers_.push_back({r.contacts.key(r.bodies, k), of_all_contacts_[k]});
  }
}

CellTally GhostExchange::sum(const CellTally& mine) {
  CellTally all = combine(ranks_, mine);
  broadcast_value(ranks_, all);
  return all;
}

void GhostExchange::join(std::vector<PairKey>&& keys, std::vector<ContactLoad>& loads) {
  std::vector<Ranks::Bytes> messages = gather(ranks_, to_bytes(keys, loads));
  std::vector<std::pair<PairKey, ContactLoad>> all;
  for (Ranks::Bytes& message : messages) {
    from_bytes(std::move(message), keys, loads);
    for (std::size_t k = 0; k < keys.size(); ++k) all.emplace_back(keys[k], loads[k]);
  }
  std::ranges::sort(all, {}, &std::pair<PairKey, ContactLoad>::first);
  loads.clear();
  for (const auto& each : all) loads.push_back(each.second);
  broadcast_value(ranks_, loads);
}

void GhostExchange::keep_ghosts(Rooms& r) {
  const std::vector<std::vector<Motion>*> motions = motions_of(r);
  predicted_.clear();
  for (const auto& from : ghosts_.received) {
    for (const std::uint32_t ghost : from) {
      Motions& of = predicted_.emplace_back();
      for (std::size_t k = 0; k < motions.size(); ++k) of[k] = (*motions[k])[ghost];
    }
  }
}

void GhostExchange::correct_ghosts(Rooms& r) {
  Bodies& bodies = r.bodies;
  for (std::size_t rank = 0; rank < ghosts_.sent.size(); ++rank) {
    if (ghosts_.sent[rank].empty()) continue;
    std::vector<Motion> forces;
    for (const std::uint32_t body : ghosts_.sent[rank]) {
      forces.push_back(net_force(bodies, r.contacts, body, r.net_force));
    }
    ranks_.send(static_cast<int>(rank), bytes_of(forces));
  }
  const std::vector<std::vector<Motion>*> motions = motions_of(r);
  const Motion gravity(r.scene.gravity.x(), r.scene.gravity.y(), 0.0);
  auto predicted = predicted_.begin();
  for (std::size_t rank = 0; rank < ghosts_.received.size(); ++rank) {
    const std::vector<std::uint32_t>& ghosts = ghosts_.received[rank];
    if (ghosts.empty()) continue;
    std::vector<Motion> forces(ghosts.size());
    copy_bytes(ranks_.receive(static_cast<int>(rank)), forces);
    for (std::size_t k = 0; k < forces.size(); ++k, ++predicted) {
      const std::uint32_t ghost = ghosts[k];
      for (std::size_t m = 0; m < motions.size(); ++m) (*motions[m])[ghost] = (*predicted)[m];
      if (!r.net_force.empty()) r.net_force[ghost] = forces[k];
      const double per_mass = bodies.inverse_mass[ghost];
      const Motion altered =
          alter(ghost, gravity + forces[k] * Motion(per_mass, per_mass, bodies.inverse_inertia[ghost]), r);
      r.gear.correct(bodies, ghost, std::span(&altered, 1));
    }
  }
}

}  // namespace scree::soft
