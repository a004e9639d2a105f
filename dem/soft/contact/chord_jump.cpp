#include "dem/soft/contact/chord_jump.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace scree::soft {

namespace {

struct Crossing {
  Vec2 at;
  double sine;
};

std::optional<Crossing> crossing(const Outline& a, const Outline& b, const Pose& b_in_a, FeaturePair edges) {
  if (!is_edge(edges.a, a) || !is_edge(edges.b, b)) return std::nullopt;
  const auto along = [](const Outline& outline, std::size_t i) -> Vec2 {
    return outline[i + 1 < outline.size() ? i + 1 : 0] - outline[i];
  };
  const Vec2 from = a[edges.a / 2];
  const Vec2 along_a = along(a, edges.a / 2);
  const Vec2 along_b = b_in_a.rotation * along(b, edges.b / 2);
  const double product = cross(along_a, along_b);
  if (product == 0.0) return std::nullopt;
  return Crossing{from + cross(b_in_a * b[edges.b / 2] - from, along_b) / product * along_a,
                  std::abs(product) / (along_a.norm() * along_b.norm())};
}

/// The lesser sine at both ends of a chord; nothing if the chord is not that between these crossings, but of several
/// arcs.
std::optional<double> sine_of(const Outline& a, const Outline& b, const Pose& b_in_a, const Chord& chord,
                              double displacement) {
  const auto in = crossing(a, b, b_in_a, chord.crossings.features);
  const auto out = crossing(a, b, b_in_a, chord.crossings.leaving);
  if (!in || !out) return std::nullopt;
  const double sine = std::min(in->sine, out->sine);
  if ((out->at - in->at - chord.vector).norm() * sine > kBeyondMotion * displacement) return std::nullopt;
  return sine;
}

}  // namespace

bool chord_jumped(const Outline& a, const Outline& b, const Pose& b_in_a, const Chord& before, const Chord& now,
                  double region_sine, double displacement, double turn) {
  const bool had_length = before.vector.squaredNorm() > 0.0;
  const bool has_length = now.vector.squaredNorm() > 0.0;
  if (!had_length || !has_length) return had_length != has_length;
  const auto sine_before = sine_of(a, b, b_in_a, before, displacement);
  const auto sine_now = sine_of(a, b, b_in_a, now, displacement);
  const double sine = sine_before && sine_now ? std::min(*sine_before, *sine_now) - turn : region_sine;
  return (now.vector - before.vector).norm() * sine > kBeyondMotion * displacement;
}

}  // namespace scree::soft
