#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "dem/state.hpp"

/// A heap that no simulation made: it looks like one, with contacts, force chains and a few grains that still fall, and
/// costs nothing. For the tests of writers and pictures.
namespace scree {

namespace made_up {

inline void append_outline(Outlines& outlines, const std::vector<Vec2>& polygon) {
  outlines.vertices.insert(outlines.vertices.end(), polygon.begin(), polygon.end());
  outlines.first.push_back(static_cast<std::uint32_t>(outlines.vertices.size()));
}

/// The part of a convex polygon where direction . x <= limit.
inline std::vector<Vec2> clip(const std::vector<Vec2>& polygon, const Vec2& direction, double limit) {
  std::vector<Vec2> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2& a = polygon[i];
    const Vec2& b = polygon[(i + 1) % polygon.size()];
    const double beyond_a = direction.dot(a) - limit;
    const double beyond_b = direction.dot(b) - limit;
    if (beyond_a <= 0.0) kept.push_back(a);
    if ((beyond_a < 0.0 && beyond_b > 0.0) || (beyond_a > 0.0 && beyond_b < 0.0)) {
      kept.emplace_back(a + (b - a) * (beyond_a / (beyond_a - beyond_b)));
    }
  }
  return kept;
}

inline double area(const std::vector<Vec2>& polygon) {
  double twice = 0.0;
  for (std::size_t i = 0; i < polygon.size(); ++i) twice += cross(polygon[i], polygon[(i + 1) % polygon.size()]);
  return 0.5 * twice;
}

}  // namespace made_up

