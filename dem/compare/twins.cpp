#include "dem/compare/twins.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/scene/scene_setup.hpp"
#include "dem/materials.hpp"
#include "dem/restitution.hpp"
#include "dem/scene.hpp"
#include "dem/soft/contact/force_law.hpp"
#include "dem/soft/contact/laws/linear.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::compare {

namespace {

/// @param key where the scene defines the material
void require_constant_restitution(const Material& material, const std::string& key) {
  if (material.restitution_law == RestitutionLaw::constant) return;
  throw InvalidScene(key + ".restitution_law",
                     "depends on speed, must be constant in a comparison: that of soft disks does not");
}

/// Checks what the hard mode itself does not reject.
void require_comparable(const Scene& scene) {
  const auto is_disk = [](const ParticleGroup& group) { return std::holds_alternative<Disk>(group.shape); };
  if (scene.disk_law != soft::LinearLaw::kName && std::ranges::any_of(scene.particles, is_disk)) {
    throw InvalidScene(
        "contact.disks",
        fmt::format("is '{}', must be {} in a comparison: its restitution and contact time know no speed",
                    scene.disk_law, soft::LinearLaw::kName));
  }
  if (scene.hard.reverse) {
    throw InvalidScene("time.reverse", "is given, must be left out in a comparison: soft disks do not turn round");
  }
  if (scene.domain.cell) {
    throw InvalidScene("domain.cell", "is given, must be left out in a comparison: stresses are not compared");
  }
  for (const Material& material : scene.materials) {
    require_constant_restitution(material, "materials." + material.name);
  }
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    require_constant_restitution(scene.pairs[k].mixed, fmt::format("contact.pairs[{}]", k));
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    if (!std::holds_alternative<Pour>(scene.particles[g].how)) continue;
    throw InvalidScene(fmt::format("particles[{}].pour", g),
                       "is given, must be fill or place in a comparison: both modes start from the same state");
  }
}

/// The parameters of the hard mode for two materials.
Material hard_pair(const Scene& scene, int a, int b) {
  const Material mixed = mix(Mode::soft, scene, a, b);
  const double given = mixed.tangential_restitution;
  Material hard;
  hard.restitution = mixed.restitution;
  hard.friction = mixed.friction;
  if (hard::has_polygons(scene)) return hard;  // whose impacts stick without springs
  hard.tangential_restitution = given != 0.0 ? given : sticking_restitution(mixed);
  return hard;
}

/// Diameter of the disk of equal area [m].
double size_of(const hard::Setup& setup, std::size_t k) {
  return setup.has_forms && !setup.form[k].is_disk() ? 2.0 * std::sqrt(setup.form[k].area / std::numbers::pi)
                                                     : 2.0 * setup.radius[k];
}

/// The form of grain k of a setup, whatever its size. @param spec of its group: where all have one form, that
ShapeSpec shape_of(const hard::Setup& setup, std::size_t k, const ShapeSpec& spec) {
  if (!std::holds_alternative<RandomPolygon>(spec)) return spec;
  return ExplicitPolygon{setup.form[k].corners()};
}

/// Places every grain of a setup; neighbours of the same material and form share a group.
/// @param scene whose grains they are, in its order
std::vector<ParticleGroup> placed(const hard::Setup& setup, const Scene& scene) {
  std::vector<ParticleGroup> groups;
  std::vector<std::size_t> before(scene.particles.size());  // disks of each of the scene's groups
  for (std::size_t k = 0; k < setup.position.size(); ++k) {
    const auto number = static_cast<std::size_t>(setup.type[k]);
    const ParticleGroup& from = scene.particles[number];
    const auto* places = std::get_if<Place>(&from.how);
    const std::size_t in_group = before[number]++;
    const std::optional<Colour> own = places != nullptr ? (*places)[in_group].colour : std::nullopt;
    const double size = size_of(setup, k);
    const int material = setup.material[k];
    const ShapeSpec shape = shape_of(setup, k, from.shape);
    if (groups.empty() || groups.back().material != material || groups.back().shape != shape) {
      groups.push_back({.how = Place{}, .material = material, .shape = shape, .size = {size, size}});
    }
    ParticleGroup& group = groups.back();
    group.size = {std::min(group.size.least, size), std::max(group.size.greatest, size)};
    std::get<Place>(group.how).push_back({.position = setup.position[k],
                                          .angle = setup.angle[k],
                                          .velocity = setup.velocity[k],
                                          .angular_velocity = setup.angular_velocity[k],
                                          .size = size,
                                          .mass = setup.mass[k],
                                          .colour = own ? own : from.colour});
  }
  return groups;
}

