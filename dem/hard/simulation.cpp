#include "dem/hard/simulation.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/hard/prefetch.hpp"
#include "dem/measure/path_length.hpp"
#include "dem/text.hpp"

namespace scree::hard {

namespace {

// Boxes are larger than the disks' reach by this part of the margin: far more than rounding.
constexpr double kSlack = 1.0 / 1024.0;

double largest(std::span<const double> values) {
  return values.empty() ? 0.0 : *std::ranges::max_element(values);
}

// While disks grow boxes have room for this part of the margin more.
constexpr double kGrowthInBoxes = 0.25;

/// Along a periodic axis two boxes fit beside each other, while disks grow into them, too; not positive: they cannot.
double fitting_margin(const Domain& domain, std::span<const double> radii, double greatest_radius, double margin) {
  if (margin == 0.0) margin = choose_margin(domain, radii);
  for (int axis = 0; axis < 2; ++axis) {
    if (!domain.periodic[static_cast<std::size_t>(axis)]) continue;
    const double room = domain.hi[axis] - domain.lo[axis] - 2.0 * std::max(largest(radii), greatest_radius);
    margin = std::min(margin, 0.49 * room / (1.0 + kGrowthInBoxes));
  }
  return margin;
}

double first_margin(const Setup& setup) {
  validate(setup);
  std::vector<double> radii = setup.radius;
  for (double& radius : radii) radius *= setup.well.range;
  const double margin = fitting_margin(setup.domain, radii, setup.greatest_radius, setup.margin);
  if (margin < 0.0 || (margin == 0.0 && !setup.radius.empty())) {
    throw InvalidScene("radius", "a disk is as wide as the periodic domain");
  }
  return margin;
}

Vec2 period(const Domain& domain) {
  const Vec2 size = domain.hi - domain.lo;
  return {domain.periodic[0] ? size.x() : 0.0, domain.periodic[1] ? size.y() : 0.0};
}

}  // namespace

template <Broadphase<2> B, EventQueue Q>
BasicSimulation<B, Q>::BasicSimulation(const Setup& setup)
    : domain_(setup.domain),
      open_(setup.open),
      period_(period(setup.domain)),
      gravity_{setup.gravity},
      falls_(!setup.gravity.isZero()),
      rules_(setup.pairs.empty() ? std::vector{setup.disks} : setup.pairs),
      materials_(materials_in(setup)),
      tells_materials_(!setup.pairs.empty()),
      wall_rule_(setup.walls),
      walls_(setup.obstacles),
      obstacles_(setup.obstacles, setup.domain),
      images_(setup.position.size()),
      contact_time_(setup.contact_time),
      growth_spec_(setup.growth),
      growth_{{}, setup.growth.rate > 0.0 ? setup.growth.from : 1.0, setup.growth.rate},
      has_grown_(setup.growth.rate > 0.0),
      well_(setup.well),
      margin_(setup.margin),
      smallest_(setup.radius.empty() ? kNever : std::ranges::min(setup.radius)),
      measures_(setup.measure.has_value()),
      measures_flights_(measures_ && setup.measure->free_flights),
      neighbourhood_(setup.domain, first_margin(setup), kSlack * first_margin(setup)),
      changes_to_rebase_(changes_until_set_back(setup.position.size())),
      in_(setup.position.size()),
      next_id_(setup.first_id + in_) {
  disks_.reserve(setup.position.size());
  spins_.reserve(setup.position.size());
  labels_.reserve(setup.position.size());
  const auto value = [](const auto& values, std::size_t i) { return values.empty() ? 0 : values[i]; };
  for (std::size_t i = 0; i < setup.position.size(); ++i) {
    disks_.push_back({{setup.position[i], setup.velocity[i], 0.0, setup.radius[i]}, setup.mass[i], {0, 0}});
    spins_.push_back({value(setup.angle, i), value(setup.angular_velocity, i)});
    labels_.push_back({setup.first_id + i, value(setup.type, i), value(setup.material, i)});
  }
  if (neighbourhood_.margin() > 0.0 && kSlack * neighbourhood_.margin() < 4.0 * tolerance(0.0)) {
    throw InvalidScene("radius", "the disks are too small for coordinates as large as the domain's");
  }
  if (has_grown_) {
    changes_to_rebase_ = changes_until_rebase();
    energy_ = translational_energy();
    scale_at_goal_ = growth_.scale * std::sqrt(setup.growth.packing_fraction / packing_fraction());
    if (!(scale_at_goal_ > growth_.scale)) throw InvalidScene("growth.packing_fraction", "is reached at the start");
  }
  if (measures_) transfers_ = Transfers(*setup.measure, domain_, setup.obstacles.size() + (open_ ? 0 : kSides));
  if (measures_flights_) free_flights_.assign(disks_.size(), {-kNever, 0.0});
  if (contact_time_ > 0.0) last_collision_.assign(disks_.size(), -kNever);
  for (Index i = 0; i < disks_.size(); ++i) fly_to(i, 0.0);
  plan_set_back();
  start(disks_.size());
  check_start();
  if (has_well()) find_well_pairs();
  ledger_.in = well_.energy * static_cast<double>(well_pairs_.size());
  for (Index i = 0; i < disks_.size(); ++i) ledger_.in += kinetic_energy(i, 0.0) + potential_energy(i, 0.0);
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::advance_to(double time, std::uint64_t at_most) {
  if (!(time >= time_)) return;
  target_ = time;
  if (queue_.size() == 0) {
    time_ = time;
    return;
  }
  for (;;) {
    const Index i = queue_.first();  // line 2
    if (std::min(queue_[i].time, obstacles_.next_change()) > std::min(clock_.at(time), due_)) {
      if (clock_.at(time) < due_) break;  // line 1
      do_what_is_due();
      continue;
    }
    if (at_most-- == 0) {
      time_ = std::max(time_, std::min(present(), std::nextafter(time, -kNever)));
      return;
    }
    if (obstacles_.next_change() <= queue_[i].time) {
      change_obstacle();
      continue;
    }
    if (outgrows_the_cache()) load_ahead();
    now_ = queue_[i].time;
    const bool changes_velocity = queue_[i].kind() >= EventKind::wall;
    const Index partner = process(i);  // lines 3 to 12
    if (!is_gone(i)) schedule(i);      // lines 14 to 23
    if (partner != kNone) schedule(partner);
    if (changes_velocity) count_change(i);
  }
  time_ = time;
}

/// Begins to load from memory what the next events will need, one indirection after the other.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::load_ahead() const {
  queue_.soon(9, [&](Index i) { queue_.prefetch(i); });
  queue_.soon(6, [&](Index i) {
    queue_.prefetch(i);
    hard::prefetch(&disks_[i]);
    hard::prefetch(&spins_[i]);
    neighbourhood_.prefetch(i);
  });
  queue_.soon(4, [&](Index i) { neighbourhood_.prefetch_partners(i); });
  queue_.soon(2, [&](Index i) { prefetch_partners(i); });
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::prefetch_partners(Index i) const {
  for (const Partner partner : neighbourhood_.partners(i)) hard::prefetch(&disks_[partner.disk()]);
}

/// Makes the event of i happen: Fig. 6.1, lines 3 to 12.
///
/// Both partners of a collision get their new flights at once; in the printed figure the second one's old state, which
/// line 14 of the first one reads, is that before the collision, and they collide again and again. Until the second one
/// has looked for its new event it keeps the one that is over, before which nothing comes: nobody can take it away.
/// @return the second partner
template <Broadphase<2> B, EventQueue Q>
Index BasicSimulation<B, Q>::process(Index i) {
  const Event event = queue_[i];
  switch (event.kind()) {
    case EventKind::advancement:
      ++counters_.advancements;
      return kNone;
    case EventKind::box_exit:
      leave_box(i);
      return kNone;
    case EventKind::wall:
      if (event.side() >= kSides) {
        hit_obstacle(i, event);
      } else {
        open_ ? depart(i) : hit_side(i, event.side());
      }
      return kNone;
    case EventKind::collision:
      return event.crosses() ? cross_edge_of_well(i, event) : collide_disks(i, event);
  }
  return kNone;
}

/// Finds the new event of i: Fig. 6.1, lines 14 to 23.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::schedule(Index i) {
  const Event alone = next_alone(i);
  const Event next = has_grown_   ? next_with_partner(i, alone, growth_)
                     : has_well() ? next_with_partner_in_wells(i, alone)
                                  : in_field([&](const auto& field) { return next_with_partner(i, alone, field); });
  queue_.schedule(i, next);
  if (next.kind() != EventKind::collision) return;
  const Index j = next.partner(i);
  const Event given_up = queue_[j];
  queue_.schedule(j, next);
  if (given_up.kind() == EventKind::collision) queue_.turn_into_advancement(given_up.partner(j));
}

/// The least of `best` and the meetings with partners that have nothing earlier: Fig. 6.1, line 14.
template <Broadphase<2> B, EventQueue Q>
template <class Field>
Event BasicSimulation<B, Q>::next_with_partner(Index i, Event best, const Field& field) const {
  constexpr std::size_t kAtOnce = 16;
  std::array<decltype(meeting(FlightOf<Lanes>{}, FlightOf<Lanes>{}, LanesOfVec2{}, field)), kAtOnce / kLanes> meetings;
  const Disk& disk = disks_[i];
  const FlightOf<Lanes> flight = side_by_side(disk.flight, disk.flight);
  for (auto left = neighbourhood_.partners(i); !left.empty();) {
    const auto partners = left.first(std::min(left.size(), kAtOnce));
    left = left.subspan(partners.size());
    unsigned candidates = 0;
    for (std::size_t k = 0; k < partners.size(); k += kLanes) {
      const Partner first = partners[k];
      const Partner second = partners[std::min(k + 1, partners.size() - 1)];
      const Disk& a = disks_[first.disk()];
      const Disk& b = disks_[second.disk()];
      const LanesOfVec2 shifts = side_by_side(shift(disk, a, first.image()), shift(disk, b, second.image()));
      meetings[k / kLanes] = meeting(flight, side_by_side(a.flight, b.flight), shifts, field);
      candidates |= meetings[k / kLanes].may_come_by(best.time).bits() << k;
    }
    for (candidates &= (1u << partners.size()) - 1; candidates != 0; candidates &= candidates - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(candidates));
      const double time = meetings[k / kLanes][k % kLanes].time();
      if (time > best.time) continue;
      const Index j = partners[k].disk();
      const Event event = Event::collision(time, i, j, partners[k].image());
      if (event < best && event < queue_[j]) best = event;
    }
  }
  return best;
}

