#pragma once

#include "dem/soft/lanes/groups.hpp"
#include "geometry/disk_segment.hpp"

/// Kernels for pairs of disks, which no rotation concerns. Included by the files of one width only.
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

  DiskContacts() = default;
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

  template <class Regions, class Axes>
  SCREE_WIDE void put(const Regions& region, const Axes& axes) const {
    put_at<W>(region, kArea, Vector<W>{area, depth});
    put_at<W>(region, kCentroid, centroid);
    put_at<W>(region, kChordBegin, chord_begin);
    put_at<W>(region, kChordEnd, chord_end);
    put_at<W>(axes, kNormal, normal);
    put_at<W>(axes, kBranch, branch);
    put_at<W>(axes, kDepthRatio, depth_ratio);
  }
  /// Stores the lanes that are certain.
  SCREE_WIDE void put_certain(GeometryRecords<W>& records) const {
    double unused[kRegionSize];
    records.keep_uncertain(certain, unused);
    put(records.region, records.axes);
  }
};

template <int W>
void measure_disks(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list,
                   const GeometryOut& geometry, Found& uncertain) {
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    const DiskContacts<W> found(TwoDisks<W>(bodies, pairs, pairs.branch_vector(bodies, list)));
    if (const unsigned others = ~found.certain & kAllLanes<W>; others != 0) [[unlikely]]
      pairs.note(others, uncertain);
    GeometryRecords<W> records;
    for (int lane = 0; lane < W; ++lane) records.set(lane, geometry, list.contact[pairs.place[lane]]);
    found.put_certain(records);
  }
}

template <int W>
void measure_only_disks(const BodiesIn& bodies, const CandidatesIn& candidates, const ContactsIn& contacts,
                        const Range& range, const GeometryOut& geometry, Found& uncertain) {
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
        const unsigned others = ~found.certain & kAllLanes<W>;
        if (others == 0) [[likely]] {
          return found.put(group.template records<kRegionSize>(geometry.region),
                           group.template records<kAxesSize>(geometry.axes));
        }
        GeometryRecords<W> records;
        for (int lane = 0; lane < W; ++lane) records.set(lane, geometry, group[lane]);
        for (int lane = 0; lane < group.used; ++lane) {
          if ((others >> lane & 1U) != 0) uncertain.at[uncertain.count++] = group[lane];
        }
        found.put_certain(records);
      });
}

/// A disk a beside an edge of a polygon b, opposite to that edge. Certain: those whose nearest feature is the edge,
/// with shallow segments.
template <int W>
struct DiskAtEdge {
  DiskContacts<W> found;
  unsigned touching;
  unsigned apart;

  /// See overlap_polygon_disk(), seen_from_other(). @param edge of each b
  SCREE_WIDE DiskAtEdge(const BodiesIn& bodies, const PairsInLanes<W>& pairs, const std::uint32_t (&edge)[W],
                        const Vector<W>& branch)
      : found(), touching(0), apart(0) {
    using N = Number<W>;
    using V = Vector<W>;
    const N half = 0.5;
    const Rotations<W> none{N(1.0), N(0.0)};
    const RelativePose<W> b_in_a(none, pairs.rotation(bodies, pairs.b), branch);
    const Rotations<W> back{b_in_a.rotation.cos, -b_in_a.rotation.sin};
    const V centre = -(back * b_in_a.position);
    V ends[2];
    const double* at[W];
    const double* radius_at[W];
    const double* equal_a[W];
    const double* equal_b[W];
    for (int lane = 0; lane < W; ++lane) {
      at[lane] = outline(bodies, pairs.b[lane]) + 2 * std::size_t{edge[lane]};
      radius_at[lane] = bodies.bounding_radius + pairs.a[lane];
      equal_a[lane] = bodies.radius + pairs.a[lane];
      equal_b[lane] = bodies.radius + pairs.b[lane];
    }
    ends[0] = load_two<W>(at);
    for (int lane = 0; lane < W; ++lane) at[lane] += 2;
    ends[1] = load_two<W>(at);
    const N radius = load_one<W>(radius_at);
    const V along = ends[1] - ends[0];
    const V from_start = centre - ends[0];
    const V from_end = centre - ends[1];
    const V outer = {along.y, -along.x};
    const N opposite = lesser(least_cross(from_start, {-along.y, along.x}), least_cross(from_end, outer));
    const unsigned is_nearest = less(N(0.0), lesser(opposite, least_cross(from_start, along))).bits();

    const N length_of_edge = length(along);
    const N outside_by = -cross(along, from_start) / length_of_edge;
    const V outward = {outer.x / length_of_edge, outer.y / length_of_edge};
    const N depth = radius - outside_by;
    const N half_chord = root((radius - outside_by) * (radius + outside_by));
    const N t = half_chord / (radius + outside_by);
    const N area = shallow_segment(radius, t);
    const V middle = centre - outside_by * outward;
    const V half_way = half_chord * perp(outward);
    found.area = area;
    found.depth = depth;
    found.centroid = none * (b_in_a * (centre - (radius - half * depth) * outward));
    found.normal = none * -(b_in_a.rotation * outward);
    found.chord_begin = none * (b_in_a * (middle + half_way));
    found.chord_end = none * (b_in_a * (middle - half_way));
    found.branch = branch;
    found.depth_ratio = depth / (N(2.0) * lesser(load_one<W>(equal_b), load_one<W>(equal_a)));
    touching = (less(outside_by, radius) & less(N(0.0), area) & at_most(t, N(kShallowSegment))).bits() & is_nearest;
    apart = at_most(radius, outside_by).bits() & is_nearest;
  }
};

