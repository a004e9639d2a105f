#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "broadphase/linked_cells.hpp"
#include "broadphase/pair.hpp"
#include "dem/hard/clock.hpp"
#include "dem/hard/event_queue.hpp"
#include "dem/hard/growth.hpp"
#include "dem/hard/neighbourhood.hpp"
#include "dem/hard/obstacles.hpp"
#include "dem/hard/packing.hpp"
#include "dem/hard/prediction.hpp"
#include "dem/hard/rewriting.hpp"
#include "dem/hard/setup.hpp"
#include "dem/simulation.hpp"
#include "dem/state.hpp"

namespace scree::hard {

/// Events so far.
struct Counters {
  std::uint64_t collisions = 0;    ///< of two disks
  std::uint64_t wall_hits = 0;     ///< of a disk and a wall or a side of the domain
  std::uint64_t crossings = 0;     ///< of a well's edge, and bounces off it
  std::uint64_t box_exits = 0;     ///< of disks, and of walls that move; cost only
  std::uint64_t advancements = 0;  ///< cost only
};

/// A disk that begins to fly while others do already.
struct Newcomer {
  Vec2 position;            ///< inside the domain [m]
  Vec2 velocity;            ///< [m/s]
  double angle;             ///< [rad]
  double angular_velocity;  ///< [rad/s]
  double radius;            ///< at most the setup's greatest [m]
  double mass;              ///< [kg]
  std::int32_t type;
  std::int32_t material;
};

/// Event-driven hard disks: free flight between instantaneous collisions.
///
/// The algorithm is Lubachevsky's with delayed update (1991, Fig. 6.1). Each disk has an old event, the flight it is
/// on, and a new one, the earliest that is known to end it; both partners of a collision have it as their new event. A
/// disk that is processed looks for its new event among its partners, skipping those who have an earlier one already,
/// and takes the partner away from a third party, for which the event becomes an advancement: then it looks anew.
///
/// Only events that change a velocity, and the rebasing of the clock, after a fixed number of them or when somebody may
/// have flown too far, rewrite a disk's flight, and predictions are functions of flights alone. So the trajectory is
/// the same to the last bit for any broadphase, queue, margin and output interval, and across save and load.
///
/// Cost an event: O(1) with BucketQueue, O(log N) with ImplicitHeap, and the broadphase's move when a disk leaves its
/// box. 224 bytes a disk and what the broadphase needs, 70 to 130.
template <Broadphase<2> B, EventQueue Q>
class BasicSimulation {
 public:
  /// @throws InvalidScene if the setup makes no sense, names disks that overlap, or disks that are too small for their
  ///         coordinates
  explicit BasicSimulation(const Setup& setup);

  double time() const { return time_; }  ///< [s]
  bool has_reached(double time) const { return time_ >= time; }
  std::uint64_t particles() const { return disks_.size() - gone_; }
  /// At most so many events; the time is then that of the last one, before `time`.
  /// @throws PhysicsError if time stands still: infinitely many collisions in no time, or so little time in 100 changes
  ///         of velocity a disk that `time` is 1e12 of them a disk away, or less than 1e-6 of the contact time; or if
  ///         disks are too fast for the clock. The time is then that of the last event.
  void advance_to(double time, std::uint64_t at_most = ~std::uint64_t{0});
  /// A copy, positions inside the domain along periodic axes.
  State state() const;
  Summary summary() const;
  std::vector<Departure> take_departures() { return std::exchange(departures_, {}); }
  /// Empty unless the setup measures.
  const Transfers& transfers() const { return transfers_; }

  /// Whether a disk would overlap no wall and none of those that are there now. @pre its centre is inside the domain
  bool has_room_for(const Vec2& position, double radius) const;
  /// A disk begins now. @pre there is room for it, and no event until now is left
  void add(const Newcomer& newcomer);
  /// All velocities and spins are reversed now: elastic disks go back the way they came, as far as rounding lets them.
  /// Walls go on as they do. @pre nothing grows, and no event until now is left
  void reverse();

  void save(std::ostream& out) const;
  void load(std::istream& in);
  void save_for_hash(std::ostream& out) const;

  const Counters& counters() const { return counters_; }
  /// Pairs of disks, or of one disk and another's periodic image, inside each other's well.
  std::size_t pairs_in_wells() const { return well_pairs_.size(); }
  /// How often each disk went around, along x and y.
  std::vector<std::array<std::int32_t, 2>> images() const;
  double packing_fraction() const;
  /// p A / (N kT) between the last two rescalings of growing disks; 0: not measured yet.
  double reduced_pressure() const { return pressure_; }
  bool grows() const { return growth_.rate > 0.0; }
  /// Growth has ended by the pressure. Then contacts and coordination are those of the backbone; rattlers have none.
  bool has_jammed() const { return pressure_ >= growth_spec_.pressure && !grows(); }
  /// Disks and sides nearer to each other than a part of the distance of centres at which they touch.
  /// @param gap below 1e-3; in a jammed packing, some tens over the reduced pressure
  std::vector<Touch> touches(double gap) const;
  /// Of a jammed packing: disks nearer than 100 over the reduced pressure touch.
  Backbone backbone() const;
  /// @throws PhysicsError if disks overlap each other or walls by more than rounding explains, or a disk is outside its
  /// box or the domain.
  /// O(N^2): every pair is looked at, not only partners.
  void audit() const;

