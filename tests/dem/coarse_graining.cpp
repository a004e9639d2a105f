#include "dem/measure/coarse_graining.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <sstream>

#include <doctest/doctest.h>

#include "dem/random.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::coarse_graining_test {

namespace {

constexpr double kWidth = 0.7;
const std::array<KernelKind, 2> kKinds = {KernelKind::gauss, KernelKind::lucy};

/// Numbers from 0 to 1, always the same.
class Numbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11U) * 0x1p-53;
  }
  Vec2 point(double lo, double hi) { return {lo + (hi - lo) * next(), lo + (hi - lo) * next()}; }

 private:
  std::uint64_t state_ = 2026;
};

constexpr std::uint64_t kWallId = 1;

/// Particles and contacts that no mechanics would make: points anywhere, forces in any direction, every third on a
/// wall.
State any_state() {
  Numbers numbers;
  State state;
  state.walls.id = {kWallId};
  ParticleState& p = state.particles;
  for (std::uint64_t i = 0; i < 6; ++i) {
    p.id.push_back(2 + i);
    p.position.push_back(numbers.point(0.0, 4.0));
    p.velocity.push_back(numbers.point(-1.0, 1.0));
    p.mass.push_back(0.5 + numbers.next());
    p.radius.push_back(0.3);
  }
  p.outlines.first.resize(p.size() + 1);
  for (int c = 0; c < 12; ++c) {
    const auto i = static_cast<std::size_t>(6.0 * numbers.next());
    const auto j = (i + 1 + static_cast<std::size_t>(5.0 * numbers.next())) % 6;
    const bool wall = c % 3 == 0;
    const Vec2 point = numbers.point(0.0, 4.0);
    state.contacts.push_back({.id1 = p.id[i],
                              .id2 = wall ? kWallId : p.id[j],
                              .centre1 = p.position[i],
                              .point = point,
                              .centre2 = wall ? point : p.position[j],
                              .image_shift = Vec2::Zero(),
                              .force = numbers.point(-1.0, 1.0),
                              .force_normal = 0.0,
                              .force_tangential = 0.0,
                              .overlap = 0.0,
                              .depth = 0.0,
                              .sliding = false});
  }
  return state;
}

Domain open_domain() {
  return {.lo = {-100.0, -100.0}, .hi = {100.0, 100.0}};
}

/// The fields of a state at one point: that of a grid with one cell.
FieldSums fields_at(const State& state, const SmoothingKernel& kernel, const Vec2& point) {
  const Vec2 half(1e-9, 1e-9);
  CoarseFields fields({{point - half, point + half}, 1, 1}, kernel, open_domain());
  fields.add(state);
  return fields.sums().front();
}

/// d/dx at 0 by differences of the tenth order.
template <class Function>
auto derivative(const Function& f, double step) {
  constexpr std::array<double, 5> kWeights = {5.0 / 6.0, -5.0 / 21.0, 5.0 / 84.0, -5.0 / 504.0, 1.0 / 1260.0};
  auto sum = (kWeights[0] * (f(step) - f(-step))).eval();
  for (std::size_t k = 1; k < kWeights.size(); ++k) {
    const double x = static_cast<double>(k + 1) * step;
    sum += kWeights[k] * (f(x) - f(-x));
  }
  return (sum / step).eval();
}

}  // namespace

TEST_CASE("the mean of a kernel along a branch is its integral, for branches of any length") {
  Numbers numbers;
  for (const KernelKind kind : kKinds) {
    const SmoothingKernel kernel(kind, kWidth);
    int inside = 0;
    for (int sample = 0; sample < 300; ++sample) {
      const Vec2 offset = numbers.point(-1.5, 1.5);
      const Vec2 direction = numbers.point(-1.0, 1.0);
      const Vec2 branch = std::pow(10.0, -6.0 * numbers.next() + 0.3) * direction;
      constexpr int kPieces = 4000;
      double mean = 0.0;  // Simpson's rule
      for (int k = 0; k <= kPieces; ++k) {
        const double weight = k == 0 || k == kPieces ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
        mean += weight / (3.0 * kPieces) * kernel.at(offset + static_cast<double>(k) / kPieces * branch);
      }
      inside += mean > 0.01 ? 1 : 0;
      // Lucy's closed form is the difference of two primitives over a branch of 1e-4 widths or more. Their terms are
      // at most 8, each rounded by 1.1e-16: 2 * 8 * 1.1e-16 / 1e-4 * 5 / (pi width^2) = 6e-11. (Simpson's rule feels
      // the jumps of the third derivative, 1e-12.)
      CHECK(std::abs(kernel.along(offset, branch) - mean) < (kind == KernelKind::gauss ? 1e-13 : 6e-11));
    }
    CHECK(inside > 30);
  }
}

