#include "dem/soft/subdomain.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/gravity.hpp"
#include "dem/soft/ghost_reach.hpp"
#include "dem/soft/rank_messages.hpp"
#include "dem/soft/rest.hpp"

namespace scree::soft {

/// The first entry of a body.
std::uint32_t Subdomain::body_of(const Bodies& bodies, std::uint64_t id) {
  const auto begin = bodies.id.begin();
  const auto walls_end = begin + bodies.walls;
  auto found = std::lower_bound(begin, walls_end, id);
  if (found == walls_end || *found != id) found = std::lower_bound(walls_end, bodies.id.end(), id);
  return static_cast<std::uint32_t>(found - begin);
}

Subdomain::Subdomain(const Scene& scene, const Options& options, Ranks& ranks, const Sharing& sharing,
                     Simulation* whole)
    : ranks_(ranks),
      sharing_(sharing),
      local_(scene, {.threads = options.threads, .broadphase = options.broadphase, .made_for = MadeFor::load}),
      whole_(whole),
      sent_(static_cast<std::size_t>(ranks.size())),
      received_(static_cast<std::size_t>(ranks.size())) {
  own_.assign(local_.bodies_.size(), 0);
  local_.pairs_.note_image_changes(&images_);
}

Rooms Subdomain::rooms_of(Simulation& simulation) {
  return {simulation.bodies_, simulation.gear_,     simulation.placement_,
          simulation.pairs_,  simulation.contacts_, simulation.net_force_};
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
  exchange_due_ = kAll;  // or not: the first step looks
  is_over_ = whole_->is_over();
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
  local_.threads_.run([&] {
    while (at_most > 0 && !is_over_ && !local_.clock_.has_reached(t)) {
      --at_most;
      if (!step()) return;
    }
  });
}

// ---------------------------------------------------------------------------------------------------------- the step

/// As Simulation::step. @return false if rank 0 throws what ends the run
bool Subdomain::step() {
  ++counts_.steps;
  const bool in_cell = local_.cell_.deforms();
  if (in_cell && !is_cell_sound()) return false;
  if (exchange_due_ != kNothing && !exchange()) return false;
  Simulation& s = local_;
  const Periodic& periodic = s.pairs_.periodic();
  const double t = s.clock_.time_after_step();
  const double dt = s.clock_.dt();
  Tally tally;
  set_gravity(t, tally);
  s.gear_.predict(s.bodies_);
  if (in_cell) s.advance_cell();
  follow(periodic, s.bodies_);
  s.walls_.drives().advance(s.bodies_, periodic, dt);
  s.walls_.move_to(t, periodic, s.bodies_);
  if (s.walls_.drives().has_unbounded_speed()) s.walls_.find_fastest(periodic, s.bodies_);
  s.placement_.update(s.bodies_);
  images_.clear();
  s.pairs_.update(s.bodies_, s.placement_);
  // Two ghosts concern their owners.
  std::erase_if(s.pairs_.changes(),
                [&](const PairChange& change) { return own_[change.bodies.a] == 0 && own_[change.bodies.b] == 0; });
  for (const EndedContact& contact : s.contacts_.apply(s.pairs_.changes(), s.bodies_)) {
    if (own_[contact.bodies.a] != 0) tally.ended_with_pairs.push_back(tell(contact));
  }
  s.narrowphase_.detect({s.bodies_, s.placement_, s.pairs_.proxies(), s.gear_, &own_}, s.contacts_);
  const auto ended = s.contacts_.update(s.narrowphase_.found(), s.narrowphase_.some_are_apart());
  for (const EndedContact& contact : ended) {
    if (own_[contact.bodies.a] != 0) tally.ended_depths.push_back(contact.history.max_depth_ratio);
  }
  tally.chord_jumps = s.narrowphase_.chord_jumps();
  if (in_cell) s.contacts_.follow(periodic, s.bodies_);
  tally.alarm = s.forces_.compute({s.bodies_, s.placement_, s.laws_, dt}, s.contacts_);
  if (s.scene_.measure) list_transfers(s.bodies_, s.contacts_, dt, transfers_);
  if (in_cell) feel_cell(tally, dt);
  correct(tally.alarm);
  if (in_cell) s.correct_cell();
  follow(periodic, s.bodies_);
  if (s.walls_.drives().any()) {
    feel_loads(dt);
    s.walls_.move_to(t, periodic, s.bodies_);
  }
  tally.power = s.losses_.power.tally(s.bodies_, s.laws_, ended, own_, s.contacts_);
  if (s.losses_.local.acts()) tally.damping.sum = s.losses_.local.power(s.bodies_, periodic, own_);
  if (in_cell) s.cell_.tally_grains(s.bodies_, own_, *tally.cell.sum);
  if (s.scene_.measure) list_transfers_of_own(tally);
  s.clock_.advance();
  if (in_cell) {
    s.wrap_in_cell();
  } else {
    wrap(periodic, s.bodies_);
  }
  list_images(tally);
  tally.some_leave = !Population::leaving(s.scene_, s.bodies_, s.placement_, s.time()).empty();
  tally.some_outran = has_outrun();
  tally.has_images = !s.contacts_.candidates.image.empty();
  look_at_own(tally);
  is_complete_ = false;
  return conclude(std::move(tally), dt);
}

Tally::Ended Subdomain::tell(const EndedContact& contact) const {
  const Bodies& bodies = local_.bodies_;
  return {key_of(bodies, contact.bodies, contact.image),
          tangential_energy(local_.laws_.of(bodies, contact.bodies), contact), contact.history.max_depth_ratio};
}

/// Forces on own particles come from their contacts, which are all here, those on ghosts from their owners.
void Subdomain::correct(bool& alarm) {
  Simulation& s = local_;
  Bodies& bodies = s.bodies_;
  // Ghosts as predicted: the next line corrects them with the few contacts that are here.
  struct Motions {
    std::array<Motion, 6> of;
  };
  std::vector<std::uint32_t> ghosts;
  for (const auto& from : received_) ghosts.insert(ghosts.end(), from.begin(), from.end());
  std::vector<std::vector<Motion>*> motions = {&bodies.position, &bodies.velocity};
  const auto note = [&](std::vector<Motion>& derivative) {
    if (!derivative.empty()) motions.push_back(&derivative);
  };
  Gear::visit(note, s.gear_);
  std::vector<Motions> predicted(ghosts.size());
  for (std::size_t g = 0; g < ghosts.size(); ++g) {
    for (std::size_t k = 0; k < motions.size(); ++k) predicted[g].of[k] = (*motions[k])[ghosts[g]];
  }
  alarm |= s.gather_and_correct();
  for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
    if (sent_[rank].empty()) continue;
    std::vector<Motion> forces;
    for (const std::uint32_t body : sent_[rank]) forces.push_back(net_force(bodies, s.contacts_, body, s.net_force_));
    ranks_.send(static_cast<int>(rank), bytes_of(forces));
  }
  const Motion gravity(s.scene_.gravity.x(), s.scene_.gravity.y(), 0.0);
  std::size_t g = 0;
  for (std::size_t rank = 0; rank < received_.size(); ++rank) {
    if (received_[rank].empty()) continue;
    std::vector<Motion> forces(received_[rank].size());
    copy_bytes(ranks_.receive(static_cast<int>(rank)), forces);
    for (std::size_t k = 0; k < forces.size(); ++k, ++g) {
      const std::uint32_t ghost = ghosts[g];
      for (std::size_t m = 0; m < motions.size(); ++m) (*motions[m])[ghost] = predicted[g].of[m];
      if (!s.net_force_.empty()) s.net_force_[ghost] = forces[k];
      const double per_mass = bodies.inverse_mass[ghost];
      const Motion acceleration =
          s.alter(ghost, gravity + forces[k] * Motion(per_mass, per_mass, bodies.inverse_inertia[ghost]));
      s.gear_.correct(bodies, ghost, std::span(&acceleration, 1));
    }
  }
}

