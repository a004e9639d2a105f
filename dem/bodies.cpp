#include "dem/bodies.hpp"

#include <algorithm>
#include <cmath>

#include "dem/archive.hpp"
#include "dem/scene.hpp"
#include "dem/trim.hpp"
#include "parallel/parallel_for.hpp"

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
  if (!part.empty()) {
    part.push_back(0);
    arm.emplace_back(Vec2::Zero());
    clump_radius.push_back(0.0);
    silhouette.push_back({0, 0});
  }
}

void Bodies::add_silhouette(std::span<const Vec2> outline) {
  part.resize(size(), 0);
  arm.resize(size(), Vec2::Zero());
  clump_radius.resize(size(), 0.0);
  silhouette.resize(size(), {0, 0});
  silhouette.back() = {static_cast<std::uint32_t>(silhouettes.size()), static_cast<std::uint32_t>(outline.size())};
  silhouettes.insert(silhouettes.end(), outline.begin(), outline.end());
}

void Bodies::add_part(const Vec2& from_clump, double equivalent_radius, double new_bounding_radius,
                      const Outline& outline) {
  const std::uint32_t last = size() - 1;
  const std::uint32_t number = part[last] + 1;
  add(id[last], type[last], material[last], mass[last], inertia(last), equivalent_radius, new_bounding_radius, outline);
  inverse_inertia.back() = inverse_inertia[last];
  part.back() = number;
  arm.back() = from_clump;
  if (!outline.empty()) clump_radius.back() = radius[particle(size() - 1)];
  ++parts;
}

std::span<const Vec2> Bodies::look(std::uint32_t body) const {
  if (is_clump(body)) return std::span(silhouettes).subspan(silhouette[body][0], silhouette[body][1]);
  return {vertices.data() + outline_first[body], outline_size[body]};
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
           outline_first, outline_size, vertices, sums, sums_first, part, arm, clump_radius, silhouette, silhouettes);
}

void Bodies::require_sound(const Scene& scene) const {
  const auto one_each = [&](const auto&... arrays) { return ((arrays.size() == id.size()) && ...); };
  require_state(one_each(type, material, radius, mass, inverse_mass, inverse_inertia, position, velocity, image,
                         bounding_radius, outline_first, outline_size) &&
                    id.size() < kGone && walls <= id.size() && (absent.empty() || absent.size() == walls) &&
                    (part.empty() || part.size() == id.size()) && arm.size() == part.size() &&
                    silhouette.size() == part.size(),
                "arrays of bodies differ in length");
  const auto below = [](auto number, std::size_t end) { return number >= 0 && static_cast<std::size_t>(number) < end; };
  std::size_t corners = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (!part.empty()) require_sound_part(i);
    if (!is_part(i)) require_state(id[i] > (i == 0 || i == walls ? 0 : id[i - 1]), "ids of bodies are not in order");
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
  require_state(std::ranges::all_of(silhouettes, [](const Vec2& corner) { return corner.allFinite(); }),
                "the outline of a clump");
}

/// Before parts are counted: a part belongs to what is before it.
void Bodies::require_sound_part(std::uint32_t body) const {
  const auto [first, count] = silhouette[body];
  if (part[body] == 0) {
    if (!is_clump(body)) return require_state(count == 0, "the outline of a clump");
    require_state(
        body >= walls && outline_size[body] == 0 && first <= silhouettes.size() && count <= silhouettes.size() - first,
        "a clump");
    return;
  }
  require_state(count == 0 && body > walls && part[body] == part[body - 1] + 1 && id[body] == id[body - 1] &&
                    type[body] == type[body - 1] && material[body] == material[body - 1] &&
                    mass[body] == mass[body - 1] && inverse_mass[body] == inverse_mass[body - 1] &&
                    inverse_inertia[body] == inverse_inertia[body - 1] && arm[body].allFinite(),
                "a part of a clump");
}

