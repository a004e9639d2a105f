#include "dem/soft/drives/wall_drives.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "dem/soft/motion/gear.hpp"
#include "dem/soft/motion/loaded_length.hpp"
#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

namespace scree::soft {

namespace {

constexpr int kNone = -1;

/// @throws InvalidScene
Vec2 unit(const Vec2& direction, const std::string& key) {
  const double length = direction.norm();
  if (!(length > 0.0) || !std::isfinite(length)) throw InvalidScene(key, "must be a direction, not [0, 0]");
  return direction / length;
}

/// Along a drive's direction a wall has no other motion.
void require_across(const Wall& wall, const Vec2& direction, const std::string& key) {
  constexpr double kAcross = 1e-9;  // cosine: rounding
  const auto is_across = [&](const Vec2& motion) { return std::abs(motion.dot(direction)) <= kAcross * motion.norm(); };
  const auto is_across_at = [&](const MotionPoint& at) { return at.angle == 0.0 && is_across(at.displacement); };
  const auto keeps_across = [&](const PhaseOfMotion& motion) {
    return motion.angular_velocity == 0.0 && is_across(motion.velocity) && is_across(motion.oscillation.amplitude) &&
           std::ranges::all_of(motion.table, is_across_at);
  };
  const auto taps_across = [&](const Taps& taps) { return is_across(taps.amplitude); };
  if (wall.angular_velocity != 0.0 || !is_across(wall.velocity) || !is_across(wall.oscillation.amplitude) ||
      !std::ranges::all_of(wall.taps, taps_across) || !std::ranges::all_of(wall.motions, keeps_across)) {
    throw InvalidScene(key, "is given beside a rotation, or a motion along its direction, must be across that motion");
  }
}

double own_force(const FreeWall& free, const Vec2& direction, const Vec2& gravity) {
  return free.force + free.mass * gravity.dot(direction);
}

/// What a drive makes of a wall. @param at the path of the wall's keys @throws InvalidScene
std::optional<DrivenWall> driven(std::monostate, const Wall&, const std::string&, const Vec2&) {
  return {};
}

std::optional<DrivenWall> driven(const Servo& servo, const Wall& wall, const std::string& at, const Vec2&) {
  const Vec2 direction = unit(servo.towards, at + "servo.towards");
  require_across(wall, direction, at + "servo");
  return DrivenWall{.key = "servo", .direction = direction};
}

std::optional<DrivenWall> driven(const FreeWall& free, const Wall& wall, const std::string& at, const Vec2& gravity) {
  const Vec2 direction = unit(free.along, at + "free.along");
  require_across(wall, direction, at + "free");
  return DrivenWall{
      .key = "free", .direction = direction, .mass = free.mass, .own_force = own_force(free, direction, gravity)};
}

std::optional<DrivenWall> driven(const TorqueDrive& torque, const Wall& wall, const std::string& at, const Vec2&) {
  if (wall.angular_velocity != 0.0 || !wall.velocity.isZero() || !wall.oscillation.amplitude.isZero() ||
      !wall.taps.empty() || !wall.motions.empty()) {
    throw InvalidScene(at + "torque", "is given beside another motion, which must be left out");
  }
  DrivenWall drive{.key = "torque",
                   .turns = true,
                   .about = torque.about.value_or(wall.pivot),
                   .mass = torque.inertia,
                   .own_force = torque.torque,
                   .drag = torque.drag};
  if (wall.put) {
    const Vec2 centroid = Polygon(wall.polygon).centroid();
    drive.about = centroid + wall.put->displacement + Rotation::by(wall.put->angle) * Vec2(drive.about - centroid);
  }
  return drive;
}

}  // namespace

double servo_speed(const Servo& servo, double target, const WallLoad& load, double speed, double dt) {
  if (load.contacts == 0) return servo.approach.value_or(servo.speed);
  const double missing_at_rest = target + load.force + load.damping * speed;
  return std::clamp(missing_at_rest / (load.stiffness * dt / servo.gain + load.damping), -servo.speed, servo.speed);
}

WallDrives::WallDrives(const Scene& scene)
    : drive_of_(scene.walls.size(), kNone), earlier_work_(scene.walls.size(), 0.0) {
  for (std::size_t k = 0; k < scene.walls.size(); ++k) {
    const Wall& wall = scene.walls[k];
    const std::string at = fmt::format("walls[{}].", k);
    if (!wall.moves_with.empty()) {
      const auto leader = std::ranges::find(scene.walls, wall.moves_with, &Wall::name);
      const auto number = static_cast<std::size_t>(leader - scene.walls.begin());
      if (number >= k || drive_of_[number] == kNone || !std::holds_alternative<std::monostate>(wall.drive)) {
        throw InvalidScene(at + "moves_with",
                           "must be the name of a driven wall before it, which is not driven itself");
      }
      drive_of_[k] = drive_of_[number];
      continue;
    }
    const auto by = [&](const auto& how) { return driven(how, wall, at, scene.gravity); };
    std::optional<DrivenWall> drive = std::visit(by, wall.drive);
    if (!drive) continue;
    drive->wall = k;
    drive->how = wall.drive;
    if (wall.put) {
      drive->since = wall.put->time;
      drive->before = drive->turns ? wall.put->angle : wall.put->displacement.dot(drive->direction);
    }
    drive_of_[k] = static_cast<int>(drives_.size());
    has_unbounded_speed_ |= drive->mass > 0.0;
    DriveMotion motion;
    if (drive->mass > 0.0) motion.acceleration = drive->own_force / drive->mass;
    drives_.push_back(*std::move(drive));
    motion_.push_back(motion);
  }
}

void WallDrives::require_clear_of(std::size_t wall, const std::array<bool, 2>& spans) const {
  const int at = drive_of_[wall];
  if (at == kNone) return;
  const DrivenWall& drive = drives_[static_cast<std::size_t>(at)];
  const bool moves_along = (spans[0] && (drive.turns || drive.direction.x() != 0.0)) ||
                           (spans[1] && (drive.turns || drive.direction.y() != 0.0));
  if (!moves_along) return;
  throw InvalidScene(fmt::format("walls[{}].{}", drive.wall, drive.key),
                     "a wall as wide as the periodic domain moves across that axis only");
}

void WallDrives::take_over(const WallDrives& before, const Bodies& bodies, const Periodic& periodic,
                           const Contacts& contacts, const ContactLaws& laws) {
  std::vector<char> is_new(drives_.size(), 1);
  earlier_work_ = before.earlier_work_;
  for (std::size_t d = 0; d < before.size(); ++d) earlier_work_[before.wall(d)] += before.motion_[d].work;
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    const int old = before.drive_of_[drives_[d].wall];
    if (old == kNone) continue;
    const DrivenWall& drive = before.drives_[static_cast<std::size_t>(old)];
    if (drive.wall != drives_[d].wall || drive.since != drives_[d].since) continue;
    motion_[d] = before.motion_[static_cast<std::size_t>(old)];
    earlier_work_[drive.wall] = before.earlier_work_[drive.wall];
    is_new[d] = 0;
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!bodies.is_wall(contacts.bodies(k).b)) continue;
    const auto load = load_of(bodies, periodic, contacts, laws, k);
    if (load && is_new[load->drive] != 0) add(*load);
  }
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    DriveMotion& now = motion_[d];
    if (is_new[d] != 0) aim(d, bodies, periodic);
    if (is_new[d] != 0 && drives_[d].mass > 0.0) {
      now.acceleration = (drives_[d].own_force + now.load.force) / drives_[d].mass;
    }
  }
}

