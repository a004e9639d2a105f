#include "dem/hard/scene/scene_setup.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "broadphase/hierarchical_grid.hpp"
#include "dem/cell_checks.hpp"
#include "dem/errors.hpp"
#include "dem/hard/events/wall_body.hpp"
#include "dem/hard/flight/cell.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/flight/materials.hpp"
#include "dem/insertion.hpp"
#include "dem/periodic.hpp"
#include "dem/room.hpp"
#include "dem/scene.hpp"
#include "dem/thermostat.hpp"
#include "dem/wall_motion.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::hard {

namespace {

std::string key_of(const std::string& list, std::size_t k, const std::string& key) {
  return fmt::format("{}[{}].{}", list, k, key);
}

void require_hard_disks(const Scene& scene) {
  for (const Material& material : scene.materials) {
    const auto refuse = [&](const char* key, const char* what) {
      throw InvalidScene("materials." + material.name + "." + key, std::string(what) + " in hard mode");
    };
    if (material.damping) refuse("damping", "must be left out, and restitution given,");
    if (material.dynamic_friction) refuse("dynamic_friction", "must be static");
    if (material.rolling_friction != 0.0) refuse("rolling_friction", "must be 0");
    if (material.cohesion != 0.0) refuse("cohesion", "must be 0");
  }
  const auto refuse_any = [](bool is_given, const char* key) {
    if (is_given) throw InvalidScene(key, "must be left out in hard mode");
  };
  refuse_any(!scene.soft.stages.empty(), "stages");
  refuse_any(scene.start.has_value(), "start");
  refuse_any(scene.soft.until_unbalanced.has_value(), "time.until");
  if (!scene.soft.gravity_table.empty()) throw InvalidScene("gravity", "must be constant, [x, y], in hard mode");
  constexpr double kMostTurns = 1e9;  // when a disk is near, predictions step through each
  for (const Wall& wall : scene.walls) {
    const auto refuse_turns = [&](const char* key, double a_second) {
      if (std::abs(a_second) * scene.end <= kMostTurns) return;
      throw InvalidScene("walls." + wall.name + "." + key, "makes more than 1e9 turns until time.end");
    };
    refuse_turns("oscillation.frequency", wall.oscillation.frequency);
    for (const Taps& taps : wall.taps) refuse_turns("taps.frequency", taps.frequency);
    if (!std::holds_alternative<std::monostate>(wall.drive) || !wall.moves_with.empty()) {
      throw InvalidScene("walls." + wall.name, "must not be driven by forces in hard mode");
    }
    if (wall.from || !wall.motions.empty()) {
      throw InvalidScene("walls." + wall.name, "must be there from the beginning, without motions, in hard mode");
    }
    refuse_turns("rotation.rate", wall.angular_velocity / (2.0 * std::numbers::pi));
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    if (scene.particles[g].fixed != std::array{false, false, false}) {
      throw InvalidScene(key_of("particles", g, "fixed"), "must be left out in hard mode");
    }
    if (std::holds_alternative<Clump>(scene.particles[g].shape)) {
      throw InvalidScene(key_of("particles", g, "shape"),
                         "is of several parts, must be a convex polygon or disk in hard mode");
    }
  }
}

/// What only disks can do. @param key of a material, or a pair of them
void require_rule_of_polygons(const std::string& key, const Material& material) {
  if (material.tangential_restitution != 0.0) {
    throw InvalidScene(key + ".tangential_restitution",
                       fmt::format("is {:g}, must be 0 where grains are polygons", material.tangential_restitution));
  }
  if (material.restitution_law != RestitutionLaw::constant) {
    throw InvalidScene(key + ".restitution_law", "must be constant where grains are polygons");
  }
  if (!std::isfinite(material.friction)) {
    throw InvalidScene(key + ".friction", "must be finite where grains are polygons");
  }
}

/// Corners on edges come to rest by infinitely many collisions unless those within a contact duration lose nothing.
void require_contact_duration(const Scene& scene) {
  if (scene.hard.contact_duration > 0.0) return;
  const auto require = [&](const std::string& key, const Material& material) {
    const bool rests = material.friction > 0.0 && !scene.gravity.isZero();
    if (material.restitution == 1.0 && !rests) return;
    throw InvalidScene(
        "contact.duration",
        fmt::format(
            "must be given, > 0 s and far below the time between collisions, since grains are polygons and {}: "
            "corners come to rest on edges by infinitely many collisions in a finite time; allowed: that, or {}",
            rests ? fmt::format("{}.friction is {:g} in gravity", key, material.friction)
                  : fmt::format("{}.restitution is {:g}", key, material.restitution),
            rests ? "restitution 1 without friction" : "restitution 1"));
  };
  for (const Material& material : scene.materials) require("materials." + material.name, material);
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    require(fmt::format("contact.pairs[{}]", k), scene.pairs[k].mixed);
  }
}

