#include "io/replay/replay.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/replay/replay_columns.hpp"
#include "io/text/errors.hpp"
#include "tests/io/made_up_state.hpp"

namespace scree::replay_test {

namespace {

Scene empty_scene() {
  Scene scene;
  scene.title = "Stones & </script> <b>";
  scene.domain = {.lo = {-1.0, -1.0}, .hi = {2.0, 2.0}};
  return scene;
}

std::vector<std::int32_t> made_up_numbers(const std::vector<std::uint32_t>& lengths, int kind) {
  std::mt19937 generator(5);
  std::vector<std::int32_t> values;
  for (const std::uint32_t length : lengths) {
    for (std::uint32_t k = 0; k < length; ++k) {
      const auto random = static_cast<std::int32_t>(generator());
      const auto step = static_cast<std::int32_t>(k);
      values.push_back(kind == 0 ? random : kind == 1 ? 100 - 7 * step : static_cast<std::int32_t>(k * k) + random % 3);
    }
  }
  return values;
}

}  // namespace

TEST_CASE("columns of numbers are unpacked as they were, whatever the numbers") {
  const std::vector<std::vector<std::uint32_t>> all_lengths = {{}, {0, 0}, {1}, {5, 0, 1, 300, 2}, {70000}};
  for (const auto& lengths : all_lengths) {
    for (const int kind : {0, 1, 2}) {
      const auto values = made_up_numbers(lengths, kind);
      CHECK(unpacked_column(packed_column(values, lengths), lengths) == values);
    }
  }
  constexpr auto kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  const std::vector<std::int32_t> extremes = {kLeast, kMost, 0, kMost, kMost, kLeast, kLeast, -1};
  CHECK(unpacked_column(packed_column(extremes, std::vector{8U}), std::vector{8U}) == extremes);
}

TEST_CASE("a smooth motion takes little room") {
  const std::vector<std::uint32_t> lengths(100, 200);
  const auto flight = made_up_numbers(lengths, 2);
  CHECK(packed_column(flight, lengths).size() < flight.size());                           // below a byte each
  CHECK(packed_column(made_up_numbers(lengths, 0), lengths).size() > 3 * flight.size());  // noise stays noise
}

TEST_CASE("bytes that are no column are refused") {
  const std::vector<std::uint32_t> lengths = {3};
  const std::string sound = packed_column(std::vector<std::int32_t>{1, 2, 3}, lengths);
  CHECK_THROWS_AS((void)unpacked_column("", lengths), IoError);
  CHECK_THROWS_AS((void)unpacked_column(sound.substr(0, sound.size() - 3), lengths), IoError);
  CHECK_THROWS_AS((void)unpacked_column(sound, std::vector{4U}), IoError);
}

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe") == "//4=");
}

TEST_CASE("the hash depends on every number and on their order") {
  const std::vector<std::int32_t> values = {1, 2, 3};
  const std::uint32_t hash = hash_of_numbers(values);
  CHECK(hash_of_numbers(std::vector<std::int32_t>{1, 2, 4}) != hash);
  CHECK(hash_of_numbers(std::vector<std::int32_t>{2, 1, 3}) != hash);
  CHECK(hash_of_numbers(std::vector<std::int32_t>{3}, hash_of_numbers(std::vector<std::int32_t>{1, 2})) == hash);
}

TEST_CASE("no text of a scene ends the scripts of its replay, and a row that is not whole is left out") {
  Replay replay(empty_scene(), {.arrays = {"speed", "coordination"}});
  State state = made_up_heap(12);
  state.time = 0.0;
  replay.add(state);
  ReplayReport report;
  const std::string page =
      replay.page(R"({"scene": "</script>"})", {{"series.csv", "time [s],particles\n0,3\n1"}}, report);
  CHECK(report.frames == 1);
  CHECK(report.grains == state.particles.size());
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("Stones & </script>") == std::string::npos);
  CHECK(page.find("http") == page.find("http-equiv"));  // nothing else speaks of the network but SVG's name
  CHECK(page.find(R"("particles":[3])") != std::string::npos);
}