 private:
  static constexpr Index kNone = 0xffffffff;
  static constexpr std::uint64_t kGone = 0;  // instead of the id of a disk that left
  static constexpr Index kSides = 4;         ///< of the domain: the obstacles come after them

  /// What predictions read of a disk: one cache line.
  struct alignas(64) Disk {
    Flight flight;
    double mass;                        ///< [kg]
    std::array<std::int32_t, 2> frame;  ///< periods from the flight's position to the neighbourhood's canonical one
  };
  /// Since a disk's last collision with another one.
  struct FreeFlight {
    double since;  ///< [s]; -kNever before its first collision
    double path;   ///< [m]
  };
  struct Spin {
    double angle;  ///< at the flight's time [rad]
    double angular_velocity;
  };
  /// What stays as it is.
  struct Label {
    std::uint64_t id;
    std::int32_t type;
    std::int32_t material;
  };
  /// Where the energy came from and went to since the start [J].
  struct Ledger {
    double in = 0.0;           ///< came with disks
    double out = 0.0;          ///< left with them
    double kinetic_out = 0.0;  ///< of `out`
    double normal = 0.0;       ///< taken by restitution
    double tangential = 0.0;   ///< taken by friction
    double lifted = 0.0;       ///< given to disks on walls by the contact time
    double walls = 0.0;        ///< work of the walls on the disks
    double grown = 0.0;        ///< given by growing rims
    double rescaled = 0.0;     ///< taken by rescaling velocities
    double turned_over = 0.0;  ///< the largest so far

    double turned_over_by_now(double kinetic) const;
  };
  /// Whether it is worth while to load from memory ahead of time; some 400 bytes a disk.
  bool outgrows_the_cache() const { return disks_.size() > 30000; }
  // Lubachevsky 1991, Fig. 6.1, by line.
  void load_ahead() const;
  void prefetch_partners(Index i) const;
  Index process(Index i);
  void schedule(Index i);
  template <class Field>
  Event next_with_partner(Index i, Event best, const Field& field) const;
  Event next_with_partner_in_wells(Index i, Event best) const;
  Event next_alone(Index i) const;

  Index collide_disks(Index i, const Event& event);
  Index cross_edge_of_well(Index i, const Event& event);
  WellPair well_pair(Index i, Index j, Image image) const;
  void find_well_pairs();
  bool has_well() const { return well_.range > 1.0; }
  void depart(Index i);
  void hit_side(Index i, unsigned side);
  void hit_obstacle(Index i, const Event& event);
  Vec2 bounce(Index i, const CollisionRule& rule, Spinner wall, const Vec2& towards, double pressing);
  void change_obstacle();
  void ask(Index i);
  void leave_box(Index i);
  void note_collision(Index a, Index b, const Vec2& distance, const Vec2& impulse);
  CollisionRule rule_now(const CollisionRule& rule, std::initializer_list<Index> disks);
  std::uint64_t changes_until_rebase() const;
  void count_change(Index i);
  void plan_set_back();
  void mind_speed(double square);
  double longest_way() const { return hard::longest_way(domain_, 2.0 * smallest_ * growth_.scale); }
  void set_back(Index i);
  void rebase();
  void grow_room();
  void forget_the_gone();
  bool is_gone(Index i) const { return gone_ > 0 && labels_[i].id == kGone; }
  void check_progress(Index i);
  template <class Name>
  void count_box_exit(Name whose);
  void require_hope(std::uint64_t events, const char* what, double took, const std::string& whose);
  void do_what_is_due();
  void measure_growth();
  void end_growth(double scale);
  void rescale(double energy);
  void plan_due();
  double translational_energy() const;
  double kinetic_energy(Index i, double now) const;
  double kinetic_energy() const;
  double potential_energy(Index i, double now) const;
  void balance(Summary& summary) const;
  [[noreturn]] void stop(const std::string& why);
  std::string name(Index i) const;
  std::string name_and_speed(Index i) const;
  void start(std::size_t capacity);
  void ask_all();

