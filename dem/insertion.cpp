#include "dem/insertion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/random.hpp"
#include "dem/scene.hpp"
#include "geometry/polygon_makers.hpp"

namespace scree {

namespace {

constexpr double kPi = std::numbers::pi;

enum class Purpose : std::uint32_t { shape, place };

Random random_for(const Scene& scene, int group, Purpose purpose, std::uint64_t index) {
  return {scene.seed, 2 * static_cast<std::uint32_t>(group) + static_cast<std::uint32_t>(purpose), index};
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

GrainShape disk_of(double diameter) {
  const double r = 0.5 * diameter;
  return {.outline = {},
          .area = kPi * r * r,
          .second_moment = 0.5 * kPi * r * r * r * r,
          .bounding_radius = r,
          .inner_radius = r,
          .longest_side = 0.0};
}

GrainShape of_polygon(const Polygon& polygon) {
  return {.outline = {polygon.vertices().begin(), polygon.vertices().end()},
          .area = polygon.area(),
          .second_moment = polygon.second_moment(),
          .bounding_radius = polygon.bounding_radius(),
          .inner_radius = polygon.inner_radius(),
          .longest_side = polygon.longest_side()};
}

/// The polygon scaled so that the disk of equal area has this diameter.
GrainShape grain_of(const Polygon& form, double diameter) {
  return of_polygon(form.scaled(diameter / equivalent_diameter(form.area())));
}

/// Whether there is room for all of a grain.
bool is_free_for(const GrainShape& grain, const Pose& pose, const IsFree& is_free) {
  bool has_room = true;
  grain.for_each_part(pose,
                      [&](const ShapeView& shape, const Pose& there) { has_room = has_room && is_free(shape, there); });
  return has_room;
}

/// Lower left corners of a fill's lattice cells, row by row from below.
struct Lattice {
  Vec2 corner;
  double pitch;
  std::uint64_t columns;
  std::uint64_t rows;

  std::uint64_t sites() const { return columns * rows; }
  Vec2 site(std::uint64_t k) const {
    return corner + pitch * Vec2(static_cast<double>(k % columns) + 0.5, static_cast<double>(k / columns) + 0.5);
  }
};

/// @param least of the pitch [m]
Lattice lattice_of(const Fill& fill, double least) {
  constexpr double kRounding = 1.0 + 1e-12;  // the region may be a multiple of the spacing
  const double pitch = std::max(fill.spacing, least);
  const Vec2 cells = ((fill.region.hi - fill.region.lo) * (kRounding / pitch)).array().floor();
  const auto number = [](double along) { return static_cast<std::uint64_t>(std::clamp(along, 0.0, 0x1p31)); };
  return {fill.region.lo, pitch, number(cells.x()), number(cells.y())};
}

std::string key_of(int group, const std::string& rest) {
  return fmt::format("particles[{}].{}", group, rest);
}

std::vector<InitialState> filling(const Scene& scene, int group, const Fill& fill, const IsFree& is_free) {
  const ParticleGroup& spec = scene.particles[static_cast<std::size_t>(group)];
  const double density = scene.materials[static_cast<std::size_t>(spec.material)].density;
  const std::uint64_t count = grains_in(spec);
  constexpr std::uint64_t kMost = 10'000'000;  // some seconds
  if (count > kMost) {
    throw InvalidScene(key_of(group, "fill"),
                       fmt::format("has room for {} of the smallest grains, more than {} to choose from; allowed: a "
                                   "spacing, a count, or a greater least size",
                                   count, kMost));
  }
  constexpr std::uint64_t kMostKept = 2'000'000;  // some 400 MB; more are made again
  std::vector<GrainShape> made;
  made.reserve(std::min(count, kMostKept));
  double largest = 0.0;
  for (std::uint64_t i = 0; i < count; ++i) {
    GrainShape next = make_grain(scene, group, i);
    largest = std::max(largest, next.bounding_radius);
    if (i < kMostKept) made.push_back(std::move(next));
  }
  constexpr double kClearance = 1.01;  // circles in neighbouring cells have a gap of 1 % of the diameter
  const Lattice lattice = lattice_of(fill, 2.0 * largest * kClearance);
  std::vector<InitialState> births;
  std::optional<GrainShape> grain;  // the next one
  for (std::uint64_t k = 0; k < lattice.sites() && births.size() < count; ++k) {
    Random random = random_for(scene, group, Purpose::place, k);
    const double angle = random.uniform(0.0, 2.0 * kPi);
    Vec2 velocity;  // one statement for each number, since the order of evaluation of two arguments of one call is
                    // unspecified
    velocity.y() = random.uniform(-fill.jitter, fill.jitter);
    velocity.x() = random.uniform(-fill.jitter, fill.jitter);
    if (!grain) {
      const std::size_t next = births.size();
      grain = next < made.size() ? std::move(made[next]) : make_grain(scene, group, next);
    }
    if (!is_free_for(*grain, {lattice.site(k), Rotation::by(angle)}, is_free)) continue;
    const Motion thermal = drawn_motion(random, fill.temperature, fill.rotational_temperature, grain->mass(density),
                                        grain->inertia(density));
    velocity += linear(thermal);
    births.push_back({*std::exchange(grain, std::nullopt), lattice.site(k), angle, velocity, thermal.z(),
                      fill.jitter > 0.0 || fill.temperature > 0.0});
  }
  if (fill.count && births.size() < *fill.count) {
    throw InvalidScene(key_of(group, "fill.count"),
                       fmt::format("{} grains do not fit: there is room for {} in cells of {:.4g} m; "
                                   "allowed: a smaller count or a larger region",
                                   *fill.count, births.size(), lattice.pitch));
  }
  return births;
}

}  // namespace

Motion drawn_motion(Random& random, double temperature, double rotational_temperature, double mass, double inertia) {
  Motion motion = Motion::Zero();
  if (temperature > 0.0) {
    const auto [x, y] = random.normals();
    motion.x() = std::sqrt(temperature / mass) * x;
    motion.y() = std::sqrt(temperature / mass) * y;
  }
  if (rotational_temperature > 0.0) motion.z() = std::sqrt(rotational_temperature / inertia) * random.normals()[0];
  return motion;
}

DrawnVelocities::DrawnVelocities(const Scene& scene)
    : is_removed_(scene.keeps_drawn_momentum ? std::array{false, false} : scene.domain.periodic) {}

void DrawnVelocities::add(double mass, const Vec2& velocity) {
  mass_ += mass;
  momentum_ += mass * velocity;
  twice_energy_ += mass * velocity.cwiseAbs2();
}

Vec2 DrawnVelocities::without_mean(const Vec2& velocity) const {
  Vec2 own = velocity;
  for (const int axis : {0, 1}) {
    const double all = twice_energy_[axis];
    const double left = all - momentum_[axis] * momentum_[axis] / mass_;
    constexpr double kRounding = 1e-12;  // all are the same: there is nothing else that could have their energy
    if (!is_removed_[static_cast<std::size_t>(axis)] || left <= kRounding * all) continue;
    own[axis] = (velocity[axis] - momentum_[axis] / mass_) * std::sqrt(all / left);
  }
  return own;
}

GrainShape make_grain(const Scene& scene, int group, std::uint64_t index) {
  const ParticleGroup& spec = scene.particles[static_cast<std::size_t>(group)];
  const auto* place = std::get_if<Place>(&spec.how);
  const Placed as_the_group_says;
  const Placed& placed = place != nullptr ? (*place)[index] : as_the_group_says;
  Random random = random_for(scene, group, Purpose::shape, index);
  const double drawn = spec.sizes ? spec.sizes->draw(random) : random.uniform(spec.size.least, spec.size.greatest);
  const double diameter = placed.size.value_or(drawn);
  GrainShape grain = std::visit(
      Overloaded{
          [&](const Disk&) { return disk_of(diameter); },
          [&](const RegularPolygon& p) { return grain_of(regular_polygon(p.vertices, 1.0), diameter); },
          [&](const ExplicitPolygon& p) { return grain_of(Polygon(p.vertices), diameter); },
          [&](const RandomPolygon& p) {
            const int vertices = random.integer(p.vertices[0], p.vertices[1]);
            const double aspect = random.uniform(p.aspect[0], p.aspect[1]);
            return grain_of(random_convex_polygon(vertices, aspect, [&] { return random.uniform(); }), diameter);
          },
          [&](const Clump& clump) { return clump_of(clump, diameter); },
      },
      spec.shape);
  grain.given_mass = placed.mass;
  return grain;
}

double mass_of(const Scene& scene, const ParticleGroup& group, double size) {
  return scene.materials[static_cast<std::size_t>(group.material)].density * 0.25 * kPi * size * size;
}

Aabb2 box_around(const GrainShape& grain, const Pose& pose) {
  std::optional<Aabb2> box;
  grain.for_each_part(pose, [&](const ShapeView& shape, const Pose& there) {
    Extremes extremes{};
    const Aabb2 of_part = bounds(shape, there, extremes);
    if (!box) box = of_part;
    box->extend(of_part.lo);
    box->extend(of_part.hi);
  });
  return *box;
}

GrainShape clump_of(const Clump& form, double diameter) {
  const Union& given = form.whole();
  const double factor = diameter / equivalent_diameter(given.area);
  const Union all = given.scaled(factor);
  GrainShape grain{.outline = all.outline,
                   .area = all.area,
                   .second_moment = all.second_moment,
                   .bounding_radius = all.bounding_radius,
                   .inner_radius = 0.0,
                   .longest_side = 0.0};
  for (const ConvexPart& part : form.parts()) {
    GrainShape shape = part.is_disk() ? disk_of(2.0 * factor * part.radius) : GrainShape{};
    Vec2 centre = part.centre;
    if (!part.is_disk()) {
      const Polygon polygon(part.polygon);
      centre = polygon.centroid();
      shape = of_polygon(polygon.scaled(factor));
    }
    grain.parts.push_back({.outline = std::move(shape.outline),
                           .arm = factor * (centre - given.centroid),
                           .area = shape.area,
                           .bounding_radius = shape.bounding_radius,
                           .inner_radius = shape.inner_radius,
                           .longest_side = shape.longest_side});
  }
  return grain;
}

GrainShape grain_like(const ShapeView& shape, double mass) {
  GrainShape grain = disk_of(2.0 * shape.radius);
  if (!shape.is_disk()) {
    const std::vector<Vec2> outline(shape.outline.begin(), shape.outline.end());
    grain = of_polygon(Polygon(outline));
    grain.outline = outline;
    grain.bounding_radius = shape.radius;
  }
  grain.given_mass = mass;
  return grain;
}

std::uint64_t grains_in(const ParticleGroup& group) {
  return std::visit(Overloaded{
                        [](const Pour& pour) { return pour.count; },
                        [](const Place& place) { return std::uint64_t{place.size()}; },
                        [&](const Fill& fill) {
                          // Upper bound: cells as narrow as the smallest possible grain, a disk.
                          const std::uint64_t most = lattice_of(fill, group.size.least).sites();
                          return fill.count ? std::min(*fill.count, most) : most;
                        },
                    },
                    group.how);
}

std::vector<InitialState> initial_grains(const Scene& scene, int group, const IsFree& is_free) {
  const ParticleGroup& spec = scene.particles[static_cast<std::size_t>(group)];
  if (const auto* fill = std::get_if<Fill>(&spec.how)) return filling(scene, group, *fill, is_free);
  std::vector<InitialState> births;
  if (const auto* place = std::get_if<Place>(&spec.how)) {
    for (const Placed& placed : *place) {
      births.push_back({make_grain(scene, group, births.size()), placed.position, placed.angle, placed.velocity,
                        placed.angular_velocity});
    }
  }
  return births;
}

std::uint64_t due(const Pour& pour, double time) {
  if (time < pour.from) return 0;
  const double by_now = 1.0 + std::floor((time - pour.from) * pour.rate);
  return by_now >= static_cast<double>(pour.count) ? pour.count : static_cast<std::uint64_t>(by_now);
}

std::optional<InitialState> try_pour(const Scene& scene, int group, std::uint64_t due, PourProgress& progress,
                                     const IsFree& is_free) {
  const Pour& pour = std::get<Pour>(scene.particles[static_cast<std::size_t>(group)].how);
  if (progress.born >= due) return std::nullopt;
  InitialState birth{make_grain(scene, group, progress.born), Vec2::Zero(), 0.0, pour.velocity, 0.0};
  constexpr int kAttempts = 4;  // per step; a grain without a free position is owed and tried again in the next step
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Random random = random_for(scene, group, Purpose::place, progress.attempts++);
    birth.angle = random.uniform(0.0, 2.0 * kPi);
    const Rotation rotation = Rotation::by(birth.angle);
    const Aabb2 extent = box_around(birth.grain, {Vec2::Zero(), rotation});
    const Vec2 lo = pour.region.lo - extent.lo;
    const Vec2 hi = pour.region.hi - extent.hi;
    const double x = random.uniform(lo.x(), hi.x());
    const double y = random.uniform(lo.y(), hi.y());
    birth.position = {x, y};
    if ((hi - lo).minCoeff() < 0.0) continue;  // too large for the region at this angle
    if (!is_free_for(birth.grain, {birth.position, rotation}, is_free)) continue;
    ++progress.born;
    return birth;
  }
  return std::nullopt;
}

}  // namespace scree
