// Collisions that run backwards (docs/reversible.md): the experiments of K. S. Perumalla & V. A. Protopopescu,
// "Reversible simulations of elastic collisions", ACM TOMACS 23 (2013).
//
//   bench_reversible [restore] [states] [--collisions C] [--particles N ...] [--memory MIB] [--only VARIANT]
//
// restore  procedures 5 and 6: 3 000 000 collisions (or C) there and back, with both generators; the largest error of a
//          velocity. Exit status 1 if one is above 1e-9.
// states   figure 8: N particles (1000 10000 100000) fly, and at the end of each flight a random pair collides, 1000
//          times (or C); then all of it is rolled back, by reverse computation or by states that were saved:
//            SS1   saves positions and velocities of all particles
//            SS2   saves positions of all particles and the velocities of the pair
//            pair  saves the velocities of the pair only; positions fly back
//            RC    saves nothing: the collision is computed backwards (TwoInPlaneByRotation), positions fly back
//            RC-a  the same by angles (TwoInPlane)
//          Processor time of the best of five runs. States that need more memory than MIB (1024) are saved for as many
//          collisions as fit, rolled forth and back in turn.
// Both without a word.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numbers>
#include <string>
#include <vector>

#include "dem/hard/reversible/collisions.hpp"
#include "dem/hard/reversible/sequences.hpp"
#include "dem/random.hpp"

namespace scree::hard::reversible {
namespace {

struct Options {
  bool restore = false;
  bool states = false;
  int collisions = 0;
  std::vector<std::size_t> particles;
  double memory = 1024.0;  // MiB
  std::string only;
};

// --- procedures 5 and 6
// -----------------------------------------------------------------------------------------------

double length(double v) {
  return std::abs(v);
}
double length(const Vec2& v) {
  return v.norm();
}

template <class Procedure>
bool restore(const char* name, Procedure procedure, int collisions) {
  const auto start = procedure.velocities();
  const std::clock_t begin = std::clock();
  for (int k = 0; k < collisions; ++k) procedure.forward();
  const std::clock_t middle = std::clock();
  for (int k = 0; k < collisions; ++k) procedure.reverse();
  const std::clock_t end = std::clock();
  double error = 0.0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    error = std::max(error, length(procedure.velocities()[i] - start[i]));
  }
  const double each = 1e9 / CLOCKS_PER_SEC / collisions;
  const bool passed = error <= 1e-9;
  std::printf("%-34s %10d  %10.2e  %8.0f  %8.0f  %s\n", name, collisions, error,
              each * static_cast<double>(middle - begin), each * static_cast<double>(end - middle),
              passed ? "passed" : "FAILED");
  return passed;
}

bool restore_all(const Options& options) {
  const int collisions = options.collisions > 0 ? options.collisions : 3000000;
  const TwoInPlane::Velocities pair = {Vec2(-1.0, 0.3), Vec2(0.6, 0.5)};
  const ThreeOnLine::Velocities line = {1.5, 0.4, -0.7};
  std::puts("Procedures 5 and 6: collisions there and back\n");
  std::puts("                                   collisions       error  forward   reverse");
  std::puts("                                                    [m/s]  [ns per collision]");
  bool passed = restore("procedure 5, 2 in 2-D, Philox", Procedure5(pair, Vec2(1.0, 1.0), PhiloxStream(1)), collisions);
  passed &= restore("procedure 5, 2 in 2-D, four LCGs", Procedure5(pair, Vec2(1.0, 1.0), FourLcgs()), collisions);
  passed &= restore("procedure 6, 3 in 1-D, Philox", Procedure6(line, PhiloxStream(1)), collisions);
  passed &= restore("procedure 6, 3 in 1-D, four LCGs", Procedure6(line, FourLcgs()), collisions);
  std::puts("");
  return passed;
}

// --- figure 8
// ---------------------------------------------------------------------------------------------------------

/// Which pair collides when, along which line: the same for all variants, and not part of what is compared.
struct Meeting {
  std::size_t i;
  std::size_t j;
  double flight;  // [s]
  Vec2 line;
};

struct System {
  std::vector<Vec2> positions;
  std::vector<Vec2> velocities;

  void fly(double dt) {
    for (std::size_t k = 0; k < positions.size(); ++k) positions[k] += dt * velocities[k];
  }
};

System random_system(std::size_t n) {
  System system;
  Random random(1, 1, n);
  const auto next = [&] { return Vec2(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)); };
  for (std::size_t k = 0; k < n; ++k) {
    system.positions.push_back(next());
    system.velocities.push_back(next());
  }
  return system;
}

