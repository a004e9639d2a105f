#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/reversible/ellipse.hpp"
#include "dem/hard/reversible/procedures.hpp"
#include "dem/hard/reversible/sequences.hpp"
#include "dem/random.hpp"

namespace scree::reversible_procedures_test {

using namespace scree::hard::reversible;
using scree::Random;
using scree::Vec2;
using std::numbers::pi;

namespace {

double mod(double a, double b) {
  return a - b * std::floor(a / b);
}

/// Of two angles, less whole turns.
double difference(double a, double b) {
  return std::abs(std::remainder(a - b, 2.0 * pi));
}

template <std::size_t N>
std::array<Vec2, N> random_plane(Random& random) {
  std::array<Vec2, N> v;
  for (Vec2& each : v) each = Vec2(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
  return v;
}

}  // namespace

// --- the mappings
// -----------------------------------------------------------------------------------------------------

TEST_CASE("velocities come back from their angles, in every quadrant") {
  Random random(1, 0, 0);
  for (int k = 0; k < 1000; ++k) {
    const auto two = random_plane<2>(random);
    const auto two_back = velocities_of(angles_of(two));
    for (std::size_t i = 0; i < 2; ++i) REQUIRE((two_back[i] - two[i]).norm() < 1e-15);
    const auto three = random_plane<3>(random);
    const auto three_back = velocities_of(angles_of(three));
    for (std::size_t i = 0; i < 3; ++i) REQUIRE((three_back[i] - three[i]).norm() < 2e-15);
    const TwoInSpace::Velocities space = {
        Eigen::Vector3d(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)),
        Eigen::Vector3d(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0))};
    const auto space_back = velocities_of(angles_of(space));
    for (std::size_t i = 0; i < 2; ++i) REQUIRE((space_back[i] - space[i]).norm() < 2e-15);
    const ThreeOnLine::Velocities line = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                                          random.uniform(-1.0, 1.0)};
    const auto line_back = velocities_of(angles_of(line));
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(std::abs(line_back[i] - line[i]) < 2e-15);
  }
}

TEST_CASE("the angles are those of the paper's equations") {
  Random random(2, 0, 0);
  for (int k = 0; k < 100; ++k) {
    const ThreeOnLine::Velocities line = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                                          random.uniform(-1.0, 1.0)};
    const auto of_line = angles_of(line);  // (19), (21)
    const double delta = line[0] * line[0] + line[1] * line[1] + line[2] * line[2];
    CHECK(std::abs(of_line.lambda - std::sqrt(2.0 * (delta - of_line.momentum * of_line.momentum / 3.0))) < 1e-14);
    CHECK(std::abs(line[0] - line[1] - of_line.lambda * std::cos(of_line.phi)) < 1e-14);
    CHECK(std::abs(line[1] - line[2] - of_line.lambda * std::cos(of_line.phi - 2.0 * pi / 3.0)) < 1e-14);
    CHECK(std::abs(line[2] - line[0] - of_line.lambda * std::cos(of_line.phi + 2.0 * pi / 3.0)) < 1e-14);

    const auto v = random_plane<3>(random);
    const auto [momentum, lambda, phi] = angles_of(v);  // (4), (5)
    const double energy = v[0].squaredNorm() + v[1].squaredNorm() + v[2].squaredNorm();
    CHECK(std::abs(lambda - std::sqrt(2.0 * (energy - momentum.squaredNorm() / 3.0))) < 1e-14);
    const double s12 = std::sin(phi[0]) * std::sin(phi[1]);
    const Vec2 ab = lambda * Vec2(std::cos(phi[0]), std::sin(phi[0]) * std::cos(phi[1]));
    const Vec2 twice = lambda * std::sqrt(3.0) * s12 * Vec2(std::cos(phi[2]), std::sin(phi[2]));
    CHECK((v[0] - v[1] - ab).norm() < 1e-14);
    CHECK((v[1] - v[2] - 0.5 * (twice - ab)).norm() < 1e-14);
    CHECK((v[2] - v[0] + 0.5 * (twice + ab)).norm() < 1e-14);
  }
}

