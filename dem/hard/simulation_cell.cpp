#include <algorithm>
#include <cmath>
#include <span>

#include "dem/errors.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/hard/simulation_kinds.hpp"

/// A simulation of the hard mode in a periodic cell in shear: its rows of images, and what carries momentum in it.
namespace scree::hard {

/// @throws InvalidScene
template <FindsNeighbours B, EventQueue Q>
void BasicSimulation<B, Q>::require_cell() const {
  if (!space_.cell.exists() || kCanDeform) return;
  throw InvalidScene("broadphase", "is linked_cells, must be another one in a cell that deforms (domain.cell)");
}

/// The tilt at which the rows' images stand from now on: in the middle of where it will be until they are moved.
template <FindsNeighbours B, EventQueue Q>
void BasicSimulation<B, Q>::follow_tilt() {
  if constexpr (kCanDeform) {
    const Cell& cell = space_.cell;
    if (!cell.exists()) return;
    constexpr double kRounding = 1e-3;
    const double slack = neighbourhood_.boxes().margin();
    const double way = (1.0 - kRounding) * slack;
    const double until = cell.speed() == 0.0 ? kNever : now_ + 2.0 * way / std::abs(cell.speed());
    if (!(until > now_)) stop("the cell deforms too fast for the clock");
    neighbourhood_.set_tilt(cell.tilt_at(now_) + std::copysign(way, cell.speed()), slack, until);
  }
}

/// Boxes near the sides between rows get the partners that come along there. Events stay unless a disk hits one of them
/// before.
template <FindsNeighbours B, EventQueue Q>
void BasicSimulation<B, Q>::slide_rows() {
  if constexpr (kCanDeform) {
    follow_tilt();
    const Predictor predictor = this->predictor();
    for (Index i = 0; i < disks_.size(); ++i) {
      const double radius = disks_.flight(i).radius * reach_;
      if (!neighbourhood_.sticks_out_of_row(i, radius)) continue;
      const std::span<const Partner> newcomers = neighbourhood_.move(i, neighbourhood_.boxes().centre(i), radius);
      if (!newcomers.empty()) reschedule(i, predictor.next_event_with(i, newcomers));
    }
  }
}

/// Before disk i begins another flight.
template <FindsNeighbours B, EventQueue Q>
void BasicSimulation<B, Q>::end_flight(Index i) {
  if (space_.cell.exists()) space_.cell.add_flight(disks_.flight(i), disks_.mass(i), now_, recorder_.flux());
}

/// Until now, of flights that go on, too.
template <FindsNeighbours B, EventQueue Q>
MomentumFlux BasicSimulation<B, Q>::flux() const {
  MomentumFlux flux = recorder_.flux();
  for (Index i = 0; i < disks_.size(); ++i) {
    space_.cell.add_flight(disks_.flight(i), disks_.mass(i), now(), flux);
  }
  return flux;
}

SCREE_INSTANTIATE_HARD_SIMULATIONS

}  // namespace scree::hard
