#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace scree::compare {

/// A point of a straight line.
struct LinePoint {
  double x;
  double y;
  std::optional<double> error = {};  ///< standard error of y, > 0
};

struct Slope {
  double value = 0.0;
  double error = 0.0;  ///< standard error
  std::size_t points = 0;
};

/// Slope of the straight line through points by least squares. If all have errors, these weight the points, and the
/// slope's error is the larger of two: that from the points' errors, and that from their distances to the line.
/// Otherwise it is the latter. @return nothing for fewer than three points or equal x
std::optional<Slope> fit_line(std::span<const LinePoint> points);

}  // namespace scree::compare
