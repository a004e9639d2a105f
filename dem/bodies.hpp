#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dem/periodic.hpp"
#include "dem/shapes.hpp"
#include "geometry/pose.hpp"
#include "geometry/vec.hpp"

namespace scree {

struct Scene;

/// Generalised coordinates of a body, or their derivatives: x, y [m], angle [rad].
using Motion = Eigen::Array3d;

/// Position, velocity ... of the centroid.
inline Vec2 linear(const Motion& m) {
  return {m.x(), m.y()};
}

/// Walls and particles, as arrays by property. A body is an index and a stable id that is never reused. Walls come
/// first and have infinite mass. Walls and particles are each in ascending order of id, also after bodies have been
/// removed.
///
/// A clump, a particle of several convex parts, has an entry for itself, which moves and has no shape, and behind it
/// one for each part, with the clump's id, mass and moment of inertia. Parts follow their clump, see follow(): the
/// search for contacts and their forces takes parts as bodies like all others; what moves and counts particles leaves
/// parts out.
struct Bodies {
  std::vector<std::uint64_t> id;
  std::vector<std::int32_t> type;  ///< particle: number of its group; wall: of the wall in the scene
  std::vector<std::int32_t> material;
  std::vector<double> radius;           ///< of the disk of equal area [m]
  std::vector<double> mass;             ///< [kg]; infinite for walls
  std::vector<double> inverse_mass;     ///< [1/kg]; 0 for walls
  std::vector<double> inverse_inertia;  ///< about the centroid [1/(kg m^2)]; 0 for walls
  std::vector<Motion> position;         ///< inside the domain along its periodic axes
  std::vector<Motion> velocity;
  std::vector<std::array<std::int32_t, 2>> image;  ///< number of periods by which the position was wrapped back so far

  std::vector<double> bounding_radius;       ///< about the centroid [m]
  std::vector<std::uint32_t> outline_first;  ///< range of its vertices; empty: a disk
  std::vector<std::uint32_t> outline_size;
  /// Corners of all bodies, in their order, about the centroid [m]. The first three of an outline follow its last one
  /// again: a walk along a few of its edges need not look for its end.
  std::vector<Vec2> vertices;
  static constexpr std::size_t kRepeated = 3;
  std::vector<ArcSum> sums;               ///< of the outlines that have many vertices (append_arc_sums)
  std::vector<std::uint32_t> sums_first;  ///< by body
  /// Every outline is at least twice this thick in every direction [m].
  double min_inradius = std::numeric_limits<double>::infinity();

  // The parts of clumps; empty as long as there has been no clump.
  std::vector<std::uint32_t> part;  ///< k for the k-th part of the clump whose entry is k before; 0 for all others
  std::vector<Vec2> arm;            ///< of a part: from the clump's centroid to its own, in the clump's frame [m]
  /// Radius of the disk with the area of the whole clump, by which the force on a polygon that is a part goes; 0 for
  /// all others [m].
  std::vector<double> clump_radius;
  /// Range of a clump's own outline in `silhouettes`: that of all its parts together, not convex.
  std::vector<std::array<std::uint32_t, 2>> silhouette;
  std::vector<Vec2> silhouettes;  ///< of all clumps, in the order of bodies, about the centroid [m]

  std::uint32_t walls = 0;          ///< bodies [0, walls) are walls
  std::vector<char> absent;         ///< one flag a wall, or none: it is not there yet, and has no box
  std::uint32_t disks = 0;          ///< how many bodies have no corners: disks, and the entries of clumps themselves
  std::uint32_t parts = 0;          ///< how many bodies are parts of clumps
  std::uint32_t most_vertices = 0;  ///< of an outline

