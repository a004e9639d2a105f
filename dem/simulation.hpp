#pragma once

#include <concepts>
#include <cstdint>
#include <istream>
#include <ostream>
#include <vector>

#include "dem/state.hpp"
#include "dem/state_values.hpp"
#include "dem/transfers.hpp"

namespace scree {

/// What a simulation is made for: to start as its scene says, or to get a saved state (`load`). Then it is not asked
/// whether the scene could start, which may have been changed on the way: a wall that has another velocity now would
/// not have been there.
enum class MadeFor { start, load };

/// The common interface of both modes: to run, observe, save and resume a simulation.
template <class S>
concept AnySimulation = requires(S s, const S& c, double t, std::uint64_t n, std::istream& in, std::ostream& out,
                                 StateValues& values) {
  { c.time() } -> std::convertible_to<double>;              ///< [s]
  { c.has_reached(t) } -> std::same_as<bool>;               ///< advance_to(t) would do nothing
  { c.is_over() } -> std::same_as<bool>;                    ///< the scene's own condition of its end holds
  { c.particles() } -> std::convertible_to<std::uint64_t>;  ///< present now
  s.advance_to(t);                                          ///< to the first moment not before t
  s.advance_to(t, n);                                       ///< at most n steps or events
  { c.state() } -> std::same_as<State>;
  { c.summary() } -> std::same_as<Summary>;
  { s.take_departures() } -> std::same_as<std::vector<Departure>>;  ///< since the last call
  { c.transfers() } -> std::same_as<const Transfers&>;              ///< since the start, for measurements
  c.save(out);                                                      ///< everything that affects the future
  s.load(in);                                                       ///< into one made from the same scene
  c.list_values(values);                                            ///< what the hash of the state covers
};

}  // namespace scree
