#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/contact/laws/laws.hpp"
#include "dem/soft/forces/contact_forces.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "dem/soft/lanes/views.hpp"
#include "geometry/polygon_makers.hpp"
#include "parallel/threads.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::lanes_test {

/// Kernels for lanes beside the definition: pairs taken one by one, without a hint.
using namespace scree::soft;
using test::Dice;

namespace {

constexpr double kStep = 1e-3;  // s

/// Chooses kernels for as long as it lives.
class Lanes {
 public:
  explicit Lanes(int width) : before_(lanes::kernels().width), available_(lanes::use_lanes(width)) {}
  ~Lanes() { lanes::use_lanes(before_); }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  bool available() const { return available_; }

 private:
  int before_;
  bool available_;
};

enum class Grains { polygons_and_disks, only_disks, with_many_corners };

/// A crowd of polygons and disks of two materials around a wall, with their contacts.
struct Crowd {
  Bodies bodies;
  Placement placement;
  Proxies proxies;
  Gear gear{4, kStep};
  Contacts contacts;
  Narrowphase narrowphase;

  Crowd(const Domain& domain, int grains, Dice& dice, Grains kind = Grains::polygons_and_disks) : proxies(domain) {
    test::add_wall(bodies, 1, {5.0, 4.0, 0.3}, rectangle(4.0, 1.0));
    for (int k = 0; k < grains; ++k) {
      const auto id = static_cast<std::uint64_t>(k) + 2;
      const Motion position(dice.between(0.0, 10.0), dice.between(0.0, 8.0), dice.between(-3.0, 3.0));
      const int material = static_cast<int>(dice.below(2));
      if (kind == Grains::only_disks || dice.below(3) == 0) {
        test::add_disk(bodies, id, linear(position), dice.between(0.2, 0.5), material);
      } else {
        const bool has_many = kind == Grains::with_many_corners && dice.below(3) != 0;
        const int vertices =
            3 + static_cast<int>(dice.below(7)) + (has_many ? 90 * static_cast<int>(dice.below(4)) : 0);
        const Polygon form = random_convex_polygon(vertices, 1.5, [&] { return dice.between(0.0, 1.0); });
        test::add_polygon(bodies, id, position, form.scaled(dice.between(0.3, 1.2)), material);
      }
    }
    placement.add_missing(bodies);
    for (std::uint32_t body = 0; body < bodies.size(); ++body) gear.add(Motion::Zero());
    test::add_candidates(bodies, test::all_pairs_of(bodies), contacts);
  }

  void shake(Dice& dice, double by) {
    for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
      bodies.velocity[body] = {dice.between(-by, by), dice.between(-by, by), dice.between(-by, by)};
      bodies.position[body] += bodies.velocity[body];
      bodies.velocity[body] /= kStep;
    }
    wrap(proxies.periodic(), bodies);
    placement.update(bodies);
  }
  void detect() {
    narrowphase.detect({bodies, placement, proxies, gear}, contacts);
    contacts.update(narrowphase.found(), narrowphase.apart());
  }
  /// The definition: without a hint, turned to the directions of the world.
  Overlap expected(std::size_t candidate) const {
    const BodyPair pair = contacts.candidates.bodies[candidate];
    const Rotation& to_world = placement.rotation_of(pair.a);
    const Vec2 branch = proxies.branch_vector(bodies, pair.a, pair.b, contacts.candidates.image_of(candidate));
    PairHint none;
    Overlap found = overlap(bodies.shape(pair.a), bodies.shape(pair.b),
                            relative_pose(to_world, placement.rotation_of(pair.b), branch), none);
    found.centroid = to_world * found.centroid;
    found.normal = to_world * found.normal;
    found.chord_begin = to_world * found.chord_begin;
    found.chord_end = to_world * found.chord_end;
    return found;
  }
};

/// Equal to the last bit; 0 and -0 are not.
template <class T>
bool same_bits(const T& x, const T& y) {
  static_assert(sizeof(T) % sizeof(double) == 0);
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

constexpr int kGrains = 170;
const Domain kOpen{.lo = {0.0, 0.0}, .hi = {10.0, 8.0}};
const Domain kPeriodic{.lo = {0.0, 0.0}, .hi = {10.0, 8.0}, .periodic = {true, true}};

}  // namespace

