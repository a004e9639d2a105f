#include "dem/hard/exact/gas.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/errors.hpp"
#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/boxes/neighbourhood.hpp"
#include "dem/hard/exact/contact.hpp"
#include "dem/hard/flight/prediction.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/periodic.hpp"

namespace scree::hard::exact {

namespace {

/// Boxes also cover what a disk can do in a tick, so that disks that are near (tick_map.hpp) are partners; and where a
/// loss moves disks, those that are near after it [m].
double reach(const Grid& grid, std::int64_t radius, bool loses) {
  return grid.metres(radius + (loses ? 3 : 1) * grid.fastest);
}

/// are_near, by doubles for most pairs, which are far.
bool can_be_near(const Grid& grid, const Vector& r, std::int64_t contact) {
  constexpr double kRounding = 1e-12;
  const auto x = static_cast<double>(r[0]), y = static_cast<double>(r[1]);
  const auto reach = static_cast<double>(contact + 2 * grid.fastest);
  return x * x + y * y < (1.0 + kRounding) * reach * reach && are_near(grid, r, contact);
}

/// Partners are seen the shortest way across periodic sides. So that no other image of them is nearer before either has
/// left its box, boxes must be small beside half a period.
double margin_of(const GasSetup& setup) {
  std::vector<double> radii;
  double greatest = 0.0;
  for (const std::int64_t radius : setup.radius) {
    radii.push_back(reach(setup.grid, radius, Losses(setup.material, setup.restitution, 0).exist()));
    greatest = std::max(greatest, radii.back());
  }
  const double wanted = setup.margin > 0.0 ? setup.margin : choose_margin(setup.domain, radii);
  double margin = wanted;
  for (const std::size_t axis : {0u, 1u}) {
    if (!setup.grid.periodic[axis]) continue;
    const double period = setup.grid.metres(setup.grid.size[axis]);
    margin = std::min(margin, 0.24 * (0.5 * period - 2.0 * greatest));
    if (margin < 1e-3 * wanted) {
      throw InvalidScene(axis == 0 ? "domain.x" : "domain.y",
                         fmt::format("is {:g} m wide and periodic, must be wider than 2 diameters of the greatest "
                                     "disk, {:g} m, with `arithmetic: exact`",
                                     period, 4.0 * greatest));
    }
  }
  return margin;
}

}  // namespace

template <class N, EventQueue Q>
Gas<N, Q>::Gas(const GasSetup& setup)
    : grid_(setup.grid),
      radius_(setup.radius),
      losses_(setup.material, setup.restitution, setup.position.size()),
      neighbourhood_(setup.domain, margin_of(setup)) {
  disks_.reserve(setup.position.size());
  for (std::size_t i = 0; i < setup.position.size(); ++i) {
    disks_.push_back({setup.position[i], setup.velocity[i], 0});
  }
  image_.resize(size());
  box_centre_.resize(size());
  begin_clock();
  if (const auto pair = first_unsound()) {
    const auto [i, j] = *pair;
    if (i == j) throw DiskInTheWay(i, "is not a tick's way inside the domain");
    throw DiskInTheWay(i, "is not a tick's way outside", j);
  }
}

template <class N, EventQueue Q>
void Gas<N, Q>::synchronize(Index i, std::int64_t now) {
  FlyingDisk& disk = disks_[i];
  const Grid::Wrapped there = grid_.wrapped(disk.position + disk.velocity * (now - disk.since));
  disk.position = there.position;
  disk.since = now;
  for (const std::size_t axis : {0u, 1u}) image_[i][axis] += there.periods[axis];
}

/// Moves a disk that is synchronized.
template <class N, EventQueue Q>
void Gas<N, Q>::move_to(Index i, const Vector& position) {
  const Grid::Wrapped there = grid_.wrapped(disks_[i].position + grid_.distance(position, disks_[i].position));
  disks_[i].position = there.position;
  for (const std::size_t axis : {0u, 1u}) image_[i][axis] += there.periods[axis];
}

/// The clock shows 0 at this tick, and everything is predicted anew.
template <class N, EventQueue Q>
void Gas<N, Q>::begin_clock() {
  const std::int64_t now_tick = tick();
  for (Index i = 0; i < size(); ++i) {
    synchronize(i, clock_);
    disks_[i].since = 0;
  }
  clock_ = passed_ = 0;
  origin_ = now_tick;
  place_boxes();
  predict_all();
}

template <class N, EventQueue Q>
void Gas<N, Q>::predict_all() {
  plan_exits(0);
  std::vector<Event> events;
  events.reserve(size());
  for (Index i = 0; i < size(); ++i) events.push_back(Event::advancement(0.0, i));
  queue_.assign(events);
}

template <class N, EventQueue Q>
void Gas<N, Q>::place_boxes() {
  std::vector<Vec2> centres;
  std::vector<double> radii;
  for (Index i = 0; i < size(); ++i) {
    box_centre_[i] = disks_[i].position;
    centres.push_back(grid_.metres(disks_[i].position));
    radii.push_back(reach(grid_, radius_[i], loses()));
  }
  neighbourhood_.assign(centres, radii);
}

/// A fresh calendar of when each disk leaves its box.
template <class N, EventQueue Q>
void Gas<N, Q>::plan_exits(std::int64_t now) {
  double sum = 0.0;
  for (const FlyingDisk& disk : disks_) sum += std::sqrt(static_cast<double>(squared(disk.velocity)));
  const double mean = size() > 0 ? sum / static_cast<double>(size()) : 0.0;
  exits_.begin(size(), static_cast<double>(now), neighbourhood_.boxes().margin() / grid_.unit, mean);
  for (Index i = 0; i < size(); ++i) exits_.plan(i, box_exit(i, now));
}

/// A little early rather than late: only events decide what happens, and boxes find them as long as disks are inside.
constexpr double kEarly = 1.0 - 1e-6;

template <class N, EventQueue Q>
double Gas<N, Q>::box_exit(Index i, std::int64_t now) const {
  const FlyingDisk& disk = disks_[i];
  if (disk.velocity == Vector{0, 0}) return kNever;
  const Vector place = grid_.distance(position(disk, now), box_centre_[i]);
  const Vec2 from_centre(static_cast<double>(place[0]), static_cast<double>(place[1]));
  const Vec2 velocity(static_cast<double>(disk.velocity[0]), static_cast<double>(disk.velocity[1]));
  const double margin = kEarly * neighbourhood_.boxes().margin() / grid_.unit;
  return static_cast<double>(now) + circle_exit(from_centre, velocity, margin);
}

/// A circle that has both ends of a straight path has all of it.
template <class N, EventQueue Q>
bool Gas<N, Q>::stays_in_box(Index i, std::int64_t now, double time) const {
  if (time == kNever) return false;
  const Vector place = grid_.distance(position(i, now), box_centre_[i]);
  const double wait = time - static_cast<double>(now);
  const double x = static_cast<double>(place[0]) + wait * static_cast<double>(disks_[i].velocity[0]);
  const double y = static_cast<double>(place[1]) + wait * static_cast<double>(disks_[i].velocity[1]);
  const double margin = kEarly * neighbourhood_.boxes().margin() / grid_.unit;
  return x * x + y * y <= margin * margin;
}

/// Moves the boxes of the disks that leave them in the next bucket of the calendar, or that cannot wait for it.
/// @return how many
template <class N, EventQueue Q>
std::size_t Gas<N, Q>::leave_boxes() {
  const std::int64_t now = std::max(passed_, static_cast<std::int64_t>(exits_.due()));
  const std::vector<Index>& disks = exits_.take();
  for (const Index i : disks) {
    stays_in_box(i, now, exits_.end_of_bucket()) ? exits_.plan(i, box_exit(i, now)) : leave_box(i, now);
  }
  const std::size_t count = disks.size();
  if (exits_.is_used_up()) plan_exits(now);
  return count;
}

/// The box moves ahead of the disk, which then stays in it for longer. The disk's event stays unless it hits a new
/// partner before.
template <class N, EventQueue Q>
void Gas<N, Q>::leave_box(Index i, std::int64_t now) {
  constexpr double kAhead = 0.35;  // of the margin
  const FlyingDisk& disk = disks_[i];
  const double speed = std::sqrt(static_cast<double>(squared(disk.velocity)));
  const double share = kAhead * neighbourhood_.boxes().margin() / (grid_.unit * speed);
  const Vector ahead{static_cast<std::int64_t>(share * static_cast<double>(disk.velocity[0])),
                     static_cast<std::int64_t>(share * static_cast<double>(disk.velocity[1]))};
  box_centre_[i] = grid_.wrapped(position(disk, now) + ahead).position;
  const std::span<const Partner> newcomers =
      neighbourhood_.move(i, grid_.metres(box_centre_[i]), reach(grid_, radius_[i], loses()));
  const double exit = box_exit(i, now);
  if (!(exit > static_cast<double>(now))) throw std::logic_error("a disk leaves its box in a tick");
  exits_.plan(i, exit);
  ++box_exits_;
  const Event given_up = queue_[i];
  const Event next = next_collision(i, now, newcomers, given_up);
  if (next == given_up) return;
  if (given_up.kind() == EventKind::collision) queue_.turn_into_advancement(given_up.partner(i));
  schedule(i, next);
}

template <class N, EventQueue Q>
Event Gas<N, Q>::next_event(Index i, std::int64_t now, Event best) const {
  const FlyingDisk& disk = disks_[i];
  const auto begin = static_cast<double>(now);
  const Vector here = position(disk, now);
  for (const std::size_t axis : {0u, 1u}) {
    if (grid_.periodic[axis]) continue;
    const std::int64_t ticks =
        ticks_to_bound(here[axis], disk.velocity[axis], radius_[i], grid_.size[axis] - radius_[i]);
    if (ticks == kNoTick) continue;
    const unsigned side = 2 * static_cast<unsigned>(axis) + (disk.velocity[axis] > 0 ? 1u : 0u);
    best = std::min(best, Event::wall(begin + static_cast<double>(ticks), i, side));
  }
  return next_collision(i, now, neighbourhood_.boxes().partners_of(i), best);
}

template <class N, EventQueue Q>
Event Gas<N, Q>::next_collision(Index i, std::int64_t now, std::span<const Partner> partners, Event best) const {
  constexpr double kFar = 0x1p60;
  const FlyingDisk& disk = disks_[i];
  const auto begin = static_cast<double>(now);
  const Vector here = position(disk, now);
  for (const Partner partner : partners) {
    const Index j = partner.disk();
    const FlyingDisk& other = disks_[j];
    const Vector r = grid_.distance(here, position(other, now));
    const Vector v = disk.velocity - other.velocity;
    const std::int64_t contact = radius_[i] + radius_[j];
    const Approach guess = approach(r, v, contact);
    if (guess.ticks == kNeverTouches) continue;
    const double latest = std::min({best.time - begin, queue_[j].time - begin, kFar});
    const std::int64_t ticks = ticks_to_contact(r, v, contact, static_cast<std::int64_t>(latest), guess);
    if (ticks == kNoTick) continue;
    const Event event = Event::collision(begin + static_cast<double>(ticks), i, j, {});
    if (event < best && event < queue_[j]) best = event;
  }
  return best;
}

template <class N, EventQueue Q>
void Gas<N, Q>::schedule(Index i, const Event& event) {
  queue_.schedule(i, event);
  if (event.kind() != EventKind::collision) return;
  const Index j = event.partner(i);
  const Event given_up = queue_[j];
  queue_.schedule(j, event);
  if (given_up.kind() == EventKind::collision) queue_.turn_into_advancement(given_up.partner(j));
}

/// The cluster of disk i now, in the order of numbers.
template <class N, EventQueue Q>
void Gas<N, Q>::gather(Index i, std::int64_t now) {
  members_.assign(1, i);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Index a = members_[k];
    const Vector here = position(a, now);
    for (const Partner partner : neighbourhood_.boxes().partners_of(a)) {
      const Index b = partner.disk();
      if (!can_be_near(grid_, grid_.distance(here, position(b, now)), radius_[a] + radius_[b])) continue;
      if (std::ranges::find(members_, b) == members_.end()) members_.push_back(b);
    }
  }
  std::ranges::sort(members_);
  cluster_.clear();
  for (const Index a : members_) cluster_.push_back({position(a, now), disks_[a].velocity, radius_[a]});
}

