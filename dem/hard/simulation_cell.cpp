#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/boxes/box_margin.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/flight/drift.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/hard/simulation_kinds.hpp"

/// A simulation of the hard mode in a periodic cell that deforms: its images, what its drive does, and how it ends.
namespace scree::hard {

/// @throws InvalidScene
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::require_cell() const {
  if (!space_.cell.exists() || kCanDeform) return;
  throw InvalidScene("broadphase", "is linked_cells, must be another one in a cell that deforms (domain.cell)");
}

/// After loading. @throws InvalidState
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::resume_cell() {
  space_.cell.resume();
  space_.cell.require_sound(recorder_.cell_sums(), rebasing_.clock().at(time_));
  space_.follow_cell();
  rebasing_.end_by(space_.cell.end_of_epoch());
}

/// Where images stand from now on: in the middle of where they will be until they are moved.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::place_images() {
  if constexpr (kCanDeform) {
    if (!space_.cell.exists()) return;
    const ImagesForAWhile images = space_.cell.images(now_, neighbourhood_.boxes().margin());
    if (!(images.until > now_)) stop("the cell deforms too fast for the clock");
    neighbourhood_.place_images(images);
  }
}

/// Boxes near the sides get the partners that come along there. Events stay unless a disk hits one of them before.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::move_images() {
  if constexpr (kCanDeform) {
    place_images();
    const Predictor predictor = this->predictor();
    for (Index i = 0; i < disks_.size(); ++i) {
      const double radius = disks_.flight(i).radius * reach_;
      if (!neighbourhood_.has_moving_images(i, radius)) continue;
      const std::span<const Partner> newcomers = neighbourhood_.move(i, neighbourhood_.boxes().centre(i), radius);
      if (!newcomers.empty()) reschedule(i, predictor.next_event_with(i, newcomers));
    }
  }
}

/// Boxes that suit the density, and fit beside each other until the next node. The run ends if there are none.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::fit_boxes_to_cell(std::span<const double> radii) {
  constexpr double kRoundings = 1e3;  // in the radius of the smallest disk, at least
  if constexpr (kCanDeform) {
    const Vec2 length = space_.cell.length_at(now_);
    const double rounding = tolerance(space_.domain, 0.0);
    Domain narrow = space_.domain;
    narrow.hi = narrow.lo + space_.cell.least_length();
    const double margin = fitting_margin(narrow, radii, 0.0, margin_);
    if (!(kBoxSlack * margin > rounding)) {
      stop(
          fmt::format("the cell has become {:.4g} m by {:.4g} m, too small for disks {:.4g} m wide: they must be less "
                      "than half as wide as the cell, and less wide than it is high",
                      length.x(), length.y(), 2.0 * std::ranges::max(radii)));
    }
    if (disks_.smallest_radius() < kRoundings * rounding) {
      stop(
          fmt::format("the cell has become {:.4g} m by {:.4g} m, too large for disks {:.4g} m wide: at its sides "
                      "distances are rounded to {:.2g} m",
                      length.x(), length.y(), 2.0 * disks_.smallest_radius(), rounding));
    }
    neighbourhood_ = NeighbourhoodBy<B>(space_.domain, margin);
  }
}

/// Disks that are squeezed more and more have more and more collisions, until none of the cell's strain is left. That
/// ends the run before. @param changes of velocity since the clock was rebased the last time but one
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::require_no_jam(std::uint64_t changes) {
  constexpr double kJammed = 1e4;  // p V / (N kT): 2e-4 of the packing fraction are left
  const double pressure = recorder_.cell_sums().take_reduced_pressure();
  const Components gradient = space_.cell.gradient_at(now_);
  const bool shrinks = gradient[0] + gradient[1] < 0.0;
  if (!shrinks || changes < rebasing_.changes_to_rebase() || !(pressure > kJammed)) return;
  const double fraction = hard::packing_fraction(disks_, compression_.growth(), space_.domain_at(now_), now_);
  stop(
      fmt::format("the disks have jammed: the cell squeezes them at a packing fraction of {:.4g}, where their pressure "
                  "is {:.2g} times that of an ideal gas; end the run, or the strain, before",
                  fraction, pressure));
}

/// Before disk i begins another flight.
template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::end_flight(Index i) {
  if (space_.cell.exists()) space_.cell.add_flight(disks_.flight(i), disks_.mass(i), now_, recorder_.cell_sums());
}

/// Until now, of flights that go on, too.
template <FindsNeighbours B, EventQueue Q, class K>
CellSums BasicSimulation<B, Q, K>::cell_sums() const {
  CellSums sums = recorder_.cell_sums();
  for (Index i = 0; i < disks_.size(); ++i) {
    space_.cell.add_flight(disks_.flight(i), disks_.mass(i), now(), sums);
  }
  remove_drift(space_, disks_, now(), sums);
  return sums;
}

SCREE_INSTANTIATE_HARD_SIMULATIONS

}  // namespace scree::hard