void Bodies::sum_up() {
  sums.clear();
  sums_first.clear();
  min_inradius = std::numeric_limits<double>::infinity();
  disks = 0;
  most_vertices = 0;
  parts = static_cast<std::uint32_t>(std::ranges::count_if(part, [](std::uint32_t number) { return number > 0; }));
  clump_radius.assign(part.size(), 0.0);
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (is_part(i) && outline_size[i] > 0) clump_radius[i] = radius[particle(i)];
    add_sums(std::span<const Vec2>(vertices.data() + outline_first[i], outline_size[i]));
  }
}

std::vector<std::uint32_t> Bodies::remove(const std::vector<char>& gone) {
  std::vector<std::uint32_t> new_index(size(), kGone);
  std::vector<Vec2> remaining_vertices;
  std::vector<Vec2> remaining_silhouettes;
  std::uint32_t kept = 0;
  std::uint32_t kept_walls = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (gone[i]) continue;
    new_index[i] = kept++;
    if (is_wall(i)) ++kept_walls;
    const Outline outline = shape(i).outline;
    outline_first[i] = static_cast<std::uint32_t>(remaining_vertices.size());
    append(outline, remaining_vertices);
    if (!is_clump(i)) continue;
    const std::span<const Vec2> own = look(i);
    silhouette[i][0] = static_cast<std::uint32_t>(remaining_silhouettes.size());
    remaining_silhouettes.insert(remaining_silhouettes.end(), own.begin(), own.end());
  }
  vertices = std::move(remaining_vertices);
  silhouettes = std::move(remaining_silhouettes);
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
  keep_remaining(part, new_index);
  keep_remaining(arm, new_index);
  keep_remaining(silhouette, new_index);
  sum_up();
  return new_index;
}

namespace {

bool wrap(const Periodic& periodic, Bodies& bodies, std::uint32_t body) {
  const Image periods = periodic.periods_outside(linear(bodies.position[body]));
  if (periods == Image{0, 0}) return false;
  const Vec2 shift = periodic.shift(periods);
  if (periodic.deforms()) [[unlikely]] {
    const Vec2 drift = periodic.drift(shift);
    bodies.velocity[body] -= Motion(drift.x(), drift.y(), 0.0);
  }
  for (const std::size_t axis : {0, 1}) {
    bodies.position[body][static_cast<Eigen::Index>(axis)] -= shift[static_cast<Eigen::Index>(axis)];
    bodies.image[body][axis] += periods[axis];
  }
  return true;
}

}  // namespace

bool wrap(const Periodic& periodic, Bodies& bodies) {
  if (!periodic.any()) return false;
  bool some_are_wrapped = false;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    some_are_wrapped = wrap(periodic, bodies, body) || some_are_wrapped;
  }
  return some_are_wrapped;
}

void follow(const Periodic& periodic, Bodies& bodies, std::uint32_t clump) {
  const Motion& position = bodies.position[clump];
  const Motion& velocity = bodies.velocity[clump];
  const Rotation rotation = Rotation::by(position.z());
  for (std::uint32_t body = clump + 1; body < bodies.size() && bodies.part[body] > 0; ++body) {
    const Vec2 arm = rotation * bodies.arm[body];
    const Vec2 turning = velocity.z() * perp(arm);
    bodies.position[body] = position + Motion(arm.x(), arm.y(), 0.0);
    bodies.velocity[body] = velocity + Motion(turning.x(), turning.y(), 0.0);
    bodies.image[body] = bodies.image[clump];
    if (periodic.any()) wrap(periodic, bodies, body);
  }
}

void follow(const Periodic& periodic, Bodies& bodies) {
  if (bodies.parts == 0) return;
  parallel_for_ranges(bodies.beyond_walls(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t body = bodies.walls + static_cast<std::uint32_t>(k);
      if (bodies.is_clump(body)) follow(periodic, bodies, body);
    }
  });
}

}  // namespace scree