/// The same where pairs have wells.
template <Broadphase<2> B, EventQueue Q>
Event BasicSimulation<B, Q>::next_with_partner_in_wells(Index i, Event best) const {
  for (const Partner partner : neighbourhood_.partners(i)) {
    const Index j = partner.disk();
    const double contact = disks_[i].flight.radius + disks_[j].flight.radius;
    const bool inside = well_pairs_.contains(well_pair(i, j, partner.image()));
    const WellEvent next = next_well_event(approach_of(i, j, partner.image()), contact, well_.range, inside);
    if (next.time > best.time) continue;
    const Event event = next.at_edge ? Event::crossing(next.time, i, j, partner.image())
                                     : Event::collision(next.time, i, j, partner.image());
    if (event < best && event < queue_[j]) best = event;
  }
  return best;
}

/// What comes next to i if there is no other disk: Fig. 6.1, line 15.
template <Broadphase<2> B, EventQueue Q>
Event BasicSimulation<B, Q>::next_alone(Index i) const {
  const Flight& flight = disks_[i].flight;
  Event next = Event::box_exit(exit_time_of_box(i), i);
  for (int axis = 0; axis < 2; ++axis) {
    if (period_[axis] > 0.0) continue;
    const double inward = open_ ? -flight.radius : flight.radius;  // a disk is wholly beyond an open side
    const double lo = domain_.lo[axis];
    const double hi = domain_.hi[axis];
    const AxisExit exit = has_grown_ ? side_exit(flight, axis, lo, hi, growth_) : in_field([&](const auto& field) {
      return axis_exit(flight, axis, lo + inward, hi - inward, field);
    });
    next = std::min(next, Event::wall(exit.time, i, static_cast<unsigned>(2 * axis) + (exit.above ? 1u : 0u)));
  }
  for (const Partner wall : obstacles_.of(i)) {
    const Index k = wall.disk();
    if (!obstacles_.stands(k)) continue;
    const double latest = std::min(next.time, obstacles_.stays_until(k));
    const Vec2 shift = shift_of_obstacle(disks_[i], wall.image());
    const double time = obstacles_[k].contact_time(flight, gravity_.acceleration, shift, latest);
    next = std::min(next, Event::wall(time, i, kSides + k, wall.image()));
  }
  return next;
}

/// @return the partner of i
template <Broadphase<2> B, EventQueue Q>
Index BasicSimulation<B, Q>::collide_disks(Index i, const Event& event) {
  const Index a = event.lower();
  const Index b = event.higher();
  if (outgrows_the_cache()) {
    for (const Index disk : {a, b}) prefetch_partners(disk);  // schedule will ask them all
  }
  fly_to(a, now_);
  fly_to(b, now_);
  Spinner of_a = spinner(a);
  Spinner of_b = spinner(b);
  const Approach pair = approach_of(a, b, event.image(a));
  const double growth = has_grown_ ? contact_growth(disks_[a].flight, disks_[b].flight, now_, growth_) : 0.0;
  const Impact impact = collide(rule_now(rule_between_disks(a, b), {a, b}), of_a, of_b, pair.distance, growth);
  ledger_.normal += impact.lost_normal;
  ledger_.tangential += impact.lost_tangential;
  if (has_grown_) {
    const double virial = pair.distance.dot(impact.impulse);
    virial_ += virial;
    ledger_.grown += virial * growth / pair.distance.squaredNorm();
  }
  if (measures_) note_collision(a, b, pair.distance, impact.impulse);
  set_motion(a, of_a);
  set_motion(b, of_b);
  ++counters_.collisions;
  return event.partner(i);
}

