#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/wall.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_laws.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// What the grains do to a driven wall along its one degree of freedom: a displacement [m], or an angle [rad], for
/// which forces are torques.
struct WallLoad {
  double force = 0.0;      ///< of the grains on the wall [N]
  double spring = 0.0;     ///< of their normal springs alone, of a displacement [N]
  double stiffness = 0.0;  ///< of all contacts together [N/m]
  double damping = 0.0;    ///< of all their dashpots together [N s/m]
  std::uint64_t contacts = 0;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.force, self.spring, self.stiffness, self.damping, self.contacts);
  }
};

/// What one contact adds to the load of a drive, see WallLoad.
struct ContactLoad {
  std::uint32_t drive = 0;
  bool rubs = false;  ///< friction's spring and dashpot act
  double force = 0.0;
  double spring = 0.0;
  double stiffness = 0.0;
  double damping = 0.0;
  double tangential_stiffness = 0.0;
  double tangential_damping = 0.0;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.drive, self.rubs, self.force, self.spring, self.stiffness, self.damping, self.tangential_stiffness,
            self.tangential_damping);
  }
};

/// The speed of a servo during a step: (F_target + F_grains + C v) / (K dt / alpha + C), at most servo.speed; without
/// contact that of its approach. C v is what its last velocity v makes in the dashpots. The error of a wall on springs
/// falls by the factor 1 - alpha in each step, on springs and dashpots more slowly, without ringing; following what
/// recedes at v it is v K dt / alpha, whatever the dashpots are (docs/theory.md, section 13).
/// @param target force on the grains [N]  @param load of the last step  @param speed in the last step [m/s]  @param dt
/// [s]
double servo_speed(const Servo& servo, double target, const WallLoad& load, double speed, double dt);

/// One driven wall, with all that move with it.
struct DriveMotion {
  double coordinate = 0.0;    ///< way along its direction [m], or angle [rad], since it has this drive
  double rate = 0.0;          ///< its velocity
  double rate_before = 0.0;   ///< at the end of the step before
  double acceleration = 0.0;  ///< of a wall with a mass or inertia
  double target = 0.0;        ///< force on the grains, or torque, that it is driven by; without weight
  double length = 0.0;        ///< loaded length, of a servo with a stress [m]
  double work = 0.0;          ///< on the grains since it has this drive [J]
  WallLoad load;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.coordinate, self.rate, self.rate_before, self.acceleration, self.target, self.length, self.work,
            self.load);
  }
};

/// A wall that forces move.
struct DrivenWall {
  std::size_t wall = 0;  ///< its number in the scene
  WallDrive how = {};
  std::string key = {};           ///< of the scene: servo, free or torque
  bool turns = false;             ///< else it is displaced
  Vec2 direction = Vec2::Zero();  ///< unit, of a displacement
  Vec2 about = Vec2::Zero();      ///< of a rotation [m]
  double mass = 0.0;              ///< or inertia; 0: a servo
  double own_force = 0.0;         ///< its weight included [N], or torque [N m]
  double drag = 0.0;              ///< [N m s]
  double since = 0.0;             ///< when a stage gave the wall this drive [s]
  double before = 0.0;            ///< way along the direction [m], or angle [rad], when a stage gave it this drive
};

/// The walls that forces move: servo walls, free walls, walls turned by a torque. Each has one degree of freedom, and
/// other walls may move with it. All sums are taken in the order of contacts, which is that of ids.
class WallDrives {
 public:
  /// @throws InvalidScene for a drive that cannot be, and for a wall that moves with none
  explicit WallDrives(const Scene& scene);

  /// A wall that is as wide as a periodic domain can neither turn nor be driven along that axis.
  /// @param spans the axes of a wall  @throws InvalidScene
  void require_clear_of(std::size_t wall, const std::array<bool, 2>& spans) const;

  /// The walls that the same drives moved before go on as they were, the loads of others are those of the contacts now.
  /// @param before of the same walls
  void take_over(const WallDrives& before, const Bodies& bodies, const Periodic& periodic, const Contacts& contacts,
                 const ContactLaws& laws);
  /// @param gravity [m/s^2]
  void set_gravity(const Vec2& gravity);

  bool any() const { return !drives_.empty(); }
  std::size_t size() const { return drives_.size(); }
  /// Number of the wall in the scene.
  std::size_t wall(std::size_t drive) const { return drives_[drive].wall; }
  const DriveMotion& motion(std::size_t drive) const { return motion_[drive]; }
  /// Way along its direction [m], or angle [rad], since the start, whatever moved the wall in earlier stages.
  double coordinate(std::size_t drive) const { return drives_[drive].before + motion_[drive].coordinate; }
  /// On the grains since the start, of all drives that the wall had [J].
  double work(std::size_t drive) const { return earlier_work_[wall(drive)] + motion_[drive].work; }

  /// Finds the force of each drive that is there: what frames show before the first step.
  void aim(const Bodies& bodies, const Periodic& periodic);
  /// Moves all coordinates on by a step, going by the loads of the last one, but of walls that are not there yet.
  /// @param dt [s]
  void advance(const Bodies& bodies, const Periodic& periodic, double dt);
  /// Once the forces of the step are known: loads, velocities of walls with a mass, work.
  /// @param loads of all contacts, in their order
  /// @return by what the work of each servo wall differs from the integral of power, since its velocity jumps [J]
  std::vector<double> respond(std::span<const ContactLoad> loads, double dt);
  /// What a contact adds to the load; nothing if its wall is not driven. @pre it is one with a wall
  std::optional<ContactLoad> load_of(const Bodies& bodies, const Periodic& periodic, const Contacts& contacts,
                                     const ContactLaws& laws, std::size_t contact) const;

  /// Where a wall is by its drive.
  struct Offset {
    Vec2 displacement = Vec2::Zero();  ///< of its centroid [m]
    Vec2 velocity = Vec2::Zero();      ///< of its centroid [m/s]
    double angle = 0.0;                ///< [rad]
    double angular_velocity = 0.0;     ///< [rad/s]
  };
  /// @param wall number in the scene  @param centroid without the drive [m]
  Offset offset(std::size_t wall, const Vec2& centroid) const;
  /// A bound on the speed of a wall by its drive, for servos at any time, else now [m/s].
  /// @param centroid of the wall now [m]  @param reach greatest distance of a point of the wall from it [m]
  double max_speed(std::size_t wall, const Vec2& centroid, double reach) const;
  /// Whether some wall's speed has no bound.
  bool has_unbounded_speed() const { return has_unbounded_speed_; }

  /// Whether each servo that is there pushes with its force, and each free wall is held by the grains, to a hundredth.
  bool have_their_forces(const Bodies& bodies) const;

  /// A wall with a mass that is too light for its contacts in a step of this length. @param dt [s]
  std::optional<std::string> find_too_light(const Scene& scene, double dt) const;

  /// After loading. @throws InvalidState
  void require_sound() const;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.motion_, self.earlier_work_);
  }

 private:
  bool is_there(std::size_t drive, const Bodies& bodies) const;
  void aim(std::size_t drive, const Bodies& bodies, const Periodic& periodic);
  void add(const ContactLoad& of_contact);
  std::vector<WallLoad> take_loads();
  std::vector<double> move_on(std::span<const WallLoad> before, double dt);

  std::vector<DrivenWall> drives_;
  std::vector<int> drive_of_;  // by number of the wall in the scene; -1: none
  std::vector<DriveMotion> motion_;
  std::vector<double> earlier_work_;  // of drives that stages have replaced, by number of the wall in the scene [J]
  bool has_unbounded_speed_ = false;
};

}  // namespace scree::soft