void require_hard_polygons(const Scene& scene) {
  for (const Material& material : scene.materials) require_rule_of_polygons("materials." + material.name, material);
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    require_rule_of_polygons(fmt::format("contact.pairs[{}]", k), scene.pairs[k].mixed);
  }
  const auto refuse = [](const char* key, const char* what) {
    throw InvalidScene(key, fmt::format("{} where grains are polygons", what));
  };
  if (scene.hard.well.range > 1.0) refuse("well", "must be left out");
  if (scene.domain.cell) refuse("domain.cell", "must be left out in hard mode");
  if (scene.hard.arithmetic == Arithmetic::exact) refuse("arithmetic", "is exact, must be float");
  require_contact_duration(scene);
}

/// A cell of hard disks deforms at constant rates.
void require_cell(const Scene& scene) {
  require_alone_in_cell(scene);
  const CellDrive& drive = *scene.domain.cell;
  const auto refuse = [](const std::string& key, const std::string& what) { throw InvalidScene(key, what); };
  const auto require_rate = [&](const char* key, const CellComponent& component) {
    if (component.stress) {
      refuse(fmt::format("domain.cell.{}.stress", key),
             "must be left out in hard mode, where forces have no size that a cell could follow: it is driven by rate");
    }
  };
  require_rate("xx", drive.xx);
  require_rate("yy", drive.yy);
  require_rate("xy", drive.xy);
  constexpr double kMostStrain = 20.0;  // a length changes by a factor of 5e8
  const auto require_moderate = [&](const char* key, const CellComponent& component) {
    if (std::abs(component.rate) * scene.end <= kMostStrain) return;
    refuse(fmt::format("domain.cell.{}.rate", key),
           fmt::format("is {:g}, must be at most {:.3g} [1/s], either way: the length changes by a factor of exp({:g}) "
                       "until time.end",
                       component.rate, kMostStrain / scene.end, kMostStrain));
  };
  require_moderate("xx", drive.xx);
  require_moderate("yy", drive.yy);
  constexpr double kMostTurns = 1e6;  // its tilt is set back so often at most
  const Vec2 length = scene.domain.hi - scene.domain.lo;
  const double grown = deterministic::exp(std::max(0.0, (drive.yy.rate - drive.xx.rate) * scene.end));
  const double rate_of_turns = grown * length.y() / length.x();  // over the rate, at most
  if (std::abs(drive.xy.rate) * scene.end * rate_of_turns > kMostTurns) {
    refuse("domain.cell.xy.rate",
           fmt::format("is {:g}, must be at most {:.3g} [1/s]: rows of images pass each other 1e6 times until time.end",
                       drive.xy.rate, kMostTurns / (rate_of_turns * scene.end)));
  }
  if (scene.hard.growth.rate > 0.0) refuse("growth", "must be left out in a cell that deforms (domain.cell)");
  if (scene.hard.well.range > 1.0) refuse("well", "must be left out in a cell that deforms (domain.cell)");
  if (scene.hard.reverse) refuse("time.reverse", "must be left out in a cell that deforms (domain.cell)");
  if (scene.broadphase == BroadphaseKind::linked_cells) {
    refuse("broadphase",
           "is linked_cells, must be auto or another one in a cell that deforms (domain.cell) in hard mode");
  }
}

/// Only the velocities of disks can be reversed.
void require_reversible(const Scene& scene) {
  const auto refuse = [](const std::string& beside) {
    throw InvalidScene("time.reverse", "is given beside " + beside + ", which cannot be reversed, must be left out");
  };
  if (scene.hard.growth.rate > 0.0) refuse("growth");
  for (const Wall& wall : scene.walls) {
    if (ever_moves(wall)) refuse("the motion of the wall '" + wall.name + "'");
  }
  for (const ParticleGroup& group : scene.particles) {
    if (std::holds_alternative<Pour>(group.how)) refuse("a pour");
  }
}

