#include "docs/figures/pages.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "dem/soft/contact/laws/hertz.hpp"
#include "dem/soft/contact/laws/linear.hpp"
#include "docs/figures/picture.hpp"
#include "geometry/overlap.hpp"

namespace scree::figures {
namespace {

Points box(double left, double low, double right, double high) {
  return {{left, low}, {right, low}, {right, high}, {left, high}};
}

/// docs/architecture.md: a floor may include those below it.
std::string house() {
  Picture picture(720, 400);
  picture.look_at({0.0, 0.0}, 0.0, 400.0, 1.0);  // pixels, y up
  const auto room = [&](double left, double low, double right, const char* name, const char* what, const char* looks) {
    picture.shape(box(left, low, right, low + 46.0), looks);
    picture.text({left, low}, 12.0, -26.0, name, "i");
    picture.text({left, low}, 12.0, -9.0, what);
  };
  room(120, 335, 600, "app/", "the program: command line, output loop", "b");
  room(120, 270, 600, "io/", "scenes, frames, tables, states, pictures, pages", "b");
  room(120, 205, 600, "dem/compare/", "one scene in both modes", "a");
  room(120, 140, 280, "dem/soft/", "time steps", "a");
  room(290, 140, 450, "dem/hard/", "collisions", "a");
  room(460, 140, 600, "dem/measure/", "measurements", "a");
  room(120, 75, 600, "dem/", "what both modes share: scenes, bodies, insertion", "a");
  room(120, 10, 280, "geometry/", "shapes, overlaps", "triangle");
  room(290, 10, 450, "broadphase/", "pairs of boxes", "triangle");
  room(460, 10, 600, "parallel/", "loops on threads", "triangle");
  picture.arrow({655.0, 370.0}, {655.0, 20.0}, "");
  picture.text({640.0, 385.0}, -10.0, 0.0, "includes");
  picture.text({28.0, 300.0}, 0.0, 0.0, "the world");
  picture.text({28.0, 160.0}, 0.0, 0.0, "physics");
  picture.text({28.0, 30.0}, 0.0, 0.0, "tools");
  return picture.svg();
}

/// docs/conventions.md: axes, angles, what a contact's force means.
std::string signs() {
  const Polygon first(Points{{-1.5, -0.8}, {0.4, -1.3}, {1.4, -0.4}, {1.1, 0.9}, {-0.6, 1.3}, {-1.6, 0.4}});
  const Polygon second(Points{{-1.2, -0.7}, {0.6, -1.1}, {1.3, 0.1}, {0.5, 1.1}, {-1.0, 0.8}});
  const Pose pose{{2.15, 0.75}, Rotation::by(0.35)};
  const Overlap found = overlap(first.vertices(), second.vertices(), pose);
  Picture picture(680, 400);
  picture.look_at({0.7, 0.1}, 360.0, 205.0, 105.0);
  picture.shape(placed(first), "a");
  picture.shape(placed(second, pose), "b");
  picture.shape(overlap_polygon(first.vertices(), second.vertices(), pose), "region");
  picture.text({-1.25, 0.3}, 0.0, 0.0, "body 1", "a");
  picture.text(pose.position, 30.0, 30.0, "body 2", "b");
  const Vec2 at = found.centroid;
  const Vec2 tangent = perp(found.normal);
  picture.vector(at, at + 0.75 * found.normal, 6.0, 22.0, "n");
  picture.vector(at, at + 0.75 * tangent, -16.0, 4.0, "t");
  const Vec2 force = 1.5 * found.normal + 0.55 * tangent;
  picture.arrow(at, at + force, "sum bold");
  picture.text(at + force, -75.0, -12.0, "force on body 2", "sum i");
  picture.arrow(at, at - force, "sum bold");
  picture.text(at - force, -60.0, 22.0, "force on body 1", "sum i");

  const Vec2 corner(-2.3, -1.35);
  picture.arrow(corner, corner + Vec2(0.8, 0.0), "");
  picture.arrow(corner, corner + Vec2(0.0, 0.8), "");
  picture.text(corner + Vec2(0.8, 0.0), 6.0, 5.0, "x", "i");
  picture.text(corner + Vec2(0.0, 0.8), -4.0, -8.0, "y", "i");

  constexpr double kAngle = 0.9;  // rad
  Points arc;
  for (int k = 0; k <= 24; ++k) {
    arc.emplace_back(0.5 * std::cos(kAngle * k / 24), 0.5 * std::sin(kAngle * k / 24));
  }
  picture.line({{0.0, 0.0}, {0.7, 0.0}}, "thin dashed");
  picture.line({{0.0, 0.0}, {0.7 * std::cos(kAngle), 0.7 * std::sin(kAngle)}}, "thin");
  picture.line(arc, "");
  picture.arrow(arc[22], arc[24], "");
  picture.text({0.0, 0.0}, -40.0, -50.0, "angle &gt; 0");
  picture.dot(pose.position);
  picture.dot({0.0, 0.0});
  return picture.svg();
}

Points moved(Points points, const Pose& pose) {
  for (Vec2& point : points) point = pose * point;
  return points;
}

/// docs/proofs.md: four of its systems.
std::string proofs() {
  constexpr double kSlope = 0.35;  // rad
  const Vec2 along(std::cos(kSlope), -std::sin(kSlope));
  Picture picture(720, 210);
  const auto incline = [&](double middle) {
    picture.look_at({0.0, 0.0}, middle, 110.0, 60.0);
    picture.shape({1.25 * along, -1.25 * along, {-1.25 * along.x(), 1.25 * along.y()}}, "region");
  };
  const Pose on_it{0.5 * perp(along), Rotation::by(-kSlope)};
  incline(90.0);
  picture.shape(moved(box(-0.45, -0.5, 0.45, 0.1), on_it), "a");
  picture.vector(on_it.position, on_it.position + 0.9 * along, 6.0, -8.0, "v");
  incline(270.0);
  Points disk;
  for (int k = 0; k < 48; ++k) {
    disk.push_back(on_it.position + 0.5 * Vec2(std::cos(k * 0.1308996939), std::sin(k * 0.1308996939)));
  }
  picture.shape(disk, "a");
  picture.line({on_it.position, disk[14]}, "");
  picture.vector(on_it.position, on_it.position + 0.9 * along, 6.0, -8.0, "v");
  picture.look_at({0.0, 0.0}, 420.0, 150.0, 60.0);
  picture.shape(box(-0.9, -0.25, 1.4, 0.0), "region");
  const Pose rocking{{0.4, 0.0}, Rotation::by(-0.2)};
  picture.shape(moved(box(-0.5, 0.0, 0.0, 1.8), rocking), "a");
  picture.dot(rocking.position);
  picture.look_at({0.0, 0.0}, 620.0, 150.0, 60.0);
  picture.shape(box(-1.4, -0.25, 1.4, 0.0), "region");
  const auto card = [&](double x, double y, double angle) {
    picture.shape(moved(box(-0.04, 0.0, 0.04, 0.95), {{x, y}, Rotation::by(angle)}), "a");
  };
  for (const double x : {-0.5, 0.5}) {
    card(x - 0.33, 0.02, -0.31);
    card(x + 0.33, 0.02, 0.31);
  }
  picture.shape(box(-0.75, 0.94, 0.75, 1.02), "a");
  card(-0.33, 1.03, -0.31);
  card(0.33, 1.03, 0.31);
  picture.look_at({0.0, 0.0}, 0.0, 210.0, 1.0);
  picture.text({45.0, 14.0}, 0.0, 0.0, "sliding block");
  picture.text({230.0, 14.0}, 0.0, 0.0, "rolling disk");
  picture.text({385.0, 14.0}, 0.0, 0.0, "rocking block");
  picture.text({565.0, 14.0}, 0.0, 0.0, "house of cards");
  return picture.svg();
}

/// docs/reliability.md: what is on the disk before a state gets its name.
std::string saving() {
  Picture picture(720, 210);
  picture.look_at({0.0, 0.0}, 0.0, 210.0, 1.0);
  constexpr std::array<std::array<const char*, 3>, 4> kStages = {
      {{"tables, frames", "are synced", ""},
       {"their names", "are synced", ""},
       {"the new state", "is written beside", "the old, and synced"},
       {"state.scree", "is the new state:", "one rename"}}};
  for (std::size_t k = 0; k < kStages.size(); ++k) {
    const double left = 15.0 + 177.0 * static_cast<double>(k);
    picture.shape(box(left, 110.0, left + 145.0, 190.0), k + 1 == kStages.size() ? "b" : "a");
    for (std::size_t line = 0; line < 3; ++line) {
      picture.text({left, 190.0}, 10.0, 24.0 + 20.0 * static_cast<double>(line), kStages[k][line],
                   line == 0 ? "i" : "");
    }
    if (k > 0) picture.arrow({left - 30.0, 150.0}, {left - 3.0, 150.0}, "bold");
  }
  picture.line({{15.0, 90.0}, {15.0, 80.0}, {513.0, 80.0}, {513.0, 90.0}}, "thin");
  picture.text({15.0, 55.0}, 0.0, 0.0, "a power cut here: scree resume goes on from the state before,");
  picture.text({15.0, 35.0}, 0.0, 0.0, "which keeps its name and what belongs to it");
  picture.line({{546.0, 90.0}, {546.0, 80.0}, {691.0, 80.0}, {691.0, 90.0}}, "thin");
  picture.text({546.0, 55.0}, 0.0, 0.0, "here: from the new one");
  return picture.svg();
}

/// Force over depth while two disks collide head-on, in units of the greatest depth and force of the elastic linear
/// law: by the law itself, in small steps.
template <class Law>
Points impact(double restitution) {
  using namespace soft;
  constexpr double kStep = 1e-3;
  PairLaw law{};
  law.stiffness = 1.0;
  law.damping_ratio = Law::kDampingRatio(restitution);
  ContactKinematics kinematics{.reduced_mass = 1.0, .lever_arm_a = 1.0, .lever_arm_b = 1.0};
  kinematics.curvature = 1.0;  // a depth of 1 is that of equal forces of both laws
  const auto force_at = [&](double depth, double speed) {
    kinematics.speed = speed;
    return Law::force(law, OverlapSize<double>{.area = 0.0, .depth = depth}, kinematics).force;
  };
  double depth = 0.0;
  double speed = 1.0;
  Points curve;
  for (int k = 0; depth >= 0.0; ++k) {
    if (k % 40 == 0 || (k < 40 && k % 4 == 0)) curve.emplace_back(depth, force_at(depth, speed));
    const double half = speed - 0.5 * kStep * force_at(depth, speed);
    depth += kStep * half;
    if (depth < 0.0) break;
    speed = half - 0.5 * kStep * force_at(depth, half);
  }
  curve.emplace_back(0.0, force_at(0.0, speed));
  return curve;
}

std::string force_laws() {
  Picture picture(720, 400);
  picture.look_at({0.0, 0.0}, 60.0, 300.0, 270.0);
  picture.arrow({0.0, 0.0}, {1.3, 0.0}, "");
  picture.arrow({0.0, -0.3}, {0.0, 1.05}, "");
  picture.text({1.3, 0.0}, -35.0, 22.0, "depth", "i");
  picture.text({0.0, 1.05}, 10.0, 6.0, "force", "i");
  constexpr double kRestitution = 0.6;
  picture.shape(impact<soft::LinearLaw>(kRestitution), "a");
  picture.line(impact<soft::UnclippedLinearLaw>(kRestitution), "sum dashed bold");
  picture.shape(impact<soft::HertzLaw>(kRestitution), "b");
  picture.text({1.1, 0.95}, 0.0, 0.0, "linear: pushes at once, is cut at zero", "a");
  picture.text({1.1, 0.85}, 0.0, 0.0, "linear_unclipped: pulls at the end", "sum");
  picture.text({1.1, 0.75}, 0.0, 0.0, "hertz: begins and ends at zero", "b");
  picture.text({1.1, 0.6}, 0.0, 0.0, "two disks, head-on, restitution 0.6");
  return picture.svg();
}

}  // namespace

std::map<std::string, std::string> figures_of_pages() {
  return {
      {"house", house()}, {"signs", signs()}, {"proofs", proofs()}, {"saving", saving()}, {"force_laws", force_laws()}};
}

}  // namespace scree::figures
