#pragma once

#include <cstdint>
#include <limits>

#include "geometry/wide.hpp"

/// Elementary functions of W numbers at once, for the arguments that matter; geometry/wide_math.hpp has them for all.
/// They are made of +, -, *, / and the square root, of which IEEE 754 defines every bit, and of no multiply-add: the
/// results are the same on every processor, by every compiler and in lanes of any width.
///
/// Method: what is large in a result is kept as an unevaluated sum of two numbers, so that only the last addition
/// rounds noticeably (T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18,
/// 1971); products are made exact by short factors. Arguments are reduced by W. J. Cody and W. Waite, Software manual
/// for the elementary functions, 1980, with constants in parts that are short enough. What remains is a polynomial, and
/// small. The polynomials are the best ones that Sollya 8.0 finds for the weight, then rounded, for instance that of
/// the sine:
///   p = remez((sin(sqrt(x)) / sqrt(x) - 1) + 21/128 * x, 5, [1b-60; (pi/4 + 1b-12)^2], x);
/// Other constants are roundings of numbers that MPFR gives. Errors: tests/geometry/deterministic_math.cpp.
namespace scree::elementary {

using wide::Mask;
using wide::Number;
using wide::Whole;

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr double kRounding = 0x1.8p52;  ///< what is added to this loses its fraction, and is in its low bits

/// high + low
template <int W>
struct Pair {
  Number<W> high;
  Number<W> low;
};

/// a + b exactly. @pre a is 0, or not less than b in magnitude, or their difference needs no rounding
template <int W>
SCREE_WIDE Pair<W> exact_sum(const Number<W>& a, const Number<W>& b) {
  const Number<W> sum = a + b;
  return {sum, (a - sum) + b};
}

/// x without the lower half of its digits: 26 remain, and 27 in what is cut off.
template <int W>
SCREE_WIDE Number<W> upper_half(const Number<W>& x) {
  return number_of(bits_of(x) & Whole<W>::of(~((std::uint64_t{1} << 27) - 1)));
}

/// Rounded to the last place of `coarse`, 1.5 times a power of two.
template <int W>
SCREE_WIDE Number<W> rounded(const Number<W>& x, double coarse) {
  return (x + Number<W>(coarse)) - Number<W>(coarse);
}

template <int W>
SCREE_WIDE Number<W> negative_where(const Number<W>& x, const Whole<W>& signs) {
  return number_of(bits_of(x) ^ signs);
}

/// 2^k for the k that was added to kRounding. @pre it is a normal number
template <int W>
SCREE_WIDE Number<W> power_of_two(const Number<W>& k_and_rounding) {
  return number_of((bits_of(k_and_rounding) + Whole<W>::of(1023)) << 52);
}

template <int W>
SCREE_WIDE Pair<W> select(const Mask<W>& where, const Pair<W>& yes, const Pair<W>& no) {
  return {select(where, yes.high, no.high), select(where, yes.low, no.low)};
}

/// c[0] + c[1] x + ... + c[5] x^5
template <int W>
SCREE_WIDE Number<W> polynomial(const double (&c)[6], const Number<W>& x, const Number<W>& x2) {
  using N = Number<W>;
  return (N(c[0]) + N(c[1]) * x) + x2 * ((N(c[2]) + N(c[3]) * x) + x2 * (N(c[4]) + N(c[5]) * x));
}

/// c[0] + c[1] x + ...
template <int W, int Size>
SCREE_WIDE Number<W> polynomial(const double (&c)[Size], const Number<W>& x) {
  Number<W> sum = c[Size - 1];
  for (int k = Size - 2; k >= 0; --k) sum = Number<W>(c[k]) + x * sum;
  return sum;
}

// --- sine and cosine ---

constexpr double kNearAngles = 12867.0;  ///< 2^13 quarter turns: below, the reduction by parts has digits enough
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kQuarterTurn[3] = {0x1.921fb54442p+0, 0x1.a308d31318p-41, 0x1.8a2e03707344ap-81};  ///< 40, 39, 53 bits

template <int W>
SCREE_WIDE Mask<W> is_near_for_sincos(const Number<W>& angle) {
  return less(magnitude(angle), Number<W>(kNearAngles));
}

template <int W>
struct SinCos {
  Number<W> sin;
  Number<W> cos;
};

/// Sine and cosine of `quarters` quarter turns, in the low bits of it, and an angle of at most an eighth turn.
/// @param signs of the whole angle
template <int W>
SCREE_WIDE SinCos<W> sincos_of_rest(const Number<W>& quarters, const Pair<W>& angle, const Whole<W>& signs) {
  using N = Number<W>;
  constexpr double kSine[6] = {-0x1.5555555555235p-9, 0x1.111111110f86dp-7,   -0x1.a01a019c0fdbep-13,
                               0x1.71de357623ce4p-19, -0x1.ae5e64f32e58ep-26, 0x1.5d929ed1c22bep-33};
  constexpr double kCosine[6] = {0x1.555555555554cp-5,   -0x1.6c16c16c1516fp-10, 0x1.a01a019cb0454p-16,
                                 -0x1.27e4f808d4c2fp-22, 0x1.1ee9eb2099b03p-29,  -0x1.8fae30dee4cbep-37};
  constexpr double kCube = -21.0 / 128.0;  // -1/6, but for what kSine begins with: short, so that the product is exact
  const N& x = angle.high;
  const N rough = rounded(x, 0x1.8p36);  // 16 bits: its square and its cube times kCube are exact
  const N rest = x - rough;
  const N rough2 = rough * rough;
  const N z = x * x;
  const N z2 = z * z;
  const N cosine_begins = N(1.0) - N(0.5) * rough2;  // exact
  const N cosine = cosine_begins + (z2 * polynomial(kCosine, z, z2) - (N(0.5) * rest * (x + rough) + angle.low * x));
  const Pair<W> sine_begins = exact_sum(x, N(kCube) * (rough2 * rough));
  const N sine =
      sine_begins.high + (sine_begins.low + ((angle.low * cosine_begins + N(kCube) * rest * (z + rough * x + rough2)) +
                                             x * z * polynomial(kSine, z, z2)));
  const Mask<W> swapped = bit_is_set(quarters, 0);
  const Whole<W> half_turns = bits_of(quarters) << 62;
  const Whole<W> sign = Whole<W>::of(kSign);
  return {negative_where(select(swapped, cosine, sine), (half_turns ^ signs) & sign),
          negative_where(select(swapped, sine, cosine), (half_turns ^ (half_turns << 1)) & sign)};
}

/// Within 0.65 ulp.
template <int W>
SCREE_WIDE SinCos<W> sincos_near(const Number<W>& angle) {
  using N = Number<W>;
  const N x = magnitude(angle);
  const N quarters = x * N(kTwoOverPi) + N(kRounding);
  const N k = quarters - N(kRounding);
  const Pair<W> begins = exact_sum(x - k * N(kQuarterTurn[0]), -(k * N(kQuarterTurn[1])));
  const Pair<W> rest = exact_sum(begins.high, -(k * N(kQuarterTurn[2])));
  return sincos_of_rest<W>(quarters, {rest.high, rest.low + begins.low}, bits_of(angle));
}

// --- exponential ---

constexpr double kNearExponents = 708.0;  ///< below, no result is subnormal or infinite
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLog2[2] = {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45};  ///< 42 and 53 bits of the logarithm of 2

template <int W>
SCREE_WIDE Mask<W> is_near_for_exp(const Number<W>& x) {
  return less(magnitude(x), Number<W>(kNearExponents));
}

/// exp(x) = (high + low) 2^k
template <int W>
struct Exponential {
  Pair<W> value;
  Number<W> k_and_rounding;
};
template <int W>
SCREE_WIDE Exponential<W> scaled_exp(const Number<W>& x) {
  using N = Number<W>;
  constexpr double kExp[10] = {0x1.5555555555556p-3,  0x1.5555555555556p-5,  0x1.11111111109aap-7,
                               0x1.6c16c16c15db5p-10, 0x1.a01a01a7cb593p-13, 0x1.a01a01a93ec9ap-16,
                               0x1.71de0d925d433p-19, 0x1.27e4d4bbaf581p-22, 0x1.af38ec32e6721p-26,
                               0x1.1f7f5565acf5ap-29};
  const N k_and_rounding = x * N(kLog2E) + N(kRounding);
  const N k = k_and_rounding - N(kRounding);
  const N begins = x - k * N(kLog2[0]);
  const N rough = rounded(begins, 0x1.8p27);  // multiples of 2^-25: its square is exact
  const N rest = (begins - rough) - k * N(kLog2[1]);
  const N r = rough + rest;
  const N low = rest + (N(0.5) * rest * (r + rough) + r * r * r * polynomial(kExp, r));
  return {{N(1.0) + (rough + N(0.5) * (rough * rough)), low}, k_and_rounding};
}

/// Within 0.55 ulp.
template <int W>
SCREE_WIDE Number<W> exp_near(const Number<W>& x) {
  const Exponential<W> e = scaled_exp(x);
  return (e.value.high + e.value.low) * power_of_two(e.k_and_rounding);
}

// --- logarithm ---

/// The quotient and, with full accuracy, what it is short of.
template <int W>
SCREE_WIDE Pair<W> quotient(const Pair<W>& numerator, const Pair<W>& denominator) {
  const Number<W> inverse = Number<W>(1.0) / denominator.high;
  const Number<W> high = upper_half(numerator.high * inverse);
  const Number<W> divisor = upper_half(denominator.high);
  const Number<W> divisor_rest = (denominator.high - divisor) + denominator.low;
  const Number<W> remains = ((numerator.high - high * divisor) - high * divisor_rest) + numerator.low;
  return {high, remains * inverse};
}

/// k log(2) + log(m), with m from 0.7 to 1.42.
template <int W>
SCREE_WIDE Number<W> log_of_scaled(const Number<W>& k, const Pair<W>& s) {
  using N = Number<W>;
  // log(m) = 2 artanh(s), s = (m - 1) / (m + 1)
  constexpr double kArtanh[8] = {0x1.5555555555555p-1, 0x1.9999999999e15p-2, 0x1.2492492429821p-2,
                                 0x1.c71c725b0e4c3p-3, 0x1.745cdd8fa6d6p-3,  0x1.3b20c807b1e17p-3,
                                 0x1.0f5a44653c918p-3, 0x1.0f7a0f90c75c9p-3};
  const N all = s.high + s.low;
  const N z = all * all;
  const Pair<W> begins = exact_sum(k * N(kLog2[0]), N(2.0) * s.high);
  return begins.high + (begins.low + (k * N(kLog2[1]) + (N(2.0) * s.low + all * z * polynomial(kArtanh, z))));
}

/// x = m 2^k, with m from 0.7 to 1.42
template <int W>
struct Scaled {
  Number<W> m;
  Number<W> k;
};
/// @pre x is a normal number, and positive
template <int W>
SCREE_WIDE Scaled<W> scaled(const Number<W>& x) {
  using Bits = Whole<W>;
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  constexpr std::uint64_t kLeast = 0x3fe6a09e00000000;  // of m: the root of 1/2
  const Bits bits = bits_of(x) + Bits::of(kOne - kLeast);
  // k + 1023 in the low bits of 2^52
  const Number<W> k = number_of((bits >> 52) | Bits::of(0x4330000000000000)) - Number<W>(0x1p52 + 1023.0);
  return {number_of((bits & Bits::of(kMantissa)) + Bits::of(kLeast)), k};
}

/// (m - 1) / (m + 1), with m from 0.7 to 1.42.
template <int W>
SCREE_WIDE Pair<W> artanh_argument(const Pair<W>& m) {
  const Number<W> one(1.0);
  const Number<W> sum = m.high + one;
  return quotient<W>({m.high - one, m.low}, {sum, ((one - sum) + m.high) + m.low});
}

template <int W>
SCREE_WIDE Mask<W> is_near_for_log(const Number<W>& x) {
  return at_most(Number<W>(std::numeric_limits<double>::min()), x) &
         at_most(x, Number<W>(std::numeric_limits<double>::max()));
}

/// log(x 2^more), within 0.55 ulp.
template <int W>
SCREE_WIDE Number<W> log_near(const Number<W>& x, double more = 0.0) {
  const Scaled<W> parts = scaled(x);
  return log_of_scaled(parts.k + Number<W>(more), artanh_argument<W>({parts.m, 0.0}));
}

// --- inverse hyperbolic sine ---

constexpr double kLeastOfAsinh = 0x1p-30;  ///< below, asinh(x) rounds to x
constexpr double kMostOfAsinh = 0x1p30;    ///< beyond, to log(2 x)

template <int W>
SCREE_WIDE Mask<W> is_near_for_asinh(const Number<W>& x) {
  return less(Number<W>(kLeastOfAsinh), magnitude(x)) & less(magnitude(x), Number<W>(kMostOfAsinh));
}

/// Within 0.65 ulp.
template <int W>
SCREE_WIDE Number<W> asinh_near(const Number<W>& number) {
  using N = Number<W>;
  const N one(1.0);
  const N x = magnitude(number);
  // length: the root of 1 + x^2
  const N high = upper_half(x);
  const N low = x - high;
  const N square = x * x;
  const N square_low = ((high * high - square) + N(2.0) * high * low) + low * low;
  const Mask<W> is_small = less(x, one);
  const Pair<W> sum = exact_sum(select(is_small, one, square), select(is_small, square, one));
  const N length = root(sum.high);
  const N upper = upper_half(length);
  const N rest = length - upper;
  const N remains = ((sum.high - upper * upper) - N(2.0) * upper * rest) - rest * rest;
  const N length_low = (remains + (sum.low + square_low)) / (N(2.0) * length);
  // For small x it is 2 artanh(x / (1 + length)), for others log(x + length).
  const Pair<W> divisor = exact_sum(length, one);
  const Pair<W> small = quotient<W>({x, 0.0}, {divisor.high, divisor.low + length_low});
  const Pair<W> all = exact_sum(length, x);
  const Scaled<W> parts = scaled(all.high);
  const N scale = power_of_two(N(kRounding) - parts.k);
  const Pair<W> large = artanh_argument<W>({parts.m, (all.low + length_low) * scale});
  const Mask<W> is_in_one_binade = less(x, N(0.35));
  const N value = log_of_scaled(select(is_in_one_binade, N(0.0), parts.k), select(is_in_one_binade, small, large));
  return negative_where(value, bits_of(number) & Whole<W>::of(kSign));
}

// --- arc tangent ---

constexpr double kFarthestOfAtan2 = 0x1p500;
constexpr double kLeastRatioOfAtan2 = 0x1p-60;  ///< below, the angle differs by less than rounding from the axis'

template <int W>
SCREE_WIDE Mask<W> is_near_for_atan2(const Number<W>& y, const Number<W>& x) {
  const Number<W> small = lesser(magnitude(x), magnitude(y));   // y if one of them is not a number,
  const Number<W> large = greater(magnitude(y), magnitude(x));  // and x
  return less(Number<W>(1.0 / kFarthestOfAtan2), small) & less(large, Number<W>(kFarthestOfAtan2)) &
         less(Number<W>(kLeastRatioOfAtan2) * large, small);
}

/// Within 0.65 ulp.
template <int W>
SCREE_WIDE Number<W> atan2_near(const Number<W>& y, const Number<W>& x) {
  using N = Number<W>;
  constexpr double kArctan[9] = {-0x1.5555555555554p-2, 0x1.9999999999252p-3,  -0x1.2492492426588p-3,
                                 0x1.c71c7164ef85fp-4,  -0x1.745cfdfa22ad2p-4, 0x1.3b0fbed377b6fp-4,
                                 -0x1.10af779467831p-4, 0x1.d667fbeb58015p-5,  -0x1.4d44d6569e217p-5};
  const Pair<W> none = {0.0, 0.0};
  const Pair<W> pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
  const Pair<W> half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  const Pair<W> quarter_pi = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
  const Pair<W> of_half = {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56};  // arctan(1/2)
  const N small = lesser(magnitude(x), magnitude(y));
  const N large = greater(magnitude(x), magnitude(y));
  // From the nearest of 0, 1/2 and 1: arctan(t) = arctan(c) + arctan((t - c) / (1 + c t)), with at most 0.24 there.
  const Mask<W> is_flat = less(small, N(0.236) * large);
  const Mask<W> is_middle = less(small, N(0.72) * large);
  const N c = select(is_flat, N(0.0), select(is_middle, N(0.5), N(1.0)));
  const Pair<W> from_c = select(is_flat, none, select(is_middle, of_half, quarter_pi));
  const Pair<W> less_c = exact_sum(c * large, -small);
  const Pair<W> u = quotient<W>({-less_c.high, -less_c.low}, exact_sum(large, c * small));
  const N all = u.high + u.low;
  const N z = all * all;
  const N low = (u.low + from_c.low) + all * z * polynomial(kArctan, z);
  // On from the x axis, the y axis or the other way along the x axis, forwards or backwards.
  const Mask<W> is_steep = less(magnitude(x), magnitude(y));
  const Mask<W> is_back = less(x, N(0.0));
  const Pair<W> from = select(is_steep, half_pi, select(is_back, pi, none));
  const N one = select(is_back, N(-1.0), N(1.0)) * select(is_steep, N(-1.0), N(1.0));
  const Pair<W> begins = exact_sum(from.high, one * from_c.high);
  const Pair<W> angle = exact_sum(begins.high, one * u.high);
  const N value = angle.high + (angle.low + (begins.low + (from.low + one * low)));
  return negative_where(value, bits_of(y) & Whole<W>::of(kSign));
}

}  // namespace scree::elementary
