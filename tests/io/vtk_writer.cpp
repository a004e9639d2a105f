#include "io/frames/vtk_writer.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkFieldData.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkStringArray.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLUtilities.h>

#include "dem/measure/contact_statistics.hpp"
#include "dem/scene.hpp"
#include "io/frames/group_names.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/pages/colours.hpp"
#include "io/text/errors.hpp"
#include "tests/io/made_up_state.hpp"
#include "tests/io/scratch_directory.hpp"
#include "tests/io/small_files.hpp"

namespace scree::vtk_writer_test {

namespace {

namespace fs = std::filesystem;

vtkSmartPointer<vtkPolyData> read_poly_data(const fs::path& path) {
  REQUIRE(fs::exists(path));
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  REQUIRE(reader->GetErrorCode() == 0);
  return reader->GetOutput();
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Vec2 point_of(vtkPolyData& data, vtkIdType point) {
  double p[3];
  data.GetPoint(point, p);
  CHECK(p[2] == 0.0);
  return {p[0], p[1]};
}

std::vector<Vec2> points_of_cell(vtkPolyData& data, vtkIdType cell) {
  vtkNew<vtkIdList> ids;
  data.GetCellPoints(cell, ids);
  std::vector<Vec2> points;
  for (vtkIdType i = 0; i < ids->GetNumberOfIds(); ++i) points.push_back(point_of(data, ids->GetId(i)));
  return points;
}

struct ArrayKind {
  const char* name;
  int type;
  int components;
};

void check_cell_arrays(vtkPolyData& data, const std::vector<ArrayKind>& expected) {
  CHECK(data.GetCellData()->GetNumberOfArrays() == static_cast<int>(expected.size()));
  for (const ArrayKind& kind : expected) {
    CAPTURE(kind.name);
    vtkDataArray* array = data.GetCellData()->GetArray(kind.name);
    REQUIRE(array != nullptr);
    CHECK(array->GetDataType() == kind.type);
    CHECK(array->GetNumberOfComponents() == kind.components);
    CHECK(array->GetNumberOfTuples() == data.GetNumberOfCells());
  }
}

const std::vector<ArrayKind>& particle_arrays() {
  static const std::vector<ArrayKind> kArrays = {
      {"id", VTK_TYPE_INT64, 1},  {"type", VTK_INT, 1},         {"material", VTK_INT, 1},
      {"radius", VTK_FLOAT, 1},   {"mass", VTK_FLOAT, 1},       {"centroid", VTK_FLOAT, 3},
      {"velocity", VTK_FLOAT, 3}, {"angle", VTK_FLOAT, 1},      {"force", VTK_FLOAT, 3},
      {"torque", VTK_FLOAT, 1},   {"coordination", VTK_INT, 1}, {"angular_velocity", VTK_FLOAT, 1}};
  return kArrays;
}

const std::vector<ArrayKind>& contact_arrays() {
  static const std::vector<ArrayKind> kArrays = {
      {"id1", VTK_TYPE_INT64, 1},         {"id2", VTK_TYPE_INT64, 1},       {"force", VTK_FLOAT, 3},
      {"force_normal", VTK_FLOAT, 1},     {"overlap", VTK_FLOAT, 1},        {"depth", VTK_FLOAT, 1},
      {"force_tangential", VTK_FLOAT, 1}, {"sliding", VTK_UNSIGNED_CHAR, 1}};
  return kArrays;
}

const std::vector<ArrayKind>& wall_arrays() {
  static const std::vector<ArrayKind> kArrays = {{"id", VTK_TYPE_INT64, 1},  {"material", VTK_INT, 1},
                                                 {"velocity", VTK_FLOAT, 3}, {"angular_velocity", VTK_FLOAT, 1},
                                                 {"force", VTK_FLOAT, 3},    {"torque", VTK_FLOAT, 1}};
  return kArrays;
}

double value_of(vtkPolyData& data, const char* name, vtkIdType cell, int component = 0) {
  return data.GetCellData()->GetArray(name)->GetComponent(cell, component);
}

double time_of(vtkPolyData& data) {
  vtkDataArray* time = data.GetFieldData()->GetArray("TimeValue");
  REQUIRE(time != nullptr);
  CHECK(time->GetDataType() == VTK_DOUBLE);
  REQUIRE(time->GetNumberOfTuples() == 1);
  return time->GetComponent(0, 0);
}

/// As Float32 stores it.
bool same_in_single_precision(double stored, double exact) {
  return stored == static_cast<double>(static_cast<float>(exact));
}

std::vector<std::string> listed_files(const fs::path& pvd) {
  const vtkSmartPointer<vtkXMLDataElement> root =
      vtkSmartPointer<vtkXMLDataElement>::Take(vtkXMLUtilities::ReadElementFromFile(pvd.c_str()));
  REQUIRE(root != nullptr);
  CHECK(std::string(root->GetAttribute("type")) == "Collection");
  vtkXMLDataElement* collection = root->FindNestedElementWithName("Collection");
  REQUIRE(collection != nullptr);
  std::vector<std::string> files;
  for (int i = 0; i < collection->GetNumberOfNestedElements(); ++i) {
    files.emplace_back(collection->GetNestedElement(i)->GetAttribute("file"));
    CHECK(fs::exists(pvd.parent_path() / files.back()));
  }
  return files;
}

std::vector<double> times_listed_in(const fs::path& pvd) {
  const vtkSmartPointer<vtkXMLDataElement> root =
      vtkSmartPointer<vtkXMLDataElement>::Take(vtkXMLUtilities::ReadElementFromFile(pvd.c_str()));
  REQUIRE(root != nullptr);
  vtkXMLDataElement* collection = root->FindNestedElementWithName("Collection");
  std::vector<double> times;
  for (int i = 0; i < collection->GetNumberOfNestedElements(); ++i) {
    times.push_back(std::stod(collection->GetNestedElement(i)->GetAttribute("timestep")));
  }
  return times;
}

State at_time(double time) {
  State state = made_up_heap(6);
  state.time = time;
  return state;
}

}  // namespace

TEST_CASE("VTK reads back every particle as its true outline with all its values") {
  const ScratchDirectory directory;
  const State state = made_up_heap(20);
  REQUIRE(state.particles.size() > 50);
  VtkSeries(directory.path()).write(state);

  const auto data = read_poly_data(directory.path() / "particles_000000.vtp");
  const ParticleState& p = state.particles;
  REQUIRE(data->GetNumberOfPolys() == static_cast<vtkIdType>(p.size()));
  REQUIRE(data->GetNumberOfCells() == static_cast<vtkIdType>(p.size()));
  CHECK(data->GetPoints()->GetDataType() == VTK_FLOAT);
  CHECK(time_of(*data) == state.time);
  check_cell_arrays(*data, particle_arrays());

  int disks = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    CAPTURE(i);
    const auto cell = static_cast<vtkIdType>(i);
    CHECK(value_of(*data, "id", cell) == static_cast<double>(p.id[i]));
    CHECK(value_of(*data, "type", cell) == p.type[i]);
    CHECK(value_of(*data, "material", cell) == p.material[i]);
    CHECK(value_of(*data, "coordination", cell) == p.coordination[i]);
    CHECK(same_in_single_precision(value_of(*data, "radius", cell), p.radius[i]));
    CHECK(same_in_single_precision(value_of(*data, "mass", cell), p.mass[i]));
    CHECK(same_in_single_precision(value_of(*data, "angle", cell), p.angle[i]));
    CHECK(same_in_single_precision(value_of(*data, "angular_velocity", cell), p.angular_velocity[i]));
    CHECK(same_in_single_precision(value_of(*data, "torque", cell), p.torque[i]));
    for (int k = 0; k < 2; ++k) {
      CHECK(same_in_single_precision(value_of(*data, "centroid", cell, k), p.position[i][k]));
      CHECK(same_in_single_precision(value_of(*data, "velocity", cell, k), p.velocity[i][k]));
      CHECK(same_in_single_precision(value_of(*data, "force", cell, k), p.force[i][k]));
    }
    CHECK(value_of(*data, "velocity", cell, 2) == 0.0);
    CHECK(value_of(*data, "force", cell, 2) == 0.0);

    const std::vector<Vec2> outline = points_of_cell(*data, cell);
    const std::uint32_t begin = p.outlines.first[i];
    const std::uint32_t end = p.outlines.first[i + 1];
    if (begin == end) {
      ++disks;
      CHECK(outline.size() >= 24);
      CHECK(outline.size() <= 48);
      for (const Vec2& v : outline) CHECK(std::abs((v - p.position[i]).norm() - p.radius[i]) < 1e-6);  // m
      const Vec2 first = p.position[i] + p.radius[i] * Vec2(std::cos(p.angle[i]), std::sin(p.angle[i]));
      CHECK((outline.front() - first).norm() < 1e-6);                              // m
      CHECK(cross(outline[0] - p.position[i], outline[1] - p.position[i]) > 0.0);  // counter-clockwise
    } else {
      REQUIRE(outline.size() == end - begin);
      for (std::size_t k = 0; k < outline.size(); ++k) {
        CHECK((outline[k] - p.outlines.vertices[begin + k]).norm() < 1e-6);  // m
      }
    }
  }
  CHECK(disks > 5);
  CHECK(disks < static_cast<int>(p.size()) - 5);
}

TEST_CASE("VTK reads back contacts as lines from centre to point to centre, and to a wall only to the point") {
  const ScratchDirectory directory;
  State state = made_up_heap(6);
  state.contacts.clear();
  state.contacts.push_back({.id1 = 3,
                            .id2 = (std::uint64_t{1} << 40) + 1,
                            .centre1 = {0.1, 0.2},
                            .point = {0.15, 0.25},
                            .centre2 = {0.2, 0.22},
                            .image_shift = Vec2::Zero(),
                            .force = {3.0, -4.0},
                            .force_normal = 4.5,
                            .force_tangential = -0.25,
                            .overlap = 1e-7,
                            .depth = 2e-4,
                            .sliding = true});
  ContactState with_wall = state.contacts.front();
  with_wall.centre2 = with_wall.point;
  with_wall.sliding = false;
  state.contacts.push_back(with_wall);
  VtkSeries(directory.path()).write(state);

  const auto data = read_poly_data(directory.path() / "contacts_000000.vtp");
  check_cell_arrays(*data, contact_arrays());
  CHECK(time_of(*data) == state.time);
  REQUIRE(data->GetNumberOfLines() == 2);
  REQUIRE(data->GetNumberOfCells() == 2);
  const auto line = points_of_cell(*data, 0);
  REQUIRE(line.size() == 3);
  CHECK((line[0] - Vec2(0.1, 0.2)).norm() < 1e-7);
  CHECK((line[1] - Vec2(0.15, 0.25)).norm() < 1e-7);
  CHECK((line[2] - Vec2(0.2, 0.22)).norm() < 1e-7);
  const auto to_wall = points_of_cell(*data, 1);
  REQUIRE(to_wall.size() == 2);
  CHECK((to_wall[0] - Vec2(0.1, 0.2)).norm() < 1e-7);
  CHECK((to_wall[1] - Vec2(0.15, 0.25)).norm() < 1e-7);

  CHECK(value_of(*data, "id1", 0) == 3.0);
  CHECK(value_of(*data, "id2", 0) == std::pow(2.0, 40) + 1.0);
  CHECK(value_of(*data, "force", 0, 0) == 3.0);
  CHECK(value_of(*data, "force", 0, 1) == -4.0);
  CHECK(value_of(*data, "force", 0, 2) == 0.0);
  CHECK(value_of(*data, "force_normal", 0) == 4.5);
  CHECK(value_of(*data, "force_tangential", 0) == -0.25);
  CHECK(same_in_single_precision(value_of(*data, "overlap", 0), 1e-7));
  CHECK(same_in_single_precision(value_of(*data, "depth", 0), 2e-4));
  CHECK(value_of(*data, "sliding", 0) == 1.0);
  CHECK(value_of(*data, "sliding", 1) == 0.0);
}

TEST_CASE("a contact across a periodic side is two lines with the same data, and neither crosses the domain") {
  const ScratchDirectory directory;
  State state;
  // The domain is 1 m wide; body 2 sits at x = 0.02 and is touched as its image at 1.02.
  state.contacts.push_back({.id1 = 1,
                            .id2 = 2,
                            .centre1 = {0.98, 0.5},
                            .point = {0.999, 0.51},
                            .centre2 = {1.02, 0.5},
                            .image_shift = {1.0, 0.0},
                            .force = {2.0, 0.0},
                            .force_normal = 2.0,
                            .force_tangential = 0.0,
                            .overlap = 1e-6,
                            .depth = 1e-4,
                            .sliding = true});
  VtkSeries(directory.path()).write(state);

  const auto data = read_poly_data(directory.path() / "contacts_000000.vtp");
  REQUIRE(data->GetNumberOfLines() == 2);
  const auto one = points_of_cell(*data, 0);
  const auto other = points_of_cell(*data, 1);
  REQUIRE(one.size() == 2);
  REQUIRE(other.size() == 2);
  CHECK((one[0] - Vec2(0.98, 0.5)).norm() < 1e-6);
  CHECK((one[1] - Vec2(0.999, 0.51)).norm() < 1e-6);
  CHECK((other[0] - Vec2(-0.001, 0.51)).norm() < 1e-6);
  CHECK((other[1] - Vec2(0.02, 0.5)).norm() < 1e-6);
  for (const char* name : {"id1", "id2", "force", "force_normal", "force_tangential", "overlap", "depth", "sliding"}) {
    CAPTURE(name);
    CHECK(value_of(*data, name, 0) == value_of(*data, name, 1));
  }
}

TEST_CASE("grains of a cell that deforms are in its parallelogram, with their contacts") {
  const ScratchDirectory directory;
  State state;
  state.cell = CellState{.length = {4.0, 3.0}, .tilt = 1.5, .strain = {}, .rate = {}, .stress = {}, .work = 0.0};
  ParticleState& p = state.particles;
  p.id = {1, 2, 3, 4};
  p.position = {{-0.5, 1.9}, {0.2, 1.9}, {2.9, 1.9}, {2.9, -0.9}};  // the first and the last are beyond slanted sides
  p.image = {{0, 0}, {2, 0}, {3, 0}, {0, 1}};
  p.radius.assign(4, 0.36);
  p.mass = p.angular_velocity = p.angle = p.torque = p.radius;
  p.type = p.material = p.coordination = {0, 0, 0, 0};
  p.velocity = p.force = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
  p.outlines = {.vertices = {{2.7, -1.0}, {3.2, -0.9}, {2.8, -0.8}}, .first = {0, 0, 0, 0, 3}};
  const auto contact = [&](std::uint64_t a, std::uint64_t b, const Vec2& centre2) {
    const Vec2 one = p.position[a - 1];
    state.contacts.push_back({.id1 = a,
                              .id2 = b,
                              .centre1 = one,
                              .point = 0.5 * (one + centre2),
                              .centre2 = centre2,
                              .image_shift = centre2 - p.position[b - 1],
                              .force = {1.0, 0.0},
                              .force_normal = 1.0,
                              .force_tangential = 0.0,
                              .overlap = 0.0,
                              .depth = 0.02,
                              .sliding = false});
  };
  contact(1, 2, p.position[1]);                   // inside the rectangle, across a slanted side
  contact(1, 3, p.position[2] - Vec2(4.0, 0.0));  // across the rectangle's side, inside the parallelogram
  contact(3, 4, p.position[3] + Vec2(1.5, 3.0));  // across the upper side, where the image has moved
  State moved = state;
  move_into_parallelogram(moved, {1.0, 0.5});
  CHECK(moved.particles.image[0] == std::array{-1, 0});  // where it would be without periods stays
  CHECK(moved.particles.image[1] == std::array{2, 0});
  CHECK(moved.particles.image[3] == std::array{1, 1});
  CHECK(moved.contacts[1].image_shift == Vec2(0.0, 0.0));
  move_into_rectangle(moved, {1.0, 0.5});
  CHECK(moved.particles.image == p.image);
  CHECK(moved.cell->tilt == 1.5);
  for (std::size_t i = 0; i < 4; ++i) CHECK((moved.particles.position[i] - p.position[i]).norm() < 1e-12);
  for (std::size_t k = 0; k < 3; ++k) {
    CAPTURE(k);
    CHECK((moved.contacts[k].image_shift - state.contacts[k].image_shift).norm() < 1e-12);
    CHECK((moved.contacts[k].point - state.contacts[k].point).norm() < 1e-12);
    CHECK((moved.contacts[k].centre2 - state.contacts[k].centre2).norm() < 1e-12);
  }

  VtkSeries(directory.path(), {}, {}, FrameExtras::none, {1.0, 0.5}).write(state);
  const auto grains = read_poly_data(directory.path() / "particles_000000.vtp");
  const std::array expected = {Vec2(3.5, 1.9), Vec2(0.2, 1.9), Vec2(2.9, 1.9), Vec2(-1.1, -0.9)};
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    const Vec2 written(value_of(*grains, "centroid", i, 0), value_of(*grains, "centroid", i, 1));
    CHECK((written - expected[static_cast<std::size_t>(i)]).norm() < 1e-6);
    const auto outline = points_of_cell(*grains, i);
    Vec2 mean = Vec2::Zero();
    for (const Vec2& corner : outline) mean += corner / static_cast<double>(outline.size());
    CHECK((mean - written).norm() < 1e-6);
  }
  vtkDataArray* const cell = grains->GetFieldData()->GetArray("cell");
  REQUIRE(cell != nullptr);
  REQUIRE(cell->GetNumberOfComponents() == 3);
  REQUIRE(cell->GetNumberOfTuples() == 3);
  const std::array values = {4.0, 0.0, 0.0, 1.5, 3.0, 0.0, 1.0, 0.5, 0.0};  // both periods, the centre
  for (int k = 0; k < 9; ++k) CHECK(cell->GetComponent(k / 3, k % 3) == values[static_cast<std::size_t>(k)]);

