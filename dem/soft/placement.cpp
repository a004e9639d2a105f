#include "dem/soft/placement.hpp"

#include <algorithm>

#include "dem/archive.hpp"
#include "dem/shapes.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

void Placement::update(const Bodies& bodies, std::uint32_t body) {
  const ShapeView shape = bodies.shape(body);
  rotation[body] = shape.is_disk() ? Rotation{} : Rotation::by(bodies.position[body].z());
  box[body] = bounds(shape, {linear(bodies.position[body]), rotation[body]}, extremes[body]);
}

void Placement::update(const Bodies& bodies) {
  parallel_for(bodies.size(), [&](std::size_t body) { update(bodies, static_cast<std::uint32_t>(body)); });
}

void Placement::add_missing(const Bodies& bodies) {
  auto body = static_cast<std::uint32_t>(box.size());
  rotation.resize(bodies.size());
  box.resize(bodies.size());
  extremes.resize(bodies.size());
  for (; body < bodies.size(); ++body) update(bodies, body);
}

void Placement::remove(const std::vector<std::uint32_t>& new_index) {
  keep_remaining(rotation, new_index);
  keep_remaining(box, new_index);
  keep_remaining(extremes, new_index);
}

void Placement::require_sound(const Bodies& bodies) const {
  require_state(box.size() == bodies.size(), "the number of boxes");
  require_state(std::ranges::all_of(box, is_sound), "a box");
}

void Placement::restore(const Bodies& bodies) {
  rotation.assign(bodies.size(), {});
  extremes.assign(bodies.size(), {});
}

}  // namespace scree::soft
