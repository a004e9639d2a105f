#include "geometry/closest_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace scree {
namespace {

/// The vertices of an outline in the frame of the search, moved there one by one when asked for.
class OutlineOfA {
 public:
  explicit OutlineOfA(Outline outline) : outline_(outline) {}
  Feature size() const { return static_cast<Feature>(outline_.size()); }
  Vec2 operator[](Feature i) const { return outline_[i]; }

 private:
  Outline outline_;
};

class OutlineOfB {
 public:
  OutlineOfB(Outline outline, const Pose& pose) : outline_(outline), pose_(pose) {}
  Feature size() const { return static_cast<Feature>(outline_.size()); }
  Vec2 operator[](Feature i) const { return pose_ * outline_[i]; }

 private:
  Outline outline_;
  const Pose& pose_;
};

Feature vertex(Feature i) {
  return 2 * i;
}
Feature edge(Feature i) {
  return 2 * i + 1;
}
bool is_vertex(Feature f) {
  return f % 2 == 0;
}
Feature next_in_ring(Feature i, Feature n) {
  return i + 1 == n ? 0 : i + 1;
}
Feature previous_in_ring(Feature i, Feature n) {
  return i == 0 ? n - 1 : i - 1;
}

enum class Verdict { kStep, kClosest, kOverlapping };

/// Two features, one on p and one on q, and what examining them told: where to step, or the closest points.
struct Walk {
  Feature on_p;
  Feature on_q;
  Vec2 point_p = Vec2::Zero();
  Vec2 point_q = Vec2::Zero();
  double distance = 0.0;

