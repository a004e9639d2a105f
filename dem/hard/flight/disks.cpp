#include "dem/hard/flight/disks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "dem/archive.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/path_length.hpp"
#include "dem/scene/domain.hpp"
#include "parallel/huge_pages.hpp"

namespace scree::hard {

Disks::Disks(const Setup& setup, const Space& space)
    : wraps_(setup.position.size()),
      keeps_last_collisions_(setup.contact_duration > 0.0),
      measures_free_flights_(setup.measure.has_value() && setup.measure->free_flights),
      smallest_(setup.radius.empty() ? kNever : std::ranges::min(setup.radius)),
      greatest_(setup.radius.empty() ? setup.greatest_radius
                                     : std::max(setup.greatest_radius, std::ranges::max(setup.radius))),
      entered_(setup.position.size()),
      next_id_(setup.first_id + setup.position.size()) {
  const std::size_t count = setup.position.size();
  reserve_in_huge_pages(flying_, count);
  reserve_in_huge_pages(masses_, count);
  reserve_in_huge_pages(spins_, count);
  labels_.reserve(count);
  const auto value = [](const auto& values, std::size_t i) { return values.empty() ? 0 : values[i]; };
  for (std::size_t i = 0; i < count; ++i) {
    flying_.push_back({{setup.position[i], setup.velocity[i], 0.0, setup.radius[i]}});
    masses_.push_back(setup.mass[i]);
    spins_.push_back({value(setup.angle, i), value(setup.angular_velocity, i)});
    labels_.push_back({setup.first_id + i, value(setup.type, i), value(setup.material, i)});
  }
  if (keeps_last_collisions_) last_collision_.assign(count, -kNever);
  if (measures_free_flights_) free_flights_.assign(count, {-kNever, 0.0});
  if (setup.has_forms) forms_ = GrainForms(setup.form, greatest_);
  for (Index i = 0; i < count; ++i) forms_.exist() ? synchronize_form(i, 0.0, space) : synchronize(i, 0.0, space);
}

Disks::Disks(const Disks& others, std::span<const Index> members)
    : labels_(members.size()),
      wraps_(members.size()),
      last_collision_(others.keeps_last_collisions_ ? members.size() : 0),
      forms_(others.forms_.exist() ? GrainForms({}, others.greatest_) : GrainForms()),
      keeps_last_collisions_(others.keeps_last_collisions_),
      measures_free_flights_(false),
      smallest_(others.smallest_),
      greatest_(others.greatest_),
      entered_(members.size()),
      next_id_(others.next_id_) {
  reserve_in_huge_pages(flying_, members.size());
  reserve_in_huge_pages(masses_, members.size());
  reserve_in_huge_pages(spins_, members.size());
  for (Index i = 0; i < members.size(); ++i) {
    flying_.push_back(others.flying_[members[i]]);
    masses_.push_back(others.masses_[members[i]]);
    spins_.push_back(others.spins_[members[i]]);
    labels_[i] = others.labels_[members[i]];
    wraps_[i] = others.wraps_[members[i]];
    if (keeps_last_collisions_) last_collision_[i] = others.last_collision_[members[i]];
    if (forms_.exist()) forms_.add(others.forms_[members[i]]);
  }
}

std::optional<Index> Disks::find(std::uint64_t id) const {
  const auto found = std::ranges::lower_bound(labels_, id, {}, &Label::id);
  if (found == labels_.end() || found->id != id) return {};
  return static_cast<Index>(found - labels_.begin());
}

Index Disks::last_to_begin() const {
  const auto begin = [](const FlyingDisk& disk) { return disk.flight.time; };
  return static_cast<Index>(std::ranges::max_element(flying_, {}, begin) - flying_.begin());
}

Departure Disks::departure(Index i, double time) const {
  return {time,
          labels_[i].id,
          labels_[i].type,
          masses_[i],
          flight(i).position,
          flight(i).velocity,
          spins_[i].angular_velocity};
}

auto Disks::wrapped_position(Index i, double now, const Space& space) const -> WrappedPosition {
  const Domain domain = space.domain_at(now);
  WrappedPosition wrapped{space.position_at(flight(i), now), space.velocity_at(flight(i), now), wraps_[i]};
  const auto periods = space.periods_outside(wrapped.position, now);
  wrapped.position -= space.shift(periods, now);
  for (int axis = 0; axis < 2; ++axis) {  // rounding
    if (!space.periodic.along(axis)) continue;
    double& x = wrapped.position[axis];
    x = std::clamp(x, domain.lo[axis], std::nextafter(domain.hi[axis], domain.lo[axis]));
  }
  if (space.cell.exists()) {
    wrapped.velocity -= space.cell.drift(periods);
    wrapped.image = space.cell.gone_around(wraps_[i], periods);
    return wrapped;
  }
  for (const std::size_t axis : {0, 1}) wrapped.image[axis] += periods[axis];
  return wrapped;
}

double Disks::equivalent_radius(Index i) const {
  return forms_.exist() ? std::sqrt(forms_[i].area / std::numbers::pi) : flight(i).radius;
}

double Disks::inertia(Index i) const {
  return forms_.exist() ? forms_[i].inertia : 0.5 * masses_[i] * flight(i).radius * flight(i).radius;
}

double Disks::kinetic_energy(Index i, double now, const Space& space) const {
  if (forms_.exist()) {
    const double spin = spins_[i].angular_velocity;
    return 0.5 * (masses_[i] * space.velocity_at(flight(i), now).squaredNorm() + forms_[i].inertia * spin * spin);
  }
  const double rim_speed = spins_[i].angular_velocity * flight(i).radius;
  Vec2 velocity = space.velocity_at(flight(i), now);
  if (space.cell.exists()) velocity = space.cell.beside_flow(space.position_at(flight(i), now), velocity, now);
  return 0.5 * masses_[i] * (velocity.squaredNorm() + 0.5 * rim_speed * rim_speed);
}

double Disks::kinetic_energy(double now, const Space& space) const {
  double energy = 0.0;
  for (Index i = 0; i < size(); ++i) {
    if (!has_left(i)) energy += kinetic_energy(i, now, space);
  }
  return energy;
}

double Disks::potential_energy(Index i, double now, const Space& space) const {
  const Vec2 unwrapped = space.position_at(flight(i), now) + space.periodic.shift(wraps_[i]);
  return -masses_[i] * space.gravity.acceleration.dot(unwrapped);
}

double Disks::translational_energy() const {
  double energy = 0.0;
  for (Index i = 0; i < size(); ++i) energy += 0.5 * masses_[i] * flight(i).velocity.squaredNorm();
  return energy;
}

double Disks::rotational_energy() const {
  double energy = 0.0;
  for (Index i = 0; i < size(); ++i) {
    energy += 0.5 * inertia(i) * spins_[i].angular_velocity * spins_[i].angular_velocity;
  }
  return energy;
}

void Disks::require_sound(const Space& space, std::size_t materials) const {
  const auto one_each = [&](const auto&... arrays) { return ((arrays.size() == size()) && ...); };
  require_state(one_each(masses_, spins_, labels_, wraps_) &&
                    last_collision_.size() == (keeps_last_collisions_ ? size() : 0) &&
                    free_flights_.size() == (measures_free_flights_ ? size() : 0) && size() < kMaxDisks,
                "arrays of disks differ in length");
  const auto departed = std::ranges::count(labels_, kLeft, &Label::id);
  require_state(places_left_ == static_cast<std::uint64_t>(departed), "the number of disks that left");
  const Vec2 margin = space.domain.hi - space.domain.lo;
  const Aabb2 around{space.domain.lo - margin, space.domain.hi + margin};
  std::uint64_t last_id = 0;
  for (Index i = 0; i < size(); ++i) {
    const auto& [flight, event_time, box_image_offset] = flying_[i];
    const double mass = masses_[i];
    require_state(around.contains(flight.position) && flight.velocity.allFinite() && std::isfinite(flight.time),
                  "the flight of a disk");
    require_state(flight.radius >= smallest_ && flight.radius <= greatest_ && mass > 0.0 && std::isfinite(mass),
                  "the size or mass of a disk");
    require_state(std::isfinite(spins_[i].angle) && std::isfinite(spins_[i].angular_velocity), "the spin of a disk");
    require_state(is_moderate(box_image_offset) && is_moderate(wraps_[i]), "the image of a disk");
    require_state(labels_[i].material >= 0 && static_cast<std::size_t>(labels_[i].material) < materials,
                  "a disk of no material");
    if (labels_[i].id == kLeft) continue;
    require_state(labels_[i].id > last_id && labels_[i].id < next_id_, "ids of disks are not in order");
    last_id = labels_[i].id;
  }
  require_state(smallest_ > 0.0, "the smallest radius");
  if (!forms_.exist()) return;
  forms_.require_sound(size());
  for (Index i = 0; i < size(); ++i) {
    require_state(forms_[i].shape.bounding_radius() == flying_[i].flight.radius, "the bounding circle of a grain");
  }
}

Index Disks::add(const NewDisk& disk, double now) {
  const auto i = static_cast<Index>(size());
  flying_.push_back({{disk.position, disk.velocity, now, disk.radius}});
  masses_.push_back(disk.mass);
  spins_.push_back({disk.angle, disk.angular_velocity});
  labels_.push_back({next_id_++, disk.type, disk.material});
  wraps_.push_back({0, 0});
  if (keeps_last_collisions_) last_collision_.push_back(-kNever);
  if (measures_free_flights_) free_flights_.push_back({-kNever, 0.0});
  if (forms_.exist()) forms_.add(disk.form);
  ++entered_;
  smallest_ = std::min(smallest_, disk.radius);
  return i;
}

void Disks::remove(Index i) {
  labels_[i].id = kLeft;
  ++places_left_;
  ++left_;
}

bool Disks::flies_like(Index i, const Disks& others, Index there) const {
  const auto is_same = [](const auto& a, const auto& b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  return is_same(flying_[i].flight, others.flying_[there].flight) && is_same(spins_[i], others.spins_[there]) &&
         wraps_[i] == others.wraps_[there] &&
         (!keeps_last_collisions_ || is_same(last_collision_[i], others.last_collision_[there]));
}

void Disks::take_in(Index i, const Disks& others, Index there) {
  if (has_left(i)) {
    --places_left_;
    --left_;
  }
  flying_[i].flight = others.flying_[there].flight;
  spins_[i] = others.spins_[there];
  labels_[i] = others.labels_[there];
  wraps_[i] = others.wraps_[there];
  if (keeps_last_collisions_) last_collision_[i] = others.last_collision_[there];
  if (forms_.exist()) forms_.take_in(i, others.forms_, there);
}

void Disks::compact() {
  if (places_left_ == 0) return;
  const auto keep = [&](auto& values) {
    std::size_t kept = 0;
    for (Index i = 0; i < values.size(); ++i) {
      if (!has_left(i)) values[kept++] = values[i];
    }
    values.resize(kept);
  };
  keep(flying_);
  keep(masses_);
  keep(spins_);
  keep(wraps_);
  keep(last_collision_);
  keep(free_flights_);
  if (forms_.exist()) forms_.compact([&](Index i) { return !has_left(i); });
  keep(labels_);  // the last: labels mark the disks that have left
  places_left_ = 0;
}

Disks Disks::to_be_saved() const {
  Disks saved = *this;
  saved.compact();
  for (FlyingDisk& disk : saved.flying_) disk.box_image_offset = {0, 0};
  return saved;
}

Approach Disks::approach_in_cell(Index i, Index j, NearImage near, const Cell& cell) const {
  const Image image = relative_image(i, j, near);
  const Approach pair = hard::approach(flight(i), flight(j), Vec2(Vec2::Zero()));
  return {pair.begin, pair.distance + cell.shift(image, pair.begin), pair.velocity + cell.drift(image)};
}

void Disks::lengthen_free_flight(Index i, double duration, const Space& space) {
  free_flights_[i].path += path_length(flight(i).velocity, space.gravity.acceleration, duration);
}

void Disks::wrap(Index i, const Space& space) {
  FlyingDisk& disk = flying_[i];
  const Image periods = space.periods_outside(disk.flight.position, disk.flight.time);
  disk.flight.position -= space.shift(periods, disk.flight.time);
  for (const std::size_t axis : {0, 1}) {
    disk.box_image_offset[axis] += periods[axis];
    if (!space.cell.exists()) wraps_[i][axis] += periods[axis];
  }
  if (!space.cell.exists()) return;
  disk.flight.velocity -= space.cell.drift(periods);
  wraps_[i] = space.cell.gone_around(wraps_[i], periods);
}

void Disks::rebase(double now, const Space& space) {
  for (Index i = 0; i < size(); ++i) {
    Flight& flight = flying_[i].flight;
    const Vec2 end = end_of_path(space.domain, flight.position, space.displacement_until(flight, now));
    forms_.exist() ? synchronize_form(i, now, space) : synchronize(i, now, space);
    if (!space.cell.exists()) flight.position = end;
    flight.time = 0.0;
  }
  for (double& last : last_collision_) last -= now;
  for (FreeFlight& flight : free_flights_) flight.since -= now;
}

void Disks::follow_flow(const Components& change, const Cell& cell) {
  for (FlyingDisk& disk : flying_) disk.flight.velocity += cell.flow_of(change, disk.flight.position);
}

void Disks::list_values(StateValues& values) const {
  for (Index i = 0; i < size(); ++i) {
    if (has_left(i)) continue;
    const Flight& of_i = flight(i);
    const Owner owner{.body = labels_[i].id};
    values.add(Quantity::body, owner, labels_[i].type, labels_[i].material, of_i.radius, masses_[i]);
    values.add(Quantity::image, owner, wraps_[i]);
    values.add(Quantity::position, owner, of_i.position, spins_[i].angle);
    values.add(Quantity::velocity, owner, of_i.velocity, spins_[i].angular_velocity);
    values.add(Quantity::flight, owner, of_i.time);
    if (keeps_last_collisions_) values.add(Quantity::last_collision, owner, last_collision_[i]);
    if (!forms_.exist()) continue;
    values.add(Quantity::body, owner, forms_[i].area, forms_[i].inertia);
    values.add(Quantity::position, owner, forms_.turns(i));
  }
}

void Disks::scale_velocities(double factor) {
  for (FlyingDisk& disk : flying_) disk.flight.velocity *= factor;
  if (!forms_.exist()) return;
  for (Spin& spin : spins_) spin.angular_velocity *= factor;
}

void Disks::scale_inertia(Index i, double factor) {
  forms_.scale_inertia(i, factor);
}

void Disks::reverse(double now, const Space& space) {
  for (Index i = 0; i < size(); ++i) {
    if (has_left(i)) continue;
    synchronize(i, now, space);
    flying_[i].flight.velocity *= -1.0;
    spins_[i].angular_velocity *= -1.0;
  }
  std::ranges::fill(free_flights_, FreeFlight{-kNever, 0.0});
}

Vec2 Disks::place_box_beyond_side(Index i, const Vec2& position, double now, const Space& space) {
  const Image periods = space.periods_outside(position, now);
  flying_[i].box_image_offset = {-periods[0], -periods[1]};
  return position - space.shift(periods, now);
}

}  // namespace scree::hard
