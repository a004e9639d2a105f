#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/observe.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::soft_observe_test {

using namespace scree::soft;

namespace {

/// A wall and three disks of radius 1 m in a domain that is periodic along x, 20 m wide: two disks touch across its
/// sides, one of them touches the wall, the third touches nothing. Forces are made up.
struct Prepared {
  Scene scene = test::empty_scene();
  Bodies bodies;
  Contacts contacts;
  Proxies proxies;
  ContactLaws laws;
  ContactForces forces;
  std::vector<Motion> net_force;

  static Scene made_scene() {
    Scene scene = test::empty_scene();
    scene.domain = {.lo = {-10.0, -10.0}, .hi = {10.0, 10.0}, .periodic = {true, false}};
    scene.gravity = {0.5, -10.0};
    scene.materials[0].stiffness = 1000.0;
    scene.walls = {test::floor_wall()};
    scene.walls[0].name = "floor";
    scene.walls[0].polygon = {{-10.0, -1.0}, {-8.0, -1.0}, {-8.0, 0.0}, {-10.0, 0.0}};
    return scene;
  }
  Prepared() : scene(made_scene()), proxies(scene.domain), laws(scene, 4), forces(scene) {
    test::add_wall(bodies, 1, {-9.0, -0.5, 0.0}, rectangle(2.0, 1.0));
    test::add_disk(bodies, 2, {-9.5, 0.75}, 1.0);
    test::add_disk(bodies, 3, {9.0, 0.75}, 1.0);
    test::add_disk(bodies, 4, {0.0, 5.0}, 1.0);
    bodies.velocity[1] = {1.0, 2.0, 3.0};
    bodies.velocity[0] = {0.25, 0.0, 0.0};
    bodies.image[3] = {2, 0};
    ContactGeometry geometry = test::touching_geometry({-1.5, 0.0}, {-1.0, 0.0});
    geometry.overlap.depth = 0.5;
    geometry.overlap.area = 0.375;
    geometry.depth_ratio = 0.25;
    test::add_contact(bodies, {1, 2}, geometry, contacts, {-1, 0});
    geometry = test::touching_geometry({0.5, -1.25}, {0.0, -1.0});
    geometry.overlap.depth = 0.25;
    geometry.overlap.area = 0.125;
    geometry.depth_ratio = 0.125;
    test::add_contact(bodies, {1, 0}, geometry, contacts);
    REQUIRE(contacts.size() == 2);
    REQUIRE(contacts.bodies(0).b == 0);  // walls come first
    contacts.force[0] = {.on_b = {1.0, -8.0}, .torque = {0.875, 0.5}};
    contacts.parts[0] = {.point = {0.0, -0.875}, .normal = 8.0, .tangential = 1.0};
    contacts.force[1] = {.on_b = {-4.0, 0.0}};
    contacts.parts[1] = {.point = {-0.75, 0.0}, .normal = 4.0};
    contacts.history[0].sliding = true;
    contacts.list_by_body(bodies.size(), bodies.walls);
    for (std::uint32_t body = 0; body < bodies.size(); ++body) {
      net_force.push_back(bodies.is_wall(body) ? Motion::Zero() : scree::soft::net_force(contacts, body));
    }
  }
  ObserveView view() const { return {scene, bodies, proxies, contacts, laws, forces, net_force}; }
};

}  // namespace

TEST_CASE("a state shows particles with the forces on them, contact and weight, and how many contacts they have") {
  const Prepared prepared;
  const State state = state_of(prepared.view());
  const ParticleState& p = state.particles;
  CHECK(p.id == std::vector<std::uint64_t>{2, 3, 4});
  CHECK(p.coordination == std::vector<int>{2, 1, 0});
  CHECK(p.position[0] == Vec2(-9.5, 0.75));
  CHECK(p.velocity[0] == Vec2(1.0, 2.0));
  CHECK(p.angular_velocity[0] == 3.0);
  const Vec2 weight = p.mass[0] * Vec2(0.5, -10.0);
  CHECK((p.force[0] - (Vec2(-1.0 + 4.0, 8.0) + weight)).norm() < 1e-13);  // N
  CHECK((p.force[1] - (Vec2(-4.0, 0.0) + weight)).norm() < 1e-13);
  CHECK((p.force[2] - weight).norm() < 1e-13);
  CHECK(p.torque == std::vector<double>{0.875, 0.0, 0.0});
  CHECK(p.image[2] == Image{2, 0});
  CHECK(p.outlines.first == std::vector<std::uint32_t>{0, 0, 0, 0});  // disks have no outline
}

