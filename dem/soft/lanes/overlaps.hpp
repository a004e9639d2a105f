#pragma once

#include "dem/soft/contact/tolerances.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "geometry/long_arc.hpp"
#include "geometry/wide_arcs.hpp"
#include "geometry/wide_overlap.hpp"

/// Kernels of the narrowphase, for any width. Included by the files of one width only.
namespace scree::soft::lanes {

using namespace wide;

/// Doubles of a ContactRegion and of ContactAxes, in their order there. The chord's are two floats.
enum RegionAt { kArea, kDepth, kCentroid, kChordBegin = 4, kChordEnd = 6, kRegionSize = 8 };
enum AxesAt { kNormal, kBranch = 2, kDepthRatio = 4, kChord, kAxesSize };

/// Records of the contacts in the lanes.
template <int W>
struct GeometryRecords {
  double* region[W];
  double* axes[W];

  SCREE_WIDE void set(int lane, const GeometryOut& out, std::size_t contact) {
    region[lane] = out.region + kRegionSize * contact;
    axes[lane] = out.axes + kAxesSize * contact;
  }
  /// Lanes that are not certain keep what they have.
  SCREE_WIDE void keep_uncertain(unsigned certain, double (&unused)[kRegionSize]) {
    if ((~certain & kAllLanes<W>) == 0) [[likely]]
      return;
    for (int lane = 0; lane < W; ++lane) {
      if ((certain >> lane & 1U) == 0) region[lane] = axes[lane] = unused;
    }
  }
};

template <int W>
struct Rotations {
  Number<W> cos;
  Number<W> sin;

  SCREE_WIDE Vector<W> operator*(const Vector<W>& v) const { return cos * v + sin * perp(v); }
};

/// The pairs in the lanes.
template <int W>
struct PairsInLanes {
  std::uint32_t candidate[W];
  std::uint32_t a[W];
  std::uint32_t b[W];

  SCREE_WIDE void set(int lane, const CandidatesIn& candidates, std::uint32_t pair) {
    candidate[lane] = pair;
    a[lane] = candidates.bodies[2 * std::size_t{pair}];
    b[lane] = candidates.bodies[2 * std::size_t{pair} + 1];
  }

  /// @param given see PairList, as first_candidate
  SCREE_WIDE Vector<W> branch_vector(const BodiesIn& bodies, const double* given, std::uint32_t first_candidate) const {
    const double* from[W];
    if (given != nullptr) {
      for (int lane = 0; lane < W; ++lane) {
        from[lane] = given + 2 * std::size_t{candidate[lane] - first_candidate};
      }
      return load_two<W>(from);
    }
    const double* to[W];
    for (int lane = 0; lane < W; ++lane) {
      from[lane] = bodies.position + 3 * std::size_t{a[lane]};
      to[lane] = bodies.position + 3 * std::size_t{b[lane]};
    }
    return load_two<W>(to) - load_two<W>(from);
  }
  SCREE_WIDE Rotations<W> rotation(const BodiesIn& bodies, const std::uint32_t (&body)[W]) const {
    const double* from[W];
    for (int lane = 0; lane < W; ++lane) from[lane] = bodies.rotation + 2 * std::size_t{body[lane]};
    const Vector<W> both = load_two<W>(from);
    return {both.x, both.y};
  }
};

/// Pairs of a list in the lanes: the last one is there several times if the list does not fill them.
template <int W>
struct LanesOfPairs : PairsInLanes<W> {
  std::uint32_t place[W];
  int used;

  SCREE_WIDE LanesOfPairs(const CandidatesIn& candidates, const PairList& list, std::uint32_t begin)
      : used(list.count - begin < W ? static_cast<int>(list.count - begin) : W) {
    for (int lane = 0; lane < W; ++lane) place[lane] = begin + static_cast<std::uint32_t>(lane);
    if (used < W) [[unlikely]] {
      for (int lane = used; lane < W; ++lane) place[lane] = list.count - 1;
    }
    for (int lane = 0; lane < W; ++lane) this->set(lane, candidates, list.candidate[place[lane]]);
  }

