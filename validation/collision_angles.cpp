// Angles of reversible collisions (docs/reversible.md), for validation/reversible.py.
//
//   collision_angles stream WHAT SEED          the angle after each collision as a 32-bit number, binary, to standard
//                                              output until its reader closes it; then the count to standard error
//   collision_angles counts WHAT SEED N BINS   numbers of collisions in BINS x BINS cells: before against after, then
//                                              offset against after; one line of CSV each row of cells
//
// WHAT: pair (procedure 5), line (procedure 6), arc (procedure 6 with offsets 2 pi G).

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "dem/hard/reversible/sequences.hpp"

namespace scree::hard::reversible {
namespace {

using std::numbers::pi;

/// The paper's section 5.2: an angle after a collision as a number in [0, 1).
double of_half_circle(double phi) {
  return (phi + 0.5 * pi) / pi;
}
double of_s1(double phi) {
  return (phi + 5.0 * pi / 6.0) / (pi / 3.0);
}

struct Fractions {
  double before;  ///< as the angle after a collision with reversed velocities
  double offset;
  double after;
};

double inside(double x) {
  return std::clamp(x, 0.0, 1.0 - 0x1p-53);
}

Fractions fractions(const AngleStep& step, double (*of_angle)(double)) {
  return {inside(of_angle(step.before > 0.0 ? step.before - pi : step.before + pi)), inside(step.offset / (2.0 * pi)),
          inside(of_angle(step.after))};
}

/// Calls use(Fractions) after each collision, as long as it returns true.
template <class Use>
bool collisions_of(const std::string& what, std::uint64_t seed, const Use& use) {
  const PhiloxStream stream(seed);
  if (what == "pair") {
    Procedure5 pair({Vec2(-1.0, 0.3), Vec2(0.6, 0.5)}, Vec2(1.0, 0.0), stream);
    while (use(fractions(pair.forward(), of_half_circle))) {
    }
  } else if (what == "line") {
    Procedure6 line({1.5, 0.4, -0.7}, stream);
    while (use(fractions(line.forward(), of_s1))) {
    }
  } else if (what == "arc") {
    Procedure6 arc({1.5, 0.4, -0.7}, stream, Offset::arc);
    while (use(fractions(arc.forward(), of_s1))) {
    }
  } else {
    return false;
  }
  return true;
}

bool stream_numbers(const std::string& what, std::uint64_t seed) {
  std::signal(SIGPIPE, SIG_IGN);
  std::uint64_t count = 0;
  const bool known = collisions_of(what, seed, [&](const Fractions& x) {
    const auto number = static_cast<std::uint32_t>(x.after * 4294967296.0);
    ++count;
    return std::fwrite(&number, sizeof number, 1, stdout) == 1;
  });
  std::fprintf(stderr, "%llu\n", static_cast<unsigned long long>(count));
  return known;
}

bool print_counts(const std::string& what, std::uint64_t seed, long collisions, std::size_t bins) {
  std::vector<long> cells(2 * bins * bins, 0);
  const auto bin = [&](double x) { return static_cast<std::size_t>(x * static_cast<double>(bins)); };
  long left = collisions;
  const bool known = collisions_of(what, seed, [&](const Fractions& x) {
    ++cells[bin(x.before) * bins + bin(x.after)];
    ++cells[(bins + bin(x.offset)) * bins + bin(x.after)];
    return --left > 0;
  });
  for (std::size_t k = 0; k < cells.size(); ++k) std::printf("%ld%c", cells[k], (k + 1) % bins == 0 ? '\n' : ',');
  return known;
}

}  // namespace
}  // namespace scree::hard::reversible

int main(int argc, char** argv) {
  using namespace scree::hard::reversible;
  const std::string mode = argc > 1 ? argv[1] : "";
  bool good = false;
  if (mode == "stream" && argc == 4) good = stream_numbers(argv[2], std::strtoull(argv[3], nullptr, 10));
  if (mode == "counts" && argc == 6 && std::atol(argv[4]) > 0 && std::atol(argv[5]) > 0) {
    good = print_counts(argv[2], std::strtoull(argv[3], nullptr, 10), std::atol(argv[4]),
                        static_cast<std::size_t>(std::atol(argv[5])));
  }
  if (!good)
    std::fputs(
        "usage: collision_angles stream pair|line|arc SEED\n"
        "       collision_angles counts pair|line|arc SEED N BINS\n",
        stderr);
  return good ? 0 : 2;
}
