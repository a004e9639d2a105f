#pragma once

#include "dem/soft/lanes/groups.hpp"
#include "geometry/disk_segment.hpp"

/// Kernels for pairs of disks, which no rotation concerns. Included by one.cpp, two.cpp and four.cpp only.
namespace scree::soft::lanes {

/// Two disks: radii, distance of their centres.
template <int W>
struct TwoDisks {
  Number<W> a;
  Number<W> b;
  Number<W> distance;
  Vector<W> branch;
  Number<W> smaller;  ///< radius of the disk of equal area, which is rounded otherwise

  SCREE_WIDE TwoDisks(const BodiesIn& bodies, const LanesOfPairs<W>& pairs, const PairList& list)
      : a(0.0), b(0.0), distance(0.0), branch(pairs.branch_vector(bodies, list)), smaller(0.0) {
    const auto radii = [&](const double* of, Number<W>& of_a, Number<W>& of_b) __attribute__((always_inline)) {
      const double* at_a[W];
      const double* at_b[W];
      for (int lane = 0; lane < W; ++lane) {
        at_a[lane] = of + pairs.a[lane];
        at_b[lane] = of + pairs.b[lane];
      }
      of_a = load_one<W>(at_a);
      of_b = load_one<W>(at_b);
    };
    Number<W> equal_a = 0.0;
    Number<W> equal_b = 0.0;
    radii(bodies.radius, equal_a, equal_b);
    smaller = lesser(equal_b, equal_a);
    radii(bodies.bounding_radius, a, b);
    distance = root(dot(branch, branch));
  }
};

/// See overlap_disks(). Certain: those that touch, neither of which contains the other, with shallow segments.
template <int W>
void measure_disks(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list, double* geometry,
                   Found& uncertain) {
  using N = Number<W>;
  using V = Vector<W>;
  const N half = 0.5;
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    const TwoDisks<W> disks(bodies, pairs, list);
    const N& distance = disks.distance;
    const N sum = disks.a + disks.b;
    const N difference = disks.a - disks.b;
    const V normal = {disks.branch.x / distance, disks.branch.y / distance};
    const N depth = sum - distance;
    const V centroid = (disks.a - half * depth) * normal;
    const N product = depth * (sum + distance) * (distance + difference) * (distance - difference);
    const N half_chord = half * root(greater(N(0.0), product)) / distance;
    const N from_a = half * (distance + difference * sum / distance);
    const N from_b = distance - from_a;
    const N t_a = half_chord / (disks.a + from_a);
    const N t_b = half_chord / (disks.b + from_b);
    const N area = shallow_segment(disks.a, t_a) + shallow_segment(disks.b, t_b);
    const unsigned certain = (less(distance, sum) & less(magnitude(difference), distance) & less(N(0.0), area) &
                              at_most(t_a, N(kShallowSegment)) & at_most(t_b, N(kShallowSegment)))
                                 .bits();
    if (const unsigned others = ~certain & kAllLanes<W>; others != 0) [[unlikely]]
      pairs.note(others, uncertain);

    double unused[kGeometrySize];
    double* record[W];
    for (int lane = 0; lane < W; ++lane) {
      record[lane] = (certain >> lane & 1U) == 0
                         ? unused
                         : geometry + kGeometrySize * std::size_t{list.contact[pairs.place[lane]]};
    }
    const V middle = from_a * normal;
    const V half_way = half_chord * perp(normal);
    put_at<W>(record, kArea, V{area, depth});
    put_at<W>(record, kCentroid, centroid);
    put_at<W>(record, kNormal, normal);
    put_at<W>(record, kChordBegin, middle - half_way);
    put_at<W>(record, kChordEnd, middle + half_way);
    put_at<W>(record, kBranch, disks.branch);
    put_at<W>(record, kDepthRatio, depth / (N(2.0) * disks.smaller));
  }
}

/// Certain: those that do not touch.
template <int W>
void separate_disks(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list, Found& uncertain) {
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    const TwoDisks<W> disks(bodies, pairs, list);
    const unsigned certain = at_most(disks.a + disks.b, disks.distance).bits();
    if (const unsigned others = ~certain & kAllLanes<W>; others != 0) [[unlikely]]
      pairs.note(others, uncertain);
  }
}

}  // namespace scree::soft::lanes
