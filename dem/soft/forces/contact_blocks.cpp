#include "dem/soft/forces/contact_blocks.hpp"

#include <algorithm>
#include <limits>

#include "broadphase/lengthen.hpp"
#include "dem/soft/forces/overlap_limits.hpp"
#include "dem/soft/lanes/views.hpp"

namespace scree::soft {

using lanes::DiskBlock;
using lanes::kNoContact;

void ContactBlocks::pack(const PlainView& view, const Contacts& contacts, std::span<const std::uint32_t> some,
                         const PairLaw& law, bool has_laws) {
  law_ = law;
  has_laws_ = has_laws;
  const std::size_t count = (some.size() + kInBlock - 1) / kInBlock;
  has_shifts_ = false;
  laws_.clear();
  fresh_.clear();
  contact_.clear();
  resize(count);
  some_are_fresh_ = false;
  gaps_ = contact_.size();
  left_.clear();
  windows_.clear();
  least_mass_ = std::numeric_limits<double>::infinity();
  greatest_square_ = 0.0;
  const auto used = static_cast<std::uint32_t>(some.size());
  for (std::uint32_t place = 0; place < used; ++place) put(view, contacts, some[place], place);
  fill_with_gaps(used, view.bodies.walls);
  find_shifts(view, contacts);
}

void ContactBlocks::put(const PlainView& view, const Contacts& contacts, std::uint32_t contact, std::uint32_t place) {
  const BodyPair& pair = contacts.bodies(contact);
  const ContactHistory& history = contacts.history[contact];
  const PairLaw& law = law_of(view, pair);
  const std::uint32_t at = place % kInBlock;
  const double reduced_mass = put_contact(view.bodies, pair, history, law, at, blocks_[place / kInBlock]);
  least_mass_ = std::min(least_mass_, reduced_mass);
  greatest_square_ = std::max(greatest_square_, law.stiffness / reduced_mass);
  if (has_laws_) put_law(law, at, laws_[place / kInBlock]);
  set_fresh(place, history.is_new, fresh_);
  some_are_fresh_ |= history.is_new;
  if (has_shifts_) put_shift(shift_of(view, pair, contacts.image(contact)), place, shifts_);
  contact_[place] = contact;
  ++arrangement_;
  --gaps_;
  if (!windows_.empty()) add_to_window(place);
}

void ContactBlocks::age() {
  if (some_are_fresh_) std::ranges::fill(fresh_, std::uint8_t{0});
  some_are_fresh_ = false;
}

void ContactBlocks::find_shifts(const PlainView& view, const Contacts& contacts) {
  has_shifts_ = view.proxies.periodic().any();
  if (!has_shifts_) return;
  shifts_.assign(2 * contact_.size(), 0.0);
  for_each([&](std::uint32_t place, std::uint32_t contact) {
    put_shift(shift_of(view, contacts.bodies(contact), contacts.image(contact)), place, shifts_);
  });
}

lanes::PlainLaw ContactBlocks::law(double dt) const {
  return {law_.stiffness, law_.friction, law_.dynamic_friction, law_.tangential_stiffness, dt, kMaxDepthRatio};
}

bool ContactBlocks::are_stiff(double dt, double max_square) const {
  if (has_laws_) return greatest_square_ * dt * dt > kNearly * max_square;
  return law_.stiffness * dt * dt / least_mass_ > max_square;
}

lanes::DiskBlocks ContactBlocks::for_lanes(double* sums, double* forces) {
  return {blocks_.data(), fetched(blocks_.size(), sizeof(DiskBlock)),
          laws_.data(),   has_shifts_ ? shifts_.data() : nullptr,
          fresh_.data(),  sums,
          forces};
}

// ----------------------------------------------------------------------------------------------- changes

std::uint32_t ContactBlocks::place_of(std::uint32_t contact, std::uint32_t from) const {
  return static_cast<std::uint32_t>(std::find(contact_.begin() + from, contact_.end(), contact) - contact_.begin());
}

void ContactBlocks::leave(std::uint32_t place) {
  contact_[place] = kNoContact;
  ++gaps_;
  left_.push_back(place);
}

/// No force at a place from now on. It keeps a body, so that its memory is at hand.
void ContactBlocks::put_gap(std::uint32_t place) {
  const std::uint32_t body = body_with_sum(of(place).sum_a[place % kInBlock]);
  put_nothing(body, body, place % kInBlock, blocks_[place / kInBlock]);
  set_fresh(place, false, fresh_);
}

void ContactBlocks::close() {
  for (const std::uint32_t place : left_) put_gap(place);
  left_.clear();
  constexpr std::size_t kFew = 64;
  if (gaps_ > kFew + contact_.size() / 4) close_up();
}

/// No gaps but in the last block.
void ContactBlocks::close_up() {
  std::uint32_t used = 0;
  for (std::uint32_t place = 0; place < contact_.size(); ++place) {
    if (contact_[place] == kNoContact) continue;
    if (place != used) move(place, used);
    ++used;
  }
  resize((used + kInBlock - 1) / kInBlock);
  gaps_ = contact_.size() - used;
  for (std::uint32_t place = used; place < contact_.size(); ++place) put_gap(place);
  windows_.clear();
}

/// The same distance between all gaps. @param gaps at least so many  @param body some particle
void ContactBlocks::spread(std::size_t gaps, std::uint32_t body) {
  close_up();
  const std::size_t old_size = contact_.size();
  const std::size_t used = old_size - gaps_;
  resize((used + gaps + kInBlock - 1) / kInBlock);
  fill_with_gaps(old_size, body);
  gaps_ = contact_.size() - used;
  for (std::size_t k = used; k-- > 0;) {
    const std::size_t place = k * contact_.size() / used;
    if (place == k) break;  // nor do those before
    move(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(place));
    put_gap(static_cast<std::uint32_t>(k));
  }
}

void ContactBlocks::resize(std::size_t blocks) {
  lengthen(blocks_, blocks);
  if (has_laws_) lengthen(laws_, blocks);
  if (has_shifts_) lengthen(shifts_, 2 * kInBlock * blocks, 0.0);
  lengthen(fresh_, blocks, std::uint8_t{0});
  lengthen(contact_, kInBlock * blocks, kNoContact);
}

/// What a place has from step to step goes to a gap. It is one then, to be closed or filled.
void ContactBlocks::move(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t at = from % kInBlock;
  const std::uint32_t there = to % kInBlock;
  DiskBlock& source = blocks_[from / kInBlock];
  DiskBlock& target = blocks_[to / kInBlock];
  copy_contact(source, at, target, there);
  if (has_laws_) copy_law(laws_[from / kInBlock], at, laws_[to / kInBlock], there);
  if (has_shifts_) put_shift(shift_at(from, shifts_), to, shifts_);
  set_fresh(to, is_new(from), fresh_);
  contact_[to] = contact_[from];
  contact_[from] = kNoContact;
  ++arrangement_;
  constexpr std::size_t kPlaces = kInBlock * kWindow;
  if (from / kPlaces != to / kPlaces && !windows_.empty()) add_to_window(to);
}

void ContactBlocks::insert(const PlainView& view, const Contacts& contacts, std::span<const std::uint32_t> begun) {
  constexpr std::size_t kContacts = 128;  // about so many between two gaps
  if (gaps_ < begun.size() + contact_.size() / (2 * kContacts)) {
    spread(begun.size() + contact_.size() / kContacts, view.bodies.walls);
  }
  std::vector<std::uint32_t> before;  // the place of the contact that follows each
  for (std::uint32_t place = 0; place < contact_.size(); ++place) {
    if (contact_[place] == kNoContact) continue;
    while (before.size() < begun.size() && begun[before.size()] <= contact_[place] + before.size())
      before.push_back(place);
    contact_[place] += static_cast<std::uint32_t>(before.size());
  }
  before.resize(begun.size(), static_cast<std::uint32_t>(contact_.size()));
  for (std::size_t k = begun.size(); k-- > 0;) {
    if (view.bodies.is_wall(contacts.bodies(begun[k]).b)) continue;
    put(view, contacts, begun[k], make_room(before[k], std::span(before).first(k)));
  }
}

/// Moves contacts between a place and the nearest gap. @param earlier places not after that one, which follow
/// @return a gap there  @pre there is one
std::uint32_t ContactBlocks::make_room(std::uint32_t before, std::span<std::uint32_t> earlier) {
  const auto size = static_cast<std::uint32_t>(contact_.size());
  for (std::uint32_t distance = 0; distance < size; ++distance) {
    if (distance < before && contact_[before - 1 - distance] == kNoContact) {
      const std::uint32_t gap = before - 1 - distance;
      for (std::uint32_t place = gap; place + 1 < before; ++place) move(place + 1, place);
      for (std::uint32_t& place : earlier) place -= place > gap ? 1 : 0;
      return before - 1;
    }
    if (before + distance < size && contact_[before + distance] == kNoContact) {
      for (std::uint32_t place = before + distance; place > before; --place) move(place - 1, place);
      return before;
    }
  }
  return size;
}

/// Places from this one to the end. @param body some particle
void ContactBlocks::fill_with_gaps(std::size_t first, std::uint32_t body) {
  for (std::size_t place = first; place < contact_.size(); ++place) {
    put_nothing(body, body, place % kInBlock, blocks_[place / kInBlock]);
    if (has_laws_) put_law(law_, place % kInBlock, laws_[place / kInBlock]);
  }
}

// ----------------------------------------------------------------------------------------------- windows

std::span<const ContactBlocks::Window> ContactBlocks::windows() {
  if (windows_.empty()) {
    windows_.reserve(blocks_.size() / kWindow + 1);
    for_each([&](std::uint32_t place, std::uint32_t) { add_to_window(place); });
  }
  return windows_;
}

void ContactBlocks::add_to_window(std::uint32_t place) {
  const std::size_t window = place / (kInBlock * kWindow);
  while (windows_.size() <= window) windows_.push_back({std::numeric_limits<std::uint32_t>::max(), 0});
  const std::uint32_t at = place % kInBlock;
  const DiskBlock& block = of(place);
  const auto [a, b] = std::minmax({body_with_sum(block.sum_a[at]), body_with_sum(block.sum_b[at])});
  windows_[window].last = std::max(windows_[window].last, b);
  for (std::size_t k = window + 1; k-- > 0 && windows_[k].first > a;) windows_[k].first = a;
}

}  // namespace scree::soft
