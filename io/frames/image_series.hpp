#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include "dem/measure/coarse_graining.hpp"
#include "io/files/written.hpp"

/// Coarse-grained fields for ParaView: VTK XML ImageData (appended raw data, zlib), one cell of the image for each cell
/// of the grid, and fields.pvd, the list of the images with their times. Cell arrays, Float32: density, momentum,
/// velocity, pressure, kinetic_stress, contact_stress (tensors of nine components, row by row, 0 along z),
/// boundary_force, packing_fraction. Field arrays: TimeValue (Float64), the time of the last sample; states (Int64),
/// the number of samples. All functions throw IoError with the path and the reason.
namespace scree {

/// fields_NNNNNN.vti, one after another. Resumed as VtkSeries.
class ImageSeries {
 public:
  /// @param already_there  what a resumed run wrote before; later images are deleted
  explicit ImageSeries(std::filesystem::path directory, std::vector<ImageRecord> already_there = {});

  /// Writes the next image, then the list. Each appears whole or not at all.
  void write(const FieldImage& image);
  /// Brings all images so far to the disk.
  void sync();

  const std::vector<ImageRecord>& images() const { return images_; }

 private:
  void write_list() const;

  std::filesystem::path directory_;
  std::vector<ImageRecord> images_;
  std::size_t synced_ = 0;  // the first so many
};

/// One image by itself.
void write_image(const std::filesystem::path& path, const FieldImage& image);

/// Times [s] and numbers of the images that fields.pvd lists.
std::vector<std::pair<double, std::size_t>> list_images(const std::filesystem::path& directory);
/// What an image file holds, in single precision.
FieldImage read_image(const std::filesystem::path& path);

}  // namespace scree
