#include "dem/soft/forces/plain_disks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "dem/shapes.hpp"
#include "dem/soft/forces/overlap_limits.hpp"
#include "dem/soft/lanes/views.hpp"
#include "geometry/disk.hpp"
#include "parallel/ordered_sum.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

using lanes::DiskBlock;
using lanes::kNoContact;

constexpr std::size_t kWindow = ContactBlocks::kWindow;

/// A particle of each material that there is.
std::vector<std::uint32_t> one_of_each_material(const Bodies& bodies) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    const auto is_like = [&](std::uint32_t other) { return bodies.material[other] == bodies.material[body]; };
    if (std::ranges::none_of(found, is_like)) found.push_back(body);
  }
  return found;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ packing

bool PlainDisks::pack(const View& view, Contacts& contacts) {
  const Bodies& bodies = view.bodies;
  constexpr std::uint32_t kMostBodies = 1U << 27;  // see DiskBlock::sum_a
  if (!may_pack_ || bodies.beyond_walls() == 0 || bodies.size() >= kMostBodies || !contacts.rolling.empty())
    return false;
  const PairLaw& law = view.laws.of_disks(bodies, {bodies.walls, bodies.walls});
  if (!is_plain(law)) return false;
  const std::vector<std::uint32_t> examples = one_of_each_material(bodies);
  for (const std::uint32_t a : examples) {
    for (const std::uint32_t b : examples) {
      if (!is_plain(view.laws.of_disks(bodies, {a, b}))) return false;
    }
  }
  std::vector<std::uint32_t> between_particles;
  touching_walls_.clear();
  for (std::uint32_t contact = 0; contact < contacts.size(); ++contact) {
    (bodies.is_wall(contacts.bodies(contact).b) ? touching_walls_ : between_particles).push_back(contact);
  }
  blocks_.pack(view, contacts, between_particles, law, examples.size() > 1);
  walls_.pack(view, contacts, touching_walls_);
  sums_.resize(bodies.size());
  list_others(view.bodies, contacts);
  find_shifts_of_others(view, contacts);
  shifts_are_known_ = true;
  contacts.leave_particles(bodies.walls);
  are_computed_ = false;
  are_written_ = false;
  packed_ = true;
  return true;
}

/// Candidates that are not in blocks.
void PlainDisks::list_others(const Bodies& bodies, const Contacts& contacts) {
  constexpr std::uint32_t kNone = 0xffffffff;
  const Candidates& candidates = contacts.candidates;
  others_.changes = contacts.changes();
  others_.apart.resize(candidates.size());
  others_.bodies_apart.resize(2 * candidates.size());
  others_.at_walls.clear();
  others_.contacts_at_walls.clear();
  others_.near_walls.clear();
  std::uint32_t contact = 0;
  std::size_t apart = 0;
  for (std::uint32_t pair = 0; pair < candidates.size(); ++pair) {
    const std::uint32_t next = contact < contacts.size() ? contacts.candidate[contact] : kNone;
    const bool touches = next == pair;
    const auto [a, b] = candidates.bodies[pair];
    if (bodies.is_wall(b)) [[unlikely]] {
      others_.at_walls.push_back(pair);
      others_.contacts_at_walls.push_back(touches ? contact : kNoContact);
      if (!touches) others_.near_walls.push_back(pair);
    } else {  // about one in two touches: no branch foretells it
      others_.apart[apart] = pair;
      others_.bodies_apart[2 * apart] = a;
      others_.bodies_apart[2 * apart + 1] = b;
      apart += touches ? 0 : 1;
    }
    contact += touches ? 1 : 0;
  }
  others_.apart.resize(apart);
  others_.bodies_apart.resize(2 * apart);
  others_.no_contacts.assign(others_.near_walls.size(), kNoContact);
}