void WallDrives::set_gravity(const Vec2& gravity) {
  for (DrivenWall& drive : drives_) {
    if (const auto* free = std::get_if<FreeWall>(&drive.how)) {
      drive.own_force = own_force(*free, drive.direction, gravity);
    }
  }
}

bool WallDrives::is_there(std::size_t drive, const Bodies& bodies) const {
  for (std::uint32_t body = 0; body < bodies.absent.size(); ++body) {
    if (bodies.is_absent(body) && static_cast<std::size_t>(bodies.type[body]) == drives_[drive].wall) return false;
  }
  return true;
}

void WallDrives::aim(std::size_t drive, const Bodies& bodies, const Periodic& periodic) {
  DriveMotion& now = motion_[drive];
  const auto* servo = std::get_if<Servo>(&drives_[drive].how);
  if (servo == nullptr) {
    now.target = drives_[drive].own_force;
  } else if (servo->stress) {
    const auto belongs = [&](std::uint32_t body) {
      return drive_of_[static_cast<std::size_t>(bodies.type[body])] == static_cast<int>(drive);
    };
    now.length = servo->length ? *servo->length : loaded_length(bodies, periodic, drives_[drive].direction, belongs);
    now.target = *servo->stress * now.length;
  } else {
    now.target = *servo->force;
  }
}