/// Disks a and walls b, in contact or not, where the hint is the nearest edge.
template <int W>
void disks_at_edges(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list,
                    const GeometryOut& geometry, Found& uncertain) {
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    unsigned known = 0;
    unsigned in_contact = 0;
    std::uint32_t edge[W];
    for (int lane = 0; lane < W; ++lane) {
      const std::uint32_t feature = candidates.hint[4 * std::size_t{pairs.candidate[lane]} + 1];
      const bool is_edge = feature % 2 == 1 && feature < 2 * bodies.size[pairs.b[lane]];
      edge[lane] = is_edge ? feature / 2 : 0;
      known |= static_cast<unsigned>(is_edge) << lane;
      in_contact |= static_cast<unsigned>(list.contact[pairs.place[lane]] != kNoContact) << lane;
    }
    DiskAtEdge<W> at(bodies, pairs, edge, pairs.branch_vector(bodies, list));
    at.found.certain = known & in_contact & at.touching;
    const unsigned certain = at.found.certain | (known & ~in_contact & at.apart);
    if (const unsigned others = ~certain & kAllLanes<W>; others != 0) [[unlikely]]
      pairs.note(others, uncertain);
    GeometryRecords<W> records{};
    for (int lane = 0; lane < W; ++lane) {
      if ((in_contact >> lane & 1U) != 0) records.set(lane, geometry, list.contact[pairs.place[lane]]);
    }
    at.found.put_certain(records);
  }
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

template <int W>
void find_touching_disks(const BodiesIn& bodies, const std::uint32_t* pairs, const double* shift, const Range& range,
                         Found& uncertain) {
  for_each_group<W>(
      range, [&](const auto& group) __attribute__((always_inline)) {
        const auto pair = group.template records<2>(pairs);
        const double* position[2][W];
        const double* radius[2][W];
        for (int side = 0; side < 2; ++side) {
          for (int lane = 0; lane < W; ++lane) {
            position[side][lane] = bodies.position + 3 * std::size_t{pair[lane][side]};
            radius[side][lane] = bodies.bounding_radius + pair[lane][side];
          }
        }
        Vector<W> branch = load_two<W>(position[1]) - load_two<W>(position[0]);
        if (shift != nullptr) branch = branch + two_at<W>(group.template records<2>(shift), 0);
        const Number<W> sum = load_one<W>(radius[0]) + load_one<W>(radius[1]);
        const unsigned others = ~at_most(sum, length(branch)).bits() & kAllLanes<W>;
        if (others == 0) [[likely]]
          return;
        for (int lane = 0; lane < group.used; ++lane) {
          if ((others >> lane & 1U) != 0) uncertain.at[uncertain.count++] = group[lane];
        }
      });
}

}  // namespace scree::soft::lanes
