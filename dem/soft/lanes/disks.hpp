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

  SCREE_WIDE TwoDisks(const BodiesIn& bodies, const PairsInLanes<W>& pairs, const Vector<W>& branch_vector)
      : a(0.0), b(0.0), distance(0.0), branch(branch_vector), smaller(0.0) {
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

/// What is measured of two disks. Certain: those that touch, neither of which contains the other, with shallow
/// segments.
template <int W>
struct DiskContacts {
  Number<W> area;
  Number<W> depth;
  Vector<W> centroid;
  Vector<W> normal;
  Vector<W> chord_begin;
  Vector<W> chord_end;
  Vector<W> branch;
  Number<W> depth_ratio;
  unsigned certain;

  /// See overlap_disks().
  SCREE_WIDE explicit DiskContacts(const TwoDisks<W>& disks)
      : area(0.0), depth(0.0), branch(disks.branch), depth_ratio(0.0), certain(0) {
    using N = Number<W>;
    using V = Vector<W>;
    const N half = 0.5;
    const N& distance = disks.distance;
    const N sum = disks.a + disks.b;
    const N difference = disks.a - disks.b;
    normal = {disks.branch.x / distance, disks.branch.y / distance};
    depth = sum - distance;
    centroid = (disks.a - half * depth) * normal;
    const N product = depth * (sum + distance) * (distance + difference) * (distance - difference);
    const N half_chord = half * root(greater(N(0.0), product)) / distance;
    const N from_a = half * (distance + difference * sum / distance);
    const N from_b = distance - from_a;
    const N t_a = half_chord / (disks.a + from_a);
    const N t_b = half_chord / (disks.b + from_b);
    area = shallow_segment(disks.a, t_a) + shallow_segment(disks.b, t_b);
    certain = (less(distance, sum) & less(magnitude(difference), distance) & less(N(0.0), area) &
               at_most(t_a, N(kShallowSegment)) & at_most(t_b, N(kShallowSegment)))
                  .bits();
    const V middle = from_a * normal;
    const V half_way = half_chord * perp(normal);
    chord_begin = middle - half_way;
    chord_end = middle + half_way;
    depth_ratio = depth / (N(2.0) * disks.smaller);
  }

  template <class Records>
  SCREE_WIDE void put(const Records& record) const {
    put_at<W>(record, kArea, Vector<W>{area, depth});
    put_at<W>(record, kCentroid, centroid);
    put_at<W>(record, kNormal, normal);
    put_at<W>(record, kChordBegin, chord_begin);
    put_at<W>(record, kChordEnd, chord_end);
    put_at<W>(record, kBranch, branch);
    put_at<W>(record, kDepthRatio, depth_ratio);
  }
  /// Stores the lanes that are certain; the others keep what they have.
  template <class Records>
  SCREE_WIDE void put_certain(const Records& record) const {
    double unused[kGeometrySize];
    double* to[W];
    for (int lane = 0; lane < W; ++lane) to[lane] = (certain >> lane & 1U) == 0 ? unused : record[lane];
    put(to);
  }
};

template <int W>
void measure_disks(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list, double* geometry,
                   Found& uncertain) {
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    const DiskContacts<W> found(TwoDisks<W>(bodies, pairs, pairs.branch_vector(bodies, list)));
    if (const unsigned others = ~found.certain & kAllLanes<W>; others != 0) [[unlikely]]
      pairs.note(others, uncertain);
    double* record[W];
    for (int lane = 0; lane < W; ++lane) {
      record[lane] = geometry + kGeometrySize * std::size_t{list.contact[pairs.place[lane]]};
    }
    found.put_certain(record);
  }
}

template <int W>
void measure_only_disks(const BodiesIn& bodies, const CandidatesIn& candidates, const ContactsIn& contacts,
                        const Range& range, double* geometry, Found& uncertain) {
  for_each_group<W>(
      range, [&](const auto& group) __attribute__((always_inline)) {
        PairsInLanes<W> pairs;
        unsigned walls = 0;
        for (int lane = 0; lane < W; ++lane) {
          pairs.set(lane, candidates, contacts.candidate[group[lane]]);
          walls |= static_cast<unsigned>(pairs.b[lane] < bodies.walls) << lane;
        }
        DiskContacts<W> found(
            TwoDisks<W>(bodies, pairs, pairs.branch_vector(bodies, contacts.branch_vector, contacts.first_candidate)));
        found.certain &= ~walls;
        const auto record = group.template records<kGeometrySize>(geometry);
        const unsigned others = ~found.certain & kAllLanes<W>;
        if (others == 0) [[likely]]
          return found.put(record);
        for (int lane = 0; lane < group.used; ++lane) {
          if ((others >> lane & 1U) != 0) uncertain.at[uncertain.count++] = group[lane];
        }
        found.put_certain(record);
      });
}

/// Certain: those that do not touch.
template <int W>
void separate_disks(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list, Found& uncertain) {
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    const TwoDisks<W> disks(bodies, pairs, pairs.branch_vector(bodies, list));
    const unsigned certain = at_most(disks.a + disks.b, disks.distance).bits();
    if (const unsigned others = ~certain & kAllLanes<W>; others != 0) [[unlikely]]
      pairs.note(others, uncertain);
  }
}

}  // namespace scree::soft::lanes