  template <class Do>
  auto in_field(Do act) const {
    return falls_ ? act(gravity_) : act(Weightless{});
  }
  Vec2 position_at(const Flight& flight, double time) const {
    return in_field([&](const auto& field) { return flight.position_at(time, field); });
  }
  Vec2 velocity_at(const Flight& flight, double time) const {
    return in_field([&](const auto& field) { return flight.velocity_at(time, field); });
  }
  Approach approach_of(Index i, Index j, Image image) const {
    return in_field([&](const auto& field) {
      return approach(disks_[i].flight, disks_[j].flight, shift(disks_[i], disks_[j], image), field);
    });
  }
  void fly_to(Index i, double time);
  Vec2 enter_frame(Disk& disk, const Vec2& ahead = Vec2::Zero()) const;
  Vec2 length(const std::array<std::int32_t, 2>& periods) const {
    return {periods[0] * period_.x(), periods[1] * period_.y()};
  }
  double present() const { return clock_.epoch() + now_; }  // of the event under way [s]
  double exit_time_of_box(Index i) const;
  Vec2 shift(const Disk& a, const Disk& b, Image image) const;
  double radius(Index i, double now) const { return disks_[i].flight.radius * growth_.scale_at(now); }
  Vec2 shift_of_obstacle(const Disk& disk, Image image) const {
    return length({image.x() - disk.frame[0], image.y() - disk.frame[1]});
  }
  Spinner spinner(Index i) const;
  const CollisionRule& rule_between(std::int32_t material_a, std::int32_t material_b) const {
    return rules_[static_cast<std::size_t>(material_a) * materials_ + static_cast<std::size_t>(material_b)];
  }
  const CollisionRule& rule_between_disks(Index a, Index b) const {
    return materials_ == 1 ? rules_.front() : rule_between(labels_[a].material, labels_[b].material);
  }
  const CollisionRule& rule_with_obstacle(Index i, Index k) const {
    return tells_materials_ ? rule_between(labels_[i].material, walls_[k].material) : wall_rule_;
  }
  void set_motion(Index i, const Spinner& spinner);
  struct Place {
    Vec2 position;
    std::array<std::int32_t, 2> image;
  };
  Place wrapped_position(Index i, double now) const;
  void check_start() const;
  void audit_wells(Index i, double now) const;
  double tolerance(double diameter) const { return hard::tolerance(domain_, diameter); }
  double excess(Index i, Index j, const Vec2& distance, double now) const;
  double outside_walls(Index i, double now) const;
  struct ObstacleGap {
    Index obstacle;
    double gap;  // [m]
  };
  ObstacleGap least_gap_to_obstacle(const Disk& disk, double now) const;
  WallState wall_state() const;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self);

  Domain domain_;
  bool open_;
  Vec2 period_;  ///< 0 along axes that are not periodic [m]
  Gravity gravity_;
  bool falls_;                        ///< gravity is not zero
  std::vector<CollisionRule> rules_;  ///< by material of a times number of materials + material of b
  std::size_t materials_;
  bool tells_materials_;  ///< of walls
  CollisionRule wall_rule_;
  std::vector<Wall> walls_;
  Obstacles obstacles_;
  std::vector<Disk> disks_;
  std::vector<Spin> spins_;
  std::vector<Label> labels_;
  std::vector<std::array<std::int32_t, 2>> images_;  ///< how often the flight's position was wrapped back
  double contact_time_;                              ///< of the TC model; 0: none [s]
  std::vector<double> last_collision_;               ///< on the clock; empty without a contact time [s]
  GrowthSpec growth_spec_;
  Growth growth_;
  bool has_grown_;                 ///< or grows: radii are not those of the flights
  double scale_at_goal_ = kNever;  ///< at which the packing fraction is reached
  double energy_ = 0.0;            ///< to which velocities are rescaled, translational [J]
  double virial_ = 0.0;            ///< impulses times distances since the clock was set back [J s]
  double pressure_ = 0.0;          ///< reduced
  Well well_;
  WellPairs well_pairs_;
  double reach_ = 1.0;   ///< times the radius: what boxes cover
  double due_ = kNever;  ///< on the clock: it is set back, or the boxes or the growth end [s]
  double margin_;        ///< of the setup
  double smallest_;      ///< radius of any disk so far, of the setup [m]
  bool measures_;
  bool measures_flights_;
  Ledger ledger_;
  Transfers transfers_;
  std::vector<FreeFlight> free_flights_;  ///< empty unless they are measured
  Neighbourhood<B> neighbourhood_;
  Q queue_;
  double time_ = 0.0;  ///< [s]
  Clock clock_;
  double now_ = 0.0;                     ///< on the clock: of the event under way [s]
  std::uint64_t changes_ = 0;            ///< of velocities since the clock was rebased
  std::uint64_t changes_to_rebase_ = 0;  ///< as many as that, and it is rebased
  double set_back_at_ = kNever;          ///< by then at the latest, on the clock [s]
  double fastest_ = 0.0;                 ///< square of the greatest speed that was minded [m^2/s^2]
  std::uint64_t gone_ = 0;               ///< disks that left and still have a place in the arrays
  std::uint64_t in_ = 0;                 ///< disks so far
  std::uint64_t out_ = 0;                ///< of them, disks that left
  std::uint64_t next_id_;
  std::vector<Departure> departures_;
  struct {
    std::uint64_t changes = 0;
    double time = 0.0;            ///< [s]
  } watched_;                     ///< before that, since progress was last looked at
  double target_ = 0.0;           ///< to which it advances [s]
  double exits_looked_at_ = 0.0;  ///< when the boxes' exits were [s]
  Counters counters_;
};

/// The fastest for disks of similar sizes. Other pairs of a broadphase and a queue are at the end of simulation.cpp.
using Simulation = BasicSimulation<LinkedCells<2>, BucketQueue>;
static_assert(AnySimulation<Simulation>);

}  // namespace scree::hard