/// What gives disks velocities at random has no way back, and no energy of the start that growth could keep.
/// @param what  does so, for people
void require_alone_beside(const std::string& what, const Scene& scene) {
  const auto refuse = [&](const std::string& key, const std::string& why) {
    throw InvalidScene(key, why + " beside " + what);
  };
  if (scene.hard.arithmetic == Arithmetic::exact) refuse("arithmetic", "is exact, must be float");
  if (scene.hard.growth.rate > 0.0) refuse("growth", "must be left out");
  if (scene.hard.reverse) refuse("time.reverse", "must be left out");
}

/// A thermostat gives all grains other velocities, which not all can have.
void require_alone_beside_thermostat(const Scene& scene) {
  const std::string what = "a thermostat";
  require_alone_beside(what, scene);
  require_sensible(*scene.thermostat, scene);
  if (scene.measure && scene.measure->free_flights) {
    throw InvalidScene("measure.free_flights",
                       "must be left out: new velocities end all flights, and long ones more often, beside " + what);
  }
}

/// Where nothing but collisions of smooth disks carries momentum and heat, and that between periodic sides.
void require_alone_beside_helfand_moments(const Scene& scene) {
  const auto refuse = [](const std::string& key, const std::string& allowed) {
    throw InvalidScene(key, allowed + " beside measure.helfand_moments");
  };
  require_alone_beside("measure.helfand_moments", scene);
  if (!scene.domain.periodic[0] || !scene.domain.periodic[1]) refuse("domain.periodic", "must be [x, y]");
  if (!scene.gravity.isZero()) refuse("gravity", "must be [0, 0]");
  if (!scene.walls.empty()) refuse("walls." + scene.walls.front().name, "must be left out");
  if (scene.domain.cell) refuse("domain.cell", "must be left out");
  if (scene.hard.well.range > 1.0) refuse("well", "must be left out");
  if (scene.thermostat) refuse("thermostat", "must be left out");
  const auto require_smooth = [&](const std::string& key, const Material& material) {
    if (material.friction > 0.0 || material.tangential_restitution != 0.0) {
      refuse(key, "must be smooth, without friction and tangential_restitution,");
    }
  };
  for (const Material& material : scene.materials) require_smooth("materials." + material.name, material);
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    require_smooth(fmt::format("contact.pairs[{}]", k), scene.pairs[k].mixed);
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    if (!std::holds_alternative<Disk>(group.shape)) refuse(key_of("particles", g, "shape"), "must be a disk");
    if (std::holds_alternative<Pour>(group.how)) refuse(key_of("particles", g, "pour"), "must be left out");
  }
}

constexpr double kRoundings = 1e3;  // in the radius of the smallest disk, at least

/// A polygon's corners are rounded to a small part of its thickness.
void require_thickness(const Scene& scene, std::size_t group, const GrainShape& grain) {
  const double least = kRoundings * tolerance(scene.domain, 0.0);
  if (grain.outline.empty() || grain.inner_radius >= least) return;
  throw InvalidScene(
      key_of("particles", group, "shape"),
      fmt::format(
          "gives a grain of which an edge is {:.3g} m from the centroid, too thin for coordinates of up to {:g} "
          "m, in which distances are rounded to {:.2g} m; allowed: at least {:.2g} m",
          grain.inner_radius, largest_coordinate(scene.domain), tolerance(scene.domain, 0.0), least));
}

/// Greatest radius of the bounding circles of a group that is poured, all that will come included [m].
double greatest_radius(const Scene& scene, std::size_t number) {
  const ParticleGroup& group = scene.particles[number];
  if (std::holds_alternative<scree::Disk>(group.shape)) return 0.5 * group.size.greatest;
  double greatest = 0.0;
  for (std::uint64_t k = 0; k < std::get<Pour>(group.how).count; ++k) {
    const GrainShape grain = make_grain(scene, static_cast<int>(number), k);
    require_thickness(scene, number, grain);
    greatest = std::max(greatest, ContactShape(grain.outline).bounding_radius());
  }
  return greatest;
}

/// Disks that are poured need boxes that suit them, too.
/// @pre setup.has_forms is known
void prepare_for_pours(const Scene& scene, Setup& setup) {
  double count = 0.0;
  double diameters = 0.0;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    if (!std::holds_alternative<Pour>(group.how)) continue;
    const double disks = static_cast<double>(grains_in(group));
    count += disks;
    diameters += disks * 0.5 * (group.size.least + group.size.greatest);
    setup.greatest_radius = std::max(setup.greatest_radius, greatest_radius(scene, g));
  }
  constexpr double kMargin = 0.2;  // diameters: ten partners in a dense bed
  if (count > 0.0) setup.margin = kMargin * diameters / count;
}

