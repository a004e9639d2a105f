#pragma once

#include <array>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

#include "dem/measure/coarse_graining.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/measure.hpp"
#include "dem/scene/region.hpp"
#include "dem/state.hpp"

/// What dem/measure says about a state, as dicts of numbers and numpy arrays.
namespace scree::python {

/// A rectangle, [x0, x1, y0, y1] [m]. @throws py::value_error unless both sides are longer than 0
Region region_of(const std::array<double, 4>& sides);

pybind11::dict texture(const State& state, const Region& region, const Domain& domain);
pybind11::dict forces(const State& state, const Region& region, const Domain& domain, double bin, int bins);
pybind11::dict pair_orientation(const State& state, const Region& region, const Domain& domain,
                                const Measure::PairOrientation& spec);
pybind11::object stress_of_grains(const State& state);

/// Fields without a state yet. @throws py::value_error
CoarseFields coarse_fields(const Region& region, const Domain& domain, const std::string& kernel, double width,
                           double spacing);
pybind11::dict dict_of(const FieldGrid& grid, const std::vector<FieldSums>& fields);

}  // namespace scree::python
