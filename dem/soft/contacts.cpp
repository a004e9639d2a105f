#include "dem/soft/contacts.hpp"

#include <algorithm>
#include <utility>

#include "broadphase/lengthen.hpp"
#include "dem/archive.hpp"
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
void Candidates::for_each_property(const Do& act) {
  act(key);
  act(bodies);
  act(hint);
  act(boxes);
  act(kind);
}

void Candidates::append(const Candidates& other, std::size_t begin, std::size_t end) {
  append_range(key, other.key, begin, end);
  append_range(bodies, other.bodies, begin, end);
  append_range(hint, other.hint, begin, end);
  append_range(boxes, other.boxes, begin, end);
  append_range(kind, other.kind, begin, end);
}

void Candidates::remove(std::span<const std::uint32_t> places) {
  if (places.empty()) return;
  for_each_property([&](auto& property) {
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
  for_each_property([&](auto& property) {
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
    key[place] = pairs[k].key;
    bodies[place] = pairs[k].bodies;
    hint[place] = {};
    boxes[place] = pairs[k].boxes;
    kind[place] = kUnsorted;
  }
}

template <class Do>
void Contacts::for_each_property(const Do& act) {
  act(candidate);
  act(history);
  act(geometry);
  act(force);
  act(parts);
}

ContactRecord Contacts::record(std::size_t contact) const {
  const std::uint32_t pair = candidate[contact];
  return {pair, candidates.bodies[pair], candidates.key[pair].image, candidates.hint[pair], history[contact]};
}

std::span<const EndedContact> Contacts::apply(std::vector<PairChange>& changes) {
  ended_.clear();
  if (changes.empty()) return {};
  std::sort(changes.begin(), changes.end(), [](const PairChange& x, const PairChange& y) { return x.key < y.key; });
  begun_.clear();
  gone_.clear();
  auto from = candidates.key.begin();
  for (auto change = changes.begin(); change != changes.end();) {
    const PairKey key = change->key;
    const BodyPair bodies = change->bodies;
    std::int32_t boxes = 0;
    for (; change != changes.end() && change->key == key; ++change) boxes += change->boxes;
    from = std::lower_bound(from, candidates.key.end(), key);
    const auto place = static_cast<std::uint32_t>(from - candidates.key.begin());
    if (from != candidates.key.end() && *from == key) {
      candidates.boxes[place] += boxes;
      if (candidates.boxes[place] <= 0) gone_.push_back(place);
    } else if (boxes > 0) {
      begun_.push_back({place, boxes, bodies, key});
    }
  }
  changes.clear();
  if (begun_.empty() && gone_.empty()) return {};

  renumber_candidates();
  for (Candidates::New& pair : begun_) {
    pair.place -= static_cast<std::uint32_t>(std::ranges::lower_bound(gone_, pair.place) - gone_.begin());
  }
  candidates.remove(gone_);
  candidates.insert(begun_);
  if (!ended_.empty()) erase_ended();
  return ended_;
}

/// Gives contacts the new places of their candidates. Those whose candidates go end.
void Contacts::renumber_candidates() {
  auto gone = gone_.begin();
  auto begun = begun_.begin();
  for (std::size_t contact = 0; contact < size(); ++contact) {
    const std::uint32_t old = candidate[contact];
    while (gone != gone_.end() && *gone < old) ++gone;
    while (begun != begun_.end() && begun->place <= old) ++begun;
    if (gone != gone_.end() && *gone == old) {
      ended_.push_back(record(contact));
      candidate[contact] = kGone;
    } else {
      candidate[contact] =
          old - static_cast<std::uint32_t>(gone - gone_.begin()) + static_cast<std::uint32_t>(begun - begun_.begin());
    }
  }
}

std::span<const EndedContact> Contacts::update(std::span<const std::vector<NewContact>> found) {
  ended_.clear();
  bool some_ended = false;
  for (std::size_t contact = 0; contact < size(); ++contact) {
    history[contact].is_new = false;
    some_ended |= !geometry[contact].overlap.touching();
  }
  if (some_ended) end_apart();

  std::size_t begun = 0;
  for (const auto& list : found) begun += list.size();
  some_are_new_ = begun > 0;
  if (begun == 0) return ended_;
  listed_ = false;
  // From the back, so that every contact moves once.
  std::size_t to = size() + begun;
  std::size_t from = size();
  for_each_property([&](auto& property) { lengthen(property, to); });
  for (auto list = found.rbegin(); list != found.rend(); ++list) {
    for (auto contact = list->rbegin(); contact != list->rend(); ++contact) {
      while (from > 0 && candidate[from - 1] > contact->candidate) {
        --from;
        --to;
        for_each_property([&](auto& property) { property[to] = property[from]; });
      }
      --to;
      candidate[to] = contact->candidate;
      history[to] = {.is_new = true};
      geometry[to] = contact->geometry;
      force[to] = {};
      parts[to] = {};
    }
  }
  return ended_;
}

/// Contacts that do not touch any more end.
void Contacts::end_apart() {
  for (std::size_t contact = 0; contact < size(); ++contact) {
    if (geometry[contact].overlap.touching()) continue;
    ended_.push_back(record(contact));
    candidate[contact] = kGone;
  }
  erase_ended();
}

/// Contacts without a candidate go, the others keep their order.
void Contacts::erase_ended() {
  listed_ = false;
  std::size_t kept = 0;
  for (std::size_t contact = 0; contact < size(); ++contact) {
    if (candidate[contact] == kGone) continue;
    if (kept != contact) {
      for_each_property([&](auto& property) { property[kept] = property[contact]; });
    }
    ++kept;
  }
  for_each_property([&](auto& property) { property.resize(kept); });
}

void Contacts::trim() {
  begun_.clear();
  gone_.clear();
  scree::trim(begun_);
  scree::trim(gone_);
}

void Contacts::require_sound(const Bodies& bodies) const {
  const std::size_t pairs = candidates.size();
  require_state(candidates.bodies.size() == pairs && candidates.hint.size() == pairs &&
                    candidates.boxes.size() == pairs && pairs < kGone,
                "arrays of pairs differ in length");
  for (std::size_t k = 0; k < pairs; ++k) {
    const BodyPair& pair = candidates.bodies[k];
    const PairKey& key = candidates.key[k];
    require_state(pair.a < bodies.size() && pair.b < bodies.size() && !bodies.is_wall(pair.a), "a pair of no bodies");
    require_state(key.a == bodies.id[pair.a] && key.b == bodies.id[pair.b] &&
                      key.part_a == bodies.part_number(pair.a) && key.part_b == bodies.part_number(pair.b) &&
                      bodies.has_shape(pair.a) && !bodies.is_clump(pair.b) &&
                      (key.a < key.b || bodies.is_wall(pair.b)) && is_moderate(key.image),
                  "the name of a pair");
    require_state(k == 0 || candidates.key[k - 1] < key, "pairs are not in order");
    constexpr std::int32_t kMostBoxes = 81;  // each body has at most nine
    require_state(candidates.boxes[k] > 0 && candidates.boxes[k] <= kMostBoxes, "boxes of a pair");
  }
  require_state(
      history.size() == size() && geometry.size() == size() && force.size() == size() && parts.size() == size(),
      "arrays of contacts differ in length");
  for (std::size_t contact = 0; contact < size(); ++contact) {
    require_state(candidate[contact] < pairs && (contact == 0 || candidate[contact - 1] < candidate[contact]),
                  "a contact of no pair");
  }
}

void Contacts::renumber(const std::vector<std::uint32_t>& new_index) {
  for (BodyPair& pair : candidates.bodies) pair = {new_index[pair.a], new_index[pair.b]};
  listed_ = false;
}

std::size_t Contacts::first_from(std::size_t first_candidate) const {
  return static_cast<std::size_t>(std::lower_bound(candidate.begin(), candidate.end(), first_candidate) -
                                  candidate.begin());
}

void Contacts::list_by_body(std::uint32_t bodies_count, std::uint32_t walls) {
  if (listed_ && first_.size() == bodies_count + std::size_t{1}) return;
  listed_ = true;
  // Counting sort by particle in three passes over the contacts, which are sorted by (a, b): so each list comes out in
  // ascending order of the partner's id, wherever bodies are in memory: walls, then lower ids, then greater ones.
  first_.assign(bodies_count + std::size_t{2}, 0);
  const auto count = static_cast<std::uint32_t>(size());
  for (std::uint32_t contact = 0; contact < count; ++contact) {
    const BodyPair& pair = bodies(contact);
    ++first_[pair.a + std::size_t{2}];
    if (pair.b >= walls) ++first_[pair.b + std::size_t{2}];
  }
  for (std::size_t i = 2; i < first_.size(); ++i) first_[i] += first_[i - 1];
  incidences_.resize(first_.back());
  const auto append = [&](std::uint32_t body, std::uint32_t contact, bool as_b) {
    incidences_[first_[body + std::size_t{1}]++] = {contact, as_b};
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
  first_.pop_back();
}

}  // namespace scree::soft
