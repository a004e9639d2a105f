#include "dem/hard/disk/predictor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "dem/hard/flight/growth.hpp"
#include "dem/hard/flight/prediction.hpp"
#include "dem/hard/lanes/kernels.hpp"

namespace scree::hard {

static_assert(sizeof(FlyingDisk) == 8 * sizeof(double) && sizeof(Partner) == sizeof(std::uint32_t));  // for kernels

namespace {

/// From the centre of its box to the disk.
inline Vec2 place_in_box(const Predictor& p, Index i, const Vec2& position, double time) {
  return position + p.space.shift(p.disks[i].box_image_offset, time) - p.boxes.centre(i);
}

/// Next event with a side that is not periodic.
Event next_with_side(const Predictor& p, Index i, int axis) {
  const Flight& flight = p.disks.flight(i);
  const double lo = p.space.domain.lo[axis];
  const double hi = p.space.domain.hi[axis];
  const double inward = p.space.open ? -flight.radius : flight.radius;  // a disk is wholly beyond an open side
  const AxisExit exit = p.compression.has_grown()
                            ? side_exit(p.compression.growing(p.disks, i), axis, lo, hi, p.compression.growth())
                            : p.space.in_field([&](const auto& field) {
                                return axis_exit(flight, axis, lo + inward, hi - inward, field);
                              });
  return Event::wall(exit.time, i, static_cast<unsigned>(2 * axis) + (exit.above ? 1u : 0u));
}

/// The least of `next` and hits of walls.
Event next_with_walls(const Predictor& p, Index i, Event next) {
  const std::span<const Partner> near = p.walls.of(i);
  if (near.empty()) return next;
  const Growing disk = p.compression.growing(p.disks, i);
  const Growth& growth = p.compression.growth();
  const Flight flight = grown(disk, growth);
  for (const Partner wall : near) {
    const Index k = wall.disk();
    if (!p.walls.stands(k)) continue;
    const double latest = std::min(next.time, p.walls.stays_until(k));
    const Vec2 shift = wall_shift(p.disks[i], wall.image(), p.space);
    const double time =
        p.walls[k].collision_time(flight, p.space.gravity.acceleration, shift, latest, rim_speed(disk, growth));
    next = std::min(next, Event::wall(time, i, kSides + k, wall.image()));
  }
  return next;
}

/// Whether a disk that has this event is free for an earlier one.
inline bool is_available(const Predictor& p, Index j, const Event& event) {
  const double has = p.disks[j].event_time;
  return event.time < has || (event.time == has && event < p.events[j].event);
}

/// Where the lanes lose digits.
[[gnu::noinline]] double general_collision_time(const Predictor& p, Index i, Partner partner) {
  const FlyingDisk& disk = p.disks[i];
  const FlyingDisk& other = p.disks[partner.disk()];
  const Vec2 shift = image_shift(disk, other, partner.image(), p.space.periodic);
  return p.space.in_field([&](const auto& field) { return collision_time(disk.flight, other.flight, shift, field); });
}

inline lanes::DisksIn disks_in(const Predictor& p) {
  return {reinterpret_cast<const double*>(p.disks.all().data()), p.space.periodic.period().data(),
          p.space.gravity.acceleration.data()};
}

/// The least of `best` and the collisions with those partners that have nothing earlier: line 14.
inline Event next_with_partner(const Predictor& p, Index i, std::span<const Partner> partners, const Event& best) {
  const lanes::Soonest next = (p.space.falls ? p.kernels.first_falling : p.kernels.first)(
      disks_in(p), i, reinterpret_cast<const std::uint32_t*>(partners.data()),
      static_cast<std::uint32_t>(partners.size()), best.time);
  return p.event_of(next, i, partners, best);
}

/// Next event with a partner where disks grow.
Event next_with_growing_partner(const Predictor& p, Index i, std::span<const Partner> left, Event best,
                                const Growth& field) {
  constexpr std::size_t kAtOnce = 16;
  constexpr unsigned kLanes = 2;
  constexpr double kLatest = std::numeric_limits<double>::max();
  using Quadratics = GrowingPairQuadraticOf<TwoNumbers>;
  std::array<Quadratics, kAtOnce / kLanes> quadratics;
  const FlyingDisk* const disks = p.disks.all().data();
  const QueuedEvent* const events = p.events.data();
  const Periodic& periodic = p.space.periodic;
  const FlyingDisk& disk = disks[i];
  const auto growing = [&](Index j) { return p.compression.growing(p.disks, j); };
  const Growing own = growing(i);
  const GrowingOf<TwoNumbers> twice = pack(own, own);
  while (!left.empty()) {
    const auto partners = left.first(std::min(left.size(), kAtOnce));
    left = left.subspan(partners.size());
    unsigned candidates = 0;
    for (std::size_t k = 0; k < partners.size(); k += kLanes) {
      const Partner first = partners[k];
      const Partner second = partners[std::min(k + 1, partners.size() - 1)];
      const FlyingDisk& a = disks[first.disk()];
      const FlyingDisk& b = disks[second.disk()];
      const VecOf<TwoNumbers> shifts =
          pack(image_shift(disk, a, first.image(), periodic), image_shift(disk, b, second.image(), periodic));
      const GrowingOf<TwoNumbers> others = pack(growing(first.disk()), growing(second.disk()));
      quadratics[k / kLanes] = growing_pair_quadratic(twice, others, shifts, field);
      candidates |= quadratics[k / kLanes].can_collide_before(std::min(best.time, kLatest)).bits() << k;
    }
    for (candidates &= (1u << partners.size()) - 1; candidates != 0; candidates &= candidates - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(candidates));
      const Index j = partners[k].disk();
      const double time = quadratics[k / kLanes][k % kLanes].time([&] {
        const Vec2 shift = image_shift(disk, disks[j], partners[k].image(), periodic);
        return close_discriminant(own, growing(j), shift, field);
      });
      if (time > best.time) continue;
      const Event event = Event::collision(time, i, j, partners[k].image());
      if (event < best && event < events[j].event) best = event;
    }
  }
  return best;
}

/// Next event with a partner where pairs have wells.
Event next_with_partner_in_wells(const Predictor& p, Index i, std::span<const Partner> partners, Event best) {
  for (const Partner partner : partners) {
    const Index j = partner.disk();
    const double contact = p.disks.flight(i).radius + p.disks.flight(j).radius;
    const bool inside = p.wells.pairs.contains(well_pair(p.disks, i, j, partner.image()));
    const Approach pair = p.disks.approach(i, j, partner.image(), p.space);
    const WellEvent next = next_well_event(pair, contact, p.wells.well.range, inside);
    if (next.time > best.time) continue;
    const Event event = next.at_edge ? Event::crossing(next.time, i, j, partner.image())
                                     : Event::collision(next.time, i, j, partner.image());
    if (event < best && event < p.events[j].event) best = event;
  }
  return best;
}

/// Next event with a partner in a cell that deforms.
Event next_with_partner_in_cell(const Predictor& p, Index i, std::span<const Partner> partners, Event best) {
  for (const Partner partner : partners) {
    const Index j = partner.disk();
    const double contact = p.disks.flight(i).radius + p.disks.flight(j).radius;
    const double time = collision_time(p.disks.approach(i, j, partner.image(), p.space), contact);
    if (time > best.time) continue;
    const Event event = Event::collision(time, i, j, partner.image());
    if (event < best && is_available(p, j, event)) best = event;
  }
  return best;
}

[[gnu::always_inline]] inline Event next_with(const Predictor& p, Index i, std::span<const Partner> partners,
                                              const Event& best) {
  if (p.compression.has_grown()) return next_with_growing_partner(p, i, partners, best, p.compression.growth());
  if (p.wells.exist()) return next_with_partner_in_wells(p, i, partners, best);
  if (p.space.cell.exists()) return next_with_partner_in_cell(p, i, partners, best);
  return next_with_partner(p, i, partners, best);
}

}  // namespace

