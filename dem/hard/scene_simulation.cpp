#include "dem/hard/scene_simulation.hpp"

#include <algorithm>

#include "dem/hard/scene_setup.hpp"
#include "dem/hard/setup.hpp"

namespace scree::hard {

namespace {

bool has_wide_sizes(const Setup& setup) {
  if (setup.radius.empty()) return false;
  const auto [least, greatest] = std::ranges::minmax(setup.radius);
  return greatest > SceneSimulation::kWideSizes * least;
}

BroadphaseKind chosen(BroadphaseKind asked, const Setup& setup) {
  if (asked != BroadphaseKind::automatic) return asked;
  return has_wide_sizes(setup) ? BroadphaseKind::hierarchical_grid : BroadphaseKind::linked_cells;
}

}  // namespace

SceneSimulation::SceneSimulation(const Scene& scene, std::optional<BroadphaseKind> broadphase)
    : simulation_([&] {
        const Setup setup = setup_from(scene);
        const BroadphaseKind asked = broadphase.value_or(scene.broadphase);
        const BroadphaseKind kind = chosen(asked, setup);
        broadphase_reason_ = name(kind);
        if (asked == BroadphaseKind::automatic) {
          broadphase_reason_ += has_wide_sizes(setup) ? ", since sizes differ widely" : ", since sizes are similar";
        }
        return make(setup, kind);
      }()) {}

auto SceneSimulation::make(const Setup& setup, BroadphaseKind kind) -> WithAnyBroadphase {
  switch (kind) {
    case BroadphaseKind::sort_and_update:
      return BasicSimulation<SortAndUpdate<2>, BucketQueue>(setup);
    case BroadphaseKind::sorted_strips:
      return BasicSimulation<SortedStrips<2>, BucketQueue>(setup);
    case BroadphaseKind::hierarchical_grid:
      return BasicSimulation<HierarchicalGrid<2>, BucketQueue>(setup);
    case BroadphaseKind::distance_sort:
      return BasicSimulation<DistanceSort<2>, BucketQueue>(setup);
    case BroadphaseKind::all_pairs:
      return BasicSimulation<AllPairs<2>, ImplicitHeap>(setup);
    case BroadphaseKind::automatic:
    case BroadphaseKind::linked_cells:
      break;
  }
  return BasicSimulation<LinkedCells<2>, BucketQueue>(setup);
}

double SceneSimulation::time() const {
  return std::visit([](const auto& simulation) { return simulation.time(); }, simulation_);
}

bool SceneSimulation::has_reached(double time) const {
  return std::visit([&](const auto& simulation) { return simulation.has_reached(time); }, simulation_);
}

std::uint64_t SceneSimulation::particles() const {
  return std::visit([](const auto& simulation) { return simulation.particles(); }, simulation_);
}

void SceneSimulation::advance_to(double time, std::uint64_t at_most) {
  std::visit([&](auto& simulation) { simulation.advance_to(time, at_most); }, simulation_);
}

State SceneSimulation::state() const {
  return std::visit([](const auto& simulation) { return simulation.state(); }, simulation_);
}

Summary SceneSimulation::summary() const {
  return std::visit([](const auto& simulation) { return simulation.summary(); }, simulation_);
}

std::vector<Departure> SceneSimulation::take_departures() {
  return std::visit([](auto& simulation) { return simulation.take_departures(); }, simulation_);
}

void SceneSimulation::save(std::ostream& out) const {
  std::visit([&](const auto& simulation) { simulation.save(out); }, simulation_);
}

void SceneSimulation::load(std::istream& in) {
  std::visit([&](auto& simulation) { simulation.load(in); }, simulation_);
}

void SceneSimulation::save_for_hash(std::ostream& out) const {
  std::visit([&](const auto& simulation) { simulation.save_for_hash(out); }, simulation_);
}

const Counters& SceneSimulation::counters() const {
  return std::visit([](const auto& simulation) -> const Counters& { return simulation.counters(); }, simulation_);
}

void SceneSimulation::audit() const {
  std::visit([](const auto& simulation) { simulation.audit(); }, simulation_);
}

}  // namespace scree::hard
