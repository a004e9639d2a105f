#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "dem/insertion.hpp"
#include "dem/random.hpp"
#include "dem/random_packing.hpp"
#include "dem/scene.hpp"
#include "geometry/polygon.hpp"
#include "io/formats/billiards.hpp"
#include "io/scene/grain_width.hpp"
#include "io/scene/group_entry.hpp"
#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

using random_stream::kPlaces;
constexpr std::uint32_t kSizes = random_stream::kPlacedSizes;
constexpr std::uint32_t kVelocities = random_stream::kPlacedVelocities;

/// Grains and walls that are there, as obstacles in a region, with their periodic images.
class Obstacles {
 public:
  Obstacles(const Domain& domain, const Region& region) : domain_(domain), region_(region) {}

  void add(std::vector<Vec2> outline, const Vec2& centre, double radius) {
    for (const int y : {-1, 0, 1}) {
      for (const int x : {-1, 0, 1}) {
        if ((x != 0 && !domain_.periodic[0]) || (y != 0 && !domain_.periodic[1])) continue;
        const Vec2 shift = Vec2(x, y).cwiseProduct(domain_.hi - domain_.lo);
        const Vec2 there = centre + shift;
        if (((there.array() + radius) < region_.lo.array()).any()) continue;
        if (((there.array() - radius) > region_.hi.array()).any()) continue;
        PackingSpace::Obstacle image{{}, there, radius};
        for (const Vec2& corner : outline) image.outline.emplace_back(corner + shift);
        all_.push_back(std::move(image));
      }
    }
  }

  void add_walls(const Scene& scene) {
    for (const Wall& wall : scene.walls) {
      if (wall.from) continue;  // it comes later
      Vec2 centre = Vec2::Zero();
      for (const Vec2& corner : wall.polygon) centre += corner / static_cast<double>(wall.polygon.size());
      double radius = 0.0;
      for (const Vec2& corner : wall.polygon) radius = std::max(radius, (corner - centre).norm());
      std::vector<Vec2> outline = wall.polygon;
      double twice_area = 0.0;
      for (std::size_t k = 0; k < outline.size(); ++k) {
        const Vec2& a = outline[k];
        const Vec2& b = outline[(k + 1) % outline.size()];
        twice_area += (a.x() - centre.x()) * (b.y() - centre.y()) - (a.y() - centre.y()) * (b.x() - centre.x());
      }
      if (twice_area < 0.0) std::ranges::reverse(outline);
      add(std::move(outline), centre, radius);
    }
  }

  void add_grains(const Scene& scene, std::size_t group) {
    const auto* place = std::get_if<scree::Place>(&scene.particles[group].how);
    if (place == nullptr) return;
    for (std::size_t k = 0; k < place->size(); ++k) {
      const GrainShape grain = make_grain(scene, static_cast<int>(group), k);
      const Placed& at = (*place)[k];
      grain.for_each_part({at.position, Rotation::by(at.angle)}, [&](const ShapeView& shape, const Pose& pose) {
        std::vector<Vec2> outline;
        for (const Vec2& corner : shape.outline) outline.emplace_back(pose * corner);
        add(std::move(outline), pose.position, shape.radius);
      });
    }
  }

  std::vector<PackingSpace::Obstacle> take() { return std::move(all_); }

 private:
  const Domain& domain_;
  const Region& region_;
  std::vector<PackingSpace::Obstacle> all_;
};

Vec2 drawn_velocity(Random& random, double jitter) {
  Vec2 velocity;
  velocity.x() = random.uniform(-jitter, jitter);
  velocity.y() = random.uniform(-jitter, jitter);
  return velocity;
}

