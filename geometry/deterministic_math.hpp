#pragma once

/// Elementary functions that give the same bits on every machine. The C library's do not: it chooses among variants by
/// the processor it finds. Ours are SLEEF's deterministic ones (within 1 ulp). Whatever lies on the path of a
/// trajectory calls these; +, -, *, / and the square root are exact by IEEE 754 already.
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
