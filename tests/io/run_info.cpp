#include "io/formats/run_info.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "io/text/errors.hpp"
#include "tests/io/scratch_directory.hpp"
#include "tests/io/small_files.hpp"

namespace scree::run_info_test {

namespace {

RunInfo some_run() {
  RunInfo info;
  info.version = "1.2.3";
  info.commit = "abcdef0";
  info.compiler = "GNU 12.2.0";
  info.scene_file = "/somewhere/private/heap.yaml";
  info.title = "A \"heap\" of grains, 30°";
  info.scene_yaml = "title: heap\nseed: 5\n";
  info.seed = std::numeric_limits<std::uint64_t>::max();
  info.threads = 4;
  info.step = 1.0 / 3.0e5;
  info.step_reason = "stiffness";
  info.wall_time = 12.5;
  info.end_time = 2.0;
  info.until = 8.0;
  info.scene_hash = "fedcba9876543210";
  info.steps = 5'000'000'000;
  info.particle_steps = 12'000'000'000'000;
  info.status = "stopped: overlap too deep";
  info.state_hash = "0123456789abcdef";
  info.chord_jumps = 7;
  info.depth_percentiles = {{"p50", 1e-4}, {"p99", 3e-3}};
  return info;
}

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("run.json of the event-driven mode has events instead of steps") {
  const ScratchDirectory directory;
  RunInfo info = some_run();
  info.mode = Mode::hard;
  info.events = {{"collisions", 123'456'789'012}, {"wall_hits", 5}};
  write_run_info(directory.path() / "run.json", info);
  const auto json = read_json(directory.path() / "run.json");
  CHECK(json["mode"] == "hard");
  CHECK(json["events"]["collisions"] == 123'456'789'012);
  CHECK_FALSE(json.contains("steps"));
  CHECK_FALSE(json.contains("depth_percentiles"));
}

TEST_CASE("run.json holds every fact exactly") {
  const ScratchDirectory directory;
  const RunInfo info = some_run();
  write_run_info(directory.path() / "run.json", info);
  const auto json = read_json(directory.path() / "run.json");
  CHECK(json["version"] == info.version);
  CHECK(json["commit"] == info.commit);
  CHECK(json["compiler"] == info.compiler);
  CHECK(json["title"] == info.title);
  CHECK(json["scene"] == info.scene_yaml);
  CHECK(json["seed"].get<std::uint64_t>() == info.seed);
  CHECK(json["threads"] == 4);
  CHECK(json["step"].get<double>() == info.step);
  CHECK(json["step_reason"] == info.step_reason);
  CHECK(json["wall_time"].get<double>() == 12.5);
  CHECK(json["end_time"].get<double>() == 2.0);
  CHECK(json["until"].get<double>() == 8.0);
  CHECK(json["progress"].get<double>() == 0.25);
  CHECK(json["scene_hash"] == info.scene_hash);
  CHECK(json["steps"].get<std::uint64_t>() == info.steps);
  CHECK(json["particle_steps"].get<std::uint64_t>() == info.particle_steps);
  CHECK(json["status"] == info.status);
  CHECK(json["state_hash"] == info.state_hash);
  CHECK(json["chord_jumps"] == 7);
  CHECK(json["depth_percentiles"]["p50"].get<double>() == 1e-4);
  CHECK(json["depth_percentiles"]["p99"].get<double>() == 3e-3);
}

TEST_CASE("a run that goes back tells how far it is on its way") {
  const ScratchDirectory directory;
  const auto path = directory.path() / "run.json";
  RunInfo info = some_run();
  CHECK_FALSE(info.turned);
  write_run_info(path, info);
  CHECK_FALSE(read_json(path).contains("turned"));
  CHECK(read_run_info(path).progress() == 0.25);
  info.turned = 10.0;
  info.end_time = 4.0;
  info.until = 2.0;
  write_run_info(path, info);
  CHECK(read_json(path)["turned"].get<double>() == 10.0);
  CHECK(read_json(path)["progress"].get<double>() == 0.75);
  CHECK(read_run_info(path).turned == 10.0);
  CHECK(read_run_info(path).progress() == 0.75);
}

TEST_CASE("what a later run needs is read back; of a damaged file nothing") {
  const ScratchDirectory directory;
  const auto path = directory.path() / "run.json";
  const auto nothing = [&] {
    const EarlierRun run = read_run_info(path);
    return !run.threads && run.wall_time == 0.0 && run.scene_yaml.empty() && run.scene_hash.empty();
  };
  CHECK(nothing());
  write_run_info(path, some_run());
  const EarlierRun run = read_run_info(path);
  CHECK(run.threads == 4);
  CHECK(run.wall_time == 12.5);
  CHECK(run.scene_yaml == some_run().scene_yaml);
  CHECK(run.scene_hash == some_run().scene_hash);
  for (const char* text :
       {"", "{", "[]", "{\"threads\": 1e99, \"wall_time\": \"x\", \"scene\": 3}", "{\"threads\": -1}"}) {
    CAPTURE(text);
    std::ofstream(path) << text;
    CHECK(nothing());
  }
}

TEST_CASE("run.json does not tell where on the machine the scene lay") {
  const ScratchDirectory directory;
  write_run_info(directory.path() / "run.json", some_run());
  const auto json = read_json(directory.path() / "run.json");
  CHECK(json["scene_file"] == "heap.yaml");
  CHECK(json.dump().find("private") == std::string::npos);
}

TEST_CASE("run.json stays JSON with numbers that are none and text that is no UTF-8") {
  const ScratchDirectory directory;
  RunInfo info = some_run();
  info.end_time = std::nan("");
  info.depth_percentiles["p99"] = std::numeric_limits<double>::infinity();
  info.title = "caf\xe9";
  write_run_info(directory.path() / "run.json", info);
  const auto json = read_json(directory.path() / "run.json");
  CHECK(json["end_time"].is_null());
  CHECK(json["depth_percentiles"]["p99"].is_null());
  CHECK(json["title"].get<std::string>().starts_with("caf"));
}

TEST_CASE("writing run.json again replaces it, and failing to leaves the old one") {
  const ScratchDirectory directory;
  const auto path = directory.path() / "run.json";
  RunInfo info = some_run();
  info.status = "running";
  write_run_info(path, info);
  info.status = "finished";
  write_run_info(path, info);
  CHECK(read_json(path)["status"] == "finished");

  info.status = "interrupted";
  try {
    const SmallFiles limit(100);
    write_run_info(path, info);
    FAIL("no error");
  } catch (const IoError& error) {
    CHECK(std::string(error.what()).find(path.string()) != std::string::npos);
    CHECK(std::string(error.what()).find("File too large") != std::string::npos);
  }
  CHECK(read_json(path)["status"] == "finished");
}

}  // namespace scree::run_info_test
