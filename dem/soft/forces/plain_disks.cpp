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

constexpr std::uint32_t kInBlock = DiskBlock::kContacts;
constexpr std::uint32_t kOffset = sizeof(double);  // see DiskBlock::a

/// From b to its image, as Proxies::branch_vector() has it.
Vec2 shift_of(const PlainDisks::View& view, const BodyPair& pair, const Image& image) {
  const Image between = Proxies::image_between(view.bodies, pair.a, pair.b, image);
  const Vec2& period = view.proxies.periodic().period();
  return {between[0] * period.x(), between[1] * period.y()};
}

void put_law(const PairLaw& law, std::uint32_t at, lanes::BlockLaw& block) {
  block.stiffness[at] = law.stiffness;
  block.friction[at] = law.friction;
  block.dynamic_friction[at] = law.dynamic_friction;
  block.tangential_stiffness[at] = law.tangential_stiffness;
}

/// A particle of each material that there is.
std::vector<std::uint32_t> one_of_each_material(const Bodies& bodies) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    const auto is_like = [&](std::uint32_t other) { return bodies.material[other] == bodies.material[body]; };
    if (std::ranges::none_of(found, is_like)) found.push_back(body);
  }
  return found;
}

/// Whether a contact with this law needs no more than a block has.
bool is_plain(const PairLaw& law) {
  return !(law.rolling_friction > 0.0) && !(law.cohesion > 0.0) && !law.is_ghost;
}

}  // namespace

lanes::PlainLaw PlainDisks::law(double dt) const {
  return {law_.stiffness, law_.friction, law_.dynamic_friction, law_.tangential_stiffness, dt, kMaxDepthRatio};
}

