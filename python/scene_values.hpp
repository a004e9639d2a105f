#pragma once

#include <pybind11/pybind11.h>
#include <string>

namespace scree::python {

/// A YAML text as dict, list, str, int, float, bool and None. Only texts in quotes stay texts whatever they look like.
pybind11::object values_of(const std::string& yaml);

}  // namespace scree::python
