#include "geometry/predicates.hpp"

#include <CGAL/Exact_rational.h>
#include <cmath>
#include <limits>
#include <utility>

#include <doctest/doctest.h>

#include "tests/geometry/random_pairs.hpp"

namespace scree::predicates_test {

using namespace scree::test;

namespace {

using Rational = CGAL::Exact_rational;

struct Terms {
  Rational left;
  Rational right;
};

/// Of (q - p) x (s - r).
Terms exact_cross(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s) {
  return {(Rational(q.x()) - Rational(p.x())) * (Rational(s.y()) - Rational(r.y())),
          (Rational(p.y()) - Rational(q.y())) * (Rational(s.x()) - Rational(r.x()))};
}

/// Of (q - p) . (s - r).
Terms exact_dot(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s) {
  return {(Rational(q.x()) - Rational(p.x())) * (Rational(s.x()) - Rational(r.x())),
          (Rational(q.y()) - Rational(p.y())) * (Rational(s.y()) - Rational(r.y()))};
}

/// Whether the sign is right and the value within some roundings of its terms.
bool agrees(double value, const Terms& exact) {
  const Rational sum = exact.left + exact.right;
  if ((value > 0.0) - (value < 0.0) != static_cast<int>(CGAL::sign(sum))) return false;
  const double terms = CGAL::to_double(Rational(CGAL::abs(exact.left) + CGAL::abs(exact.right)));
  return CGAL::to_double(Rational(CGAL::abs(Rational(Rational(value) - sum)))) <=
         4.0 * std::numeric_limits<double>::epsilon() * terms;
}

/// Counts how the signs came out, so that a test can tell that it has asked hard questions.
struct Signs {
  int positive = 0;
  int zero = 0;
  int negative = 0;
  int unfiltered = 0;  ///< the sign of the plain product was not certain
};

void check(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s, Signs& signs) {
  const double by_cross = signed_cross(p, q, r, s);
  const double by_dot = signed_dot(p, q, r, s);
  REQUIRE(agrees(by_cross, exact_cross(p, q, r, s)));
  REQUIRE(agrees(by_dot, exact_dot(p, q, r, s)));
  (by_cross > 0.0 ? signs.positive : by_cross < 0.0 ? signs.negative : signs.zero) += 1;
  const double left = (q.x() - p.x()) * (s.y() - r.y());
  const double right = (q.y() - p.y()) * (s.x() - r.x());
  signs.unfiltered += std::abs(left - right) <= exact::kLargestError * (std::abs(left) + std::abs(right)) ? 1 : 0;
}

Vec2 any_point(Uniform& uniform, double scale) {
  return scale * Vec2(uniform.between(-1.0, 1.0), uniform.between(-1.0, 1.0));
}

}  // namespace

TEST_CASE("the signs of products of random points are exact, of any magnitudes") {
  Uniform uniform(41);
  Signs signs;
  const int trials = 100000;
  for (int trial = 0; trial < trials; ++trial) {
    const auto scale = [&] { return std::pow(10.0, uniform.between(-6.0, 6.0)); };
    CAPTURE(trial);
    check(any_point(uniform, scale()), any_point(uniform, scale()), any_point(uniform, scale()),
          any_point(uniform, scale()), signs);
  }
  CHECK(signs.positive > trials / 3);
  CHECK(signs.negative > trials / 3);
}

// L. Kettner, K. Mehlhorn, S. Pion, S. Schirra & C. Yap, Comput. Geom. 40 (2008) 61: rounding draws false pictures
// here.
TEST_CASE("doubles next to a point of a line get the side on which they are") {
  const double u = 0x1p-53;
  Signs signs;
  for (const auto& [start, end] : {std::pair{Vec2(12.0, 12.0), Vec2(24.0, 24.0)},
                                   {Vec2(17.300000000000001, 17.300000000000001), Vec2(24.0, 24.0)},
                                   {Vec2(0.5, 0.5), Vec2(7.3, 7.3)},
                                   {Vec2(8.8, 8.8), Vec2(12.1, 12.1)}}) {
    for (int i = 0; i < 128; ++i) {
      for (int j = 0; j < 128; ++j) {
        const Vec2 point(0.5 + i * u, 0.5 + j * u);
        CAPTURE(i);
        CAPTURE(j);
        check(start, end, start, point, signs);
        check(point, start, point, end, signs);
        // Turned by a right angle about the point, the scalar product takes the part of the cross product.
        check(start, end, start, Vec2(-point.y(), point.x()), signs);
      }
    }
  }
  CHECK(signs.positive > 10000);
  CHECK(signs.negative > 10000);
  CHECK(signs.zero > 500);
  CHECK(signs.unfiltered > 10000);
}

TEST_CASE("points of one line, and their neighbours, are told apart at any magnitude") {
  Uniform uniform(42);
  Signs signs;
  const int trials = 100000;
  for (int trial = 0; trial < trials; ++trial) {
    const double scale = std::ldexp(1.0, uniform.between(-200, 200));
    const auto whole = [&](int most) { return Vec2(uniform.between(-most, most), uniform.between(-most, most)); };
    const Vec2 p = scale * whole(1 << 20);
    const Vec2 along = scale * whole(1 << 10);
    Vec2 s = p + uniform.between(-1000, 1000) * along;
    if (uniform() < 0.5) s.x() = std::nextafter(s.x(), uniform() < 0.5 ? -HUGE_VAL : HUGE_VAL);
    CAPTURE(trial);
    check(p, p + along, p, s, signs);
  }
  CHECK(signs.positive > trials / 10);
  CHECK(signs.negative > trials / 10);
  CHECK(signs.zero > trials / 3);
  CHECK(signs.unfiltered > trials / 3);
}

TEST_CASE("points that rounding has moved off a line get the side on which they are") {
  Uniform uniform(43);
  Signs signs;
  const int trials = 100000;
  for (int trial = 0; trial < trials; ++trial) {
    const Vec2 p = any_point(uniform, std::pow(10.0, uniform.between(-3.0, 6.0)));
    const Vec2 along = any_point(uniform, 1.0);
    const Vec2 q = p + along;
    const Vec2 s = p + uniform.between(-2.0, 2.0) * along;
    CAPTURE(trial);
    check(p, q, p, s, signs);
    check(p, q, p, p + perp(along), signs);
  }
  CHECK(signs.positive > trials / 3);
  CHECK(signs.negative > trials / 10);
  CHECK(signs.unfiltered > trials / 10);
}

TEST_CASE("the sign of zero is zero, and swapping what is multiplied turns the sign of the cross product") {
  Uniform uniform(44);
  for (int trial = 0; trial < 10000; ++trial) {
    const Vec2 p = any_point(uniform, 1.0);
    const Vec2 q = any_point(uniform, 1e-3);
    const Vec2 r = any_point(uniform, 1e3);
    REQUIRE(signed_cross(p, q, p, q) == 0.0);
    REQUIRE(signed_cross(p, p, q, r) == 0.0);
    REQUIRE(signed_dot(p, q, r, r) == 0.0);
    REQUIRE(signed_dot(p, q, p, q) > 0.0);
    REQUIRE(signed_cross(p, q, p, r) == -signed_cross(p, r, p, q));
  }
}

}  // namespace scree::predicates_test
