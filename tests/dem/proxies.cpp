#include "dem/proxies.hpp"

#include <set>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::proxies_test {

using test::Dice;

namespace {

const Domain kDomain{.lo = {-1.0, 2.0}, .hi = {9.0, 10.0}, .periodic = {true, true}};

using Where = std::tuple<std::uint32_t, int, int>;  // body, periods along x and y from where it is now

void add_body(Bodies& bodies, std::uint64_t id) {
  bodies.add(id, 0, 0, 1.0, 1.0, 0.5, 0.5, {});
}

/// By the definition: an image is needed if it reaches into the closed domain; the body itself always.
std::set<Where> needed(const Bodies& bodies, const std::vector<Aabb2>& boxes, const Proxies& proxies,
                       const Domain& domain) {
  std::set<Where> all;
  const Periodic periodic(domain);
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    for (int x = -1; x <= 1; ++x) {
      for (int y = -1; y <= 1; ++y) {
        const bool none = (x != 0 && (!domain.periodic[0] || proxies.spans(body, 0))) ||
                          (y != 0 && (!domain.periodic[1] || proxies.spans(body, 1)));
        if (none) continue;
        const Aabb2 box = boxes[body].shifted(periodic.shift({x, y}));
        const bool reaches_x = x == 0 || (box.lo.x() <= domain.hi.x() && box.hi.x() >= domain.lo.x());
        const bool reaches_y = y == 0 || (box.lo.y() <= domain.hi.y() && box.hi.y() >= domain.lo.y());
        if (reaches_x && reaches_y) all.insert({body, x, y});
      }
    }
  }
  return all;
}

std::set<Where> present(const Bodies& bodies, const Proxies& proxies) {
  std::set<Where> all;
  for (ProxyId id = 0; id < proxies.size(); ++id) {
    const Proxy proxy = proxies[id];
    if (proxy.body == Proxies::kUnused) continue;
    const Image& wrapped = bodies.image[proxy.body];
    CHECK(all.insert({proxy.body, proxy.image[0] + wrapped[0], proxy.image[1] + wrapped[1]}).second);
  }
  return all;
}

void carry_out(const Proxies::ImageChanges& changes, Proxies& proxies) {
  for (const ProxyId id : changes.obsolete) proxies.release(id);
  for (const Proxy& proxy : changes.missing) proxies.add(proxy);
}

}  // namespace

TEST_CASE("images that have boxes are those that reach into the domain, as bodies move, are wrapped and leave") {
  for (const bool along_y : {true, false}) {
    CAPTURE(along_y);
    Domain domain = kDomain;
    domain.periodic[1] = along_y;
    Dice dice(5);
    Bodies bodies;
    Proxies proxies(domain);
    proxies.set_spans({{true, false}, {false, false}});
    std::vector<Aabb2> boxes;
    std::uint64_t next_id = 1;
    const auto add = [&] {
      add_body(bodies, next_id++);
      bodies.position.back() = {dice.between(-1.0, 9.0), dice.between(2.0, 10.0), 0.0};
      proxies.add({.body = bodies.size() - 1});
    };
    for (int k = 0; k < 25; ++k) add();
    bodies.walls = 2;
    std::size_t made = 0;
    std::size_t taken_away = 0;
    std::size_t wraps = 0;
    std::size_t corners = 0;
    for (int step = 0; step < 300; ++step) {
      boxes.clear();
      for (const Motion& position : bodies.position) {
        const Vec2 half(dice.between(0.05, 0.7), dice.between(0.05, 0.7));
        boxes.push_back({linear(position) - half, linear(position) + half});
        // A box that ends on a side to the last bit reaches it.
        if (dice.below(20) == 0) boxes.back().lo.x() = domain.lo.x();
        if (dice.below(20) == 0) boxes.back().hi.y() = domain.hi.y();
      }
      Proxies::ImageChanges changes;
      proxies.find_image_changes(bodies, boxes, changes);
      made += changes.missing.size();
      taken_away += changes.obsolete.size();
      carry_out(changes, proxies);
      const std::set<Where> expected = needed(bodies, boxes, proxies, domain);
      CHECK(present(bodies, proxies) == expected);
      for (const auto& [body, x, y] : expected) corners += x != 0 && y != 0 ? 1 : 0;
      proxies.find_image_changes(bodies, boxes, changes);
      CHECK(changes.missing.empty());
      CHECK(changes.obsolete.empty());

      if (step % 50 == 49) {
        std::vector<char> leaving(bodies.size(), 0);
        leaving[bodies.walls + dice.below(bodies.particles())] = 1;
        if (step == 149) leaving[0] = 1;  // the wall that spans the domain
        for (ProxyId id = 0; id < proxies.size(); ++id) {
          const std::uint32_t body = proxies[id].body;
          if (body != Proxies::kUnused && leaving[body]) proxies.release(id);
        }
        proxies.renumber(bodies.remove(leaving), bodies);
        CHECK(proxies.spans(0, 0) == (step < 149));
        add();
      }
      for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
        bodies.position[body] += Motion(dice.between(-0.4, 0.5), dice.between(-0.5, 0.4), 0.0);
      }
      const auto images_before = bodies.image;
      wrap(proxies.periodic(), bodies);
      for (std::size_t k = 0; k < images_before.size(); ++k) wraps += bodies.image[k] != images_before[k] ? 1 : 0;
    }
    CHECK(made > 500);
    CHECK(taken_away > 500);
    CHECK(wraps > 100);
    CHECK((corners > 20) == along_y);
  }
}