void PlainDisks::find_shifts_of_others(const View& view, const Contacts& contacts) {
  const Periodic& periodic = view.proxies.periodic();
  others_.shifts_apart.resize(periodic.any() ? 2 * others_.apart.size() : 0);
  if (!periodic.any()) return;
  for (std::size_t k = 0; k < others_.apart.size(); ++k) {
    const Image image = contacts.candidates.image_of(others_.apart[k]);
    const std::uint32_t* const pair = others_.bodies_apart.data() + 2 * k;
    const Vec2 shift = periodic.shift(Proxies::image_between(view.bodies, pair[0], pair[1], image));  // none is a wall
    others_.shifts_apart[2 * k] = shift.x();
    others_.shifts_apart[2 * k + 1] = shift.y();
  }
}

void PlainDisks::write_back(const View& view, Contacts& contacts) {
  if (!packed_ || !are_computed_ || are_written_) return;
  are_written_ = true;
  contacts.keep_regions();
  const Bodies& bodies = view.bodies;
  constexpr std::size_t kBlocks = 64;
  const lanes::BodiesIn in = bodies_for_lanes(bodies);
  const DiskBlock* const blocks = blocks_.for_lanes(nullptr, nullptr).block;
  const lanes::GeometryOut geometry = geometry_for_lanes(contacts, contacts.all_regions());
  parallel_for_ranges(blocks_.size(), [&](std::size_t begin, std::size_t end) {
    std::uint32_t uncertain_at[kInBlock * kBlocks];
    for (; begin < end; begin += kBlocks) {
      lanes::Found uncertain{uncertain_at, 0};
      lanes::kernels().plain->geometry(in, blocks, blocks_.contacts(), static_cast<std::uint32_t>(begin),
                                       static_cast<std::uint32_t>(std::min(begin + kBlocks, end)), geometry, uncertain);
      for (std::uint32_t k = 0; k < uncertain.count; ++k) {
        const std::uint32_t place = uncertain.at[k];
        const DiskBlock& block = blocks_.of(place);
        const std::uint32_t at = place % kInBlock;
        const std::uint32_t a = body_with_sum(block.sum_a[at]);
        const std::uint32_t b = body_with_sum(block.sum_b[at]);
        ContactGeometry found{};
        found.branch_vector = {block.branch_x[at], block.branch_y[at]};
        found.overlap = overlap_disks(bodies.bounding_radius[a], bodies.bounding_radius[b], found.branch_vector);
        found.depth_ratio = found.overlap.depth / (2.0 * std::min(bodies.radius[a], bodies.radius[b]));
        contacts.region[blocks_.contact(place)] = region_of(found);
        contacts.axes[blocks_.contact(place)] = axes_of(found, Vec2::Zero());
      }
    }
  });
  blocks_.for_each([&](std::uint32_t place, std::uint32_t contact) {
    const DiskBlock& block = blocks_.of(place);
    const std::uint32_t at = place % kInBlock;
    contacts.axes[contact].chord.setZero();
    contacts.history[contact] = {};
    blocks_.write_history(place, contacts.history[contact]);
    write_force(block, at, point_of(block, at), blocks_.stiffness(place), blocks_.tangential_stiffness(place),
                contacts.force[contact], contacts.parts[contact]);
  });
  if (walls_.are_packed()) {
    walls_.write_histories(contacts);
    walls_.write_geometry(view, contacts);
    walls_.write_forces(contacts);
  }
  const auto find_turning = [&](std::uint32_t contact) {
    const auto [a, b] = contacts.bodies(contact);
    contacts.history[contact].relative_angular_velocity = bodies.velocity[b].z() - bodies.velocity[a].z();
  };
  blocks_.for_each([&](std::uint32_t, std::uint32_t contact) { find_turning(contact); });
  if (walls_.are_packed()) std::ranges::for_each(touching_walls_, find_turning);
  contacts.list_by_body(bodies.size(), bodies.walls);
}

