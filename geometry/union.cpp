#include "geometry/union.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

#include "geometry/deterministic_math.hpp"
#include "geometry/tolerances.hpp"

namespace scree {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kSlit = 2e-4;  // of the extent: width of the slit between a hole and the outline
constexpr double kSame = 1e-9;  // of the extent: points nearer than this are one
constexpr double kChord = 5.0;  // of an arc in the outline [degrees]

/// A piece of the boundary, with the inside on its left: from one point to another, straight or along a circle.
struct Piece {
  Vec2 begin;
  Vec2 end;
  double radius = 0.0;  // 0: straight
  Vec2 centre = Vec2::Zero();
  double from = 0.0;  // angles of an arc; to > from
  double to = 0.0;

  bool is_arc() const { return radius > 0.0; }
  bool is_circle() const { return is_arc() && to - from >= kTurn; }
  /// Directions in which it leaves and arrives.
  Vec2 leaves() const { return is_arc() ? perp(begin - centre) : Vec2(end - begin); }
  Vec2 arrives() const { return is_arc() ? perp(end - centre) : Vec2(end - begin); }
};

Vec2 direction(double angle) {
  const auto [sin, cos] = deterministic::sincos(angle);
  return {cos, sin};
}

/// A part about the point of reference.
struct Part {
  std::vector<Vec2> corners;  // counter-clockwise; empty: a disk
  Vec2 centre = Vec2::Zero();
  double radius = 0.0;

