#pragma once

#include <cstddef>
#include <string>

#include "dem/hard/setup.hpp"
#include "dem/scene.hpp"
#include "dem/simulation.hpp"

namespace scree::hard {

/// What a scene holds at time 0, as the event-driven mode starts from it. Ids are those of the soft mode: walls first.
///
/// @throws InvalidScene for what hard disks cannot do: polygons as grains, materials with damping, cohesion or rolling
///         friction; and for walls that cannot move as they are to
/// @param made_for load: as if there were no walls where disks are filled in, since walls may have got other motions
/// after the start. So there are no fewer disks, and none smaller or larger, than the saved state has.
/// Cost: O(N log N), and O(walls) for each site that is filled
Setup setup_from(const Scene& scene, MadeFor made_for = MadeFor::start);

/// The key that brought a disk of such a setup: particles[2].place[7], or particles[1].fill.
std::string key_of_disk(const Scene& scene, const Setup& setup, std::size_t disk);

}  // namespace scree::hard
