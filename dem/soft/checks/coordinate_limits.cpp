#include "dem/soft/checks/coordinate_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/soft/checks/estimates.hpp"

namespace scree::soft {

namespace {

struct Least {
  double diameter = std::numeric_limits<double>::infinity();  // [m]
  double mass = std::numeric_limits<double>::infinity();      // [kg]
};

Least least_grain(const Scene& scene) {
  Least least;
  for (const ParticleGroup& group : scene.particles) {
    const auto take = [&](double diameter, const std::optional<double>& mass) {
      least.diameter = std::min(least.diameter, diameter);
      least.mass = std::min(least.mass, mass.value_or(mass_of(scene, group, diameter)));
    };
    if (const auto* place = std::get_if<Place>(&group.how)) {
      for (const Placed& placed : *place) take(placed.size.value_or(group.size.least), placed.mass);
    } else {
      take(group.size.least, {});
    }
  }
  return least;
}

double greatest_stiffness(const Scene& scene) {
  double greatest = 0.0;
  for (const Material& material : scene.materials) greatest = std::max(greatest, material.stiffness);
  for (const MaterialPair& pair : scene.pairs) greatest = std::max(greatest, pair.mixed.stiffness);
  return greatest;
}

}  // namespace

void require_digits(const Scene& scene, const TimeStep& step) {
  const Least least = least_grain(scene);
  if (!std::isfinite(least.diameter)) return;
  double allowed = kMostRoundingOfGrain * least.diameter;
  std::string reason = fmt::format("1e-7 of the smallest grain's diameter, {:.3g} m", least.diameter);
  const auto limit = [&](double rounding, const std::string& why) {
    if (rounding == 0.0 || rounding >= allowed) return;
    allowed = rounding;
    reason = why;
  };
  const double path = greatest_speed(scene) * step.dt;
  limit(kMostRoundingOfPath * path,
        fmt::format("a hundredth of the path of the fastest grain in a step, {:.3g} m", path));
  const double depth = least.mass * scene.gravity.norm() / greatest_stiffness(scene);
  limit(kMostRoundingOfDepth * depth,
        fmt::format("a thousandth of the depth at which the lightest grain rests, {:.3g} m", depth));

  const Vec2 farthest = scene.domain.lo.cwiseAbs().cwiseMax(scene.domain.hi.cwiseAbs());
  const int axis = farthest.x() >= farthest.y() ? 0 : 1;
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  if (!(kEpsilon * farthest[axis] > allowed)) return;
  throw InvalidScene(axis == 0 ? "domain.x" : "domain.y",
                     fmt::format("reaches {:.3g} m, where numbers are {:.2g} m apart, must stay within {:.2g} m of the "
                                 "origin, where that is {}",
                                 farthest[axis], kEpsilon * farthest[axis], allowed / kEpsilon, reason));
}

}  // namespace scree::soft