TEST_CASE("a state shows walls as they lie, with the force of all particles on them") {
  const Prepared prepared;
  const WallState walls = state_of(prepared.view()).walls;
  REQUIRE(walls.size() == 1);
  CHECK(walls.name[0] == "floor");
  CHECK(walls.velocity[0] == Vec2(0.25, 0.0));
  CHECK(walls.force[0] == Vec2(1.0, -8.0));
  CHECK(walls.torque[0] == 0.5);
  REQUIRE(walls.outlines.vertices.size() == 4);
  CHECK(walls.outlines.vertices[0] == Vec2(-10.0, -1.0));
  CHECK(walls.outlines.vertices[2] == Vec2(-8.0, 0.0));
}

TEST_CASE("a contact across a periodic side is shown where it is, and says by how much its partner is displaced") {
  const Prepared prepared;
  const std::vector<ContactState> contacts = state_of(prepared.view()).contacts;
  REQUIRE(contacts.size() == 2);
  const ContactState& at_wall = contacts[0];
  CHECK(at_wall.id1 == 2);
  CHECK(at_wall.id2 == 1);
  CHECK(at_wall.image_shift == Vec2(0.0, 0.0));
  CHECK(at_wall.point == Vec2(-9.5, -0.125));
  CHECK(at_wall.centre2 == at_wall.point);  // of a wall
  CHECK(at_wall.sliding);
  CHECK(at_wall.force_tangential == 1.0);
  const ContactState& across = contacts[1];
  CHECK(across.id1 == 2);
  CHECK(across.id2 == 3);
  CHECK(across.image_shift == Vec2(-20.0, 0.0));
  CHECK(across.centre1 == Vec2(-9.5, 0.75));
  CHECK(across.centre2 == Vec2(-11.0, 0.75));
  CHECK(across.point == Vec2(-10.25, 0.75));
  CHECK(across.force == Vec2(-4.0, 0.0));
  CHECK(across.force_normal == 4.0);
  CHECK(across.depth == 0.5);
  CHECK(across.overlap == 0.375);
  CHECK(!across.sliding);
}

TEST_CASE("the coordination number counts contacts with walls once and those of two particles twice") {
  const Prepared prepared;
  const Summary summary = summary_of(prepared.view(), {});
  CHECK(summary.particles == 3);
  CHECK(summary.contacts == 2);
  CHECK(summary.coordination == 1.0);
  CHECK(summary.max_depth == 0.5);
  CHECK(summary.max_depth_ratio == 0.25);
  Prepared without;
  std::vector<char> leaving = {0, 1, 1, 1};
  without.contacts = {};
  without.bodies.remove(leaving);
  CHECK(summary_of(without.view(), {}).coordination == 0.0);
}

TEST_CASE("a body that went around a periodic domain along gravity goes on falling") {
  const Prepared prepared;
  const Periodic& periodic = prepared.proxies.periodic();
  const double mass = prepared.bodies.mass[3];
  const double potential = potential_energy(prepared.bodies, 3, prepared.scene.gravity, periodic);
  CHECK(std::abs(potential - mass * (10.0 * 5.0 - 0.5 * 40.0)) < 1e-12);  // J
  const Summary summary = summary_of(prepared.view(), {});
  const double of_all = mass * (10.0 * (0.75 + 0.75 + 5.0) - 0.5 * (-9.5 + 9.0 + 40.0));
  CHECK(std::abs(summary.potential_energy - of_all) < 1e-12);
}

