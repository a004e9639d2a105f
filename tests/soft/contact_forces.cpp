#include "dem/soft/forces/contact_forces.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/contact/laws/laws.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "dem/soft/forces/overlap_limits.hpp"
#include "geometry/polygon_makers.hpp"
#include "parallel/threads.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::contact_forces_test {

using namespace scree::soft;
using test::Dice;

namespace {

constexpr double kStiffness = 1000.0;  // N/m
constexpr double kStiffnessRatio = 0.5;
constexpr double kStep = 1e-3;  // s

/// Hardly any dashpots or friction: each test adds what it is about.
Scene scene_with(const Material& material) {
  Scene scene = test::empty_scene();
  scene.materials = {material};
  scene.materials[0].density = test::kDensity;
  return scene;
}

Material plain() {
  return {.name = "plain",
          .stiffness = kStiffness,
          .damping = 0.0,
          .tangential_stiffness = kStiffnessRatio,
          .tangential_damping = 0.0};
}

/// Bodies, their contacts as the narrowphase finds them, and what computes forces.
struct Made {
  Scene scene;
  Bodies bodies;
  Placement placement;
  Proxies proxies{Domain{}};
  Gear gear{4, kStep};
  Contacts contacts;
  ContactLaws laws;
  ContactForces forces;

  explicit Made(const Scene& with) : scene(with), laws(with, 4), forces(with) {}

  void detect() {
    placement.add_missing(bodies);
    placement.update(bodies);
    while (gear_size < bodies.size()) {
      gear.add(Motion::Zero());
      ++gear_size;
    }
    if (contacts.candidates.size() == 0) test::add_candidates(bodies, test::all_pairs_of(bodies), contacts);
    Narrowphase narrowphase;
    narrowphase.detect({bodies, placement, proxies, gear}, contacts);
    contacts.update(narrowphase.found(), narrowphase.apart());
  }
  bool compute(double dt = kStep) { return forces.compute({bodies, placement, laws, dt}, contacts); }

  std::uint32_t gear_size = 0;
};

/// Two disks of radius 1 m along x, overlapping by `depth`.
Made two_disks(const Scene& scene, double depth, const Motion& velocity_a = Motion::Zero(),
               const Motion& velocity_b = Motion::Zero()) {
  Made made(scene);
  test::add_disk(made.bodies, 1, {0.0, 0.0}, 1.0);
  test::add_disk(made.bodies, 2, {2.0 - depth, 0.0}, 1.0);
  made.bodies.velocity = {velocity_a, velocity_b};
  made.detect();
  REQUIRE(made.contacts.size() == 1);
  return made;
}

double reduced_mass(const Bodies& bodies) {
  return 1.0 / (bodies.inverse_mass[0] + bodies.inverse_mass[1]);
}

/// Largest torque about a point that a contact's forces and torques add up to, over the sum of their magnitudes.
double unbalanced_torque(const ContactForce& force, const ContactGeometry& geometry, const Vec2& centre_of_a,
                         const Vec2& about) {
  const double of_a = force.torque[0] + cross(centre_of_a - about, -force.on_b);
  const double of_b = force.torque[1] + cross(centre_of_a + geometry.branch_vector - about, force.on_b);
  return std::abs(of_a + of_b) / (std::abs(of_a) + std::abs(of_b) + force.on_b.norm());
}

}  // namespace

TEST_CASE("the normal force of disks is spring plus dashpot; it is never attractive, and opposes the approach") {
  Material damped = plain();
  damped.damping = 0.25;
  const double depth = 0.0625;
  for (const double approach : {0.0, 0.5, -0.25, -100.0}) {
    CAPTURE(approach);
    Made made = two_disks(scene_with(damped), depth, {approach, 0.0, 0.0});
    CHECK(!made.compute());
    const double dashpot = 2.0 * 0.25 * std::sqrt(reduced_mass(made.bodies) * kStiffness);
    const double expected = std::max(kStiffness * depth + dashpot * approach, 0.0);
    const ContactForce& force = made.contacts.force[0];
    const ForceParts& parts = made.contacts.parts[0];
    CHECK(std::abs(parts.normal - expected) < 1e-11);  // N
    CHECK((force.on_b - Vec2(expected, 0.0)).norm() < 1e-11);
    CHECK(parts.tangential == 0.0);
    CHECK(force.torque[0] == 0.0);
    CHECK(force.torque[1] == 0.0);
    CHECK((parts.point - Vec2(1.0 - 0.5 * depth, 0.0)).norm() < 1e-14);  // m
    CHECK(std::abs(parts.normal - expected) < 1e-11);
    CHECK(std::abs(parts.spring - (approach < -10.0 ? 0.0 : kStiffness * depth)) < 1e-11);
    CHECK(std::abs(parts.non_conservative - (approach < -10.0 ? kStiffness * depth : 0.0)) < 1e-11);
    CHECK(parts.stiffness == kStiffness);
  }
}