  // Each line begins and ends at a grain, or half a way from it.
  const auto contacts = read_poly_data(directory.path() / "contacts_000000.vtp");
  const std::vector<std::vector<Vec2>> lines = {{{3.5, 1.9}, {3.85, 1.9}},
                                                {{-0.15, 1.9}, {0.2, 1.9}},            // 1 and 2: cut
                                                {{3.5, 1.9}, {3.2, 1.9}, {2.9, 1.9}},  // 1 and 3: whole
                                                {{2.9, 1.9}, {3.65, 2.0}},
                                                {{-1.85, -1.0}, {-1.1, -0.9}}};  // 3 and 4: cut
  REQUIRE(contacts->GetNumberOfLines() == static_cast<vtkIdType>(lines.size()));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    CAPTURE(k);
    const auto found = points_of_cell(*contacts, static_cast<vtkIdType>(k));
    REQUIRE(found.size() == lines[k].size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK((found[i] - lines[k][i]).norm() < 1e-6);
  }
}

TEST_CASE("VTK reads back walls as polygons") {
  const ScratchDirectory directory;
  const State state = made_up_heap(6);
  VtkSeries(directory.path()).write(state);

  const auto data = read_poly_data(directory.path() / "walls_000000.vtp");
  const WallState& w = state.walls;
  check_cell_arrays(*data, wall_arrays());
  CHECK(time_of(*data) == state.time);
  REQUIRE(w.size() == 3);
  REQUIRE(data->GetNumberOfPolys() == 3);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto cell = static_cast<vtkIdType>(i);
    CHECK(value_of(*data, "id", cell) == static_cast<double>(w.id[i]));
    CHECK(value_of(*data, "material", cell) == w.material[i]);
    CHECK(same_in_single_precision(value_of(*data, "velocity", cell, 1), w.velocity[i].y()));
    CHECK(same_in_single_precision(value_of(*data, "angular_velocity", cell), w.angular_velocity[i]));
    CHECK(same_in_single_precision(value_of(*data, "force", cell, 1), w.force[i].y()));
    CHECK(same_in_single_precision(value_of(*data, "torque", cell), w.torque[i]));
    const auto outline = points_of_cell(*data, cell);
    REQUIRE(outline.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK((outline[k] - w.outlines.vertices[w.outlines.first[i] + k]).norm() < 1e-6);  // m
    }
  }
}

