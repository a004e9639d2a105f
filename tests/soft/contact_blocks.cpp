#include "dem/soft/forces/contact_blocks.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/run.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/scenes.hpp"

namespace scree::contact_blocks_test {

/// Blocks whose contacts begin and end in any order, beside a map of them.
using namespace scree::soft;
using test::Dice;

namespace {

constexpr std::uint32_t kDisks = 60;

/// Disks of two materials in a periodic cell, and a floor.
Scene scene_of_disks() {
  Scene scene = test::empty_scene();
  scene.domain = {{0.0, -0.05}, {1.0, 1.0}, {true, false}};
  scene.walls = {test::box_wall({-0.1, -0.02}, {1.1, 0.0})};
  scene.walls[0].name = "floor";
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "other";
  scene.materials[1].stiffness *= 2.0;
  const Fill fill{.region = {{0.0, 0.1}, {1.0, 1.0}}, .count = kDisks / 2};
  scene.particles = {{.how = fill, .material = 0, .shape = Disk{}, .size = {0.01, 0.02}},
                     {.how = fill, .material = 1, .shape = Disk{}, .size = {0.01, 0.02}}};
  return scene;
}

using Known = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;  // bodies → elongation of the spring

struct Fixture {
  Simulation simulation{scene_of_disks(), {.threads = 1}};
  const Rooms& rooms = simulation.run().rooms;
  PlainView view = plain_view(rooms);
  Contacts contacts;  // all pairs are candidates
  ContactBlocks blocks;
  Known known;

  Fixture() {
    std::vector<PairChange> changes;
    for (std::uint32_t a = view.bodies.walls; a < view.bodies.size(); ++a) {
      for (std::uint32_t b = 0; b < view.bodies.size(); ++b) {
        const bool is_pair = view.bodies.is_wall(b) || view.bodies.id[a] < view.bodies.id[b];
        if (is_pair) changes.push_back({key_of(view.bodies, {a, b}, {0, 0}), {a, b}, 1});
      }
    }
    contacts.apply(changes, view.bodies);
  }

  std::vector<std::uint32_t> some(Dice& dice, std::size_t size, double share) {
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t k = 0; k < size; ++k) {
      if (dice.between(0.0, 1.0) < share) chosen.push_back(k);
    }
    return chosen;
  }

  void pack(Dice& dice) {
    std::vector<std::uint32_t> packed;
    for (std::uint32_t k = 0; k < contacts.size(); ++k) {
      if (view.bodies.is_wall(contacts.bodies(k).b)) continue;
      packed.push_back(k);
      contacts.history[k].tangential_displacement = dice.between(0.0, 1.0);
      known[{contacts.bodies(k).a, contacts.bodies(k).b}] = contacts.history[k].tangential_displacement;
    }
    blocks.pack(view, contacts, packed, view.laws.of_disks(view.bodies, {1, 1}), true);
    contacts.leave_particles(view.bodies.walls);
  }
  void begin(Dice& dice, double share) {
    blocks.age();
    std::vector<NewContact> found;
    for (const std::uint32_t pair : some(dice, contacts.candidates.size(), share)) {
      if (std::ranges::binary_search(contacts.candidate, pair)) continue;
      found.push_back({.candidate = pair, .geometry = {}});
      const auto [a, b] = contacts.candidates.bodies[pair];
      if (!view.bodies.is_wall(b)) known[{a, b}] = 0.0;
    }
    contacts.update(std::span(&found, 1), {});
    REQUIRE(contacts.begun().size() == found.size());
    blocks.insert(view, contacts, contacts.begun());
    std::uint32_t new_ones = 0;
    blocks.for_each([&](std::uint32_t place, std::uint32_t) { new_ones += blocks.is_new(place) ? 1 : 0; });
    for (const std::uint32_t contact : contacts.begun()) {
      new_ones -= view.bodies.is_wall(contacts.bodies(contact).b) ? 0 : 1;
    }
    REQUIRE(new_ones == 0);
  }
  void end(Dice& dice, double share) {
    const std::vector<std::uint32_t> over = some(dice, contacts.size(), share);
    std::uint32_t from = 0;
    for (const std::uint32_t contact : over) {
      const auto [a, b] = contacts.bodies(contact);
      if (view.bodies.is_wall(b)) continue;
      from = blocks.place_of(contact, from);
      REQUIRE(blocks.contact(from) == contact);
      blocks.leave(from);
      known.erase({a, b});
    }
    if (!over.empty()) contacts.end(over);
    blocks.follow(over);
  }

