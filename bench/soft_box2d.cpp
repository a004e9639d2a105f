// Box2D beside the soft mode (bench/soft_peers.py): random 5- to 8-gons settled in a box of the same width as
// bench_soft's, particle-steps a second on one thread.
//
//   soft_box2d GRAINS
//
// Box2D's grains are rigid and its steps are impulses: 60 a second, 8 iterations for velocities and 3 for positions, as
// its manual recommends. It is made for objects of 0.1 to 10 m, so that grains have a size of about 1 m.

#include <algorithm>
#include <box2d/box2d.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

namespace {

constexpr int kRows = 16;
constexpr float kPitch = 1.6F;  // m
constexpr float kStep = 1.0F / 60.0F;

void add_wall(b2World& world, b2Vec2 centre, float half_width, float half_height) {
  b2BodyDef definition;
  definition.position = centre;
  b2PolygonShape box;
  box.SetAsBox(half_width, half_height);
  world.CreateBody(&definition)->CreateFixture(&box, 0.0F);
}

void add_grain(b2World& world, b2Vec2 at, std::mt19937& random) {
  const auto between = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  const int count = std::uniform_int_distribution<int>(5, 8)(random);
  const float radius = between(0.4F, 0.6F);
  const float turn = between(0.0F, 2.0F * std::numbers::pi_v<float>);
  std::vector<b2Vec2> vertices;
  for (int k = 0; k < count; ++k) {
    const float jitter = between(-0.3F, 0.3F);
    const float angle =
        turn + 2.0F * std::numbers::pi_v<float> * (static_cast<float>(k) + jitter) / static_cast<float>(count);
    vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  b2PolygonShape polygon;
  polygon.Set(vertices.data(), count);
  b2BodyDef definition;
  definition.type = b2_dynamicBody;
  definition.position = at;
  b2FixtureDef fixture;
  fixture.shape = &polygon;
  fixture.density = 1.0F;
  fixture.friction = 0.4F;
  fixture.restitution = 0.0F;
  world.CreateBody(&definition)->CreateFixture(&fixture);
}

int touching(const b2World& world) {
  int count = 0;
  for (const b2Contact* contact = world.GetContactList(); contact != nullptr; contact = contact->GetNext()) {
    const bool with_wall = contact->GetFixtureA()->GetBody()->GetType() == b2_staticBody ||
                           contact->GetFixtureB()->GetBody()->GetType() == b2_staticBody;
    if (contact->IsTouching()) count += with_wall ? 1 : 2;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const int grains = argc == 2 ? std::atoi(argv[1]) : 0;
  if (grains < 1) {
    std::fprintf(stderr, "soft_box2d: GRAINS\n");
    return 2;
  }
  const int columns = std::max(4, grains / kRows);
  const float width = kPitch * static_cast<float>(columns);
  const float height = kPitch * static_cast<float>((grains + columns - 1) / columns);
  b2World world({0.0F, -10.0F});
  world.SetAllowSleeping(false);
  add_wall(world, {0.5F * width, -1.0F}, 0.5F * width + 2.0F, 1.0F);
  add_wall(world, {-1.0F, height}, 1.0F, height + 2.0F);
  add_wall(world, {width + 1.0F, height}, 1.0F, height + 2.0F);
  std::mt19937 random(1);
  for (int k = 0; k < grains; ++k) {
    add_grain(world,
              {kPitch * (static_cast<float>(k % columns) + 0.5F), kPitch * (static_cast<float>(k / columns) + 0.5F)},
              random);
  }
  const auto steps = [&](int count) {
    for (; count > 0; --count) world.Step(kStep, 8, 3);
  };
  steps(900);  // 15 s
  const int chunk = std::max(2, 20000 / grains);
  std::vector<double> seconds;
  for (int k = 0; k < 9; ++k) {
    const auto start = std::chrono::steady_clock::now();
    steps(chunk);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / chunk);
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  std::printf("%.6g particle-steps/s, %.2f contacts a particle\n", grains / seconds[4],
              static_cast<double>(touching(world)) / grains);
}