TEST_CASE("where phi1 or phi2 is 0 or pi, the angles that mean nothing are 0") {
  const TwoInSpace::Velocities along_z = {Eigen::Vector3d(0.5, 0.5, 2.0), Eigen::Vector3d(0.5, 0.5, 1.0)};
  CHECK(angles_of(along_z).phi1 == 0.0);
  CHECK(angles_of(along_z).phi2 == 0.0);
  const ThreeInPlane::Velocities first = {Vec2(-1.0, 0.0), Vec2(1.0, 0.0), Vec2(0.0, 0.0)};
  CHECK(std::abs(angles_of(first).phi[0] - pi) < 1e-15);
  CHECK(angles_of(first).phi[1] == 0.0);
  CHECK(angles_of(first).phi[2] == 0.0);
  const ThreeInPlane::Velocities second = {Vec2(-1.0, 0.5), Vec2(1.0, -0.5), Vec2(0.0, 0.0)};
  CHECK(angles_of(second).phi[1] == 0.0);
  CHECK(angles_of(second).phi[2] == 0.0);
  for (const auto& v : {first, second}) {
    const auto back = velocities_of(angles_of(v));
    for (std::size_t i = 0; i < 3; ++i) CHECK((back[i] - v[i]).norm() < 1e-15);
  }
}

// --- the ellipse
// ------------------------------------------------------------------------------------------------------

namespace {

/// Simpson's rule for the arc length of (d_x cos t, d_y sin t).
double simpson(double d_x, double d_y, double psi) {
  constexpr int kParts = 1000;
  const double h = psi / kParts;
  double sum = 0.0;
  for (int k = 0; k <= kParts; ++k) {
    const double t = k * h;
    const double weight = k == 0 || k == kParts ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    sum += weight * std::hypot(d_x * std::sin(t), d_y * std::cos(t));
  }
  return sum * h / 3.0;
}

}  // namespace

