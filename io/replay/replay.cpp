#include "io/replay/replay.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dem/scene.hpp"
#include "io/frames/group_names.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/pages/picture.hpp"
#include "io/replay/page_text.hpp"
#include "io/replay/replay_columns.hpp"
#include "io/replay/shown_scene.hpp"
#include "io/tables/number_table.hpp"
#include "io/text/errors.hpp"
// The files in io/replay/ as kReplayCharts and so on, written by CMake.
#include "io/replay/charts.js.hpp"
#include "io/replay/colours.js.hpp"
#include "io/replay/decode.js.hpp"
#include "io/replay/draw_2d.js.hpp"
#include "io/replay/draw_gl.js.hpp"
#include "io/replay/player.js.hpp"
#include "io/replay/start.js.hpp"

namespace scree {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPoseUnit = 1.0 / 256.0;    // of the smallest radius
constexpr double kShapeUnit = 1.0 / 2048.0;  // of the smallest radius
constexpr double kTurn = 4096.0;             // units of an angle
constexpr double kLevels = 1023.0;           // of an array
constexpr double kChainUnits = 8.0;          // of poses, of the points of contacts
constexpr double kForceLevels = 255.0;       // of the force of a contact
constexpr double kFaintest = 1.0 / 64.0;     // of the greatest force: weaker contacts are left out
constexpr double kGreatestNumber = 1.0e9;    // of units: farther away they are coarser

std::int32_t rounded(double value) {
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::lround(std::clamp(value, -kMost, kMost)));
}

std::int32_t bits(double value) {
  return std::bit_cast<std::int32_t>(static_cast<float>(value));
}

/// Signed, so that the root of its size is in steps of 1/1023.
std::int32_t level(double value, double greatest) {
  if (!(greatest > 0.0)) return 0;
  return rounded(std::copysign(kLevels * std::sqrt(std::abs(value) / greatest), value));
}

struct DrawnPose {
  float x;
  float y;
  float angle;
  float radius;
};

/// A grain or a wall, and in which frames it was.
struct Lifetime {
  std::uint64_t id;
  std::uint32_t first_frame;
  std::uint32_t frames = 0;
};

struct Grain : Lifetime {
  int type;
  int material;
  double radius;  // at first [m]
  double mass;
  std::optional<Colour> colour;
  std::vector<Vec2> corners;                    // about the centroid, at angle 0 [m]; a disk has none
  std::vector<DrawnPose> poses;                 // of its frames
  std::vector<std::vector<float>> values = {};  // of each array
};

struct WallTrack : Lifetime {
  int material;
  std::vector<std::vector<Vec2>> outlines;  // of its frames
};

struct Chain {
  std::uint32_t a;                 // place in the list of grains
  std::optional<std::uint32_t> b;  // none: the line ends at the point
  Vec2 to_point;                   // from a's centroid [m]
  double force;                    // [N]
};

