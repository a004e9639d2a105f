#include "dem/soft/forces/narrowphase.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/polygon_makers.hpp"
#include "parallel/threads.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::narrowphase_test {

using namespace scree::soft;
using test::Dice;

namespace {

const Domain kPeriodicDomain{.lo = {0.0, 0.0}, .hi = {10.0, 8.0}, .periodic = {true, true}};
const Domain kOpenDomain{.lo = {0.0, 0.0}, .hi = {10.0, 8.0}};
const std::vector<Image> kNearImages = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 0}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};

/// Bodies with what the narrowphase reads of them.
struct Crowd {
  Bodies bodies;
  Placement placement;
  Proxies proxies;
  Gear gear{4, 1e-3};

  explicit Crowd(const Domain& domain) : proxies(domain) {}
  /// After the last body was added.
  void finish() {
    placement.add_missing(bodies);
    for (std::uint32_t body = 0; body < bodies.size(); ++body) gear.add(Motion::Zero());
  }
  DetectionView view() const { return {bodies, placement, proxies, gear}; }
};

/// A block that is a wall, then polygons and disks of different sizes, anywhere in the domain.
Crowd random_crowd(const Domain& domain, int grains, Dice& dice) {
  Crowd crowd(domain);
  test::add_wall(crowd.bodies, 1, {5.0, 4.0, 0.3}, rectangle(2.0, 1.0));
  for (int k = 0; k < grains; ++k) {
    const auto id = static_cast<std::uint64_t>(k) + 2;
    const Motion position(dice.between(0.0, 10.0), dice.between(0.0, 8.0), dice.between(-3.0, 3.0));
    const double size = dice.between(0.6, 1.8);
    if (dice.below(3) == 0) {
      test::add_disk(crowd.bodies, id, linear(position), 0.5 * size);
    } else {
      const int vertices = 3 + static_cast<int>(dice.below(6));
      const Polygon form = random_convex_polygon(vertices, 1.5, [&] { return dice.between(0.0, 1.0); });
      test::add_polygon(crowd.bodies, id, position, form.scaled(size));
    }
  }
  crowd.finish();
  return crowd;
}

void shake(Crowd& crowd, Dice& dice, double by) {
  Bodies& bodies = crowd.bodies;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    bodies.velocity[body] = {dice.between(-by, by), dice.between(-by, by), dice.between(-by, by)};
    bodies.position[body] += bodies.velocity[body];
    bodies.velocity[body] /= crowd.gear.dt();
  }
  wrap(crowd.proxies.periodic(), bodies);
  crowd.placement.update(bodies);
}

/// The definition: without a hint and a history, turned to the directions of the world.
ContactGeometry expected_geometry(const Crowd& crowd, const BodyPair& pair, const Image& image) {
  const Bodies& bodies = crowd.bodies;
  const Rotation to_world = bodies.shape(pair.a).is_disk() ? Rotation{} : Rotation::by(bodies.position[pair.a].z());
  const Rotation of_b = bodies.shape(pair.b).is_disk() ? Rotation{} : Rotation::by(bodies.position[pair.b].z());
  Vec2 way = linear(bodies.position[pair.b]) - linear(bodies.position[pair.a]);
  for (const std::size_t axis : {0, 1}) {
    const auto at = static_cast<Eigen::Index>(axis);
    way[at] +=
        (image[axis] + bodies.image[pair.b][axis] - bodies.image[pair.a][axis]) * crowd.proxies.periodic().period()[at];
  }
  PairHint none;
  Overlap found = overlap(bodies.shape(pair.a), bodies.shape(pair.b), relative_pose(to_world, of_b, way), none);
  const double smaller = 2.0 * std::min(bodies.radius[pair.a], bodies.radius[pair.b]);
  found.centroid = to_world * found.centroid;
  found.normal = to_world * found.normal;
  found.chord_begin = to_world * found.chord_begin;
  found.chord_end = to_world * found.chord_end;
  return {.overlap = found, .branch_vector = way, .depth_ratio = found.depth / smaller};
}

bool same_bits(const ContactGeometry& x, const ContactGeometry& y) {
  return x.overlap.area == y.overlap.area && x.overlap.depth == y.overlap.depth &&
         x.overlap.centroid == y.overlap.centroid && x.overlap.normal == y.overlap.normal &&
         x.overlap.chord_begin == y.overlap.chord_begin && x.overlap.chord_end == y.overlap.chord_end &&
         x.branch_vector == y.branch_vector && x.depth_ratio == y.depth_ratio;
}

