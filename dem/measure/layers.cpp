#include "dem/measure/layers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "dem/measure/area_inside.hpp"
#include "dem/scene/region.hpp"
#include "dem/transfers.hpp"

namespace scree {

namespace {

std::span<const Vec2> outline(const ParticleState& particles, std::size_t i) {
  const Outlines& outlines = particles.outlines;
  return {outlines.vertices.data() + outlines.first[i], outlines.vertices.data() + outlines.first[i + 1]};
}

Aabb2 bounds(const ParticleState& particles, std::size_t i) {
  const Vec2& centre = particles.position[i];
  Aabb2 box{centre, centre};
  if (outline(particles, i).empty()) return box.expanded(particles.radius[i]);
  for (const Vec2& vertex : outline(particles, i)) box.extend(vertex);
  return box;
}

double area_inside(const ParticleState& particles, std::size_t i, const Aabb2& box) {
  const auto vertices = outline(particles, i);
  return vertices.empty() ? disk_area_inside(particles.position[i], particles.radius[i], box)
                          : polygon_area_inside(vertices, box);
}

/// Adds the area of a grain, displaced by `shift`, to the layers that it overlaps.
void add_area(const ParticleState& particles, std::size_t i, const Vec2& shift, const Region& region,
              std::vector<Layer>& layers) {
  const Aabb2 grain = bounds(particles, i).shifted(shift);
  if (!grain.overlaps({region.lo, region.hi})) return;
  const double count = static_cast<double>(layers.size());
  const double height = (region.hi.y() - region.lo.y()) / count;
  const auto number = [&](double y) {
    return static_cast<std::size_t>(std::clamp(std::floor((y - region.lo.y()) / height), 0.0, count - 1.0));
  };
  for (std::size_t k = number(grain.lo.y()); k <= number(grain.hi.y()); ++k) {
    const Aabb2 layer{{region.lo.x(), region.lo.y() + static_cast<double>(k) * height},
                      {region.hi.x(), region.lo.y() + static_cast<double>(k + 1) * height}};
    const bool whole = layer.contains(grain.lo) && layer.contains(grain.hi);
    layers[k].area += whole ? std::numbers::pi * particles.radius[i] * particles.radius[i]
                            : area_inside(particles, i, layer.shifted(-shift));
  }
}

}  // namespace

Layer& Layer::operator+=(const Layer& other) {
  particles += other.particles;
  area += other.area;
  mass += other.mass;
  momentum += other.momentum;
  flow += other.flow;
  return *this;
}

Vec2 Layer::velocity() const {
  return mass > 0.0 ? Vec2(momentum / mass) : Vec2::Zero();
}

Eigen::Matrix2d Layer::fluctuation() const {
  return flow - momentum * velocity().transpose();
}

double Layer::temperature() const {
  return scree::temperature(fluctuation(), particles);
}

double temperature(const Eigen::Matrix2d& fluctuation, double particles) {
  return particles > 1.0 ? fluctuation.trace() / (2.0 * (particles - 1.0)) : 0.0;
}

std::vector<Layer> layers(const ParticleState& particles, const Measure& measure, const Domain& domain) {
  std::vector<Layer> layers(layers_of(measure));
  const Vec2 period = domain.hi - domain.lo;
  const int around_x = domain.periodic[0] ? 1 : 0;
  const int around_y = domain.periodic[1] ? 1 : 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    for (int y = -around_y; y <= around_y; ++y) {
      for (int x = -around_x; x <= around_x; ++x) {
        add_area(particles, i, {x * period.x(), y * period.y()}, measure.region, layers);
      }
    }
    const auto number = layer_at(measure.region, layers.size(), particles.position[i]);
    if (!number) continue;
    const double mass = particles.mass[i];
    const Vec2& velocity = particles.velocity[i];
    layers[*number] += {1.0, 0.0, mass, mass * velocity, mass * velocity * velocity.transpose()};
  }
  return layers;
}

}  // namespace scree
