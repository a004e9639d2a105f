#include "geometry/deterministic_math.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/geometry/functions_in_lanes.hpp"

namespace scree::deterministic_math_test {

/// Values at the edges, equal bits in lanes of every width, and errors beside `long double`, where that has more
/// digits. Beside MPFR: deterministic_math_mpfr.cpp.
using deterministic::sincos;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();
constexpr double kLeastNormal = std::numeric_limits<double>::min();
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kPi = std::numbers::pi;
constexpr double kMostError = 0.65;  // ulp

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

bool same(double a, double b) {
  return bits(a) == bits(b);
}

std::uint64_t arguments(std::uint64_t otherwise) {
  const char* const wanted = std::getenv("SCREE_ARGUMENTS");
  return wanted != nullptr ? std::stoull(wanted) : otherwise;
}

/// Any double: of every size, of a moderate one, near a multiple of pi/2, and the special ones.
class AnyDouble {
 public:
  double operator()() {
    switch (random_() % 8) {
      case 0:
        return kSpecial[random_() % std::size(kSpecial)];
      case 1:
        return std::bit_cast<double>(random_());  // some of them are no numbers
      case 2:
        return std::bit_cast<double>(bits(static_cast<double>(random_() % 20000) * kPi / 2.0) + random_() % 3);
      case 3:
        return between(-20000.0, 20000.0);
      default:
        return between(-4.0, 4.0);
    }
  }
  double between(double least, double most) {
    return least + (most - least) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  std::uint64_t number() { return random_(); }

 private:
  static constexpr double kSpecial[] = {0.0,    -0.0,  kLeast, -kLeast, kLeastNormal, -kLeastNormal, 1.0,
                                        -1.0,   kMost, -kMost, kInf,    -kInf,        kNan,          0x1p-30,
                                        0x1p30, 708.0, -708.0, 12867.0, -12867.0,     0x1p500,       0x1p-500};
  std::mt19937_64 random_{11};
};

/// The spacing of doubles about x.
double unit_of_last_place(long double x) {
  int exponent = 0;
  (void)std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent - 53, -1074));
}

}  // namespace

TEST_CASE("sine and cosine at the edges") {
  CHECK(same(sincos(0.0).sin, 0.0));
  CHECK(same(sincos(-0.0).sin, -0.0));
  CHECK(sincos(0.0).cos == 1.0);
  CHECK(sincos(-0.0).cos == 1.0);
  for (const double x : {kLeast, 3.0 * kLeast, kLeastNormal, 1e-200, 1e-9}) {
    CHECK(sincos(x).sin == x);
    CHECK(sincos(-x).sin == -x);
    CHECK(sincos(x).cos == 1.0);
  }
  for (const double x : {kInf, -kInf, kNan, -kNan}) {
    CHECK(same(sincos(x).sin, kNan));
    CHECK(same(sincos(x).cos, kNan));
  }
  // Known values: of the double nearest to pi and its half, and of huge angles.
  CHECK(sincos(kPi).sin == 1.2246467991473532e-16);
  CHECK(sincos(kPi).cos == -1.0);
  CHECK(sincos(kPi / 2.0).sin == 1.0);
  CHECK(sincos(kPi / 2.0).cos == 6.123233995736766e-17);
  CHECK(sincos(-kPi / 2.0).sin == -1.0);
  CHECK(sincos(1e22).sin == -0.8522008497671888);
  CHECK(sincos(1e22).cos == 0.523214785395139);
  CHECK(sincos(kMost).sin == 0.004961954789184062);
  CHECK(sincos(kMost).cos == -0.9999876894265599);
  for (int k = 0; k < 1024; ++k) {  // signs in all quadrants, by both reductions
    for (const double turn : {0.0, 65536.0}) {
      const double angle = (k + 4.0 * turn + 0.5) * (kPi / 2.0);
      const auto found = sincos(angle);
      CHECK((found.sin > 0.0) == (k % 4 < 2));
      CHECK((found.cos > 0.0) == (k % 4 == 0 || k % 4 == 3));
      CHECK(std::abs(found.sin * found.sin + found.cos * found.cos - 1.0) < 4e-16);
      CHECK(same(sincos(-angle).sin, -found.sin));
      CHECK(same(sincos(-angle).cos, found.cos));
    }
  }
}

