#include "dem/soft/contacts.hpp"

#include <algorithm>
#include <utility>

#include "dem/archive.hpp"

namespace scree::soft {

namespace {

constexpr std::uint32_t kGone = 0xffffffff;

template <class T>
void append_range(std::vector<T>& to, const std::vector<T>& from, std::size_t begin, std::size_t end) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
            from.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

void Candidates::clear() {
  key.clear();
  bodies.clear();
  hint.clear();
  boxes.clear();
  kind.clear();
}

void Candidates::append(const Candidates& other, std::size_t begin, std::size_t end) {
  append_range(key, other.key, begin, end);
  append_range(bodies, other.bodies, begin, end);
  append_range(hint, other.hint, begin, end);
  append_range(boxes, other.boxes, begin, end);
  append_range(kind, other.kind, begin, end);
}

template <class Do>
void Contacts::for_each_property(const Do& act) {
  act(candidate);
  act(history);
  act(geometry);
  act(force);
  act(parts);
}

ContactRecord Contacts::record(std::size_t contact, const Candidates& of) const {
  const std::uint32_t pair = candidate[contact];
  return {pair, of.bodies[pair], of.key[pair].image, of.hint[pair], history[contact]};
}

std::span<const EndedContact> Contacts::apply(std::vector<PairChange>& changes) {
  ended_.clear();
  if (changes.empty()) return {};
  std::sort(changes.begin(), changes.end(), [](const PairChange& x, const PairChange& y) { return x.key < y.key; });
  std::swap(candidates, before_);
  candidates.clear();
  new_place_.resize(before_.size());
  std::size_t old = 0;
  const auto keep_until = [&](std::size_t end) {
    for (std::size_t k = old; k < end; ++k) {
      new_place_[k] = static_cast<std::uint32_t>(candidates.size() + (k - old));
    }
    candidates.append(before_, old, end);
    old = end;
  };
  for (auto change = changes.begin(); change != changes.end();) {
    const PairKey key = change->key;
    const BodyPair bodies = change->bodies;
    std::int32_t boxes = 0;
    for (; change != changes.end() && change->key == key; ++change) boxes += change->boxes;
    const auto from = before_.key.begin() + static_cast<std::ptrdiff_t>(old);
    keep_until(static_cast<std::size_t>(std::lower_bound(from, before_.key.end(), key) - before_.key.begin()));
    PairHint hint;
    std::uint32_t* place = nullptr;
    if (old < before_.size() && before_.key[old] == key) {
      boxes += before_.boxes[old];
      hint = before_.hint[old];
      place = &new_place_[old++];
      *place = kGone;
    }
    if (boxes <= 0) continue;
    if (place != nullptr) *place = static_cast<std::uint32_t>(candidates.size());
    candidates.key.push_back(key);
    candidates.bodies.push_back(bodies);
    candidates.hint.push_back(hint);
    candidates.boxes.push_back(boxes);
    candidates.kind.push_back(Candidates::kUnsorted);
  }
  keep_until(before_.size());
  changes.clear();

  for (std::size_t contact = 0; contact < size(); ++contact) {
    if (new_place_[candidate[contact]] == kGone) ended_.push_back(record(contact, before_));
    candidate[contact] = new_place_[candidate[contact]];
  }
  if (!ended_.empty()) erase_ended();
  return ended_;
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
  if (begun == 0) return ended_;
  listed_ = false;
  // From the back, so that every contact moves once.
  std::size_t to = size() + begun;
  std::size_t from = size();
  for_each_property([&](auto& property) { property.resize(to); });
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
    ended_.push_back(record(contact, candidates));
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

void Contacts::require_sound(const Bodies& bodies) const {
  const std::size_t pairs = candidates.size();
  require_state(candidates.bodies.size() == pairs && candidates.hint.size() == pairs &&
                    candidates.boxes.size() == pairs && pairs < kGone,
                "arrays of pairs differ in length");
  for (std::size_t k = 0; k < pairs; ++k) {
    const BodyPair& pair = candidates.bodies[k];
    const PairKey& key = candidates.key[k];
    require_state(pair.a < bodies.size() && pair.b < bodies.size() && !bodies.is_wall(pair.a), "a pair of no bodies");
    require_state(key.a == bodies.id[pair.a] && key.b == bodies.id[pair.b] && key.part_a == 0 && key.part_b == 0 &&
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
