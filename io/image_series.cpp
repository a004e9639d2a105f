#include "io/image_series.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt64Array.h>
#include <vtkXMLImageDataReader.h>
#include <vtkXMLImageDataWriter.h>

#include "io/errors.hpp"
#include "io/vtk_file.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "fields.pvd";

/// @param value_of  the N components of a cell
template <std::size_t N, class Value>
void add_array(vtkImageData& data, const char* name, const std::vector<FieldSums>& cells, const Value& value_of) {
  vtkNew<vtkFloatArray> array;
  array->SetName(name);
  array->SetNumberOfComponents(static_cast<int>(N));
  array->SetNumberOfTuples(static_cast<vtkIdType>(cells.size()));
  float* out = array->GetPointer(0);
  for (const FieldSums& cell : cells) {
    const std::array<double, N> values = value_of(cell);
    for (const double value : values) *out++ = static_cast<float>(value);
  }
  data.GetCellData()->AddArray(array);
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

template <class Array, class Value>
void add_field(vtkImageData& data, const char* name, Value value) {
  vtkNew<Array> array;
  array->SetName(name);
  array->InsertNextValue(value);
  data.GetFieldData()->AddArray(array);
}

vtkSmartPointer<vtkImageData> image_data(const FieldImage& image) {
  const FieldGrid& grid = image.grid;
  auto data = vtkSmartPointer<vtkImageData>::New();
  data->SetDimensions(static_cast<int>(grid.columns) + 1, static_cast<int>(grid.rows) + 1, 1);
  data->SetOrigin(grid.region.lo.x(), grid.region.lo.y(), 0.0);
  data->SetSpacing(grid.cell().x(), grid.cell().y(), 1.0);
  const double area = grid.cell().prod();
  add_array<1>(*data, "density", image.mean, [](const FieldSums& s) { return scalar(s.density); });
  add_array<3>(*data, "momentum", image.mean, [](const FieldSums& s) { return vector(s.momentum); });
  add_array<3>(*data, "velocity", image.mean, [](const FieldSums& s) { return vector(s.velocity()); });
  add_array<1>(*data, "pressure", image.mean, [](const FieldSums& s) { return scalar(s.pressure()); });
  add_array<9>(*data, "kinetic_stress", image.mean, [](const FieldSums& s) { return tensor(s.kinetic()); });
  add_array<9>(*data, "contact_stress", image.mean, [](const FieldSums& s) { return tensor(s.contact); });
  add_array<3>(*data, "boundary_force", image.mean, [](const FieldSums& s) { return vector(s.boundary_force); });
  add_array<1>(*data, "packing_fraction", image.mean, [&](const FieldSums& s) { return scalar(s.area / area); });
  add_field<vtkDoubleArray>(*data, "TimeValue", image.time);
  add_field<vtkTypeInt64Array>(*data, "states", static_cast<vtkTypeInt64>(image.states));
  return data;
}

std::uint64_t write(const fs::path& path, const FieldImage& image, Sync sync) {
  return write_vtk_file<vtkXMLImageDataWriter>(path, *image_data(image), sync);
}

/// A cell array of so many components. Throws IoError if there is none.
vtkDataArray& array_in(vtkImageData& data, const fs::path& path, const char* name, int components) {
  vtkDataArray* array = data.GetCellData()->GetArray(name);
  if (array == nullptr || array->GetNumberOfComponents() != components) {
    throw IoError(
        fmt::format("cannot read {}: it has no cell array {} of {} components", path.string(), name, components));
  }
  return *array;
}

}  // namespace

ImageSeries::ImageSeries(fs::path directory, std::vector<ImageRecord> already_there)
    : directory_(std::move(directory)), images_(std::move(already_there)), synced_(images_.size()) {
  // The list shrinks before the files go: nobody finds a list of what is not there.
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
  vtkNew<vtkXMLImageDataReader> reader;
  const bool is_sound = read_vtk_file(path, *reader);
  vtkImageData* data = reader->GetOutput();
  vtkDataArray* time = data == nullptr ? nullptr : data->GetFieldData()->GetArray("TimeValue");
  vtkDataArray* states = data == nullptr ? nullptr : data->GetFieldData()->GetArray("states");
  const bool is_whole = is_sound && time != nullptr && time->GetNumberOfValues() == 1 && states != nullptr &&
                        states->GetNumberOfValues() == 1 && data->GetNumberOfCells() > 0;
  if (!is_whole) throw IoError(fmt::format("cannot read {}: it is no image of fields, or damaged", path.string()));
  const int* size = data->GetDimensions();
  const double* origin = data->GetOrigin();
  const double* cell = data->GetSpacing();
  FieldImage image;
  image.time = time->GetTuple1(0);
  image.states = static_cast<std::uint64_t>(states->GetTuple1(0));
  image.grid.columns = static_cast<std::size_t>(size[0] - 1);
  image.grid.rows = static_cast<std::size_t>(size[1] - 1);
  image.grid.region.lo = {origin[0], origin[1]};
  image.grid.region.hi = {origin[0] + (size[0] - 1) * cell[0], origin[1] + (size[1] - 1) * cell[1]};
  vtkDataArray& density = array_in(*data, path, "density", 1);
  vtkDataArray& momentum = array_in(*data, path, "momentum", 3);
  vtkDataArray& kinetic = array_in(*data, path, "kinetic_stress", 9);
  vtkDataArray& contact = array_in(*data, path, "contact_stress", 9);
  vtkDataArray& boundary_force = array_in(*data, path, "boundary_force", 3);
  vtkDataArray& packing_fraction = array_in(*data, path, "packing_fraction", 1);
  const auto matrix = [](const double* t) {
    Eigen::Matrix2d m;
    m << t[0], t[1], t[3], t[4];
    return m;
  };
  for (vtkIdType k = 0; k < data->GetNumberOfCells(); ++k) {
    FieldSums sums;
    sums.density = density.GetTuple1(k);
    const double* p = momentum.GetTuple3(k);
    sums.momentum = {p[0], p[1]};
    sums.flow = matrix(kinetic.GetTuple9(k)) + sums.momentum * sums.velocity().transpose();
    sums.contact = matrix(contact.GetTuple9(k));
    const double* t = boundary_force.GetTuple3(k);
    sums.boundary_force = {t[0], t[1]};
    sums.area = packing_fraction.GetTuple1(k) * image.grid.cell().prod();
    image.mean.push_back(sums);
  }
  return image;
}

}  // namespace scree
