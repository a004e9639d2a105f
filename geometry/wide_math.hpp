#pragma once

#include "geometry/deterministic_math.hpp"
#include "geometry/elementary.hpp"

/// The functions of geometry/deterministic_math.hpp for W numbers at once, with the same bits: inline where arguments
/// are near (geometry/elementary.hpp), and number by number in the lanes where they are not.
namespace scree::wide {

/// `near`, but in lanes that are not near what the scalar function gives.
template <int W>
SCREE_WIDE Number<W> with_far_lanes(const Mask<W>& is_near, const Number<W>& near, const Number<W>& x,
                                    double (*function)(double)) {
  if (is_near.bits() == kAllLanes<W>) [[likely]]
    return near;
  double values[W];
  double arguments[W];
  near.store(values);
  x.store(arguments);
  for (int lane = 0; lane < W; ++lane) {
    if ((is_near.bits() >> lane & 1U) == 0) values[lane] = function(arguments[lane]);
  }
  return Number<W>::load(values);
}

/// Sine and cosine of W angles [rad].
template <int W>
SCREE_WIDE void sincos(const Number<W>& angle, Number<W>& sine, Number<W>& cosine) {
  const elementary::SinCos<W> near = elementary::sincos_near(angle);
  sine = near.sin;
  cosine = near.cos;
  const Mask<W> is_near = elementary::is_near_for_sincos(angle);
  if (is_near.bits() == kAllLanes<W>) [[likely]]
    return;
  sine = with_far_lanes(is_near, near.sin, angle, [](double x) { return deterministic::sincos(x).sin; });
  cosine = with_far_lanes(is_near, near.cos, angle, [](double x) { return deterministic::sincos(x).cos; });
}

template <int W>
SCREE_WIDE Number<W> exp(const Number<W>& x) {
  return with_far_lanes(elementary::is_near_for_exp(x), elementary::exp_near(x), x, deterministic::exp);
}

template <int W>
SCREE_WIDE Number<W> log(const Number<W>& x) {
  return with_far_lanes(elementary::is_near_for_log(x), elementary::log_near(x), x, deterministic::log);
}

template <int W>
SCREE_WIDE Number<W> asinh(const Number<W>& x) {
  return with_far_lanes(elementary::is_near_for_asinh(x), elementary::asinh_near(x), x, deterministic::asinh);
}

/// [rad]
template <int W>
SCREE_WIDE Number<W> atan2(const Number<W>& y, const Number<W>& x) {
  const Number<W> near = elementary::atan2_near(y, x);
  const Mask<W> is_near = elementary::is_near_for_atan2(y, x);
  if (is_near.bits() == kAllLanes<W>) [[likely]]
    return near;
  double values[W];
  double ys[W];
  double xs[W];
  near.store(values);
  y.store(ys);
  x.store(xs);
  for (int lane = 0; lane < W; ++lane) {
    if ((is_near.bits() >> lane & 1U) == 0) values[lane] = deterministic::atan2(ys[lane], xs[lane]);
  }
  return Number<W>::load(values);
}

}  // namespace scree::wide
