#include "dem/energy_balance.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace scree::energy_balance_test {

TEST_CASE("balanced accounts have no residual, and an error in any of them shows with its sign") {
  EnergyBalance accounts{.in = 10.0, .out = 2.0, .wall_work = 1.0, .damping = 3.0, .friction = 0.5, .rolling = 0.25};
  accounts.law = 0.75;  // 0.25 J of it are in springs without a potential now
  const Energies now{.kinetic = 1.0, .potential = 2.5, .elastic = 1.25, .without_potential = 0.25};
  Summary summary;
  balance(accounts, now, summary);
  CHECK(summary.dissipated_law == 0.5);
  CHECK(std::abs(summary.energy_residual) < 1e-15);

  const auto residual = [&](auto change) {
    EnergyBalance other = accounts;
    change(other);
    Summary seen;
    balance(other, now, seen);
    return seen.energy_residual * seen.energy_throughput;  // J
  };
  CHECK(std::abs(residual([](EnergyBalance& a) { a.in += 0.1; }) + 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.out += 0.1; }) - 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.wall_work += 0.1; }) + 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.damping += 0.1; }) - 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.friction += 0.1; }) - 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.rolling += 0.1; }) - 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.law += 0.1; }) - 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.rescaling += 0.1; }) - 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.growth += 0.1; }) + 0.1) < 1e-14);
  CHECK(std::abs(residual([](EnergyBalance& a) { a.lifting += 0.1; }) + 0.1) < 1e-14);
}

TEST_CASE("the residual is relative to the energy scale") {
  EnergyBalance accounts{.kinetic_out = 1.0, .damping = 2.0};
  CHECK(accounts.scale_with(4.0) == 7.0);
  accounts.wall_work = -9.0;
  CHECK(accounts.scale_with(4.0) == 9.0);
  accounts.scale = 20.0;  // never shrinks
  CHECK(accounts.scale_with(4.0) == 20.0);
}

TEST_CASE("if nothing has moved, rounding of the potentials gives no residual") {
  const Energies now{.potential = 1e-15, .sum_of_magnitudes = 1.0};
  Summary summary;
  balance({}, now, summary);
  CHECK(summary.energy_throughput == 1e-9);
  CHECK(summary.energy_residual < 1e-5);
}

}  // namespace scree::energy_balance_test