/// @return the partner of i
template <Broadphase<2> B, EventQueue Q>
Index BasicSimulation<B, Q>::cross_edge_of_well(Index i, const Event& event) {
  const Index a = event.lower();
  const Index b = event.higher();
  fly_to(a, now_);
  fly_to(b, now_);
  Spinner of_a = spinner(a);
  Spinner of_b = spinner(b);
  const WellPair pair = well_pair(a, b, event.image(a));
  const bool inside = well_pairs_.contains(pair);
  const Vec2 distance = approach_of(a, b, event.image(a)).distance;
  if (cross_edge(well_, inside, of_a, of_b, distance)) {
    inside ? well_pairs_.erase(pair) : well_pairs_.insert(pair);
  }
  if (measures_) {
    const Vec2 impulse = disks_[b].mass * (of_b.velocity - disks_[b].flight.velocity);
    transfers_.add({.centre = disks_[a].flight.position, .branch = distance, .impulse = impulse, .begun = false});
  }
  set_motion(a, of_a);
  set_motion(b, of_b);
  ++counters_.crossings;
  return event.partner(i);
}

/// The name of an image of a pair, which wrapping does not change.
template <Broadphase<2> B, EventQueue Q>
WellPair BasicSimulation<B, Q>::well_pair(Index i, Index j, Image image) const {
  const Index a = std::min(i, j);
  const Index b = std::max(i, j);
  const Image of_b = i == a ? image : image.opposite();
  WellPair pair{a, b, {of_b.x(), of_b.y()}};
  for (const std::size_t axis : {0, 1}) {
    pair.periods[axis] += (disks_[b].frame[axis] - images_[b][axis]) - (disks_[a].frame[axis] - images_[a][axis]);
  }
  return pair;
}

/// Only at the start do distances say who is inside.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::find_well_pairs() {
  std::vector<WellPair> pairs;
  for (Index i = 0; i < disks_.size(); ++i) {
    for (const Partner partner : neighbourhood_.partners(i)) {
      const Index j = partner.disk();
      const double edge = well_.range * (disks_[i].flight.radius + disks_[j].flight.radius);
      if (i < j && approach_of(i, j, partner.image()).distance.norm() < edge) {
        pairs.push_back(well_pair(i, j, partner.image()));
      }
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  well_pairs_.assign(disks_.size(), pairs);
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::hit_side(Index i, unsigned side) {
  fly_to(i, now_);
  Vec2 outward = Vec2::Zero();
  outward[side / 2] = side % 2 == 0 ? -1.0 : 1.0;
  const Vec2 impulse =
      bounce(i, wall_rule_, {Vec2::Zero(), 0.0, 0.0, 0.0}, outward, outward.dot(gravity_.acceleration));
  if (!measures_) return;
  transfers_.add_on_wall({disks_[i].flight.position, radius(i, now_) * outward, impulse}, walls_.size() + side, 0.0);
}

/// The wall's velocity is taken at the disk's centre, the arithmetic of predictions: whence its radius.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::hit_obstacle(Index i, const Event& event) {
  fly_to(i, now_);
  const Index k = event.side() - kSides;
  const Obstacle& wall = obstacles_[k];
  const Flight& flight = disks_[i].flight;
  const Vec2 shift = shift_of_obstacle(disks_[i], event.image(i));
  const WallTouch touch = wall.touch(flight, gravity_.acceleration, shift, now_);
  const Spinner body{touch.velocity + wall.belt(), wall.angular_velocity(), -flight.radius, 0.0};
  const Vec2 impulse = bounce(i, rule_with_obstacle(i, k), body, -touch.normal, touch.pressing);
  if (!measures_) return;
  const Vec2 branch = -radius(i, now_) * touch.normal;
  const Vec2 arm = flight.position + branch - (wall.centroid(now_) + shift);
  transfers_.add_on_wall({flight.position, branch, impulse}, k, cross(arm, impulse));
}

/// A disk bounces off a wall. What a wall carries, with a contact time, it throws up so fast at least that it comes
/// back after the contact time: a disk at rest on a wall does not stop the time, nor gain more than (a t_c)^2 / 8 a
/// mass.
/// @param towards the wall, unit
/// @param pressing acceleration in this direction, relative to the wall [m/s^2]
/// @return impulse of the wall [N s]
template <Broadphase<2> B, EventQueue Q>
Vec2 BasicSimulation<B, Q>::bounce(Index i, const CollisionRule& rule, Spinner wall, const Vec2& towards,
                                   double pressing) {
  const Vec2 before = disks_[i].flight.velocity;
  Spinner disk = spinner(i);
  disk.inverse_mass = 1.0;  // the mass does not matter beside a wall's, and 1 reverses a velocity exactly
  const CollisionRule now = rule_now(rule, {i});
  const auto leaving = [&] { return towards.dot(wall.velocity - disk.velocity); };
  const double mass = disks_[i].mass;
  const double growing = disk.radius * growth_.rate;
  if (leaving() < growing) {
    const Impact impact = collide(now, disk, wall, towards, growing);
    ledger_.normal += mass * impact.lost_normal;
    ledger_.tangential += mass * impact.lost_tangential;
    ledger_.grown += mass * growing * towards.dot(impact.impulse);
  }
  const double least = 0.5 * pressing * contact_time_;
  if (const double speed = leaving(); speed < least) {
    disk.velocity -= (least - speed) * towards;
    ledger_.lifted += 0.5 * mass * (least * least - speed * speed);
  }
  set_motion(i, disk);
  ++counters_.wall_hits;
  const Vec2 impulse = mass * (before - disk.velocity);
  const Vec2 surface = wall.velocity - (wall.radius * wall.angular_velocity) * perp(towards);
  ledger_.walls -= surface.dot(impulse);
  return impulse;
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::note_collision(Index a, Index b, const Vec2& distance, const Vec2& impulse) {
  transfers_.add({.centre = disks_[a].flight.position, .branch = distance, .impulse = impulse});
  if (!measures_flights_) return;
  for (const Index i : {a, b}) {
    FreeFlight& flight = free_flights_[i];
    if (flight.since > -kNever) transfers_.add_flight(flight.path, now_ - flight.since);
    flight = {now_, 0.0};
  }
}

/// A disk is wholly beyond an open side. Nobody has it as a partner: its new event was this one.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::depart(Index i) {
  fly_to(i, now_);
  const Flight& flight = disks_[i].flight;
  departures_.push_back({present(), labels_[i].id, labels_[i].type, disks_[i].mass, flight.position, flight.velocity,
                         spins_[i].angular_velocity});
  const double kinetic = kinetic_energy(i, now_);
  ledger_.kinetic_out += kinetic;
  ledger_.out += kinetic + potential_energy(i, now_);
  labels_[i].id = kGone;
  ++gone_;
  ++out_;
  if (particles() == 0) {  // nor would a resumed run, which knows nobody
    set_back_at_ = kNever;
    plan_due();
  }
  neighbourhood_.erase(i);
  queue_.schedule(i, Event::advancement(kNever, i));
}

template <Broadphase<2> B, EventQueue Q>
bool BasicSimulation<B, Q>::has_room_for(const Vec2& position, double radius) const {
  const double now = clock_.at(time_);
  const Disk newcomer{{position, Vec2::Zero(), now, radius}, 1.0, {0, 0}};
  if (least_gap_to_obstacle(newcomer, now).gap < 0.0) return false;
  std::vector<Index> found;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      const Vec2 step = length({x, y});
      if ((x != 0 && step.x() == 0.0) || (y != 0 && step.y() == 0.0)) continue;
      const Vec2 centre = position + step;
      neighbourhood_.query(Aabb2{centre, centre}.expanded(radius), found);
      const bool overlaps = std::ranges::any_of(found, [&](Index i) {
        const Disk& disk = disks_[i];
        return (position_at(disk.flight, now) + length(disk.frame) - centre).norm() < disk.flight.radius + radius;
      });
      if (overlaps) return false;
    }
  }
  return true;
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::add(const Newcomer& newcomer) {
  now_ = clock_.at(time_);
  if (disks_.size() == neighbourhood_.capacity()) grow_room();
  const auto i = static_cast<Index>(disks_.size());
  disks_.push_back({{newcomer.position, newcomer.velocity, now_, newcomer.radius}, newcomer.mass, {0, 0}});
  spins_.push_back({newcomer.angle, newcomer.angular_velocity});
  labels_.push_back({next_id_++, newcomer.type, newcomer.material});
  images_.push_back({0, 0});
  if (contact_time_ > 0.0) last_collision_.push_back(-kNever);
  if (measures_flights_) free_flights_.push_back({-kNever, 0.0});
  ++in_;
  smallest_ = std::min(smallest_, newcomer.radius);
  set_back_at_ = std::min(set_back_at_, now_ + longest_fall(longest_way(), gravity_.acceleration));
  plan_due();
  fastest_ = 0.0;
  mind_speed(newcomer.velocity.squaredNorm());
  fly_to(i, now_);
  ledger_.in += kinetic_energy(i, now_) + potential_energy(i, now_);
  const Vec2 centre = enter_frame(disks_[i]);
  neighbourhood_.insert(i, centre, newcomer.radius);
  obstacles_.find(i, neighbourhood_.box(centre, newcomer.radius));
  queue_.schedule(i, Event::advancement(now_, i));
}