void WallDrives::aim(const Bodies& bodies, const Periodic& periodic) {
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    if (is_there(d, bodies)) aim(d, bodies, periodic);
  }
}

void WallDrives::advance(const Bodies& bodies, const Periodic& periodic, double dt) {
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    if (!is_there(d, bodies)) continue;
    aim(d, bodies, periodic);
    DriveMotion& now = motion_[d];
    now.rate_before = now.rate;
    if (const auto* servo = std::get_if<Servo>(&drives_[d].how)) {
      now.rate = servo_speed(*servo, now.target, now.load, now.rate, dt);
      now.coordinate += dt * now.rate;
    } else {
      now.coordinate += dt * (now.rate + 0.5 * dt * now.acceleration);
      now.rate += dt * now.acceleration;
    }
  }
}

std::optional<ContactLoad> WallDrives::load_of(const Bodies& bodies, const Periodic& periodic, const Contacts& contacts,
                                               const ContactLaws& laws, std::size_t contact) const {
  const BodyPair& pair = contacts.bodies(contact);
  const int at = drive_of_[static_cast<std::size_t>(bodies.type[pair.b])];
  if (at == kNone) return {};
  const DrivenWall& drive = drives_[static_cast<std::size_t>(at)];
  ContactLoad load{.drive = static_cast<std::uint32_t>(at)};
  const ContactAxes& axes = contacts.axes[contact];
  const ContactForce& force = contacts.force[contact];
  const ForceParts& parts = contacts.parts[contact];
  // Velocity of the wall at the contact for a rate of 1.
  Vec2 way = drive.direction;
  if (drive.turns) {
    const Vec2 centre = linear(bodies.position[pair.b]) + periodic.shift(bodies.image[pair.b]);
    const Vec2 arm = centre - drive.about;
    way = perp(arm + parts.point - axes.branch_vector);
    load.force = force.torque[1] + cross(arm, force.on_b);
  } else {
    load.force = force.on_b.dot(way);
  }
  const Vec2& normal = axes.normal;
  const double along_normal = normal.dot(way);
  const double along_tangent = perp(normal).dot(way);
  load.spring = parts.spring * along_normal;
  const PairLaw& law = laws.of(bodies, pair);
  const double mass = bodies.mass[pair.a];
  const double share = contacts.share_of_dashpot(contact);
  load.stiffness = parts.stiffness * along_normal * along_normal;
  load.damping = share * 2.0 * law.damping_ratio * std::sqrt(mass * parts.stiffness) * along_normal * along_normal;
  if (law.friction > 0.0) {
    load.rubs = true;
    load.tangential_stiffness = law.tangential_stiffness * along_tangent * along_tangent;
    load.tangential_damping = share * 2.0 * law.tangential_damping_ratio * std::sqrt(mass * law.tangential_stiffness) *
                              along_tangent * along_tangent;
  }
  return load;
}

void WallDrives::add(const ContactLoad& of_contact) {
  WallLoad& load = motion_[of_contact.drive].load;
  load.force += of_contact.force;
  load.spring += of_contact.spring;
  load.stiffness += of_contact.stiffness;
  load.damping += of_contact.damping;
  if (of_contact.rubs) {
    load.stiffness += of_contact.tangential_stiffness;
    load.damping += of_contact.tangential_damping;
  }
  ++load.contacts;
}

std::vector<WallLoad> WallDrives::take_loads() {
  std::vector<WallLoad> before;
  for (DriveMotion& motion : motion_) before.push_back(std::exchange(motion.load, {}));
  return before;
}

std::vector<double> WallDrives::respond(std::span<const ContactLoad> loads, double dt) {
  const std::vector<WallLoad> before = take_loads();
  for (const ContactLoad& load : loads) add(load);
  return move_on(before, dt);
}

