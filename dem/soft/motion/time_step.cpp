#include "dem/soft/motion/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "dem/inherited.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/soft/contact/laws/laws.hpp"
#include "dem/soft/motion/gear.hpp"

namespace scree::soft {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The longest side lying flat; or, if the grain is rounder than that, the chord of its inscribed circle pressed in by
/// kDeepInRadii: many short sides touch at once.
double widest_chord(double longest_side, double inner_radius) {
  constexpr double kDeepInRadii = 0.1;
  return std::max(longest_side, 2.0 * std::sqrt(kDeepInRadii * (2.0 - kDeepInRadii)) * inner_radius);
}

constexpr double kFlat = 1e-3;  // of a grain's size: what misses a line by less touches it, too

/// The longest way on which an outline can lie flat, which need not be convex: of the lines along a side that leave all
/// of it on one side, the most that sides along one have together [m].
double longest_flat(std::span<const Vec2> outline) {
  double extent = 0.0;
  for (const Vec2& point : outline) extent = std::max(extent, (point - outline.front()).norm());
  const double tolerance = kFlat * extent;
  const auto next = [&](std::size_t k) { return outline[k + 1 < outline.size() ? k + 1 : 0]; };
  double longest = 0.0;
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const Vec2 side = next(k) - outline[k];
    const double length = side.norm();
    if (!(length > 0.0)) continue;
    const auto inside = [&](const Vec2& point) { return cross(side, point - outline[k]) / length; };
    double flat = 0.0;
    bool supports = true;
    for (std::size_t other = 0; other < outline.size() && supports; ++other) {
      supports = inside(outline[other]) >= -tolerance;
      if (inside(outline[other]) > tolerance || inside(next(other)) > tolerance) continue;
      flat += (next(other) - outline[other]).norm();
    }
    if (supports) longest = std::max(longest, flat);
  }
  return longest;
}

/// How many disks of a clump can lie on a line at once: of the lines that touch two of them and leave all others on one
/// side, the most that one touches.
double most_disks_in_line(const GrainShape& clump) {
  std::vector<const GrainPart*> disks;
  for (const GrainPart& part : clump.parts) {
    if (part.outline.empty()) disks.push_back(&part);
  }
  const double tolerance = kFlat * clump.bounding_radius;
  std::ptrdiff_t most = 1;
  for (std::size_t i = 0; i < disks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Vec2 way = disks[j]->arm - disks[i]->arm;
      const double difference = disks[i]->bounding_radius - disks[j]->bounding_radius;
      const double cosine = difference / way.norm();
      if (!(std::abs(cosine) < 1.0)) continue;  // one inside the other
      for (const double side : {-1.0, 1.0}) {
        const Vec2 outward = (cosine * way + side * std::sqrt(1.0 - cosine * cosine) * perp(way)) / way.norm();
        const auto beyond = [&](const GrainPart* disk) {
          return outward.dot(disk->arm - disks[i]->arm) + disk->bounding_radius - disks[i]->bounding_radius;
        };
        if (std::ranges::any_of(disks, [&](const GrainPart* disk) { return beyond(disk) > tolerance; })) continue;
        most = std::max(
            most, std::ranges::count_if(disks, [&](const GrainPart* disk) { return beyond(disk) >= -tolerance; }));
      }
    }
  }
  return static_cast<double>(most);
}

/// What a grain, or any of several, can do at most in a contact.
struct GrainBounds {
  bool is_disk;
  double inverse_mass;      ///< [1/kg]
  double per_inner_radius;  ///< [1/m]
  double per_radius;        ///< of the disk of equal area [1/m]
  double chord;             ///< the longest it can press on with [m]
  double width;             ///< no chord is longer [m]
  double at_once = 1.0;     ///< of a disk: how many like it, of one grain, can touch a line
};

/// A wall: no mass and no width.
constexpr GrainBounds kWall{.is_disk = false,
                            .inverse_mass = 0.0,
                            .per_inner_radius = 0.0,
                            .per_radius = 0.0,
                            .chord = 0.0,
                            .width = kInfinity};

/// Whether all grains of a group are the same.
bool are_equal(const ParticleGroup& group) {
  return group.size.least == group.size.greatest && !std::holds_alternative<RandomPolygon>(group.shape) &&
         !std::holds_alternative<Place>(group.how);
}