void PlainDisks::find_elements(const View& view, const Contacts& contacts, ElementBatch& batch) const {
  const Bodies& bodies = view.bodies;
  std::uint32_t wall = 0;  // in the order of contacts, as their sums are
  const auto add_walls_before = [&](std::uint32_t contact) {
    for (; wall < touching_walls_.size() && touching_walls_[wall] < contact; ++wall) {
      const ContactSprings springs =
          walls_.are_packed() ? walls_.springs(wall) : springs_of(bodies, contacts, touching_walls_[wall]);
      batch.add(bodies, view.laws.of_disks(bodies, springs.bodies), springs);
    }
  };
  blocks_.for_each([&](std::uint32_t place, std::uint32_t contact) {
    add_walls_before(contact);
    const DiskBlock& block = blocks_.of(place);
    const std::uint32_t at = place % kInBlock;
    const ContactSprings springs = springs_of(block, at, point_of(block, at), blocks_.stiffness(place));
    batch.add(bodies, blocks_.law_of(view, springs.bodies), springs);
  });
  add_walls_before(static_cast<std::uint32_t>(contacts.size()));
}

void PlainDisks::write_pushes(Contacts& contacts) const {
  if (walls_.are_packed()) walls_.write_forces(contacts);
  const bool some_are_new = !contacts.begun().empty();
  parallel_for_ranges(blocks_.size(), [&](std::size_t begin, std::size_t end) {
    for (auto place = static_cast<std::uint32_t>(kInBlock * begin); place < kInBlock * end; ++place) {
      const std::uint32_t contact = blocks_.contact(place);
      if (contact == kNoContact) continue;
      const DiskBlock& block = blocks_.of(place);
      const std::uint32_t at = place % kInBlock;
      const Vec2 normal(block.normal_x[at], block.normal_y[at]);
      contacts.axes[contact].branch_vector = {block.branch_x[at], block.branch_y[at]};
      contacts.force[contact].on_b = block.normal[at] * normal + block.tangential[at] * perp(normal);
      if (some_are_new) contacts.history[contact].is_new = blocks_.is_new(place);
    }
  });
}

// --------------------------------------------------------------------------------------------------- a step

std::span<const EndedContact> PlainDisks::apply(std::vector<PairChange>& changes, const Bodies& bodies,
                                                Contacts& contacts) {
  const auto may_end_at_wall = [&](const PairChange& change) {
    return change.boxes < 0 && bodies.is_wall(change.bodies.b);
  };
  if (packed_ && std::ranges::any_of(changes, may_end_at_wall)) walls_.write_histories(contacts);
  const std::span<EndedContact> ended = contacts.apply(changes, bodies);
  if (!packed_ || ended.empty()) return ended;
  std::vector<std::uint32_t> places;
  std::uint32_t from = 0;
  for (EndedContact& each : ended) {
    places.push_back(each.contact);
    if (bodies.is_wall(each.bodies.b)) {
      walls_.forget();
      walls_change_ = true;
      continue;
    }
    from = blocks_.place_of(each.contact, from);
    each.history = {};
    blocks_.write_history(from, each.history);
    blocks_.leave(from);
  }
  forget_ended(places);
  return ended;
}

void PlainDisks::begin_step(const View& view, Contacts& contacts) {
  if (!packed_) return contacts.age();
  blocks_.age();
  blocks_.close();
  walls_.age();
  if (!contacts.begun().empty()) {
    for (const std::uint32_t contact : touching_walls_) contacts.history[contact].is_new = false;
  }
  const bool others_change = others_.changes != contacts.changes();
  if (others_change) list_others(view.bodies, contacts);
  if (others_change || !shifts_are_known_) find_shifts_of_others(view, contacts);
  if (!shifts_are_known_) {
    blocks_.find_shifts(view, contacts);
    if (walls_.are_packed()) walls_.find_shifts(view, contacts);
    shifts_are_known_ = true;
  }
  sums_.resize(view.bodies.size());
}