  using PairsInLanes<W>::branch_vector;
  SCREE_WIDE Vector<W> branch_vector(const BodiesIn& bodies, const PairList& list) const {
    if (list.by_place && list.branch_vector != nullptr) {
      const double* from[W];
      for (int lane = 0; lane < W; ++lane) from[lane] = list.branch_vector + 2 * std::size_t{place[lane]};
      return load_two<W>(from);
    }
    return branch_vector(bodies, list.branch_vector, list.first_candidate);
  }
  /// Notes the places of the lanes whose bit is set.
  SCREE_WIDE void note(unsigned which, Found& found) const {
    for (int lane = 0; lane < used; ++lane) {
      if ((which >> lane & 1U) != 0) found.at[found.count++] = place[lane];
    }
  }
};

/// b's pose in the frame of a; see relative_pose().
template <int W>
struct RelativePose {
  Vector<W> position;
  Rotations<W> rotation;

  SCREE_WIDE RelativePose(const Rotations<W>& a, const Rotations<W>& b, const Vector<W>& branch_vector)
      : position(Rotations<W>{a.cos, -a.sin} * branch_vector),
        rotation{a.cos * b.cos - (-a.sin) * b.sin, (-a.sin) * b.cos + a.cos * b.sin} {}
  SCREE_WIDE Vector<W> operator*(const Vector<W>& v) const { return rotation * v + position; }
};

/// The first of a body's vertices.
SCREE_WIDE const double* outline(const BodiesIn& bodies, std::uint32_t body) {
  return bodies.vertices + 2 * std::size_t{bodies.first[body]};
}

/// Successive vertices of a body from any one on: beyond its last one its first ones follow.
constexpr int kMostSuccessive = 4;
template <int W, int Count>
SCREE_WIDE void load_vertices(const BodiesIn& bodies, const std::uint32_t (&body)[W], const std::uint32_t (&first)[W],
                              Vector<W> (&to)[Count]) {
  static_assert(Count <= kMostSuccessive);
  const double* from[Count][W];
  for (int lane = 0; lane < W; ++lane) {
    const double* const vertex = outline(bodies, body[lane]) + 2 * std::size_t{first[lane]};
    for (int i = 0; i < Count; ++i) from[i][lane] = vertex + 2 * i;
  }
  for (int i = 0; i < Count; ++i) to[i] = load_two<W>(from[i]);
}

/// The vertices of a body between the edges on which its outline enters the other one and leaves it.
template <int W>
SCREE_WIDE void set_arc(const BodiesIn& bodies, std::uint32_t body, std::uint32_t enters, std::uint32_t leaves,
                        Arcs<W>& arc, int lane) {
  const auto size = static_cast<int>(bodies.size[body]);
  const auto in = static_cast<int>(enters);
  const auto out = static_cast<int>(leaves);
  arc.vertices[lane] = outline(bodies, body);
  arc.size[lane] = size;
  arc.first[lane] = in + 1 == size ? 0 : in + 1;
  arc.last[lane] = out;
  arc.count[lane] = out >= in ? out - in : out - in + size;
  arc.counts[lane] = arc.count[lane];
  const bool is_long = size > kUnsummedInLanes && arc.count[lane] > kLongArc;
  arc.sums[lane] = is_long ? bodies.sums + Arcs<W>::kSumSize * std::size_t{bodies.sums_first[body]} : nullptr;
}

/// Puts what was measured of pairs where it belongs. @param certain by lane
template <int W>
SCREE_WIDE void put_measured(const BodiesIn& bodies, const PairList& list, const LanesOfPairs<W>& pairs,
                             const Vector<W>& branch, const Rotations<W>& to_world, const Overlaps<W>& found,
                             unsigned certain, const GeometryOut& out, Found& uncertain, Found& changed,
                             double* chords) {
  using V = Vector<W>;
  const double* radius_a[W];
  const double* radius_b[W];
  GeometryRecords<W> records;
  float* chord_at[W];
  for (int lane = 0; lane < W; ++lane) {
    radius_a[lane] = bodies.radius + pairs.a[lane];
    radius_b[lane] = bodies.radius + pairs.b[lane];
    records.set(lane, out, list.contact[pairs.place[lane]]);
    chord_at[lane] = reinterpret_cast<float*>(records.axes[lane] + kChord);
  }
  const Number<W> smaller = lesser(load_one<W>(radius_b), load_one<W>(radius_a));
  const Number<W> ratio = found.depth / (Number<W>(2.0) * smaller);
  const V chord = found.chord_end - found.chord_begin;
  const V before = load_two_floats<W>(chord_at);
  const V change = chord - before;
  const unsigned moved = less(Number<W>(kLeastJump * kLeastJump) * dot(chord, chord), dot(change, change)).bits();

  if (const unsigned others = ~certain & kAllLanes<W>; others != 0) [[unlikely]]
    pairs.note(others, uncertain);
  if (const unsigned which = moved & certain; which != 0) {
    double both[4 * W];
    double* to_before[W];
    double* to_now[W];
    for (int lane = 0; lane < W; ++lane) {
      to_before[lane] = both + 4 * lane;
      to_now[lane] = to_before[lane] + 2;
    }
    store_two<W>(before, to_before);
    store_two<W>(chord, to_now);
    for (int lane = 0; lane < pairs.used; ++lane) {
      if ((which >> lane & 1U) == 0) continue;
      std::memcpy(chords + 4 * std::size_t{changed.count}, both + 4 * lane, 4 * sizeof(double));
      changed.at[changed.count++] = pairs.place[lane];
    }
  }
  double unused[kRegionSize];
  records.keep_uncertain(certain, unused);
  const auto put = [&](double* const(&record)[W], int where, const V& v) __attribute__((always_inline)) {
    double* to[W];
    for (int lane = 0; lane < W; ++lane) to[lane] = record[lane] + where;
    store_two<W>(v, to);
  };
  put(records.region, kArea, {found.area, found.depth});
  put(records.region, kCentroid, to_world * found.centroid);
  put(records.region, kChordBegin, to_world * found.chord_begin);
  put(records.region, kChordEnd, to_world * found.chord_end);
  put(records.axes, kNormal, to_world * found.normal);
  put(records.axes, kBranch, branch);
  double* ratio_at[W];
  for (int lane = 0; lane < W; ++lane) {
    ratio_at[lane] = records.axes[lane] + kDepthRatio;
    chord_at[lane] = reinterpret_cast<float*>(records.axes[lane] + kChord);
  }
  store_one<W>(ratio, ratio_at);
  store_two_floats<W>(chord, chord_at);
}

template <int W, int NA, int NB>
void measure_contacts(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list,
                      const GeometryOut& geometry, Found& uncertain, Found& changed, double* chords) {
  using V = Vector<W>;
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    std::uint32_t in_a[W];
    std::uint32_t out_b[W];
    for (int lane = 0; lane < W; ++lane) {
      const std::uint16_t* const hint = candidates.hint + 4 * std::size_t{pairs.candidate[lane]};
      in_a[lane] = hint[0] / 2U;
      out_b[lane] = hint[3] / 2U;
    }
    const V branch = pairs.branch_vector(bodies, list);
    const Rotations<W> to_world = pairs.rotation(bodies, pairs.a);
    const RelativePose<W> b_in_a(to_world, pairs.rotation(bodies, pairs.b), branch);
    Crossings<W, NA, NB> at;
    at.centre_b = b_in_a.position;
    load_vertices<W>(bodies, pairs.a, in_a, at.a);
    load_vertices<W>(bodies, pairs.b, out_b, at.b);
    for (V& vertex : at.b) vertex = b_in_a * vertex;
    Overlaps<W> found;
    const unsigned certain = measure(at, found).bits();

    put_measured<W>(bodies, list, pairs, branch, to_world, found, certain, geometry, uncertain, changed, chords);
  }
}

