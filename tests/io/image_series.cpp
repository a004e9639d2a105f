#include "io/frames/image_series.hpp"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "io/files/atomic_file.hpp"
#include "io/text/errors.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::image_series_test {

namespace fs = std::filesystem;

namespace {

/// Numbers that tell every cell and component from others.
FieldImage image_at(double time) {
  FieldImage image{.time = time, .states = 7, .grid = {{{-1.0, 2.0}, {2.0, 4.0}}, 6, 3}, .mean = {}};
  for (std::size_t k = 0; k < image.grid.size(); ++k) {
    const double x = 0.25 + time + static_cast<double>(k);
    FieldSums sums;
    sums.density = k == 4 ? 0.0 : x;  // nothing is there
    sums.momentum = k == 4 ? Vec2(0.0, 0.0) : Vec2(2.0 * x, -x);
    sums.flow << 9.0 * x, -2.0 * x, -2.0 * x, 3.0 * x;
    sums.contact << x, 2.0 * x, 3.0 * x, 4.0 * x;
    sums.boundary_force = {-x, 0.5 * x};
    sums.area = 0.5 * image.grid.cell().prod();
    image.mean.push_back(sums);
  }
  return image;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 3e-7 * std::max(std::abs(a), 30.0);
}

void check_same(const FieldImage& a, const FieldImage& b) {
  CHECK(a.time == b.time);
  CHECK(a.states == b.states);
  CHECK(a.grid.columns == b.grid.columns);
  CHECK(a.grid.rows == b.grid.rows);
  CHECK((a.grid.region.lo - b.grid.region.lo).norm() < 1e-15);
  CHECK((a.grid.region.hi - b.grid.region.hi).norm() < 1e-15);
  REQUIRE(a.mean.size() == b.mean.size());
  for (std::size_t k = 0; k < a.mean.size(); ++k) {
    CAPTURE(k);
    CHECK(near(a.mean[k].density, b.mean[k].density));
    for (const int i : {0, 1}) {
      CHECK(near(a.mean[k].momentum[i], b.mean[k].momentum[i]));
      CHECK(near(a.mean[k].boundary_force[i], b.mean[k].boundary_force[i]));
      for (const int j : {0, 1}) {
        CHECK(near(a.mean[k].contact(i, j), b.mean[k].contact(i, j)));
        CHECK(near(a.mean[k].kinetic()(i, j), b.mean[k].kinetic()(i, j)));
      }
    }
    CHECK(near(a.mean[k].area, b.mean[k].area));
  }
}

}  // namespace

TEST_CASE("images of fields are read back, one by one, in the order of the list") {
  const ScratchDirectory directory;
  ImageSeries series(directory.path());
  for (const double time : {0.1, 1.0 / 3.0, 2.0}) series.write(image_at(time));
  const auto listed = list_images(directory.path());
  REQUIRE(listed.size() == 3);
  for (std::size_t k = 0; k < listed.size(); ++k) {
    CHECK(listed[k].first == series.images()[k].time);
    CHECK(listed[k].second == k);
    check_same(read_image(directory.path() / image_file(k)), image_at(listed[k].first));
  }
  write_image(directory.path() / "fields_mean.vti", image_at(5.0));
  check_same(read_image(directory.path() / "fields_mean.vti"), image_at(5.0));
  CHECK_NOTHROW(require_all_written(directory.path(), {.frames = {}, .tables = {}, .images = series.images()}));
  CHECK(read_file(directory.path() / image_file(0)).find("type=\"ImageData\"") != std::string::npos);
}

TEST_CASE("a resumed series of images goes on numbering and drops later ones, and a new one begins again") {
  const ScratchDirectory directory;
  std::vector<ImageRecord> kept;
  {
    ImageSeries series(directory.path());
    for (const double time : {0.1, 0.2, 0.3}) series.write(image_at(time));
    kept = {series.images()[0]};
  }
  write_image(directory.path() / "fields_mean.vti", image_at(0.3));
  ImageSeries resumed(directory.path(), kept);
  CHECK(list_images(directory.path()).size() == 1);
  CHECK_FALSE(fs::exists(directory.path() / image_file(1)));
  CHECK_FALSE(fs::exists(directory.path() / image_file(2)));
  CHECK(fs::exists(directory.path() / "fields_mean.vti"));
  resumed.write(image_at(0.15));
  CHECK(list_images(directory.path()).back() == std::pair{0.15, std::size_t{1}});
  const ImageSeries again(directory.path());
  CHECK_FALSE(fs::exists(directory.path() / image_file(0)));
  CHECK_FALSE(fs::exists(directory.path() / "fields.pvd"));
}

TEST_CASE("what is no image of fields is refused by its name") {
  const ScratchDirectory directory;
  const fs::path file = directory.path() / image_file(0);
  CHECK_THROWS_AS((void)read_image(file), IoError);
  write_file_atomically(file, "<VTKFile");
  CHECK_THROWS_AS((void)read_image(file), IoError);
  write_image(file, image_at(1.0));
  const std::string whole = read_file(file);
  for (const std::size_t length : {whole.size() / 4, whole.size() / 2, whole.size() - 40}) {
    write_file_atomically(file, whole.substr(0, length));
    CHECK_THROWS_AS((void)read_image(file), IoError);
  }
}

}  // namespace scree::image_series_test
