#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/compare/difference.hpp"
#include "dem/compare/twins.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/restitution.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::soft_and_hard_test {

// The same disks in both modes. What is found here is told in docs/compare.md.

namespace {

using compare::Twins;

constexpr double kSize = 0.01;  // [m]

Scene disks(Place place, double restitution, double stiffness) {
  Scene scene;
  scene.domain = {{-1.0, -1.0}, {1.0, 1.0}};
  scene.materials = {{.name = "ball", .density = 1000.0, .stiffness = stiffness, .restitution = restitution}};
  scene.particles = {test::placed(Disk{}, kSize, std::move(place))};
  scene.end = scene.output_every = 1.0;
  return scene;
}

/// The twins with a share of the automatic step.
Twins twins(const Scene& scene, double share_of_step) {
  Twins both = compare::twins(scene);
  both.soft.soft.step = share_of_step * soft::time_step(both.soft).dt;
  return both;
}

Twins with_duration(Twins both, double contact_duration) {
  both.hard.hard.contact_duration = contact_duration;
  return both;
}

ParticleState soft_at(const Twins& both, double time) {
  soft::Simulation simulation(both.soft, {.threads = 1});
  simulation.advance_to(time);
  return simulation.state().particles;
}

ParticleState hard_at(const Twins& both, double time) {
  hard::SceneSimulation simulation(both.hard);
  simulation.advance_to(time);
  return simulation.state().particles;
}

/// Of translation, over that of as many disks with a speed.
double energy_share(const ParticleState& particles, double speed) {
  double sum = 0.0;
  for (const Vec2& velocity : particles.velocity) sum += velocity.squaredNorm();
  return sum / (static_cast<double>(particles.size()) * speed * speed);
}

}  // namespace

TEST_CASE("a disk that is hit from both sides at once dissipates in soft mode, and hardly in the TC model") {
  constexpr double kSpeed = 0.1;
  struct Case {
    double e;
    double share_soft;  // energy lost over that of hard disks
    double share_tc;
  };
  for (const Case& now : {Case{0.5, 0.722, 0.212}, {0.8, 0.559, 0.184}, {0.95, 0.492, 0.171}}) {
    const double e = now.e;
    CAPTURE(e);
    const Place row = {{.position = {-kSize - 1e-9, 0.0}, .velocity = {kSpeed, 0.0}},
                       {.position = {0.0, 0.0}},
                       {.position = {kSize + 2e-9, 0.0}, .velocity = {-kSpeed, 0.0}}};
    const Twins both = twins(disks(row, e, 1e6), 0.05);
    const double later = 40.0 * compare::contact_time(both);
    const ParticleState soft = soft_at(both, later);
    // The middle one stays where it is: the others meet a wall, whose contact has twice the reduced mass.
    const double rebound = restitution(damping_ratio(e) / std::numbers::sqrt2);
    CHECK(std::abs(soft.velocity[0].x() + rebound * kSpeed) < 1e-3 * kSpeed);
    CHECK(std::abs(soft.velocity[2].x() - rebound * kSpeed) < 1e-3 * kSpeed);
    const auto loss = [&](const ParticleState& after) { return 2.0 / 3.0 - energy_share(after, kSpeed); };
    const double loss_hard = loss(hard_at(with_duration(both, 0.0), later));
    const double loss_tc = loss(hard_at(both, later));
    CHECK(std::abs(loss_tc - (1.0 - e * e) / 6.0) < 1e-9);  // the first collision's
    CHECK(std::abs(loss(soft) / loss_hard - now.share_soft) < 1e-2);
    CHECK(std::abs(loss_tc / loss_hard - now.share_tc) < 1e-2);
  }
}

TEST_CASE("a falling column dissipates like hard disks if gaps take longer than contacts") {
  constexpr double kSpeed = 0.1;
  constexpr double kGap = 0.001;
  constexpr std::size_t kDisks = 12;
  Place column;
  for (std::size_t k = 0; k < kDisks; ++k) {
    const double height = 0.5 * kSize + 0.001 + static_cast<double>(k) * (kSize + kGap);
    column.push_back({.position = {0.0, height}, .velocity = {0.0, -kSpeed}});
  }
  struct Row {
    double stiffness;  // [N/m]
    double soft;       // what is left of the energy
    double tc;
  };
  constexpr double kHard = 0.0641;  // 144 collisions that never are two at a time
  for (const Row& row : {Row{1e3, 0.41, 0.984}, {1e4, 0.0746, 0.984}, {1e5, kHard, kHard}, {1e6, kHard, kHard}}) {
    CAPTURE(row.stiffness);
    Scene scene = disks(column, 0.9, row.stiffness);
    scene.walls = {test::floor_wall()};
    const Twins both = twins(scene, 0.5);
    CHECK(std::abs(energy_share(soft_at(both, 1.0), kSpeed) - row.soft) < 0.01 * row.soft);
    CHECK(std::abs(energy_share(hard_at(both, 1.0), kSpeed) - row.tc) < 0.01 * row.tc);
    CHECK(std::abs(energy_share(hard_at(with_duration(both, 0.0), 1.0), kSpeed) - kHard) < 0.01 * kHard);
  }
}