/// As Simulation::set_gravity.
void Subdomain::set_gravity(double t, Tally& tally) {
  Simulation& s = local_;
  const Vec2 now = gravity_at(s.scene_, t);
  if (now == s.scene_.gravity) return;
  tally.gain.sum = gain_of_potential_energy(s.bodies_, now - s.scene_.gravity, s.pairs_.periodic(), own_);
  s.scene_.gravity = now;
  s.walls_.drives().set_gravity(now);
}

/// As Simulation::step begins. All ranks find the same. @return see step
bool Subdomain::is_cell_sound() {
  const auto problem = local_.cell_.find_problem(local_.dt());
  if (!problem) return true;
  if (!is_complete_) collect();
  if (whole_ != nullptr) whole_->require(problem);
  return false;
}

/// If a stress drives the cell, all ranks need the sums over all contacts and grains now: it moves alike on all.
void Subdomain::feel_cell(Tally& tally, double dt) {
  Simulation& s = local_;
  tally.cell.sum = s.cell_.tally(s.bodies_, s.contacts_, s.laws_, own_);
  if (!s.cell_.follows_stress()) return;
  CellTally all = combine(ranks_, *tally.cell.sum);
  broadcast_value(ranks_, all);
  s.cell_.feel(all, dt);
}

/// All ranks get the loads of all contacts of driven walls, in the order of keys.
void Subdomain::feel_loads(double dt) {
  Simulation& s = local_;
  std::vector<PairKey> keys;
  std::vector<ContactLoad> loads;
  for (std::size_t k = 0; k < s.contacts_.size(); ++k) {
    const BodyPair& pair = s.contacts_.bodies(k);
    if (own_[pair.a] == 0 || !s.bodies_.is_wall(pair.b)) continue;
    const auto load = s.walls_.drives().load_of(s.bodies_, s.pairs_.periodic(), s.contacts_, s.laws_, k);
    if (!load) continue;
    keys.push_back(s.contacts_.key(s.bodies_, k));
    loads.push_back(*load);
  }
  std::vector<Ranks::Bytes> messages = gather(ranks_, to_bytes(keys, loads));
  std::vector<std::pair<PairKey, ContactLoad>> all;
  for (Ranks::Bytes& message : messages) {
    from_bytes(std::move(message), keys, loads);
    for (std::size_t k = 0; k < keys.size(); ++k) all.emplace_back(keys[k], loads[k]);
  }
  std::ranges::sort(all, {}, &std::pair<PairKey, ContactLoad>::first);
  loads.clear();
  for (const auto& each : all) loads.push_back(each.second);
  broadcast_value(ranks_, loads);
  s.walls_.drives().feel(loads, dt, whole_ != nullptr ? whole_->energy_ : s.energy_);
}

