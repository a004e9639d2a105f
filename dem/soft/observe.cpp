#include "dem/soft/observe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dem/scene.hpp"
#include "dem/soft/forces/contact_power.hpp"
#include "geometry/polygon.hpp"
#include "geometry/wide.hpp"

namespace scree::soft {

namespace {

/// Half the shortest period: an image that is farther away than this from where its body is lies across a side.
double half_a_period(const Periodic& periodic) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 2; ++axis) {
    if (periodic.along(axis)) shortest = std::min(shortest, periodic.period()[axis]);
  }
  return 0.5 * shortest;
}

/// @param look about the centroid [m]
template <class Vertices>
void append_outline(const Pose& pose, const Vertices& look, Outlines& outlines) {
  for (const Vec2& vertex : look) outlines.vertices.push_back(pose * vertex);
  outlines.first.push_back(static_cast<std::uint32_t>(outlines.vertices.size()));
}

/// The branch vector of the particles to which two bodies belong, from that of the bodies [m].
Vec2 branch_between_particles(const Bodies& bodies, const BodyPair& pair, const Vec2& branch_vector) {
  if (bodies.parts == 0) return branch_vector;
  return bodies.arm_of(pair.a) + branch_vector - bodies.arm_of(pair.b);
}

std::vector<ContactState> contact_states(const ObserveView& view) {
  const Bodies& bodies = view.bodies;
  const Contacts& contacts = view.contacts;
  const double far = half_a_period(view.proxies.periodic());
  std::vector<ContactState> states;
  states.reserve(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const BodyPair& pair = contacts.bodies(k);
    const ForceParts& parts = contacts.parts[k];
    const bool wall = bodies.is_wall(pair.b);
    // The particles themselves, for clumps' parts.
    const std::uint32_t a = bodies.particle(pair.a);
    const std::uint32_t b = bodies.particle(pair.b);
    const Vec2 centre = linear(bodies.position[a]);
    const Vec2 point = bodies.arm_of(pair.a) + parts.point;  // from there
    const Vec2 centre_of_b =
        centre +
        branch_between_particles(bodies, pair, view.proxies.branch_vector(bodies, pair.a, pair.b, contacts.image(k)));
    const Vec2 shift = centre_of_b - linear(bodies.position[b]);
    const bool across = shift.norm() > far;
    states.push_back(
        {.id1 = bodies.id[pair.a],
         .id2 = bodies.id[pair.b],
         .centre1 = centre,
         .point = centre + point,
         .centre2 = wall ? Vec2(centre + point) : centre_of_b,
         .image_shift = across && !wall ? shift : Vec2::Zero(),
         .force = contacts.force[k].on_b,
         .force_normal = with_cohesion(parts.normal, view.laws.of(bodies, pair), contacts.geometry(k).overlap),
         .force_tangential = parts.tangential,
         .overlap = contacts.region[k].area,
         .depth = contacts.region[k].depth,
         .sliding = contacts.history[k].sliding});
  }
  return states;
}

}  // namespace

