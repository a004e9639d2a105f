#include "dem/soft/checks/stage_checks.hpp"

#include <utility>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "dem/soft/checks/step_limits.hpp"
#include "dem/soft/drives/moving_walls.hpp"
#include "dem/soft/motion/course.hpp"
#include "dem/soft/motion/time_step.hpp"

namespace scree::soft {

void require_sound_stages(const Scene& scene) {
  Course course(scene);
  Scene stage = scene;
  double time = 0.0;
  for (const auto& one : scene.soft.stages) {
    StageBegin begin{.time = time, .put = {}};
    for (const std::int32_t wall : course.walls_that_change(stage)) begin.put.push_back({wall, Vec2::Zero(), 0.0});
    course.begin_stage(std::move(begin), stage);
    try {
      (void)MovingWalls(stage);
    } catch (const InvalidScene& error) {  // all walls can be at the start: it is what this stage changes
      throw InvalidScene(fmt::format("stages[{}].motions", course.stage()), error.what());
    }
    require_sensible_step(stage, time_step(stage));
    time += one.end;
  }
}

}  // namespace scree::soft
