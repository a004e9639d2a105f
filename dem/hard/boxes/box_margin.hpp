#pragma once

#include <span>

#include "dem/hard/flight/setup.hpp"
#include "dem/scene/domain.hpp"

namespace scree::hard {

/// Boxes are larger than the disks' reach by this part of the margin: far more than rounding.
constexpr double kBoxSlack = 1.0 / 1024.0;
/// While disks grow, boxes have room for this part of the margin more.
constexpr double kGrowthInBoxes = 0.25;

/// The margin of boxes with which two of them fit beside each other along a periodic axis, while disks grow into them,
/// too [m]; not positive if none does.
/// @param radii of the disks, or of their wells [m] @param greatest_radius of disks that are added later [m]
/// @param wanted margin [m]; 0: one that suits the density
double fitting_margin(const Domain& domain, std::span<const double> radii, double greatest_radius, double wanted);

/// The margin at the start [m]; 0 without disks. @throws InvalidScene if a disk is as wide as the periodic domain
double first_margin(const Setup& setup);

}  // namespace scree::hard
