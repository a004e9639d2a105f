#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "dem/column.hpp"
#include "dem/scene/colour.hpp"
#include "geometry/vec.hpp"

/// The state of a simulation at one time, as plain arrays in world coordinates, for writers and measurements of both
/// modes. It is a copy, so that observing a simulation never changes its trajectory.
namespace scree {

/// Outlines of several bodies in one array: body k has vertices[first[k]] ... vertices[first[k + 1] - 1].
struct Outlines {
  std::vector<Vec2> vertices;              ///< counter-clockwise, world [m]
  std::vector<std::uint32_t> first = {0};  ///< one more element than bodies; an empty range is a disk
};

struct ParticleState {
  std::vector<std::uint64_t> id;                   ///< stable, never reused
  std::vector<int> type;                           ///< number of the particle group in the scene
  std::vector<int> material;                       ///< number of the material in the scene
  std::vector<double> radius;                      ///< of the disk of equal area [m]
  std::vector<double> mass;                        ///< [kg]
  std::vector<double> inertia;                     ///< moment about the centroid [kg m^2]
  std::vector<Vec2> position;                      ///< centroid, inside the domain where it is periodic [m]
  std::vector<std::array<std::int32_t, 2>> image;  ///< periods by which the position was wrapped back so far
  std::vector<double> angle;                       ///< [rad]
  std::vector<Vec2> velocity;                      ///< [m/s]
  std::vector<double> angular_velocity;            ///< [rad/s]
  std::vector<Vec2> force;                         ///< sum of contact forces and weight [N]
  std::vector<double> torque;                      ///< about the centroid [N m]
  std::vector<int> coordination;                   ///< touching contacts
  std::vector<Colour> colour;                      ///< for pictures; empty if no particle has a colour
  Outlines outlines;

  std::size_t size() const { return id.size(); }
};

struct WallState {
  std::vector<std::uint64_t> id;
  std::vector<std::uint32_t> number;  ///< of the scene's walls, from 0; none in a frame that was read
  std::vector<std::string> name;
  std::vector<int> material;
  std::vector<Vec2> velocity;            ///< of the centroid [m/s]
  std::vector<double> angular_velocity;  ///< [rad/s]
  std::vector<Vec2> force;               ///< of the particles on it [N]
  std::vector<double> torque;            ///< about its centroid [N m]
  Outlines outlines;                     ///< at the present positions

  std::size_t size() const { return id.size(); }
};

/// A touching contact. id1 is a particle; id2 is a particle with a greater id, or a wall.
struct ContactState {
  std::uint64_t id1;
  std::uint64_t id2;
  Vec2 centre1;         ///< centroid of body 1 [m]
  Vec2 point;           ///< where the force acts [m]
  Vec2 centre2;         ///< centroid of the touching image of body 2; for a wall `point` [m]
  Vec2 image_shift;     ///< centre2 minus position of body 2 in the particle arrays; 0 except across a periodic side
  Vec2 force;           ///< exerted by body 1 on body 2 [N]
  double force_normal;  ///< >= 0 [N]
  double force_tangential;  ///< along the normal turned by +90 degrees [N]
  double overlap;           ///< area [m^2]
  double depth;             ///< [m]
  bool sliding;             ///< Coulomb's limit is reached
};

/// A wall that forces move, with all that move with it. Forces of a wall that turns are torques.
struct DriveState {
  std::uint64_t id;   ///< of the wall
  double coordinate;  ///< way along its direction [m], or angle [rad], since the start
  double rate;        ///< its velocity
  double target;      ///< the force on the grains, or torque, that drives it; its weight included
  double force;       ///< of it on the grains
  double length;      ///< loaded length of a servo with a stress [m]; else 0
  double work;        ///< of it on the grains since the start [J]
  std::uint64_t contacts;
};

/// A periodic cell that deforms. Compression is positive.
struct CellState {
  Vec2 length;       ///< of its periods along x and y [m]
  double tilt;       ///< displacement along x of the period along y, at most half of the length along x [m]
  double strain[3];  ///< integrals of the rates since the start: xx, yy (logarithmic), xy
  double rate[3];    ///< xx, yy, xy: velocity gradient [1/s]
  double stress[4];  ///< xx, yy, xy, yx: mean of the cell, of contacts and of velocities beside the flow's [N/m]
  double work;       ///< of the cell's drive on the grains since the start [J]
};

/// Helfand's moments since the start of the run, of all grains (dem/hard/events/helfand_moments.hpp).
struct MomentState {
  Eigen::Matrix2d momentum = Eigen::Matrix2d::Zero();  ///< row: along which, column: of what momentum is carried [J s]
  Vec2 heat = Vec2::Zero();                            ///< [J m]
};

struct State {
  double time = 0.0;       ///< [s]
  std::uint64_t step = 0;  ///< number of steps so far
  ParticleState particles;
  WallState walls;
  std::vector<ContactState> contacts;       ///< in the order (id1, id2, image)
  std::vector<DriveState> drives;           ///< of walls that there are
  std::optional<CellState> cell = {};       ///< if it deforms
  std::optional<MomentState> moments = {};  ///< if they are measured
};

/// A body that left the domain through an open side.
struct Departure {
  double time;  ///< [s]
  std::uint64_t id;
  int type;
  double mass;              ///< [kg]
  Vec2 position;            ///< [m]
  Vec2 velocity;            ///< [m/s]
  double angular_velocity;  ///< [rad/s]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.time, self.id, self.type, self.mass, self.position, self.velocity, self.angular_velocity);
  }
};