  bool is_disk() const { return corners.empty(); }
  const Vec2& next(std::size_t k) const { return corners[k + 1 < corners.size() ? k + 1 : 0]; }
};

/// Signed distance of a point from the boundary of a part, as far as it is near, and the normal there, outward.
struct Depth {
  double outside;
  Vec2 normal;
};
Depth depth(const Part& part, const Vec2& at) {
  if (part.is_disk()) {
    const Vec2 way = at - part.centre;
    const double distance = way.norm();
    return {distance - part.radius, distance > 0.0 ? Vec2(way / distance) : Vec2(1.0, 0.0)};
  }
  Depth farthest{-std::numeric_limits<double>::infinity(), Vec2::Zero()};
  for (std::size_t k = 0; k < part.corners.size(); ++k) {
    const Vec2 normal = -perp(part.next(k) - part.corners[k]).normalized();
    const double outside = normal.dot(at - part.corners[k]);
    if (outside > farthest.outside) farthest = {outside, normal};
  }
  return farthest;
}

/// Whether a point on the boundary of part i is inside the union, or on a piece of boundary that counts for another
/// part. @param normal outward
bool is_covered(const std::vector<Part>& parts, std::size_t i, const Vec2& at, const Vec2& normal, double same) {
  for (std::size_t j = 0; j < parts.size(); ++j) {
    if (j == i) continue;
    const Depth there = depth(parts[j], at);
    if (there.outside < -same) return true;
    if (there.outside > same) continue;
    if (there.normal.dot(normal) < 0.0 || j < i) return true;  // a seam; or two run along each other
  }
  return false;
}

/// Cosine's inverse, 0 to pi. @pre -1 <= c <= 1
double inverse_cosine(double c) {
  return deterministic::atan2(std::sqrt(std::max(0.0, 1.0 - c * c)), c);
}

/// Where the line through a and b meets a circle, as angles.
void cut_by_line(const Part& disk, const Vec2& a, const Vec2& b, std::vector<double>& angles) {
  const Vec2 normal = -perp(b - a).normalized();
  const double share = normal.dot(a - disk.centre) / disk.radius;
  if (std::abs(share) > 1.0) return;
  const double middle = deterministic::atan2(normal.y(), normal.x());
  const double half = inverse_cosine(share);
  angles.push_back(middle - half);
  angles.push_back(middle + half);
}

void cut_by_circle(const Part& disk, const Part& other, std::vector<double>& angles) {
  const Vec2 way = other.centre - disk.centre;
  const double distance = way.norm();
  if (distance == 0.0) return;
  const double c =
      (way.squaredNorm() + disk.radius * disk.radius - other.radius * other.radius) / (2.0 * distance * disk.radius);
  if (std::abs(c) > 1.0) return;
  const double middle = deterministic::atan2(way.y(), way.x());
  const double half = inverse_cosine(c);
  angles.push_back(middle - half);
  angles.push_back(middle + half);
}

void add_edge(const std::vector<Part>& parts, std::size_t i, const Vec2& from, const Vec2& to, double same,
              std::vector<Piece>& pieces) {
  const Vec2 along = to - from;
  const double length = along.norm();
  const Vec2 normal = -perp(along) / length;
  std::vector<double> cuts = {0.0, 1.0};
  for (std::size_t j = 0; j < parts.size(); ++j) {
    if (j == i) continue;
    const Part& other = parts[j];
    if (other.is_disk()) {
      const Vec2 way = from - other.centre;
      const double b = way.dot(along) / (length * length);
      const double c = (way.squaredNorm() - other.radius * other.radius) / (length * length);
      const double root = b * b - c;
      if (root < 0.0) continue;
      cuts.push_back(-b - std::sqrt(root));
      cuts.push_back(-b + std::sqrt(root));
      continue;
    }
    for (std::size_t k = 0; k < other.corners.size(); ++k) {
      const Vec2& corner = other.corners[k];
      const Vec2 edge = other.next(k) - corner;
      const double product = cross(along, edge);
      if (product != 0.0) cuts.push_back(cross(corner - from, edge) / product);
      if (std::abs(normal.dot(corner - from)) <= 2.0 * same)
        cuts.push_back(along.dot(corner - from) / (length * length));
    }
  }
  std::erase_if(cuts, [](double t) { return !(t >= 0.0 && t <= 1.0); });
  std::ranges::sort(cuts);
  double begin = 0.0;
  bool goes_on = false;  // the last piece ends where this one begins
  for (const double cut : cuts) {
    if ((cut - begin) * length <= 2.0 * same) continue;
    const double end = (1.0 - cut) * length <= 2.0 * same ? 1.0 : cut;
    const Vec2 middle = from + 0.5 * (begin + end) * along;
    const bool is_free = !is_covered(parts, i, middle, normal, same);
    const Vec2 at_end = end == 1.0 ? to : Vec2(from + end * along);
    if (is_free && goes_on) {
      pieces.back().end = at_end;
    } else if (is_free) {
      pieces.push_back({.begin = begin == 0.0 ? from : Vec2(from + begin * along), .end = at_end});
    }
    goes_on = is_free;
    begin = end;
  }
}

void add_disk(const std::vector<Part>& parts, std::size_t i, double same, std::vector<Piece>& pieces) {
  const Part& disk = parts[i];
  std::vector<double> cuts;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    if (j == i) continue;
    if (parts[j].is_disk()) {
      cut_by_circle(disk, parts[j], cuts);
    } else {
      for (std::size_t k = 0; k < parts[j].corners.size(); ++k) {
        cut_by_line(disk, parts[j].corners[k], parts[j].next(k), cuts);
      }
    }
  }
  for (double& angle : cuts) angle -= kTurn * std::floor(angle / kTurn);
  std::ranges::sort(cuts);
  std::vector<double> angles;
  for (const double angle : cuts) {
    if (angles.empty() || (angle - angles.back()) * disk.radius > 2.0 * same) angles.push_back(angle);
  }
  while (angles.size() > 1 && (angles.front() + kTurn - angles.back()) * disk.radius <= 2.0 * same) angles.pop_back();
  if (angles.empty()) angles.push_back(0.0);
  std::vector<Piece> arcs;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const double from = angles[k];
    const double to = k + 1 < angles.size() ? angles[k + 1] : angles.front() + kTurn;
    const Vec2 outward = direction(0.5 * (from + to));
    if (is_covered(parts, i, disk.centre + disk.radius * outward, outward, same)) continue;
    if (!arcs.empty() && arcs.back().to == from) {
      arcs.back().to = to;
    } else {
      arcs.push_back({.begin = Vec2::Zero(),
                      .end = Vec2::Zero(),
                      .radius = disk.radius,
                      .centre = disk.centre,
                      .from = from,
                      .to = to});
    }
  }
  if (arcs.size() > 1 && arcs.back().to == arcs.front().from + kTurn) {  // across the first cut
    arcs.back().to = arcs.front().to + kTurn;
    arcs.erase(arcs.begin());
  }
  for (Piece& arc : arcs) {
    arc.begin = disk.centre + disk.radius * direction(arc.from);
    arc.end = arc.is_circle() ? arc.begin : Vec2(disk.centre + disk.radius * direction(arc.to));
    pieces.push_back(arc);
  }
}

/// Integrals over the inside, by Green's theorem.
struct Moments {
  double area = 0.0;
  Vec2 first = Vec2::Zero();
  double second = 0.0;  // polar, about the origin

  /// The triangle from the origin.
  void add(const Vec2& p, const Vec2& q) {
    const double product = cross(p, q);
    area += 0.5 * product;
    first += product / 6.0 * (p + q);
    second += product / 12.0 * (p.squaredNorm() + p.dot(q) + q.squaredNorm());
  }
  void add(const Piece& piece) {
    if (!piece.is_arc()) return add(piece.begin, piece.end);
    const double r = piece.radius;
    const double turn = piece.to - piece.from;
    const Vec2& centre = piece.centre;
    if (!piece.is_circle()) {
      add(piece.begin, centre);
      add(centre, piece.end);
    }
    const double sector = 0.5 * r * r * turn;
    const Vec2 about_centre = -(r * r / 3.0) * perp(piece.end - piece.begin);
    area += sector;
    first += about_centre + sector * centre;
    second += 0.25 * r * r * r * r * turn + 2.0 * centre.dot(about_centre) + sector * centre.squaredNorm();
  }
};