/// Gives the bounds of each grain, now and to come, to `take`; one stands for all that are equal.
template <class Take>
void for_each_grain(const Scene& scene, const Take& take) {
  // A clump's longest flat side and most disks in line; alike for all of a group.
  struct Flat {
    double over_diameter;
    double disks;
  };
  std::optional<Flat> flat;
  const auto take_grain = [&](const GrainShape& grain, double density) {
    const double diameter = equivalent_diameter(grain.area);
    if (grain.is_clump() && !flat) flat = {longest_flat(grain.outline) / diameter, most_disks_in_line(grain)};
    const double per_radius = 2.0 / diameter;
    const double inverse_mass = 1.0 / grain.mass(density);
    if (!grain.is_clump()) {
      take(GrainBounds{.is_disk = grain.longest_side == 0.0,
                       .inverse_mass = inverse_mass,
                       .per_inner_radius = 1.0 / grain.inner_radius,
                       .per_radius = per_radius,
                       .chord = widest_chord(grain.longest_side, grain.inner_radius),
                       .width = 2.0 * grain.bounding_radius});
    }
    // The forces of polygons that are parts go by the size of the clump, and several parts can touch at once.
    for (const GrainPart& part : grain.parts) {
      const bool is_disk = part.longest_side == 0.0;
      take(GrainBounds{
          .is_disk = is_disk,
          .inverse_mass = inverse_mass,
          .per_inner_radius = is_disk ? 1.0 / part.inner_radius : per_radius,
          .per_radius = is_disk ? 1.0 / part.inner_radius : per_radius,
          .chord = std::max(widest_chord(part.longest_side, part.inner_radius), flat->over_diameter * diameter),
          .width = 2.0 * grain.bounding_radius,
          .at_once = is_disk ? flat->disks : 1.0});
    }
  };
  if (scene.start && scene.start->inherited) {
    for (const Inherited::Grain& grain : scene.start->inherited->grains) {
      flat.reset();
      take_grain(grain.state.grain, 0.0);
    }
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const double density = scene.materials[static_cast<std::size_t>(group.material)].density;
    flat.reset();
    const std::uint64_t count = are_equal(group) ? std::min<std::uint64_t>(grains_in(group), 1) : grains_in(group);
    for (std::uint64_t k = 0; k < count; ++k) {
      take_grain(make_grain(scene, static_cast<int>(g), k), density);
    }
  }
}

/// The bounds of all grains, to be gone through twice. Making a grain takes far longer than keeping its bounds. But a
/// pour of millions takes no memory before it begins.
class AllGrains {
 public:
  explicit AllGrains(const Scene& scene) : scene_(scene) {
    for (const ParticleGroup& group : scene.particles) {
      const Pour* pour = std::get_if<Pour>(&group.how);
      are_all_kept_ = are_all_kept_ && (pour == nullptr || pour->count <= kMostPoured);
    }
  }

  template <class Take>
  void for_each(const Take& take) {
    if (kept_.empty()) {
      for_each_grain(scene_, [&](const GrainBounds& grain) {
        are_all_kept_ = are_all_kept_ && kept_.size() < kMostKept;
        if (are_all_kept_) kept_.push_back(grain);
        take(grain);
      });
    } else if (are_all_kept_) {
      for (const GrainBounds& grain : kept_) take(grain);
    } else {
      for_each_grain(scene_, take);
    }
  }

 private:
  static constexpr std::size_t kMostKept = 2'000'000;    // 100 MB; more are made again
  static constexpr std::uint64_t kMostPoured = 100'000;  // by one group; more are made again

  const Scene& scene_;
  std::vector<GrainBounds> kept_;
  bool are_all_kept_ = true;
};

/// The grains by kind: disk or not, and sixteenths of a power of two of the width; for each kind the bounds of all of
/// it. However many grains there are, the kinds are few.
class Kinds {
 public:
  void add(const GrainBounds& grain) {
    GrainBounds& kind = kinds_.try_emplace(key(grain), grain).first->second;
    kind.inverse_mass = std::max(kind.inverse_mass, grain.inverse_mass);
    kind.per_inner_radius = std::max(kind.per_inner_radius, grain.per_inner_radius);
    kind.per_radius = std::max(kind.per_radius, grain.per_radius);
    kind.chord = std::max(kind.chord, grain.chord);
    kind.width = std::max(kind.width, grain.width);
    kind.at_once = std::max(kind.at_once, grain.at_once);
  }
  const auto& all() const { return kinds_; }