Event Predictor::next_of_disk_alone(Index i) const {
  Event next = Event::advancement(kNever, i);
  for (int axis = 0; axis < 2; ++axis) {
    if (!space.periodic.along(axis)) next = std::min(next, next_with_side(*this, i, axis));
  }
  return walls.empty() ? next : next_with_walls(*this, i, next);
}

Event Predictor::next_by_rank(Index i, std::span<const Partner> partners, Event best) const {
  constexpr std::size_t kAtOnce = 32;
  const auto predict = space.falls ? kernels.predict_falling : kernels.predict;
  lanes::Candidate found[kAtOnce];
  while (!partners.empty()) {
    const auto here = partners.first(std::min(partners.size(), kAtOnce));
    partners = partners.subspan(here.size());
    const std::uint32_t count = predict(disks_in(*this), i, reinterpret_cast<const std::uint32_t*>(here.data()),
                                        static_cast<std::uint32_t>(here.size()), best.time, found);
    for (const lanes::Candidate* at = found + count; at-- != found;) {  // the last one is the earliest, or nearly
      const Partner partner = here[at->place];
      const double time = at->is_certain ? at->time : general_collision_time(*this, i, partner);
      if (time > best.time) continue;
      const Event event = Event::collision(time, i, partner.disk(), partner.image());
      if (event < best && is_available(*this, partner.disk(), event)) best = event;
    }
  }
  return best;
}

Event Predictor::next_event(Index i) const {
  return next_with(*this, i, boxes.partners_of(i), next_of_disk_alone(i));
}

Event Predictor::next_event_with(Index i, std::span<const Partner> newcomers) const {
  const Event best = walls.empty() ? events[i].event : next_with_walls(*this, i, events[i].event);
  return newcomers.empty() ? best : next_with(*this, i, newcomers, best);
}

double Predictor::box_exit_time(Index i, double now) const {
  const Flight& flight = disks.flight(i);
  const Vec2 place = place_in_box(*this, i, space.position_at(flight, now), now);
  const Vec2 velocity = disks.velocity_in_box(i, now, space);
  return now + (space.falls ? circle_exit(place, velocity, boxes.margin(), space.gravity.acceleration.norm())
                            : circle_exit(place, velocity, boxes.margin()));
}

/// A circle that has both ends of a straight path has all of it.
bool Predictor::stays_in_box(Index i, double now, double time) const {
  if (space.falls) return box_exit_time(i, now) >= time;
  return place_in_box(*this, i, disks.flight(i).position_at(time), time).squaredNorm() <=
         boxes.margin() * boxes.margin();
}

}  // namespace scree::hard