TEST_CASE("kernels of every width find the overlaps that pairs one by one have, to the last bit") {
  for (const int width : {1, 2, 4, 8}) {
    CAPTURE(width);
    const Lanes lanes(width);
    if (!lanes.available()) {
      MESSAGE("this processor has not got lanes of " << width);
      continue;
    }
    for (const int kind : {0, 1, 2, 3, 4, 5}) {
      const bool periodic = kind % 2 == 1;
      const Grains grains = static_cast<Grains>(kind / 2);
      CAPTURE(kind);
      Dice dice(7);
      Crowd crowd(periodic ? kPeriodic : kOpen, kGrains, dice, grains);
      crowd.detect();
      int compared = 0;
      int long_arcs = 0;  // measured in lanes
      for (const double by :
           {1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 0.02, 0.3}) {  // from hints that are right to hints that mislead
        CAPTURE(by);
        crowd.shake(dice, by);
        crowd.detect();
        std::size_t contact = 0;
        for (std::size_t candidate = 0; candidate < crowd.contacts.candidates.size(); ++candidate) {
          const Overlap expected = crowd.expected(candidate);
          const bool touches = contact < crowd.contacts.size() && crowd.contacts.candidate[contact] == candidate;
          REQUIRE(touches == expected.touching());
          if (!touches) continue;
          REQUIRE(same_bits(crowd.contacts.geometry(contact).overlap, expected));
          ++contact;
          ++compared;
          const BodyPair pair = crowd.contacts.candidates.bodies[candidate];
          const auto has_many = [&](std::uint32_t body) { return crowd.bodies.outline_size[body] > kMostUnsummed; };
          if ((has_many(pair.a) || has_many(pair.b)) &&
              crowd.contacts.candidates.kind[candidate] == lanes::kArcClasses) {
            ++long_arcs;  // a pair that a kernel was not certain of has no kind any more
          }
        }
      }
      CHECK(compared > 1000);
      if (grains == Grains::with_many_corners) CHECK(long_arcs > 100);
    }
  }
}

TEST_CASE("kernels of every width compute the same forces and histories, to the last bit") {
  Scene scene = test::empty_scene();
  scene.materials = {{.name = "rough", .density = 1.0, .stiffness = 1e3, .restitution = 0.3, .friction = 0.6},
                     {.name = "sticky", .density = 1.0, .stiffness = 3e3, .restitution = 0.6, .friction = 0.2}};
  scene.materials[0].rolling_friction = 0.1;
  scene.materials[1].cohesion = 5.0;
  const auto run = [&](int width, Grains grains) {
    const Lanes lanes(width);
    std::vector<double> numbers;
    if (!lanes.available()) return numbers;
    Dice dice(11);
    Crowd crowd(kOpen, kGrains, dice, grains);
    const ContactLaws laws(scene, 4);
    const ContactForces forces(scene);
    for (int step = 0; step < 5; ++step) {
      crowd.shake(dice, 2e-3);
      crowd.detect();
      forces.compute({crowd.bodies, crowd.placement, laws, kStep}, crowd.contacts);
    }
    for (std::size_t k = 0; k < crowd.contacts.size(); ++k) {
      const ContactForce& force = crowd.contacts.force[k];
      const ForceParts& parts = crowd.contacts.parts[k];
      const ContactHistory& history = crowd.contacts.history[k];
      const RollingResistance rolling =
          crowd.contacts.rolling.empty() ? RollingResistance{} : crowd.contacts.rolling[k];
      for (const double x : {parts.point.x(),
                             parts.point.y(),
                             force.on_b.x(),
                             force.on_b.y(),
                             force.torque[0],
                             force.torque[1],
                             parts.normal,
                             parts.tangential,
                             parts.spring,
                             parts.spring_arm,
                             parts.non_conservative,
                             parts.stiffness,
                             parts.friction_dashpot,
                             rolling.dashpot,
                             parts.friction_heat,
                             rolling.heat,
                             history.tangential_displacement,
                             rolling.displacement,
                             history.max_depth_ratio,
                             static_cast<double>(history.sliding),
                             static_cast<double>(history.rolling)}) {
        numbers.push_back(x);
      }
    }
    return numbers;
  };
  const auto compare_widths = [&](Grains grains) {
    const std::vector<double> one = run(1, grains);
    CHECK(one.size() > 22U * 200U);
    for (const int width : {2, 4, 8}) {
      const std::vector<double> wide = run(width, grains);
      if (wide.empty()) continue;
      CAPTURE(width);
      REQUIRE(wide.size() == one.size());
      CHECK(std::memcmp(wide.data(), one.data(), one.size() * sizeof(double)) == 0);
    }
  };
  for (const auto& disk_law : law_names<DiskLaws>()) {
    CAPTURE(disk_law);
    scene.disk_law = disk_law;
    compare_widths(Grains::only_disks);
    for (const auto& polygon_law : law_names<PolygonLaws>()) {
      CAPTURE(polygon_law);
      scene.contact_law = polygon_law;
      compare_widths(Grains::polygons_and_disks);
    }
  }
}