/// A free flight that is under way is none of those to be measured: it would be as long as two parts of one.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::reverse() {
  now_ = clock_.at(time_);
  for (Index i = 0; i < disks_.size(); ++i) {
    if (is_gone(i)) continue;
    fly_to(i, now_);
    disks_[i].flight.velocity *= -1.0;
    spins_[i].angular_velocity *= -1.0;
  }
  std::ranges::fill(free_flights_, FreeFlight{-kNever, 0.0});
  ask_all();
}

/// Room for twice as many disks as are present. Boxes and events are made anew, which changes no future.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::grow_room() {
  forget_the_gone();
  constexpr std::size_t kAtLeast = 64;
  start(std::max(kAtLeast, 2 * disks_.size()));
}

/// Takes those that left out of the arrays; the others keep their order, and with it their ties. Boxes, partners and
/// events are to be made anew.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::forget_the_gone() {
  if (gone_ == 0) return;
  const auto keep = [&](auto& values) {
    std::size_t kept = 0;
    for (Index i = 0; i < values.size(); ++i) {
      if (!is_gone(i)) values[kept++] = values[i];
    }
    values.resize(kept);
  };
  keep(disks_);
  keep(spins_);
  keep(images_);
  if (!last_collision_.empty()) keep(last_collision_);
  if (measures_flights_) keep(free_flights_);
  keep(labels_);  // the last: they say who is gone
  gone_ = 0;
}

/// A wall leaves its box or is removed: disks that may meet it now, or planned to, look for their new events again.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::change_obstacle() {
  now_ = std::max(now_, obstacles_.next_change());
  const Index k = obstacles_.change();
  count_box_exit([&] { return "the wall '" + walls_[k].name + "'"; });
  for (Index i = 0; i < disks_.size(); ++i) {
    if (is_gone(i)) continue;
    if (!obstacles_.stands(k)) {
      if (queue_[i].kind() == EventKind::wall && queue_[i].side() == kSides + k) ask(i);
      continue;
    }
    const Aabb2 box = neighbourhood_.box(neighbourhood_.centre(i), disks_[i].flight.radius);
    const auto knows = [&](Partner wall) { return wall.disk() == k; };
    if (!obstacles_.reaches(k, box) && std::ranges::none_of(obstacles_.of(i), knows)) continue;
    obstacles_.find(i, box);
    ask(i);
  }
}

/// A plan is given up: an advancement now. The loop does the rest.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::ask(Index i) {
  const Event given_up = queue_[i];
  if (given_up.kind() == EventKind::collision) queue_.turn_into_advancement(given_up.partner(i));
  queue_.schedule(i, Event::advancement(now_, i));
}

/// The TC model: a collision does not dissipate along the normal if one of its disks has had one within the contact
/// time.
template <Broadphase<2> B, EventQueue Q>
CollisionRule BasicSimulation<B, Q>::rule_now(const CollisionRule& rule, std::initializer_list<Index> disks) {
  CollisionRule now = rule;
  if (last_collision_.empty()) return now;
  for (const Index i : disks) {
    if (now_ - last_collision_[i] <= contact_time_) {
      now.law = RestitutionLaw::constant;
      now.restitution = 1.0;
    }
    last_collision_[i] = now_;
  }
  return now;
}

/// The box moves before the next prediction, and i has some way to go in it: its box lies ahead of it.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::leave_box(Index i) {
  constexpr double kAhead = 0.35;  // of the margin: a sixth fewer moves at packing fraction 0.3
  Disk& disk = disks_[i];
  const Vec2 velocity = velocity_at(disk.flight, now_);
  const double fastest = velocity.cwiseAbs().maxCoeff();
  const Vec2 direction = fastest > 0.0 ? Vec2(velocity / fastest) : Vec2::Zero();
  const Vec2 centre = enter_frame(disk, kAhead * neighbourhood_.margin() * direction);
  neighbourhood_.move(i, centre, disk.flight.radius * reach_);
  obstacles_.find(i, neighbourhood_.box(centre, disk.flight.radius));
  if (!(exit_time_of_box(i) > now_)) {
    stop(name_and_speed(i) + ", is too fast for the clock");
  }
  count_box_exit([&] { return name_and_speed(i); });
}

