#include "dem/bodies.hpp"

#include <algorithm>
#include <cmath>

#include "dem/archive.hpp"
#include "dem/trim.hpp"

namespace scree {

namespace {

/// How many vertices are kept for an outline of so many.
std::size_t kept_vertices(std::size_t size) {
  return size == 0 ? 0 : size + Bodies::kRepeated;
}

void append(const Outline& outline, std::vector<Vec2>& vertices) {
  const std::size_t size = outline.size();
  for (std::size_t k = 0; k < kept_vertices(size); ++k) vertices.push_back(outline[k < size ? k : k - size]);
}

}  // namespace

void Bodies::add(std::uint64_t new_id, int new_type, int new_material, double new_mass, double new_inertia,
                 double equivalent_radius, double new_bounding_radius, const Outline& outline) {
  id.push_back(new_id);
  type.push_back(new_type);
  material.push_back(new_material);
  radius.push_back(equivalent_radius);
  mass.push_back(new_mass);
  inverse_mass.push_back(1.0 / new_mass);
  inverse_inertia.push_back(1.0 / new_inertia);
  position.emplace_back(Motion::Zero());
  velocity.emplace_back(Motion::Zero());
  image.push_back({0, 0});
  bounding_radius.push_back(new_bounding_radius);
  outline_first.push_back(static_cast<std::uint32_t>(vertices.size()));
  outline_size.push_back(static_cast<std::uint32_t>(outline.size()));
  append(outline, vertices);
  add_sums(outline);
}

void Bodies::add_sums(const Outline& outline) {
  sums_first.push_back(static_cast<std::uint32_t>(sums.size()));
  append_arc_sums(outline, sums);
  min_inradius = std::min(min_inradius, inner_radius(outline));
  if (outline.empty()) ++disks;
  most_vertices = std::max(most_vertices, static_cast<std::uint32_t>(outline.size()));
}

void Bodies::trim() {
  const auto trim_all = [](auto&... arrays) { (scree::trim(arrays), ...); };
  trim_all(id, type, material, radius, mass, inverse_mass, inverse_inertia, position, velocity, image, bounding_radius,
           outline_first, outline_size, vertices, sums, sums_first);
}

void Bodies::require_sound(const Scene& scene) const {
  const auto one_each = [&](const auto&... arrays) { return ((arrays.size() == id.size()) && ...); };
  require_state(one_each(type, material, radius, mass, inverse_mass, inverse_inertia, position, velocity, image,
                         bounding_radius, outline_first, outline_size) &&
                    id.size() < kGone && walls <= id.size() && (absent.empty() || absent.size() == walls),
                "arrays of bodies differ in length");
  const auto below = [](auto number, std::size_t end) { return number >= 0 && static_cast<std::size_t>(number) < end; };
  std::size_t corners = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    require_state(id[i] > (i == 0 || i == walls ? 0 : id[i - 1]), "ids of bodies are not in order");
    require_state(below(type[i], is_wall(i) ? scene.walls.size() : scene.particles.size()), "a body of no group");
    require_state(below(material[i], scene.materials.size()), "a body of no material");
    require_state(radius[i] > 0.0 && bounding_radius[i] > 0.0 && mass[i] > 0.0 &&
                      (is_wall(i) || std::isfinite(radius[i])) && std::isfinite(bounding_radius[i]) &&
                      inverse_mass[i] >= 0.0 && inverse_inertia[i] >= 0.0,
                  "the size or mass of a body");
    require_state(position[i].isFinite().all() && velocity[i].isFinite().all(), "the motion of a body");
    require_state(is_moderate(image[i]), "the image of a body");
    const std::size_t kept = kept_vertices(outline_size[i]);
    require_state(outline_first[i] == corners && kept <= vertices.size() - corners, "the outline of a body");
    if (kept == 0) continue;
    const auto first = vertices.begin() + static_cast<std::ptrdiff_t>(corners);
    require_state(std::equal(first, first + kRepeated, first + outline_size[i]), "the outline of a body");
    corners += kept;
    try {
      const Polygon polygon(std::span(vertices.data() + outline_first[i], outline_size[i]));
      require_state(polygon.bounding_radius() > 0.0, "the outline of a body");
    } catch (const GeometryError&) {
      require_state(false, "the outline of a body");
    }
  }
  require_state(corners == vertices.size(), "outlines of bodies");
}

void Bodies::sum_up() {
  sums.clear();
  sums_first.clear();
  min_inradius = std::numeric_limits<double>::infinity();
  disks = 0;
  most_vertices = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    add_sums(std::span<const Vec2>(vertices.data() + outline_first[i], outline_size[i]));
  }
}

std::vector<std::uint32_t> Bodies::remove(const std::vector<char>& gone) {
  std::vector<std::uint32_t> new_index(size(), kGone);
  std::vector<Vec2> remaining_vertices;
  std::uint32_t kept = 0;
  std::uint32_t kept_walls = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (gone[i]) continue;
    new_index[i] = kept++;
    if (is_wall(i)) ++kept_walls;
    const Outline outline = shape(i).outline;
    outline_first[i] = static_cast<std::uint32_t>(remaining_vertices.size());
    append(outline, remaining_vertices);
  }
  vertices = std::move(remaining_vertices);
  walls = kept_walls;
  keep_remaining(absent, new_index);
  keep_remaining(id, new_index);
  keep_remaining(type, new_index);
  keep_remaining(material, new_index);
  keep_remaining(radius, new_index);
  keep_remaining(mass, new_index);
  keep_remaining(inverse_mass, new_index);
  keep_remaining(inverse_inertia, new_index);
  keep_remaining(position, new_index);
  keep_remaining(velocity, new_index);
  keep_remaining(image, new_index);
  keep_remaining(bounding_radius, new_index);
  keep_remaining(outline_first, new_index);
  keep_remaining(outline_size, new_index);
  sum_up();
  return new_index;
}

void wrap(const Periodic& periodic, Bodies& bodies) {
  if (!periodic.any()) return;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    const Image periods = periodic.periods_outside(linear(bodies.position[body]));
    if (periods == Image{0, 0}) continue;
    const Vec2 shift = periodic.shift(periods);
    for (const std::size_t axis : {0, 1}) {
      bodies.position[body][static_cast<Eigen::Index>(axis)] -= shift[static_cast<Eigen::Index>(axis)];
      bodies.image[body][axis] += periods[axis];
    }
  }
}

}  // namespace scree