TEST_CASE("a wall that is a segment is a line, and comes before the polygons with all its data") {
  const ScratchDirectory directory;
  State state = made_up_heap(6);
  WallState& w = state.walls;
  w.outlines.vertices.insert(w.outlines.vertices.begin() + 4, {{-1.0, 2.0}, {1.0, 3.0}});
  w.outlines.first = {0, 4, 6, 10};
  w.outlines.vertices.resize(10);
  VtkSeries(directory.path()).write(state);

  const auto data = read_poly_data(directory.path() / "walls_000000.vtp");
  REQUIRE(data->GetNumberOfLines() == 1);
  REQUIRE(data->GetNumberOfPolys() == 2);
  const std::vector<std::size_t> order = {1, 0, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto cell = static_cast<vtkIdType>(i);
    const std::size_t k = order[i];
    CHECK(value_of(*data, "id", cell) == static_cast<double>(w.id[k]));
    CHECK(same_in_single_precision(value_of(*data, "torque", cell), w.torque[k]));
    CHECK(same_in_single_precision(value_of(*data, "force", cell, 1), w.force[k].y()));
    const auto outline = points_of_cell(*data, cell);
    REQUIRE(outline.size() == w.outlines.first[k + 1] - w.outlines.first[k]);
    CHECK((outline[1] - w.outlines.vertices[w.outlines.first[k] + 1]).norm() < 1e-6);  // m
  }
}

