#include "io/pages/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "dem/scene.hpp"
#include "io/frames/group_names.hpp"
#include "io/frames/parallelogram.hpp"

namespace scree {
namespace {

// Equal steps along a map look equal; darker all the way, so also in grey. view.py and the replay have the same ones.
constexpr std::array<Colour, 9> kFlow = {{{0xf4, 0xe3, 0xcb},
                                          {0xc4, 0xd0, 0xb5},
                                          {0x95, 0xbc, 0xa9},
                                          {0x67, 0xaa, 0xa8},
                                          {0x33, 0x96, 0xa6},
                                          {0x00, 0x7f, 0xa2},
                                          {0x00, 0x68, 0x99},
                                          {0x00, 0x4b, 0x82},
                                          {0x00, 0x2f, 0x67}}};
constexpr std::array<Colour, 7> kForce = {{{0xe8, 0xb7, 0x94},
                                           {0xe4, 0x9f, 0x77},
                                           {0xdd, 0x86, 0x5b},
                                           {0xd3, 0x6a, 0x46},
                                           {0xc4, 0x4b, 0x38},
                                           {0xa5, 0x31, 0x2d},
                                           {0x85, 0x21, 0x26}}};
constexpr std::array<Colour, 5> kSigned = {
    {{0x0b, 0x53, 0x94}, {0x5f, 0x9b, 0xc9}, {0xe9, 0xe4, 0xda}, {0xd9, 0x8b, 0x5f}, {0xa5, 0x31, 0x2d}}};
// Okabe and Ito's, softened.
constexpr std::array<Colour, 8> kKinds = {{{0xe0, 0xb1, 0x5a},
                                           {0x5a, 0xa9, 0xd6},
                                           {0x3f, 0xa3, 0x84},
                                           {0xd9, 0x8c, 0xb3},
                                           {0xcf, 0x6a, 0x32},
                                           {0x8c, 0x8f, 0xd0},
                                           {0xb7, 0xb3, 0x3e},
                                           {0x9a, 0x9a, 0x9a}}};
constexpr Colour kPlain = {0xe6, 0xd3, 0xb8};
constexpr Colour kInk = {0x23, 0x27, 0x2e};
constexpr Colour kSoft = {0x66, 0x6d, 0x78};
constexpr Colour kWall = {0x8b, 0x90, 0x99};

constexpr double kStrongShare = 0.99;     // of speeds and forces that lie below the end of their scale
constexpr double kFaintest = 1.0 / 64.0;  // of the end of the scale: weaker chains are not drawn

Colour mixed(const Colour& from, const Colour& to, double share) {
  Colour colour;
  for (std::size_t c = 0; c < 3; ++c) {
    colour[c] = static_cast<std::uint8_t>(std::lround(from[c] + share * (to[c] - from[c])));
  }
  return colour;
}

Colour colour_at(std::span<const Colour> map, double share) {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(map.size() - 1);
  const auto from = std::min(static_cast<std::size_t>(at), map.size() - 2);
  return mixed(map[from], map[from + 1], at - static_cast<double>(from));
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Places of the plane in the picture.
struct Camera {
  Region region;
  double scale;  // pixels a metre
  Vec2 corner;   // of the region's lower left corner

  Vec2 at(const Vec2& point) const {
    const Vec2 d = scale * (point - region.lo);
    return {corner.x() + d.x(), corner.y() - d.y()};
  }
};

std::vector<Vec2> placed(const Outlines& outlines, std::size_t k, const Camera& camera) {
  std::vector<Vec2> points;
  for (std::uint32_t v = outlines.first[k]; v < outlines.first[k + 1]; ++v) {
    points.push_back(camera.at(outlines.vertices[v]));
  }
  return points;
}

void add_text(Picture& picture, const Vec2& at, double size, const Colour& colour, std::string text, Anchor anchor) {
  picture.marks.push_back({.kind = Mark::Kind::text,
                           .points = {at},
                           .size = size,
                           .colour = colour,
                           .text = std::move(text),
                           .anchor = anchor});
}

void add_line(Picture& picture, std::vector<Vec2> points, double width, const Colour& colour, bool dashed = false) {
  picture.marks.push_back(
      {.kind = Mark::Kind::line, .points = std::move(points), .size = width, .colour = colour, .dashed = dashed});
}

/// Draws a periodic cell that deforms.
void add_cell(Picture& picture, const CellState& cell, const Vec2& centre, const Camera& camera, double unit) {
  const std::array<Vec2, 4> corners = corners_of(cell, centre, cell.tilt);
  for (std::size_t k = 0; k < 4; ++k) {
    add_line(picture, {camera.at(corners[k]), camera.at(corners[(k + 1) % 4])}, unit, kWall, true);
  }
}

/// Sides that throw back are lines, periodic ones dashed; open ones are not drawn.
void add_sides(Picture& picture, const Domain& domain, const Camera& camera, double unit) {
  const Vec2 a = camera.at(domain.lo);
  const Vec2 b = camera.at(domain.hi);
  const auto add = [&](std::size_t axis, const Vec2& from, const Vec2& to) {
    const bool periodic = domain.periodic[axis];
    if (periodic || domain.reflecting) add_line(picture, {from, to}, (periodic ? 1.0 : 2.0) * unit, kWall, periodic);
  };
  add(0, a, {a.x(), b.y()});
  add(0, {b.x(), a.y()}, b);
  add(1, a, {b.x(), a.y()});
  add(1, {a.x(), b.y()}, b);
}

/// What colours grains, as colours and as a legend: a scale, or kinds with their names, or nothing.
struct Colouring {
  std::string name;  // of a number; empty: kinds
  std::span<const Colour> map = {};
  double from = 0.0;
  RoundScale scale = {};
  std::vector<std::string> kinds = {};

  Colour at(double value) const { return colour_at(map, (value - from) / (scale.end - from)); }
};

Colour kind_colour(std::size_t kind) {
  return kKinds[kind % kKinds.size()];
}

/// The choice that a state has: without colours of the scene, speed.
std::string choice_for(const State& state, const PictureScales& scales) {
  const bool has_own = !state.particles.colour.empty();
  const std::string& asked = scales.colour();
  if (asked.empty() || asked == "scene") return has_own ? "scene" : "speed";
  return asked;
}

Colouring colouring_of(const std::string& choice, const Scene& scene, const PictureScales& scales) {
  if (choice == "material") return {.name = {}, .kinds = material_names(scene)};
  if (choice == "group") return {.name = {}, .kinds = group_names(scene)};
  if (choice == "size") {
    const double smallest = scales.smallest_radius();
    const double largest = scales.largest_radius();
    if (!(largest > smallest * 1.001)) return {};
    return {.name = "radius [m]",
            .map = kFlow,
            .from = smallest,
            .scale = {largest, {smallest, 0.5 * (smallest + largest), largest}}};
  }
  if (std::ranges::find(grain_arrays(), choice) == grain_arrays().end()) return {};
  if (choice == "coordination") return {.name = "contacts", .map = kFlow, .scale = {6.0, {0.0, 2.0, 4.0, 6.0}}};
  const RoundScale scale = round_scale(scales.value());
  if (choice == "speed") return {.name = "speed [m/s]", .map = kFlow, .scale = scale};
  if (choice == "force") return {.name = "total force [N]", .map = kFlow, .scale = scale};
  return {.name = choice == "torque" ? "torque [N m]" : "angular velocity [rad/s]",
          .map = kSigned,
          .from = -scale.end,
          .scale = {scale.end, {-scale.end, 0.0, scale.end}}};
}

Colour colour_of(const ParticleState& p, std::size_t i, const std::string& choice, const Colouring& colouring) {
  if (choice == "scene") return p.colour[i];
  if (choice == "material") return kind_colour(static_cast<std::size_t>(p.material[i]));
  if (choice == "group") return kind_colour(static_cast<std::size_t>(p.type[i]));
  if (colouring.map.empty()) return kPlain;
  return colouring.at(choice == "size" ? p.radius[i] : grain_value(p, i, choice));
}

void add_grains(Picture& picture, const State& state, const Camera& camera, const std::string& choice,
                const Colouring& colouring, double unit) {
  const ParticleState& p = state.particles;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Colour colour = colour_of(p, i, choice, colouring);
    const double radius = camera.scale * p.radius[i];
    Mark mark{.kind = Mark::Kind::polygon, .points = placed(p.outlines, i, camera), .colour = colour};
    mark.edge = mixed(colour, kInk, std::clamp(radius / (6.0 * unit), 0.15, 0.6));  // else small grains would be black
    mark.edge_width = std::clamp(0.08 * radius, 0.25 * unit, 1.5 * unit);
    if (mark.points.empty()) {
      mark.kind = Mark::Kind::disk;
      mark.points = {camera.at(p.position[i])};
      mark.size = radius;
    }
    const Colour edge = *mark.edge;
    const bool is_disk = mark.kind == Mark::Kind::disk;
    picture.marks.push_back(std::move(mark));
    if (is_disk && radius > 6.0 * unit) {  // how it is turned
      const Vec2 rim = p.position[i] + p.radius[i] * Vec2(std::cos(p.angle[i]), std::sin(p.angle[i]));
      add_line(picture, {camera.at(p.position[i]), camera.at(rim)}, unit, edge);
    }
  }
}

void add_chains(Picture& picture, const State& state, const Camera& camera, double greatest, double unit) {
  if (!(greatest > 0.0)) return;
  double radius = 0.0;
  for (const double r : state.particles.radius) radius += r / static_cast<double>(state.particles.size());
  const double widest = std::max(0.9 * radius * camera.scale, 2.5 * unit);
  for (const ContactState& c : state.contacts) {
    const double share = std::min(1.0, c.force_normal / greatest);
    if (share < kFaintest) continue;
    std::vector<Vec2> points = {camera.at(c.centre1), camera.at(c.point)};
    if (c.centre2 != c.point && c.image_shift == Vec2::Zero()) points.push_back(camera.at(c.centre2));
    add_line(picture, std::move(points), std::max(0.3 * unit, widest * share), colour_at(kForce, share));
  }
}

std::string words_of(double mark) {
  return fmt::format("{:.4g}", mark);
}

/// Every how many marks of a scale have words, so that these have room beside one another; the last mark has some.
std::size_t marks_apart(const RoundScale& scale, double width) {
  constexpr double kLetter = 7.5;  // width of a digit of 12 units, and a share of the gap between words
  const std::size_t steps = scale.marks.size() - 1;
  const auto has_room = [&](std::size_t every) {
    for (std::size_t k = every; k <= steps; k += every) {
      const double letters =
          0.5 * static_cast<double>(words_of(scale.marks[k]).size() + words_of(scale.marks[k - every]).size());
      if (kLetter * letters > width * static_cast<double>(every) / static_cast<double>(steps)) return false;
    }
    return true;
  };
  for (std::size_t every = 1; every < steps; ++every) {
    if (steps % every == 0 && has_room(every)) return every;
  }
  return steps;
}

/// Names of kinds with their colours, whose right end is at `right`; returns their left end.
double add_kinds(Picture& picture, const std::vector<std::string>& names, double right, double top, double unit) {
  constexpr std::size_t kRows = 4;
  const std::size_t count = std::min(names.size(), kKinds.size());
  double left = right;
  for (std::size_t first = 0; first < count; first += kRows) {
    const std::size_t rows = std::min(kRows, count - first);
    std::size_t longest = 0;
    for (std::size_t k = first; k < first + rows; ++k) longest = std::max(longest, names[k].size());
    left -= (20.0 + 6.6 * static_cast<double>(longest) + (first > 0 ? 20.0 : 0.0)) * unit;
    for (std::size_t k = first; k < first + rows; ++k) {
      const double low = top + 14.0 * unit * static_cast<double>(k - first);
      const double high = low - 10.0 * unit;
      const double end = left + 10.0 * unit;
      picture.marks.push_back({.kind = Mark::Kind::polygon,
                               .points = {{left, low}, {end, low}, {end, high}, {left, high}},
                               .colour = kind_colour(k)});
      add_text(picture, {left + 16.0 * unit, low}, 12.0 * unit, kInk, names[k], Anchor::start);
    }
  }
  return left;
}

/// A scale of colours whose right end is at `right`; returns its left end.
double add_scale(Picture& picture, std::span<const Colour> map, const RoundScale& scale, double from,
                 const std::string& name, double right, double top, double unit) {
  constexpr int kSteps = 60;
  const double width = 150.0 * unit;
  const double left = right - width;
  add_text(picture, {left, top}, 12.0 * unit, kSoft, name, Anchor::start);
  for (int k = 0; k < kSteps; ++k) {
    const double begin = left + width * k / kSteps;
    const double to = left + width * (k + 1) / kSteps + (k + 1 < kSteps ? 0.5 : 0.0);
    picture.marks.push_back({.kind = Mark::Kind::polygon,
                             .points = {{begin, top + 6.0 * unit},
                                        {to, top + 6.0 * unit},
                                        {to, top + 15.0 * unit},
                                        {begin, top + 15.0 * unit}},
                             .colour = colour_at(map, (k + 0.5) / kSteps)});
  }
  const std::size_t every = marks_apart(scale, width / unit);
  for (std::size_t k = 0; k < scale.marks.size(); k += every) {
    add_text(picture, {left + width * (scale.marks[k] - from) / (scale.end - from), top + 29.0 * unit}, 12.0 * unit,
             kInk, words_of(scale.marks[k]), Anchor::middle);
  }
  return left;
}

}  // namespace

const std::vector<std::string>& grain_arrays() {
  static const std::vector<std::string> kArrays = {"speed", "coordination", "angular_velocity", "force", "torque"};
  return kArrays;
}

double grain_value(const ParticleState& particles, std::size_t i, const std::string& array) {
  if (array == "coordination") return particles.coordination[i];
  if (array == "angular_velocity") return particles.angular_velocity[i];
  if (array == "force") return particles.force[i].norm();
  if (array == "torque") return particles.torque[i];
  return particles.velocity[i].norm();
}

const std::vector<std::string>& grain_colours() {
  static const std::vector<std::string> kColours = [] {
    std::vector<std::string> all = {"scene"};
    all.insert(all.end(), grain_arrays().begin(), grain_arrays().end());
    all.insert(all.end(), {"size", "material", "group", "none"});
    return all;
  }();
  return kColours;
}

RoundScale round_scale(double greatest) {
  if (!(greatest > 0.0)) return {1.0, {0.0, 0.5, 1.0}};
  constexpr std::array<std::pair<double, int>, 9> kEnds = {
      {{1.0, 5}, {1.5, 3}, {2.0, 4}, {3.0, 3}, {4.0, 4}, {5.0, 5}, {6.0, 3}, {8.0, 4}, {10.0, 5}}};
  const double power = std::pow(10.0, std::floor(std::log10(greatest)));
  const auto* found =
      std::ranges::find_if(kEnds, [&](const auto& e) { return e.first * power >= greatest * (1.0 - 1e-9); });
  const auto [digit, count] = found != kEnds.end() ? *found : kEnds.back();
  RoundScale scale{digit * power, {}};
  for (int k = 0; k <= count; ++k) scale.marks.push_back(scale.end * k / count);
  return scale;
}

PictureScales::PictureScales(const Scene& scene, std::string colour)
    : domain_(scene.domain), colour_(std::move(colour)) {}

void PictureScales::add(const State& as_written) {
  const Vec2 centre = centre_of(domain_);
  const std::optional<State> moved = in_parallelogram(as_written, centre);
  const State& state = moved ? *moved : as_written;
  const auto grow = [](std::optional<Region>& box, const Vec2& lo, const Vec2& hi) {
    if (!box) box = Region{lo, hi};
    box->lo = box->lo.cwiseMin(lo);
    box->hi = box->hi.cwiseMax(hi);
  };
  const ParticleState& p = state.particles;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 reach = Vec2::Constant(p.radius[i]);
    grow(grains_, p.position[i] - reach, p.position[i] + reach);
    values_.push_back(std::abs(grain_value(p, i, colour_)));
    largest_radius_ = std::max(largest_radius_, p.radius[i]);
    radius_ = radius_ > 0.0 ? std::min(radius_, p.radius[i]) : p.radius[i];
  }
  for (const Vec2& corner : p.outlines.vertices) grow(grains_, corner, corner);  // long ones reach beyond their radius
  for (const Vec2& corner : state.walls.outlines.vertices) grow(walls_, corner, corner);
  if (state.cell) {
    constexpr double kMuch = 0.3;  // of a period: then other frames have half of it
    const double half = 0.5 * state.cell->length.x();
    const double tilt = std::abs(state.cell->tilt) > 2.0 * kMuch * half ? half : state.cell->tilt;
    for (const double way : {-tilt, tilt}) {
      for (const Vec2& corner : corners_of(*state.cell, centre, way)) grow(grains_, corner, corner);
    }
  }
  for (const ContactState& c : state.contacts) {
    if (c.force_normal > 0.0) forces_.push_back(c.force_normal);
  }
}

