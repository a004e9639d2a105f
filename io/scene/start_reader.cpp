#include "io/scene/start_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/formats/frame_reader.hpp"
#include "io/formats/run_info.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/text/errors.hpp"
#include "io/text/hash64.hpp"

namespace scree {

namespace {

namespace fs = std::filesystem;

constexpr const char* kState = "state.scree";
constexpr std::string_view kFrame = "particles_";

EarlierGrains from_state(const fs::path& file) {
  const auto refuse = [&](const std::string& why) {
    return IoError(fmt::format("cannot begin with {}: {}", file.string(), why));
  };
  const Checkpoint checkpoint = read_checkpoint(file);
  EarlierGrains earlier{
      .scene = parse_saved_scene(checkpoint.scene_yaml, checkpoint.scene_name), .inherited = {}, .hash = {}};
  if (earlier.scene.mode != Mode::soft) throw refuse("it is of a run in hard mode, must be in soft mode");
  try {
    soft::Simulation simulation(earlier.scene, {.threads = 1, .made_for = MadeFor::load});
    std::istringstream state(checkpoint.state);
    simulation.load(state);
    earlier.inherited = simulation.hand_over();
  } catch (const InvalidState& error) {
    throw refuse(error.what());
  } catch (const InvalidScene& error) {
    throw refuse(error.what());
  }
  return earlier;
}

/// Diameter of a grain, or of the smallest part of a clump; infinite for a wall [m].
double least_diameter(const Inherited& inherited, std::uint64_t id) {
  const auto grain = std::ranges::lower_bound(inherited.grains, id, {}, &Inherited::Grain::id);
  if (grain == inherited.grains.end() || grain->id != id) return std::numeric_limits<double>::infinity();
  const GrainShape& shape = grain->state.grain;
  double area = shape.area;
  for (const GrainPart& part : shape.parts) area = std::min(area, part.area);
  return equivalent_diameter(area);
}

EarlierGrains from_frame(const fs::path& file) {
  const fs::path directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const auto refuse = [&](const std::string& why) {
    return IoError(fmt::format("cannot begin with {}: {}", file.string(), why));
  };
  const EarlierRun run = read_run_info(directory / "run.json");
  if (run.scene_yaml.empty()) throw refuse("there is no run.json beside it");
  const std::string number = file.stem().string().substr(kFrame.size());
  if (number.empty() || number.size() > 9 ||
      !std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; })) {
    throw refuse("its name has no number, as those of frames have: particles_000012.vtp");
  }
  EarlierGrains earlier{.scene = parse_saved_scene(run.scene_yaml, "run.json"), .inherited = {}, .hash = {}};
  if (earlier.scene.mode != Mode::soft) throw refuse("it is of a run in hard mode, must be in soft mode");
  const State state = read_frame(directory, {.time = 0.0, .number = std::stoul(number)}, earlier.scene);
  const ParticleState& p = state.particles;
  for (std::size_t k = 0; k < p.size(); ++k) {
    std::vector<Vec2> outline;
    const Rotation back = Rotation::by(-p.angle[k]);
    for (std::uint32_t v = p.outlines.first[k]; v < p.outlines.first[k + 1]; ++v) {
      outline.emplace_back(back * Vec2(p.outlines.vertices[v] - p.position[k]));
    }
    double radius = p.radius[k];
    if (!outline.empty()) radius = 0.0;
    for (const Vec2& corner : outline) radius = std::max(radius, corner.norm());
    GrainShape grain;
    try {
      const auto group = static_cast<std::size_t>(p.type[k]);
      const auto* clump =
          group < earlier.scene.particles.size() ? std::get_if<Clump>(&earlier.scene.particles[group].shape) : nullptr;
      grain = clump != nullptr ? clump_of(*clump, 2.0 * p.radius[k]) : grain_like({outline, radius}, p.mass[k]);
    } catch (const GeometryError& error) {
      throw refuse(fmt::format("particle {}: {}", p.id[k], error.what()));
    }
    grain.given_mass = p.mass[k];
    earlier.inherited.grains.push_back(
        {p.id[k], p.type[k], {std::move(grain), p.position[k], p.angle[k], p.velocity[k], p.angular_velocity[k]}});
    earlier.inherited.next_id = std::max(earlier.inherited.next_id, p.id[k] + 1);
  }
  std::ranges::sort(earlier.inherited.grains, {}, &Inherited::Grain::id);
  for (const std::uint64_t id : state.walls.id) {
    earlier.inherited.next_id = std::max(earlier.inherited.next_id, id + 1);
  }
  for (const ContactState& contact : state.contacts) {
    const double least =
        std::min(least_diameter(earlier.inherited, contact.id1), least_diameter(earlier.inherited, contact.id2));
    earlier.inherited.max_depth_ratio = std::max(earlier.inherited.max_depth_ratio, contact.depth / least);
  }
  constexpr double kSinglePrecision = 1e-4;  // of a diameter, where grains are a thousandth of the domain
  earlier.inherited.max_depth_ratio += kSinglePrecision;
  return earlier;
}

template <class... Numbers>
void append(std::string& bytes, const Numbers&... numbers) {
  const auto one = [&](const auto& number) {
    std::array<char, sizeof number> raw;
    std::memcpy(raw.data(), &number, sizeof number);
    bytes.append(raw.data(), raw.size());
  };
  (one(numbers), ...);
}

std::string hash_of(const Inherited& inherited) {
  std::string bytes;
  for (const Inherited::Grain& grain : inherited.grains) {
    const InitialState& s = grain.state;
    append(bytes, grain.id, grain.group, s.position.x(), s.position.y(), s.angle, s.velocity.x(), s.velocity.y(),
           s.angular_velocity, s.grain.given_mass.value_or(0.0), s.grain.area, grain.image);
    for (const Vec2& corner : s.grain.outline) append(bytes, corner.x(), corner.y());
    for (const GrainPart& part : s.grain.parts) {
      append(bytes, part.arm.x(), part.arm.y(), part.area);
      for (const Vec2& corner : part.outline) append(bytes, corner.x(), corner.y());
    }
  }
  for (const Inherited::Contact& c : inherited.contacts) {
    append(bytes, c.a, c.b, c.part_a, c.part_b, c.image, c.tangential_displacement, c.tangential_velocity,
           c.rolling_displacement, c.relative_angular_velocity, c.max_depth_ratio, c.sliding, c.rolling);
    bytes += c.wall;
  }
  return fmt::format("{:016x}", hash64(bytes));
}

}  // namespace

EarlierGrains read_earlier_grains(const fs::path& from) {
  const fs::path file = fs::is_directory(from) ? from / kState : from;
  if (!fs::is_regular_file(file)) {
    throw IoError(
        fmt::format("cannot begin with {}: there is no {}; needed: the directory of a run, its {} or a frame "
                    "of it, particles_000012.vtp",
                    from.string(), fs::is_directory(from) ? fmt::format("{} in it", kState) : "such file", kState));
  }
  const std::string name = file.filename().string();
  const bool is_frame = name.starts_with(kFrame) && file.extension() == ".vtp";
  EarlierGrains earlier = is_frame ? from_frame(file) : from_state(file);
  earlier.hash = hash_of(earlier.inherited);
  return earlier;
}

}  // namespace scree
