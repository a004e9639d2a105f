#include "io/replay.hpp"

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

#include "io/errors.hpp"
#include "io/number_table.hpp"
#include "io/picture.hpp"
#include "io/replay_columns.hpp"
// The files in io/replay/ as kReplayStyle and so on, written by CMake.
#include "io/replay/body.html.hpp"
#include "io/replay/charts.js.hpp"
#include "io/replay/colours.js.hpp"
#include "io/replay/decode.js.hpp"
#include "io/replay/draw_2d.js.hpp"
#include "io/replay/draw_gl.js.hpp"
#include "io/replay/player.js.hpp"
#include "io/replay/style.css.hpp"
#include "io/svg_plot.hpp"
#include "io/version.hpp"

namespace scree {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPoseUnit = 1.0 / 256.0;    // of the smallest radius
constexpr double kShapeUnit = 1.0 / 2048.0;  // of the smallest radius
constexpr double kTurn = 4096.0;             // units of an angle
constexpr double kLevels = 1023.0;           // of an array
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

double value_of(const ParticleState& p, std::size_t i, const std::string& array) {
  if (array == "coordination") return p.coordination[i];
  if (array == "angular_velocity") return p.angular_velocity[i];
  if (array == "force") return p.force[i].norm();
  if (array == "torque") return p.torque[i];
  return p.velocity[i].norm();
}

struct Pose {
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
  std::vector<Pose> poses;                      // of its frames
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

/// Parts of the page: each packed column is an element of its own.
class Columns {
 public:
  void add(const std::string& name, std::span<const std::int32_t> values, std::span<const std::uint32_t> lengths) {
    const std::string text = base64(packed_column(values, lengths));
    elements_ += fmt::format("<script type=\"text/plain\" id=\"column-{}\">{}</script>\n", name, text);
    last_size_ = text.size();
  }
  void add(const std::string& name, const std::vector<std::int32_t>& values) {
    const std::uint32_t length = static_cast<std::uint32_t>(values.size());
    add(name, values, {&length, 1});
  }
  std::size_t last_size() const { return last_size_; }
  const std::string& elements() const { return elements_; }

 private:
  std::string elements_;
  std::size_t last_size_ = 0;
};

/// What the charts draw (io/replay/charts.js).
constexpr std::array<const char*, 10> kCharted = {
    "time [s]",     "kinetic_energy [J]", "elastic_energy [J]", "particles",        "particles_out",
    "coordination", "max_depth_ratio",    "energy_residual",    "packing_fraction", "mass [kg]"};

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

const std::vector<std::string>& replay_arrays() {
  static const std::vector<std::string> kArrays = {"speed", "coordination", "angular_velocity", "force", "torque"};
  return kArrays;
}

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

struct Replay::Frames {
  Scene scene;
  ReplayOptions options;
  std::vector<double> times = {};
  std::vector<Grain> grains = {};
  std::unordered_map<std::uint64_t, std::uint32_t> grain_of = {};
  std::vector<WallTrack> walls = {};
  std::unordered_map<std::uint64_t, std::uint32_t> wall_of = {};
  std::vector<std::vector<Chain>> chains = {};  // of each frame
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
        grain.values[k].push_back(static_cast<float>(value_of(p, i, options.arrays[k])));
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

  std::vector<std::uint32_t> lengths() const {
    std::vector<std::uint32_t> all;
    for (const Grain& grain : grains) all.push_back(grain.frames);
    return all;
  }

