#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "dem/archive.hpp"
#include "dem/measure/smoothing_kernel.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/measure.hpp"
#include "dem/scene/region.hpp"
#include "dem/state.hpp"
#include "geometry/vec.hpp"

/// Continuum fields of a state: mass, momentum and stress smoothed by a kernel, so that they obey the balance of
/// momentum exactly at every point. Compression is positive. Formulas and sources: docs/theory.md, Coarse graining.
namespace scree {

/// Points at the centres of equal cells that cover a region, row by row from the lowest one.
struct FieldGrid {
  Region region;
  std::size_t columns = 1;
  std::size_t rows = 1;

  /// As many cells as needed for no side of a cell to be longer than `spacing` [m].
  static FieldGrid covering(const Region& region, double spacing);

  std::size_t size() const { return columns * rows; }
  Vec2 cell() const;  ///< sides of a cell [m]
  Vec2 point(std::size_t column, std::size_t row) const;
};

/// What is summed at a point; sums of several moments over their number are averages over time.
struct FieldSums {
  double density = 0.0;                               ///< [kg/m^2]
  Vec2 momentum = Vec2::Zero();                       ///< [kg/(m s)]
  Eigen::Matrix2d flow = Eigen::Matrix2d::Zero();     ///< m v (x) v [N/m]
  Eigen::Matrix2d contact = Eigen::Matrix2d::Zero();  ///< contact stress, force (x) branch [N/m]
  Vec2 boundary_force = Vec2::Zero();                 ///< of walls on particles, by area [N/m^2]
  double area = 0.0;                                  ///< of the parts of grains inside the cell [m^2]

  FieldSums& operator+=(const FieldSums& other);
  FieldSums scaled(double factor) const;
  Vec2 velocity() const;  ///< [m/s]; 0 where nothing is
  /// m v' (x) v', v' relative to velocity() [N/m].
  Eigen::Matrix2d kinetic() const;
  double pressure() const;  ///< half the trace of both stresses [N/m]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.density, self.momentum, self.flow, self.contact, self.boundary_force, self.area);
  }
};

class CoarseFields {
 public:
  /// @param domain  for images across its periodic sides
  CoarseFields(const FieldGrid& grid, const SmoothingKernel& kernel, const Domain& domain);

  /// Adds the fields of a state. Sums are in the order of its bodies and contacts, serial: the same for any number of
  /// threads. Hard disks have no lasting contacts: their contact stress is 0.
  /// Cost: O(reach^2 / cell) for each particle and contact.
  void add(const State& state);

  const FieldGrid& grid() const { return grid_; }
  const SmoothingKernel& kernel() const { return kernel_; }
  std::uint64_t states() const { return states_; }
  const std::vector<FieldSums>& sums() const { return sums_; }
  /// Average over the states so far.
  std::vector<FieldSums> mean() const;
  void clear();                         ///< As it was before the first state.
  void add(const CoarseFields& other);  ///< All its states. @pre of the same grid

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.states_, fixed(self.sums_));
  }

 private:
  void add_particles(const ParticleState& particles);
  void add_areas(const ParticleState& particles);
  void add_contacts(const State& state);
  void add_branch(const Vec2& centre, const Vec2& point, const Vec2& force);
  template <class Do>
  void for_each_image(const Vec2& lo, const Vec2& hi, const Do& act) const;
  template <class Do>
  void for_each_point(const Vec2& lo, const Vec2& hi, const Do& act);

  FieldGrid grid_;
  SmoothingKernel kernel_;
  Domain domain_;
  std::uint64_t states_ = 0;
  std::vector<FieldSums> sums_;
};

/// Averages over all points of a row (along x), for each row; or over those of a column, for each column.
std::vector<FieldSums> averages_along_x(const std::vector<FieldSums>& fields, const FieldGrid& grid);
std::vector<FieldSums> averages_along_y(const std::vector<FieldSums>& fields, const FieldGrid& grid);

/// Averages over the samples between two moments, one after another.
struct FieldImage {
  double time = 0.0;         ///< of the last sample [s]
  std::uint64_t states = 0;  ///< number of samples
  FieldGrid grid;
  std::vector<FieldSums> mean = {};
};

/// Fields of a run: images at regular times, and the average over all samples.
class FieldAverages {
 public:
  /// @param from  when measuring begins [s] @param every  between two images [s]
  FieldAverages(const Measure::Fields& spec, const Region& region, const Domain& domain, double from, double every);

  /// Adds a sample. @return the image that is due
  std::optional<FieldImage> add(const State& state);
  /// The mean over all samples so far.
  FieldImage whole() const;

  void require_sound() const;  ///< After loading. @throws InvalidState

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.images_, self.last_);
    CoarseFields::visit(archive, self.recent_);
    CoarseFields::visit(archive, self.before_);
  }

 private:
  double from_;
  double every_;
  std::uint64_t images_ = 1;  // number of the next one
  double last_ = 0.0;         // time of the last sample [s]
  CoarseFields recent_;       // since the last image
  CoarseFields before_;       // up to the last image
};

}  // namespace scree
