#include "dem/soft/forces/contact_elements.hpp"

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

#include "dem/soft/forces/contact_forces.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::contact_elements_test {

using namespace scree::soft;
using test::Dice;

namespace {

/// A block that stands flat on a floor, another one upon it, askew, a disk on that, and a small disk between the first
/// block and the floor. All touch, stick and are damped.
struct Pile {
  Scene scene = test::empty_scene();
  Bodies bodies;
  Placement placement;
  Contacts contacts;

  Pile() {
    scene.materials[0].restitution = 0.2;
    scene.materials[0].friction = 1e6;
    scene.materials[0].rolling_friction = 1e6;
    scene.materials[0].tangential_damping = 0.4;
    test::add_wall(bodies, 1, {0.0, -0.05, 0.0}, rectangle(10.0, 0.1));
    test::add_polygon(bodies, 2, {0.0, 0.49, 0.0}, rectangle(1.0, 1.0));
    test::add_polygon(bodies, 3, {0.2, 1.38, 0.02}, rectangle(1.2, 0.8));
    test::add_disk(bodies, 4, {0.1, 2.27}, 0.5);
    test::add_disk(bodies, 5, {0.795, 0.295}, 0.3);
    placement.add_missing(bodies);
    placement.update(bodies);
    Gear gear(4, 1.0);
    for (std::uint32_t body = 0; body < bodies.size(); ++body) gear.add(Motion::Zero());
    test::add_candidates(bodies, test::all_pairs_of(bodies), contacts);
    const Proxies proxies{Domain{}};
    Narrowphase narrowphase;
    narrowphase.detect({bodies, placement, proxies, gear}, contacts);
    contacts.update(narrowphase.found(), narrowphase.apart());
    REQUIRE(contacts.size() == 5);
    contacts.list_by_body(bodies.size(), bodies.walls);
  }

  /// Roots of mass and moment of inertia; 0 for a wall.
  Eigen::Vector3d roots(std::uint32_t body) const {
    if (bodies.is_wall(body)) return Eigen::Vector3d::Zero();
    return {std::sqrt(bodies.mass[body]), std::sqrt(bodies.mass[body]), std::sqrt(bodies.inertia(body))};
  }

  /// Net forces and torques over the roots of inertia, with the velocities as they are.
  Eigen::VectorXd forces() const {
    const ContactLaws laws(scene, 4);
    Contacts copy = contacts;
    ContactForces(scene).compute({bodies, placement, laws, 1e-15}, copy);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(3 * bodies.size());
    for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
      sum.segment<3>(3 * body) = net_force(copy, body).matrix().cwiseQuotient(roots(body));
    }
    return sum;
  }

  /// @return as it is at rest
  std::vector<ContactElement> elements() {
    const ContactLaws laws(scene, 4);
    ContactForces(scene).compute({bodies, placement, laws, 1e-15}, contacts);
    std::vector<ContactElement> all;
    contact_elements(bodies, contacts, laws)(
        [&](std::span<const ContactElement> some) { all.insert(all.end(), some.begin(), some.end()); });
    return all;
  }
};

Eigen::MatrixXd matrix_of(const std::vector<ContactElement>& elements, const std::vector<double>& strength,
                          std::uint32_t bodies) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(3 * bodies, 3 * bodies);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    Eigen::VectorXd along = Eigen::VectorXd::Zero(3 * bodies);
    along.segment<3>(3 * elements[e].a) = elements[e].of_a;
    along.segment<3>(3 * elements[e].b) = elements[e].of_b;
    matrix += strength[e] * along * along.transpose();
  }
  return matrix;
}

std::vector<double> dashpots_of(const std::vector<ContactElement>& elements) {
  std::vector<double> dashpots;
  for (const ContactElement& element : elements) dashpots.push_back(element.dashpot);
  return dashpots;
}

}  // namespace

