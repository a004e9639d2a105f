#pragma once

#include <cstdint>

#include <doctest/doctest.h>

#include "dem/hard/flight/setup.hpp"
#include "tests/state_hash.hpp"

namespace scree::test {

/// Until a time, in so many pieces with a look after each. @param least collisions
template <class S>
StateHash hash_after(const hard::Setup& setup, double end, std::uint64_t least, int pieces = 1) {
  S simulation(setup);
  for (int k = 1; k <= pieces; ++k) {
    simulation.advance_to(k == pieces ? end : end * k / pieces);
    (void)simulation.state();
  }
  simulation.audit();
  CHECK(simulation.counters().collisions > least);
  return state_hash(simulation);
}

}  // namespace scree::test