/// The disks and walls that have a place already.
class Occupied {
 public:
  Occupied(const Domain& domain, std::span<const Wall> walls) : periodic_(domain) {
    for (const Wall& wall : walls) walls_.emplace_back(wall, domain);
  }

  void add(std::span<const InitialState> births) {
    std::vector<ProxyId> ids;
    std::vector<Aabb2> boxes;
    for (const InitialState& birth : births) {
      ids.push_back(static_cast<ProxyId>(centres_.size()));
      outlines_.push_back(birth.grain.outline);
      rotations_.push_back(birth.grain.outline.empty() ? Rotation() : Rotation::by(birth.angle));
      centres_.push_back(birth.position);
      radii_.push_back(birth.grain.bounding_radius);
      boxes.push_back(Aabb2{birth.position, birth.position}.expanded(birth.grain.bounding_radius));
    }
    PairChanges ignored;
    index_.insert(ids, boxes, ignored);
  }

  /// Whether a grain would overlap none of them, nor any periodic image of one.
  bool has_room_for(const ShapeView& shape, const Pose& pose) const {
    bool is_free = true;
    periodic_.for_each_near_image([&](const Image& image) {
      const Vec2 there = pose.position + periodic_.shift(image);
      const auto overlaps = [&](const WallBody& wall) {
        if (!shape.is_disk()) {
          return wall.gap_to(ContactShape(shape.outline), {there, pose.rotation}, Vec2::Zero(), 0.0) < 0.0;
        }
        const Flight flight{there, Vec2::Zero(), 0.0, shape.radius};
        return wall.gap_to(flight, Vec2::Zero(), Vec2::Zero(), 0.0).gap < 0.0;
      };
      is_free = is_free && std::ranges::none_of(walls_, overlaps);
    });
    std::vector<ProxyId> found;
    const auto near = [&](const Aabb2& box, const auto& take) {
      index_.query(box, found);
      for (const ProxyId id : found) {
        take(ShapeView{.outline = outlines_[id], .radius = radii_[id]}, Pose{centres_[id], rotations_[id]});
      }
    };
    return is_free && has_room(shape, {pose.position, shape.is_disk() ? Rotation() : pose.rotation}, periodic_, near);
  }

 private:
  Periodic periodic_;
  HierarchicalGrid<2> index_;
  std::vector<Vec2> centres_;
  std::vector<double> radii_;
  std::vector<std::vector<Vec2>> outlines_;  // empty of disks
  std::vector<Rotation> rotations_;
  std::vector<WallBody> walls_;
};

/// Positions are rounded to a small part of a disk.
void require_digits(const Scene& scene) {
  const double scale = scene.hard.growth.rate > 0.0 ? scene.hard.growth.from : 1.0;
  const double least = 2.0 * kRoundings * tolerance(scene.domain, 0.0) / scale;  // [m]
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    double size = scene.particles[g].size.least;
    if (const auto* place = std::get_if<Place>(&scene.particles[g].how)) {
      for (const Placed& placed : *place) size = std::min(size, placed.size.value_or(size));
    }
    if (size >= least) continue;
    throw InvalidScene(
        key_of("particles", g, "size"),
        fmt::format("is {:g} m, too small for coordinates of up to {:g} m, in which distances are rounded "
                    "to {:.2g} m; allowed: at least {:.2g} m, or a domain nearer to the origin",
                    size, largest_coordinate(scene.domain), tolerance(scene.domain, 0.0), least));
  }
}

/// By group; empty if all grow alike.
std::vector<double> growth_shares(const Scene& scene) {
  const double rate = scene.hard.growth.rate;
  std::vector<double> shares;
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const std::optional<double>& own = scene.particles[g].growth_rate;
    if (!own) {
      shares.push_back(1.0);
      continue;
    }
    const std::string key = key_of("particles", g, "growth_rate");
    if (rate == 0.0) throw InvalidScene(key, "needs growth.rate, the greatest of all groups");
    if (*own > rate)
      throw InvalidScene(key, fmt::format("is {:g}, must be at most growth.rate, {:g} [1/s]", *own, rate));
    shares.push_back(*own / rate);
  }
  const bool are_alike = std::ranges::all_of(shares, [](double share) { return share == 1.0; });
  return are_alike ? std::vector<double>() : shares;
}

}  // namespace

bool has_polygons(const Scene& scene) {
  return std::ranges::any_of(
      scene.particles, [](const ParticleGroup& group) { return !std::holds_alternative<scree::Disk>(group.shape); });
}

