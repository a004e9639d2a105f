#include "io/replay/shown_scene.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include <nlohmann/json.hpp>

#include "dem/scene.hpp"
#include "io/frames/group_names.hpp"

namespace scree {

namespace {

using Json = nlohmann::ordered_json;

/// What of the plane is shown: the domain, but of open sides that are far from all that is there only a part.
Json view_of(const Scene& scene, const State& start) {
  Vec2 lo = scene.domain.hi;
  Vec2 hi = scene.domain.lo;
  const auto grow = [&](const Vec2& point) {
    lo = lo.cwiseMin(point);
    hi = hi.cwiseMax(point);
  };
  const auto grow_to_region = [&](const Region& region) {
    grow(region.lo);
    grow(region.hi);
  };
  for (std::size_t i = 0; i < start.particles.size(); ++i) grow(start.particles.position[i]);
  for (const ParticleGroup& group : scene.particles) {
    if (const auto* pour = std::get_if<Pour>(&group.how)) grow_to_region(pour->region);
  }
  for (const Vec2& corner : start.walls.outlines.vertices) {
    grow(corner.cwiseMax(scene.domain.lo).cwiseMin(scene.domain.hi));
  }
  const Domain& domain = scene.domain;
  if (!(hi.x() >= lo.x() && hi.y() >= lo.y())) lo = domain.lo, hi = domain.hi;
  const double margin = 0.6 * (hi - lo).maxCoeff();
  for (const Eigen::Index k : {0, 1}) {
    const bool is_open = !domain.reflecting && !domain.periodic[static_cast<std::size_t>(k)];
    lo[k] = is_open && margin > 0.0 ? std::max(domain.lo[k], lo[k] - margin) : domain.lo[k];
    hi[k] = is_open && margin > 0.0 ? std::min(domain.hi[k], hi[k] + margin) : domain.hi[k];
  }
  return {lo.x(), hi.x(), lo.y(), hi.y()};
}

}  // namespace

Json shown_domain(const Domain& domain) {
  return {{"lo", {domain.lo.x(), domain.lo.y()}},
          {"hi", {domain.hi.x(), domain.hi.y()}},
          {"periodic", {domain.periodic[0], domain.periodic[1]}},
          {"reflecting", domain.reflecting}};
}

Json shown_scene(const Scene& scene, const State& start) {
  return {
      {"title", scene.title},          {"mode", name_of(scene.mode)},        {"domain", shown_domain(scene.domain)},
      {"view", view_of(scene, start)}, {"materials", material_names(scene)}, {"groups", group_names(scene)},
  };
}

}  // namespace scree
