#include "dem/hard/exact/contact.hpp"

#include <algorithm>

namespace scree::hard::exact {

std::int64_t ticks_to_contact(const Vector& r, const Vector& v, std::int64_t contact, std::int64_t latest) {
  return ticks_to_contact(r, v, contact, latest, approach(r, v, contact));
}

std::int64_t ticks_to_contact(const Vector& r, const Vector& v, std::int64_t contact, std::int64_t latest,
                              const Approach& guess) {
  constexpr double kEarly = 1.0 - 1e-9;
  if (kEarly * guess.ticks - 2.0 > static_cast<double>(latest)) return kNoTick;
  if (!guess.is_clear && dot(r, v) >= 0) return kNoTick;
  const Int128 square = product(contact, contact);
  const auto touches = [&](const Vector& then) { return squared(then) < square; };
  // It approaches and is not inside yet, up to a tick; from the next one on it is inside, or separates.
  const auto is_over = [&](std::int64_t t) {
    const Vector then = r + v * t;
    return touches(then) || dot(then, v) >= 0;
  };
  std::int64_t low = static_cast<std::int64_t>(guess.ticks);
  std::int64_t high = low + 1;
  for (std::int64_t step = 1; low > 0 && is_over(low); step *= 2) {
    high = low;
    low = std::max<std::int64_t>(0, low - step);
  }
  for (std::int64_t step = 1; !is_over(high); step *= 2) {
    low = high;
    high += step;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (is_over(middle) ? high : low) = middle;
  }
  return high - 1 <= latest && touches(r + v * high) ? high - 1 : kNoTick;
}

}  // namespace scree::hard::exact
