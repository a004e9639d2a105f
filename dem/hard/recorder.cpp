#include "dem/hard/recorder.hpp"

namespace scree::hard {

Recorder::Recorder(const Setup& setup)
    : measures_(setup.measure.has_value()), measures_free_flights_(measures_ && setup.measure->free_flights) {
  if (measures_) transfers_ = Transfers(*setup.measure, setup.domain, setup.walls.size() + (setup.open ? 0 : kSides));
}

void Recorder::record_transfer(Index i, const Event& event, const Outcome& outcome, double now, const Walls& walls,
                               const Space& space, Disks& disks) {
  if (outcome.kind != Outcome::Kind::wall_hit) {
    const Index a = event.lower();
    const bool collides = outcome.kind == Outcome::Kind::collision;
    transfers_.add({disks.flight(a).position, outcome.branch, outcome.impulse, collides});
    if (!collides || !measures_free_flights_) return;
    record_free_flight(a, now, disks);
    record_free_flight(event.higher(), now, disks);
    return;
  }
  const Transfers::Contact contact{disks.flight(i).position, outcome.branch, outcome.impulse};
  if (event.side() < kSides) {
    transfers_.add_on_wall(contact, walls.size() + event.side(), 0.0);
    return;
  }
  const Index k = event.side() - kSides;
  const Vec2 arm =
      contact.centre + contact.branch - (walls[k].centroid(now) + wall_shift(disks[i], event.image(i), space));
  transfers_.add_on_wall(contact, k, cross(arm, contact.impulse));
}

void Recorder::record_free_flight(Index i, double now, Disks& disks) {
  const Disks::FreeFlight& flight = disks.free_flight(i);
  if (flight.since > -kNever) transfers_.add_flight(flight.path, now - flight.since);
  disks.begin_free_flight(i, now);
}

}  // namespace scree::hard
