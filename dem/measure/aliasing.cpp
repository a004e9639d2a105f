#include "dem/measure/aliasing.hpp"

#include <cmath>

#include <fmt/format.h>

#include "dem/scene.hpp"

namespace scree {

std::vector<Aliasing> aliasing(const Scene& scene) {
  std::vector<Aliasing> found;
  for (const Wall& wall : scene.walls) {
    const Oscillation& oscillation = wall.oscillation;
    if (!(oscillation.frequency > 0.0) || oscillation.amplitude.isZero(0.0)) continue;
    const auto add = [&](const char* key, double every) {
      const double periods = every * oscillation.frequency;
      if (std::round(periods) < 1.0 || std::abs(periods - std::round(periods)) > kSamePhase) return;
      found.push_back({key, every, wall.name, 1.0 / oscillation.frequency});
    };
    add("output.every", scene.output_every);
    if (scene.measure && scene.measure->every != scene.output_every) add("measure.every", scene.measure->every);
  }
  return found;
}

std::string text(const Aliasing& aliasing) {
  const double periods = std::round(aliasing.every / aliasing.period);
  return fmt::format(
      "{} is {:.6g} s, {}{:.0f} {} of {:.6g} s of the wall '{}': all samples see it at nearly the same phase; "
      "{:.3g} s would see ten phases",
      aliasing.key, aliasing.every, aliasing.every == periods * aliasing.period ? "" : "nearly ", periods,
      periods == 1.0 ? "period" : "periods", aliasing.period, aliasing.wall, (periods + 0.1) * aliasing.period);
}

}  // namespace scree
