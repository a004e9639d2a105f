#pragma once

#include <cstdint>
#include <span>

#include "dem/hard/disk/handlers.hpp"
#include "dem/hard/disk/predictor.hpp"
#include "dem/hard/flight/collision_rule.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/outcome.hpp"
#include "dem/hard/grain_kinds.hpp"
#include "dem/hard/lanes/kernels.hpp"
#include "dem/hard/world.hpp"

/// Disks to which nothing happens but that they fly straight and hit each other, or a side of the domain: most gases.
/// The event loop is compiled for them once more, without what they do not need. Events and bits are the same.
namespace scree::hard {

/// No field, walls, wells or growth, no cell that deforms, and one rule: smooth, with a constant restitution.
inline bool are_plain(const Flights& flights) {
  const Space& space = flights.space;
  if (space.falls || space.open || space.cell.exists() || !flights.walls.empty() || flights.wells.exist() ||
      flights.compression.has_grown() || flights.rules.materials() != 1 || flights.rules.contact_duration() != 0.0)
    return false;
  const CollisionRule& rule = flights.rules.of_disks(flights.disks, 0, 0);
  return rule.friction == 0.0 && rule.law == RestitutionLaw::constant;
}

class PlainPredictor {
 public:
  explicit PlainPredictor(const Predictor& of_disks)
      : of_disks_(of_disks),
        disks_(of_disks.disks.all().data()),
        period_(of_disks.space.periodic.period()),
        in_{reinterpret_cast<const double*>(disks_), of_disks.space.periodic.period().data(), nullptr},
        first_(of_disks.kernels.first),
        has_sides_(!(of_disks.space.periodic.along(0) && of_disks.space.periodic.along(1))),
        margin_squared_(of_disks.boxes.margin() * of_disks.boxes.margin()) {}

  Event next_event(Index i) const {
    const Event alone = has_sides_ ? of_disks_.next_of_disk_alone(i) : Event::advancement(kNever, i);
    return next_with(i, of_disks_.boxes.partners_of(i), alone);
  }
  Event next_event_with(Index i, std::span<const Partner> newcomers) const {
    const Event& best = of_disks_.events[i].event;
    return newcomers.empty() ? best : next_with(i, newcomers, best);
  }
  double box_exit_time(Index i, double now) const {
    return now + circle_exit(place_in_box(i, now), disks_[i].flight.velocity, of_disks_.boxes.margin());
  }
  bool stays_in_box(Index i, double, double time) const {
    return place_in_box(i, time).squaredNorm() <= margin_squared_;
  }

 private:
  Vec2 place_in_box(Index i, double time) const {
    const FlyingDisk& disk = disks_[i];
    const Vec2 shift{disk.box_image_offset[0] * period_.x(), disk.box_image_offset[1] * period_.y()};
    return disk.flight.position_at(time) + shift - of_disks_.boxes.centre(i);
  }
  Event next_with(Index i, std::span<const Partner> partners, const Event& best) const {
    const lanes::Soonest next = first_(in_, i, reinterpret_cast<const std::uint32_t*>(partners.data()),
                                       static_cast<std::uint32_t>(partners.size()), best.time);
    return of_disks_.event_of(next, i, partners, best);
  }

  Predictor of_disks_;
  const FlyingDisk* disks_;
  Vec2 period_;
  lanes::DisksIn in_;
  lanes::Kernels::First first_;
  bool has_sides_;
  double margin_squared_;
};

class PlainHandlers : public Handlers {
 public:
  explicit PlainHandlers(const Handlers& of_disks)
      : Handlers(of_disks), restitution_(rules_.of_disks(disks_, 0, 0).restitution) {}

  /// Two disks collide. @param outcome what it did, if it is wanted @return the energy that restitution took [J]
  double collide(const Event& event, double now, Outcome* outcome) const {
    const Index a = event.lower();
    const Index b = event.higher();
    disks_.fly_until(a, now, space_);
    disks_.fly_until(b, now, space_);
    ImpactBody body_a = disks_.impact_body(a);
    ImpactBody body_b = disks_.impact_body(b);
    const Vec2 distance = (disks_.flight(b).position - disks_.flight(a).position) +
                          image_shift(disks_[a], disks_[b], event.image(a), space_.periodic);
    const Impact impact = collide_smooth(restitution_, body_a, body_b, distance);
    disks_.set_velocity(a, body_a.velocity);
    disks_.set_velocity(b, body_b.velocity);
    if (outcome != nullptr) [[unlikely]]
      *outcome = {Outcome::Kind::collision, distance, impact.impulse, impact.lost_normal};
    return impact.lost_normal;
  }

 private:
  double restitution_;
};

struct PlainDisks : OfDisks {
  using Predictor = PlainPredictor;
  using Handlers = PlainHandlers;
  static constexpr bool kArePlain = true;
};

}  // namespace scree::hard
