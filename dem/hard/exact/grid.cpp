#include "dem/hard/exact/grid.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dem/errors.hpp"

namespace scree::hard::exact {

namespace {

constexpr int kLengthBits = 60;

/// The power of two in (x / 2, x].
double power_of_two_below(double x) {
  int exponent = 0;
  (void)std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

std::int64_t whole(double x) {
  return static_cast<std::int64_t>(std::llround(x));
}

}  // namespace

std::int64_t Grid::length(double metres) const {
  return whole(metres / unit);
}

Vector Grid::position(const Vec2& metres) const {
  return wrapped({length(metres.x() - origin.x()), length(metres.y() - origin.y())}).position;
}

Vector Grid::velocity(const Vec2& metres_a_second) const {
  const Vec2 step = metres_a_second * tick / unit;
  return {whole(step.x()), whole(step.y())};
}

std::int64_t Grid::ticks(double seconds) const {
  return static_cast<std::int64_t>(std::ceil(seconds / tick));
}

auto Grid::wrapped_from_outside(Vector position) const -> Wrapped {
  Wrapped result{position, {0, 0}};
  for (const std::size_t axis : {0u, 1u}) {
    if (!periodic[axis]) continue;
    std::int64_t& x = result.position[axis];
    std::int64_t periods = x / size[axis];
    x -= periods * size[axis];
    if (x < 0) {
      x += size[axis];
      --periods;
    }
    result.periods[axis] = static_cast<std::int32_t>(periods);
  }
  return result;
}

Grid choose_grid(const Domain& domain, std::span<const Vec2> velocities, double end, int bits) {
  Grid grid;
  grid.origin = domain.lo;
  grid.periodic = domain.periodic;
  const Vec2 extent = domain.hi - domain.lo;
  grid.unit = 2.0 * std::ldexp(power_of_two_below(extent.maxCoeff()), -kLengthBits);
  grid.size = {whole(extent.x() / grid.unit), whole(extent.y() / grid.unit)};
  double sum = 0.0;
  double greatest = 0.0;
  for (const Vec2& velocity : velocities) {
    sum += velocity.squaredNorm();
    greatest = std::max(greatest, velocity.norm());
  }
  const auto disks = static_cast<double>(std::max<std::size_t>(velocities.size(), 1));
  const double thermal = std::sqrt(sum / disks);
  // Disks at rest: any tick will do.
  const double a_tick = thermal > 0.0 ? std::ldexp(grid.unit, bits) / thermal : end / 1024.0;
  grid.tick = power_of_two_below(a_tick);
  const double ticks = end / grid.tick;
  if (!(ticks < static_cast<double>(kMostTicks))) {
    throw InvalidScene(
        "time.end",
        fmt::format(
            "is {:g} s, {:.3g} ticks of {:.3g} s, more than the {:.3g} that whole numbers count: disks of "
            "thermal speed {:.3g} m/s would cross the domain {:.2g} times; allowed with `arithmetic: exact`: up "
            "to {:.3g} s",
            end, ticks, grid.tick, static_cast<double>(kMostTicks), thermal, end * thermal / extent.maxCoeff(),
            static_cast<double>(kMostTicks) * grid.tick));
  }
  const double per_tick = grid.tick / grid.unit;
  const double all_of_it = 1.01 * thermal * std::sqrt(disks);  // rounding may add some energy
  grid.fastest = whole(std::ceil(std::min(all_of_it, std::max(6.0 * thermal, 1.5 * greatest)) * per_tick)) + 4;
  return grid;
}

}  // namespace scree::hard::exact
