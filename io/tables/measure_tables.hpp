#pragma once

#include <filesystem>
#include <optional>

#include "dem/measure/measurements.hpp"
#include "dem/scene/domain.hpp"
#include "io/files/csv.hpp"
#include "io/frames/image_series.hpp"

/// The tables of what a scene measures (docs/conventions.md). All throw IoError with the path and the reason.
namespace scree {

struct Scene;

/// Tables with rows for every sample: measure.csv; wall_forces.csv if there are walls or reflecting sides;
/// mean_square_displacement.csv, texture.csv and helfand_moments.csv if asked for. Every row reaches its file at once;
/// resumed as those of io/tables/tables.hpp. Beside them the images of fields (io/frames/image_series.hpp), if asked
/// for.
class SampleTables {
 public:
  SampleTables(const std::filesystem::path& directory, const Scene& scene, const Written& from = {});
  void add(const Sample& sample);
  void sync();  ///< Brings all rows so far to the disk.
  void add_to(Written& written) const;

 private:
  void add_wall_forces(const Sample& s);
  void add_texture(double time, const ContactStatistics& t);

  std::size_t walls_;
  Domain domain_;
  CsvFile measure_;
  std::optional<CsvFile> wall_forces_;
  std::optional<CsvFile> displacement_;
  std::optional<CsvFile> texture_;
  std::optional<CsvFile> moments_;
  std::optional<ImageSeries> images_;
};

/// Tables of what is averaged over all samples so far, those that are asked for, whole: radial_distribution.csv,
/// velocity_distribution.csv, height_profile.csv, free_paths.csv, free_times.csv, pair_orientation.csv,
/// force_distribution.csv; of fields fields_mean.csv, fields_over_x.csv, fields_over_y.csv and the image
/// fields_mean.vti.
void write_averages(const std::filesystem::path& directory, const Measurements& measurements);

}  // namespace scree
