#include "dem/soft/forces/contact_power.hpp"

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/lanes/kernels.hpp"
#include "geometry/polygon_makers.hpp"
#include "parallel/threads.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::contact_power_test {

using namespace scree::soft;
using test::Dice;

namespace {

constexpr double kStep = 0.125;  // s

Scene scene_with_rolling_resistance() {
  Scene scene = test::empty_scene();
  scene.materials[0].rolling_friction = 0.1;
  return scene;
}

/// Closes a step. @param sum becomes greater by its work
void account(const Bodies& bodies, const ContactLaws& laws, std::span<const EndedContact> ended, Contacts& contacts,
             PowerIntegral& integral, ContactWork& sum) {
  const ContactWork work = integral.close(integral.tally(bodies, laws, ended, {}, contacts), kStep);
  sum.damping += work.damping;
  sum.friction += work.friction;
  sum.rolling += work.rolling;
  sum.law += work.law;
  sum.wall_work += work.wall_work;
}

/// Two disks of radius 1 m along x in a contact whose force is made up.
struct PreparedContact {
  Scene scene = scene_with_rolling_resistance();
  ContactLaws laws{scene, 4};
  Bodies bodies;
  Contacts contacts;
  PowerIntegral integral;
  ContactWork energy;

  PreparedContact() {
    test::add_disk(bodies, 1, {0.0, 0.0}, 1.0);
    test::add_disk(bodies, 2, {1.5, 0.0}, 1.0);
    test::add_contact(bodies, {0, 1}, test::touching_geometry({1.5, 0.0}, {1.0, 0.0}), contacts);
    integral.find_quanta(bodies, laws, kStep);
    contacts.parts[0].point = {0.75, 0.0};
    contacts.resist_rolling();
  }
  void close(std::span<const EndedContact> ended = {}) { account(bodies, laws, ended, contacts, integral, energy); }
};

double total(const ContactWork& energy) {
  return std::abs(energy.damping) + std::abs(energy.friction) + std::abs(energy.rolling) + std::abs(energy.law) +
         std::abs(energy.wall_work);
}

}  // namespace

TEST_CASE("a dashpot takes force times speed, integrated by the trapezoidal rule, whether the bodies meet or part") {
  for (const double speed : {0.5, -0.5}) {  // of separation [m/s]
    CAPTURE(speed);
    PreparedContact pair;
    pair.bodies.velocity[1].x() = speed;
    constexpr double kDashpot = 3.0;  // N s/m
    pair.contacts.parts[0].spring = 10.0;
    pair.contacts.parts[0].normal = 10.0 - kDashpot * speed;
    pair.close();
    const double power = kDashpot * speed * speed;
    CHECK(pair.energy.damping == 0.5 * kStep * power);  // before the first step there was none
    pair.close();
    CHECK(pair.energy.damping == 1.5 * kStep * power);
    pair.bodies.velocity[1].x() = 0.0;
    pair.contacts.parts[0].normal = 10.0;
    pair.close();
    CHECK(pair.energy.damping == 2.0 * kStep * power);
    CHECK(total(pair.energy) == pair.energy.damping);
  }
}

TEST_CASE("a force without a potential takes its own power, and no dashpot's") {
  PreparedContact pair;
  pair.bodies.velocity[1].x() = 0.5;
  pair.contacts.parts[0].spring = pair.contacts.parts[0].normal = 10.0;
  pair.contacts.parts[0].non_conservative = -10.0;
  pair.close();
  CHECK(pair.energy.law == -0.5 * kStep * 10.0 * 0.5);
  CHECK(total(pair.energy) == -pair.energy.law);
}

TEST_CASE("a spring that acts beside the point of attack has the speed of the bodies there") {
  PreparedContact pair;
  pair.bodies.velocity[1].z() = 2.0;
  pair.contacts.parts[0].spring = pair.contacts.parts[0].normal = 10.0;
  pair.contacts.parts[0].spring_arm = 0.25;  // m, along the tangent: there b moves against the normal
  pair.close();
  CHECK(pair.energy.damping == 0.5 * kStep * 10.0 * (-2.0 * 0.25));
}

