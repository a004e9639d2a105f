#include "dem/hard/reversible/procedures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "dem/hard/reversible/shift.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::hard::reversible {

using deterministic::atan2;
using deterministic::sincos;
using std::numbers::pi;
using std::numbers::sqrt3;

namespace {

/// pi less its double, without which every turn would be too short by this: 1e-9 after some millions of collisions.
constexpr double kPiTail = 1.2246467991473532e-16;

double turned(double angle, double half_turns) {
  return (angle + half_turns * pi) + half_turns * kPiTail;
}

/// Less whole turns, in [-pi, pi].
double centred(double angle) {
  return turned(angle, -2.0 * std::round(angle / (2.0 * pi)));
}

/// Less whole turns, in [0, 2 pi).
double positive(double angle) {
  const double a = centred(angle);
  return a < 0.0 ? std::min(turned(a, 2.0), std::nextafter(2.0 * pi, 0.0)) : a;
}

}  // namespace

// --- the mappings
// -----------------------------------------------------------------------------------------------------

TwoInPlaneAngles angles_of(const TwoInPlane::Velocities& v) {
  const Vec2 half = 0.5 * (v[0] - v[1]);
  return {v[0] + v[1], half.norm(), atan2(half.y(), half.x())};
}

TwoInPlane::Velocities velocities_of(const TwoInPlaneAngles& angles) {
  const auto [sine, cosine] = sincos(angles.phi);
  const Vec2 half = angles.radius * Vec2(cosine, sine);
  return {0.5 * angles.momentum + half, 0.5 * angles.momentum - half};
}

TwoInSpaceAngles angles_of(const TwoInSpace::Velocities& v) {
  const Eigen::Vector3d half = 0.5 * (v[0] - v[1]);
  return {v[0] + v[1], half.norm(), atan2(half.head<2>().norm(), half.z()), atan2(half.x(), half.y())};
}

TwoInSpace::Velocities velocities_of(const TwoInSpaceAngles& angles) {
  const auto polar = sincos(angles.phi1);
  const auto azimuth = sincos(angles.phi2);
  const Eigen::Vector3d half =
      angles.radius * Eigen::Vector3d(polar.sin * azimuth.sin, polar.sin * azimuth.cos, polar.cos);
  return {0.5 * angles.momentum + half, 0.5 * angles.momentum - half};
}

ThreeOnLineAngles angles_of(const ThreeOnLine::Velocities& v) {
  const double cosine = v[0] - v[1];
  const double sine = sqrt3 * (v[0] + v[1] - 2.0 * v[2]) / 3.0;  // no bias: sqrt3 times its inverse in velocities_of
  return {v[0] + v[1] + v[2], std::sqrt(cosine * cosine + sine * sine), atan2(sine, cosine)};
}

ThreeOnLine::Velocities velocities_of(const ThreeOnLineAngles& angles) {
  const auto [sine, cosine] = sincos(angles.phi);
  const double mean = angles.momentum / 3.0;
  const double half = 0.5 * angles.lambda;
  return {mean + half * (cosine + sine / sqrt3), mean + half * (sine / sqrt3 - cosine),
          mean - angles.lambda * sine / sqrt3};
}

ThreeInPlaneAngles angles_of(const ThreeInPlane::Velocities& v) {
  const Vec2 first = v[0] - v[1];                              // lambda (cos phi1, sin phi1 cos phi2)
  const Vec2 last = sqrt3 * (v[0] + v[1] - 2.0 * v[2]) / 3.0;  // lambda sin phi1 sin phi2 (cos phi3, sin phi3)
  const double sines = last.norm();
  const double sine = std::sqrt(first.y() * first.y() + sines * sines);
  return {v[0] + v[1] + v[2],
          std::sqrt(first.x() * first.x() + sine * sine),
          {atan2(sine, first.x()), atan2(sines, first.y()), atan2(last.y(), last.x())}};
}

ThreeInPlane::Velocities velocities_of(const ThreeInPlaneAngles& angles) {
  const auto one = sincos(angles.phi[0]);
  const auto two = sincos(angles.phi[1]);
  const auto three = sincos(angles.phi[2]);
  const Vec2 first = angles.lambda * Vec2(one.cos, one.sin * two.cos);
  const Vec2 last = angles.lambda * one.sin * two.sin * Vec2(three.cos, three.sin);
  const Vec2 mean = angles.momentum / 3.0;
  return {mean + 0.5 * (first + last / sqrt3), mean + 0.5 * (last / sqrt3 - first), mean - last / sqrt3};
}

// --- procedures 1 to 4
// ------------------------------------------------------------------------------------------------

namespace {

/// The angles after a collision. Those before it are the opposite ones.
struct Sector {
  double middle;
  double width;
};

/// psi as a fraction of the sector's width, less whole widths.
double fraction(double psi, double width) {
  const double parts = psi / width;
  return parts - std::floor(parts);
}

double coordinate(const Sector& sector, double from_middle) {
  return std::clamp(centred(from_middle) / sector.width + 0.5, 0.0, 1.0);
}

double angle(const Sector& sector, double x) {
  return sector.middle + (x - 0.5) * sector.width;
}

// An angle plus psi, plus that multiple of the width that brings it into the sector after the collision, is a shift of
// its coordinate modulo 1.

double after(const Sector& sector, double phi_before, double psi) {
  const double x = coordinate(sector, turned(phi_before - sector.middle, -1.0));
  return centred(angle(sector, shift(x, fraction(psi, sector.width))));
}

double before(const Sector& sector, double phi_after, double psi) {
  const double x = coordinate(sector, phi_after - sector.middle);
  return centred(turned(angle(sector, shift_back(x, fraction(psi, sector.width))), 1.0));
}

Sector separating(const Vec2& r21) {
  return {atan2(r21.y(), r21.x()), pi};
}

constexpr Sector kS1 = {-2.0 * pi / 3.0, pi / 3.0};

}  // namespace

