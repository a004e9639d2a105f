#pragma once

#include "geometry/deterministic_math.hpp"
#include "geometry/elementary.hpp"

/// The functions of geometry/deterministic_math.hpp for W numbers at once, with the same bits: inline where arguments
/// are near (geometry/elementary.hpp), and number by number in the lanes where they are not.
namespace scree::wide {

/// `near`, but in lanes that are not near what the scalar function gives.
template <int W, class... X>
SCREE_WIDE Number<W> with_far_lanes(const Mask<W>& is_near, const Number<W>& near, auto function,
                                    const X&... arguments) {
  if (is_near.bits() == kAllLanes<W>) [[likely]]
    return near;
  double values[W];
  near.store(values);
  const auto in_lane = [](const Number<W>& x, int lane) {
    double lanes[W];
    x.store(lanes);
    return lanes[lane];
  };
  for (int lane = 0; lane < W; ++lane) {
    if ((is_near.bits() >> lane & 1U) == 0) values[lane] = function(in_lane(arguments, lane)...);
  }
  return Number<W>::load(values);
}

/// Sine and cosine of W angles [rad].
template <int W>
SCREE_WIDE void sincos(const Number<W>& angle, Number<W>& sine, Number<W>& cosine) {
  const elementary::SinCos<W> near = elementary::sincos_near(angle);
  const Mask<W> is_near = elementary::is_near_for_sincos(angle);
  sine = with_far_lanes(
      is_near, near.sin, [](double x) { return deterministic::sincos(x).sin; }, angle);
  cosine = with_far_lanes(
      is_near, near.cos, [](double x) { return deterministic::sincos(x).cos; }, angle);
}

template <int W>
SCREE_WIDE Number<W> exp(const Number<W>& x) {
  return with_far_lanes(elementary::is_near_for_exp(x), elementary::exp_near(x), deterministic::exp, x);
}

template <int W>
SCREE_WIDE Number<W> log(const Number<W>& x) {
  return with_far_lanes(elementary::is_near_for_log(x), elementary::log_near(x), deterministic::log, x);
}

template <int W>
SCREE_WIDE Number<W> asinh(const Number<W>& x) {
  return with_far_lanes(elementary::is_near_for_asinh(x), elementary::asinh_near(x), deterministic::asinh, x);
}

/// [rad]
template <int W>
SCREE_WIDE Number<W> atan2(const Number<W>& y, const Number<W>& x) {
  return with_far_lanes(elementary::is_near_for_atan2(y, x), elementary::atan2_near(y, x), deterministic::atan2, y, x);
}

}  // namespace scree::wide
