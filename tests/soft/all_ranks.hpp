#pragma once

#include <cstddef>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "dem/soft/ranks/ranked_simulation.hpp"
#include "dem/soft/ranks/subdomain.hpp"
#include "dem/soft/simulation.hpp"
#include "parallel/ranks.hpp"
#include "tests/sanitized.hpp"
#include "tests/state_hash.hpp"

/// Several ranks as threads of one process, compared with one simulation alone.
namespace scree::test {

/// All that a run can be told apart by.
struct Look {
  StateHash hash;
  Summary summary;
  std::string saved;
};

template <class S>
Look look(const S& simulation) {
  std::ostringstream saved;
  simulation.save(saved);
  return {state_hash(simulation), simulation.summary(), std::move(saved).str()};
}

inline void with_ranks(const Scene& scene, int ranks, const soft::Sharing& sharing, const soft::Options& options,
                       const std::function<void(soft::RankedSimulation&)>& body) {
  run_as_ranks(ranks, [&](Ranks& self) {
    if (self.rank() > 0) return soft::Subdomain(scene, options, self, sharing, nullptr).serve();
    soft::RankedSimulation simulation(scene, options, self, sharing);
    body(simulation);
    soft::Subdomain::end(self);
  });
}

inline void check_same(const Look& one, const Look& other) {
  CHECK(one.hash == other.hash);
  CHECK(one.summary == other.summary);
  CHECK((one.saved == other.saved));
}

/// At several moments, the last one at `end`, for several numbers of ranks and ways of sharing.
inline void check_all_ranks(const Scene& scene, double end, const std::vector<int>& numbers, int looks = 3) {
  std::vector<Look> alone;
  soft::Simulation simulation(scene, {.threads = 1});
  for (int k = 0; k <= looks; ++k) {
    simulation.advance_to(end * k / looks);
    alone.push_back(look(simulation));
  }
  const soft::Sharing sharings[] = {{}, {.renew_in_every_step = true, .rebalance_always = true}};
  for (const int ranks : numbers) {
    CAPTURE(ranks);
    for (const soft::Sharing& sharing : sharings) {
      if (kSanitized && ranks != (sharing.renew_in_every_step ? numbers.back() : numbers.front())) continue;
      CAPTURE(sharing.renew_in_every_step);
      with_ranks(scene, ranks, sharing, {.threads = 1}, [&](soft::RankedSimulation& ranked) {
        for (int k = 0; k <= looks; ++k) {
          CAPTURE(k);
          ranked.advance_to(end * k / looks);
          check_same(look(ranked), alone[static_cast<std::size_t>(k)]);
        }
      });
    }
  }
}

/// Three ranks save, others go on to the end.
inline void check_saved_by_some(const Scene& scene, double half, double end) {
  soft::Simulation alone(scene, {.threads = 1});
  alone.advance_to(end);
  const Look expected = look(alone);
  std::string saved;
  with_ranks(scene, 3, {}, {.threads = 1}, [&](soft::RankedSimulation& ranked) {
    ranked.advance_to(half);
    saved = look(ranked).saved;
  });
  for (const int ranks : {1, 2, 5}) {
    CAPTURE(ranks);
    with_ranks(scene, ranks, {}, {.threads = 1, .made_for = MadeFor::load}, [&](soft::RankedSimulation& ranked) {
      std::istringstream in(saved);
      ranked.load(in);
      ranked.advance_to(end);
      check_same(look(ranked), expected);
    });
  }
}

}  // namespace scree::test
