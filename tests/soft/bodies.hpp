#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "geometry/polygon.hpp"
#include "tests/broadphase/random_boxes.hpp"

/// Bodies, candidates and contacts for tests of one room of the soft mode, without a scene or a run.
namespace scree::test {

inline constexpr double kDensity = 1.0;  // kg/m^2

/// A particle that is a disk. @return its index
inline std::uint32_t add_disk(Bodies& bodies, std::uint64_t id, const Vec2& position, double radius, int material = 0) {
  const double mass = kDensity * std::numbers::pi * radius * radius;
  bodies.add(id, 0, material, mass, 0.5 * mass * radius * radius, radius, radius, {});
  bodies.position.back() = {position.x(), position.y(), 0.0};
  return bodies.size() - 1;
}

/// A particle that is a polygon about the origin. @return its index
inline std::uint32_t add_polygon(Bodies& bodies, std::uint64_t id, const Motion& position, const Polygon& polygon,
                                 int material = 0) {
  bodies.add(id, 0, material, kDensity * polygon.area(), kDensity * polygon.second_moment(),
             0.5 * equivalent_diameter(polygon.area()), polygon.bounding_radius(), polygon.vertices());
  bodies.position.back() = position;
  return bodies.size() - 1;
}

/// A wall, number `type` of the scene. Walls come before all particles. @return its index
inline std::uint32_t add_wall(Bodies& bodies, std::uint64_t id, const Motion& position, const Polygon& polygon,
                              int type = 0) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bodies.add(id, type, 0, kInfinity, kInfinity, kInfinity, polygon.bounding_radius(), polygon.vertices());
  bodies.position.back() = position;
  bodies.walls = bodies.size();
  return bodies.size() - 1;
}

/// Makes candidates of pairs of bodies; b is the greater index, or a wall.
inline void add_candidates(const Bodies& bodies, const std::vector<soft::BodyPair>& pairs, soft::Contacts& contacts,
                           const std::vector<Image>& images = {{0, 0}}) {
  std::vector<soft::PairChange> changes;
  for (const soft::BodyPair& pair : pairs) {
    for (const Image& image : images) {
      changes.push_back({{.a = bodies.id[pair.a], .b = bodies.id[pair.b], .image = image}, pair, 1});
    }
  }
  contacts.apply(changes, bodies);
}

/// All pairs but those of two walls.
inline std::vector<soft::BodyPair> all_pairs_of(const Bodies& bodies) {
  std::vector<soft::BodyPair> pairs;
  for (std::uint32_t a = bodies.walls; a < bodies.size(); ++a) {
    for (std::uint32_t b = 0; b < bodies.walls; ++b) pairs.push_back({a, b});
    for (std::uint32_t b = a + 1; b < bodies.size(); ++b) pairs.push_back({a, b});
  }
  return pairs;
}

/// Of a contact that touches.
inline soft::ContactGeometry touching_geometry(const Vec2& branch_vector, const Vec2& normal) {
  soft::ContactGeometry geometry{};
  geometry.overlap.area = 1.0;
  geometry.overlap.normal = normal;
  geometry.branch_vector = branch_vector;
  return geometry;
}

/// A contact of two bodies with this geometry, which touches. @return its place
inline std::size_t add_contact(const Bodies& bodies, const soft::BodyPair& pair, const soft::ContactGeometry& geometry,
                               soft::Contacts& contacts, const Image& image = {0, 0}) {
  add_candidates(bodies, {pair}, contacts, {image});
  const soft::PairKey key{.a = bodies.id[pair.a], .b = bodies.id[pair.b], .image = image};
  std::uint32_t candidate = 0;
  while (contacts.candidates.key(bodies, candidate) != key) ++candidate;
  const std::vector<std::vector<soft::NewContact>> found = {{{candidate, geometry}}};
  contacts.update(found, {});
  return contacts.first_from(candidate);
}

}  // namespace scree::test
