#include "io/frames/vtk_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkStringArray.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkTypeUInt8Array.h>
#include <vtkXMLPolyDataWriter.h>

#include "dem/measure/contact_statistics.hpp"
#include "dem/scene/colour.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/numbered_files.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/frames/vtk_file.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// Largest coordinate over smallest radius up to which single precision is enough for points.
constexpr double kSinglePrecisionReach = 1e4;

/// Cells with the points they own alone: cell k has points[first[k]] ... points[first[k + 1] - 1].
struct CellsView {
  std::span<const Vec2> points;
  std::span<const std::uint32_t> first;
};
struct Cells {
  std::vector<Vec2> points;
  std::vector<std::uint32_t> first = {0};

  void end_cell() { first.push_back(static_cast<std::uint32_t>(points.size())); }
  operator CellsView() const { return {points, first}; }
};

template <class Array, class Value>
void add_scalars(vtkPolyData& data, const char* name, Value&& value_of) {
  vtkNew<Array> array;
  array->SetName(name);
  const vtkIdType count = data.GetNumberOfCells();
  array->SetNumberOfValues(count);
  using Stored = typename Array::ValueType;
  Stored* out = array->GetPointer(0);
  for (vtkIdType i = 0; i < count; ++i) out[i] = static_cast<Stored>(value_of(static_cast<std::size_t>(i)));
  data.GetCellData()->AddArray(array);
}

template <class Array = vtkFloatArray, class Value>
void add_vectors(vtkPolyData& data, const char* name, Value&& value_of) {
  vtkNew<Array> array;
  array->SetName(name);
  array->SetNumberOfComponents(3);
  const vtkIdType count = data.GetNumberOfCells();
  array->SetNumberOfTuples(count);
  using Stored = typename Array::ValueType;
  Stored* out = array->GetPointer(0);
  for (vtkIdType i = 0; i < count; ++i) {
    const Vec2& v = value_of(static_cast<std::size_t>(i));
    *out++ = static_cast<Stored>(v.x());
    *out++ = static_cast<Stored>(v.y());
    *out++ = Stored(0);
  }
  data.GetCellData()->AddArray(array);
}

void add_names(vtkPolyData& data, const char* name, const std::vector<std::string>& names) {
  if (names.empty()) return;
  vtkNew<vtkStringArray> array;
  array->SetName(name);
  for (const std::string& each : names) array->InsertNextValue(each);
  data.GetFieldData()->AddArray(array);
}

void add_colours(vtkPolyData& data, const std::vector<Colour>& colours) {
  vtkNew<vtkTypeUInt8Array> array;
  array->SetName("colour");
  array->SetNumberOfComponents(3);
  array->SetNumberOfTuples(data.GetNumberOfCells());
  auto* out = array->GetPointer(0);
  for (const Colour& colour : colours) out = std::copy(colour.begin(), colour.end(), out);
  data.GetCellData()->AddArray(array);
}

template <class T>
auto at(const std::vector<T>& values) {
  return [&values](std::size_t i) -> const T& { return values[i]; };
}

template <class Array>
vtkSmartPointer<vtkPoints> make_points(std::span<const Vec2> points, int vtk_type) {
  vtkNew<Array> array;
  array->SetNumberOfComponents(3);
  array->SetNumberOfTuples(static_cast<vtkIdType>(points.size()));
  using Stored = typename Array::ValueType;
  Stored* out = array->GetPointer(0);
  for (const Vec2& p : points) {
    *out++ = static_cast<Stored>(p.x());
    *out++ = static_cast<Stored>(p.y());
    *out++ = Stored(0);
  }
  auto result = vtkSmartPointer<vtkPoints>::New();
  result->SetDataType(vtk_type);
  result->SetData(array);
  return result;
}