TEST_CASE("the area law: F = Y A / l for a square on a wall, through the middle of the common side") {
  Scene scene = scene_with(plain());
  scene.walls = {test::floor_wall()};
  Made made(scene);
  test::add_wall(made.bodies, 1, {0.0, -0.5, 0.0}, rectangle(10.0, 1.0));
  test::add_polygon(made.bodies, 2, {0.25, 0.96875, 0.0}, rectangle(2.0, 2.0));
  made.detect();
  REQUIRE(made.contacts.size() == 1);
  CHECK(!made.compute());
  const double depth = 0.03125;
  const double length = 4.0 * (1.0 - 0.5 * depth);  // four times the way from the square's centre to the overlap's
  const ContactForce& force = made.contacts.force[0];
  const ForceParts& parts = made.contacts.parts[0];
  CHECK(std::abs(parts.normal - kStiffness * 2.0 * depth / length) < 1e-11);  // N
  CHECK((force.on_b - Vec2(0.0, -parts.normal)).norm() < 1e-11);
  CHECK(std::abs(force.torque[0]) < 1e-11);
  CHECK(std::abs(parts.point.x()) < 1e-14);
  // A square that turns clockwise presses its right half: with a dashpot, the force moves there.
  scene.materials[0].damping = 0.5;
  Made turning(scene);
  turning.bodies = made.bodies;
  turning.bodies.velocity[1].z() = -1.0;
  turning.detect();
  turning.compute();
  CHECK(turning.contacts.parts[0].point.x() > 0.01);
  CHECK(turning.contacts.force[0].torque[0] > 0.01);  // and brakes it
}

TEST_CASE("at the first touch friction's spring is stretched over the part of the step since then, later over all") {
  Material rough = plain();
  rough.friction = 10.0;
  rough.tangential_damping = 0.2;
  const double slide = 0.125;  // m/s
  const double approach = 100.0;
  const double tangential_stiffness = kStiffnessRatio * kStiffness;
  for (const double depth : {0.03125, 0.125}) {  // the first was reached in a third of the step
    CAPTURE(depth);
    Made made = two_disks(scene_with(rough), depth, {approach, 0.0, 0.0}, {0.0, slide, 0.0});
    CHECK(made.contacts.history[0].is_new);
    made.compute();
    const double touched = std::min(depth / approach, kStep);
    CHECK((touched < kStep) == (depth < 0.1));
    const double dashpot = 2.0 * 0.2 * std::sqrt(reduced_mass(made.bodies) * tangential_stiffness);
    const ContactHistory& history = made.contacts.history[0];
    CHECK(std::abs(history.tangential_displacement - slide * touched) < 1e-17);  // m
    CHECK(!history.sliding);
    const double force = -tangential_stiffness * slide * touched - dashpot * slide;
    CHECK(std::abs(made.contacts.parts[0].tangential - force) < 1e-12);  // N
    CHECK(std::abs(made.contacts.parts[0].friction_dashpot + dashpot * slide) < 1e-12);
    CHECK(made.contacts.force[0].on_b.y() == made.contacts.parts[0].tangential);

    // The next step: the mean of the speeds after the last step and now, over the whole step.
    made.detect();
    made.contacts.history[0].tangential_velocity = 3.0 * slide;
    CHECK(!made.contacts.history[0].is_new);
    made.compute();
    CHECK(std::abs(history.tangential_displacement - slide * touched - 2.0 * slide * kStep) < 1e-17);
  }
}

