#include "io/formats/frame_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "dem/scene.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/numbered_files.hpp"
#include "io/files/written.hpp"
#include "io/formats/vtk_reader.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// One file of a frame. Everything in it is checked before it is used.
class FrameFile {
 public:
  FrameFile(std::string contents, const fs::path& path)
      : file_(std::move(contents), path, "PolyData", "a frame that scree wrote"),
        cells_(file_.piece("NumberOfLines") + file_.piece("NumberOfPolys")) {
    if (file_.piece("NumberOfVerts") != 0 || file_.piece("NumberOfStrips") != 0) refuse("it has odd cells");
  }

  bool has(const char* name) const { return file_.has("CellData", name); }

  /// Periods of a periodic cell that deforms. Its centre is the scene's.
  std::optional<CellState> cell() const {
    if (!file_.has("FieldData", "cell")) return {};
    const std::vector<double> rows = file_.values<double>("FieldData", "cell", 3, 3);
    CellState cell{.length = {rows[0], rows[4]}, .tilt = rows[3], .strain = {}, .rate = {}, .stress = {}, .work = 0.0};
    if (!(cell.length.minCoeff() > 0.0 && std::abs(cell.tilt) <= cell.length.x())) {
      refuse("its periodic cell makes no sense");
    }
    return cell;
  }

  template <class T>
  std::vector<T> scalars(const char* name) const {
    return file_.values<T>("CellData", name, 1, cells_);
  }

  std::vector<double> positive(const char* name) const {
    std::vector<double> values = scalars<double>(name);
    if (!std::ranges::all_of(values, [](double x) { return x > 0.0; })) {
      refuse(fmt::format("its array {} has a number that is not > 0", name));
    }
    return values;
  }

  /// Whole numbers from 0 on, below `end`.
  std::vector<int> numbers_below(std::size_t end, const char* name) const {
    std::vector<int> values = scalars<int>(name);
    for (const int value : values) {
      if (value < 0 || static_cast<std::size_t>(value) >= end) {
        refuse(fmt::format("its array {} has {}, must be numbers from 0 below {}", name, value, end));
      }
    }
    return values;
  }

  /// No two are equal, none is 0.
  std::vector<std::uint64_t> ids() const {
    std::vector<std::uint64_t> ids = scalars<std::uint64_t>("id");
    std::vector<std::uint64_t> sorted = ids;
    std::ranges::sort(sorted);
    constexpr auto kGreatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 2);
    if (!sorted.empty() && (sorted.front() == 0 || sorted.back() > kGreatest)) refuse("it has an id that nobody has");
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) refuse(fmt::format("it has the id {} twice", *twice));
    return ids;
  }

  std::vector<Vec2> vectors(const char* name) const {
    return in_the_plane(file_.values<double>("CellData", name, 3, cells_));
  }

  std::vector<Colour> colours(const char* name) const {
    const auto all = file_.values<std::uint8_t>("CellData", name, 3, cells_);
    std::vector<Colour> values;
    for (std::size_t k = 0; k < all.size(); k += 3) values.push_back({all[k], all[k + 1], all[k + 2]});
    return values;
  }

  /// Points of every cell [m], in the order of the arrays.
  /// @param least  points of a cell
  Outlines outlines(std::size_t least) const {
    const std::vector<Vec2> points =
        in_the_plane(file_.values<double>("Points", "Points", 3, file_.piece("NumberOfPoints")));
    Outlines all;
    for (const char* section : {"Lines", "Polys"}) {
      const std::size_t cells = file_.piece(fmt::format("NumberOf{}", section));
      if (cells == 0) continue;
      const auto connectivity = file_.list<std::uint32_t>(section, "connectivity");
      const auto offsets = file_.list<std::uint32_t>(section, "offsets");
      if (offsets.size() != cells || offsets.back() != connectivity.size()) refuse("its cells are not whole");
      if (connectivity.size() > points.size()) refuse("its cells share points");
      std::uint32_t begin = 0;
      for (const std::uint32_t end : offsets) {
        if (end < begin || end - begin < least || end > connectivity.size()) refuse("it has a cell of too few points");
        for (; begin < end; ++begin) {
          if (connectivity[begin] >= points.size()) refuse("it has a cell of points that are not there");
          all.vertices.push_back(points[connectivity[begin]]);
        }
        all.first.push_back(static_cast<std::uint32_t>(all.vertices.size()));
      }
    }
    return all;
  }

  [[noreturn]] void refuse(const std::string& why) const { file_.refuse(why); }

 private:
  static std::vector<Vec2> in_the_plane(const std::vector<double>& all) {
    std::vector<Vec2> values;
    for (std::size_t k = 0; k < all.size(); k += 3) values.emplace_back(all[k], all[k + 1]);
    return values;
  }

  VtkReader file_;
  std::size_t cells_;
};

/// Centroid of a polygon.
Vec2 centroid(std::span<const Vec2> corners) {
  Vec2 sum = Vec2::Zero();
  double area = 0.0;
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    const Vec2 a = corners[k] - corners[0];
    const Vec2 b = corners[k + 1] - corners[0];
    const double twice = a.x() * b.y() - a.y() * b.x();
    area += twice;
    sum += twice * (a + b);
  }
  return area != 0.0 ? Vec2(corners[0] + sum / (3.0 * area)) : corners[0];
}

/// A polygon of 36 corners lies inside the disk of equal area only by half of a per cent: its corners decide.
bool is_disk(std::span<const Vec2> corners, const Vec2& centre, double radius) {
  constexpr double kSame = 1e-4;  // a regular polygon's corners are 2.5e-3 farther out
  return corners.size() == kDiskSides && std::ranges::all_of(corners, [&](const Vec2& corner) {
           return std::abs((corner - centre).norm() - radius) < kSame * radius;
         });
}

