#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broadphase/kind.hpp"
#include "dem/cell_drive.hpp"
#include "dem/hard_options.hpp"
#include "dem/mode.hpp"
#include "dem/size_distribution.hpp"
#include "geometry/union.hpp"
#include "geometry/vec.hpp"

/// A scene as plain data: what a user asked for, validated, nothing simulated yet. io reads it from YAML; programs that
/// embed scree fill it themselves. Units are SI in two dimensions (docs/conventions.md).
namespace scree {

struct Inherited;  // dem/inherited.hpp

/// What advances the soft mode: the forms of Gear's predictor-corrector, by their number of values; that of 3 values is
/// velocity Verlet.
enum class Integrator { velocity_verlet, gear_4, gear_5, gear_6 };

/// As users write them, in the order of Integrator.
inline constexpr std::array<const char*, 4> kIntegratorNames = {"velocity_verlet", "gear_4", "gear_5", "gear_6"};
inline const char* name(Integrator integrator) {
  return kIntegratorNames[static_cast<std::size_t>(integrator)];
}

/// How the normal restitution of hard disks depends on the speed of approach v; e is a material's restitution, v0 its
/// restitution_speed.
enum class RestitutionLaw : std::uint8_t {
  constant,  ///< e
  /// 1 - (1 - e) (v / v0)^(3/4) up to v0, e beyond. Source: C. Bizon, M. D. Shattuck, J. B. Swift, W. D. McCormick & H.
  /// L. Swinney, Phys. Rev. Lett. 80 (1998) 57.
  bizon,
  /// Viscoelastic spheres: e at v0, more below, less beyond. Source: P. Mueller & T. Poeschel, Phys. Rev. E 84
  /// (2011) 021302: Pade approximant (1, 4) of the series by T. Schwager & T. Poeschel, Phys. Rev. E 78 (2008) 051304.
  viscoelastic
};

/// As users write them, in the order of RestitutionLaw.
inline constexpr std::array<const char*, 3> kRestitutionLawNames = {"constant", "bizon", "viscoelastic"};
inline const char* name(RestitutionLaw law) {
  return kRestitutionLawNames[static_cast<std::size_t>(law)];
}

/// Tangential over normal stiffness, unless a material gives another.
inline constexpr double kTangentialRatio = 2.0 / 7.0;

struct Material {
  std::string name;
  double density = 0.0;      ///< mass per area [kg/m^2], > 0
  double stiffness = 0.0;    ///< Y of the contact law [N/m], > 0; hard mode does without: 0
  double restitution = 1.0;  ///< normal, of a central impact, (0, 1]; hard mode: [0, 1]
  double friction = 0.0;     ///< Coulomb's coefficient: static, and dynamic unless that is given; >= 0

  std::optional<double> damping = {};              ///< damping ratio instead of a restitution, >= 0
  std::optional<double> dynamic_friction = {};     ///< of sliding contacts, from 0 to `friction`
  double tangential_stiffness = kTangentialRatio;  ///< as a share of `stiffness`, > 0
  std::optional<double> tangential_damping = {};   ///< damping ratio of friction's dashpot; absent: the normal one's
  double rolling_friction = 0.0;  ///< greatest rolling torque over normal force and rolling radius, >= 0
  double cohesion = 0.0;          ///< attraction over the length of the chord [N/m], >= 0

  /// Hard mode: tangential velocity after over before, reversed, of a contact that sticks; [-1, 1].
  double tangential_restitution = 0.0;
  RestitutionLaw restitution_law = RestitutionLaw::constant;  ///< hard mode
  double restitution_speed = 1.0;  ///< hard mode, of laws that depend on speed: at which `restitution` holds [m/s], > 0

  bool operator==(const Material&) const = default;
};

/// What holds between two materials instead of the mixing rules. All of `mixed` counts but its name and density.
struct MaterialPair {
  int first = 0;  ///< index into Scene::materials
  int second = 0;
  Material mixed;

  bool operator==(const MaterialPair&) const = default;
};

/// The rectangle that is simulated. A side is open (a particle wholly beyond it leaves), reflecting or periodic.
struct Domain {
  Vec2 lo = Vec2::Zero();  ///< [m]
  Vec2 hi = Vec2::Zero();
  std::array<bool, 2> periodic = {false, false};  ///< along x, along y
  /// Sides that are not periodic throw disks back, elastic and smooth (hard mode only); else they are open.
  bool reflecting = false;
  std::optional<CellDrive> cell = {};  ///< it deforms; periodic along both axes

