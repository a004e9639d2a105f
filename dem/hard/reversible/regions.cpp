#include "dem/hard/reversible/regions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/deterministic_math.hpp"

namespace scree::hard::reversible {

using deterministic::atan2;
using deterministic::sincos;
using std::numbers::pi;

Arc::Arc(double c, double s) : c_(c), s_(s), angle_(atan2(s, -c)) {}

// The arc begins at (s, -c), at right angles to the second normal (c, s).
std::array<double, 1> Arc::encode(const Point<2>& p) const {
  const double along = s_ * p.x() - c_ * p.y();
  const double across = c_ * p.x() + s_ * p.y();
  if (across <= 0.0) return {along > 0.0 ? 0.0 : 1.0};
  return {std::min(atan2(across, along) / angle_, 1.0)};
}

Point<2> Arc::decode(const std::array<double, 1>& x) const {
  const auto turn = sincos(x[0] * angle_);
  return {s_ * turn.cos + c_ * turn.sin, s_ * turn.sin - c_ * turn.cos};
}

namespace {

/// Between the unit disc and [0, 1]^2: P. Shirley & K. Chiu, "A low distortion map between disk and square", J.
/// Graphics Tools 2 (1997). Circles become squares, and the four quarters between the diagonals keep their places.
std::array<double, 2> square_of_disc(const Point<2>& p) {
  const double radius = std::min(p.norm(), 1.0);
  const bool on_x = std::abs(p.x()) >= std::abs(p.y());
  const double main = on_x ? p.x() : p.y();
  const double other = on_x ? p.y() : p.x();
  const double side = std::copysign(radius, main);
  const double part = main == 0.0 ? 0.0 : 4.0 / pi * atan2(std::copysign(1.0, main) * other, std::abs(main));
  const double across = side * std::clamp(part, -1.0, 1.0);
  const std::array<double, 2> square = on_x ? std::array{side, across} : std::array{across, side};
  return {0.5 * (square[0] + 1.0), 0.5 * (square[1] + 1.0)};
}

struct DiscPoint {
  Point<2> p;
  double radius;
};

DiscPoint disc_of_square(double x, double y) {
  const double u = 2.0 * x - 1.0;
  const double v = 2.0 * y - 1.0;
  const bool on_x = std::abs(u) >= std::abs(v);
  const double side = on_x ? u : v;
  if (side == 0.0) return {Point<2>::Zero(), 0.0};
  const auto turn = sincos(pi / 4.0 * ((on_x ? v : u) / side));
  const Point<2> p = on_x ? Point<2>(side * turn.cos, side * turn.sin) : Point<2>(side * turn.sin, side * turn.cos);
  return {p, std::abs(side)};
}

}  // namespace

std::array<double, 2> Hemisphere::encode(const Point<3>& p) const {
  return square_of_disc(p.tail<2>() / std::sqrt(1.0 + std::max(p.x(), 0.0)));
}

Point<3> Hemisphere::decode(const std::array<double, 2>& x) const {
  const DiscPoint disc = disc_of_square(x[0], x[1]);
  const double height = 1.0 - disc.radius * disc.radius;
  const Point<2> flat = std::sqrt(1.0 + height) * disc.p;
  return {height, flat.x(), flat.y()};
}

std::array<double, 2> Lune::encode(const Point<3>& p) const {
  return {arc_.encode(p.head<2>())[0], 0.5 * (std::clamp(p.z(), -1.0, 1.0) + 1.0)};
}

Point<3> Lune::decode(const std::array<double, 2>& x) const {
  const double height = 2.0 * x[1] - 1.0;
  const Point<2> head = std::sqrt((1.0 - height) * (1.0 + height)) * arc_.decode({x[0]});
  return {head.x(), head.y(), height};
}

std::array<double, 3> Wedge::encode(const Point<4>& p) const {
  const std::array<double, 2> square = square_of_disc(p.tail<2>());
  return {arc_.encode(p.head<2>())[0], square[0], square[1]};
}

Point<4> Wedge::decode(const std::array<double, 3>& x) const {
  const DiscPoint disc = disc_of_square(x[1], x[2]);
  const Point<2> head = std::sqrt((1.0 - disc.radius) * (1.0 + disc.radius)) * arc_.decode({x[0]});
  return {head.x(), head.y(), disc.p.x(), disc.p.y()};
}

namespace {

/// z - sin z without cancellation, 0 <= z <= pi.
double excess(double z) {
  if (z > 0.5) return z - sincos(z).sin;
  double term = z * z * z / 6.0;
  double sum = 0.0;
  for (int k = 4; std::abs(term) > 0x1p-60 * sum; k += 2) {
    sum += term;
    term *= -z * z / (k * (k + 1.0));
  }
  return sum;
}

/// The z in [0, pi] whose excess this is: Newton's method, which overshoots once and then falls.
double angle_of_excess(double e) {
  if (e <= 0.0) return 0.0;
  double z = deterministic::exp(deterministic::log(6.0 * e) / 3.0);
  for (int k = 0; k < 60; ++k) {
    const double half_sine = sincos(0.5 * z).sin;
    const double next = std::min(z - (excess(z) - e) / (2.0 * half_sine * half_sine), pi);
    const bool settled = k > 0 && next >= z;
    z = next;
    if (settled) break;
  }
  return z;
}

}  // namespace

// The part of the sphere above latitude eta > 0 is excess(pi - 2 eta) / (2 pi) of the whole.
std::array<double, 3> Spindle::encode(const Point<4>& p) const {
  const double flat = p.head<3>().norm();
  const double above = excess(2.0 * atan2(flat, std::abs(p[3]))) / (2.0 * pi);
  if (flat == 0.0) return {p[3] > 0.0 ? 1.0 : 0.0, 0.0, 0.0};
  const std::array<double, 2> x = triangle_.encode(p.head<3>() / flat);
  return {p[3] > 0.0 ? 1.0 - above : above, x[0], x[1]};
}

Point<4> Spindle::decode(const std::array<double, 3>& x) const {
  const double z = angle_of_excess(2.0 * pi * std::min(x[0], 1.0 - x[0]));
  const auto half = sincos(0.5 * z);
  Point<4> p;
  p << half.sin * triangle_.decode({x[1], x[2]}), std::copysign(half.cos, x[0] - 0.5);
  return p;
}

}  // namespace scree::hard::reversible