/// Measures pairs with any number of vertices in each other.
template <int W>
void measure_arcs(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list,
                  const GeometryOut& geometry, Found& uncertain, Found& changed, double* chords) {
  using V = Vector<W>;
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    Arcs<W> a;
    Arcs<W> b;
    std::uint32_t enters_a[W];
    std::uint32_t leaves_a[W];
    std::uint32_t enters_b[W];
    std::uint32_t leaves_b[W];
    for (int lane = 0; lane < W; ++lane) {
      const std::uint16_t* const hint = candidates.hint + 4 * std::size_t{pairs.candidate[lane]};
      enters_a[lane] = hint[0] / 2U;
      leaves_a[lane] = hint[2] / 2U;
      enters_b[lane] = hint[3] / 2U;
      leaves_b[lane] = hint[1] / 2U;
      set_arc(bodies, pairs.a[lane], enters_a[lane], leaves_a[lane], a, lane);
      set_arc(bodies, pairs.b[lane], enters_b[lane], leaves_b[lane], b, lane);
    }
    const V branch = pairs.branch_vector(bodies, list);
    const Rotations<W> to_world = pairs.rotation(bodies, pairs.a);
    const RelativePose<W> b_in_a(to_world, pairs.rotation(bodies, pairs.b), branch);
    b.cos = b_in_a.rotation.cos;
    b.sin = b_in_a.rotation.sin;
    b.position = b_in_a.position;
    const auto load_edges = [&](const std::uint32_t(&body)[W], const std::uint32_t(&enters)[W],
                                const std::uint32_t(&leaves)[W], Arcs<W>& arc) __attribute__((always_inline)) {
      V ends[2];
      load_vertices<W>(bodies, body, enters, ends);
      arc.own[0] = ends[0];
      arc.own[1] = ends[1];
      load_vertices<W>(bodies, body, leaves, ends);
      arc.own[2] = ends[0];
      arc.own[3] = ends[1];
    };
    load_edges(pairs.a, enters_a, leaves_a, a);
    load_edges(pairs.b, enters_b, leaves_b, b);
    for (int i = 0; i < 4; ++i) {
      a.at[i] = a.own[i];
      b.at[i] = b_in_a * b.own[i];
    }
    Overlaps<W> found;
    const unsigned certain = measure(a, b, found).bits();
    put_measured<W>(bodies, list, pairs, branch, to_world, found, certain, geometry, uncertain, changed, chords);
  }
}