TEST_CASE("arc lengths of ellipses agree with Simpson's rule; parameter_at is their inverse") {
  for (const double ratio : {1.0, std::sqrt(3.0), 1.0 / std::sqrt(3.0), 3.0, 0.4}) {
    CAPTURE(ratio);
    const Ellipse ellipse(0.7 * ratio, 0.7);
    CHECK(std::abs(ellipse.arc_length(2.0 * pi) / ellipse.circumference() - 1.0) < 1e-14);
    for (double psi = 0.0; psi < 6.3; psi += 0.3) {
      CHECK(std::abs(ellipse.arc_length(psi) - simpson(0.7 * ratio, 0.7, psi)) < 1e-9);
      CHECK(std::abs(ellipse.parameter_at(ellipse.arc_length(psi)) - psi) < 1e-13);
    }
  }
  CHECK(std::abs(Ellipse(2.0, 2.0).circumference() - 4.0 * pi) < 1e-14);
  CHECK_THROWS_AS(Ellipse(1.0, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(Ellipse(20.0, 1.0), std::invalid_argument);
}

TEST_CASE("one random number gives a uniform point of the ellipse's circumference") {
  constexpr int kSamples = 20000;
  constexpr int kBins = 40;
  Random random(3, 0, 0);
  std::array<int, kBins> counts{};
  const double round = simpson(std::sqrt(3.0), 1.0, 2.0 * pi);
  std::array<double, kBins> ends{};  // parameters of equal arcs, by Simpson's rule and bisection
  for (int k = 0; k < kBins; ++k) {
    double low = 0.0;
    double high = 2.0 * pi;
    for (int step = 0; step < 40; ++step) {
      const double middle = 0.5 * (low + high);
      (simpson(std::sqrt(3.0), 1.0, middle) < round * (k + 1) / kBins ? low : high) = middle;
    }
    ends[static_cast<std::size_t>(k)] = high;
  }
  for (int k = 0; k < kSamples; ++k) {
    const double psi = ellipse_offset(random.uniform());
    REQUIRE(psi >= 0.0);
    REQUIRE(psi < 2.0 * pi);
    ++counts[std::min<std::size_t>(std::lower_bound(ends.begin(), ends.end(), psi) - ends.begin(), kBins - 1)];
  }
  double sum = 0.0;
  for (const int count : counts) sum += std::pow(count - kSamples / kBins, 2) / (kSamples / kBins);
  CHECK(sum < 39.0 + 4.0 * std::sqrt(78.0));
  CHECK(sum > 39.0 - 4.0 * std::sqrt(78.0));
}

// --- procedures 1 to 4, as the paper has them
// -------------------------------------------------------------------------

namespace {

double product(const Vec2& r21, double phi) {
  return r21.x() * std::cos(phi) + r21.y() * std::sin(phi);
}

double paper_1(double phi_before, double psi, const Vec2& r21) {
  const double phi = mod(phi_before + psi, 2.0 * pi);
  return product(r21, phi) < 0.0 ? mod(phi + pi, 2.0 * pi) : phi;
}

/// @param tested  the angle that line 4 tests: printed is phi_after, meant is the guess of phi'
double paper_2(double phi_after, double psi, const Vec2& r21, bool as_printed) {
  const double guess = mod(phi_after - psi, 2.0 * pi);
  return product(r21, as_printed ? phi_after : guess) > 0.0 ? mod(guess - pi, 2.0 * pi) : guess;
}

int positive_ones(double phi) {
  return (std::cos(phi) > 0.0) + (std::cos(phi - 2.0 * pi / 3.0) > 0.0) + (std::cos(phi + 2.0 * pi / 3.0) > 0.0);
}

double paper_3(double phi_before, double psi) {
  double phi = phi_before + psi;
  if (positive_ones(phi) > 1) phi += pi;
  if (std::cos(phi) > 0.0) {
    phi -= 2.0 * pi / 3.0;
  } else if (std::cos(phi - 2.0 * pi / 3.0) > 0.0) {
    phi += 2.0 * pi / 3.0;
  }
  return mod(phi, 2.0 * pi);
}

double paper_4(double phi_after, double psi, bool as_printed) {
  double phi = phi_after - psi;
  const bool turn = as_printed ? positive_ones(phi_after) > 1 : positive_ones(phi) < 2;
  if (turn) phi -= pi;
  if (std::cos(phi) < 0.0) {
    phi -= 2.0 * pi / 3.0;
  } else if (std::cos(phi - 2.0 * pi / 3.0) < 0.0) {
    phi += 2.0 * pi / 3.0;
  }
  return mod(phi, 2.0 * pi);
}

}  // namespace

TEST_CASE("procedures 1 to 4 are those of the paper, corrected; as printed, 2 and 4 restore half of the collisions") {
  constexpr int kSamples = 2000;
  Random random(4, 0, 0);
  std::array<int, 2> restored{};
  for (int k = 0; k < kSamples; ++k) {
    const double psi = 2.0 * pi * random.uniform();
    const double towards = 2.0 * pi * random.uniform();
    const Vec2 r21(std::cos(towards), std::sin(towards));
    const double before = towards + pi + (random.uniform() - 0.5) * pi;
    const double after = procedure_1(before, psi, r21);
    REQUIRE(difference(after, paper_1(before, psi, r21)) < 1e-9);
    REQUIRE(difference(procedure_2(after, psi, r21), paper_2(after, psi, r21, false)) < 1e-9);
    REQUIRE(difference(procedure_2(after, psi, r21), before) < 1e-14);
    REQUIRE(product(r21, after) > 0.0);
    restored[0] += difference(paper_2(after, psi, r21, true), before) < 1e-9;

    const double line_before = pi / 6.0 + random.uniform() * pi / 3.0;
    const double line_after = procedure_3(line_before, psi);
    REQUIRE(difference(line_after, paper_3(line_before, psi)) < 1e-9);
    REQUIRE(difference(procedure_4(line_after, psi), paper_4(line_after, psi, false)) < 1e-9);
    REQUIRE(difference(procedure_4(line_after, psi), line_before) < 1e-14);
    REQUIRE(line_after >= -5.0 * pi / 6.0);  // S1 less a turn
    REQUIRE(line_after <= -0.5 * pi + 1e-15);
    restored[1] += difference(paper_4(line_after, psi, true), line_before) < 1e-9;
  }
  CHECK(std::abs(restored[0] - kSamples / 2) < 5.0 * std::sqrt(0.25 * kSamples));
  CHECK(std::abs(restored[1] - kSamples / 2) < 5.0 * std::sqrt(0.25 * kSamples));
}

TEST_CASE("angles at the ends of R1 and of the half circle come back to their end") {
  Random random(5, 0, 0);
  for (int k = 0; k < 1000; ++k) {
    const double psi = 2.0 * pi * random.uniform();
    for (const double end : {pi / 6.0, pi / 2.0}) {
      REQUIRE(difference(procedure_4(procedure_3(end, psi), psi), end) < 1e-14);
    }
    for (const double end : {0.5 * pi, 1.5 * pi}) {
      REQUIRE(difference(procedure_2(procedure_1(end, psi, Vec2(1.0, 0.0)), psi, Vec2(1.0, 0.0)), end) < 1e-14);
    }
  }
}

TEST_CASE("procedures and operators are the same collisions") {
  Random random(6, 0, 0);
  for (int k = 0; k < 500; ++k) {
    const double g = random.uniform();
    const Vec2 r21(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
    auto pair = random_plane<2>(random);
    if (r21.dot(pair[0] - pair[1]) > 0.0) std::swap(pair[0], pair[1]);
    auto angles = angles_of(pair);
    angles.phi = procedure_1(angles.phi, pi * g, r21);  // the operator's number is the shift within the half circle
    const auto after = TwoInPlane({1.0, 1.0}, r21).forward(pair, {g});
    for (std::size_t i = 0; i < 2; ++i) REQUIRE((velocities_of(angles)[i] - after[i]).norm() < 1e-11);

    auto turned = angles_of(pair);
    turned.phi = procedure_1(turned.phi, 2.0 * pi * g, r21);
    const TwoInPlaneByRotation by_rotation({1.0, 1.0}, r21);
    const auto rotated = by_rotation.forward(pair, {g});
    const auto restored = by_rotation.reverse(rotated, {g});
    for (std::size_t i = 0; i < 2; ++i) {
      REQUIRE((velocities_of(turned)[i] - rotated[i]).norm() < 1e-9);
      REQUIRE((restored[i] - pair[i]).norm() < 1e-15);
    }

    ThreeOnLine::Velocities line = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
    std::sort(line.rbegin(), line.rend());  // the left one is the fastest
    auto of_line = angles_of(line);
    of_line.phi = procedure_3(of_line.phi, pi / 3.0 * g);
    const auto line_after = ThreeOnLine({1.0, 1.0, 1.0}).forward(line, {g});
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(std::abs(velocities_of(of_line)[i] - line_after[i]) < 1e-11);
  }
}

// --- procedures 5 and 6
// -----------------------------------------------------------------------------------------------

namespace {

double length(double v) {
  return std::abs(v);
}
double length(const Vec2& v) {
  return v.norm();
}

/// Largest difference of a velocity from what it was, after collisions there and back.
template <class Procedure>
double restoring_error(Procedure procedure, int collisions) {
  const auto start = procedure.velocities();
  const auto error = [&] {
    double largest = 0.0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      largest = std::max(largest, length(procedure.velocities()[i] - start[i]));
    }
    return largest;
  };
  for (int k = 0; k < collisions; ++k) procedure.forward();
  CHECK(error() > 1e-3);
  for (int k = 0; k < collisions; ++k) procedure.reverse();
  return error();
}

}  // namespace

TEST_CASE("procedures 5 and 6 restore the velocities, with either generator and a momentum that is not zero") {
  const TwoInPlane::Velocities pair = {Vec2(-1.0, 0.3), Vec2(0.6, 0.5)};
  const ThreeOnLine::Velocities line = {1.5, 0.4, -0.7};
  constexpr int kCollisions = 20000;
  CHECK(restoring_error(Procedure5(pair, Vec2(1.0, 1.0), PhiloxStream(1)), kCollisions) < 1e-11);
  CHECK(restoring_error(Procedure5(pair, Vec2(1.0, 1.0), FourLcgs()), kCollisions) < 1e-11);
  CHECK(restoring_error(Procedure6(line, PhiloxStream(1)), kCollisions) < 1e-11);
  CHECK(restoring_error(Procedure6(line, FourLcgs()), kCollisions) < 1e-11);
  CHECK(restoring_error(Procedure6(line, PhiloxStream(1), Offset::arc), kCollisions) < 1e-11);
}

// --- configurations
// ---------------------------------------------------------------------------------------------------

namespace {

struct Seen {
  std::array<Vec2, 3> centres;  // of P1, P2, P3, in the canonical view
  Contacts contacts;
  Configuration configuration;
  double theta;
};

std::vector<Seen> all_configurations() {
  const auto at = [](const Vec2& from, double angle) { return Vec2(from + Vec2(std::cos(angle), std::sin(angle))); };
  const Vec2 p1(1.0, 0.0);
  const Vec2 p2(0.0, 0.0);
  std::vector<Seen> all = {{{p1, p2, at(p2, -pi / 3.0)}, {}, Configuration::c1, -pi / 3.0},
                           {{p1, p2, at(p2, pi / 3.0)}, {}, Configuration::c2, pi / 3.0}};
  for (const double theta : {1.2, 2.0, 3.0, -1.5, -2.8}) {
    all.push_back({{p1, p2, at(p2, theta)}, {true, true, false}, Configuration::c3, theta});
  }
  for (const double theta : {0.0, 1.0, 1.9, -0.5, -1.7}) {
    all.push_back({{p1, p2, at(p1, theta)}, {true, false, true}, Configuration::c4, theta});
  }
  return all;
}

bool separate(const Seen& seen, const ThreeInPlane::Velocities& v) {
  const auto opens = [&](std::size_t i, std::size_t j) {
    return (seen.centres[i] - seen.centres[j]).dot(v[i] - v[j]) > 0.0;
  };
  return opens(0, 1) && (!seen.contacts.p2_p3 || opens(1, 2)) && (!seen.contacts.p3_p1 || opens(2, 0));
}

}  // namespace

TEST_CASE("the canonical view does not depend on where the particles are, nor on which one is in the middle") {
  for (const Seen& seen : all_configurations()) {
    for (const double turn : {0.0, 1.0, 3.0}) {
      std::array<Vec2, 3> centres;
      for (std::size_t i = 0; i < 3; ++i) {
        const Vec2& c = seen.centres[i];
        centres[i] = Vec2(2.0 + std::cos(turn) * c.x() - std::sin(turn) * c.y(),
                          -1.0 + std::sin(turn) * c.x() + std::cos(turn) * c.y());
      }
      const CanonicalView view = canonical_view(centres, seen.contacts);
      CHECK(view.configuration == seen.configuration);
      CHECK(difference(view.theta, seen.theta) < 1e-14);
      CHECK(view.order == std::array{0, 1, 2});
      CHECK((view.x_axis - Vec2(std::cos(turn), std::sin(turn))).norm() < 1e-14);
    }
  }
  // 1 and 2 do not touch: 3 is in the middle.
  const auto middle = canonical_view({Vec2(0.0, 0.0), Vec2(2.0, 0.0), Vec2(1.0, 0.0)}, {false, true, true});
  CHECK(middle.configuration == Configuration::c3);
  CHECK(middle.order == std::array{0, 2, 1});
  CHECK(difference(middle.theta, pi) < 1e-14);
  CHECK_THROWS_AS(canonical_view({Vec2(0.0, 0.0), Vec2(1.0, 0.0), Vec2(9.0, 0.0)}, {true, false, false}),
                  std::invalid_argument);
}

TEST_CASE("the ranges of phi2 and phi3 are those of the velocities that separate") {
  constexpr int kGrid = 24;
  for (const Seen& seen : all_configurations()) {
    CAPTURE(static_cast<int>(seen.configuration));
    CAPTURE(seen.theta);
    int inside = 0;
    int two_pieces = 0;
    for (int i = 0; i < kGrid; ++i) {
      const double phi1 = 0.5 * pi * (i + 0.5) / kGrid;
      const Range allowed2 = phi2_range(seen.configuration, seen.theta, phi1);
      for (int j = 0; j < kGrid; ++j) {
        const double phi2 = pi * (j + 0.5) / kGrid;
        const auto allowed3 = phi3_ranges(seen.configuration, seen.theta, phi1, phi2);
        REQUIRE(allowed3.empty() == !(phi2 > allowed2.begin && phi2 < allowed2.end));
        two_pieces += allowed3.size() == 2;
        for (int k = 0; k < 2 * kGrid; ++k) {
          const double phi3 = pi * (k + 0.5) / kGrid;
          const bool in_range = std::any_of(allowed3.begin(), allowed3.end(), [&](const Range& range) {
            return (phi3 > range.begin && phi3 < range.end) ||
                   (phi3 + 2.0 * pi > range.begin && phi3 + 2.0 * pi < range.end);
          });
          const ThreeInPlaneAngles angles{Vec2(0.3, -0.2), 1.5, {phi1, phi2, phi3}};
          REQUIRE(in_range == separate(seen, velocities_of(angles)));
          inside += in_range;
        }
      }
    }
    CHECK(inside > 100);
    CHECK((two_pieces > 0) == (seen.configuration == Configuration::c1 || seen.configuration == Configuration::c2));
  }
}

namespace {

/// Procedures 2 and 3 of the appendix as printed, for C1: angles after a collision and back.
std::array<double, 3> printed_c1(const std::array<double, 3>& phi, const std::array<double, 3>& psi, bool backwards) {
  const double sign = backwards ? -1.0 : 1.0;
  std::array<double, 3> to{};
  to[0] = backwards ? 0.5 * pi + mod(phi[0] - psi[0], 0.5 * pi) : mod(phi[0] - 0.5 * pi + psi[0], 0.5 * pi);
  const double of_phi1 = backwards ? phi[0] : to[0];
  const Range two = phi2_range(Configuration::c1, -pi / 3.0, of_phi1);
  to[1] = mod(phi[1] + sign * psi[1], pi);
  if (to[1] < two.begin || to[1] > two.end) to[1] = mod(to[1] + sign * (two.begin + pi - two.end), pi);
  const auto three = phi3_ranges(Configuration::c1, -pi / 3.0, of_phi1, backwards ? phi[1] : to[1]);
  to[2] = mod(phi[2] + sign * psi[2], 2.0 * pi);
  if (three.empty()) return to;
  if (to[2] < three.front().begin) {
    to[2] = mod(to[2] + sign * three.front().begin, 2.0 * pi);
  } else if (to[2] > three.back().end) {
    to[2] = mod(to[2] + sign * (2.0 * pi - three.back().end), 2.0 * pi);
  }
  return to;
}

}  // namespace

TEST_CASE("the appendix's procedures for C1, as printed, often neither separate the particles nor come back") {
  constexpr int kSamples = 2000;
  const Seen c1 = all_configurations()[0];
  const ThreeInPlane contact({1.0, 1.0, 1.0}, c1.centres, c1.contacts);
  Random random(9, 0, 0);
  int separated = 0;
  int restored = 0;
  int ours = 0;
  for (int k = 0; k < kSamples; ++k) {
    ThreeInPlane::Velocities v = random_plane<3>(random);
    while (!separate(c1, {-v[0], -v[1], -v[2]})) v = random_plane<3>(random);
    auto angles = angles_of(v);
    angles.phi[2] = mod(angles.phi[2], 2.0 * pi);
    const std::array<double, 3> g = {random.uniform(), random.uniform(), random.uniform()};
    const std::array<double, 3> psi = {pi * g[0], pi * g[1], 2.0 * pi * g[2]};
    const auto before = angles.phi;
    angles.phi = printed_c1(before, psi, false);
    separated += separate(c1, velocities_of(angles));
    const auto back = printed_c1(angles.phi, psi, true);
    restored += std::abs(back[0] - before[0]) + std::abs(back[1] - before[1]) + difference(back[2], before[2]) < 1e-6;
    const auto after = contact.forward(v, g);
    ours += separate(c1, after) && (contact.reverse(after, g)[0] - v[0]).norm() < 1e-10;
  }
  CHECK(ours == kSamples);
  CHECK(separated < 0.85 * kSamples);  // 79 %
  CHECK(restored < 0.55 * kSamples);   // 48 %
}

}  // namespace scree::reversible_procedures_test
