#include "dem/soft/motion/placement.hpp"

#include <algorithm>

#include "dem/archive.hpp"
#include "dem/shapes.hpp"
#include "dem/soft/lanes/views.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

constexpr std::uint32_t kFew = 12;  // vertices; the boxes of outlines with more come from extremes

Rotation rotation_of(const Bodies& bodies, std::uint32_t body) {
  return bodies.outline_size[body] == 0 ? Rotation{} : Rotation::by(bodies.position[body].z());
}

/// @pre its rotation is known
void update_box(const Bodies& bodies, std::uint32_t body, Placement& placement) {
  const Pose pose{linear(bodies.position[body]), placement.rotation_of(body)};
  Extremes none{};
  placement.box[body] = bounds(bodies.shape(body), pose, placement.extremes.empty() ? none : placement.extremes[body]);
}

}  // namespace

void Placement::update(const Bodies& bodies, std::uint32_t body) {
  if (body < rotation.size()) rotation[body] = soft::rotation_of(bodies, body);
  update_box(bodies, body, *this);
}

void Placement::update(const Bodies& bodies) {
  constexpr std::size_t kBlock = 128;
  static_assert(sizeof(Aabb2) == 4 * sizeof(double));
  if (bodies.size() == 0) return;
  const lanes::BodiesIn in = bodies_for_lanes(bodies);
  const lanes::Kernels::Place place_polygons = lanes::kernels().place[0];
  const lanes::Kernels::Place place_disks = lanes::kernels().place[1];
  const auto place = [&](lanes::Kernels::Place kernel, const lanes::Range& range) {
    kernel(in, range, rotation.empty() ? nullptr : &rotation.front().cos, box.front().lo.data());
  };
  const bool all_in_lanes = bodies.disks == 0 && bodies.most_vertices <= kFew;
  const bool all_are_disks = bodies.disks == bodies.beyond_walls();
  parallel_for_ranges(bodies.size(), [&](std::size_t begin, std::size_t end) {
    if (all_are_disks) {
      for (; begin < end && bodies.is_wall(static_cast<std::uint32_t>(begin)); ++begin) {
        update(bodies, static_cast<std::uint32_t>(begin));
      }
    }
    const lanes::Range all{nullptr, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    if (all_are_disks) return place(place_disks, all);
    if (all_in_lanes) return place(place_polygons, all);
    for (std::size_t block = begin; block < end; block += kBlock) {
      std::uint32_t in_lanes[kBlock];
      std::uint32_t large[kBlock];
      std::uint32_t count = 0;
      std::uint32_t count_of_large = 0;
      for (auto body = static_cast<std::uint32_t>(block); body < std::min(block + kBlock, end); ++body) {
        const std::uint32_t size = bodies.outline_size[body];
        if (size == 0) {
          update_box(bodies, body, *this);
        } else if (size > kFew) {
          large[count_of_large++] = body;
        } else {
          in_lanes[count++] = body;
        }
      }
      place(place_polygons, {in_lanes, 0, count});
      place_polygons(in, {large, 0, count_of_large}, &rotation.front().cos, nullptr);
      for (std::uint32_t k = 0; k < count_of_large; ++k) update_box(bodies, large[k], *this);
    }
  });
}

void Placement::resize(const Bodies& bodies) {
  rotation.resize(bodies.disks == bodies.beyond_walls() ? bodies.walls : bodies.size());
  box.resize(bodies.size());
  if (bodies.most_vertices > kFew || !extremes.empty()) extremes.resize(bodies.size());
}

void Placement::add_missing(const Bodies& bodies) {
  auto body = static_cast<std::uint32_t>(box.size());
  resize(bodies);
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
  extremes.clear();
  resize(bodies);
  for (std::uint32_t body = 0; body < rotation.size(); ++body) rotation[body] = soft::rotation_of(bodies, body);
}

}  // namespace scree::soft