void spoil_hints(Contacts& contacts, Dice& dice) {
  for (ShortHint& hint : contacts.candidates.hint) {
    for (std::uint16_t& feature : hint) feature = static_cast<std::uint16_t>(dice.below(40));
  }
  contacts.restore();
}

}  // namespace

TEST_CASE("contacts are the pairs that overlap, with the overlaps found without a hint; they begin and end with them") {
  Dice dice(11);
  Crowd crowd = random_crowd(kPeriodicDomain, 30, dice);
  Contacts contacts;
  test::add_candidates(crowd.bodies, test::all_pairs_of(crowd.bodies), contacts, kNearImages);
  Narrowphase narrowphase;
  std::set<PairKey> touching;
  std::size_t begun = 0;
  std::size_t ended = 0;
  std::size_t stayed = 0;
  std::size_t across = 0;
  std::size_t with_wall = 0;
  for (int step = 0; step < 40; ++step) {
    narrowphase.detect(crowd.view(), contacts);
    std::set<PairKey> expected_to_begin;
    std::set<PairKey> expected_to_end;
    for (std::size_t k = 0; k < contacts.candidates.size(); ++k) {
      const PairKey key = contacts.candidates.key(crowd.bodies, k);
      const bool now = expected_geometry(crowd, contacts.candidates.bodies[k], key.image).overlap.touching();
      if (now && touching.insert(key).second) expected_to_begin.insert(key);
      if (!now && touching.erase(key) > 0) expected_to_end.insert(key);
    }
    std::set<PairKey> seen_to_begin;
    for (const auto& list : narrowphase.found()) {
      for (const NewContact& contact : list)
        seen_to_begin.insert(contacts.candidates.key(crowd.bodies, contact.candidate));
    }
    CHECK(seen_to_begin == expected_to_begin);
    std::set<PairKey> seen_to_end;
    for (const EndedContact& contact : contacts.update(narrowphase.found(), narrowphase.apart())) {
      seen_to_end.insert(contacts.candidates.key(crowd.bodies, contact.candidate));
    }
    CHECK(seen_to_end == expected_to_end);
    REQUIRE(contacts.size() == touching.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const PairKey key = contacts.key(crowd.bodies, k);
      CHECK(touching.contains(key));
      CHECK(same_bits(contacts.geometry(k), expected_geometry(crowd, contacts.bodies(k), key.image)));
      CHECK(contacts.history[k].is_new == expected_to_begin.contains(key));
      across += contacts.geometry(k).branch_vector.norm() < (linear(crowd.bodies.position[contacts.bodies(k).b]) -
                                                             linear(crowd.bodies.position[contacts.bodies(k).a]))
                                                                    .norm() -
                                                                1.0
                    ? 1
                    : 0;
      with_wall += crowd.bodies.is_wall(contacts.bodies(k).b) ? 1 : 0;
    }
    begun += expected_to_begin.size();
    ended += expected_to_end.size();
    stayed += touching.size() - expected_to_begin.size();
    shake(crowd, dice, 0.3);
  }
  CHECK(begun > 200);
  CHECK(ended > 200);
  CHECK(stayed > 500);
  CHECK(across > 50);
  CHECK(with_wall > 20);
}

TEST_CASE("a hint, however bad, changes no bit of a result") {
  Dice dice(12);
  Crowd crowd = random_crowd(kPeriodicDomain, 30, dice);
  Contacts tracked;
  test::add_candidates(crowd.bodies, test::all_pairs_of(crowd.bodies), tracked, kNearImages);
  Contacts misled = tracked;
  Narrowphase narrowphase;
  std::size_t compared = 0;
  for (int step = 0; step < 20; ++step) {
    spoil_hints(misled, dice);
    for (Contacts* const each : {&tracked, &misled}) {
      narrowphase.detect(crowd.view(), *each);
      each->update(narrowphase.found(), narrowphase.apart());
    }
    REQUIRE(tracked.candidate == misled.candidate);
    for (std::size_t k = 0; k < tracked.size(); ++k) CHECK(same_bits(tracked.geometry(k), misled.geometry(k)));
    compared += tracked.size();
    shake(crowd, dice, 0.02);
  }
  CHECK(compared > 500);
}