TEST_CASE("both kernels have the integral 1") {
  for (const KernelKind kind : kKinds) {
    const SmoothingKernel kernel(kind, kWidth);
    constexpr int kPoints = 400;
    const double h = 2.0 * kernel.reach() / kPoints;
    double sum = 0.0;
    for (int i = 0; i < kPoints; ++i) {
      for (int j = 0; j < kPoints; ++j) {
        sum += h * h * kernel.at({(i + 0.5) * h - kernel.reach(), (j + 0.5) * h - kernel.reach()});
      }
    }
    CHECK(std::abs(sum - 1.0) < (kind == KernelKind::gauss ? 1e-13 : 1e-6));
  }
}

TEST_CASE("the integral of the contact stress is the sum of force times branch, to rounding") {
  const State state = any_state();
  Eigen::Matrix2d expected = Eigen::Matrix2d::Zero();
  double scale = 0.0;
  for (const ContactState& c : state.contacts) {
    const Eigen::Matrix2d first = -c.force * (c.centre1 - c.point).transpose();
    const Eigen::Matrix2d second = c.force * (c.centre2 - c.point).transpose();  // with a wall: 0
    expected += first + second;
    scale += first.norm() + second.norm();
  }
  const SmoothingKernel kernel(KernelKind::gauss, kWidth);
  const double beyond = kernel.reach();
  CoarseFields fields(FieldGrid::covering({{-beyond, -beyond}, {4.0 + beyond, 4.0 + beyond}}, kWidth / 1.4), kernel,
                      open_domain());
  fields.add(state);
  FieldSums sum;
  for (const FieldSums& each : fields.sums()) sum += each;
  const double cell = fields.grid().cell().prod();
  CHECK((cell * sum.contact - expected).norm() < 1e-14 * scale);
  CHECK(expected.norm() > 0.1 * scale);
  double mass = 0.0;
  Vec2 momentum = Vec2::Zero();
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    mass += state.particles.mass[i];
    momentum += state.particles.mass[i] * state.particles.velocity[i];
  }
  CHECK(std::abs(cell * sum.density - mass) < 1e-13 * mass);
  CHECK((cell * sum.momentum - momentum).norm() < 1e-13 * mass);
  CHECK(std::abs(sum.area - 6.0 * 3.14159265358979 * 0.09) < 1e-12);  // m^2: no grain is lost or counted twice
}

TEST_CASE("less the divergence of the contact stress and the force of walls is the force on the particles, anywhere") {
  const State state = any_state();
  Numbers numbers;
  for (const KernelKind kind : kKinds) {
    const SmoothingKernel kernel(kind, kind == KernelKind::gauss ? kWidth : 2.0);
    const double step = 0.03;
    double largest = 0.0;
    for (int sample = 0; sample < 40; ++sample) {
      const Vec2 point = numbers.point(-0.5, 4.5);
      const auto along = [&](int axis) {
        return derivative(
            [&](double x) -> Vec2 { return fields_at(state, kernel, point + x * Vec2::Unit(axis)).contact.col(axis); },
            step);
      };
      const Vec2 left = -(along(0) + along(1)) + fields_at(state, kernel, point).boundary_force;
      Vec2 right = Vec2::Zero();
      for (const ContactState& c : state.contacts) {
        right -= c.force * kernel.at(point - c.centre1);
        if (c.id2 != kWallId) right += c.force * kernel.at(point - c.centre2);
      }
      largest = std::max(largest, right.norm());
      // The differences of Lucy's kernel cross jumps of its third derivative.
      CHECK((left - right).norm() < (kind == KernelKind::gauss ? 1e-9 : 1e-3));
    }
    CHECK(largest > 0.1);
  }
}