/// A text that may stand in a script element.
std::string script_safe(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

/// Each packed column is an element of the page.
class Columns {
 public:
  /// Returns its size in the page [bytes].
  std::size_t add(const std::string& name, std::span<const std::int32_t> values,
                  std::span<const std::uint32_t> lengths) {
    const std::string text = base64(packed_column(values, lengths));
    elements_ += fmt::format("<script type=\"text/plain\" id=\"column-{}\">{}</script>\n", name, text);
    return text.size();
  }
  /// Adds values of one item.
  std::size_t add(const std::string& name, const std::vector<std::int32_t>& values) {
    const auto length = static_cast<std::uint32_t>(values.size());
    return add(name, values, {&length, 1});
  }
  const std::string& elements() const { return elements_; }

 private:
  std::string elements_;
};

/// What the charts draw (io/replay/charts.js).
constexpr std::array<const char*, 20> kCharted = {
    "time [s]", "kinetic_energy [J]", "elastic_energy [J]", "particles", "particles_out", "coordination",
    "max_depth_ratio", "energy_residual", "packing_fraction", "mass [kg]",
    // of a comparison
    "soft_kinetic_energy [J]", "hard_kinetic_energy [J]", "soft_collision_rate [1/s]", "hard_collision_rate [1/s]",
    "soft_mean_height [m]", "hard_mean_height [m]", "soft_left", "hard_left", "position_difference_rms [m]",
    "chaos_position_difference_rms [m]"};

/// A table as names, and a list of numbers for each, as far as charts draw them.
Json table_json(const std::string& text) {
  const NumberTable table = read_number_table(text);
  const auto shortened = [](double value) {  // six digits are more than a chart shows
    if (!std::isfinite(value)) return Json();
    if (value == std::floor(value) && std::abs(value) < 1e9) return Json(static_cast<std::int64_t>(value));
    return Json(std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr));
  };
  Json json = Json::object();
  for (std::size_t k = 0; k < table.names.size(); ++k) {
    if (std::ranges::find(kCharted, table.names[k]) == kCharted.end()) continue;
    Json list = Json::array();
    for (const double value : table.columns[k]) list.push_back(shortened(value));
    json[table.names[k]] = std::move(list);
  }
  return json;
}

}  // namespace

State beside(const State& first, const State& second, const Vec2& shift) {
  constexpr std::uint64_t kApart = 1'000'000'000;
  State both = first;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  const auto append_ids = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
    for (const std::uint64_t id : from) to.push_back(id + kApart);
  };
  const auto append_places = [&](std::vector<Vec2>& to, const std::vector<Vec2>& from) {
    for (const Vec2& place : from) to.push_back(place + shift);
  };
  const auto append_outlines = [&](Outlines& to, const Outlines& from) {
    const auto before = static_cast<std::uint32_t>(to.vertices.size());
    append_places(to.vertices, from.vertices);
    for (std::size_t k = 1; k < from.first.size(); ++k) to.first.push_back(before + from.first[k]);
  };
  ParticleState& p = both.particles;
  const ParticleState& q = second.particles;
  append_ids(p.id, q.id);
  append(p.type, q.type);
  append(p.material, q.material);
  append(p.radius, q.radius);
  append(p.mass, q.mass);
  append(p.inertia, q.inertia);
  append_places(p.position, q.position);
  append(p.image, q.image);
  append(p.angle, q.angle);
  append(p.velocity, q.velocity);
  append(p.angular_velocity, q.angular_velocity);
  append(p.force, q.force);
  append(p.torque, q.torque);
  append(p.coordination, q.coordination);
  append(p.colour, q.colour);
  append_outlines(p.outlines, q.outlines);
  WallState& w = both.walls;
  append_ids(w.id, second.walls.id);
  append(w.name, second.walls.name);
  append(w.material, second.walls.material);
  append(w.velocity, second.walls.velocity);
  append(w.angular_velocity, second.walls.angular_velocity);
  append(w.force, second.walls.force);
  append(w.torque, second.walls.torque);
  append_outlines(w.outlines, second.walls.outlines);
  for (ContactState contact : second.contacts) {
    contact.id1 += kApart;
    contact.id2 += kApart;
    contact.centre1 += shift;
    contact.point += shift;
    contact.centre2 += shift;
    both.contacts.push_back(contact);
  }
  return both;
}

struct ReplayFrames {
  Scene scene;
  ReplayOptions options;
  std::vector<double> times = {};
  std::vector<Grain> grains = {};
  std::unordered_map<std::uint64_t, std::uint32_t> grain_of = {};
  std::vector<WallTrack> walls = {};
  std::unordered_map<std::uint64_t, std::uint32_t> wall_of = {};
  std::vector<std::vector<Chain>> chains = {};  // of each frame
  std::vector<CellState> cells = {};            // of each frame, if the scene's periodic cell deforms
  PictureScales scales = PictureScales(scene);

