#include "dem/soft/motion/placement.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>

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

/// Reach of no boxes.
const Aabb2 kNothing = {Vec2::Constant(-std::numeric_limits<double>::infinity()),
                        Vec2::Constant(std::numeric_limits<double>::infinity())};

/// @param box of a body
void include(const Aabb2& box, Aabb2& reach) {
  reach = {reach.lo.cwiseMax(box.lo), reach.hi.cwiseMin(box.hi)};
}

/// Reach of boxes that several threads place. A lock for each range would cost more than the boxes.
class SharedReach {
 public:
  void include(const Aabb2& of_range) {
    for (const int axis : {0, 1}) {
      const auto k = static_cast<std::size_t>(axis);
      exchange_if<std::greater<>>(of_range.lo[axis], low_[k]);
      exchange_if<std::less<>>(of_range.hi[axis], high_[k]);
    }
  }
  Aabb2 whole() const { return {{low_[0], low_[1]}, {high_[0], high_[1]}}; }

 private:
  template <class Further>
  static void exchange_if(double number, std::atomic<double>& furthest) {
    double so_far = furthest.load(std::memory_order_relaxed);
    while (Further{}(number, so_far) && !furthest.compare_exchange_weak(so_far, number, std::memory_order_relaxed)) {
    }
  }
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<std::atomic<double>, 2> low_ = {-kInfinity, -kInfinity};
  std::array<std::atomic<double>, 2> high_ = {kInfinity, kInfinity};
};

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
  static_assert(sizeof(Aabb2) == 4 * sizeof(double));
  if (bodies.size() == 0) return;
  const bool only_disks = bodies.disks == bodies.beyond_walls();
  Aabb2 of_walls = kNothing;
  if (only_disks) {
    for (std::uint32_t wall = 0; wall < bodies.walls; ++wall) update(bodies, wall);
  } else {
    place(bodies, 0, bodies.walls, of_walls);
  }
  SharedReach all;
  parallel_for_ranges(bodies.beyond_walls(), [&](std::size_t begin, std::size_t end) {
    Aabb2 of_range = kNothing;
    const auto first = bodies.walls + static_cast<std::uint32_t>(begin);
    const auto last = bodies.walls + static_cast<std::uint32_t>(end);
    if (only_disks) {
      lanes::kernels().place[1](bodies_for_lanes(bodies), {nullptr, first, last}, nullptr, box.front().lo.data(),
                                of_range.lo.data());
    } else {
      place(bodies, first, last, of_range);
    }
    all.include(of_range);
  });
  reach = all.whole();
}

/// Not only disks. @param of_them reach of their boxes
void Placement::place(const Bodies& bodies, std::uint32_t begin, std::uint32_t end, Aabb2& of_them) {
  constexpr std::uint32_t kBlock = 128;
  const lanes::BodiesIn in = bodies_for_lanes(bodies);
  const lanes::Kernels::Place in_lanes = lanes::kernels().place[0];
  double* const rotations = &rotation.front().cos;
  const auto place_boxes = [&](const lanes::Range& range) {
    in_lanes(in, range, rotations, box.front().lo.data(), of_them.lo.data());
  };
  if (bodies.disks == 0 && bodies.most_vertices <= kFew) return place_boxes({nullptr, begin, end});
  for (std::uint32_t block = begin; block < end; block += kBlock) {
    std::uint32_t few[kBlock];
    std::uint32_t large[kBlock];
    std::uint32_t count_of_few = 0;
    std::uint32_t count_of_large = 0;
    for (std::uint32_t body = block; body < std::min(block + kBlock, end); ++body) {
      const std::uint32_t size = bodies.outline_size[body];
      if (size == 0) {
        update_box(bodies, body, *this);
        include(box[body], of_them);
      } else if (size > kFew) {
        large[count_of_large++] = body;
      } else {
        few[count_of_few++] = body;
      }
    }
    place_boxes({few, 0, count_of_few});
    if (count_of_large == 0) continue;
    std::uint32_t lost_at[kBlock];
    lanes::Found lost{lost_at, 0};
    lanes::kernels().place_by_extremes(in, {large, 0, count_of_large}, extremes.front().data(), rotations,
                                       box.front().lo.data(), of_them.lo.data(), lost);
    for (std::uint32_t k = 0; k < lost.count; ++k) {
      update_box(bodies, lost.at[k], *this);
      include(box[lost.at[k]], of_them);
    }
  }
}

void Placement::resize(const Bodies& bodies) {
  rotation.resize(bodies.disks == bodies.beyond_walls() ? bodies.walls : bodies.size());
  box.resize(bodies.size());
  if (bodies.most_vertices > kFew || !extremes.empty()) extremes.resize(bodies.size());
}

void Placement::add_missing(const Bodies& bodies) {
  auto body = static_cast<std::uint32_t>(box.size());
  if (body < bodies.size()) reach.reset();
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
  reach.reset();
  resize(bodies);
  for (std::uint32_t body = 0; body < rotation.size(); ++body) rotation[body] = soft::rotation_of(bodies, body);
}

}  // namespace scree::soft
