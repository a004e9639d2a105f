#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/reversible/collisions.hpp"
#include "dem/hard/reversible/shift.hpp"
#include "dem/random.hpp"

namespace scree::reversible_collisions_test {

using namespace scree::hard::reversible;
using scree::Random;
using scree::Vec2;
using std::numbers::pi;

namespace {

constexpr double kNearOne = 1.0 - 0x1p-53;

// --- what all operators share
// -----------------------------------------------------------------------------------------

double squared(double v) {
  return v * v;
}
template <class V>
double squared(const V& v) {
  return v.squaredNorm();
}

/// The root of twice the energy: the scale of all errors.
template <std::size_t N, class Velocities>
double scale(const std::array<double, N>& masses, const Velocities& v) {
  double sum = 0.0;
  for (std::size_t i = 0; i < N; ++i) sum += masses[i] * squared(v[i]);
  return std::sqrt(sum);
}

/// Distance of two states on the energy shell, over their scale.
template <std::size_t N, class Velocities>
double distance(const std::array<double, N>& masses, const Velocities& a, const Velocities& b) {
  Velocities difference = a;
  for (std::size_t i = 0; i < N; ++i) difference[i] = a[i] - b[i];
  const double size = scale(masses, a);
  return size == 0.0 ? scale(masses, b) : scale(masses, difference) / size;
}

template <std::size_t N, class Velocities>
auto momentum(const std::array<double, N>& masses, const Velocities& v) {
  typename Velocities::value_type sum = masses[0] * v[0];
  for (std::size_t i = 1; i < N; ++i) sum += masses[i] * v[i];
  return sum;
}

double normal(Random& random) {
  return std::sqrt(-2.0 * std::log(1.0 - random.uniform())) * std::cos(2.0 * pi * random.uniform());
}
void randomize(double& v, Random& random) {
  v = normal(random);
}
template <class V>
void randomize(V& v, Random& random) {
  for (double& x : v) x = normal(random);
}

/// An operator with the contacts that it resolves: pairs (i, j) and vectors from j to i.
template <class Contact, class Vector, std::size_t N>
struct Case {
  struct Touch {
    std::size_t i;
    std::size_t j;
    Vector r;
  };
  Contact contact;
  std::array<double, N> masses;
  std::vector<Touch> touching;

  using Velocities = typename Contact::Velocities;

