#include "dem/soft/contact/contacts.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::contacts_test {

using namespace scree::soft;
using test::Dice;

namespace {

constexpr std::uint32_t kWalls = 3;
constexpr std::uint32_t kBodies = 20;

/// Bodies in memory, two parts of each id behind one another, in any order of ids; walls first and with the lowest ids,
/// as always.
struct Memory {
  Bodies all;

  explicit Memory(Dice& dice) {
    std::vector<std::uint64_t> id;
    for (std::uint64_t k = 1; k <= kBodies; ++k) id.push_back(10 * k);
    for (std::size_t k = kBodies - 1; k > kWalls; --k) {
      std::swap(id[k], id[kWalls + dice.below(static_cast<std::uint32_t>(k - kWalls + 1))]);
    }
    for (const std::uint64_t each : id) {
      for (const std::uint32_t part : {0U, 1U}) {
        all.id.push_back(each);
        all.part.push_back(part);
      }
    }
    all.walls = 2 * kWalls;
  }
  std::uint32_t index(std::uint64_t id, std::uint32_t part) const {
    return static_cast<std::uint32_t>(std::find(all.id.begin(), all.id.end(), id) - all.id.begin()) + part;
  }
  BodyPair bodies(const PairKey& key) const { return {index(key.a, key.part_a), index(key.b, key.part_b)}; }
};

PairKey random_key(Dice& dice) {
  const std::uint64_t particle = 10 * (kWalls + 1 + dice.below(kBodies - kWalls));
  std::uint64_t other = 10 * (1 + dice.below(kBodies));
  while (other == particle) other = 10 * (1 + dice.below(kBodies));
  const bool wall = other <= 10 * kWalls;
  return {.a = wall ? particle : std::min(particle, other),
          .b = wall ? other : std::max(particle, other),
          .part_a = dice.below(2),
          .part_b = dice.below(2),
          .image = {static_cast<std::int32_t>(dice.below(2)), 0}};
}

struct Known {
  std::int32_t boxes = 0;
  bool touching = false;
  double remembers = 0.0;  // [m]
};
using Oracle = std::map<PairKey, Known>;

void check_same(const Contacts& contacts, const Oracle& oracle, const Memory& memory) {
  REQUIRE(contacts.candidates.size() == oracle.size());
  std::size_t k = 0;
  std::size_t contact = 0;
  for (const auto& [key, known] : oracle) {
    REQUIRE(contacts.candidates.key(memory.all, k) == key);
    CHECK(contacts.candidates.boxes[k] == known.boxes);
    CHECK(contacts.candidates.bodies[k].a == memory.index(key.a, key.part_a));
    CHECK(contacts.candidates.bodies[k].b == memory.index(key.b, key.part_b));
    const bool has_contact = contact < contacts.size() && contacts.candidate[contact] == k;
    REQUIRE(has_contact == known.touching);
    if (has_contact) {
      CHECK(contacts.key(memory.all, contact) == key);
      CHECK(contacts.history[contact].tangential_displacement == known.remembers);
      ++contact;
    }
    ++k;
  }
  CHECK(contact == contacts.size());
}

}  // namespace