  template <class Track>
  Track& find(std::vector<Track>& tracks, std::unordered_map<std::uint64_t, std::uint32_t>& places, std::uint64_t id) {
    const auto frame = static_cast<std::uint32_t>(times.size());
    const auto [found, is_new] = places.try_emplace(id, static_cast<std::uint32_t>(tracks.size()));
    if (is_new) {
      tracks.emplace_back();
      tracks.back().id = id;
      tracks.back().first_frame = frame;
    }
    Track& track = tracks[found->second];
    if (track.first_frame + track.frames != frame) {
      throw IoError(fmt::format("body {} is in a frame, not in the next one, and again in a later one", id));
    }
    ++track.frames;
    return track;
  }

  void add_grains(const ParticleState& p) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      Grain& grain = find(grains, grain_of, p.id[i]);
      const auto corners =
          std::span(p.outlines.vertices).subspan(p.outlines.first[i], p.outlines.first[i + 1] - p.outlines.first[i]);
      if (grain.frames == 1) {
        grain.type = p.type[i];
        grain.material = p.material[i];
        grain.radius = p.radius[i];
        grain.mass = p.mass[i];
        if (!p.colour.empty()) grain.colour = p.colour[i];
        const double c = std::cos(p.angle[i]);
        const double s = std::sin(p.angle[i]);
        for (const Vec2& corner : corners) {
          const Vec2 d = corner - p.position[i];
          grain.corners.emplace_back(c * d.x() + s * d.y(), c * d.y() - s * d.x());
        }
        grain.values.resize(options.arrays.size());
      }
      if (corners.size() != grain.corners.size()) {
        throw IoError(fmt::format("particle {} changes its number of corners from frame to frame", grain.id));
      }
      const Vec2 at = p.position[i] - scene.domain.lo;
      const double turns = p.angle[i] / (2.0 * std::numbers::pi);
      grain.poses.push_back({static_cast<float>(at.x()), static_cast<float>(at.y()),
                             static_cast<float>(turns - std::floor(turns)), static_cast<float>(p.radius[i])});
      for (std::size_t k = 0; k < options.arrays.size(); ++k) {
        grain.values[k].push_back(static_cast<float>(grain_value(p, i, options.arrays[k])));
      }
    }
  }

  void add_walls(const WallState& w) {
    for (std::size_t k = 0; k < w.size(); ++k) {
      WallTrack& wall = find(walls, wall_of, w.id[k]);
      wall.material = w.material[k];
      wall.outlines.emplace_back(w.outlines.vertices.begin() + w.outlines.first[k],
                                 w.outlines.vertices.begin() + w.outlines.first[k + 1]);
      if (wall.outlines.back().size() != wall.outlines.front().size()) {
        throw IoError(fmt::format("wall {} changes its number of corners from frame to frame", wall.id));
      }
    }
  }

  void add_chains(const std::vector<ContactState>& contacts) {
    chains.emplace_back();
    if (!options.chains) return;
    for (const ContactState& c : contacts) {
      const auto a = grain_of.find(c.id1);
      const auto b = grain_of.find(c.id2);
      if (a == grain_of.end() || !(c.force_normal > 0.0)) continue;
      Chain chain{a->second, {}, c.point - c.centre1, c.force_normal};
      const bool goes_on = b != grain_of.end() && c.centre2 != c.point;
      if (goes_on && c.image_shift == Vec2::Zero()) chain.b = b->second;
      chains.back().push_back(chain);
      if (goes_on && !chain.b) chains.back().push_back({b->second, {}, c.point - c.centre2, c.force_normal});
    }
  }

  Vec2 centre() const { return centre_of(scene.domain); }

  std::vector<std::uint32_t> lengths() const {
    std::vector<std::uint32_t> all;
    for (const Grain& grain : grains) all.push_back(grain.frames);
    return all;
  }

  template <class Value>
  std::vector<std::int32_t> of_poses(Value&& value) const {
    std::vector<std::int32_t> all;
    for (const Grain& grain : grains) {
      for (const DrawnPose& pose : grain.poses) all.push_back(value(pose));
    }
    return all;
  }

  template <class Value>
  std::vector<std::int32_t> of_grains(Value&& value) const {
    std::vector<std::int32_t> all;
    for (const Grain& grain : grains) all.push_back(value(grain));
    return all;
  }
};

