#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/lanes/views.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::soft_same_bits_test {

using soft::Simulation;
using test::Dice;

namespace {

// Enough for stones to collide, slide, come to rest and leave, and for the parallel loops to split. Under sanitizers,
// which take ten times as long, just enough.
constexpr double kEnd = test::kSanitized ? 0.012 : 0.03;  // s

Scene scene() {
  Scene scene = test::pouring_scene(60);
  scene.materials[0].stiffness = 3e6;
  scene.domain.lo.y() = 0.001;
  ParticleGroup crowd = {.how = Fill{.region = {{-0.12, 0.0}, {0.12, 0.25}}, .count = 240, .jitter = 1.5},
                         .material = 0,
                         .shape = RandomPolygon{{4, 8}, {1.0, 1.2}},
                         .size = {0.007, 0.009}};
  std::get<Pour>(scene.particles[0].how).region = {{-0.1, 0.27}, {0.1, 0.31}};
  scene.particles.push_back(crowd);
  scene.walls[0].until = 0.003;  // the bottom opens
  return scene;
}

StateHash run(const soft::Options& options, int pieces) {
  Simulation simulation(scene(), options);
  for (int k = 1; k <= pieces; ++k) {
    simulation.advance_to(kEnd * k / pieces);
    if (pieces > 1) {  // looking must not change anything
      (void)simulation.state();
      (void)simulation.summary();
      (void)simulation.take_departures();
    }
  }
  return test::state_hash(simulation);
}

std::ptrdiff_t sliding_contacts(const State& state) {
  return std::count_if(state.contacts.begin(), state.contacts.end(),
                       [](const auto& contact) { return contact.sliding; });
}

const StateHash& reference() {
  static const StateHash hash = run({.threads = 1}, 1);
  return hash;
}

}  // namespace

TEST_CASE("the reference run contains all kinds of events") {
  Simulation simulation(scene(), {.threads = 1});
  simulation.advance_to(kEnd);
  const Summary summary = simulation.summary();
  CHECK(summary.particles > 256);  // the parallel loops really split
  CHECK(summary.contacts > 15);
  CHECK(summary.particles_out > 0);
  CHECK(sliding_contacts(simulation.state()) > 5);
  CHECK(test::state_hash(simulation) == reference());
  Scene other = scene();
  other.seed += 1;
  Simulation different(other, {.threads = 1});
  different.advance_to(0.001);
  CHECK(test::state_hash(different) != reference());
}

TEST_CASE("the same bits for any number of threads") {
  for (const int threads : {2, 3, 4}) {
    CAPTURE(threads);
    CHECK(run({.threads = threads}, 1) == reference());
  }
}

TEST_CASE("the same bits for a crowd large enough for every stage to be shared among threads") {
  Scene crowd = test::empty_scene();
  crowd.gravity = {0.0, -9.81};
  crowd.walls = {test::floor_wall()};
  crowd.particles = {{.how = Fill{.region = {{-1.0, 0.0}, {1.0, 1.0}}, .count = 4000, .jitter = 2.0},
                      .material = 0,
                      .shape = RandomPolygon{{5, 8}, {1.0, 1.1}},
                      .size = {0.010, 0.011}}};
  StateHash hash_of_one;
  Summary summary_of_one;
  for (const int threads : {1, 2, 3, 4}) {
    CAPTURE(threads);
    Simulation simulation(crowd, {.threads = threads});
    simulation.advance_to(0.001);
    if (threads == 1) {
      CHECK(simulation.summary().contacts > 50);
      hash_of_one = test::state_hash(simulation);
      summary_of_one = simulation.summary();
    }
    CHECK(test::state_hash(simulation) == hash_of_one);
    CHECK(simulation.summary() == summary_of_one);
  }
}

TEST_CASE("the same bits with any broadphase" * doctest::skip(test::kThreadSanitizer)) {  // on one thread
  std::string saved_with_first;
  for (std::size_t k = 0; k < kBroadphaseNames.size(); ++k) {
    CAPTURE(kBroadphaseNames[k]);
    Simulation simulation(scene(), {.threads = 1, .broadphase = static_cast<BroadphaseKind>(k)});
    simulation.advance_to(kEnd);
    CHECK(test::state_hash(simulation) == reference());
    std::ostringstream saved;  // `automatic` chooses by the clock: what is saved must not tell
    simulation.save(saved);
    if (k == 0) saved_with_first = saved.str();
    CHECK(saved.view() == saved_with_first);
  }
}