State state_of(const ObserveView& view) {
  const Bodies& bodies = view.bodies;
  State seen;
  seen.contacts = contact_states(view);
  std::vector<Motion> on_wall(bodies.walls, Motion::Zero());
  std::vector<int> coordination(bodies.size(), 0);
  for (std::size_t k = 0; k < view.contacts.size(); ++k) {
    const BodyPair& pair = view.contacts.bodies(k);
    const ContactForce& force = view.contacts.force[k];
    ++coordination[bodies.particle(pair.a)];
    ++coordination[bodies.particle(pair.b)];
    if (bodies.is_wall(pair.b)) on_wall[pair.b] += Motion(force.on_b.x(), force.on_b.y(), force.torque[1]);
  }
  ParticleState& p = seen.particles;
  const auto reserve = [&](auto&... arrays) { (arrays.reserve(bodies.particles()), ...); };
  reserve(p.id, p.type, p.material, p.radius, p.mass, p.inertia, p.image, p.position, p.angle, p.velocity,
          p.angular_velocity, p.force, p.torque, p.coordination);
  p.outlines.first.reserve(bodies.particles() + std::size_t{1});
  p.outlines.vertices.reserve(bodies.vertices.size() - Bodies::kRepeated * (bodies.size() - bodies.disks));
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body)) continue;
    p.id.push_back(bodies.id[body]);
    p.type.push_back(bodies.type[body]);
    p.material.push_back(bodies.material[body]);
    p.radius.push_back(bodies.radius[body]);
    p.mass.push_back(bodies.mass[body]);
    p.inertia.push_back(bodies.inertia(body));
    p.image.push_back(bodies.image[body]);
    p.position.push_back(linear(bodies.position[body]));
    p.angle.push_back(bodies.position[body].z());
    p.velocity.push_back(linear(bodies.velocity[body]));
    p.angular_velocity.push_back(bodies.velocity[body].z());
    const Motion force = net_force(bodies, view.contacts, body, view.net_force);
    p.force.push_back(linear(force) + bodies.mass[body] * view.scene.gravity);
    p.torque.push_back(force.z());
    p.coordination.push_back(coordination[body]);
    append_outline(bodies.pose(body), bodies.look(body), p.outlines);
  }
  WallState& w = seen.walls;
  for (std::uint32_t body = 0; body < bodies.walls; ++body) {
    if (bodies.is_absent(body)) continue;
    const Wall& wall = view.scene.walls[static_cast<std::size_t>(bodies.type[body])];
    w.id.push_back(bodies.id[body]);
    w.number.push_back(static_cast<std::uint32_t>(bodies.type[body]));
    w.name.push_back(wall.name);
    w.material.push_back(bodies.material[body]);
    w.velocity.push_back(linear(bodies.velocity[body]));
    w.angular_velocity.push_back(bodies.velocity[body].z());
    w.force.push_back(linear(on_wall[body]));
    w.torque.push_back(on_wall[body].z());
    // As the scene has it: its body may go on beyond periodic sides.
    const Polygon polygon(wall.polygon);
    append_outline(bodies.pose(body), polygon.vertices(), w.outlines);
  }
  return seen;
}

Summary summary_of(const ObserveView& view, const EnergyBalance& energy) {
  const Bodies& bodies = view.bodies;
  Summary s;
  s.particles = bodies.particles();
  std::uint64_t ends_on_particles = 0;
  for (std::size_t k = 0; k < view.contacts.size(); ++k) {
    ++s.contacts;
    if (view.contacts.history[k].sliding) ++s.sliding_contacts;
    ends_on_particles += bodies.is_wall(view.contacts.bodies(k).b) ? 1 : 2;
    s.max_depth = std::max(s.max_depth, view.contacts.region[k].depth);
    s.max_depth_ratio = std::max(s.max_depth_ratio, view.contacts.axes[k].depth_ratio);
  }
  if (s.particles > 0) s.coordination = static_cast<double>(ends_on_particles) / static_cast<double>(s.particles);

  balance(energy, tally_energies(view).energies(), s);
  return s;
}

std::vector<DriveState> drive_states(const WallDrives& drives, const Bodies& bodies) {
  std::vector<DriveState> states;
  for (std::size_t drive = 0; drive < drives.size(); ++drive) {
    for (std::uint32_t body = 0; body < bodies.walls; ++body) {
      if (static_cast<std::size_t>(bodies.type[body]) != drives.wall(drive) || bodies.is_absent(body)) continue;
      const DriveMotion& motion = drives.motion(drive);
      states.push_back({.id = bodies.id[body],
                        .coordinate = drives.coordinate(drive),
                        .rate = motion.rate,
                        .target = motion.target,
                        .force = -motion.load.force,
                        .length = motion.length,
                        .work = drives.work(drive),
                        .contacts = motion.load.contacts});
    }
  }
  return states;
}