  Verdict step_to(Feature next_p, Feature next_q) {
    on_p = next_p;
    on_q = next_q;
    return Verdict::kStep;
  }
  Verdict overlapping_at(const Vec2& point) {
    point_p = point_q = point;
    distance = 0.0;
    return Verdict::kOverlapping;
  }
  Walk swapped() const { return {on_q, on_p, point_q, point_p, distance}; }
};

/// The Voronoi region of vertex i of p against the point x: the feature of p to step to, vertex(i) if it is inside.
template <class P>
Feature region_of_vertex(const P& p, Feature i, const Vec2& at, const Vec2& x) {
  const Feature before = previous_in_ring(i, p.size());
  const Vec2 away = x - at;
  const double onto_next = away.dot(p[next_in_ring(i, p.size())] - at);
  const double onto_previous = away.dot(p[before] - at);
  if (std::max(onto_next, onto_previous) <= 0.0) return vertex(i);
  return onto_next >= onto_previous ? edge(i) : edge(before);
}

template <class P, class Q>
Verdict examine_vertices(const P& p, const Q& q, Walk& walk) {
  const Feature i = walk.on_p / 2;
  const Feature j = walk.on_q / 2;
  const Vec2 u = p[i];
  const Vec2 v = q[j];
  const Feature next_p = region_of_vertex(p, i, u, v);
  if (next_p != walk.on_p) return walk.step_to(next_p, walk.on_q);
  const Feature next_q = region_of_vertex(q, j, v, u);
  if (next_q != walk.on_q) return walk.step_to(walk.on_p, next_q);
  walk.point_p = u;
  walk.point_q = v;
  walk.distance = (v - u).norm();
  return Verdict::kClosest;
}

/// The point v lies on the inner side of an edge: inside p, or else before the edge that it is farthest outside of.
template <class P>
Verdict leave_inner_side(const P& p, const Vec2& v, Walk& walk) {
  double lowest = std::numeric_limits<double>::infinity();
  Feature lowest_edge = 0;
  Vec2 from = p[0];
  for (Feature i = 0; i < p.size(); ++i) {
    const Vec2 to = p[next_in_ring(i, p.size())];
    const Vec2 along = to - from;
    const double height = cross(along, v - from) / along.norm();
    if (height < lowest) {
      lowest = height;
      lowest_edge = i;
    }
    from = to;
  }
  if (lowest >= 0.0) return walk.overlapping_at(v);
  return walk.step_to(edge(lowest_edge), walk.on_q);
}

/// An edge of p and a vertex of q.
template <class P, class Q>
Verdict examine_edge_and_vertex(const P& p, const Q& q, Walk& walk) {
  const Feature i = walk.on_p / 2;
  const Feature i_next = next_in_ring(i, p.size());
  const Vec2 start = p[i];
  const Vec2 end = p[i_next];
  const Vec2 along = end - start;
  const Feature j = walk.on_q / 2;
  const Vec2 v = q[j];

  if ((v - start).dot(along) < 0.0) return walk.step_to(vertex(i), walk.on_q);
  if ((v - end).dot(along) > 0.0) return walk.step_to(vertex(i_next), walk.on_q);
  const double height = cross(along, v - start);  // times the edge's length; negative outside
  if (height > 0.0) return leave_inner_side(p, v, walk);

  // Is one of v's neighbours nearer to the edge's line than v? The closest point of the edge lies straight across, so
  // this is the Voronoi region of v, in a form whose sign is sure even if v is almost on the edge. It needs no state
  // of two edges either: the nearer neighbour takes over if it is opposite the edge, else the end that it passed does.
  const Feature j_next = next_in_ring(j, q.size());
  const Feature j_before = previous_in_ring(j, q.size());
  const Vec2 v_next = q[j_next];
  const Vec2 v_before = q[j_before];
  const double rise_next = cross(along, v_next - v);
  const double rise_before = cross(along, v_before - v);
  if (std::max(rise_next, rise_before) > 0.0) {
    const bool forward = rise_next >= rise_before;
    const Vec2 w = forward ? v_next : v_before;
    const bool beyond_start = (w - start).dot(along) < 0.0;
    const bool beyond_end = (w - end).dot(along) > 0.0;
    if (beyond_start || beyond_end) {
      return walk.step_to(vertex(beyond_start ? i : i_next), edge(forward ? j : j_before));
    }
    const double height_of_w = cross(along, w - start);
    if (height_of_w > 0.0) {
      // From outside to inside, across the edge and not past its ends.
      return walk.overlapping_at(v + height / (height - height_of_w) * (w - v));
    }
    return walk.step_to(walk.on_p, vertex(forward ? j_next : j_before));
  }

  const double squared_length = along.squaredNorm();
  walk.point_p = start + (v - start).dot(along) / squared_length * along;
  walk.point_q = v;
  walk.distance = std::abs(height) / std::sqrt(squared_length);
  return Verdict::kClosest;
}

template <class P, class Q>
Verdict examine(const P& p, const Q& q, Walk& walk) {
  if (is_vertex(walk.on_p) && is_vertex(walk.on_q)) return examine_vertices(p, q, walk);
  if (is_vertex(walk.on_q)) return examine_edge_and_vertex(p, q, walk);
  Walk mirrored = walk.swapped();
  const Verdict verdict = examine_edge_and_vertex(q, p, mirrored);
  walk = mirrored.swapped();
  return verdict;
}

/// Whether all of q is strictly outside the line of one of p's edges.
template <class P, class Q>
bool edge_separates(const P& p, const Q& q) {
  for (Feature i = 0; i < p.size(); ++i) {
    const Vec2 from = p[i];
    const Vec2 along = p[next_in_ring(i, p.size())] - from;
    bool outside = true;
    for (Feature j = 0; j < q.size() && outside; ++j) outside = cross(along, q[j] - from) < 0.0;
    if (outside) return true;
  }
  return false;
}

/// The nearest edge of p and vertex of q, as far as they are nearer than what `best` holds.
template <class P, class Q>
Walk nearest_edge_and_vertex(const P& p, const Q& q, Walk best) {
  for (Feature i = 0; i < p.size(); ++i) {
    const Vec2 start = p[i];
    const Feature i_next = next_in_ring(i, p.size());
    const Vec2 along = p[i_next] - start;
    for (Feature j = 0; j < q.size(); ++j) {
      const Vec2 v = q[j];
      const double t = std::clamp((v - start).dot(along) / along.squaredNorm(), 0.0, 1.0);
      const Vec2 point = start + t * along;
      const double distance = (v - point).norm();
      if (distance < best.distance) {
        best = {t == 0.0 ? vertex(i) : t == 1.0 ? vertex(i_next) : edge(i), vertex(j), point, v, distance};
      }
    }
  }
  return best;
}

template <class P, class Q>
Walk by_all_pairs(const P& p, const Q& q) {
  Walk best{0, 0};
  best.distance = std::numeric_limits<double>::infinity();
  best = nearest_edge_and_vertex(p, q, best);
  best = nearest_edge_and_vertex(q, p, best.swapped()).swapped();
  if (!edge_separates(p, q) && !edge_separates(q, p)) best.distance = 0.0;
  return best;
}

}  // namespace

ClosestFeatures closest_features(Outline outline_a, Outline outline_b, const Pose& b_in_a, FeaturePair hint) {
  const OutlineOfA a(outline_a);
  const OutlineOfB b(outline_b, b_in_a);
  Walk walk{hint.a < 2 * a.size() ? hint.a : 0, hint.b < 2 * b.size() ? hint.b : 0};
  if (!is_vertex(walk.on_p) && !is_vertex(walk.on_q)) --walk.on_q;

  // From the worst hint a walk passes each feature about once; one that takes longer goes in circles.
  const int most_steps = static_cast<int>(2 * (a.size() + b.size())) + 8;
  int steps = 0;
  Verdict verdict = Verdict::kStep;
  while (verdict == Verdict::kStep && steps < most_steps) {
    verdict = examine(a, b, walk);
    ++steps;
  }
  if (verdict == Verdict::kStep) walk = by_all_pairs(a, b);
  return {{walk.on_p, walk.on_q}, walk.point_p, walk.point_q, walk.distance, steps};
}

}  // namespace scree