/// What the contacts pass on of which it owns a.
void Subdomain::list_transfers_of_own(Tally& tally) const {
  const Contacts& contacts = local_.contacts_;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (own_[contacts.bodies(k).a] == 0) continue;
    tally.transfers.push_back({contacts.key(local_.bodies_, k), transfers_[k]});
  }
}

/// What Simulation::check and check_course look at, of its own particles and contacts.
void Subdomain::look_at_own(Tally& tally) const {
  const Simulation& s = local_;
  const ChecksDue due = checks_due(steps(), s.step_.is_automatic);
  const Scene& scene = s.scene_;
  if (due.scale) tally.kinetic.sum = sum_of_kinetic_energies(s.bodies_, s.pairs_.periodic(), own_);
  if (due.grains) {
    tally.step.sum = step_need(contact_elements(s.bodies_, s.contacts_, s.laws_), s.bodies_.size(),
                               stability_limit(s.gear_.values()), s.clock_);
  }
  if (due.balance) tally.energies.sum = tally_energies(s.observe(s.contacts_, s.net_force_), own_);
  if (scene.until_unbalanced && steps() % kStepsBetweenLooks == 0) {
    tally.unbalanced.sum.emplace().add(scene, s.bodies_, s.contacts_, s.net_force_, own_);
  }
}

