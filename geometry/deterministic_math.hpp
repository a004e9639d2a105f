#pragma once

/// Elementary functions that give the same bits on every machine. Those of the C library do not, since it chooses
/// variants at run time for the processor. These are SLEEF's deterministic functions (within 1 ulp). All code that
/// affects a trajectory calls them; IEEE 754 already defines every bit of +, -, *, / and the square root.
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