vtkSmartPointer<vtkCellArray> make_cells(std::span<const std::uint32_t> first) {
  vtkNew<vtkTypeInt32Array> offsets;
  offsets->SetNumberOfValues(static_cast<vtkIdType>(first.size()));
  std::transform(first.begin(), first.end(), offsets->GetPointer(0),
                 [&](std::uint32_t k) { return static_cast<vtkTypeInt32>(k - first.front()); });
  vtkNew<vtkTypeInt32Array> connectivity;
  const std::uint32_t count = first.back() - first.front();
  connectivity->SetNumberOfValues(static_cast<vtkIdType>(count));
  if (count > 0) {
    vtkTypeInt32* out = connectivity->GetPointer(0);
    std::iota(out, out + count, static_cast<vtkTypeInt32>(first.front()));
  }
  auto cells = vtkSmartPointer<vtkCellArray>::New();
  cells->SetData(offsets, connectivity);
  return cells;
}

/// Geometry and time of a file. @param lines so many cells are lines, and the others polygons: VTK's order
vtkSmartPointer<vtkPolyData> make_poly_data(const CellsView& cells, std::size_t lines, double smallest_radius,
                                            double time) {
  double largest = 0.0;
  for (const Vec2& p : cells.points) largest = std::max({largest, std::abs(p.x()), std::abs(p.y())});
  const bool single = largest <= kSinglePrecisionReach * smallest_radius;

  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(single ? make_points<vtkFloatArray>(cells.points, VTK_FLOAT)
                         : make_points<vtkDoubleArray>(cells.points, VTK_DOUBLE));
  const std::span<const std::uint32_t> first = cells.first;
  if (lines > 0) data->SetLines(make_cells(first.first(lines + 1)));
  if (lines + 1 < first.size()) data->SetPolys(make_cells(first.subspan(lines)));

  vtkNew<vtkDoubleArray> time_value;
  time_value->SetName("TimeValue");
  time_value->InsertNextValue(time);
  data->GetFieldData()->AddArray(time_value);
  return data;
}

/// Cells of particles; disks as polygons.
Cells particle_cells(const ParticleState& p) {
  static const std::array<Vec2, kDiskSides> kCircle = [] {
    std::array<Vec2, kDiskSides> circle;
    for (std::size_t i = 0; i < kDiskSides; ++i) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kDiskSides);
      circle[i] = {std::cos(angle), std::sin(angle)};
    }
    return circle;
  }();

  Cells cells;
  cells.points.reserve(p.outlines.vertices.size());
  cells.first.reserve(p.size() + 1);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::uint32_t begin = p.outlines.first[i];
    const std::uint32_t end = p.outlines.first[i + 1];
    if (begin == end) {
      const Vec2 ray = p.radius[i] * Vec2(std::cos(p.angle[i]), std::sin(p.angle[i]));
      for (const Vec2& c : kCircle) {
        cells.points.emplace_back(p.position[i].x() + c.x() * ray.x() - c.y() * ray.y(),
                                  p.position[i].y() + c.x() * ray.y() + c.y() * ray.x());
      }
    } else {
      cells.points.insert(cells.points.end(), p.outlines.vertices.begin() + begin, p.outlines.vertices.begin() + end);
    }
    cells.end_cell();
  }
  return cells;
}

/// @param state its outlines are gone afterwards: with a million grains memory is scarcest here
vtkSmartPointer<vtkPolyData> particle_data(State& state, const FrameNames& names, const Vec2& cell_centre,
                                           double smallest_radius) {
  ParticleState& p = state.particles;
  const std::vector<std::uint32_t>& first = p.outlines.first;
  const bool has_disks = std::ranges::adjacent_find(first) != first.end();
  auto data = has_disks ? make_poly_data(particle_cells(p), 0, smallest_radius, state.time)
                        : make_poly_data({p.outlines.vertices, first}, 0, smallest_radius, state.time);
  p.outlines = {};
  add_scalars<vtkTypeInt64Array>(*data, "id", at(p.id));
  add_scalars<vtkTypeInt32Array>(*data, "type", at(p.type));
  add_scalars<vtkTypeInt32Array>(*data, "material", at(p.material));
  add_scalars<vtkFloatArray>(*data, "radius", at(p.radius));
  add_scalars<vtkFloatArray>(*data, "mass", at(p.mass));
  if (data->GetPoints()->GetDataType() == VTK_DOUBLE) {
    add_vectors<vtkDoubleArray>(*data, "centroid", at(p.position));
  } else {
    add_vectors(*data, "centroid", at(p.position));
  }
  add_vectors(*data, "velocity", at(p.velocity));
  add_scalars<vtkFloatArray>(*data, "angular_velocity", at(p.angular_velocity));
  add_scalars<vtkFloatArray>(*data, "angle", at(p.angle));
  add_vectors(*data, "force", at(p.force));
  add_scalars<vtkFloatArray>(*data, "torque", at(p.torque));
  add_scalars<vtkTypeInt32Array>(*data, "coordination", at(p.coordination));
  if (!p.colour.empty()) add_colours(*data, p.colour);
  if (state.cell) {
    vtkNew<vtkDoubleArray> cell;
    cell->SetName("cell");
    cell->SetNumberOfComponents(3);
    cell->InsertNextTuple3(state.cell->length.x(), 0.0, 0.0);
    cell->InsertNextTuple3(state.cell->tilt, state.cell->length.y(), 0.0);
    cell->InsertNextTuple3(cell_centre.x(), cell_centre.y(), 0.0);
    data->GetFieldData()->AddArray(cell);
  }
  add_names(*data, "type_names", names.types);
  add_names(*data, "material_names", names.materials);
  return data;
}

