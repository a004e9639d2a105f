#include "io/frame_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkFieldData.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkXMLPolyDataReader.h>

#include "io/errors.hpp"
#include "io/start_reader.hpp"
#include "io/vtk_file.hpp"
#include "io/written.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// The corners of a disk in a frame.
constexpr std::size_t kDiskSides = 36;

/// One file of a frame.
class FrameFile {
 public:
  explicit FrameFile(fs::path path) : path_(std::move(path)) {
    vtkNew<vtkXMLPolyDataReader> reader;
    const bool is_sound = read_vtk_file(path_, *reader);
    data_ = reader->GetOutput();
    if (!is_sound || data_ == nullptr) refuse("it is damaged");
  }

  std::size_t cells() const { return static_cast<std::size_t>(data_->GetNumberOfCells()); }

  bool has(const char* name) const { return data_->GetCellData()->HasArray(name) != 0; }

  /// Of a periodic cell that deforms: its periods. Its centre is the scene's.
  std::optional<CellState> cell() const {
    vtkDataArray* const array = data_->GetFieldData()->GetArray("cell");
    if (array == nullptr) return {};
    if (array->GetNumberOfComponents() != 3 || array->GetNumberOfTuples() != 3) refuse("it has an odd array 'cell'");
    CellState cell{.length = {array->GetComponent(0, 0), array->GetComponent(1, 1)},
                   .tilt = array->GetComponent(1, 0),
                   .strain = {},
                   .rate = {},
                   .stress = {},
                   .work = 0.0};
    if (!(cell.length.allFinite() && cell.length.minCoeff() > 0.0 && std::abs(cell.tilt) <= cell.length.x())) {
      refuse("its periodic cell makes no sense");
    }
    return cell;
  }

  template <class T>
  std::vector<T> scalars(const char* name) const {
    vtkDataArray& array = array_of(name, 1);
    std::vector<T> values(cells());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<T>(array.GetComponent(static_cast<vtkIdType>(i), 0));
    }
    return values;
  }

  std::vector<Vec2> vectors(const char* name) const {
    vtkDataArray& array = array_of(name, 3);
    std::vector<Vec2> values(cells());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto tuple = static_cast<vtkIdType>(i);
      values[i] = {array.GetComponent(tuple, 0), array.GetComponent(tuple, 1)};
    }
    return values;
  }

  std::vector<Colour> colours(const char* name) const {
    vtkDataArray& array = array_of(name, 3);
    std::vector<Colour> values(cells());
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (int c = 0; c < 3; ++c) {
        values[i][static_cast<std::size_t>(c)] =
            static_cast<std::uint8_t>(array.GetComponent(static_cast<vtkIdType>(i), c));
      }
    }
    return values;
  }

  /// Of every cell its points [m], in the order of the arrays.
  Outlines outlines() const {
    Outlines all;
    vtkNew<vtkIdList> ids;
    for (std::size_t i = 0; i < cells(); ++i) {
      data_->GetCellPoints(static_cast<vtkIdType>(i), ids);
      for (vtkIdType k = 0; k < ids->GetNumberOfIds(); ++k) {
        double point[3];
        data_->GetPoint(ids->GetId(k), point);
        all.vertices.emplace_back(point[0], point[1]);
      }
      all.first.push_back(static_cast<std::uint32_t>(all.vertices.size()));
    }
    return all;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw IoError(fmt::format("cannot read {}: {}; needed: a frame that scree wrote", path_.string(), why));
  }

 private:
  vtkDataArray& array_of(const char* name, int components) const {
    vtkDataArray* array = data_->GetCellData()->GetArray(name);
    if (array == nullptr || array->GetNumberOfComponents() != components ||
        array->GetNumberOfTuples() != data_->GetNumberOfCells()) {
      refuse(fmt::format("it has no array {} of the right size", name));
    }
    return *array;
  }

  fs::path path_;
  vtkSmartPointer<vtkPolyData> data_;
};

/// Of a polygon, from its corners.
Vec2 centroid(std::span<const Vec2> corners) {
  Vec2 sum = Vec2::Zero();
  double area = 0.0;
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    const Vec2 a = corners[k] - corners[0];
    const Vec2 b = corners[k + 1] - corners[0];
    const double twice = a.x() * b.y() - a.y() * b.x();
    area += twice;
    sum += twice * (a + b);
  }
  return area != 0.0 ? Vec2(corners[0] + sum / (3.0 * area)) : corners[0];
}

/// A polygon of 36 corners lies inside the disk of equal area only by half of a per cent: its corners tell.
bool is_disk(std::span<const Vec2> corners, const Vec2& centre, double radius) {
  constexpr double kSame = 1e-4;  // a regular polygon's corners are 2.5e-3 farther out
  return corners.size() == kDiskSides && std::ranges::all_of(corners, [&](const Vec2& corner) {
           return std::abs((corner - centre).norm() - radius) < kSame * radius;
         });
}

