#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/errors.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/hard/simulation_kinds.hpp"
#include "dem/room.hpp"

/// What is done to a simulation of the hard mode from outside: disks that are added, velocities that are given.
namespace scree::hard {

template <FindsNeighbours B, EventQueue Q, class K>
bool BasicSimulation<B, Q, K>::has_room_for(const Vec2& position, double radius) const {
  const double now = rebasing_.clock().at(time_);
  const FlyingDisk disk{{position, Vec2::Zero(), now, radius}};
  if (walls_.nearest(disk, space_, now).gap < 0.0) return false;
  std::vector<Index> found;
  const auto near = [&](const Aabb2& box, const auto& take) {
    neighbourhood_.query(box, found);
    for (const Index i : found) {
      const Flight& flight = disks_.flight(i);
      const Vec2 centre = space_.position_at(flight, now) + space_.periodic.shift(disks_[i].box_image_offset);
      take(disk_shape(flight.radius), Pose{centre, {}});
    }
  };
  return has_room(disk_shape(radius), {position, {}}, space_.periodic, near);
}

template <FindsNeighbours B, EventQueue Q, class K>
bool BasicSimulation<B, Q, K>::has_room_for(const ShapeView& shape, const Pose& pose) const {
  if constexpr (!K::kHaveForms) return has_room_for(pose.position, shape.radius);
  const double now = rebasing_.clock().at(time_);
  if (walls_.overlap(shape, pose, now)) return false;
  std::vector<Index> found;
  const auto near = [&](const Aabb2& box, const auto& take) {
    neighbourhood_.query(box, found);
    for (const Index i : found) {
      const Vec2 centre = space_.position_at(disks_.flight(i), now) + space_.periodic.shift(disks_[i].box_image_offset);
      const GrainForm& form = disks_.forms()[i];
      const std::vector<Vec2> corners = form.corners();
      take(ShapeView{corners, form.shape.bounding_radius()}, disks_.pose(i, centre, now));
    }
  };
  return has_room(shape, pose, space_.periodic, near);
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::add(const NewDisk& disk) {
  require_boxes();
  now_ = rebasing_.clock().at(time_);
  const DiskBoxes& boxes = neighbourhood_.boxes();
  if (disks_.size() == boxes.capacity()) grow_capacity();
  const Index i = disks_.add(disk, now_);
  rebasing_.add(K::speed_squared(disks_, i), now_, max_path(), space_.gravity.acceleration);
  disks_.synchronize(i, now_, space_);
  energy_.in += disks_.energy(i, now_, space_);
  const Vec2 centre = disks_.place_box(i, now_, space_);
  neighbourhood_.insert(i, centre, disk.radius);
  walls_.find(i, boxes.box(centre, disk.radius));
  set_event(i, Event::advancement(now_, i));
  exits_.plan(i, predictor().box_exit_time(i, now_));
}

template <FindsNeighbours B, EventQueue Q, class K>
void BasicSimulation<B, Q, K>::reverse() {
  require_boxes();
  now_ = rebasing_.clock().at(time_);
  disks_.reverse(now_, space_);
  invalidate_events();
}

template <FindsNeighbours B, EventQueue Q, class K>
std::optional<std::uint64_t> BasicSimulation<B, Q, K>::set_velocities(std::span<const std::uint64_t> ids,
                                                                      std::span<const Motion> velocities) {
  if (grows()) {
    throw InvalidScene("growth",
                       "still goes on: the velocities of growing disks are rescaled to the energy of the "
                       "start; try again when it is over");
  }
  require_boxes();
  // After so many events as were allowed the time may be that of the last one, rounded.
  now_ = rebasing_.clock().at(time_);
  if (disks_.size() > 0) now_ = std::max(now_, disks_.flight(disks_.last_to_begin()).time);
  if (disks_.has_places_of_departed()) {
    disks_.compact();
    place_boxes(neighbourhood_.boxes().capacity());
  }
  std::vector<Index> disks;
  for (const std::uint64_t id : ids) {
    const std::optional<Index> disk = disks_.find(id);
    if (!disk) return id;
    disks.push_back(*disk);
  }
  if (disks.empty()) return {};
  if (space_.cell.exists()) rebase_flights();  // an epoch of the clock has one mean velocity: drift.hpp
  for (std::size_t k = 0; k < disks.size(); ++k) {
    const Index i = disks[k];
    end_flight(i);
    disks_.synchronize(i, now_, space_);
    energy_.in -= disks_.kinetic_energy(i, now_, space_);
    ImpactBody body = disks_.impact_body(i);
    body.velocity = linear(velocities[k]);
    body.angular_velocity = velocities[k].z();
    disks_.set_velocities(i, body);
    energy_.in += disks_.kinetic_energy(i, now_, space_);
    disks_.forget_free_flight(i);
    rebasing_.update_deadline(K::speed_squared(disks_, i), now_);
  }
  energy_.scale = energy_.scale_with(disks_.kinetic_energy(now_, space_));
  place_boxes(neighbourhood_.boxes().capacity());
  return {};
}

SCREE_INSTANTIATE_HARD_SIMULATIONS

}  // namespace scree::hard