void PlainDisks::measure_walls(const View& view, Contacts& contacts) {
  if (walls_.are_packed() && !walls_.measure(view)) {
    walls_.write_histories(contacts);
    walls_.forget();
  }
  walls_.are_packed() ? contacts.drop_regions() : contacts.keep_regions();
}

void PlainDisks::update(const View& view, const Narrowphase& narrowphase, Contacts& contacts) {
  const std::vector<NewContact>& found = narrowphase.found().front();
  const auto is_at_wall = [&](const NewContact& contact) {
    return view.bodies.is_wall(contacts.candidates.bodies[contact.candidate].b);
  };
  if (walls_.are_packed() && std::ranges::any_of(found, is_at_wall)) {
    contacts.keep_regions();
    walls_.write_geometry(view, contacts);
    walls_.write_histories(contacts);
    walls_.forget();
  }
  const std::span<const EndedContact> ended = contacts.update(narrowphase.found(), narrowphase.apart());
  if (!ended.empty()) {
    std::vector<std::uint32_t> places;
    for (const EndedContact& each : ended) places.push_back(each.contact);
    forget_ended(places);
  }
  if (const std::span<const std::uint32_t> begun = contacts.begun(); !begun.empty()) {
    follow_begun(begun, touching_walls_);
    walls_.follow_begun(begun);
    blocks_.insert(view, contacts, begun);
    const auto old_size = static_cast<std::ptrdiff_t>(touching_walls_.size());
    std::ranges::copy_if(begun, std::back_inserter(touching_walls_),
                         [&](std::uint32_t contact) { return view.bodies.is_wall(contacts.bodies(contact).b); });
    std::inplace_merge(touching_walls_.begin(), touching_walls_.begin() + old_size, touching_walls_.end());
  }
  walls_change_ |= others_.changes != contacts.changes();
  if (!walls_.are_packed() && walls_change_) walls_.pack(view, contacts, touching_walls_);
  walls_change_ = false;
}

/// @param ended places among the contacts, ascending
void PlainDisks::forget_ended(std::span<const std::uint32_t> ended) {
  std::erase_if(touching_walls_, [&](std::uint32_t contact) { return std::ranges::binary_search(ended, contact); });
  follow(ended, touching_walls_);
  blocks_.follow(ended);
  walls_.follow(ended);
}

void PlainDisks::add_forces_of_walls(const Contacts& contacts) {
  for (const std::uint32_t contact : touching_walls()) {
    const ContactForce& force = contacts.force[contact];
    double* const sum = sums_[contacts.bodies(contact).a].number;
    sum[0] -= force.on_b.x();
    sum[1] -= force.on_b.y();
    sum[2] += force.torque[0];
  }
}

/// Before the forces of contacts between disks.
void PlainDisks::begin_forces(const View& view, const Quanta& energy, const Contacts& contacts) {
  are_computed_ = true;
  are_written_ = false;
  heat_ = {};
  swept_.reset();
  add_forces_of_walls(contacts);
  if (walls_.are_packed()) walls_.compute(view, energy.per_coarse, sums(), heat_);
}

/// @param odd places that the kernel found, in any order
bool PlainDisks::finish(const View& view, std::vector<std::uint32_t>& odd, Contacts& contacts) {
  std::ranges::sort(odd);
  const double max_square = view.laws.max_omega_dt() * view.laws.max_omega_dt();
  return look_at(odd, contacts) || blocks_.are_stiff(view.dt, max_square) ||
         (walls_.are_packed() && walls_.are_stiff(view.dt, max_square));
}

