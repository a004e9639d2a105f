#include "app/reports.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/say.hpp"
#include "dem/hard/exact/simulation.hpp"
#include "dem/scene.hpp"
#include "dem/soft/ranks/subdomain.hpp"

namespace scree::app {

namespace {

std::string percentiles(const soft::DepthHistogram& histogram) {
  if (histogram.total() == 0) return "none";
  std::string text;
  for (const double p : {50.0, 95.0, 99.0}) {
    text += fmt::format("{}{:.3g}", text.empty() ? "" : " / ", 100.0 * histogram.percentile(p));
  }
  return text + " %";
}

/// Prints the packing of grains that grow or grew.
void print_packing(const hard::Packing& packing) {
  say("packing fraction {:.6g}, pressure p A / (N k T) {:.3g}", packing.packing_fraction, packing.reduced_pressure);
  if (packing.grows) say("; the grains still grow");
  say("\n");
  if (!packing.jammed) return;
  say("{} of {} grains bear load, with {} contacts; the fewest that can jam these grains: {}\n", packing.bearing,
      packing.disks, packing.contacts, packing.least_contacts);
}

/// What whole numbers cost.
void print_tally(const hard::exact::Simulation& exact) {
  const hard::exact::Tally tally = exact.tally();
  say("in whole numbers: {} pairs exchanged their velocities, {} clusters went back where they came from",
      tally.exchanges, tally.retraces);
  if (tally.retraces > 0) {
    const double speed = exact.grid().metres(1) / exact.grid().tick;
    say(" (momentum changed by {:.2g} m/s times the mass of a disk)", speed * static_cast<double>(tally.momentum_size));
  }
  say(" (docs/reversible.md)\n");
}

}  // namespace

std::uint64_t work_of(const soft::Simulation& simulation) {
  return simulation.particle_steps();
}

std::uint64_t work_of(const hard::SceneSimulation& simulation) {
  const hard::Counters& so_far = simulation.counters();
  return so_far.collisions + so_far.wall_hits;
}

std::string mode_of(const soft::Simulation&) {
  return "soft mode: grains that touch overlap a little and push each other apart";
}

std::string mode_of(const hard::SceneSimulation& simulation) {
  if (simulation.in_whole_numbers() != nullptr) {
    return "hard mode, in whole numbers: disks fly freely from collision to collision";
  }
  return fmt::format("hard mode: {} fly freely from collision to collision",
                     simulation.has_polygons() ? "polygons" : "disks");
}

std::string mode_of(const soft::RankedSimulation& simulation) {
  return fmt::format("{}; on {} ranks", mode_of(simulation.whole()), simulation.ranks());
}

std::string pace_of(const soft::RankedSimulation& simulation) {
  return simulation.step_reason();
}

std::string stage_of(const Scene& scene, const soft::RankedSimulation& simulation) {
  return scene.soft.stages.empty() ? "" : scene.soft.stages[simulation.course().stage()].name;
}

void print_ranks(const soft::RankedSimulation& simulation) {
  say("ranks: {}; rank 0 has {} of the particles, and {} ghosts\n", simulation.ranks(), simulation.domain().own(),
      simulation.domain().ghosts());
}

std::string pace_of(const soft::Simulation& simulation) {
  return simulation.step_reason();
}

std::string pace_of(const hard::SceneSimulation& simulation) {
  if (const auto* exact = simulation.in_whole_numbers()) {
    return fmt::format(
        "no time step: the next collision is computed and carried out, at a multiple of {:.3g} s; positions are "
        "multiples of {:.3g} m",
        exact->grid().tick, exact->grid().unit);
  }
  return "no time step: the next collision is computed and carried out";
}

std::string idle_threads_of(const hard::SceneSimulation& simulation) {
  if (simulation.threads() == 1) return {};
  const std::string why = simulation.why_serial();
  return why.empty() ? why : fmt::format("only one of {} threads is used: {}\n", simulation.threads(), why);
}

std::string stage_of(const Scene& scene, const soft::Simulation& simulation) {
  return scene.soft.stages.empty() ? "" : scene.soft.stages[simulation.course().stage()].name;
}

std::string stage_of(const Scene&, const hard::SceneSimulation&) {
  return {};
}

void print_details(const Scene& scene, const soft::Simulation& simulation) {
  const std::vector<soft::StageBegin>& begun = simulation.course().begun();
  for (std::size_t k = 0; k < begun.size(); ++k) {
    say("stage {} of {}, {}: from t = {:.6g} s\n", k + 1, scene.soft.stages.size(), scene.soft.stages[k].name,
        begun[k].time);
  }
  const Summary summary = simulation.summary();
  say("contacts: {}, coordination number {:.2f} (contacts of a particle)\n", summary.contacts, summary.coordination);
  say("depth over the smaller grain's diameter, 50 / 95 / 99 % of the contacts below (a run stops at 20 %):\n"
      "  now {}, in impacts {}\n",
      percentiles(simulation.present_depths()), percentiles(simulation.impact_depths()));
  if (summary.chord_jumps > 0) {
    say("chords of overlaps jumped {} times: a corner slid past a corner with sides collinear, or a body came to\n"
        "contain a grain; force and normal are discontinuous there (docs/theory.md, section 2)\n",
        summary.chord_jumps);
  }
  simulation.one_thread_is_faster() ? say("threads: 1, faster than {} by trial\n", simulation.threads())
                                    : say("threads: {}\n", simulation.threads());
}

void print_details(const Scene&, const hard::SceneSimulation& simulation) {
  const hard::Counters& so_far = simulation.counters();
  say("collisions: {} of {}, {} with sides\n", so_far.collisions, simulation.has_polygons() ? "grains" : "disks",
      so_far.wall_hits);
  if (so_far.made_elastic > 0) {
    const auto all = static_cast<double>(so_far.collisions + so_far.wall_hits);
    say("within the contact duration, and so without loss along the normal: {:.0f} % of them\n",
        100.0 * static_cast<double>(so_far.made_elastic) / all);
  }
  if (so_far.crossings > 0) {
    say("crossings of the edges of wells: {}\n", so_far.crossings);
  }
  if (const auto* exact = simulation.in_whole_numbers()) print_tally(*exact);
  if (simulation.threads() > 1) {
    const hard::WindowCounts& windows = simulation.windows();
    say("threads: {}; {} windows, {} cut short, {} serial\n", simulation.threads(), windows.windows, windows.cut_short,
        windows.serial);
  }
  if (const auto packing = simulation.packing()) print_packing(*packing);
}

}  // namespace scree::app