void add_stress(vtkPolyData& particles, const State& state) {
  const std::vector<Eigen::Matrix2d> stress = grain_stress(state);
  vtkNew<vtkFloatArray> array;
  array->SetName("stress");
  array->SetNumberOfComponents(9);
  array->SetNumberOfTuples(static_cast<vtkIdType>(stress.size()));
  array->Fill(0.0);
  float* out = array->GetPointer(0);
  for (const Eigen::Matrix2d& s : stress) {
    for (const int row : {0, 1}) {
      for (const int column : {0, 1}) out[3 * row + column] = static_cast<float>(s(row, column));
    }
    out += 9;
  }
  particles.GetCellData()->AddArray(array);
  add_scalars<vtkFloatArray>(particles, "pressure", [&](std::size_t i) { return 0.5 * stress[i].trace(); });
}

vtkSmartPointer<vtkPolyData> contact_data(const State& state, double smallest_radius) {
  Cells cells;
  cells.points.reserve(3 * state.contacts.size());
  cells.first.reserve(state.contacts.size() + 1);
  std::vector<const ContactState*> of_cell;  // whose line the cell is
  of_cell.reserve(state.contacts.size());
  for (const ContactState& c : state.contacts) {
    const bool with_wall = c.centre2 == c.point;
    cells.points.push_back(c.centre1);
    cells.points.push_back(c.point);
    if (!with_wall && c.image_shift != Vec2::Zero()) {
      cells.end_cell();
      of_cell.push_back(&c);
      cells.points.emplace_back(c.point - c.image_shift);
    }
    if (!with_wall) cells.points.emplace_back(c.centre2 - c.image_shift);
    cells.end_cell();
    of_cell.push_back(&c);
  }

  auto data = make_poly_data(cells, of_cell.size(), smallest_radius, state.time);
  const auto of = [&of_cell](auto member) {
    return [&of_cell, member ](std::size_t i) -> const auto& {
      return of_cell[i]->*member;
    };
  };
  add_scalars<vtkTypeInt64Array>(*data, "id1", of(&ContactState::id1));
  add_scalars<vtkTypeInt64Array>(*data, "id2", of(&ContactState::id2));
  add_vectors(*data, "force", of(&ContactState::force));
  add_scalars<vtkFloatArray>(*data, "force_normal", of(&ContactState::force_normal));
  add_scalars<vtkFloatArray>(*data, "force_tangential", of(&ContactState::force_tangential));
  add_scalars<vtkFloatArray>(*data, "overlap", of(&ContactState::overlap));
  add_scalars<vtkFloatArray>(*data, "depth", of(&ContactState::depth));
  add_scalars<vtkTypeUInt8Array>(*data, "sliding", of(&ContactState::sliding));
  return data;
}