std::vector<Meeting> random_meetings(std::size_t n, int count) {
  std::vector<Meeting> meetings;
  Random random(1, 2, n);
  for (int k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(n) - 1));
    const auto other = static_cast<std::size_t>(random.integer(0, static_cast<int>(n) - 2));
    const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
    meetings.push_back({i, other + (other >= i), random.uniform(0.0, 1e-3), {std::cos(angle), std::sin(angle)}});
  }
  return meetings;
}

/// r21 before a collision has to point against the relative velocity, after it along it.
template <class Contact>
Contact contact(const Meeting& meeting, const System& system, double sign) {
  const Vec2 relative = system.velocities[meeting.i] - system.velocities[meeting.j];
  return Contact({1.0, 1.0}, std::copysign(1.0, sign * meeting.line.dot(relative)) * meeting.line);
}

template <class Contact, class Stream>
void collide_pair(const Meeting& meeting, System& system, Stream& stream) {
  auto& [i, j, flight, line] = meeting;
  const auto after =
      collide(contact<Contact>(meeting, system, -1.0), {system.velocities[i], system.velocities[j]}, stream);
  system.velocities[i] = after[0];
  system.velocities[j] = after[1];
}

template <class Contact, class Stream>
void uncollide_pair(const Meeting& meeting, System& system, Stream& stream) {
  auto& [i, j, flight, line] = meeting;
  const auto before =
      uncollide(contact<Contact>(meeting, system, 1.0), {system.velocities[i], system.velocities[j]}, stream);
  system.velocities[i] = before[0];
  system.velocities[j] = before[1];
}

/// Saves nothing.
struct ReverseComputation {
  static constexpr std::size_t bytes(std::size_t) { return 0; }
  explicit ReverseComputation(std::size_t, std::size_t) {}
  void save(const System&, const Meeting&) {}
};

/// Saves the velocities of the pair, and optionally positions, or positions and velocities, of all particles.
template <bool kPositions, bool kVelocities>
class States {
 public:
  static constexpr std::size_t bytes(std::size_t n) {
    return sizeof(Vec2) * ((kPositions ? n : 0) + (kVelocities ? n : 2));
  }
  States(std::size_t n, std::size_t collisions) : saved_(bytes(n) / sizeof(Vec2) * collisions), end_(saved_.data()) {}

  void save(const System& system, const Meeting& meeting) {
    if constexpr (kPositions) end_ = std::copy(system.positions.begin(), system.positions.end(), end_);
    if constexpr (kVelocities) {
      end_ = std::copy(system.velocities.begin(), system.velocities.end(), end_);
    } else {
      *end_++ = system.velocities[meeting.i];
      *end_++ = system.velocities[meeting.j];
    }
  }
  void restore(System& system, const Meeting& meeting) {
    end_ -= bytes(system.positions.size()) / sizeof(Vec2);
    const Vec2* from = end_;
    if constexpr (kPositions) {
      std::copy_n(from, system.positions.size(), system.positions.begin());
      from += system.positions.size();
    }
    if constexpr (kVelocities) {
      std::copy_n(from, system.velocities.size(), system.velocities.begin());
    } else {
      system.velocities[meeting.i] = from[0];
      system.velocities[meeting.j] = from[1];
    }
  }

 private:
  std::vector<Vec2> saved_;
  Vec2* end_;
};

/// The state saved is that before the flight, except the pair's velocities alone, which are the same before and after.
template <class Contact, class Memory>
[[gnu::noinline]] void forward(System& system, const Meeting* begin, const Meeting* end, Memory& memory,
                               PhiloxStream& stream) {
  for (const Meeting* meeting = begin; meeting != end; ++meeting) {
    memory.save(system, *meeting);
    system.fly(meeting->flight);
    collide_pair<Contact>(*meeting, system, stream);
  }
}

template <class Contact, class Memory>
[[gnu::noinline]] void rollback(System& system, const Meeting* begin, const Meeting* end, Memory& memory,
                                PhiloxStream& stream) {
  for (const Meeting* meeting = end; meeting-- != begin;) {
    if constexpr (std::is_same_v<Memory, ReverseComputation>) {
      uncollide_pair<Contact>(*meeting, system, stream);
      system.fly(-meeting->flight);
    } else {
      memory.restore(system, *meeting);
      stream.previous();
      if constexpr (std::is_same_v<Memory, States<false, false>>) system.fly(-meeting->flight);
    }
  }
}

struct Times {
  double forward = 0.0;  // [ms]
  double rollback = 0.0;
  double error = 0.0;
  double total() const { return forward + rollback; }
};

