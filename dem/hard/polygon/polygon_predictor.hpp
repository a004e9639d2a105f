#pragma once

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
///
/// Nothing is predicted beyond the moment when the clock is to be rebased, since all is predicted anew then.
struct PolygonPredictor : Predictor {
  const Rebasing& rebasing;

  /// As Predictor. @throws SearchGaveUp
  Event next_event(Index i) const;
  Event next_event_with(Index i, std::span<const Partner> newcomers) const;
};

}  // namespace scree::hard
