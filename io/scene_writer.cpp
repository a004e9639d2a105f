#include "io/scene_writer.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "io/number_text.hpp"

namespace scree {

namespace {

/// A name or text, in quotes unless every YAML reader takes it for a text without them.
std::string yaml(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::array<std::string_view, 10> kReserved = {"null", "true", "false", "yes", "no",
                                                          "on",   "off",  "y",     "n",   "~"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const bool plain = !text.empty() && kLetters.find(text[0]) != std::string_view::npos &&
                     text.find_first_not_of(std::string(kLetters) + "0123456789_-./") == std::string::npos &&
                     std::find(kReserved.begin(), kReserved.end(), lower) == kReserved.end();
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7F) {
      quoted += {'\\', 'x', kHex[code / 16], kHex[code % 16]};
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string yaml(double number) {
  return number_text(number);
}

std::string yaml(std::uint64_t number) {
  return std::to_string(number);
}

template <typename Number>
std::string yaml_pair(Number first, Number second) {
  return '[' + yaml(first) + ", " + yaml(second) + ']';
}

std::string yaml(const Vec2& v) {
  return yaml_pair(v.x(), v.y());
}

std::string yaml(const std::vector<Vec2>& points) {
  std::string text;
  for (const Vec2& point : points) text += (text.empty() ? "" : ", ") + yaml(point);
  return '[' + text + ']';
}

template <typename Box>
std::string yaml_intervals(const Box& box) {
  return "x: " + yaml_pair(box.lo.x(), box.hi.x()) + ", y: " + yaml_pair(box.lo.y(), box.hi.y());
}

std::string yaml(const Domain& domain) {
  const std::string axes = !domain.periodic[0] ? (domain.periodic[1] ? "y" : "") : (domain.periodic[1] ? "x, y" : "x");
  return '{' + yaml_intervals(domain) + ", periodic: [" + axes +
         "], sides: " + (domain.reflecting ? "reflecting" : "open") + '}';
}

std::string yaml(const std::optional<double>& number, const char* otherwise) {
  return number ? yaml(*number) : otherwise;
}

std::string yaml_contact_properties(const Material& m) {
  return (m.stiffness > 0.0 ? "stiffness: " + yaml(m.stiffness) + ", " : "") +
         (m.damping ? "damping: " + yaml(*m.damping) : "restitution: " + yaml(m.restitution)) +
         ", friction: " + yaml(m.friction) + ", dynamic_friction: " + yaml(m.dynamic_friction, "static") +
         ", tangential_stiffness: " + yaml(m.tangential_stiffness) +
         ", tangential_damping: " + yaml(m.tangential_damping, "normal") +
         ", rolling_friction: " + yaml(m.rolling_friction) + ", cohesion: " + yaml(m.cohesion) +
         ", tangential_restitution: " + yaml(m.tangential_restitution) +
         ", restitution_law: " + name(m.restitution_law) +
         (m.restitution_law == RestitutionLaw::constant ? "" : ", restitution_speed: " + yaml(m.restitution_speed));
}

std::string yaml(const Material& material) {
  return "{density: " + yaml(material.density) + ", " + yaml_contact_properties(material) + '}';
}

std::string yaml(const Oscillation& oscillation) {
  return "oscillation: {amplitude: " + yaml(oscillation.amplitude) + ", frequency: " + yaml(oscillation.frequency) +
         ", phase: " + yaml(oscillation.phase) + '}';
}

std::string yaml(const Wall& wall, const std::string& material) {
  return "{name: " + yaml(wall.name) + ", material: " + yaml(material) +
         (wall.polygon.size() == 2 ? ", segment: " : ", polygon: ") + yaml(wall.polygon) +
         ", velocity: " + yaml(wall.velocity) + ", rotation: {rate: " + yaml(wall.angular_velocity) +
         ", about: " + yaml(wall.pivot) + "}, " +
         (wall.oscillation == Oscillation{} ? "" : yaml(wall.oscillation) + ", ") +
         "until: " + (wall.until ? yaml(*wall.until) : "never") + '}';
}

std::string yaml(const Disk&) {
  return "disk";
}

std::string yaml(const RegularPolygon& polygon) {
  return "{regular_polygon: {vertices: " + std::to_string(polygon.vertices) + "}}";
}

std::string yaml(const RandomPolygon& polygon) {
  return "{random_polygon: {vertices: [" + std::to_string(polygon.vertices[0]) + ", " +
         std::to_string(polygon.vertices[1]) + "], aspect: " + yaml_pair(polygon.aspect[0], polygon.aspect[1]) + "}}";
}

std::string yaml(const ExplicitPolygon& polygon) {
  return "{polygon: " + yaml(polygon.vertices) + '}';
}

std::string yaml(const Colour& colour) {
  return '[' + std::to_string(colour[0]) + ", " + std::to_string(colour[1]) + ", " + std::to_string(colour[2]) + ']';
}

std::string yaml(const Placed& placed) {
  return "{position: " + yaml(placed.position) + ", angle: " + yaml(placed.angle) +
         ", velocity: " + yaml(placed.velocity) + ", angular_velocity: " + yaml(placed.angular_velocity) +
         (placed.size ? ", size: " + yaml(*placed.size) : "") + (placed.mass ? ", mass: " + yaml(*placed.mass) : "") +
         (placed.colour ? ", colour: " + yaml(*placed.colour) : "") + '}';
}

std::string yaml(const Place& place) {
  if (place.empty()) return "place: []";
  std::string text = "place:";
  for (const Placed& placed : place) text += "\n      - " + yaml(placed);
  return text;
}

std::string yaml(const Pour& pour) {
  return "pour: {count: " + yaml(pour.count) + ", rate: " + yaml(pour.rate) + ", from: " + yaml(pour.from) +
         ", region: {" + yaml_intervals(pour.region) + "}, velocity: " + yaml(pour.velocity) + '}';
}

std::string yaml(const Fill& fill) {
  return "fill: {region: {" + yaml_intervals(fill.region) + "}, count: " + (fill.count ? yaml(*fill.count) : "all") +
         ", jitter: " + yaml(fill.jitter) + (fill.spacing > 0.0 ? ", spacing: " + yaml(fill.spacing) : "") + '}';
}

std::string yaml(const Measure& measure) {
  std::string text = "{every: " + yaml(measure.every) + ", from: " + yaml(measure.from) + ", region: {" +
                     yaml_intervals(measure.region) + '}';
  const auto with_bins = [&](const char* key, const std::string& to, int bins) {
    text += std::string(", ") + key + ": {" + to + "bins: " + std::to_string(bins) + '}';
  };
  if (const auto& radial = measure.radial_distribution) {
    with_bins("radial_distribution", "to: " + yaml(radial->to) + ", ", radial->bins);
  }
  if (const auto& velocities = measure.velocity_distribution) {
    with_bins("velocity_distribution", "to: " + yaml(velocities->to) + ", ", velocities->bins);
  }
  if (measure.height_profile) with_bins("height_profile", "", measure.height_profile->bins);
  if (measure.mean_square_displacement) text += ", mean_square_displacement: {}";
  if (measure.free_flights) text += ", free_flights: {}";
  return text + '}';
}

}  // namespace

std::string to_yaml(const Scene& scene) {
  const auto any = [](const auto& alternative) { return yaml(alternative); };
  const auto material = [&](int index) { return scene.materials.at(static_cast<std::size_t>(index)).name; };

  std::string text = "scree: 1\n";
  text += "title: " + yaml(scene.title) + '\n';
  text += std::string("mode: ") + (scene.mode == Mode::soft ? "soft" : "hard") + '\n';
  text += "seed: " + yaml(scene.seed) + '\n';
  text += "domain: " + yaml(scene.domain) + '\n';
  text += "gravity: " + yaml(scene.gravity) + '\n';

  text += scene.materials.empty() ? "materials: {}\n" : "materials:\n";
  for (const Material& one : scene.materials) text += "  " + yaml(one.name) + ": " + yaml(one) + '\n';

  text += scene.walls.empty() ? "walls: []\n" : "walls:\n";
  for (const Wall& wall : scene.walls) text += "  - " + yaml(wall, material(wall.material)) + '\n';

  text += scene.particles.empty() ? "particles: []\n" : "particles:\n";
  for (const ParticleGroup& group : scene.particles) {
    text += "  - " + std::visit(any, group.how) + '\n';
    text += "    material: " + yaml(material(group.material)) + '\n';
    text += "    shape: " + std::visit(any, group.shape) + '\n';
    text += "    size: {uniform: " + yaml_pair(group.size.least, group.size.greatest) + "}\n";
    if (group.colour) text += "    colour: " + yaml(*group.colour) + '\n';
  }

  text += "contact:\n  law: " + yaml(scene.contact_law) + "\n  disks: " + yaml(scene.disk_law) + '\n';
  text += scene.pairs.empty() ? "  pairs: []\n" : "  pairs:\n";
  for (const MaterialPair& pair : scene.pairs) {
    text += "    - {between: [" + yaml(material(pair.first)) + ", " + yaml(material(pair.second)) + "], " +
            yaml_contact_properties(pair.mixed) + "}\n";
  }
  text += "  duration: " + yaml(scene.contact_duration) + '\n';
  if (const GrowthSpec& growth = scene.growth; growth.rate > 0.0) {
    text += "growth: {rate: " + yaml(growth.rate) + ", from: " + yaml(growth.from) +
            ", packing_fraction: " + yaml(growth.packing_fraction) + ", pressure: " + yaml(growth.pressure) +
            ", rescaling: " + yaml(growth.rescaling) + "}\n";
  }
  if (const Well& well = scene.well; well.range > 1.0) {
    text += "well: {range: " + yaml(well.range) + ", energy: " + yaml(well.energy) + "}\n";
  }
  text += std::string("broadphase: ") + name(scene.broadphase) + '\n';
  text += "time: {end: " + yaml(scene.end) + ", step: " + (scene.step ? yaml(*scene.step) : "auto") +
          ", integrator: " + name(scene.integrator) + (scene.reverse ? ", reverse: " + yaml(*scene.reverse) : "") +
          "}\n";
  text += "output: {every: " + yaml(scene.output_every) + ", directory: " + yaml(scene.output_directory) + "}\n";
  if (scene.measure) text += "measure: " + yaml(*scene.measure) + '\n';
  return text;
}

}  // namespace scree
