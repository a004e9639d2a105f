#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dem/energy_balance.hpp"
#include "dem/hard/flight/packing.hpp"
#include "dem/hard/view.hpp"
#include "dem/periodic.hpp"
#include "dem/state.hpp"

namespace scree::hard {

/// A copy of the disks and walls, positions inside the domain along periodic axes. Looking never changes the future.
/// @param steps what counts as them
State state(const View& view, std::uint64_t steps);
/// How often each disk went around.
std::vector<Image> images(const View& view);
/// Counts and packing; energies are left to `balance`.
Summary summary(const View& view);
Energies energies(const View& view);
/// Area of the disks over that of the domain.
double packing_fraction(const View& view);
/// Disks and sides nearer to each other than (1 + gap) times the distance of centres at which they touch.
/// @param gap below 1e-3; in a jammed packing, some tens over the reduced pressure
std::vector<PackingContact> contacts(const View& view, double gap);
/// Backbone of a jammed packing: the disks whose gaps are at most `greatest_gap`.
Backbone backbone(const View& view);
/// Nothing if disks never grew.
std::optional<Packing> packing(const View& view);

}  // namespace scree::hard
