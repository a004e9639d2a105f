#include "dem/soft/contact/contacts.hpp"

#include <algorithm>
#include <utility>

#include "broadphase/lengthen.hpp"
#include "dem/archive.hpp"
#include "dem/proxies.hpp"
#include "dem/trim.hpp"

namespace scree::soft {

namespace {

constexpr std::uint32_t kGone = 0xffffffff;

template <class T>
void append_range(std::vector<T>& to, const std::vector<T>& from, std::size_t begin, std::size_t end) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
            from.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

template <class Do>
void Candidates::for_each_property(bool with_images, const Do& act) {
  act(bodies);
  if (with_images) act(image);
  act(hint);
  act(boxes);
  act(kind);
}

void Candidates::append(const Candidates& other, std::size_t begin, std::size_t end) {
  if (!other.image.empty()) {
    image.resize(size(), {0, 0});
    append_range(image, other.image, begin, end);
  } else if (!image.empty()) {
    image.resize(size() + end - begin, {0, 0});
  }
  append_range(bodies, other.bodies, begin, end);
  append_range(hint, other.hint, begin, end);
  append_range(boxes, other.boxes, begin, end);
  append_range(kind, other.kind, begin, end);
}

void Candidates::remove(std::span<const std::uint32_t> places) {
  if (places.empty()) return;
  for_each_property(!image.empty(), [&](auto& property) {
    auto to = property.begin() + places.front();
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto end = k + 1 < places.size() ? property.begin() + places[k + 1] : property.end();
      to = std::move(property.begin() + places[k] + 1, end, to);
    }
    property.erase(to, property.end());
  });
}

void Candidates::insert(std::span<const New> pairs) {
  if (pairs.empty()) return;
  const std::size_t old_size = size();
  const bool with_images = !image.empty() || std::ranges::any_of(pairs, [](const New& pair) {
    return pair.image != Image{0, 0};
  });
  if (with_images) image.resize(old_size, {0, 0});
  for_each_property(with_images, [&](auto& property) {
    lengthen(property, old_size + pairs.size());
    // From the back, so that every entry moves once.
    auto end = property.begin() + static_cast<std::ptrdiff_t>(old_size);
    for (std::size_t k = pairs.size(); k-- > 0;) {
      const auto begin = property.begin() + pairs[k].place;
      std::move_backward(begin, end, end + static_cast<std::ptrdiff_t>(k + 1));
      end = begin;
    }
  });
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::size_t place = pairs[k].place + k;
    bodies[place] = pairs[k].bodies;
    if (with_images) image[place] = pairs[k].image;
    hint[place] = shortened({});
    boxes[place] = pairs[k].boxes;
    kind[place] = kUnsorted;
  }
}

template <class Do>
void Contacts::for_each_content(const Do& act) {
  act(history);
  act(axes);
  if (regions_are_kept_) act(region);
  act(force);
  act(parts);
  if (!rolling.empty()) act(rolling);
}

/// What a place has goes to another one.
void Contacts::move(std::size_t from, std::size_t to) {
  candidate[to] = candidate[from];
  if (!are_here(to)) return;
  for_each_content([&](auto& property) { property[to] = property[from]; });
}

ContactRecord Contacts::record(std::size_t contact) const {
  const std::uint32_t pair = candidate[contact];
  return {static_cast<std::uint32_t>(contact),
          pair,
          candidates.bodies[pair],
          candidates.image_of(pair),
          whole(candidates.hint[pair]),
          history[contact],
          rolling_displacement(contact)};
}

void Contacts::remember(std::size_t contact, const ContactHistory& of_history, double of_rolling_displacement) {
  history[contact] = of_history;
  called_new_ = CalledNew::any;
  if (rolling.empty() && of_rolling_displacement != 0.0) resist_rolling();
  if (!rolling.empty()) rolling[contact].displacement = of_rolling_displacement;
}

