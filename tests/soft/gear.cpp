#include "dem/soft/motion/gear.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

namespace scree::gear_test {

using soft::Gear;

namespace {

/// Of a single body.
void correct(Gear& gear, Bodies& bodies, const Motion& acceleration) {
  gear.correct(bodies, 0, std::span(&acceleration, 1));
}

constexpr double kStart = 1.0;
constexpr double kStartSpeed = -0.3;
constexpr double kEnd = 10.0;

double exact(double zeta, double t) {
  const double omega = std::sqrt(1.0 - zeta * zeta);
  return std::exp(-zeta * t) *
         (kStart * std::cos(omega * t) + (kStartSpeed + zeta * kStart) / omega * std::sin(omega * t));
}

/// Largest error of the position over 0 < t <= 10 of x'' = -x - 2 zeta x', started from its exact derivatives.
double oscillator_error(int values, double zeta, int steps) {
  const double dt = kEnd / steps;
  Bodies bodies;
  bodies.add(1, 0, 0, 1.0, 1.0, 1.0, 1.0, {});
  std::vector<double> derivative = {kStart, kStartSpeed};  // the higher ones follow from the equation
  for (std::size_t k = 2; k < static_cast<std::size_t>(values); ++k) {
    derivative.push_back(-derivative[k - 2] - 2.0 * zeta * derivative[k - 1]);
  }
  bodies.position[0].x() = derivative[0];
  bodies.velocity[0].x() = derivative[1];
  std::vector<Motion> higher;
  for (std::size_t k = 3; k < static_cast<std::size_t>(values); ++k) higher.emplace_back(derivative[k], 0.0, 0.0);
  Gear gear(values, dt);
  gear.add({derivative[2], 0.0, 0.0}, higher);
  double error = 0.0;
  for (int step = 1; step <= steps; ++step) {
    gear.predict(bodies);
    const double x = bodies.position[0].x();
    const double v = bodies.velocity[0].x();
    correct(gear, bodies, {-x - 2.0 * zeta * v, 0.0, 0.0});
    error = std::max(error, std::abs(bodies.position[0].x() - exact(zeta, step * dt)));
  }
  return error;
}

double slope(int values, double zeta) {
  return std::log2(oscillator_error(values, zeta, 250) / oscillator_error(values, zeta, 500));
}

}  // namespace

TEST_CASE("Gear's forms have the orders of their theory on smooth forces") {
  struct Expected {
    int values;
    double undamped;
    double damped;
  };
  for (const Expected& expected : {Expected{3, 2, 2}, Expected{4, 4, 3}, Expected{5, 5, 4}, Expected{6, 6, 5}}) {
    CAPTURE(expected.values);
    CHECK(std::abs(slope(expected.values, 0.0) - expected.undamped) < 0.15);
    CHECK(std::abs(slope(expected.values, 0.3) - expected.damped) < 0.15);
  }
}

TEST_CASE("Gear is stable just inside its known limit and unstable just outside") {
  // The table of docs/theory.md, where growth is sudden.
  const auto grows = [](int values, double zeta, double omega_dt) {
    Bodies bodies;
    bodies.add(1, 0, 0, 1.0, 1.0, 1.0, 1.0, {});
    bodies.position[0].x() = 1e-3;
    Gear gear(values, omega_dt);  // omega = 1
    gear.add(Motion::Zero());
    for (int step = 0; step < 20000; ++step) {
      gear.predict(bodies);
      correct(gear, bodies, {-bodies.position[0].x() - 2.0 * zeta * bodies.velocity[0].x(), 0.0, 0.0});
      if (std::abs(bodies.position[0].x()) > 1.0) return true;
    }
    return false;
  };
  struct Limit {
    int values;
    double zeta;
    double omega_dt;
  };
  for (const Limit& limit :
       {Limit{3, 0.0, 2.0}, Limit{3, 0.3, 1.13}, Limit{3, 0.8, 0.57}, Limit{4, 0.0, 1.41}, Limit{4, 0.3, 0.70},
        Limit{5, 0.3, 0.43}, Limit{6, 0.3, 0.25}, Limit{4, 0.8, 0.33}, Limit{5, 0.8, 0.19}}) {
    CAPTURE(limit.values);
    CAPTURE(limit.zeta);
    CHECK_FALSE(grows(limit.values, limit.zeta, 0.95 * limit.omega_dt));
    CHECK(grows(limit.values, limit.zeta, 1.05 * limit.omega_dt));
  }
}

namespace {

/// The amplification matrix of a form for x'' = -K x - C x' with dt = 1, two coordinates: a step of each unit vector.
Eigen::MatrixXd amplification(int values, const Eigen::Matrix2d& stiffness, const Eigen::Matrix2d& damping) {
  const int size = 2 * values;
  Eigen::MatrixXd matrix(size, size);
  for (int column = 0; column < size; ++column) {
    std::vector<Motion> derivative(static_cast<std::size_t>(values), Motion::Zero());
    derivative[static_cast<std::size_t>(column / 2)][column % 2] = 1.0;
    Bodies bodies;
    bodies.add(1, 0, 0, 1.0, 1.0, 1.0, 1.0, {});
    Gear gear(values, 1.0);
    gear.add(derivative[2], std::span(derivative).subspan(3));
    bodies.position[0] = derivative[0];
    bodies.velocity[0] = derivative[1];
    gear.predict(bodies);
    const Vec2 force = -stiffness * linear(bodies.position[0]) - damping * linear(bodies.velocity[0]);
    correct(gear, bodies, {force.x(), force.y(), 0.0});
    std::vector<Motion> after = {bodies.position[0], bodies.velocity[0]};
    const auto take = [&](const std::vector<Motion>& of) {
      if (!of.empty()) after.push_back(of[0]);
    };
    const Gear& seen = gear;
    Gear::visit(take, seen);
    for (int row = 0; row < size; ++row) matrix(row, column) = after[static_cast<std::size_t>(row / 2)][row % 2];
  }
  return matrix;
}

double spectral_radius(const Eigen::MatrixXd& matrix) {
  return matrix.eigenvalues().cwiseAbs().maxCoeff();
}

/// Symmetric, with these eigenvalues.
Eigen::Matrix2d turned(double first, double second, double angle) {
  const Eigen::Matrix2d turn = Eigen::Rotation2Dd(angle).toRotationMatrix();
  return turn * Eigen::Vector2d(first, second).asDiagonal() * turn.transpose();
}

}  // namespace

TEST_CASE("the stability limit is a straight line in squared frequency and damping, for coupled coordinates, too") {
  for (const int values : {3, 4, 5, 6}) {
    const soft::StabilityLimit limit = soft::stability_limit(values);
    CAPTURE(values);
    for (const double zeta : {0.0, 0.05, 0.1, 0.3, 0.5, 0.8, 1.2, 2.0, 4.0, 10.0}) {
      if (values > 4 && zeta == 0.0) continue;  // these forms grow slowly before
      CAPTURE(zeta);
      // The stiffness that a damping of 2 zeta sqrt(stiffness) leaves.
      const double b = zeta / limit.damping;
      const double root = limit.stiffness * (std::sqrt(b * b + 1.0 / limit.stiffness) - b);
      for (const double share : {0.97, 1.03}) {
        const double stiffness = std::pow(share * root, 2);
        const double damping = 2.0 * zeta * share * root;
        CHECK((spectral_radius(amplification(values, turned(stiffness, stiffness, 0.0),
                                             turned(damping, damping, 0.0))) > 1.0 + 1e-9) == (share > 1.0));
      }
    }
    // Stiffness and damping along different directions.
    for (const double angle : {0.3, 0.8, 1.4}) {
      CAPTURE(angle);
      const Eigen::Matrix2d stiffness = turned(0.5 * limit.stiffness, 0.1 * limit.stiffness, 0.0);
      const Eigen::Matrix2d damping = turned(0.7 * limit.damping, 0.2 * limit.damping, angle);
      const double greatest =
          Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(stiffness / limit.stiffness + damping / limit.damping)
              .eigenvalues()[1];
      for (const double share : {0.98, 1.02}) {
        const double scale = share / greatest;
        CHECK((spectral_radius(amplification(values, scale * stiffness, scale * damping)) > 1.0) == (share > 1.0));
      }
    }
  }
}

TEST_CASE("constant acceleration is integrated exactly, to rounding") {
  for (const int values : {3, 4, 5, 6}) {
    Bodies bodies;
    bodies.add(1, 0, 0, 1.0, 1.0, 1.0, 1.0, {});
    bodies.velocity[0] = {1.0, 2.0, 3.0};
    Gear gear(values, 1e-3);
    const Motion g = {0.0, -9.81, 0.5};
    gear.add(g);
    for (int step = 0; step < 1000; ++step) {
      gear.predict(bodies);
      correct(gear, bodies, g);
    }
    CHECK(std::abs(bodies.position[0].x() - 1.0) < 1e-12);                 // m
    CHECK(std::abs(bodies.position[0].y() - (2.0 - 0.5 * 9.81)) < 1e-12);  // m
    CHECK(std::abs(bodies.position[0].z() - (3.0 + 0.25)) < 1e-12);        // rad
    CHECK(std::abs(bodies.velocity[0].y() - (2.0 - 9.81)) < 1e-12);        // m/s
  }
}

TEST_CASE("a body in free flight gets no subnormal numbers, which would be slow") {
  for (const int values : {3, 4, 5, 6}) {
    Bodies bodies;
    bodies.add(1, 0, 0, 1.0, 1.0, 1.0, 1.0, {});
    Gear gear(values, 1e-5);
    gear.add(Motion::Zero());
    for (int step = 0; step < 5000; ++step) {
      gear.predict(bodies);
      correct(gear, bodies, step < 10 ? Motion(3.0 * step, -step, 7.0 * step) : Motion::Zero());
    }
    int looked_at = 0;
    const auto look = [&](const std::vector<Motion>& derivative) {
      for (const Motion& motion : derivative) {
        for (const double value : motion) {
          CHECK(std::fpclassify(value) != FP_SUBNORMAL);
          ++looked_at;
        }
      }
    };
    const Gear& seen = gear;
    Gear::visit(look, seen);
    CHECK(looked_at == 3 * (values - 2));  // from the acceleration on
  }
}

}  // namespace scree::gear_test
