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

constexpr std::size_t kWindow = 64;  // blocks

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

lanes::PlainLaw PlainDisks::law(double dt) const {
  return {law_.stiffness, law_.friction, law_.dynamic_friction, law_.tangential_stiffness, dt, kMaxDepthRatio};
}

lanes::DiskBlocks PlainDisks::blocks() {
  return {blocks_.data(), laws_.data(), shifts_.empty() ? nullptr : shifts_.data(),
          fresh_.data(),  sums(),       shared_.forces.data()};
}

/// Calls act(place, contact) for those in blocks that are not over.
template <class Do>
void PlainDisks::for_each_contact(const Do& act) const {
  for (std::uint32_t place = 0; place < count_; ++place) {
    if (contact_[place] != kNoContact) act(place, contact_[place]);
  }
}

// ------------------------------------------------------------------------------------------------ packing

bool PlainDisks::pack(const View& view, const Contacts& contacts) {
  const Bodies& bodies = view.bodies;
  packed_ = false;
  constexpr std::uint32_t kMostBodies = 1U << 27;  // see DiskBlock::sum_a
  if (!may_pack_ || bodies.beyond_walls() == 0 || bodies.size() >= kMostBodies) return false;
  law_ = view.laws.of_disks(bodies, {bodies.walls, bodies.walls});
  if (!is_plain(law_)) return false;
  const std::vector<std::uint32_t> examples = one_of_each_material(bodies);
  for (const std::uint32_t a : examples) {
    for (const std::uint32_t b : examples) {
      if (!is_plain(view.laws.of_disks(bodies, {a, b}))) return false;
    }
  }
  const Candidates& candidates = contacts.candidates;
  others_.apart.clear();
  others_.bodies_apart.clear();
  others_.at_walls.clear();
  others_.contacts_at_walls.clear();
  others_.touching_walls.clear();
  others_.near_walls.clear();
  contact_.clear();
  std::uint32_t contact = 0;
  for (std::uint32_t pair = 0; pair < candidates.size(); ++pair) {
    const bool touches = contact < contacts.size() && contacts.candidate[contact] == pair;
    const BodyPair& both = candidates.bodies[pair];
    if (bodies.is_wall(both.b)) {
      others_.at_walls.push_back(pair);
      others_.contacts_at_walls.push_back(touches ? contact : kNoContact);
      (touches ? others_.touching_walls : others_.near_walls).push_back(touches ? contact : pair);
    } else if (touches) {
      contact_.push_back(contact);
    } else {
      others_.apart.push_back(pair);
      others_.bodies_apart.insert(others_.bodies_apart.end(), {both.a, both.b});
    }
    if (touches) ++contact;
  }
  count_ = static_cast<std::uint32_t>(contact_.size());
  blocks_.resize((count_ + kInBlock - 1) / kInBlock);
  contact_.resize(kInBlock * blocks_.size(), kNoContact);
  laws_.resize(examples.size() > 1 ? blocks_.size() : 0);
  fresh_.assign(blocks_.size(), 0);
  some_are_fresh_ = false;
  least_mass_ = std::numeric_limits<double>::infinity();
  greatest_square_ = 0.0;
  for (std::uint32_t place = 0; place < contact_.size(); ++place) fill(view, contacts, contact_[place], place);
  sums_.resize(bodies.size());
  others_.no_contacts.assign(others_.near_walls.size(), kNoContact);
  walls_.pack(view, contacts, others_.touching_walls);
  find_shifts(view, contacts);
  shared_.is_listed = false;
  some_are_over_ = false;
  are_computed_ = false;
  are_written_ = false;
  power_.windows.clear();
  power_.stays = false;
  packed_ = true;
  return true;
}

