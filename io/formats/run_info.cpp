#include "io/formats/run_info.hpp"

#include <algorithm>
#include <limits>
#include <system_error>

#include <nlohmann/json.hpp>

#include "io/files/atomic_file.hpp"

namespace scree {

namespace {

/// Share of the way from `begin` to `end` that is behind.
double share(double begin, double now, double end) {
  return end == begin ? 1.0 : std::clamp((now - begin) / (end - begin), 0.0, 1.0);
}

}  // namespace

void write_run_info(const std::filesystem::path& path, const RunInfo& info) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["status"] = info.status;
  json["title"] = info.title;
  json["mode"] = name_of(info.mode);
  json["version"] = info.version;
  json["commit"] = info.commit;
  json["compiler"] = info.compiler;
  json["scene_file"] = std::filesystem::path(info.scene_file).filename().string();
  json["seed"] = info.seed;
  json["threads"] = info.threads;
  json["broadphase"] = info.broadphase;
  json["end_time"] = info.end_time;
  json["until"] = info.until;
  if (info.turned) json["turned"] = *info.turned;
  const bool is_done = info.status == "finished";  // grains at rest may end it before
  json["progress"] = is_done ? 1.0 : share(info.turned.value_or(0.0), info.end_time, info.until);
  json["wall_time"] = info.wall_time;
  json["state_hash"] = info.state_hash;
  json["warnings"] = info.warnings;
  if (!info.start_from.empty()) json["start"] = {{"from", info.start_from}, {"hash", info.start_hash}};
  if (!info.stages.empty()) {
    json["stages"] = Json::array();
    for (const auto& [name, begin] : info.stages) json["stages"].push_back({{"name", name}, {"begin", begin}});
  }
  if (auto edits = Json::parse(info.edits, nullptr, /*allow_exceptions=*/false); edits.is_array()) {
    json["edits"] = std::move(edits);
  }
  if (info.mode == Mode::soft) {
    json["step"] = info.step;
    json["step_reason"] = info.step_reason;
    json["steps"] = info.steps;
    json["particle_steps"] = info.particle_steps;
    json["chord_jumps"] = info.chord_jumps;
    json["depth_percentiles"] = Json::object();
    for (const auto& [name, value] : info.depth_percentiles) json["depth_percentiles"][name] = value;
  } else {
    json["events"] = info.events;
  }
  json["scene_hash"] = info.scene_hash;
  json["scene"] = info.scene_yaml;
  constexpr int kIndent = 2;
  write_file_atomically(path, json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n");
}

EarlierRun read_run_info(const std::filesystem::path& path) {
  EarlierRun run;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return run;
  const auto json = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return run;
  const auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  if (json.contains("threads") && json["threads"].is_number_integer()) {
    const auto threads = json["threads"].get<std::int64_t>();
    if (threads >= 1 && threads <= std::numeric_limits<int>::max()) run.threads = static_cast<int>(threads);
  }
  const auto number = [&](const char* key) {
    return json.contains(key) && json[key].is_number() ? std::max(json[key].get<double>(), 0.0) : 0.0;
  };
  run.wall_time = number("wall_time");
  run.end_time = number("end_time");
  run.until = number("until");
  if (json.contains("turned")) run.turned = number("turned");
  run.status = text("status");
  run.scene_yaml = text("scene");
  run.scene_hash = text("scene_hash");
  return run;
}

double EarlierRun::progress() const {
  return share(turned.value_or(0.0), end_time, until);
}

}  // namespace scree