lanes::DiskBlocks PlainDisks::blocks() {
  return {blocks_.data(), laws_.data(), shifts_.empty() ? nullptr : shifts_.data(),
          fresh_.data(),  sums_.data(), shared_.forces.data()};
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
  if (!may_pack_ || bodies.beyond_walls() == 0) return false;
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
  contact_.clear();
  std::uint32_t contact = 0;
  for (std::uint32_t pair = 0; pair < candidates.size(); ++pair) {
    const bool touches = contact < contacts.size() && contacts.candidate[contact] == pair;
    const BodyPair& both = candidates.bodies[pair];
    if (bodies.is_wall(both.b)) {
      others_.at_walls.push_back(pair);
      others_.contacts_at_walls.push_back(touches ? contact : kNoContact);
      if (touches) others_.touching_walls.push_back(contact);
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
  sums_.resize(4 * std::size_t{bodies.size()}, 0.0);
  find_shifts(view, contacts);
  shared_.is_listed = false;
  some_are_over_ = false;
  are_computed_ = false;
  are_written_ = false;
  packed_ = true;
  return true;
}

/// @param contact kNoContact: none, in the last block; of a body with itself, which gets no force
void PlainDisks::fill(const View& view, const Contacts& contacts, std::uint32_t contact, std::uint32_t place) {
  const Bodies& bodies = view.bodies;
  DiskBlock& block = blocks_[place / kInBlock];
  const std::uint32_t at = place % kInBlock;
  if (contact == kNoContact) {
    block.a[at] = block.b[at] = kOffset * bodies.walls;
    block.twice_smaller[at] = 1.0;
    for (double* const number : {block.radius_a, block.sum_of_radii, block.dashpot, block.tangential_dashpot,
                                 block.displacement, block.tangential_velocity, block.depth_ratio}) {
      number[at] = 0.0;
    }
    if (have_laws()) put_law(law_, at, laws_[place / kInBlock]);
    return;
  }
  const auto [a, b] = contacts.bodies(contact);
  const ContactHistory& history = contacts.history[contact];
  const double reduced_mass = 1.0 / (bodies.inverse_mass[a] + bodies.inverse_mass[b]);
  least_mass_ = std::min(least_mass_, reduced_mass);
  const PairLaw& law = have_laws() ? view.laws.of_disks(bodies, {a, b}) : law_;
  if (have_laws()) {
    put_law(law, at, laws_[place / kInBlock]);
    greatest_square_ = std::max(greatest_square_, law.stiffness / reduced_mass);
  }
  block.a[at] = kOffset * a;
  block.b[at] = kOffset * b;
  block.radius_a[at] = bodies.bounding_radius[a];
  block.sum_of_radii[at] = bodies.bounding_radius[a] + bodies.bounding_radius[b];
  block.twice_smaller[at] = 2.0 * std::min(bodies.radius[a], bodies.radius[b]);
  block.dashpot[at] = 2.0 * law.damping_ratio * std::sqrt(reduced_mass * law.stiffness);
  block.tangential_dashpot[at] =
      2.0 * law.tangential_damping_ratio * std::sqrt(reduced_mass * law.tangential_stiffness);
  block.displacement[at] = history.tangential_displacement;
  block.tangential_velocity[at] = history.tangential_velocity;
  block.depth_ratio[at] = std::copysign(history.max_depth_ratio, history.sliding ? -1.0 : 1.0);
  if (history.is_new) {
    fresh_[place / kInBlock] = static_cast<std::uint8_t>(fresh_[place / kInBlock] | 1U << at);
    some_are_fresh_ = true;
  }
}

void PlainDisks::find_shifts(const View& view, const Contacts& contacts) {
  shifts_are_known_ = true;
  shifts_.clear();
  others_.shifts_apart.clear();
  if (!view.proxies.periodic().any()) return;
  shifts_.assign(2 * kInBlock * blocks_.size(), 0.0);
  for_each_contact([&](std::uint32_t place, std::uint32_t contact) {
    const Vec2 shift = shift_of(view, contacts.bodies(contact), contacts.image(contact));
    double* const of_block = shifts_.data() + 2 * kInBlock * std::size_t{place / kInBlock};
    of_block[place % kInBlock] = shift.x();
    of_block[kInBlock + place % kInBlock] = shift.y();
  });
  for (const std::uint32_t pair : others_.apart) {
    const Vec2 shift = shift_of(view, contacts.candidates.bodies[pair], contacts.candidates.image_of(pair));
    others_.shifts_apart.insert(others_.shifts_apart.end(), {shift.x(), shift.y()});
  }
}

// What is 0 without rolling resistance stays as it was.
void PlainDisks::write_history(std::uint32_t place, Contacts& contacts) const {
  const DiskBlock& block = blocks_[place / kInBlock];
  const std::uint32_t at = place % kInBlock;
  ContactHistory& history = contacts.history[contact_[place]];
  history.tangential_displacement = block.displacement[at];
  history.tangential_velocity = block.tangential_velocity[at];
  history.max_depth_ratio = std::abs(block.depth_ratio[at]);
  history.sliding = std::signbit(block.depth_ratio[at]);
  history.is_new = (fresh_[place / kInBlock] >> at & 1U) != 0;
}

void PlainDisks::unpack(Contacts& contacts) {
  if (!packed_) return;
  for_each_contact([&](std::uint32_t place, std::uint32_t) { write_history(place, contacts); });
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
      lanes::kernels().plain_geometry(in, blocks_.data(), contact_.data(), static_cast<std::uint32_t>(begin),
                                      static_cast<std::uint32_t>(std::min(begin + kBlocks, end)), geometry, uncertain);
      for (std::uint32_t k = 0; k < uncertain.count; ++k) {
        const std::uint32_t place = uncertain.at[k];
        const DiskBlock& block = blocks_[place / kInBlock];
        const std::uint32_t at = place % kInBlock;
        const std::uint32_t a = block.a[at] / kOffset;
        const std::uint32_t b = block.b[at] / kOffset;
        ContactGeometry& found = contacts.geometry[contact_[place]];
        found.branch_vector = {block.branch_x[at], block.branch_y[at]};
        found.overlap = overlap_disks(bodies.bounding_radius[a], bodies.bounding_radius[b], found.branch_vector);
        found.depth_ratio = found.overlap.depth / (2.0 * std::min(bodies.radius[a], bodies.radius[b]));
      }
    }
  });
  for_each_contact([&](std::uint32_t place, std::uint32_t contact) {
    write_history(place, contacts);
    write_force(place, contacts);
    const auto [a, b] = contacts.bodies(contact);
    contacts.history[contact].relative_angular_velocity = bodies.velocity[b].z() - bodies.velocity[a].z();
  });
  contacts.list_by_body(bodies.size(), bodies.walls);
}