namespace {

/// Disks that fly and fall in a box.
Scene settling(std::uint64_t seed) {
  Scene scene = disks({}, 0.8, 1e5);
  scene.seed = seed;
  scene.gravity = {0.0, -9.81};
  scene.walls = {test::box_wall({-0.1, -0.1}, {0.2, 0.0}), test::box_wall({-0.1, 0.0}, {0.0, 0.5}),
                 test::box_wall({0.1, 0.0}, {0.2, 0.5})};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.02}, {0.1, 0.3}}, .count = 100, .jitter = 1.0},
                      .material = 0,
                      .shape = Disk{},
                      .size = {0.008, 0.012}}};
  return scene;
}

}  // namespace

TEST_CASE(
    "a box settles in the TC model as in soft mode with a tenth of the contact time, and far more slowly with it") {
  constexpr double kTime = 0.3;  // [s]
  constexpr int kSeeds = 4;
  double soft = 0.0;
  double tc = 0.0;
  double tenth = 0.0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Twins both = twins(settling(seed), 1.0);
    const double duration = compare::contact_time(both);
    const double before = energy_share(hard_at(both, 0.0), 1.0);
    soft += energy_share(soft_at(both, kTime), 1.0) / before / kSeeds;
    tc += energy_share(hard_at(both, kTime), 1.0) / before / kSeeds;
    tenth += energy_share(hard_at(with_duration(both, 0.1 * duration), kTime), 1.0) / before / kSeeds;
  }
  CAPTURE(soft);
  CHECK(std::abs(tc / soft - 6.5) < 2.0);
  CHECK(std::abs(tenth / soft - 0.62) < 0.2);
}

namespace {

struct Trajectory {
  Scene scene;
  double time;  // at which all fly again [s]
};

/// A ball that falls on a floor, two that fall on one another and on it,, and three that fly.
std::vector<Trajectory> few_disks(double restitution) {
  const double r = 0.5 * kSize;
  Scene bouncing = disks({{.position = {0.0, 0.02}}}, restitution, 1.0);
  Scene stacked = disks({{.position = {0.0, 0.02}}, {.position = {0.1 * r, 0.035}}}, restitution, 1.0);
  for (Scene* falling : {&bouncing, &stacked}) {
    falling->gravity = {0.0, -9.81};
    falling->walls = {test::floor_wall()};
  }
  const Scene flying = disks({{.position = {0.0, 0.0}, .velocity = {1.0, 0.05}},
                              {.position = {0.035, 0.002}, .velocity = {-0.3, 0.1}},
                              {.position = {0.06, -0.005}, .velocity = {-0.9, 0.0}}},
                             restitution, 1.0);
  return {{bouncing, 0.07}, {stacked, 0.12}, {flying, 0.07}};
}

double position_error(const Twins& both, double time) {
  soft::Simulation soft(both.soft, {.threads = 1});
  soft.advance_to(time);
  const ParticleState found = soft.state().particles;
  const ParticleState limit = hard_at(with_duration(both, 0.0), soft.time());
  double sum = 0.0;
  for (std::size_t k = 0; k < found.size(); ++k) sum += (found.position[k] - limit.position[k]).squaredNorm();
  return std::sqrt(sum / static_cast<double>(found.size())) / kSize;
}

}  // namespace

TEST_CASE("trajectories of few disks converge with the root of the stiffness if the steps of a contact grow with it") {
  constexpr std::array<double, 3> kStiffnesses = {1e5, 4e5, 1.6e6};  // [N/m]
  for (const double e : {1.0, 0.9, 0.7}) {
    for (Trajectory& now : few_disks(e)) {
      CAPTURE(e);
      CAPTURE(now.time);
      std::vector<double> errors;
      for (const double stiffness : kStiffnesses) {
        now.scene.materials[0].stiffness = stiffness;
        errors.push_back(position_error(twins(now.scene, 0.25 * std::sqrt(kStiffnesses[0] / stiffness)), now.time));
      }
      const double slope =
          std::log(errors.back() / errors.front()) / std::log(kStiffnesses.back() / kStiffnesses.front());
      CHECK(std::abs(slope + 0.5) < 0.05);
    }
  }
}

