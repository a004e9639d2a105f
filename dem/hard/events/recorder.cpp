#include "dem/hard/events/recorder.hpp"

namespace scree::hard {

Recorder::Recorder(const Setup& setup)
    : records_(setup.measure.has_value()),
      keeps_changes_(false),
      measures_free_flights_(records_ && setup.measure->free_flights),
      lists_(records_ && setup.measure->collisions),
      lists_from_(records_ ? setup.measure->from : 0.0) {
  if (!records_) return;
  transfers_ = Transfers(*setup.measure, setup.domain, setup.walls.size() + (setup.open ? 0 : kSides));
  if (!setup.measure->helfand_moments) return;
  moments_.emplace();
  for (std::size_t k = 0; k < setup.mass.size(); ++k) {
    moments_->change({0.0, Vec2::Zero()}, {setup.mass[k], setup.velocity[k]}, 0.0);
  }
}

Recorder Recorder::of_changes(bool all_outcomes) {
  Recorder recorder;
  recorder.keeps_all_outcomes_ = all_outcomes;
  return recorder;
}

void Recorder::record_event(Index i, const Event& event, const Outcome& outcome, double now, const Walls& walls,
                            const Space& space, Disks& disks) {
  if (keeps_changes_) return keep_change(i, event, outcome, disks);
  record_transfer(i, event, outcome, now, walls, space, disks);
}

void Recorder::keep_change(Index i, const Event& event, const Outcome& outcome, const Disks& disks) {
  const Index other = event.kind() == EventKind::collision ? event.partner(i) : i;
  if (keeps_all_outcomes_ || outcome.changes_energy()) outcomes_.push_back({changes_.size(), outcome});
  changes_.push_back({event, i, disks[i].box_image_offset, {disks.motion(i), disks.motion(other)}});
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

void Recorder::record_when(Index i, const Event& event, const Outcome& outcome, double time, const Disks& disks) {
  if (lists_ && time >= lists_from_) list(i, event, outcome, time, disks);
  if (!moments_ || outcome.kind != Outcome::Kind::collision) return;
  const auto body = [&](Index of) -> HelfandMoments::Body { return {disks.mass(of), disks.flight(of).velocity}; };
  moments_->collide(body(event.lower()), body(event.higher()), outcome.branch, outcome.impulse, time);
}

void Recorder::list(Index i, const Event& event, const Outcome& outcome, double time, const Disks& disks) {
  using With = Collision::With;
  const bool with_grain = outcome.kind != Outcome::Kind::wall_hit;
  const Index a = with_grain ? event.lower() : i;
  Collision collision{.time = time,
                      .with = With::grain,
                      .id1 = disks.label(a).id,
                      .id2 = 0,
                      .position = disks.flight(a).position,
                      .branch = outcome.branch,
                      .impulse = outcome.impulse,
                      .lost = outcome.lost_normal + outcome.lost_tangential};
  if (with_grain) {
    collision.id2 = disks.label(event.higher()).id;
    if (outcome.kind == Outcome::Kind::crossing) collision.with = With::well;
  } else if (event.side() >= kSides) {
    collision.with = With::wall;
    collision.id2 = event.side() - kSides + 1;
  } else {
    collision.with = static_cast<With>(event.side());
  }
  collisions_.push_back(collision);
}

void Recorder::record_free_flight(Index i, double now, Disks& disks) {
  const Disks::FreeFlight& flight = disks.free_flight(i);
  if (flight.since > -kNever) transfers_.add_flight(flight.path, now - flight.since);
  disks.begin_free_flight(i, now);
}

}  // namespace scree::hard
