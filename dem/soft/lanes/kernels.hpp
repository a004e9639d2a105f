#pragma once

#include <cstddef>
#include <cstdint>

#include "parallel/whole_sum.hpp"

/// Loops over pairs that take several at once, one a lane. Compiled for lanes of 1, 2, 4 and 8 numbers from the same
/// templates (overlaps.hpp, forces.hpp; one.cpp and so on); the processor decides which are used. All give the
/// same bits. What passes in and out are plain pointers and structs, since code for wide registers must not share
/// inline functions with other code.
namespace scree::soft::lanes {

/// Bodies as the kernels read them. Arrays by body.
struct BodiesIn {
  const double* position;         ///< x, y, angle
  const double* velocity;         ///< likewise
  const double* rotation;         ///< cosine, sine
  const double* radius;           ///< of the disk of equal area [m]
  const double* clump_radius;     ///< Bodies::clump_radius; null: there are no clumps [m]
  const double* bounding_radius;  ///< a disk's own [m]
  const double* inverse_mass;     ///< [1/kg]
  const std::uint32_t* first;     ///< of the outline in `vertices`
  const std::uint32_t* size;      ///< of the outline
  const double* vertices;         ///< x, y; the first three of an outline follow its last one again
  const double* sums;             ///< running sums of outlines with many vertices: area, unused, moment x, y
  const std::uint32_t* sums_first;
  std::uint32_t walls;  ///< bodies before this are walls
  bool only_disks;      ///< all others are disks
};

/// Candidate pairs as the kernels read them. Arrays by candidate.
struct CandidatesIn {
  const std::uint32_t* bodies;  ///< a, b
  const std::uint16_t* hint;    ///< features of a and b, edges where a leaves b (ShortHint)
};

/// Pairs to be measured, in lists: their candidates and, for those that touch, the record where the geometry belongs.
struct PairList {
  const std::uint32_t* candidate;
  const std::uint32_t* contact;
  std::uint32_t count;
  /// From the centre of a to that of b's image, x, y for each candidate from this one on; null: the difference of their
  /// positions.
  const double* branch_vector;
  std::uint32_t first_candidate;
  bool by_place = false;  ///< there is one for each pair of the list instead
};

/// In PairList::contact: a pair that does not touch.
inline constexpr std::uint32_t kNoContact = 0xffffffff;

/// Contacts to be measured.
struct ContactsIn {
  const std::uint32_t* candidate;  ///< by contact
  const double* branch_vector;     ///< as in PairList
  std::uint32_t first_candidate;
};

/// Where the geometry of contacts belongs, by contact.
struct GeometryOut {
  double* region;  ///< ContactRegion
  double* axes;    ///< ContactAxes
};

/// Where kernels put numbers of pairs of a list; `count` grows.
struct Found {
  std::uint32_t* at;
  std::uint32_t count;
};

/// How many of a's and b's vertices are in the other polygon, for pairs that a kernel can measure: the class of a pair
/// is 3 * (of a) + (of b). No such pair has class 0, and no kernel measures more than two of each.
inline constexpr int kArcClasses = 9;

/// What a contact is computed from and to, by contact: numbers of double precision of successive records.
struct ContactsInOut {
  const std::uint32_t* candidate;
  std::uint32_t fetched;        ///< those before this one are asked for ahead of their use: all, or none
  const double* region;         ///< ContactRegion
  const double* axes;           ///< ContactAxes
  double* history;              ///< ContactHistory
  double* force;                ///< ContactForce
  double* parts;                ///< ForceParts
  double* rolling;              ///< RollingResistance; null: there is none
  const double* dashpot_share;  ///< Contacts::dashpot_share; null: all dashpots are whole
  /// Velocity of the image of b relative to b; read by the kernels "in a flow" only [m/s]
  const double* image_velocity;
};

/// Bodies or contacts list[begin] to list[end - 1], ascending; begin to end - 1 without a list.
struct Range {
  const std::uint32_t* list;
  std::uint32_t begin;
  std::uint32_t end;
};

/// What limits a step; see dem/soft/checks/guards.hpp.
struct Limits {
  double dt;
  double max_omega_dt_square;
  double max_depth_ratio;
  double min_inradius;
};

/// The laws of all pairs of materials: PairLawOf<double>, by material of a times number of materials + that of b.
struct LawsIn {
  const double* law;
  std::size_t stride;            ///< of the table, in doubles
  const std::int32_t* material;  ///< by body
  std::uint32_t materials;
};

/// The derivatives of all bodies' motions, lowest first: position, velocity and so on, x, y, angle of each body.
struct Derivatives {
  double* of[6];
};

/// Sum of the forces on a body: x, y [N], torque [N m], unused. Never in two lines of the cache.
struct alignas(4 * sizeof(double)) ForceSum {
  double number[4] = {0.0, 0.0, 0.0, 0.0};
};

/// Powers and heats of contacts, see ContactPower.
struct PowerSums {
  WholeSum damping;
  WholeSum friction;
  WholeSum rolling;
  WholeSum law;
  WholeSum wall_work;
  WholeSum friction_heat;
  WholeSum rolling_heat;
};
/// Inverses of their coarse quanta.
struct PerQuantum {
  double power;   ///< [1/W]
  double energy;  ///< [1/J]
};

/// Four contacts of two disks each, side by side, of the simplest kind (dem/soft/forces/plain_disks.hpp). In the order
/// in which two of them share a line of the cache: forces change the last six lines, and power reads the first and the
/// last five.
struct alignas(64) DiskBlock {
  static constexpr int kContacts = 4;