TEST_CASE("the exponential and the logarithm at the edges") {
  using deterministic::exp;
  using deterministic::log;
  for (const double x : {0.0, -0.0, kLeast, -kLeast, 1e-17, -1e-17}) CHECK(exp(x) == 1.0);
  CHECK(exp(1.0) == std::numbers::e);
  CHECK(exp(kInf) == kInf);
  CHECK(same(exp(-kInf), 0.0));
  CHECK(same(exp(kNan), kNan));
  CHECK(same(exp(-kNan), kNan));
  CHECK(exp(709.782712893384) == 1.7976931348622732e308);
  CHECK(exp(709.7827128933841) == kInf);
  CHECK(exp(kMost) == kInf);
  CHECK(same(exp(-kMost), 0.0));
  CHECK(exp(-745.1332191019411) == kLeast);
  CHECK(same(exp(-745.1332191019412), 0.0));
  CHECK(exp(-708.3964185322641) == 2.2250738585072626e-308);  // the least normal number is 2.2250738585072014e-308

  CHECK(same(log(1.0), 0.0));
  CHECK(log(0.0) == -kInf);
  CHECK(log(-0.0) == -kInf);
  CHECK(log(kInf) == kInf);
  for (const double x : {-1.0, -kLeast, -kInf, kNan, -kNan}) CHECK(same(log(x), kNan));
  CHECK(log(2.0) == std::numbers::ln2);
  CHECK(log(10.0) == std::numbers::ln10);
  CHECK(log(kLeast) == -744.4400719213812);
  CHECK(log(kLeastNormal) == -708.3964185322641);
  CHECK(log(kMost) == 709.782712893384);
  CHECK(log(std::nextafter(1.0, 2.0)) == std::nextafter(0x1p-52, 0.0));
  CHECK(log(std::nextafter(1.0, 0.0)) == -0x1p-53);
}

TEST_CASE("the inverse hyperbolic sine at the edges") {
  using deterministic::asinh;
  for (const double x : {0.0, kLeast, kLeastNormal, 1e-200, 1e-10, kInf}) {
    CHECK(same(asinh(x), x));
    CHECK(same(asinh(-x), -x));
  }
  CHECK(same(asinh(kNan), kNan));
  CHECK(same(asinh(-kNan), kNan));
  CHECK(asinh(1.0) == 0.881373587019543);
  CHECK(asinh(kMost) == 710.475860073944);
  CHECK(asinh(-kMost) == -710.475860073944);
}

TEST_CASE("the arc tangent at the edges, in all quadrants") {
  using deterministic::atan2;
  for (const double y : {0.0, kLeast, 1.0, kMost, kInf}) {  // forwards, backwards
    if (y < kInf) CHECK(same(atan2(y, kInf), 0.0));
    if (y < kInf) CHECK(same(atan2(-y, kInf), -0.0));
    if (y < kInf) CHECK(atan2(y, -kInf) == kPi);
    if (y < kInf) CHECK(atan2(-y, -kInf) == -kPi);
    for (const double x : {0.0, -0.0, 1.0, -kMost, kMost}) {
      if (y == kInf) CHECK(atan2(y, x) == 0.5 * kPi);
      if (y == kInf) CHECK(atan2(-y, x) == -0.5 * kPi);
    }
    if (y > 0.0 && y < kInf) {
      CHECK(atan2(y, 0.0) == 0.5 * kPi);
      CHECK(atan2(-y, -0.0) == -0.5 * kPi);
      CHECK(same(atan2(0.0, y), 0.0));
      CHECK(same(atan2(-0.0, y), -0.0));
      CHECK(atan2(0.0, -y) == kPi);
      CHECK(atan2(-0.0, -y) == -kPi);
      CHECK(atan2(y, y) == 0.25 * kPi);
      CHECK(atan2(y, -y) == 2.356194490192345);
      CHECK(atan2(-y, -y) == -2.356194490192345);
    }
  }
  CHECK(same(atan2(0.0, 0.0), 0.0));
  CHECK(same(atan2(-0.0, 0.0), -0.0));
  CHECK(atan2(0.0, -0.0) == kPi);
  CHECK(atan2(-0.0, -0.0) == -kPi);
  CHECK(atan2(kInf, kInf) == 0.25 * kPi);
  CHECK(atan2(-kInf, -kInf) == -2.356194490192345);
  for (const double other : {0.0, 1.0, -kInf, kNan}) {
    CHECK(same(atan2(kNan, other), kNan));
    CHECK(same(atan2(other, -kNan), kNan));
  }
  CHECK(atan2(kLeast, 1.0) == kLeast);
  CHECK(atan2(kLeast, kMost) == 0.0);
  CHECK(atan2(kLeast, 2.0 * kLeast) == 0.4636476090008061);
  CHECK(atan2(kMost, 0.5 * kMost) == 1.1071487177940904);
  CHECK(atan2(1.0, 2.0) == 0.4636476090008061);
}

