#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "dem/archive.hpp"
#include "dem/column.hpp"
#include "dem/measure/coarse_graining.hpp"
#include "dem/measure/contact_statistics.hpp"
#include "dem/measure/layers.hpp"
#include "dem/measure/mean_square_displacement.hpp"
#include "dem/measure/pair_orientation.hpp"
#include "dem/measure/radial_distribution.hpp"
#include "dem/measure/velocity_distribution.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/measure.hpp"
#include "dem/state.hpp"
#include "dem/transfers.hpp"

namespace scree {

struct Scene;

/// Force and torque of the particles on a wall, averaged since the previous sample.
struct WallForce {
  Vec2 force = Vec2::Zero();  ///< [N]
  double torque = 0.0;        ///< about its centroid [N m]
};

/// Measurements in the region: values at one time, and averages since the previous sample. Formulas: docs/theory.md,
/// Measurements. Of a periodic cell that deforms, all of it, as it is at that time, and velocities beside its flow.
struct Sample {
  double time = 0.0;            ///< [s]
  std::uint64_t particles = 0;  ///< number whose centre is in the region
  double packing_fraction = 0.0;
  Vec2 velocity = Vec2::Zero();                                ///< mean, weighted by mass [m/s]
  double mean_speed = 0.0;                                     ///< relative to `velocity` [m/s]
  double spin = 0.0;                                           ///< mean angular velocity [rad/s]
  double temperature = 0.0;                                    ///< of translation [J]
  double rotational_temperature = 0.0;                         ///< [J]
  double collision_rate = 0.0;                                 ///< of a particle with others [1/s]
  double wall_collision_rate = 0.0;                            ///< of a particle with walls [1/s]
  Eigen::Matrix2d pressure = Eigen::Matrix2d::Zero();          ///< kinetic and contact part [N/m]
  Eigen::Matrix2d contact_pressure = Eigen::Matrix2d::Zero();  ///< contact part of `pressure` [N/m]
  Vec2 wall_pressure = Vec2::Zero();                           ///< on walls along x, along y [N/m]
  std::vector<WallForce> walls;  ///< in the order of the scene; then, if they reflect, the
                                 ///< domain's sides: left, right, bottom, top
  std::optional<MeanSquareDisplacement::Mean> displacement = {};
  std::optional<ContactStatistics> texture = {};
  std::optional<FieldImage> image = {};     ///< if one is due
  std::optional<MomentState> moments = {};  ///< since the start of the run
};

/// What a Sample has, in the order of measure.csv.
inline constexpr auto kSampleColumns = std::to_array<Column<Sample>>({
    {"time", "s", [](const Sample& s) { return s.time; }},
    {"particles", "", [](const Sample& s) { return s.particles; }},
    {"packing_fraction", "", [](const Sample& s) { return s.packing_fraction; }},
    {"velocity_x", "m/s", [](const Sample& s) { return s.velocity.x(); }},
    {"velocity_y", "m/s", [](const Sample& s) { return s.velocity.y(); }},
    {"mean_speed", "m/s", [](const Sample& s) { return s.mean_speed; }},
    {"temperature", "J", [](const Sample& s) { return s.temperature; }},
    {"rotational_temperature", "J", [](const Sample& s) { return s.rotational_temperature; }},
    {"collision_rate", "1/s", [](const Sample& s) { return s.collision_rate; }},
    {"wall_collision_rate", "1/s", [](const Sample& s) { return s.wall_collision_rate; }},
    {"pressure", "N/m", [](const Sample& s) { return 0.5 * s.pressure.trace(); }},
    {"pressure_xx", "N/m", [](const Sample& s) { return s.pressure(0, 0); }},
    {"pressure_yy", "N/m", [](const Sample& s) { return s.pressure(1, 1); }},
    {"pressure_xy", "N/m", [](const Sample& s) { return s.pressure(0, 1); }},
    {"contact_pressure", "N/m", [](const Sample& s) { return 0.5 * s.contact_pressure.trace(); }},
    {"wall_pressure_x", "N/m", [](const Sample& s) { return s.wall_pressure.x(); }},
    {"wall_pressure_y", "N/m", [](const Sample& s) { return s.wall_pressure.y(); }},
    {"spin", "rad/s", [](const Sample& s) { return s.spin; }},
});

/// All measurements of a scene. They read only copies of the state and cumulative sums, at their own sample times, so
/// they do not affect the trajectory. They are saved and loaded with the simulation and then continue as without
/// interruption.
class Measurements {
 public:
  /// @pre scene.measure
  explicit Measurements(const Scene& scene);

