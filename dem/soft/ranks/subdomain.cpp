#include "dem/soft/ranks/subdomain.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "dem/soft/accelerations.hpp"
#include "dem/soft/contact/rest.hpp"
#include "dem/soft/ranks/ghost_reach.hpp"
#include "dem/soft/ranks/rank_messages.hpp"

namespace scree::soft {

/// The first entry of a body.
std::uint32_t Subdomain::body_of(const Bodies& bodies, std::uint64_t id) {
  const auto begin = bodies.id.begin();
  const auto walls_end = begin + bodies.walls;
  auto found = std::lower_bound(begin, walls_end, id);
  if (found == walls_end || *found != id) found = std::lower_bound(walls_end, bodies.id.end(), id);
  return static_cast<std::uint32_t>(found - begin);
}

Subdomain::Subdomain(const Scene& scene, const Options& options, Ranks& ranks, const Sharing& sharing, Run* whole)
    : ranks_(ranks),
      sharing_(sharing),
      local_(scene, options.broadphase.value_or(scene.broadphase)),
      course_(scene),
      whole_(whole),
      threads_(options.threads),
      neighbours_(ranks, ghosts_) {
  enter_first_stage(course_, local_);
  if (local_.scene.start) local_.scene.start->inherited.reset();
  put_walls(local_);
  ghosts_.own.assign(local_.bodies.size(), 0);
  ghosts_.sent.resize(static_cast<std::size_t>(ranks.size()));
  ghosts_.received.resize(static_cast<std::size_t>(ranks.size()));
  local_.pairs.note_image_changes(&images_);
}

// ------------------------------------------------------------------------------------------------------------ orders

void Subdomain::serve() {
  for (;;) {
    std::uint8_t order = 0;
    Ranks::Bytes message;
    broadcast(ranks_, message);
    double t = 0.0;
    std::uint64_t at_most = 0;
    from_bytes(std::move(message), order, t, at_most);
    switch (static_cast<Order>(order)) {
      case Order::distribute:
        share_out();
        break;
      case Order::advance:
        advance(t, at_most);
        break;
      case Order::complete:
        collect();
        break;
      case Order::end:
        return;
    }
  }
}

void Subdomain::order(Ranks& ranks, Order order, double t, std::uint64_t at_most) {
  Ranks::Bytes message = to_bytes(static_cast<std::uint8_t>(order), t, at_most);
  broadcast(ranks, message);
}

void Subdomain::distribute() {
  order(ranks_, Order::distribute);
  exchange_due_ = kAll;  // or less: the first step finds out
  is_over_ = whole_->course.is_over();
  share_out();
}

void Subdomain::advance_to(double t, std::uint64_t at_most) {
  order(ranks_, Order::advance, t, at_most);
  advance(t, at_most);
}

void Subdomain::complete() {
  if (is_complete_) return;
  order(ranks_, Order::complete);
  collect();
}

void Subdomain::advance(double t, std::uint64_t at_most) {
  threads_.run([&] {
    while (at_most > 0 && !is_over_ && !local_.clock.has_reached(t)) {
      --at_most;
      if (!step()) return;
    }
  });
}

// ---------------------------------------------------------------------------------------------------------- the step

/// @return false if rank 0 throws what ends the run
bool Subdomain::step() {
  ++counts_.steps;
  if (!is_cell_sound()) return false;
  if (exchange_due_ != kNothing && !exchange()) return false;
  Rooms& s = local_;
  const double dt = s.clock.dt();
  images_.clear();
  StageWatch watch(stage_times_);
  Tally told = soft::step(s, ghosts_.own, true, neighbours_, watch);
  watch.stop();
  told.transfers = neighbours_.take_transfers();
  list_images(told);
  told.some_leave = !Population::leaving(s.scene, s.bodies, s.placement, s.time()).empty();
  told.some_outran = has_outrun();
  told.has_images = !s.contacts.candidates.image.empty();
  look_at_own(told);
  is_complete_ = false;
  return conclude(std::move(told), dt);
}

/// All ranks find the same. @return see step
bool Subdomain::is_cell_sound() {
  const auto problem = local_.cell.find_problem(local_.clock.dt());
  if (!problem) return true;
  if (!is_complete_) collect();
  if (whole_ != nullptr) require(whole_->rooms, problem);
  return false;
}

/// What check and check_course read, of its own particles and contacts.
void Subdomain::look_at_own(Tally& tally) const {
  const Rooms& s = local_;
  const ChecksDue due = checks_due(local_.clock.steps(), s.step.is_automatic);
  const Scene& scene = s.scene;
  if (due.scale) tally.kinetic.sum = sum_of_kinetic_energies(s.bodies, s.periodic(), ghosts_.own);
  if (due.grains) {
    tally.step.sum = step_need(contact_elements(s.bodies, s.contacts, s.laws), s.bodies.size(),
                               stability_limit(s.gear.values()), s.clock);
  }
  if (due.balance) tally.energies.sum = tally_energies(observe(s), ghosts_.own);
  if (scene.soft.until_unbalanced && local_.clock.steps() % kStepsBetweenLooks == 0) {
    tally.unbalanced.sum.emplace().add(scene, s.bodies, s.contacts, s.net_force, ghosts_.own);
  }
}

/// Lists the images of its own particles; rank 0 lists those of walls, which all ranks have.
void Subdomain::list_images(Tally& tally) const {
  const Bodies& bodies = local_.bodies;
  for (const PairFinder::ImageChange& change : images_) {
    const std::uint32_t body = change.proxy.body;
    if (bodies.is_wall(body) ? ranks_.rank() != 0 : ghosts_.own[body] == 0) continue;
    tally.images.push_back(
        {bodies.id[body], bodies.part_number(body), change.proxy.image, change.is_needed, change.box});
  }
}

/// Whether one of its own particles may be so far away in the next step that it touches what is no ghost here, or that
/// another rank would need it. In a cell that deforms it is the condition (1) of ghost_reach.hpp.
bool Subdomain::has_outrun() const {
  const Rooms& s = local_;
  const Periodic& periodic = s.periodic();
  const bool in_cell = s.cell.deforms();
  Components deformed(1.0, 1.0, 0.0);
  Vec2 centre = Vec2::Zero();
  double left = kNearly * domains_.slack;
  if (in_cell) {
    const CellShape shape = s.cell.shape();
    centre = shape.centre;
    deformed = deformation(renewed_.shape, shape);
    const double strain = kStepsAhead * s.cell.strain_in(s.clock.dt());
    if (!(strain < 1.0)) return true;
    const double grows = 1.0 / (1.0 - strain);  // what has gone astray, by the flow in these steps: more than exp
    const double approach = grows * greatest_approach(deformed);  // q then
    left = (left - (approach - 1.0) * 0.5 * s.cell.scales().widest) / (approach * grows);
  }
  const double dt = s.clock.dt();
  const double of_velocities = kStepsAhead * kStepsAhead * dt * dt;
  const double of_accelerations = of_velocities * dt * dt;
  const double surely = left > 0.0 ? left * left / 3.0 : 0.0;  // (a + b + c)^2 is at most 3 (a^2 + b^2 + c^2)
  for (std::uint32_t body = s.bodies.walls; body < s.bodies.size(); ++body) {
    if (ghosts_.own[body] == 0 || s.bodies.is_part(body)) continue;
    const Renewed::Place& before = renewed_.at[body];
    const Image& image = s.bodies.image[body];
    Vec2 gone = linear(s.bodies.position[body]) - before.position;
    const Image wrapped = {image[0] - before.image[0], image[1] - before.image[1]};
    if (wrapped[0] != 0 || wrapped[1] != 0) gone += periodic.shift(wrapped);
    Vec2 velocity = linear(s.bodies.velocity[body]);
    Vec2 acceleration = linear(s.gear.acceleration(body));
    if (in_cell) {
      gone += before.position - centre - times(deformed, before.position - centre);
      velocity = linear(own_velocity(s, body));
      acceleration -= s.cell.acceleration(linear(s.bodies.position[body]));
    }
    if (gone.squaredNorm() + of_velocities * velocity.squaredNorm() + of_accelerations * acceleration.squaredNorm() <
        surely) {
      continue;
    }
    if (!(gone.norm() + kStepsAhead * dt * (velocity.norm() + dt * acceleration.norm()) < left)) return true;
  }
  return false;
}

/// Beside the flow of a cell that deforms.
double Subdomain::way_in_a_step(const Rooms& rooms, std::uint32_t body) {
  const double dt = rooms.clock.dt();
  Vec2 acceleration = linear(rooms.gear.acceleration(body));
  if (rooms.cell.deforms()) acceleration -= rooms.cell.acceleration(linear(rooms.bodies.position[body]));
  return dt * (linear(own_velocity(rooms, body)).norm() + dt * acceleration.norm());
}

// ------------------------------------------------------------------------------------------------- the end of a step

/// Rank 0 gathers what all ranks report of the step, and decides what comes next. @return see step
bool Subdomain::conclude(Tally tally, double dt) {
  Decision decision;
  bool alarm = false;
  tally = combine(ranks_, std::move(tally));
  if (whole_ != nullptr) {
    take_account(tally, dt);
    alarm = tally.alarm;
    decision.renews = sharing_.renew_in_every_step || tally.some_outran;
    const std::optional<int> halvings = find_halvings(tally);
    decision.halvings = halvings.value_or(local_.clock.halvings());
    decision.is_complete_needed =
        alarm || !halvings || !is_sound(tally) ||
        (whole_->course.has_stages() && local_.clock.has_reached(whole_->rooms.scene.end)) ||
        local_.walls.drives().find_too_light(whole_->rooms.scene, local_.clock.dt()).has_value();
    if (tally.unbalanced.sum && !decision.is_complete_needed) (void)whole_->course.look(false);
    decision.exchange = next_exchange(tally.some_leave);
  }
  broadcast_value(ranks_, decision);
  exchange_due_ = decision.exchange;
  if (decision.is_complete_needed) {
    collect();
    std::exception_ptr error;
    if (whole_ != nullptr) error = look_at_whole(alarm, decision);
    broadcast_value(ranks_, decision);
    if (error) std::rethrow_exception(error);
    if (decision.failed) return false;
    is_over_ = decision.is_over;
    exchange_due_ = decision.exchange;
    if (decision.distributes) {
      share_out();
      return true;
    }
  }
  if (decision.halvings != local_.clock.halvings()) {
    decision.renews |= decision.halvings < local_.clock.halvings();
    local_.clock.halve(decision.halvings);
    renew_derivatives(local_);
  }
  if (decision.renews) renew(local_, ghosts_.own, false);
  return true;
}

/// What a step did to the whole: its accounts, and the numbers of its boxes.
void Subdomain::take_account(Tally& all, double dt) {
  Rooms& s = whole_->rooms;
  Accounts& accounts = whole_->accounts;
  if (all.gain.sum) s.scene.gravity = local_.scene.gravity;
  if (s.cell.deforms()) s.pairs.deform(local_.cell.shape());
  PairFinder::ProxyChanges images;
  for (const Tally::ImageOfBody& each : all.images) {
    const Proxy proxy{.body = body_of(s.bodies, each.id) + each.part, .image = each.image};
    if (each.is_needed) {
      images.begun.push_back(proxy);
    } else {
      images.ended.push_back({proxy, each.box});
    }
  }
  if (!all.images.empty()) {
    s.pairs.sort_as_update(images.begun);
    note(std::move(images));
  }
  // The array of images stays once a pair has needed it, also where the whole does not see that pair.
  std::vector<Image>& images_of_pairs = s.contacts.candidates.image;
  if (images_of_pairs.empty() && all.has_images) images_of_pairs.push_back({0, 0});
  std::ranges::sort(all.transfers, {}, &Tally::Transfer::key);
  for (const Tally::Transfer& each : all.transfers) add(each.of, accounts.transfers);
  accounts.close_step(all, dt, particles(), s.power, s.local, local_.cell);
  if (all.kinetic.sum) {
    accounts.look_at_motion(all.kinetic.sum->value());
    accounts.look_at_flow(local_.cell.flow_energy());
  }
}

/// As check. @return nothing if it needs the whole
std::optional<int> Subdomain::find_halvings(const Tally& all) const {
  return all.step.sum ? renewed_halvings(*all.step.sum, local_.clock) : local_.clock.halvings();
}

/// Whether energy balances, and grains move on: else it needs the whole.
bool Subdomain::is_sound(const Tally& all) {
  if (all.unbalanced.sum && all.unbalanced.sum->ratio() < *whole_->rooms.scene.soft.until_unbalanced) return false;
  if (!all.energies.sum) return true;
  Summary summary;
  balance(whole_->accounts.energy, all.energies.sum->energies(), summary);
  return !check_balance(view(local_), summary);
}

/// The guards that see all grains, the length of the step, and whether the stage or the run is over.
/// @return what is thrown
std::exception_ptr Subdomain::look_at_whole(bool alarm, Decision& decision) {
  const Course& course = whole_->course;
  const std::size_t stage = course.stage();
  try {
    check(alarm, *whole_);
    check_course(*whole_);
  } catch (const PhysicsError&) {
    decision.failed = true;
    return std::current_exception();
  }
  decision.halvings = whole_->rooms.clock.halvings();
  decision.is_over = course.is_over();
  decision.distributes = course.stage() != stage;
  if (decision.distributes) decision.exchange = kAll;  // walls may come or go with the stage
  return {};
}

}  // namespace scree::soft
