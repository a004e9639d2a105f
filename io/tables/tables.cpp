#include "io/tables/tables.hpp"

#include <cstddef>
#include <span>
#include <utility>

#include "dem/scene.hpp"
#include "dem/state.hpp"
#include "dem/wall_motion.hpp"

namespace scree {

namespace {

/// Centroid of a polygon; the middle of a segment.
Vec2 centroid_of(std::span<const Vec2> corners) {
  const Vec2& origin = corners.front();
  double area = 0.0;  // twice, here and below
  Vec2 moment = Vec2::Zero();
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    const Vec2 a = corners[k] - origin;
    const Vec2 b = corners[k + 1] - origin;
    area += cross(a, b);
    moment += cross(a, b) * (a + b);
  }
  if (area == 0.0) return 0.5 * (origin + corners.back());
  return origin + moment / (3.0 * area);
}

}  // namespace

std::vector<bool> walls_that_move(const Scene& scene) {
  std::vector<bool> moves;
  for (const Wall& wall : scene.walls) moves.push_back(ever_moves(wall));
  for (const Stage& stage : scene.soft.stages) {
    for (const WallChange& change : stage.motions) {
      for (const int wall : change.walls) moves[static_cast<std::size_t>(wall)] = true;
    }
  }
  return moves;
}

std::vector<WallPlace> places_of(const WallState& walls, const std::vector<bool>& moves) {
  std::vector<WallPlace> places;
  for (std::size_t k = 0; k < walls.size(); ++k) {
    if (!moves.at(walls.number[k])) continue;
    const std::span<const Vec2> corners(walls.outlines.vertices.data() + walls.outlines.first[k],
                                        walls.outlines.first[k + 1] - walls.outlines.first[k]);
    places.push_back({walls.id[k], centroid_of(corners), walls.velocity[k], walls.angular_velocity[k]});
  }
  return places;
}

SeriesTable::SeriesTable(std::filesystem::path file, const Written& from)
    : csv_(std::move(file), header_of(kObservables), from) {}

void SeriesTable::add(const Summary& summary) {
  csv_.add_row(kObservables, summary);
}

FlowTable::FlowTable(std::filesystem::path file, const Written& from)
    : csv_(std::move(file),
           "time [s],id,type,mass [kg],x [m],y [m],velocity_x [m/s],velocity_y [m/s],angular_velocity [rad/s]", from) {}

void FlowTable::add(const Departure& d) {
  csv_ << d.time << d.id << d.type << d.mass << d.position.x() << d.position.y() << d.velocity.x() << d.velocity.y()
       << d.angular_velocity;
  csv_.end_row();
}

CollisionTable::CollisionTable(std::filesystem::path file, const Written& from)
    : csv_(std::move(file),
           "time [s],id1,id2,kind,x [m],y [m],branch_x [m],branch_y [m],impulse_x [N s],impulse_y [N s],lost [J]",
           from) {}

void CollisionTable::add(const std::vector<Collision>& collisions) {
  for (const Collision& c : collisions) {
    csv_ << c.time << c.id1 << c.id2 << Collision::kNames[static_cast<std::size_t>(c.with)] << c.position.x()
         << c.position.y() << c.branch.x() << c.branch.y() << c.impulse.x() << c.impulse.y() << c.lost;
    csv_.end_row_unwritten();
  }
  csv_.write_rows();
}

MotionTable::MotionTable(std::filesystem::path file, const Written& from)
    : csv_(std::move(file), "time [s],wall,x [m],y [m],velocity_x [m/s],velocity_y [m/s],angular_velocity [rad/s]",
           from) {}

void MotionTable::add(double time, const WallPlace& wall) {
  csv_ << time << wall.id << wall.position.x() << wall.position.y() << wall.velocity.x() << wall.velocity.y()
       << wall.angular_velocity;
  csv_.end_row();
}

DriveTable::DriveTable(std::filesystem::path file, const Written& from)
    : csv_(std::move(file),
           "time [s],wall,coordinate [m or rad],rate [m/s or rad/s],target [N or N m],force [N or N m],length [m],"
           "stress [N/m],work [J],contacts",
           from) {}

CellTable::CellTable(std::filesystem::path file, const Written& from)
    : csv_(std::move(file),
           "time [s],length_x [m],length_y [m],tilt [m],strain_xx,strain_yy,strain_xy,rate_xx [1/s],rate_yy [1/s],"
           "rate_xy [1/s],stress_xx [N/m],stress_yy [N/m],stress_xy [N/m],stress_yx [N/m],work [J]",
           from) {}

void CellTable::add(double time, const CellState& cell) {
  csv_ << time << cell.length.x() << cell.length.y() << cell.tilt;
  for (const double strain : cell.strain) csv_ << strain;
  for (const double rate : cell.rate) csv_ << rate;
  for (const double stress : cell.stress) csv_ << stress;
  csv_ << cell.work;
  csv_.end_row();
}

void DriveTable::add(double time, const DriveState& drive) {
  csv_ << time << drive.id << drive.coordinate << drive.rate << drive.target << drive.force << drive.length
       << (drive.length > 0.0 ? drive.force / drive.length : 0.0) << drive.work << drive.contacts;
  csv_.end_row();
}

}  // namespace scree