/// @param contact kNoContact: none, in the last block; of a body with itself, which gets no force
void PlainDisks::fill(const View& view, const Contacts& contacts, std::uint32_t contact, std::uint32_t place) {
  const Bodies& bodies = view.bodies;
  DiskBlock& block = blocks_[place / kInBlock];
  const std::uint32_t at = place % kInBlock;
  if (contact == kNoContact) {
    put_nothing(bodies.walls, bodies.walls, at, block);
    if (have_laws()) put_law(law_, at, laws_[place / kInBlock]);
    return;
  }
  const BodyPair& pair = contacts.bodies(contact);
  const ContactHistory& history = contacts.history[contact];
  const PairLaw& law = have_laws() ? view.laws.of_disks(bodies, pair) : law_;
  const double reduced_mass = put_contact(bodies, pair, history, law, at, block);
  least_mass_ = std::min(least_mass_, reduced_mass);
  if (have_laws()) {
    put_law(law, at, laws_[place / kInBlock]);
    greatest_square_ = std::max(greatest_square_, law.stiffness / reduced_mass);
  }
  if (history.is_new) {
    mark_fresh(place, fresh_);
    some_are_fresh_ = true;
  }
}

void PlainDisks::find_shifts(const View& view, const Contacts& contacts) {
  shifts_are_known_ = true;
  shifts_.clear();
  others_.shifts_apart.clear();
  if (walls_.are_packed()) walls_.find_shifts(view, contacts);
  if (!view.proxies.periodic().any()) return;
  shifts_.assign(2 * kInBlock * blocks_.size(), 0.0);
  for_each_contact([&](std::uint32_t place, std::uint32_t contact) {
    put_shift(shift_of(view, contacts.bodies(contact), contacts.image(contact)), place, shifts_);
  });
  for (const std::uint32_t pair : others_.apart) {
    const Vec2 shift = shift_of(view, contacts.candidates.bodies[pair], contacts.candidates.image_of(pair));
    others_.shifts_apart.insert(others_.shifts_apart.end(), {shift.x(), shift.y()});
  }
}

void PlainDisks::unpack(Contacts& contacts) {
  if (!packed_) return;
  for_each_contact([&](std::uint32_t place, std::uint32_t contact) {
    write_history(blocks_[place / kInBlock], place % kInBlock, is_fresh(fresh_, place), contacts.history[contact]);
  });
  walls_.write_histories(contacts);
  packed_ = false;
}

