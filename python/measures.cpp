#include "python/measures.hpp"

#include <cmath>
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <vector>

#include <fmt/format.h>

#include "dem/measure/coarse_graining.hpp"
#include "dem/measure/contact_statistics.hpp"
#include "dem/measure/pair_orientation.hpp"
#include "python/arrays.hpp"

namespace scree::python {

namespace py = pybind11;
using namespace py::literals;

namespace {

constexpr double kMostPoints = 4e6;

/// An array (shape..., N numbers of each) of what `put` writes of each cell.
template <class Put>
py::array_t<double> table(std::vector<py::ssize_t> shape, std::size_t count, std::size_t width, const Put& put) {
  py::array_t<double> array(shape);
  double* out = array.mutable_data();
  for (std::size_t k = 0; k < count; ++k) put(k, out + k * width);
  return array;
}

void put_tensor(const Eigen::Matrix2d& t, double* out) {
  out[0] = t(0, 0);
  out[1] = t(0, 1);
  out[2] = t(1, 0);
  out[3] = t(1, 1);
}

void require_bins(int bins) {
  if (bins < 1 || bins > 1'000'000) throw py::value_error(fmt::format("bins: is {}, must be from 1 to 1000000", bins));
}

}  // namespace

Region region_of(const std::array<double, 4>& sides) {
  const auto [x0, x1, y0, y1] = sides;
  if (!(x0 < x1 && y0 < y1 && std::isfinite(x1 - x0) && std::isfinite(y1 - y0))) {
    throw py::value_error(fmt::format(
        "region: is [{}, {}, {}, {}], must be [x0, x1, y0, y1] with x0 < x1 and y0 < y1 [m]", x0, x1, y0, y1));
  }
  return {{x0, y0}, {x1, y1}};
}

py::dict texture(const State& state, const Region& region, const Domain& domain) {
  const ContactStatistics t = contact_statistics(state, region, domain);
  py::dict d = dict_of(kTextureColumns, t);
  d["fabric"] = t.fabric;
  d["stress"] = t.stress;
  d["weak_stress"] = t.weak_stress;
  d["domain_stress"] = t.domain_stress;
  return d;
}

py::dict pair_orientation(const State& state, const Region& region, const Domain& domain,
                          const Measure::PairOrientation& spec) {
  const double greatest = 0.5 * (region.hi - region.lo).minCoeff();
  if (!(spec.to > 0.0 && spec.to <= greatest)) {
    throw py::value_error(
        fmt::format("to: is {}, must be > 0 and at most half of the region's shorter side, {} [m]", spec.to, greatest));
  }
  require_bins(spec.bins);
  if (spec.symmetry < 1) throw py::value_error(fmt::format("symmetry: is {}, must be >= 1", spec.symmetry));
  PairOrientation all(spec, region, domain);
  all.add(state.particles);
  const auto rows = all.rows();
  const auto column = [&](const auto& of) {
    return table({static_cast<py::ssize_t>(rows.size())}, rows.size(), 1,
                 [&](std::size_t k, double* out) { *out = of(rows[k]); });
  };
  using Row = PairOrientation::Row;
  py::array_t<std::uint64_t> pairs(static_cast<py::ssize_t>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) pairs.mutable_data()[k] = rows[k].pairs;
  return py::dict("distance"_a = column([](const Row& r) { return r.distance; }),
                  "g"_a = column([](const Row& r) { return r.g; }),
                  "grains"_a = column([](const Row& r) { return r.grains; }),
                  "bond"_a = column([](const Row& r) { return r.bond; }),
                  "direction_cos"_a = column([](const Row& r) { return r.direction.x(); }),
                  "direction_sin"_a = column([](const Row& r) { return r.direction.y(); }), "pairs"_a = pairs);
}

py::dict forces(const State& state, const Region& region, const Domain& domain, double bin, int bins) {
  if (!(bin > 0.0 && std::isfinite(bin))) throw py::value_error(fmt::format("bin: is {}, must be > 0", bin));
  require_bins(bins);
  const auto number = static_cast<std::size_t>(bins);
  const ForceDistribution found = force_distribution(state, region, domain, bin, number);
  const std::vector<double> density = found.density();
  const auto count = static_cast<py::ssize_t>(bins);
  py::dict d;
  d["force"] =
      table({count}, number, 1, [&](std::size_t k, double* out) { *out = (static_cast<double>(k) + 0.5) * bin; });
  d["density"] = table({count}, number, 1, [&](std::size_t k, double* out) { *out = density[k]; });
  d["contacts"] = py::array_t<std::uint64_t>(count, found.count.data());
  return d;
}

py::object stress_of_grains(const State& state) {
  const std::vector<Eigen::Matrix2d> stress = grain_stress(state);
  return table({static_cast<py::ssize_t>(stress.size()), 2, 2}, stress.size(), 4,
               [&](std::size_t k, double* out) { put_tensor(stress[k], out); });
}

CoarseFields coarse_fields(const Region& region, const Domain& domain, const std::string& kernel, double width,
                           double spacing) {
  const auto check = [](const char* what, double length) {
    if (!(length > 0.0 && std::isfinite(length))) {
      throw py::value_error(fmt::format("{}: is {}, must be > 0 [m]", what, length));
    }
  };
  check("width", width);
  check("spacing", spacing);
  if (kernel != kKernelNames[0] && kernel != kKernelNames[1]) {
    throw py::value_error(fmt::format("kernel: is '{}', must be gauss or lucy", kernel));
  }
  const Vec2 size = region.hi - region.lo;
  if ((size / spacing).array().ceil().prod() > kMostPoints) {
    throw py::value_error(fmt::format("spacing: is {}, which makes more than {} points", spacing, kMostPoints));
  }
  return {FieldGrid::covering(region, spacing),
          SmoothingKernel(kernel == kKernelNames[0] ? KernelKind::gauss : KernelKind::lucy, width), domain};
}

py::dict dict_of(const FieldGrid& grid, const std::vector<FieldSums>& sums) {
  const auto rows = static_cast<py::ssize_t>(grid.rows);
  const auto columns = static_cast<py::ssize_t>(grid.columns);
  const auto scalar = [&](const auto& of) {
    return table({rows, columns}, sums.size(), 1, [&](std::size_t k, double* out) { *out = of(sums[k]); });
  };
  const auto vector = [&](const auto& of) {
    return table({rows, columns, 2}, sums.size(), 2, [&](std::size_t k, double* out) {
      const Vec2 v = of(sums[k]);
      out[0] = v.x();
      out[1] = v.y();
    });
  };
  const auto tensor = [&](const auto& of) {
    return table({rows, columns, 2, 2}, sums.size(), 4,
                 [&](std::size_t k, double* out) { put_tensor(of(sums[k]), out); });
  };
  py::dict d;
  d["x"] = table({columns}, grid.columns, 1, [&](std::size_t k, double* out) { *out = grid.point(k, 0).x(); });
  d["y"] = table({rows}, grid.rows, 1, [&](std::size_t k, double* out) { *out = grid.point(0, k).y(); });
  d["density"] = scalar([](const FieldSums& s) { return s.density; });
  d["momentum"] = vector([](const FieldSums& s) { return s.momentum; });
  d["velocity"] = vector([](const FieldSums& s) { return s.velocity(); });
  d["kinetic_stress"] = tensor([](const FieldSums& s) { return s.kinetic(); });
  d["contact_stress"] = tensor([](const FieldSums& s) { return s.contact; });
  d["boundary_force"] = vector([](const FieldSums& s) { return s.boundary_force; });
  d["packing_fraction"] = scalar([&](const FieldSums& s) { return s.area / grid.cell().prod(); });
  return d;
}

}  // namespace scree::python