TEST_CASE("candidates are what the box pairs add up to; a contact remembers as long as it touches, and no longer") {
  Dice dice(1);
  const Memory memory(dice);
  Contacts contacts;
  Oracle oracle;
  std::multiset<PairKey> boxes;  // pairs of boxes that overlap
  double next_memory = 1.0;
  std::size_t ended_with_pair = 0;
  std::size_t ended_alone = 0;
  std::size_t kept_across = 0;  // pairs that ended with one box and began with another in one call
  for (int round = 0; round < 400; ++round) {
    std::vector<PairChange> changes;
    std::map<PairKey, int> signs;
    for (int k = 0; k < 12; ++k) {
      if (!boxes.empty() && dice.below(2) == 0) {
        const auto leaving = std::next(boxes.begin(), dice.below(static_cast<std::uint32_t>(boxes.size())));
        changes.push_back({*leaving, memory.bodies(*leaving), -1});
        signs[*leaving] |= 1;
        boxes.erase(leaving);
      } else {
        const PairKey key = random_key(dice);
        if (boxes.count(key) == 2) continue;
        changes.push_back({key, memory.bodies(key), +1});
        signs[key] |= 2;
        boxes.insert(key);
      }
    }
    for (const auto& [key, sign] : signs) {
      if (sign == 3 && boxes.count(key) > 0 && oracle.contains(key) && oracle[key].touching) ++kept_across;
    }
    std::set<PairKey> expected_to_end;
    for (auto& [key, known] : oracle) {
      known.boxes = static_cast<std::int32_t>(boxes.count(key));
      if (known.boxes == 0 && known.touching) expected_to_end.insert(key);
    }
    const Candidates before = contacts.candidates;
    for (const PairKey& key : boxes) oracle[key].boxes = static_cast<std::int32_t>(boxes.count(key));
    std::erase_if(oracle, [](const auto& entry) { return entry.second.boxes == 0; });
    std::set<PairKey> ended;
    for (const EndedContact& contact : contacts.apply(changes, memory.all))
      ended.insert(before.key(memory.all, contact.candidate));
    CHECK(changes.empty());
    CHECK(ended == expected_to_end);
    ended_with_pair += ended.size();
    check_same(contacts, oracle, memory);

    // The narrowphase: some contacts end, some pairs begin to touch; found in two lists.
    std::set<PairKey> parting;
    std::vector<std::uint32_t> apart;
    for (std::uint32_t k = 0; k < contacts.size(); ++k) {
      if (dice.below(5) != 0) continue;
      apart.push_back(k);
      parting.insert(contacts.key(memory.all, k));
    }
    std::vector<std::vector<NewContact>> found(2);
    const std::size_t half = contacts.candidates.size() / 2;
    for (std::uint32_t k = 0; k < contacts.candidates.size(); ++k) {
      const PairKey key = contacts.candidates.key(memory.all, k);
      if (oracle[key].touching || dice.below(3) != 0) continue;
      NewContact contact{.candidate = k, .geometry = {}};
      contact.geometry.overlap.area = 2.0;
      found[k < half ? 0 : 1].push_back(contact);
      oracle[key].touching = true;
      oracle[key].remembers = 0.0;
    }
    for (const PairKey& key : parting) oracle[key] = {.boxes = oracle[key].boxes};
    ended.clear();
    for (const EndedContact& contact : contacts.update(found, apart)) {
      ended.insert(contacts.candidates.key(memory.all, contact.candidate));
    }
    CHECK(ended == parting);
    ended_alone += ended.size();
    check_same(contacts, oracle, memory);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      Known& known = oracle[contacts.key(memory.all, k)];
      CHECK(contacts.history[k].is_new == (known.remembers == 0.0));
      if (known.remembers == 0.0) known.remembers = contacts.history[k].tangential_displacement = next_memory++;
    }
  }
  CHECK(ended_with_pair > 50);
  CHECK(ended_alone > 500);
  CHECK(kept_across > 10);
}

TEST_CASE("a particle's contacts come in the order of partner, part and image, wherever bodies are in memory") {
  Dice dice(2);
  for (int round = 0; round < 50; ++round) {
    const Memory memory(dice);
    Contacts contacts;
    std::vector<PairChange> changes;
    std::set<PairKey> keys;
    for (int k = 0; k < 60; ++k) keys.insert(random_key(dice));
    for (const PairKey& key : keys) changes.push_back({key, memory.bodies(key), 1});
    contacts.apply(changes, memory.all);
    std::vector<std::vector<NewContact>> found(1);
    std::map<std::uint32_t, std::vector<PairKey>> expected;  // by particle
    for (std::uint32_t k = 0; k < contacts.candidates.size(); ++k) {
      if (dice.below(3) == 0) continue;
      found[0].push_back({.candidate = k, .geometry = {}});
      const PairKey key = contacts.candidates.key(memory.all, k);
      expected[memory.index(key.a, key.part_a)].push_back(key);
      if (key.b > 10 * kWalls) expected[memory.index(key.b, key.part_b)].push_back(key);
    }
    contacts.update(found, {});
    contacts.list_by_body(2 * kBodies, 2 * kWalls);
    for (std::uint32_t body = 2 * kWalls; body < 2 * kBodies; ++body) {
      const std::uint64_t id = memory.all.id[body];
      const auto partner = [id](const PairKey& key) { return key.a == id ? key.b : key.a; };
      std::ranges::sort(expected[body], [&](const PairKey& x, const PairKey& y) {
        return std::tuple(partner(x), x) < std::tuple(partner(y), y);
      });
      std::vector<PairKey> seen;
      for (const auto incidence : contacts.of(body)) {
        seen.push_back(contacts.key(memory.all, incidence.contact()));
        CHECK(incidence.as_b() == (seen.back().b == id));
      }
      CHECK(seen == expected[body]);
    }
  }
}

TEST_CASE("the net force of a particle has the sign of its side of each contact") {
  Contacts contacts;
  Bodies bodies;
  bodies.id = {1, 2, 3};
  bodies.walls = 1;
  std::vector<PairChange> changes = {{{.a = 2, .b = 3}, {1, 2}, 1}, {{.a = 3, .b = 1}, {2, 0}, 1}};
  contacts.apply(changes, bodies);
  std::vector<std::vector<NewContact>> found(1);
  found[0] = {{.candidate = 0, .geometry = {}}, {.candidate = 1, .geometry = {}}};
  contacts.update(found, {});
  contacts.force[0] = {.on_b = {1.0, 2.0}, .torque = {0.5, 0.25}};
  contacts.force[1] = {.on_b = {0.0, -4.0}, .torque = {8.0, 16.0}};
  contacts.list_by_body(3, 1);
  CHECK((net_force(contacts, 1) == Motion(-1.0, -2.0, 0.5)).all());
  CHECK((net_force(contacts, 2) == Motion(1.0, 6.0, 8.25)).all());
}

}  // namespace scree::contacts_test