Replay::Replay(const Scene& scene, ReplayOptions options)
    : frames_(std::make_unique<ReplayFrames>(ReplayFrames{scene, std::move(options)})) {}
Replay::~Replay() = default;

void Replay::add(const State& as_written) {
  const std::optional<State> moved = in_parallelogram(as_written, frames_->centre());
  const State& state = moved ? *moved : as_written;
  frames_->add_grains(state.particles);
  frames_->add_walls(state.walls);
  frames_->add_chains(state.contacts);
  if (state.cell) frames_->cells.push_back(*state.cell);
  frames_->scales.add(state);
  frames_->times.push_back(state.time);
}

namespace {

/// Fills the page part by part.
class PageWriter {
 public:
  PageWriter(const ReplayFrames& frames, ReplayReport& report)
      : f_(frames),
        report_(report),
        unit_(std::max(kPoseUnit * f_.scales.smallest_radius(),
                       (f_.scene.domain.hi - f_.scene.domain.lo).maxCoeff() / kGreatestNumber)),
        shape_unit_(kShapeUnit * f_.scales.smallest_radius()),
        lengths_(f_.lengths()) {
    report_ = {f_.times.size(), f_.grains.size()};
    header_["title"] = f_.scene.title;
    header_["mode"] = name_of(f_.scene.mode);
    header_["times"] = f_.times;
    header_["unit"] = unit_;
    header_["shape_unit"] = shape_unit_;
    header_["turn"] = kTurn;
    header_["levels"] = kLevels;
    header_["grains"] = f_.grains.size();
    header_["materials"] = material_names(f_.scene);
    header_["groups"] = group_names(f_.scene);
    header_["colour"] = f_.options.colour;
  }

  void add_poses() {
    std::size_t size = 0;
    std::uint32_t hash = hash_of_numbers({});
    const auto add = [&](const char* name, const std::vector<std::int32_t>& values) {
      hash = hash_of_numbers(values, hash);
      size += columns_.add(name, values, lengths_);
    };
    add("x", f_.of_poses([&](const DrawnPose& pose) { return rounded(pose.x / unit_); }));
    add("y", f_.of_poses([&](const DrawnPose& pose) { return rounded(pose.y / unit_); }));
    add("angle", angles());
    const bool grows = std::ranges::any_of(f_.grains, [](const Grain& grain) {
      return std::ranges::any_of(grain.poses,
                                 [&](const DrawnPose& p) { return p.radius != grain.poses.front().radius; });
    });
    if (grows) add("radius", f_.of_poses([&](const DrawnPose& pose) { return rounded(pose.radius / shape_unit_); }));
    header_["grows"] = grows;
    header_["hash"] = fmt::format("{:08x}", hash);
    report_.hash = hash;
    report_.sizes.emplace_back("poses", size);
  }

  void add_shapes() {
    std::size_t size = 0;
    const auto add = [&](const char* name, const auto& value) { size += columns_.add(name, f_.of_grains(value)); };
    add("id", [](const Grain& g) { return static_cast<std::int32_t>(g.id); });
    add("first", [](const Grain& g) { return static_cast<std::int32_t>(g.first_frame); });
    add("frames", [](const Grain& g) { return static_cast<std::int32_t>(g.frames); });
    add("type", [](const Grain& g) { return g.type; });
    add("material", [](const Grain& g) { return g.material; });
    add("size", [](const Grain& g) { return bits(g.radius); });
    add("mass", [](const Grain& g) { return bits(g.mass); });
    add("corners", [](const Grain& g) { return static_cast<std::int32_t>(g.corners.size()); });
    header_["coloured"] = std::ranges::any_of(f_.grains, [](const Grain& g) { return g.colour.has_value(); });
    if (header_["coloured"]) {
      add("colour", [](const Grain& g) {
        const Colour c = g.colour.value_or(Colour{190, 190, 190});
        return static_cast<std::int32_t>(c[0] << 16 | c[1] << 8 | c[2]);
      });
    }
    for (const Eigen::Index axis : {0, 1}) {
      std::vector<std::int32_t> corners;
      for (const Grain& grain : f_.grains) {
        for (const Vec2& corner : grain.corners) corners.push_back(rounded(corner[axis] / shape_unit_));
      }
      size += columns_.add(axis == 0 ? "corner-x" : "corner-y", corners);
    }
    report_.sizes.emplace_back("shapes", size);
  }