/// Appends the points of a piece but its last.
void append_points(const Piece& piece, std::vector<Vec2>& points) {
  points.push_back(piece.begin);
  if (!piece.is_arc()) return;
  const int chords = static_cast<int>(std::ceil((piece.to - piece.from) / (kChord / 360.0 * kTurn) - 1e-9));
  for (int k = 1; k < chords; ++k) {
    points.emplace_back(piece.centre + piece.radius * direction(piece.from + (piece.to - piece.from) * k / chords));
  }
}

/// Angle from one direction to another, -pi to pi, counter-clockwise.
double turn(const Vec2& from, const Vec2& to) {
  return deterministic::atan2(cross(from, to), from.dot(to));
}

/// The pieces in closed lines. Where several meet in a point, each line goes on by the sharpest turn to the left, so
/// that what hangs together by a point only is apart.
std::vector<std::vector<Piece>> closed_lines(std::vector<Piece> pieces, double same) {
  const double near = 16.0 * same;
  const double far = 1000.0 * same;  // where an arc touches a side, its end is known to half of the digits only
  std::vector<std::vector<Piece>> lines;
  while (!pieces.empty()) {
    std::vector<Piece> line = {pieces.back()};
    pieces.pop_back();
    while (!line.front().is_circle()) {
      const Piece& last = line.back();
      std::optional<std::size_t> next;
      double sharpest = -std::numeric_limits<double>::infinity();
      double nearest = far;
      for (std::size_t k = 0; k < pieces.size(); ++k) {
        const double gap = (pieces[k].begin - last.end).norm();
        const double angle = turn(last.arrives(), pieces[k].leaves());
        const bool is_better = gap <= near ? nearest > near || angle > sharpest : gap < nearest;
        if (!is_better) continue;
        nearest = gap;
        sharpest = angle;
        next = k;
      }
      const double to_close = (line.front().begin - last.end).norm();
      const double angle = turn(last.arrives(), line.front().leaves());
      if (to_close <= near ? nearest > near || angle > sharpest : to_close < nearest) break;
      if (!next) throw GeometryError("the outline of the parts together cannot be found: they touch too closely");
      line.push_back(pieces[*next]);
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(*next));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Vec2> points_of(const std::vector<Piece>& line) {
  std::vector<Vec2> points;
  for (const Piece& piece : line) append_points(piece, points);
  return points;
}

double area_of(const std::vector<Vec2>& line) {
  double doubled = 0.0;
  for (std::size_t k = 0; k < line.size(); ++k) doubled += cross(line[k], line[k + 1 < line.size() ? k + 1 : 0]);
  return 0.5 * doubled;
}

/// Joins a hole to the outline by a slit: from its rightmost point to the right until it meets the outline.
/// @param width of the slit, at most, so that the outline is simple
void join_hole(std::vector<Vec2>& outline, const std::vector<Vec2>& hole, double width) {
  const auto by_x = [](const Vec2& a, const Vec2& b) { return a.x() < b.x(); };
  const auto start = static_cast<std::size_t>(std::ranges::max_element(hole, by_x) - hole.begin());
  const Vec2 from = hole[start];
  std::size_t edge = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const Vec2& a = outline[k];
    const Vec2& b = outline[k + 1 < outline.size() ? k + 1 : 0];
    if ((a.y() > from.y()) == (b.y() > from.y())) continue;
    const double x = a.x() + (from.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x());
    if (x < from.x() || x >= nearest) continue;
    nearest = x;
    edge = k;
  }
  if (!std::isfinite(nearest)) return;
  // The hole is run through clockwise, downwards at its rightmost point; the outline upwards there.
  const auto aside = [&](const Vec2& at, const Vec2& towards) -> Vec2 {
    const Vec2 way = towards - at;
    const double length = way.norm();
    return at + std::min(0.5 * width / length, 0.25) * way;
  };
  const Vec2 hit(nearest, from.y());
  std::vector<Vec2> way = {aside(hit, outline[edge]), aside(from, hole[(start + 1) % hole.size()])};
  for (std::size_t k = 1; k < hole.size(); ++k) way.push_back(hole[(start + k) % hole.size()]);
  way.push_back(aside(from, hole[(start + hole.size() - 1) % hole.size()]));
  way.push_back(aside(hit, outline[edge + 1 < outline.size() ? edge + 1 : 0]));
  outline.insert(outline.begin() + static_cast<std::ptrdiff_t>(edge) + 1, way.begin(), way.end());
}

std::vector<Vec2> joined(std::vector<std::vector<Vec2>> lines, double least_area, double slit) {
  std::erase_if(lines, [&](const auto& line) { return std::abs(area_of(line)) <= least_area; });
  const auto holes =
      std::stable_partition(lines.begin(), lines.end(), [](const auto& line) { return area_of(line) > 0.0; });
  const auto outer = holes - lines.begin();
  if (outer != 1) {
    throw GeometryError("the parts do not hang together: they make " + std::to_string(outer) +
                        " pieces, which touch in points at most");
  }
  const auto right = [](const std::vector<Vec2>& line) {
    double x = -std::numeric_limits<double>::infinity();
    for (const Vec2& point : line) x = std::max(x, point.x());
    return x;
  };
  std::stable_sort(holes, lines.end(), [&](const auto& a, const auto& b) { return right(a) > right(b); });
  for (auto hole = holes; hole != lines.end(); ++hole) join_hole(lines.front(), *hole, slit);
  return std::move(lines.front());
}

}  // namespace

