#include "dem/soft/checks/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "dem/insertion.hpp"
#include "dem/materials.hpp"
#include "dem/scene.hpp"
#include "dem/shapes.hpp"
#include "dem/soft/contact/laws/laws.hpp"
#include "dem/soft/motion/wall_phases.hpp"
#include "geometry/deterministic_math.hpp"
#include "geometry/polygon.hpp"

namespace scree::soft {

namespace {

constexpr std::uint64_t kMostGrains = 1000;  // of a group, as a sample
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Overlap of a corner with what is flat in a central impact, no wider than that of a disk.
Overlap corner_overlap(const Impactor& impactor, double depth) {
  const double half_width = std::min(impactor.half_angle_tangent * depth, std::sqrt(2.0 * impactor.own_radius * depth));
  return {.area = half_width * depth,
          .depth = depth,
          .centroid = Vec2(0.0, depth / 3.0),
          .normal = Vec2(0.0, -1.0),
          .chord_begin = Vec2(-half_width, 0.0),
          .chord_end = Vec2(half_width, 0.0)};
}

/// Energy in the spring at a depth [J].
double energy_at(const Scene& scene, const PairLaw& law, const Impactor& impactor, const Target& target, double depth) {
  const double curvature = 1.0 / impactor.radius + 1.0 / target.radius;
  const ContactKinematics kinematics{.reduced_mass = impactor.mass,
                                     .lever_arm_a = impactor.lever_arm,
                                     .lever_arm_b = target.radius,
                                     .inverse_effective_radius = curvature,
                                     .curvature = curvature};
  double energy = 0.0;
  if (impactor.half_angle_tangent == 0.0) {
    with_law<DiskLaws>(scene.disk_law, "contact.disks",
                       [&](auto of_disks) { energy = decltype(of_disks)::energy(law, {.depth = depth}, kinematics); });
    return energy;
  }
  const Overlap overlap = corner_overlap(impactor, depth);
  const std::vector<Vec2> region = {overlap.chord_begin, overlap.chord_end, Vec2(0.0, depth)};
  with_law<PolygonLaws>(scene.contact_law, "contact.law", [&](auto of_polygons) {
    energy = decltype(of_polygons)::energy(law, overlap, region, kinematics);
  });
  return energy;
}

PairLaw law_of(const Scene& scene, const Material& mixed, bool of_disk) {
  PairLaw law{};
  if (of_disk) {
    with_law<DiskLaws>(scene.disk_law, "contact.disks",
                       [&](auto disks) { law = pair_law(mixed, decltype(disks)::kDampingRatio); });
  } else {
    with_law<PolygonLaws>(scene.contact_law, "contact.law",
                          [&](auto polygons) { law = pair_law(mixed, decltype(polygons)::kDampingRatio); });
  }
  return law;
}

/// The share of an impact's energy that is in the spring when it is deepest.
double share_in_spring(double damping_ratio) {
  const double zeta = damping_ratio;
  if (zeta == 1.0) return deterministic::exp(-2.0);
  const double s = std::sqrt(std::abs(1.0 - zeta * zeta));
  // arccos or arcosh
  const double angle = zeta < 1.0 ? deterministic::atan2(s, zeta) : deterministic::asinh(s);
  return deterministic::exp(-2.0 * zeta / s * angle);
}

std::vector<Impactor> impactors_in(const Scene& scene, std::size_t group) {
  const ParticleGroup& spec = scene.particles[group];
  const double density = scene.materials[static_cast<std::size_t>(spec.material)].density;
  std::vector<Impactor> impactors;
  for (std::uint64_t k = 0; k < std::min(grains_in(spec), kMostGrains); ++k) {
    const std::vector<Impactor> more = impactors_of(make_grain(scene, static_cast<int>(group), k), density);
    impactors.insert(impactors.end(), more.begin(), more.end());
  }
  return impactors;
}

/// Tangent of half the angle of a corner of an outline; infinite where it does not stick out.
double half_angle_tangent(std::span<const Vec2> outline, std::size_t corner) {
  const std::size_t corners = outline.size();
  const Vec2 from_last = outline[corner] - outline[(corner + corners - 1) % corners];
  const Vec2 to_next = outline[(corner + 1) % corners] - outline[corner];
  if (!(cross(from_last, to_next) > 0.0)) return kInfinity;
  const Vec2 back = -from_last.normalized();
  const Vec2 on = to_next.normalized();
  return (back - on).norm() / (back + on).norm();
}

/// Along gravity, down from the origin [m].
class Heights {
 public:
  explicit Heights(const Scene& scene) : up_(-scene.gravity.normalized()) {
    for (const Wall& wall : scene.walls) {
      double top = -kInfinity;
      for (const Vec2& corner : wall.polygon) top = std::max(top, up_.dot(corner));
      lowest_ = std::min(lowest_, top);
    }
  }