  void add_arrays() {
    header_["arrays"] = Json::array();
    for (std::size_t k = 0; k < f_.options.arrays.size(); ++k) {
      const std::string& name = f_.options.arrays[k];
      double greatest = 0.0;
      for (const Grain& grain : f_.grains) {
        for (const float value : grain.values[k]) greatest = std::max(greatest, static_cast<double>(std::abs(value)));
      }
      const bool is_count = name == "coordination";
      std::vector<std::int32_t> levels;
      for (const Grain& grain : f_.grains) {
        for (const float value : grain.values[k]) levels.push_back(is_count ? rounded(value) : level(value, greatest));
      }
      report_.sizes.emplace_back(name, columns_.add("array-" + name, levels, lengths_));
      header_["arrays"].push_back({{"name", name}, {"greatest", greatest}, {"counts", is_count}});
    }
  }

  void add_chains() {
    const double greatest = f_.options.chains ? f_.scales.force() : 0.0;
    header_["chain_force"] = greatest;
    header_["chain_unit"] = kChainUnits * unit_;
    if (!(greatest > 0.0)) return;
    std::vector<std::uint32_t> counts;
    std::vector<std::int32_t> a;
    std::vector<std::int32_t> b;
    std::vector<std::int32_t> dx;
    std::vector<std::int32_t> dy;
    std::vector<std::int32_t> force;
    for (const auto& frame : f_.chains) {
      const std::size_t before = a.size();
      for (const Chain& chain : frame) {
        if (chain.force < kFaintest * greatest) continue;
        a.push_back(static_cast<std::int32_t>(chain.a));
        b.push_back(chain.b ? static_cast<std::int32_t>(*chain.b - chain.a) : 0);
        dx.push_back(rounded(chain.to_point.x() / (kChainUnits * unit_)));
        dy.push_back(rounded(chain.to_point.y() / (kChainUnits * unit_)));
        force.push_back(rounded(kForceLevels * std::sqrt(std::min(1.0, chain.force / greatest))));
      }
      counts.push_back(static_cast<std::uint32_t>(a.size() - before));
    }
    std::size_t size = columns_.add("chain-counts", std::vector<std::int32_t>(counts.begin(), counts.end()));
    for (const auto& [name, values] :
         {std::pair("chain-a", &a), {"chain-b", &b}, {"chain-dx", &dx}, {"chain-dy", &dy}, {"chain-force", &force}}) {
      size += columns_.add(name, *values, counts);
    }
    report_.sizes.emplace_back("force chains", size);
  }

  /// Each corner is an item.
  void add_walls() {
    header_["walls"] = Json::array();
    std::vector<std::uint32_t> lengths;
    std::array<std::vector<std::int32_t>, 2> places;
    for (const WallTrack& wall : f_.walls) {
      // Walls have rising ids in the order of the scene, but a frame lists segments first.
      const auto number = static_cast<std::size_t>(
          std::ranges::count_if(f_.walls, [&](const WallTrack& other) { return other.id < wall.id; }));
      const std::string name = f_.walls.size() == f_.scene.walls.size() ? f_.scene.walls[number].name : "";
      const std::size_t corners = wall.outlines.front().size();
      header_["walls"].push_back(
          {{"name", name}, {"first", wall.first_frame}, {"frames", wall.frames}, {"corners", corners}});
      for (std::size_t corner = 0; corner < corners; ++corner) {
        lengths.push_back(wall.frames);
        for (const auto& outline : wall.outlines) {
          const Vec2 at = (outline[corner] - f_.scene.domain.lo) / unit_;
          places[0].push_back(rounded(at.x()));
          places[1].push_back(rounded(at.y()));
        }
      }
    }
    columns_.add("wall-x", places[0], lengths);
    columns_.add("wall-y", places[1], lengths);
  }