EnergyTally& EnergyTally::operator+=(const EnergyTally& other) {
  kinetic += other.kinetic;
  potential += other.potential;
  elastic += other.elastic;
  tangential += other.tangential;
  without_potential += other.without_potential;
  magnitudes += other.magnitudes;
  return *this;
}

ElasticEnergy EnergyTally::elastic_energy() const {
  return {
      .potential = elastic.value(), .without_potential = without_potential.value(), .tangential = tangential.value()};
}

Energies EnergyTally::energies() const {
  const ElasticEnergy springs = elastic_energy();
  return {.kinetic = kinetic.value(),
          .potential = potential.value(),
          .elastic = springs.sum(),
          .elastic_tangential = springs.tangential,
          .without_potential = springs.without_potential,
          .sum_of_magnitudes = std::abs(springs.sum()) + magnitudes.value()};
}

namespace {

void add_elastic_energies(const ObserveView& view, std::span<const char> own, EnergyTally& tally) {
  for (std::size_t k = 0; k < view.contacts.size(); ++k) {
    if (!own.empty() && own[view.contacts.bodies(k).a] == 0) continue;
    const ElasticEnergy each =
        view.forces.elastic_energy(view.bodies, view.laws, view.proxies, view.contacts.record(k));
    tally.elastic.add(each.potential);
    tally.without_potential.add(each.without_potential);
    tally.tangential.add(each.tangential);
  }
}

}  // namespace

EnergyTally tally_energies(const ObserveView& view, std::span<const char> own) {
  const Bodies& bodies = view.bodies;
  const Periodic& periodic = view.proxies.periodic();
  EnergyTally tally;
  tally.kinetic = sum_of_kinetic_energies(bodies, periodic, own);
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body) || (!own.empty() && own[body] == 0)) continue;
    const double potential = potential_energy(bodies, body, view.scene.gravity, periodic);
    tally.potential.add(potential);
    tally.magnitudes.add(std::abs(potential));
  }
  add_elastic_energies(view, own, tally);
  return tally;
}

ElasticEnergy elastic_energy(const ObserveView& view) {
  EnergyTally tally;
  add_elastic_energies(view, {}, tally);
  return tally.elastic_energy();
}

double potential_energy(const Bodies& bodies, std::uint32_t body, const Vec2& gravity, const Periodic& periodic) {
  const Vec2 unwrapped = linear(bodies.position[body]) + periodic.shift(bodies.image[body]);
  return -bodies.mass[body] * gravity.dot(unwrapped);
}

ExactSum gain_of_potential_energy(const Bodies& bodies, const Vec2& change, const Periodic& periodic,
                                  std::span<const char> own) {
  ExactSum sum;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body) || (!own.empty() && own[body] == 0)) continue;
    sum.add(potential_energy(bodies, body, change, periodic));
  }
  return sum;
}

namespace {

/// A step whose contacts pass something on.
struct Passing {
  const Bodies& bodies;
  const Contacts& contacts;
  double dt;  // [s]
  Transfers& transfers;