  bool operator==(const Domain&) const = default;
};

/// From a point to the nearest periodic image of another one, given the way to any of them [m].
inline Vec2 shorter_way(Vec2 way, const Domain& domain) {
  for (const int axis : {0, 1}) {
    const double period = domain.hi[axis] - domain.lo[axis];
    if (domain.periodic[static_cast<std::size_t>(axis)]) way[axis] = std::remainder(way[axis], period);
  }
  return way;
}

/// To and fro along a line: away from where it would be by amplitude sin(2 pi frequency t + phase).
struct Oscillation {
  Vec2 amplitude = Vec2::Zero();  ///< [m]
  double frequency = 0.0;         ///< >= 0 [1/s]
  double phase = 0.0;             ///< at time 0 [rad]

  bool operator==(const Oscillation&) const = default;
};

/// Soft mode: a wall driven to a force or a stress along one direction, by a speed in proportion to what is missing.
struct Servo {
  Vec2 towards = Vec2::Zero();          ///< the direction in which it pushes; any length > 0
  std::optional<double> force = {};     ///< on the grains along `towards` [N], or
  std::optional<double> stress = {};    ///< that force over the loaded length [N/m]
  std::optional<double> length = {};    ///< the loaded length [m], > 0; absent: between the adjoining walls
  double gain = 0.3;                    ///< share of the missing force that one step makes up for, (0, 1]
  double speed = 0.0;                   ///< the greatest one, and that without contact unless `approach` is given [m/s]
  std::optional<double> approach = {};  ///< towards the grains, while it touches none; 0 to `speed` [m/s]

  bool operator==(const Servo&) const = default;
};
/// Soft mode: a wall of finite mass, free along one direction, in gravity and under a force.
struct FreeWall {
  Vec2 along = Vec2::Zero();  ///< any length > 0
  double mass = 0.0;          ///< > 0 [kg]
  double force = 0.0;         ///< along `along`, besides weight and grains [N]

  bool operator==(const FreeWall&) const = default;
};
/// Soft mode: a wall that a torque turns about a point.
struct TorqueDrive {
  double torque = 0.0;             ///< counter-clockwise [N m]
  double inertia = 0.0;            ///< about the point, > 0 [kg m^2]
  double drag = 0.0;               ///< resisting torque over angular velocity, >= 0 [N m s]
  std::optional<Vec2> about = {};  ///< at time 0; absent: the wall's pivot [m]

  bool operator==(const TorqueDrive&) const = default;
};
/// What moves a wall beside what is prescribed.
using WallDrive = std::variant<std::monostate, Servo, FreeWall, TorqueDrive>;

/// A row of a tabulated motion. Between rows a wall moves at a constant speed.
struct MotionPoint {
  double time = 0.0;                 ///< since the motion began [s]
  Vec2 displacement = Vec2::Zero();  ///< [m]
  double angle = 0.0;                ///< [rad]

  bool operator==(const MotionPoint&) const = default;
};

/// Soft mode: one of the motions that a wall has one after the other. It begins where the wall is then.
struct PhaseOfMotion {
  double from = 0.0;                    ///< [s]
  std::optional<double> until = {};     ///< [s]; absent: the next one begins, or for ever
  Vec2 velocity = Vec2::Zero();         ///< constant [m/s]
  double angular_velocity = 0.0;        ///< [rad/s], about `about`
  std::optional<Vec2> about = {};       ///< a point of the wall, where its outline is given [m]; absent: its pivot
  Oscillation oscillation = {};         ///< less its displacement at the beginning
  std::vector<MotionPoint> table = {};  ///< instead of all these; rotates about the same point