TEST_CASE("colours that a scene gives reach the file, by the ids of the grains and by their groups") {
  Scene scene;
  scene.particles = {{.how = Place{{.colour = Colour{255, 0, 7}}, {}}, .material = 0, .shape = Disk{}, .size = {1, 1}},
                     {.how = Place{{.colour = Colour{1, 2, 3}}}, .material = 0, .shape = Disk{}, .size = {1, 1}},
                     {.how = Place{{}}, .material = 0, .shape = Disk{}, .size = {1, 1}, .colour = Colour{4, 5, 6}},
                     {.how = Fill{}, .material = 0, .shape = Disk{}, .size = {1, 1}},
                     {.how = Pour{}, .material = 0, .shape = Disk{}, .size = {1, 1}, .colour = Colour{7, 8, 9}}};
  scene.particles[0].colour = Colour{10, 11, 12};
  ParticleState start;
  start.id = {4, 5, 9, 10, 12};
  start.type = {0, 0, 1, 2, 3};
  const Colours colours(scene, start);
  State state = made_up_heap(20);
  const std::vector<std::uint64_t> ids = {4, 9, 5, 10, 12};
  const std::vector<int> types = {0, 1, 0, 2, 3};
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    state.particles.id[i] = i < ids.size() ? ids[i] : 100 + i;
    state.particles.type[i] = i < ids.size() ? types[i] : 4;
  }
  colours.paint(state.particles);
  REQUIRE(state.particles.colour.size() == state.particles.size());
  CHECK(state.particles.colour[0] == Colour{255, 0, 7});
  CHECK(state.particles.colour[1] == Colour{1, 2, 3});
  CHECK(state.particles.colour[2] == Colour{10, 11, 12});
  CHECK(state.particles.colour[3] == Colour{4, 5, 6});
  CHECK(state.particles.colour[4] == Colour{190, 190, 190});
  CHECK(state.particles.colour.back() == Colour{7, 8, 9});
  const ScratchDirectory directory;
  VtkSeries(directory.path()).write(state);
  const auto data = read_poly_data(directory.path() / "particles_000000.vtp");
  auto* array = data->GetCellData()->GetArray("colour");
  REQUIRE(array != nullptr);
  CHECK(array->GetNumberOfComponents() == 3);
  CHECK(array->GetComponent(0, 0) == 255);
  CHECK(array->GetComponent(1, 2) == 3);

  ParticleState plain;
  plain.id = {1};
  plain.type = {0};
  scene.particles = {scene.particles[3]};
  Colours(scene, {}).paint(plain);
  CHECK(plain.colour.empty());
  Colours().paint(plain);
  CHECK(plain.colour.empty());
}

