#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/periodic.hpp"
#include "dem/soft/drives/wall_drives.hpp"
#include "dem/soft/motion/course.hpp"
#include "dem/soft/motion/wall_phases.hpp"
#include "dem/wall_motion.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// Whether an outline has a straight side along an axis that is at least as long as a period [m].
bool has_flat_side(std::span<const Vec2> vertices, int axis, double period);

/// The walls of a scene: where they are and how fast, by prescribed motion and by drives. Walls are bodies whose `type`
/// is their number in the scene.
///
/// A wall as wide as a periodic domain needs no images, but grains reach over the sides. One with a flat side goes on
/// there: its body is half a period longer at both ends than the scene says, which is farther than any grain reaches.
class MovingWalls {
 public:
  /// @throws InvalidScene for a wall that is no polygon, or that turns though it spans a periodic domain
  explicit MovingWalls(const Scene& scene);

  /// Appends all walls to the bodies, at rest where the scene puts them; those that come later are absent.
  /// @param first_id of the first one
  void add_to(Bodies& bodies, std::uint64_t first_id) const;
  /// Position, velocity and images of all walls that there are. @param t time [s]
  void move_to(double t, const Periodic& periodic, Bodies& bodies) const;

  /// How far a wall has been moved since its outline was given, and turned about its centroid.
  StageBegin::Put put(std::uint32_t body, const Periodic& periodic, const Bodies& bodies) const;

  /// Periodic axes along which a wall covers the whole width of the domain, by number in the scene.
  const std::vector<std::array<bool, 2>>& spans() const { return spans_; }

  /// What forces move.
  WallDrives& drives() { return drives_; }
  const WallDrives& drives() const { return drives_; }

  struct FastWall {
    double speed = 0.0;    ///< [m/s]
    std::size_t wall = 0;  ///< its number in the scene
  };
  /// The wall that is the fastest at any time and at any of its points, of those that there were when find_fastest was
  /// called last; speed 0 without walls.
  const FastWall& fastest() const { return fastest_; }
  /// Finds it among the walls that there are now.
  void find_fastest(const Periodic& periodic, const Bodies& bodies);

 private:
  WallDrives drives_;
  std::vector<std::array<bool, 2>> spans_;
  std::vector<WallMotion> motion_;
  std::vector<std::optional<WallPhases>> phases_;  // instead, of walls with several motions
  std::vector<char> comes_later_;
  std::vector<Vec2> centroid_;              // from the origin of the motion, at time 0 [m]
  std::vector<std::vector<Vec2>> outline_;  // about the centroid [m]
  std::vector<int> material_;
  FastWall fastest_;
};

}  // namespace scree::soft