  bool operator==(const PhaseOfMotion&) const = default;
};

/// A convex body of infinite mass with prescribed motion, or driven.
struct Wall {
  std::string name;
  int material = 0;                  ///< index into Scene::materials
  std::vector<Vec2> polygon;         ///< convex, at time 0; hard mode: or a segment, two corners [m]
  Vec2 velocity = Vec2::Zero();      ///< constant [m/s]
  double angular_velocity = 0.0;     ///< [rad/s], counter-clockwise, about `pivot`
  Vec2 pivot = Vec2::Zero();         ///< the point it turns about, at time 0; moves with `velocity` [m]
  Oscillation oscillation = {};      ///< on top of that, about where `polygon` and `pivot` are
  std::optional<double> until = {};  ///< removed at this time [s]; absent: never
  WallDrive drive = {};
  std::string moves_with = {};  ///< name of a wall before it whose drive moves this one, too; empty: none
  /// Soft mode: put in at this time [s]; absent: there from the beginning.
  std::optional<double> from = {};
  /// Soft mode: instead of velocity, rotation, oscillation and drive, in the order of time. Between them it rests.
  std::vector<PhaseOfMotion> motions = {};
  int stage = 0;  ///< number of the stage that puts it in, from whose beginning its times count; 0: it has begun
  /// How far it had been moved, and turned about its pivot, when a stage gave it other motions, and when that was.
  std::optional<MotionPoint> put = {};

  bool operator==(const Wall&) const = default;
};

struct Disk {
  bool operator==(const Disk&) const = default;
};
struct RegularPolygon {
  int vertices = 6;

  bool operator==(const RegularPolygon&) const = default;
};
/// See random_convex_polygon: each grain draws its own.
struct RandomPolygon {
  std::array<int, 2> vertices = {5, 8};       ///< least and greatest number
  std::array<double, 2> aspect = {1.0, 1.0};  ///< least and greatest ratio of axes

  bool operator==(const RandomPolygon&) const = default;
};
/// Any convex polygon; only its form counts, the size comes from the group's size.
struct ExplicitPolygon {
  std::vector<Vec2> vertices;

  bool operator==(const ExplicitPolygon&) const = default;
};
/// Soft mode: a grain of several convex parts, polygons and disks, that move together; only their form counts.
class Clump {
 public:
  static constexpr std::size_t kMostParts = 100;

  /// @throws GeometryError, see unite
  explicit Clump(std::vector<ConvexPart> parts)
      : parts_(std::move(parts)), whole_(std::make_shared<const Union>(unite(parts_))) {}

  const std::vector<ConvexPart>& parts() const { return parts_; }  ///< they hang together
  const Union& whole() const { return *whole_; }                   ///< what they make together

  bool operator==(const Clump& other) const { return parts_ == other.parts_; }

 private:
  std::vector<ConvexPart> parts_;
  std::shared_ptr<const Union> whole_;  // the same for all copies
};
using ShapeSpec = std::variant<Disk, RegularPolygon, RandomPolygon, ExplicitPolygon, Clump>;

/// Diameter of the disk of equal area, drawn uniformly from [least, greatest] [m].
struct SizeSpec {
  double least = 0.0;
  double greatest = 0.0;

  bool operator==(const SizeSpec&) const = default;
};

struct Region {
  Vec2 lo = Vec2::Zero();  ///< [m]
  Vec2 hi = Vec2::Zero();

  bool operator==(const Region&) const = default;
};

/// Grains that appear in a region one after another, as fast as asked and as there is room.
struct Pour {
  std::uint64_t count = 0;
  double rate = 0.0;             ///< grains a second, > 0
  double from = 0.0;             ///< time of the first [s]
  Region region;                 ///< the whole grain appears inside it
  Vec2 velocity = Vec2::Zero();  ///< at birth [m/s]

  bool operator==(const Pour&) const = default;
};
/// Grains on a square lattice that fills a region from below at the start, each turned at random.
struct Fill {
  Region region;
  std::optional<std::uint64_t> count;  ///< at most so many; absent: as many as fit
  double jitter = 0.0;                 ///< velocities drawn uniformly from [-jitter, jitter] in x and y [m/s]
  double spacing = 0.0;                ///< of neighbours; 0, or too small: as near as the largest grain lets them [m]

  bool operator==(const Fill&) const = default;
};
/// Red, green, blue.
using Colour = std::array<std::uint8_t, 3>;

/// One grain at a given place at the start.
struct Placed {
  Vec2 position = Vec2::Zero();       ///< of the centroid [m]
  double angle = 0.0;                 ///< [rad]
  Vec2 velocity = Vec2::Zero();       ///< [m/s]
  double angular_velocity = 0.0;      ///< [rad/s]
  std::optional<double> size = {};    ///< instead of the group's [m], > 0
  std::optional<double> mass = {};    ///< instead of density times area [kg], > 0
  std::optional<Colour> colour = {};  ///< for pictures