TEST_CASE("frames carry the names of types and materials") {
  Scene scene;
  scene.materials = {{.name = "stone"}, {.name = "größte <Kugel>"}};
  scene.particles = {{.how = Pour{}, .shape = RandomPolygon{}, .size = {}},
                     {.how = Place{}, .material = 1, .shape = Disk{}, .size = {}},
                     {.how = Pour{}, .shape = RandomPolygon{}, .size = {}}};
  const ScratchDirectory directory;
  VtkSeries series(directory.path(), {}, {group_names(scene), material_names(scene)});
  series.write(made_up_heap(6));
  const auto names = [&](const char* file, const char* array) {
    const auto data = read_poly_data(directory.path() / file);
    auto* strings = vtkStringArray::SafeDownCast(data->GetFieldData()->GetAbstractArray(array));
    std::vector<std::string> all;
    for (vtkIdType k = 0; strings != nullptr && k < strings->GetNumberOfValues(); ++k) {
      all.push_back(strings->GetValue(k));
    }
    return all;
  };
  CHECK(names("particles_000000.vtp", "type_names") == std::vector<std::string>{"poured random polygons of stone",
                                                                                "placed disks of größte <Kugel>",
                                                                                "poured random polygons of stone 2"});
  const std::vector<std::string> materials = {"stone", "größte <Kugel>"};
  CHECK(names("particles_000000.vtp", "material_names") == materials);
  CHECK(names("walls_000000.vtp", "material_names") == materials);
}

