#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "geometry/vec.hpp"

/// What is in a file of VTK's: arrays with names, and where the cells are that the values belong to.
namespace scree {

/// Tuples of numbers or texts, one after another.
struct VtkArray {
  using Values = std::variant<std::vector<float>, std::vector<double>, std::vector<std::uint8_t>,
                              std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<std::string>>;

  std::string name;
  Values values;
  std::size_t components = 1;  ///< of a tuple

  std::size_t tuples() const {
    return std::visit([](const auto& all) { return all.size(); }, values) / components;
  }
};

/// Cells as lists of points. None: both are empty and Int64, as VTK has it.
struct VtkCells {
  VtkArray connectivity = {"connectivity", std::vector<std::int64_t>{}};  ///< points of all cells, one after another
  VtkArray offsets = {"offsets", std::vector<std::int64_t>{}};            ///< where each cell ends in `connectivity`
};

struct VtkPolyData {
  std::vector<VtkArray> field;  ///< of the whole
  std::vector<VtkArray> cells;  ///< a tuple for each line, then for each polygon
  VtkArray points;              ///< x, y, z [m]
  VtkCells lines = {};
  VtkCells polygons = {};
};

/// A grid of equal cells, row by row from the origin.
struct VtkImage {
  std::vector<VtkArray> field;
  std::vector<VtkArray> cells;  ///< a tuple for each cell
  std::size_t columns = 0;
  std::size_t rows = 0;
  Vec2 origin;   ///< [m]
  Vec2 spacing;  ///< [m]
};

using VtkDataSet = std::variant<VtkPolyData, VtkImage>;

}  // namespace scree