  // As long as they touch.
  std::uint32_t a[kContacts];  ///< where the motion of a is in its array: its number times 24 bytes
  std::uint32_t b[kContacts];
  double radius_a[kContacts];      ///< [m]
  std::uint32_t sum_a[kContacts];  ///< where its sum of forces is: its number times 32 bytes
  std::uint32_t sum_b[kContacts];
  double sum_of_radii[kContacts];        ///< [m]
  double twice_smaller[kContacts];       ///< twice the smaller radius [m]
  double dashpot[kContacts];             ///< of the normal force [N s/m]
  double tangential_dashpot[kContacts];  ///< [N s/m]
  // Their history (see ContactHistory), and what the last step found.
  double depth_ratio[kContacts];  ///< the largest; its sign bit is set while they slide
  double heat[kContacts];         ///< of friction [J]
  double displacement[kContacts];
  double branch_x[kContacts];  ///< [m]
  double branch_y[kContacts];
  double normal_x[kContacts];
  double normal_y[kContacts];
  double depth[kContacts];       ///< [m]
  double normal[kContacts];      ///< force [N]
  double tangential[kContacts];  ///< force [N]
  double tangential_velocity[kContacts];
};

/// Four contacts of disks with walls, where an edge of the wall is nearest. Their sums of radii are unused.
struct WallBlock {
  DiskBlock contact;
  std::uint32_t edge[DiskBlock::kContacts];
  double point_x[DiskBlock::kContacts];  ///< of attack, from the centre of the disk [m]
  double point_y[DiskBlock::kContacts];
};

/// The linear law of four contacts in a block, where not all in all blocks have the same.
struct BlockLaw {
  double stiffness[DiskBlock::kContacts];
  double friction[DiskBlock::kContacts];
  double dynamic_friction[DiskBlock::kContacts];
  double tangential_stiffness[DiskBlock::kContacts];
};

/// The law of all contacts in blocks: the linear one.
struct PlainLaw {
  double stiffness;
  double friction;
  double dynamic_friction;
  double tangential_stiffness;
  double dt;
  double max_depth_ratio;
};

struct DiskBlocks {
  DiskBlock* block;
  std::uint32_t fetched;      ///< those before this one are asked for ahead of their use: all, or none
  const BlockLaw* law;        ///< by block; read by the kernels "of laws" only
  const double* shift;        ///< of b to its image, by block: four x, four y; null: all are 0 [m]
  const std::uint8_t* fresh;  ///< by block: a bit for each contact whose first step this is
  double* sum;                ///< of forces (ForceSum), by body; forces are added in the order of contacts
  /// Where forces go instead if there are no sums, by block: on b along x four times, along y, torques on a, on b.
  double* force;
};

/// The same of contacts with walls. Each has its own law.
struct WallBlocks {
  WallBlock* block;
  const BlockLaw* law;
  const double* shift;
  const std::uint8_t* fresh;
  double* sum;
};

/// Contacts of disks in blocks.
struct PlainKernels {
  /// Finds the pairs that are not certainly apart, of disks a, b that do not touch.
  /// @param pairs a, b  @param shift of b to its image, x, y; null: all are 0 [m]
  void (*find_touching)(const BodiesIn&, const std::uint32_t* pairs, const double* shift, const Range&,
                        Found& uncertain);
  /// Geometry, forces, new histories and heat of contacts in blocks [begin, end). Contacts of bodies that are apart
  /// get no force and keep their history. @param odd of these, and of contacts that are too deep: four times the
  /// block, and the place in it
  using Forces = void (*)(const BodiesIn&, const PlainLaw&, const DiskBlocks&, std::uint32_t begin, std::uint32_t end,
                          double per_joule, WholeSum& heat, Found& odd);
  Forces forces[2];        ///< [1]: of laws
  Forces forces_apart[2];  ///< the same where there are no sums
  /// The power of contacts in blocks is added to `sums`; their velocities go into their histories.
  using Power = void (*)(const BodiesIn&, const PlainLaw&, const DiskBlocks&, std::uint32_t begin, std::uint32_t end,
                         double per_watt, PowerSums& sums);
  Power power[2];  ///< [1]: of laws
  /// Geometry of contacts in blocks [begin, end). @param contact of each, or kNoContact  @param uncertain see `odd`
  void (*geometry)(const BodiesIn&, const DiskBlock*, const std::uint32_t* contact, std::uint32_t begin,
                   std::uint32_t end, const GeometryOut&, Found& uncertain);