  double of(const Vec2& point) const { return up_.dot(point); }
  double top(const Region& region) const {
    return std::max(
        {of(region.lo), of(region.hi), of({region.lo.x(), region.hi.y()}), of({region.hi.x(), region.lo.y()})});
  }
  double bottom(const Region& region) const { return of(region.lo) + of(region.hi) - top(region); }
  /// From a height to the top of the lowest wall [m].
  double fall_from(double height) const { return lowest_ < kInfinity ? std::max(0.0, height - lowest_) : 0.0; }

 private:
  Vec2 up_;
  double lowest_ = kInfinity;
};

/// How far grains of a group fall at most before they hit something [m].
double fall_height(const Scene& scene, std::size_t group) {
  if (scene.gravity.isZero()) return 0.0;
  const Heights heights(scene);
  const ParticleGroup& spec = scene.particles[group];
  if (const auto* pour = std::get_if<Pour>(&spec.how)) return heights.fall_from(heights.top(pour->region));
  if (const auto* fill = std::get_if<Fill>(&spec.how)) {
    constexpr double kLoosestBed = 0.75;  // packing fraction
    const double mean = 0.5 * (spec.size.least + spec.size.greatest);
    const double pitch = std::max(fill->spacing, 1.01 * spec.size.greatest);
    const double packing = 0.25 * std::numbers::pi * mean * mean / (pitch * pitch);
    const double bottom = heights.bottom(fill->region);
    return heights.fall_from(bottom) +
           (heights.top(fill->region) - bottom) * std::max(0.0, 1.0 - packing / kLoosestBed);
  }
  double highest = -kInfinity;
  for (const Placed& placed : std::get<Place>(spec.how)) highest = std::max(highest, heights.of(placed.position));
  return highest > -kInfinity ? heights.fall_from(highest - 0.5 * spec.size.least) : 0.0;
}

/// Given to grains of a group at most, or nearly so [m/s].
double given_speed(const Scene& scene, const ParticleGroup& group) {
  if (const auto* pour = std::get_if<Pour>(&group.how)) return pour->velocity.norm();
  if (const auto* fill = std::get_if<Fill>(&group.how)) {
    constexpr double kDeviations = 4.0;  // one speed in 3000 is greater
    const double thermal = std::sqrt(fill->temperature / mass_of(scene, group, group.size.least));
    return std::max(std::numbers::sqrt2 * fill->jitter, kDeviations * thermal);
  }
  double fastest = 0.0;
  for (const Placed& placed : std::get<Place>(group.how)) fastest = std::max(fastest, placed.velocity.norm());
  return fastest;
}

/// Greatest speed of approach of grains of two groups, or of one, by the velocities that they are given [m/s].
double approach_speed(const Scene& scene, const ParticleGroup& a, const ParticleGroup& b) {
  const auto* pour_a = std::get_if<Pour>(&a.how);
  const auto* pour_b = std::get_if<Pour>(&b.how);
  if (pour_a != nullptr && pour_b != nullptr) return (pour_a->velocity - pour_b->velocity).norm();
  return &a == &b && grains_in(a) < 2 ? 0.0 : given_speed(scene, a) + given_speed(scene, b);
}

double speed_of(const Scene& scene, std::size_t group) {
  const double given = given_speed(scene, scene.particles[group]);
  return std::sqrt(given * given + 2.0 * scene.gravity.norm() * fall_height(scene, group));
}

/// Greatest speed of any point of a wall [m/s].
double speed_of(const Wall& wall) {
  double reach = 0.0;
  for (const Vec2& corner : wall.polygon) reach = std::max(reach, (corner - wall.pivot).norm());
  double fastest = wall.velocity.norm() + std::abs(wall.angular_velocity) * reach +
                   2.0 * std::numbers::pi * wall.oscillation.frequency * wall.oscillation.amplitude.norm();
  for (const Taps& taps : wall.taps) {
    fastest = std::max(fastest, 2.0 * std::numbers::pi * taps.frequency * taps.amplitude.norm());
  }
  if (wall.motions.empty()) return fastest;
  const Polygon polygon(wall.polygon);
  return std::max(fastest, WallPhases(wall, polygon.centroid(), {}).max_speed(polygon.bounding_radius()));
}

struct Block {
  Vec2 position;
  double angle;                ///< [rad]
  double radius;               ///< of the circle around it [m]
  std::vector<Vec2> enlarged;  ///< its outline about the centroid, kTouchingSize times as large; empty: a disk [m]
  std::size_t grain;           ///< parts of one clump have one number
};

constexpr double kTouchingSize = 1.001;

/// Whether they lie on each other, within a thousandth of their size. Grains at random places have gaps.
bool touch(const Block& a, const Block& b) {
  const double radius_a = kTouchingSize * a.radius;
  const double radius_b = kTouchingSize * b.radius;
  if (a.grain == b.grain || (b.position - a.position).norm() > radius_a + radius_b) return false;
  const Pose b_in_a = relative_pose(Rotation::by(a.angle), Rotation::by(b.angle), b.position - a.position);
  PairHint no_hint;
  return overlap({a.enlarged, radius_a}, {b.enlarged, radius_b}, b_in_a, no_hint).touching();
}

/// Whether any neighbours along x touch, as those of a structure do.
bool any_touch(std::vector<Block> blocks) {
  constexpr std::size_t kNeighbours = 50;
  std::ranges::sort(blocks, {}, [](const Block& block) { return block.position.x(); });
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t j = i + 1; j < std::min(blocks.size(), i + kNeighbours); ++j) {
      if (touch(blocks[i], blocks[j])) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Impactor> impactors_of(const GrainShape& grain, double density) {
  const double radius = 0.5 * equivalent_diameter(grain.area);
  const Impactor whole{
      .mass = grain.mass(density), .radius = radius, .lever_arm = grain.bounding_radius, .own_radius = radius};
  std::vector<double> tangents;
  for (std::size_t k = 0; k < grain.outline.size(); ++k) tangents.push_back(half_angle_tangent(grain.outline, k));
  const auto is_sharper = [&](std::size_t corner, const Impactor& than) {
    return tangents[corner] < (than.half_angle_tangent > 0.0 ? than.half_angle_tangent : kInfinity);
  };
  if (!grain.is_clump()) {
    Impactor impactor = whole;
    for (std::size_t k = 0; k < tangents.size(); ++k) {
      if (!is_sharper(k, impactor)) continue;
      impactor.half_angle_tangent = tangents[k];
      impactor.lever_arm = grain.outline[k].norm();
    }
    return {impactor};
  }
  constexpr double kSame = 1e-6;  // of the size: corners of a part and of the outline
  std::vector<Impactor> parts;
  for (const GrainPart& part : grain.parts) {
    Impactor impactor = whole;
    impactor.own_radius = 0.5 * equivalent_diameter(part.area);
    if (part.outline.empty()) {  // a disk's force goes by its own radius
      impactor.radius = impactor.lever_arm = part.bounding_radius;
      parts.push_back(impactor);
      continue;
    }
    impactor.lever_arm = radius;
    for (std::size_t k = 0; k < tangents.size(); ++k) {
      if (!is_sharper(k, impactor)) continue;
      const bool is_of_part = std::ranges::any_of(part.outline, [&](const Vec2& corner) {
        return (part.arm + corner - grain.outline[k]).norm() < kSame * grain.bounding_radius;
      });
      if (is_of_part) impactor.half_angle_tangent = tangents[k];
    }
    if (impactor.half_angle_tangent > 0.0) parts.push_back(impactor);
  }
  return parts;
}

double impact_depth(const Scene& scene, const Material& mixed, const Impactor& impactor, const Target& target,
                    double energy) {
  if (!(energy > 0.0)) return 0.0;
  const PairLaw law = law_of(scene, mixed, impactor.half_angle_tangent == 0.0);
  const double stored = share_in_spring(law.damping_ratio) * energy;
  double shallower = 0.0;
  double deeper = 2.0 * impactor.own_radius;
  if (!(energy_at(scene, law, impactor, target, deeper) > stored)) return deeper;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (shallower + deeper);
    (energy_at(scene, law, impactor, target, middle) > stored ? deeper : shallower) = middle;
  }
  return deeper;
}

std::optional<ExpectedImpact> deepest_impact(const Scene& scene) {
  struct Grains {
    std::vector<Impactor> some;
    std::vector<Impactor> heaviest;  // of equal mass
    Impactor smallest;
    bool are_alone;  // one grain
  };
  std::vector<Grains> groups;
  std::size_t finest = 0;  // group with the smallest grain
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    std::vector<Impactor> some = impactors_in(scene, g);
    if (some.empty()) some.emplace_back();
    const double greatest = std::ranges::max_element(some, {}, &Impactor::mass)->mass;
    std::vector<Impactor> heaviest;
    std::ranges::copy_if(some, std::back_inserter(heaviest),
                         [&](const Impactor& impactor) { return impactor.mass == greatest; });
    const Impactor smallest = *std::ranges::min_element(some, {}, &Impactor::own_radius);
    const bool is_alone = grains_in(scene.particles[g]) < 2;
    groups.push_back({std::move(some), std::move(heaviest), smallest, is_alone});
    const double least = groups[finest].smallest.own_radius;
    if (smallest.own_radius > 0.0 && (least == 0.0 || smallest.own_radius < least)) finest = g;
  }
  std::map<int, double> wall_speeds;  // the greatest, by material
  for (const Wall& wall : scene.walls) {
    double& fastest = wall_speeds[wall.material];
    fastest = std::max(fastest, speed_of(wall));
  }

