#pragma once

#include "dem/state_values.hpp"

namespace scree::test {

/// Of a simulation of either mode. Equal hashes: the same state, to the last bit.
template <class S>
StateHash state_hash(const S& simulation) {
  StateValues values;
  simulation.list_values(values);
  return values.hashes();
}

}  // namespace scree::test
