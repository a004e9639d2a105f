#pragma once

#include <string>

#include "dem/state.hpp"

namespace scree {

struct Scene;

/// The text of a scene that begins where a run of it is now: the grains are at given places, with their velocities,
/// then comes what is still to be poured; contact.initial_depth lets contacts be as deep as they are. All else of the
/// text stays, comments too. The springs of friction are not in it: contacts that stick slip a little at first.
/// @param text of the scene, with its keys at the beginning of lines  @param state of a run of it  @param summary then
/// @throws InvalidScene if more than grains went on: walls that move, stages, gravity in time, cells, growth
std::string restart_text(const std::string& text, const Scene& scene, const State& state, const Summary& summary);

}  // namespace scree
