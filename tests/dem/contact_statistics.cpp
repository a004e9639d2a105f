#include "dem/measure/contact_statistics.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::contact_statistics_test {

namespace {

const Domain kDomain = {.lo = {-10.0, -10.0}, .hi = {10.0, 10.0}};
const Region kAll = {{-10.0, -10.0}, {10.0, 10.0}};

void add_disk(State& state, const Vec2& position, double radius = 0.5) {
  ParticleState& p = state.particles;
  p.id.push_back(10 + p.size());
  p.position.push_back(position);
  p.velocity.emplace_back(Vec2::Zero());
  p.angular_velocity.push_back(0.0);
  p.force.emplace_back(Vec2::Zero());
  p.radius.push_back(radius);
  p.mass.push_back(1.0);
  p.outlines.first.push_back(0);
}

/// A contact of particles i and j, by their numbers.
void add_contact(State& state, std::size_t i, std::size_t j, double normal_force, double tangential_force) {
  const Vec2 a = state.particles.position[i];
  const Vec2 b = state.particles.position[j];
  const Vec2 n = (b - a).normalized();
  state.contacts.push_back({.id1 = state.particles.id[i],
                            .id2 = state.particles.id[j],
                            .centre1 = a,
                            .point = 0.5 * (a + b),
                            .centre2 = b,
                            .image_shift = Vec2::Zero(),
                            .force = normal_force * n + tangential_force * perp(n),
                            .force_normal = normal_force,
                            .force_tangential = tangential_force,
                            .overlap = 0.0,
                            .depth = 0.0,
                            .sliding = tangential_force != 0.0});
}

/// Pairs of touching disks of diameter 1 in directions k pi/n, with forces that vary with the direction.
State pairs_of_disks(int n) {
  State state;
  for (int k = 0; k < n; ++k) {
    const double angle = std::numbers::pi * k / n;
    const Vec2 at(-8.0 + 0.1 * k, 0.0);
    add_disk(state, at);
    add_disk(state, at + Vec2(std::cos(angle), std::sin(angle)));
    const auto last = state.particles.size();
    add_contact(state, last - 2, last - 1, 2.0 + std::cos(2.0 * (angle - 0.4)), -0.3 * std::sin(2.0 * (angle - 0.4)));
  }
  return state;
}

/// A square of side 1. @param angle of its sides [rad]
void add_square(State& state, const Vec2& position, double angle) {
  add_disk(state, position, std::sqrt(1.0 / std::numbers::pi));
  for (int k = 0; k < 4; ++k) {
    const double phi = angle + 0.25 * std::numbers::pi * (2 * k + 1);
    state.particles.outlines.vertices.push_back(position + std::sqrt(0.5) * Vec2(std::cos(phi), std::sin(phi)));
  }
  state.particles.outlines.first.back() = static_cast<std::uint32_t>(state.particles.outlines.vertices.size());
}

}  // namespace

TEST_CASE("principal values are those of the tensor") {
  const double phi = 0.3;
  Eigen::Matrix2d turn;
  turn << std::cos(phi), -std::sin(phi), std::sin(phi), std::cos(phi);
  const Eigen::Matrix2d tensor = turn * Eigen::Vector2d(3.0, 1.0).asDiagonal() * turn.transpose();
  const Principal found = principal(tensor);
  CHECK(std::abs(found.mean - 2.0) < 1e-14);
  CHECK(std::abs(found.deviator - 1.0) < 1e-14);
  CHECK(std::abs(found.direction - phi) < 1e-14);
}

TEST_CASE("the normal follows from the force and its two parts") {
  State state;
  add_disk(state, {0.0, 0.0});
  add_disk(state, {std::cos(2.0), std::sin(2.0)});
  for (const double tangential : {0.0, 0.7, -0.7}) {
    add_contact(state, 0, 1, 1.0, tangential);
    CHECK((normal_of(state.contacts.back()).value() - Vec2(std::cos(2.0), std::sin(2.0))).norm() < 1e-15);
  }
  add_contact(state, 0, 1, 0.0, 0.0);
  CHECK(!normal_of(state.contacts.back()));
}

TEST_CASE("for disks of one size q/p is half the sum of the anisotropies, to rounding") {
  for (const int n : {5, 8, 13}) {
    const State state = pairs_of_disks(n);
    const ContactStatistics found = contact_statistics(state, kAll, kDomain);
    const Principal stress = principal(found.stress);
    CHECK(found.contacts == static_cast<std::uint64_t>(n));
    CHECK(std::abs(found.fabric.trace() - 1.0) < 1e-14);
    CHECK(std::abs(stress.deviator / stress.mean - found.strength_of_texture()) < 1e-14);
    CHECK(std::abs(found.anisotropy_contacts) < 1e-14);  // directions are even
    // Rothenburg & Bathurst's f_n = f_0 (1 + a_n cos 2(...)), f_t = -f_0 a_t sin 2(...).
    CHECK(std::abs(found.anisotropy_normal - 0.5) < 1e-14);
    CHECK(std::abs(found.anisotropy_tangential - 0.15) < 1e-14);
    CHECK(std::abs(stress.direction - 0.4) < 1e-14);
    CHECK(std::abs(found.mean_force - 2.0) < 1e-14);
  }
}

