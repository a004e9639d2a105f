#include "app/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "app/exit_code.hpp"
#include "app/say.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "io/files/input_file.hpp"
#include "io/formats/billiards.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/formats/frame_reader.hpp"
#include "io/formats/run_info.hpp"
#include "io/frames/image_series.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/tables/number_table.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

const char* kind_of(const ParticleGroup& group) {
  if (std::holds_alternative<Pour>(group.how)) return "poured";
  return std::holds_alternative<Fill>(group.how) ? "filled in, at most" : "placed";
}

void say_scene(const Scene& scene) {
  say("{} mode{}{}\n", name_of(scene.mode), scene.title.empty() ? "" : ": ", shortened(scene.title, 200));
  say("domain: x from {:g} to {:g} m, y from {:g} to {:g} m\n", scene.domain.lo.x(), scene.domain.hi.x(),
      scene.domain.lo.y(), scene.domain.hi.y());
  for (const Material& material : scene.materials) {
    say("material {}: density {:g} kg/m^2, friction {:g}\n", shortened(material.name), material.density,
        material.friction);
  }
  say("walls: {}\n", scene.walls.size());
  const std::size_t inherited = scene.start ? std::min(scene.start->groups, scene.particles.size()) : 0;
  for (const ParticleGroup& group : std::span(scene.particles).first(scene.particles.size() - inherited)) {
    const std::string& material = scene.materials[static_cast<std::size_t>(group.material)].name;
    say("particles: {} of {}, {}, diameter {:g} to {:g} m\n", grains_in(group), shortened(material), kind_of(group),
        group.size.least, group.size.greatest);
  }
  if (scene.start) say("particles: those of {}\n", shortened(scene.start->from, 200));
  for (const Stage& stage : scene.soft.stages) say("stage {}: at most {:g} s\n", shortened(stage.name), stage.end);
  say("time: {:g} s, a frame every {:g} s\n", scene.end, scene.output_every);
}

void inspect_scene(const fs::path& path) {
  const Scene scene = read_scene(path);
  say("{}: a scene, ", path.string());
  say_scene(scene);
}

void inspect_state(const fs::path& path) {
  const Checkpoint checkpoint = read_checkpoint(path);
  const Scene scene = parse_saved_scene(checkpoint.scene_yaml, checkpoint.scene_name);
  say("{}: a saved state of a run of {}, {} bytes, hash {}\n", path.string(), shortened(checkpoint.scene_name),
      checkpoint.state.size(), checkpoint.state_hash);
  say_scene(scene);
  say("to go on with it: scree resume {}\n", path.has_parent_path() ? path.parent_path().string() : ".");
}

void inspect_run(const fs::path& path) {
  (void)read_input_file(path, "a run.json");  // throws the reason why it cannot be read
  const EarlierRun run = read_run_info(path);
  if (run.scene_yaml.empty())
    throw UsageError(fmt::format("{}: is not the run.json of a run", shortened(path.string(), 200)));
  say("{}: a run, {} at t = {:g} s of {:g} s after {:.3g} s of computing, scene {}\n", path.string(),
      shortened(run.status, 300), run.end_time, run.until, run.wall_time, run.scene_hash);
  say_scene(parse_saved_scene(run.scene_yaml, path.string()));
}

/// The values of an attribute in the beginning of an XML file.
std::vector<std::string> values_of(std::string_view text, std::string_view attribute) {
  std::vector<std::string> values;
  const std::string begin = fmt::format(" {}=\"", attribute);
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at)) {
    at += begin.size();
    const std::size_t end = text.find('"', at);
    if (end == std::string_view::npos) break;
    const std::string value = shortened(text.substr(at, end - at));
    if (std::ranges::find(values, value) == values.end() && values.size() < 100) values.push_back(value);
    at = end;
  }
  return values;
}

std::string listed_values(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

/// Only its beginning: the rest are the numbers.
void inspect_frame(const fs::path& path) {
  if (!fs::is_regular_file(path)) (void)read_input_file(path, "a frame");
  std::string text(1 << 16, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.find("<VTKFile") == std::string::npos) {
    throw UsageError(fmt::format("{}: is not a frame in VTK's format", shortened(path.string(), 200)));
  }
  if (path.extension() == ".vti") {
    say("{}: a frame of fields, cells {}, of {} m\n", path.string(), listed_values(values_of(text, "WholeExtent")),
        listed_values(values_of(text, "Spacing")));
  } else {
    say("{}: a frame, {} points, {} polygons, {} lines\n", path.string(),
        listed_values(values_of(text, "NumberOfPoints")), listed_values(values_of(text, "NumberOfPolys")),
        listed_values(values_of(text, "NumberOfLines")));
  }
  say("arrays: {}\n", listed_values(values_of(text, "Name")));
}

void inspect_frames(const fs::path& path) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<double> times;
  if (path.stem() == "fields") {
    for (const auto& image : list_images(directory)) times.push_back(image.first);
  } else {  // contacts and walls have the frames of the particles
    for (const WrittenFrame& frame : list_frames(directory)) times.push_back(frame.time);
  }
  say("{}: a list of {} frames", path.string(), times.size());
  if (!times.empty()) say(", from t = {:g} to {:g} s", times.front(), times.back());
  say("\n");
}

void inspect_table(const fs::path& path) {
  const NumberTable table = read_number_table(read_input_file(path, "a table"));
  if (table.names.empty()) throw UsageError(fmt::format("{}: is an empty table", shortened(path.string(), 200)));
  say("{}: a table of {} rows and {} columns\n", path.string(), table.rows(), table.names.size());
  constexpr std::size_t kMostTold = 100;
  for (std::size_t k = 0; k < std::min(table.names.size(), kMostTold); ++k) {
    std::vector<double> numbers;
    std::ranges::copy_if(table.columns[k], std::back_inserter(numbers), [](double x) { return !std::isnan(x); });
    const std::string name = shortened(table.names[k]);
    if (numbers.empty()) {
      say("  {}: no numbers\n", name);
    } else {
      const auto [least, greatest] = std::ranges::minmax(numbers);
      say("  {}: {} to {}\n", name, number_text(least, 6), number_text(greatest, 6));
    }
  }
}

void inspect_billiards(const fs::path& path) {
  say("{}: billiards, {} disks\n", path.string(), read_billiards(path).setup.position.size());
}

}  // namespace

int inspect(const fs::path& path) {
  const std::string ending = path.extension().string();
  if (fs::is_directory(path)) {
    inspect_run(path / "run.json");
  } else if (ending == ".yaml" || ending == ".yml") {
    inspect_scene(path);
  } else if (ending == ".scree") {
    inspect_state(path);
  } else if (ending == ".json") {
    inspect_run(path);
  } else if (ending == ".vtp" || ending == ".vti") {
    inspect_frame(path);
  } else if (ending == ".pvd") {
    inspect_frames(path);
  } else if (ending == ".csv") {
    inspect_table(path);
  } else if (ending == ".txt") {
    inspect_billiards(path);
  } else {
    throw UsageError(
        fmt::format("{}: is not known by its ending, must be a directory of a run, .yaml (a scene), .scree (a state), "
                    ".json (run.json), .vtp, .vti or .pvd (frames), .csv (a table) or .txt (billiards)",
                    shortened(path.string(), 200)));
  }
  return kOk;
}

}  // namespace scree::app