Setup setup_from(const Scene& scene, MadeFor made_for) {
  require_hard_disks(scene);
  const bool polygons = has_polygons(scene);
  if (polygons) require_hard_polygons(scene);
  if (scene.domain.cell) require_cell(scene);
  require_digits(scene);
  if (scene.hard.reverse) require_reversible(scene);
  if (scene.domain.has_thermal_sides()) require_alone_beside("domain.thermal_sides", scene);
  if (scene.thermostat) require_alone_beside_thermostat(scene);
  if (scene.measure && scene.measure->helfand_moments) require_alone_beside_helfand_moments(scene);
  Setup setup;
  setup.domain = scene.domain;
  setup.open = !scene.domain.reflecting;
  setup.gravity = scene.gravity;
  setup.seed = scene.seed;
  setup.measure = scene.measure;
  setup.growth = scene.hard.growth;
  setup.growth_share = growth_shares(scene);
  setup.well = scene.hard.well;
  setup.first_id = scene.walls.size() + 1;
  const int materials = static_cast<int>(scene.materials.size());
  for (int a = 0; a < materials; ++a) {
    for (int b = 0; b < materials; ++b) setup.rules.pairs.push_back(rule_between(scene, a, b));
  }
  setup.walls = scene.walls;
  setup.contact_duration = scene.hard.contact_duration;
  if (scene.hard.contact_duration > scene.end) {  // a disk at rest on a wall would be thrown up for as long
    throw InvalidScene("contact.duration",
                       fmt::format("is {:g} s, must be at most time.end, {:g} s, and far below: the "
                                   "time that a contact lasts",
                                   scene.hard.contact_duration, scene.end));
  }
  setup.is_for_load = made_for == MadeFor::load;
  const Cell cell(scene.domain);
  DrawnVelocities draws(scene);
  std::vector<std::size_t> drawn;
  Occupied occupied(scene.domain, setup.is_for_load ? std::span<const Wall>() : scene.walls);
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const double density = scene.materials[static_cast<std::size_t>(group.material)].density;
    const auto births = initial_grains(scene, static_cast<int>(g), [&](const ShapeView& shape, const Pose& pose) {
      return occupied.has_room_for(shape, pose);
    });
    occupied.add(births);
    for (const InitialState& birth : births) {
      setup.position.push_back(birth.position);
      setup.velocity.push_back(birth.velocity);
      setup.angle.push_back(birth.angle);
      setup.angular_velocity.push_back(birth.angular_velocity);
      setup.radius.push_back(birth.grain.bounding_radius);
      setup.mass.push_back(birth.grain.mass(density));
      if (birth.is_drawn) {
        draws.add(setup.mass.back(), birth.velocity);
        drawn.push_back(setup.mass.size() - 1);
      }
      setup.type.push_back(static_cast<std::int32_t>(g));
      setup.material.push_back(group.material);
      if (!polygons) continue;
      require_thickness(scene, g, birth.grain);
      setup.form.push_back(form_of(birth.grain, density));
      setup.radius.back() = setup.form.back().shape.bounding_radius();
    }
  }
  setup.has_forms = polygons;
  for (const std::size_t disk : drawn) setup.velocity[disk] = draws.without_mean(setup.velocity[disk]);
  for (std::size_t disk = 0; cell.exists() && disk < setup.velocity.size(); ++disk) {
    setup.velocity[disk] += cell.flow(setup.position[disk], 0.0);
  }
  prepare_for_pours(scene, setup);
  if (cell.exists() && setup.position.empty()) {
    throw InvalidScene("particles", "must not be empty in a cell that deforms (domain.cell) in hard mode");
  }
  return setup;
}

GrainForm form_of(const GrainShape& grain, double density) {
  return {.shape = grain.outline.empty() ? ContactShape::disk(grain.bounding_radius) : ContactShape(grain.outline),
          .area = grain.area,
          .inertia = grain.inertia(density)};
}

std::string key_of_disk(const Scene& scene, const Setup& setup, std::size_t disk) {
  const auto group = static_cast<std::size_t>(setup.type[disk]);
  if (!std::holds_alternative<Place>(scene.particles[group].how)) return key_of("particles", group, "fill");
  const auto first = std::ranges::find(setup.type, setup.type[disk]) - setup.type.begin();
  return key_of("particles", group, fmt::format("place[{}]", disk - static_cast<std::size_t>(first)));
}

}  // namespace scree::hard
