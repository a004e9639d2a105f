#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/errors.hpp"
#include "dem/hard/flight/cell.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/hard/gases.hpp"
#include "tests/hard/hash_after.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

/// Gases in cells that deform.
namespace scree::test {

using GridSimulation = hard::BasicSimulation<HierarchicalGrid<2>, hard::BucketQueue>;

/// A gas that flows with the cell from the start.
inline hard::Setup deforming(const GasRecipe& recipe, const CellDrive& drive, double restitution) {
  hard::Setup setup = gas(recipe);
  setup.domain.cell = drive;
  const hard::Cell cell(setup.domain);
  for (std::size_t i = 0; i < setup.position.size(); ++i) setup.velocity[i] += cell.flow(setup.position[i], 0.0);
  setup.rules.disks.restitution = restitution;
  return setup;
}

/// The integral of the stress over time, from the mean since the start [N s/m].
inline double impulse_of(const State& state, int component) {
  return state.cell->stress[component] * state.time;
}

/// Velocity beside the homogeneous flow. @param centre of the cell
inline Vec2 own_velocity(const State& state, std::size_t disk, const Vec2& centre) {
  const Vec2 from = state.particles.position[disk] - centre;
  const double* const rate = state.cell.value().rate;
  return state.particles.velocity[disk] - Vec2(rate[0] * from.x() + rate[2] * from.y(), rate[1] * from.y());
}

/// Temperature of velocities beside the flow, smooth disks of mass 1.
template <class S>
double temperature(const S& simulation) {
  return simulation.summary().kinetic_energy / static_cast<double>(simulation.particles());
}

/// Of disks of diameter and mass 1 at a temperature of 1. Source: D. M. Gass, J. Chem. Phys. 54 (1971) 1898: Enskog's
/// theory; the contact value is Henderson's.
struct Enskog {
  double density;
  double contact_value;
  double viscosity;
  double loss;  ///< of energy a time and area, over 1 - e^2

  explicit Enskog(double packing_fraction)
      : density(4.0 * packing_fraction / std::numbers::pi),
        contact_value((1.0 - 7.0 / 16.0 * packing_fraction) / std::pow(1.0 - packing_fraction, 2)) {
    const double b = 2.0 * packing_fraction;
    viscosity = 0.5 * 1.022 / std::sqrt(std::numbers::pi) * (1.0 / contact_value + b + 0.8729 * contact_value * b * b);
    loss = density * density * contact_value * std::sqrt(std::numbers::pi);
  }
};

inline std::string refused_key(const Scene& scene) {
  try {
    hard::SceneSimulation simulation(scene);
  } catch (const InvalidScene& error) {
    return error.key;
  }
  return "";
}

/// With any broadphase that may have a cell, any queue, margins and output. @param gas gas(margin), 0: the automatic
/// one
template <class Gas>
void check_same_bits(const Gas& gas, const std::array<double, 2>& margins, double end, std::uint64_t least) {
  using namespace hard;
  const Setup setup = gas(0.0);
  const StateHash reference = hash_after<GridSimulation>(setup, end, least);
  CHECK(hash_after<BasicSimulation<LinkedCells<2>, ImplicitHeap>>(setup, end, least) == reference);
  CHECK(hash_after<BasicSimulation<SortedStrips<2>, BucketQueue>>(setup, end, least) == reference);
  CHECK(hash_after<BasicSimulation<SortAndUpdate<2>, BucketQueue>>(setup, end, least) == reference);
  CHECK(hash_after<BasicSimulation<DistanceSort<2>, BucketQueue>>(setup, end, least) == reference);
  CHECK(hash_after<BasicSimulation<AllPairs<2>, ImplicitHeap>>(setup, end, least) == reference);
  for (const double margin : margins) CHECK(hash_after<GridSimulation>(gas(margin), end, least) == reference);
  CHECK(hash_after<GridSimulation>(setup, end, least, 97) == reference);
  CHECK_THROWS_AS(Simulation{setup}, InvalidScene);
}

/// What is saved at a time, loaded, and goes on to the end.
inline void check_goes_on(const hard::Setup& setup, double saved_at, double end) {
  GridSimulation whole(setup);
  whole.advance_to(saved_at);
  std::stringstream file;
  whole.save(file);
  hard::Setup empty = setup;
  empty.is_for_load = true;
  GridSimulation loaded(empty);
  loaded.load(file);
  CHECK(state_hash(loaded) == state_hash(whole));
  whole.advance_to(end);
  loaded.advance_to(end);
  CHECK(state_hash(loaded) == state_hash(whole));
  CHECK(loaded.summary() == whole.summary());
  CHECK(loaded.state().cell->work == whole.state().cell->work);
  CHECK(loaded.state().cell->length == whole.state().cell->length);
}

}  // namespace scree::test
