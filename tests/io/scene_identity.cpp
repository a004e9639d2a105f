#include "io/scene/scene_identity.hpp"

#include <string>

#include <doctest/doctest.h>

#include "dem/scene.hpp"

namespace scree::scene_identity_test {

namespace {

const std::string kScene =
    "title: one\ncheckpoint: {every: 3}\nmaterials:\n  stone: {density: 2600, friction: 0.5}\n"
    "walls: [{name: floor}, {name: lid}]\ntime: {end: 1, step: 1e-4}\noutput: {every: 0.1}\n";

std::string with(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

std::string difference(const std::string& other) {
  const auto found = first_difference(kScene, other);
  return found ? found->key + ": " + found->first + " / " + found->second : "";
}

}  // namespace

TEST_CASE("two scenes are the same if only title, output, checkpoint and end differ") {
  CHECK(difference(kScene).empty());
  for (const auto& [part, other] : {std::pair{"title: one\n", ""},
                                    {"every: 3", "every: 4"},
                                    {"end: 1", "end: 2"},
                                    {"every: 0.1", "every: 1, directory: there"}}) {
    CHECK(difference(with(kScene, part, other)).empty());
  }
}

TEST_CASE("the key is named in which two scenes differ") {
  CHECK(difference(with(kScene, "friction: 0.5", "friction: 0.4")) == "materials.stone.friction: 0.5 / 0.4");
  CHECK(difference(with(kScene, ", friction: 0.5", "")) == "materials.stone.friction: 0.5 / absent");
  CHECK(difference(with(kScene, "density: 2600", "density: 2600, cohesion: 1")) ==
        "materials.stone.cohesion: absent / 1");
  CHECK(difference(with(kScene, "lid", "gate")) == "walls[1].name: lid / gate");
  CHECK(difference(with(kScene, ", {name: lid}", "")) == "walls[1]: {name: lid} / absent");
  CHECK(difference(with(kScene, "step: 1e-4", "step: 2e-4")) == "time.step: 1e-4 / 2e-4");
  for (const char* none : {"", "[1]", "{: {", "title"}) CHECK(difference(none).starts_with("the scene: {"));
}

TEST_CASE("the hash of a scene is that of what determines the motion") {
  const auto hash_with = [](auto change) {
    Scene scene;
    scene.materials = {{.name = "stone", .density = 2600.0, .stiffness = 1e5}};
    change(scene);
    return scene_hash(scene);
  };
  const std::string hash = hash_with([](Scene&) {});
  CHECK(hash.size() == 16);
  CHECK(hash == hash_with([](Scene& scene) { scene.title = "other"; }));
  CHECK(hash == hash_with([](Scene& scene) { scene.end = 9.0; }));
  CHECK(hash == hash_with([](Scene& scene) { scene.checkpoint_every = 60.0; }));
  CHECK(hash == hash_with([](Scene& scene) { scene.output_every = 0.1; }));
  CHECK(hash == hash_with([](Scene& scene) { scene.output_directory = "there"; }));
  CHECK(hash == hash_with([](Scene& scene) { scene.output_replay = true; }));
  CHECK(hash != hash_with([](Scene& scene) { scene.seed = 2; }));
  CHECK(hash != hash_with([](Scene& scene) { scene.soft.step = 1e-5; }));
  CHECK(hash != hash_with([](Scene& scene) { scene.materials[0].friction = 1e-300; }));
}

}  // namespace scree::scene_identity_test
