#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "dem/log_histogram.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/measure.hpp"
#include "dem/scene/region.hpp"
#include "geometry/vec.hpp"
#include "geometry/wide.hpp"

namespace scree {

/// Sums over the contacts in one layer of the region since the start.
struct LayerTransfer {
  std::uint64_t collisions = 0;                      ///< of two particles; soft: number of contacts that began
  std::uint64_t wall_collisions = 0;                 ///< the same for a particle and a wall
  Eigen::Matrix2d virial = Eigen::Matrix2d::Zero();  ///< branch vector times impulse, summed [N m s]
  Vec2 wall_virial = Vec2::Zero();                   ///< of walls: x times x-impulse, y times y-impulse [N m s]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.collisions, self.wall_collisions, self.virial, self.wall_virial);
  }
};

struct WallTransfer {
  Vec2 impulse = Vec2::Zero();   ///< received by the wall [N s]
  double angular_impulse = 0.0;  ///< about its centroid [N m s]

  void add(const Vec2& more, double more_angular) {
    impulse += more;
    angular_impulse += more_angular;
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.impulse, self.angular_impulse);
  }
};

/// Momentum transferred by contacts since the start of the run, and the number of contacts. The sums are cumulative: a
/// measurement takes the difference of two values and does not affect the trajectory. Both modes have the same sums: a
/// collision contributes its impulse, a lasting contact the impulse of each step.
///
/// The branch vector of a contact points from the centre of a particle to that of the other one, or to the point of
/// contact with a wall. A contact belongs to the layer that contains the middle of its branch vector.
class Transfers {
 public:
  Transfers() = default;
  /// @param walls their number; may include the reflecting sides of the domain
  Transfers(const Measure& measure, const Domain& domain, std::size_t walls);

  struct Contact {
    Vec2 centre;        ///< of particle a [m]
    Vec2 branch;        ///< branch vector, from `centre` [m]
    Vec2 impulse;       ///< on b, or on the wall, from a [N s]
    bool begun = true;  ///< the contact begins; it counts as a collision
  };
  /// Adds a contact of two particles. Cost: O(1), no allocation.
  void add(const Contact& contact);
  /// @param angular_impulse of the wall about its centroid [N m s]
  void add_on_wall(const Contact& contact, std::size_t wall, double angular_impulse);
  /// For loops over many contacts, where most are surely in the only layer that there is: its sums of impulses, taken
  /// out of the `Transfers`, to which they have to be given back. Each contact is added as by add() or add_on_wall(),
  /// with the same bits; that contacts begin is counted by count_begun().
  class OnlyLayer {
   public:
    using TwoNumbers = wide::Number<2>;  // the components of a vector

    /// @param middle of the branch vector @return whether it is surely in the layer, wherever the particles were
    /// wrapped
    wide::Mask<2> covers(const TwoNumbers& middle) const { return at_most(lo_, middle) & at_most(middle, hi_); }
    void add(const TwoNumbers& branch, const TwoNumbers& impulse) {
      virial_by_x_ = virial_by_x_ + branch * impulse[0];
      virial_by_y_ = virial_by_y_ + branch * impulse[1];
    }
    /// @param point of the contact, from the origin
    void add_on_wall(const TwoNumbers& point, const TwoNumbers& branch, const TwoNumbers& impulse) {
      add(branch, impulse);
      wall_virial_ = wall_virial_ + (point - middle_of_region_) * impulse;
    }

   private:
    friend class Transfers;
    TwoNumbers lo_;
    TwoNumbers hi_;
    TwoNumbers middle_of_region_;
    TwoNumbers virial_by_x_;  // times the impulse along x
    TwoNumbers virial_by_y_;
    TwoNumbers wall_virial_;
  };
  /// @pre is_one_layer
  OnlyLayer take_out() const;
  void give_back(OnlyLayer layer);
  bool is_one_layer() const { return layers_.size() == 1; }
  /// Without periodic sides: what is not surely in the only layer is not in it.
  bool is_plane() const { return !domain_.periodic[0] && !domain_.periodic[1]; }
  /// What walls receive, by their number.
  WallTransfer* on_walls() { return walls_.data(); }
  /// A contact begins. @param contact without its impulse
  void count_begun(const Contact& contact, bool with_wall);

  /// Adds the free flight of a particle between two collisions with others. @param path [m] @param time [s]
  void add_flight(double path, double time) {
    free_path_.add(path);
    free_time_.add(time);
  }

  const std::vector<LayerTransfer>& layers() const { return layers_; }
  const std::vector<WallTransfer>& walls() const { return walls_; }
  const LogHistogram& free_path() const { return free_path_; }
  const LogHistogram& free_time() const { return free_time_; }

  /// After loading. @param fresh  as they were at the start @throws InvalidState if there are more or fewer sums
  void require_sound(const Transfers& fresh) const;

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

/// Number of the layer that contains a point, if it is in the region. @param layers > 0, of equal height
inline std::optional<std::size_t> layer_at(const Region& region, std::size_t layers, const Vec2& point) {
  if (!(region.lo.array() <= point.array() && point.array() <= region.hi.array()).all()) return std::nullopt;
  if (layers == 1) return 0;
  const double share = (point.y() - region.lo.y()) / (region.hi.y() - region.lo.y());
  return std::min(static_cast<std::size_t>(share * static_cast<double>(layers)), layers - 1);
}

/// Number of layers of the region.
std::size_t layers_of(const Measure& measure);

}  // namespace scree
