#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/lanes/kernels.hpp"
#include "dem/hard/lanes/kernels.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "dem/soft/ranks/ranked_simulation.hpp"
#include "dem/soft/ranks/subdomain.hpp"
#include "dem/soft/simulation.hpp"
#include "dem/state_values.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/scene/scene_reader.hpp"
#include "parallel/lane_width.hpp"
#include "parallel/ranks.hpp"
#include "tests/scenes.hpp"

namespace scree::golden_test {

/// Trajectories to the last bit, tables and frames to the last digit: the same for every compiler, build type, number
/// of threads, of ranks and broadphase, and across save and load. A change of the code that is meant to change no
/// result changes no number here. A change that is meant to change results renews them, in a commit that says why: the
/// test prints the new ones as they are to be pasted.

namespace {

/// What came of a scene, looked at several times.
struct Numbers {
  std::uint64_t state = 0;   ///< what decides the future
  std::uint64_t tables = 0;  ///< summaries, departures, and the sums that measurements are made of
  std::uint64_t frames = 0;  ///< what a frame shows

  bool operator==(const Numbers&) const = default;
};

struct Golden {
  const char* scene;
  Numbers numbers;
};

// Scenes with a written step, and of the hard mode, which has none.
constexpr Golden kGolden[] = {
    {"heap", {0x3f529c4bd6c07240, 0xfcd1875a19fbf878, 0x5d5b2980fb0c1cb6}},
    {"hopper", {0x0eb3cbfc4124c1b2, 0xffaa44f683351bdb, 0x314322c40aaffca6}},
    {"drum", {0xb82b6956d4e91078, 0x6efe8c18ec8fda11, 0x9015629575ab5aa4}},
    {"shear", {0xbbba90e8eadea5ed, 0x2155a74b2b03c034, 0x2a5a09e79230c5e4}},
    {"rolling_disks", {0x96e71a283c9aee2a, 0x9675544fd9c0568e, 0xb4b9833aed662790}},
    {"mixed_shapes", {0x5ba9148d4d306420, 0x2eae12ae7801fd31, 0xd14b18348ce2e628}},
    {"crowd", {0x1a02cb87a69b1e41, 0xa2b38e88db4c5406, 0x6056a08b2d400401}},
    {"gas", {0x488ce4259055653a, 0x61c646236b45c3c1, 0x8a713856ea0ec74a}},
    {"shaker", {0x464f50fca43c8d1d, 0xb189f7fb61b606b8, 0x04332a17414cc52a}},
    {"growth", {0x13bfa16890ca588f, 0xc0049d573fa45d20, 0xbf948045f4900018}},
    {"wells", {0x88ccb0d50bb88103, 0x09794337f6be7c96, 0xb1a98a2fc3810f1b}},
    {"poured_disks", {0x2f692e7b01a5d5ff, 0xba8d2951635218f0, 0xd935a4145e263bc3}},
    {"many_corners", {0xf75262b0cfa0cfc1, 0x5789f9e5f275db62, 0x57a0d60b4a9b612b}},
    {"reversal", {0x6bb59ee2c1a0088d, 0xab34acd4ae926e9d, 0x1450ffd06610b787}},
    {"hard_squares", {0xbde877419ba07e69, 0x14f1dafd64157807, 0xdfb8eb8489ac73a6}},
    {"hard_polygons", {0x05cf473df934b92e, 0x1b46caf2ee3db769, 0x294b6fc6c6d49db7}},
};

// Some of them with the automatic step. Renewed, with a reason, when the automatic step changes.
constexpr Golden kGoldenWithAutomaticStep[] = {
    {"heap", {0xa473f76b2b66e3fe, 0x33c0e6d1bb87e888, 0x107ecf8d3df0ac60}},
    {"drum", {0x4d9da27b909dd604, 0xbcd6b2383636c4d5, 0xcf2b9e4a127ee07b}},
    {"rolling_disks", {0x3ad135420bbd46c4, 0x1bd5845c22f8f90f, 0x5d636968577f91b9}},
};

// Of the state of the scene "crowd" at its end, as run.json has it: tests/app/ranks.py looks for it.
constexpr std::string_view kCrowdAtItsEnd = "f3974b60191866c1";

std::ostream& operator<<(std::ostream& out, const Golden& golden) {
  std::array<char, 200> line;
  std::snprintf(line.data(), line.size(), "{\"%s\", {0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016" PRIx64 "}},",
                golden.scene, golden.numbers.state, golden.numbers.tables, golden.numbers.frames);
  return out << line.data();
}

/// Of numbers in their order, bit by bit.
class Digest {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (add(values), ...);
  }
  std::uint64_t value() const { return combined(hash_); }