TEST_CASE("far from the origin, overlaps have the same bits as near it") {
  Dice dice(13);
  Crowd near = random_crowd(kOpenDomain, 30, dice);
  for (Motion& position : near.bodies.position) {
    for (const int axis : {0, 1}) position[axis] = std::round(position[axis] * 0x1p25) * 0x1p-25;
  }
  Crowd far = near;
  for (Motion& position : far.bodies.position) position += Motion(0x1p20, -0x1p21, 0.0);  // without rounding
  Contacts contacts_near;
  test::add_candidates(near.bodies, test::all_pairs_of(near.bodies), contacts_near);
  Contacts contacts_far = contacts_near;
  Narrowphase narrowphase;
  for (auto& [crowd, contacts] : {std::pair(&near, &contacts_near), std::pair(&far, &contacts_far)}) {
    narrowphase.detect(crowd->view(), *contacts);
    contacts->update(narrowphase.found(), narrowphase.apart());
  }
  CHECK(contacts_near.size() > 15);
  REQUIRE(contacts_near.candidate == contacts_far.candidate);
  for (std::size_t k = 0; k < contacts_near.size(); ++k) {
    CHECK(same_bits(contacts_near.geometry(k), contacts_far.geometry(k)));
  }
}

TEST_CASE("a pair across a periodic side overlaps as its image does; two images of one body may touch at once") {
  Crowd crowd({.lo = {0.0, 0.0}, .hi = {2.0, 8.0}, .periodic = {true, false}});
  test::add_disk(crowd.bodies, 1, {0.25, 4.0}, 0.625);
  test::add_disk(crowd.bodies, 2, {1.25, 4.0}, 0.5);
  crowd.finish();
  Contacts contacts;
  test::add_candidates(crowd.bodies, {{0, 1}}, contacts, {{-1, 0}, {0, 0}, {1, 0}});
  Narrowphase narrowphase;
  for (const bool wrapped : {false, true}) {
    CAPTURE(wrapped);
    if (wrapped) {  // b has gone round once to the left: image numbers count from unwrapped positions
      crowd.bodies.image[1] = {-1, 0};
      contacts = {};
      test::add_candidates(crowd.bodies, {{0, 1}}, contacts, {{0, 0}, {1, 0}, {2, 0}});
    }
    narrowphase.detect(crowd.view(), contacts);
    contacts.update(narrowphase.found(), narrowphase.apart());
    REQUIRE(contacts.size() == 2);
    CHECK(contacts.geometry(0).branch_vector == Vec2(-1.0, 0.0));
    CHECK(contacts.geometry(0).overlap.depth == 0.125);
    CHECK(contacts.geometry(0).overlap.normal == Vec2(-1.0, 0.0));
    CHECK(contacts.geometry(1).branch_vector == Vec2(1.0, 0.0));
    CHECK(contacts.geometry(1).overlap.depth == 0.125);
    CHECK(contacts.geometry(1).overlap.normal == Vec2(1.0, 0.0));
    CHECK(contacts.geometry(1).depth_ratio == 0.125);
  }
}

TEST_CASE("a contact begins once and ends once; disks that touch in a point do not overlap") {
  Crowd crowd(kOpenDomain);
  test::add_disk(crowd.bodies, 1, {1.0, 1.0}, 0.5);
  test::add_disk(crowd.bodies, 2, {1.75, 1.0}, 0.5);
  crowd.finish();
  Contacts contacts;
  test::add_candidates(crowd.bodies, {{0, 1}}, contacts);
  Narrowphase narrowphase;
  const auto found = [&] {
    narrowphase.detect(crowd.view(), contacts);
    std::size_t sum = 0;
    for (const auto& list : narrowphase.found()) sum += list.size();
    return sum;
  };
  CHECK(found() == 1);
  CHECK(contacts.update(narrowphase.found(), narrowphase.apart()).empty());
  CHECK(found() == 0);
  CHECK(contacts.update(narrowphase.found(), narrowphase.apart()).empty());
  CHECK(contacts.size() == 1);
  crowd.bodies.position[1].x() = 2.0;  // the disks touch in a point, which is no overlap
  crowd.placement.update(crowd.bodies);
  CHECK(found() == 0);
  CHECK(contacts.update(narrowphase.found(), narrowphase.apart()).size() == 1);
  CHECK(contacts.size() == 0);
  CHECK(found() == 0);
}