void PlainDisks::write_pushes(Contacts& contacts) const {
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

/// See the kernel of the contact forces (lanes/forces.hpp).
void PlainDisks::write_force(std::uint32_t place, Contacts& contacts) const {
  const DiskBlock& block = blocks_[place / kInBlock];
  const std::uint32_t at = place % kInBlock;
  const Vec2 normal(block.normal_x[at], block.normal_y[at]);
  const Vec2 branch(block.branch_x[at], block.branch_y[at]);
  const double pushed = block.normal[at];
  const double rubbed = block.tangential[at];
  const double stiffness = have_laws() ? laws_[place / kInBlock].stiffness[at] : law_.stiffness;
  const double tangential_stiffness =
      have_laws() ? laws_[place / kInBlock].tangential_stiffness[at] : law_.tangential_stiffness;
  const double spring = stiffness * block.depth[at];
  ContactForce& force = contacts.force[contact_[place]];
  force.point = (block.radius_a[at] - 0.5 * block.depth[at]) * normal;
  force.on_b = pushed * normal + rubbed * perp(normal);
  force.torque = {-cross(force.point, force.on_b), cross(force.point - branch, force.on_b)};
  force.normal = pushed;
  force.tangential = rubbed;
  ForceParts& parts = contacts.parts[contact_[place]];
  parts.spring = pushed == 0.0 ? 0.0 : spring;
  parts.spring_arm = 0.0;
  parts.non_conservative = spring - parts.spring;
  parts.stiffness = stiffness;
  parts.friction_dashpot = rubbed + tangential_stiffness * block.displacement[at];
  parts.friction_heat = block.heat[at];
}

// --------------------------------------------------------------------------------------------------- a step

void PlainDisks::begin_step(const View& view, Contacts& contacts) {
  if (some_are_over_) unpack(contacts);
  if (!packed_) return contacts.age();
  if (some_are_fresh_) std::ranges::fill(fresh_, std::uint8_t{0});
  some_are_fresh_ = false;
  if (!shifts_are_known_) find_shifts(view, contacts);
  sums_.resize(4 * std::size_t{view.bodies.size()}, 0.0);
}

void PlainDisks::add_forces_of_walls(const Contacts& contacts) {
  for (const std::uint32_t contact : others_.touching_walls) {
    const ContactForce& force = contacts.force[contact];
    double* const sum = sums_.data() + 4 * std::size_t{contacts.bodies(contact).a};
    sum[0] -= force.on_b.x();
    sum[1] -= force.on_b.y();
    sum[2] += force.torque[0];
  }
}

bool PlainDisks::compute(const View& view, const Quanta& energy, Contacts& contacts) {
  constexpr std::size_t kBlocks = 64;
  constexpr std::size_t kFewest = 256;  // blocks that several threads share
  are_computed_ = true;
  are_written_ = false;
  heat_ = {};
  add_forces_of_walls(contacts);
  const lanes::PlainLaw now = law(view.dt);
  const lanes::BodiesIn in = bodies_for_lanes(view.bodies);
  const bool are_shared = blocks_.size() >= kFewest && Threads::are_several();
  if (are_shared) {
    if (!shared_.is_listed) list_by_body(view.bodies);
    shared_.forces.resize(4 * kInBlock * blocks_.size());
  }
  const lanes::DiskBlocks all = blocks();
  const auto kernel = (are_shared ? lanes::kernels().plain_forces_apart : lanes::kernels().plain_forces)[have_laws()];
  std::mutex mutex;
  std::vector<std::uint32_t> odd;
  const auto compute_range = [&](std::size_t begin, std::size_t end) {
    std::uint32_t odd_at[kInBlock * kBlocks];
    WholeSum heat;
    for (; begin < end; begin += kBlocks) {
      lanes::Found found{odd_at, 0};
      kernel(in, now, all, static_cast<std::uint32_t>(begin),
             static_cast<std::uint32_t>(std::min(begin + kBlocks, end)), energy.per_coarse, heat, found);
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
  std::ranges::sort(odd);
  const double max_square = view.laws.max_omega_dt() * view.laws.max_omega_dt();
  constexpr double kNearly = 1.0 - 1e-12;  // for rounding: a guard looks again
  const bool some_are_stiff = have_laws() ? greatest_square_ * view.dt * view.dt > kNearly * max_square
                                          : count_ > 0 && law_.stiffness * view.dt * view.dt / least_mass_ > max_square;
  return look_at(odd, contacts) || some_are_stiff;
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
    write_history(place, contacts);
    ended.push_back(contact_[place]);
    contact_[place] = kNoContact;
  }
  contacts.end(ended);
  const auto follow = [&](std::vector<std::uint32_t>& all) {
    std::uint32_t before = 0;
    for (std::uint32_t& contact : all) {
      if (contact == kNoContact) continue;
      while (before < ended.size() && ended[before] < contact) ++before;
      contact -= before;
    }
  };
  follow(contact_);
  follow(others_.contacts_at_walls);
  follow(others_.touching_walls);
  some_are_over_ = true;
}

/// For several threads. In the order of partners: as b, then as a.
void PlainDisks::list_by_body(const Bodies& bodies) {
  shared_.is_listed = true;
  shared_.first.assign(bodies.size() + std::size_t{2}, 0);
  const auto body_of = [&](std::uint32_t place, bool as_b) {
    const DiskBlock& block = blocks_[place / kInBlock];
    return (as_b ? block.b : block.a)[place % kInBlock] / kOffset;
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
      double* const sum = sums_.data() + 4 * body;
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
  PowerTally all = ordered_sum(blocks_.size(), parts_, [&](std::size_t begin, std::size_t end) {
    PowerTally part;
    lanes::kernels().plain_power[have_laws()](in, now, in_blocks, static_cast<std::uint32_t>(begin),
                                              static_cast<std::uint32_t>(end), power.per_coarse, part.contacts);
    return part;
  });
  all.contacts.friction_heat += heat_;
  PowerTally before;
  before.contacts = sums;
  before += all;
  sums = before.contacts;
}

}  // namespace scree::soft
