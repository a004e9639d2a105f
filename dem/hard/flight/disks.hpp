#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dem/hard/flight/collision_rule.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/grain_forms.hpp"
#include "dem/hard/flight/prediction.hpp"
#include "dem/hard/flight/prefetch.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/state.hpp"
#include "dem/state_values.hpp"
#include "geometry/pose.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// What predictions read of a disk: one cache line, which kernels read as eight numbers (dem/hard/lanes).
struct alignas(64) FlyingDisk {
  Flight flight;
  double event_time = kNever;  ///< of the event that it has: it takes no later one [s]
  /// Periods from the flight's position to the place inside the domain to which its box and its partners refer.
  Image box_image_offset = {0, 0};

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.flight.position, self.flight.velocity, self.flight.time, self.flight.radius, self.box_image_offset);
  }
};

/// A disk that is added while others fly.
struct NewDisk {
  Vec2 position;            ///< inside the domain [m]
  Vec2 velocity;            ///< [m/s]
  double angle;             ///< [rad]
  double angular_velocity;  ///< [rad/s]
  double radius;            ///< at most the setup's greatest [m]
  double mass;              ///< [kg]
  std::int32_t type;
  std::int32_t material;
  GrainForm form = {};  ///< where grains have forms
};

/// Compared as one number.
inline bool are_same(const Image& a, const Image& b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// From the image of b that is meant when no flight is wrapped to where it lies, given how a and b are wrapped [m].
inline Vec2 image_shift(const FlyingDisk& a, const FlyingDisk& b, NearImage image, const Periodic& periodic) {
  const auto& of_a = a.box_image_offset;
  const auto& of_b = b.box_image_offset;
  if (image.is_none() && are_same(of_a, of_b)) return Vec2::Zero();
  return periodic.shift({of_b[0] - of_a[0] + image.x(), of_b[1] - of_a[1] + image.y()});
}

/// The disks, as arrays by property. Grains of other forms are here with their bounding circles. Index i is a place in
/// them, the id a name for good. A disk that has left keeps its place until `compact`.
class Disks {
 public:
  struct Spin {
    double angle;             ///< at the flight's time [rad]
    double angular_velocity;  ///< [rad/s]

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.angle, self.angular_velocity);
    }
  };
  /// What stays as it is.
  struct Label {
    std::uint64_t id;
    std::int32_t type;
    std::int32_t material;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.id, self.type, self.material);
    }
  };
  /// Since a disk's last collision with another one.
  struct FreeFlight {
    double since;  ///< on the clock [s]; -kNever before its first collision
    double path;   ///< [m]

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.since, self.path);
    }
  };
  /// Of a disk whose flight begins.
  struct Motion {
    Vec2 position;            ///< [m]
    Vec2 velocity;            ///< [m/s]
    double angle;             ///< [rad]
    double angular_velocity;  ///< [rad/s]
    Image wraps = {0, 0};     ///< how often the position was wrapped back into the domain
  };
  struct WrappedPosition {
    Vec2 position;  ///< in [lo, hi) along periodic axes [m]
    Vec2 velocity;  ///< there [m/s]
    Image image;    ///< how often the disk went around
  };

  /// Flights begin at the setup's positions when the clock shows 0, inside the domain.
  Disks(const Setup& setup, const Space& space);

  /// Copies of some disks of others, in this order, without measurements.
  Disks(const Disks& others, std::span<const Index> members);

  std::size_t size() const { return flying_.size(); }              ///< places
  std::uint64_t present() const { return size() - places_left_; }  ///< disks
  std::uint64_t entered() const { return entered_; }               ///< disks so far
  std::uint64_t left() const { return left_; }                     ///< disks so far
  bool has_places_of_departed() const { return places_left_ > 0; }
  bool has_left(Index i) const { return places_left_ > 0 && labels_[i].id == kLeft; }
  double smallest_radius() const { return smallest_; }  ///< of any disk so far [m]
  double greatest_radius() const { return greatest_; }  ///< of the setup's disks and those that it adds [m]

  const FlyingDisk& operator[](Index i) const { return flying_[i]; }
  std::span<const FlyingDisk> all() const { return flying_; }
  const Flight& flight(Index i) const { return flying_[i].flight; }
  double mass(Index i) const { return masses_[i]; }  ///< [kg]
  const Spin& spin(Index i) const { return spins_[i]; }
  const Label& label(Index i) const { return labels_[i]; }
  /// How often the flight's position was wrapped back into the domain.
  const Image& wraps(Index i) const { return wraps_[i]; }
  const FreeFlight& free_flight(Index i) const { return free_flights_[i]; }
  /// When the flight began.
  Motion motion(Index i) const {
    const Flight& flight = flying_[i].flight;
    return {flight.position, flight.velocity, spins_[i].angle, spins_[i].angular_velocity, wraps_[i]};
  }
  /// Forms of grains that are no disks, or fly among such; none where all are disks.
  const GrainForms& forms() const { return forms_; }
  /// The radius of a disk of the same area, before growth [m].
  double equivalent_radius(Index i) const;
  /// Of a grain that grows that when its clock showed 0; of a growing disk among disks that before growth [kg m^2].
  double inertia(Index i) const;
  /// Whole turns included [rad].
  double angle_at(Index i, double time) const {
    const double angle = angle_in_turn(i, time);
    return forms_.exist() ? angle + 2.0 * std::numbers::pi * forms_.turns(i) : angle;
  }
  /// Its shape as it is now, in the directions of the world, at `position` [m].
  Pose pose(Index i, const Vec2& position, double time) const {
    return {position, Rotation::by(angle_in_turn(i, time))};
  }
  ImpactBody impact_body(Index i) const {
    const FlyingDisk& disk = flying_[i];
    return {disk.flight.velocity, spins_[i].angular_velocity, disk.flight.radius, 1.0 / masses_[i]};
  }
  Approach approach(Index i, Index j, NearImage image, const Space& space) const {
    if (space.cell.exists()) return approach_in_cell(i, j, image, space.cell);
    const Vec2 shift = image_shift(flying_[i], flying_[j], image, space.periodic);
    return space.in_field(
        [&](const auto& field) { return hard::approach(flying_[i].flight, flying_[j].flight, shift, field); });
  }
  /// Velocity of the image of j that i meets relative to j's flight [m/s].
  Vec2 drift(Index i, Index j, NearImage image, const Cell& cell) const {
    return cell.drift(relative_image(i, j, image));
  }
  /// Velocity of the image to which the box of i refers [m/s].
  Vec2 velocity_in_box(Index i, double now, const Space& space) const {
    const Vec2 velocity = space.velocity_at(flight(i), now);
    return space.cell.exists() ? Vec2(velocity + space.cell.drift(flying_[i].box_image_offset)) : velocity;
  }
  /// The disk of this id, if there is one. O(log N) @pre compact
  std::optional<Index> find(std::uint64_t id) const;
  /// The one whose flight began last.
  Index last_to_begin() const;
  /// For people: with the id that tables have.
  std::string name(Index i) const { return (forms_.exist() ? "grain " : "disk ") + std::to_string(labels_[i].id); }
  /// The record of a disk that leaves now. @param time [s] @pre synchronize
  Departure departure(Index i, double time) const;
  WrappedPosition wrapped_position(Index i, double now, const Space& space) const;
  /// Translation, beside the flow of a cell, and rotation; spins keep the moment of inertia that they had
  /// before growth [J].
  double kinetic_energy(Index i, double now, const Space& space) const;
  /// Both [J].
  double energy(Index i, double now, const Space& space) const {
    return kinetic_energy(i, now, space) + potential_energy(i, now, space);
  }
  /// Kinetic energy of all disks that are present [J].
  double kinetic_energy(double now, const Space& space) const;
  /// In gravity [J]. A disk that goes around along gravity goes on losing or gaining it.
  double potential_energy(Index i, double now, const Space& space) const;
  /// Kinetic energy of all places, without rotation, when the flights begin [J]. @pre none has left
  double translational_energy() const;
  double rotational_energy() const;  ///< likewise [J]

  /// @return its index, the last one
  Index add(const NewDisk& disk, double now);
  /// A disk leaves the simulation; its place stays until `compact`.
  void remove(Index i);
  /// Whether i goes on as disk `there` of others does, to the last bit.
  bool flies_like(Index i, const Disks& others, Index there) const;
  /// Place i, of a disk that left, too, gets a copy of disk `there` of others.
  void take_in(Index i, const Disks& others, Index there);
  /// Takes the places of departed disks out of the arrays. The others keep their order, and with it that of ties.
  void compact();
  /// The flight of i ends and a new one begins, at the same place and velocity, inside the domain.
  void synchronize(Index i, double time, const Space& space) {
    space.in_field([&](const auto& field) { fly_until(i, time, space, field); });
  }
  /// synchronize in a field that is known.
  template <class Field = NoField>
  void fly_until(Index i, double time, const Space& space, const Field& field = {}) {
    Flight& flight = flying_[i].flight;
    const double duration = time - flight.time;
    spins_[i].angle += spins_[i].angular_velocity * duration;
    if (measures_free_flights_) lengthen_free_flight(i, duration, space);
    flight.position = flight.position_at(time, field);
    flight.velocity = flight.velocity_at(time, field);
    flight.time = time;
    if (!space.is_inside(flight.position)) wrap(i, space);
  }
  /// synchronize for a grain that has a form: its angle is wrapped, too.
  void synchronize_form(Index i, double time, const Space& space) {
    synchronize(i, time, space);
    const WrappedAngle wrapped = wrapped_angle(spins_[i].angle);
    spins_[i].angle = wrapped.angle;
    forms_.add_turns(i, wrapped.turns);
  }
  /// Flights and times begin anew on a clock that shows 0 instead of `now`. @pre compact
  void rebase(double now, const Space& space);
  /// The velocity gradient of the flow has changed: velocities beside it stay. @pre all flights begin now
  void follow_flow(const Components& change, const Cell& cell);
  void set_velocities(Index i, const ImpactBody& body) {
    flying_[i].flight.velocity = body.velocity;
    spins_[i].angular_velocity = body.angular_velocity;
  }
  /// Its flight began then, by a change of its velocity. @pre it has no form, and free flights are not measured
  void set_motion(Index i, double time, const Motion& motion) {
    Flight& flight = flying_[i].flight;
    flight.position = motion.position;
    flight.velocity = motion.velocity;
    flight.time = time;
    spins_[i] = {motion.angle, motion.angular_velocity};
    wraps_[i] = motion.wraps;
    if (keeps_last_collisions_) last_collision_[i] = time;
  }
  void set_velocity(Index i, const Vec2& velocity) { flying_[i].flight.velocity = velocity; }
  void scale_velocities(double factor);        ///< and, of grains that have forms, spins
  void scale_inertia(Index i, double factor);  ///< @pre grains have forms
  /// Velocities and spins are reversed. Free flights that are not over are not measured: they would be parts of two.
  void reverse(double now, const Space& space);
  /// @param ahead from the disk to the centre that its box is to have [m]
  /// @return where that centre is inside the domain; the disk's box refers to it from now on
  Vec2 place_box(Index i, double now, const Space& space, const Vec2& ahead = Vec2::Zero()) {
    const Vec2 position = space.position_at(flying_[i].flight, now) + ahead;
    if (!space.is_inside(position)) [[unlikely]]
      return place_box_beyond_side(i, position, now, space);
    flying_[i].box_image_offset = {0, 0};
    return position;
  }
  /// @return when i collided last; from now on, that is now. @pre the setup has a contact duration
  double exchange_last_collision(Index i, double now) { return std::exchange(last_collision_[i], now); }
  void set_event_time(Index i, double time) { flying_[i].event_time = time; }
  void set_box_image_offset(Index i, const Image& offset) { flying_[i].box_image_offset = offset; }
  void begin_free_flight(Index i, double now) { free_flights_[i] = {now, 0.0}; }
  /// Its free flight is over without a collision, and is not measured; nor is the rest of it.
  void forget_free_flight(Index i) {
    if (measures_free_flights_) free_flights_[i] = {-kNever, 0.0};
  }

  void prefetch(Index i) const { hard::prefetch(&flying_[i]); }
  void prefetch_spin(Index i) const {
    hard::prefetch(&spins_[i]);
    hard::prefetch(&masses_[i]);
  }

  /// After loading. @param materials  how many there are @throws InvalidState
  void require_sound(const Space& space, std::size_t materials) const;

  /// As a state has them: without places of disks that left, and without offsets to boxes, which follow from the boxes
  /// after loading. So the bytes of a state do not depend on how often the run was resumed.
  Disks to_be_saved() const;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.entered_, self.left_, self.places_left_, self.next_id_, self.smallest_, self.flying_, self.masses_,
            self.spins_, self.labels_, self.wraps_, self.last_collision_, self.free_flights_);
    if (self.forms_.exist()) archive(self.forms_);
  }
  /// All but the offsets to boxes, which follow from the boxes.
  void list_values(StateValues& values) const;

 private:
  /// Without the whole turns that are counted apart [rad].
  double angle_in_turn(Index i, double time) const {
    return spins_[i].angle + spins_[i].angular_velocity * (time - flying_[i].flight.time);
  }
  /// In periods of now, when no flight is wrapped to where it lies.
  Image relative_image(Index i, Index j, NearImage image) const {
    const Image& of_i = flying_[i].box_image_offset;
    const Image& of_j = flying_[j].box_image_offset;
    return {of_j[0] - of_i[0] + image.x(), of_j[1] - of_i[1] + image.y()};
  }
  Approach approach_in_cell(Index i, Index j, NearImage image, const Cell& cell) const;
  void lengthen_free_flight(Index i, double duration, const Space& space);
  void wrap(Index i, const Space& space);
  Vec2 place_box_beyond_side(Index i, const Vec2& position, double now, const Space& space);

  static constexpr std::uint64_t kLeft = 0;  // instead of the id of a disk that left

  std::vector<FlyingDisk> flying_;
  std::vector<double> masses_;  // [kg]
  std::vector<Spin> spins_;
  std::vector<Label> labels_;
  std::vector<Image> wraps_;
  std::vector<double> last_collision_;    // on the clock; empty without a contact duration [s]
  std::vector<FreeFlight> free_flights_;  // empty unless they are measured
  GrainForms forms_;
  bool keeps_last_collisions_;
  bool measures_free_flights_;
  double smallest_;
  double greatest_;                // of the setup's disks and those that it adds [m]
  std::uint64_t places_left_ = 0;  // disks that left and still have a place in the arrays
  std::uint64_t entered_;
  std::uint64_t left_ = 0;
  std::uint64_t next_id_;
};

}  // namespace scree::hard
