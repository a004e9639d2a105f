#include "dem/hard/exact/contact.hpp"

#include <algorithm>
#include <cmath>

namespace scree::hard::exact {

std::int64_t ticks_to_contact(const Vector& r, const Vector& v, std::int64_t contact, std::int64_t latest) {
  const Int128 b = dot(r, v);
  if (b >= 0) return kNoTick;
  const Int128 c = squared(r) - product(contact, contact);
  const auto ad = static_cast<double>(squared(v));
  const auto bd = static_cast<double>(-b);
  const auto cd = static_cast<double>(c);
  // The three are rounded once each, so the discriminant is wrong by less than 1e-15 of the sum of both terms, and the
  // root of its magnitude by less than 1e-7 of bd.
  constexpr double kRounding = 1e-14;
  const double discriminant = bd * bd - ad * cd;
  if (discriminant < -kRounding * (bd * bd + ad * cd)) return kNoTick;
  const double guess = cd / (bd + std::sqrt(std::max(discriminant, 0.0)));  // [ticks]
  constexpr double kEarly = 1.0 - 1e-6;
  if (kEarly * guess - 2.0 > static_cast<double>(latest)) return kNoTick;

  // It approaches and is not inside yet, up to a tick; from the next one on it is inside, or separates.
  const auto is_over = [&](std::int64_t t) {
    const Vector then = r + v * t;
    return overlap(then, contact) || dot(then, v) >= 0;
  };
  std::int64_t high = std::max<std::int64_t>(1, static_cast<std::int64_t>(guess));
  std::int64_t low = high - 1;
  for (std::int64_t step = 1; !is_over(high); step *= 2) {
    low = high;
    high += step;
  }
  for (std::int64_t step = 1; low > 0 && is_over(low); step *= 2) {
    high = low;
    low = std::max<std::int64_t>(0, low - step);
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (is_over(middle) ? high : low) = middle;
  }
  return overlap(r + v * high, contact) && high - 1 <= latest ? high - 1 : kNoTick;
}

}  // namespace scree::hard::exact