TEST_CASE(
    "a bed at rest has at each height the weight of the grains above it, down to the floor, across periodic sides" *
    doctest::skip(test::kSanitized)) {
  Scene scene = test::empty_scene();
  scene.domain = {.lo = {0.0, -0.2}, .hi = {0.4, 2.0}, .periodic = {true, false}};
  scene.gravity = {0.0, -9.81};
  scene.materials = {{.name = "stone", .density = 1000.0, .stiffness = 1e7, .restitution = 0.1, .friction = 0.3}};
  scene.walls = {test::box_wall({0.0, -0.2}, {0.4, 0.0})};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {0.4, 1.2}}, .count = {}},
                      .material = 0,
                      .shape = RegularPolygon{5},
                      .size = {0.045, 0.055}}};
  soft::Simulation simulation(scene);
  simulation.advance_to(1.7);
  const State state = simulation.state();
  REQUIRE(state.particles.size() > 80);

  const SmoothingKernel kernel(KernelKind::gauss, 0.04);
  const auto share_above = [&](double height, double y) {  // of the kernel at a height, above y
    return 0.5 * std::erfc((y - height) / (std::numbers::sqrt2 * kernel.width()));
  };
  double weight = 0.0;
  for (const double mass : state.particles.mass) weight += 9.81 * mass;
  double highest = 0.0;
  for (const double y : {-0.4, -0.02, 0.0, 0.01, 0.1, 0.2, 0.3, 0.5, 0.6}) {
    CAPTURE(y);
    // One row of points at this height, of a period: their sum is the integral to rounding.
    CoarseFields row({{{0.0, y - 1e-6}, {0.4, y + 1e-6}}, 16, 1}, kernel, scene.domain);
    row.add(state);
    double stress = 0.0;  // integral of P_yy [N]
    for (const FieldSums& sums : row.sums()) stress += sums.contact(1, 1) * 0.4 / 16.0;
    double walls = 0.0;    // force of the floor above this height [N]
    double grains = 0.0;   // contact forces on the grains above it [N]
    double weights = 0.0;  // their weight [N]
    for (const ContactState& contact : state.contacts) {
      if (contact.id2 == state.walls.id.front()) walls -= contact.force.y() * share_above(contact.point.y(), y);
    }
    for (std::size_t i = 0; i < state.particles.size(); ++i) {
      const double share = share_above(state.particles.position[i].y(), y);
      weights += share * 9.81 * state.particles.mass[i];
      grains += share * (state.particles.force[i].y() + 9.81 * state.particles.mass[i]);
    }
    CHECK(std::abs(stress + walls - grains) < 1e-12 * weight);  // for any state
    CHECK(std::abs(stress + walls - weights) < 1e-4 * weight);  // at rest
    highest = std::max(highest, stress);
  }
  CHECK(highest > 0.7 * weight);

  // rho g h: in the bed, where no wall is within reach, the stress is g times the integral of the density above.
  CoarseFields fields(FieldGrid::covering({{0.0, -0.6}, {0.4, 2.0}}, kernel.width() / 1.4), kernel, scene.domain);
  fields.add(state);
  const FieldGrid& grid = fields.grid();
  const double cell = grid.cell().prod();
  const auto row_sum = [&](std::size_t row, const auto& of) {
    double sum = 0.0;
    for (std::size_t column = 0; column < grid.columns; ++column) sum += of(fields.sums()[row * grid.columns + column]);
    return sum;
  };
  double floor = 0.0;
  double mass_above = 0.0;
  double highest_far = 0.0;
  for (std::size_t row = grid.rows; row-- > 0;) {
    floor += cell * row_sum(row, [](const FieldSums& s) { return s.boundary_force.y(); });
    const double mass = cell * row_sum(row, [](const FieldSums& s) { return s.density; });
    if (grid.point(0, row).y() > kernel.reach()) {
      const double stress = grid.cell().x() * row_sum(row, [](const FieldSums& s) { return s.contact(1, 1); });
      highest_far = std::max(highest_far, stress);
      CHECK(std::abs(stress - 9.81 * (mass_above + 0.5 * mass)) < 0.01 * weight);  // the trapezoidal rule's error
    }
    mass_above += mass;
  }
  CHECK(highest_far > 0.2 * weight);
  CHECK(std::abs(9.81 * mass_above - weight) < 1e-12 * weight);
  CHECK(std::abs(floor + state.walls.force.front().y()) < 1e-12 * weight);
  CHECK(std::abs(floor - weight) < 1e-4 * weight);
}

TEST_CASE("sums of fields are saved and loaded whole") {
  const State state = any_state();
  const FieldGrid grid = FieldGrid::covering({{0.0, 0.0}, {4.0, 4.0}}, 0.5);
  const SmoothingKernel kernel(KernelKind::lucy, 1.0);
  CoarseFields fields(grid, kernel, open_domain());
  fields.add(state);
  std::stringstream bytes;
  OutArchive out(bytes);
  CoarseFields::visit(out, fields);
  CoarseFields again(grid, kernel, open_domain());
  InArchive in(bytes);
  CoarseFields::visit(in, again);
  fields.add(state);
  again.add(state);
  CHECK(again.states() == 2);
  for (std::size_t k = 0; k < grid.size(); ++k) {
    CHECK(again.mean()[k].contact == fields.mean()[k].contact);
    CHECK(again.mean()[k].density == fields.mean()[k].density);
  }
}

}  // namespace scree::coarse_graining_test
