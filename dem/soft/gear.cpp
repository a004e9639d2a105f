#include "dem/soft/gear.hpp"

#include <stdexcept>

#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

// Coefficients for the derivatives scaled by dt^k / k!, k = 0 ... values - 1.
std::array<double, 6> coefficients(int values) {
  switch (values) {
    case 3:
      return {0.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    case 4:
      return {1.0 / 6.0, 5.0 / 6.0, 1.0, 1.0 / 3.0, 0.0, 0.0};
    case 5:
      return {19.0 / 120.0, 3.0 / 4.0, 1.0, 1.0 / 2.0, 1.0 / 12.0, 0.0};
    case 6:
      return {3.0 / 20.0, 251.0 / 360.0, 1.0, 11.0 / 18.0, 1.0 / 6.0, 1.0 / 60.0};
    default:
      throw std::invalid_argument("Gear's predictor-corrector has 3, 4, 5 or 6 values");
  }
}

}  // namespace

StabilityLimit stability_limit(int gear_values) {
  switch (gear_values) {
    case 3:
      return {4.0, 1.0};
    case 4:
      return {2.0, 6.0 / 11.0};
    case 5:
      return {60.0 / 49.0, 3.0 / 10.0};
    case 6:
      return {12.0 / 17.0, 90.0 / 551.0};
    default:
      throw std::invalid_argument("Gear's predictor-corrector has 3, 4, 5 or 6 values");
  }
}

Gear::Gear(int values, double dt) : values_(values), dt_(dt), correction_(coefficients(values)) {
  // Scaled derivative k changes by c_k (dt^2 / 2) da, so the true one by c_k k! / 2 dt^(2 - k) da.
  double factor = 0.5 * dt * dt;
  for (int k = 0; k < 6; ++k) {
    correction_[static_cast<std::size_t>(k)] *= factor;
    factor *= (k + 1) / dt;
  }
  correction_[2] = 1.0;
}

void Gear::add(const Motion& acceleration, std::span<const Motion> higher) {
  derivative_[0].push_back(acceleration);
  for (std::size_t k = 1; k + 2 < static_cast<std::size_t>(values_); ++k) {
    derivative_[k].push_back(k <= higher.size() ? higher[k - 1] : Motion(Motion::Zero()));
  }
}

void Gear::remove(const std::vector<std::uint32_t>& new_index) {
  for (auto& derivative : derivative_) keep_remaining(derivative, new_index);
}

template <int Values>
void Gear::predict_as(Bodies& bodies, std::uint32_t body) {
  std::array<Motion, Values> d;
  d[0] = bodies.position[body];
  d[1] = bodies.velocity[body];
  for (std::size_t k = 2; k < Values; ++k) d[k] = derivative_[k - 2][body];
  // Taylor by Horner, from the lowest derivative up, each using the unpredicted higher ones.
  for (std::size_t k = 0; k + 1 < Values; ++k) {
    Motion sum = d[Values - 1];
    for (std::size_t j = Values - 1; j > k; --j) sum = d[j - 1] + sum * (dt_ / static_cast<double>(j - k));
    d[k] = sum;
  }
  bodies.position[body] = d[0];
  bodies.velocity[body] = d[1];
  for (std::size_t k = 2; k + 1 < Values; ++k) derivative_[k - 2][body] = d[k];
}

template <int Values>
void Gear::correct_as(Bodies& bodies, std::uint32_t body, const Motion& acceleration) {
  const Motion difference = acceleration - derivative_[0][body];
  bodies.position[body] += correction_[0] * difference;
  bodies.velocity[body] += correction_[1] * difference;
  derivative_[0][body] = acceleration;
  for (std::size_t k = 3; k < Values; ++k) {
    // In free flight the higher derivatives die out, and would stay at subnormal numbers, which are slow.
    constexpr double kNothing = 1e-250;
    const Motion corrected = derivative_[k - 2][body] + correction_[k] * difference;
    derivative_[k - 2][body] = (corrected.abs() > kNothing).select(corrected, 0.0);
  }
}

void Gear::predict(Bodies& bodies, std::uint32_t body) {
  switch (values_) {
    case 3:
      return predict_as<3>(bodies, body);
    case 4:
      return predict_as<4>(bodies, body);
    case 5:
      return predict_as<5>(bodies, body);
    default:
      return predict_as<6>(bodies, body);
  }
}

void Gear::predict(Bodies& bodies) {
  parallel_for(bodies.particles(),
               [&](std::size_t i) { predict(bodies, bodies.walls + static_cast<std::uint32_t>(i)); });
}

void Gear::correct(Bodies& bodies, std::uint32_t body, const Motion& acceleration) {
  switch (values_) {
    case 3:
      return correct_as<3>(bodies, body, acceleration);
    case 4:
      return correct_as<4>(bodies, body, acceleration);
    case 5:
      return correct_as<5>(bodies, body, acceleration);
    default:
      return correct_as<6>(bodies, body, acceleration);
  }
}

}  // namespace scree::soft
