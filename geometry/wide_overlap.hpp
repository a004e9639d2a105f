#pragma once

#include "geometry/tolerances.hpp"
#include "geometry/wide.hpp"

/// The overlaps of W pairs of convex polygons at once, each measured between two known crossings of its outlines. For
/// code that is compiled for each width (geometry/wide.hpp).
namespace scree::wide {

/// See Overlap (geometry/overlap.hpp).
template <int W>
struct Overlaps {
  Number<W> area;
  Number<W> depth;
  Vector<W> centroid;
  Vector<W> normal;
  Vector<W> chord_begin;
  Vector<W> chord_end;
};

/// A lower bound of u x v, where both are differences of points: if it is positive, so is the exact product.
template <int W>
SCREE_WIDE Number<W> least_cross(const Vector<W>& u, const Vector<W>& v) {
  const Number<W> left = u.x * v.y;
  const Number<W> right = u.y * v.x;
  return (left - right) - Number<W>(exact::kLargestError) * (magnitude(left) + magnitude(right));
}

/// Where the outlines of a and b cross, and what lies between: a enters b on the edge from a[0] to a[1] and leaves it
/// on that from a[NA] to a[NA + 1]; so does b, b enters a where a leaves b. NA of a's vertices are inside b.
template <int W, int NA, int NB>
struct Crossings {
  Vector<W> a[NA + 2];  ///< in the frame of a, whose origin is a's centroid
  Vector<W> b[NB + 2];  ///< in the frame of a
  Vector<W> centre_b;   ///< b's centroid in the frame of a
};

/// Measures the overlaps.
///
/// For a lane that is certain, the outlines cross there and nowhere else, and the result has the bits of overlap()
/// (geometry/overlap.cpp): the same points, the same sums in the same order. A lane that is not certain has no meaning:
/// its crossings may be elsewhere, or the overlap is as thin as rounding errors.
///
/// Certain are the crossings by the signs of eight cross products, as there. That nothing else crosses: each vertex of
/// an arc is inside the other outline, if it is on the left of the edges on which the arc enters and leaves and of two
/// lines through that outline's centroid which cut off the rest. All signs are beyond their rounding errors.
template <int W, int NA, int NB>
SCREE_WIDE Mask<W> measure(const Crossings<W, NA, NB>& at, Overlaps<W>& found) {
  using N = Number<W>;
  using V = Vector<W>;
  const V* const a = at.a;
  const V* const b = at.b;
  const N zero = 0.0;
  const N one = 1.0;

  N coordinate = largest_coordinate(a[0]);
  for (int i = 1; i < NA + 2; ++i) coordinate = greater(coordinate, largest_coordinate(a[i]));
  for (int i = 0; i < NB + 2; ++i) coordinate = greater(coordinate, largest_coordinate(b[i]));

  // The edges of a and b where a comes in and where it goes out.
  const V in_a = a[1] - a[0];
  const V out_a = NA == 0 ? in_a : a[NA + 1] - a[NA];
  const V in_b = b[NB + 1] - b[NB];
  const V out_b = NB == 0 ? in_b : b[1] - b[0];
  const N in_from = cross(in_a, b[NB] - a[0]);
  const N in_to = cross(in_a, b[NB + 1] - a[0]);
  const N out_from = cross(out_a, b[0] - a[NA]);
  const N out_to = cross(out_a, b[1] - a[NA]);
  const N of_a = lesser(lesser(in_from, -in_to), lesser(-out_from, out_to));
  const N of_b = lesser(lesser(-cross(in_b, a[0] - b[NB]), cross(in_b, a[1] - b[NB])),
                        lesser(cross(out_b, a[NA] - b[0]), -cross(out_b, a[NA + 1] - b[0])));
  Mask<W> certain = less(N(exact::kCrossError) * coordinate * coordinate, lesser(of_a, of_b));

  const N in_t = lesser(one, greater(zero, in_from / (in_from - in_to)));
  const N out_t = lesser(one, greater(zero, out_from / (out_from - out_to)));
  const V begin = lesser(greater(a[1], a[0]), greater(lesser(a[1], a[0]), b[NB] + in_t * in_b));
  const V end = lesser(greater(a[NA + 1], a[NA]), greater(lesser(a[NA + 1], a[NA]), b[0] + out_t * out_b));
  const V chord = end - begin;

  if constexpr (NA > 0) {
    const V cut_in = b[0] - at.centre_b;
    const V cut_out = at.centre_b - b[NB + 1];
    for (int i = 1; i <= NA; ++i) {
      const N edges = lesser(least_cross(out_b, a[i] - b[0]), least_cross(in_b, a[i] - b[NB]));
      const N cuts = lesser(least_cross(cut_in, a[i] - at.centre_b), least_cross(cut_out, a[i] - b[NB + 1]));
      certain = certain & less(zero, lesser(edges, cuts));
    }
  }
  if constexpr (NB > 0) {
    const V cut_in = a[0];  // from a's centroid
    const V cut_out = -a[NA + 1];
    for (int i = 1; i <= NB; ++i) {
      const N edges = lesser(least_cross(in_a, b[i] - a[0]), least_cross(out_a, b[i] - a[NA]));
      const N cuts = lesser(least_cross(cut_in, b[i]), least_cross(cut_out, b[i] - a[NA + 1]));
      certain = certain & less(zero, lesser(edges, cuts));
    }
  }

  // The sums of overlap()'s class Sums.
  const V across = {chord.y, -chord.x};
  V from = {zero, zero};
  V lo = from;
  V hi = from;
  V moment = from;
  N doubled_area = 0.0;
  N lowest = 0.0;
  N highest = 0.0;
  const auto go_to = [&](const V& corner) __attribute__((always_inline)) {
    const V to = corner - begin;
    const N c = cross(from, to);
    doubled_area = doubled_area + c;
    moment = moment + c * (from + to);
    lo = lesser(to, lo);
    hi = greater(to, hi);
    const N height = dot(across, to);
    lowest = lesser(height, lowest);
    highest = greater(height, highest);
    from = to;
  };
  for (int i = 1; i <= NA; ++i) go_to(a[i]);
  go_to(end);
  for (int i = 1; i <= NB; ++i) go_to(b[i]);

  const N length_of_chord = length(across);
  const V size = hi - lo;
  const N extent = greater(size.x, size.y);
  const N area = N(0.5) * doubled_area;
  const N largest = greater(largest_coordinate(at.centre_b), coordinate);
  certain =
      certain & less(N(kVanishedChord) * extent, length_of_chord) & less(N(kDistanceRounding) * largest * extent, area);
  const N thrice = N(3.0) * doubled_area;
  found.area = area;
  found.depth = (highest - lowest) / length_of_chord;
  found.centroid = begin + lesser(hi, greater(lo, V{moment.x / thrice, moment.y / thrice}));
  found.normal = {across.x / length_of_chord, across.y / length_of_chord};
  found.chord_begin = begin;
  found.chord_end = end;
  return certain;
}

/// Whether polygons are certainly apart: the line of an edge of one, from `start` to `end`, with the other's vertex
/// `vertex` and that vertex's neighbours on its outer side, the vertex being the nearest. By convexity all other
/// vertices are farther away.
template <int W>
SCREE_WIDE Mask<W> apart(const Vector<W>& start, const Vector<W>& end, const Vector<W>& before, const Vector<W>& vertex,
                         const Vector<W>& after) {
  const Vector<W> along = end - start;
  const Number<W> outside = least_cross(vertex - end, along);
  const Number<W> nearest = lesser(least_cross(before - vertex, along), least_cross(after - vertex, along));
  return less(Number<W>(0.0), lesser(outside, nearest));
}

}  // namespace scree::wide