double PictureScales::value() const {
  return percentile(values_, kStrongShare);
}

double PictureScales::force() const {
  return percentile(forces_, kStrongShare);
}

double PictureScales::smallest_radius() const {
  return radius_ > 0.0 ? radius_ : 1.0;
}

double PictureScales::largest_radius() const {
  return largest_radius_ > 0.0 ? largest_radius_ : 1.0;
}

Region PictureScales::region() const {
  Region box = grains_ ? *grains_ : walls_ ? *walls_ : Region{domain_.lo, domain_.hi};
  for (const Eigen::Index k : {0, 1}) {
    if (domain_.cell && grains_) break;  // which is among them
    if (!domain_.reflecting && !domain_.periodic[static_cast<std::size_t>(k)]) continue;
    box.lo[k] = std::min(box.lo[k], domain_.lo[k]);
    box.hi[k] = std::max(box.hi[k], domain_.hi[k]);
  }
  if (walls_) {
    const double size = (box.hi - box.lo).maxCoeff();
    const auto out = [&](double beyond) { return beyond <= 0.0 ? 0.0 : beyond < 0.7 * size ? beyond : 0.1 * size; };
    const Region inner = box;
    for (const Eigen::Index k : {0, 1}) {
      box.lo[k] -= out(inner.lo[k] - walls_->lo[k]);
      box.hi[k] += out(walls_->hi[k] - inner.hi[k]);
    }
  }
  for (const Eigen::Index k : {0, 1}) {  // a single point has no extent
    if (!(box.hi[k] > box.lo[k])) {
      box.lo[k] -= 0.5 * smallest_radius();
      box.hi[k] += 0.5 * smallest_radius();
    }
  }
  return box;
}

