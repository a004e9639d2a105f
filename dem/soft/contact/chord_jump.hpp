#pragma once

#include "dem/soft/contact/tolerances.hpp"
#include "geometry/overlap.hpp"

/// The chord of an overlap, and with it the normal and the force of a contact, goes continuously with the motion of the
/// bodies but at containment and where edges are collinear, insides on one side, while the area is positive
/// (docs/theory.md, section 2). There it jumps: by more than motion can change it in a step.
namespace scree::soft {

/// The first half of the question, cheap and nearly always answered by no.
/// @param before, now chord vectors of two successive steps, in the frame of a [m]
inline bool chord_changed(const Vec2& before, const Vec2& now) {
  return (now - before).squaredNorm() > kLeastJump * kLeastJump * now.squaredNorm();
}

/// A chord vector in the frame of a, and the crossings of edges where it was found.
struct Chord {
  Vec2 vector;         ///< [m]
  PairHint crossings;  ///< of one of its arcs, if there are several
};

/// Both ends of a chord may move, of two arcs' chords four.
inline constexpr double kBeyondMotion = 4.0;

/// Whether motion explains the change at any angle of the edges: then the chord has not jumped, and the rest need not
/// be asked. @param displacement see chord_jumped()
inline bool is_explained_at_any_angle(const Chord& before, const Chord& now, double displacement) {
  constexpr double kBelowOne = 1.0 - 1e-14;  // a sine may be rounded to more than 1
  const double most = kBelowOne * kBeyondMotion * displacement;
  return before.vector.squaredNorm() > 0.0 && now.vector.squaredNorm() > 0.0 &&
         (now.vector - before.vector).squaredNorm() <= most * most;
}

/// The other half: whether motion leaves the change unexplained. An end of the chord moves along one edge no faster
/// than u / sin(theta), u being the other edge's displacement and theta the angle between them. A chord without length
/// (containment) jumps where the other had some.
/// @param b_in_a as it is now
/// @param region_sine a sine that no crossing around the region falls short of: its area over its extent squared
/// @param displacement the largest of points of b near the overlap against a, between the two steps [m]
/// @param turn of b against a between the two steps [rad]
bool chord_jumped(const Outline& a, const Outline& b, const Pose& b_in_a, const Chord& before, const Chord& now,
                  double region_sine, double displacement, double turn);

}  // namespace scree::soft
