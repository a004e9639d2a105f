#include <cmath>
#include <dem/soft/simulation.hpp>
#include <io/scene/scene_reader.hpp>
#include <io/text/version.hpp>
#include <iostream>

#include "dem/scene.hpp"

int main() {
  const scree::Scene scene = scree::parse_scene(
      "scree: 1\n"
      "domain: {x: [-1, 1], y: [-1, 1]}\n"
      "gravity: [0, -9.81]\n"
      "materials: {stone: {density: 2600, stiffness: 1.0e6, restitution: 0.3, friction: 0.5}}\n"
      "walls: [{name: floor, material: stone, box: {x: [-1, 1], y: [-0.1, 0]}}]\n"
      "particles: [{place: [{position: [0, 0.06]}], material: stone, shape: {regular_polygon: {vertices: 6}}, size: "
      "0.1}]\n"
      "time: {end: 1}\n"
      "output: {every: 0.1}\n",
      "consumer");
  scree::soft::Simulation simulation(scene);
  simulation.advance_to(scene.end);
  const double height = simulation.state().particles.position[0].y();
  std::cout << "scree " << scree::version() << ": a hexagon came to rest " << height << " m above the floor\n";
  return height > 0.03 && height < 0.06 && simulation.summary().kinetic_energy < 1e-9 ? 0 : 1;  // m, J
}