  ExpectedImpact deepest;
  const auto take = [&](const ExpectedImpact& impact) {
    if (impact.depth_ratio > deepest.depth_ratio) deepest = impact;
  };
  const auto hit_walls = [&](std::size_t a, double speed) {
    for (const auto& [material, wall_speed] : wall_speeds) {
      const Material mixed = mix(Mode::soft, scene, scene.particles[a].material, material);
      const double approach = speed + wall_speed;
      for (const Impactor& grain : groups[a].some) {
        const double depth = impact_depth(scene, mixed, grain, {}, 0.5 * grain.mass * approach * approach);
        take({a, {}, approach, depth / (2.0 * grain.own_radius)});
      }
    }
  };
  const auto hit_grains = [&](std::size_t a, std::size_t b, double speed) {
    const Impactor& smallest = groups[b].smallest;
    if (smallest.own_radius == 0.0) return;
    const Material mixed = mix(Mode::soft, scene, scene.particles[a].material, scene.particles[b].material);
    const double approach = approach_speed(scene, scene.particles[a], scene.particles[b]);
    for (const Impactor& heaviest : groups[a].heaviest) {
      // In free flight; or the grain that is hit lies on another body, and each of its two contacts takes half.
      const double reduced = heaviest.mass * smallest.mass / (heaviest.mass + smallest.mass);
      const double free = 0.5 * reduced * approach * approach;
      const bool is_alone = a == b && groups[a].are_alone;
      const double lying = scene.gravity.isZero() || is_alone ? 0.0 : 0.25 * heaviest.mass * speed * speed;
      const double depth = impact_depth(scene, mixed, heaviest, {smallest.radius}, std::max(free, lying));
      take({a, b, std::max(approach, speed), depth / (2.0 * std::min(heaviest.own_radius, smallest.own_radius))});
    }
  };
  for (std::size_t a = 0; a < groups.size(); ++a) {
    if (groups[a].heaviest.front().mass == 0.0) continue;
    const double speed = speed_of(scene, a);
    hit_walls(a, speed);
    hit_grains(a, a, speed);
    if (finest != a) hit_grains(a, finest, speed);
  }
  if (deepest.depth_ratio == 0.0) return {};
  return deepest;
}

double greatest_speed(const Scene& scene) {
  double greatest = 0.0;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) greatest = std::max(greatest, speed_of(scene, g));
  return greatest;
}