 private:
  using Key = std::pair<bool, int>;
  static Key key(const GrainBounds& grain) {
    int exponent = 0;
    const double mantissa = std::frexp(grain.width, &exponent);  // from 1/2 to 1
    return {grain.is_disk, 16 * exponent + static_cast<int>(32.0 * mantissa)};
  }

  std::map<Key, GrainBounds> kinds_;
};

/// What the scene's materials can do at most, alone or mixed.
struct MaterialBounds {
  double stiffness =
      0.0;  ///< Y, or, where tangential springs with their lever arms are stiffer still, as much as those
  double damping_ratio = 0.0;
  double least_damping_ratio = kInfinity;  ///< of the normal dashpots between grains
  double friction_damping = 0.0;           ///< zeta sqrt(k_t) of friction's dashpot with its lever arms [sqrt(N/m)]
};

template <class PolygonLaw, class DiskLaw>
MaterialBounds bounds_of_materials(const Scene& scene) {
  MaterialBounds bounds;
  const auto take = [&](const Material& material, bool is_of_grains) {
    // On a disk friction's spring has k_t (1/m + r^2/I) = 3 k_t/m, rolling resistance's k_t R^2/I <= 2 k_t/m.
    const double arms = material.rolling_friction > 0.0 ? 5.0 : 3.0;
    const double levers = material.tangential_stiffness * arms;
    bounds.stiffness = std::max(bounds.stiffness, material.stiffness * std::max(1.0, levers));
    for (const auto of_restitution : {PolygonLaw::kDampingRatio, DiskLaw::kDampingRatio}) {
      const PairLaw law = pair_law(material, of_restitution);
      const bool is_rough = law.friction > 0.0 || law.rolling_friction > 0.0;
      const double rough = is_rough ? law.tangential_damping_ratio : 0.0;
      bounds.damping_ratio = std::max({bounds.damping_ratio, law.damping_ratio, rough});
      if (is_of_grains) bounds.least_damping_ratio = std::min(bounds.least_damping_ratio, law.damping_ratio);
      bounds.friction_damping = std::max(bounds.friction_damping, rough * arms * std::sqrt(law.tangential_stiffness));
    }
  };
  // A pair damps as its material that damps more: the weakest dashpot is that of a grain with its like.
  for (std::size_t k = 0; k < scene.materials.size(); ++k) {
    take(scene.materials[k], std::ranges::any_of(scene.particles, [&](const ParticleGroup& group) {
           return static_cast<std::size_t>(group.material) == k;
         }));
  }
  for (const MaterialPair& pair : scene.pairs) take(pair.mixed, true);
  return bounds;
}

/// dF/d(depth) of two grains, along the chord of the first [N/m].
template <class PolygonLaw, class DiskLaw>
double greatest_stiffness(double stiffness, const GrainBounds& grain, const GrainBounds& partner) {
  if (grain.is_disk || partner.is_disk) {
    return DiskLaw::greatest_stiffness(stiffness) * std::max(grain.at_once, partner.at_once);
  }
  return PolygonLaw::greatest_stiffness(stiffness,
                                        {.chord = std::min(grain.chord, partner.width),
                                         .inverse_lever_arm = grain.per_inner_radius + partner.per_inner_radius,
                                         .inverse_effective_radius = grain.per_radius + partner.per_radius});
}

/// A single contact.
struct StiffestContact {
  double squared_frequency = 0.0;  ///< [1/s^2]
  double stiffness = 0.0;          ///< [N/m]
  double mass = 0.0;               ///< of the grain whose chord it is [kg]
};

template <class PolygonLaw, class DiskLaw>
StiffestContact stiffest_contact(AllGrains& grains, double stiffness, const Kinds& kinds) {
  StiffestContact stiffest;
  grains.for_each([&](const GrainBounds& grain) {
    const auto meet = [&](const GrainBounds& partner) {
      const double k = greatest_stiffness<PolygonLaw, DiskLaw>(stiffness, grain, partner);
      const double squared = k * (grain.inverse_mass + partner.inverse_mass);
      if (squared > stiffest.squared_frequency) stiffest = {squared, k, 1.0 / grain.inverse_mass};
    };
    meet(kWall);
    for (const auto& [key, kind] : kinds.all()) meet(kind);
  });
  return stiffest;
}