/// Disks that may be near the cluster before or after it has been moved by a loss.
template <class N, EventQueue Q>
void Gas<N, Q>::find_bystanders(std::int64_t now) {
  bystanders_.clear();
  for (const Index a : members_) {
    for (const Partner partner : neighbourhood_.boxes().partners_of(a)) {
      const Index b = partner.disk();
      if (std::ranges::find(members_, b) == members_.end()) bystanders_.push_back({position(b, now), radius_[b]});
    }
  }
}

/// Something happens to disk i, and to all that are near.
template <class N, EventQueue Q>
void Gas<N, Q>::encounter(Index i, std::int64_t now) {
  gather(i, now);
  Encounter done;
  if (loses()) {
    find_bystanders(now);
    const auto way = runs_backward_ ? Losses::Way::backward : Losses::Way::forward;
    done = losses_.pass(way, grid_, cluster_, {origin_ + (runs_backward_ ? -now : now), members_}, bystanders_);
  } else {
    done = pass_tick(grid_, cluster_);
  }
  tally_.count(done, runs_backward_ ? -1 : 1);
  if (listener_) listener_(done, cluster_);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Index a = members_[k];
    synchronize(a, now);
    if (done.has_lost) move_to(a, cluster_[k].position);
    disks_[a].velocity = cluster_[k].velocity;
    if (!stays_in_box(a, now, exits_.planned(a))) exits_.plan(a, box_exit(a, now));
    const Event over = queue_[a];
    const bool has_partner = over.kind() == EventKind::collision;
    if (has_partner && std::ranges::find(members_, over.partner(a)) == members_.end()) {
      queue_.turn_into_advancement(over.partner(a));
    }
  }
  // Until a member's event is found it has one before which nothing comes: no other disk can take it away.
  const auto begin = static_cast<double>(now);
  for (const Index a : members_) queue_.schedule(a, Event::advancement(begin, a));
  for (const Index a : members_) {
    const Event given_up = queue_[a];
    const Event next =
        next_event(a, now, given_up.kind() == EventKind::collision ? given_up : Event::advancement(kNever, a));
    if (given_up.kind() == EventKind::collision && next != given_up) {
      queue_.turn_into_advancement(given_up.partner(a));
    }
    if (next != given_up) schedule(a, next);
  }
}