  bool operator==(const Placed&) const = default;
};
using Place = std::vector<Placed>;

struct ParticleGroup {
  std::variant<Pour, Fill, Place> how;
  int material = 0;  ///< index into Scene::materials
  ShapeSpec shape;
  SizeSpec size;
  std::optional<SizeDistribution> sizes = {};  ///< of a pour or fill, in the range of `size`; absent: uniform
  std::optional<Colour> colour = {};           ///< for pictures, of grains that have none of their own
  /// Soft mode: x, y, angle of its grains stay as they are put.
  std::array<bool, 3> fixed = {false, false, false};

  bool operator==(const ParticleGroup&) const = default;
};

/// With which a particle's mass, or a contact's stress, is spread over the plane.
enum class KernelKind : std::uint8_t {
  gauss,  ///< exp(-r^2 / 2 w^2) / (2 pi w^2)
  lucy    ///< 5 / (pi w^2) (1 + 3 r/w) (1 - r/w)^3 up to r = w, 0 beyond
};

/// As users write them, in the order of KernelKind.
inline constexpr std::array<const char*, 2> kKernelNames = {"gauss", "lucy"};

/// What is measured beside the summary: docs/scene.md, measure.
struct Measure {
  static constexpr int kDefaultBins = 100;

  struct RadialDistribution {
    double to = 0.0;  ///< largest distance [m], > 0, at most half of the region's shorter side
    int bins = kDefaultBins;

    bool operator==(const RadialDistribution&) const = default;
  };
  struct VelocityDistribution {
    double to = 5.0;  ///< largest velocity, in thermal ones, > 0; beyond the default: one in 200 000
    int bins = kDefaultBins;

    bool operator==(const VelocityDistribution&) const = default;
  };
  struct HeightProfile {
    int bins = kDefaultBins;  ///< layers of the region, one above the other

    bool operator==(const HeightProfile&) const = default;
  };

  /// Pairs by distance, and how they and their grains are turned.
  struct PairOrientation {
    double to = 0.0;  ///< largest distance [m], > 0, at most half of the region's shorter side
    int bins = kDefaultBins;
    int symmetry = 2;  ///< the grains look alike after this share of a turn, >= 1

    bool operator==(const PairOrientation&) const = default;
  };
  /// Normal forces over their mean.
  struct Forces {
    double to = 10.0;  ///< the last bin has all beyond, > 0
    int bins = kDefaultBins;

    bool operator==(const Forces&) const = default;
  };
  /// Coarse-grained fields on a grid over the region.
  struct Fields {
    double width = 0.0;                  ///< of the kernel [m], > 0
    std::optional<double> spacing = {};  ///< the longest side of a cell [m], > 0; absent: half the width
    std::optional<double> every = {};    ///< between two images, each of which is an average [s]; absent: of frames
    KernelKind kernel = KernelKind::gauss;

    bool operator==(const Fields&) const = default;
  };

  double every = 0.0;  ///< between two samples [s], > 0
  double from = 0.0;   ///< when measuring begins [s]
  Region region;       ///< where; inside the domain, of positive area
  std::optional<RadialDistribution> radial_distribution = {};
  std::optional<VelocityDistribution> velocity_distribution = {};
  std::optional<HeightProfile> height_profile = {};
  bool mean_square_displacement = false;
  bool free_flights = false;  ///< mode hard only
  bool texture = false;       ///< mode soft only, as are forces
  std::optional<Forces> forces = {};
  std::optional<PairOrientation> pair_orientation = {};
  std::optional<Fields> fields = {};

  bool operator==(const Measure&) const = default;
};

/// Gravity at a time. Between two of them it changes linearly, before the first and after the last it is constant.
struct GravityPoint {
  double time = 0.0;            ///< [s]
  Vec2 gravity = Vec2::Zero();  ///< [m/s^2]

