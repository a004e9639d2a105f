#include "dem/soft/step.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "dem/gravity.hpp"
#include "dem/scene.hpp"
#include "dem/soft/accelerations.hpp"
#include "dem/soft/exchange.hpp"
#include "parallel/threads.hpp"

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
  r.gear.predict(r.bodies, r.put_off.is_due ? &r.put_off.velocity : nullptr);
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

/// Whether all contacts between particles may be plain ones of disks. They are unpacked if not.
bool may_be_plain(Own own, Rooms& r) {
  const Bodies& bodies = r.bodies;
  const bool they_may = own.empty() && bodies.disks > 0 && bodies.disks == bodies.beyond_walls() && bodies.parts == 0 &&
                        r.forces.are_linear_for_disks() && !r.laws.any_rolling() && !r.cell.deforms() &&
                        !r.walls.drives().any();
  if (!they_may) unpack_contacts(r);
  return they_may;
}

/// What some contacts took in the step before, once motions are predicted.
PowerTally tally_put_off(const lanes::Range& some, Rooms& r) {
  return r.power.tally_range(r.bodies, r.put_off.velocity, r.laws, some, r.contacts);
}

/// Changes of pairs → candidates; contacts that end with them.
void apply_changes(Own own, Rooms& r, Tally& told) {
  const auto see = [&](std::span<const std::uint32_t> ending) {
    r.put_off.so_far += tally_put_off({ending.data(), 0, static_cast<std::uint32_t>(ending.size())}, r);
  };
  const std::span<const EndedContact> ended = r.put_off.is_due ? r.contacts.apply(r.pairs.changes(), r.bodies, see)
                                                               : r.plain.apply(r.pairs.changes(), r.bodies, r.contacts);
  for (const EndedContact& contact : ended) {
    if (owns(own, contact.bodies.a)) told.ended_with_pairs.push_back(ended_with_boxes(r, contact));
  }
}

/// Whether the forces of contacts can be computed as soon as some hundred are measured: those of clumps share dashpots,
/// images of a cell that deforms have velocities, and what other ranks ask for has regions.
bool may_go_in_windows(Own own, const Rooms& r) {
  return own.empty() && r.bodies.parts == 0 && !r.cell.deforms();
}

/// Candidates → overlaps; of plain contacts only which begin.
void detect(bool may_be_plain, Own own, Rooms& r, Tally& told) {
  const DetectionView view{r.bodies, r.placement, r.pairs.proxies(), r.gear, own};
  r.plain.begin_step(plain_view(r), r.contacts);
  if (may_be_plain && (r.plain.are_packed() || r.plain.pack(plain_view(r), r.contacts))) {
    r.plain.measure_walls(plain_view(r), r.contacts);
    r.narrowphase.detect(view, r.plain.beside(), r.contacts);
    r.plain.update(plain_view(r), r.narrowphase, r.contacts);
  } else {
    r.narrowphase.detect(view, r.contacts);
    r.contacts.update(r.narrowphase.found(), r.narrowphase.apart());
  }
  told.chord_jumps = r.narrowphase.chord_jumps();
}

/// detect() and compute_forces() in one: candidates → overlaps → forces, while overlaps are in the cache; before that
/// the powers that the step before put off.
void detect_in_windows(bool keeps_regions, Rooms& r, Tally& told) {
  r.plain.begin_step(plain_view(r), r.contacts);
  keeps_regions ? r.contacts.keep_regions() : r.contacts.drop_regions();
  r.forces.prepare(r.laws, r.contacts);
  const ForceView view{r.bodies, r.placement, r.laws, r.clock.dt()};
  std::atomic<bool> alarm = false;
  std::mutex mutex;
  Narrowphase::Passing passing;
  passing.take = [&](const RegionWindow& window) {
    if (r.forces.compute(view, window, r.contacts)) alarm.store(true, std::memory_order_relaxed);
  };
  if (r.put_off.is_due) {
    passing.before = [&](std::uint32_t first, std::uint32_t last) {
      const PowerTally of_them = tally_put_off({nullptr, first, last}, r);
      const std::lock_guard lock(mutex);
      r.put_off.so_far += of_them;
    };
  }
  r.narrowphase.detect({r.bodies, r.placement, r.pairs.proxies(), r.gear}, passing, r.contacts);
  if (r.put_off.is_due) told.power_before = r.put_off.so_far;
  r.put_off.is_due = false;
  r.contacts.update(r.narrowphase.found(), r.narrowphase.apart());
  r.forces.prepare(r.laws, r.contacts);  // the first contacts may have begun
  r.narrowphase.take_rest(passing.take, r.contacts);
  told.alarm = alarm;
  told.chord_jumps = r.narrowphase.chord_jumps();
}

