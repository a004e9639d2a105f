#include <cmath>
#include <geometry/overlap.hpp>
#include <geometry/polygon_makers.hpp>
#include <io/version.hpp>
#include <iostream>

int main() {
  const scree::Polygon square = scree::rectangle(1.0, 1.0);
  const scree::Pose to_the_right{scree::Vec2(0.5, 0.25), {}};
  const scree::Overlap shared = scree::overlap(square.vertices(), square.vertices(), to_the_right);
  std::cout << "scree " << scree::version() << ": the two squares share " << shared.area << " m^2\n";
  return std::abs(shared.area - 0.5 * 0.75) < 1e-15 ? 0 : 1;  // m^2
}