TEST_CASE("an empty frame is three valid files with all arrays") {
  const ScratchDirectory directory;
  State state;
  state.time = 0.125;
  VtkSeries(directory.path()).write(state);

  const auto particles = read_poly_data(directory.path() / "particles_000000.vtp");
  const auto contacts = read_poly_data(directory.path() / "contacts_000000.vtp");
  const auto walls = read_poly_data(directory.path() / "walls_000000.vtp");
  for (vtkPolyData* data : {particles.Get(), contacts.Get(), walls.Get()}) {
    CHECK(data->GetNumberOfCells() == 0);
    CHECK(data->GetNumberOfPoints() == 0);
    CHECK(time_of(*data) == 0.125);
  }
  check_cell_arrays(*particles, particle_arrays());
  check_cell_arrays(*contacts, contact_arrays());
  check_cell_arrays(*walls, wall_arrays());
}

TEST_CASE("files are appended raw and compressed by zlib") {
  const ScratchDirectory directory;
  VtkSeries(directory.path()).write(made_up_heap(6));
  for (const char* name : {"particles_000000.vtp", "contacts_000000.vtp", "walls_000000.vtp"}) {
    CAPTURE(name);
    const std::string text = text_of(directory.path() / name);
    CHECK(contains(text, "type=\"PolyData\""));
    CHECK(contains(text, "compressor=\"vtkZLibDataCompressor\""));
    // Where ParaView finds it with every expat (io/frames/vtk_file.cpp).
    const std::size_t behind = text.find("<AppendedData") + std::string("<AppendedData").size();
    CHECK(behind % 4096 == 0);
    CHECK(text.substr(behind, text.find('>', behind) - behind) == "                  encoding=\"raw\"");
    CHECK(contains(text, "format=\"appended\""));
    CHECK_FALSE(contains(text, "format=\"ascii\""));
    CHECK_FALSE(contains(text, "format=\"binary\""));
  }
}

