#include "io/formats/frame_reader.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/files/atomic_file.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/frames/vtk_writer.hpp"
#include "io/text/errors.hpp"
#include "tests/io/made_up_state.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::frame_reader_test {

namespace {

constexpr double kSingle = 1e-6;  // m: of coordinates below 1 m in single precision

/// Has the groups and materials of made_up_heap.
const Scene& a_scene() {
  static const Scene scene = [] {
    Scene made;
    made.particles.resize(4);
    made.materials.resize(4);
    return made;
  }();
  return scene;
}

bool same(const Vec2& a, const Vec2& b, double tolerance) {
  return (a - b).norm() <= tolerance;
}

}  // namespace

TEST_CASE("a frame that was written is read back, in single precision") {
  const ScratchDirectory here;
  const State written = made_up_heap(20);
  VtkSeries(here.path()).write(written);
  const auto frames = list_frames(here.path());
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].time == written.time);

  const State read = read_frame(here.path(), frames[0], a_scene());
  const ParticleState& p = written.particles;
  REQUIRE(read.particles.size() == p.size());
  CHECK(read.particles.id == p.id);
  CHECK(read.particles.type == p.type);
  CHECK(read.particles.material == p.material);
  CHECK(read.particles.coordination == p.coordination);
  CHECK(read.particles.outlines.first == p.outlines.first);  // disks have no outline again
  std::size_t disks = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool is_disk = p.outlines.first[i] == p.outlines.first[i + 1];
    if (is_disk) CHECK(same(read.particles.position[i], p.position[i], kSingle));  // the polygons' are made up
    CHECK(same(read.particles.velocity[i], p.velocity[i], kSingle));
    CHECK(std::abs(read.particles.radius[i] - p.radius[i]) < kSingle);
    CHECK(std::abs(read.particles.angle[i] - p.angle[i]) < 1e-6);  // rad
    disks += is_disk ? 1U : 0U;
  }
  CHECK(disks > 0);
  CHECK(disks < p.size());
  REQUIRE(read.particles.outlines.vertices.size() == p.outlines.vertices.size());
  for (std::size_t k = 0; k < p.outlines.vertices.size(); ++k) {
    CHECK(same(read.particles.outlines.vertices[k], p.outlines.vertices[k], kSingle));
  }
  CHECK(read.walls.id == written.walls.id);
  CHECK(read.walls.outlines.first == written.walls.outlines.first);
  REQUIRE(read.contacts.size() == written.contacts.size());
  for (std::size_t k = 0; k < written.contacts.size(); ++k) {
    CHECK(read.contacts[k].id1 == written.contacts[k].id1);
    CHECK(read.contacts[k].id2 == written.contacts[k].id2);
    CHECK(same(read.contacts[k].point, written.contacts[k].point, kSingle));
    CHECK(same(read.contacts[k].centre2, written.contacts[k].centre2, kSingle));
  }
}

TEST_CASE("frames have the lengths and the tilt of a cell that deforms, and of no other domain") {
  const ScratchDirectory here;
  State state = made_up_heap(8);
  VtkSeries series(here.path(), {}, {}, FrameExtras::none, {0.04, 0.01});
  series.write(State(state));
  state.time += 1.0;
  state.cell =
      CellState{.length = {0.05, 0.07}, .tilt = -0.1 / 6.0, .strain = {}, .rate = {}, .stress = {}, .work = 0.0};
  series.write(State(state));
  state.time += 1.0;
  state.cell->tilt = 2.0;
  series.write(State(state));
  const auto frames = list_frames(here.path());
  REQUIRE(frames.size() == 3);
  CHECK(!read_frame(here.path(), frames[0], a_scene()).cell);
  const State read = read_frame(here.path(), frames[1], a_scene());
  REQUIRE(read.cell);
  CHECK(read.cell->length == Vec2(0.05, 0.07));
  CHECK(read.cell->tilt == -0.1 / 6.0);
  State moved = read;
  move_into_parallelogram(moved, {0.04, 0.01});
  CHECK(moved.particles.position == read.particles.position);  // they were there
  std::size_t far = 0;
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    far += same(read.particles.position[i], state.particles.position[i], 1e-6) ? 0 : 1;
  }
  CHECK(far > 5);
  CHECK_THROWS_WITH_AS(read_frame(here.path(), frames[2], a_scene()),
                       doctest::Contains("its periodic cell makes no sense"), IoError);
}

TEST_CASE("the position of a polygon is its centroid, and a polygon of 36 sides is no disk") {
  const ScratchDirectory here;
  State written = made_up_heap(6);
  const auto put = [&](std::size_t grain, const std::vector<Vec2>& corners) {
    Outlines& all = written.particles.outlines;
    const auto at = all.first[grain];
    const auto old = all.first[grain + 1] - at;
    all.vertices.erase(all.vertices.begin() + at, all.vertices.begin() + at + old);
    all.vertices.insert(all.vertices.begin() + at, corners.begin(), corners.end());
    for (std::size_t k = grain + 1; k < all.first.size(); ++k) {
      all.first[k] += static_cast<std::uint32_t>(corners.size()) - old;
    }
  };
  std::vector<Vec2> regular;
  constexpr double kAcross = 0.01;  // m
  for (int k = 0; k < 36; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 36.0;
    regular.emplace_back(kAcross * std::cos(angle), kAcross * std::sin(angle));
  }
  put(0, {{0.0, 0.0}, {0.03, 0.0}, {0.0, 0.06}});
  put(1, regular);
  const double area = 0.5 * 36.0 * kAcross * kAcross * std::sin(2.0 * std::numbers::pi / 36.0);
  written.particles.radius[1] = std::sqrt(area / std::numbers::pi);  // of the disk of equal area
  VtkSeries(here.path()).write(written);
  const State read = read_frame(here.path(), list_frames(here.path()).front(), a_scene());
  CHECK(same(read.particles.position[0], {0.01, 0.02}, 1e-8));
  CHECK(read.particles.outlines.first[2] - read.particles.outlines.first[1] == 36);
}