std::span<EndedContact> Contacts::apply(std::vector<PairChange>& changes, const Bodies& of_memory, const See& see) {
  ended_.clear();
  if (changes.empty()) return {};
  std::sort(changes.begin(), changes.end(), [](const PairChange& x, const PairChange& y) { return x.key < y.key; });
  begun_pairs_.clear();
  gone_.clear();
  const auto size_before = static_cast<std::uint32_t>(candidates.size());
  const auto first_not_before = [&](const PairKey& key, std::uint32_t from) {
    for (std::uint32_t end = size_before; from < end;) {
      const std::uint32_t middle = from + (end - from) / 2;
      if (candidates.key(of_memory, middle) < key) {
        from = middle + 1;
      } else {
        end = middle;
      }
    }
    return from;
  };
  std::uint32_t from = 0;
  for (auto change = changes.begin(); change != changes.end();) {
    const PairKey key = change->key;
    const BodyPair bodies = change->bodies;
    std::int32_t boxes = 0;
    for (; change != changes.end() && change->key == key; ++change) boxes += change->boxes;
    from = first_not_before(key, from);
    if (from < size_before && candidates.key(of_memory, from) == key) {
      boxes += candidates.boxes[from];
      if (boxes > 0) {
        candidates.boxes[from] = static_cast<std::uint8_t>(boxes);
      } else {
        gone_.push_back(from);
      }
    } else if (boxes > 0) {
      begun_pairs_.push_back({from, static_cast<std::uint8_t>(boxes), bodies, key.image});
    }
  }
  changes.clear();
  if (begun_pairs_.empty() && gone_.empty()) return {};

  if (see) see_ending(see);
  forget_places();
  renumber_candidates();
  for (Candidates::New& pair : begun_pairs_) {
    pair.place -= static_cast<std::uint32_t>(std::ranges::lower_bound(gone_, pair.place) - gone_.begin());
  }
  candidates.remove(gone_);
  candidates.insert(begun_pairs_);
  if (!ended_.empty()) erase_ended();
  return ended_;
}

/// @pre candidates that go are known, and still there
void Contacts::see_ending(const See& see) const {
  std::vector<std::uint32_t> ending;
  for (const std::uint32_t pair : gone_) {
    const std::size_t contact = first_from(pair);
    if (contact < size() && candidate[contact] == pair) ending.push_back(static_cast<std::uint32_t>(contact));
  }
  if (!ending.empty()) see(ending);
}

/// Gives contacts the new places of their candidates. Those whose candidates go end.
void Contacts::renumber_candidates() {
  auto gone = gone_.begin();
  auto begun = begun_pairs_.begin();
  for (std::size_t contact = 0; contact < size(); ++contact) {
    const std::uint32_t old = candidate[contact];
    while (gone != gone_.end() && *gone < old) ++gone;
    while (begun != begun_pairs_.end() && begun->place <= old) ++begun;
    if (gone != gone_.end() && *gone == old) {
      ended_.push_back(record(contact));
      candidate[contact] = kGone;
    } else {
      candidate[contact] = old - static_cast<std::uint32_t>(gone - gone_.begin()) +
                           static_cast<std::uint32_t>(begun - begun_pairs_.begin());
    }
  }
}

void Contacts::age() {
  if (first_elsewhere_ != kNowhere) return;
  if (called_new_ == CalledNew::begun) {
    for (const std::uint32_t contact : begun_) history[contact].is_new = false;
  } else if (called_new_ == CalledNew::any) {
    for (ContactHistory& each : history) each.is_new = false;
  }
  called_new_ = CalledNew::none;
}

std::span<const EndedContact> Contacts::update(std::span<const std::vector<NewContact>> found,
                                               std::span<const std::uint32_t> apart) {
  ended_.clear();
  age();
  if (!apart.empty()) end(apart);

  std::size_t begun = 0;
  for (const auto& list : found) begun += list.size();
  begun_.resize(begun);
  if (begun == 0) return ended_;
  forget_places();
  called_new_ = CalledNew::begun;
  // From the back, so that every contact moves once.
  std::size_t to = size() + begun;
  std::size_t from = size();
  lengthen(candidate, to);
  for_each_content([&](auto& property) { lengthen(property, to); });
  for (auto list = found.rbegin(); list != found.rend(); ++list) {
    for (auto contact = list->rbegin(); contact != list->rend(); ++contact) {
      while (from > 0 && candidate[from - 1] > contact->candidate) {
        move(--from, --to);
      }
      begun_[--begun] = static_cast<std::uint32_t>(--to);
      candidate[to] = contact->candidate;
      history[to] = {.is_new = true};
      axes[to] = axes_of(contact->geometry, contact->chord);
      if (regions_are_kept_) region[to] = region_of(contact->geometry);
      force[to] = {};
      parts[to] = {};
      if (!rolling.empty()) rolling[to] = {};
    }
  }
  return ended_;
}

void Contacts::end(std::span<const std::uint32_t> places) {
  for (const std::uint32_t contact : places) {
    ended_.push_back(record(contact));
    candidate[contact] = kGone;
  }
  erase_ended();
}

/// Contacts without a candidate go, the others keep their order.
void Contacts::erase_ended() {
  forget_places();
  auto kept = static_cast<std::size_t>(std::ranges::find(candidate, kGone) - candidate.begin());
  for (std::size_t contact = kept; contact < size(); ++contact) {
    if (candidate[contact] != kGone) move(contact, kept++);
  }
  candidate.resize(kept);
  for_each_content([&](auto& property) { property.resize(kept); });
}