TEST_CASE("grains far from the origin keep their shape") {
  const ScratchDirectory directory;
  State state = made_up_heap(6);
  const Vec2 far(1e6, -2e6);  // m; grains are 1 cm
  for (Vec2& v : state.particles.outlines.vertices) v += far;
  for (Vec2& v : state.particles.position) v += far;
  VtkSeries(directory.path()).write(state);

  const auto data = read_poly_data(directory.path() / "particles_000000.vtp");
  CHECK(data->GetPoints()->GetDataType() == VTK_DOUBLE);
  const Outlines& outlines = state.particles.outlines;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    if (outlines.first[i] == outlines.first[i + 1]) continue;
    const auto outline = points_of_cell(*data, static_cast<vtkIdType>(i));
    REQUIRE(outline.size() == outlines.first[i + 1] - outlines.first[i]);
    for (std::size_t k = 0; k < outline.size(); ++k) {
      CHECK(outline[k] == outlines.vertices[outlines.first[i] + k]);
      ++compared;
    }
  }
  CHECK(compared > 50);
  // Walls and contacts stayed near: single precision is enough there.
  CHECK(read_poly_data(directory.path() / "walls_000000.vtp")->GetPoints()->GetDataType() == VTK_FLOAT);
}

TEST_CASE("the three lists name every frame with its exact time") {
  const ScratchDirectory directory;
  VtkSeries series(directory.path());
  const std::vector<double> times = {0.0, 0.1, 1.0 / 3.0, 12345.678901234567};
  for (const double time : times) series.write(at_time(time));

  for (const std::string name : {"particles", "contacts", "walls"}) {
    const auto files = listed_files(directory.path() / (name + ".pvd"));
    CHECK(files == std::vector<std::string>{name + "_000000.vtp", name + "_000001.vtp", name + "_000002.vtp",
                                            name + "_000003.vtp"});
  }
  CHECK(times_listed_in(directory.path() / "particles.pvd") == times);
  REQUIRE(series.frames().size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(series.frames()[i].time == times[i]);
  CHECK_NOTHROW(require_all_written(directory.path(), {.frames = series.frames(), .tables = {}}));
  for (const auto& entry : fs::directory_iterator(directory.path())) CHECK(entry.path().extension() != ".tmp");
}

TEST_CASE("a resumed series goes on numbering and drops later frames") {
  const ScratchDirectory directory;
  std::vector<FrameRecord> kept;
  {
    VtkSeries series(directory.path());
    for (const double time : {0.0, 0.1, 0.2, 0.3}) series.write(at_time(time));
    kept = {series.frames()[0], series.frames()[1]};
  }
  // As after a crash between a frame's files and the lists.
  std::ofstream(directory.path() / "particles_000004.vtp") << "no list knows this one";
  std::ofstream(directory.path() / "particles_of_mine.vtp") << "none of ours";

  VtkSeries series(directory.path(), kept);
  CHECK(listed_files(directory.path() / "particles.pvd").size() == 2);
  for (const std::string name : {"particles", "contacts", "walls"}) {
    CHECK(fs::exists(directory.path() / (name + "_000001.vtp")));
    CHECK_FALSE(fs::exists(directory.path() / (name + "_000002.vtp")));
    CHECK_FALSE(fs::exists(directory.path() / (name + "_000003.vtp")));
  }
  CHECK_FALSE(fs::exists(directory.path() / "particles_000004.vtp"));
  CHECK(fs::exists(directory.path() / "particles_of_mine.vtp"));

  series.write(at_time(0.15));
  CHECK(times_listed_in(directory.path() / "particles.pvd") == std::vector<double>{0.0, 0.1, 0.15});
  CHECK(time_of(*read_poly_data(directory.path() / "contacts_000002.vtp")) == 0.15);
}

TEST_CASE("a new series in a used directory leaves nothing of the old one") {
  const ScratchDirectory directory;
  {
    VtkSeries series(directory.path());
    for (const double time : {0.0, 0.1}) series.write(at_time(time));
  }
  VtkSeries series(directory.path());
  CHECK(fs::is_empty(directory.path()));
  series.write(at_time(0.5));
  CHECK(listed_files(directory.path() / "particles.pvd").size() == 1);
}

TEST_CASE("a directory that cannot be written is an error with its path") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / "file";
  std::ofstream(file) << "not a directory";
  try {
    VtkSeries series(file / "run");
    FAIL("no error");
  } catch (const IoError& error) {
    CHECK(contains(error.what(), (file / "run").string()));
    CHECK(contains(error.what(), "Not a directory"));
  }

  VtkSeries series(directory.path() / "run");
  fs::remove_all(directory.path() / "run");
  try {
    series.write(at_time(0.0));
    FAIL("no error");
  } catch (const IoError& error) {
    CHECK(contains(error.what(), (directory.path() / "run" / "contacts_000000.vtp").string()));
    CHECK(contains(error.what(), "No such file or directory"));
  }
}

