#include "io/frames/vtk_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "dem/measure/contact_statistics.hpp"
#include "dem/scene/colour.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/numbered_files.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/frames/vtk_data.hpp"
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

/// @param count  of cells  @param value_of  the value of a cell, by its number
template <class Stored, class Value>
void add_scalars(VtkPolyData& data, const char* name, std::size_t count, const Value& value_of) {
  std::vector<Stored> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<Stored>(value_of(i));
  data.cells.push_back({name, std::move(values)});
}

template <class Stored = float, class Value>
void add_vectors(VtkPolyData& data, const char* name, std::size_t count, const Value& value_of) {
  std::vector<Stored> values(3 * count);  // z = 0
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2& v = value_of(i);
    values[3 * i] = static_cast<Stored>(v.x());
    values[3 * i + 1] = static_cast<Stored>(v.y());
  }
  data.cells.push_back({name, std::move(values), 3});
}

void add_names(VtkPolyData& data, const char* name, const std::vector<std::string>& names) {
  if (!names.empty()) data.field.push_back({name, names});
}

void add_colours(VtkPolyData& data, const std::vector<Colour>& colours) {
  std::vector<std::uint8_t> values;
  values.reserve(3 * colours.size());
  for (const Colour& colour : colours) values.insert(values.end(), colour.begin(), colour.end());
  data.cells.push_back({"colour", std::move(values), 3});
}

template <class T>
auto at(const std::vector<T>& values) {
  return [&values](std::size_t i) -> const T& { return values[i]; };
}

template <class Stored>
VtkArray make_points(std::span<const Vec2> points) {
  std::vector<Stored> values(3 * points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    values[3 * i] = static_cast<Stored>(points[i].x());
    values[3 * i + 1] = static_cast<Stored>(points[i].y());
  }
  return {"Points", std::move(values), 3};
}

/// At least one cell.
VtkCells make_cells(std::span<const std::uint32_t> first) {
  std::vector<std::int32_t> ends(first.size() - 1);
  std::ranges::transform(first.subspan(1), ends.begin(),
                         [&](std::uint32_t k) { return static_cast<std::int32_t>(k - first.front()); });
  std::vector<std::int32_t> points(first.back() - first.front());
  std::iota(points.begin(), points.end(), static_cast<std::int32_t>(first.front()));
  return {{"connectivity", std::move(points)}, {"offsets", std::move(ends)}};
}