void PlainDisks::write_back(const View& view, Contacts& contacts) {
  if (!packed_ || !are_computed_ || are_written_) return;
  are_written_ = true;
  const Bodies& bodies = view.bodies;
  constexpr std::size_t kBlocks = 64;
  const lanes::BodiesIn in = bodies_for_lanes(bodies);
  double* const geometry = geometry_for_lanes(contacts);
  parallel_for_ranges(blocks_.size(), [&](std::size_t begin, std::size_t end) {
    std::uint32_t uncertain_at[kInBlock * kBlocks];
    for (; begin < end; begin += kBlocks) {
      lanes::Found uncertain{uncertain_at, 0};
      lanes::kernels().plain.geometry(in, blocks_.data(), contact_.data(), static_cast<std::uint32_t>(begin),
                                      static_cast<std::uint32_t>(std::min(begin + kBlocks, end)), geometry, uncertain);
      for (std::uint32_t k = 0; k < uncertain.count; ++k) {
        const std::uint32_t place = uncertain.at[k];
        const DiskBlock& block = blocks_[place / kInBlock];
        const std::uint32_t at = place % kInBlock;
        const std::uint32_t a = body_with_sum(block.sum_a[at]);
        const std::uint32_t b = body_with_sum(block.sum_b[at]);
        ContactGeometry& found = contacts.geometry[contact_[place]];
        found.branch_vector = {block.branch_x[at], block.branch_y[at]};
        found.overlap = overlap_disks(bodies.bounding_radius[a], bodies.bounding_radius[b], found.branch_vector);
        found.depth_ratio = found.overlap.depth / (2.0 * std::min(bodies.radius[a], bodies.radius[b]));
      }
    }
  });
  for_each_contact([&](std::uint32_t place, std::uint32_t contact) {
    const DiskBlock& block = blocks_[place / kInBlock];
    const std::uint32_t at = place % kInBlock;
    write_history(block, at, is_fresh(fresh_, place), contacts.history[contact]);
    const double stiffness = have_laws() ? laws_[place / kInBlock].stiffness[at] : law_.stiffness;
    const double tangential_stiffness =
        have_laws() ? laws_[place / kInBlock].tangential_stiffness[at] : law_.tangential_stiffness;
    write_force(block, at, point_of(block, at), stiffness, tangential_stiffness, contacts.force[contact],
                contacts.parts[contact]);
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
  for_each_contact([&](std::uint32_t, std::uint32_t contact) { find_turning(contact); });
  if (walls_.are_packed()) std::ranges::for_each(others_.touching_walls, find_turning);
  contacts.list_by_body(bodies.size(), bodies.walls);
}

std::vector<ContactElement> PlainDisks::elements(const View& view, const Contacts& contacts) const {
  const Bodies& bodies = view.bodies;
  std::vector<ContactElement> elements;
  elements.reserve(2 * contacts.size());
  std::uint32_t wall = 0;  // in the order of contacts, as their sums are
  const auto add_walls_before = [&](std::uint32_t contact) {
    for (; wall < others_.touching_walls.size() && others_.touching_walls[wall] < contact; ++wall) {
      const ContactSprings springs =
          walls_.are_packed() ? walls_.springs(wall) : springs_of(bodies, contacts, others_.touching_walls[wall]);
      add_elements(bodies, view.laws.of_disks(bodies, springs.bodies), springs, elements);
    }
  };
  for_each_contact([&](std::uint32_t place, std::uint32_t contact) {
    add_walls_before(contact);
    const DiskBlock& block = blocks_[place / kInBlock];
    const std::uint32_t at = place % kInBlock;
    const double stiffness = have_laws() ? laws_[place / kInBlock].stiffness[at] : law_.stiffness;
    const ContactSprings springs = springs_of(block, at, point_of(block, at), stiffness);
    add_elements(bodies, have_laws() ? view.laws.of_disks(bodies, springs.bodies) : law_, springs, elements);
  });
  add_walls_before(static_cast<std::uint32_t>(contacts.size()));
  return elements;
}

void PlainDisks::write_pushes(Contacts& contacts) const {
  if (walls_.are_packed()) walls_.write_forces(contacts);
  parallel_for_ranges(blocks_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      const DiskBlock& block = blocks_[g];
      for (std::uint32_t at = 0; at < kInBlock; ++at) {
        const std::uint32_t contact = contact_[kInBlock * g + at];
        if (contact == kNoContact) continue;
        const Vec2 normal(block.normal_x[at], block.normal_y[at]);
        contacts.geometry[contact].branch_vector = {block.branch_x[at], block.branch_y[at]};
        contacts.force[contact].on_b = block.normal[at] * normal + block.tangential[at] * perp(normal);
      }
    }
  });
}

// --------------------------------------------------------------------------------------------------- a step

void PlainDisks::begin_step(const View& view, Contacts& contacts) {
  if (some_are_over_) unpack(contacts);
  if (!packed_) return contacts.age();
  power_.stays = true;
  if (some_are_fresh_) std::ranges::fill(fresh_, std::uint8_t{0});
  some_are_fresh_ = false;
  walls_.age();
  if (!shifts_are_known_) find_shifts(view, contacts);
  sums_.resize(view.bodies.size());
}

void PlainDisks::measure_walls(const View& view, Contacts& contacts) {
  if (!walls_.are_packed() || walls_.measure(view)) return;
  walls_.write_histories(contacts);
  walls_.forget();
}

void PlainDisks::write_walls(const View& view, Contacts& contacts) const {
  if (walls_.are_packed()) walls_.write_geometry(view, contacts);
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
  power_.swept.reset();
  add_forces_of_walls(contacts);
  if (walls_.are_packed()) walls_.compute(view, energy.per_coarse, sums(), heat_);
}

