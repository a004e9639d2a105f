#include "app/reports.hpp"

#include <fmt/format.h>

#include "app/say.hpp"

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

}  // namespace

std::uint64_t work_of(const soft::Simulation& simulation) {
  return simulation.particle_steps();
}

std::uint64_t work_of(const hard::SceneSimulation& simulation) {
  const hard::Counters& so_far = simulation.counters();
  return so_far.collisions + so_far.wall_hits;
}

std::string pace_of(const soft::Simulation& simulation) {
  return simulation.step_reason();
}

std::string pace_of(const hard::SceneSimulation&) {
  return "event-driven: hard disks";
}

void add_details(const soft::Simulation& simulation, RunInfo& info) {
  info.mode = Mode::soft;
  info.threads = simulation.threads();
  info.step = simulation.dt();
  info.step_reason = simulation.step_reason();
  info.steps = simulation.steps();
  info.particle_steps = simulation.particle_steps();
  info.chord_jumps = simulation.chord_jumps();
  const auto present = simulation.present_depths();
  for (const int p : {50, 95, 99}) {
    info.depth_percentiles[fmt::format("impacts p{}", p)] = simulation.impact_depths().percentile(p);
    info.depth_percentiles[fmt::format("now p{}", p)] = present.percentile(p);
  }
}

void add_details(const hard::SceneSimulation& simulation, RunInfo& info) {
  info.mode = Mode::hard;
  const hard::Counters& so_far = simulation.counters();
  info.events = {{"collisions", so_far.collisions}, {"wall_hits", so_far.wall_hits}};
  if (so_far.crossings > 0) info.events["crossings"] = so_far.crossings;
}

void print_details(const soft::Simulation& simulation) {
  const Summary summary = simulation.summary();
  say("contacts: {}, coordination number {:.2f}\n", summary.contacts, summary.coordination);
  say("depth over the smaller grain's diameter, 50 / 95 / 99 % of the contacts below:\n"
      "  now {}, in impacts {}\n",
      percentiles(simulation.present_depths()), percentiles(simulation.impact_depths()));
  if (summary.chord_jumps > 0) {
    say("chords of overlaps jumped {} times: a corner slid past a corner with sides collinear, or a body came to\n"
        "contain a grain; force and normal are discontinuous there (docs/theory.md, section 2)\n",
        summary.chord_jumps);
  }
  say("threads: {}\n", simulation.threads());
}

void print_details(const hard::SceneSimulation& simulation) {
  const hard::Counters& so_far = simulation.counters();
  say("collisions: {} of disks, {} with sides\n", so_far.collisions, so_far.wall_hits);
  if (so_far.crossings > 0) {
    say("crossings of the edges of wells: {}\n", so_far.crossings);
  }
}

}  // namespace scree::app
