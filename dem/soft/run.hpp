#pragma once

#include <optional>
#include <span>

#include "dem/inherited.hpp"
#include "dem/simulation.hpp"
#include "dem/soft/accounts.hpp"
#include "dem/soft/motion/course.hpp"
#include "dem/soft/rooms.hpp"

namespace scree::soft {

struct Options {
  int threads = 0;                                ///< 0: as many as there are cores
  std::optional<BroadphaseKind> broadphase = {};  ///< absent: that of the scene
  MadeFor made_for = MadeFor::start;              ///< load: without grains, which the state has
};

/// A run: plain data, all of it.
struct Run {
  Run(const Scene& scene, const Options& options)
      : rooms(scene, options.broadphase.value_or(scene.broadphase)), course(scene) {}

  Rooms rooms;
  Course course;
  Accounts accounts;
};

/// If the scene has stages, the rooms are those of the first one from now on. @pre they have no bodies yet
void enter_first_stage(Course& course, Rooms& rooms);
/// The scene becomes that of the course's present stage, after loading.
void enter_present_stage(const Course& course, Rooms& rooms);

/// What has to hold at the end of a step, not all of it after each; renews the length of the step and the energy
/// throughput.
/// @param alarm a cheap check of the step found something wrong  @throws PhysicsError
void check(bool alarm, Run& run);
/// The checks that are not due after every step. @throws PhysicsError
void check_all(const Run& run);
/// Whether the run, or a stage of it, is over: then the next one begins.
/// @throws PhysicsError if that gives other motions to a wall that was removed
void check_course(Run& run);

}  // namespace scree::soft