bool PlainDisks::compute(const View& view, const Quanta& energy, Contacts& contacts) {
  constexpr std::size_t kFewest = 256;  // blocks that several threads share
  begin_forces(view, energy, contacts);
  const lanes::PlainLaw now = blocks_.law(view.dt);
  const lanes::BodiesIn in = bodies_for_lanes(view.bodies);
  const bool are_shared = blocks_.size() >= kFewest && Threads::are_several();
  if (are_shared) {
    list_by_body(view.bodies);
    shared_.forces.resize(4 * kInBlock * blocks_.size());
  }
  const lanes::DiskBlocks all = blocks_.for_lanes(sums(), shared_.forces.data());
  const auto kernel =
      (are_shared ? lanes::kernels().plain->forces_apart : lanes::kernels().plain->forces)[blocks_.have_laws()];
  std::mutex mutex;
  std::vector<std::uint32_t> odd;
  const auto compute_range = [&](std::size_t begin, std::size_t end) {
    std::uint32_t odd_at[kInBlock * kWindow];
    WholeSum heat;
    for (; begin < end; begin += kWindow) {
      lanes::Found found{odd_at, 0};
      kernel(in, now, all, static_cast<std::uint32_t>(begin),
             static_cast<std::uint32_t>(std::min(begin + kWindow, end)), energy.per_coarse, heat, found);
      if (found.count == 0) continue;
      const std::lock_guard lock(mutex);
      odd.insert(odd.end(), found.at, found.at + found.count);
    }
    const std::lock_guard lock(mutex);
    heat_ += heat;
  };
  if (are_shared) {
    parallel_for_ranges(blocks_.size(), compute_range);
    sum_up(view.bodies);
  } else {
    compute_range(0, blocks_.size());
  }
  return finish(view, odd, contacts);
}

bool PlainDisks::sweep(const View& view, const PowerQuanta& quanta, const Correct& correct, Contacts& contacts) {
  begin_forces(view, quanta.energy, contacts);
  swept_.emplace();
  const std::span<const ContactBlocks::Window> windows = blocks_.windows();
  const lanes::PlainLaw now = blocks_.law(view.dt);
  const lanes::BodiesIn in = bodies_for_lanes(view.bodies);
  const lanes::DiskBlocks all = blocks_.for_lanes(sums(), shared_.forces.data());
  const lanes::PlainKernels& kernels = *lanes::kernels().plain;
  const auto end_of = [&](std::size_t window) {
    return static_cast<std::uint32_t>(std::min((window + 1) * kWindow, blocks_.size()));
  };
  std::vector<std::uint32_t> odd;
  bool alarm = false;
  std::uint32_t corrected = view.bodies.walls;  // bodies before this one
  std::size_t added = 0;                        // windows whose power is added
  for (std::size_t window = 0; window <= windows.size(); ++window) {
    const bool is_over = window == windows.size();
    const std::uint32_t summed = is_over ? view.bodies.size() : std::min(windows[window].first, view.bodies.size());
    if (corrected < summed) alarm |= correct(corrected, summed);
    corrected = std::max(corrected, summed);
    for (; added < window && windows[added].last < corrected; ++added) {
      const auto begin = static_cast<std::uint32_t>(added * kWindow);
      kernels.power[blocks_.have_laws()](in, now, all, begin, end_of(added), quanta.power.per_coarse, swept_->contacts);
    }
    if (is_over) break;
    std::uint32_t odd_at[kInBlock * kWindow];
    lanes::Found found{odd_at, 0};
    kernels.forces[blocks_.have_laws()](in, now, all, static_cast<std::uint32_t>(window * kWindow), end_of(window),
                                        quanta.energy.per_coarse, heat_, found);
    odd.insert(odd.end(), found.at, found.at + found.count);
  }
  return finish(view, odd, contacts) || alarm;
}

