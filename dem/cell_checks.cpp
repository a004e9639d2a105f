#include "dem/cell_checks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"

namespace scree {

namespace {

/// What is clear of a whole cell that deforms.
void require_measurable(const Scene& scene) {
  const Measure& measure = *scene.measure;
  const auto refuse = [](bool is_given, const std::string& key, const std::string& why = "") {
    if (is_given) throw InvalidScene(key, "must be left out in a cell that deforms (domain.cell)" + why);
  };
  refuse(scene.mode == Mode::hard, "measure", " in hard mode; cell.csv has its stress");
  refuse(!(measure.region == Region{scene.domain.lo, scene.domain.hi}), "measure.region", ", which is measured whole");
  refuse(measure.radial_distribution.has_value(), "measure.radial_distribution");
  refuse(measure.height_profile.has_value(), "measure.height_profile");
  refuse(measure.mean_square_displacement, "measure.mean_square_displacement");
  refuse(measure.pair_orientation.has_value(), "measure.pair_orientation");
  refuse(measure.fields.has_value(), "measure.fields");
}

}  // namespace

void require_alone_in_cell(const Scene& scene) {
  if (!scene.domain.periodic[0] || !scene.domain.periodic[1]) {
    throw InvalidScene("domain.cell", "must be left out unless the domain is periodic along x and y");
  }
  if (!scene.walls.empty()) throw InvalidScene("walls", "must be empty in a cell that deforms (domain.cell)");
  const auto falls = [](const GravityPoint& point) { return !point.gravity.isZero(0.0); };
  if (!scene.gravity.isZero(0.0) || std::ranges::any_of(scene.soft.gravity_table, falls)) {
    throw InvalidScene("gravity", "must be [0, 0] in a cell that deforms (domain.cell)");
  }
  for (std::size_t k = 0; k < scene.soft.stages.size(); ++k) {
    if (std::ranges::any_of(scene.soft.stages[k].gravity, falls)) {
      throw InvalidScene(fmt::format("stages[{}].gravity", k), "must be [0, 0] in a cell that deforms (domain.cell)");
    }
  }
  if (scene.measure) require_measurable(scene);
  const bool is_empty = !scene.start && std::ranges::all_of(scene.particles, [](const ParticleGroup& group) {
    return grains_in(group) == 0;
  });
  const auto asks_for_stress = [](const CellDrive& drive) {
    return drive.xx.stress || drive.yy.stress || drive.xy.stress;
  };
  if (is_empty && scene.domain.cell && asks_for_stress(*scene.domain.cell)) {
    throw InvalidScene("domain.cell", "asks for a stress, must have rates only where there are no grains to bear it");
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    if (std::holds_alternative<Pour>(group.how)) {
      throw InvalidScene(fmt::format("particles[{}].pour", g),
                         "must be left out in a cell that deforms (domain.cell), whose grains are there at the start");
    }
    if (group.fixed != std::array{false, false, false}) {
      throw InvalidScene(fmt::format("particles[{}].fixed", g),
                         "must be left out in a cell that deforms (domain.cell), which carries all grains along");
    }
  }
}

}  // namespace scree