TEST_CASE("the same bits whether records are asked for ahead of their use or not") {
  const auto disks = [] {
    Scene scene = soft_same_bits_test::scene();
    for (ParticleGroup& group : scene.particles) group.shape = Disk{};
    return scene;
  };
  const auto hash_of = [](const Scene& scene) {
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(kEnd);
    return test::state_hash(simulation);
  };
  const StateHash of_disks = hash_of(disks());
  const StateHash& usual = reference();
  const std::size_t kept = std::exchange(soft::kept_by_caches, 0);
  const bool are_same = run({.threads = 1}, 1) == usual && run({.threads = 2}, 1) == usual;
  const bool disks_are_same = hash_of(disks()) == of_disks;
  soft::kept_by_caches = kept;
  CHECK(are_same);
  CHECK(disks_are_same);
}

TEST_CASE("the same bits with any output interval") {
  CHECK(run({.threads = 1}, 7) == reference());
  CHECK(run({.threads = 2}, 60) == reference());
}

TEST_CASE("whoever looks after whichever step, random scenes are saved with the same bits, energies among them") {
  Dice dice(37);
  std::uint64_t departed = 0;
  std::uint64_t born = 0;
  std::uint64_t contacts = 0;
  for (int trial = 0; trial < (test::kSanitized ? 3 : 16); ++trial) {
    CAPTURE(trial);
    Scene random = scene();
    random.seed = 100 + static_cast<std::uint64_t>(trial);
    if (dice.below(2) == 0) random.particles[1].shape = Disk{};
    if (dice.below(2) == 0) random.materials[0].rolling_friction = 0.1;
    if (dice.below(2) == 0) random.contact_law = "area_potential";
    if (dice.below(2) == 0) random.walls[1].velocity = {0.2, 0.0};
    if (dice.below(2) == 0) random.soft.local_damping = 0.2;
    random.walls[0].until = dice.between(1e-4, 4e-3);
    random.gravity = {0.0, -200.0};  // soon some leave
    if (dice.below(2) == 0) {
      Material changed = random.materials[0];
      changed.friction = 0.1;
      random.soft.stages = {{.name = "first", .end = dice.between(1e-3, 3e-3)},
                            {.name = "second", .end = 1.0, .materials = {{0, changed}}}};
    }
    const bool pushes = dice.below(2) == 0;
    const auto push = [&](Simulation& simulation) {
      const std::vector<std::uint64_t> some = {simulation.bodies().id[simulation.bodies().walls + 5]};
      const std::vector<Motion> velocity = {{0.1, 0.2, 3.0}};
      CHECK(!simulation.set_velocities(some, velocity));
    };
    Simulation alone(random, {.threads = 1});
    Simulation seen(random, {.threads = 1 + trial % 2});
    constexpr std::uint64_t kSteps = test::kSanitized ? 300 : 1000;
    const std::uint64_t middle = 100 + dice.below(kSteps - 100);
    alone.advance_to(1.0, middle);
    if (pushes) push(alone);
    alone.advance_to(1.0, kSteps - middle);
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      seen.advance_to(1.0, 1);
      if (dice.below(2) == 0) (void)seen.summary();
      if (pushes && step == middle) push(seen);
    }
    std::ostringstream one;
    std::ostringstream other;
    alone.save(one);
    seen.save(other);
    CHECK(one.view() == other.view());
    const Summary summary = alone.summary();
    CHECK(summary == seen.summary());
    contacts += summary.contacts;
    departed += summary.particles_out;
    born += summary.particles_in;
  }
  CHECK(contacts > 0);
  CHECK(born > 0);
  CHECK((departed > 0 || test::kSanitized));
}

TEST_CASE("a run that is saved during a pour continues with the same bits as an uninterrupted one") {
  for (const double stop : {kEnd / 6.0, kEnd / 2.0}) {
    CAPTURE(stop);
    std::stringstream file;
    {
      Simulation first(scene(), {.threads = 2});
      first.advance_to(stop);
      CHECK(first.summary().particles_in < 300);  // the pour goes on
      CHECK(sliding_contacts(first.state()) > 0);
      first.save(file);
    }
    Simulation second(scene(), {.threads = 1});
    second.load(file);
    CHECK(std::abs(second.time() - stop) <= second.dt());
    std::ostringstream again;
    second.save(again);
    CHECK(again.view() == file.view());
    second.advance_to(kEnd);
    CHECK(test::state_hash(second) == reference());
  }
}