void Contacts::follow(const Periodic& periodic, const Bodies& all) {
  if (!periodic.deforms()) return;
  image_velocity.resize(size());
  for (std::size_t contact = 0; contact < size(); ++contact) {
    const BodyPair& pair = bodies(contact);
    const Image between = Proxies::image_between(all, pair.a, pair.b, image(contact));
    image_velocity[contact] = periodic.drift(periodic.shift(between));
  }
}

void Contacts::restore() {
  forget_places();
  called_new_ = CalledNew::any;
  candidates.kind.assign(candidates.size(), Candidates::kUnsorted);
  regions_are_kept_ = true;
}

void Contacts::trim() {
  begun_pairs_.clear();
  gone_.clear();
  scree::trim(begun_pairs_);
  scree::trim(gone_);
}

void Contacts::require_sound(const Bodies& bodies) const {
  const std::size_t pairs = candidates.size();
  require_state((candidates.image.empty() || candidates.image.size() == pairs) && candidates.hint.size() == pairs &&
                    candidates.boxes.size() == pairs && pairs < kGone,
                "arrays of pairs differ in length");
  PairKey last{};
  for (std::size_t k = 0; k < pairs; ++k) {
    const BodyPair& pair = candidates.bodies[k];
    require_state(pair.a < bodies.size() && pair.b < bodies.size() && !bodies.is_wall(pair.a), "a pair of no bodies");
    const PairKey key = candidates.key(bodies, k);
    require_state(bodies.has_shape(pair.a) && !bodies.is_clump(pair.b) && (key.a < key.b || bodies.is_wall(pair.b)) &&
                      is_moderate(key.image),
                  "the name of a pair");
    require_state(k == 0 || last < key, "pairs are not in order");
    last = key;
    constexpr int kMostBoxes = 81;  // each body has at most nine
    require_state(candidates.boxes[k] > 0 && candidates.boxes[k] <= kMostBoxes, "boxes of a pair");
  }
  require_state(history.size() == size() && region.size() == size() && axes.size() == size() &&
                    force.size() == size() && parts.size() == size() && (rolling.empty() || rolling.size() == size()),
                "arrays of contacts differ in length");
  for (std::size_t contact = 0; contact < size(); ++contact) {
    require_state(candidate[contact] < pairs && (contact == 0 || candidate[contact - 1] < candidate[contact]),
                  "a contact of no pair");
  }
}

void Contacts::renumber(const std::vector<std::uint32_t>& new_index) {
  for (BodyPair& pair : candidates.bodies) pair = {new_index[pair.a], new_index[pair.b]};
  by_body_.are_listed = false;
  walls_are_known_ = false;
}

std::size_t Contacts::first_from(std::size_t first_candidate) const {
  return static_cast<std::size_t>(std::lower_bound(candidate.begin(), candidate.end(), first_candidate) -
                                  candidate.begin());
}

std::span<const std::uint32_t> Contacts::at_walls(std::uint32_t walls) {
  if (walls_are_known_) return at_walls_;
  walls_are_known_ = true;
  at_walls_.clear();
  for (std::uint32_t contact = 0; contact < size(); ++contact) {
    if (bodies(contact).b < walls) at_walls_.push_back(contact);
  }
  return at_walls_;
}

void Contacts::list_by_body(std::uint32_t bodies_count, std::uint32_t walls) {
  if (are_listed(bodies_count)) return;
  std::vector<std::uint32_t>& first = by_body_.first;
  by_body_.are_listed = true;
  // Counting sort by particle in three passes over the contacts, which are sorted by (a, b): so each list comes out in
  // ascending order of the partner's id, wherever bodies are in memory: walls, then lower ids, then greater ones.
  first.assign(bodies_count + std::size_t{2}, 0);
  const auto count = static_cast<std::uint32_t>(size());
  for (std::uint32_t contact = 0; contact < count; ++contact) {
    const BodyPair& pair = bodies(contact);
    ++first[pair.a + std::size_t{2}];
    if (pair.b >= walls) ++first[pair.b + std::size_t{2}];
  }
  for (std::size_t i = 2; i < first.size(); ++i) first[i] += first[i - 1];
  lengthen(by_body_.incidences, first.back());
  const auto append = [&](std::uint32_t body, std::uint32_t contact, bool as_b) {
    by_body_.incidences[first[body + std::size_t{1}]++] = {contact, as_b};
  };
  for (std::uint32_t contact = 0; contact < count; ++contact) {
    if (const BodyPair& pair = bodies(contact); pair.b < walls) append(pair.a, contact, false);
  }
  for (std::uint32_t contact = 0; contact < count; ++contact) {
    if (const BodyPair& pair = bodies(contact); pair.b >= walls) append(pair.b, contact, true);
  }
  for (std::uint32_t contact = 0; contact < count; ++contact) {
    if (const BodyPair& pair = bodies(contact); pair.b >= walls) append(pair.a, contact, false);
  }
  first.pop_back();
}

}  // namespace scree::soft
