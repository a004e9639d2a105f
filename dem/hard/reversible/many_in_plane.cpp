#include "dem/hard/reversible/many_in_plane.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "dem/hard/reversible/shift.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::hard::reversible {
namespace {

using Coordinates = std::vector<double>;

constexpr double kTurn = 2.0 * std::numbers::pi;

double dot(const Coordinates& a, const Coordinates& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

void add(Coordinates& a, double factor, const Coordinates& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += factor * b[k];
}

void scale(Coordinates& a, double factor) {
  for (double& each : a) each *= factor;
}

/// Appends what of a vector is at right angles to the columns, as a unit vector. Twice is enough.
void append(std::vector<Coordinates>& columns, Coordinates v) {
  for (int round = 0; round < 2; ++round) {
    for (const Coordinates& column : columns) add(v, -dot(column, v), column);
    scale(v, 1.0 / std::sqrt(dot(v, v)));
  }
  columns.push_back(std::move(v));
}

/// Appends what of the unit vectors is furthest from all columns.
void append_any(std::vector<Coordinates>& columns, std::size_t size) {
  std::size_t furthest = 0;
  double least = 2.0;
  for (std::size_t k = 0; k < size; ++k) {
    double along = 0.0;
    for (const Coordinates& column : columns) along += column[k] * column[k];
    if (along < least) {
      least = along;
      furthest = k;
    }
  }
  Coordinates unit(size, 0.0);
  unit[furthest] = 1.0;
  append(columns, std::move(unit));
}

/// [0, 2 pi)
double wrapped(double angle) {
  const double turned = angle - kTurn * std::floor(angle / kTurn);
  return turned < kTurn ? turned : 0.0;
}

/// Part of a circle: counter-clockwise from an angle [rad].
struct Stretch {
  double begin;
  double length;
};

/// What is left of a circle, in angles from `base`, where a part that is taken away begins, if there is one.
struct Stretches {
  double base = 0.0;
  std::vector<Stretch> left;
};

/// @param taken parts of the circle that are taken away
Stretches without(const std::vector<Stretch>& taken) {
  if (taken.empty()) return {0.0, {{0.0, kTurn}}};
  Stretches arcs{taken.front().begin, {}};
  std::vector<std::pair<double, double>> gaps;  // begin, end
  for (const Stretch& arc : taken) {
    const double begin = wrapped(arc.begin - arcs.base);
    const double end = begin + arc.length;
    gaps.emplace_back(begin, std::min(end, kTurn));
    if (end > kTurn) gaps.emplace_back(0.0, end - kTurn);
  }
  std::ranges::sort(gaps);
  double reached = 0.0;
  for (const auto& [begin, end] : gaps) {
    if (begin > reached) arcs.left.push_back({reached, begin - reached});
    reached = std::max(reached, end);
  }
  if (reached < kTurn) arcs.left.push_back({reached, kTurn - reached});
  return arcs;
}

/// Between two angles in [0, 2 pi], the shorter way.
double apart(double a, double b) {
  const double direct = std::abs(a - b);
  return std::min(direct, kTurn - direct);
}

/// Moves an angle along the arcs, laid end to end on a circle, by a part of this circle. Each arc has a margin at
/// either end, so that an angle at its end comes back to this end, not to the next arc (shift.hpp).
double moved(double angle, const Stretches& arcs, double part) {
  constexpr double kMargin = kTurn * kSlack;
  const double at = wrapped(angle - arcs.base);
  double round = 0.0;
  double place = 0.0;
  double nearest = 2.0 * kTurn;
  for (const Stretch& arc : arcs.left) {
    const double end = arc.begin + arc.length;
    const bool inside = at >= arc.begin && at <= end;
    const double distance = inside ? 0.0 : std::min(apart(at, arc.begin), apart(at, end));
    if (distance < nearest) {  // rounding can put it beside its arc
      nearest = distance;
      const bool at_end = !inside && apart(at, end) < apart(at, arc.begin);
      place = round + kMargin + (inside ? at - arc.begin : at_end ? arc.length : 0.0);
    }
    round += arc.length + 2.0 * kMargin;
  }
  place += part * round;
  if (place >= round) place -= round;
  if (place < 0.0) place += round;
  for (const Stretch& arc : arcs.left) {
    const double width = arc.length + 2.0 * kMargin;
    if (place < width || &arc == &arcs.left.back()) {
      return arcs.base + arc.begin + std::clamp(place - kMargin, 0.0, arc.length);
    }
    place -= width;
  }
  return angle;
}

/// What walls leave of the momentum: the directions, in velocities times roots of masses, of motions of the whole.
std::vector<Coordinates> motions_of_the_whole(const std::vector<double>& root_masses,
                                              const std::vector<ManyInPlane::AtWall>& at_walls) {
  std::vector<Vec2> along;
  if (at_walls.empty()) {
    along = {Vec2(1.0, 0.0), Vec2(0.0, 1.0)};
  } else {
    constexpr double kParallel = 1e-9;  // sine of the angle between two walls
    const Vec2 first = at_walls.front().inward;
    if (std::ranges::all_of(at_walls,
                            [&](const auto& wall) { return std::abs(cross(first, wall.inward)) < kParallel; }))
      along = {perp(first)};
  }
  std::vector<Coordinates> found;
  for (const Vec2& way : along) {
    Coordinates motion;
    for (const double root : root_masses) motion.insert(motion.end(), {root * way.x(), root * way.y()});
    append(found, std::move(motion));
  }
  return found;
}

}  // namespace

ManyInPlane::ManyInPlane(const std::vector<double>& masses, const std::vector<Pair>& pairs,
                         const std::vector<AtWall>& at_walls) {
  for (const double mass : masses) root_masses_.push_back(std::sqrt(mass));
  const std::size_t size = 2 * masses.size();
  std::vector<Coordinates> contacts;
  const auto open = [&](std::size_t particle, const Vec2& way) {
    if (particle >= masses.size()) throw std::invalid_argument("a contact of a particle that is not there");
    contacts.back()[2 * particle] = way.x() / root_masses_[particle];
    contacts.back()[2 * particle + 1] = way.y() / root_masses_[particle];
  };
  for (const Pair& pair : pairs) {
    contacts.emplace_back(size, 0.0);
    const Vec2 normal = pair.to_first.normalized();
    open(pair.first, normal);
    open(pair.second, -normal);
  }
  for (const AtWall& wall : at_walls) {
    contacts.emplace_back(size, 0.0);
    open(wall.particle, wall.inward);
  }
  if (contacts.empty()) throw std::invalid_argument("a collision needs a contact");
  std::vector<Coordinates> columns = motions_of_the_whole(root_masses_, at_walls);
  const auto whole = static_cast<std::ptrdiff_t>(columns.size());
  while (columns.size() < size) append_any(columns, size);
  frame_.assign(columns.begin() + whole, columns.end());
  for (const Coordinates& contact : contacts) {
    Coordinates opening;
    for (const Coordinates& column : frame_) opening.push_back(dot(column, contact));
    scale(opening, 1.0 / std::sqrt(dot(opening, opening)));
    openings_.push_back(std::move(opening));
  }
}

/// Turns the state in the plane of two dimensions, within the arcs on which it separates all contacts.
void ManyInPlane::turn(Coordinates& q, std::size_t i, std::size_t j, double number, Direction direction) const {
  const double radius = std::sqrt(q[i] * q[i] + q[j] * q[j]);
  std::vector<Stretch> closed;
  for (const Coordinates& k : openings_) {
    // The contact opens with rest + size cos(angle - middle).
    double rest = 0.0;
    for (std::size_t d = 0; d < q.size(); ++d) rest += d == i || d == j ? 0.0 : k[d] * q[d];
    const double size = radius * std::sqrt(k[i] * k[i] + k[j] * k[j]);
    if (size <= std::abs(rest)) continue;  // it opens on the whole circle
    const double half = deterministic::atan2(std::sqrt((size - rest) * (size + rest)), -rest);
    closed.push_back({deterministic::atan2(k[j], k[i]) + half, kTurn - 2.0 * half});
  }
  const Stretches open = without(closed);
  if (open.left.empty()) return;  // grazing, to rounding
  const double part = direction == Direction::forward ? number : -number;
  const auto [sine, cosine] = deterministic::sincos(moved(deterministic::atan2(q[j], q[i]), open, part));
  q[i] = radius * cosine;
  q[j] = radius * sine;
}

ManyInPlane::Velocities ManyInPlane::apply(const Velocities& v, const Numbers& numbers, Direction direction) const {
  Coordinates y;
  for (std::size_t p = 0; p < v.size(); ++p) {
    y.insert(y.end(), {root_masses_[p] * v[p].x(), root_masses_[p] * v[p].y()});
  }
  Coordinates old;
  for (const Coordinates& column : frame_) old.push_back(dot(column, y));
  const double length = std::sqrt(dot(old, old));
  if (length == 0.0) return v;
  // What approaches is opposite to what separates.
  const double sign = direction == Direction::forward ? -1.0 : 1.0;
  Coordinates q = old;
  scale(q, sign / length);
  std::vector<std::pair<std::size_t, std::size_t>> planes;
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (std::size_t j = i + 1; j < q.size(); ++j) planes.emplace_back(i, j);
  }
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const std::size_t at = direction == Direction::forward ? k : planes.size() - 1 - k;
    turn(q, planes[at].first, planes[at].second, numbers[at], direction);
  }
  Coordinates change(y.size(), 0.0);
  for (std::size_t k = 0; k < q.size(); ++k) add(change, -sign * length * q[k] - old[k], frame_[k]);
  Velocities result = v;
  for (std::size_t p = 0; p < v.size(); ++p) {
    result[p] += Vec2(change[2 * p], change[2 * p + 1]) / root_masses_[p];
  }
  return result;
}

}  // namespace scree::hard::reversible