TEST_CASE("proxies follow their bodies in the arrays, and ids of released ones are used again") {
  Bodies bodies;
  Proxies proxies(kDomain);
  for (std::uint64_t id = 1; id <= 4; ++id) {
    add_body(bodies, 10 * id);
    proxies.add({.body = bodies.size() - 1, .image = {static_cast<std::int32_t>(id), 0}});
  }
  proxies.release(1);
  proxies.renumber(bodies.remove({0, 1, 0, 0}), bodies);
  CHECK(proxies[0].body == 0);
  CHECK(proxies[1].body == Proxies::kUnused);
  CHECK(proxies[2].body == 1);
  CHECK(proxies[3].body == 2);
  CHECK(proxies[3].image == Image{4, 0});
  CHECK(proxies.add({.body = 0, .image = {0, 1}}) == 1);
  CHECK(proxies.add({.body = 0, .image = {1, 1}}) == 4);
}

TEST_CASE("wrapping a body changes neither the place of its images nor the way to them") {
  Bodies bodies;
  add_body(bodies, 1);
  add_body(bodies, 2);
  bodies.position[0] = {8.75, 3.0, 0.0};
  bodies.position[1] = {-0.75, 9.75, 0.0};
  const Proxies proxies(kDomain);
  const Image seen = {1, -1};
  const Vec2 way = proxies.branch_vector(bodies, 0, 1, seen);
  CHECK(way == Vec2(0.5, -1.25));
  const Vec2 image_of_a = linear(bodies.position[0]) + proxies.shift({.body = 0, .image = {-1, 0}}, bodies);
  CHECK(image_of_a == Vec2(-1.25, 3.0));
  bodies.position[0].x() += 0.5;
  bodies.position[1].y() += 0.5;
  const Vec2 moved = proxies.branch_vector(bodies, 0, 1, seen);
  CHECK(moved == Vec2(0.0, -0.75));
  wrap(proxies.periodic(), bodies);
  CHECK(bodies.image[0] == Image{1, 0});
  CHECK(bodies.image[1] == Image{0, 1});
  CHECK(proxies.branch_vector(bodies, 0, 1, seen) == moved);
  CHECK(linear(bodies.position[0]) + proxies.shift({.body = 0, .image = {-1, 0}}, bodies) ==
        image_of_a + Vec2(0.5, 0.0));
}

TEST_CASE("a wall that spans the domain lies along that axis where it is, whatever its image") {
  Bodies bodies;
  add_body(bodies, 1);
  bodies.walls = 1;
  add_body(bodies, 2);
  bodies.position[0] = {4.0, 3.0, 0.0};
  bodies.position[1] = {0.0, 4.0, 0.0};
  bodies.image[1] = {3, 0};
  Proxies proxies(kDomain);
  CHECK(proxies.branch_vector(bodies, 1, 0, {0, 0}) == Vec2(-26.0, -1.0));
  proxies.set_spans({{true, false}});
  CHECK(proxies.branch_vector(bodies, 1, 0, {0, 0}) == Vec2(4.0, -1.0));
  CHECK(proxies.branch_vector(bodies, 1, 0, {0, 1}) == Vec2(4.0, 7.0));
}

}  // namespace scree::proxies_test