/// While disks grow, the clock is set back whenever velocities are rescaled.
template <Broadphase<2> B, EventQueue Q>
std::uint64_t BasicSimulation<B, Q>::changes_until_rebase() const {
  if (!grows()) return changes_until_set_back(disks_.size());
  const double changes = 0.5 * growth_spec_.rescaling * static_cast<double>(disks_.size());
  return std::max<std::uint64_t>(100, static_cast<std::uint64_t>(changes));
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::count_change(Index i) {
  if (++changes_ >= changes_to_rebase_) set_back(i);
}

/// @param i changed its velocity last
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::set_back(Index i) {
  check_progress(i);
  grows() ? measure_growth() : rebase();
}

/// Until when on the clock, which shows 0, nobody flies too far.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::plan_set_back() {
  set_back_at_ = disks_.empty() ? kNever : longest_fall(longest_way(), gravity_.acceleration);
  fastest_ = 0.0;
  for (const Disk& disk : disks_) mind_speed(disk.flight.velocity.squaredNorm());
}

/// A disk flies on from now at a speed whose square is this [m^2/s^2]. Others that were as fast before set the clock
/// back earlier.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::mind_speed(double square) {
  if (square <= fastest_) return;
  fastest_ = std::min(square, std::numeric_limits<double>::max());
  set_back_at_ = std::min(set_back_at_, now_ + longest_way() / std::sqrt(fastest_));
  due_ = std::min(due_, set_back_at_);
}

/// The clock shows 0 again and all flights begin now, so that times are always small numbers: precision does not decay.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::rebase() {
  const bool some_left = gone_ > 0;
  forget_the_gone();
  ledger_.turned_over = ledger_.turned_over_by_now(kinetic_energy());
  for (Index i = 0; i < disks_.size(); ++i) {
    Flight& flight = disks_[i].flight;
    const Vec2 way = in_field([&](const auto& field) { return flight.way_to(now_, field); });
    const Vec2 end = end_of_way(domain_, flight.position, way);
    fly_to(i, now_);
    flight.position = end;
    flight.time = 0.0;
  }
  growth_.scale = growth_.scale_at(now_);
  for (double& last : last_collision_) last -= now_;
  for (FreeFlight& flight : free_flights_) flight.since -= now_;
  clock_.set_back(now_);
  obstacles_.set_back(clock_, now_);
  now_ = 0.0;
  changes_ = 0;
  changes_to_rebase_ = changes_until_rebase();
  plan_set_back();
  plan_due();
  some_left ? start(neighbourhood_.capacity()) : ask_all();
}

/// A collapse, a disk wedged between walls or crushed by them, or one that is far too fast ends the run. A slow bed
/// does not: its collisions take a contact time or so. Growing disks end by their pressure. @param i changed its
/// velocity last
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::check_progress(Index i) {
  if (now_ == 0.0) {
    stop("time stands still: " + std::to_string(changes_) + " collisions in no time, the last one of " + name(i) +
         " (inelastic collapse, or a disk wedged between walls); raise the restitution or give a contact time");
  }
  watched_.changes += changes_;
  watched_.time += now_;
  if (watched_.changes < 100 * disks_.size()) return;
  if (watched_.time < 1e-6 * contact_time_) {
    stop(
        "the run is stuck: the last " + std::to_string(watched_.changes) + " collisions, the last one of " + name(i) +
        ", took less than a millionth of the contact time; look for disks wedged between walls, or shorten the contact "
        "time");
  }
  if (!grows()) require_hope(watched_.changes, "changes of velocity", watched_.time, name_and_speed(i));
  watched_ = {};
}

/// Who is so fast that the run never ends may meet nobody.
template <Broadphase<2> B, EventQueue Q>
template <class Name>
void BasicSimulation<B, Q>::count_box_exit(Name whose) {
  constexpr std::uint64_t kBetweenLooks = 1 << 18;
  if (++counters_.box_exits % kBetweenLooks != 0) return;
  require_hope(kBetweenLooks, "steps from box to box", present() - exits_looked_at_, whose());
  exits_looked_at_ = present();
}

/// At the pace of the last events, which took so long [s], the time to advance to must not be 1e12 events a disk away:
/// weeks for one disk, years for a hundred.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::require_hope(std::uint64_t events, const char* what, double took,
                                         const std::string& whose) {
  constexpr double kHopeless = 1e12;
  const double disks = static_cast<double>(disks_.size());
  const double left = target_ - present();
  if (!std::isfinite(left) || took * kHopeless * disks >= static_cast<double>(events) * left) return;
  stop("time stands still, or nearly so: the last " + std::to_string(events) + ' ' + what + " took " +
       formatted("%.3g", took) + " s, the last one was that of " + whose +
       "; look for what is too fast, for walls that close in on a disk, and for collapse, against which a higher "
       "restitution or a contact time helps");
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::stop(const std::string& why) {
  time_ = present();
  throw PhysicsError("at " + formatted("%.9g", time_) + " s: " + why);
}

/// For people: with the id that tables have.
template <Broadphase<2> B, EventQueue Q>
std::string BasicSimulation<B, Q>::name(Index i) const {
  return "disk " + std::to_string(labels_[i].id);
}

template <Broadphase<2> B, EventQueue Q>
std::string BasicSimulation<B, Q>::name_and_speed(Index i) const {
  return name(i) + ", at " + formatted("%.3g", velocity_at(disks_[i].flight, now_).norm()) + " m/s";
}

/// The clock is to be set back, or the disks are as large as they should be, or as their boxes.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::do_what_is_due() {
  now_ = due_;
  if (due_ == set_back_at_) {
    const auto begins = [](const Disk& disk) { return disk.flight.time; };
    set_back(static_cast<Index>(std::ranges::max_element(disks_, {}, begins) - disks_.begin()));
    return;
  }
  if (scale_at_goal_ > reach_) {
    start(neighbourhood_.capacity());
    return;
  }
  rebase();
  end_growth(scale_at_goal_);
  rescale(energy_);
}