/// An edge of P and a vertex of the other one, with their neighbours.
template <int W, bool EdgeOfA>
void separate(const BodiesIn& bodies, const CandidatesIn& candidates, const PairList& list, Found& uncertain) {
  using V = Vector<W>;
  for (std::uint32_t begin = 0; begin < list.count; begin += W) {
    const LanesOfPairs<W> pairs(candidates, list, begin);
    std::uint32_t edge[W];
    std::uint32_t before[W];
    for (int lane = 0; lane < W; ++lane) {
      const std::uint16_t* const hint = candidates.hint + 4 * std::size_t{pairs.candidate[lane]};
      edge[lane] = hint[EdgeOfA ? 0 : 1] / 2U;
      const std::uint32_t vertex = hint[EdgeOfA ? 1 : 0] / 2U;
      const std::uint32_t size = bodies.size[EdgeOfA ? pairs.b[lane] : pairs.a[lane]];
      before[lane] = vertex == 0 ? size - 1 : vertex - 1;
    }
    const V branch = pairs.branch_vector(bodies, list);
    const RelativePose<W> b_in_a(pairs.rotation(bodies, pairs.a), pairs.rotation(bodies, pairs.b), branch);
    V ends[2];
    V corner[3];
    load_vertices<W>(bodies, EdgeOfA ? pairs.a : pairs.b, edge, ends);
    load_vertices<W>(bodies, EdgeOfA ? pairs.b : pairs.a, before, corner);
    if constexpr (EdgeOfA) {
      for (V& v : corner) v = b_in_a * v;
    } else {
      for (V& v : ends) v = b_in_a * v;
    }
    const unsigned certain = apart(ends[0], ends[1], corner[0], corner[1], corner[2]).bits();
    if (const unsigned others = ~certain & kAllLanes<W>; others != 0) [[unlikely]]
      pairs.note(others, uncertain);
  }
}

}  // namespace scree::soft::lanes