 private:
  void add_bits(std::uint64_t bits) {
    StateValues one;
    one.add(Quantity::run, {.body = ++count_}, bits, hash_[0].sum);
    hash_[0] = one.hashes()[0];
  }
  void add(double value) { add_bits(std::bit_cast<std::uint64_t>(value)); }
  void add(std::integral auto value) { add_bits(static_cast<std::uint64_t>(value)); }
  void add(const Vec2& value) { add(value.x()), add(value.y()); }
  void add(const Eigen::Matrix2d& m) { add(m(0, 0)), add(m(0, 1)), add(m(1, 0)), add(m(1, 1)); }
  template <class Range>
  requires requires(const Range& range) { range.begin() != range.end(); }
  void add(const Range& values) {
    add(values.size());
    for (const auto& value : values) add(value);
  }

  std::uint64_t count_ = 0;
  StateHash hash_ = {};
};

void add(Digest& digest, const Summary& s) {
  digest(s.time, s.particles, s.particles_in, s.particles_out, s.particles_owed, s.contacts, s.coordination);
  digest(s.kinetic_energy, s.potential_energy, s.elastic_energy, s.elastic_energy_tangential, s.dissipated_damping);
  digest(s.dissipated_friction, s.dissipated_rolling, s.dissipated_law, s.wall_work, s.energy_in, s.energy_out);
  digest(s.energy_throughput, s.energy_residual, s.packing_fraction, s.reduced_pressure, s.max_depth);
  digest(s.max_depth_ratio, s.chord_jumps);
}

void add(Digest& digest, const Departure& d) {
  digest(d.time, d.id, d.type, d.mass, d.position, d.velocity, d.angular_velocity);
}

void add(Digest& digest, const Transfers& transfers) {
  for (const LayerTransfer& layer : transfers.layers()) {
    digest(layer.collisions, layer.wall_collisions, layer.virial, layer.wall_virial);
  }
  for (const WallTransfer& wall : transfers.walls()) digest(wall.impulse, wall.angular_impulse);
  const auto add_numbers = [&](const auto&... numbers) { digest(numbers...); };
  LogHistogram::visit(add_numbers, transfers.free_path());
  LogHistogram::visit(add_numbers, transfers.free_time());
}

void add(Digest& digest, const State& state) {
  digest(state.time, state.step);
  const ParticleState& p = state.particles;
  digest(p.id, p.type, p.material, p.radius, p.mass, p.inertia, p.position, p.image, p.angle, p.velocity);
  digest(p.angular_velocity, p.force, p.torque, p.coordination, p.outlines.first, p.outlines.vertices);
  const WallState& w = state.walls;
  digest(w.id, w.material, w.velocity, w.angular_velocity, w.force, w.torque, w.outlines.first, w.outlines.vertices);
  for (const std::string& name : w.name) digest(std::string_view(name));
  for (const ContactState& c : state.contacts) {
    digest(c.id1, c.id2, c.centre1, c.point, c.centre2, c.image_shift, c.force, c.force_normal, c.force_tangential);
    digest(c.overlap, c.depth, c.sliding);
  }
}

/// How a scene is run, which is to change nothing.
struct Manner {
  int threads = 1;
  BroadphaseKind broadphase = BroadphaseKind::automatic;
  bool interrupted = false;  ///< saved half-way and loaded into another simulation, which goes on
};

/// What happened, to see that a scene is worth it.
struct Events {
  std::uint64_t contacts = 0;
  std::uint64_t sliding = 0;
  std::uint64_t across = 0;  ///< contacts across a periodic side
  std::uint64_t walls_gone = 0;
  Summary last = {};
  StateHash last_state = {};
  std::vector<Numbers> numbers_so_far = {};  ///< after each look
};

constexpr int kLooks = 8;

/// @param looks at how many of kLooks moments, from the start on
template <AnySimulation S, class Make>
Numbers run(const Scene& scene, const Make& make, bool interrupted, int looks, Events& events) {
  Digest states;
  Digest tables;
  Digest frames;
  auto simulation = make();
  for (int k = 1; k <= looks; ++k) {
    simulation->advance_to(scene.end * k / kLooks);
    StateValues values;
    simulation->list_values(values);
    events.last_state = values.hashes();
    states(combined(events.last_state));
    add(tables, simulation->summary());
    for (const Departure& departure : simulation->take_departures()) add(tables, departure);
    add(tables, simulation->transfers());
    const State state = simulation->state();
    add(frames, state);
    for (const ContactState& contact : state.contacts) {
      ++events.contacts;
      if (contact.sliding) ++events.sliding;
      if (!contact.image_shift.isZero()) ++events.across;
    }
    events.walls_gone = scene.walls.size() - state.walls.size();
    events.numbers_so_far.push_back({states.value(), tables.value(), frames.value()});
    if (interrupted && k == kLooks / 2) {
      std::stringstream file;
      simulation->save(file);
      simulation = make();
      simulation->load(file);
    }
  }
  events.last = simulation->summary();
  return events.numbers_so_far.back();
}

Scene scene_called(const std::string& name) {
  return read_scene(std::string(SCREE_GOLDEN_SCENES) + "/" + name + ".yaml");
}

Numbers run(const Scene& scene, const Manner& manner, Events& events) {
  if (scene.mode == Mode::hard) {
    const auto make = [&] { return std::make_unique<hard::SceneSimulation>(scene, manner.broadphase); };
    return run<hard::SceneSimulation>(scene, make, manner.interrupted, kLooks, events);
  }
  const auto make = [&] {
    return std::make_unique<soft::Simulation>(
        scene, soft::Options{.threads = manner.threads, .broadphase = manner.broadphase});
  };
  return run<soft::Simulation>(scene, make, manner.interrupted, kLooks, events);
}

Numbers run(const Scene& scene, const Manner& manner = {}) {
  Events ignored;
  return run(scene, manner, ignored);
}

/// A scene of the soft mode, which several ranks, threads of this process, advance. @param looks see above
Numbers run_on_ranks(const Scene& scene, int ranks, const soft::Sharing& sharing, int looks) {
  Numbers numbers;
  run_as_ranks(ranks, [&](Ranks& self) {
    const soft::Options options{.threads = 1};
    if (self.rank() > 0) return soft::Subdomain(scene, options, self, sharing, nullptr).serve();
    const auto make = [&] { return std::make_unique<soft::RankedSimulation>(scene, options, self, sharing); };
    Events ignored;
    numbers = run<soft::RankedSimulation>(scene, make, /*interrupted=*/false, looks, ignored);
    soft::Subdomain::end(self);
  });
  return numbers;
}

constexpr int kRanks[] = {1, 2, 3, 4, 8};
// Owners and domains are renewed when they must be, or in every step.
constexpr soft::Sharing kSharings[] = {{}, {.renew_in_every_step = true, .rebalance_always = true}};

struct Outcome {
  Numbers numbers;
  Events events;
};

/// Of a scene run once, in the simplest manner.
const Outcome& outcome_of(const std::string& name) {
  static std::map<std::string, Outcome> all;
  const auto [place, is_new] = all.try_emplace(name);
  Outcome& outcome = place->second;
  if (is_new) outcome.numbers = run(scene_called(name), {}, outcome.events);
  return outcome;
}

void check(const Golden& golden, const Numbers& numbers) {
  INFO("found: ", Golden{golden.scene, numbers});
  CHECK(numbers.state == golden.numbers.state);
  CHECK(numbers.tables == golden.numbers.tables);
  CHECK(numbers.frames == golden.numbers.frames);
}

}  // namespace