/// Contacts that the kernel found odd: those of bodies that are apart end. @return whether others are too deep
/// @param odd places, ascending
bool PlainDisks::look_at(std::span<const std::uint32_t> odd, Contacts& contacts) {
  std::vector<std::uint32_t> ended;
  bool some_are_deep = false;
  for (const std::uint32_t place : odd) {
    const std::uint32_t contact = blocks_.contact(place);
    if (contact == kNoContact) continue;
    if (blocks_.of(place).depth[place % kInBlock] == 0.0) {  // as the kernel has it
      contacts.history[contact] = {};
      blocks_.write_history(place, contacts.history[contact]);
      blocks_.leave(place);
      ended.push_back(contact);
    } else {
      some_are_deep = true;
    }
  }
  if (ended.empty()) return some_are_deep;
  contacts.end(ended);
  forget_ended(ended);
  return some_are_deep;
}

/// For several threads. In the order of partners: as b, then as a.
void PlainDisks::list_by_body(const Bodies& bodies) {
  if (shared_.arrangement == blocks_.arrangement() && shared_.first.size() == bodies.size() + std::size_t{1}) return;
  shared_.arrangement = blocks_.arrangement();
  shared_.first.assign(bodies.size() + std::size_t{2}, 0);
  const auto body_of = [&](std::uint32_t place, bool as_b) {
    const DiskBlock& block = blocks_.of(place);
    return body_with_sum((as_b ? block.sum_b : block.sum_a)[place % kInBlock]);
  };
  blocks_.for_each([&](std::uint32_t place, std::uint32_t) {
    ++shared_.first[body_of(place, false) + std::size_t{2}];
    ++shared_.first[body_of(place, true) + std::size_t{2}];
  });
  for (std::size_t k = 2; k < shared_.first.size(); ++k) shared_.first[k] += shared_.first[k - 1];
  shared_.incidences.resize(shared_.first.back());
  for (const bool as_b : {true, false}) {
    blocks_.for_each([&](std::uint32_t place, std::uint32_t) {
      shared_.incidences[shared_.first[body_of(place, as_b) + std::size_t{1}]++] = 2 * place + (as_b ? 1U : 0U);
    });
  }
  shared_.first.pop_back();
}

/// Forces of all contacts → sums, of several threads.
void PlainDisks::sum_up(const Bodies& bodies) {
  parallel_for_ranges(bodies.beyond_walls(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t body = bodies.walls + begin; body < bodies.walls + end; ++body) {
      double* const sum = sums_[body].number;
      for (std::uint32_t k = shared_.first[body]; k < shared_.first[body + 1]; ++k) {
        const std::uint32_t place = shared_.incidences[k] / 2;
        const double* const force =
            shared_.forces.data() + 4 * kInBlock * std::size_t{place / kInBlock} + place % kInBlock;
        if (shared_.incidences[k] % 2 == 1) {
          sum[0] += force[0];
          sum[1] += force[kInBlock];
          sum[2] += force[std::size_t{3} * kInBlock];
        } else {
          sum[0] -= force[0];
          sum[1] -= force[kInBlock];
          sum[2] += force[std::size_t{2} * kInBlock];
        }
      }
    }
  });
}

void PlainDisks::add_power(const View& view, const Quanta& power, lanes::PowerSums& sums) {
  const lanes::PlainLaw now = blocks_.law(view.dt);
  const lanes::BodiesIn in = bodies_for_lanes(view.bodies);
  const lanes::DiskBlocks in_blocks = blocks_.for_lanes(nullptr, nullptr);
  const auto add_all = [&] {
    return ordered_sum(blocks_.size(), parts_, [&](std::size_t begin, std::size_t end) {
      PowerTally part;
      lanes::kernels().plain->power[blocks_.have_laws()](in, now, in_blocks, static_cast<std::uint32_t>(begin),
                                                         static_cast<std::uint32_t>(end), power.per_coarse,
                                                         part.contacts);
      return part;
    });
  };
  PowerTally all = swept_ ? *swept_ : add_all();
  if (walls_.are_packed()) walls_.add_power(view, power.per_coarse, all.contacts);
  all.contacts.friction_heat += heat_;
  PowerTally before;
  before.contacts = sums;
  before += all;
  sums = before.contacts;
}

}  // namespace scree::soft