  Transfers::Contact transfer_of(std::size_t k) const {
    const BodyPair& pair = contacts.bodies(k);
    const Vec2 branch = bodies.is_wall(pair.b) ? Vec2(bodies.arm_of(pair.a) + contacts.parts[k].point)
                                               : branch_between_particles(bodies, pair, contacts.axes[k].branch_vector);
    return {.centre = linear(bodies.position[bodies.particle(pair.a)]),
            .branch = branch,
            .impulse = dt * contacts.force[k].on_b,
            .begun = false};
  }
  std::size_t number_of(const ContactForce* force) const {
    return static_cast<std::size_t>(force - contacts.force.data());
  }
  std::size_t wall_of(const BodyPair& pair) const { return static_cast<std::size_t>(bodies.type[pair.b]); }
  void add(std::size_t k) const {
    const BodyPair& pair = contacts.bodies(k);
    if (!bodies.is_wall(pair.b)) return transfers.add(transfer_of(k));
    transfers.add_on_wall(transfer_of(k), wall_of(pair), dt * contacts.force[k].torque[1]);
  }
  /// A contact that may be in the layer or not.
  Transfers::OnlyLayer add_uncertain(const ContactForce* force, const Transfers::OnlyLayer& layer) const {
    transfers.give_back(layer);
    add(number_of(force));
    return transfers.take_out();
  }
};

using TwoNumbers = wide::Number<2>;

/// Most contacts need little, all in registers: these sums are taken in every step. What few need stays in memory,
/// behind `step`. @pre one layer, some contacts, no clumps
[[gnu::noinline]] void add_to_only_layer(const Passing& step) {
  const std::uint32_t walls = step.bodies.walls;
  const Motion* const position = step.bodies.position.data();
  const BodyPair* const pairs = step.contacts.candidates.bodies.data();
  const TwoNumbers dt = step.dt;
  const TwoNumbers half = 0.5;
  const auto centre_of = [&](const BodyPair& pair) { return TwoNumbers::load(position[pair.a].data()); };
  const auto branch_of = [](const ContactAxes& axes) { return TwoNumbers::load(axes.branch_vector.data()); };
  const auto impulse_of = [&](const ContactForce& force) { return dt * TwoNumbers::load(force.on_b.data()); };
  const std::uint32_t* candidate = step.contacts.candidate.data();
  const std::uint32_t* const last = candidate + step.contacts.size() - 1;
  const ContactAxes* axes = step.contacts.axes.data();
  const ContactForce* force = step.contacts.force.data();
  Transfers::OnlyLayer layer = step.transfers.take_out();
  while (candidate < last) {
    const BodyPair pair = pairs[*candidate];
    if (pair.b < walls) {
      const TwoNumbers branch = TwoNumbers::load(step.contacts.parts[step.number_of(force)].point.data());
      const TwoNumbers centre = centre_of(pair);
      if (layer.covers(centre + half * branch).bits() == wide::kAllLanes<2>) [[likely]] {
        const TwoNumbers impulse = impulse_of(*force);
        layer.add_on_wall(centre + branch, branch, impulse);
        step.transfers.on_walls()[step.wall_of(pair)].add({impulse[0], impulse[1]}, step.dt * force->torque[1]);
      } else {
        layer = step.add_uncertain(force, layer);
      }
    } else {
      const TwoNumbers branch = branch_of(*axes);
      const wide::Mask<2> covered = layer.covers(centre_of(pair) + half * branch);
      const BodyPair next = pairs[candidate[1]];
      const TwoNumbers next_branch = branch_of(axes[1]);
      const wide::Mask<2> both = covered & layer.covers(centre_of(next) + half * next_branch);
      if (next.b >= walls && both.bits() == wide::kAllLanes<2>) [[likely]] {  // two at once
        layer.add(branch, impulse_of(force[0]));
        layer.add(next_branch, impulse_of(force[1]));
        candidate += 2;
        axes += 2;
        force += 2;
        continue;
      }
      if (covered.bits() == wide::kAllLanes<2>) {
        layer.add(branch, impulse_of(*force));
      } else if (!step.transfers.is_plane()) {
        layer = step.add_uncertain(force, layer);
      }
    }
    ++candidate;
    ++axes;
    ++force;
  }
  if (candidate == last) layer = step.add_uncertain(force, layer);
  step.transfers.give_back(layer);
}

}  // namespace

void add_transfers(const Bodies& bodies, const Contacts& contacts, double dt, Transfers& transfers) {
  const Passing step{bodies, contacts, dt, transfers};
  const std::size_t size = contacts.size();
  if (size == 0) return;
  if (transfers.is_one_layer() && bodies.parts == 0) {
    add_to_only_layer(step);
  } else {
    for (std::size_t k = 0; k < size; ++k) step.add(k);
  }
  if (contacts.begun().empty()) return;
  const ContactHistory* const histories = contacts.history.data();
  for (std::size_t k = 0; k < size; ++k) {
    if (!histories[k].is_new) [[likely]]
      continue;
    transfers.count_begun(step.transfer_of(k), bodies.is_wall(contacts.bodies(k).b));
  }
}