TEST_CASE("energies are those of motion and of springs, and their difference from the accounts is the residual") {
  const Prepared prepared;
  EnergyBalance accounts;
  accounts.in = 200.0;
  const Summary summary = summary_of(prepared.view(), accounts);
  const double mass = prepared.bodies.mass[1];
  CHECK(std::abs(summary.kinetic_energy - 0.5 * mass * (5.0 + 4.5)) < 1e-12);  // J
  // The springs are measured where the bodies are: half a metre between the disks, a quarter to the wall.
  CHECK(std::abs(summary.elastic_energy - 0.5 * 1000.0 * (0.25 + 0.0625)) < 1e-9);
  CHECK(summary.elastic_energy == elastic_energy(prepared.view()).sum());
  const double sum = summary.kinetic_energy + summary.potential_energy + summary.elastic_energy;
  CHECK(std::abs(summary.energy_residual * summary.energy_throughput - (sum - 200.0)) < 1e-9);
}

TEST_CASE("a contact's impulse counts with its branch vector, which to a wall ends at the contact") {
  const Prepared prepared;
  Scene scene = prepared.scene;
  scene.measure = Measure{.every = 1.0, .region = {scene.domain.lo, scene.domain.hi}};
  Transfers transfers(*scene.measure, scene.domain, 1);
  add_transfers(prepared.bodies, prepared.contacts, 0.25, transfers);
  CHECK(transfers.walls()[0].impulse == Vec2(0.25, -2.0));
  CHECK(transfers.walls()[0].angular_impulse == 0.125);
  REQUIRE(transfers.layers().size() == 1);
  CHECK(transfers.layers()[0].virial(0, 0) == 1.5);  // branch -1.5 m, impulse -1 N s
  CHECK(transfers.layers()[0].virial(1, 1) == 0.875 * 2.0);
  CHECK(transfers.layers()[0].wall_virial == Vec2(-9.5 * 0.25, 0.125 * 2.0));  // about the origin
  CHECK(transfers.layers()[0].collisions == 0);                                // lasts since the step before
  CHECK(transfers.layers()[0].wall_collisions == 1);
}