template <class N, EventQueue Q>
bool Gas<N, Q>::advance(std::int64_t ticks, std::uint64_t at_most) {
  const std::int64_t target = clock_ + ticks;
  const auto end = static_cast<double>(target);
  std::int64_t last = -1;  // tick that has been begun
  while (size() > 0) {
    const Index i = queue_.first();
    const Event event = queue_[i];
    const bool is_last = event.time > end || (event.time == end && !tick_is_over_);
    if (exits_.due() <= std::min(event.time, end)) {
      leave_boxes();
      continue;
    }
    if (is_last) break;
    const auto now = static_cast<std::int64_t>(event.time);
    if (at_most == 0 && now != last) {  // a tick happens as a whole
      clock_ = std::max(clock_, tick_is_over_ ? last : last + 1);
      return false;
    }
    at_most -= std::min<std::uint64_t>(at_most, 1);
    last = passed_ = now;
    if (event.kind() == EventKind::advancement) {
      schedule(i, next_event(i, now, Event::advancement(kNever, i)));
    } else {
      encounter(i, now);
    }
  }
  clock_ = target;
  return true;
}

template <class N, EventQueue Q>
void Gas<N, Q>::negate_velocities() {
  begin_clock();
  for (FlyingDisk& disk : disks_) disk.velocity = -disk.velocity;
  predict_all();
  tick_is_over_ = !tick_is_over_;
}