TEST_CASE("a contact across a periodic side is read as two, one with each body") {
  const ScratchDirectory here;
  State written = made_up_heap(6);
  ContactState across = written.contacts.front();
  across.id1 = written.particles.id[0];
  across.id2 = written.particles.id[1];
  across.centre1 = {0.0, 0.0};
  across.point = {0.1, 0.0};
  across.centre2 = {0.2, 0.0};
  across.image_shift = {1.0, 0.0};
  across.force = {3.0, 4.0};
  written.contacts = {across, across};  // two images of one pair
  VtkSeries(here.path()).write(written);
  const State read = read_frame(here.path(), list_frames(here.path()).front(), a_scene());
  REQUIRE(read.contacts.size() == 4);
  for (const std::size_t k : {0, 2}) {
    CHECK(read.contacts[k].id1 == across.id1);
    CHECK(same(read.contacts[k].point, {0.1, 0.0}, kSingle));
    CHECK(read.contacts[k + 1].id1 == across.id2);
    CHECK(read.contacts[k + 1].id2 == across.id1);
    CHECK(same(read.contacts[k + 1].centre1, {-0.8, 0.0}, kSingle));
    CHECK(same(read.contacts[k + 1].point, {-0.9, 0.0}, kSingle));
    CHECK(same(read.contacts[k + 1].force, {-3.0, -4.0}, kSingle));
  }
}

TEST_CASE("a frame that is damaged or missing is refused by its name") {
  const ScratchDirectory here;
  VtkSeries series(here.path());
  series.write(made_up_heap(6));
  const auto frame = list_frames(here.path()).front();
  const auto file = here.path() / "particles_000000.vtp";
  const std::string whole = read_file(file);
  for (const std::string& damaged :
       {std::string(), std::string("<VTKFile"), whole.substr(0, whole.size() / 2), std::string("not a file of VTK")}) {
    write_file_atomically(file, damaged);
    CHECK_THROWS_WITH_AS((void)read_frame(here.path(), frame, a_scene()), doctest::Contains("particles_000000.vtp"),
                         IoError);
  }
  std::filesystem::remove(file);
  CHECK_THROWS_WITH_AS((void)read_frame(here.path(), frame, a_scene()), doctest::Contains("particles_000000.vtp"),
                       IoError);
  write_file_atomically(here.path() / "particles.pvd",
                        "<DataSet timestep=\"x\" part=\"0\" file=\"particles_000000.vtp\"/>");
  CHECK_THROWS_WITH_AS((void)list_frames(here.path()), doctest::Contains("particles.pvd"), IoError);
}

TEST_CASE("a frame with numbers that no state may have is refused, and the message names them") {
  struct Case {
    const char* says;
    void (*forge)(State&);
  };
  const Case cases[] = {
      {"its array type has 7, must be numbers from 0 below 4", [](State& s) { s.particles.type[2] = 7; }},
      {"its array type has -1, must be numbers from 0 below 4", [](State& s) { s.particles.type[2] = -1; }},
      {"its array material has 4, must be numbers from 0 below 4", [](State& s) { s.particles.material[0] = 4; }},
      {"its array material has -2, must be numbers from 0 below 4", [](State& s) { s.walls.material[0] = -2; }},
      {"its array mass has a number that is not > 0", [](State& s) { s.particles.mass[1] = -1.0; }},
      {"its array radius has a number that is not > 0", [](State& s) { s.particles.radius[1] = 0.0; }},
      {"its array velocity has a number that is not finite", [](State& s) { s.particles.velocity[0].y() = NAN; }},
      {"its array angle has a number that is not finite", [](State& s) { s.particles.angle[0] = INFINITY; }},
      {"it has an id that nobody has", [](State& s) { s.particles.id[0] = 0; }},
      {"it has the id 13 twice", [](State& s) { s.particles.id[0] = s.particles.id[1]; }},
      {"is the id of a particle and of a wall", [](State& s) { s.walls.id[0] = s.particles.id[0]; }},
      {"which are not there", [](State& s) { s.contacts[0].id1 = 999999; }},
      {"of negative depth", [](State& s) { s.contacts[0].depth = -1.0; }},
      {"its array Points has a number that is not finite",
       [](State& s) { s.particles.outlines.vertices[0].x() = NAN; }},
  };
  for (const Case& each : cases) {
    CAPTURE(each.says);
    const ScratchDirectory here;
    State state = made_up_heap(6);
    each.forge(state);
    VtkSeries(here.path()).write(std::move(state));
    const auto frame = list_frames(here.path()).front();
    CHECK_THROWS_WITH_AS((void)read_frame(here.path(), frame, a_scene()), doctest::Contains(each.says), IoError);
  }
}

TEST_CASE("a list of frames is read however long its words are") {
  const ScratchDirectory here;
  const std::string long_word(1'000'000, 'x');
  write_file_atomically(here.path() / "particles.pvd",
                        "<DataSet timestep=\"" + long_word + "\" part=\"0\" file=\"" + long_word +
                            "\"/>\n<DataSet timestep=\"1.5\" part=\"0\" file=\"particles_000007.vtp\"/>");
  const auto frames = list_frames(here.path());
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].time == 1.5);
  CHECK(frames[0].number == 7);
}

}  // namespace scree::frame_reader_test
