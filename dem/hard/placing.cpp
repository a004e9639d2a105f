#include "dem/hard/placing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "dem/hard/boxes/box_margin.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/world_kinds.hpp"
#include "dem/scene/domain.hpp"

namespace scree::hard {

namespace {

/// Boxes that suit the density, and fit beside each other until the next node. The run ends if there are none.
template <FindsNeighbours B, EventQueue Q, class K>
void fit_boxes_to_cell(World<B, Q, K>& world, std::span<const double> radii) {
  constexpr double kRoundings = 1e3;  // in the radius of the smallest disk, at least
  if constexpr (kCanDeform<B>) {
    const Vec2 length = world.space.cell.length_at(world.now);
    const double rounding = tolerance(world.space.domain, 0.0);
    Domain narrow = world.space.domain;
    narrow.hi = narrow.lo + world.space.cell.least_length();
    const double margin = fitting_margin(narrow, radii, 0.0, world.margin);
    if (!(kBoxSlack * margin > rounding)) {
      world.stop(
          fmt::format("the cell has become {:.4g} m by {:.4g} m, too small for disks {:.4g} m wide: they must be less "
                      "than half as wide as the cell, and less wide than it is high",
                      length.x(), length.y(), 2.0 * std::ranges::max(radii)));
    }
    if (world.disks.smallest_radius() < kRoundings * rounding) {
      world.stop(
          fmt::format("the cell has become {:.4g} m by {:.4g} m, too large for disks {:.4g} m wide: at its sides "
                      "distances are rounded to {:.2g} m",
                      length.x(), length.y(), 2.0 * world.disks.smallest_radius(), rounding));
    }
    world.neighbourhood = NeighbourhoodBy<B>(world.space.domain, margin);
  }
}

}  // namespace

template <FindsNeighbours B, EventQueue Q, class K>
void plan_exits(World<B, Q, K>& world) {
  const double path = world.neighbourhood.boxes().margin();
  double sum = 0.0;
  std::size_t present = 0;
  for (Index i = 0; i < world.disks.size(); ++i) {
    if (world.disks.has_left(i)) continue;
    sum += world.disks.velocity_in_box(i, world.now, world.space).norm();
    ++present;
  }
  const double mean = present > 0 ? sum / static_cast<double>(present) : 0.0;
  world.exits.begin(world.neighbourhood.boxes().capacity(), world.now, path,
                    mean + std::sqrt(world.space.gravity.acceleration.norm() * path));
  const auto predictor = hard::predictor(world);
  for (Index i = 0; i < world.disks.size(); ++i) {
    if (!world.disks.has_left(i)) world.exits.plan(i, predictor.box_exit_time(i, world.now));
  }
}

template <FindsNeighbours B, EventQueue Q, class K>
void invalidate_events(World<B, Q, K>& world) {
  double begin = world.now;
  if (world.disks.size() > 0) begin = std::min(begin, world.disks.flight(world.disks.last_to_begin()).time);
  std::vector<Event> events;
  const std::size_t capacity = world.neighbourhood.boxes().capacity();
  events.reserve(capacity);
  for (Index i = 0; i < capacity; ++i) {
    const bool is_present = i < world.disks.size() && !world.disks.has_left(i);
    events.push_back(Event::advancement(is_present ? begin : kNever, i));
    if (i < world.disks.size()) world.disks.set_event_time(i, events.back().time);
  }
  world.queue.assign(events);
  plan_exits(world);
}

template <FindsNeighbours B, EventQueue Q, class K>
void place_images(World<B, Q, K>& world) {
  if constexpr (kCanDeform<B>) {
    if (!world.space.cell.exists()) return;
    const ImagesForAWhile images = world.space.cell.images(world.now, world.neighbourhood.boxes().margin());
    if (!(images.until > world.now)) world.stop("the cell deforms too fast for the clock");
    world.neighbourhood.place_images(images);
  }
}

template <FindsNeighbours B, EventQueue Q, class K>
void place_boxes(World<B, Q, K>& world, std::size_t capacity) {
  world.reach = world.compression.growth().scale_at(world.now) * world.wells.well.range;
  std::vector<Vec2> centres;
  std::vector<double> radii;
  for (Index i = 0; i < world.disks.size(); ++i) {
    centres.push_back(world.disks.place_box(i, world.now, world.space));
    radii.push_back(world.disks.flight(i).radius * world.compression.growth().scale_at(world.now) *
                    world.wells.well.range);
  }
  if (world.compression.grows() && !radii.empty()) {
    const double margin = fitting_margin(world.space.domain, radii, 0.0, world.margin);
    if (!(kBoxSlack * margin > tolerance(world.space.domain, 0.0)))
      world.stop("a disk has grown as wide as the periodic domain");
    world.neighbourhood = NeighbourhoodBy<B>(world.space.domain, margin);
    const double room = 1.0 + kGrowthInBoxes * margin / std::ranges::max(radii);
    for (double& radius : radii) radius *= room;
    world.reach *= room;
  }
  if (world.space.cell.stretches() && !radii.empty()) fit_boxes_to_cell(world, radii);
  place_images(world);
  world.neighbourhood.assign(centres, radii, capacity);
  const DiskBoxes& boxes = world.neighbourhood.boxes();
  world.walls.start(world.rebasing.clock(), world.now, 4.0 * boxes.margin(), capacity);
  for (Index i = 0; i < world.disks.size(); ++i) world.walls.find(i, boxes.box(centres[i], radii[i]));
  invalidate_events(world);
}

#define SCREE_INSTANTIATE(B, Q, K)                         \
  template void place_boxes(World<B, Q, K>&, std::size_t); \
  template void invalidate_events(World<B, Q, K>&);        \
  template void plan_exits(World<B, Q, K>&);               \
  template void place_images(World<B, Q, K>&);
SCREE_FOR_HARD_WORLDS(SCREE_INSTANTIATE)
#undef SCREE_INSTANTIATE

}  // namespace scree::hard