  bool operator==(const GravityPoint&) const = default;
};

/// What moves a wall from the beginning of a stage on.
struct WallChange {
  std::vector<int> walls;                   ///< their numbers in Scene::walls
  std::vector<PhaseOfMotion> motions = {};  ///< times since the stage began; none: it rests
  WallDrive drive = {};

  bool operator==(const WallChange&) const = default;
};

/// Soft mode: a part of a run. What it does not mention stays as it is.
struct Stage {
  std::string name;
  double end = 0.0;                                      ///< greatest duration [s]
  std::optional<double> unbalanced = {};                 ///< it ends before, at rest: see SoftOptions::until_unbalanced
  std::vector<GravityPoint> gravity = {};                ///< times since the stage began; one: constant; none: it stays
  std::vector<std::pair<int, Material>> materials = {};  ///< those that change, whole, and their numbers
  std::vector<WallChange> motions = {};                  ///< of walls that there are
  std::vector<int> remove = {};                          ///< numbers of walls that there are
  std::optional<CellDrive> cell = {};                    ///< drives the periodic cell from now on

  bool operator==(const Stage&) const = default;
};

/// The grains of an earlier run, with which this one begins.
struct Start {
  std::string from;        ///< as written in the scene: a run's directory, a saved state or a frame
  std::string hash = {};   ///< of what was taken over; empty: not known yet
  std::size_t groups = 0;  ///< so many groups of particles, the last ones, are those of the earlier run
  /// What was taken over; null in a scene that is resumed, whose saved state has all of it.
  std::shared_ptr<const Inherited> inherited = {};

  bool operator==(const Start& other) const {
    return from == other.from && hash == other.hash && groups == other.groups;
  }
};

/// What only the time-stepped mode uses.
struct SoftOptions {
  std::vector<GravityPoint> gravity_table = {};  ///< ascending in time; empty: constant
  double initial_depth = 0.0;                    ///< greatest depth ratio of a contact at time 0; [0, 0.2]
  /// The run ends before its end as soon as the unbalanced force ratio (dem/soft/contact/rest.hpp) is below this.
  std::optional<double> until_unbalanced = {};
  std::vector<Stage> stages = {};   ///< their sum of durations is then the scene's end
  std::optional<double> step = {};  ///< [s]; absent: automatic
  Integrator integrator = Integrator::gear_4;
  /// Share of the force on a grain that opposes its motion, [0, 1); see dem/soft/motion/local_damping.hpp.
  double local_damping = 0.0;
  bool output_stress = false;  ///< whether frames have the stress of each grain

  bool operator==(const SoftOptions&) const = default;
};

struct Scene {
  std::string title;
  Mode mode = Mode::soft;
  std::uint64_t seed = 1;
  /// Whether the grains keep the net momentum of the velocities that are drawn at random; see dem/insertion.hpp.
  bool keeps_drawn_momentum = false;
  Domain domain;
  Vec2 gravity = Vec2::Zero();  ///< with a table: at time 0 [m/s^2]
  std::vector<Material> materials;
  std::vector<Wall> walls;
  std::vector<ParticleGroup> particles;
  std::string contact_law = "area";  ///< of polygons against polygons, by name
  std::string disk_law = "linear";   ///< of contacts with disks, by name
  std::vector<MaterialPair> pairs;   ///< each pair of materials at most once
  BroadphaseKind broadphase = BroadphaseKind::automatic;
  SoftOptions soft = {};
  HardOptions hard = {};
  double end = 0.0;  ///< [s]
  std::optional<Start> start = {};
  double output_every = 0.0;     ///< [s], > 0
  std::string output_directory;  ///< as written in the scene: relative to where the program runs
  bool output_replay = false;    ///< whether the run writes its replay when it ends
  /// Wall time between two saves of the state [s], > 0; absent: chosen by the program.
  std::optional<double> checkpoint_every = {};
  std::optional<Measure> measure = {};

  bool operator==(const Scene&) const = default;
};

/// What the scene gives for a pair of materials, in either order; null if they are to be mixed.
inline const MaterialPair* given_pair(const Scene& scene, int a, int b) {
  const auto found = std::ranges::find_if(
      scene.pairs, [&](const MaterialPair& pair) { return std::minmax(pair.first, pair.second) == std::minmax(a, b); });
  return found != scene.pairs.end() ? &*found : nullptr;
}

}  // namespace scree
