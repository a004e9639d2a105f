#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "dem/measure/log_histogram.hpp"
#include "dem/scene.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// What contacts did in one layer of the region, summed over time.
struct LayerTransfer {
  std::uint64_t collisions = 0;                      ///< of two particles; soft: contacts begun
  std::uint64_t wall_collisions = 0;                 ///< of a particle and a wall; likewise
  Eigen::Matrix2d virial = Eigen::Matrix2d::Zero();  ///< branch times impulse, summed [N m s]
  Vec2 wall_virial = Vec2::Zero();                   ///< x times x, y times y of a wall's impulse [N m s]
};

struct WallTransfer {
  Vec2 impulse = Vec2::Zero();   ///< that it received [N s]
  double angular_impulse = 0.0;  ///< about its centroid [N m s]
};

/// What contacts passed on since the run began: momentum, and how often. Sums that only grow, so that whoever measures
/// takes the difference of two looks, and nothing that is measured changes what comes. Both modes keep the same sums:
/// a collision has its impulse, a lasting contact that of each step.
///
/// A contact has a branch, from the centre of a particle to that of the other one, or to the point where it touches a
/// wall, and belongs to the layer in which the middle of its branch lies.
class Transfers {
 public:
  Transfers() = default;
  /// @param walls their number; sides of the domain that throw back may be counted, too
  Transfers(const Measure& measure, const Domain& domain, std::size_t walls);

  struct Contact {
    Vec2 centre;        ///< of particle a [m]
    Vec2 branch;        ///< from there [m]
    Vec2 impulse;       ///< of b, or of the wall, from a [N s]
    bool begun = true;  ///< counts as a collision
  };
  /// Of two particles. Cost: O(1), no allocation.
  void add(const Contact& contact);
  /// @param angular_impulse of the wall about its centroid [N m s]
  void add_on_wall(const Contact& contact, std::size_t wall, double angular_impulse);
  /// The flight of a particle between two collisions with others. @param path [m] @param time [s]
  void add_flight(double path, double time) {
    free_path_.add(path);
    free_time_.add(time);
  }

  const std::vector<LayerTransfer>& layers() const { return layers_; }
  const std::vector<WallTransfer>& walls() const { return walls_; }
  const LogHistogram& free_path() const { return free_path_; }
  const LogHistogram& free_time() const { return free_time_; }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.layers_, self.walls_);
    LogHistogram::visit(archive, self.free_path_);
    LogHistogram::visit(archive, self.free_time_);
  }

 private:
  LayerTransfer* layer_of(const Contact& contact);

  Region region_;
  Domain domain_;
  std::vector<LayerTransfer> layers_;  ///< from the lowest up
  std::vector<WallTransfer> walls_;
  LogHistogram free_path_;
  LogHistogram free_time_;
};

/// Number of the layer in which a point lies, if it is in the region. @param layers > 0, of equal height
std::optional<std::size_t> layer_at(const Region& region, std::size_t layers, const Vec2& point);

/// Into how many layers the region is cut.
std::size_t layers_of(const Measure& measure);

}  // namespace scree
