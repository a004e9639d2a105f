#include "io/tables/measure_tables.hpp"

#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "dem/scene.hpp"
#include "io/files/atomic_file.hpp"
#include "io/text/number_text.hpp"

namespace scree {

namespace {

std::string cell(double value) {
  return number_text(value);
}
std::string cell(std::uint64_t value) {
  return fmt::to_string(value);
}

/// A table in memory, to be written as a whole.
class Table {
 public:
  explicit Table(const std::string& header) : text_(header + "\n") {}

  template <class First, class... Others>
  void add(First first, Others... others) {
    text_ += cell(first);
    ((text_ += ',' + cell(others)), ...);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Table table_of(const RadialDistribution& distribution) {
  Table table("distance [m],g,pairs");
  for (const auto& row : distribution.rows()) table.add(row.distance, row.g, row.pairs);
  return table;
}

Table table_of(const PairOrientation& distribution) {
  Table table("distance [m],g,grains,bond,direction_cos,direction_sin,pairs");
  for (const auto& row : distribution.rows()) {
    table.add(row.distance, row.g, row.grains, row.bond, row.direction.x(), row.direction.y(), row.pairs);
  }
  return table;
}

Table table_of(const ForceDistribution& forces) {
  Table table("force_over_mean,density,contacts");
  const std::vector<double> density = forces.density();
  for (std::size_t k = 0; k < density.size(); ++k) {
    table.add((static_cast<double>(k) + 0.5) * forces.bin, density[k], forces.count[k]);
  }
  return table;
}

constexpr const char* kFieldColumns =
    "density [kg/m^2],momentum_x [kg/(m s)],momentum_y [kg/(m s)],velocity_x [m/s],velocity_y [m/s],pressure [N/m],"
    "kinetic_xx [N/m],kinetic_yy [N/m],kinetic_xy [N/m],contact_xx [N/m],contact_yy [N/m],contact_xy [N/m],"
    "contact_yx [N/m],boundary_x [N/m^2],boundary_y [N/m^2],packing_fraction";

/// @param at  the coordinates of the cell
template <class... At>
void add_fields(Table& table, const FieldSums& s, double cell_area, At... at) {
  const Eigen::Matrix2d kinetic = s.kinetic();
  table.add(at..., s.density, s.momentum.x(), s.momentum.y(), s.velocity().x(), s.velocity().y(), s.pressure(),
            kinetic(0, 0), kinetic(1, 1), kinetic(0, 1), s.contact(0, 0), s.contact(1, 1), s.contact(0, 1),
            s.contact(1, 0), s.boundary_force.x(), s.boundary_force.y(), s.area / cell_area);
}

Table table_of(const FieldImage& image) {
  Table table(fmt::format("x [m],y [m],{}", kFieldColumns));
  for (std::size_t k = 0; k < image.mean.size(); ++k) {
    const Vec2 point = image.grid.point(k % image.grid.columns, k / image.grid.columns);
    add_fields(table, image.mean[k], image.grid.cell().prod(), point.x(), point.y());
  }
  return table;
}

/// Averages of rows, over y, or of columns, over x.
Table profile_of(const FieldImage& image, int axis) {
  const FieldGrid& grid = image.grid;
  const auto averages = axis == 0 ? averages_along_y(image.mean, grid) : averages_along_x(image.mean, grid);
  Table table(fmt::format("{} [m],{}", axis == 0 ? 'x' : 'y', kFieldColumns));
  for (std::size_t k = 0; k < averages.size(); ++k) {
    const Vec2 point = axis == 0 ? grid.point(k, 0) : grid.point(0, k);
    add_fields(table, averages[k], grid.cell().prod(), point[axis]);
  }
  return table;
}

Table table_of(const VelocityDistribution& distribution) {
  Table table("velocity,density_x,density_y,speed_density");
  for (const auto& row : distribution.rows()) {
    table.add(row.velocity, row.density.x(), row.density.y(), row.speed_density);
  }
  return table;
}

Table table_of(const std::vector<Measurements::LayerRow>& profile) {
  Table table(
      "y [m],packing_fraction,particles,velocity_x [m/s],velocity_y [m/s],temperature [J],collision_rate [1/s],"
      "pressure_xx [N/m],pressure_yy [N/m],pressure_xy [N/m]");
  for (const auto& row : profile) {
    table.add(row.y, row.packing_fraction, row.particles, row.velocity.x(), row.velocity.y(), row.temperature,
              row.collision_rate, row.pressure(0, 0), row.pressure(1, 1), row.pressure(0, 1));
  }
  return table;
}

Table table_of(const std::vector<Measurements::FlightRow>& flights, const std::string& unit) {
  Table table(fmt::format("from [{0}],to [{0}],flights,density [1/{0}]", unit));
  for (const auto& row : flights) table.add(row.from, row.to, row.count, row.density);
  return table;
}

bool has_sides(const Domain& domain) {
  return domain.reflecting && !(domain.periodic[0] && domain.periodic[1]);
}

}  // namespace

SampleTables::SampleTables(const std::filesystem::path& directory, const Scene& scene, const Written& from)
    : walls_(scene.walls.size()),
      domain_(scene.domain),
      measure_(directory / "measure.csv", header_of(kSampleColumns), from) {
  if (!scene.walls.empty() || has_sides(scene.domain)) {
    wall_forces_.emplace(directory / "wall_forces.csv",
                         "time [s],id,force_x [N],force_y [N],torque [N m],side,pressure [N/m]", from);
  }
  if (scene.measure->mean_square_displacement) {
    displacement_.emplace(directory / "mean_square_displacement.csv",
                          "time [s],particles,mean_square_displacement [m^2],along_x [m^2],along_y [m^2],"
                          "displacement_x [m],displacement_y [m]",
                          from);
  }
  if (scene.measure->texture) {
    texture_.emplace(directory / "texture.csv", "time [s]," + header_of(kTextureColumns), from);
  }
  if (scene.measure->helfand_moments) {
    moments_.emplace(directory / "helfand_moments.csv",
                     "time [s],xx [J s],xy [J s],yx [J s],yy [J s],heat_x [J m],heat_y [J m]", from);
  }
  if (scene.measure->fields) images_.emplace(directory, from.images);
}

void SampleTables::add(const Sample& s) {
  measure_.add_row(kSampleColumns, s);
  if (wall_forces_) add_wall_forces(s);
  if (displacement_ && s.displacement) {
    const auto& moved = *s.displacement;
    *displacement_ << s.time << moved.particles << moved.squares.sum() << moved.squares.x() << moved.squares.y()
                   << moved.displacement.x() << moved.displacement.y();
    displacement_->end_row();
  }
  if (texture_ && s.texture) add_texture(s.time, *s.texture);
  if (moments_ && s.moments) {
    const auto& [momentum, heat] = *s.moments;
    *moments_ << s.time << momentum(0, 0) << momentum(0, 1) << momentum(1, 0) << momentum(1, 1) << heat.x() << heat.y();
    moments_->end_row();
  }
  if (images_ && s.image) images_->write(*s.image);
}

void SampleTables::add_texture(double time, const ContactStatistics& t) {
  *texture_ << time;
  texture_->add_row(kTextureColumns, t);
}

void SampleTables::sync() {
  measure_.sync();
  if (wall_forces_) wall_forces_->sync();
  if (displacement_) displacement_->sync();
  if (texture_) texture_->sync();
  if (moments_) moments_->sync();
  if (images_) images_->sync();
}

void SampleTables::add_to(Written& written) const {
  measure_.add_to(written);
  if (wall_forces_) wall_forces_->add_to(written);
  if (displacement_) displacement_->add_to(written);
  if (texture_) texture_->add_to(written);
  if (moments_) moments_->add_to(written);
  if (images_) written.images = images_->images();
}

void SampleTables::add_wall_forces(const Sample& s) {
  constexpr std::array<const char*, 4> kSides = {"left", "right", "bottom", "top"};
  for (std::size_t k = 0; k < s.walls.size(); ++k) {
    const bool is_wall = k < walls_;
    const std::size_t side = is_wall ? 0 : k - walls_;
    const std::size_t axis = side / 2;
    if (!is_wall && domain_.periodic[axis]) continue;
    const WallForce& wall = s.walls[k];
    *wall_forces_ << s.time << (is_wall ? static_cast<std::uint64_t>(k + 1) : std::uint64_t{0}) << wall.force.x()
                  << wall.force.y() << wall.torque;
    if (is_wall) {
      *wall_forces_ << ""
                    << "";
    } else {
      const Vec2 size = domain_.hi - domain_.lo;
      const double outward = axis == 0 ? wall.force.x() : wall.force.y();
      *wall_forces_ << kSides.at(side) << (side % 2 == 0 ? -outward : outward) / (axis == 0 ? size.y() : size.x());
    }
    wall_forces_->end_row();
  }
}

void write_averages(const std::filesystem::path& directory, const Measurements& measurements) {
  const auto write = [&](const char* name, const Table& table) {
    write_file_atomically(directory / name, table.text());
  };
  if (const auto& distribution = measurements.radial_distribution()) {
    write("radial_distribution.csv", table_of(*distribution));
  }
  if (const auto& distribution = measurements.velocity_distribution()) {
    write("velocity_distribution.csv", table_of(*distribution));
  }
  if (measurements.measure().height_profile) write("height_profile.csv", table_of(measurements.height_profile()));
  if (const auto& distribution = measurements.pair_orientation()) {
    write("pair_orientation.csv", table_of(*distribution));
  }
  if (const auto& forces = measurements.forces()) write("force_distribution.csv", table_of(*forces));
  if (const auto& fields = measurements.fields()) {
    const FieldImage mean = fields->whole();
    write("fields_mean.csv", table_of(mean));
    write("fields_over_x.csv", profile_of(mean, 0));
    write("fields_over_y.csv", profile_of(mean, 1));
    write_image(directory / "fields_mean.vti", mean);
  }
  if (measurements.measure().free_flights) {
    write("free_paths.csv", table_of(measurements.free_paths(), "m"));
    write("free_times.csv", table_of(measurements.free_times(), "s"));
  }
}

}  // namespace scree
