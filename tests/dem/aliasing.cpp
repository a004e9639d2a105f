#include "dem/measure/aliasing.hpp"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "dem/scene.hpp"

namespace scree::aliasing_test {

TEST_CASE("samples near a multiple of a wall's period are told") {
  Scene scene;
  scene.walls.resize(2);
  scene.walls[0].name = "still";
  scene.walls[1].name = "plate";
  scene.walls[1].oscillation = {.amplitude = {0.0, 0.01}, .frequency = 20.0};
  const auto keys = [&](double output, double measure) {
    scene.output_every = output;
    scene.measure = Measure{.every = measure, .region = {}};
    std::string list;
    for (const Aliasing& found : aliasing(scene)) {
      list += found.key + ' ';
      CHECK(found.wall == "plate");
      CHECK(std::abs(found.period - 0.05) < 1e-15);
    }
    return list;
  };
  CHECK(keys(0.1, 0.02) == "output.every ");
  CHECK(keys(0.0501, 0.02) == "output.every ");
  CHECK(keys(0.02, 0.2) == "measure.every ");
  CHECK(keys(0.1, 0.05) == "output.every measure.every ");
  CHECK(keys(0.0375, 0.02) == "");
  CHECK(keys(0.001, 0.002) == "");  // a small part of a period: no multiple
  scene.output_every = 0.1;
  const std::string said = text(aliasing(scene).front());
  CHECK(said.find("output.every is 0.1 s") != std::string::npos);
  CHECK(said.find("2 periods of 0.05 s of the wall 'plate'") != std::string::npos);
  scene.walls[1].oscillation.amplitude.setZero();
  CHECK(aliasing(scene).empty());
}

}  // namespace scree::aliasing_test