  /// Time of the next sample [s]. The first sample only starts the measurement.
  double next() const { return measure_.from + static_cast<double>(samples_) * measure_.every; }
  /// Takes the next sample.
  /// @return the sample; nothing for the first
  std::optional<Sample> take(const State& state, const Transfers& transfers);

  /// A layer of the height profile, averaged since the first sample.
  struct LayerRow {
    double y;  ///< centre of the layer [m]
    double packing_fraction;
    double particles;          ///< mean number
    Vec2 velocity;             ///< [m/s]
    double temperature;        ///< [J]
    double collision_rate;     ///< of a particle with others [1/s]
    Eigen::Matrix2d pressure;  ///< [N/m]
  };
  std::vector<LayerRow> height_profile() const;

  /// A bin of free paths [m] or free times [s] that ended since the first sample.
  struct FlightRow {
    double from;
    double to;
    std::uint64_t count;
    double density;  ///< fraction of the flights over the width of the bin
  };
  std::vector<FlightRow> free_paths() const;
  std::vector<FlightRow> free_times() const;

  const std::optional<RadialDistribution>& radial_distribution() const { return radial_distribution_; }
  const std::optional<VelocityDistribution>& velocity_distribution() const { return velocity_distribution_; }
  const std::optional<PairOrientation>& pair_orientation() const { return pair_orientation_; }
  const std::optional<ForceDistribution>& forces() const { return forces_; }
  const std::optional<FieldAverages>& fields() const { return fields_; }
  const Measure& measure() const { return measure_; }

  /// After loading, @param transfers of the simulation, loaded as well. @throws InvalidState
  void require_sound(const Transfers& transfers) const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.samples_, self.begin_, self.last_, fixed(self.layers_), self.summed_);
    Transfers::visit(archive, self.at_begin_);
    Transfers::visit(archive, self.at_last_);
    MeanSquareDisplacement::visit(archive, self.displacement_);
    if (self.radial_distribution_) RadialDistribution::visit(archive, *self.radial_distribution_);
    if (self.velocity_distribution_) VelocityDistribution::visit(archive, *self.velocity_distribution_);
    if (self.pair_orientation_) PairOrientation::visit(archive, *self.pair_orientation_);
    if (self.forces_) ForceDistribution::visit(archive, *self.forces_);
    if (self.fields_) FieldAverages::visit(archive, *self.fields_);
  }

 private:
  /// How many sample times lie before `time` [s].
  std::uint64_t samples_due(double time) const;
  void follow(const CellState& cell);
  void begin(const State& state, const Transfers& transfers);
  void look_at_motion(const ParticleState& particles, Sample& sample);
  void look_at_texture(const State& state, Sample& sample);
  void look_at_contacts(const Transfers& transfers, double duration, Sample& sample) const;
  double area() const { return (measure_.region.hi - measure_.region.lo).prod(); }

  Measure measure_;
  Domain domain_;
  Vec2 centre_;                // of the domain [m]
  std::uint64_t samples_ = 0;  // number so far, including the first
  double begin_ = 0.0;         // time of the first sample [s]
  double last_ = 0.0;          // of the last one [s]
  Transfers at_begin_;
  Transfers at_last_;
  std::vector<Layer> layers_;  // sums over the samples after the first
  std::uint64_t summed_ = 0;   // number of these samples
  MeanSquareDisplacement displacement_;
  std::optional<RadialDistribution> radial_distribution_;
  std::optional<VelocityDistribution> velocity_distribution_;
  std::optional<PairOrientation> pair_orientation_;
  std::optional<ForceDistribution> forces_;
  std::optional<FieldAverages> fields_;
};

}  // namespace scree
