#include "dem/compare/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "dem/hard/scene/scene_setup.hpp"
#include "dem/random.hpp"
#include "dem/scene.hpp"

namespace scree::compare {

namespace {

constexpr std::uint32_t kStream = 0x73746972;  // of random numbers: no other part draws from it

/// Calls do_it with each disk of a twin, and its number.
template <class Particles, class Do>
void for_each_disk(Particles& particles, const Do& do_it) {
  std::uint64_t number = 0;
  for (auto& group : particles) {
    for (auto& disk : std::get<Place>(group.how)) do_it(disk, number++);
  }
}

/// [m/s]
double velocity_scale(const Scene& scene) {
  double squares = 0.0;
  double diameter = 0.0;
  double disks = 0.0;
  for_each_disk(scene.particles, [&](const Placed& disk, std::uint64_t) {
    squares += disk.velocity.squaredNorm();
    diameter += *disk.size;
    disks += 1.0;
  });
  diameter /= disks;
  if (squares > 0.0) return std::sqrt(squares / disks);
  return std::max(std::sqrt(2.0 * scene.gravity.norm() * diameter), diameter / scene.end);
}

/// Whether two twins differ in nothing that moves grains: the angle of a disk does not.
bool same_disks(const Scene& a, const Scene& b) {
  const auto all_of = [](const Scene& scene) {
    std::vector<double> values;
    const bool turned = hard::has_polygons(scene);
    for_each_disk(scene.particles, [&](const Placed& disk, std::uint64_t) {
      if (turned) values.push_back(disk.angle);
      values.insert(values.end(), {disk.position.x(), disk.position.y(), disk.velocity.x(), disk.velocity.y(),
                                   disk.angular_velocity, *disk.size, *disk.mass});
    });
    return values;
  };
  return all_of(a) == all_of(b);
}

}  // namespace

Twins stirred(const Twins& twins, double share, std::uint64_t seed) {
  Twins changed = twins;
  const double size = share * velocity_scale(twins.hard);
  for (Scene* scene : {&changed.soft, &changed.hard}) {
    for_each_disk(scene->particles, [&](Placed& disk, std::uint64_t number) {
      Random random(seed, kStream, number);
      const double x = random.uniform(-size, size);
      disk.velocity += Vec2(x, random.uniform(-size, size));
    });
  }
  return changed;
}

Ensemble ensemble(const Scene& scene, std::size_t soft_runs) {
  Ensemble ensemble{.twins = {twins(scene)}, .soft_runs = soft_runs, .seeds = {scene.seed}};
  const std::size_t runs = std::max(soft_runs, kHardRuns);
  Scene other = scene;
  for (std::size_t k = 1; k < runs; ++k) {
    other.seed = scene.seed + k;
    ensemble.seeds.push_back(other.seed);
    if (ensemble.reseeded) {
      Twins next = twins(other);
      ensemble.reseeded = !same_disks(next.hard, ensemble.twins[0].hard);
      if (ensemble.reseeded) {
        // All are measured alike, though the mean diameter, by which bins are chosen, depends on the seed.
        next.soft.measure = next.hard.measure = ensemble.twins[0].hard.measure;
        next.radial = ensemble.twins[0].radial;
        ensemble.twins.push_back(std::move(next));
        continue;
      }
    }
    ensemble.twins.push_back(stirred(ensemble.twins[0], kStir, other.seed));
  }
  return ensemble;
}

Ensemble with_stiffness(const Ensemble& ensemble, double stiffness) {
  Ensemble changed = ensemble;
  for (Twins& twins : changed.twins) twins = with_stiffness(twins, stiffness);
  return changed;
}

}  // namespace scree::compare