/// @param odd places that the kernel found, in any order
bool PlainDisks::finish(const View& view, std::vector<std::uint32_t>& odd, Contacts& contacts) {
  std::ranges::sort(odd);
  const double max_square = view.laws.max_omega_dt() * view.laws.max_omega_dt();
  constexpr double kNearly = 1.0 - 1e-12;  // for rounding: a guard looks again
  const bool some_are_stiff = have_laws() ? greatest_square_ * view.dt * view.dt > kNearly * max_square
                                          : count_ > 0 && law_.stiffness * view.dt * view.dt / least_mass_ > max_square;
  const bool walls_are_stiff = walls_.are_packed() && walls_.are_stiff(view.dt, kNearly * max_square);
  return look_at(odd, contacts) || some_are_stiff || walls_are_stiff;
}

bool PlainDisks::compute(const View& view, const Quanta& energy, Contacts& contacts) {
  constexpr std::size_t kFewest = 256;  // blocks that several threads share
  begin_forces(view, energy, contacts);
  const lanes::PlainLaw now = law(view.dt);
  const lanes::BodiesIn in = bodies_for_lanes(view.bodies);
  const bool are_shared = blocks_.size() >= kFewest && Threads::are_several();
  if (are_shared) {
    if (!shared_.is_listed) list_by_body(view.bodies);
    shared_.forces.resize(4 * kInBlock * blocks_.size());
  }
  const lanes::DiskBlocks all = blocks();
  const auto kernel = (are_shared ? lanes::kernels().plain.forces_apart : lanes::kernels().plain.forces)[have_laws()];
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

void PlainDisks::find_windows(const Bodies& bodies) {
  power_.windows.assign((blocks_.size() + kWindow - 1) / kWindow, {bodies.size(), 0});
  std::uint32_t first = bodies.size();
  for (std::size_t window = power_.windows.size(); window-- > 0;) {
    const std::size_t begin = window * kWindow;
    for (std::size_t g = begin; g < std::min(begin + kWindow, blocks_.size()); ++g) {
      for (std::uint32_t at = 0; at < kInBlock; ++at) {
        if (contact_[kInBlock * g + at] == kNoContact) continue;
        const DiskBlock& block = blocks_[g];
        const auto [a, b] = std::minmax({body_with_sum(block.sum_a[at]), body_with_sum(block.sum_b[at])});
        first = std::min(first, a);
        power_.windows[window].last = std::max(power_.windows[window].last, b);
      }
    }
    power_.windows[window].first = first;
  }
}

bool PlainDisks::sweep(const View& view, const PowerQuanta& quanta, const Correct& correct, Contacts& contacts) {
  begin_forces(view, quanta.energy, contacts);
  power_.swept.emplace();
  if (power_.windows.empty()) find_windows(view.bodies);
  const lanes::PlainLaw now = law(view.dt);
  const lanes::BodiesIn in = bodies_for_lanes(view.bodies);
  const lanes::DiskBlocks all = blocks();
  const lanes::Kernels::Plain& kernels = lanes::kernels().plain;
  const auto end_of = [&](std::size_t window) {
    return static_cast<std::uint32_t>(std::min((window + 1) * kWindow, blocks_.size()));
  };
  std::vector<std::uint32_t> odd;
  bool alarm = false;
  std::uint32_t corrected = view.bodies.walls;  // bodies before this one
  std::size_t added = 0;                        // windows whose power is added
  for (std::size_t window = 0; window <= power_.windows.size(); ++window) {
    const bool is_over = window == power_.windows.size();
    const std::uint32_t summed = is_over ? view.bodies.size() : power_.windows[window].first;
    if (corrected < summed) alarm |= correct(corrected, summed);
    corrected = std::max(corrected, summed);
    for (; added < window && power_.windows[added].last < corrected; ++added) {
      const auto begin = static_cast<std::uint32_t>(added * kWindow);
      kernels.power[have_laws()](in, now, all, begin, end_of(added), quanta.power.per_coarse, power_.swept->contacts);
    }
    if (is_over) break;
    std::uint32_t odd_at[kInBlock * kWindow];
    lanes::Found found{odd_at, 0};
    kernels.forces[have_laws()](in, now, all, static_cast<std::uint32_t>(window * kWindow), end_of(window),
                                quanta.energy.per_coarse, heat_, found);
    odd.insert(odd.end(), found.at, found.at + found.count);
  }
  return finish(view, odd, contacts) || alarm;
}

/// Contacts that the kernel found odd: those of bodies that are apart end. @return whether others are too deep
bool PlainDisks::look_at(std::span<const std::uint32_t> odd, Contacts& contacts) {
  std::vector<std::uint32_t> over;
  bool some_are_deep = false;
  for (const std::uint32_t place : odd) {
    if (contact_[place] == kNoContact) continue;
    if (blocks_[place / kInBlock].depth[place % kInBlock] == 0.0) {  // as the kernel has it
      over.push_back(place);
    } else {
      some_are_deep = true;
    }
  }
  if (!over.empty()) end(over, contacts);
  return some_are_deep;
}

/// @param over places, ascending
void PlainDisks::end(std::span<const std::uint32_t> over, Contacts& contacts) {
  std::vector<std::uint32_t> ended;
  for (const std::uint32_t place : over) {
    write_history(blocks_[place / kInBlock], place % kInBlock, is_fresh(fresh_, place),
                  contacts.history[contact_[place]]);
    ended.push_back(contact_[place]);
    contact_[place] = kNoContact;
  }
  contacts.end(ended);
  for (std::vector<std::uint32_t>* const contacts_of :
       {&contact_, &others_.contacts_at_walls, &others_.touching_walls}) {
    follow(ended, *contacts_of);
  }
  walls_.follow(ended);
  some_are_over_ = true;
}

/// For several threads. In the order of partners: as b, then as a.
void PlainDisks::list_by_body(const Bodies& bodies) {
  shared_.is_listed = true;
  shared_.first.assign(bodies.size() + std::size_t{2}, 0);
  const auto body_of = [&](std::uint32_t place, bool as_b) {
    const DiskBlock& block = blocks_[place / kInBlock];
    return body_with_sum((as_b ? block.sum_b : block.sum_a)[place % kInBlock]);
  };
  for (std::uint32_t place = 0; place < count_; ++place) {
    ++shared_.first[body_of(place, false) + std::size_t{2}];
    ++shared_.first[body_of(place, true) + std::size_t{2}];
  }
  for (std::size_t k = 2; k < shared_.first.size(); ++k) shared_.first[k] += shared_.first[k - 1];
  shared_.incidences.resize(shared_.first.back());
  for (const bool as_b : {true, false}) {
    for (std::uint32_t place = 0; place < count_; ++place) {
      shared_.incidences[shared_.first[body_of(place, as_b) + std::size_t{1}]++] = 2 * place + (as_b ? 1U : 0U);
    }
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
  const lanes::PlainLaw now = law(view.dt);
  const lanes::BodiesIn in = bodies_for_lanes(view.bodies);
  const lanes::DiskBlocks in_blocks = blocks();
  const auto add_all = [&] {
    return ordered_sum(blocks_.size(), power_.parts, [&](std::size_t begin, std::size_t end) {
      PowerTally part;
      lanes::kernels().plain.power[have_laws()](in, now, in_blocks, static_cast<std::uint32_t>(begin),
                                                static_cast<std::uint32_t>(end), power.per_coarse, part.contacts);
      return part;
    });
  };
  PowerTally all = power_.swept ? *power_.swept : add_all();
  if (walls_.are_packed()) walls_.add_power(view, power.per_coarse, all.contacts);
  all.contacts.friction_heat += heat_;
  PowerTally before;
  before.contacts = sums;
  before += all;
  sums = before.contacts;
}

}  // namespace scree::soft