/// Gives all grains of a scene that need it their places, group after group; those that have one are in the way.
class Starts {
 public:
  Starts(Reading& reading, std::vector<GroupEntry>& groups, const std::vector<YamlValue>& values)
      : reading_(reading), groups_(groups), values_(values), scene_(reading.scene) {
    for (const GroupEntry& group : groups) scene_.particles.push_back(group);
    is_placed_.assign(groups.size(), 1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].random || groups[g].lattice || groups[g].mix) is_placed_[g] = 0;
    }
  }

  void place_all() {
    for (std::size_t g = 0; g < groups_.size(); ++g) draw_missing_sizes(g);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      reading_.mistakes.attempt([&] {
        if (groups_[g].random) place_random(g);
        if (std::holds_alternative<Pour>(groups_[g].how)) split_pour(g);
        if (groups_[g].lattice) place_lattice(g);
      });
    }
    remove_drawn_momentum();
  }

 private:
  scree::Place& place_of(std::size_t g) { return std::get<scree::Place>(scene_.particles[g].how); }

  Random random_of(std::uint32_t purpose, std::size_t g, std::uint64_t index = 0) const {
    return {reading_.scene.seed, purpose + static_cast<std::uint32_t>(g), index};
  }

  /// Draws the sizes of grains at given places that have none.
  void draw_missing_sizes(std::size_t g) {
    auto* place = std::get_if<scree::Place>(&scene_.particles[g].how);
    if (place == nullptr || groups_[g].sizes.law == SizeDistribution::Law::uniform) return;
    for (std::size_t k = 0; k < place->size(); ++k) {
      Random random = random_of(kSizes, g, k);
      if (!(*place)[k].size) (*place)[k].size = groups_[g].sizes.draw(random);
    }
    groups_[g].how = *place;
  }

  std::vector<PackingSpace::Obstacle> obstacles_in(const Region& region) const {
    Obstacles obstacles(scene_.domain, region);
    obstacles.add_walls(reading_.scene);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (is_placed_[g] != 0) obstacles.add_grains(scene_, g);
    }
    return obstacles.take();
  }

  /// The walls are those of the reading.
  void finish(std::size_t g) {
    groups_[g].how = scene_.particles[g].how;
    is_placed_[g] = 1;
    reading_.placed += place_of(g).size();
  }

  [[noreturn]] static void fail_too_many(const YamlValue& value, std::size_t count, std::size_t most) {
    value.fail(fmt::format("makes {} grains or more, must make at most {}", count, most));
  }

  /// Of the material of a group [kg/m^2].
  double density_of(std::size_t g) const {
    return scene_.materials[static_cast<std::size_t>(groups_[g].material)].density;
  }

  /// Adds the velocities of the start's temperatures to that of its grain k, and remembers that it was drawn.
  template <class Start>
  void warm(Random& random, const Start& start, std::size_t g, std::size_t k, const GrainShape& grain) {
    Placed& placed = place_of(g)[k];
    const Motion motion = drawn_motion(random, start.temperature, start.rotational_temperature,
                                       grain.mass(density_of(g)), grain.inertia(density_of(g)));
    placed.velocity += linear(motion);
    placed.angular_velocity = motion.z();
    if (start.jitter > 0.0 || start.temperature > 0.0) drawn_.push_back({g, k});
  }

  // --- random

  struct Component {
    std::size_t group;
    double share;
    double have = 0.0;  ///< mass or number
  };

  /// The group and those that are mixed into it.
  std::vector<Component> components(std::size_t lead) const {
    std::vector<Component> parts = {{lead, 1.0}};
    for (std::size_t g = lead + 1; g < groups_.size() && groups_[g].mix; ++g) {
      if (groups_[g].mix->by_mass != groups_[lead + 1].mix->by_mass) {
        values_[g]["mix"]["by"].fail("is not that of the other group that is mixed in, must be the same");
      }
      parts.push_back({g, groups_[g].mix->share});
      parts.front().share -= parts.back().share;
      if (parts.front().share <= 0.0) {
        values_[g]["mix"]["share"].fail(
            "leaves nothing of the group that it is mixed into, all shares must be less than 1");
      }
    }
    return parts;
  }

  /// As many grains as it takes, always of the component that lacks most.
  void draw_grains(const RandomStart& start, std::vector<Component>& parts, const YamlValue& value) {
    const bool by_mass = parts.size() > 1 && groups_[parts[1].group].mix->by_mass;
    const double wanted = start.packing_fraction * (start.region.hi - start.region.lo).prod();
    double area = 0.0;
    double all = 0.0;
    for (std::uint64_t count = 0; start.count ? count < *start.count : area < wanted; ++count) {
      if (count == kMostRandom) fail_too_many(value, count + 1, kMostRandom);
      const auto next = std::ranges::max_element(
          parts, {}, [all](const Component& part) { return part.share * all - part.have + part.share * 1e-9; });
      scree::Place& place = place_of(next->group);
      Random random = random_of(kSizes, next->group, place.size());
      Placed one;
      one.size = groups_[next->group].sizes.draw(random);
      const double part = 0.25 * std::numbers::pi * *one.size * *one.size;
      if (!start.count && area + part - wanted > wanted - area && count > 0) break;  // nearer without it
      area += part;
      const double amount = by_mass ? density_of(next->group) * part : 1.0;
      next->have += amount;
      all += amount;
      place.push_back(one);
    }
  }

  void place_random(std::size_t lead) {
    const RandomStart& start = *groups_[lead].random;
    const YamlValue value = values_[lead]["random"];
    std::vector<Component> parts = components(lead);
    for (const Component& part : parts) require_room(part.group, start.region, value);
    draw_grains(start, parts, value);
    std::vector<GrainShape> grains;
    for (const Component& part : parts) {
      for (std::size_t k = 0; k < place_of(part.group).size(); ++k) {
        grains.push_back(make_grain(scene_, static_cast<int>(part.group), k));
      }
    }
    if (reading_.placed + grains.size() > kMostPlaced)
      fail_too_many(value, reading_.placed + grains.size(), kMostPlaced);
    PackingSpace space{.lo = start.region.lo, .hi = start.region.hi, .obstacles = obstacles_in(start.region)};
    for (const int axis : {0, 1}) {
      space.periodic[static_cast<std::size_t>(axis)] = scene_.domain.periodic[static_cast<std::size_t>(axis)] &&
                                                       start.region.lo[axis] == scene_.domain.lo[axis] &&
                                                       start.region.hi[axis] == scene_.domain.hi[axis];
    }
    const RandomPacking packing =
        pack_at_random(grains, space, reading_.scene.seed, kPlaces + static_cast<std::uint32_t>(lead));
    if (packing.placed < grains.size()) {
      const YamlValue asked = start.count ? value["count"] : value["packing_fraction"];
      asked.fail(
          fmt::format("asks for {} grains, of which {} found room; a packing fraction of {} was reached, must be "
                      "less",
                      grains.size(), packing.placed, number_text(packing.packing_fraction, 3)));
    }
    std::size_t grain = 0;
    for (const Component& part : parts) {
      scree::Place& place = place_of(part.group);
      for (std::size_t k = 0; k < place.size(); ++k, ++grain) {
        Random random = random_of(kVelocities, part.group, k);
        place[k].position = packing.places[grain].position;
        place[k].angle = packing.places[grain].angle;
        place[k].velocity = drawn_velocity(random, start.jitter);
        warm(random, start, part.group, k, grains[grain]);
      }
      finish(part.group);
    }
  }

  // --- pour

  /// Mean mass of a grain, by its law of sizes [kg].
  double mean_mass(std::size_t g) const {
    constexpr int kDraws = 10'000;
    double sum = 0.0;
    for (int k = 0; k < kDraws; ++k) {
      Random random = random_of(kSizes, g, static_cast<std::uint64_t>(k));
      const double size = groups_[g].sizes.draw(random);
      sum += size * size;
    }
    return 0.25 * std::numbers::pi * sum / kDraws * density_of(g);
  }

  /// What is mixed into a pour is poured beside it: shares of the number and of the rate.
  void split_pour(std::size_t lead) {
    std::vector<Component> parts = components(lead);
    if (parts.size() == 1) return;
    const Pour whole = std::get<Pour>(groups_[lead].how);
    double all = 0.0;
    for (Component& part : parts) {
      part.have = groups_[parts[1].group].mix->by_mass ? part.share / mean_mass(part.group) : part.share;
      all += part.have;
    }
    std::uint64_t left = whole.count;
    for (std::size_t k = parts.size(); k-- > 0;) {
      Pour pour = whole;
      const double share = parts[k].have / all;
      pour.count =
          k == 0 ? left
                 : std::min(left, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(whole.count))));
      if (pour.count == 0) {
        values_[parts[k].group][k == 0 ? "pour" : "mix"].fail(
            fmt::format("gets none of the {} grains that are poured, must get one or more", whole.count));
      }
      pour.rate = share * whole.rate;
      left -= pour.count;
      GroupEntry& group = groups_[parts[k].group];
      group.how = pour;
      if (group.sizes.law != SizeDistribution::Law::uniform) group.ParticleGroup::sizes = group.sizes;
      scene_.particles[parts[k].group].how = pour;
      is_placed_[parts[k].group] = 1;
    }
  }

  void remove_drawn_momentum() {
    DrawnVelocities draws(reading_.scene);
    for (const auto& [g, k] : drawn_) {
      const Placed& grain = place_of(g)[k];
      draws.add(mass_of(scene_, groups_[g], *grain.size), grain.velocity);
    }
    for (const auto& [g, k] : drawn_) {
      Placed& grain = std::get<scree::Place>(groups_[g].how)[k];
      grain.velocity = draws.without_mean(grain.velocity);
    }
  }

  void require_room(std::size_t g, const Region& region, const YamlValue& value) const {
    const double width = greatest_width(groups_[g].shape, groups_[g].size);
    const double room = (region.hi - region.lo).minCoeff();
    if (room >= width) return;
    value["region"].fail(fmt::format("is {} m wide, must be at least as wide as the largest grain, {} m",
                                     number_text(room, 6), number_text(width, 6)));
  }

  // --- lattice

  void place_lattice(std::size_t g) {
    const LatticeStart& start = *groups_[g].lattice;
    const YamlValue value = values_[g]["lattice"];
    require_room(g, start.region, value);
    const double width = greatest_width(groups_[g].shape, groups_[g].size);
    if (start.spacing > 0.0 && start.spacing < width) {
      value["spacing"].fail(fmt::format("is {} m, must be at least the width of the largest grain, {} m",
                                        number_text(start.spacing, 6), number_text(width, 6)));
    }
    constexpr double kGap = 1.0 + 1e-4;
    constexpr double kRounding = 1.0 + 1e-12;
    const double spacing = start.spacing > 0.0 ? start.spacing : width * kGap;
    const bool is_hexagonal = start.kind == LatticeKind::hexagonal;
    const double row_height = is_hexagonal ? spacing * std::sqrt(0.75) : spacing;
    const Vec2 extent = (start.region.hi - start.region.lo) * kRounding;
    const double sites = (extent.x() / spacing) * (extent.y() / row_height);
    if (!start.count && sites > static_cast<double>(kMostPlaced)) {
      fail_too_many(value["region"], static_cast<std::size_t>(std::min(sites, 1e18)), kMostPlaced);
    }
    const std::uint64_t most = start.count.value_or(kMostPlaced);
    const auto rows = static_cast<std::uint64_t>(std::min(1.0 + (extent.y() - spacing) / row_height, 1e6));
    const std::vector<PackingSpace::Obstacle> obstacles = obstacles_in(start.region);
    std::uint64_t site = 0;
    for (std::uint64_t row = 0; row < rows && place_of(g).size() < most; ++row) {
      const double shift = is_hexagonal && row % 2 == 1 ? 0.5 * spacing : 0.0;
      const auto columns = static_cast<std::uint64_t>(std::clamp((extent.x() - shift) / spacing, 0.0, 1e6));
      for (std::uint64_t column = 0; column < columns && place_of(g).size() < most; ++column, ++site) {
        Random random = random_of(kVelocities, g, site);
        Placed one;
        one.velocity = drawn_velocity(random, start.jitter);
        one.angle = start.angle.value_or(random.uniform(0.0, 2.0 * std::numbers::pi));
        one.position = start.region.lo + Vec2(shift + (static_cast<double>(column) + 0.5) * spacing,
                                              0.5 * spacing + static_cast<double>(row) * row_height);
        Random sizes = random_of(kSizes, g, place_of(g).size());
        one.size = groups_[g].sizes.draw(sizes);
        place_of(g).push_back(one);
        const GrainShape grain = make_grain(scene_, static_cast<int>(g), place_of(g).size() - 1);
        const Pose pose{one.position, Rotation::by(one.angle)};
        bool has_room = true;
        grain.for_each_part(pose, [&](const ShapeView& shape, const Pose& there) {
          has_room = has_room && std::ranges::none_of(obstacles, [&](const auto& in_the_way) {
                       return meets(shape, there, in_the_way);
                     });
        });
        if (!has_room) {
          place_of(g).pop_back();
          continue;
        }
        warm(random, start, g, place_of(g).size() - 1, grain);
      }
    }
    if (start.count && place_of(g).size() < *start.count) {
      value["count"].fail(fmt::format("is {}, of which {} found room, must be less, or the region larger", *start.count,
                                      place_of(g).size()));
    }
    if (reading_.placed + place_of(g).size() > kMostPlaced) {
      fail_too_many(value, reading_.placed + place_of(g).size(), kMostPlaced);
    }
    finish(g);
  }

  Reading& reading_;
  std::vector<GroupEntry>& groups_;
  const std::vector<YamlValue>& values_;
  Scene scene_;
  std::vector<char> is_placed_;
  std::vector<std::pair<std::size_t, std::size_t>> drawn_;  // groups and grains in them whose velocities are drawn
};

}  // namespace

void place_groups(Reading& reading, std::vector<GroupEntry>& groups, const std::vector<YamlValue>& values) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const bool follows =
        g > 0 && (groups[g - 1].random || groups[g - 1].mix || std::holds_alternative<Pour>(groups[g - 1].how));
    if (!groups[g].mix || follows) continue;
    reading.mistakes.attempt([&] {
      values[g]["mix"].fail_at_key("has nothing to be mixed into, must be in a group behind one with random or pour");
    });
  }
  if (reading.mistakes.any() || !reading.unreadable.empty()) return;  // what is in the way is not known
  Starts(reading, groups, values).place_all();
}

}  // namespace scree::keys