/// @param columns grains in the lowest row, >= 4; the heap has about columns^2 / 4 grains of 1 cm between two walls on
/// a
///                floor: polygons (cells of a disturbed lattice) and, every seventh, disks
inline State made_up_heap(int columns) {
  using made_up::append_outline;
  constexpr double kSpacing = 0.01;  // m
  constexpr double kDensity = 2.0;   // kg/m^2
  std::mt19937 generator(7);
  const auto uniform = [&generator] { return static_cast<double>(generator()) / 4294967296.0; };

  State state;
  state.time = 1.25;
  state.step = 125000;
  ParticleState& p = state.particles;

  // Sites on a triangular lattice under a roof of 20 degrees, and a few above it that still fall.
  struct Site {
    int column;
    int row;
    bool falls;
  };
  const auto centre = [&](int column, int row) {
    return Vec2(kSpacing * (column + 0.5 * (row % 2) + 0.5), kSpacing * (0.5 + 0.866 * row));
  };
  std::vector<Site> sites;
  std::vector<std::vector<int>> number_at(static_cast<std::size_t>(columns));  // by row, then column; -1: none
  for (int row = 0; row < columns; ++row) {
    number_at[static_cast<std::size_t>(row)].assign(static_cast<std::size_t>(columns), -1);
    for (int column = 0; column + row % 2 < columns; ++column) {
      const Vec2 c = centre(column, row);
      const double half = 0.5 * kSpacing * columns;
      const double roof = 0.28 * half + 0.36 * (half - std::abs(c.x() - half));
      const bool falls = c.y() > roof + kSpacing && std::abs(c.x() - half) < 0.3 * half && uniform() < 0.12;
      if (c.y() > roof && !falls) continue;
      number_at[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = static_cast<int>(sites.size());
      sites.push_back({column, row, falls});
    }
  }
  const auto number = [&](int column, int row) {
    if (row < 0 || row >= columns || column < 0 || column >= columns) return -1;
    return number_at[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  };
  std::vector<Vec2> centres;
  for (const Site& s : sites) {
    const Vec2 shake(uniform() - 0.5, s.row == 0 ? 0.0 : uniform() - 0.5);
    centres.emplace_back(centre(s.column, s.row) + 0.36 * kSpacing * shake);
  }

  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& s = sites[i];
    std::vector<Vec2> polygon = {Vec2(-1, -1), Vec2(1, -1), Vec2(1, 1), Vec2(-1, 1)};
    for (Vec2& v : polygon) v *= 0.62 * kSpacing;
    double inner = 0.5 * kSpacing;
    const int shift = s.row % 2;
    const std::pair<int, int> neighbours[] = {{1, 0},  {shift, 1},      {shift - 1, 1},
                                              {-1, 0}, {shift - 1, -1}, {shift, -1}};
    for (const auto& [right, up] : neighbours) {
      const int other = number(s.column + right, s.row + up);
      const Vec2 to = other >= 0 ? Vec2(centres[static_cast<std::size_t>(other)] - centres[i])
                                 : Vec2(centre(s.column + right, s.row + up) - centre(s.column, s.row));
      const double middle = 0.5 * to.norm() * (other >= 0 ? 0.99 : 0.92);
      if (other >= 0) inner = std::min(inner, middle);
      polygon = made_up::clip(polygon, to.normalized(), middle);
    }
    if (s.row == 0) polygon = made_up::clip(polygon, Vec2(0, -1), 0.5 * kSpacing);
    const bool disk = i % 7 == 3;
    const double size = disk ? std::numbers::pi * inner * inner : made_up::area(polygon);
    p.id.push_back(10 + 3 * i);
    p.type.push_back(disk ? 1 : 0);
    p.material.push_back(static_cast<int>(i % 2));
    p.radius.push_back(std::sqrt(size / std::numbers::pi));
    p.mass.push_back(kDensity * size);
    p.position.push_back(centres[i]);
    p.angle.push_back(6.0 * uniform() - 3.0);
    const double height = centres[i].y() / (0.5 * kSpacing * columns);
    const double speed = s.falls ? 0.5 + 0.5 * uniform() : 0.25 * std::pow(height, 3) * uniform();
    p.velocity.emplace_back(0.3 * speed * (uniform() - 0.5), -speed);
    p.angular_velocity.push_back(4.0 * uniform() - 2.0);
    p.force.emplace_back(0.0, s.falls ? -9.81 * kDensity * size : 0.0);
    p.torque.push_back(1e-6 * (uniform() - 0.5));
    p.coordination.push_back(0);
    if (!disk) {
      for (Vec2& v : polygon) v += centres[i];
      append_outline(p.outlines, polygon);
    } else {
      p.outlines.first.push_back(p.outlines.first.back());
    }
  }

  WallState& w = state.walls;
  const double width = kSpacing * columns;
  const double height = 0.45 * width;
  const double thick = kSpacing;
  const auto add_wall = [&](const char* name, Vec2 lo, Vec2 hi) {
    w.id.push_back(1 + w.size());
    w.name.emplace_back(name);
    w.material.push_back(1);
    w.velocity.emplace_back(0.0, 0.01);
    w.angular_velocity.push_back(0.5);
    w.force.emplace_back(0.1, -2.5);
    w.torque.push_back(0.25);
    append_outline(w.outlines, {lo, Vec2(hi.x(), lo.y()), hi, Vec2(lo.x(), hi.y())});
  };
  add_wall("floor", {-thick, -thick}, {width + thick, 0.0});
  add_wall("left", {-thick, 0.0}, {0.0, height});
  add_wall("right", {width, 0.0}, {width + thick, height});

  // Each grain hands its load on to those it stands on, unevenly: force chains. From the top, so rows downward.
  std::vector<double> load(sites.size());
  for (std::size_t i = sites.size(); i-- > 0;) {
    const Site& s = sites[i];
    if (s.falls) continue;
    load[i] += p.mass[i] * 9.81;
    const auto touch = [&](std::uint64_t id2, const Vec2& centre2, const Vec2& point, double force) {
      const Vec2 normal = (point - centres[i]).normalized();
      const double tangential = 0.3 * force * (uniform() - 0.5);
      state.contacts.push_back({.id1 = p.id[i],
                                .id2 = id2,
                                .centre1 = centres[i],
                                .point = point,
                                .centre2 = centre2,
                                .image_shift = Vec2::Zero(),
                                .force = force * normal + tangential * perp(normal),
                                .force_normal = force,
                                .force_tangential = tangential,
                                .overlap = 1e-6 * force,
                                .depth = 1e-4 * force,
                                .sliding = uniform() < 0.1});
      ++p.coordination[i];
    };
    if (s.row == 0) {
      const Vec2 below(centres[i].x(), 0.0);
      touch(w.id[0], below, below, load[i]);
      continue;
    }
    const int shift = s.row % 2;
    const int below_left = number(s.column + shift - 1, s.row - 1);
    const int below_right = number(s.column + shift, s.row - 1);
    double share = uniform() < 0.5 ? 0.15 * uniform() : 1.0 - 0.15 * uniform();
    if (below_left < 0) share = 0.0;
    if (below_right < 0) share = 1.0;
    for (const auto& [other, part] : {std::pair{below_left, share}, std::pair{below_right, 1.0 - share}}) {
      if (other < 0 || part <= 0.0) continue;
      const auto k = static_cast<std::size_t>(other);
      // p.id[i] > p.id[k] here; a picture does not mind.
      touch(p.id[k], centres[k], 0.5 * (centres[i] + centres[k]), part * load[i] / 0.866);
      load[k] += part * load[i];
      ++p.coordination[k];
    }
  }
  return state;
}

}  // namespace scree