  /// Geometry of contacts with walls. @return whether all are certain, and none is too deep
  bool (*measure_at_walls)(const BodiesIn&, const WallBlocks&, std::uint32_t blocks, double max_depth_ratio);
  /// Their forces, which are added to the sums of the disks, new histories and heat.
  void (*forces_at_walls)(const BodiesIn&, const WallBlocks&, std::uint32_t blocks, double dt, double per_joule,
                          WholeSum& heat);
  /// As `power`.
  void (*power_at_walls)(const BodiesIn&, const WallBlocks&, std::uint32_t blocks, double per_watt, PowerSums& sums);
};

struct Kernels {
  int width;

  /// Measures contacts of one arc class from their hints. Geometry of those that are certain is renewed.
  /// @param uncertain places in the list of the others, to be measured otherwise
  /// @param changed places of those whose chord changed so much that it may have jumped
  /// (dem/soft/contact/chord_jump.hpp)
  /// @param chords x, y of the chord before and now of each of these, in the frame of a [m]
  using Measure = void (*)(const BodiesIn&, const CandidatesIn&, const PairList&, const GeometryOut&, Found& uncertain,
                           Found& changed, double* chords);
  Measure measure[kArcClasses];  ///< by class; null if there is none
  Measure measure_arcs;          ///< of any number of vertices in each other

  /// Measures contacts of two disks. Geometry of those that are certain is renewed.
  using MeasureDisks = void (*)(const BodiesIn&, const CandidatesIn&, const PairList&, const GeometryOut&,
                                Found& uncertain);
  MeasureDisks measure_disks;
  /// Measures successive contacts of a scene whose particles are all disks. @param uncertain contacts; those with
  /// walls are among them
  using MeasureOnlyDisks = void (*)(const BodiesIn&, const CandidatesIn&, const ContactsIn&, const Range&,
                                    const GeometryOut&, Found& uncertain);
  MeasureOnlyDisks measure_only_disks;
  /// Pairs of a disk a and a polygon b, in contact or not, that are nearest at the edge of b that the hint names.
  /// Geometry of contacts that are certain is renewed. @param uncertain the others, and pairs that begin or end to
  /// touch
  MeasureDisks disks_at_edges;

