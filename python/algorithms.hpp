#pragma once

#include <pybind11/pybind11.h>

namespace scree::python {

/// The layers below the simulations, for those who want algorithms: geometry of two polygons, broadphases.
void bind_algorithms(pybind11::module_& m);

}  // namespace scree::python