TEST_CASE("no bit of any trajectory, table or frame has changed") {
  for (const Golden& golden : kGolden) check(golden, outcome_of(golden.scene).numbers);
  CHECK(hash_text(outcome_of("crowd").events.last_state) == kCrowdAtItsEnd);
}

TEST_CASE("the same with the automatic step" * doctest::skip(test::kSanitized)) {
  for (const Golden& golden : kGoldenWithAutomaticStep) {
    Scene scene = scene_called(golden.scene);
    REQUIRE(scene.soft.step);
    scene.soft.step.reset();
    check(golden, run(scene));
  }
}

TEST_CASE("the same with any number of threads, any broadphase, lanes of any width, and after save and load") {
  const auto use_lanes = [](int width) {  // where the processor has them
    soft::lanes::use_lanes(width);
    hard::lanes::use_lanes(width);
    box_lanes::use_lanes(width);
  };
  const int widths[] = {1, 2, 4, 8};
  constexpr auto kKinds = kBroadphaseNames.size();
  for (std::size_t k = 0; k < std::size(kGolden); ++k) {
    const std::string name = kGolden[k].scene;
    // The crowd is large enough for loops to split: it goes on any number of threads, with all broadphases.
    const bool is_crowd = name == "crowd";
    const std::size_t manners = test::kSanitized ? (is_crowd ? 1 : 0) : is_crowd ? kKinds : 2;
    for (std::size_t m = 0; m < manners; ++m) {
      const Scene scene = scene_called(name);
      const Manner manner{.threads = scene.mode == Mode::soft ? 1 + static_cast<int>((k + m + 1) % 4) : 1,
                          .broadphase = static_cast<BroadphaseKind>((k + 3 * m + 1) % kKinds),
                          .interrupted = m % 2 == 0};
      CAPTURE(name);
      CAPTURE(manner.threads);
      CAPTURE(kBroadphaseNames[static_cast<std::size_t>(manner.broadphase)]);
      CAPTURE(manner.interrupted);
      const int width = widths[(k + 2 * m) % std::size(widths)];
      CAPTURE(width);
      use_lanes(width);
      CHECK(run(scene, manner) == kGolden[k].numbers);
    }
  }
  use_lanes(lane_width());
}