vtkSmartPointer<vtkPolyData> wall_data(const State& state, const FrameNames& names, double smallest_radius) {
  const WallState& w = state.walls;
  const auto corners = [&](std::size_t k) {
    return std::span(w.outlines.vertices).subspan(w.outlines.first[k], w.outlines.first[k + 1] - w.outlines.first[k]);
  };
  std::vector<std::size_t> order(w.size());  // segments first
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto polygons =
      std::stable_partition(order.begin(), order.end(), [&](std::size_t k) { return corners(k).size() == 2; });
  Cells cells;
  for (const std::size_t k : order) {
    cells.points.insert(cells.points.end(), corners(k).begin(), corners(k).end());
    cells.end_cell();
  }

  auto data = make_poly_data(cells, static_cast<std::size_t>(polygons - order.begin()), smallest_radius, state.time);
  const auto of = [&order](const auto& values) {
    return [&order, &values ](std::size_t i) -> const auto& {
      return values[order[i]];
    };
  };
  add_scalars<vtkTypeInt64Array>(*data, "id", of(w.id));
  add_scalars<vtkTypeInt32Array>(*data, "material", of(w.material));
  add_vectors(*data, "velocity", of(w.velocity));
  add_scalars<vtkFloatArray>(*data, "angular_velocity", of(w.angular_velocity));
  add_vectors(*data, "force", of(w.force));
  add_scalars<vtkFloatArray>(*data, "torque", of(w.torque));
  add_names(*data, "material_names", names.materials);
  return data;
}

std::uint64_t write_poly_data(const fs::path& path, vtkPolyData& data) {
  return write_vtk_file<vtkXMLPolyDataWriter>(path, data, Sync::by_caller);
}

/// In the order of time: a run that goes back writes the last one first.
std::string list_text(const std::string& series, const std::vector<FrameRecord>& frames) {
  std::vector<std::pair<double, std::string>> files;
  for (std::size_t number = 0; number < frames.size(); ++number) {
    files.emplace_back(frames[number].time, frame_file(series, number));
  }
  std::ranges::stable_sort(files, {}, &std::pair<double, std::string>::first);
  return pvd_text(files);
}

}  // namespace

VtkSeries::VtkSeries(fs::path directory, std::vector<FrameRecord> already_there, FrameNames names, FrameExtras extras,
                     const Vec2& cell_centre)
    : directory_(std::move(directory)),
      names_(std::move(names)),
      extras_(extras),
      cell_centre_(cell_centre),
      frames_(std::move(already_there)),
      synced_(frames_.size()) {
  make_directory(directory_);
  // The lists shrink before the files go: no reader finds a list of what is not there.
  if (frames_.empty()) {
    for (const std::string series : kSeries) remove_file(directory_ / (series + ".pvd"));
  } else {
    write_lists();
  }
  for (const char* series : kSeries) remove_numbered_files(directory_, series, kFrameEnding, frames_.size());
}

void VtkSeries::write(State&& state) {
  const double time = state.time;
  const auto& radii = state.particles.radius;
  const double smallest_radius =
      radii.empty() ? std::numeric_limits<double>::infinity() : *std::min_element(radii.begin(), radii.end());
  const std::size_t number = frames_.size();
  move_into_parallelogram(state, cell_centre_);
  const std::array data = {contact_data(state, smallest_radius), wall_data(state, names_, smallest_radius),
                           particle_data(state, names_, cell_centre_, smallest_radius)};  // in the order of kSeries
  if (extras_ == FrameExtras::stress) add_stress(*data.back(), state);
  state = {};
  FrameRecord frame{.time = time, .files = {}};
  for (std::size_t k = 0; k < data.size(); ++k) {
    frame.files[k] = write_poly_data(directory_ / frame_file(kSeries[k], number), *data[k]);
  }

  frames_.push_back(frame);
  try {
    write_lists();
  } catch (...) {
    frames_.pop_back();
    throw;
  }
}

void VtkSeries::sync() {
  for (; synced_ < frames_.size(); ++synced_) {
    for (const std::string series : kSeries) sync_file(directory_ / frame_file(series, synced_));
  }
}

void VtkSeries::write_lists() const {
  for (const std::string series : kSeries) {
    write_file_atomically(directory_ / (series + ".pvd"), list_text(series, frames_));
  }
}

}  // namespace scree