TEST_CASE("a simulation that has run on takes up another state, earlier or later, and goes on with the same bits") {
  Scene closed = scene();  // the same grains all the time, so that lists of both states have the same length
  closed.walls[0].until = {};
  closed.particles.erase(closed.particles.begin());
  for (const Scene& each : {scene(), closed}) {
    CAPTURE(each.particles.size());
    Simulation first(each, {.threads = 2});
    std::stringstream early;
    std::stringstream late;
    first.advance_to(kEnd / 3.0);
    const std::uint32_t particles = first.particles();
    first.save(early);
    first.advance_to(kEnd * 2.0 / 3.0);
    first.save(late);
    first.advance_to(kEnd);
    CHECK((first.particles() == particles) == (each.particles.size() == 1));
    for (const bool back : {true, false}) {
      CAPTURE(back);
      Simulation second(each, {.threads = 1});
      second.advance_to(back ? kEnd : kEnd / 6.0);
      CHECK(second.summary().contacts > 0);
      std::stringstream& file = back ? early : late;
      second.load(file);
      std::ostringstream again;
      second.save(again);
      CHECK(again.view() == file.view());
      second.advance_to(kEnd);
      CHECK(test::state_hash(second) == test::state_hash(first));
    }
  }
}

TEST_CASE(
    "the same bits with every option of the laws and another integrator, for any number of threads and across save and "
    "load") {
  for (const auto& laws : {std::pair{"area", "hertz"}, std::pair{"area_potential", "linear_unclipped"}}) {
    CAPTURE(laws.first);
    Scene options = scene();
    options.contact_law = laws.first;
    options.disk_law = laws.second;
    options.soft.integrator = Integrator::velocity_verlet;
    options.materials[0].dynamic_friction = 0.3;
    options.materials[0].rolling_friction = 0.05;
    options.materials[0].cohesion = 0.5;
    options.materials[0].tangential_damping = 0.1;
    options.materials[0].stiffness = 1e7;
    Material steel = options.materials[0];
    steel.name = "steel";
    options.materials.push_back(steel);
    options.pairs = {{.first = 0, .second = 1, .mixed = steel}};
    options.pairs[0].mixed.friction = 0.7;
    options.particles[0].shape = Disk{};
    options.particles[0].material = 1;
    const double end = 0.6 * kEnd;
    Simulation one(options, {.threads = 1});
    one.advance_to(end);
    CHECK(one.summary().contacts > 15);
    CHECK(sliding_contacts(one.state()) > 3);
    Simulation two(options, {.threads = 2});
    two.advance_to(0.5 * end);
    std::stringstream file;
    two.save(file);
    two.advance_to(end);
    CHECK(test::state_hash(two) == test::state_hash(one));
    CHECK(two.summary() == one.summary());
    Simulation again(options, {.threads = 1});
    again.load(file);
    again.advance_to(end);
    CHECK(test::state_hash(again) == test::state_hash(one));
    CHECK(again.summary() == one.summary());
  }
}

TEST_CASE("a state that was saved before the first step shows the same contacts and energies after loading") {
  Scene scene = test::empty_scene();
  scene.soft.initial_depth = 0.01;
  const double corner_to_corner = std::sqrt(2.0) * 0.01;  // m
  scene.particles = {test::placed(test::square(), test::size_of_square(0.01),
                                  {{.position = {0.0, 0.0}, .angle = 0.25 * std::numbers::pi},
                                   {.position = {0.999 * corner_to_corner, 0.0}, .angle = 0.25 * std::numbers::pi}})};
  Simulation first(scene, {.threads = 1});
  std::stringstream file;
  first.save(file);
  Simulation second(scene, {.threads = 1});
  second.load(file);
  CHECK(first.summary().contacts == 1);
  CHECK(second.summary().contacts == 1);
  CHECK(second.summary().elastic_energy == first.summary().elastic_energy);
}

TEST_CASE("a saved state that is cut off is refused") {
  std::stringstream file;
  Simulation simulation(scene(), {.threads = 1});
  simulation.advance_to(0.001);
  simulation.save(file);
  const std::string whole = file.str();
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    std::istringstream cut(whole.substr(0, length));
    Simulation other(scene(), {.threads = 1});
    CHECK_THROWS(other.load(cut));
  }
}

}  // namespace scree::soft_same_bits_test