template <class Contact, class Memory>
Times once(const System& start, const std::vector<Meeting>& meetings, double memory_limit) {
  const std::size_t each = Memory::bytes(start.positions.size());
  const std::size_t fit = each == 0 ? meetings.size() : static_cast<std::size_t>(memory_limit * 1048576.0) / each;
  const std::size_t span = std::clamp<std::size_t>(fit, 1, meetings.size());
  System system = start;
  PhiloxStream stream(1);
  Memory memory(start.positions.size(), span);
  Times times;
  for (std::size_t first = 0; first < meetings.size(); first += span) {
    const Meeting* begin = meetings.data() + first;
    const Meeting* end = meetings.data() + std::min(first + span, meetings.size());
    const std::clock_t t0 = std::clock();
    forward<Contact>(system, begin, end, memory, stream);
    const std::clock_t t1 = std::clock();
    rollback<Contact>(system, begin, end, memory, stream);
    const std::clock_t t2 = std::clock();
    times.forward += 1e3 * static_cast<double>(t1 - t0) / CLOCKS_PER_SEC;
    times.rollback += 1e3 * static_cast<double>(t2 - t1) / CLOCKS_PER_SEC;
  }
  for (std::size_t k = 0; k < start.positions.size(); ++k) {
    times.error = std::max(times.error, (system.positions[k] - start.positions[k]).norm());
    times.error = std::max(times.error, (system.velocities[k] - start.velocities[k]).norm());
  }
  return times;
}

template <class Contact, class Memory>
double variant(const char* name, std::size_t n, const std::vector<Meeting>& meetings, const Options& options) {
  if (!options.only.empty() && options.only != name) return HUGE_VAL;
  const System start = random_system(n);
  Times best;
  for (int k = 0; k < (options.only.empty() ? 5 : 1); ++k) {
    const Times now = once<Contact, Memory>(start, meetings, options.memory);
    if (k == 0 || now.total() < best.total()) best = now;
  }
  const double mebibytes = static_cast<double>(Memory::bytes(n)) * static_cast<double>(meetings.size()) / 1048576.0;
  std::printf("%8zu  %-5s  %9.3f  %9.3f  %9.3f  %10.2f  %9.1e%s\n", n, name, best.forward, best.rollback, best.total(),
              mebibytes, best.error, best.error <= 1e-9 ? "" : "  FAILED");
  std::fflush(stdout);
  return best.total();
}

void compare_with_states(const Options& options) {
  const int collisions = options.collisions > 0 ? options.collisions : 1000;
  std::printf("Figure 8: %d collisions of random pairs, forward and rolled back\n\n", collisions);
  std::puts("       N           forward   rollback      total       saved      error");
  std::puts("                      [ms]       [ms]       [ms]       [MiB]   [m, m/s]");
  for (const std::size_t n : options.particles) {
    const std::vector<Meeting> meetings = random_meetings(n, collisions);
    double saving = variant<TwoInPlaneByRotation, States<true, true>>("SS1", n, meetings, options);
    saving = std::min(saving, variant<TwoInPlaneByRotation, States<true, false>>("SS2", n, meetings, options));
    const double pair = variant<TwoInPlaneByRotation, States<false, false>>("pair", n, meetings, options);
    const double reverse = variant<TwoInPlaneByRotation, ReverseComputation>("RC", n, meetings, options);
    variant<TwoInPlane, ReverseComputation>("RC-a", n, meetings, options);
    if (options.only.empty()) {
      std::printf("          RC over the faster of SS1 and SS2: %.2f; over `pair`: %.2f\n\n", reverse / saving,
                  reverse / pair);
    }
  }
}

bool read(int argc, char** argv, Options& options) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const bool value = k + 1 < argc;
    if (word == "restore") {
      options.restore = true;
    } else if (word == "states") {
      options.states = true;
    } else if (word == "--collisions" && value) {
      options.collisions = std::atoi(argv[++k]);
    } else if (word == "--memory" && value) {
      options.memory = std::atof(argv[++k]);
    } else if (word == "--only" && value) {
      options.only = argv[++k];
    } else if (word == "--particles" && value) {
      while (k + 1 < argc && std::atoi(argv[k + 1]) > 1) options.particles.push_back(std::atoi(argv[++k]));
    } else {
      return false;
    }
  }
  if (!options.restore && !options.states) options.restore = options.states = true;
  if (options.particles.empty()) options.particles = {1000, 10000, 100000};
  return true;
}

}  // namespace
}  // namespace scree::hard::reversible

int main(int argc, char** argv) {
  using namespace scree::hard::reversible;
  Options options;
  if (!read(argc, argv, options)) {
    std::fputs(
        "usage: bench_reversible [restore] [states] [--collisions C] [--particles N ...] [--memory MIB] "
        "[--only SS1|SS2|pair|RC|RC-a]\n",
        stderr);
    return 2;
  }
  const bool restored = !options.restore || restore_all(options);
  if (options.states) compare_with_states(options);
  return restored ? 0 : 1;
}