Wall box(const std::string& name, int material, const Vec2& lo, const Vec2& hi) {
  Wall wall;
  wall.name = name;
  wall.material = material;
  wall.polygon = {lo, {hi.x(), lo.y()}, hi, {lo.x(), hi.y()}};
  return wall;
}

/// Replaces reflecting sides by elastic smooth walls.
void wall_in(Scene& scene, double thickness) {
  const int side = static_cast<int>(scene.materials.size());
  for (int m = 0; m < side; ++m) {
    Material elastic = scene.materials[static_cast<std::size_t>(m)];
    elastic.restitution = 1.0;
    elastic.restitution_law = RestitutionLaw::constant;
    elastic.damping.reset();
    elastic.dynamic_friction.reset();
    elastic.friction = 0.0;
    scene.pairs.push_back({m, side, elastic});
  }
  scene.materials.push_back({.name = "reflecting side", .density = 1.0, .stiffness = scene.materials[0].stiffness});
  for (const int axis : {0, 1}) {
    if (scene.domain.periodic[static_cast<std::size_t>(axis)]) continue;
    const int along = 1 - axis;
    const double beyond = scene.domain.periodic[static_cast<std::size_t>(along)] ? 0.0 : thickness;
    for (const bool upper : {false, true}) {
      Vec2 lo = scene.domain.lo;
      Vec2 hi = scene.domain.hi;
      lo[along] -= beyond;
      hi[along] += beyond;
      const double inner = upper ? hi[axis] : lo[axis];
      lo[axis] = upper ? inner : inner - thickness;
      hi[axis] = upper ? inner + thickness : inner;
      scene.walls.push_back(box(std::string(upper ? "upper " : "lower ") + (axis == 0 ? "x" : "y"), side, lo, hi));
    }
  }
  scene.domain.reflecting = false;
}

/// Mean mass of the placed disks [kg].
double mean_mass(const Scene& scene) {
  double sum = 0.0;
  double disks = 0.0;
  for (const ParticleGroup& group : scene.particles) {
    for (const Placed& disk : std::get<Place>(group.how)) {
      sum += *disk.mass;
      disks += 1.0;
    }
  }
  return sum / disks;
}

/// t_c of the TC model: that of the scene, which the soft twin has kept, or else the contact time of the soft mode [s].
double contact_duration(const Twins& twins) {
  const double given = twins.soft.hard.contact_duration;
  return given > 0.0 ? given : contact_time(twins);
}

/// The greatest stiffness of the materials and pairs [N/m].
double greatest_stiffness(const Scene& scene) {
  double greatest = 0.0;
  for (const Material& material : scene.materials) greatest = std::max(greatest, material.stiffness);
  for (const MaterialPair& pair : scene.pairs) greatest = std::max(greatest, pair.mixed.stiffness);
  return greatest;
}

constexpr int kBins = 60;
constexpr double kShort = 1e-9;  // of a run

/// That of the scene, or up to three diameters. @param diameter mean [m]
Measure::RadialDistribution radial_of(const Scene& scene, double diameter) {
  if (scene.measure && scene.measure->radial_distribution) return *scene.measure->radial_distribution;
  const Vec2 extent = scene.domain.hi - scene.domain.lo;
  return {.to = std::min(3.0 * diameter, 0.5 * extent.minCoeff()), .bins = kBins};
}

/// The measurements of the scene and others that cost little compared with two runs; one sample for each frame.
/// @param diameter mean [m]
Measure measured(const Scene& scene, double diameter) {
  Measure measure = scene.measure.value_or(Measure{});
  if (!scene.measure) measure.region = {scene.domain.lo, scene.domain.hi};
  measure.every = scene.output_every;
  measure.free_flights = false;
  measure.collisions = false;
  measure.helfand_moments = false;
  const bool falls = !scene.gravity.isZero(0.0);
  measure.radial_distribution.reset();
  if (!measure.velocity_distribution && !falls) measure.velocity_distribution = {.to = 4.0, .bins = kBins};
  if (!measure.height_profile && falls) {  // layers of about a diameter
    const double layers = (measure.region.hi.y() - measure.region.lo.y()) / diameter;
    measure.height_profile = Measure::HeightProfile{.bins = static_cast<int>(std::clamp(layers, 10.0, 300.0))};
  }
  if (!falls && (scene.domain.periodic[0] || scene.domain.periodic[1])) measure.mean_square_displacement = true;
  return measure;
}

/// [m]
double mean_diameter(const hard::Setup& setup) {
  double sum = 0.0;
  for (std::size_t k = 0; k < setup.radius.size(); ++k) sum += size_of(setup, k);
  return sum / static_cast<double>(setup.radius.size());
}

}  // namespace