TEST_CASE("the same contacts, hints and jumps of chords for 1 to 4 threads") {
  constexpr int kSteps = 12;
  const auto run = [&](int threads) {
    Dice dice(14);
    Crowd crowd = random_crowd(kPeriodicDomain, 60, dice);
    Contacts contacts;
    test::add_candidates(crowd.bodies, test::all_pairs_of(crowd.bodies), contacts, {{0, 0}, {1, 0}});
    Narrowphase narrowphase;
    std::uint64_t jumps = 0;
    Threads(threads).run([&] {
      for (int step = 0; step < kSteps; ++step) {
        narrowphase.detect(crowd.view(), contacts);
        jumps += narrowphase.chord_jumps();
        contacts.update(narrowphase.found(), narrowphase.apart());
        shake(crowd, dice, 0.02);
      }
    });
    return std::pair(contacts, jumps);
  };
  const auto [one, jumps_of_one] = run(1);
  CHECK(one.candidates.size() > 8 * 256);  // the loop is really shared
  CHECK(one.size() > 50);
  CHECK(jumps_of_one > 0);
  for (const int threads : {2, 3, 4}) {
    CAPTURE(threads);
    const auto [more, jumps] = run(threads);
    CHECK(jumps == jumps_of_one);
    REQUIRE(more.candidate == one.candidate);
    for (std::size_t k = 0; k < one.size(); ++k) {
      CHECK(same_bits(more.geometry(k), one.geometry(k)));
      CHECK(more.axes[k].chord == one.axes[k].chord);
    }
    for (std::size_t k = 0; k < one.candidates.size(); ++k) {
      CHECK(more.candidates.hint[k] == one.candidates.hint[k]);
    }
  }
}

TEST_CASE(
    "regions are taken once each, of what touches now; where they are not kept they are renewed with the same bits") {
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    Dice dice(15);
    Crowd crowd = random_crowd(kPeriodicDomain, 60, dice);
    Contacts contacts;
    test::add_candidates(crowd.bodies, test::all_pairs_of(crowd.bodies), contacts, {{0, 0}, {1, 0}});
    Narrowphase narrowphase;
    std::size_t waited = 0;
    std::size_t at_once = 0;
    for (int step = 0; step < 30; ++step) {
      const bool are_kept = step % 3 == 2;
      are_kept ? contacts.keep_regions() : contacts.drop_regions();
      std::mutex mutex;
      const std::vector<ContactAxes> before = contacts.axes;
      std::vector<PairKey> taken;
      const auto take = [&](const RegionWindow& window) {
        const std::lock_guard lock(mutex);
        for (std::uint32_t k = window.first; k < window.last; ++k) {
          taken.push_back(contacts.key(crowd.bodies, k));
          CHECK(same_bits(geometry_of(window[k], contacts.axes[k]),
                          expected_geometry(crowd, contacts.bodies(k), taken.back().image)));
        }
      };
      std::vector<std::uint32_t> seen;
      const auto see = [&](std::uint32_t first, std::uint32_t last) {
        const std::lock_guard lock(mutex);
        for (; first < last; ++first) {
          seen.push_back(first);
          CHECK(contacts.axes[first].normal == before[first].normal);
          CHECK(contacts.axes[first].branch_vector == before[first].branch_vector);
        }
      };
      Threads(threads).run([&] {
        narrowphase.detect(crowd.view(), {.before = see, .take = take}, contacts);
        at_once += taken.size();
        contacts.update(narrowphase.found(), narrowphase.apart());
        waited -= taken.size();
        narrowphase.take_rest(take, contacts);
        waited += taken.size();
      });
      std::ranges::sort(seen);
      REQUIRE(seen.size() == before.size());
      for (std::uint32_t k = 0; k < seen.size(); ++k) CHECK(seen[k] == k);
      std::ranges::sort(taken);
      REQUIRE(taken.size() == contacts.size());
      for (std::size_t k = 0; k < contacts.size(); ++k) CHECK(taken[k] == contacts.key(crowd.bodies, k));
      CHECK(contacts.have_regions() == are_kept);
      renew_regions(crowd.bodies, crowd.placement, contacts);
      for (std::size_t k = 0; k < contacts.size(); ++k) {
        CHECK(same_bits(contacts.geometry(k),
                        expected_geometry(crowd, contacts.bodies(k), contacts.key(crowd.bodies, k).image)));
      }
      shake(crowd, dice, step % 2 == 0 ? 0.02 : 1e-6);
    }
    CHECK(waited > 300);
    CHECK(at_once > 300);
  }
}

}  // namespace scree::narrowphase_test