  template <class Value>
  std::vector<std::int32_t> of_poses(Value&& value) const {
    std::vector<std::int32_t> all;
    for (const Grain& grain : grains) {
      for (const Pose& pose : grain.poses) all.push_back(value(pose));
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
    : frames_(std::make_unique<Frames>(Frames{scene, std::move(options)})) {}
Replay::~Replay() = default;

void Replay::add(const State& state) {
  frames_->add_grains(state.particles);
  frames_->add_walls(state.walls);
  frames_->add_chains(state.contacts);
  frames_->scales.add(state);
  frames_->times.push_back(state.time);
}

namespace {

Json domain_json(const Domain& domain) {
  return {{"lo", {domain.lo.x(), domain.lo.y()}},
          {"hi", {domain.hi.x(), domain.hi.y()}},
          {"periodic", {domain.periodic[0], domain.periodic[1]}},
          {"reflecting", domain.reflecting}};
}

}  // namespace

std::string Replay::page(const std::string& run_info, const std::map<std::string, std::string>& tables,
                         ReplayReport& report) const {
  const Frames& f = *frames_;
  const Vec2 extent = f.scene.domain.hi - f.scene.domain.lo;
  const double smallest = f.scales.smallest_radius();
  const double unit = std::max(kPoseUnit * smallest, extent.maxCoeff() / kGreatestNumber);
  const double shape_unit = kShapeUnit * smallest;
  const std::vector<std::uint32_t> lengths = f.lengths();
  report = {f.times.size(), f.grains.size()};
  Columns columns;

  // Poses. The angle's differences wrap as it does, so that a turn is no jump.
  std::size_t pose_size = 0;
  std::uint32_t hash = hash_of_numbers({});
  const auto add_poses = [&](const char* name, const std::vector<std::int32_t>& values) {
    hash = hash_of_numbers(values, hash);
    columns.add(name, values, lengths);
    pose_size += columns.last_size();
  };
  add_poses("x", f.of_poses([&](const Pose& pose) { return rounded(pose.x / unit); }));
  add_poses("y", f.of_poses([&](const Pose& pose) { return rounded(pose.y / unit); }));
  std::vector<std::int32_t> angles;
  for (const Grain& grain : f.grains) {
    std::int32_t last = 0;
    for (const Pose& pose : grain.poses) {
      const auto turn = static_cast<std::int32_t>(kTurn);
      const std::int32_t now = rounded(kTurn * pose.angle);
      const std::int32_t ahead = (((now - last) % turn) + turn + turn / 2) % turn - turn / 2;  // the shorter way
      last += ahead;
      angles.push_back(last);
    }
  }
  add_poses("angle", angles);
  const bool grows = std::ranges::any_of(f.grains, [](const Grain& grain) {
    return std::ranges::any_of(grain.poses, [&](const Pose& p) { return p.radius != grain.poses.front().radius; });
  });
  if (grows) add_poses("radius", f.of_poses([&](const Pose& pose) { return rounded(pose.radius / shape_unit); }));
  report.hash = hash;
  report.sizes.emplace_back("poses", pose_size);

  // Grains and their corners.
  std::size_t shape_size = 0;
  const auto add_grains = [&](const char* name, const auto& value) {
    columns.add(name, f.of_grains(value));
    shape_size += columns.last_size();
  };
  add_grains("id", [](const Grain& g) { return static_cast<std::int32_t>(g.id); });
  add_grains("first", [](const Grain& g) { return static_cast<std::int32_t>(g.first_frame); });
  add_grains("frames", [](const Grain& g) { return static_cast<std::int32_t>(g.frames); });
  add_grains("type", [](const Grain& g) { return g.type; });
  add_grains("material", [](const Grain& g) { return g.material; });
  add_grains("size", [](const Grain& g) { return bits(g.radius); });
  add_grains("mass", [](const Grain& g) { return bits(g.mass); });
  add_grains("corners", [](const Grain& g) { return static_cast<std::int32_t>(g.corners.size()); });
  const bool is_coloured = std::ranges::any_of(f.grains, [](const Grain& g) { return g.colour.has_value(); });
  if (is_coloured) {
    add_grains("colour", [](const Grain& g) {
      const Colour c = g.colour.value_or(Colour{190, 190, 190});
      return static_cast<std::int32_t>(c[0] << 16 | c[1] << 8 | c[2]);
    });
  }
  for (const Eigen::Index axis : {0, 1}) {
    std::vector<std::int32_t> corners;
    for (const Grain& grain : f.grains) {
      for (const Vec2& corner : grain.corners) corners.push_back(rounded(corner[axis] / shape_unit));
    }
    columns.add(axis == 0 ? "corner-x" : "corner-y", corners);
    shape_size += columns.last_size();
  }
  report.sizes.emplace_back("shapes", shape_size);

  // Values of grains.
  Json arrays = Json::array();
  for (std::size_t k = 0; k < f.options.arrays.size(); ++k) {
    const std::string& name = f.options.arrays[k];
    double greatest = 0.0;
    for (const Grain& grain : f.grains) {
      for (const float value : grain.values[k]) greatest = std::max(greatest, static_cast<double>(std::abs(value)));
    }
    const bool is_count = name == "coordination";
    std::vector<std::int32_t> levels;
    for (const Grain& grain : f.grains) {
      for (const float value : grain.values[k]) levels.push_back(is_count ? rounded(value) : level(value, greatest));
    }
    columns.add("array-" + name, levels, lengths);
    report.sizes.emplace_back(name, columns.last_size());
    arrays.push_back({{"name", name}, {"greatest", greatest}, {"counts", is_count}});
  }

  // Force chains.
  double greatest_force = 0.0;
  for (const auto& frame : f.chains) {
    for (const Chain& chain : frame) greatest_force = std::max(greatest_force, chain.force);
  }
  if (greatest_force > 0.0) {
    // The scale ends where few are stronger, as the strongest of a whole run would make all others faint.
    std::vector<double> forces;
    for (const auto& frame : f.chains) {
      for (const Chain& chain : frame) forces.push_back(chain.force);
    }
    const auto strong = forces.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(forces.size() - 1));
    std::nth_element(forces.begin(), strong, forces.end());
    greatest_force = *strong;
    std::vector<std::uint32_t> counts;
    std::vector<std::int32_t> a;
    std::vector<std::int32_t> b;
    std::vector<std::int32_t> dx;
    std::vector<std::int32_t> dy;
    std::vector<std::int32_t> force;
    for (const auto& frame : f.chains) {
      const std::size_t before = a.size();
      for (const Chain& chain : frame) {
        if (chain.force < kFaintest * greatest_force) continue;
        a.push_back(static_cast<std::int32_t>(chain.a));
        b.push_back(chain.b ? static_cast<std::int32_t>(*chain.b - chain.a) : 0);
        dx.push_back(rounded(chain.to_point.x() / (8.0 * unit)));
        dy.push_back(rounded(chain.to_point.y() / (8.0 * unit)));
        force.push_back(rounded(kForceLevels * std::sqrt(std::min(1.0, chain.force / greatest_force))));
      }
      counts.push_back(static_cast<std::uint32_t>(a.size() - before));
    }
    std::size_t size = 0;
    columns.add("chain-counts", std::vector<std::int32_t>(counts.begin(), counts.end()));
    for (const auto& [name, values] :
         {std::pair("chain-a", &a), {"chain-b", &b}, {"chain-dx", &dx}, {"chain-dy", &dy}, {"chain-force", &force}}) {
      columns.add(name, *values, counts);
      size += columns.last_size();
    }
    report.sizes.emplace_back("force chains", size);
  }

  // Walls: an item for each corner.
  Json walls = Json::array();
  std::vector<std::uint32_t> corner_lengths;
  std::array<std::vector<std::int32_t>, 2> corners;
  for (const WallTrack& wall : f.walls) {
    // Walls have rising ids in the order of the scene, but a frame lists segments first.
    const auto number = static_cast<std::size_t>(
        std::ranges::count_if(f.walls, [&](const WallTrack& other) { return other.id < wall.id; }));
    const std::string name = f.walls.size() == f.scene.walls.size() ? f.scene.walls[number].name : "";
    walls.push_back({{"id", wall.id},
                     {"name", name},
                     {"first", wall.first_frame},
                     {"frames", wall.frames},
                     {"corners", wall.outlines.front().size()}});
    for (std::size_t corner = 0; corner < wall.outlines.front().size(); ++corner) {
      corner_lengths.push_back(wall.frames);
      for (const auto& outline : wall.outlines) {
        const Vec2 at = outline[corner] - f.scene.domain.lo;
        corners[0].push_back(rounded(at.x() / unit));
        corners[1].push_back(rounded(at.y() / unit));
      }
    }
  }
  columns.add("wall-x", corners[0], corner_lengths);
  columns.add("wall-y", corners[1], corner_lengths);

  Region view = f.scales.region();
  Json panels = Json::array();
  for (const ReplayPanel& panel : f.options.panels) {
    panels.push_back({{"name", panel.name}, {"shift", {panel.shift.x(), panel.shift.y()}}});
    if (panel.shift == Vec2::Zero()) continue;
    for (const Eigen::Index k : {0, 1}) {
      if (!f.scene.domain.reflecting && !f.scene.domain.periodic[static_cast<std::size_t>(k)]) continue;
      view.lo[k] = std::min(view.lo[k], f.scene.domain.lo[k] + panel.shift[k]);
      view.hi[k] = std::max(view.hi[k], f.scene.domain.hi[k] + panel.shift[k]);
    }
  }
  Json header;
  header["title"] = f.scene.title;
  header["mode"] = f.scene.mode == Mode::soft ? "soft" : "hard";
  header["times"] = f.times;
  header["unit"] = unit;
  header["shape_unit"] = shape_unit;
  header["turn"] = kTurn;
  header["levels"] = kLevels;
  header["grains"] = f.grains.size();
  header["grows"] = grows;
  header["coloured"] = is_coloured;
  header["domain"] = domain_json(f.scene.domain);
  header["panels"] = panels;
  header["view"] = {view.lo.x(), view.hi.x(), view.lo.y(), view.hi.y()};
  header["materials"] = Json::array();
  for (const Material& material : f.scene.materials) header["materials"].push_back(material.name);
  header["arrays"] = arrays;
  header["chain_force"] = greatest_force;
  header["walls"] = walls;
  header["hash"] = fmt::format("{:08x}", hash);
  header["tables"] = Json::object();
  for (const auto& [name, text] : tables) header["tables"][name] = table_json(text);
  header["run"] = Json::parse(run_info, nullptr, /*allow_exceptions=*/false);
  const std::string header_text = script_safe(header.dump(-1, ' ', false, Json::error_handler_t::replace));
  report.sizes.emplace_back("tables and scene", header_text.size());

  std::string out;
  out.reserve(columns.elements().size() + header_text.size() + 100000);
  const std::string title = escaped(f.scene.title.empty() ? "A run of scree" : f.scene.title);
  out += fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"scree {}\">\n<title>{}</title>\n<style>\n",
      version(), title);
  for (const std::string_view part : {kReplayStyle, std::string_view("</style>\n</head>\n"), kReplayBody}) out += part;
  out += fmt::format("<script type=\"application/json\" id=\"header\">{}</script>\n", header_text);
  out += columns.elements();
  for (const std::string_view script :
       {kReplayDecode, kReplayColours, kReplayDrawGl, kReplayDraw2d, kReplayCharts, kReplayPlayer}) {
    out += "<script>\n";
    out += script;
    out += "</script>\n";
  }
  return out += "</body>\n</html>\n";
}

}  // namespace scree
