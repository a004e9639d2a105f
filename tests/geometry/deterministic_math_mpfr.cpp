#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mpfr.h>
#include <numbers>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "geometry/deterministic_math.hpp"

namespace scree::deterministic_math_mpfr_test {

/// Errors of the elementary functions beside MPFR, which rounds correctly. SCREE_ARGUMENTS: how many arguments a
/// function gets.

namespace {

constexpr double kMostError = 0.65;  // ulp

std::uint64_t arguments() {
  const char* const wanted = std::getenv("SCREE_ARGUMENTS");
  return wanted != nullptr ? std::stoull(wanted) : 100'000;
}

/// A number with more digits than any result.
class Exact {
 public:
  Exact() { mpfr_init2(value_, 160); }
  explicit Exact(double x) : Exact() { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// By how many units of the last place a result is wrong.
double error(double result, Exact& exact) {
  const double nearest = mpfr_get_d(exact.get(), MPFR_RNDN);
  if (std::isinf(nearest) || std::isinf(result)) return nearest == result ? 0.0 : 1e300;
  int exponent = 0;
  (void)std::frexp(nearest, &exponent);
  exponent = std::max(exponent - 53, -1074);  // of the last place; subnormal numbers share theirs
  if (mpfr_get_exp(exact.get()) < exponent + 53)
    exponent = std::max(static_cast<int>(mpfr_get_exp(exact.get())) - 53, -1074);
  mpfr_sub_d(exact.get(), exact.get(), result, MPFR_RNDN);
  mpfr_mul_2si(exact.get(), exact.get(), -exponent, MPFR_RNDN);
  return std::abs(mpfr_get_d(exact.get(), MPFR_RNDN));
}

/// The greatest error, and where it is.
struct Worst {
  double error = 0.0;
  double x = 0.0;
  double y = 0.0;

  void look(double found, double at, double and_at = 0.0) {
    if (!(found <= error)) *this = {found, at, and_at};
  }
};

void check(const std::string& name, const Worst& worst) {
  MESSAGE(name, ": at most ", worst.error, " ulp, at ", worst.x, ", ", worst.y);
  CAPTURE(name);
  CAPTURE(worst.x);
  CAPTURE(worst.y);
  CHECK(worst.error < kMostError);
  CHECK(worst.error > 0.45);  // it has seen roundings
}

/// Arguments of all kinds: of every size, evenly between bounds, and as near as can be to multiples.
class Arguments {
 public:
  explicit Arguments(std::uint64_t seed) : random_(seed) {}
  /// Every double but infinities and what is no number, evenly over exponents from 2^least to 2^most.
  double of_any_size(int least, int most) {
    const double size = std::ldexp(1.0 + unit(), std::uniform_int_distribution(least, most - 1)(random_));
    return (random_() & 1U) != 0 ? size : -size;
  }
  double between(double least, double most) { return least + (most - least) * unit(); }
  double near_multiple_of(double x, double most) {
    const double multiple = x * static_cast<double>(std::uniform_int_distribution<std::int64_t>(
                                    1, static_cast<std::int64_t>(most))(random_));
    const auto bits = std::bit_cast<std::uint64_t>(multiple) + random_() % 5 - 2;
    return std::bit_cast<double>(bits);
  }
  std::uint64_t number() { return random_(); }

 private:
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::mt19937_64 random_;
};

template <class Function, class Reference>
Worst worst_of(const Function& function, const Reference& reference, double x, Worst worst) {
  Exact exact(x);
  reference(exact.get(), exact.get(), MPFR_RNDN);
  worst.look(error(function(x), exact), x);
  return worst;
}

}  // namespace

TEST_CASE("sine and cosine are within 0.65 units of the last place") {
  Arguments random(1);
  Worst sine;
  Worst cosine;
  const auto look = [&](double angle) {
    const auto found = deterministic::sincos(angle);
    Exact sin(angle);
    Exact cos;
    mpfr_sin_cos(sin.get(), cos.get(), sin.get(), MPFR_RNDN);
    sine.look(error(found.sin, sin), angle);
    cosine.look(error(found.cos, cos), angle);
  };
  for (std::uint64_t k = 0; k < arguments() / 8; ++k) {
    for (int j = 0; j < 3; ++j) look(random.between(-0.8, 0.8));
    look(random.between(-7.0, 7.0));
    look(random.between(-13000.0, 13000.0));
    look(random.of_any_size(-1074, 1024));
    look(random.near_multiple_of(std::numbers::pi / 2.0, 8300.0));
    look(random.near_multiple_of(std::numbers::pi / 4.0, 1e15));
  }
  look(0x1.6ac5b262ca1ffp849);  // the double nearest to a multiple of pi/2 (Muller et al., Handbook of floating-point
                                // arithmetic)
  check("sine", sine);
  check("cosine", cosine);
}

TEST_CASE("the exponential is within 0.65 units of the last place") {
  Arguments random(2);
  Worst worst;
  const auto look = [&](double x) { worst = worst_of(deterministic::exp, mpfr_exp, x, worst); };
  for (std::uint64_t k = 0; k < arguments() / 8; ++k) {
    for (int j = 0; j < 3; ++j) look(random.between(-0.35, 0.35));
    look(random.between(-10.0, 10.0));
    look(random.between(-750.0, 712.0));
    look(random.between(-746.0, -707.0));
    look(random.of_any_size(-1074, 10));
    look(random.near_multiple_of(std::numbers::ln2 / 2.0, 2000.0));
  }
  check("exp", worst);
}

TEST_CASE("the logarithm is within 0.65 units of the last place") {
  Arguments random(3);
  Worst worst;
  const auto look = [&](double x) { worst = worst_of(deterministic::log, mpfr_log, x, worst); };
  for (std::uint64_t k = 0; k < arguments() / 8; ++k) {
    for (int j = 0; j < 4; ++j) look(random.between(0.7, 1.5));
    look(random.between(0.3, 4.0));
    look(1.0 + random.of_any_size(-52, -5));
    for (int j = 0; j < 2; ++j) look(std::abs(random.of_any_size(-1074, 1024)));
  }
  check("log", worst);
}

TEST_CASE("the inverse hyperbolic sine is within 0.65 units of the last place") {
  Arguments random(4);
  Worst worst;
  const auto look = [&](double x) { worst = worst_of(deterministic::asinh, mpfr_asinh, x, worst); };
  for (std::uint64_t k = 0; k < arguments() / 8; ++k) {
    for (int j = 0; j < 3; ++j) look(random.between(-0.5, 0.5));
    for (int j = 0; j < 2; ++j) look(random.between(-3.0, 3.0));
    for (int j = 0; j < 2; ++j) look(random.of_any_size(-35, 35));
    look(random.of_any_size(-1074, 1024));
  }
  check("asinh", worst);
}

TEST_CASE("the arc tangent is within 0.65 units of the last place") {
  Arguments random(5);
  Worst worst;
  const auto look = [&](double y, double x) {
    Exact exact(y);
    Exact other(x);
    mpfr_atan2(exact.get(), exact.get(), other.get(), MPFR_RNDN);
    worst.look(error(deterministic::atan2(y, x), exact), x, y);
  };
  for (std::uint64_t k = 0; k < arguments() / 8; ++k) {
    for (int j = 0; j < 3; ++j) look(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
    for (int j = 0; j < 2; ++j) {
      const double x = random.of_any_size(-3, 3);
      look(x * random.of_any_size(-8, 8), x);
    }
    const double x = random.of_any_size(-900, 900);
    look(x * random.of_any_size(-65, 65), x);
    look(random.of_any_size(-1074, 1024), random.of_any_size(-1074, 1024));
    look(random.of_any_size(-1074, -1000), random.of_any_size(-1074, -1000));
  }
  check("atan2", worst);
}

}  // namespace scree::deterministic_math_mpfr_test
