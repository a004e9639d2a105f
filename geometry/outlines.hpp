#pragma once

#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"
#include "geometry/predicates.hpp"

// Shared by closest_features and overlap: two outlines in one frame, that of a, and the side of a line on which a
// vertex is.
namespace scree::outlines {

// They refer to the outline and the pose from which they are made, which must outlive them.

/// The outline that defines the frame.
class Fixed {
 public:
  static constexpr bool kMoved = false;
  explicit Fixed(const Outline& outline) : outline_(outline) {}
  int size() const { return static_cast<int>(outline_.size()); }
  const Vec2& operator[](int i) const { return outline_[static_cast<std::size_t>(i)]; }
  const Outline& own() const { return outline_; }
  Pose pose() const { return {}; }

 private:
  const Outline& outline_;
};

/// The other outline; each vertex is transformed into the frame when it is accessed.
class Moved {
 public:
  static constexpr bool kMoved = true;
  Moved(const Outline& outline, const Pose& pose) : outline_(outline), pose_(pose) {}
  int size() const { return static_cast<int>(outline_.size()); }
  Vec2 operator[](int i) const { return pose_ * outline_[static_cast<std::size_t>(i)]; }
  const Outline& own() const { return outline_; }
  const Pose& pose() const { return pose_; }

 private:
  const Outline& outline_;
  const Pose& pose_;
};

template <class P>
int next(const P& p, int i) {
  return i + 1 == p.size() ? 0 : i + 1;
}
template <class P>
int previous(const P& p, int i) {
  return i == 0 ? p.size() - 1 : i - 1;
}
/// Steps forward from feature i to feature k.
template <class P>
int steps_between(const P& p, int i, int k) {
  return k >= i ? k - i : k - i + p.size();
}
/// @pre 0 <= i < 2 p.size()
template <class P>
int wrapped(const P& p, int i) {
  return i >= p.size() ? i - p.size() : i;
}

/// Whether v, a vertex of the other outline, is on the left of the line from u to w, two vertices of P.
///
/// Never on the line: ties are broken as if the moved outline were shifted by the infinitesimal vector (e, e^2). One
/// and the same shift breaks all ties, so all results of this function are consistent: no vertex is on the line of an
/// edge, no two edges are collinear, and outlines cross in an even number of points in the interior of edges of both.
/// Source of the idea: H. Edelsbrunner & E. P. Muecke, ACM Trans. Graph. 9 (1990) 66.
template <class P>
[[gnu::always_inline]] inline bool is_left(const Vec2& u, const Vec2& w, const Vec2& v) {
  const double side = signed_cross(u, w, u, v);
  if (side != 0.0) [[likely]]
    return side > 0.0;
  const bool shift_goes_left = w.y() < u.y() || (w.y() == u.y() && w.x() > u.x());
  return shift_goes_left != P::kMoved;
}

/// Finds whether a point is inside an outline, with the fan of triangles from one of its vertices.
///
/// The walk starts at the triangle over the edge `hint` and goes one triangle per step. The result depends neither on
/// the hint nor on the apex, which is chosen opposite the hint.
template <class P>
class FanWalk {
 public:
  FanWalk(const P& p, int hint, const Vec2& point)
      : p_(p), point_(point), apex_(wrapped(p, hint + 1 + p.size() / 2)), at_apex_(p[apex_]), edge_(hint) {}

  /// @return whether this was the last step
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

