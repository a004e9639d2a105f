#include "python/algorithms.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <vector>

#include <fmt/format.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "geometry/closest_features.hpp"
#include "geometry/overlap.hpp"

namespace scree::python {

namespace py = pybind11;

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

// --- polygons
// ---------------------------------------------------------------------------------------------------------

Polygon polygon_of(const Numbers& corners, const char* name) {
  if (corners.ndim() != 2 || corners.shape(1) != 2) {
    throw py::value_error(fmt::format("{}: must be an array of corners, (n, 2)", name));
  }
  std::vector<Vec2> points;
  const auto at = corners.unchecked<2>();
  for (py::ssize_t k = 0; k < corners.shape(0); ++k) points.emplace_back(at(k, 0), at(k, 1));
  try {
    return Polygon(points);
  } catch (const GeometryError& error) {
    throw py::value_error(fmt::format("{}: {}", name, error.what()));
  }
}

/// Two polygons in the plane: the second one's pose in the frame of the first.
struct Two {
  Polygon a;
  Polygon b;
  Pose b_in_a;

  Two(const Numbers& corners_a, const Numbers& corners_b)
      : a(polygon_of(corners_a, "a")),
        b(polygon_of(corners_b, "b")),
        b_in_a{Vec2(b.centroid() - a.centroid()), Rotation::by(0.0)} {}
};

py::dict overlap_of(const Numbers& corners_a, const Numbers& corners_b) {
  const Two two(corners_a, corners_b);
  const Overlap found = overlap(two.a.vertices(), two.b.vertices(), two.b_in_a);
  const bool touches = found.touching();
  const Vec2 nowhere(NAN, NAN);
  const Vec2 origin = two.a.centroid();
  py::dict d;
  d["area"] = found.area;
  d["depth"] = touches ? found.depth : 0.0;
  d["centroid"] = touches ? Vec2(origin + found.centroid) : nowhere;
  d["normal"] = touches ? found.normal : nowhere;
  d["chord_begin"] = touches ? Vec2(origin + found.chord_begin) : nowhere;
  d["chord_end"] = touches ? Vec2(origin + found.chord_end) : nowhere;
  return d;
}

py::dict closest_of(const Numbers& corners_a, const Numbers& corners_b) {
  const Two two(corners_a, corners_b);
  const ClosestFeatures found = closest_features(two.a.vertices(), two.b.vertices(), two.b_in_a, {});
  const Vec2 nowhere(NAN, NAN);
  const bool apart = found.distance > 0.0;
  py::dict d;
  d["distance"] = found.distance;
  d["point_a"] = apart ? Vec2(two.a.centroid() + found.point_a) : nowhere;
  d["point_b"] = apart ? Vec2(two.a.centroid() + found.point_b) : nowhere;
  const auto feature = [](Feature which, const Outline& outline) {
    return py::make_tuple(is_edge(which, outline) ? "edge" : "vertex", which / 2);
  };
  d["feature_a"] = feature(found.features.a, two.a.vertices());
  d["feature_b"] = feature(found.features.b, two.b.vertices());
  return d;
}

// --- broadphases
// ------------------------------------------------------------------------------------------------------

template <int Dim>
std::vector<Aabb<Dim>> boxes_of(const Numbers& array) {
  std::vector<Aabb<Dim>> boxes(static_cast<std::size_t>(array.shape(0)));
  const auto at = array.unchecked<3>();
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    for (int axis = 0; axis < Dim; ++axis) {
      const double lo = at(static_cast<py::ssize_t>(k), 0, axis);
      const double hi = at(static_cast<py::ssize_t>(k), 1, axis);
      if (!(std::isfinite(lo) && std::isfinite(hi) && lo <= hi)) {
        throw py::value_error(fmt::format(
            "boxes: box {} is from {} to {} along axis {}, must be finite and not negative", k, lo, hi, axis));
      }
      boxes[k].lo[axis] = lo;
      boxes[k].hi[axis] = hi;
    }
  }
  return boxes;
}

py::array_t<std::uint32_t> pairs_of(const std::vector<Pair>& pairs) {
  py::array_t<std::uint32_t> array({static_cast<py::ssize_t>(pairs.size()), py::ssize_t{2}});
  auto at = array.mutable_unchecked<2>();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    at(static_cast<py::ssize_t>(k), 0) = pairs[k].a;
    at(static_cast<py::ssize_t>(k), 1) = pairs[k].b;
  }
  return array;
}

py::tuple changes_of(const PairChanges& changes) {
  return py::make_tuple(pairs_of(changes.begun), pairs_of(changes.ended));
}

/// A broadphase with boxes 0 ... n - 1, all of which are updated at once.
template <template <int> class B, int Dim>
struct Boxes {
  B<Dim> broadphase;
  PairChanges changes;

  explicit Boxes(const std::vector<Aabb<Dim>>& boxes) {
    std::vector<ProxyId> ids(boxes.size());
    std::iota(ids.begin(), ids.end(), ProxyId{0});
    broadphase.insert(ids, boxes, changes);
  }
};

template <template <int> class B, int Dim>
void bind_broadphase(py::module_& m, const char* name) {
  using Kind = Boxes<B, Dim>;
  const auto checked = [](const Numbers& array) {
    if (array.ndim() != 3 || array.shape(1) != 2 || array.shape(2) != Dim) {
      throw py::value_error(fmt::format("boxes: must be an array (n, 2, {}): lower and upper corners", Dim));
    }
    return boxes_of<Dim>(array);
  };
  py::class_<Kind>(m, fmt::format("{}{}", name, Dim).c_str())
      .def(py::init([checked](const Numbers& boxes) { return Kind(checked(boxes)); }))
      .def("begun", [](const Kind& kind) { return pairs_of(kind.changes.begun); })
      .def("size", [](const Kind& kind) { return kind.broadphase.size(); })
      .def("update",
           [checked](Kind& kind, const Numbers& array) {
             const auto boxes = checked(array);
             if (boxes.size() != kind.broadphase.size()) {
               throw py::value_error(
                   fmt::format("boxes: there are {}, must be {} as before", boxes.size(), kind.broadphase.size()));
             }
             kind.broadphase.update(boxes, kind.changes);
             return changes_of(kind.changes);
           })
      .def("query", [checked](const Kind& kind, const Numbers& box) {
        const auto boxes = checked(box);
        std::vector<ProxyId> found;
        if (boxes.size() != 1) throw py::value_error("box: must be one box");
        kind.broadphase.query(boxes.front(), found);
        return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(found.size()), found.data());
      });
}

template <template <int> class B>
void bind_both(py::module_& m, const char* name) {
  bind_broadphase<B, 2>(m, name);
  bind_broadphase<B, 3>(m, name);
}

}  // namespace

void bind_algorithms(py::module_& m) {
  m.def("overlap", &overlap_of);
  m.def("closest_features", &closest_of);
  bind_both<AllPairs>(m, "AllPairs");
  bind_both<DistanceSort>(m, "DistanceSort");
  bind_both<HierarchicalGrid>(m, "HierarchicalGrid");
  bind_both<LinkedCells>(m, "LinkedCells");
  bind_both<SortAndUpdate>(m, "SortAndUpdate");
  bind_both<SortedStrips>(m, "SortedStrips");
}

}  // namespace scree::python