TEST_CASE("two disks rebound alike in both modes, except for the tangential velocity of partly sticking contacts") {
  constexpr double kApart = 1e-8 * kSize;
  const std::array<double, 4> shares = {-0.5, 0.0, 0.5, 1.0};  // of the tangential velocity that is of the spins
  constexpr double kTangentialStiffness = 2.0 / 7.0;
  for (const double friction : {0.0, 0.1, 0.5}) {
    for (const double e : {1.0, 0.8}) {
      CAPTURE(friction);
      CAPTURE(e);
      Place place;
      for (int row = 0; row <= 17; ++row) {
        const double angle = 5.0 * row * std::numbers::pi / 180.0;
        for (std::size_t column = 0; column < shares.size(); ++column) {
          const Vec2 middle(0.05 * static_cast<double>(column), 0.05 * row - 0.5);
          const Vec2 to_right(0.5 * kSize + kApart, 0.0);
          const Vec2 velocity(-0.5 * std::cos(angle), 0.5 * (1.0 - shares[column]) * std::sin(angle));
          const double spin = -shares[column] * std::sin(angle) / kSize;
          place.push_back({.position = middle - to_right, .velocity = -velocity, .angular_velocity = spin});
          place.push_back({.position = middle + to_right, .velocity = velocity, .angular_velocity = spin});
        }
      }
      Scene scene = disks(place, e, 1e9);
      scene.materials[0].friction = friction;
      scene.materials[0].tangential_stiffness = kTangentialStiffness;
      const Twins both = twins(scene, 1.0);
      const double later = 5.0 * compare::contact_time(both);
      const ParticleState soft = soft_at(both, later);
      const ParticleState hard = hard_at(both, later);
      for (std::size_t a = 0; a < soft.size(); a += 2) {
        const auto after = [a](const ParticleState& state) -> Vec2 {
          const double spins = state.angular_velocity[a] + state.angular_velocity[a + 1];
          return state.velocity[a + 1] - state.velocity[a] - Vec2(0.0, 0.5 * kSize * spins);
        };
        const double angle = 5.0 * static_cast<double>(a / (2 * shares.size())) * std::numbers::pi / 180.0;
        CAPTURE(angle);
        CHECK(std::abs(after(hard).x() - e * std::cos(angle)) < 1e-3);
        CHECK(std::abs(after(soft).x() - after(hard).x()) < 0.01);
        const bool slides = std::tan(angle) > 1.05 * friction * std::max(3.0 * (1.0 + e), 1.0 / kTangentialStiffness);
        CHECK(std::abs(after(soft).y() - after(hard).y()) < (slides ? 0.01 : 0.19));
      }
    }
  }
}

namespace {

Scene gas(double restitution, std::uint64_t seed) {
  Scene scene = disks({}, restitution, 1e4);
  scene.seed = seed;
  scene.domain = {{0.0, 0.0}, {1.0, 1.0}, {true, true}};
  scene.materials[0].density = 1.0;
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {1.0, 1.0}}, .count = 49, .jitter = 1.0},
                      .material = 0,
                      .shape = Disk{},
                      .size = {0.048, 0.072}}};
  return scene;
}

/// Velocities differ by 1e-12 of themselves.
Scene nudged(Scene scene) {
  double nudge = 1e-12;
  for (ParticleGroup& group : scene.particles) {
    for (Placed& disk : std::get<Place>(group.how)) {
      disk.velocity *= 1.0 + nudge;
      nudge = -nudge;
    }
  }
  return scene;
}

/// At which two runs part, while their distance (rms) grows from 1e-11 m to 1e-4 m [1/s].
template <class Simulation>
double growth_rate(Simulation&& one, Simulation&& other, const Domain& domain) {
  constexpr double kLeast = 1e-11;
  constexpr double kMost = 1e-4;
  double since = 0.0;
  for (int look = 1; look < 400; ++look) {
    const double time = 0.01 * look;
    one.advance_to(time);
    other.advance_to(time);
    const ParticleState a = one.state().particles;
    const ParticleState b = other.state().particles;
    const double apart = compare::difference(a, a.id[0], b, b.id[0], domain).position_rms;
    if (apart < kLeast) since = time;
    if (apart > kMost) return std::log(kMost / kLeast) / (time - since);
  }
  return 0.0;
}

}  // namespace