TEST_CASE("lanes of every width have the bits of the scalar functions") {
  AnyDouble any;
  std::vector<double> x(8);
  std::vector<double> y(8);
  bool has_tested_wide_ones = false;
  for (std::uint64_t k = 0; k < arguments(400'000) / 8; ++k) {
    for (int lane = 0; lane < 8; ++lane) {
      x[lane] = any();
      y[lane] = any();
    }
    for (const test::OfWidth& each : test::functions_in_lanes()) {
      const int width = each.width;
      test::Results results;
      for (int first = 0; first < 8; first += width) each.functions(x.data() + first, y.data() + first, first, results);
      has_tested_wide_ones = has_tested_wide_ones || width > 1;
      for (int lane = 0; lane < 8; ++lane) {
        const double a = x[lane];
        const auto turn = sincos(a);
        const bool is_same = same(results.sin[lane], turn.sin) && same(results.cos[lane], turn.cos) &&
                             same(results.exp[lane], deterministic::exp(a)) &&
                             same(results.log[lane], deterministic::log(a)) &&
                             same(results.asinh[lane], deterministic::asinh(a)) &&
                             same(results.atan2[lane], deterministic::atan2(y[lane], a));
        if (is_same) continue;
        CAPTURE(width);
        CAPTURE(a);
        CAPTURE(y[lane]);
        CHECK(is_same);
      }
    }
  }
#ifdef __SSE2__
  CHECK(has_tested_wide_ones);
#endif
}

TEST_CASE("the bits are those of every other processor and compiler") {
  AnyDouble any;
  std::uint64_t hash = 0;
  const auto add = [&](double result) { hash = (hash ^ bits(result)) * 0x9e3779b97f4a7c15 + (hash >> 29); };
  for (int k = 0; k < 100'000; ++k) {
    const double x = any();
    add(sincos(x).sin);
    add(sincos(x).cos);
    add(deterministic::exp(x));
    add(deterministic::log(x));
    add(deterministic::asinh(x));
    add(deterministic::atan2(any(), x));
  }
  CHECK(hash == 1853786019732009122U);
}

// Minutes: a test of its own.
TEST_CASE("beside long double errors are below 0.65 units of the last place, too" * doctest::skip()) {
  if (std::numeric_limits<long double>::digits < 64) return;
  AnyDouble any;
  std::array<double, 6> worst = {};
  const auto look = [&](std::size_t which, double found, long double exact) {
    const double error = static_cast<double>(std::abs(found - exact)) / unit_of_last_place(exact);
    if (!(error <= worst[which])) worst[which] = error;
  };
  const std::uint64_t count = arguments(1'000'000'000);
  for (std::uint64_t k = 0; k < count; ++k) {
    const double angle = any.between(-30.0, 30.0);
    const auto turn = sincos(angle);
    look(0, turn.sin, std::sin(static_cast<long double>(angle)));
    look(1, turn.cos, std::cos(static_cast<long double>(angle)));
    const double x = any.between(-700.0, 700.0) * (k % 2 == 0 ? 1.0 : 0.001);
    look(2, deterministic::exp(x), std::exp(static_cast<long double>(x)));
    const double positive = any.between(0.5, 2.0);
    look(3, deterministic::log(positive), std::log(static_cast<long double>(positive)));
    look(4, deterministic::asinh(x), std::asinh(static_cast<long double>(x)));
    const double y = any.between(-1.0, 1.0);
    look(5, deterministic::atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x)));
  }
  constexpr const char* kNames[6] = {"sine", "cosine", "exp", "log", "asinh", "atan2"};
  for (std::size_t f = 0; f < 6; ++f) {
    CAPTURE(std::string(kNames[f]));
    MESSAGE(std::string(kNames[f]), ": at most ", worst[f], " ulp");
    CHECK(worst[f] < kMostError);
    CHECK(worst[f] > 0.45);
  }
}

}  // namespace scree::deterministic_math_test