std::optional<double> rigidity(const Scene& scene) {
  if (scene.gravity.isZero()) return {};
  const Vec2 up = -scene.gravity.normalized();
  std::vector<Block> blocks;
  std::size_t grains = 0;
  double least = kInfinity;  // Y / (rho g) [m]
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const auto* place = std::get_if<Place>(&group.how);
    if (place == nullptr || place->empty() || std::holds_alternative<Disk>(group.shape)) continue;
    if (std::holds_alternative<RandomPolygon>(group.shape)) continue;  // stones, no blocks
    const Material& material = scene.materials[static_cast<std::size_t>(group.material)];
    least = std::min(least, material.stiffness / (material.density * scene.gravity.norm()));
    for (std::size_t k = 0; k < place->size(); ++k) {
      ++grains;
      const double angle = (*place)[k].angle;
      const Pose at{(*place)[k].position, Rotation::by(angle)};
      make_grain(scene, static_cast<int>(g), k).for_each_part(at, [&](const ShapeView& part, const Pose& pose) {
        std::vector<Vec2> enlarged;
        for (const Vec2& corner : part.outline) enlarged.emplace_back(kTouchingSize * corner);
        blocks.push_back({pose.position, angle, part.radius, std::move(enlarged), grains});
      });
    }
  }
  if (!any_touch(blocks)) return {};
  double lowest = kInfinity;
  double highest = -kInfinity;
  for (const Block& block : blocks) {
    lowest = std::min(lowest, up.dot(block.position) - block.radius);
    highest = std::max(highest, up.dot(block.position) + block.radius);
  }
  return least / (highest - lowest);
}

}  // namespace scree::soft