template <class N, EventQueue Q>
void Gas<N, Q>::reverse() {
  negate_velocities();
}

template <class N, EventQueue Q>
void Gas<N, Q>::turn_back() {
  negate_velocities();
  runs_backward_ = !runs_backward_;
}

template <class N, EventQueue Q>
Snapshot Gas<N, Q>::snapshot() const {
  Snapshot now;
  for (Index i = 0; i < size(); ++i) {
    const FlyingDisk& disk = disks_[i];
    const Grid::Wrapped there = grid_.wrapped(disk.position + disk.velocity * (clock_ - disk.since));
    now.position.push_back(there.position);
    now.velocity.push_back(runs_backward_ ? -disk.velocity : disk.velocity);
    now.image.push_back({image_[i][0] + there.periods[0], image_[i][1] + there.periods[1]});
  }
  return now;
}

template <class N, EventQueue Q>
Int128 Gas<N, Q>::energy() const {
  Int128 sum = 0;
  for (const FlyingDisk& disk : disks_) sum += squared(disk.velocity);
  return sum;
}

template <class N, EventQueue Q>
void Gas<N, Q>::audit() const {
  const auto require = [](bool holds, const char* what, Index i) {
    if (!holds) throw std::logic_error(fmt::format("disk {} {}", i, what));
  };
  const double margin = neighbourhood_.boxes().margin() / grid_.unit;
  for (Index i = 0; i < size(); ++i) {
    const Vector here = position(i, clock_);
    for (const std::size_t axis : {0u, 1u}) {
      const std::int64_t inward = grid_.periodic[axis] ? 0 : radius_[i];
      require(here[axis] >= inward && here[axis] <= grid_.size[axis] - inward, "is outside the domain", i);
    }
    require(squared(disks_[i].velocity) <= product(grid_.fastest, grid_.fastest), "is too fast", i);
    const Vector place = grid_.distance(here, box_centre_[i]);
    const Vec2 from_centre(static_cast<double>(place[0]), static_cast<double>(place[1]));
    require(from_centre.norm() <= margin, "is outside its box", i);
    for (Index j = 0; j < i; ++j) {
      require(!overlap(grid_.distance(here, position(j, clock_)), radius_[i] + radius_[j]), "overlaps another one", i);
    }
  }
}