  void check() {
    Known found;
    std::uint32_t not_before = 0;
    const lanes::DiskBlocks all = blocks.for_lanes(nullptr, nullptr);
    const std::span<const ContactBlocks::Window> windows = blocks.windows();
    blocks.for_each([&](std::uint32_t place, std::uint32_t contact) {
      REQUIRE(contact >= not_before);
      not_before = contact + 1;
      REQUIRE(contact < contacts.size());
      const auto [a, b] = contacts.bodies(contact);
      const lanes::DiskBlock& block = blocks.of(place);
      const std::uint32_t at = place % kInBlock;
      REQUIRE(body_with_sum(block.sum_a[at]) == a);
      REQUIRE(body_with_sum(block.sum_b[at]) == b);
      REQUIRE(block.radius_a[at] == view.bodies.bounding_radius[a]);
      REQUIRE(block.a[at] == 24 * a);
      REQUIRE(block.b[at] == 24 * b);
      REQUIRE(all.law[place / kInBlock].stiffness[at] == view.laws.of_disks(view.bodies, {a, b}).stiffness);
      const double* const shift = all.shift + std::size_t{2} * kInBlock * (place / kInBlock) + at;
      REQUIRE(Vec2(shift[0], shift[kInBlock]) == shift_of(view, {a, b}, contacts.image(contact)));
      found[{a, b}] = block.displacement[at];
      const std::size_t window = place / kInBlock / ContactBlocks::kWindow;
      REQUIRE(window < windows.size());
      REQUIRE(windows[window].last >= std::max(a, b));
      for (std::size_t k = 0; k <= window; ++k) REQUIRE(windows[k].first <= std::min(a, b));
    });
    REQUIRE(found == known);
    std::size_t closed = 0;
    for (std::uint32_t place = 0; place < kInBlock * blocks.size(); ++place) {
      const lanes::DiskBlock& block = blocks.of(place);
      const std::uint32_t at = place % kInBlock;
      if (blocks.contact(place) != lanes::kNoContact) continue;
      ++closed;
      REQUIRE(block.a[at] == block.b[at]);
      REQUIRE(block.sum_of_radii[at] == 0.0);
      REQUIRE(!blocks.is_new(place));
    }
    REQUIRE(closed + known.size() == kInBlock * blocks.size());
  }
};

}  // namespace

TEST_CASE("contacts that begin and end keep their order in blocks") {
  std::size_t most = 0;
  std::size_t fewest_afterwards = 1000;
  std::uint64_t gaps_used = 0;
  for (std::uint64_t seed = 1; seed <= (test::kSanitized ? 3 : 8); ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Fixture f;
    if (seed % 2 == 0) f.begin(dice, 0.3);
    f.known.clear();
    f.pack(dice);
    f.check();
    for (int round = 0; round < (test::kSanitized ? 20 : 60); ++round) {
      CAPTURE(round);
      const bool grows = round % 20 < 12;
      f.end(dice, dice.below(3) == 0 ? 0.0 : dice.between(0.0, grows ? 0.05 : 0.4));
      f.blocks.close();
      f.check();
      const std::size_t before = f.blocks.size();
      f.begin(dice, dice.below(3) == 0 ? 0.002 : dice.between(0.0, grows ? 0.1 : 0.01));
      if (f.blocks.size() == before && !f.contacts.begun().empty()) ++gaps_used;
      f.check();
      most = std::max(most, f.blocks.size());
      if (most > 100) fewest_afterwards = std::min(fewest_afterwards, f.blocks.size());
    }
  }
  CHECK(most > 2 * ContactBlocks::kWindow);
  CHECK(fewest_afterwards < 60);
  CHECK(gaps_used > 5);
}

}  // namespace scree::contact_blocks_test
