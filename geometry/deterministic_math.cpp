#include "geometry/deterministic_math.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "geometry/elementary.hpp"

namespace scree::deterministic {
namespace {

using elementary::Pair;
using wide::Number;
__extension__ using Word128 = unsigned __int128;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Mask>
bool holds(const Mask& mask) {
  return mask.bits() != 0;
}

/// The digits of 2/pi after the point, as words of 64 bits; the first one stands before it.
constexpr std::uint64_t kTwoOverPi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                        0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                        0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                        0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                        0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
                                        0xf0cfbc209af4361d};
constexpr std::uint64_t kHalfPi[2] = {0xc90fdaa22168c234, 0xc4c6628b80dc1cd1};  ///< times 2^127

struct Reduced {
  unsigned quarters;  ///< modulo 4
  Pair<1> rest;       ///< from -pi/4 to pi/4 [rad]
};

/// Quarter turns of a large finite angle and what remains, by the digits of 2/pi that are neither multiples of
/// four quarter turns nor too small to matter. Source: M. H. Payne and R. N. Hanek, Radian reduction for trigonometric
/// functions, SIGNUM Newsletter 18, 1983.
/// @pre angle is at least 1
Reduced reduce(double angle) {
  const auto bits = std::bit_cast<std::uint64_t>(angle);
  const std::uint64_t mantissa = (bits & elementary::kMantissa) | (elementary::kMantissa + 1);
  const int exponent = static_cast<int>(bits >> 52) - 1075;  // angle = mantissa 2^exponent
  // Four words from the bit on that is worth 2 quarter turns for the mantissa's last bit.
  const auto first = static_cast<unsigned>(exponent + 62);  // within kTwoOverPi
  const std::size_t word = first / 64;
  const unsigned shift = first % 64;
  std::uint64_t turns[4];  // low words first; modulo 4, in units of 2^-254
  Word128 carry = 0;
  for (std::size_t k = 4; k-- > 0;) {
    const std::uint64_t* const at = kTwoOverPi + word + k;
    const std::uint64_t digits = shift == 0 ? at[0] : at[0] << shift | at[1] >> (64 - shift);
    carry += static_cast<Word128>(digits) * mantissa;
    turns[3 - k] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  auto quarters = static_cast<unsigned>(turns[3] >> 62);
  std::uint64_t fraction[3];  // high words first, of a quarter turn
  for (std::size_t k = 0; k < 3; ++k) fraction[k] = turns[3 - k] << 2 | turns[2 - k] >> 62;
  const bool is_over = fraction[0] >> 63 != 0;
  if (is_over) {  // on to the next quarter turn, and back: 1 - fraction
    ++quarters;
    for (std::uint64_t& part : fraction) part = ~part;  // but for a unit of the last place
  }
  int scale = 0;
  while (fraction[0] >> 63 == 0) {  // no double is nearer to a multiple of pi/2 than 2^-62
    ++scale;
    fraction[0] = fraction[0] << 1 | fraction[1] >> 63;
    fraction[1] = fraction[1] << 1 | fraction[2] >> 63;
    fraction[2] <<= 1;
  }
  // Times pi/2: the upper 128 bits of the product, less some units of the last place.
  const auto times = [](std::uint64_t a, std::uint64_t b) { return static_cast<Word128>(a) * b; };
  const Word128 product = times(fraction[0], kHalfPi[0]) + (times(fraction[0], kHalfPi[1]) >> 64) +
                          (times(fraction[1], kHalfPi[0]) >> 64);  // times 2^-127-scale
  const auto high = static_cast<std::uint64_t>(product >> 75);     // 53 bits
  const auto low = static_cast<std::uint64_t>(product >> 22) & ((std::uint64_t{1} << 53) - 1);
  const double sign = is_over ? -1.0 : 1.0;
  const auto rest = elementary::exact_sum<1>(sign * std::ldexp(static_cast<double>(high), 75 - 127 - scale),
                                             sign * std::ldexp(static_cast<double>(low), 22 - 127 - scale));
  return {quarters, rest};
}

double far_exp(double x) {
  if (x != x) return kNotANumber;
  if (x > 710.0) return kInfinity;
  if (x < -746.0) return 0.0;
  const auto e = elementary::scaled_exp<1>(x);
  const double high = e.value.high.value;
  const double low = e.value.low.value;
  const int k = static_cast<int>((e.k_and_rounding - elementary::kRounding).value);
  const double value = high + low;
  const auto scaled = [](double number, int first, int by) {
    return number * std::ldexp(1.0, first) * std::ldexp(1.0, by - first);
  };
  if (k > 0) return scaled(value, 1000, k);
  if (k > -1022 || (k == -1022 && value >= 1.0)) return scaled(value, -1000, k);
  // A subnormal number. Rounded once, by adding to a number that has the last place of it.
  const double coarse = std::ldexp(1.0, -1022 - k);
  const double sum = coarse + high;
  return scaled((sum + (((coarse - sum) + high) + low)) - coarse, -1000, k);
}

double far_log(double x) {
  if (x != x || x < 0.0) return kNotANumber;
  if (x == 0.0) return -kInfinity;
  if (x == kInfinity) return x;
  return elementary::log_near<1>(x * 0x1p54, -54.0).value;
}

double far_asinh(double x) {
  if (x != x) return kNotANumber;
  const double size = std::abs(x);
  if (size <= elementary::kLeastOfAsinh || size == kInfinity) return x;
  return std::copysign(elementary::log_near<1>(size, 1.0).value, x);
}

double far_atan2(double y, double x) {
  constexpr double kPi = 0x1.921fb54442d18p+1;
  if (x != x || y != y) return kNotANumber;
  const bool is_back = std::signbit(x);
  double size_y = std::abs(y);
  double size_x = std::abs(x);
  if (size_x == kInfinity && size_y == kInfinity) return std::copysign(is_back ? 0.75 * kPi : 0.25 * kPi, y);
  if (size_y == 0.0 || size_x * elementary::kLeastRatioOfAtan2 >= size_y) {
    return std::copysign(is_back ? kPi : size_y == 0.0 ? 0.0 : size_y / size_x, y);
  }
  if (size_y * elementary::kLeastRatioOfAtan2 >= size_x) return std::copysign(0.5 * kPi, y);
  const double scale = std::max(size_x, size_y) > 1.0 ? 0x1p-600 : 0x1p600;
  return elementary::atan2_near<1>(y * scale, x * scale).value;
}

}  // namespace

SinCos sincos(double angle) {
  const Number<1> x(angle);
  elementary::SinCos<1> result;
  if (holds(elementary::is_near_for_sincos<1>(x))) {
    result = elementary::sincos_near<1>(x);
  } else {
    if (!std::isfinite(angle)) return {kNotANumber, kNotANumber};
    const Reduced reduced = reduce(std::abs(angle));
    result = elementary::sincos_of_rest<1>(elementary::kRounding + reduced.quarters, reduced.rest, bits_of(x));
  }
  return {result.sin.value, result.cos.value};
}

double exp(double x) {
  return holds(elementary::is_near_for_exp<1>(x)) ? elementary::exp_near<1>(x).value : far_exp(x);
}
double log(double x) {
  return holds(elementary::is_near_for_log<1>(x)) ? elementary::log_near<1>(x).value : far_log(x);
}
double atan2(double y, double x) {
  return holds(elementary::is_near_for_atan2<1>(y, x)) ? elementary::atan2_near<1>(y, x).value : far_atan2(y, x);
}
double asinh(double x) {
  return holds(elementary::is_near_for_asinh<1>(x)) ? elementary::asinh_near<1>(x).value : far_asinh(x);
}

}  // namespace scree::deterministic
