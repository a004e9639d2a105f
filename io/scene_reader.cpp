#include "io/scene_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numbers>
#include <set>
#include <system_error>

#include "dem/hard/materials.hpp"
#include "dem/soft/laws/laws.hpp"
#include "geometry/polygon.hpp"
#include "geometry/polygon_makers.hpp"
#include "io/billiards.hpp"
#include "io/errors.hpp"
#include "io/number_text.hpp"
#include "io/yaml_value.hpp"

namespace scree {

namespace {

constexpr std::array<const char*, 2> kAxes = {"x", "y"};
constexpr WholeNumbers kCount = {.least = 1, .greatest = std::uint64_t{1} << 32};
constexpr WholeNumbers kVertices = {.least = 3, .greatest = 10'000};  // more, and a polygon's corners are no corners
constexpr double kGreatestAspect = 100.0;
constexpr double kGreatestDampingRatio = 10.0;
constexpr double kLeastViscoelasticRestitution = 0.01;
constexpr double kMostFrames = 1e6;
constexpr double kMostSteps = 1e15;
constexpr double kMostSamples = 1e6;
constexpr std::uint64_t kBins = 100;  // of a histogram, unless the scene says otherwise
constexpr std::uint64_t kMostBins = 100'000;
constexpr double kThermalVelocities = 5.0;  // beyond: one in 200 000

/// For people.
std::string metres(double length) {
  return number_text(length, 6) + " m";
}

void read_version(const YamlValue& value) {
  if (!value.is("1")) value.refuse("1, the version of the scene format");
}

Mode read_mode(const YamlValue& value) {
  return value.choice({"soft", "hard"}, "soft") == "soft" ? Mode::soft : Mode::hard;
}

/// Both intervals of a box, a region or a domain.
template <typename Box>
Box read_box(const YamlMapping& keys) {
  Box box;
  for (int axis : {0, 1}) {
    const Range<double> interval = keys[kAxes[static_cast<std::size_t>(axis)]].interval("m");
    box.lo[axis] = interval.least;
    box.hi[axis] = interval.greatest;
  }
  return box;
}

Domain read_domain(const YamlValue& value, Mode mode) {
  const YamlMapping keys = value.mapping({"x", "y", "periodic", "sides"});
  Domain domain = read_box<Domain>(keys);
  domain.reflecting = keys["sides"].choice({"open", "reflecting"}, "open") == "reflecting";
  if (domain.reflecting && mode == Mode::soft) keys["sides"].refuse("open in soft mode, where walls keep grains in");
  if (!keys["periodic"].given()) return domain;
  for (const YamlValue& entry : keys["periodic"].list("a list of the periodic axes: [], [x], [y] or [x, y]")) {
    bool& periodic = domain.periodic[entry.choice({"x", "y"}) == "x" ? 0 : 1];
    if (periodic) entry.fail("is given twice, must be given once");
    periodic = true;
  }
  return domain;
}

/// Refuses what changes the physics of soft grains and that hard ones do not have.
void require_hard_disks(const YamlMapping& keys) {
  if (keys["damping"].given()) keys["damping"].refuse("left out in hard mode, and restitution given instead");
  const YamlValue dynamic_friction = keys["dynamic_friction"];
  if (dynamic_friction.given() && !dynamic_friction.is("static")) dynamic_friction.refuse("static in hard mode");
  for (const char* key : {"rolling_friction", "cohesion"}) {
    if (keys[key].number(Numbers::any(""), 0.0) != 0.0) keys[key].refuse("0 in hard mode");
  }
}

/// @param besides the one other key
YamlMapping mapping_with_contact_properties(const YamlValue& value, const char* besides) {
  return value.mapping({besides, "stiffness", "restitution", "damping", "friction", "dynamic_friction",
                        "tangential_stiffness", "tangential_damping", "rolling_friction", "cohesion",
                        "tangential_restitution", "restitution_law", "restitution_speed"});
}

/// A member of an enumeration by its name. @param names of all members, in order
template <class Kind, std::size_t N>
Kind read_kind(const YamlValue& value, const std::array<const char*, N>& names, Kind otherwise) {
  const std::string chosen = value.choice({names.begin(), names.end()}, name(otherwise));
  return static_cast<Kind>(std::find(names.begin(), names.end(), chosen) - names.begin());
}

/// How restitution depends on speed; a pair without a law has that of its mixture. It is checked in hard mode only.
void read_restitution_law(const YamlMapping& keys, Mode mode, Material& material) {
  const YamlValue law = keys["restitution_law"];
  const YamlValue speed = keys["restitution_speed"];
  material.restitution_law = read_kind(law, kRestitutionLawNames, material.restitution_law);
  if (law.given() && material.restitution_law != RestitutionLaw::constant) {
    material.restitution_speed = speed.number(Numbers::positive("m/s"));
  } else {
    if (speed.given()) speed.refuse("left out: no restitution_law that depends on speed is given with it");
    if (law.given()) material.restitution_speed = Material{}.restitution_speed;
  }
  if (mode == Mode::soft || material.restitution_law != RestitutionLaw::viscoelastic) return;
  if (material.restitution >= kLeastViscoelasticRestitution && material.restitution < 1.0) return;
  if (!keys["restitution"].given()) law.refuse("constant or bizon, since restitution is not in [0.01, 1)");
  keys["restitution"].refuse("a number in [0.01, 1), since restitution_law is viscoelastic");
}

/// What two materials in contact have in common: those keys that are given, into a mixture or into a new material.
/// @param required whether restitution (or damping) must be given, and in soft mode stiffness
enum class Required : std::uint8_t { kYes, kNo };
void read_contact_properties(const YamlMapping& keys, Mode mode, Required required, Material& material) {
  if (mode == Mode::hard) require_hard_disks(keys);
  const bool needs_stiffness = required == Required::kYes && mode == Mode::soft;
  const std::optional<double> stiffness = needs_stiffness ? std::nullopt : std::optional(material.stiffness);
  material.stiffness = keys["stiffness"].number(Numbers::positive("N/m"), stiffness);
  if (keys["damping"].given() || (keys["restitution"].given() && required == Required::kNo)) {
    keys.only_one_of({"restitution", "damping"});
  }
  if (keys["damping"].given()) {
    material.damping = keys["damping"].number({.least = 0.0, .greatest = kGreatestDampingRatio});
  } else if (keys["restitution"].given() || required == Required::kYes) {
    material.damping.reset();
    material.restitution = keys["restitution"].number(
        mode == Mode::hard
            ? Numbers{.least = 0.0, .greatest = 1.0}
            : Numbers{.least = 0.0, .greatest = 1.0, .without_least = true, .reason = "no finite damping reaches 0"});
  }
  material.friction = keys["friction"].number(Numbers::at_least(0.0, ""), material.friction);
  if (keys["dynamic_friction"].is("static")) {
    material.dynamic_friction.reset();
  } else if (keys["dynamic_friction"].given()) {
    material.dynamic_friction = keys["dynamic_friction"].number(
        {.least = 0.0, .greatest = material.friction, .reason = "up to friction", .alternative = "static"});
  } else if (keys["friction"].given()) {
    material.dynamic_friction.reset();
  }
  material.tangential_stiffness =
      keys["tangential_stiffness"].number(Numbers::positive(""), material.tangential_stiffness);
  if (keys["tangential_damping"].is("normal")) {
    material.tangential_damping.reset();
  } else if (keys["tangential_damping"].given()) {
    material.tangential_damping =
        keys["tangential_damping"].number({.least = 0.0, .greatest = kGreatestDampingRatio, .alternative = "normal"});
  }
  material.rolling_friction = keys["rolling_friction"].number(Numbers::at_least(0.0, ""), material.rolling_friction);
  material.cohesion = keys["cohesion"].number(Numbers::at_least(0.0, "N/m"), material.cohesion);
  material.tangential_restitution =
      keys["tangential_restitution"].number({.least = -1.0, .greatest = 1.0}, material.tangential_restitution);
  read_restitution_law(keys, mode, material);
}

Material read_material(const std::string& name, const YamlValue& value, Mode mode) {
  const YamlMapping keys = mapping_with_contact_properties(value, "density");
  Material material;
  material.name = name;
  material.density = keys["density"].number(Numbers::positive("kg/m^2"));
  read_contact_properties(keys, mode, Required::kYes, material);
  return material;
}

std::vector<Material> read_materials(const YamlValue& value, Mode mode) {
  std::vector<Material> materials;
  if (!value.given() || value.is_empty()) return materials;
  for (const auto& [name, entry] : value.entries("a mapping from names to materials")) {
    materials.push_back(read_material(name, entry, mode));
  }
  return materials;
}

int read_material_name(const YamlValue& value, const std::vector<Material>& materials) {
  const std::string name = value.name("the name of a material");
  std::vector<std::string> names;
  for (const Material& material : materials) names.push_back(material.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string allowed = names.empty() ? "listed in materials, which has none" : one_of_text(names);
    value.fail("is '" + name + "', which is no material" + did_you_mean(name, names) + ", must be " + allowed);
  }
  return static_cast<int>(found - names.begin());
}

/// Refuses what is no strictly convex polygon.
void check_polygon(const std::vector<Vec2>& points, const YamlValue& value, const std::string& allowed) {
  try {
    const Polygon check(points);
  } catch (const GeometryError& error) {
    value.fail(std::string("is no polygon (") + error.what() + "), must be " + allowed);
  }
}

/// Points around a strictly convex polygon, as they are given.
std::vector<Vec2> read_polygon(const YamlValue& value) {
  const std::string allowed = "a convex polygon: a list of at least 3 corners [x, y] in order [m]";
  std::vector<Vec2> points;
  for (const YamlValue& point : value.list(allowed)) points.push_back(point.vec2("m"));
  check_polygon(points, value, allowed);
  return points;
}

std::vector<Vec2> read_box_as_polygon(const YamlValue& value) {
  const auto box = read_box<Region>(value.mapping({"x", "y"}));
  const std::vector<Vec2> points = {box.lo, {box.hi.x(), box.lo.y()}, box.hi, {box.lo.x(), box.hi.y()}};
  check_polygon(points, value, "a box that is not too thin");
  return points;
}

/// What a wall consists of, and where it turns about unless the scene says otherwise.
struct WallForm {
  std::vector<std::vector<Vec2>> polygons;
  Vec2 pivot;
};

WallForm read_ring(const YamlValue& value) {
  const YamlMapping keys = value.mapping({"centre", "radius", "thickness", "segments"});
  const Vec2 centre = keys["centre"].vec2("m");
  const double radius = keys["radius"].number(Numbers::positive("m"));
  const double thickness = keys["thickness"].number(Numbers::positive("m"));
  const std::uint64_t segments = keys["segments"].whole_number(kVertices);
  WallForm form{ring(centre, radius, thickness, static_cast<int>(segments)), centre};
  for (const auto& polygon : form.polygons) check_polygon(polygon, value, "a ring that is not too thin");
  return form;
}

WallForm read_segment(const YamlValue& value, Mode mode) {
  if (mode == Mode::soft) value.fail_at_key("is given in mode soft, where walls have an area, must be polygon or box");
  const std::string allowed = "a segment: a list of two points [x, y] that are not the same [m]";
  const std::vector<YamlValue> ends = value.list(allowed);
  if (ends.size() != 2) value.refuse(allowed);
  const std::vector<Vec2> points = {ends[0].vec2("m"), ends[1].vec2("m")};
  if (points[0] == points[1]) value.fail("has no length, must be " + allowed);
  return {{points}, 0.5 * (points[0] + points[1])};
}

WallForm read_wall_form(const YamlMapping& keys, Mode mode) {
  const auto [kind, outline] = keys.only_one_of({"polygon", "box", "segment", "ring"});
  if (kind == "ring") return read_ring(outline);
  if (kind == "segment") return read_segment(outline, mode);
  const std::vector<Vec2> polygon = kind == "box" ? read_box_as_polygon(outline) : read_polygon(outline);
  return {{polygon}, Polygon(polygon).centroid()};
}

Oscillation read_oscillation(const YamlValue& value) {
  const YamlMapping keys = value.mapping({"amplitude", "frequency", "phase"});
  return {.amplitude = keys["amplitude"].vec2("m"),
          .frequency = keys["frequency"].number(Numbers::positive("1/s")),
          .phase = keys["phase"].number(Numbers::any("rad"), 0.0)};
}

/// A wall, or the segments of a ring, which are called by its name and their number.
void read_wall(const YamlValue& value, Scene& scene) {
  const YamlMapping keys = value.mapping(
      {"name", "material", "polygon", "box", "segment", "ring", "velocity", "rotation", "oscillation", "until"});
  const std::string name = keys["name"].name("the wall's name");
  Wall wall;
  wall.material = read_material_name(keys["material"], scene.materials);
  const WallForm form = read_wall_form(keys, scene.mode);
  wall.velocity = keys["velocity"].vec2("m/s", Vec2::Zero());
  wall.pivot = form.pivot;
  if (keys["rotation"].given()) {
    const YamlMapping rotation = keys["rotation"].mapping({"rate", "about"});
    wall.angular_velocity = rotation["rate"].number(Numbers::any("rad/s"));
    wall.pivot = rotation["about"].vec2("m", wall.pivot);
  }
  if (keys["oscillation"].given()) wall.oscillation = read_oscillation(keys["oscillation"]);
  const YamlValue until = keys["until"];
  if (until.given() && !until.is("never")) {
    wall.until = until.number({.least = 0.0, .without_least = true, .unit = "s", .alternative = "never"});
  }

  std::set<std::string> names;
  for (const Wall& other : scene.walls) names.insert(other.name);
  for (const auto& polygon : form.polygons) {
    wall.polygon = polygon;
    wall.name = form.polygons.size() == 1 ? name : name + ' ' + std::to_string(&polygon - form.polygons.data() + 1);
    if (names.count(wall.name) > 0) {
      keys["name"].fail("is '" + wall.name + "' again, must be another name than those of the walls before");
    }
    scene.walls.push_back(wall);
  }
}

RandomPolygon read_random_polygon(const YamlValue& value) {
  const YamlMapping keys = value.mapping({"vertices", "aspect"});
  const Range<std::uint64_t> vertices = keys["vertices"].range(kVertices);
  const Range<double> aspect = keys["aspect"].range(
      {.least = 1.0, .greatest = kGreatestAspect, .reason = "long axis over short axis"}, Range<double>{1.0, 1.0});
  return {.vertices = {static_cast<int>(vertices.least), static_cast<int>(vertices.greatest)},
          .aspect = {aspect.least, aspect.greatest}};
}

ShapeSpec read_shape(const YamlValue& value, Mode mode) {
  if (value.is("disk")) return Disk{};
  if (!value.is_mapping()) {
    value.refuse("disk, {regular_polygon: ...}, {random_polygon: ...} or {polygon: ...}");
  }
  const auto [kind, form] = value.mapping({"disk", "regular_polygon", "random_polygon", "polygon"})
                                .only_one_of({"disk", "regular_polygon", "random_polygon", "polygon"});
  if (mode == Mode::hard && kind != "disk") form.refuse("disk in hard mode");
  if (kind == "regular_polygon") {
    const std::uint64_t vertices = form.mapping({"vertices"})["vertices"].whole_number(kVertices);
    return RegularPolygon{static_cast<int>(vertices)};
  }
  if (kind == "random_polygon") return read_random_polygon(form);
  if (kind == "polygon") return ExplicitPolygon{read_polygon(form)};
  form.mapping({});
  return Disk{};
}

/// A polygon that is given needs no size: it has one.
SizeSpec read_size(const YamlValue& value, const ShapeSpec& shape) {
  const auto* polygon = std::get_if<ExplicitPolygon>(&shape);
  if (!value.given() && polygon) {
    const double size = equivalent_diameter(Polygon(polygon->vertices).area());
    return {size, size};
  }
  if (value.is_mapping()) {
    const Range<double> size = value.mapping({"uniform"})["uniform"].range(Numbers::positive("m"));
    return {size.least, size.greatest};
  }
  if (value.is_list()) value.refuse("a number > 0 or {uniform: [least, greatest]} [m]");
  const double size = value.number(Numbers::positive("m"));
  return {size, size};
}

/// Diameter of the circle around a regular polygon whose equal disk has diameter 1.
double width_of_regular_polygon(int vertices) {
  const double sector = 2.0 * std::numbers::pi / vertices;
  return std::sqrt(sector / std::sin(sector));
}

/// No random polygon is wider than the ellipse that it is inscribed in; this is the greatest of those ellipses for a
/// disk of equal area with diameter 1. The corners stand in the middle 60 % of their sectors (polygon_makers.cpp), s
/// wide, so that neighbours are at most 1.6 s apart. The area of a polygon of n corners on a unit circle is half the
/// sum of the sines of these angles; it is least for angles of 0.4 s and 1.6 s in turn, where each pair has sin(0.4 s)
/// + sin(1.6 s) = 2 sin(s) cos(0.6 s). Few corners are the worst.
double width_of_random_polygon(const RandomPolygon& polygon) {
  const double sector = 2.0 * std::numbers::pi / polygon.vertices[0];
  return width_of_regular_polygon(polygon.vertices[0]) * std::sqrt(polygon.aspect[1] / std::cos(0.6 * sector));
}

/// A bound on the greatest extent of the group's grains in any direction [m].
double greatest_width(const ShapeSpec& shape, const SizeSpec& size) {
  if (const auto* polygon = std::get_if<RegularPolygon>(&shape)) {
    return size.greatest * width_of_regular_polygon(polygon->vertices);
  }
  if (const auto* polygon = std::get_if<RandomPolygon>(&shape))
    return size.greatest * width_of_random_polygon(*polygon);
  if (const auto* polygon = std::get_if<ExplicitPolygon>(&shape)) {
    const Polygon form(polygon->vertices);
    return size.greatest * 2.0 * form.bounding_radius() / equivalent_diameter(form.area());
  }
  return size.greatest;
}

/// A region inside the domain in which a grain of this width has room.
Region read_region(const YamlValue& value, const Domain& domain, double grain_width) {
  const YamlMapping keys = value.mapping({"x", "y"});
  const auto region = read_box<Region>(keys);
  for (int axis : {0, 1}) {
    const YamlValue interval = keys[kAxes[static_cast<std::size_t>(axis)]];
    const double lo = region.lo[axis];
    const double hi = region.hi[axis];
    if (lo < domain.lo[axis] || hi > domain.hi[axis]) {
      interval.fail("is [" + number_text(lo) + ", " + number_text(hi) + "], must lie inside the domain, [" +
                    number_text(domain.lo[axis]) + ", " + number_text(domain.hi[axis]) + "] [m]");
    }
    if (hi - lo < grain_width) {
      interval.fail("is " + metres(hi - lo) + " wide, must be at least as wide as the largest grain, " +
                    metres(grain_width));
    }
  }
  return region;
}

Pour read_pour(const YamlValue& value, const Domain& domain, double grain_width) {
  const YamlMapping keys = value.mapping({"count", "rate", "from", "region", "velocity"});
  Pour pour;
  pour.count = keys["count"].whole_number(kCount);
  pour.rate = keys["rate"].number(Numbers::positive("1/s"));
  pour.from = keys["from"].number(Numbers::at_least(0.0, "s"), 0.0);
  pour.region = read_region(keys["region"], domain, grain_width);
  pour.velocity = keys["velocity"].vec2("m/s", Vec2::Zero());
  return pour;
}

Fill read_fill(const YamlValue& value, const Domain& domain, const SizeSpec& size, double grain_width) {
  const YamlMapping keys = value.mapping({"region", "count", "jitter", "spacing"});
  Fill fill;
  fill.region = read_region(keys["region"], domain, grain_width);
  if (keys["count"].given() && !keys["count"].is("all")) {
    fill.count = keys["count"].whole_number({kCount.least, kCount.greatest, "all"});
  }
  if (keys["spacing"].given()) {
    fill.spacing = keys["spacing"].number(Numbers::positive("m"));
    if (fill.spacing <= grain_width) {
      keys["spacing"].fail("is " + metres(fill.spacing) + ", must be more than the width of the largest grain, " +
                           metres(grain_width));
    }
  }
  const double cell = std::max(fill.spacing, size.least);
  const double room = (fill.region.hi - fill.region.lo).prod() / cell / cell;
  if (!fill.count && room > static_cast<double>(kCount.greatest)) {
    keys["region"].fail("has room for some " + number_text(room, 2) + " grains, must have room for at most " +
                        std::to_string(kCount.greatest) + " (or give a count)");
  }
  fill.jitter = keys["jitter"].number(Numbers::at_least(0.0, "m/s"), 0.0);
  return fill;
}

Colour read_colour(const YamlValue& value) {
  const std::string allowed = "[red, green, blue], whole numbers from 0 to 255";
  const std::vector<YamlValue> parts = value.list(allowed);
  if (parts.size() != 3) value.refuse(allowed);
  Colour colour;
  std::ranges::transform(parts, colour.begin(), [](const YamlValue& part) {
    return static_cast<std::uint8_t>(part.whole_number({.least = 0, .greatest = 255}));
  });
  return colour;
}

/// A grain must not meet its own image across a periodic domain.
void require_periods_for(double grain_width, const Domain& domain, const YamlValue& culprit) {
  for (int axis : {0, 1}) {
    const double period = domain.hi[axis] - domain.lo[axis];
    if (!domain.periodic[static_cast<std::size_t>(axis)] || grain_width < period) continue;
    culprit.fail("allows grains " + metres(grain_width) + " wide, must allow less than " + metres(period) +
                 ", the period along " + kAxes[static_cast<std::size_t>(axis)]);
  }
}

Placed read_placed(const YamlValue& value, const Domain& domain, const ShapeSpec& shape) {
  const YamlMapping keys =
      value.mapping({"position", "angle", "velocity", "angular_velocity", "size", "mass", "colour"});
  Placed placed;
  placed.position = keys["position"].vec2("m");
  for (int axis : {0, 1}) {
    if (placed.position[axis] >= domain.lo[axis] && placed.position[axis] <= domain.hi[axis]) continue;
    keys["position"].fail("is [" + number_text(placed.position.x()) + ", " + number_text(placed.position.y()) +
                          "], must be in the domain, " + kAxes[static_cast<std::size_t>(axis)] + " in [" +
                          number_text(domain.lo[axis]) + ", " + number_text(domain.hi[axis]) + "] [m]");
  }
  placed.angle = keys["angle"].number(Numbers::any("rad"), 0.0);
  placed.velocity = keys["velocity"].vec2("m/s", Vec2::Zero());
  placed.angular_velocity = keys["angular_velocity"].number(Numbers::any("rad/s"), 0.0);
  if (keys["size"].given()) {
    placed.size = keys["size"].number(Numbers::positive("m"));
    require_periods_for(greatest_width(shape, {*placed.size, *placed.size}), domain, keys["size"]);
  }
  if (keys["mass"].given()) placed.mass = keys["mass"].number(Numbers::positive("kg"));
  if (keys["colour"].given()) placed.colour = read_colour(keys["colour"]);
  return placed;
}

/// The disks in a data file of Algorithms, 6.1, as grains at given places. @param scene  beside which the file lies
Place read_billiards_as_place(const YamlValue& value, const std::string& scene, const Domain& domain) {
  const std::filesystem::path file =
      std::filesystem::path(scene).parent_path() / value.name("the name of a file with billiards");
  Billiards billiards;
  try {
    billiards = read_billiards(file);
  } catch (const IoError& error) {
    value.fail(std::string("cannot be used: ") + error.what());
  }
  const hard::Setup& disks = billiards.setup;
  Place place;
  for (std::size_t k = 0; k < disks.position.size(); ++k) {
    const auto require = [&](bool good, const char* what) {
      if (!good) value.fail(file.string() + ": disk " + std::to_string(k + 1) + ": " + what);
    };
    const Vec2& at = disks.position[k];
    require((at.array() >= domain.lo.array()).all() && (at.array() <= domain.hi.array()).all(),
            "is outside, must be in the domain");
    require(disks.velocity[k].allFinite(), "the velocity must be finite");
    require(disks.radius[k] > 0.0 && disks.radius[k] < kLargestNumber, "the radius must be a number > 0");
    require(disks.mass[k] > 0.0 && disks.mass[k] < kLargestNumber, "the mass must be a number > 0");
    const double size = 2.0 * disks.radius[k];
    require_periods_for(size, domain, value);
    place.push_back({.position = at,
                     .velocity = disks.velocity[k],
                     .size = size,
                     .mass = disks.mass[k],
                     .colour = billiards.colour[k]});
  }
  return place;
}

/// From the smallest to the largest of them.
SizeSpec sizes_of(const Place& place) {
  SizeSpec sizes{1.0, 1.0};  // of nobody
  if (place.empty()) return sizes;
  const auto [least, greatest] = std::ranges::minmax(place, {}, &Placed::size);
  return {*least.size, *greatest.size};
}

ParticleGroup read_group(const YamlValue& value, const Scene& scene, const std::string& name) {
  const YamlMapping keys = value.mapping({"pour", "fill", "place", "billiards", "material", "shape", "size", "colour"});
  ParticleGroup group;
  group.material = read_material_name(keys["material"], scene.materials);
  if (keys["billiards"].given()) {
    (void)keys.only_one_of({"billiards", "pour", "fill", "place"});
    for (const char* key : {"shape", "size", "colour"}) {
      if (keys[key].given()) keys[key].refuse("left out beside billiards, disks of their own sizes and colours");
    }
    const Place place = read_billiards_as_place(keys["billiards"], name, scene.domain);
    group.size = sizes_of(place);
    group.how = place;
    return group;
  }
  group.shape = read_shape(keys["shape"], scene.mode);
  group.size = read_size(keys["size"], group.shape);
  const double width = greatest_width(group.shape, group.size);
  require_periods_for(width, scene.domain, keys[keys["size"].given() ? "size" : "shape"]);

  if (keys["colour"].given()) group.colour = read_colour(keys["colour"]);

  const auto [kind, how] = keys.only_one_of({"pour", "fill", "place", "billiards"});
  if (kind == "pour") {
    group.how = read_pour(how, scene.domain, width);
  } else if (kind == "fill") {
    group.how = read_fill(how, scene.domain, group.size, width);
  } else {
    Place place;
    for (const YamlValue& grain : how.list("a list of grains"))
      place.push_back(read_placed(grain, scene.domain, group.shape));
    group.how = std::move(place);
  }
  return group;
}

/// A list that may be left out or left empty.
std::vector<YamlValue> optional_list(const YamlValue& value, std::string_view allowed) {
  return value.given() && !value.is_empty() ? value.list(allowed) : std::vector<YamlValue>{};
}

std::string default_directory(const std::string& name) {
  const std::string stem = std::filesystem::path(name).stem().string();
  return "out/" + (stem.empty() ? "scene" : stem);
}

/// When it ends, how it steps, what it writes, when it turns round: numbers that limit one another.
void read_times(const YamlValue& time, const YamlValue& output, const std::string& name, Scene& scene) {
  const YamlMapping times = time.mapping({"end", "step", "integrator", "reverse"});
  scene.end = times["end"].number(Numbers::positive("s"));

  const YamlMapping outputs = output.mapping({"every", "directory"});
  scene.output_every = outputs["every"].number({.least = scene.end / kMostFrames,
                                                .greatest = scene.end,
                                                .unit = "s",
                                                .reason = "up to time.end, at most a million frames"});
  const YamlValue directory = outputs["directory"];
  scene.output_directory = directory.given() ? directory.name("a directory's name") : default_directory(name);

  const YamlValue step = times["step"];
  if (step.given() && !step.is("auto")) {
    scene.step = step.number({.least = scene.end / kMostSteps,
                              .greatest = scene.output_every,
                              .unit = "s",
                              .reason = "up to output.every",
                              .alternative = "auto"});
  }
  scene.integrator = read_kind(times["integrator"], kIntegratorNames, scene.integrator);

  const YamlValue reverse = times["reverse"];
  if (!reverse.given()) return;
  if (scene.mode == Mode::soft) reverse.refuse("left out in soft mode");
  scene.reverse = reverse.number(
      {.least = 0.0, .greatest = scene.end, .without_least = true, .unit = "s", .reason = "up to time.end"});
}

/// What is measured has defaults from the rest of the scene.
Measure read_measure(const YamlValue& value, Mode named, const Scene& scene) {
  const YamlMapping keys = value.mapping({"every", "from", "region", "radial_distribution", "velocity_distribution",
                                          "height_profile", "mean_square_displacement", "free_flights"});
  const auto read_bins = [](const YamlMapping& of) {
    return static_cast<int>(of["bins"].whole_number({.least = 1, .greatest = kMostBins}, kBins));
  };
  Measure measure;
  measure.every = keys["every"].number({.least = scene.end / kMostSamples,
                                        .greatest = scene.end,
                                        .unit = "s",
                                        .reason = "up to time.end, at most a million samples"},
                                       scene.output_every);
  measure.from =
      keys["from"].number({.least = 0.0, .greatest = scene.end, .unit = "s", .reason = "up to time.end"}, measure.from);
  measure.region = {scene.domain.lo, scene.domain.hi};
  if (keys["region"].given()) measure.region = read_region(keys["region"], scene.domain, 0.0);
  if (keys["radial_distribution"].given()) {
    const YamlMapping radial = keys["radial_distribution"].mapping({"to", "bins"});
    const double half = 0.5 * (measure.region.hi - measure.region.lo).minCoeff();
    const double to = radial["to"].number({.least = 0.0,
                                           .greatest = half,
                                           .without_least = true,
                                           .unit = "m",
                                           .reason = "up to half of the region's shorter side"});
    measure.radial_distribution = {.to = to, .bins = read_bins(radial)};
  }
  if (keys["velocity_distribution"].given()) {
    const YamlMapping velocities = keys["velocity_distribution"].mapping({"to", "bins"});
    const double to = velocities["to"].number(Numbers::positive(""), kThermalVelocities);
    measure.velocity_distribution = {.to = to, .bins = read_bins(velocities)};
  }
  if (keys["height_profile"].given()) {
    measure.height_profile = {.bins = read_bins(keys["height_profile"].mapping({"bins"}))};
  }
  const auto is_asked = [](const YamlValue& of) { return of.given() && (of.mapping({}), true); };
  measure.mean_square_displacement = is_asked(keys["mean_square_displacement"]);
  measure.free_flights = is_asked(keys["free_flights"]);
  if (measure.free_flights && named == Mode::soft) {
    keys["free_flights"].fail_at_key("is given in mode soft, where contacts last, must be left out");
  }
  return measure;
}

MaterialPair read_pair(const YamlValue& value, const Scene& scene) {
  const YamlMapping keys = mapping_with_contact_properties(value, "between");
  const YamlValue between = keys["between"];
  const std::string allowed = "a list of two materials";
  const std::vector<YamlValue> names = between.list(allowed);
  if (names.size() != 2) between.refuse(allowed);
  MaterialPair pair;
  pair.first = read_material_name(names[0], scene.materials);
  pair.second = read_material_name(names[1], scene.materials);
  if (given_pair(scene, pair.first, pair.second) != nullptr) {
    between.fail("names a pair again, must be another one than those before");
  }
  const auto mix = scene.mode == Mode::hard ? hard::mix : static_cast<decltype(&hard::mix)>(soft::mix);
  pair.mixed = mix(scene.materials[static_cast<std::size_t>(pair.first)],
                   scene.materials[static_cast<std::size_t>(pair.second)]);
  read_contact_properties(keys, scene.mode, Required::kNo, pair.mixed);
  return pair;
}

void read_contact(const YamlValue& value, Scene& scene) {
  if (!value.given()) return;
  const YamlMapping keys = value.mapping({"law", "disks", "pairs", "duration"});
  scene.contact_law = keys["law"].choice(soft::law_names<soft::PolygonLaws>(), scene.contact_law);
  scene.disk_law = keys["disks"].choice(soft::law_names<soft::DiskLaws>(), scene.disk_law);
  scene.contact_duration = keys["duration"].number(Numbers::at_least(0.0, "s"), 0.0);
  for (const YamlValue& pair : optional_list(keys["pairs"], "a list of pairs of materials")) {
    scene.pairs.push_back(read_pair(pair, scene));
  }
}

GrowthSpec read_growth(const YamlValue& value, Mode mode) {
  if (mode == Mode::soft) value.refuse("left out in soft mode");
  const YamlMapping keys = value.mapping({"rate", "from", "packing_fraction", "pressure", "rescaling"});
  GrowthSpec growth;
  growth.rate = keys["rate"].number(Numbers::positive("1/s"));
  const Numbers part{.least = 0.0, .greatest = 1.0, .without_least = true};
  growth.from = keys["from"].number(part, growth.from);
  growth.packing_fraction = keys["packing_fraction"].number(part, growth.packing_fraction);
  growth.pressure = keys["pressure"].number({.least = 1.0, .greatest = 1e9, .without_least = true}, growth.pressure);
  growth.rescaling = keys["rescaling"].number({.least = 1.0, .greatest = 64.0}, growth.rescaling);
  return growth;
}

Well read_well(const YamlValue& value, Mode mode) {
  if (mode == Mode::soft) value.refuse("left out in soft mode");
  const YamlMapping keys = value.mapping({"range", "energy"});
  return {.range = keys["range"].number(Numbers::above(1.0, "")), .energy = keys["energy"].number(Numbers::any("J"))};
}

Scene read(const YamlValue& document, const std::string& name, std::optional<Mode> as) {
  const YamlMapping keys =
      document.mapping({"scree", "title", "mode", "seed", "domain", "gravity", "materials", "walls", "particles",
                        "contact", "growth", "well", "broadphase", "time", "output", "measure"});
  read_version(keys["scree"]);
  Scene scene;
  scene.title = keys["title"].text("");
  const Mode named = read_mode(keys["mode"]);
  scene.mode = as.value_or(named);
  scene.seed = keys["seed"].whole_number({}, scene.seed);
  scene.domain = read_domain(keys["domain"], named);
  scene.gravity = keys["gravity"].vec2("m/s^2", Vec2::Zero());
  scene.materials = read_materials(keys["materials"], scene.mode);
  for (const YamlValue& wall : optional_list(keys["walls"], "a list of walls")) {
    read_wall(wall, scene);
  }
  for (const YamlValue& group : optional_list(keys["particles"], "a list of particle groups")) {
    scene.particles.push_back(read_group(group, scene, name));
  }
  read_contact(keys["contact"], scene);
  if (keys["growth"].given()) scene.growth = read_growth(keys["growth"], scene.mode);
  if (keys["well"].given()) scene.well = read_well(keys["well"], scene.mode);
  scene.broadphase = read_kind(keys["broadphase"], kBroadphaseNames, scene.broadphase);
  read_times(keys["time"], keys["output"], name, scene);
  if (keys["measure"].given()) scene.measure = read_measure(keys["measure"], named, scene);
  return scene;
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& name, std::optional<Mode> as) {
  return read(YamlValue::document(text, name), name, as);
}

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::error_code no_error;
  if (std::filesystem::is_directory(file, no_error)) throw IoError(file.string() + ": is a directory, not a scene");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    throw IoError(file.string() + ": cannot be read" + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
  }
  return text;
}

}  // namespace

Scene read_scene(const std::filesystem::path& file, std::optional<Mode> as) {
  return parse_scene(text_of(file), file.string(), as);
}

SceneError with_place(const InvalidScene& error, const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::string problem = std::string(error.what()).substr(error.key.size() + 2);
  return YamlValue::document(text_of(file), name).error_at(error.key, problem);
}

}  // namespace scree