TEST_CASE("friction is at most Coulomb's: beyond it the contact slides, with the dynamic coefficient, and makes heat") {
  Material rough = plain();
  rough.friction = 0.5;
  rough.dynamic_friction = 0.25;
  const double depth = 0.0625;
  const double normal = kStiffness * depth;
  const double tangential_stiffness = kStiffnessRatio * kStiffness;
  Made made = two_disks(scene_with(rough), depth);
  made.contacts.history[0] = {.tangential_displacement = 0.49 * normal / tangential_stiffness, .is_new = false};
  made.compute();
  CHECK(!made.contacts.history[0].sliding);
  CHECK(std::abs(made.contacts.parts[0].tangential + 0.49 * normal) < 1e-11);  // N
  CHECK(made.contacts.parts[0].friction_heat == 0.0);
  const double stretched = 0.51 * normal / tangential_stiffness;
  const double left = 0.25 * normal / tangential_stiffness;
  made.contacts.history[0] = {.tangential_displacement = stretched, .is_new = false};
  made.compute();
  CHECK(made.contacts.history[0].sliding);
  CHECK(std::abs(made.contacts.parts[0].tangential + 0.25 * normal) < 1e-11);
  CHECK(std::abs(made.contacts.history[0].tangential_displacement - left) < 1e-16);  // m
  const double released = 0.5 * tangential_stiffness * (stretched * stretched - left * left);
  CHECK(std::abs(made.contacts.parts[0].friction_heat - released) < 1e-13);  // J
  // What slides goes on sliding down to the dynamic limit.
  made.contacts.history[0].tangential_displacement = 0.3 * normal / tangential_stiffness;
  made.compute();
  CHECK(made.contacts.history[0].sliding);
  made.contacts.history[0].tangential_displacement = 0.2 * normal / tangential_stiffness;
  made.compute();
  CHECK(!made.contacts.history[0].sliding);
}

TEST_CASE("rolling resistance brakes the relative rotation of disks that do not slide, up to its limit") {
  Material sticky = plain();
  sticky.friction = 10.0;
  sticky.rolling_friction = 0.125;
  const double depth = 0.0625;
  const double tangential_stiffness = kStiffnessRatio * kStiffness;
  // Equal disks that turn against each other roll; their effective radius is half of their own.
  const double effective_radius = 0.5;
  const double spin = 1.0;  // rad/s
  Made made = two_disks(scene_with(sticky), depth, {0.0, 0.0, -spin}, {0.0, 0.0, spin});
  made.compute();
  const ContactForce& force = made.contacts.force[0];
  const ForceParts& parts = made.contacts.parts[0];
  CHECK(std::abs(parts.tangential) < 1e-12);  // N
  const double displacement = effective_radius * 2.0 * spin * kStep;
  CHECK(std::abs(made.contacts.rolling[0].displacement - displacement) < 1e-17);  // m
  const double couple = -effective_radius * tangential_stiffness * displacement;
  CHECK(std::abs(force.torque[1] - couple) < 1e-12);  // N m
  CHECK(std::abs(force.torque[0] + couple) < 1e-12);
  CHECK(!made.contacts.history[0].rolling);
  made.contacts.rolling[0].displacement = 1.0;
  made.compute();
  CHECK(made.contacts.history[0].rolling);
  CHECK(std::abs(force.torque[1] + effective_radius * 0.125 * parts.normal) < 1e-12);
  CHECK(made.contacts.rolling[0].heat > 0.0);
}

TEST_CASE("cohesion pulls in proportion to the chord, and the normal force may become attractive") {
  Material sticky = plain();
  sticky.cohesion = 100.0;
  const double depth = 0.0625;
  const double half = 1.0 - 0.5 * depth;
  const double chord = 2.0 * std::sqrt(1.0 - half * half);
  Made made = two_disks(scene_with(sticky), depth);
  made.compute();
  const double expected = kStiffness * depth - 100.0 * chord;
  const auto normal_of = [](const Made& one) {
    return with_cohesion(one.contacts.parts[0].normal, one.laws.of(one.bodies, {0, 1}),
                         one.contacts.geometry(0).overlap);
  };
  CHECK(std::abs(normal_of(made) - expected) < 1e-11);  // N
  CHECK(std::abs(made.contacts.force[0].on_b.x() - expected) < 1e-11);
  CHECK(std::abs(made.contacts.parts[0].normal - kStiffness * depth) < 1e-11);
  sticky.cohesion = 200.0;
  Made stuck = two_disks(scene_with(sticky), depth);
  stuck.compute();
  CHECK(normal_of(stuck) < -1.0);
}

