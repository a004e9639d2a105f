#include "io/frames/image_series.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "io/files/numbered_files.hpp"
#include "io/formats/vtk_reader.hpp"
#include "io/frames/vtk_data.hpp"
#include "io/frames/vtk_file.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "fields.pvd";

/// @param value_of  the N components of a cell
template <std::size_t N, class Value>
void add_array(VtkImage& data, const char* name, const std::vector<FieldSums>& cells, const Value& value_of) {
  std::vector<float> array;
  array.reserve(N * cells.size());
  for (const FieldSums& cell : cells) {
    const std::array<double, N> values = value_of(cell);
    for (const double value : values) array.push_back(static_cast<float>(value));
  }
  data.cells.push_back({name, std::move(array), N});
}

std::array<double, 1> scalar(double value) {
  return {value};
}
std::array<double, 3> vector(const Vec2& v) {
  return {v.x(), v.y(), 0.0};
}
std::array<double, 9> tensor(const Eigen::Matrix2d& t) {
  return {t(0, 0), t(0, 1), 0.0, t(1, 0), t(1, 1), 0.0, 0.0, 0.0, 0.0};
}

VtkImage image_data(const FieldImage& image) {
  const FieldGrid& grid = image.grid;
  VtkImage data{.field = {{"TimeValue", std::vector{image.time}},
                          {"states", std::vector{static_cast<std::int64_t>(image.states)}}},
                .cells = {},
                .columns = grid.columns,
                .rows = grid.rows,
                .origin = grid.region.lo,
                .spacing = grid.cell()};
  const double area = grid.cell().prod();
  add_array<1>(data, "density", image.mean, [](const FieldSums& s) { return scalar(s.density); });
  add_array<3>(data, "momentum", image.mean, [](const FieldSums& s) { return vector(s.momentum); });
  add_array<3>(data, "velocity", image.mean, [](const FieldSums& s) { return vector(s.velocity()); });
  add_array<1>(data, "pressure", image.mean, [](const FieldSums& s) { return scalar(s.pressure()); });
  add_array<9>(data, "kinetic_stress", image.mean, [](const FieldSums& s) { return tensor(s.kinetic()); });
  add_array<9>(data, "contact_stress", image.mean, [](const FieldSums& s) { return tensor(s.contact); });
  add_array<3>(data, "boundary_force", image.mean, [](const FieldSums& s) { return vector(s.boundary_force); });
  add_array<1>(data, "packing_fraction", image.mean, [&](const FieldSums& s) { return scalar(s.area / area); });
  return data;
}

std::uint64_t write(const fs::path& path, const FieldImage& image, Sync sync) {
  return write_vtk_file(path, image_data(image), sync);
}

}  // namespace

ImageSeries::ImageSeries(fs::path directory, std::vector<ImageRecord> already_there)
    : directory_(std::move(directory)), images_(std::move(already_there)), synced_(images_.size()) {
  // The list shrinks before the files go: no reader finds a list of what is not there.
  if (images_.empty()) {
    remove_file(directory_ / kList);
  } else {
    write_list();
  }
  remove_numbered_files(directory_, "fields", ".vti", images_.size());
}

void ImageSeries::write(const FieldImage& image) {
  const std::uint64_t hash = scree::write(directory_ / image_file(images_.size()), image, Sync::by_caller);
  images_.push_back({image.time, hash});
  try {
    write_list();
  } catch (...) {
    images_.pop_back();
    throw;
  }
}

void ImageSeries::sync() {
  for (; synced_ < images_.size(); ++synced_) sync_file(directory_ / image_file(synced_));
}

void ImageSeries::write_list() const {
  std::vector<std::pair<double, std::string>> files;
  for (std::size_t number = 0; number < images_.size(); ++number) {
    files.emplace_back(images_[number].time, image_file(number));
  }
  write_file_atomically(directory_ / kList, pvd_text(files));
}

void write_image(const fs::path& path, const FieldImage& image) {
  write(path, image, Sync::before_naming);
}

std::vector<std::pair<double, std::size_t>> list_images(const fs::path& directory) {
  return read_pvd(directory / kList, "fields", ".vti");
}

FieldImage read_image(const fs::path& path) {
  const VtkReader file(read_file(path), path, "ImageData", "an image of fields that scree wrote");
  const std::vector<double> extent = file.numbers("WholeExtent", 6);
  const std::vector<double> origin = file.numbers("Origin", 3);
  const std::vector<double> spacing = file.numbers("Spacing", 3);
  const auto cells_along = [&](std::size_t axis) {
    const double cells = extent[2 * axis + 1];
    if (extent[2 * axis] != 0.0 || !(cells >= 1.0 && cells <= 1e6) || cells != std::floor(cells) ||
        !(spacing[axis] > 0.0)) {
      file.refuse("its grid makes no sense");
    }
    return static_cast<std::size_t>(cells);
  };
  FieldImage image;
  image.time = file.values<double>("FieldData", "TimeValue", 1, 1)[0];
  image.states = file.values<std::uint64_t>("FieldData", "states", 1, 1)[0];
  image.grid.columns = cells_along(0);
  image.grid.rows = cells_along(1);
  image.grid.region.lo = {origin[0], origin[1]};
  image.grid.region.hi = {origin[0] + extent[1] * spacing[0], origin[1] + extent[3] * spacing[1]};
  const std::size_t cells = image.grid.columns * image.grid.rows;
  const auto array = [&](const char* name, std::size_t components) {
    return file.values<double>("CellData", name, components, cells);
  };
  const auto density = array("density", 1);
  const auto momentum = array("momentum", 3);
  const auto kinetic = array("kinetic_stress", 9);
  const auto contact = array("contact_stress", 9);
  const auto boundary_force = array("boundary_force", 3);
  const auto packing_fraction = array("packing_fraction", 1);
  const auto matrix = [](const std::vector<double>& t, std::size_t k) {
    Eigen::Matrix2d m;
    m << t[9 * k], t[9 * k + 1], t[9 * k + 3], t[9 * k + 4];
    return m;
  };
  for (std::size_t k = 0; k < cells; ++k) {
    FieldSums sums;
    sums.density = density[k];
    sums.momentum = {momentum[3 * k], momentum[3 * k + 1]};
    sums.flow = matrix(kinetic, k) + sums.momentum * sums.velocity().transpose();
    sums.contact = matrix(contact, k);
    sums.boundary_force = {boundary_force[3 * k], boundary_force[3 * k + 1]};
    sums.area = packing_fraction[k] * image.grid.cell().prod();
    image.mean.push_back(sums);
  }
  return image;
}

}  // namespace scree