/// Measures the pressure since the clock was set back and gives velocities the energy again that they had then. If the
/// disks have jammed, they stop.
///
/// Source: virial theorem, p A = N kT + sum of (impulse . distance) / (2 t), with the mean of kT before and after.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::measure_growth() {
  const double elapsed = now_;
  rebase();
  pressure_ = 1.0 + virial_ / (elapsed * (energy_ + translational_energy()));
  virial_ = 0.0;
  const bool has_jammed = pressure_ >= growth_spec_.pressure;
  if (has_jammed) end_growth(growth_.scale);
  rescale(has_jammed ? 0.0 : energy_);
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::end_growth(double scale) {
  growth_ = {{}, scale, 0.0};
  changes_to_rebase_ = changes_until_rebase();
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::rescale(double energy) {
  const double before = translational_energy();
  ledger_.rescaled += before - energy;
  const double factor = std::sqrt(energy / before);
  for (Disk& disk : disks_) disk.flight.velocity *= factor;
  plan_set_back();
  plan_due();
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::plan_due() {
  const double grown = grows() ? (std::min(reach_, scale_at_goal_) - growth_.scale) / growth_.rate : kNever;
  due_ = std::min(grown, set_back_at_);
}

template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::translational_energy() const {
  double energy = 0.0;
  for (const Disk& disk : disks_) energy += 0.5 * disk.mass * disk.flight.velocity.squaredNorm();
  return energy;
}

/// Translation and rotation; spins keep the moment of inertia that they had before growth [J].
template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::kinetic_energy(Index i, double now) const {
  const Flight& flight = disks_[i].flight;
  const double spin = spins_[i].angular_velocity * flight.radius;
  return 0.5 * disks_[i].mass * (velocity_at(flight, now).squaredNorm() + 0.5 * spin * spin);
}

template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::kinetic_energy() const {
  double energy = 0.0;
  for (Index i = 0; i < disks_.size(); ++i) {
    if (!is_gone(i)) energy += kinetic_energy(i, now_);
  }
  return energy;
}

/// In gravity [J]. Who goes around along gravity goes on losing or gaining it.
template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::potential_energy(Index i, double now) const {
  return -disks_[i].mass * gravity_.acceleration.dot(position_at(disks_[i].flight, now) + length(images_[i]));
}

template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::Ledger::turned_over_by_now(double kinetic) const {
  return std::max({turned_over, kinetic + kinetic_out + normal + tangential + rescaled, std::abs(walls)});
}

/// Boxes for all disks where they are now; only then the first predictions. @pre none is gone
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::start(std::size_t capacity) {
  std::vector<Vec2> centres;
  std::vector<double> radii;
  for (Disk& disk : disks_) {
    centres.push_back(enter_frame(disk));
    radii.push_back(disk.flight.radius * growth_.scale_at(now_) * well_.range);
  }
  reach_ = growth_.scale_at(now_) * well_.range;
  if (grows() && !disks_.empty()) {
    const double margin = fitting_margin(domain_, radii, 0.0, margin_);
    if (!(kSlack * margin > tolerance(0.0))) stop("a disk has grown as wide as the periodic domain");
    neighbourhood_ = Neighbourhood<B>(domain_, margin, kSlack * margin);
    const double room = 1.0 + kGrowthInBoxes * margin / largest(radii);
    for (double& radius : radii) radius *= room;
    reach_ *= room;
  }
  plan_due();
  neighbourhood_.assign(centres, radii, capacity);
  obstacles_.start(clock_, now_, 4.0 * neighbourhood_.margin(), capacity);
  for (Index i = 0; i < disks_.size(); ++i) obstacles_.find(i, neighbourhood_.box(centres[i], radii[i]));
  ask_all();
}

/// An advancement for everybody now, as in Fig. 6.1 at the beginning: the loop does the rest.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::ask_all() {
  std::vector<Event> events;
  const std::size_t capacity = neighbourhood_.capacity();
  events.reserve(capacity);
  for (Index i = 0; i < capacity; ++i) {
    events.push_back(Event::advancement(i < disks_.size() && !is_gone(i) ? now_ : kNever, i));
  }
  queue_.assign(std::move(events));
}

/// A flight begins, where and as fast as the last one has come, inside the domain.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::fly_to(Index i, double time) {
  Disk& disk = disks_[i];
  Flight& flight = disk.flight;
  spins_[i].angle += spins_[i].angular_velocity * (time - flight.time);
  if (measures_flights_) {
    free_flights_[i].path += path_length(flight.velocity, gravity_.acceleration, time - flight.time);
  }
  flight.position = position_at(flight, time);
  flight.velocity = velocity_at(flight, time);
  flight.time = time;
  const auto periods = periods_outside(domain_, flight.position);
  if (periods == std::array<std::int32_t, 2>{}) return;
  flight.position -= length(periods);
  for (const std::size_t axis : {0, 1}) {
    disk.frame[axis] += periods[axis];
    images_[i][axis] += periods[axis];
  }
}

/// @param ahead from the disk to the centre that its box is to have [m]
/// @return where that centre is inside the domain; the disk's frame refers to it from now on
template <Broadphase<2> B, EventQueue Q>
Vec2 BasicSimulation<B, Q>::enter_frame(Disk& disk, const Vec2& ahead) const {
  const Vec2 position = position_at(disk.flight, now_) + ahead;
  const auto periods = periods_outside(domain_, position);
  disk.frame = {-periods[0], -periods[1]};
  return position - length(periods);
}

template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::exit_time_of_box(Index i) const {
  const Disk& disk = disks_[i];
  const Vec2 centre = neighbourhood_.centre(i) - length(disk.frame);
  return in_field([&](const auto& field) {
    return square_exit(rest_of(disk.flight, now_, field), centre, neighbourhood_.margin(), field);
  });
}

/// From where the image of b lies when no flight is wrapped to where it lies, given how a and b are.
template <Broadphase<2> B, EventQueue Q>
Vec2 BasicSimulation<B, Q>::shift(const Disk& a, const Disk& b, Image image) const {
  if (image.is_none() && std::bit_cast<std::uint64_t>(a.frame) == std::bit_cast<std::uint64_t>(b.frame)) {
    return Vec2::Zero();
  }
  return {(b.frame[0] - a.frame[0] + image.x()) * period_.x(), (b.frame[1] - a.frame[1] + image.y()) * period_.y()};
}