void list_transfers(const Bodies& bodies, const Contacts& contacts, double dt, std::vector<ContactTransfer>& all) {
  Transfers none;
  const Passing step{bodies, contacts, dt, none};
  all.clear();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const BodyPair& pair = contacts.bodies(k);
    ContactTransfer& one = all.emplace_back();
    one.contact = step.transfer_of(k);
    one.contact.begun = contacts.history[k].is_new;
    if (!bodies.is_wall(pair.b)) continue;
    one.wall = bodies.type[pair.b];
    one.angular_impulse = dt * contacts.force[k].torque[1];
  }
}

void add(const ContactTransfer& one, Transfers& transfers) {
  Transfers::Contact contact = one.contact;
  contact.begun = false;  // counted apart, as add_transfers does
  if (one.wall < 0) {
    transfers.add(contact);
  } else {
    transfers.add_on_wall(contact, static_cast<std::size_t>(one.wall), one.angular_impulse);
  }
  if (one.contact.begun) transfers.count_begun(contact, one.wall >= 0);
}

DepthHistogram depths_of(const Contacts& contacts) {
  DepthHistogram histogram;
  for (const ContactAxes& axes : contacts.axes) histogram.add(axes.depth_ratio);
  return histogram;
}

void list_values(const Bodies& bodies, const Gear& gear, const Contacts& contacts, StateValues& values) {
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    const Owner owner{.body = bodies.id[i]};
    if (bodies.is_part(i)) {  // its motion follows
      values.add(Quantity::body, owner, bodies.part_number(i), bodies.arm[i], bodies.radius[i],
                 bodies.bounding_radius[i], bodies.shape(i).outline);
      continue;
    }
    values.add(Quantity::body, owner, bodies.type[i], bodies.material[i], bodies.radius[i], bodies.mass[i],
               bodies.inverse_mass[i], bodies.inverse_inertia[i], bodies.bounding_radius[i], bodies.shape(i).outline);
    values.add(Quantity::image, owner, bodies.image[i]);
    values.add(Quantity::position, owner, bodies.position[i]);
    values.add(Quantity::velocity, owner, bodies.velocity[i]);
  }
  std::vector<std::span<const Motion>> derivatives;  // from the second on, as many as there are
  const auto add_derivative = [&](const std::vector<Motion>& derivative) {
    if (!derivative.empty()) derivatives.emplace_back(derivative);
  };
  Gear::visit(add_derivative, gear);
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    if (bodies.is_part(i)) continue;
    const Owner owner{.body = bodies.id[i]};
    values.add(Quantity::acceleration, owner, derivatives[0][i]);
    if (derivatives.size() == 1) continue;
    std::array<Motion, 3> higher;
    for (std::size_t k = 1; k < derivatives.size(); ++k) higher[k - 1] = derivatives[k][i];
    values.add(Quantity::higher_derivatives, owner, std::span(higher).first(derivatives.size() - 1));
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const PairKey key = contacts.key(bodies, k);
    const ContactHistory& history = contacts.history[k];
    const Owner owner{.body = key.a, .partner = key.b, .image = key.image};
    const auto add = [&](Quantity quantity, const auto&... memory) {
      if (bodies.parts == 0) return values.add(quantity, owner, memory...);
      values.add(quantity, owner, memory..., key.part_a, key.part_b);
    };
    add(Quantity::friction, history.tangential_displacement, history.tangential_velocity, history.sliding);
    add(Quantity::rolling, contacts.rolling_displacement(k), history.relative_angular_velocity, history.rolling);
  }
}

}  // namespace scree::soft