TEST_CASE("friction takes its dashpot's power and the heat of sliding; so does rolling resistance") {
  PreparedContact pair;
  pair.bodies.velocity[0] = {0.0, 0.25, 0.0};
  pair.bodies.velocity[1] = {0.0, 0.75, 0.5};  // at the contact 0.75 - 0.75 * 0.5 = 0.375 m/s
  pair.contacts.parts[0].friction_dashpot = -4.0;
  pair.contacts.parts[0].friction_heat = 7.0;
  pair.contacts.rolling[0].dashpot = -8.0;
  pair.contacts.rolling[0].heat = 11.0;
  pair.close();
  CHECK(pair.contacts.history[0].tangential_velocity == 0.125);
  CHECK(pair.contacts.history[0].relative_angular_velocity == 0.5);
  CHECK(pair.energy.friction == 7.0 + 0.5 * kStep * 4.0 * 0.125);
  CHECK(pair.energy.rolling == 11.0 + 0.5 * kStep * 8.0 * 0.5);
  CHECK(total(pair.energy) == pair.energy.friction + pair.energy.rolling);
  pair.contacts.parts[0] = {};
  pair.contacts.parts[0].normal = 0.0;
  pair.contacts.rolling[0] = {};
  pair.close();  // the heat was that of one step
  CHECK(pair.energy.friction == 7.0 + kStep * 4.0 * 0.125);
  CHECK(pair.energy.rolling == 11.0 + kStep * 8.0 * 0.5);
}

TEST_CASE("the energy in the tangential springs of a contact that ended is dissipated at once") {
  PreparedContact pair;
  EndedContact ended = pair.contacts.record(0);
  ended.history.tangential_displacement = 0.5;
  ended.rolling_displacement = -0.25;
  const double stiffness = pair.laws.of(pair.bodies, {0, 1}).tangential_stiffness;
  pair.contacts.end(std::array{0U});
  CHECK(pair.contacts.size() == 0);
  pair.close(std::span(&ended, 1));
  CHECK(std::abs(pair.energy.law - 0.5 * stiffness * (0.25 + 0.0625)) < 1e-9);  // J, of 4e4
  CHECK(pair.energy.law > 1e4);
  const double once = pair.energy.law;
  pair.close();
  CHECK(pair.energy.law == once);
}

TEST_CASE("a wall's work is what its motion does against the force on it") {
  Scene scene = test::empty_scene();
  const ContactLaws laws(scene, 4);
  Bodies bodies;
  test::add_wall(bodies, 1, {0.0, -0.5, 0.0}, rectangle(4.0, 1.0));
  test::add_disk(bodies, 2, {0.0, 0.9}, 1.0);
  Contacts contacts;
  test::add_contact(bodies, {1, 0}, test::touching_geometry({0.0, -1.4}, {0.0, -1.0}), contacts);
  contacts.force[0] = {.on_b = {1.0, -8.0}, .torque = {0.0, 2.0}};
  bodies.velocity[0] = {0.5, 0.25, -3.0};
  PowerIntegral integral;
  integral.find_quanta(bodies, laws, kStep);
  ContactWork energy;
  account(bodies, laws, {}, contacts, integral, energy);
  CHECK(energy.wall_work == -0.5 * kStep * (0.5 - 2.0 - 6.0));
  account(bodies, laws, {}, contacts, integral, energy);
  CHECK(energy.wall_work == -1.5 * kStep * (0.5 - 2.0 - 6.0));
}

TEST_CASE("kinetic energy is that of translation and rotation, of particles only") {
  Bodies bodies;
  test::add_wall(bodies, 1, {0.0, 0.0, 0.0}, rectangle(4.0, 1.0));
  test::add_disk(bodies, 2, {0.0, 2.0}, 1.0);
  test::add_disk(bodies, 3, {0.0, 5.0}, 1.0);
  bodies.velocity = {{9.0, 9.0, 9.0}, {3.0, 4.0, 2.0}, {0.0, 0.0, 1.0}};
  const double mass = bodies.mass[1];
  const Periodic plane(Domain{});
  CHECK(std::abs(kinetic_energy(bodies, 1, plane) - mass * (12.5 + 1.0)) < 1e-13);  // J
  CHECK(std::abs(kinetic_energy(bodies, plane) - mass * (12.5 + 1.0 + 0.25)) < 1e-13);
}