Picture picture_of(const State& as_written, const Scene& scene, const PictureScales& scales,
                   const PictureOptions& options) {
  const Vec2 centre = centre_of(scene.domain);
  const std::optional<State> moved = in_parallelogram(as_written, centre);
  const State& state = moved ? *moved : as_written;
  const double unit = options.letters > 0.0 ? options.letters : options.width / 1200.0;
  const double margin = 24.0 * unit;
  const double above = options.words ? 84.0 * unit : margin;
  const Region region = scales.region();
  const Vec2 extent = region.hi - region.lo;
  const double greatest_height = 1.2 * options.width;
  const double scale =
      std::min((options.width - 2.0 * margin) / extent.x(), (greatest_height - above - margin) / extent.y());
  const double low = std::ceil(above + scale * extent.y());
  Picture picture{options.width, std::ceil(low + margin), {}};
  const Camera camera{region, scale, {0.5 * (options.width - scale * extent.x()), low}};

  for (std::size_t k = 0; k < state.walls.size(); ++k) {
    std::vector<Vec2> points = placed(state.walls.outlines, k, camera);
    if (points.size() == 2) {
      add_line(picture, std::move(points), 2.0 * unit, kWall);
    } else {
      picture.marks.push_back({.kind = Mark::Kind::polygon, .points = std::move(points), .colour = kWall});
    }
  }
  const std::string choice = choice_for(state, scales);
  const Colouring colouring = colouring_of(choice, scene, scales);
  const RoundScale forces = round_scale(scales.force());
  add_grains(picture, state, camera, choice, colouring, unit);
  const bool has_chains = options.chains && !state.contacts.empty() && scales.force() > 0.0;
  if (has_chains) add_chains(picture, state, camera, forces.end, unit);
  if (state.cell) {
    add_cell(picture, *state.cell, centre, camera, unit);
  } else {
    add_sides(picture, scene.domain, camera, unit);
  }
  if (!options.words) return picture;
  // What goes beyond the region does not run into the words.
  picture.marks.push_back(
      {.kind = Mark::Kind::polygon,
       .points = {{0.0, 0.0}, {options.width, 0.0}, {options.width, above - 6.0 * unit}, {0.0, above - 6.0 * unit}},
       .colour = {255, 255, 255}});
  add_text(picture, {margin, 34.0 * unit}, 20.0 * unit, kInk, scene.title, Anchor::start);
  add_text(picture, {margin, 58.0 * unit}, 15.0 * unit, kSoft, fmt::format("t = {:.4g} s{}", state.time, options.note),
           Anchor::start);
  double right = options.width - margin - 10.0 * unit;
  const double top = 28.0 * unit;
  if (!colouring.map.empty()) {
    right = add_scale(picture, colouring.map, colouring.scale, colouring.from, colouring.name, right, top, unit) -
            40.0 * unit;
  } else if (!colouring.kinds.empty()) {
    right = add_kinds(picture, colouring.kinds, right, top, unit) - 40.0 * unit;
  }
  if (has_chains) add_scale(picture, kForce, forces, 0.0, "normal force [N]", right, top, unit);
  return picture;
}

}  // namespace scree
