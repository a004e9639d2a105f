#pragma once

#include <algorithm>

#include "dem/hard/events/walls.hpp"
#include "dem/hard/flight/compression.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/space.hpp"
#include "geometry/contact_shape.hpp"
#include "geometry/first_contact.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// Two bodies that may touch, as first_contact() reads them. What becomes of them is a function of their flights alone.
struct Meeting {
  const ContactShape& shape_a;
  RigidFlight a;
  const ContactShape& shape_b;
  RigidFlight b;
  Vec2 shift;  ///< of the image of b that is meant [m]

  FirstContact first_contact(double latest, int most_looks) const {
    return scree::first_contact(shape_a, a, shape_b, b, shift, latest, most_looks);
  }
  FirstContact go_on(FirstContactSearch& search, double latest, double pause, int most_looks) const {
    return scree::go_on(search, shape_a, a, shape_b, b, shift, latest, pause, most_looks);
  }
  FirstContact contact_at(double time) const { return scree::contact_at(time, shape_a, a, shape_b, b, shift); }
  ContactPoints points(const FirstContact& contact) const {
    return contact_points(shape_a, a, shape_b, b, shift, contact);
  }
};

inline RigidFlight rigid_flight(const Disks& disks, Index i, const Space& space, const Compression& compression) {
  const Flight& flight = disks.flight(i);
  const Disks::Spin& spin = disks.spin(i);
  const GrowthShare share = compression.share(disks, i);
  return {.position = flight.position,
          .velocity = flight.velocity,
          .acceleration = space.gravity.acceleration,
          .angle = spin.angle,
          .angular_velocity = spin.angular_velocity,
          .time = flight.time,
          .size = share.at(compression.growth().scale_at(flight.time)),
          .growth = share.growing * compression.growth().rate};
}

/// Meeting of grain i and an image of j.
inline Meeting meeting_of_grains(const Disks& disks, Index i, Index j, NearImage image, const Space& space,
                                 const Compression& compression) {
  return {disks.forms()[i].shape, rigid_flight(disks, i, space, compression), disks.forms()[j].shape,
          rigid_flight(disks, j, space, compression), image_shift(disks[i], disks[j], image, space.periodic)};
}

/// Meeting of an image of wall k and grain i.
inline Meeting meeting_with_wall(const Disks& disks, Index i, const Walls& walls, Index k, NearImage image,
                                 const Space& space, const Compression& compression) {
  const WallBody& wall = walls[k];
  return {wall.contact_shape(), wall.rigid_flight(std::max(disks.flight(i).time, walls.tap_since(k))),
          disks.forms()[i].shape, rigid_flight(disks, i, space, compression), -wall_shift(disks[i], image, space)};
}

/// Meeting of a side of the domain and grain i. A short stretch stands for the side and moves along it as the grain
/// does, and grows as it does: its size takes no digits from that of the grain.
/// @param side as in Event::wall
inline Meeting meeting_with_side(const Disks& disks, Index i, unsigned side, const Space& space,
                                 const Compression& compression) {
  const int axis = static_cast<int>(side / 2);
  const RigidFlight grain = rigid_flight(disks, i, space, compression);
  RigidFlight stretch = grain;
  stretch.angle = 0.0;
  stretch.angular_velocity = 0.0;
  stretch.position[axis] = side % 2 == 0 ? space.domain.lo[axis] : space.domain.hi[axis];
  stretch.velocity[axis] = 0.0;
  stretch.acceleration[axis] = 0.0;
  return {disks.forms().side(axis), stretch, disks.forms()[i].shape, grain, Vec2::Zero()};
}

}  // namespace scree::hard