double procedure_1(double phi_before, double psi, const Vec2& r21) {
  return after(separating(r21), phi_before, psi);
}

double procedure_2(double phi_after, double psi, const Vec2& r21) {
  return before(separating(r21), phi_after, psi);
}

double procedure_3(double phi_before, double psi) {
  return after(kS1, phi_before, psi);
}

double procedure_4(double phi_after, double psi) {
  return before(kS1, phi_after, psi);
}

// --- configurations
// ---------------------------------------------------------------------------------------------------

CanonicalView canonical_view(const std::array<Vec2, 3>& centres, const Contacts& contacts) {
  if (contacts.p1_p2 + contacts.p2_p3 + contacts.p3_p1 < 2) {
    throw std::invalid_argument("a collision of three particles needs two contacts");
  }
  CanonicalView view{Configuration::c1, {0, 1, 2}, {}, 0.0};
  if (!contacts.p1_p2) view.order = {0, 2, 1};  // particle 3 is in the middle
  const auto& [p1, p2, p3] = view.order;
  view.x_axis = (centres[p1] - centres[p2]).normalized();
  const bool all = contacts.p1_p2 && contacts.p2_p3 && contacts.p3_p1;
  const bool from_p1 = !all && contacts.p1_p2 && contacts.p3_p1;
  const Vec2 to_p3 = centres[p3] - centres[from_p1 ? p1 : p2];
  view.theta = atan2(cross(view.x_axis, to_p3), view.x_axis.dot(to_p3));
  if (all) {
    view.configuration = view.theta < 0.0 ? Configuration::c1 : Configuration::c2;
  } else {
    view.configuration = from_p1 ? Configuration::c4 : Configuration::c3;
  }
  return view;
}

namespace {

/// The contact of P3 separates if cos(phi3 - centre) > (cot phi1 cos omega + cos phi2 sin omega)/(sqrt3 sin phi2).
struct Constraint {
  double omega;
  double centre;
};

std::vector<Constraint> constraints(Configuration configuration, double theta) {
  const Constraint k2 = {theta + pi, theta + pi};  // omega: direction of r32
  switch (configuration) {
    case Configuration::c1:
    case Configuration::c2:
      return {k2, {2.0 * theta, 2.0 * theta + pi}};  // of r13
    case Configuration::c3:
      return {k2};
    case Configuration::c4:
      break;
  }
  return {{theta, theta + pi}};
}

}  // namespace

std::vector<Range> phi3_ranges(Configuration configuration, double theta, double phi1, double phi2) {
  const auto one = sincos(phi1);
  const auto two = sincos(phi2);
  std::vector<Range> allowed = {{0.0, 2.0 * pi}};
  for (const Constraint& constraint : constraints(configuration, theta)) {
    const auto omega = sincos(constraint.omega);
    const double least = (one.cos / one.sin * omega.cos + two.cos * omega.sin) / (sqrt3 * two.sin);
    if (least >= 1.0) return {};
    if (least <= -1.0) continue;
    const double half = atan2(std::sqrt((1.0 - least) * (1.0 + least)), least);
    const double begin = positive(constraint.centre - half);
    std::vector<Range> both;
    for (const Range& range : allowed) {
      for (const double turn : {-2.0 * pi, 0.0, 2.0 * pi}) {
        const Range part = {std::max(range.begin, begin + turn), std::min(range.end, begin + turn + 2.0 * half)};
        if (part.begin < part.end) both.push_back(part);
      }
    }
    allowed = both;
  }
  if (allowed.size() > 1 && allowed.front().begin <= 0.0 && allowed.back().end >= 2.0 * pi) {  // one piece, round 0
    allowed.back().end = allowed.front().end + 2.0 * pi;
    allowed.erase(allowed.begin());
  }
  return allowed;
}

Range phi2_range(Configuration configuration, double theta, double phi1) {
  const auto one = sincos(phi1);
  Range allowed = {0.0, pi};
  for (const Constraint& constraint : constraints(configuration, theta)) {
    const auto omega = sincos(constraint.omega);
    // sqrt3 sin phi2 - sin omega cos phi2 > cot phi1 cos omega
    const double amplitude = std::sqrt(3.0 + omega.sin * omega.sin);
    const double q = one.cos / one.sin * omega.cos / amplitude;
    if (q >= 1.0) return {0.0, 0.0};
    if (q <= -1.0) continue;
    const double lean = atan2(omega.sin, sqrt3);
    const double arcsine = atan2(q, std::sqrt((1.0 - q) * (1.0 + q)));
    allowed = {std::max(allowed.begin, lean + arcsine), std::min(allowed.end, lean + pi - arcsine)};
  }
  return allowed.begin < allowed.end ? allowed : Range{0.0, 0.0};
}

}  // namespace scree::hard::reversible
