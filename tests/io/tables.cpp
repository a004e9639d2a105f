#include "io/tables/tables.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/text/errors.hpp"
#include "tests/io/scratch_directory.hpp"
#include "tests/io/small_files.hpp"

namespace scree::tables_test {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> cells;
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Summary summary_at(double time) {
  return {.time = time,
          .particles = 100,
          .particles_in = 120,
          .particles_out = 20,
          .particles_owed = 3,
          .contacts = 250,
          .sliding_contacts = 17,
          .coordination = 5.0 / 3.0,
          .kinetic_energy = 1.2345678901234567e-19,
          .potential_energy = -std::nextafter(2.0, 3.0),
          .elastic_energy = 6.02e23,
          .elastic_energy_tangential = 1.0 / 3.0,
          .dissipated_damping = 1.25,
          .dissipated_friction = 2.5,
          .dissipated_rolling = 1e-300,
          .dissipated_law = -0.1,
          .dissipated_local = 0.3,
          .wall_work = -7.0,
          .energy_in = 1e6,
          .energy_out = 1e5,
          .energy_throughput = 12.0,
          .energy_residual = -1e-7,
          .max_depth = 1e-5,
          .max_depth_ratio = std::numeric_limits<double>::denorm_min()};
}

}  // namespace

TEST_CASE("every number of a summary reads back as the same double") {
  const ScratchDirectory directory;
  const fs::path path = directory.path() / "series.csv";
  const Summary s = summary_at(0.1 + 0.2);
  SeriesTable table(path);
  table.add(s);

  const auto lines = lines_of(path);  // while the table is open: rows are there at once
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "time [s],particles,particles_in,particles_out,particles_owed,contacts,coordination,kinetic_energy [J],"
        "potential_energy [J],elastic_energy [J],max_depth [m],max_depth_ratio,elastic_energy_tangential [J],"
        "dissipated_damping [J],dissipated_friction [J],dissipated_rolling [J],dissipated_law [J],wall_work [J],"
        "energy_in [J],energy_out [J],energy_throughput [J],energy_residual,packing_fraction,reduced_pressure,"
        "dissipated_local [J],sliding_contacts");
  const auto cells = cells_of(lines[1]);
  REQUIRE(cells.size() == cells_of(lines[0]).size());
  const std::vector<double> expected = {s.time,
                                        100,
                                        120,
                                        20,
                                        3,
                                        250,
                                        s.coordination,
                                        s.kinetic_energy,
                                        s.potential_energy,
                                        s.elastic_energy,
                                        s.max_depth,
                                        s.max_depth_ratio,
                                        s.elastic_energy_tangential,
                                        s.dissipated_damping,
                                        s.dissipated_friction,
                                        s.dissipated_rolling,
                                        s.dissipated_law,
                                        s.wall_work,
                                        s.energy_in,
                                        s.energy_out,
                                        s.energy_throughput,
                                        s.energy_residual,
                                        s.packing_fraction,
                                        s.reduced_pressure,
                                        s.dissipated_local,
                                        17};
  for (std::size_t i = 0; i < cells.size(); ++i) CHECK(std::strtod(cells[i].c_str(), nullptr) == expected[i]);
  CHECK(cells[10] == "1e-05");  // the shortest form
  CHECK(cells[0] == "0.30000000000000004");
}

TEST_CASE("a driven wall is a row of drives.csv, with a stress where it has a length") {
  const ScratchDirectory directory;
  const fs::path path = directory.path() / "drives.csv";
  DriveTable table(path);
  DriveState lid{.id = 4,
                 .coordinate = 0.1,
                 .rate = -0.2,
                 .target = 30.0,
                 .force = 29.0,
                 .length = 0.5,
                 .work = 2.0,
                 .contacts = 7};
  table.add(0.25, lid);
  lid.length = 0.0;
  table.add(0.5, lid);
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1] == "0.25,4,0.1,-0.2,30,29,0.5,58,2,7");
  CHECK(lines[2] == "0.5,4,0.1,-0.2,30,29,0,0,2,7");
}

TEST_CASE("walls that ever move are rows of motions.csv, with their centroids") {
  Scene scene;
  scene.walls.resize(7);
  scene.walls[1].velocity = {0.0, -0.1};
  scene.walls[2].angular_velocity = 2.0;
  scene.walls[3].oscillation = {.amplitude = {0.1, 0.0}, .frequency = 3.0};
  scene.walls[4].moves_with = "piston";
  scene.soft.stages = {{.name = "press", .motions = {{.walls = {5}}}}};
  const std::vector<bool> moves = walls_that_move(scene);
  CHECK(moves == std::vector<bool>{false, true, true, true, true, true, false});
  WallState walls;
  walls.id = {1, 2, 6};
  walls.number = {0, 1, 5};  // others are gone, or not there yet
  walls.velocity = {{0.0, 0.0}, {0.0, -0.1}, {0.0, 0.0}};
  walls.angular_velocity = {0.0, 0.0, 0.5};
  walls.outlines = {
      .vertices = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {3.0, 1.0}, {6.0, 1.0}, {3.0, 4.0}, {1.0, 5.0}, {2.0, 7.0}},
      .first = {0, 3, 6, 8}};
  const std::vector<WallPlace> places = places_of(walls, moves);
  REQUIRE(places.size() == 2);
  CHECK((places[0].position - Vec2(4.0, 2.0)).norm() < 1e-12);  // of a triangle
  CHECK((places[1].position - Vec2(1.5, 6.0)).norm() < 1e-12);  // of a segment
  const ScratchDirectory directory;
  const fs::path path = directory.path() / "motions.csv";
  MotionTable table(path);
  table.add(0.25, {.id = 2, .position = {4.0, 2.0}, .velocity = {0.0, -0.1}, .angular_velocity = 0.5});
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "time [s],wall,x [m],y [m],velocity_x [m/s],velocity_y [m/s],angular_velocity [rad/s]");
  CHECK(lines[1] == "0.25,2,4,2,0,-0.1,0.5");
}

