#include <cmath>
#include <vector>

#include "dem/archive.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/observe.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/hard/simulation_kinds.hpp"

/// The state of a simulation of the hard mode: shown, saved, loaded, hashed.
namespace scree::hard {

template <FindsNeighbours B, EventQueue Q, class K>
template <class Archive, class Self, class DisksOfSelf>
void BasicSimulation<B, Q, K>::visit(Archive& archive, Self& self, DisksOfSelf& disks) {
  archive(self.time_, self.counters_.collisions, self.counters_.wall_hits, self.counters_.crossings, self.energy_);
  if constexpr (K::kHaveForms) archive(self.counters_.made_elastic);
  Disks::visit(archive, disks);
  Rebasing::visit(archive, self.rebasing_);
  Compression::visit(archive, self.compression_);
  Watchdog::visit(archive, self.watchdog_);
  Recorder::visit(archive, self.recorder_);
  Walls::visit(archive, self.walls_);
  if (!self.space_.cell.exists()) return;
  Cell::visit(archive, self.space_.cell);
  CellSums::visit(archive, self.recorder_.cell_sums());
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::save(std::ostream& out) const {
  OutArchive archive(out);
  const Disks disks = disks_.to_be_saved();
  visit(archive, *this, disks);
  archive(wells_.pairs.all());
}

/// What is not saved is a function of the flights: boxes, partners and what comes next.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::load(std::istream& in) {
  InArchive archive(in);
  const Transfers transfers_at_start = recorder_.transfers();
  visit(archive, *this, disks_);
  std::vector<WellPair> pairs;
  archive(pairs);
  require_state(time_ >= 0.0 && std::isfinite(time_), "the time");
  if (space_.cell.exists()) resume_cell();
  disks_.require_sound(space_, rules_.materials());
  compression_.require_sound();
  const double longest_path =
      hard::max_path(space_.domain, 2.0 * disks_.greatest_radius() * compression_.growth().scale);
  rebasing_.require_sound(disks_, time_, longest_path, space_.gravity.acceleration);
  recorder_.require_sound(transfers_at_start);
  require_sound(pairs, disks_.size());
  wells_.pairs.assign(disks_.size(), pairs);
  now_ = rebasing_.clock().at(time_);
  rebasing_.resume(max_path());
  watchdog_.resume(time_);
  disks_.compact();
  place_boxes(disks_.size());
}

/// Everything but counters of what only costs.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::list_values(StateValues& values) const {
  const auto add_run = [&](const auto&... clock) {
    const Growth& growth = compression_.growth();
    values.add(Quantity::run, {}, time_, clock..., rebasing_.changes(), rebasing_.changes_to_rebase(),
               rebasing_.deadline(), disks_.entered(), disks_.left(), counters_.collisions, counters_.wall_hits,
               counters_.crossings, growth.scale, growth.rate, compression_.virial(), compression_.reduced_pressure());
  };
  Clock::visit(add_run, rebasing_.clock());
  if (space_.cell.exists()) {
    const auto add_cell = [&](const auto&... value) { values.add(Quantity::run, {}, value...); };
    Cell::visit(add_cell, space_.cell);
    CellSums::visit(add_cell, recorder_.cell_sums());
  }
  disks_.list_values(values);
  for (const WellPair& pair : wells_.pairs.all()) {
    values.add(Quantity::well, {disks_.label(pair.a).id, disks_.label(pair.b).id, pair.periods});
  }
}

template <FindsNeighbours B, EventQueue Q, class K>
State BasicSimulation<B, Q, K>::state() const {
  State state = hard::state(view(), counters_.collisions + counters_.wall_hits);
  if (space_.cell.exists()) state.cell = space_.cell.state(cell_sums(), now(), time_);
  return state;
}

template <FindsNeighbours B, EventQueue Q, class K>
Summary BasicSimulation<B, Q, K>::summary() const {
  const View now = view();
  Summary summary = hard::summary(now);
  EnergyBalance accounts = energy_;
  if (space_.cell.exists()) accounts.wall_work += cell_sums().work;
  balance(accounts, energies(now), summary);
  return summary;
}

SCREE_INSTANTIATE_HARD_SIMULATIONS

}  // namespace scree::hard
