#pragma once

/// Elementary functions that give the same bits on every processor, within 0.65 ulp; the C library's depend on the
/// system and the processor. All code that affects a trajectory calls these; IEEE 754 already defines every bit of +,
/// -, *, / and the square root. What is not a number is always the same one. For several numbers at once:
/// wide_math.hpp.
namespace scree::deterministic {

struct SinCos {
  double sin;
  double cos;
};
SinCos sincos(double angle);  ///< angle [rad]

double exp(double x);
double log(double x);
double atan2(double y, double x);  ///< [rad]
double asinh(double x);

}  // namespace scree::deterministic
