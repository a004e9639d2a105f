#pragma once

#include "dem/hard/lanes/cells.hpp"
#include "dem/hard/lanes/kernels.hpp"
#include "dem/hard/lanes/predictions.hpp"

namespace scree::hard::lanes {

/// All kernels of one width.
template <int W>
constexpr Kernels table() {
  return {.width = W,
          .first = first<W, false>,
          .first_falling = first<W, true>,
          .predict = predict<W, false>,
          .predict_falling = predict<W, true>,
          .find_around = find_around<W>,
          .find_changes = find_changes<W>,
          .place_of = place_of<W>};
}

}  // namespace scree::hard::lanes
