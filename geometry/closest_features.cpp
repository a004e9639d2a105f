#include "geometry/closest_features.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "geometry/outlines.hpp"
#include "geometry/two.hpp"

namespace scree {
namespace {

using namespace outlines;

int vertex(int i) {
  return 2 * i;
}
int edge(int i) {
  return 2 * i + 1;
}
bool is_vertex(int feature) {
  return feature % 2 == 0;
}

enum class Verdict { kStep, kApart, kCrossing, kPInsideQ, kQInsideP, kUndecided };

/// Two features, one on p and one on q; at the end the closest ones, with the closest points.
struct Walk {
  int on_p;
  int on_q;
  Vec2 point_p = Vec2::Zero();
  Vec2 point_q = Vec2::Zero();
  double distance = 0.0;

  Verdict step_to(int next_p, int next_q) {
    on_p = next_p;
    on_q = next_q;
    return Verdict::kStep;
  }
  Verdict crossing(Crossing at) {
    on_p = edge(at.on_p);
    on_q = edge(at.on_q);
    return Verdict::kCrossing;
  }
  Walk swapped() const { return {on_q, on_p, point_q, point_p, distance}; }
};

Verdict swapped(Verdict verdict) {
  if (verdict == Verdict::kPInsideQ) return Verdict::kQInsideP;
  if (verdict == Verdict::kQInsideP) return Verdict::kPInsideQ;
  return verdict;
}

/// Whether a point is in the Voronoi region of a vertex, and if not, beyond which boundary it is.
struct VertexRegion {
  int feature;         ///< the next feature of the walk; the vertex itself if the point is in its region
  bool next_is_far;    ///< the edge that leaves the vertex is not perpendicular to the direction of the point
  bool before_is_far;  ///< the same for the edge that ends at the vertex
};

template <class P>
VertexRegion region_of_vertex(const P& p, int i, const Vec2& at, const Vec2& x) {
  const int before = previous(p, i);
  const double onto_next = signed_dot(at, x, at, p[next(p, i)]);
  const double onto_previous = signed_dot(at, x, at, p[before]);
  const bool inside = std::max(onto_next, onto_previous) <= 0.0;
  return {inside ? vertex(i) : edge(onto_next >= onto_previous ? i : before), onto_next != 0.0, onto_previous != 0.0};
}

Verdict examine_vertices(const Fixed& a, const Moved& b, Walk& walk) {
  const int i = walk.on_p / 2;
  const int j = walk.on_q / 2;
  const Vec2 u = a[i];
  const Vec2 v = b[j];
  if (u == v) return Verdict::kUndecided;  // both regions contain the other vertex
  const VertexRegion of_u = region_of_vertex(a, i, u, v);
  if (of_u.feature != walk.on_p) return walk.step_to(of_u.feature, walk.on_q);
  const VertexRegion of_v = region_of_vertex(b, j, v, u);
  if (of_v.feature != walk.on_q) return walk.step_to(walk.on_p, of_v.feature);
  if (!of_u.before_is_far && !of_v.next_is_far) {  // parallel edges whose common part begins at the other end
    return walk.step_to(edge(previous(a, i)), vertex(next(b, j)));
  }
  walk.point_p = u;
  walk.point_q = v;
  walk.distance = (v - u).norm();
  return Verdict::kApart;
}

/// Follows the outline of q from vertex j, which is inside p near edge i, to where it leaves p.
template <class P, class Q>
Verdict leave_inside(const P& p, const Q& q, int i, int j, Walk& walk) {
  const Crossing out = follow(q, p, {j, i}, false);
  if (out.on_p < 0) return Verdict::kQInsideP;
  return walk.crossing({out.on_q, out.on_p});
}

/// The next step from an edge of p and a vertex of q; kApart if they are the closest features.
template <class P, class Q>
[[gnu::noinline]] Verdict leave_edge_and_vertex(const P& p, const Q& q, Walk& walk) {
  const int i = walk.on_p / 2;
  const int i_next = next(p, i);
  const Vec2 start = p[i];
  const Vec2 end = p[i_next];
  const int j = walk.on_q / 2;
  const Vec2 v = q[j];

  if (is_left<P>(start, end, v)) {
    FanWalk<P> fan(p, i, v);
    while (!fan.step()) {
    }
    if (fan.inside()) return leave_inside(p, q, fan.edge(), j, walk);
    for (const int on_p : {fan.edge(), i}) {  // v may have passed right through p
      for (const int on_q : {j, previous(q, j)}) {
        if (edges_cross(p, q, {on_p, on_q})) return walk.crossing({on_p, on_q});
      }
    }
    return walk.step_to(edge(fan.edge()), walk.on_q);
  }
  // The region of the edge is open: a point exactly opposite its end belongs to the vertex.
  if (signed_dot(start, v, start, end) <= 0.0) return walk.step_to(vertex(i), walk.on_q);
  if (signed_dot(end, v, start, end) >= 0.0) return walk.step_to(vertex(i_next), walk.on_q);

  // v must be nearer to the line of the edge than its neighbours. Since the closest point of the edge is opposite v,
  // this is the test of v's Voronoi region. No state of two edges is needed: if a neighbour is nearer, the walk steps
  // to it if it is opposite the edge, otherwise to the end of the edge that it has passed.
  const int j_next = next(q, j);
  const int j_before = previous(q, j);
  const Vec2 v_next = q[j_next];
  const Vec2 v_before = q[j_before];
  const double rise_next = signed_cross(start, end, v, v_next);
  const double rise_before = signed_cross(start, end, v, v_before);
  if (std::max(rise_next, rise_before) >= 0.0) {
    const bool forward = rise_next >= rise_before;
    const Vec2 w = forward ? v_next : v_before;
    const bool beyond_start = signed_dot(start, w, start, end) <= 0.0;
    const bool beyond_end = signed_dot(end, w, start, end) >= 0.0;
    if (std::max(rise_next, rise_before) > 0.0) {
      if (beyond_start || beyond_end) {
        return walk.step_to(vertex(beyond_start ? i : i_next), edge(forward ? j : j_before));
      }
      if (is_left<P>(start, end, w)) return walk.crossing({i, forward ? j : j_before});
      return walk.step_to(walk.on_p, vertex(forward ? j_next : j_before));
    }
    // Parallel edges run in opposite directions: that of b runs forward to where that of a begins.
    if (forward != P::kMoved) {
      if (beyond_start || beyond_end) return walk.step_to(vertex(P::kMoved ? i_next : i), edge(forward ? j : j_before));
      return walk.step_to(walk.on_p, vertex(forward ? j_next : j_before));
    }
  }
  return Verdict::kApart;
}

/// Whether an edge and a vertex v between v_before and v_next are certainly the closest features, for any rounding: v
/// is outside, opposite the edge, and nearer to its line than its neighbours. This is the most frequent case, tested in
/// one step.
[[gnu::always_inline]] inline bool are_surely_closest(const Vec2& start, const Vec2& end, const Vec2& v,
                                                      const Vec2& v_before, const Vec2& v_next) {
  const Vec2 along = end - start;
  const Two sense(1.0, -1.0);
  const TwoVec2 both_v = TwoVec2::of(v, v);
  const TwoVec2 both_along = TwoVec2::of(along, along);
  const TwoVec2 from_ends = both_v - TwoVec2::of(start, end);
  const Two outside = at_least(from_ends, both_along);
  const Two opposite = at_least(from_ends, {-sense * both_along.y, sense * both_along.x});
  const Two nearest = at_least(TwoVec2::of(v_before, v_next) - both_v, both_along);
  return outside.min(opposite).min(nearest).minCoeff() > 0.0;
}

/// An edge of p and a vertex of q.
template <class P, class Q>
Verdict examine_edge_and_vertex(const P& p, const Q& q, Walk& walk) {
  const int i = walk.on_p / 2;
  const Vec2 start = p[i];
  const Vec2 end = p[next(p, i)];
  const int j = walk.on_q / 2;
  const Vec2 v = q[j];
  if (!are_surely_closest(start, end, v, q[previous(q, j)], q[next(q, j)])) {
    const Verdict verdict = leave_edge_and_vertex(p, q, walk);
    if (verdict != Verdict::kApart) return verdict;
  }
  const Vec2 along = end - start;
  const double squared_length = along.squaredNorm();
  walk.point_p = start + (v - start).dot(along) / squared_length * along;
  walk.point_q = v;
  walk.distance = std::abs(signed_cross(start, end, start, v)) / std::sqrt(squared_length);
  return Verdict::kApart;
}

Verdict examine(const Fixed& a, const Moved& b, Walk& walk) {
  if (is_vertex(walk.on_p) && is_vertex(walk.on_q)) return examine_vertices(a, b, walk);
  if (is_vertex(walk.on_q)) return examine_edge_and_vertex(a, b, walk);
  Walk mirrored = walk.swapped();
  const Verdict verdict = examine_edge_and_vertex(b, a, mirrored);
  walk = mirrored.swapped();
  return swapped(verdict);
}

/// Whether the outlines cross or one is inside the other: one edge on each outline advances in turn, and the two find
/// every crossing. Cost: O(n + m)
/// Source: J. O'Rourke, C.-B. Chien, T. Olson & D. Naddor, Comput. Graph. Image Process. 19 (1982) 384.
template <class P, class Q>
Verdict chase(const P& p, const Q& q, Walk& walk) {
  Crossing at;
  for (int gone_p = 0, gone_q = 0;
       (gone_p < p.size() || gone_q < q.size()) && gone_p < 2 * p.size() && gone_q < 2 * q.size();) {
    if (edges_cross(p, q, at)) return walk.crossing(at);
    const Vec2 start = p[at.on_p];
    const Vec2 end = p[next(p, at.on_p)];
    const Vec2 from = q[at.on_q];
    const Vec2 to = q[next(q, at.on_q)];
    const bool q_turns_left = signed_cross(start, end, from, to) >= 0.0;
    const bool p_goes = q_turns_left ? is_left<P>(start, end, to) : !is_left<Q>(from, to, end);
    if (p_goes) {
      at.on_p = next(p, at.on_p);
      ++gone_p;
    } else {
      at.on_q = next(q, at.on_q);
      ++gone_q;
    }
  }
  const auto holds = [](const auto& outline, const Vec2& point, int& near) {
    FanWalk fan(outline, 0, point);
    while (!fan.step()) {
    }
    near = edge(fan.edge());
    return fan.inside();
  };
  walk.on_p = vertex(0);
  if (holds(q, p[0], walk.on_q)) return Verdict::kPInsideQ;
  walk.on_q = vertex(0);
  if (holds(p, q[0], walk.on_p)) return Verdict::kQInsideP;
  return Verdict::kApart;
}

/// The nearest edge of p and vertex of q, if they are nearer than those in `best`.
template <class P, class Q>
Walk nearest_edge_and_vertex(const P& p, const Q& q, Walk best) {
  for (int i = 0; i < p.size(); ++i) {
    const Vec2 start = p[i];
    const Vec2 along = p[next(p, i)] - start;
    for (int j = 0; j < q.size(); ++j) {
      const Vec2 v = q[j];
      const double t = std::clamp((v - start).dot(along) / along.squaredNorm(), 0.0, 1.0);
      const Vec2 point = start + t * along;
      const double distance = (v - point).norm();
      if (distance < best.distance) {
        best = {t == 0.0 ? vertex(i) : t == 1.0 ? vertex(next(p, i)) : edge(i), vertex(j), point, v, distance};
      }
    }
  }
  return best;
}

template <class P, class Q>
Verdict fall_back(const P& p, const Q& q, Walk& walk) {
  const Verdict verdict = chase(p, q, walk);
  if (verdict != Verdict::kApart) return verdict;
  walk.distance = std::numeric_limits<double>::infinity();
  walk = nearest_edge_and_vertex(p, q, walk);
  walk = nearest_edge_and_vertex(q, p, walk.swapped()).swapped();
  return verdict;
}

Relation relation_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kCrossing:
      return Relation::kCrossing;
    case Verdict::kPInsideQ:
      return Relation::kAInsideB;
    case Verdict::kQInsideP:
      return Relation::kBInsideA;
    default:
      return Relation::kApart;
  }
}

}  // namespace