  void add_view() {
    const Domain& domain = f_.scene.domain;
    Region view = f_.scales.region();
    header_["domain"] = shown_domain(domain);
    header_["cells"] = Json::array();
    for (const CellState& cell : f_.cells) {
      Json corners = Json::array();
      for (const Vec2& corner : corners_of(cell, f_.centre(), cell.tilt)) {
        corners.push_back({corner.x() - domain.lo.x(), corner.y() - domain.lo.y()});
      }
      header_["cells"].push_back(corners);
    }
    header_["panels"] = Json::array();
    for (const ReplayPanel& panel : f_.options.panels) {
      header_["panels"].push_back({{"name", panel.name}, {"shift", {panel.shift.x(), panel.shift.y()}}});
      for (const Eigen::Index k : {0, 1}) {
        if (!domain.reflecting && !domain.periodic[static_cast<std::size_t>(k)]) continue;
        view.lo[k] = std::min(view.lo[k], domain.lo[k] + panel.shift[k]);
        view.hi[k] = std::max(view.hi[k], domain.hi[k] + panel.shift[k]);
      }
    }
    header_["view"] = {view.lo.x(), view.hi.x(), view.lo.y(), view.hi.y()};
  }

  void add_run(const std::string& run_info, const std::map<std::string, std::string>& tables) {
    header_["tables"] = Json::object();
    for (const auto& [name, text] : tables) header_["tables"][name] = table_json(text);
    header_["run"] = Json::parse(run_info, nullptr, /*allow_exceptions=*/false);
    // Equal runs have equal pages: not how long they took, on how many threads, and what a trial of broadphases found.
    if (header_["run"].is_object()) {
      for (const char* key : {"wall_time", "threads", "broadphase"}) header_["run"].erase(key);
    }
  }

  std::string text() {
    const std::string header = script_safe(header_.dump(-1, ' ', false, Json::error_handler_t::replace));
    report_.sizes.emplace_back("tables and scene", header.size());
    return page_text({.title = f_.scene.title,
                      .policy = {},
                      .data = fmt::format("<script type=\"application/json\" id=\"header\">{}</script>\n{}", header,
                                          columns_.elements()),
                      .scripts = {kReplayDecode, kReplayColours, kReplayDrawGl, kReplayDraw2d, kReplayCharts,
                                  kReplayPlayer, kReplayStart}});
  }

 private:
  /// Unwrapped: in a grain's column a turn is no jump.
  std::vector<std::int32_t> angles() const {
    constexpr auto kUnits = static_cast<std::int32_t>(kTurn);
    std::vector<std::int32_t> all;
    for (const Grain& grain : f_.grains) {
      std::int32_t last = 0;
      for (const DrawnPose& pose : grain.poses) {
        const std::int32_t change = (rounded(kTurn * pose.angle) - last) % kUnits;
        last += (change + kUnits + kUnits / 2) % kUnits - kUnits / 2;  // the shorter way
        all.push_back(last);
      }
    }
    return all;
  }

  const ReplayFrames& f_;
  ReplayReport& report_;
  double unit_;        // of positions [m]
  double shape_unit_;  // of corners and radii [m]
  std::vector<std::uint32_t> lengths_;
  Columns columns_;
  Json header_;
};

}  // namespace

std::string Replay::page(const std::string& run_info, const std::map<std::string, std::string>& tables,
                         ReplayReport& report) const {
  PageWriter writer(*frames_, report);
  writer.add_poses();
  writer.add_shapes();
  writer.add_arrays();
  writer.add_chains();
  writer.add_walls();
  writer.add_view();
  writer.add_run(run_info, tables);
  return writer.text();
}

}  // namespace scree