template <Broadphase<2> B, EventQueue Q>
Spinner BasicSimulation<B, Q>::spinner(Index i) const {
  const Disk& disk = disks_[i];
  return {disk.flight.velocity, spins_[i].angular_velocity, disk.flight.radius, 1.0 / disk.mass};
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::set_motion(Index i, const Spinner& spinner) {
  disks_[i].flight.velocity = spinner.velocity;
  spins_[i].angular_velocity = spinner.angular_velocity;
  mind_speed(spinner.velocity.squaredNorm());
}

template <Broadphase<2> B, EventQueue Q>
State BasicSimulation<B, Q>::state() const {
  State state;
  state.time = time_;
  state.step = counters_.collisions + counters_.wall_hits;
  ParticleState& particles = state.particles;
  const double now = clock_.at(time_);
  for (Index i = 0; i < disks_.size(); ++i) {
    if (is_gone(i)) continue;
    const Flight& flight = disks_[i].flight;
    particles.id.push_back(labels_[i].id);
    particles.type.push_back(labels_[i].type);
    particles.material.push_back(labels_[i].material);
    particles.radius.push_back(radius(i, now));
    particles.mass.push_back(disks_[i].mass);
    particles.inertia.push_back(0.5 * disks_[i].mass * radius(i, now) * radius(i, now));
    const Place place = wrapped_position(i, now);
    particles.position.push_back(place.position);
    particles.image.push_back(place.image);
    particles.angle.push_back(spins_[i].angle + spins_[i].angular_velocity * (now - flight.time));
    particles.velocity.push_back(velocity_at(flight, now));
    particles.angular_velocity.push_back(spins_[i].angular_velocity);
  }
  particles.force.resize(particles.size(), Vec2::Zero());
  particles.torque.resize(particles.size());
  particles.coordination = has_jammed() ? backbone().contacts : std::vector<int>(particles.size());
  particles.outlines.first.resize(particles.size() + 1);
  state.walls = wall_state();
  return state;
}

/// Walls have the ids before those of the disks, as in the soft mode.
template <Broadphase<2> B, EventQueue Q>
WallState BasicSimulation<B, Q>::wall_state() const {
  WallState walls;
  const double now = clock_.at(time_);
  for (Index k = 0; k < obstacles_.size(); ++k) {
    if (walls_[k].until && time_ >= *walls_[k].until) continue;
    walls.id.push_back(k + 1);
    walls.name.push_back(walls_[k].name);
    walls.material.push_back(walls_[k].material);
    walls.velocity.push_back(obstacles_[k].velocity(now));
    walls.angular_velocity.push_back(obstacles_[k].angular_velocity());
    walls.force.emplace_back(Vec2::Zero());
    walls.torque.push_back(0.0);
    const std::vector<Vec2> outline = obstacles_[k].outline(now);
    walls.outlines.vertices.insert(walls.outlines.vertices.end(), outline.begin(), outline.end());
    walls.outlines.first.push_back(static_cast<std::uint32_t>(walls.outlines.vertices.size()));
  }
  return walls;
}

template <Broadphase<2> B, EventQueue Q>
Summary BasicSimulation<B, Q>::summary() const {
  Summary summary;
  summary.time = time_;
  summary.particles = particles();
  summary.particles_in = in_;
  summary.particles_out = out_;
  summary.packing_fraction = packing_fraction();
  summary.reduced_pressure = pressure_;
  if (has_jammed()) {
    const Backbone rigid = backbone();
    summary.contacts = rigid.total;
    summary.coordination = rigid.coordination;
  }
  balance(summary);
  return summary;
}

/// The energies of a summary.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::balance(Summary& s) const {
  const double now = clock_.at(time_);
  double potentials = 0.0;  // their sizes: what is far below them has no digits
  for (Index i = 0; i < disks_.size(); ++i) {
    if (is_gone(i)) continue;
    s.kinetic_energy += kinetic_energy(i, now);
    const double potential = potential_energy(i, now);
    s.potential_energy += potential;
    potentials += std::abs(potential);
  }
  s.potential_energy += well_.energy * static_cast<double>(well_pairs_.size());
  s.energy_in = ledger_.in;
  s.energy_out = ledger_.out;
  s.wall_work = ledger_.walls;
  s.dissipated_damping = ledger_.normal;
  s.dissipated_friction = ledger_.tangential;
  s.dissipated_law = ledger_.rescaled - ledger_.grown - ledger_.lifted;
  constexpr double kDigitsOfPotential = 1e-9;
  s.energy_turned_over = std::max(ledger_.turned_over_by_now(s.kinetic_energy), kDigitsOfPotential * potentials);
  const double residual = s.kinetic_energy + s.potential_energy - s.energy_in + s.energy_out - s.wall_work +
                          s.dissipated_damping + s.dissipated_friction + s.dissipated_law;
  if (s.energy_turned_over > 0.0) s.energy_residual = residual / s.energy_turned_over;
}

template <Broadphase<2> B, EventQueue Q>
std::vector<std::array<std::int32_t, 2>> BasicSimulation<B, Q>::images() const {
  std::vector<std::array<std::int32_t, 2>> images;
  for (Index i = 0; i < disks_.size(); ++i) {
    if (!is_gone(i)) images.push_back(wrapped_position(i, clock_.at(time_)).image);
  }
  return images;
}

/// In [lo, hi) along periodic axes.
template <Broadphase<2> B, EventQueue Q>
auto BasicSimulation<B, Q>::wrapped_position(Index i, double now) const -> Place {
  Place place{position_at(disks_[i].flight, now), images_[i]};
  const auto periods = periods_outside(domain_, place.position);
  place.position -= length(periods);
  for (int axis = 0; axis < 2; ++axis) {  // rounding
    if (period_[axis] == 0.0) continue;
    double& x = place.position[axis];
    x = std::clamp(x, domain_.lo[axis], std::nextafter(domain_.hi[axis], domain_.lo[axis]));
  }
  for (const std::size_t axis : {0, 1}) place.image[axis] += periods[axis];
  return place;
}

template <Broadphase<2> B, EventQueue Q>
template <class Archive, class Self>
void BasicSimulation<B, Q>::visit(Archive& archive, Self& self) {
  archive(self.time_, self.changes_, self.changes_to_rebase_, self.in_, self.out_, self.gone_, self.next_id_,
          self.counters_.collisions, self.counters_.wall_hits, self.disks_, self.spins_, self.labels_, self.images_,
          self.last_collision_, self.smallest_, self.set_back_at_, self.watched_, self.growth_, self.energy_,
          self.virial_, self.pressure_, self.free_flights_, self.ledger_);
  Transfers::visit(archive, self.transfers_);
  Clock::visit(archive, self.clock_);
  Obstacles::visit(archive, self.obstacles_);
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::save(std::ostream& out) const {
  OutArchive archive(out);
  visit(archive, *this);
  archive(counters_.crossings, well_pairs_.all());
}

/// What is not saved is a function of the flights: boxes, partners and what comes next.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::load(std::istream& in) {
  InArchive archive(in);
  visit(archive, *this);
  std::vector<WellPair> pairs;
  archive(counters_.crossings, pairs);
  well_pairs_.assign(disks_.size(), pairs);
  now_ = clock_.at(time_);
  fastest_ = 0.0;
  exits_looked_at_ = time_;
  forget_the_gone();
  start(disks_.size());
}

/// Everything but the frames, which follow the boxes, and counters of what only costs.
template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::save_for_hash(std::ostream& out) const {
  OutArchive archive(out);
  archive(time_, changes_, changes_to_rebase_, set_back_at_, in_, out_, counters_.collisions, counters_.wall_hits,
          growth_, virial_, pressure_);
  Clock::visit(archive, clock_);
  for (Index i = 0; i < disks_.size(); ++i) {
    if (is_gone(i)) continue;
    archive(labels_[i], disks_[i].flight, spins_[i], images_[i]);
    if (contact_time_ > 0.0) archive(last_collision_[i]);
  }
  if (has_well()) archive(counters_.crossings, well_pairs_.all());
}

