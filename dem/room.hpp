#pragma once

#include "dem/periodic.hpp"
#include "dem/shapes.hpp"
#include "geometry/pose.hpp"

namespace scree {

/// Whether two shapes overlap at their poses.
inline bool overlap_anywhere(const ShapeView& a, const Pose& at_a, const ShapeView& b, const Pose& at_b) {
  PairHint no_hint;
  const Pose b_in_a = relative_pose(at_a.rotation, at_b.rotation, at_b.position - at_a.position);
  return overlap(a, b, b_in_a, no_hint).touching();
}

/// Whether there is room for a shape at a pose.
///
/// @param margin added to the box of the shape, so that `near` also finds bodies whose boxes are older than their poses
///   [m]
/// @param near near(box, take) calls take(shape, pose) for every body or periodic image whose box overlaps `box`; it
///             may call take for others, too
/// @return whether the shape overlaps none of them
template <class Near>
bool has_room(const ShapeView& shape, const Pose& pose, double margin, const Near& near) {
  Extremes extremes{};
  bool is_free = true;
  near(bounds(shape, pose, extremes).expanded(margin), [&](const ShapeView& other, const Pose& there) {
    is_free = is_free && !overlap_anywhere(shape, pose, other, there);
  });
  return is_free;
}

/// has_room where `near` finds no periodic images: the shape is tried where it is and one period away.
/// @pre its place is inside the domain along the periodic axes
template <class Near>
bool has_room(const ShapeView& shape, const Pose& pose, const Periodic& periodic, const Near& near) {
  bool is_free = true;
  periodic.for_each_near_image([&](const Image& image) {
    is_free = is_free && has_room(shape, {pose.position + periodic.shift(image), pose.rotation}, 0.0, near);
  });
  return is_free;
}

}  // namespace scree
