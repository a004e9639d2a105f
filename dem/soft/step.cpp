#include "dem/soft/step.hpp"

#include <algorithm>

#include "dem/gravity.hpp"
#include "dem/soft/accelerations.hpp"
#include "dem/soft/exchange.hpp"

namespace scree::soft {

namespace {

using Own = std::span<const char>;

bool owns(Own own, std::uint32_t body) {
  return own.empty() || own[body] != 0;
}

/// Time → gravity, and what it brings. @param t end of the step [s]
void set_gravity(double t, Own own, Rooms& r, Tally& told) {
  const Vec2 now = gravity_at(r.scene, t);
  if (now == r.scene.gravity) return;
  told.gain.sum = gain_of_potential_energy(r.bodies, now - r.scene.gravity, r.periodic(), own);
  change_gravity(now, r);
}

/// Derivatives, and the loads of the step before → predicted motions of bodies, cell and walls.
void predict(double t, Rooms& r) {
  r.gear.predict(r.bodies);
  r.cell.advance(r.clock.dt());
  renew_periods(r);
  follow(r.periodic(), r.bodies);
  r.walls.drives().advance(r.bodies, r.periodic(), r.clock.dt());
  r.walls.move_to(t, r.periodic(), r.bodies);
  if (r.walls.drives().has_unbounded_speed()) r.walls.find_fastest(r.periodic(), r.bodies);
}

/// Predicted positions → rotations and boxes.
void place(Rooms& r) {
  r.placement.update(r.bodies);
}

/// Boxes → changes of pairs.
void find_pairs(Own own, Rooms& r) {
  r.pairs.update(r.bodies, r.placement);
  if (own.empty()) return;
  std::erase_if(r.pairs.changes(), [&](const PairChange& change) {  // two ghosts concern their owners
    return own[change.bodies.a] == 0 && own[change.bodies.b] == 0;
  });
}

/// Changes of pairs → candidates; contacts that end with them.
void apply_changes(Own own, Rooms& r, Tally& told) {
  for (const EndedContact& contact : r.contacts.apply(r.pairs.changes(), r.bodies)) {
    if (owns(own, contact.bodies.a)) told.ended_with_pairs.push_back(ended_with_boxes(r, contact));
  }
}

/// Candidates → overlaps. @return contacts whose bodies parted
std::span<const EndedContact> detect(Own own, Rooms& r, Tally& told) {
  r.narrowphase.detect({r.bodies, r.placement, r.pairs.proxies(), r.gear, own}, r.contacts);
  const auto ended = r.contacts.update(r.narrowphase.found(), r.narrowphase.some_are_apart());
  for (const EndedContact& contact : ended) {
    if (owns(own, contact.bodies.a)) told.ended_depths.push_back(contact.history.max_depth_ratio);
  }
  told.chord_jumps = r.narrowphase.chord_jumps();
  return ended;
}

/// Overlaps, velocities, laws → forces, new histories.
void compute_forces(Rooms& r, Tally& told) {
  r.contacts.follow(r.periodic(), r.bodies);
  told.alarm = r.forces.compute({r.bodies, r.placement, r.laws, r.clock.dt()}, r.contacts);
}

/// Forces → stress of a cell that deforms, and its acceleration.
void feel_stress(Own own, Neighbours& others, Rooms& r, Tally& told) {
  if (!r.cell.deforms()) return;
  told.cell.sum = r.cell.tally(r.bodies, r.contacts, r.laws, own);
  if (r.cell.follows_stress()) r.cell.feel(others.sum(*told.cell.sum), r.clock.dt());
}

/// Forces → net forces → corrected motions.
void correct(Neighbours& others, Rooms& r, Tally& told) {
  others.keep_ghosts(r);
  told.alarm |= gather_and_correct(r);
  others.correct_ghosts(r);
  renew_periods(r);
  r.contacts.follow(r.periodic(), r.bodies);
  follow(r.periodic(), r.bodies);
}

/// Forces → loads of driven walls, and velocities of those that have a mass.
void feel_loads(double t, Own own, Neighbours& others, Rooms& r, Tally& told) {
  WallDrives& drives = r.walls.drives();
  if (!drives.any()) return;
  std::vector<PairKey> keys;
  std::vector<ContactLoad> loads;
  for (std::size_t k = 0; k < r.contacts.size(); ++k) {
    const BodyPair& pair = r.contacts.bodies(k);
    if (!r.bodies.is_wall(pair.b) || !owns(own, pair.a)) continue;
    const auto load = drives.load_of(r.bodies, r.periodic(), r.contacts, r.laws, k);
    if (!load) continue;
    keys.push_back(r.contacts.key(r.bodies, k));
    loads.push_back(*load);
  }
  others.join(std::move(keys), loads);
  told.servo_work = drives.feel(loads, r.clock.dt());
  r.walls.move_to(t, r.periodic(), r.bodies);
}

/// Corrected velocities → powers.
void tally_powers(Own own, std::span<const EndedContact> ended, Rooms& r, Tally& told) {
  told.power = r.power.tally(r.bodies, r.laws, ended, own, r.contacts);
  if (r.local.acts()) told.damping.sum = r.local.power(r.bodies, r.periodic(), own);
  if (told.cell.sum) r.cell.tally_grains(r.bodies, own, *told.cell.sum);
}

/// Corrected positions → those within the periodic sides, and their images.
void wrap_all(Rooms& r) {
  jump_at_sides(r);
  wrap(r.periodic(), r.bodies);
}

}  // namespace

Tally step(Rooms& r, std::span<const char> own, Neighbours& others, StageWatch& watch) {
  Tally told;
  const double t = r.clock.time_after_step();
  set_gravity(t, own, r, told);
  watch(Stage::predict, predict, t, r);
  watch(Stage::place, place, r);
  watch(Stage::find_pairs, find_pairs, own, r);
  watch(Stage::apply_changes, apply_changes, own, r, told);
  const auto ended = watch(Stage::detect, detect, own, r, told);
  watch(Stage::forces, compute_forces, r, told);
  if (r.scene.measure) others.record(r);
  watch(Stage::correct, feel_stress, own, others, r, told);
  watch(Stage::correct, correct, others, r, told);
  watch(Stage::correct, feel_loads, t, own, others, r, told);
  watch(Stage::correct, tally_powers, own, ended, r, told);
  r.clock.advance();
  watch(Stage::correct, wrap_all, r);
  return told;
}

}  // namespace scree::soft
