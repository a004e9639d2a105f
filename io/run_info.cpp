#include "io/run_info.hpp"

#include <nlohmann/json.hpp>

#include "io/atomic_file.hpp"

namespace scree {

void write_run_info(const std::filesystem::path& path, const RunInfo& info) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["status"] = info.status;
  json["title"] = info.title;
  json["mode"] = info.mode == Mode::soft ? "soft" : "hard";
  json["version"] = info.version;
  json["commit"] = info.commit;
  json["compiler"] = info.compiler;
  json["scene_file"] = std::filesystem::path(info.scene_file).filename().string();
  json["seed"] = info.seed;
  json["threads"] = info.threads;
  json["broadphase"] = info.broadphase;
  json["end_time"] = info.end_time;
  json["wall_time"] = info.wall_time;
  json["state_hash"] = info.state_hash;
  json["warnings"] = info.warnings;
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
  json["scene"] = info.scene_yaml;
  constexpr int kIndent = 2;
  write_file_atomically(path, json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<int> threads_of_run(const std::filesystem::path& run_info) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(run_info, error)) return std::nullopt;
  const auto json = nlohmann::json::parse(read_file(run_info), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("threads") || !json["threads"].is_number_integer()) return std::nullopt;
  const int threads = json["threads"].get<int>();
  return threads >= 1 ? std::optional(threads) : std::nullopt;
}

}  // namespace scree
