#include "dem/soft/narrowphase.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "dem/shapes.hpp"
#include "dem/soft/chord_jump.hpp"
#include "geometry/tolerances.hpp"
#include "parallel/threads.hpp"

namespace scree::soft {

namespace {

/// Whether the chord has jumped since the last step.
/// @param found in the frame of a, except for the centroid
bool has_jumped(const DetectionView& view, const BodyPair& pair, const Pose& b_in_a, const ContactGeometry& found,
                const Chord& before, const Chord& now) {
  const auto& [bodies, placement, proxies, gear] = view;
  const ShapeView a = bodies.shape(pair.a);
  const ShapeView b = bodies.shape(pair.b);
  const Vec2& at = found.overlap.centroid;
  const auto relative = [&](const Motion& of_a, const Motion& of_b) {
    return (velocity_at(of_b, at - found.branch_vector) - velocity_at(of_a, at)).norm() +
           std::abs(of_b.z() - of_a.z()) * (now.vector.norm() + found.overlap.depth);
  };
  const double dt = gear.dt();
  const double displacement = dt * relative(bodies.velocity[pair.a], bodies.velocity[pair.b]) +
                              dt * dt * relative(gear.acceleration(pair.a), gear.acceleration(pair.b)) +
                              kDozensOfRoundings * (a.radius + b.radius);
  const double turn = dt * std::abs(bodies.velocity[pair.b].z() - bodies.velocity[pair.a].z());
  const double extent = 2.0 * std::min(a.radius, b.radius);
  return chord_jumped(a.outline, b.outline, b_in_a, before, now, found.overlap.area / (extent * extent), displacement,
                      turn);
}

}  // namespace

void Narrowphase::detect(const DetectionView& view, Contacts& contacts) {
  constexpr std::size_t kBlock = 256;  // candidates; the results of each block have a list of their own
  const std::size_t count = contacts.candidates.size();
  found_.resize((count + kBlock - 1) / kBlock);
  std::atomic<std::uint64_t> jumps = 0;

  const auto detect_block = [&](std::size_t block) {
    const auto& [bodies, placement, proxies, gear] = view;
    Candidates& candidates = contacts.candidates;
    std::vector<NewContact>& found_here = found_[block];
    found_here.clear();
    const std::size_t end = std::min((block + 1) * kBlock, count);
    std::size_t contact = contacts.first_from(block * kBlock);
    for (std::size_t k = block * kBlock; k < end; ++k) {
      const bool has_touched = contact < contacts.size() && contacts.candidate[contact] == k;
      ContactGeometry* const known = has_touched ? &contacts.geometry[contact++] : nullptr;
      const BodyPair pair = candidates.bodies[k];
      const ShapeView a = bodies.shape(pair.a);
      const ShapeView b = bodies.shape(pair.b);
      const Rotation& to_world = placement.rotation[pair.a];
      const Vec2 branch_vector = proxies.branch_vector(bodies, pair.a, pair.b, candidates.key[k].image);
      const Pose b_in_a = relative_pose(to_world, placement.rotation[pair.b], branch_vector);
      PairHint& hint = candidates.hint[k];
      const PairHint hint_before = hint;
      const Overlap found = overlap(a, b, b_in_a, hint);
      if (!found.touching()) {
        if (has_touched) known->overlap = found;
        continue;
      }
      if (!has_touched) found_here.push_back({.candidate = static_cast<std::uint32_t>(k), .geometry = {}});
      ContactGeometry& geometry = has_touched ? *known : found_here.back().geometry;
      const Vec2 chord_before = geometry.chord.cast<double>();
      geometry.overlap = {.area = found.area,
                          .depth = found.depth,
                          .centroid = to_world * found.centroid,
                          .normal = to_world * found.normal,
                          .chord_begin = to_world * found.chord_begin,
                          .chord_end = to_world * found.chord_end};
      geometry.branch_vector = branch_vector;
      geometry.depth_ratio = found.depth / (2.0 * std::min(bodies.radius[pair.a], bodies.radius[pair.b]));
      if (a.is_disk() || b.is_disk()) continue;
      const Vec2 chord = found.chord_end - found.chord_begin;
      geometry.chord = chord.cast<float>();
      if (has_touched && chord_changed(chord_before, chord) &&
          has_jumped(view, pair, b_in_a, geometry, {chord_before, hint_before}, {chord, hint})) {
        jumps.fetch_add(1, std::memory_order_relaxed);
      }
    }
  };
  const auto detect_blocks = [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block != end; ++block) detect_block(block);
  };
  if (found_.size() < 2) {
    detect_blocks(0, found_.size());
  } else {
    Threads::share(found_.size(), 1, std::cref(detect_blocks));
  }
  chord_jumps_ = jumps;
}

}  // namespace scree::soft