ClosestFeatures closest_features(const Outline& outline_a, const Outline& outline_b, const Pose& b_in_a,
                                 FeaturePair hint) {
  const Fixed a(outline_a);
  const Moved b(outline_b, b_in_a);
  const auto features_a = static_cast<Feature>(2 * a.size());
  const auto features_b = static_cast<Feature>(2 * b.size());
  Walk walk{static_cast<int>(hint.a < features_a ? hint.a : 0), static_cast<int>(hint.b < features_b ? hint.b : 0)};

  ClosestFeatures result;
  Verdict verdict = Verdict::kStep;
  if (!is_vertex(walk.on_p) && !is_vertex(walk.on_q)) {
    Crossing at{walk.on_p / 2, walk.on_q / 2};
    result.steps = edges_cross(a, b, at) ? 0 : find_near(a, b, true, at);
    if (result.steps >= 0) {
      verdict = walk.crossing(at);
    } else {
      result.steps = 0;
      --walk.on_q;
    }
  }
  // Even from the worst hint, a walk visits each feature about once.
  const int most_steps = 2 * (a.size() + b.size()) + 8;
  while (verdict == Verdict::kStep && result.steps < most_steps) {
    verdict = examine(a, b, walk);
    result.steps += verdict == Verdict::kStep ? 1 : 0;
  }
  if (verdict == Verdict::kStep || verdict == Verdict::kUndecided) {
    result.fell_back = true;
    verdict = fall_back(a, b, walk);
  }
  result.relation = relation_of(verdict);
  result.features = {static_cast<Feature>(walk.on_p), static_cast<Feature>(walk.on_q)};
  if (result.relation == Relation::kApart) {
    result.point_a = walk.point_p;
    result.point_b = walk.point_q;
    result.distance = walk.distance;
  }
  return result;
}

}  // namespace scree
