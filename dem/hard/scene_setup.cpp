#include "dem/hard/scene_setup.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "broadphase/hierarchical_grid.hpp"
#include "dem/errors.hpp"
#include "dem/hard/materials.hpp"
#include "dem/hard/obstacle.hpp"
#include "dem/insertion.hpp"

namespace scree::hard {

namespace {

std::string key_of(const std::string& list, std::size_t k, const std::string& key) {
  return list + "[" + std::to_string(k) + "]." + key;
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
  constexpr double kMostTurns = 1e9;  // each is looked at when a disk is near
  for (const Wall& wall : scene.walls) {
    const auto refuse_turns = [&](const char* key, double a_second) {
      if (std::abs(a_second) * scene.end <= kMostTurns) return;
      throw InvalidScene("walls." + wall.name + "." + key, "makes more than 1e9 turns until time.end");
    };
    refuse_turns("oscillation.frequency", wall.oscillation.frequency);
    refuse_turns("rotation.rate", wall.angular_velocity / (2.0 * std::numbers::pi));
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    if (!std::holds_alternative<scree::Disk>(scene.particles[g].shape)) {
      throw InvalidScene(key_of("particles", g, "shape"), "must be disk in hard mode");
    }
  }
}

/// Disks turn round, nothing else does.
void require_reversible(const Scene& scene) {
  const auto refuse = [](const std::string& beside) {
    throw InvalidScene("time.reverse", "is given beside " + beside + ", which cannot be reversed, must be left out");
  };
  if (scene.growth.rate > 0.0) refuse("growth");
  for (const Wall& wall : scene.walls) {
    const bool moves = !wall.velocity.isZero() || wall.angular_velocity != 0.0 || !wall.oscillation.amplitude.isZero();
    if (moves) refuse("the motion of the wall '" + wall.name + "'");
  }
  for (const ParticleGroup& group : scene.particles) {
    if (std::holds_alternative<Pour>(group.how)) refuse("a pour");
  }
}

/// Disks that are poured need boxes that suit them, too.
void prepare_for_pours(const Scene& scene, Setup& setup) {
  double count = 0.0;
  double diameters = 0.0;
  for (const ParticleGroup& group : scene.particles) {
    if (!std::holds_alternative<Pour>(group.how)) continue;
    const double disks = static_cast<double>(grains_in(group));
    count += disks;
    diameters += disks * 0.5 * (group.size.least + group.size.greatest);
    setup.greatest_radius = std::max(setup.greatest_radius, 0.5 * group.size.greatest);
  }
  constexpr double kMargin = 0.2;  // diameters: ten partners in a dense bed
  if (count > 0.0) setup.margin = kMargin * diameters / count;
}

/// Where disks and walls are already.
class Crowd {
 public:
  explicit Crowd(const Scene& scene) : domain_(scene.domain) {
    for (const Wall& wall : scene.walls) walls_.emplace_back(wall, scene.domain);
  }

  void add(std::span<const Birth> births) {
    std::vector<ProxyId> ids;
    std::vector<Aabb2> boxes;
    for (const Birth& birth : births) {
      ids.push_back(static_cast<ProxyId>(disks_.size()));
      disks_.push_back({birth.position, birth.grain.bounding_radius});
      boxes.push_back(Aabb2{birth.position, birth.position}.expanded(birth.grain.bounding_radius));
    }
    PairChanges ignored;
    index_.insert(ids, boxes, ignored);
  }

  /// Whether a disk would touch none of them, nor any periodic image of one.
  bool has_room_for(const Vec2& position, double radius) const {
    const Vec2 period = domain_.hi - domain_.lo;
    std::vector<ProxyId> found;
    for (int x = -1; x <= 1; ++x) {
      for (int y = -1; y <= 1; ++y) {
        if ((x != 0 && !domain_.periodic[0]) || (y != 0 && !domain_.periodic[1])) continue;
        const Vec2 centre = position + Vec2(x * period.x(), y * period.y());
        const Flight there{centre, Vec2::Zero(), 0.0, radius};
        const auto overlaps = [&](const Obstacle& wall) {
          return wall.touch(there, Vec2::Zero(), Vec2::Zero(), 0.0).gap < 0.0;
        };
        if (std::ranges::any_of(walls_, overlaps)) return false;
        index_.query(Aabb2{centre, centre}.expanded(radius), found);
        const bool touches = std::ranges::any_of(
            found, [&](ProxyId id) { return (disks_[id].position - centre).norm() < disks_[id].radius + radius; });
        if (touches) return false;
      }
    }
    return true;
  }

 private:
  struct Place {
    Vec2 position;
    double radius;
  };
  Domain domain_;
  HierarchicalGrid<2> index_;
  std::vector<Place> disks_;
  std::vector<Obstacle> walls_;
};

}  // namespace

Setup setup_from(const Scene& scene) {
  require_hard_disks(scene);
  if (scene.reverse) require_reversible(scene);
  Setup setup;
  setup.domain = scene.domain;
  setup.open = !scene.domain.reflecting;
  setup.gravity = scene.gravity;
  setup.measure = scene.measure;
  setup.growth = scene.growth;
  setup.well = scene.well;
  setup.first_id = scene.walls.size() + 1;
  const int materials = static_cast<int>(scene.materials.size());
  for (int a = 0; a < materials; ++a) {
    for (int b = 0; b < materials; ++b) setup.pairs.push_back(rule_between(scene, a, b));
  }
  setup.obstacles = scene.walls;
  setup.contact_time = scene.contact_duration;
  Crowd crowd(scene);
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    const ParticleGroup& group = scene.particles[g];
    const double density = scene.materials[static_cast<std::size_t>(group.material)].density;
    const auto births = initial_grains(scene, static_cast<int>(g), [&](const ShapeView& shape, const Pose& pose) {
      return crowd.has_room_for(pose.position, shape.radius);
    });
    crowd.add(births);
    for (const Birth& birth : births) {
      setup.position.push_back(birth.position);
      setup.velocity.push_back(birth.velocity);
      setup.angle.push_back(birth.angle);
      setup.angular_velocity.push_back(birth.angular_velocity);
      setup.radius.push_back(birth.grain.bounding_radius);
      setup.mass.push_back(birth.grain.mass(density));
      setup.type.push_back(static_cast<std::int32_t>(g));
      setup.material.push_back(group.material);
    }
  }
  prepare_for_pours(scene, setup);
  return setup;
}

std::string key_of_disk(const Scene& scene, const Setup& setup, std::size_t disk) {
  const auto group = static_cast<std::size_t>(setup.type[disk]);
  if (!std::holds_alternative<Place>(scene.particles[group].how)) return key_of("particles", group, "fill");
  const auto first = std::ranges::find(setup.type, setup.type[disk]) - setup.type.begin();
  return key_of("particles", group, "place[" + std::to_string(disk - static_cast<std::size_t>(first)) + "]");
}

}  // namespace scree::hard
