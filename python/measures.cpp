#include "python/measures.hpp"

#include <cmath>
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <vector>

#include <fmt/format.h>

#include "dem/measure/coarse_graining.hpp"
#include "dem/measure/contact_statistics.hpp"

namespace scree::python {

namespace py = pybind11;

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
  const Principal stress = principal(t.stress);
  py::dict d;
  d["contacts"] = t.contacts;
  d["fabric"] = t.fabric;
  d["stress"] = t.stress;
  d["p"] = stress.mean;
  d["q"] = stress.deviator;
  d["direction"] = stress.direction;
  d["anisotropy_contacts"] = t.anisotropy_contacts;
  d["anisotropy_normal"] = t.anisotropy_normal;
  d["anisotropy_tangential"] = t.anisotropy_tangential;
  d["strength_of_texture"] = t.strength_of_texture();
  d["mean_force"] = t.mean_force;
  d["weak_share"] = t.weak_share;
  d["weak_stress"] = t.weak_stress;
  d["sliding_share"] = t.sliding_share;
  d["coordination"] = t.coordination.all;
  d["coordination_without_rattlers"] = t.coordination.without_rattlers;
  d["constraints"] = t.coordination.constraints;
  d["rattlers"] = t.coordination.rattlers;
  d["edge_contacts"] = t.coordination.edge_contacts;
  d["unbalanced_force"] = t.unbalanced_force;
  d["shear_rate"] = t.shear_rate;
  d["inertial_number"] = t.inertial_number;
  d["mean_spin"] = t.mean_spin;
  d["void_ratio"] = t.void_ratio;
  return d;
}

py::dict forces(const State& state, const Region& region, const Domain& domain, double bin, std::size_t bins) {
  if (!(bin > 0.0 && std::isfinite(bin))) throw py::value_error(fmt::format("bin: is {}, must be > 0", bin));
  if (bins < 1 || bins > 1'000'000) throw py::value_error(fmt::format("bins: is {}, must be from 1 to 1000000", bins));
  const ForceDistribution found = force_distribution(state, region, domain, bin, bins);
  const std::vector<double> density = found.density();
  const auto count = static_cast<py::ssize_t>(bins);
  py::dict d;
  d["force"] =
      table({count}, bins, 1, [&](std::size_t k, double* out) { *out = (static_cast<double>(k) + 0.5) * bin; });
  d["density"] = table({count}, bins, 1, [&](std::size_t k, double* out) { *out = density[k]; });
  d["contacts"] = py::array_t<std::uint64_t>(count, found.count.data());
  return d;
}

py::object stress_of_grains(const State& state) {
  const std::vector<Eigen::Matrix2d> stress = grain_stress(state);
  return table({static_cast<py::ssize_t>(stress.size()), 2, 2}, stress.size(), 4,
               [&](std::size_t k, double* out) { put_tensor(stress[k], out); });
}

py::dict fields(const State& state, const Region& region, const Domain& domain, const std::string& kernel, double width,
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
  CoarseFields all(FieldGrid::covering(region, spacing),
                   SmoothingKernel(kernel == kKernelNames[0] ? KernelKind::gauss : KernelKind::lucy, width), domain);
  {
    const py::gil_scoped_release release;
    all.add(state);
  }
  const FieldGrid& grid = all.grid();
  const std::vector<FieldSums>& sums = all.sums();
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