/// Those of its own particles; of walls, which all ranks have, rank 0 tells.
void Subdomain::list_images(Tally& tally) const {
  const Bodies& bodies = local_.bodies_;
  for (const PairFinder::ImageChange& change : images_) {
    const std::uint32_t body = change.proxy.body;
    if (bodies.is_wall(body) ? ranks_.rank() != 0 : own_[body] == 0) continue;
    tally.images.push_back(
        {bodies.id[body], bodies.part_number(body), change.proxy.image, change.is_needed, change.box});
  }
}

/// Whether one of its own particles may be so far away in the next step that it touches what is no ghost here, or that
/// another rank would need it. In a cell that deforms it is the condition (1) of ghost_reach.hpp.
bool Subdomain::has_outrun() const {
  const Simulation& s = local_;
  const Periodic& periodic = s.pairs_.periodic();
  const bool in_cell = s.cell_.deforms();
  Components deformed(1.0, 1.0, 0.0);
  Vec2 centre = Vec2::Zero();
  double left = kNearly * slack_;
  if (in_cell) {
    const CellShape shape = s.cell_.shape();
    centre = shape.centre;
    deformed = deformation(renewed_shape_, shape);
    const double strain = kStepsAhead * s.cell_.strain_in(s.dt());
    if (!(strain < 1.0)) return true;
    const double grows = 1.0 / (1.0 - strain);  // what has gone astray, by the flow in these steps: more than exp
    const double approach = grows * greatest_approach(deformed);  // q then
    left = (left - (approach - 1.0) * 0.5 * s.cell_.known().widest) / (approach * grows);
  }
  const double dt = s.dt();
  const double of_velocities = kStepsAhead * kStepsAhead * dt * dt;
  const double of_accelerations = of_velocities * dt * dt;
  const double surely = left > 0.0 ? left * left / 3.0 : 0.0;  // (a + b + c)^2 is at most 3 (a^2 + b^2 + c^2)
  for (std::uint32_t body = s.bodies_.walls; body < s.bodies_.size(); ++body) {
    if (own_[body] == 0 || s.bodies_.is_part(body)) continue;
    const Renewed& before = renewed_at_[body];
    const Image& image = s.bodies_.image[body];
    Vec2 gone = linear(s.bodies_.position[body]) - before.position;
    const Image wrapped = {image[0] - before.image[0], image[1] - before.image[1]};
    if (wrapped[0] != 0 || wrapped[1] != 0) gone += periodic.shift(wrapped);
    Vec2 velocity = linear(s.bodies_.velocity[body]);
    Vec2 acceleration = linear(s.gear_.acceleration(body));
    if (in_cell) {
      gone += before.position - centre - times(deformed, before.position - centre);
      velocity = linear(s.own_velocity(body));
      acceleration -= linear(s.in_cell(body));
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
double Subdomain::way_in_a_step(const Simulation& simulation, std::uint32_t body) {
  const double dt = simulation.dt();
  Motion acceleration = simulation.gear_.acceleration(body);
  if (simulation.cell_.deforms()) acceleration -= simulation.in_cell(body);
  return dt * (linear(simulation.own_velocity(body)).norm() + dt * linear(acceleration).norm());
}

// ------------------------------------------------------------------------------------------------- the end of a step

/// Rank 0 hears what all ranks tell of the step, and decides what comes next. @return see step
bool Subdomain::conclude(Tally tally, double dt) {
  Decision decision;
  bool alarm = false;
  tally = combine(ranks_, std::move(tally));
  if (whole_ != nullptr) {
    take_account(tally, dt);
    alarm = tally.alarm;
    decision.renews = sharing_.renew_in_every_step || tally.some_outran;
    const std::optional<int> halvings = find_halvings(tally);
    decision.halvings = halvings.value_or(local_.clock_.halvings());
    decision.is_complete_needed = alarm || !halvings || !is_sound(tally) ||
                                  (whole_->course_.has_stages() && local_.has_reached(whole_->scene_.end)) ||
                                  local_.walls_.drives().find_too_light(whole_->scene_, local_.dt()).has_value();
    if (tally.unbalanced.sum && !decision.is_complete_needed) (void)whole_->course_.look(false);
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
  if (decision.halvings != local_.clock_.halvings()) {
    decision.renews |= decision.halvings < local_.clock_.halvings();
    local_.clock_.halve(decision.halvings);
    local_.gear_.set_step(local_.clock_.dt());
  }
  if (decision.renews) renew(local_, own_, false);
  return true;
}

/// What Simulation sums up or counts in a step.
void Subdomain::take_account(Tally& all, double dt) {
  Simulation& s = *whole_;
  if (all.gain.sum) {
    s.energy_.in += all.gain.sum->value();
    s.scene_.gravity = local_.scene_.gravity;
  }
  s.records_.chord_jumps += all.chord_jumps;
  for (const double depth_ratio : all.ended_depths) s.records_.impact_depths.add(depth_ratio);
  if (s.cell_.deforms()) s.pairs_.deform(local_.cell_.shape());
  PairFinder::ProxyChanges images;
  for (const Tally::ImageOfBody& each : all.images) {
    const Proxy proxy{.body = body_of(s.bodies_, each.id) + each.part, .image = each.image};
    if (each.is_needed) {
      images.begun.push_back(proxy);
    } else {
      images.ended.push_back({proxy, each.box});
    }
  }
  if (!all.images.empty()) {
    s.pairs_.sort_as_update(images.begun);
    note(std::move(images));
  }
  std::ranges::sort(all.ended_with_pairs, {}, &Tally::Ended::key);
  for (const Tally::Ended& each : all.ended_with_pairs) {
    s.records_.impact_depths.add(each.depth_ratio);
    s.energy_.law += each.energy;
  }
  // The array of images stays once a pair has needed it, also where the whole does not see that pair.
  std::vector<Image>& images_of_pairs = s.contacts_.candidates.image;
  if (images_of_pairs.empty() && all.has_images) images_of_pairs.push_back({0, 0});
  s.losses_.power.close(all.power, dt, s.energy_);
  std::ranges::sort(all.transfers, {}, &Tally::Transfer::key);
  for (const Tally::Transfer& each : all.transfers) add(each.of, s.records_.transfers);
  if (all.damping.sum) s.losses_.local.close(all.damping.sum->value(), dt, s.energy_);
  if (all.cell.sum) local_.cell_.account(*all.cell.sum, dt, s.energy_);
  if (all.kinetic.sum) {
    s.energy_.scale = s.energy_.scale_with(all.kinetic.sum->value());
    if (s.cell_.deforms()) s.energy_.scale = std::max(s.energy_.scale, local_.cell_.flow_energy());
  }
  s.records_.particle_steps += particles();
}

/// As Simulation::renew_step. @return nothing if it has to look at the whole
std::optional<int> Subdomain::find_halvings(const Tally& all) const {
  return all.step.sum ? renewed_halvings(*all.step.sum, local_.clock_) : local_.clock_.halvings();
}

/// Whether energy balances, and grains move on: else it has to look at the whole.
bool Subdomain::is_sound(const Tally& all) {
  if (all.unbalanced.sum && all.unbalanced.sum->ratio() < *whole_->scene_.until_unbalanced) return false;
  if (!all.energies.sum) return true;
  Summary summary;
  balance(whole_->energy_, all.energies.sum->energies(), summary);
  return !check_balance(local_.view(), summary);
}

/// The guards that see all grains, the length of the step, and whether the stage or the run is over.
/// @return what is thrown
std::exception_ptr Subdomain::look_at_whole(bool alarm, Decision& decision) {
  Simulation& s = *whole_;
  const std::size_t stage = s.course_.stage();
  try {
    s.check(alarm);
    s.check_course();
  } catch (const PhysicsError&) {
    decision.failed = true;
    return std::current_exception();
  }
  decision.halvings = s.clock_.halvings();
  decision.is_over = s.is_over();
  decision.distributes = s.course_.stage() != stage;
  if (decision.distributes) decision.exchange = kAll;  // walls may come or go with the stage
  return {};
}

}  // namespace scree::soft