/// How much deeper than rounding explains i and an image of j overlap [m].
template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::excess(Index i, Index j, const Vec2& distance, double now) const {
  const double contact = radius(i, now) + radius(j, now);
  const double smaller = std::min(radius(i, now), radius(j, now));
  return contact - distance.norm() - tolerance(2.0 * smaller);
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::check_start() const {
  for (Index i = 0; i < disks_.size(); ++i) {
    const Disk& disk = disks_[i];
    if (outside_walls(i, 0.0) > tolerance(2.0 * disk.flight.radius)) {
      throw DiskInTheWay(i, "the disk sticks out of the domain");
    }
    const ObstacleGap wall = least_gap_to_obstacle(disk, 0.0);
    if (wall.gap < -tolerance(2.0 * disk.flight.radius)) {
      throw DiskInTheWay(i, "the disk overlaps the wall '" + walls_[wall.obstacle].name + "'");
    }
    for (const Partner partner : neighbourhood_.partners(i)) {
      const Index j = partner.disk();
      if (excess(i, j, approach_of(i, j, partner.image()).distance, 0.0) > 0.0) {
        throw DiskInTheWay(std::max(i, j), "the disk overlaps", std::min(i, j));
      }
    }
  }
}

/// How far a disk sticks out of the domain's hard sides, or flies on beyond open ones [m]; negative inside.
template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::outside_walls(Index i, double now) const {
  const Flight& flight = disks_[i].flight;
  const Vec2 position = position_at(flight, now);
  double outside = -kNever;
  for (int axis = 0; axis < 2; ++axis) {
    if (period_[axis] > 0.0) continue;
    const double reach = open_ ? -radius(i, now) : radius(i, now);
    outside =
        std::max({outside, domain_.lo[axis] - (position[axis] - reach), position[axis] + reach - domain_.hi[axis]});
  }
  return outside;
}

/// The wall that is nearest to a disk, or kNone and infinitely far. O(walls)
template <Broadphase<2> B, EventQueue Q>
auto BasicSimulation<B, Q>::least_gap_to_obstacle(const Disk& disk, double now) const -> ObstacleGap {
  ObstacleGap least{kNone, kNever};
  const int along_x = period_.x() > 0.0 ? 1 : 0;
  const int along_y = period_.y() > 0.0 ? 1 : 0;
  for (Index k = 0; k < obstacles_.size(); ++k) {
    if (!obstacles_.stands(k)) continue;
    for (int x = -along_x; x <= along_x; ++x) {
      for (int y = -along_y; y <= along_y; ++y) {
        const Vec2 shift = shift_of_obstacle(disk, Image::of(x, y));
        const double gap = obstacles_[k].touch(disk.flight, gravity_.acceleration, shift, now).gap;
        if (gap < least.gap) least = {k, gap};
      }
    }
  }
  return least;
}

template <Broadphase<2> B, EventQueue Q>
double BasicSimulation<B, Q>::packing_fraction() const {
  double area = 0.0;
  for (Index i = 0; i < disks_.size(); ++i) {
    if (is_gone(i)) continue;
    const double r = radius(i, clock_.at(time_));
    area += std::numbers::pi * r * r;
  }
  return area / (domain_.hi - domain_.lo).prod();
}

template <Broadphase<2> B, EventQueue Q>
std::vector<Touch> BasicSimulation<B, Q>::touches(double gap) const {
  std::vector<Touch> touches;
  const double now = clock_.at(time_);
  for (Index i = 0; i < disks_.size(); ++i) {
    if (is_gone(i)) continue;
    std::vector<Partner> partners(neighbourhood_.partners(i).begin(), neighbourhood_.partners(i).end());
    std::ranges::sort(partners, {}, [](Partner p) { return std::pair(p.disk(), p.image().code); });
    partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
    const Vec2 position = position_at(disks_[i].flight, now);
    for (const Partner partner : partners) {
      const Index j = partner.disk();
      const Vec2 distance =
          position_at(disks_[j].flight, now) - position + shift(disks_[i], disks_[j], partner.image());
      if (distance.norm() > (1.0 + gap) * (radius(i, now) + radius(j, now))) continue;
      touches.push_back({i, j});
    }
    for (int axis = 0; axis < 2; ++axis) {
      if (period_[axis] > 0.0) continue;
      const double reach = (1.0 + gap) * radius(i, now);
      if (position[axis] - domain_.lo[axis] <= reach) touches.push_back({i, i});
      if (domain_.hi[axis] - position[axis] <= reach) touches.push_back({i, i});
    }
  }
  return touches;
}

/// Gaps of touching disks are some over the pressure, those of others far more.
template <Broadphase<2> B, EventQueue Q>
Backbone BasicSimulation<B, Q>::backbone() const {
  return find_backbone(disks_.size(), touches(std::min(1e-3, 100.0 / pressure_)));
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::audit() const {
  const double now = clock_.at(time_);
  for (Index i = 0; i < disks_.size(); ++i) {
    if (is_gone(i)) continue;
    const Disk& disk = disks_[i];
    const Vec2 frame(disk.frame[0] * period_.x(), disk.frame[1] * period_.y());
    const Vec2 position = position_at(disk.flight, now);
    const double astray = (position + frame - neighbourhood_.centre(i)).cwiseAbs().maxCoeff();
    const double rounding = tolerance(2.0 * disk.flight.radius);
    if (!(astray <= neighbourhood_.margin() + rounding)) throw PhysicsError(name(i) + " is outside its box");
    if (!(outside_walls(i, now) <= rounding)) throw PhysicsError(name(i) + " is outside the domain");
    const ObstacleGap wall = least_gap_to_obstacle(disk, now);
    if (wall.gap < -rounding) throw PhysicsError(name(i) + " overlaps the wall '" + walls_[wall.obstacle].name + "'");
    if (has_well()) audit_wells(i, now);
    for (Index j = 0; j < i; ++j) {
      if (is_gone(j)) continue;
      const Vec2 distance = shorter_way(position_at(disks_[j].flight, now) - position, domain_);
      if (!(excess(i, j, distance, now) <= 0.0)) throw PhysicsError(name(i) + " and " + name(j) + " overlap");
    }
  }
}

template <Broadphase<2> B, EventQueue Q>
void BasicSimulation<B, Q>::audit_wells(Index i, double now) const {
  for (const Partner partner : neighbourhood_.partners(i)) {
    const Index j = partner.disk();
    const Vec2 distance = position_at(disks_[j].flight, now) - position_at(disks_[i].flight, now) +
                          shift(disks_[i], disks_[j], partner.image());
    const double contact = disks_[i].flight.radius + disks_[j].flight.radius;
    const double beyond = distance.norm() - well_.range * contact;
    const bool inside = well_pairs_.contains(well_pair(i, j, partner.image()));
    if ((inside ? beyond : -beyond) > tolerance(contact)) {
      throw PhysicsError(name(i) + " and " + name(j) + " are on the wrong side of their well's edge");
    }
  }
}

template class BasicSimulation<LinkedCells<2>, BucketQueue>;
template class BasicSimulation<LinkedCells<2>, ImplicitHeap>;
template class BasicSimulation<HierarchicalGrid<2>, BucketQueue>;
template class BasicSimulation<SortedStrips<2>, BucketQueue>;
template class BasicSimulation<SortAndUpdate<2>, BucketQueue>;
template class BasicSimulation<DistanceSort<2>, BucketQueue>;
template class BasicSimulation<AllPairs<2>, ImplicitHeap>;

}  // namespace scree::hard
