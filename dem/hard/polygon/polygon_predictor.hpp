#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>

#include "dem/hard/boxes/partner_lists.hpp"
#include "dem/hard/disk/predictor.hpp"
#include "dem/hard/events/rebasing.hpp"
#include "dem/hard/flight/event.hpp"

namespace scree::hard {

/// Grains turn so often while they pass each other that the search for their first contact was given up.
struct SearchGaveUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The next event of one grain that has a form. As Predictor, whose boxes it has: those of bounding circles.
struct PolygonPredictor : Predictor {
  const Rebasing& rebasing;
  const double& reach;  ///< times the radius: what boxes cover

  /// Nothing is predicted beyond: when the clock is to be rebased, or grains have grown as large as they should be or
  /// as their boxes [s].
  double latest() const { return std::min(rebasing.deadline(), compression.due(reach)); }

  /// As Predictor. @throws SearchGaveUp
  Event next_event(Index i) const;
  Event next_event_with(Index i, std::span<const Partner> newcomers) const;
};

}  // namespace scree::hard
