#pragma once

#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"
#include "geometry/predicates.hpp"

// What closest_features and overlap share: two outlines in one frame, a's, and which side of a line a vertex is on.
namespace scree::outlines {

/// The outline whose frame it is.
class Fixed {
 public:
  static constexpr bool kMoved = false;
  explicit Fixed(Outline outline) : outline_(outline) {}
  int size() const { return static_cast<int>(outline_.size()); }
  const Vec2& operator[](int i) const { return outline_[static_cast<std::size_t>(i)]; }

 private:
  Outline outline_;
};

/// The other outline; its vertices are moved into the frame one by one, when asked for.
class Moved {
 public:
  static constexpr bool kMoved = true;
  Moved(Outline outline, const Pose& pose) : outline_(outline), pose_(pose) {}
  int size() const { return static_cast<int>(outline_.size()); }
  Vec2 operator[](int i) const { return pose_ * outline_[static_cast<std::size_t>(i)]; }

 private:
  Outline outline_;
  Pose pose_;
};

template <class P>
int next(const P& p, int i) {
  return i + 1 == p.size() ? 0 : i + 1;
}
template <class P>
int previous(const P& p, int i) {
  return i == 0 ? p.size() - 1 : i - 1;
}

/// Whether v, a vertex of the other outline, is on the left of the line from u to w, two vertices of P.
///
/// Never on the line: ties are broken as if the moved outline were shifted by the infinitesimal vector (e, e^2). Such a
/// shift exists that breaks them all, so all answers fit together: seen through this function, no vertex is on an
/// edge's line, no two edges are collinear, and outlines cross in an even number of points inside edges of both. Source
/// of the idea: H. Edelsbrunner & E. P. Muecke, ACM Trans. Graph. 9 (1990) 66.
template <class P>
bool is_left(const Vec2& u, const Vec2& w, const Vec2& v) {
  const double side = signed_cross(u, w, u, v);
  if (side != 0.0) [[likely]]
    return side > 0.0;
  const bool shift_goes_left = w.y() < u.y() || (w.y() == u.y() && w.x() > u.x());
  return shift_goes_left != P::kMoved;
}

/// Where a point lies relative to an outline, found in the fan of triangles from one of its vertices.
///
/// The walk starts at the triangle over the edge `hint` and goes one triangle a step. The answer does not depend on the
/// hint, as it does not on the apex, which is chosen opposite the hint.
template <class P>
class FanWalk {
 public:
  FanWalk(const P& p, int hint, const Vec2& point)
      : p_(p), point_(point), apex_((hint + 1 + p.size() / 2) % p.size()), at_apex_(p[apex_]), edge_(hint) {}

  /// @return whether it has arrived
  bool step() {
    if (direction_ <= 0 && edge_ != next(p_, apex_) && !is_left<P>(at_apex_, p_[edge_], point_)) {
      direction_ = -1;
      edge_ = previous(p_, edge_);
      return false;
    }
    const int end = next(p_, edge_);
    if (direction_ >= 0 && next(p_, end) != apex_ && is_left<P>(at_apex_, p_[end], point_)) {
      direction_ = 1;
      edge_ = end;
      return false;
    }
    return true;
  }

  // Once it has arrived:

  bool inside() {
    if (!is_left<P>(p_[edge_], p_[next(p_, edge_)], point_)) return false;
    const int before_apex = previous(p_, apex_);
    if (edge_ == next(p_, apex_) && !is_left<P>(at_apex_, p_[edge_], point_)) {
      edge_ = apex_;
      return false;
    }
    if (next(p_, edge_) == before_apex && !is_left<P>(p_[before_apex], at_apex_, point_)) {
      edge_ = before_apex;
      return false;
    }
    return true;
  }
  /// The edge of its triangle; after inside() was false, an edge that the point is outside of.
  int edge() const { return edge_; }

 private:
  const P& p_;
  Vec2 point_;
  int apex_;
  Vec2 at_apex_;
  int edge_;
  int direction_ = 0;
};

/// Finds the edge of q across which the line from u to w, two vertices of P that point into q there, leaves q.
///
/// One vertex of q a step: backwards over those on the left of the line, or forwards over those on its right.
/// @pre the line passes through the inside of q
template <class P, class Q>
class ExitWalk {
 public:
  ExitWalk(const Q& q, int hint, const Vec2& u, const Vec2& w) : q_(q), u_(u), w_(w), edge_(hint) {}

  bool step() {
    if (direction_ == 0) {
      direction_ = is_left<P>(u_, w_, q_[edge_]) ? -1 : 1;
    }
    if (direction_ < 0) {
      edge_ = previous(q_, edge_);
      return !is_left<P>(u_, w_, q_[edge_]);
    }
    const int end = next(q_, edge_);
    if (is_left<P>(u_, w_, q_[end])) return true;
    edge_ = end;
    return false;
  }
  int edge() const { return edge_; }

 private:
  const Q& q_;
  Vec2 u_;
  Vec2 w_;
  int edge_;
  int direction_ = 0;
};

/// Edges of p and q that cross.
struct Crossing {
  int on_p = 0;
  int on_q = 0;
  bool operator==(const Crossing&) const = default;
};

/// Whether edge i of p crosses edge j of q.
template <class P, class Q>
bool edges_cross(const P& p, const Q& q, Crossing at) {
  const Vec2& start = p[at.on_p];
  const Vec2& end = p[next(p, at.on_p)];
  const Vec2& from = q[at.on_q];
  const Vec2& to = q[next(q, at.on_q)];
  return is_left<P>(start, end, from) != is_left<P>(start, end, to) &&
         is_left<Q>(from, to, start) != is_left<Q>(from, to, end);
}

/// Follows p's outline inside q until it leaves q.
///
/// Whether the end of an edge is still inside is decided by the edge's line, which leaves q before or behind it, or by
/// the fan around it, whichever is found first: one of the two is near, unless the outline runs deep inside.
/// @param from   an edge of p that starts inside q or has come in across an edge of q, and an edge of q near there
/// @param inside called for each vertex of p that is inside q
/// @return the edges that cross where p goes out; on_p < 0 if it never does, or if rounding has made an outline concave
/// Cost: O(vertices of p inside q and of q inside p)
template <class P, class Q, class Inside>
Crossing follow(const P& p, const Q& q, Crossing from, Inside inside) {
  int i = from.on_p;
  int j = from.on_q;
  Vec2 start = p[i];
  for (int count = 0; count < p.size(); ++count) {
    const Vec2 end = p[next(p, i)];
    ExitWalk<P, Q> exit(q, j, start, end);
    FanWalk<Q> fan(q, j, end);
    bool is_inside = false;
    for (int steps = 0;; ++steps) {
      if (exit.step()) {
        j = exit.edge();
        if (!is_left<Q>(q[j], q[next(q, j)], end)) return {i, j};
        is_inside = true;
        break;
      }
      if (fan.step()) {
        is_inside = fan.inside();
        if (is_inside) j = fan.edge();
        break;
      }
      if (steps > 2 * q.size()) return {-1, -1};
    }
    if (!is_inside) {  // the exit is near, too
      int left = 2 * q.size();
      while (!exit.step() && --left > 0) {
      }
      return left > 0 ? Crossing{i, exit.edge()} : Crossing{-1, -1};
    }
    inside(end);
    i = next(p, i);
    start = end;
  }
  return {-1, -1};
}

}  // namespace scree::outlines