/// Geometry and time of a file. @param lines so many cells are lines, and the others polygons: VTK's order
VtkPolyData make_poly_data(const CellsView& cells, std::size_t lines, double smallest_radius, double time) {
  double largest = 0.0;
  for (const Vec2& p : cells.points) largest = std::max({largest, std::abs(p.x()), std::abs(p.y())});
  const bool single = largest <= kSinglePrecisionReach * smallest_radius;

  VtkPolyData data{.field = {{"TimeValue", std::vector{time}}},
                   .cells = {},
                   .points = single ? make_points<float>(cells.points) : make_points<double>(cells.points)};
  const std::span<const std::uint32_t> first = cells.first;
  if (lines > 0) data.lines = make_cells(first.first(lines + 1));
  if (lines + 1 < first.size()) data.polygons = make_cells(first.subspan(lines));
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
VtkPolyData particle_data(State& state, const FrameNames& names, const Vec2& cell_centre, double smallest_radius) {
  ParticleState& p = state.particles;
  const std::vector<std::uint32_t>& first = p.outlines.first;
  const bool has_disks = std::ranges::adjacent_find(first) != first.end();
  auto data = has_disks ? make_poly_data(particle_cells(p), 0, smallest_radius, state.time)
                        : make_poly_data({p.outlines.vertices, first}, 0, smallest_radius, state.time);
  const std::size_t count = p.size();
  p.outlines = {};
  add_scalars<std::int64_t>(data, "id", count, at(p.id));
  add_scalars<std::int32_t>(data, "type", count, at(p.type));
  add_scalars<std::int32_t>(data, "material", count, at(p.material));
  add_scalars<float>(data, "radius", count, at(p.radius));
  add_scalars<float>(data, "mass", count, at(p.mass));
  if (std::holds_alternative<std::vector<double>>(data.points.values)) {
    add_vectors<double>(data, "centroid", count, at(p.position));
  } else {
    add_vectors(data, "centroid", count, at(p.position));
  }
  add_vectors(data, "velocity", count, at(p.velocity));
  add_scalars<float>(data, "angular_velocity", count, at(p.angular_velocity));
  add_scalars<float>(data, "angle", count, at(p.angle));
  add_vectors(data, "force", count, at(p.force));
  add_scalars<float>(data, "torque", count, at(p.torque));
  add_scalars<std::int32_t>(data, "coordination", count, at(p.coordination));
  if (!p.colour.empty()) add_colours(data, p.colour);
  if (state.cell) {
    const CellState& cell = *state.cell;
    data.field.push_back({"cell",
                          std::vector{cell.length.x(), 0.0, 0.0,        //
                                      cell.tilt, cell.length.y(), 0.0,  //
                                      cell_centre.x(), cell_centre.y(), 0.0},
                          3});
  }
  add_names(data, "type_names", names.types);
  add_names(data, "material_names", names.materials);
  return data;
}

void add_stress(VtkPolyData& particles, const State& state) {
  const std::vector<Eigen::Matrix2d> stress = grain_stress(state);
  std::vector<float> values(9 * stress.size());
  for (std::size_t i = 0; i < stress.size(); ++i) {
    for (const int row : {0, 1}) {
      for (const int column : {0, 1}) {
        values[9 * i + static_cast<std::size_t>(3 * row + column)] = static_cast<float>(stress[i](row, column));
      }
    }
  }
  particles.cells.push_back({"stress", std::move(values), 9});
  add_scalars<float>(particles, "pressure", stress.size(), [&](std::size_t i) { return 0.5 * stress[i].trace(); });
}

VtkPolyData contact_data(const State& state, double smallest_radius) {
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
  add_scalars<std::int64_t>(data, "id1", of_cell.size(), of(&ContactState::id1));
  add_scalars<std::int64_t>(data, "id2", of_cell.size(), of(&ContactState::id2));
  add_vectors(data, "force", of_cell.size(), of(&ContactState::force));
  add_scalars<float>(data, "force_normal", of_cell.size(), of(&ContactState::force_normal));
  add_scalars<float>(data, "force_tangential", of_cell.size(), of(&ContactState::force_tangential));
  add_scalars<float>(data, "overlap", of_cell.size(), of(&ContactState::overlap));
  add_scalars<float>(data, "depth", of_cell.size(), of(&ContactState::depth));
  add_scalars<std::uint8_t>(data, "sliding", of_cell.size(), of(&ContactState::sliding));
  return data;
}

VtkPolyData wall_data(const State& state, const FrameNames& names, double smallest_radius) {
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
  add_scalars<std::int64_t>(data, "id", w.size(), of(w.id));
  add_scalars<std::int32_t>(data, "material", w.size(), of(w.material));
  add_vectors(data, "velocity", w.size(), of(w.velocity));
  add_scalars<float>(data, "angular_velocity", w.size(), of(w.angular_velocity));
  add_vectors(data, "force", w.size(), of(w.force));
  add_scalars<float>(data, "torque", w.size(), of(w.torque));
  add_names(data, "material_names", names.materials);
  return data;
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
  VtkPolyData contacts = contact_data(state, smallest_radius);
  VtkPolyData walls = wall_data(state, names_, smallest_radius);
  VtkPolyData particles = particle_data(state, names_, cell_centre_, smallest_radius);
  if (extras_ == FrameExtras::stress) add_stress(particles, state);
  const std::array<VtkDataSet, kSeries.size()> data = {std::move(contacts), std::move(walls), std::move(particles)};
  state = {};
  FrameRecord frame{.time = time, .files = {}};
  for (std::size_t k = 0; k < data.size(); ++k) {
    frame.files[k] = write_vtk_file(directory_ / frame_file(kSeries[k], number), data[k], Sync::by_caller);
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