TEST_CASE("forces are opposite and torques balance about any point, for every law with all options") {
  Dice dice(21);
  Material material = plain();
  material.friction = 0.4;
  material.dynamic_friction = 0.3;
  material.damping = 0.3;
  material.rolling_friction = 0.1;
  material.cohesion = 20.0;
  std::size_t sliding = 0;
  std::size_t sticking = 0;
  std::size_t of_disks = 0;
  std::size_t of_polygons = 0;
  for (const std::string& polygons : law_names<PolygonLaws>()) {
    for (const std::string& disks : law_names<DiskLaws>()) {
      CAPTURE(polygons);
      CAPTURE(disks);
      Scene scene = scene_with(material);
      scene.contact_law = polygons;
      scene.disk_law = disks;
      Made made(scene);
      for (std::uint64_t id = 1; id <= 40; ++id) {
        const Motion position(dice.between(0.0, 5.0), dice.between(0.0, 5.0), dice.between(-3.0, 3.0));
        if (id % 3 == 0) {
          test::add_disk(made.bodies, id, linear(position), 0.5);
        } else {
          test::add_polygon(made.bodies, id, position,
                            random_convex_polygon(6, 1.5, [&] { return dice.between(0.0, 1.0); }));
        }
        made.bodies.velocity.back() = {dice.between(-1.0, 1.0), dice.between(-1.0, 1.0), dice.between(-1.0, 1.0)};
      }
      made.detect();
      for (ContactHistory& history : made.contacts.history) {
        history.is_new = dice.below(2) == 0;
        if (!history.is_new) history.tangential_displacement = dice.between(-0.3, 0.3);
      }
      made.compute();
      for (std::size_t k = 0; k < made.contacts.size(); ++k) {
        const BodyPair& pair = made.contacts.bodies(k);
        const Vec2 about(dice.between(-10.0, 10.0), dice.between(-10.0, 10.0));
        const ContactForce& force = made.contacts.force[k];
        const ForceParts& parts = made.contacts.parts[k];
        const Vec2& normal = made.contacts.geometry(k).overlap.normal;
        CHECK(unbalanced_torque(force, made.contacts.geometry(k), linear(made.bodies.position[pair.a]), about) < 1e-13);
        const double with_normal =
            with_cohesion(parts.normal, made.laws.of(made.bodies, pair), made.contacts.geometry(k).overlap);
        CHECK((force.on_b - with_normal * normal - parts.tangential * perp(normal)).norm() <
              1e-14 * (1.0 + force.on_b.norm()));
        sliding += made.contacts.history[k].sliding ? 1 : 0;
        sticking += made.contacts.history[k].sliding ? 0 : 1;
        ++(has_disk(made.bodies, pair) ? of_disks : of_polygons);
      }
      made.contacts.list_by_body(made.bodies.size(), 0);
      Motion sum = Motion::Zero();
      double magnitude = 0.0;
      for (std::uint32_t body = 0; body < made.bodies.size(); ++body) {
        const Motion force = net_force(made.contacts, body);
        sum += Motion(force.x(), force.y(), force.z() + cross(linear(made.bodies.position[body]), linear(force)));
        magnitude += linear(force).norm();
      }
      CHECK(sum.abs().maxCoeff() < 1e-11 * magnitude);  // momentum and angular momentum stay
      CHECK(magnitude > 1.0);
    }
  }
  CHECK(sliding > 100);
  CHECK(sticking > 50);
  CHECK(of_disks > 200);
  CHECK(of_polygons > 200);
}

TEST_CASE("a guard is told of a contact that is too deep, too stiff for the step, or goes through a thin body") {
  const double limit = 2.0 * kMaxDepthRatio;  // m, of disks with a diameter of 2 m
  Material soft_enough = plain();
  soft_enough.stiffness = 1.0;
  CHECK(!two_disks(scene_with(soft_enough), 0.99 * limit).compute());
  CHECK(two_disks(scene_with(soft_enough), 1.01 * limit).compute());

  Made stiff = two_disks(scene_with(plain()), 0.0625);
  const double angular_frequency = std::sqrt(kStiffness / reduced_mass(stiff.bodies));
  CHECK(!stiff.compute(0.99 * stiff.laws.max_omega_dt() / angular_frequency));
  CHECK(stiff.compute(1.01 * stiff.laws.max_omega_dt() / angular_frequency));

  for (const double share : {0.49, 0.51}) {  // of the plate's thickness
    CAPTURE(share);
    Scene scene = scene_with(soft_enough);
    Made made(scene);
    test::add_polygon(made.bodies, 1, {0.0, 0.0, 0.0}, rectangle(2.0, 0.1));
    test::add_polygon(made.bodies, 2, {0.0, 0.55 - 0.1 * share, 0.0}, rectangle(1.0, 1.0));
    made.detect();
    REQUIRE(made.contacts.size() == 1);
    CHECK(made.contacts.geometry(0).depth_ratio < 0.2);
    CHECK(made.compute() == (share > 0.5));
  }
}