TEST_CASE("a cell that deforms is a row of cell.csv") {
  const ScratchDirectory directory;
  const fs::path path = directory.path() / "cell.csv";
  CellTable table(path, {});
  table.add(0.25, {.length = {0.5, 0.75},
                   .tilt = -0.1,
                   .strain = {0.01, 0.02, 0.03},
                   .rate = {1.0, 2.0, 3.0},
                   .stress = {10.0, 20.0, -5.0, -6.0},
                   .work = 7.0});
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1] == "0.25,0.5,0.75,-0.1,0.01,0.02,0.03,1,2,3,10,20,-5,-6,7");
}

TEST_CASE("a departure is a row of flow.csv") {
  const ScratchDirectory directory;
  const fs::path path = directory.path() / "flow.csv";
  FlowTable table(path);
  CHECK(lines_of(path).size() == 1);
  table.add({.time = 0.5,
             .id = 18446744073709551615U,
             .type = 2,
             .mass = 0.25,
             .position = {1.5, -2.5},
             .velocity = {0.1, -3.0},
             .angular_velocity = 7.0});
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "time [s],id,type,mass [kg],x [m],y [m],velocity_x [m/s],velocity_y [m/s],angular_velocity [rad/s]");
  CHECK(lines[1] == "0.5,18446744073709551615,2,0.25,1.5,-2.5,0.1,-3,7");
}

TEST_CASE("a resumed table is the table of a run that was never interrupted") {
  const ScratchDirectory directory;
  const fs::path whole = directory.path() / "whole.csv";
  const fs::path resumed = directory.path() / "resumed.csv";
  {
    SeriesTable table(whole);
    for (int i = 0; i < 10; ++i) table.add(summary_at(0.1 * i));
  }
  Written written;
  {
    SeriesTable table(resumed);
    for (int i = 0; i < 8; ++i) {
      table.add(summary_at(0.1 * i));
      if (i == 5) table.add_to(written);
    }
  }
  // The last checkpoint was at 0.5; a kill left half of a row behind the last whole one.
  SUBCASE("after whole rows") {}
  SUBCASE("after a row that was cut off") {
    std::ofstream(resumed, std::ios::app) << "0.8,100,12";
  }
  SUBCASE("after a row that was cut off where a shorter number ends") {
    std::ofstream(resumed, std::ios::app) << "0";
  }
  {
    require_all_written(directory.path(), written);
    SeriesTable table(resumed, written);
    CHECK(lines_of(resumed).size() == 1 + 6);
    for (int i = 6; i < 10; ++i) table.add(summary_at(0.1 * i));
  }
  CHECK(text_of(resumed) == text_of(whole));
}

TEST_CASE("a table without rows that is not there, or was cut off within its header, is started anew on resume") {
  const ScratchDirectory directory;
  const fs::path path = directory.path() / "flow.csv";
  Written written;
  FlowTable(path).add_to(written);
  const std::string header = text_of(path);
  for (const bool cut_off : {false, true}) {
    fs::remove(path);
    if (cut_off) std::ofstream(path) << header.substr(0, 10);
    require_all_written(directory.path(), written);
    { const FlowTable table(path, written); }
    CHECK(text_of(path) == header);
  }
}

TEST_CASE("without resume a table replaces the old one") {
  const ScratchDirectory directory;
  const fs::path path = directory.path() / "series.csv";
  { SeriesTable(path).add(summary_at(0.1)); }
  { const SeriesTable table(path); }
  CHECK(lines_of(path).size() == 1);
}

TEST_CASE("a table that cannot be written is an error with path and reason") {
  const ScratchDirectory directory;
  try {
    const SeriesTable table(directory.path() / "missing" / "series.csv");
    FAIL("no error");
  } catch (const IoError& error) {
    CHECK(contains(error.what(), (directory.path() / "missing" / "series.csv").string()));
    CHECK(contains(error.what(), "No such file or directory"));
  }
  try {
    const SmallFiles limit(100);
    const SeriesTable table(directory.path() / "series.csv");
    FAIL("no error");
  } catch (const IoError& error) {
    CHECK(contains(error.what(), (directory.path() / "series.csv").string()));
    CHECK(contains(error.what(), "File too large"));
  }
}

}  // namespace scree::tables_test