  std::uint32_t size() const { return static_cast<std::uint32_t>(id.size()); }
  std::uint32_t particles() const { return size() - walls - parts; }
  std::uint32_t beyond_walls() const { return size() - walls; }  ///< particles, and parts of them
  bool is_wall(std::uint32_t body) const { return body < walls; }
  bool is_absent(std::uint32_t body) const { return body < absent.size() && absent[body] != 0; }
  bool is_part(std::uint32_t body) const { return !part.empty() && part[body] > 0; }
  bool is_clump(std::uint32_t body) const { return body + 1 < part.size() && part[body] == 0 && part[body + 1] == 1; }
  /// The particle, for a part; else itself.
  std::uint32_t particle(std::uint32_t body) const { return part.empty() ? body : body - part[body]; }
  std::uint32_t part_number(std::uint32_t body) const { return part.empty() ? 0 : part[body]; }
  std::uint32_t parts_of(std::uint32_t clump) const {
    std::uint32_t count = 0;
    while (clump + count + 1 < part.size() && part[clump + count + 1] > 0) ++count;
    return count;
  }
  /// Whether it can touch others: clumps do by their parts.
  bool has_shape(std::uint32_t body) const { return !is_absent(body) && !is_clump(body); }
  /// The radius in the force law: of a polygon the size of the whole grain, of a disk its own [m].
  double radius_of_law(std::uint32_t body) const { return has_clump_radius(body) ? clump_radius[body] : radius[body]; }
  /// Whether forces go by the size of the grain instead of distances from the centroid.
  bool has_clump_radius(std::uint32_t body) const { return !clump_radius.empty() && clump_radius[body] > 0.0; }
  /// From the centroid of the particle to that of a part of it; 0 for all others [m].
  Vec2 arm_of(std::uint32_t body) const {
    return is_part(body) ? Vec2(Rotation::by(position[particle(body)].z()) * arm[body]) : Vec2(Vec2::Zero());
  }

  ShapeView shape(std::uint32_t body) const {
    return {{std::span(vertices.data() + outline_first[body], outline_size[body]), sums.data() + sums_first[body]},
            bounding_radius[body]};
  }
  Pose pose(std::uint32_t body) const { return {linear(position[body]), Rotation::by(position[body].z())}; }
  double inertia(std::uint32_t body) const { return 1.0 / inverse_inertia[body]; }

  /// Appends a body at rest at the origin. @param outline empty for a disk of radius `bounding_radius`
  void add(std::uint64_t new_id, int new_type, int new_material, double new_mass, double new_inertia,
           double equivalent_radius, double new_bounding_radius, const Outline& outline);

  /// Makes the last body a clump. @param outline of all its parts together, about the centroid [m]
  void add_silhouette(std::span<const Vec2> outline);
  /// Appends a part to the last clump. @param from_clump from its centroid to that of the part [m]
  void add_part(const Vec2& from_clump, double equivalent_radius, double new_bounding_radius, const Outline& outline);

  /// The outline of a particle as it looks: that of a clump need not be convex. Empty: a disk.
  std::span<const Vec2> look(std::uint32_t body) const;

  /// Gives back memory after bodies were added, see dem/trim.hpp.
  void trim();

  /// Removes bodies; the others keep their order. @param gone one flag for each body
  /// @return the new index for each old one; kGone for removed bodies
  static constexpr std::uint32_t kGone = 0xffffffff;
  std::vector<std::uint32_t> remove(const std::vector<char>& gone);

  /// After loading. @throws InvalidState unless all arrays fit together and every number can be one of this scene
  void require_sound(const Scene& scene) const;
  /// Makes anew what follows from the outlines, after everything else was loaded.
  void sum_up();

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.id, self.type, self.material, self.radius, self.mass, self.inverse_mass, self.inverse_inertia,
            self.position, self.velocity, self.image, self.bounding_radius, self.outline_first, self.outline_size,
            self.vertices, self.walls, self.absent, self.part, self.arm, self.silhouette, self.silhouettes);
  }

 private:
  void add_sums(const Outline& outline);
  void require_sound_part(std::uint32_t body) const;
};

/// Puts all parts of clumps where their clumps are, and gives them their velocities; each is inside the domain along
/// periodic axes. On several threads.
void follow(const Periodic& periodic, Bodies& bodies);
/// Moves the parts of one clump with it.
void follow(const Periodic& periodic, Bodies& bodies, std::uint32_t clump);

/// Wraps particles that crossed a periodic side to the opposite side. @return whether there were any
bool wrap(const Periodic& periodic, Bodies& bodies);

/// Keeps the elements of a property whose body remains.
template <class T>
void keep_remaining(std::vector<T>& property, const std::vector<std::uint32_t>& new_index) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < property.size(); ++i) {
    if (new_index[i] != Bodies::kGone) property[kept++] = property[i];
  }
  property.resize(kept);
}

}  // namespace scree
