#include "dem/soft/checks/step_limits.hpp"

#include <string>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/complaint.hpp"

namespace scree::step_limits_test {

using namespace scree::test;

namespace {

Scene one_disk() {
  Scene scene = empty_scene();
  scene.particles = {placed(Disk{}, 0.1, {{.position = {0.0, 0.0}}})};
  return scene;
}

}  // namespace

TEST_CASE("an automatic step that is longer than the interval of frames is refused, at the key that makes it so") {
  CHECK(complaint(one_disk()).text.empty());
  Scene soft = one_disk();
  soft.materials[0].stiffness = 1e-100;
  const Complaint of_stiffness = complaint(soft);
  CHECK(of_stiffness.key == "materials.stone.stiffness");
  CHECK(of_stiffness.says("is 1e-100 N/m: with this and particles[0].size (0.1 m), materials.stone.density (2.6e+03"));
  CHECK(of_stiffness.says("must be up to output.every, 0.1 s"));

  Scene heavy = one_disk();
  heavy.materials[0].density = 1e100;
  CHECK(complaint(heavy).key == "materials.stone.density");
  Scene large = one_disk();
  large.particles[0].size = {1e10, 1e10};
  CHECK(complaint(large).key == "particles[0].size");
  Scene massive = one_disk();
  massive.particles = {placed(Disk{}, 0.1, {{.position = {0.0, 0.0}, .mass = 1e20}})};
  CHECK(complaint(massive).key == "particles[0].place[0].mass");
}

TEST_CASE("an automatic step that would take more than 1e15 steps is refused") {
  Scene stiff = one_disk();
  stiff.materials[0].stiffness = 1e100;
  const Complaint of_stiffness = complaint(stiff);
  CHECK(of_stiffness.key == "materials.stone.stiffness");
  CHECK(of_stiffness.says("must be at least 1e-15 s: 1e-15 of time.end, 1 s"));

  Scene light = one_disk();
  light.materials[0].density = 1e-100;
  CHECK(complaint(light).key == "materials.stone.density");
  Scene pair = one_disk();
  pair.pairs = {{0, 0, stiff.materials[0]}};
  CHECK(complaint(pair).key == "contact.pairs[0].stiffness");
  Scene tangential = one_disk();
  tangential.materials[0].tangential_stiffness = 1e100;
  CHECK(complaint(tangential).key == "materials.stone.tangential_stiffness");
  Scene dull = one_disk();
  dull.materials[0].restitution = 1e-99;
  CHECK(complaint(dull).key == "materials.stone.restitution");
}

TEST_CASE("no limit changes the step: it is the same for any output") {
  Scene scene = one_disk();
  const double step = soft::Simulation(scene).dt();
  for (const double every : {step * 1.0001, 10.0 * step, 1.0}) {
    scene.output_every = every;
    CHECK(soft::Simulation(scene).dt() == step);
  }
  scene.output_every = 0.9999 * step;
  CHECK(complaint(scene).says("must be up to output.every"));
  scene.output_every = 1.0;
  scene.end = 0.5 * step;
  CHECK(complaint(scene).says("must be up to time.end"));
  scene.soft.step = 1e-5;
  CHECK(complaint(scene).text.empty());
}

TEST_CASE("a scene without grains is told to give its step") {
  Scene scene = empty_scene();
  CHECK(complaint(scene).text.empty());
  scene.end = scene.output_every = 1e-4;
  const Complaint too_short = complaint(scene);
  CHECK(too_short.key == "time.step");
  CHECK(too_short.says("is automatic, 0.001 s as there are no grains, must be up to output.every"));
}

}  // namespace scree::step_limits_test