TEST_CASE(
    "boxes hold all corners, their reach is that of the farthest ones, for every width and any number of threads") {
  Dice dice(22);
  for (int trial = 0; trial < 30; ++trial) {
    const auto kind = static_cast<Grains>(trial % 3);
    Crowd crowd(kOpen, trial % 4 == 0 ? 1 : 300, dice, kind);
    for (const int width : {1, 2, 4, 8}) {
      const Lanes use(width);
      if (!use.available()) continue;
      CAPTURE(width);
      const auto update = [&] { crowd.shake(dice, trial % 5 == 0 ? 0.1 : 1e-3); };
      trial % 2 == 0 ? Threads(3).run(update) : update();
      const Placement& placement = crowd.placement;
      Vec2 low = placement.box[crowd.bodies.walls].lo;
      Vec2 high = placement.box[crowd.bodies.walls].hi;
      for (std::uint32_t body = crowd.bodies.walls; body < crowd.bodies.size(); ++body) {
        low = low.cwiseMax(placement.box[body].lo);
        high = high.cwiseMin(placement.box[body].hi);
      }
      for (std::uint32_t body = 0; body < crowd.bodies.size(); ++body) {
        const ShapeView shape = crowd.bodies.shape(body);
        if (shape.is_disk()) continue;
        const Aabb2 box = bounds(shape.outline, {linear(crowd.bodies.position[body]), placement.rotation_of(body)});
        REQUIRE(same_bits(placement.box[body], box));
      }
      REQUIRE(placement.reach);
      CHECK(placement.reach->lo == low);
      CHECK(placement.reach->hi == high);
    }
  }
}

TEST_CASE("kernels of every width add up forces as each body's list has them, and accelerate alike") {
  Dice dice(21);
  for (int trial = 0; trial < 20; ++trial) {
    Crowd crowd(trial % 2 == 0 ? kOpen : kPeriodic, 60, dice, Grains::only_disks);
    crowd.detect();
    Contacts& contacts = crowd.contacts;
    const Bodies& bodies = crowd.bodies;
    REQUIRE(contacts.size() > 20);
    contacts.force.resize(contacts.size());
    for (ContactForce& force : contacts.force) {
      force.on_b = {dice.between(-1.0, 1.0), dice.between(-1.0, 1.0)};
      force.torque = {dice.between(-1.0, 1.0), dice.between(-1.0, 1.0)};
    }
    contacts.list_by_body(bodies.size(), bodies.walls);
    const double gravity[] = {0.3, -9.81, 0.0};
    const auto at_walls = contacts.at_walls(bodies.walls);
    for (const int width : {1, 2, 4, 8}) {
      const Lanes use(width);
      if (!use.available()) continue;
      CAPTURE(width);
      std::vector<double> sums(4 * std::size_t{bodies.size()}, 0.0);
      lanes::kernels().add_up(candidates_for_lanes(contacts), contacts.candidate.data(),
                              static_cast<std::uint32_t>(contacts.size()), contacts.force.front().on_b.data(),
                              {at_walls.data(), 0, static_cast<std::uint32_t>(at_walls.size())}, sums.data());
      std::vector<Motion> accelerations(bodies.size());
      std::vector<Motion> found(bodies.size());
      for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
        const double* const sum = sums.data() + 4 * std::size_t{body};
        found[body] = {sum[0], sum[1], sum[2]};
      }
      lanes::kernels().accelerate(sums.data(), bodies.inverse_mass.data(), bodies.inverse_inertia.data(), gravity,
                                  bodies.walls, bodies.size(), accelerations[bodies.walls].data());
      CHECK(std::ranges::count(sums, 0.0) == static_cast<std::ptrdiff_t>(sums.size()));
      for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
        const Motion force = net_force(contacts, body);
        CHECK(same_bits(found[body], force));
        const double per_mass = bodies.inverse_mass[body];
        const Motion expected =
            Motion(gravity[0], gravity[1], 0.0) + force * Motion(per_mass, per_mass, bodies.inverse_inertia[body]);
        CHECK(same_bits(accelerations[body], expected));
      }
    }
  }
}

TEST_CASE("lanes of other widths do not exist") {
  const int before = lanes::kernels().width;
  for (const int width : {0, 3, 16}) CHECK_FALSE(lanes::use_lanes(width));
  CHECK(lanes::kernels().width == before);
}

}  // namespace scree::lanes_test