TEST_CASE("a region counts its own contacts only, and weak and strong ones make up the stress") {
  State state = pairs_of_disks(8);
  const ContactStatistics all = contact_statistics(state, kAll, kDomain);
  Eigen::Matrix2d strong = Eigen::Matrix2d::Zero();
  int weak = 0;
  for (const ContactState& c : state.contacts) {
    if (c.force_normal < all.mean_force) {
      ++weak;
    } else {
      strong += c.force * (c.centre2 - c.centre1).transpose() / 400.0;
    }
  }
  CHECK(std::abs(all.weak_share - weak / 8.0) < 1e-15);
  CHECK((all.stress - all.weak_stress - strong).norm() < 1e-15);
  const ContactStatistics left = contact_statistics(state, {{-10.0, -10.0}, {-7.6, 10.0}}, kDomain);
  CHECK(left.contacts > 0);
  CHECK(left.contacts < 8);
  const ForceDistribution distribution = force_distribution(state, kAll, kDomain, 0.25, 40);
  double sum = 0.0;
  for (const double density : distribution.density()) sum += 0.25 * density;
  CHECK(std::abs(sum - 1.0) < 1e-14);
}

TEST_CASE("rattlers are removed until nobody has fewer than two contacts") {
  State state;
  // A triangle with a tail of two, and a disk that is alone.
  for (const Vec2& at : {Vec2(0, 0), Vec2(1, 0), Vec2(0.5, 0.866), Vec2(2, 0), Vec2(3, 0), Vec2(5, 5)}) {
    add_disk(state, at);
  }
  for (const auto& [i, j] : {std::pair(0, 1), std::pair(1, 2), std::pair(0, 2), std::pair(1, 3), std::pair(3, 4)}) {
    add_contact(state, static_cast<std::size_t>(i), static_cast<std::size_t>(j), 1.0, 0.0);
  }
  const Coordination found = coordination(state);
  CHECK(found.all == 10.0 / 6.0);
  CHECK(found.rattlers == 3);
  CHECK(found.without_rattlers == 2.0);
  CHECK(found.constraints == 2.0);
  CHECK(found.edge_contacts == 0);
}

TEST_CASE("an edge on an edge counts as two constraints, a corner on an edge as one") {
  State flush;
  add_square(flush, {0.0, 0.0}, 0.0);
  add_square(flush, {0.0, 0.999}, 0.001);
  add_contact(flush, 0, 1, 1.0, 0.0);
  CHECK(is_edge_contact(flush, flush.contacts.front()));
  State corner;
  add_square(corner, {0.0, 0.0}, 0.0);
  add_square(corner, {0.0, 1.2}, 0.25 * std::numbers::pi);
  add_contact(corner, 0, 1, 1.0, 0.0);
  CHECK(!is_edge_contact(corner, corner.contacts.front()));
  State beside;  // parallel edges that do not face one another
  add_square(beside, {0.0, 0.0}, 0.0);
  add_square(beside, {1.5, 1.0}, 0.0);
  add_contact(beside, 0, 1, 1.0, 0.0);
  beside.contacts[0].force = {0.0, 1.0};
  CHECK(!is_edge_contact(beside, beside.contacts.front()));
}

TEST_CASE("the shear rate of a linear field of velocity is found, whatever turns and dilates it") {
  State state = pairs_of_disks(6);
  Eigen::Matrix2d gradient;
  gradient << 0.7, 2.0, 0.5, 0.7;  // dilation, and a shear of 2.5 with a rotation
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    state.particles.velocity[i] = Vec2(3.0, 1.0) + gradient * state.particles.position[i];
  }
  const ContactStatistics found = contact_statistics(state, kAll, kDomain);
  CHECK(std::abs(found.shear_rate - 2.5) < 1e-12);
  const double pressure = 0.5 * found.stress.trace();
  const double density = 4.0 / std::numbers::pi;
  CHECK(std::abs(found.inertial_number - 2.5 * std::sqrt(density / pressure)) < 1e-12 * found.inertial_number);
}

TEST_CASE("a bed at rest has balanced forces, void ratio and grains' stresses of its own") {
  Scene scene = test::pouring_scene(40);
  scene.materials[0].restitution = 0.2;
  soft::Simulation simulation(scene);
  simulation.advance_to(0.12);
  const Region inside = {{-0.1, 0.0}, {0.1, 0.05}};
  const double falling =
      contact_statistics(simulation.state(), {scene.domain.lo, scene.domain.hi}, scene.domain).unbalanced_force;
  simulation.advance_to(0.5);
  const State state = simulation.state();
  const ContactStatistics found = contact_statistics(state, inside, scene.domain);
  CHECK(found.unbalanced_force < 0.01);
  CHECK(falling > 10.0 * found.unbalanced_force);
  CHECK(found.coordination.constraints >= found.coordination.without_rattlers);
  CHECK(found.coordination.without_rattlers >= found.coordination.all);
  CHECK(found.coordination.edge_contacts > 0);
  CHECK(found.void_ratio > 0.0);
  CHECK(std::abs(found.coordination.all - simulation.summary().coordination) < 1e-12);
  // The virial: sum over grains is the sum over contacts, those of walls with the grain's half.
  Eigen::Matrix2d of_grains = Eigen::Matrix2d::Zero();
  Eigen::Matrix2d of_contacts = Eigen::Matrix2d::Zero();
  const auto stress = grain_stress(state);
  for (std::size_t i = 0; i < stress.size(); ++i) {
    of_grains += std::numbers::pi * state.particles.radius[i] * state.particles.radius[i] * stress[i];
  }
  for (const ContactState& c : state.contacts) of_contacts += c.force * (c.centre2 - c.centre1).transpose();
  CHECK((of_grains - of_contacts).norm() < 1e-12 * of_contacts.norm());
  CHECK(of_contacts(1, 1) > 0.0);
}

}  // namespace scree::contact_statistics_test
