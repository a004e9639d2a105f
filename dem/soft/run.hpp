#pragma once

#include <cstdint>

#include "dem/soft/accounts.hpp"
#include "dem/soft/motion/course.hpp"
#include "dem/soft/options.hpp"
#include "dem/soft/rooms.hpp"

namespace scree::soft {

/// A run: plain data, all of it.
struct Run {
  Run(const Scene& scene, const Options& options);

  Rooms rooms;
  Course course;
  Accounts accounts;
  std::uint64_t thermostat_turns = 0;  ///< so far
};

/// If the scene has stages, the rooms are those of the first one from now on. @pre they have no bodies yet
void enter_first_stage(Course& course, Rooms& rooms);
/// The scene becomes that of the course's present stage, after loading.
void enter_present_stage(const Course& course, Rooms& rooms);

/// What has to hold at the end of a step, not all of it after each; renews the length of the step and the energy
/// throughput.
/// @param alarm a cheap check of the step found something wrong  @throws PhysicsError
void check(bool alarm, Run& run);
/// A particle gets another velocity, but for what the scene fixes; its energy counts as energy_in.
void set_velocity(std::uint32_t body, const Motion& velocity, Run& run);
/// If the thermostat's time has come, all particles get other velocities (dem/thermostat.hpp).
void thermalise(Run& run);

/// The checks that are not due after every step. @throws PhysicsError
void check_all(const Run& run);
/// Whether the run, or a stage of it, is over: then the next one begins.
/// @throws PhysicsError if that gives other motions to a wall that was removed
void check_course(Run& run);

}  // namespace scree::soft