ParticleState particles_in(const FrameFile& file, const Scene& scene) {
  ParticleState p;
  p.id = file.ids();
  p.type = file.numbers_below(scene.particles.size(), "type");
  p.material = file.numbers_below(scene.materials.size(), "material");
  p.radius = file.positive("radius");
  p.mass = file.positive("mass");
  p.angle = file.scalars<double>("angle");
  p.velocity = file.vectors("velocity");
  p.angular_velocity = file.scalars<double>("angular_velocity");
  p.force = file.vectors("force");
  p.torque = file.scalars<double>("torque");
  p.coordination = file.scalars<int>("coordination");
  if (file.has("colour")) p.colour = file.colours("colour");
  const Outlines all = file.outlines(3);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto corners = std::span(all.vertices).subspan(all.first[i], all.first[i + 1] - all.first[i]);
    const Vec2 centre = centroid(corners);
    if (!centre.allFinite()) file.refuse(fmt::format("its particle {} has corners too far away", p.id[i]));
    p.position.push_back(centre);
    if (!is_disk(corners, centre, p.radius[i])) {
      p.outlines.vertices.insert(p.outlines.vertices.end(), corners.begin(), corners.end());
    }
    p.outlines.first.push_back(static_cast<std::uint32_t>(p.outlines.vertices.size()));
  }
  return p;
}

WallState walls_in(const FrameFile& file, const Scene& scene) {
  WallState w;
  w.id = file.ids();
  w.material = file.numbers_below(scene.materials.size(), "material");
  w.velocity = file.vectors("velocity");
  w.angular_velocity = file.scalars<double>("angular_velocity");
  w.force = file.vectors("force");
  w.torque = file.scalars<double>("torque");
  w.outlines = file.outlines(2);
  return w;
}

/// @param state  its particles and walls
std::vector<ContactState> contacts_in(const FrameFile& file, const State& state) {
  const auto id1 = file.scalars<std::uint64_t>("id1");
  const auto id2 = file.scalars<std::uint64_t>("id2");
  const auto force = file.vectors("force");
  const auto force_normal = file.scalars<double>("force_normal");
  const auto force_tangential = file.scalars<double>("force_tangential");
  const auto overlap = file.scalars<double>("overlap");
  const auto depth = file.scalars<double>("depth");
  const auto sliding = file.scalars<int>("sliding");
  const Outlines lines = file.outlines(2);
  const std::unordered_set<std::uint64_t> particles(state.particles.id.begin(), state.particles.id.end());
  const std::unordered_set<std::uint64_t> walls(state.walls.id.begin(), state.walls.id.end());
  for (const std::uint64_t id : state.particles.id) {
    if (walls.contains(id)) file.refuse(fmt::format("{} is the id of a particle and of a wall", id));
  }
  std::vector<ContactState> contacts;
  for (std::size_t i = 0; i < id1.size(); ++i) {
    const Vec2* points = lines.vertices.data() + lines.first[i];
    const std::size_t count = lines.first[i + 1] - lines.first[i];
    if (count > 3) file.refuse("the line of a contact has more than three points");
    const bool with_wall = walls.contains(id2[i]);
    if (!particles.contains(id1[i]) || !(with_wall || particles.contains(id2[i]))) {
      file.refuse(fmt::format("it has a contact of {} and {}, which are not there", id1[i], id2[i]));
    }
    if (depth[i] < 0.0) file.refuse("it has a contact of negative depth");
    ContactState c{.id1 = id1[i],
                   .id2 = id2[i],
                   .centre1 = points[0],
                   .point = points[1],
                   .centre2 = points[count - 1],
                   .image_shift = Vec2::Zero(),
                   .force = force[i],
                   .force_normal = force_normal[i],
                   .force_tangential = force_tangential[i],
                   .overlap = overlap[i],
                   .depth = depth[i],
                   .sliding = sliding[i] != 0};
    // Across a periodic side: the second line goes from the point to body 2.
    const bool is_second = !contacts.empty() && contacts.back().id1 == c.id1 && contacts.back().id2 == c.id2 &&
                           count == 2 && contacts.back().centre2 == contacts.back().point && !with_wall;
    if (is_second) {
      c.id1 = id2[i];
      c.id2 = id1[i];
      c.centre1 = points[1];
      c.point = points[0];
      c.centre2 = points[0];
      c.force = -c.force;
    }
    contacts.push_back(c);
  }
  return contacts;
}

}  // namespace

std::vector<WrittenFrame> list_frames(const fs::path& directory) {
  std::vector<WrittenFrame> frames;
  for (const auto& [time, number] : read_pvd(directory / "particles.pvd", "particles", kFrameEnding)) {
    frames.push_back({time, number});
  }
  return frames;
}

State read_frame(const fs::path& directory, const WrittenFrame& frame, const Scene& scene) {
  FrameContents contents;
  for (std::size_t k = 0; k < kSeries.size(); ++k) {
    contents[k] = read_file(directory / frame_file(kSeries[k], frame.number));
  }
  return parse_frame(std::move(contents), directory, frame, scene);
}

State parse_frame(FrameContents&& contents, const fs::path& directory, const WrittenFrame& frame, const Scene& scene) {
  const auto file = [&](std::string_view series) {
    const auto k = static_cast<std::size_t>(std::ranges::find(kSeries, series) - kSeries.begin());
    return FrameFile(std::move(contents[k]), directory / frame_file(kSeries[k], frame.number));
  };
  State state;
  state.time = frame.time;
  {
    const FrameFile particles = file("particles");
    state.particles = particles_in(particles, scene);
    state.cell = particles.cell();
  }
  state.walls = walls_in(file("walls"), scene);
  state.contacts = contacts_in(file("contacts"), state);
  return state;
}

}  // namespace scree