TEST_CASE("sums over contacts have the bits of their definition, wherever the contacts are") {
  // Disks anywhere in and around the domain, a third of the contacts with walls; positions, branches, forces made up.
  std::mt19937_64 random(5);
  const auto draw = [&] { return std::uniform_real_distribution(-1.0, 1.0)(random); };
  const auto draw_both = [&] {
    const double x = draw();
    return Vec2(x, draw());
  };
  Bodies bodies;
  test::add_wall(bodies, 1, {0.0, 0.0, 0.0}, rectangle(2.0, 1.0), 1);
  test::add_wall(bodies, 2, {0.0, 0.0, 0.0}, rectangle(2.0, 1.0), 0);
  constexpr int kDisks = 60;
  for (std::uint64_t id = 3; id < 3 + kDisks; ++id) test::add_disk(bodies, id, 1.05 * draw_both(), 0.1);
  std::vector<BodyPair> pairs;
  for (std::uint32_t a = 2; a < 2 + kDisks - 2; ++a) {
    if (a % 3 == 0) pairs.push_back({a, a % 2});
    pairs.push_back({a, a + 1});
    if (a % 5 != 0) pairs.push_back({a, a + 2});
  }
  Contacts contacts;
  test::add_candidates(bodies, pairs, contacts);
  const auto touch = [&](std::uint32_t from, std::uint32_t every) {
    std::vector<std::vector<NewContact>> found(1);
    for (std::uint32_t k = from; k < contacts.candidates.size(); k += every) {
      found[0].push_back({k, test::touching_geometry(0.2 * draw_both(), {1.0, 0.0})});
    }
    contacts.update(found, {});
  };
  touch(0, 2);
  touch(1, 4);
  touch(3, 4);  // these are new
  REQUIRE(contacts.size() == pairs.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    contacts.force[k].on_b = draw_both();
    contacts.parts[k].point = 0.1 * draw_both();
    contacts.force[k].torque[1] = draw();
  }
  constexpr double kStep = 0.3;
  for (const bool periodic : {false, true}) {
    for (const double half : {0.5, 1.0}) {
      for (const int layers : {1, 3}) {
        for (const std::size_t count : {contacts.size(), contacts.size() - 1}) {
          CAPTURE(periodic);
          CAPTURE(half);
          CAPTURE(layers);
          Contacts some = contacts;
          if (count < contacts.size()) some.candidate.pop_back();
          Measure measure{.every = 1.0, .region = {{-half, -1.0}, {1.0, half}}};
          if (layers > 1) measure.height_profile = Measure::HeightProfile{layers};
          const Domain domain{.lo = {-1.0, -1.0}, .hi = {1.0, 1.0}, .periodic = {periodic, periodic}};
          Transfers sums(measure, domain, 2);
          Transfers definition(measure, domain, 2);
          for (int step = 0; step < 2; ++step) {
            add_transfers(bodies, some, kStep, sums);
            for (std::size_t k = 0; k < some.size(); ++k) {
              const BodyPair& pair = some.bodies(k);
              const ContactForce& force = some.force[k];
              const bool wall = bodies.is_wall(pair.b);
              const Transfers::Contact contact{.centre = linear(bodies.position[pair.a]),
                                               .branch = wall ? some.parts[k].point : some.geometry(k).branch_vector,
                                               .impulse = kStep * force.on_b,
                                               .begun = some.history[k].is_new};
              if (wall) {
                definition.add_on_wall(contact, static_cast<std::size_t>(bodies.type[pair.b]), kStep * force.torque[1]);
              } else {
                definition.add(contact);
              }
            }
          }
          std::uint64_t begun = 0;
          for (std::size_t k = 0; k < sums.layers().size(); ++k) {
            const LayerTransfer& layer = sums.layers()[k];
            const LayerTransfer& right = definition.layers()[k];
            CHECK(layer.collisions == right.collisions);
            CHECK(layer.wall_collisions == right.wall_collisions);
            CHECK(layer.virial == right.virial);
            CHECK(layer.wall_virial == right.wall_virial);
            begun += layer.collisions;
          }
          CHECK(begun > 0);
          for (std::size_t k = 0; k < 2; ++k) {
            CHECK(sums.walls()[k].impulse == definition.walls()[k].impulse);
            CHECK(sums.walls()[k].angular_impulse == definition.walls()[k].angular_impulse);
          }
        }
      }
    }
  }
}

TEST_CASE("depths that last are counted, one a contact") {
  const Prepared prepared;
  DepthHistogram expected;
  expected.add(0.125);
  expected.add(0.25);
  CHECK(depths_of(prepared.contacts).counts == expected.counts);
  CHECK(expected.total() == 2);
}

TEST_CASE("the values that decide the future name friction by its contact, and change with it") {
  Prepared prepared;
  Gear gear(4, 1e-3);
  for (std::uint32_t body = 0; body < prepared.bodies.size(); ++body) gear.add(Motion::Zero());
  const auto hash = [&] {
    StateValues values;
    list_values(prepared.bodies, gear, prepared.contacts, values);
    return values.hashes();
  };
  const StateHash before = hash();
  prepared.contacts.candidates.hint[0][0] += 1;  // a hint is no state
  prepared.contacts.force[0].on_b.x() += 1.0;    // nor is what follows from it
  CHECK(hash() == before);
  prepared.contacts.history[1].tangential_displacement = 1e-300;
  const StateHash after = hash();
  CHECK(after != before);
  prepared.contacts.history[1].tangential_displacement = 0.0;
  CHECK(hash() == before);
  prepared.bodies.image[3] = {1, 0};
  CHECK(hash() != before);
}

}  // namespace scree::soft_observe_test
