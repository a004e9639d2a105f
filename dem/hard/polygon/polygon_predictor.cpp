#include "dem/hard/polygon/polygon_predictor.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <fmt/format.h>

#include "dem/hard/polygon/polygon_meeting.hpp"

namespace scree::hard {

namespace {

/// A pair that would take more is given up: that is some 0.1 s.
constexpr int kMostLooksOfPair = 100000;

/// What lengths of the forms are multiplied by until then, at most.
double greatest_scale(const PolygonPredictor& p, double latest) {
  const Growth& growth = p.compression.growth();
  return growth.rate > 0.0 ? growth.scale_at(latest) : growth.scale;
}

[[noreturn]] void give_up(const PolygonPredictor& p, Index i, const std::string& other) {
  throw SearchGaveUp(
      fmt::format("{}, at {:.3g} rad/s, turns too often while it passes {}: the search for their first contact was "
                  "given up after {} looks; slow spins down, or check for grains that are far too fast",
                  p.disks.name(i), p.disks.spin(i).angular_velocity, other, kMostLooksOfPair));
}

/// @param name_of_other for messages: of the body that it meets
double first_contact(const PolygonPredictor& p, const Meeting& meeting, double latest, Index i,
                     const auto& name_of_other) {
  const FirstContact contact = meeting.first_contact(latest, kMostLooksOfPair);
  if (contact.kind == FirstContact::Kind::kUndecided) give_up(p, i, name_of_other());
  return contact.kind == FirstContact::Kind::kContact ? contact.time : kNever;
}

/// When a grain is wholly beyond an open side.
Event next_with_open_side(const PolygonPredictor& p, Index i, int axis) {
  const Flight& flight = p.disks.flight(i);
  const AxisExit exit = p.space.in_field([&](const auto& field) {
    return axis_exit(flight, axis, p.space.domain.lo[axis] - flight.radius, p.space.domain.hi[axis] + flight.radius,
                     field);
  });
  return Event::wall(exit.time, i, static_cast<unsigned>(2 * axis) + (exit.above ? 1u : 0u));
}

/// The least of `next` and the hit of a hard side. Until its bounding circle has come to the side, there is none.
Event next_with_hard_side(const PolygonPredictor& p, Index i, unsigned side, const Event& next) {
  const Flight& flight = p.disks.flight(i);
  const int axis = static_cast<int>(side / 2);
  const double outward = side % 2 == 0 ? -1.0 : 1.0;
  const double at = side % 2 == 0 ? p.space.domain.lo[axis] : p.space.domain.hi[axis];
  const double latest = std::min(next.time, p.latest());
  const double radius = greatest_scale(p, latest) * flight.radius;
  const double gap = outward * (at - flight.position[axis]) - (1.0 + kDozensOfRoundings) * radius;
  if (gap > 0.0) {
    const double wait =
        closing_time(gap, outward * flight.velocity[axis], outward * p.space.gravity.acceleration[axis]);
    if (flight.time + wait > latest) return next;
  }
  const Meeting meeting = meeting_with_side(p.disks, i, side, p.space, p.compression);
  const double time = first_contact(p, meeting, latest, i, [] { return std::string("a side of the domain"); });
  return std::min(next, Event::wall(time, i, side));
}

/// The least of `next` and hits of walls.
Event next_with_walls(const PolygonPredictor& p, Index i, Event next) {
  for (const Partner wall : p.walls.of(i)) {
    const Index k = wall.disk();
    if (!p.walls.stands(k)) continue;
    const double latest = std::min({next.time, p.walls.stays_until(k), p.latest()});
    const Meeting meeting = meeting_with_wall(p.disks, i, p.walls, k, wall.image(), p.space, p.compression);
    const double time = first_contact(p, meeting, latest, i, [&] { return "the wall '" + p.walls.name(k) + "'"; });
    next = std::min(next, Event::wall(time, i, kSides + k, wall.image()));
  }
  return next;
}

Event next_alone(const PolygonPredictor& p, Index i) {
  Event next = Event::advancement(kNever, i);
  for (int axis = 0; axis < 2; ++axis) {
    if (p.space.periodic.along(axis)) continue;
    if (p.space.open) {
      next = std::min(next, next_with_open_side(p, i, axis));
      continue;
    }
    const unsigned below = 2 * static_cast<unsigned>(axis);
    for (const unsigned side : {below, below + 1}) next = next_with_hard_side(p, i, side, next);
  }
  return p.walls.empty() ? next : next_with_walls(p, i, next);
}

/// False only if the bounding circles do not meet by then. They are taken so much larger than rounding that it decides
/// nothing: the search itself would find no contact.
bool may_meet(const PolygonPredictor& p, Index i, Partner partner, double latest) {
  constexpr double kLarger = 1.0 + 1e-9;
  const FlyingDisk& a = p.disks[i];
  const FlyingDisk& b = p.disks[partner.disk()];
  const Vec2 shift = image_shift(a, b, partner.image(), p.space.periodic);
  const Approach pair = p.space.in_field([&](const auto& field) { return approach(a.flight, b.flight, shift, field); });
  const double reach = kLarger * greatest_scale(p, latest) * (a.flight.radius + b.flight.radius);
  const PairQuadratic circles{pair.begin, pair.velocity.squaredNorm(), pair.distance.dot(pair.velocity),
                              pair.distance.squaredNorm() - reach * reach};
  return pair.begin <= latest && (circles.c <= 0.0 || circles.can_collide_before(latest));
}

/// A partner that grain i may meet.
struct Candidate {
  Partner partner;
  double free_until;  ///< [s]
  FirstContactSearch search;
};

/// Brings a candidate's search on until the bodies are free beyond `pause`. @return false if it has ended: a collision
/// that it found has improved `best`
bool go_on(const PolygonPredictor& p, Index i, Candidate& candidate, double pause, Event& best) {
  const Index j = candidate.partner.disk();
  const double has = p.disks[j].event_time;
  const double latest = std::min({best.time, has, p.latest()});
  const NearImage image = candidate.partner.image();
  const Meeting meeting = meeting_of_grains(p.disks, i, j, image, p.space, p.compression);
  const FirstContact contact = meeting.go_on(candidate.search, latest, pause, kMostLooksOfPair);
  candidate.free_until = contact.time;
  if (contact.kind == FirstContact::Kind::kUndecided) give_up(p, i, p.disks.name(j));
  if (contact.kind == FirstContact::Kind::kContact) {
    const Event event = Event::collision(contact.time, i, j, image);
    if (event < best && (contact.time < has || event < p.events[j].event)) best = event;
  }
  return contact.kind == FirstContact::Kind::kPaused;
}

/// The least of `best` and the collisions with those partners that have nothing earlier. Most pairs are free for longer
/// than the next event takes. So of all searches that one goes on whose bodies are free for the shortest time.
Event next_with(const PolygonPredictor& p, Index i, std::span<const Partner> partners, Event best) {
  constexpr std::size_t kAtOnce = 16;
  std::array<Candidate, kAtOnce> candidates;
  while (!partners.empty()) {
    const std::span<const Partner> here = partners.first(std::min(partners.size(), kAtOnce));
    partners = partners.subspan(here.size());
    std::size_t count = 0;
    for (const Partner partner : here) {
      const double latest = std::min({best.time, p.disks[partner.disk()].event_time, p.latest()});
      if (!may_meet(p, i, partner, latest)) continue;
      candidates[count] = {partner, 0.0, {}};
      if (go_on(p, i, candidates[count], -kNever, best)) ++count;
    }
    while (count > 0) {
      const std::span<Candidate> left(candidates.data(), count);
      const auto first = std::ranges::min_element(left, {}, &Candidate::free_until);
      if (first->free_until > best.time) break;
      double pause = kNever;  // where another one has to go on
      for (const Candidate& other : left) {
        if (&other != &*first) pause = std::min(pause, other.free_until);
      }
      if (!go_on(p, i, *first, pause, best)) *first = left[--count];
    }
  }
  return best;
}

}  // namespace

Event PolygonPredictor::next_event(Index i) const {
  return next_with(*this, i, boxes.partners_of(i), next_alone(*this, i));
}

Event PolygonPredictor::next_event_with(Index i, std::span<const Partner> newcomers) const {
  const Event best = walls.empty() ? events[i].event : next_with_walls(*this, i, events[i].event);
  return newcomers.empty() ? best : next_with(*this, i, newcomers, best);
}

}  // namespace scree::hard