ParticleState particles_in(const FrameFile& file) {
  ParticleState p;
  p.id = file.scalars<std::uint64_t>("id");
  p.type = file.scalars<int>("type");
  p.material = file.scalars<int>("material");
  p.radius = file.scalars<double>("radius");
  p.mass = file.scalars<double>("mass");
  p.angle = file.scalars<double>("angle");
  p.velocity = file.vectors("velocity");
  p.angular_velocity = file.scalars<double>("angular_velocity");
  p.force = file.vectors("force");
  p.torque = file.scalars<double>("torque");
  p.coordination = file.scalars<int>("coordination");
  if (file.has("colour")) p.colour = file.colours("colour");
  const Outlines all = file.outlines();
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto corners = std::span(all.vertices).subspan(all.first[i], all.first[i + 1] - all.first[i]);
    if (corners.size() < 3) file.refuse("a grain has fewer than three corners");
    const Vec2 centre = centroid(corners);
    p.position.push_back(centre);
    if (!is_disk(corners, centre, p.radius[i])) {
      p.outlines.vertices.insert(p.outlines.vertices.end(), corners.begin(), corners.end());
    }
    p.outlines.first.push_back(static_cast<std::uint32_t>(p.outlines.vertices.size()));
  }
  return p;
}

WallState walls_in(const fs::path& path) {
  const FrameFile file(path);
  WallState w;
  w.id = file.scalars<std::uint64_t>("id");
  w.material = file.scalars<int>("material");
  w.velocity = file.vectors("velocity");
  w.angular_velocity = file.scalars<double>("angular_velocity");
  w.force = file.vectors("force");
  w.torque = file.scalars<double>("torque");
  w.outlines = file.outlines();
  return w;
}

std::vector<ContactState> contacts_in(const fs::path& path, const std::vector<std::uint64_t>& walls) {
  const FrameFile file(path);
  const auto id1 = file.scalars<std::uint64_t>("id1");
  const auto id2 = file.scalars<std::uint64_t>("id2");
  const auto force = file.vectors("force");
  const auto force_normal = file.scalars<double>("force_normal");
  const auto force_tangential = file.scalars<double>("force_tangential");
  const auto overlap = file.scalars<double>("overlap");
  const auto depth = file.scalars<double>("depth");
  const auto sliding = file.scalars<int>("sliding");
  const Outlines lines = file.outlines();
  std::vector<ContactState> contacts;
  for (std::size_t i = 0; i < id1.size(); ++i) {
    const Vec2* points = lines.vertices.data() + lines.first[i];
    const std::size_t count = lines.first[i + 1] - lines.first[i];
    if (count != 2 && count != 3) file.refuse("the line of a contact has neither two nor three points");
    ContactState c{.id1 = id1[i],
                   .id2 = id2[i],
                   .centre1 = points[0],
                   .point = points[1],
                   .centre2 = points[count - 1],
                   .image_shift = Vec2::Zero(),
                   .force = force[i],
                   .force_normal = force_normal[i],
                   .force_tangential = force_tangential[i],
                   .overlap = overlap[i],
                   .depth = depth[i],
                   .sliding = sliding[i] != 0};
    // Across a periodic side: the second line goes from the point to body 2.
    const bool is_second = !contacts.empty() && contacts.back().id1 == c.id1 && contacts.back().id2 == c.id2 &&
                           count == 2 && contacts.back().centre2 == contacts.back().point &&
                           std::ranges::find(walls, c.id2) == walls.end();
    if (is_second) {
      c.id1 = id2[i];
      c.id2 = id1[i];
      c.centre1 = points[1];
      c.point = points[0];
      c.centre2 = points[0];
      c.force = -c.force;
    }
    contacts.push_back(c);
  }
  return contacts;
}

}  // namespace

std::vector<WrittenFrame> list_frames(const fs::path& directory) {
  std::vector<WrittenFrame> frames;
  for (const auto& [time, number] : read_pvd(directory / "particles.pvd", "particles", kFrameEnding)) {
    frames.push_back({time, number});
  }
  return frames;
}

State read_frame(const fs::path& directory, const WrittenFrame& frame) {
  State state;
  state.time = frame.time;
  const FrameFile particles(directory / frame_file("particles", frame.number));
  state.particles = particles_in(particles);
  state.cell = particles.cell();
  state.walls = walls_in(directory / frame_file("walls", frame.number));
  state.contacts = contacts_in(directory / frame_file("contacts", frame.number), state.walls.id);
  return state;
}

}  // namespace scree

/// Brings this file into every program that is linked with scree::io (io/CMakeLists.txt).
extern "C" {
extern const bool scree_starts_read_frames;
const bool scree_starts_read_frames =
    scree::let_starts_read_frames([](const std::filesystem::path& directory, std::size_t number) {
      return scree::read_frame(directory, {.time = 0.0, .number = number});
    });
}
