#include "dem/soft/motion/gear.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "dem/archive.hpp"
#include "dem/trim.hpp"
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

Gear::Gear(int values, double dt) : values_(values) {
  set_step(dt);
}

void Gear::set_step(double dt) {
  dt_ = dt;
  correction_ = coefficients(values_);
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

void Gear::require_sound(const Bodies& bodies) const {
  for (std::size_t k = 0; k < derivative_.size(); ++k) {
    const bool is_used = k + 2 < static_cast<std::size_t>(values_);
    require_state(derivative_[k].size() == (is_used ? bodies.size() : 0), "derivatives of motions");
    for (const Motion& derivative : derivative_[k])
      require_state(derivative.isFinite().all(), "a derivative of a motion");
  }
}

void Gear::remove(const std::vector<std::uint32_t>& new_index) {
  for (auto& derivative : derivative_) keep_remaining(derivative, new_index);
}

void Gear::trim() {
  for (auto& derivative : derivative_) scree::trim(derivative);
}

lanes::Derivatives Gear::derivatives(Bodies& bodies) {
  lanes::Derivatives all{{bodies.position.front().data(), bodies.velocity.front().data()}};
  for (std::size_t k = 0; k + 2 < static_cast<std::size_t>(values_); ++k) {
    all.of[k + 2] = derivative_[k].front().data();
  }
  return all;
}

void Gear::predict(Bodies& bodies, std::vector<Motion>* before) {
  if (before != nullptr) {
    before->resize(bodies.size());
    std::copy_n(bodies.velocity.begin(), bodies.walls, before->begin());
  }
  if (bodies.beyond_walls() == 0) return;
  const lanes::Derivatives all = derivatives(bodies);
  std::array<double, 6> factor{};
  for (std::size_t k = 1; k < factor.size(); ++k) factor[k] = dt_ / static_cast<double>(k);
  const auto predict_numbers = lanes::kernels().predict[values_ - 3];
  constexpr std::size_t kBlock = 256;  // bodies, whose velocities are in the cache once they are kept
  parallel_for_ranges(bodies.beyond_walls(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = bodies.walls + begin; block < bodies.walls + end; block += kBlock) {
      const std::size_t count = std::min(kBlock, bodies.walls + end - block);
      if (before != nullptr)
        std::memcpy((*before)[block].data(), bodies.velocity[block].data(), count * sizeof(Motion));
      predict_numbers(all, factor.data(), 3 * block, 3 * (block + count));
    }
  });
}

void Gear::correct(Bodies& bodies, std::uint32_t first, std::span<const Motion> acceleration) {
  if (acceleration.empty()) return;
  lanes::kernels().correct[values_ - 3](derivatives(bodies), correction_.data(), acceleration.front().data(),
                                        3 * std::size_t{first}, 3 * (first + acceleration.size()));
}

}  // namespace scree::soft