  // After the last step:

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
  /// The outer edge of the point's triangle; if inside() is false, the point is on the outer side of it.
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
/// One vertex of q per step: backwards over those on the left of the line, or forwards over those on its right.
/// @pre the line passes through the inside of q
template <class P, class Q>
class ExitWalk {
 public:
  /// @param is_left_of_line whether vertex `hint` is known to be on the left
  ExitWalk(const Q& q, int hint, const Vec2& u, const Vec2& w, bool is_left_of_line)
      : q_(q), u_(u), w_(w), edge_(hint), direction_(is_left_of_line ? -1 : 0) {}

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
  int direction_;
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

/// Searches for a crossing near a guess, where a enters or leaves b, by moving each edge towards the other.
/// @param at the guess; set to the crossing
/// @return number of moves; < 0 if the crossing was not found
template <class B>
int find_near(const Fixed& a, const B& b, bool comes_in, Crossing& at) {
  Crossing there = at;
  for (int moves = 0; moves < 8; ++moves) {
    const Vec2& start = a[there.on_p];
    const Vec2& end = a[next(a, there.on_p)];
    const Vec2 from = b[there.on_q];
    const Vec2 to = b[next(b, there.on_q)];
    const bool start_inside = is_left<B>(from, to, start);
    const bool end_inside = is_left<B>(from, to, end);
    const bool from_inside = is_left<Fixed>(start, end, from);
    const bool to_inside = is_left<Fixed>(start, end, to);
    if (start_inside != end_inside && from_inside != to_inside) {
      if (start_inside == comes_in) return -1;
      at = there;
      return moves;
    }
    if (start_inside == end_inside) {
      there.on_p = start_inside == comes_in ? previous(a, there.on_p) : next(a, there.on_p);
    }
    if (from_inside == to_inside) {
      there.on_q = from_inside == comes_in ? next(b, there.on_q) : previous(b, there.on_q);
    }
  }
  return -1;
}

/// Whether the vertex of p at the end of an edge is inside q. Two searches can decide this: the line of the edge leaves
/// q before or behind the vertex, and the fan of q locates the vertex. They advance in turn, since one of them is
/// usually short.
/// @param way_out search along the line of the edge, not finished yet
/// @param j an edge of q near the begin of the edge; set to one near the vertex, or to the edge across which it leaves
///   q
/// @return 1 inside, 0 outside, -1 if rounding has made q concave
template <class P, class Q>
[[gnu::noinline]] int look_around(const Q& q, const Vec2& vertex, ExitWalk<P, Q> way_out, int& j) {
  FanWalk<Q> fan(q, j, vertex);
  for (int left = q.size(); left > 0; --left) {
    if (fan.step()) {
      if (fan.inside()) {
        j = fan.edge();
        return 1;
      }
      for (; left > 0; --left) {
        if (way_out.step()) {
          j = way_out.edge();
          return 0;
        }
      }
      return -1;
    }
    if (way_out.step()) {
      j = way_out.edge();
      return is_left<Q>(q[j], q[next(q, j)], vertex) ? 1 : 0;
    }
  }
  return -1;
}

/// Follows p's outline inside q until it leaves q.
/// @param from an edge of p that entered q across an edge of q, or that begins inside q near an edge of q
/// @param known_exit edges that cross where p leaves q, if the walk gets there
/// @return the edges that cross where p leaves q; on_p < 0 if p never leaves q, or if rounding has made an outline
///   concave
/// Cost: O(vertices of p inside q and of q inside p)
template <class P, class Q>
Crossing follow(const P& p, const Q& q, Crossing from, bool has_come_in, Crossing known_exit = {-1, -1}) {
  int i = from.on_p;
  int j = from.on_q;
  Vec2 start = p[i];
  for (int count = 0; count < p.size(); ++count) {
    if (i == known_exit.on_p) return known_exit;
    const Vec2 end = p[next(p, i)];
    ExitWalk<P, Q> way_out(q, j, start, end, has_come_in);
    int inside = 0;
    if (way_out.step()) {
      j = way_out.edge();
      inside = is_left<Q>(q[j], q[next(q, j)], end) ? 1 : 0;
    } else {
      inside = look_around(q, end, way_out, j);
    }
    if (inside <= 0) return inside == 0 ? Crossing{i, j} : Crossing{-1, -1};
    i = next(p, i);
    start = end;
    has_come_in = false;
  }
  return {-1, -1};
}

}  // namespace scree::outlines