TEST_CASE("the same on several ranks: a large scene, and the beginnings of the others") {
  for (std::size_t k = 0; k < std::size(kGolden); ++k) {
    const std::string name = kGolden[k].scene;
    const Scene scene = scene_called(name);
    if (scene.mode != Mode::soft) continue;
    const bool is_crowd = name == "crowd";
    if (test::kSanitized && !is_crowd) continue;
    const int looks = is_crowd && !test::kSanitized ? kLooks : 1;
    const int ranks = is_crowd ? 8 : kRanks[k % 4];
    CAPTURE(name);
    CAPTURE(ranks);
    const Numbers expected = outcome_of(name).events.numbers_so_far[static_cast<std::size_t>(looks) - 1];
    CHECK(run_on_ranks(scene, ranks, kSharings[k % 2], looks) == expected);
  }
}

// A minute: a test of its own, golden_ranks.
TEST_CASE("every soft scene on all numbers of ranks" * doctest::skip()) {
  for (std::size_t k = 0; k < std::size(kGolden); ++k) {
    const Scene scene = scene_called(kGolden[k].scene);
    if (scene.mode != Mode::soft) continue;
    for (std::size_t r = 0; r < std::size(kRanks); ++r) {
      INFO("scene: ", kGolden[k].scene);
      CAPTURE(kRanks[r]);
      CHECK(run_on_ranks(scene, kRanks[r], kSharings[(k + r) % 2], kLooks) == kGolden[k].numbers);
    }
  }
}

TEST_CASE("each scene contains the events that it is meant to test") {
  const auto events_in = [](const char* name) { return outcome_of(name).events; };
  const Events heap = events_in("heap");
  CHECK(heap.sliding > 10);
  CHECK(heap.last.particles_in > 100);
  CHECK(heap.last.particles_in < 200);  // still pouring
  CHECK(heap.last.particles_out > 10);
  const Events hopper = events_in("hopper");
  CHECK(hopper.walls_gone == 1);
  CHECK(hopper.last.particles_out > 10);
  CHECK(hopper.sliding > 10);
  const Events drum = events_in("drum");
  CHECK(drum.sliding > 10);
  CHECK(drum.last.wall_work > 0.01);  // J
  const Events shear = events_in("shear");
  CHECK(shear.across > 3);
  CHECK(shear.sliding > 20);
  const Events rolling = events_in("rolling_disks");
  CHECK(rolling.last.dissipated_rolling > 1e-4);  // J
  CHECK(rolling.contacts > 50);
  CHECK(rolling.sliding > 5);
  const Events mixed = events_in("mixed_shapes");
  CHECK(mixed.contacts > 8);
  CHECK(mixed.last.dissipated_friction > 1e-3);  // J
  const Events crowd = events_in("crowd");
  CHECK(crowd.last.particles > 1000);
  CHECK(crowd.contacts > 512);
  CHECK(crowd.walls_gone == 1);
  CHECK(events_in("growth").last.coordination > 3.0);                // jammed
  CHECK(std::abs(events_in("wells").last.potential_energy) > 0.01);  // J
  const Events poured = events_in("poured_disks");
  CHECK(poured.last.particles_in == 150);
  CHECK(poured.last.particles_out > 10);
  CHECK(poured.walls_gone == 1);
  for (const char* name : {"gas", "shaker", "poured_disks"}) {
    CAPTURE(name);
    CHECK(events_in(name).last.dissipated_friction > 0.0);
  }
}

TEST_CASE("one velocity that differs in its last digit changes the numbers") {
  for (const char* name : {"crowd", "gas"}) {
    Scene scene = scene_called(name);
    const Numbers before = outcome_of(name).numbers;
    auto& jitter = std::get<Fill>(scene.particles.back().how).jitter;
    jitter = std::nextafter(jitter, 2.0 * jitter);
    const Numbers after = run(scene);
    CHECK(after.state != before.state);
    CHECK(after.tables != before.tables);
    CHECK(after.frames != before.frames);
  }
}

}  // namespace scree::golden_test