template <class N, EventQueue Q>
std::optional<std::array<Index, 2>> Gas<N, Q>::first_unsound() const {
  const std::int64_t way = tick_is_over_ ? 1 : -1;
  for (Index i = 0; i < size(); ++i) {
    const Vector here = position(i, clock_);
    for (const std::size_t axis : {0u, 1u}) {
      const std::int64_t x = here[axis] + way * disks_[i].velocity[axis];
      if (!grid_.periodic[axis] && (x < radius_[i] || x > grid_.size[axis] - radius_[i])) return {{i, i}};
    }
    for (const Partner partner : neighbourhood_.boxes().partners_of(i)) {
      const Index j = partner.disk();
      const Vector r = grid_.distance(here, position(j, clock_));
      const Vector v = disks_[i].velocity - disks_[j].velocity;
      const std::int64_t contact = radius_[i] + radius_[j];
      if (overlap(r, contact) || overlap(r + v * way, contact)) return {{i, j}};
    }
  }
  return {};
}

template <class N, EventQueue Q>
void Gas<N, Q>::save(OutArchive& archive) const {
  const Snapshot now = snapshot();
  Snapshot::visit(archive, now);
  archive(tick(), runs_backward_, tick_is_over_, tally_, losses_);
}

template <class N, EventQueue Q>
void Gas<N, Q>::load(InArchive& archive) {
  Snapshot now = snapshot();
  Snapshot::visit(archive, now);
  std::int64_t at = 0;
  archive(at, runs_backward_, tick_is_over_, tally_, losses_);
  tally_.require_sound();
  losses_.require_sound(size());
  require_state(at > -kMostTicks && at < kMostTicks, "the number of ticks");
  for (Index i = 0; i < size(); ++i) {
    for (const std::size_t axis : {0u, 1u}) {
      const std::int64_t inward = grid_.periodic[axis] ? 0 : radius_[i];
      const std::int64_t highest = grid_.size[axis] - (grid_.periodic[axis] ? 1 : inward);
      const std::int64_t x = now.position[i][axis];
      const std::int64_t v = now.velocity[i][axis];
      require_state(x >= inward && x <= highest, "a position outside the domain");
      require_state(v >= -grid_.fastest && v <= grid_.fastest, "a velocity");
    }
    require_state(squared(now.velocity[i]) <= product(grid_.fastest, grid_.fastest), "a velocity");
    require_state(is_moderate(now.image[i]), "the image of a disk");
    disks_[i] = {now.position[i], runs_backward_ ? -now.velocity[i] : now.velocity[i], 0};
    image_[i] = now.image[i];
  }
  clock_ = 0;
  origin_ = at;
  begin_clock();
  require_state(!first_unsound(), "disks that overlap");
}

template class Gas<DiskCells, BucketQueue>;
template class Gas<DiskCells, ImplicitHeap>;
template class Gas<Neighbourhood<AllPairs<2>>, ImplicitHeap>;
template class Gas<Neighbourhood<HierarchicalGrid<2>>, BucketQueue>;
template class Gas<Neighbourhood<SortAndUpdate<2>>, BucketQueue>;
template class Gas<Neighbourhood<SortedStrips<2>>, BucketQueue>;
template class Gas<Neighbourhood<DistanceSort<2>>, BucketQueue>;

}  // namespace scree::hard::exact