/// What a grain of the hard mode met at one moment, and what it gave.
struct Collision {
  /// Names of `With`, in its order.
  static constexpr std::array<const char*, 7> kNames = {"left", "right", "bottom", "top", "wall", "grain", "well"};
  enum class With : std::uint8_t {
    left,  ///< a side of the domain, as are the next three
    right,
    bottom,
    top,
    wall,
    grain,
    well  ///< a grain, at the edge of their well
  };

  double time;  ///< [s]
  With with;
  std::uint64_t id1;  ///< of the grain
  std::uint64_t id2;  ///< of the other grain, or of the wall; 0: a side
  Vec2 position;      ///< centre of the grain [m]
  Vec2 branch;        ///< from there to the centre of the other one, or to the point of contact [m]
  Vec2 impulse;       ///< on the other one, from the grain [N s]
  double lost;        ///< energy [J]
};

/// One row of series.csv, and sums since the start. Energies balance (docs/theory.md, section 8): kinetic + potential +
/// elastic = in - out + work of walls - all that was dissipated + residual.
struct Summary {
  double time = 0.0;                   ///< [s]
  std::uint64_t particles = 0;         ///< present now
  std::uint64_t particles_in = 0;      ///< number of births so far, including the particles present at the start
  std::uint64_t particles_out = 0;     ///< number that left so far
  std::uint64_t particles_owed = 0;    ///< births that are due by the pours but had no room yet
  std::uint64_t contacts = 0;          ///< touching
  std::uint64_t sliding_contacts = 0;  ///< soft mode: of `contacts`, those at Coulomb's limit
  double coordination = 0.0;           ///< mean number of touching contacts of a particle
  double kinetic_energy = 0.0;         ///< translation and rotation [J]
  double potential_energy = 0.0;       ///< in gravity, relative to the origin [J]
  double elastic_energy = 0.0;         ///< of normal and tangential springs, and of cohesion [J]
  // Since the start [J].
  double elastic_energy_tangential = 0.0;  ///< part of elastic_energy: springs of friction and rolling resistance, now
  double dissipated_damping = 0.0;         ///< by the dashpots of normal forces
  double dissipated_friction = 0.0;        ///< by sliding and tangential dashpots
  double dissipated_rolling = 0.0;         ///< by rolling resistance
  double dissipated_law = 0.0;     ///< by laws without a potential, by clipping forces, in springs of ended contacts
  double dissipated_local = 0.0;   ///< soft: by local damping
  double wall_work = 0.0;          ///< work of the walls, or of the drive of a cell, on the particles
  double energy_in = 0.0;          ///< of particles when they entered, including those present at the start
  double energy_out = 0.0;         ///< of particles when they left, and of the contacts of walls when they were removed
  double energy_throughput = 0.0;  ///< energy scale of the residual (docs/theory.md)
  double energy_residual = 0.0;    ///< error of the balance over energy_throughput; < 0: energy is missing
  double packing_fraction = 0.0;   ///< hard mode: area of the disks over that of the domain
  double reduced_pressure = 0.0;   ///< hard mode: p A / (N kT) of growing disks; 0: not measured
  double max_depth = 0.0;          ///< largest depth of a contact [m]
  double max_depth_ratio = 0.0;    ///< largest depth over the smaller grain's diameter
  std::uint64_t chord_jumps = 0;   ///< jumps of overlaps' chords so far, with discontinuous force (docs/theory.md)

  bool operator==(const Summary&) const = default;
};

/// What a Summary has, in the order of series.csv. Chord jumps are no column there.
inline constexpr auto kObservables = std::to_array<Column<Summary>>({
    {"time", "s", [](const Summary& s) { return s.time; }},
    {"particles", "", [](const Summary& s) { return s.particles; }},
    {"particles_in", "", [](const Summary& s) { return s.particles_in; }},
    {"particles_out", "", [](const Summary& s) { return s.particles_out; }},
    {"particles_owed", "", [](const Summary& s) { return s.particles_owed; }},
    {"contacts", "", [](const Summary& s) { return s.contacts; }},
    {"coordination", "", [](const Summary& s) { return s.coordination; }},
    {"kinetic_energy", "J", [](const Summary& s) { return s.kinetic_energy; }},
    {"potential_energy", "J", [](const Summary& s) { return s.potential_energy; }},
    {"elastic_energy", "J", [](const Summary& s) { return s.elastic_energy; }},
    {"max_depth", "m", [](const Summary& s) { return s.max_depth; }},
    {"max_depth_ratio", "", [](const Summary& s) { return s.max_depth_ratio; }},
    {"elastic_energy_tangential", "J", [](const Summary& s) { return s.elastic_energy_tangential; }},
    {"dissipated_damping", "J", [](const Summary& s) { return s.dissipated_damping; }},
    {"dissipated_friction", "J", [](const Summary& s) { return s.dissipated_friction; }},
    {"dissipated_rolling", "J", [](const Summary& s) { return s.dissipated_rolling; }},
    {"dissipated_law", "J", [](const Summary& s) { return s.dissipated_law; }},
    {"wall_work", "J", [](const Summary& s) { return s.wall_work; }},
    {"energy_in", "J", [](const Summary& s) { return s.energy_in; }},
    {"energy_out", "J", [](const Summary& s) { return s.energy_out; }},
    {"energy_throughput", "J", [](const Summary& s) { return s.energy_throughput; }},
    {"energy_residual", "", [](const Summary& s) { return s.energy_residual; }},
    {"packing_fraction", "", [](const Summary& s) { return s.packing_fraction; }},
    {"reduced_pressure", "", [](const Summary& s) { return s.reduced_pressure; }},
    {"dissipated_local", "J", [](const Summary& s) { return s.dissipated_local; }},
    {"sliding_contacts", "", [](const Summary& s) { return s.sliding_contacts; }},
});

}  // namespace scree
