#pragma once

#include <cstddef>
#include <string>

#include "dem/hard/flight/grain_forms.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/insertion.hpp"
#include "dem/simulation.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::hard {

/// What a scene holds at time 0, as the event-driven mode starts from it. Ids are those of the soft mode: walls first.
///
/// Grains have forms if any of them is no disk, also of those that are poured later.
///
/// @throws InvalidScene for what this mode cannot do: grains that are not convex, materials with damping, cohesion or
///         rolling friction; for what polygons cannot do in it (see Setup); and for walls that cannot move as they are
///         to
/// @param made_for load: as if there were no walls where disks are filled in, since walls may have got other motions
/// after the start. So there are no fewer disks, and none smaller or larger, than the saved state has.
/// Cost: O(N log N), and O(walls) for each site that is filled
Setup setup_from(const Scene& scene, MadeFor made_for = MadeFor::start);

/// Whether a grain of the scene is no disk: then all have forms.
bool has_polygons(const Scene& scene);

/// The form of a grain, whose bounding circle may differ by a rounding. @param density of its material [kg/m^2]
GrainForm form_of(const GrainShape& grain, double density);

/// The key that brought a disk of such a setup: particles[2].place[7], or particles[1].fill.
std::string key_of_disk(const Scene& scene, const Setup& setup, std::size_t disk);

}  // namespace scree::hard
