// The experiments by which the broadphases are judged; bench/README.md says what each is.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "broadphase_bench.hpp"
#include "parallel/threads.hpp"

using namespace scree;

namespace {

struct Experiment {
  const char* name;
  void (*run)(const bench::Options&);
};
constexpr Experiment kExperiments[] = {{"peers", &bench::peers},
                                       {"moves", &bench::moves},
                                       {"schinner", &bench::schinner},
                                       {"large", &bench::large},
                                       {"paper", &bench::paper}};

constexpr const char* kUsage =
    "usage: bench_broadphase [--quick] [--threads N] [EXPERIMENT ...]\n"
    "  peers      Bullet, Box2D and CGAL beside us, where they are installed\n"
    "  moves      single boxes, as in event-driven dynamics\n"
    "  schinner   what motion, rest, sizes and shapes cost (Schinner 1999)\n"
    "  large      up to a million boxes\n"
    "  paper      contacts of spheres from scratch (Leszczynski & Ciesielski 2004)\n"
    "  --quick    small numbers, once: seconds\n"
    "  --threads  how many share the work of ours (default: 1); then in real time\n"
    "All experiments if none is named: minutes.\n";

}  // namespace

int main(int argc, char** argv) {
  bench::Options options;
  int threads = 1;
  std::vector<Experiment> chosen;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto* const found = std::find_if(std::begin(kExperiments), std::end(kExperiments),
                                           [&](const Experiment& experiment) { return experiment.name == word; });
    if (found != std::end(kExperiments)) {
      chosen.push_back(*found);
    } else if (word == "--quick") {
      options.quick = true;
    } else if (word == "--threads" && k + 1 < argc && std::atoi(argv[k + 1]) > 0) {
      threads = std::atoi(argv[++k]);
    } else {
      std::fputs(kUsage, word == "--help" ? stdout : stderr);
      return word == "--help" ? 0 : 2;
    }
  }
  if (chosen.empty()) chosen.assign(std::begin(kExperiments), std::end(kExperiments));
  if (threads > 1) bench::use_real_time();
  try {
    Threads(threads).run([&] {
      for (const Experiment& experiment : chosen) experiment.run(options);
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_broadphase: %s\n", error.what());
    return 1;
  }
}