TEST_CASE("the dashpots of the elements are what forces change by with velocities") {
  Pile pile;
  const std::vector<ContactElement> elements = pile.elements();
  const Eigen::MatrixXd damping = matrix_of(elements, dashpots_of(elements), pile.bodies.size());
  const Eigen::VectorXd at_rest = pile.forces();
  for (std::uint32_t body = 1; body < pile.bodies.size(); ++body) {
    for (int k = 0; k < 3; ++k) {
      CAPTURE(body);
      CAPTURE(k);
      constexpr double kVelocity = 1e-6;  // m/s or rad/s
      pile.bodies.velocity[body][k] = kVelocity;
      const Eigen::VectorXd change = (pile.forces() - at_rest) / (kVelocity * pile.roots(body)[k]);
      pile.bodies.velocity[body][k] = 0.0;
      CHECK((change + damping.col(3 * body + k)).norm() < 1e-4 * damping.norm());
    }
  }
}

TEST_CASE("springs are those of the laws") {
  Pile pile;
  const std::vector<ContactElement> elements = pile.elements();
  // The disk on the upper block: normal, friction, rolling.
  std::vector<double> springs;
  for (const ContactElement& element : elements) {
    if (element.a == 2 && element.b == 3) springs.push_back(element.spring);
  }
  const double stiffness = pile.scene.materials[0].stiffness;
  CHECK(springs == std::vector<double>{stiffness, kTangentialRatio * stiffness, kTangentialRatio * stiffness});
}

TEST_CASE("the greatest eigenvalue lies between half its bound and its bound, and power iteration finds it") {
  Pile pile;
  std::vector<ContactElement> all = pile.elements();
  const auto elements = [&](const TakeElements& take) {  // in two pieces
    take(std::span(all).first(2));
    take(std::span(all).subspan(2));
  };
  const std::uint32_t bodies = pile.bodies.size();
  Dice dice(11);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> strength;
    for (ContactElement& element : all) strength.push_back(element.spring = dice.between(0.0, 1.0));
    const double exact =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix_of(all, strength, bodies)).eigenvalues().maxCoeff();
    const Eigenvalue bound = upper_bound(elements, springs(), bodies, 0.0);
    CHECK(bound.value > 0.999 * exact);
    CHECK(bound.value < 2.001 * exact);
    const double found = greatest_eigenvalue(elements, springs(), bodies, bound.body).value;
    CHECK(found < 1.0001 * exact);
    CHECK(found > 0.98 * exact);
    CHECK(upper_bound(elements, springs(), bodies, 100.0 * bound.value).value >= bound.value);  // from traces
    CHECK(upper_bound(elements, springs(), bodies, 0.99 * bound.value).value == bound.value);
    for (const double part : {0.0, 0.3, 0.334, 0.99, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 1.01, 3.0}) {
      const double limit = part * bound.value;
      const Bound one{springs(), limit};
      CHECK(is_beyond(elements, {&one, 1}, bodies) == (limit < bound.value));
      const std::array<Bound, 2> either = {Bound{springs(), 4.0 * bound.value}, one};
      CHECK(is_beyond(elements, either, bodies) == (limit < bound.value));
    }
  }
}

TEST_CASE("elements of many contacts come in pieces, each once and in their order") {
  Pile pile;
  REQUIRE(!pile.elements().empty());
  const ContactLaws laws(pile.scene, 4);
  const BodyPair pair = pile.contacts.bodies(0);
  std::vector<double> taken;
  int pieces = 0;
  const TakeElements take = [&](std::span<const ContactElement> some) {
    ++pieces;
    for (const ContactElement& element : some) taken.push_back(element.spring);
  };
  ElementBatch batch(take);
  std::vector<double> added;
  for (int k = 1; k <= 300; ++k) {
    ContactSprings springs = springs_of(pile.bodies, pile.contacts, 0);
    springs.chord.reset();
    springs.stiffness = k;
    PairLaw law = laws.of(pile.bodies, pair);
    law.friction = law.rolling_friction = 0.0;
    batch.add(pile.bodies, law, springs);
    added.push_back(k);
  }
  batch.end();
  CHECK(pieces > 1);
  CHECK(taken == added);
}

TEST_CASE("without contacts there is nothing to oscillate") {
  const auto none = [](const TakeElements& take) { take({}); };
  CHECK(upper_bound(none, springs(), 3, 0.0).value == 0.0);
  CHECK(upper_bound(none, springs(), 0, 0.0).value == 0.0);
  CHECK(greatest_eigenvalue(none, springs(), 3, 0).value == 0.0);
}

}  // namespace scree::contact_elements_test