TEST_CASE("a file that cannot be written is an error with path and reason, and the series can go on after it") {
  const ScratchDirectory directory;
  VtkSeries series(directory.path());
  series.write(at_time(0.0));
  const auto fails = [&](const std::string& path, const char* reason) {
    CAPTURE(path);
    try {
      series.write(at_time(0.1));
      FAIL("no error");
    } catch (const IoError& error) {
      CHECK(contains(error.what(), path));
      CHECK(contains(error.what(), reason));
    }
    CHECK(series.frames().size() == 1);
    CHECK(listed_files(directory.path() / "particles.pvd").size() == 1);
  };
  {
    const SmallFiles limit(100);
    fails("contacts_000001.vtp", "File too large");
  }
  for (const auto& entry : fs::directory_iterator(directory.path())) CHECK(entry.path().extension() != ".tmp");
  for (const char* name : {"particles_000001.vtp", "walls_000001.vtp", "walls.pvd"}) {
    const fs::path path = directory.path() / name;
    fs::remove(path);
    fs::create_directory(path);
    fails(path.string(), "it is a directory");
    fs::remove(path);
  }
  series.write(at_time(0.1));
  CHECK(listed_files(directory.path() / "particles.pvd").size() == 2);
}

TEST_CASE("frames have the stress of each grain where it is wanted") {
  const ScratchDirectory directory;
  const State state = made_up_heap(6);
  VtkSeries series(directory.path(), {}, {}, FrameExtras::stress);
  series.write(state);
  const auto data = read_poly_data(directory.path() / "particles_000000.vtp");
  vtkDataArray* stress = data->GetCellData()->GetArray("stress");
  vtkDataArray* pressure = data->GetCellData()->GetArray("pressure");
  REQUIRE(stress != nullptr);
  REQUIRE(pressure != nullptr);
  REQUIRE(stress->GetNumberOfComponents() == 9);
  const auto expected = grain_stress(state);
  REQUIRE(stress->GetNumberOfTuples() == static_cast<vtkIdType>(expected.size()));
  double greatest = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto tuple = static_cast<vtkIdType>(i);
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) {
        const double wanted = row < 2 && column < 2 ? expected[i](row, column) : 0.0;
        CHECK(stress->GetComponent(tuple, 3 * row + column) == static_cast<float>(wanted));
        greatest = std::max(greatest, wanted);
      }
    }
    CHECK(pressure->GetComponent(tuple, 0) == static_cast<float>(0.5 * expected[i].trace()));
  }
  CHECK(greatest > 0.0);
}

}  // namespace scree::vtk_writer_test