/// @param before loads of the step before
/// @return see respond
std::vector<double> WallDrives::move_on(std::span<const WallLoad> before, double dt) {
  std::vector<double> corrections;
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    const DrivenWall& drive = drives_[d];
    DriveMotion& now = motion_[d];
    const double old_acceleration = now.acceleration;
    if (drive.mass > 0.0) {  // velocity Verlet; drag acts at the predicted rate
      now.acceleration = (drive.own_force + now.load.force - drive.drag * now.rate) / drive.mass;
      now.rate = now.rate_before + 0.5 * dt * (old_acceleration + now.acceleration);
    }
    const auto by_power = [&](double force_before, double force_now) {
      return -0.5 * dt * (force_before * now.rate_before + force_now * now.rate);
    };
    double work = by_power(before[d].force, now.load.force);
    if (drive.mass == 0.0) {
      // During the step a servo moves with its new rate: what springs take up is their mean force times that way.
      const double of_springs = -0.5 * (before[d].spring + now.load.spring) * dt * now.rate;
      const double correction = of_springs - by_power(before[d].spring, now.load.spring);
      corrections.push_back(correction);
      work += correction;
    }
    now.work += work;
  }
  return corrections;
}

auto WallDrives::offset(std::size_t wall, const Vec2& centroid) const -> Offset {
  const int at = drive_of_[wall];
  if (at == kNone) return {};
  const DrivenWall& drive = drives_[static_cast<std::size_t>(at)];
  const DriveMotion& now = motion_[static_cast<std::size_t>(at)];
  if (!drive.turns) return {now.coordinate * drive.direction, now.rate * drive.direction, 0.0, 0.0};
  const Vec2 at_start = centroid - drive.about;
  const Vec2 arm = Rotation::by(now.coordinate) * at_start;
  return {arm - at_start, now.rate * perp(arm), now.coordinate, now.rate};
}

double WallDrives::max_speed(std::size_t wall, const Vec2& centroid, double reach) const {
  const int at = drive_of_[wall];
  if (at == kNone) return 0.0;
  const DrivenWall& drive = drives_[static_cast<std::size_t>(at)];
  if (const auto* servo = std::get_if<Servo>(&drive.how)) return servo->speed;
  const double rate = std::abs(motion_[static_cast<std::size_t>(at)].rate);
  return drive.turns ? rate * ((centroid - drive.about).norm() + reach) : rate;
}

bool WallDrives::have_their_forces(const Bodies& bodies) const {
  constexpr double kMissing = 0.01;  // share of the force
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    const int at = drive_of_[static_cast<std::size_t>(bodies.type[body])];
    if (bodies.is_absent(body) || at == kNone || drives_[static_cast<std::size_t>(at)].turns) continue;
    const DriveMotion& now = motion_[static_cast<std::size_t>(at)];
    if (std::abs(now.target + now.load.force) > kMissing * std::abs(now.target)) return false;
  }
  return true;
}

std::optional<std::string> WallDrives::find_too_light(const Scene& scene, double dt) const {
  const StabilityLimit limit = stability_limit(3);  // velocity Verlet
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    const DrivenWall& drive = drives_[d];
    if (drive.mass == 0.0) continue;
    const WallLoad& load = motion_[d].load;
    const double share =
        (load.stiffness * dt * dt / limit.stiffness + (load.damping + drive.drag) * dt / limit.damping) / drive.mass;
    if (share <= 1.0) continue;
    return fmt::format(
        "wall '{}' is too light for its {} contacts: its {} of {:.3g} {} oscillates on {:.3g} {} faster than a step of "
        "{:.3g} s can follow; try {:.2g} {} or a smaller time.step",
        scene.walls[drive.wall].name, load.contacts, drive.turns ? "inertia" : "mass", drive.mass,
        drive.turns ? "kg m^2" : "kg", load.stiffness, drive.turns ? "N m" : "N/m", dt, 2.0 * share * drive.mass,
        drive.turns ? "kg m^2" : "kg");
  }
  return std::nullopt;
}

void WallDrives::require_sound() const {
  require_state(motion_.size() == drives_.size() && earlier_work_.size() == drive_of_.size(),
                "the number of driven walls");
  require_state(std::ranges::all_of(earlier_work_, [](double work) { return std::isfinite(work); }),
                "the work of a driven wall");
  for (const DriveMotion& motion : motion_) {
    require_state(std::isfinite(motion.coordinate + motion.rate + motion.rate_before + motion.acceleration +
                                motion.target + motion.length + motion.work + motion.load.force + motion.load.spring) &&
                      motion.load.stiffness >= 0.0 && motion.load.damping >= 0.0,
                  "the motion of a driven wall");
  }
}

}  // namespace scree::soft
