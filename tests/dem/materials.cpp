#include "dem/materials.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "dem/restitution.hpp"
#include "dem/scene.hpp"
#include "dem/soft/contact/force_law.hpp"

namespace scree::materials_test {

using soft::pair_law;
using soft::PairLaw;

TEST_CASE("a mixed pair takes the harmonic mean of stiffness, and the smaller of every other property") {
  const Material soft = {.name = "soft",
                         .density = 1.0,
                         .stiffness = 1e5,
                         .restitution = 0.9,
                         .friction = 0.2,
                         .tangential_stiffness = 0.5,
                         .rolling_friction = 0.1,
                         .cohesion = 3.0};
  const Material hard = {.name = "hard",
                         .density = 1.0,
                         .stiffness = 3e5,
                         .restitution = 0.3,
                         .friction = 0.6,
                         .dynamic_friction = 0.1,
                         .tangential_damping = 0.7,
                         .rolling_friction = 0.3,
                         .cohesion = 2.0};
  for (const Material& mixed : {mix(Mode::soft, soft, hard), mix(Mode::soft, hard, soft)}) {
    CHECK(std::abs(mixed.stiffness - 1.5e5) < 1e-6);
    CHECK(mixed.restitution == 0.3);
    CHECK(mixed.friction == 0.2);
    CHECK(mixed.dynamic_friction == 0.1);
    CHECK(mixed.tangential_stiffness == kTangentialRatio);
    CHECK(mixed.tangential_damping == 0.7);
    CHECK(mixed.rolling_friction == 0.1);
    CHECK(mixed.cohesion == 2.0);
    const PairLaw law = pair_law(mixed, damping_ratio);
    CHECK(law.damping_ratio == damping_ratio(0.3));
    CHECK(law.tangential_stiffness == kTangentialRatio * mixed.stiffness);
    CHECK(law.tangential_damping_ratio == 0.7);
  }
  CHECK(std::abs(mix(Mode::soft, soft, soft).stiffness - 1e5) < 1e-9);
  CHECK_FALSE(mix(Mode::soft, soft, soft).dynamic_friction);

  Material viscous = soft;
  viscous.damping = 0.4;  // less than restitution 0.3 means, more than 0.9 does
  CHECK(mix(Mode::soft, viscous, soft).damping == 0.4);
  CHECK_FALSE(mix(Mode::soft, viscous, hard).damping);
  CHECK(mix(Mode::soft, viscous, hard).restitution == 0.3);
}

TEST_CASE("a pair that the scene gives is taken instead of the mixture, whichever body comes first") {
  Scene scene;
  scene.materials = {{.name = "a", .stiffness = 1e5}, {.name = "b", .stiffness = 1e5}, {.name = "c", .stiffness = 2e5}};
  scene.pairs = {{.first = 2, .second = 0, .mixed = {.name = "", .stiffness = 7e5, .friction = 0.9}}};
  CHECK(mix(Mode::soft, scene, 0, 2).stiffness == 7e5);
  CHECK(mix(Mode::soft, scene, 2, 0).friction == 0.9);
  CHECK(mix(Mode::soft, scene, 0, 1) == mix(Mode::soft, scene.materials[0], scene.materials[1]));
}

TEST_CASE("hard disks take the lesser restitution with all that belongs to it, and the lesser friction") {
  Material dull = {.name = "dull", .density = 1.0, .restitution = 0.5, .friction = 0.4};
  Material lively = {.name = "lively", .density = 1.0, .restitution = 0.8, .friction = 0.3};
  dull.tangential_restitution = 0.5;
  lively.tangential_restitution = -0.5;
  dull.restitution_law = RestitutionLaw::bizon;
  dull.restitution_speed = 2.0;
  for (const Material& mixed : {mix(Mode::hard, dull, lively), mix(Mode::hard, lively, dull)}) {
    CHECK(mixed.restitution == 0.5);
    CHECK(mixed.restitution_law == RestitutionLaw::bizon);
    CHECK(mixed.restitution_speed == 2.0);
    CHECK(mixed.friction == 0.3);
    CHECK(mixed.tangential_restitution == -0.5);
  }
  lively.restitution = 0.5;  // of equal ones, the law that comes first
  CHECK(mix(Mode::hard, dull, lively).restitution_law == RestitutionLaw::constant);
  lively.restitution_law = RestitutionLaw::bizon;  // of equal laws, the lower speed
  CHECK(mix(Mode::hard, dull, lively).restitution_speed == 1.0);

  Scene scene;
  scene.materials = {dull, lively};
  scene.pairs = {{.first = 1, .second = 0, .mixed = {.name = "", .restitution = 0.25}}};
  CHECK(mix(Mode::hard, scene, 0, 1).restitution == 0.25);
  CHECK(mix(Mode::hard, scene, 1, 1).restitution == 0.5);
}

}  // namespace scree::materials_test