TEST_CASE("a pose takes less than six bytes of a page: 10 000 grains in 200 frames less than 12 MB") {
  constexpr std::size_t kGrains = 400;
  constexpr int kFrames = 100;
  constexpr double kRadius = 0.004;  // m
  Scene scene;
  scene.domain = {.lo = {0.0, 0.0}, .hi = {1.0, 1.0}};
  std::mt19937 random(1);
  const auto uniform = [&](double to) { return to * static_cast<double>(random()) / 4294967296.0; };
  State state;
  ParticleState& p = state.particles;
  const auto draw = [&](std::size_t i) {
    p.velocity[i] = {uniform(0.4) - 0.2, uniform(0.4) - 0.2};
    p.angular_velocity[i] = uniform(20.0) - 10.0;
  };
  p.velocity.resize(kGrains);
  p.angular_velocity.resize(kGrains);
  p.outlines.first.assign(kGrains + 1, 0);
  for (std::size_t i = 0; i < kGrains; ++i) {
    p.id.push_back(i + 1);
    p.position.emplace_back(uniform(1.0), uniform(1.0));
    p.angle.push_back(uniform(6.28));
    p.radius.push_back(kRadius * (1.0 + uniform(0.5)));
    draw(i);
  }
  p.type = p.material = p.coordination = std::vector<int>(kGrains, 0);
  p.mass = p.inertia = p.torque = std::vector<double>(kGrains, 1.0);
  p.force.assign(kGrains, Vec2::Zero());
  p.image.resize(kGrains);
  scene.materials = {{.name = "ball"}};
  Replay replay(scene, {});
  for (int frame = 0; frame < kFrames; ++frame) {
    replay.add(state);
    state.time += 0.01;  // s
    for (std::size_t i = 0; i < kGrains; ++i) {
      if (uniform(1.0) < 0.15) draw(i);  // a collision, after seven frames on average
      p.position[i] += 0.01 * p.velocity[i];
      p.angle[i] += 0.01 * p.angular_velocity[i];
    }
  }
  ReplayReport report;
  CHECK_FALSE(replay.page("{}", {}, report).empty());
  REQUIRE(report.sizes.front().first == "poses");
  const double a_pose = static_cast<double>(report.sizes.front().second) / (kFrames * kGrains);
  CAPTURE(a_pose);
  CHECK(a_pose < 6.0);
  CHECK(a_pose > 1.0);
}

TEST_CASE("a grain that comes back is refused") {
  State state = made_up_heap(6);
  State without = state;
  without.particles = {};
  Replay replay(empty_scene(), {});
  replay.add(state);
  replay.add(without);
  CHECK_THROWS_AS(replay.add(state), IoError);
}

TEST_CASE("a cell that deforms is its parallelogram in each frame, with the grains in it") {
  State state = made_up_heap(6);
  ParticleState& p = state.particles;
  const Vec2 way = Vec2(-0.9, 1.9) - p.position[0];  // into the rectangle's corner, out of the parallelogram
  p.position[0] += way;
  for (std::uint32_t v = p.outlines.first[0]; v < p.outlines.first[1]; ++v) p.outlines.vertices[v] += way;
  const State without = state;
  state.cell = CellState{.length = {3.0, 3.0}, .tilt = 1.0, .strain = {}, .rate = {}, .stress = {}, .work = 0.0};
  State moved = *in_parallelogram(state, {0.5, 0.5});
  moved.cell.reset();

  std::string page;
  const auto hash_of = [&](const State& frame) {
    Replay replay(empty_scene(), {});
    replay.add(frame);
    ReplayReport report;
    page = replay.page("{}", {}, report);
    return report.hash;
  };
  const std::uint32_t other = hash_of(without);
  CHECK(hash_of(moved) != other);
  CHECK(page.find(R"("cells":[])") != std::string::npos);
  const std::uint32_t expected = hash_of(moved);
  CHECK(hash_of(state) == expected);
  CHECK(page.find(R"("cells":[[[-0.5,0.0],[2.5,0.0],[3.5,3.0],[0.5,3.0]]])") != std::string::npos);
}

TEST_CASE("two states beside one another are one state with all bodies, the second ones moved") {
  const State one = made_up_heap(8);
  const Vec2 shift(0.5, 0.0);
  const State both = beside(one, one, shift);
  const std::size_t n = one.particles.size();
  REQUIRE(both.particles.size() == 2 * n);
  REQUIRE(both.particles.outlines.first.size() == 2 * n + 1);
  REQUIRE(both.walls.size() == 2 * one.walls.size());
  REQUIRE(both.contacts.size() == 2 * one.contacts.size());
  CHECK(both.particles.id[n] == one.particles.id[0] + 1'000'000'000);
  CHECK(both.particles.position[n] == Vec2(one.particles.position[0] + shift));
  const auto& outlines = both.particles.outlines;
  for (std::size_t i = 0; i < n; ++i) {
    const auto corners = outlines.first[i + 1] - outlines.first[i];
    REQUIRE(outlines.first[n + i + 1] - outlines.first[n + i] == corners);
    if (corners == 0) continue;
    CHECK(outlines.vertices[outlines.first[n + i]] == Vec2(outlines.vertices[outlines.first[i]] + shift));
  }
  CHECK(both.contacts.back().point == Vec2(one.contacts.back().point + shift));
  Replay replay(empty_scene(), {.panels = {{"left", Vec2::Zero()}, {"right", shift}}});
  replay.add(both);
  ReplayReport report;
  CHECK(replay.page("{}", {}, report).find(R"("name":"right","shift":[0.5,0.0])") != std::string::npos);
  CHECK(report.grains == 2 * n);
}

}  // namespace scree::replay_test