TEST_CASE("the sums have the same bits for 1 to 4 threads, and are those of all contacts") {
  Dice dice(31);
  const Scene scene = test::empty_scene();
  const ContactLaws laws(scene, 4);
  Bodies bodies;
  for (std::uint64_t id = 1; id <= 80; ++id) {
    test::add_disk(bodies, id, {0.0, 0.0}, 1.0);
    bodies.velocity.back() = {dice.between(-1.0, 1.0), dice.between(-1.0, 1.0), dice.between(-1.0, 1.0)};
  }
  Contacts contacts;
  test::add_candidates(bodies, test::all_pairs_of(bodies), contacts);
  std::vector<std::vector<NewContact>> found(1);
  for (std::uint32_t k = 0; k < contacts.candidates.size(); ++k) {
    if (dice.below(3) == 0) continue;
    found[0].push_back({.candidate = k, .geometry = test::touching_geometry({1.0, 0.0}, {0.6, 0.8})});
  }
  contacts.update(found, {});
  double friction = 0.0;
  for (ForceParts& parts : contacts.parts) {
    parts.normal = dice.between(0.0, 1.0);
    parts.spring = dice.between(0.0, 1.0);
    parts.friction_heat = dice.between(0.0, 1.0);
    friction += parts.friction_heat;
  }
  // Every fifth contact ends.
  std::vector<EndedContact> ended;
  double released = 0.0;
  std::vector<std::uint32_t> apart;
  for (std::uint32_t k = 0; k < contacts.size(); k += 5) {
    apart.push_back(k);
    contacts.history[k].tangential_displacement = dice.between(0.0, 1.0);
    friction -= contacts.parts[k].friction_heat;
    released += tangential_energy(laws.of(bodies, contacts.bodies(k)), contacts.record(k));
  }
  for (const EndedContact& contact : contacts.update({}, apart)) ended.push_back(contact);
  CHECK(contacts.candidates.size() > 6 * 512);  // the sum really has several parts
  CHECK(ended.size() > 300);
  ContactWork of_one;
  for (const int threads : {1, 2, 3, 4}) {
    CAPTURE(threads);
    PowerIntegral integral;
    integral.find_quanta(bodies, laws, kStep);
    ContactWork energy;
    Threads(threads).run([&] { account(bodies, laws, ended, contacts, integral, energy); });
    CHECK(std::abs(energy.friction - friction) < 1e-12 * friction);
    CHECK(std::abs(energy.law - released) < 1e-12 * released);
    if (threads == 1) of_one = energy;
    CHECK(energy.damping == of_one.damping);
    CHECK(energy.friction == of_one.friction);
    CHECK(energy.law == of_one.law);
    CHECK(energy.damping != 0.0);
  }
  const int usual = lanes::kernels().width;
  // Nor does it matter who adds which contacts up, and how many at a time.
  for (const int width : {1, 2, 4, 8}) {
    if (!lanes::use_lanes(width)) continue;
    CAPTURE(width);
    PowerIntegral integral;
    integral.find_quanta(bodies, laws, kStep);
    std::vector<char> own(bodies.size());
    std::vector<char> others(bodies.size());
    for (std::size_t body = 0; body < own.size(); ++body) {
      own[body] = dice.below(3) == 0 ? 1 : 0;
      others[body] = own[body] == 0 ? 1 : 0;
    }
    PowerTally all = integral.tally(bodies, laws, ended, others, contacts);
    all += integral.tally(bodies, laws, ended, own, contacts);
    const ContactWork energy = integral.close(all, kStep);
    CHECK(energy.damping == of_one.damping);
    CHECK(energy.friction == of_one.friction);
    CHECK(energy.law == of_one.law);
  }
  lanes::use_lanes(usual);
}

}  // namespace scree::contact_power_test