TEST_CASE("elastic gases diverge equally fast in both modes, and faster in soft mode with a dashpot") {
  struct Case {
    double e;
    double soft_over_hard;  // of 16 seeds, with a standard error of 0.06; rates of single seeds vary by 15 %
  };
  constexpr int kSeeds = 8;
  for (const Case& now : {Case{1.0, 1.0}, {0.9, 1.75}}) {
    CAPTURE(now.e);
    double soft = 0.0;
    double hard = 0.0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Twins both = twins(gas(now.e, seed), 1.0);
      soft += growth_rate(soft::Simulation(both.soft, {.threads = 1}),
                          soft::Simulation(nudged(both.soft), {.threads = 1}), both.soft.domain);
      hard += growth_rate(hard::SceneSimulation(both.hard), hard::SceneSimulation(nudged(both.hard)), both.soft.domain);
    }
    CAPTURE(soft);
    CAPTURE(hard);
    CHECK(std::abs(hard / kSeeds - (now.e < 1.0 ? 12.2 : 17.5)) < 2.0);
    CHECK(std::abs(soft / hard - now.soft_over_hard) < 0.15);
  }
}

TEST_CASE("a gas in a cell that is squeezed gets as hot in both modes, and the cell as small") {
  struct Case {
    const char* name;
    double xx, yy, xy;
    double tolerance;
  };
  // Squeezed alike, the work goes by the energy. Else it goes by differences of stresses, which vary by about rate *
  // sqrt(2 * time * 0.15 s / disks) of it: 0.025 here, in each mode.
  for (const Case& c :
       {Case{"from all sides", -0.5, -0.5, 0.0, 0.05}, Case{"along x, and sheared", -0.5, 0.1, 0.5, 0.1}}) {
    CAPTURE(std::string(c.name));
    constexpr int kRows = 12;
    constexpr double kSpacing = 0.028;  // a packing fraction of 0.1
    Scene scene = disks({}, 0.8, 3e5);
    scene.domain = {{0.0, 0.0}, {kRows * kSpacing, kRows * kSpacing}, {true, true}};
    scene.domain.cell = CellDrive{.xx = {.rate = c.xx}, .yy = {.rate = c.yy}, .xy = {.rate = c.xy}};
    Place place;
    for (int k = 0; k < kRows * kRows; ++k) {
      const double angle = 2.4 * k;  // golden: all directions alike
      place.push_back({.position = {(k % kRows + 0.5) * kSpacing, (k / kRows + 0.5) * kSpacing},
                       .velocity = {0.1 * std::cos(angle), 0.1 * std::sin(angle)}});
    }
    scene.particles = {test::placed(Disk{}, kSize, place)};
    scene.end = 0.7;
    Scene hard = scene;
    hard.mode = Mode::hard;
    hard.materials[0].stiffness = 0.0;
    soft::Simulation one(scene, {.threads = 1});
    hard::SceneSimulation other(hard);
    const double before = one.summary().kinetic_energy;
    CHECK(std::abs(other.summary().kinetic_energy / before - 1.0) < 1e-12);
    one.advance_to(scene.end);
    other.advance_to(one.time());
    const CellState small = one.state().cell.value();
    const CellState too = other.state().cell.value();
    CHECK((small.length - too.length).norm() < 1e-6 * small.length.norm());
    CHECK(std::abs(std::remainder(small.tilt - too.tilt, small.length.x())) < 1e-5 * small.length.x());
    for (const int k : {0, 1, 2}) CHECK(std::abs(small.strain[k] - too.strain[k]) < 1e-6);
    const Summary soft_end = one.summary();
    const Summary hard_end = other.summary();
    MESSAGE(std::string(c.name) << ": kinetic energy grows " << soft_end.kinetic_energy / before << " and "
                                << hard_end.kinetic_energy / before << " times, work over it "
                                << soft_end.wall_work / before << " and " << hard_end.wall_work / before);
    CHECK(other.counters().collisions > kRows * kRows);
    CHECK(std::abs(hard_end.kinetic_energy / soft_end.kinetic_energy - 1.0) < c.tolerance);
    CHECK(std::abs(hard_end.wall_work / soft_end.wall_work - 1.0) < c.tolerance);
  }
}

}  // namespace scree::soft_and_hard_test