  /// Finds the pairs that are not certainly apart, of those whose closest features are an edge of one (of a: true) and
  /// a vertex of the other.
  using Separate = void (*)(const BodiesIn&, const CandidatesIn&, const PairList&, Found& uncertain);
  Separate apart_by_edge_of_a;
  Separate apart_by_edge_of_b;
  Separate disks_apart;  ///< of pairs of disks

  const PlainKernels* plain;
  /// Adds up the forces of contacts (ContactForce), in the order of net_force(). @param candidate of each contact
  /// @param at_walls contacts with walls, ascending  @param sum x, y, torque and one more number of each body
  using AddUp = void (*)(const CandidatesIn&, const std::uint32_t* candidate, std::uint32_t count, const double* force,
                         const Range& at_walls, double* sum);
  AddUp add_up;
  /// Accelerations of bodies [begin, end) by sums of forces, which become 0. @param gravity x, y, 0
  using Accelerate = void (*)(double* sum, const double* inverse_mass, const double* inverse_inertia,
                              const double* gravity, std::uint32_t begin, std::uint32_t end, double* acceleration);
  Accelerate accelerate;

  /// Forces, new histories and parts of forces of contacts. @param suspects those that a guard must check
  using Compute = void (*)(const BodiesIn&, const CandidatesIn&, const LawsIn&, const Limits&, const ContactsInOut&,
                           const Range&, Found& suspects);
  Compute polygon_law[3];          ///< in the order of PolygonLaws
  Compute disk_law[3];             ///< in the order of DiskLaws
  Compute polygon_law_in_flow[3];  ///< the same in a cell that deforms
  Compute disk_law_in_flow[3];

  /// What contacts do to energies is added to `sums`; their relative velocities go into their histories.
  /// @param rolling whether any pair resists rolling
  using AddPower = void (*)(const BodiesIn&, const CandidatesIn&, const ContactsInOut&, const Range&, bool rolling,
                            const PerQuantum&, PowerSums& sums);
  AddPower add_power;
  AddPower add_power_in_flow;

  /// Gear's predictor for numbers [begin, end) of the arrays. @param factor dt / k for k = 0 ... 5 (that of 0 unused)
  using Predict = void (*)(const Derivatives&, const double* factor, std::size_t begin, std::size_t end);
  Predict predict[4];  ///< of 3, 4, 5, 6 values
  /// Gear's corrector for numbers [begin, end) of the arrays. @param acceleration of these
  using Correct = void (*)(const Derivatives&, const double* correction, const double* acceleration, std::size_t begin,
                           std::size_t end);
  Correct correct[4];

  /// Rotations (cosine, sine) and boxes (low and high corner), by body.
  /// @param reach the greatest low corner and the least high one of boxes so far
  using Place = void (*)(const BodiesIn&, const Range&, double* rotation, double* box, double* reach);
  Place place[2];  ///< of polygons; of disks, whose rotations stay, in a range without a list
  /// The same of outlines with many vertices, by those that were outermost last time.
  /// @param extremes four of each body (Extremes)  @param lost bodies that have others now, hence no box yet
  using PlaceByExtremes = void (*)(const BodiesIn&, const Range&, const std::uint32_t* extremes, double* rotation,
                                   double* box, double* reach, Found& lost);
  PlaceByExtremes place_by_extremes;
  /// Whether all motions are sound, see dem/soft/checks/guards.hpp. @param way of the fastest wall in a step [m]
  using AreSound = bool (*)(const BodiesIn&, const Range&, double dt, double way);
  AreSound are_sound;
};

extern const PlainKernels kPlainOne;
extern const PlainKernels kPlainTwo;
extern const PlainKernels kPlainFour;
extern const Kernels kOne;
extern const Kernels kTwo;
extern const Kernels kFour;
extern const Kernels kEight;

/// The widest kernels that the processor has, or those of SCREE_LANES (1, 2, 4 or 8) in the environment.
/// @throws std::invalid_argument if SCREE_LANES is something else, or more than the processor has
const Kernels& kernels();
/// Chooses other kernels from now on, for tests. @return false if the processor has not got them
bool use_lanes(int width);

}  // namespace scree::soft::lanes