  static double product(double a, double b) { return a * b; }
  template <class V>
  static double product(const V& a, const V& b) {
    return a.dot(b);
  }
  double opening(const Velocities& v, const Touch& t) const {
    const Vector relative = v[t.i] - v[t.j];
    return product(t.r, relative) / std::sqrt(product(t.r, t.r));
  }
  bool separate(const Velocities& v) const {
    return std::all_of(touching.begin(), touching.end(), [&](const Touch& t) { return opening(v, t) > 0.0; });
  }
  Velocities thermal(Random& random) const {  // each mass with the same mean energy
    Velocities v;
    for (std::size_t i = 0; i < N; ++i) {
      randomize(v[i], random);
      v[i] /= std::sqrt(masses[i]);
    }
    return v;
  }
  /// Random velocities that separate, by rejection: the definition.
  Velocities separating(Random& random) const {
    Velocities v = thermal(random);
    while (!separate(v)) v = thermal(random);
    return v;
  }
  /// Random velocities that approach: at each contact that opens the normal velocity is reversed, until none is left.
  Velocities approaching(Random& random) const {
    Velocities v = thermal(random);
    for (std::size_t k = 0, closing = 0; closing < touching.size(); ++k) {
      const Touch& t = touching[k % touching.size()];
      const double speed = opening(v, t);
      ++closing;
      if (speed < 0.0) continue;
      closing = 1;
      const Vector jump = 2.0 * speed / (masses[t.i] + masses[t.j]) / std::sqrt(product(t.r, t.r)) * t.r;
      v[t.i] -= masses[t.j] * jump;
      v[t.j] += masses[t.i] * jump;
    }
    return v;
  }
};

Case<TwoOnLine, double, 2> two_on_line(double m1, double m2) {
  return {TwoOnLine({m1, m2}), {m1, m2}, {{0, 1, 1.0}}};
}
Case<TwoInPlane, Vec2, 2> two_in_plane(double m1, double m2, const Vec2& r21) {
  return {TwoInPlane({m1, m2}, r21), {m1, m2}, {{0, 1, r21}}};
}
Case<TwoInSpace, Eigen::Vector3d, 2> two_in_space(double m1, double m2, const Eigen::Vector3d& r21) {
  return {TwoInSpace({m1, m2}, r21), {m1, m2}, {{0, 1, r21}}};
}
Case<ThreeOnLine, double, 3> three_on_line(double m1, double m2, double m3) {
  return {ThreeOnLine({m1, m2, m3}), {m1, m2, m3}, {{0, 1, -1.0}, {1, 2, -1.0}}};
}
Case<ThreeInPlane, Vec2, 3> three_in_plane(const std::array<double, 3>& masses, const std::array<Vec2, 3>& centres,
                                           const Contacts& contacts) {
  Case<ThreeInPlane, Vec2, 3> made{ThreeInPlane(masses, centres, contacts), masses, {}};
  if (contacts.p1_p2) made.touching.push_back({0, 1, centres[0] - centres[1]});
  if (contacts.p2_p3) made.touching.push_back({1, 2, centres[1] - centres[2]});
  if (contacts.p3_p1) made.touching.push_back({2, 0, centres[2] - centres[0]});
  return made;
}
Vec2 at(double angle) {
  return {std::cos(angle), std::sin(angle)};
}
Case<ThreeInPlane, Vec2, 3> triangle(const std::array<double, 3>& masses, double side) {  // side: 1 for C1, -1 for C2
  return three_in_plane(masses, {Vec2(0.3, 0.2), Vec2(1.3, 0.2), Vec2(0.8, 0.2 + side * 0.5 * std::sqrt(3.0))}, {});
}
/// Particle 2 in the middle of a chain, bent by an angle: pi is straight.
Case<ThreeInPlane, Vec2, 3> chain(const std::array<double, 3>& masses, double bend) {
  return three_in_plane(masses, {at(0.7), Vec2(0.0, 0.0), at(0.7 + bend)}, {true, true, false});
}

const std::vector<std::array<double, 3>> kAllMasses = {
    {1.0, 1.0, 1.0}, {1.0, 2.0, 3.5}, {1e6, 1.0, 1e6}, {1.0, 1e6, 1.0}, {1e6, 1e6, 1.0}};

/// Applies a check to every operator.
template <class Check>
void for_every_operator(const Check& check, const std::vector<std::array<double, 3>>& masses = kAllMasses) {
  for (std::size_t k = 0; k < masses.size(); ++k) {
    CAPTURE(k);
    const auto& m = masses[k];
    check(two_on_line(m[0], m[1]));
    check(two_in_plane(m[0], m[1], Vec2(1.0, 1.0)));
    check(two_in_plane(m[1], m[2], Vec2(-0.3, 0.01)));
    check(two_in_space(m[0], m[1], Eigen::Vector3d(0.2, -3.0, 1.0)));
    check(two_in_space(m[1], m[2], Eigen::Vector3d(0.0, 0.0, -1.0)));
    check(three_on_line(m[0], m[1], m[2]));
    check(triangle(m, 1.0));
    check(triangle(m, -1.0));
    for (const double bend : {1.1, 2.0, pi, -1.5}) check(chain(m, bend));
    check(three_in_plane(m, {Vec2(0.0, 0.0), Vec2(1.0, 0.0), Vec2(0.0, 1.0)}, {true, false, true}));
    check(three_in_plane(m, {Vec2(1.0, 0.0), Vec2(0.0, 1.0), Vec2(0.0, 0.0)}, {false, true, true}));
    // Disks of radii 1, 0.2 and 3 that all touch.
    check(three_in_plane(m, {Vec2(0.0, 0.0), Vec2(1.2, 0.0), Vec2(2.8, std::sqrt(16.0 - 2.8 * 2.8 - 0.0))}, {}));
  }
}

template <std::size_t K>
std::array<double, K> numbers(Random& random) {
  std::array<double, K> g{};
  for (double& each : g) each = random.uniform();
  return g;
}

}  // namespace

TEST_CASE("a shift modulo 1 comes back, at the ends of the range, too") {
  Random random(1, 0, 0);
  for (const double x : {0.0, 1e-300, 1e-17, 0x1p-53, 0.3, 0.5, kNearOne, 1.0}) {
    for (int k = 0; k < 200; ++k) {
      const double g = k == 0 ? 0.0 : k == 1 ? kNearOne : random.uniform();
      const double y = shift(x, g);
      CAPTURE(x);
      CAPTURE(g);
      REQUIRE(y >= 0.0);
      REQUIRE(y < 1.0);
      REQUIRE(std::abs(shift_back(y, g) - x) < 4e-16);
      REQUIRE(std::abs(shift_back(std::max(y - 1e-15, 0.0), g) - x) < 3e-15);  // y may come back with an error
      REQUIRE(std::abs(y - (x + g - std::floor(x + g))) < 1e-10 + (y < 1e-10 || y > 1.0 - 1e-10 ? 1.0 : 0.0));
    }
  }
}

TEST_CASE("reverse() restores the velocities; particles separate; momentum and energy are kept") {
  for_every_operator([](const auto& of) {
    using Contact = std::decay_t<decltype(of.contact)>;
    Random random(11, 0, 0);
    for (int k = 0; k < 300; ++k) {
      const auto before = of.approaching(random);
      const auto g = numbers<Contact::kNumbers>(random);
      const auto after = of.contact.forward(before, g);
      const double size = scale(of.masses, before);
      REQUIRE(distance(of.masses, before, of.contact.reverse(after, g)) < 1e-12);
      REQUIRE(std::abs(scale(of.masses, after) / size - 1.0) < 1e-14);
      const double mass = *std::max_element(of.masses.begin(), of.masses.end());
      const typename std::decay_t<decltype(before)>::value_type jump =
          momentum(of.masses, after) - momentum(of.masses, before);
      REQUIRE(std::sqrt(squared(jump)) < 1e-14 * size * std::sqrt(mass));
      for (const auto& touch : of.touching) REQUIRE(of.opening(after, touch) > -1e-15 * size);
    }
  });
}

TEST_CASE("a collision draws exactly d_n numbers and uncollide puts them back") {
  for_every_operator([](const auto& of) {
    Random random(12, 0, 0);
    PhiloxStream stream(5);
    std::vector<std::decay_t<decltype(of.approaching(random))>> before;
    for (int k = 0; k < 20; ++k) {
      before.push_back(of.approaching(random));
      const auto after = collide(of.contact, before.back(), stream);
      REQUIRE(stream.position() == (k + 1) * of.contact.kNumbers);
      const auto restored = uncollide(of.contact, after, stream);
      REQUIRE(stream.position() == k * of.contact.kNumbers);
      REQUIRE(distance(of.masses, before.back(), restored) < 1e-12);
      collide(of.contact, before.back(), stream);
    }
  });
  CHECK(TwoOnLine::kNumbers == 0);  // n d - d - 1
  CHECK(TwoInPlane::kNumbers == 1);
  CHECK(TwoInSpace::kNumbers == 2);
  CHECK(ThreeOnLine::kNumbers == 1);
  CHECK(ThreeInPlane::kNumbers == 3);
}

TEST_CASE("particles at rest relative to each other stay so") {
  for_every_operator([](const auto& of) {
    using Contact = std::decay_t<decltype(of.contact)>;
    Random random(13, 0, 0);
    auto v = of.approaching(random);
    const auto g = numbers<Contact::kNumbers>(random);
    for (auto& each : v) each = 0.0 * v[0];
    CHECK(of.contact.forward(v, g) == v);
    CHECK(of.contact.reverse(v, g) == v);
    randomize(v[0], random);
    for (auto& each : v) each = v[0];
    CHECK(distance(of.masses, v, of.contact.forward(v, g)) < 1e-15);
    CHECK(distance(of.masses, v, of.contact.reverse(v, g)) < 1e-15);
  });
}

TEST_CASE("two of three particles with equal velocities, and any contact that grazes, come back") {
  for_every_operator([](const auto& of) {
    using Contact = std::decay_t<decltype(of.contact)>;
    Random random(14, 0, 0);
    int grazing = 0;
    for (int k = 0; k < 200; ++k) {
      auto before = of.approaching(random);
      const auto& touch = of.touching[k % of.touching.size()];
      before[touch.i] = before[touch.j];  // no approach at this contact
      bool allowed = true;
      double normal_energy = 0.0;
      for (const auto& other : of.touching) {
        const double speed = of.opening(before, other);
        const double mass = of.masses[other.i] * of.masses[other.j] / (of.masses[other.i] + of.masses[other.j]);
        allowed = allowed && speed <= 0.0;
        normal_energy += mass * speed * speed;
      }
      const double share = std::sqrt(normal_energy) / scale(of.masses, before);
      if (!allowed || share < 1e-6) continue;  // all contacts graze
      ++grazing;
      const auto g = numbers<Contact::kNumbers>(random);
      // Where all contacts nearly graze, how much each of them does is known to fewer digits (docs/reversible.md).
      const double digits = of.touching.size() == 3 ? 1e-14 / (share * share) : 1e-13 / share;
      const auto [lightest, heaviest] = std::minmax_element(of.masses.begin(), of.masses.end());
      const double tolerance = std::max(*heaviest > 100.0 * *lightest ? 1e-11 : 1e-12, digits);
      REQUIRE(distance(of.masses, before, of.contact.reverse(of.contact.forward(before, g), g)) < tolerance);
    }
    CHECK((grazing > 20 || of.touching.size() == 1));
  });
}

TEST_CASE("a grazing pair comes back with its velocities, not with those of the opposite side") {
  const auto of = two_in_plane(1.0, 2.0, Vec2(0.6, 0.8));
  const auto in_space = two_in_space(1.0, 2.0, Eigen::Vector3d(0.6, 0.8, 0.0));
  Random random(15, 0, 0);
  for (int k = 0; k < 500; ++k) {
    const double side = k % 2 == 0 ? 1.0 : -1.0;
    const TwoInPlane::Velocities before = {side * Vec2(-0.8, 0.6), Vec2(0.0, 0.0)};
    const auto g = numbers<1>(random);
    REQUIRE(distance(of.masses, before, of.contact.reverse(of.contact.forward(before, g), g)) < 1e-12);
    const double angle = 2.0 * pi * random.uniform();
    const TwoInSpace::Velocities flat = {
        Eigen::Vector3d(-0.8 * std::cos(angle), 0.6 * std::cos(angle), std::sin(angle)), Eigen::Vector3d::Zero()};
    const auto h = numbers<2>(random);
    REQUIRE(distance(in_space.masses, flat, in_space.contact.reverse(in_space.contact.forward(flat, h), h)) < 1e-12);
  }
}

TEST_CASE("where an angle is not defined nothing is lost: head-on in space, and the paper's phi1 = 0 and phi2 = 0") {
  Random random(16, 0, 0);
  const Eigen::Vector3d n = Eigen::Vector3d(1.0, -2.0, 0.5).normalized();
  const auto pair = two_in_space(1.0, 1.0, n);
  const TwoInSpace::Velocities head_on = {-1.5 * n, 0.5 * n};
  for (int k = 0; k < 100; ++k) {
    const auto g = numbers<2>(random);
    REQUIRE(distance(pair.masses, head_on, pair.contact.reverse(pair.contact.forward(head_on, g), g)) < 1e-12);
    // To a head-on separation and back: before it there was any velocity, and it comes back.
    const TwoInSpace::Velocities apart = {1.5 * n, -0.5 * n};
    const auto before = pair.contact.reverse(apart, g);
    REQUIRE(distance(pair.masses, apart, pair.contact.forward(before, g)) < 1e-12);
  }
  // phi1 = pi: P1 and P2 meet head on, P3 has their mean velocity. phi2 = 0: also d - e.
  int tried = 0;
  for (const auto& of : {triangle({1.0, 1.0, 1.0}, 1.0), chain({1.0, 1.0, 1.0}, 1.2), chain({1.0, 1.0, 1.0}, pi)}) {
    const Vec2 along = of.touching[0].r.normalized();
    for (const double aside : {0.0, 0.1}) {
      const Vec2 half = -along + aside * Vec2(-along.y(), along.x());
      const ThreeInPlane::Velocities before = {half, -half, Vec2(0.0, 0.0)};
      if (of.separate({-before[0], -before[1], -before[2]})) {
        ++tried;
        for (int k = 0; k < 100; ++k) {
          const auto g = numbers<3>(random);
          REQUIRE(distance(of.masses, before, of.contact.reverse(of.contact.forward(before, g), g)) < 1e-12);
        }
      }
    }
  }
  CHECK(tried > 0);
}

TEST_CASE("numbers 0 and almost 1 are numbers like others") {
  for_every_operator([](const auto& of) {
    using Contact = std::decay_t<decltype(of.contact)>;
    Random random(17, 0, 0);
    for (int k = 0; k < 64; ++k) {
      typename Contact::Numbers g{};
      for (std::size_t i = 0; i < g.size(); ++i) g[i] = (k >> i) % 2 == 0 ? 0.0 : kNearOne;
      const auto before = of.approaching(random);
      REQUIRE(distance(of.masses, before, of.contact.reverse(of.contact.forward(before, g), g)) < 1e-12);
    }
  });
}

TEST_CASE("three particles need two contacts") {
  CHECK_THROWS_AS(ThreeInPlane({1.0, 1.0, 1.0}, {Vec2(0.0, 0.0), Vec2(1.0, 0.0), Vec2(5.0, 0.0)}, {true, false, false}),
                  std::invalid_argument);
}

// --- what is sampled
// --------------------------------------------------------------------------------------------------

namespace {

/// Pearson's chi-squared of two samples with as many values each, over its degrees of freedom, in bins that the second
/// sample fills equally. Its mean is 1.
double chi_squared(std::vector<double> sample, std::vector<double> reference, int bins) {
  std::sort(sample.begin(), sample.end());
  std::sort(reference.begin(), reference.end());
  double sum = 0.0;
  auto begin = sample.begin();
  const auto share = static_cast<double>(reference.size()) / bins;
  for (int k = 1; k <= bins; ++k) {
    const auto last = static_cast<std::size_t>(std::lround(share * k));
    const auto end = k == bins ? sample.end() : std::lower_bound(begin, sample.end(), reference[last]);
    const double count = static_cast<double>(end - begin);
    const double expected = static_cast<double>(last) - static_cast<double>(std::lround(share * (k - 1)));
    sum += (count - expected) * (count - expected) / (count + expected);
    begin = end;
  }
  return sum / (bins - 1);
}

}  // namespace

TEST_CASE("whatever the velocities were, those after a collision are uniform on the allowed part of the energy shell") {
  // Brute force: random velocities of all directions on the shell, of which those are kept that separate.
  constexpr int kSamples = 4000;
  for_every_operator(
      [](const auto& of) {
        using Contact = std::decay_t<decltype(of.contact)>;
        if (Contact::kNumbers == 0) return;
        Random random(21, 0, 0);
        const auto before = of.approaching(random);
        const double mass = [&] {
          double sum = 0.0;
          for (const double m : of.masses) sum += m;
          return sum;
        }();
        // Each velocity component of each particle, in the frame of the centre of mass, over the shell's radius.
        const auto components = [&](const auto& v) {
          auto relative = v;
          const auto centre = momentum(of.masses, v);
          for (auto& each : relative) each -= centre / mass;
          const double size = scale(of.masses, relative);
          std::vector<double> found;
          for (std::size_t i = 0; i < relative.size(); ++i) {
            const double* x = reinterpret_cast<const double*>(&relative[i]);
            for (std::size_t d = 0; d < sizeof(relative[i]) / sizeof(double); ++d) {
              found.push_back(std::sqrt(of.masses[i]) * x[d] / size);
            }
          }
          for (const auto& touch : of.touching) found.push_back(of.opening(relative, touch) / size);
          return found;
        };
        std::vector<std::vector<double>> ours(components(before).size());
        auto reference = ours;
        for (int k = 0; k < kSamples; ++k) {
          const auto after = components(of.contact.forward(before, numbers<Contact::kNumbers>(random)));
          const auto oracle = components(of.separating(random));
          for (std::size_t c = 0; c < ours.size(); ++c) {
            ours[c].push_back(after[c]);
            reference[c].push_back(oracle[c]);
          }
        }
        for (std::size_t c = 0; c < ours.size(); ++c) {
          CAPTURE(c);
          CHECK(chi_squared(ours[c], reference[c], 20) < 3.0);  // 19 degrees of freedom: p = 1e-5
        }
      },
      {{1.0, 1.0, 1.0}, {1.0, 2.0, 3.5}, {1.0, 1e6, 1.0}});
}

}  // namespace scree::reversible_collisions_test