Twins twins(const Scene& scene) {
  require_comparable(scene);
  Twins twins{scene, scene, {}};
  twins.soft.mode = Mode::soft;
  twins.hard.mode = Mode::hard;
  twins.hard.pairs.clear();
  const int materials = static_cast<int>(scene.materials.size());
  for (int a = 0; a < materials; ++a) {
    for (int b = a; b < materials; ++b) twins.hard.pairs.push_back({a, b, hard_pair(scene, a, b)});
  }
  const bool lasts = hard::has_polygons(scene) && scene.hard.contact_duration == 0.0;
  if (lasts) twins.hard.hard.contact_duration = kShort * scene.end;  // until masses are known
  const hard::Setup start = hard::setup_from(twins.hard);
  if (start.radius.empty()) throw InvalidScene("particles", "are none, must be some in a comparison");
  twins.soft.particles = twins.hard.particles = placed(start, scene);
  const double diameter = mean_diameter(start);
  twins.soft.measure = twins.hard.measure = measured(scene, diameter);
  twins.radial = radial_of(scene, diameter);
  if (scene.domain.reflecting) wall_in(twins.soft, 2.0 * std::ranges::max(start.radius));
  twins.hard.hard.contact_duration = contact_duration(twins);
  return twins;
}

HardMode hard_mode(const Twins& twins) {
  const Scene& hard = twins.hard;
  HardMode used{.pairs = {},
                .contact_duration = hard.hard.contact_duration,
                .duration_is_given = twins.soft.hard.contact_duration > 0.0};
  const auto of_disks = [&](int material) {
    return std::ranges::any_of(hard.particles, [&](const ParticleGroup& group) { return group.material == material; });
  };
  const auto of_walls = [&](int material) {
    return std::ranges::any_of(hard.walls, [&](const Wall& wall) { return wall.material == material; });
  };
  for (const MaterialPair& pair : hard.pairs) {
    const bool first = of_disks(pair.first);
    const bool second = of_disks(pair.second);
    if (!(first && second) && !(first && of_walls(pair.second)) && !(second && of_walls(pair.first))) continue;
    used.pairs.push_back(
        {.first = hard.materials[static_cast<std::size_t>(pair.first)].name,
         .second = hard.materials[static_cast<std::size_t>(pair.second)].name,
         .restitution = pair.mixed.restitution,
         .friction = pair.mixed.friction,
         .tangential_restitution = pair.mixed.tangential_restitution,
         .is_given = mix(Mode::soft, twins.soft, pair.first, pair.second).tangential_restitution != 0.0});
  }
  return used;
}

double sticking_restitution(const Material& mixed) {
  const double zeta = damping_ratio(mixed.restitution);
  const double t = scree::contact_time(zeta, 1.0);  // omega = 1
  const double w = std::sqrt(3.0 * mixed.tangential_stiffness);
  const double b = std::sqrt(3.0) * mixed.tangential_damping.value_or(zeta) * w;
  const double discriminant = w * w - b * b;
  const double o = std::sqrt(std::abs(discriminant));
  double rest = 1.0 - b * t;  // x'(t) exp(b t) / x'(0)
  if (discriminant > 0.0) {
    const auto [sine, cosine] = deterministic::sincos(o * t);
    rest = cosine - b / o * sine;
  }
  if (discriminant < 0.0) {
    const double x = o * t;
    const double up = deterministic::exp(x);
    const double sinh = x < 0.01 ? x * (1.0 + x * x / 6.0 * (1.0 + x * x / 20.0)) : 0.5 * (up - 1.0 / up);
    rest = 0.5 * (up + 1.0 / up) - b / o * sinh;
  }
  return std::clamp(-deterministic::exp(-b * t) * rest, -1.0, 1.0);
}

double contact_time(const Twins& twins) {
  const double mass = mean_mass(twins.hard);
  const int materials = static_cast<int>(twins.hard.materials.size());
  double longest = 0.0;
  for (int a = 0; a < materials; ++a) {
    for (int b = a; b < materials; ++b) {
      const Material mixed = mix(Mode::soft, twins.soft, a, b);
      const double omega = std::sqrt(2.0 * mixed.stiffness / mass);
      longest = std::max(longest, scree::contact_time(damping_ratio(mixed.restitution), omega));
    }
  }
  return longest;
}

Twins with_stiffness(const Twins& twins, double stiffness) {
  const double factor = stiffness / greatest_stiffness(twins.soft);
  Twins changed = twins;
  for (Material& material : changed.soft.materials) material.stiffness *= factor;
  for (MaterialPair& pair : changed.soft.pairs) pair.mixed.stiffness *= factor;
  changed.hard.hard.contact_duration = contact_duration(changed);
  return changed;
}

}  // namespace scree::compare
