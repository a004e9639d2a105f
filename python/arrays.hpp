#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/state.hpp"

/// numpy arrays of our columns: copies, or read-only windows on memory that something keeps alive.
namespace scree::python {

namespace py = pybind11;

/// An array's memory: first element, how far apart rows are, what keeps it alive (none: it is copied).
struct Place {
  const void* first;
  std::size_t rows;
  std::size_t stride;  ///< between rows [bytes]
  py::object owner = {};
};

template <class Number>
py::array column(const Place& place, std::size_t width = 0) {
  std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(place.rows)};
  std::vector<py::ssize_t> strides = {static_cast<py::ssize_t>(place.stride)};
  if (width > 0) {
    shape.push_back(static_cast<py::ssize_t>(width));
    strides.push_back(static_cast<py::ssize_t>(sizeof(Number)));
  }
  if (!place.owner) return py::array(py::dtype::of<Number>(), shape, strides, place.first).attr("copy")();
  py::array window(py::dtype::of<Number>(), shape, strides, place.first, place.owner);
  window.attr("setflags")(py::arg("write") = false);
  return window;
}

/// A column of State: numbers, Vec2, image counters, flags.
template <class T>
py::array column(const std::vector<T>& values, const py::object& owner = {}) {
  const Place place{values.data(), values.size(), sizeof(T), owner};
  if constexpr (std::is_arithmetic_v<T>) {
    return column<T>(place);
  } else if constexpr (std::is_same_v<T, Vec2>) {
    return column<double>(place, 2);
  } else {
    return column<typename T::value_type>(place, std::tuple_size_v<T>);
  }
}

/// A column made of something of each element.
template <class List, class Get>
py::array column_of(const List& list, const Get& get) {
  using Value = std::decay_t<decltype(get(list.front()))>;
  if constexpr (std::is_same_v<Value, Vec2>) {
    py::array_t<double> made({static_cast<py::ssize_t>(list.size()), py::ssize_t{2}});
    auto at = made.template mutable_unchecked<2>();
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Vec2 value = get(list[k]);
      at(static_cast<py::ssize_t>(k), 0) = value.x();
      at(static_cast<py::ssize_t>(k), 1) = value.y();
    }
    return made;
  } else {
    py::array_t<Value> made(static_cast<py::ssize_t>(list.size()));
    auto at = made.template mutable_unchecked<1>();
    for (std::size_t k = 0; k < list.size(); ++k) at(static_cast<py::ssize_t>(k)) = get(list[k]);
    return made;
  }
}

/// Column `name` of the particles, contacts or walls of a state. @param owner see Place @throws py::attribute_error
py::object particle_column(const ParticleState& particles, const std::string& name, const py::object& owner = {});
py::object wall_column(const WallState& walls, const std::string& name);
py::object contact_column(const std::vector<ContactState>& contacts, const std::string& name);

/// A column of the soft mode's own arrays; nothing (a null object) where these do not have it so.
py::object body_column(const Bodies& bodies, const std::string& name, const py::object& owner = {});

/// A row's numbers by their names (dem/column.hpp).
template <class Columns, class Row>
py::dict dict_of(const Columns& columns, const Row& row) {
  py::dict d;
  for (const auto& column : columns) {
    column.give(row, [&](auto value) { d[py::str(std::string(column.name()))] = value; });
  }
  return d;
}

}  // namespace scree::python
