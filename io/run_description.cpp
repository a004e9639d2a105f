#include "io/run_description.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dem/hard/exact/simulation.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/scene/scene_identity.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/text/version.hpp"

namespace scree {

namespace {

template <class S>
RunInfo describe_either(const Scene& scene, const S& simulation) {
  RunInfo info;
  info.mode = scene.mode;
  info.version = version();
  info.commit = commit();
  info.compiler = compiler();
  info.title = scene.title;
  info.scene_yaml = to_yaml(scene);
  info.scene_hash = scene_hash(scene);
  info.seed = scene.seed;
  info.threads = simulation.threads();
  info.broadphase = simulation.broadphase_reason();
  info.end_time = simulation.time();
  info.state_hash = state_hash(simulation);
  if (scene.start) {
    info.start_from = scene.start->from;
    info.start_hash = scene.start->hash;
  }
  return info;
}

/// What makes a packing doubtful.
std::vector<std::string> warnings_of(const hard::Packing& packing) {
  if (!packing.jammed) return {};
  if (packing.bearing == 0) {
    return {
        "the pressure has reached growth.pressure, but no grain bears load: this is no packing. The grains grew too "
        "fast "
        "for their motion, and a few of them that collided in no time made the pressure; try a tenth of growth.rate, "
        "and growth.rescaling: 20 if it is less"};
  }
  std::vector<std::string> warnings;
  if (2 * packing.bearing < packing.disks) {
    warnings.push_back(fmt::format(
        "only {} of {} grains bear load: a part of the grains jammed before the others; try a tenth of growth.rate",
        packing.bearing, packing.disks));
  }
  if (packing.contacts < packing.least_contacts) {
    warnings.push_back(fmt::format(
        "{} contacts are fewer than the {} that can jam {} grains. If only a few are missing, they bear little load "
        "and "
        "their gaps are still large: try growth.pressure: 1e8 and a lower growth.rate (docs/theory.md, section 11)",
        packing.contacts, packing.least_contacts, packing.bearing));
  }
  return warnings;
}

/// A gas whose collisions mostly came within the contact duration has not lost what its restitution gives.
std::optional<std::string> warning_of(const hard::Counters& so_far) {
  constexpr double kMuch = 0.1;
  const auto all = static_cast<double>(so_far.collisions + so_far.wall_hits);
  const double share = static_cast<double>(so_far.made_elastic) / std::max(all, 1.0);
  if (share <= kMuch) return {};
  return fmt::format(
      "{:.0f} % of the collisions came within contact.duration after another one of a grain and lost nothing along the "
      "normal. Where grains rest that must be; a gas loses less than its restitution says: try a shorter "
      "contact.duration (docs/theory.md, section 18)",
      100.0 * share);
}

}  // namespace

RunInfo describe(const Scene& scene, const soft::Simulation& simulation) {
  RunInfo info = describe_either(scene, simulation);
  info.step = simulation.longest_step();
  info.step_reason = simulation.step_reason();
  info.steps = simulation.steps();
  info.particle_steps = simulation.particle_steps();
  info.chord_jumps = simulation.chord_jumps();
  const soft::DepthHistogram present = simulation.present_depths();
  for (const int p : {50, 95, 99}) {
    info.depth_percentiles[fmt::format("impacts p{}", p)] = simulation.impact_depths().percentile(p);
    info.depth_percentiles[fmt::format("now p{}", p)] = present.percentile(p);
  }
  const std::vector<soft::StageBegin>& begun = simulation.course().begun();
  for (std::size_t k = 0; k < begun.size(); ++k) info.stages.emplace_back(scene.soft.stages[k].name, begun[k].time);
  return info;
}

RunInfo describe(const Scene& scene, const hard::SceneSimulation& simulation) {
  RunInfo info = describe_either(scene, simulation);
  const hard::Counters& so_far = simulation.counters();
  info.events = {{"collisions", so_far.collisions}, {"wall_hits", so_far.wall_hits}};
  if (so_far.crossings > 0) info.events["crossings"] = so_far.crossings;
  if (so_far.made_elastic > 0) info.events["made_elastic"] = so_far.made_elastic;
  if (const auto* exact = simulation.in_whole_numbers()) {
    info.events["exchanges"] = static_cast<std::uint64_t>(exact->tally().exchanges);
    info.events["retraces"] = static_cast<std::uint64_t>(exact->tally().retraces);
  }
  if (const auto packing = simulation.packing()) info.warnings = warnings_of(*packing);
  if (const auto warning = warning_of(so_far)) info.warnings.push_back(*warning);
  if (const auto* exact = simulation.in_whole_numbers(); exact != nullptr && !exact->doubt().empty()) {
    info.warnings.push_back(exact->doubt());
  }
  return info;
}

}  // namespace scree
