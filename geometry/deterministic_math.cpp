#include "geometry/deterministic_math.hpp"

#include <sleef.h>

namespace scree::deterministic {

SinCos sincos(double angle) {
  const Sleef_double_2 both = Sleef_cinz_sincosd1_u10purec(angle);
  return {both.x, both.y};
}
double exp(double x) {
  return Sleef_cinz_expd1_u10purec(x);
}
double log(double x) {
  return Sleef_cinz_logd1_u10purec(x);
}
double atan2(double y, double x) {
  return Sleef_cinz_atan2d1_u10purec(y, x);
}
double asinh(double x) {
  return Sleef_cinz_asinhd1_u10purec(x);
}

}  // namespace scree::deterministic
