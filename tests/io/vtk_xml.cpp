#include "io/frames/vtk_xml.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "io/formats/vtk_reader.hpp"
#include "io/frames/vtk_library.hpp"

/// VTK is the oracle.
namespace scree::vtk_xml_test {

namespace {

std::string by_vtk(const VtkDataSet& data, int level = 1) {
  std::stringstream file;
  CHECK(write_by_vtk(data, level, file) == 0);
  return file.str();
}

std::string by_scree(const VtkDataSet& data, int level = 1) {
  std::stringstream file;
  write_vtk_xml(data, level, file);
  CHECK(file.good());
  return file.str();
}

/// Their beginnings, where they differ first: doctest would print all.
std::pair<std::string, std::string> difference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  const auto at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t from = at < 60 ? 0 : at - 60;
  return {a.substr(from, 150), b.substr(from, 150)};
}

void check_same(const VtkDataSet& data, int level = 1) {
  const auto [vtk, scree] = difference(by_vtk(data, level), by_scree(data, level));
  CHECK(vtk == scree);
}

template <class T>
std::vector<T> numbers(std::size_t count, double scale) {
  std::mt19937_64 generator(count);
  std::vector<T> all(count);
  for (T& one : all) {
    const double unit = static_cast<double>(generator() >> 11U) * 0x1p-53;
    one = static_cast<T>(std::is_unsigned_v<T> ? unit * scale : (2.0 * unit - 1.0) * scale);
  }
  return all;
}

/// Triangles, and lines before them.
VtkPolyData poly_data(std::size_t lines, std::size_t triangles) {
  const std::size_t cells = lines + triangles;
  const std::size_t points = 2 * lines + 3 * triangles;
  VtkPolyData data{.field = {{"TimeValue", std::vector{0.1234567890123}}},
                   .cells = {},
                   .points = {"Points", numbers<float>(3 * points, 1e-3), 3}};
  const auto cells_of = [](std::size_t count, std::size_t corners, std::size_t first) {
    std::vector<std::int32_t> connectivity;
    std::vector<std::int32_t> offsets;
    for (std::size_t k = 0; k < count * corners; ++k) connectivity.push_back(static_cast<std::int32_t>(first + k));
    for (std::size_t k = 1; k <= count; ++k) offsets.push_back(static_cast<std::int32_t>(k * corners));
    return VtkCells{{"connectivity", connectivity}, {"offsets", offsets}};
  };
  if (lines > 0) data.lines = cells_of(lines, 2, 0);
  if (triangles > 0) data.polygons = cells_of(triangles, 3, 2 * lines);
  data.cells.push_back({"id", numbers<std::int64_t>(cells, 1e15)});
  data.cells.push_back({"type", numbers<std::int32_t>(cells, 5.0)});
  data.cells.push_back({"mass", numbers<float>(cells, 1e20)});
  data.cells.push_back({"centroid", numbers<double>(3 * cells, 1e-300), 3});
  data.cells.push_back({"colour", numbers<std::uint8_t>(3 * cells, 255.0), 3});
  data.cells.push_back({"stress", numbers<float>(9 * cells, 1e9), 9});
  data.cells.push_back({"torque", std::vector<float>(cells, 0.0F)});
  data.cells.push_back({"force", std::vector<float>(3 * cells, -0.0F), 3});
  return data;
}

VtkImage image(std::size_t columns, std::size_t rows) {
  const std::size_t cells = columns * rows;
  return {.field = {{"TimeValue", std::vector{1e-7}}, {"states", std::vector<std::int64_t>{12}}},
          .cells = {{"density", numbers<float>(cells, 2e3)}, {"momentum", numbers<float>(3 * cells, 1e-9), 3}},
          .columns = columns,
          .rows = rows,
          .origin = {-1.0 / 3.0, 1e-7},
          .spacing = {1e20 / 3.0, 0.1}};
}

}  // namespace

TEST_CASE("data of polygons and lines have the bytes that VTK writes") {
  for (const auto& counts : {std::pair{0, 1}, {1, 0}, {3, 4}, {700, 0}, {0, 3000}, {5000, 9000}}) {
    CAPTURE(counts.first);
    CAPTURE(counts.second);
    check_same(poly_data(static_cast<std::size_t>(counts.first), static_cast<std::size_t>(counts.second)));
  }
}

TEST_CASE("data of nothing have the bytes that VTK writes") {
  VtkPolyData data = poly_data(0, 0);
  check_same(data);
  data.field.clear();
  check_same(data);
}

TEST_CASE("arrays that end with a block, and with the first byte of one, have the bytes that VTK writes") {
  for (const std::size_t count : {4095, 4096, 4097, 8192}) {
    CAPTURE(count);
    VtkPolyData data = poly_data(0, count);
    data.field.push_back({"all", numbers<double>(count, 1.0)});
    check_same(data);
  }
}

TEST_CASE("fields have the bytes that VTK writes: names, however long and strange, and tuples") {
  VtkPolyData data = poly_data(1, 2);
  data.field.push_back({"cell", numbers<double>(9, 3.0), 3});
  data.field.push_back({"type_names", std::vector<std::string>{"grain", "", "Stein \xc3\xa4 <&\">", "x"}});
  data.field.push_back({"material_names", std::vector<std::string>(5000, "a name of a material")});
  check_same(data);
}

TEST_CASE("images have the bytes that VTK writes, whatever their place and spacing") {
  check_same(image(1, 1));
  check_same(image(7, 300));
  VtkImage other = image(20, 30);
  for (const double value : {0.0, 1.0, 100000.0, 1e21, 123456789.0, 0.1, 1e-5, 2.0 / 3.0, 1e-30}) {
    CAPTURE(value);
    other.origin = {-value, value};
    other.spacing = {value + 1e-9, 3.0 * value + 1e-12};
    check_same(other);
  }
}

TEST_CASE("any level of compression gives the bytes that VTK writes") {
  for (const int level : {1, 5, 9}) check_same(poly_data(30, 500), level);
}

TEST_CASE("what is written is read back") {
  const VtkPolyData data = poly_data(3, 5000);
  const VtkReader file(by_scree(data), "frame.vtp", "PolyData", "a frame");
  CHECK(file.piece("NumberOfLines") == 3);
  CHECK(file.piece("NumberOfPolys") == 5000);
  const std::vector<double> mass = file.values<double>("CellData", "mass", 1, 5003);
  const auto& wanted = std::get<std::vector<float>>(data.cells[2].values);
  CHECK(mass == std::vector<double>(wanted.begin(), wanted.end()));
}

TEST_CASE("a stream that takes no more is seen by its state") {
  std::stringstream file;
  file.setstate(std::ios::badbit);
  write_vtk_xml(poly_data(3, 50), 1, file);
  CHECK(!file.good());
}

}  // namespace scree::vtk_xml_test
