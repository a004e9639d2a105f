#include "app/reports.hpp"

#include <cstdio>

#include "io/number_text.hpp"

namespace scree::app {

namespace {

std::string percentiles(const soft::DepthHistogram& histogram) {
  if (histogram.total() == 0) return "none";
  std::string text;
  for (const double p : {50.0, 95.0, 99.0}) {
    text += (text.empty() ? "" : " / ") + number_text(100.0 * histogram.percentile(p), 3);
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
  return "event-driven: hard disks, from collision to collision";
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
    info.depth_percentiles["impacts p" + std::to_string(p)] = simulation.impact_depths().percentile(p);
    info.depth_percentiles["now p" + std::to_string(p)] = present.percentile(p);
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
  std::printf("contacts: %llu, coordination number %.2f\n", static_cast<unsigned long long>(summary.contacts),
              summary.coordination);
  std::printf(
      "depth over the smaller grain's diameter, 50 / 95 / 99 %% of the contacts below:\n"
      "  now %s, in impacts %s\n",
      percentiles(simulation.present_depths()).c_str(), percentiles(simulation.impact_depths()).c_str());
  if (summary.chord_jumps > 0) {
    std::printf(
        "chords of overlaps jumped %llu times: a corner slid past a corner with sides collinear, or a grain was\n"
        "swallowed whole; force and normal jump there (docs/theory.md, section 2)\n",
        static_cast<unsigned long long>(summary.chord_jumps));
  }
  std::printf("threads: %d\n", simulation.threads());
}

void print_details(const hard::SceneSimulation& simulation) {
  const hard::Counters& so_far = simulation.counters();
  std::printf("collisions: %llu of disks, %llu with sides\n", static_cast<unsigned long long>(so_far.collisions),
              static_cast<unsigned long long>(so_far.wall_hits));
  if (so_far.crossings > 0) {
    std::printf("crossings of wells' edges: %llu\n", static_cast<unsigned long long>(so_far.crossings));
  }
}

}  // namespace scree::app