Union Union::scaled(double factor) const {
  Union result = *this;
  const double square = factor * factor;
  result.area *= square;
  result.shared_area *= square;
  result.second_moment *= square * square;
  result.centroid *= factor;
  result.bounding_radius *= factor;
  for (Vec2& point : result.outline) point *= factor;
  return result;
}

Union unite(std::span<const ConvexPart> parts) {
  if (parts.empty()) throw GeometryError("there are no parts");
  Aabb2 box{Vec2::Zero(), Vec2::Zero()};
  auto include = [&, is_first = true](const Vec2& lo, const Vec2& hi) mutable {
    if (!lo.allFinite() || !hi.allFinite()) throw GeometryError("a part is not finite");
    if (is_first) box = {lo, lo};
    is_first = false;
    box.extend(lo);
    box.extend(hi);
  };
  std::vector<Part> convex;
  double sum_of_areas = 0.0;
  for (const ConvexPart& part : parts) {
    if (part.is_disk()) {
      if (!(part.radius > 0.0)) throw GeometryError("a disk without a radius");
      convex.push_back({{}, part.centre, part.radius});
      const Vec2 reach(part.radius, part.radius);
      include(part.centre - reach, part.centre + reach);
      sum_of_areas += std::numbers::pi * part.radius * part.radius;
      continue;
    }
    const Polygon polygon(part.polygon);
    std::vector<Vec2> corners = part.polygon;  // as given, so that common corners of two parts are the same
    if (polygon.vertices().size() != corners.size() || area_of(corners) < 0.0) {
      corners.clear();
      for (const Vec2& corner : polygon.vertices()) corners.emplace_back(polygon.centroid() + corner);
    }
    for (const Vec2& corner : corners) include(corner, corner);
    convex.push_back({std::move(corners)});
    sum_of_areas += polygon.area();
  }
  const Vec2 reference = 0.5 * (box.lo + box.hi);
  const double extent = (box.hi - box.lo).maxCoeff();
  const double largest = std::max(box.lo.cwiseAbs().maxCoeff(), box.hi.cwiseAbs().maxCoeff());
  const double same = std::max(kSame * extent, kDifferenceRounding * largest);
  for (Part& part : convex) {
    for (Vec2& corner : part.corners) corner -= reference;
    part.centre -= reference;
  }

  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < convex.size(); ++i) {
    if (convex[i].is_disk()) add_disk(convex, i, same, pieces);
    for (std::size_t k = 0; k < convex[i].corners.size(); ++k) {
      add_edge(convex, i, convex[i].corners[k], convex[i].next(k), same, pieces);
    }
  }
  Moments all;
  std::vector<std::vector<Vec2>> boundary;
  for (const std::vector<Piece>& line : closed_lines(std::move(pieces), same)) {
    for (std::size_t k = 0; k < line.size(); ++k) {
      all.add(line[k]);
      all.add(line[k].end, line[k + 1 < line.size() ? k + 1 : 0].begin);  // what rounding leaves open
    }
    boundary.push_back(points_of(line));
  }
  Union result;
  result.area = all.area;
  const Vec2 centroid = all.first / all.area;
  result.centroid = reference + centroid;
  result.second_moment = all.second - all.area * centroid.squaredNorm();
  result.shared_area = std::max(0.0, sum_of_areas - all.area);
  result.outline = joined(std::move(boundary), 16.0 * same * extent, kSlit * extent);
  for (Vec2& point : result.outline) point -= centroid;
  for (const Part& part : convex) {
    if (part.is_disk()) {
      result.bounding_radius = std::max(result.bounding_radius, (part.centre - centroid).norm() + part.radius);
    }
    for (const Vec2& corner : part.corners) {
      result.bounding_radius = std::max(result.bounding_radius, (corner - centroid).norm());
    }
  }
  return result;
}

}  // namespace scree
