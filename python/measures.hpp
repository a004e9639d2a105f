#pragma once

#include <array>
#include <pybind11/pybind11.h>
#include <string>

#include "dem/scene.hpp"
#include "dem/state.hpp"

/// What dem/measure says about a state, as dicts of numbers and numpy arrays.
namespace scree::python {

/// A rectangle, [x0, x1, y0, y1] [m]. @throws py::value_error unless both sides are longer than 0
Region region_of(const std::array<double, 4>& sides);

pybind11::dict texture(const State& state, const Region& region, const Domain& domain);
pybind11::dict forces(const State& state, const Region& region, const Domain& domain, double bin, std::size_t bins);
pybind11::object stress_of_grains(const State& state);
pybind11::dict fields(const State& state, const Region& region, const Domain& domain, const std::string& kernel,
                      double width, double spacing);

}  // namespace scree::python
