#include "dem/soft/motion/course.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "dem/archive.hpp"
#include "dem/gravity.hpp"
#include "dem/scene.hpp"
#include "dem/soft/contact/rest.hpp"

namespace scree::soft {

namespace {

/// The walls of a change, and those that move with the first of them now.
std::vector<int> with_followers(const WallChange& change, const Scene& scene) {
  std::vector<int> walls = change.walls;
  const std::string& leader = scene.walls[static_cast<std::size_t>(walls.front())].name;
  for (std::size_t k = 0; k < scene.walls.size(); ++k) {
    if (scene.walls[k].moves_with != leader) continue;
    if (std::ranges::find(walls, static_cast<int>(k)) == walls.end()) walls.push_back(static_cast<int>(k));
  }
  return walls;
}

std::vector<PhaseOfMotion> later(std::vector<PhaseOfMotion> motions, double by) {
  for (PhaseOfMotion& motion : motions) {
    motion.from += by;
    if (motion.until) *motion.until += by;
  }
  return motions;
}

void change_walls(const WallChange& change, const StageBegin& begin, Scene& scene) {
  const std::vector<int> walls = with_followers(change, scene);
  const bool is_driven = !std::holds_alternative<std::monostate>(change.drive);
  for (const int number : walls) {
    Wall& wall = scene.walls[static_cast<std::size_t>(number)];
    const auto put = std::ranges::find(begin.put, number, &StageBegin::Put::wall);
    require_state(put != begin.put.end(), "a wall without a place");
    wall.put = {begin.time, put->displacement, put->angle};
    wall.velocity.setZero();
    wall.angular_velocity = 0.0;
    wall.oscillation = {};
    wall.taps.clear();
    wall.motions = later(change.motions, begin.time);
    wall.drive = std::monostate{};
    wall.moves_with.clear();
    if (!is_driven) continue;
    if (number == walls.front()) {
      wall.drive = change.drive;
    } else {
      wall.moves_with = scene.walls[static_cast<std::size_t>(walls.front())].name;
    }
  }
}

}  // namespace

Course::Course(const Scene& scene)
    : whole_(scene.soft.stages.empty() ? nullptr : std::make_shared<const Scene>(scene)) {}

bool Course::is_last_stage() const {
  return !has_stages() || begun_.size() == whole_->soft.stages.size();
}

void enter_stage(std::size_t number, const StageBegin& begin, Scene& scene) {
  const auto& stage = scene.soft.stages[number];
  if (!stage.gravity.empty()) {
    scene.soft.gravity_table.clear();
    if (stage.gravity.size() == 1) {
      scene.gravity = stage.gravity.front().gravity;
    } else {
      for (const GravityPoint& point : stage.gravity) {
        scene.soft.gravity_table.push_back({begin.time + point.time, point.gravity});
      }
    }
  }
  for (const auto& [material, changed] : stage.materials) scene.materials[static_cast<std::size_t>(material)] = changed;
  for (const WallChange& change : stage.motions) change_walls(change, begin, scene);
  if (stage.cell) scene.domain.cell = stage.cell;
  for (const int wall : stage.remove) scene.walls[static_cast<std::size_t>(wall)].until = begin.time;
  for (Wall& wall : scene.walls) {
    if (wall.stage == 0 || wall.stage != static_cast<int>(number)) continue;
    wall.stage = 0;
    wall.from = begin.time + wall.from.value_or(0.0);
    if (wall.until) *wall.until += begin.time;
    const bool moves = !wall.velocity.isZero() || wall.angular_velocity != 0.0 || wall.oscillation != Oscillation{};
    if (moves && wall.motions.empty()) {
      PhaseOfMotion motion;
      motion.velocity = std::exchange(wall.velocity, Vec2::Zero());
      motion.angular_velocity = std::exchange(wall.angular_velocity, 0.0);
      motion.about = wall.pivot;
      motion.oscillation = std::exchange(wall.oscillation, {});
      wall.motions = {motion};
    }
    wall.motions = later(wall.motions, begin.time);
    for (Taps& taps : wall.taps) {
      taps.from += begin.time;
      if (taps.until) *taps.until += begin.time;
    }
  }
  scene.gravity = gravity_at(scene, begin.time);  // a run that resumes in this stage begins with the same
  scene.end = begin.time + stage.end;
  scene.soft.until_unbalanced = stage.unbalanced;
}

std::vector<std::int32_t> Course::walls_that_change(const Scene& scene) const {
  std::vector<std::int32_t> all;
  for (const WallChange& change : whole_->soft.stages[begun_.size()].motions) {
    for (const int wall : with_followers(change, scene)) all.push_back(wall);
  }
  return all;
}

void Course::begin_stage(StageBegin begin, Scene& scene) {
  begun_.push_back(std::move(begin));
  looks_at_rest_ = 0;
  enter_stage(stage(), begun_.back(), scene);
}

Scene Course::scene() const {
  Scene scene = *whole_;
  for (std::size_t k = 0; k < begun_.size(); ++k) enter_stage(k, begun_[k], scene);
  return scene;
}

bool Course::look(bool at_rest) {
  looks_at_rest_ = at_rest ? looks_at_rest_ + 1 : 0;
  return looks_at_rest_ >= kLooksAtRest;
}

void Course::require_sound() const {
  require_state(has_stages() ? !begun_.empty() && begun_.size() <= whole_->soft.stages.size() : begun_.empty(),
                "the number of stages");
  double before = 0.0;
  for (const StageBegin& begin : begun_) {
    require_state(std::isfinite(begin.time) && begin.time >= before, "when a stage began");
    before = begin.time;
    for (const StageBegin::Put& put : begin.put) {
      require_state(0 <= put.wall && static_cast<std::size_t>(put.wall) < whole_->walls.size() &&
                        put.displacement.allFinite() && std::isfinite(put.angle),
                    "where a wall was put");
    }
  }
}

}  // namespace scree::soft