/// Overlaps, velocities, laws → forces, new histories. Of plain contacts overlaps, too, and which end.
/// @param sweeps Of plain contacts all that is left of the step: then motions are corrected, and powers known.
void compute_forces(bool sweeps, Rooms& r, Tally& told) {
  const ForceView view{r.bodies, r.placement, r.laws, r.clock.dt()};
  if (r.plain.are_packed()) {
    told.alarm = r.forces.compute(view, r.plain.touching_walls(), r.contacts);
    if (sweeps) {
      told.alarm |= r.plain.sweep(plain_view(r), r.power.quanta(), Correction(r.plain.sums(), r), r.contacts);
    } else {
      told.alarm |= r.plain.compute(plain_view(r), r.power.quanta().energy, r.contacts);
    }
  } else {
    r.contacts.follow(r.periodic(), r.bodies);
    told.alarm = r.forces.compute(view, r.contacts);
  }
}

/// Contacts that ended → how deep they were.
void note_ended(Own own, const Rooms& r, Tally& told) {
  for (const EndedContact& contact : r.contacts.ended()) {
    if (owns(own, contact.bodies.a)) told.ended_depths.push_back(contact.history.max_depth_ratio);
  }
}

/// Forces → stress of a cell that deforms, and its acceleration.
void respond_to_stress(Own own, Neighbours& others, Rooms& r, Tally& told) {
  if (!r.cell.deforms()) return;
  told.cell.sum = r.cell.tally(r.bodies, r.contacts, r.laws, own);
  if (r.cell.follows_stress()) r.cell.respond(others.sum(*told.cell.sum), r.clock.dt());
}

/// Forces → net forces → corrected motions.
void correct(bool swept, Neighbours& others, Rooms& r, Tally& told) {
  others.keep_ghosts(r);
  if (!swept) told.alarm |= gather_and_correct(r);
  others.correct_ghosts(r);
  renew_periods(r);
  r.contacts.follow(r.periodic(), r.bodies);
  follow(r.periodic(), r.bodies);
}

/// Forces → loads of driven walls, and velocities of those that have a mass.
void respond_to_loads(double t, Own own, Neighbours& others, Rooms& r, Tally& told) {
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
  told.servo_work = drives.respond(loads, r.clock.dt());
  r.walls.move_to(t, r.periodic(), r.bodies);
}

/// Corrected velocities → powers. In windows these are put off, but for what contacts leave that ended.
void tally_powers(bool in_windows, Own own, Rooms& r, Tally& told) {
  if (in_windows) {
    r.put_off.is_due = true;
    r.put_off.so_far = r.power.released(r.bodies, r.laws, r.contacts.ended());
  } else if (r.plain.are_packed()) {
    told.power.sum = r.power.tally_some(r.bodies, r.laws, r.contacts.ended(), r.plain.touching_walls(), r.contacts);
    r.plain.add_power(plain_view(r), r.power.quanta().power, told.power.sum->contacts);
  } else {
    told.power.sum = r.power.tally(r.bodies, r.laws, r.contacts.ended(), own, r.contacts);
  }
  if (r.local.acts()) told.damping.sum = r.local.power(r.bodies, r.periodic(), own);
  if (told.cell.sum) r.cell.tally_grains(r.bodies, own, *told.cell.sum);
}

/// Corrected positions → those within the periodic sides, and their images.
void wrap_all(Rooms& r) {
  jump_at_sides(r);
  if (wrap(r.periodic(), r.bodies)) r.plain.note_wrapping();
}

}  // namespace

Tally step(Rooms& r, std::span<const char> own, bool keeps_regions, Neighbours& others, StageWatch& watch) {
  Tally told;
  const double t = r.clock.time_after_step();
  const bool is_plain = may_be_plain(own, r);
  const bool in_windows = !is_plain && may_go_in_windows(own, r);
  if (!in_windows) told.power_before = take_put_off(r);
  set_gravity(t, own, r, told);
  watch(Stage::predict, predict, t, r);
  watch(Stage::place, place, r);
  watch(Stage::find_pairs, find_pairs, own, r);
  watch(Stage::apply_changes, apply_changes, own, r, told);
  bool sweeps = false;
  if (in_windows) {
    watch(Stage::detect, detect_in_windows, keeps_regions, r, told);
  } else {
    watch(Stage::detect, detect, is_plain, own, r, told);
    sweeps = r.plain.are_packed() && !Threads::are_several() && !r.scene.measure;
    watch(Stage::forces, compute_forces, sweeps, r, told);
  }
  note_ended(own, r, told);
  if (r.scene.measure && r.plain.are_packed()) r.plain.write_pushes(r.contacts);
  if (r.scene.measure) others.record(r);
  watch(Stage::correct, respond_to_stress, own, others, r, told);
  watch(Stage::correct, correct, sweeps, others, r, told);
  watch(Stage::correct, respond_to_loads, t, own, others, r, told);
  watch(Stage::correct, tally_powers, in_windows, own, r, told);
  r.clock.advance();
  watch(Stage::correct, wrap_all, r);
  return told;
}

}  // namespace scree::soft