template <class PolygonLaw, class DiskLaw>
TimeStep automatic_step(const Scene& scene) {
  Kinds kinds;
  double greatest_inverse_mass = 0.0;
  AllGrains grains(scene);
  grains.for_each([&](const GrainBounds& grain) {
    kinds.add(grain);
    greatest_inverse_mass = std::max(greatest_inverse_mass, grain.inverse_mass);
  });
  if (kinds.all().empty()) return {1e-3, "step 0.001 s: the scene has no grains", true};

  const auto materials = bounds_of_materials<PolygonLaw, DiskLaw>(scene);
  const auto stiffest = stiffest_contact<PolygonLaw, DiskLaw>(grains, materials.stiffness, kinds);
  const double contact_time = std::numbers::pi / std::sqrt(kSeveralContacts * stiffest.squared_frequency);
  // Where the normal springs are far softer than Y, friction's dashpots, with their lever arms, are the strongest. They
  // are 2.5 times as strong as the normal ones in what strong_damping allows for: round polygons with the law `area`.
  constexpr double kUsual = 2.5;
  const double damping_ratio = std::max(
      materials.damping_ratio,
      materials.friction_damping * std::sqrt(2.0 * greatest_inverse_mass / stiffest.squared_frequency) / kUsual);
  const double shorter = std::max(1.0, damping_ratio / strong_damping(gear_values(scene.soft.integrator)));
  const double dt = contact_time / steps_per_contact(materials.least_damping_ratio) / shorter;
  const std::string of_damping =
      shorter > 1.0 ? fmt::format("; {:.3g} times shorter for a damping ratio of {:.3g}", shorter, damping_ratio) : "";
  return {dt,
          fmt::format("step {:.3g} s = 1/{:.3g} of the shortest contact, {:.3g} s: that of a grain of {:.3g} kg with a "
                      "stiffness of {:.3g} N/m along its longest chord, doubled for several contacts and lever arms{}; "
                      "halved while grains with all their contacts need it",
                      dt, contact_time / dt, contact_time, stiffest.mass, stiffest.stiffness, of_damping),
          true, contact_time};
}

}  // namespace

double steps_per_contact(double damping_ratio) {
  // A collision takes the share 2 pi zeta of the energy. Errors of collisions add up at random as long as the energy
  // lasts: over 1/zeta of them. An error goes with the square of the step, so the sum with zeta^(-1/2) dt^2.
  constexpr double kWeak = 0.01;
  if (damping_ratio >= kWeak) return kStepsPerContact;
  return std::min(kMostStepsPerContact, kStepsPerContact * std::sqrt(std::sqrt(kWeak / damping_ratio)));
}

double strong_damping(int gear_values) {
  constexpr double kOf4Values = 0.8;
  return kOf4Values * std::min(1.0, stability_limit(gear_values).damping / stability_limit(4).damping);
}

double max_omega_dt(double damping_ratio, int gear_values) {
  // x^2 / stiffness + 2 zeta x / damping = 1
  const StabilityLimit limit = stability_limit(gear_values);
  const double b = damping_ratio / limit.damping;
  return std::min(kMaxOmegaDt, 1.0 / (b + std::sqrt(b * b + 1.0 / limit.stiffness)));
}

TimeStep automatic_time_step(const Scene& scene) {
  TimeStep step;
  with_law<PolygonLaws>(scene.contact_law, "contact.law", [&](auto polygon_law) {
    with_law<DiskLaws>(scene.disk_law, "contact.disks",
                       [&](auto disk_law) { step = automatic_step<decltype(polygon_law), decltype(disk_law)>(scene); });
  });
  return step;
}

TimeStep time_step(const Scene& scene) {
  if (scene.soft.step)
    return {*scene.soft.step, fmt::format("step {:.3g} s as the scene says", *scene.soft.step), false};
  return automatic_time_step(scene);
}

}  // namespace scree::soft