TEST_CASE("a pair with almost no stiffness may go as deep as it likes, without a guard being told") {
  Scene scene = scene_with(plain());
  scene.materials.push_back(scene.materials[0]);
  scene.pairs = {{.first = 0, .second = 1, .mixed = scene.materials[0]}};
  for (const double share : {2.0, 0.5}) {  // of the stiffness below which a pair is a ghost
    CAPTURE(share);
    scene.pairs[0].mixed.stiffness = share * kGhostStiffnessRatio * kStiffness;
    Made made(scene);
    test::add_disk(made.bodies, 1, {0.0, 0.0}, 1.0);
    test::add_disk(made.bodies, 2, {0.5, 0.0}, 1.0, 1);
    made.detect();
    REQUIRE(made.contacts.size() == 1);
    CHECK(made.compute() == (share > 1.0));
    CHECK(std::abs(made.contacts.parts[0].normal - scene.pairs[0].mixed.stiffness * 1.5) < 1e-15);  // N
  }
}

TEST_CASE("a contact remembers its largest depth") {
  Made made = two_disks(scene_with(plain()), 0.25);
  made.compute();
  made.bodies.position[1].x() = 2.0 - 0.125;
  made.detect();
  made.compute();
  CHECK(made.contacts.geometry(0).depth_ratio == 0.0625);
  CHECK(made.contacts.history[0].max_depth_ratio == 0.125);
}

TEST_CASE("a contact's energy is that of its springs where bodies are now; of cohesion, minus its part of the area") {
  Material sticky = plain();
  sticky.cohesion = 100.0;
  Made made = two_disks(scene_with(sticky), 0.0625);
  made.compute();
  made.contacts.history[0].tangential_displacement = 0.25;
  made.contacts.resist_rolling();
  made.contacts.rolling[0].displacement = -0.5;
  const auto energy = [&] {
    return made.forces.elastic_energy(made.bodies, made.laws, made.proxies, made.contacts.record(0));
  };
  const double area = made.contacts.geometry(0).overlap.area;
  CHECK(std::abs(energy().potential - (0.5 * kStiffness * 0.0625 * 0.0625 - 100.0 * area)) < 1e-12);  // J
  CHECK(std::abs(energy().tangential - 0.5 * kStiffnessRatio * kStiffness * (0.0625 + 0.25)) < 1e-12);
  CHECK(energy().without_potential == 0.0);
  made.bodies.position[1].x() = 2.5;  // apart since: the tangential springs are still there
  CHECK(energy().potential == 0.0);
  CHECK(energy().tangential > 70.0);
}

TEST_CASE("a law that there is not is refused by its key") {
  Scene scene = scene_with(plain());
  scene.contact_law = "volume";
  CHECK_THROWS_WITH(ContactForces{scene}, "contact.law: there is no law 'volume'");
  scene.contact_law = "area";
  scene.disk_law = "cubic";
  CHECK_THROWS_WITH(ContactForces{scene}, "contact.disks: there is no law 'cubic'");
}

TEST_CASE("the same forces for 1 to 4 threads") {
  Dice dice(22);
  Material material = plain();
  material.friction = 0.4;
  material.damping = 0.3;
  Made made(scene_with(material));
  for (std::uint64_t id = 1; id <= 300; ++id) {
    test::add_disk(made.bodies, id, {dice.between(0.0, 20.0), dice.between(0.0, 20.0)}, 1.0);
    made.bodies.velocity.back() = {dice.between(-1.0, 1.0), dice.between(-1.0, 1.0), dice.between(-1.0, 1.0)};
  }
  made.detect();
  CHECK(made.contacts.size() > 1000);  // the loop is really shared
  const Contacts start = made.contacts;
  made.compute();
  const Contacts one = made.contacts;
  for (const int threads : {1, 2, 3, 4}) {
    CAPTURE(threads);
    made.contacts = start;
    Threads(threads).run([&] { CHECK(made.compute()); });  // many are too deep
    std::size_t differ = 0;
    for (std::size_t k = 0; k < one.size(); ++k) {
      const bool same = made.contacts.force[k].on_b == one.force[k].on_b &&
                        made.contacts.force[k].torque[0] == one.force[k].torque[0] &&
                        made.contacts.history[k].tangential_displacement == one.history[k].tangential_displacement;
      differ += same ? 0 : 1;
    }
    CHECK(differ == 0);
  }
}

}  // namespace scree::contact_forces_test
